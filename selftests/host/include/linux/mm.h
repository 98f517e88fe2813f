/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/mm.h>: the size of a page is all that is needed. */
#ifndef _HOST_LINUX_MM_H
#define _HOST_LINUX_MM_H

#include <asm/page.h>

#endif
