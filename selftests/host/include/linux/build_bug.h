/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/build_bug.h>: what must hold at compile time. */
#ifndef _HOST_LINUX_BUILD_BUG_H
#define _HOST_LINUX_BUILD_BUG_H

#include <assert.h>

#define BUILD_BUG_ON(condition)	_Static_assert(!(condition), #condition)

#endif
