// SPDX-License-Identifier: GPL-2.0
/*
 * Arrays of an Inspect hierarchy: numbers or strings in one block.
 *
 * Concurrency: not thread safe. The caller has begun an edit (see edit.h), so
 * the generation is odd, during every call.
 *
 * A slot of a numeric array contains the number. A slot of a string array contains
 * the index of a STRING_REFERENCE, to which it holds a reference, or 0 for the empty
 * string. Arrays and names share STRING_REFERENCE blocks, so a string is at most as long
 * as a name.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/string.h>

#include "array.h"

static bool is_flat(const struct vitrine_value *value)
{
	return value->format == INSPECT_ARRAY_FLAT;
}

static bool is_linear(const struct vitrine_value *value)
{
	return value->format == INSPECT_ARRAY_LINEAR_HISTOGRAM;
}

/* Number of slots, including those of a histogram besides its buckets. */
static u64 nr_slots(const struct vitrine_value *value)
{
	if (is_flat(value))
		return value->count;
	return (u64)value->count + (is_linear(value) ? VTR_HISTOGRAM_LINEAR_EXTRA :
						       VTR_HISTOGRAM_EXPONENTIAL_EXTRA);
}

static size_t array_bytes(const struct vitrine_value *value)
{
	return INSPECT_ARRAY_PAYLOAD_OFFSET + nr_slots(value) *
	       (value->slot_type == INSPECT_STRING_REFERENCE ? sizeof(u32) : sizeof(u64));
}

/**
 * vtr_array_create() - create an array whose slots are 0 or empty, or a histogram
 * @tree: tree to create it in
 * @parent: parent node
 * @name: name of the array
 * @value: types, format, count, and parameters of a histogram
 * @ret: index of the new block, written on success only
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC if the heap is full, -ENAMETOOLONG, -EINVAL if @parent is not a node,
 *	-ERANGE if vtr_array_fits() is false.
 */
int vtr_array_create(struct vtr_tree *tree, u32 parent, const char *name,
		     const struct vitrine_value *value, u32 *ret)
{
	int err;

	if (!vtr_array_fits(value))
		return -ERANGE;
	err = vtr_tree_create(tree, parent, name, INSPECT_ARRAY_VALUE,
			      FIELD_PREP(INSPECT_W1_ARRAY_TYPE, value->slot_type) |
			      FIELD_PREP(INSPECT_W1_ARRAY_FORMAT, value->format) |
			      FIELD_PREP(INSPECT_W1_ARRAY_COUNT, nr_slots(value)),
			      array_bytes(value), ret);
	if (!err && !is_flat(value))
		memcpy(vtr_array_numbers(vtr_tree_block(tree, *ret)), value->parameters,
		       (is_linear(value) ? 2 : 3) * sizeof(u64));
	return err;
}

/**
 * vtr_array_string_set() - set one slot of an array of strings
 * @tree: the tree
 * @index: index of the array
 * @slot: slot number, from 0
 * @value: new text
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC if the heap is full, -ENAMETOOLONG if the text is
 *	longer than VITRINE_NAME_MAX, -ERANGE if there is no such slot, -EINVAL
 *	if @index is not an array of strings. On failure the old text stays.
 */
int vtr_array_string_set(struct vtr_tree *tree, u32 index, unsigned int slot,
			 const char *value)
{
	u64 *block = vtr_tree_block(tree, index);
	u32 *strings = vtr_block_payload(block, INSPECT_ARRAY_PAYLOAD_OFFSET);
	u32 text = 0, old;
	int err;

	if (vtr_array_kind(block) != VTR_ARRAY_KIND(STRING_REFERENCE, FLAT))
		return -EINVAL;
	if (slot >= vtr_array_count(block))
		return -ERANGE;
	if (*value) {
		err = vtr_tree_name_get(tree, value, &text);
		if (err)
			return err;
	}
	old = strings[slot];
	strings[slot] = text;
	if (old)
		vtr_tree_name_put(tree, old);
	return 0;
}

/*
 * IEEE 754 binary64, to which integers and ratios are converted in integer arithmetic, because
 * the kernel does not use the FPU. A double is the u64 of its bits.
 *
 * Concurrency: none; every function works only on its arguments.
 *
 * A value has a sign, a biased exponent and a significand. Once normalised, the leading one of
 * the significand is bit 62:
 *
 *	value = (-1)^sign * significand * 2^(exponent - BIAS - 62)
 *
 * The ten bits below the 53 result bits are for rounding, to nearest, ties to even. The lowest
 * of them is a sticky bit: it is set if anything is left of the numerator.
 */

#define FRACTION_BITS	52
#define BIAS		1023

#define SIGN		BIT_ULL(63)
#define INFINITE	GENMASK_ULL(62, FRACTION_BITS)
#define ONE		((u64)BIAS << FRACTION_BITS)
#define NOT_A_NUMBER	(INFINITE | BIT_ULL(51))

