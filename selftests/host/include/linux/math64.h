/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/math64.h>. */
#ifndef _HOST_LINUX_MATH64_H
#define _HOST_LINUX_MATH64_H

#include <linux/types.h>

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return (unsigned __int128)a * b >> shift;
}

#endif
