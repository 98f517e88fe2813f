/* SPDX-License-Identifier: GPL-2.0 */
/*
 * IEEE-754 binary64 in integer arithmetic: the kernel has no floating point.
 *
 * Pure: no state at all. A double is the u64 of its bits.
 */
#ifndef _VTR_DOUBLE_H
#define _VTR_DOUBLE_H

#include <linux/bits.h>
#include <linux/types.h>

#define VTR_DOUBLE_SIGN		BIT_ULL(63)

u64 vtr_double_add(u64 a, u64 b);

/**
 * vtr_double_sub() - difference of two doubles
 * @a: the one
 * @b: what is taken from it
 *
 * Context: any, NMI included.
 * Return: @a - @b, rounded to nearest, ties to even.
 */
static inline u64 vtr_double_sub(u64 a, u64 b)
{
	return vtr_double_add(a, b ^ VTR_DOUBLE_SIGN);
}

#endif /* _VTR_DOUBLE_H */