#define LEADING_BIT	62
#define ROUND_BITS	(LEADING_BIT - FRACTION_BITS)

struct vitrine_f64 vitrine_double_from_ratio(s64 numerator, u64 denominator)
{
	u64 sign = numerator < 0 ? SIGN : 0, quotient;
	u64 rest = sign ? -(u64)numerator : numerator;
	int exponent = BIAS, i;

	if (!denominator)
		return vitrine_double_from_bits(rest ? sign | INFINITE : NOT_A_NUMBER);
	if (!rest)
		return vitrine_double_from_bits(0);
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
	else
		exponent--;
	while (!(quotient >> LEADING_BIT)) {
		bool carry = rest >> 63;

		rest <<= 1;
		quotient <<= 1;
		if (carry || rest >= denominator) {
			rest -= denominator;
			quotient |= 1;
		}
	}
	quotient |= rest != 0;
	/* Up from a half, or above a half if the result is even. */
	quotient += BIT_ULL(ROUND_BITS - 1) - 1 + (quotient >> ROUND_BITS & 1);
	/*
	 * The leading one of the significand adds 1 to the exponent field, and so does a carry
	 * from rounding.
	 */
	return vitrine_double_from_bits(sign | (((u64)(exponent - 1) << FRACTION_BITS) +
						(quotient >> ROUND_BITS)));
}

/*
 * Histograms of an Inspect hierarchy: arrays that begin with their parameters.
 */

static bool integers_fit(const struct vitrine_value *histogram)
{
	u64 max = histogram->slot_type == INSPECT_INT_VALUE ? S64_MAX : U64_MAX;
	u64 step = histogram->parameters[VTR_HISTOGRAM_STEP];
	u64 multiplier = histogram->parameters[VTR_HISTOGRAM_MULTIPLIER];
	/* Longest distance of a bound from the floor. */
	u64 distance = max - histogram->parameters[VTR_HISTOGRAM_FLOOR];

	if (!step || step > min(max, distance))
		return false;
	if (is_linear(histogram))
		return histogram->count <= distance / step;
	return multiplier && multiplier <= max &&
	       vtr_histogram_climb(distance, step, multiplier) >= histogram->count - 1;
}

/* The bits of positive doubles are ordered like the doubles. */
static bool doubles_fit(const struct vitrine_value *histogram)
{
	const u64 *parameters = histogram->parameters;
	u64 multiplier = parameters[VTR_HISTOGRAM_MULTIPLIER];
	u64 step = parameters[VTR_HISTOGRAM_STEP];

	return (parameters[VTR_HISTOGRAM_FLOOR] & ~SIGN) < INFINITE &&
	       step && step < INFINITE &&
	       (is_linear(histogram) ||
		(multiplier >= ONE && multiplier < INFINITE));
}

/**
 * vtr_array_fits() - check whether the format allows an array or histogram
 * @value: types, format, count, and parameters of a histogram
 *
 * The count has 8 bits and the array is one block: at most 254 numbers or 255 strings. A
 * histogram needs at least one bucket, a step greater than 0 and a multiplier of at least 1,
 * and all bounds of integers must be representable.
 *
 * Context: any.
 * Return: true if it fits.
 */
bool vtr_array_fits(const struct vitrine_value *value)
{
	if (nr_slots(value) > FIELD_MAX(INSPECT_W1_ARRAY_COUNT) ||
	    array_bytes(value) > INSPECT_MAX_BLOCK_BYTES)
		return false;
	if (is_flat(value))
		return true;
	if (!value->count)
		return false;
	return value->slot_type == INSPECT_DOUBLE_VALUE ? doubles_fit(value) :
							  integers_fit(value);
}

/**
 * vtr_histogram_climb() - return the logarithm of distance / step to any base
 * @distance: distance from the floor, at least @step
 * @step: width of the first bucket
 * @multiplier: the base
 *
 * For any multiplier. It multiplies by the fourth power of @multiplier first,
 * so that at most thirteen multiplications are needed.
 *
 * Context: any.
 * Return: the largest n for which @step * @multiplier^n does not exceed
 *	@distance; U32_MAX, beyond all buckets, if @multiplier is 1.
 */
u64 vtr_histogram_climb(u64 distance, u64 step, u64 multiplier)
{
	u64 next, fourth, n = 0;

	if (multiplier == 1)
		return U32_MAX;
	if (multiplier < BIT(16)) {
		fourth = multiplier * multiplier;
		fourth *= fourth;
		while (!check_mul_overflow(step, fourth, &next) &&
		       next <= distance) {
			step = next;
			n += 4;
		}
	}
	while (!check_mul_overflow(step, multiplier, &next) &&
	       next <= distance) {
		step = next;
		n++;
	}
	return n;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/array_kunit.c"
#include "tests/double_kunit.c"
#include "tests/histogram_kunit.c"
#endif
