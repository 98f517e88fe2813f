/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/log2.h>: logarithms of integers. */
#ifndef _HOST_LINUX_LOG2_H
#define _HOST_LINUX_LOG2_H

#include <linux/bitops.h>

#define ilog2(n)		(fls64(n) - 1)
#define order_base_2(n)		((n) > 1 ? fls64((n) - 1) : 0)
#define is_power_of_2(n)	((n) && !((n) & ((n) - 1)))
#define roundup_pow_of_two(n)	(1UL << order_base_2(n))

#endif
