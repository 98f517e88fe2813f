/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/bits.h>: single bits and ranges of them. */
#ifndef _HOST_LINUX_BITS_H
#define _HOST_LINUX_BITS_H

#define BIT(nr)			(1UL << (nr))
#define BIT_ULL(nr)		(1ULL << (nr))
#define GENMASK(high, low)	((~0UL << (low)) & (~0UL >> (63 - (high))))
#define GENMASK_ULL(high, low)	((~0ULL << (low)) & (~0ULL >> (63 - (high))))

#endif
