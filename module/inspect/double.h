/* SPDX-License-Identifier: GPL-2.0 */
/*
 * IEEE 754 binary64 in integer arithmetic, because the kernel does not use the FPU.
 *
 * Pure: no state. A double is the u64 of its bits.
 */
#ifndef _VTR_DOUBLE_H
#define _VTR_DOUBLE_H

#include <linux/bits.h>
#include <linux/types.h>

#define VTR_DOUBLE_SIGN		BIT_ULL(63)
#define VTR_DOUBLE_INFINITE	GENMASK_ULL(62, 52)

u64 vtr_double_add(u64 a, u64 b);
u64 vtr_double_mul(u64 a, u64 b);
u64 vtr_double_from_uint(u64 value);

static inline bool vtr_double_is_nan(u64 bits)
{
	return (bits & ~VTR_DOUBLE_SIGN) > VTR_DOUBLE_INFINITE;
}

static inline bool vtr_double_is_finite(u64 bits)
{
	return (bits & ~VTR_DOUBLE_SIGN) < VTR_DOUBLE_INFINITE;
}

/*
 * Map a double to an integer that is ordered like the doubles: the magnitude bits of
 * doubles of one sign are. Both zeros map to 0.
 */
static inline s64 vtr_double_rank(u64 bits)
{
	s64 magnitude = bits & ~VTR_DOUBLE_SIGN;

	return bits & VTR_DOUBLE_SIGN ? -magnitude : magnitude;
}

/**
 * vtr_double_less() - compare two doubles
 * @a: first operand, not NaN
 * @b: second operand, not NaN
 *
 * Context: any, NMI included.
 * Return: true if @a < @b.
 */
static inline bool vtr_double_less(u64 a, u64 b)
{
	return vtr_double_rank(a) < vtr_double_rank(b);
}

/**
 * vtr_double_sub() - subtract two doubles
 * @a: minuend
 * @b: subtrahend
 *
 * Context: any, NMI included.
 * Return: @a - @b, rounded to nearest, ties to even.
 */
static inline u64 vtr_double_sub(u64 a, u64 b)
{
	return vtr_double_add(a, b ^ VTR_DOUBLE_SIGN);
}

#endif /* _VTR_DOUBLE_H */
