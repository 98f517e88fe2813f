/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/export.h>: nothing is exported. */
#ifndef _HOST_LINUX_EXPORT_H
#define _HOST_LINUX_EXPORT_H

#define EXPORT_SYMBOL_GPL(symbol)	_Static_assert(1, #symbol)

#endif
