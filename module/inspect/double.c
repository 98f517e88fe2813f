// SPDX-License-Identifier: GPL-2.0
/*
 * IEEE 754 binary64 in integer arithmetic: sums, products and conversions.
 *
 * Concurrency: none; every function works only on its arguments.
 *
 * A finite value is unpacked into a sign, a biased exponent and a significand. Once
 * normalised, the leading one of the significand is bit 62:
 *
 *	value = (-1)^sign * significand * 2^(exponent - BIAS - 62)
 *
 * The ten bits below the 53 result bits are for rounding. The lowest of them is a sticky
 * bit: the logical OR of all bits that were ever shifted out. Each result is rounded
 * once, in pack(), to nearest, ties to even. The method is that of Berkeley SoftFloat.
 */
#include <linux/bitops.h>
#include <linux/export.h>

#include <vitrine/inspect.h>

#include "double.h"

#define FRACTION_BITS	52
#define FRACTION	GENMASK_ULL(51, 0)
#define EXPONENT	GENMASK_ULL(62, 52)
#define EXPONENT_MAX	0x7ff
#define BIAS		1023

#define INFINITE	VTR_DOUBLE_INFINITE
#define QUIET		BIT_ULL(51)
#define NOT_A_NUMBER	(EXPONENT | QUIET)

#define LEADING_BIT	62
#define ROUND_BITS	(LEADING_BIT - FRACTION_BITS)
#define ROUND		GENMASK_ULL(ROUND_BITS - 1, 0)
#define ROUND_HALF	BIT_ULL(ROUND_BITS - 1)

/* Shift right; the lowest bit becomes the OR of itself and all bits shifted out. */
static u64 shift_sticky(u64 significand, unsigned int bits)
{
	if (!bits)
		return significand;
	if (bits > 63)
		return significand != 0;
	return significand >> bits | (significand << (64 - bits) != 0);
}

/* Normalise, round and pack a value whose significand is not 0. */
static u64 pack(u64 sign, int exponent, u64 significand)
{
	int shift = fls64(significand) - 1 - LEADING_BIT;
	u64 bits, round;

	exponent += shift;
	if (shift < 0)
		significand <<= -shift;
	else
		significand = shift_sticky(significand, shift);
	if (exponent < 1) {
		/* A subnormal has the smallest exponent and leading zeros. */
		significand = shift_sticky(significand, 1 - exponent);
		exponent = 1;
	}
	if (exponent >= EXPONENT_MAX)
		return sign | INFINITE;

	round = significand & ROUND;
	significand >>= ROUND_BITS;
	if (round > ROUND_HALF || (round == ROUND_HALF && significand & 1))
		significand++;
	/*
	 * The leading one of the significand adds 1 to the exponent field. The addition also
	 * lets a carry from rounding propagate into the exponent, up to infinity.
	 */
	bits = ((u64)(exponent - 1) << FRACTION_BITS) + significand;
	return sign | bits;
}

static bool is_infinite(u64 bits)
{
	return (bits & ~VTR_DOUBLE_SIGN) == INFINITE;
}

static int unpack_exponent(u64 bits)
{
	return (bits & EXPONENT) >> FRACTION_BITS ?: 1;
}

static u64 unpack_significand(u64 bits)
{
	u64 leading = bits & EXPONENT ? BIT_ULL(LEADING_BIT) : 0;

	return leading | (bits & FRACTION) << ROUND_BITS;
}

/* Add two finite values; @a has the greater or equal magnitude. */
static u64 add_finite(u64 a, u64 b)
{
	u64 sign_a = a & VTR_DOUBLE_SIGN, sign_b = b & VTR_DOUBLE_SIGN;
	u64 significand_a = unpack_significand(a);
	u64 significand_b = unpack_significand(b);
	int exponent = unpack_exponent(a);

	significand_b = shift_sticky(significand_b,
				     exponent - unpack_exponent(b));
	if (sign_a == sign_b)
		significand_a += significand_b;
	else
		significand_a -= significand_b;
	if (!significand_a)
		return sign_a & sign_b;
	return pack(sign_a, exponent, significand_a);
}

/**
 * vtr_double_add() - add two doubles
 * @a: first summand
 * @b: second summand
 *
 * Context: any, NMI included.
 * Return: @a + @b, rounded to nearest, ties to even. A NaN operand is returned as a
 *	quiet NaN; infinities of opposite sign yield NaN.
 */
