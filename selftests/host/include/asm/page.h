/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <asm/page.h>: the size of a page. */
#ifndef _HOST_ASM_PAGE_H
#define _HOST_ASM_PAGE_H

#define PAGE_SHIFT	12
#define PAGE_SIZE	(1UL << PAGE_SHIFT)

#endif
