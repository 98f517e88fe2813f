/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/bitops.h>: find last set bit. */
#ifndef _HOST_LINUX_BITOPS_H
#define _HOST_LINUX_BITOPS_H

#include <linux/bits.h>
#include <linux/types.h>

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline unsigned long __fls(unsigned long x)
{
	return 63 - __builtin_clzl(x);
}

#endif
