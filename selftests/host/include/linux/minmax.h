/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/minmax.h>: the smaller and the larger. */
#ifndef _HOST_LINUX_MINMAX_H
#define _HOST_LINUX_MINMAX_H

#define min(a, b) ({							\
	typeof(a) __a = (a);						\
	typeof(b) __b = (b);						\
	__a < __b ? __a : __b; })
#define max(a, b) ({							\
	typeof(a) __a = (a);						\
	typeof(b) __b = (b);						\
	__a > __b ? __a : __b; })
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define clamp(value, low, high)	min(max(value, low), high)
#define swap(a, b) do {							\
	typeof(a) __swap = (a);						\
	(a) = (b);							\
	(b) = __swap;							\
} while (0)

#endif