u64 vtr_double_add(u64 a, u64 b)
{
	if (vtr_double_is_nan(a))
		return a | QUIET;
	if (vtr_double_is_nan(b))
		return b | QUIET;
	if (is_infinite(a))
		return is_infinite(b) && a != b ? NOT_A_NUMBER : a;
	if (is_infinite(b))
		return b;
	/* The bits of magnitudes are ordered like the magnitudes. */
	if ((a & ~VTR_DOUBLE_SIGN) < (b & ~VTR_DOUBLE_SIGN))
		return add_finite(b, a);
	return add_finite(a, b);
}

/* Return the upper half of a product of 126 bits, with a sticky lowest bit. */
static u64 product_sticky(u64 a, u64 b)
{
	u64 low = (u64)(u32)a * (u32)b;
	u64 middle = (a >> 32) * (u32)b + (low >> 32);
	u64 other = (u32)a * (b >> 32) + (u32)middle;
	u64 high = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);

	return high | ((u32)low || (u32)other);
}

/* Return the significand of a finite nonzero value, normalised to bit 62. */
static u64 unpack_normal(u64 bits, int *exponent)
{
	u64 significand = unpack_significand(bits);
	int shift = LEADING_BIT + 1 - fls64(significand);

	*exponent = unpack_exponent(bits) - shift;
	return significand << shift;
}

/**
 * vtr_double_mul() - multiply two doubles
 * @a: first factor
 * @b: second factor
 *
 * Context: any, NMI included.
 * Return: @a * @b, rounded to nearest, ties to even. A NaN operand is returned as a
 *	quiet NaN; 0 times infinity yields NaN.
 */
u64 vtr_double_mul(u64 a, u64 b)
{
	u64 sign = (a ^ b) & VTR_DOUBLE_SIGN, significand_a, significand_b;
	bool zero = !(a & ~VTR_DOUBLE_SIGN) || !(b & ~VTR_DOUBLE_SIGN);
	int exponent_a, exponent_b;

	if (vtr_double_is_nan(a))
		return a | QUIET;
	if (vtr_double_is_nan(b))
		return b | QUIET;
	if (is_infinite(a) || is_infinite(b))
		return zero ? NOT_A_NUMBER : sign | INFINITE;
	if (zero)
		return sign;
	significand_a = unpack_normal(a, &exponent_a);
	significand_b = unpack_normal(b, &exponent_b);
	/* The product has 124 fraction bits: 64 are dropped, and the format implies 62. */
	return pack(sign, exponent_a + exponent_b - BIAS + 64 - LEADING_BIT,
		    product_sticky(significand_a, significand_b));
}

/* Split an integer into sign and magnitude; also correct for S64_MIN. */
static u64 split(s64 value, u64 *sign)
{
	*sign = value < 0 ? VTR_DOUBLE_SIGN : 0;
	return value < 0 ? -(u64)value : value;
}

u64 vitrine_double_from_int(s64 value)
{
	u64 sign, magnitude = split(value, &sign);

	return magnitude ? pack(sign, BIAS + LEADING_BIT, magnitude) : 0;
}
EXPORT_SYMBOL_GPL(vitrine_double_from_int);

/**
 * vtr_double_from_uint() - convert an unsigned integer to a double
 * @value: the integer
 *
 * Context: any, NMI included.
 * Return: bits of the nearest double, ties rounded to even.
 */
u64 vtr_double_from_uint(u64 value)
{
	return value ? pack(0, BIAS + LEADING_BIT, value) : 0;
}

u64 vitrine_double_from_ratio(s64 numerator, u64 denominator)
{
	u64 sign, quotient, rest = split(numerator, &sign);
	int exponent = BIAS, i;

	if (!denominator)
		return rest ? sign | INFINITE : NOT_A_NUMBER;
	if (!rest)
		return 0;
	/* Shift both to bit 63, so that the quotient is between 1/2 and 2. */
	i = 64 - fls64(rest);
	exponent -= i;
	rest <<= i;
	i = 64 - fls64(denominator);
	exponent += i;
	denominator <<= i;

	quotient = rest >= denominator;
	if (quotient)
		rest -= denominator;
	for (i = 0; i < LEADING_BIT; i++) {
		bool carry = rest >> 63;

		rest <<= 1;
		quotient <<= 1;
		if (carry || rest >= denominator) {
			rest -= denominator;
			quotient |= 1;
		}
	}
	return pack(sign, exponent, quotient | (rest != 0));
}
EXPORT_SYMBOL_GPL(vitrine_double_from_ratio);

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/double_kunit.c"
#endif
