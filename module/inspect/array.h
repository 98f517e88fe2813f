/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays of an Inspect hierarchy: numbers or strings in one block.
 *
 * Pure: takes no lock, allocates nothing, also compiles on the host. The
 * owner serialises all calls.
 */
#ifndef _VTR_ARRAY_H
#define _VTR_ARRAY_H

#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/minmax.h>

#include "tree.h"

bool vtr_array_fits(const struct vitrine_value *value);
int vtr_array_create(struct vtr_tree *tree, u32 parent, const char *name,
		     const struct vitrine_value *value, u32 *ret);
int vtr_array_string_set(struct vtr_tree *tree, u32 index, unsigned int slot,
			 const char *value);

/* Type and format of an array, as they stand in its second word. */
#define VTR_ARRAY_KIND(type, format)					\
	(FIELD_PREP(INSPECT_W1_ARRAY_TYPE, INSPECT_##type) |		\
	 FIELD_PREP(INSPECT_W1_ARRAY_FORMAT, INSPECT_ARRAY_##format))

/**
 * vtr_array_kind() - return type and format of an array
 * @block: first word of the block
 *
 * Context: any.
 * Return: one of VTR_ARRAY_KIND(); U64_MAX if @block is not an array.
 */
static inline u64 vtr_array_kind(const u64 *block)
{
	if (unlikely(vtr_block_type(block) != INSPECT_ARRAY_VALUE))
		return U64_MAX;
	return block[1] & (INSPECT_W1_ARRAY_TYPE | INSPECT_W1_ARRAY_FORMAT);
}

static inline unsigned int vtr_array_count(const u64 *block)
{
	return vtr_block_get(block, 1, ARRAY_COUNT);
}

/* Return the slots of an array of numbers, 64 bits each. */
static inline u64 *vtr_array_numbers(u64 *block)
{
	return vtr_block_payload(block, INSPECT_ARRAY_PAYLOAD_OFFSET);
}

/*
 * Histograms of an Inspect hierarchy: arrays that begin with their parameters.
 *
 *	linear		floor, step, underflow, buckets..., overflow
 *	exponential	floor, initial step, multiplier, underflow, buckets..., overflow
 */

#define VTR_HISTOGRAM_FLOOR		0
#define VTR_HISTOGRAM_STEP		1
#define VTR_HISTOGRAM_MULTIPLIER	2

/* Number of slots besides the buckets: parameters, underflow, overflow. */
#define VTR_HISTOGRAM_LINEAR_EXTRA	4
#define VTR_HISTOGRAM_EXPONENTIAL_EXTRA	5

u64 vtr_histogram_climb(u64 distance, u64 step, u64 multiplier);

/* Return the slot of the values below the floor. */
static inline unsigned int vtr_histogram_underflow(const u64 *block)
{
	return vtr_block_get(block, 1, ARRAY_FORMAT) ==
	       INSPECT_ARRAY_LINEAR_HISTOGRAM ? VTR_HISTOGRAM_STEP + 1 :
						VTR_HISTOGRAM_MULTIPLIER + 1;
}

/**
 * vtr_histogram_log2() - return the binary logarithm of distance / step, rounded down
 * @distance: distance from the floor, at least @step
 * @step: width of the first bucket
 *
 * Context: any.
 * Return: the largest n for which @step * 2^n does not exceed @distance.
 */
static __always_inline unsigned int vtr_histogram_log2(u64 distance, u64 step)
{
	unsigned int log2 = __fls(distance) - __fls(step);

	return log2 - (distance >> log2 < step);
}

static __always_inline u64 vtr_histogram_linear(u64 distance, u64 step)
{
	if (!(step & (step - 1)))
		return distance >> __fls(step);
	return distance / step;
}

/**
 * vtr_histogram_exponential() - return the exponential bucket of a distance
 * @distance: distance from the floor
 * @step: width of the first bucket
 * @multiplier: factor by which the distance of the upper bound grows per bucket
 *
 * Context: any.
 * Return: number of the bucket, as if the number of buckets were unlimited.
 */
static __always_inline u64
vtr_histogram_exponential(u64 distance, u64 step, u64 multiplier)
{
	if (distance < step)
		return 0;
	if (likely(multiplier == 2))
		return vtr_histogram_log2(distance, step) + 1;
	return vtr_histogram_climb(distance, step, multiplier) + 1;
}

/**
 * vtr_histogram_slot() - return the slot in which an integer is counted
 * @block: first word of a block that should be a histogram of integers
 * @is_signed: the integers are signed
 * @value: the integer
 *
 * The distance from the floor is computed as unsigned, because a signed difference could
 * overflow.
 *
 * Context: any.
 * Return: number of the slot, or 0, which is never a bucket, if @block is not such a
 *	histogram. As it has 64 bits, the compiler knows where it is not 0.
 */
static __always_inline u64 vtr_histogram_slot(u64 *block, bool is_signed, u64 value)
{
	const u64 *slots = vtr_array_numbers(block);
	unsigned int count = vtr_array_count(block);
	u64 kind = vtr_array_kind(block);
	u64 floor, step, bucket;
	bool is_below;

	/* Only an ARRAY_VALUE is sure to be long enough for the accesses below. */
	if (unlikely(kind == U64_MAX))
		return 0;
	floor = slots[VTR_HISTOGRAM_FLOOR];
	step = slots[VTR_HISTOGRAM_STEP];
	is_below = is_signed ? (s64)value < (s64)floor : value < floor;
	if (kind == (is_signed ? VTR_ARRAY_KIND(INT_VALUE, LINEAR_HISTOGRAM) :
				 VTR_ARRAY_KIND(UINT_VALUE, LINEAR_HISTOGRAM))) {
		if (is_below)
			return VTR_HISTOGRAM_STEP + 1;
		bucket = vtr_histogram_linear(value - floor, step);
		return VTR_HISTOGRAM_STEP + 2 +
		       min_t(u64, bucket, count - VTR_HISTOGRAM_LINEAR_EXTRA);
	}
	if (unlikely(kind != (is_signed ? VTR_ARRAY_KIND(INT_VALUE, EXPONENTIAL_HISTOGRAM) :
					  VTR_ARRAY_KIND(UINT_VALUE, EXPONENTIAL_HISTOGRAM))))
		return 0;
	if (is_below)
		return VTR_HISTOGRAM_MULTIPLIER + 1;
	bucket = vtr_histogram_exponential(value - floor, step,
					   slots[VTR_HISTOGRAM_MULTIPLIER]);
	return VTR_HISTOGRAM_MULTIPLIER + 2 +
	       min_t(u64, bucket, count - VTR_HISTOGRAM_EXPONENTIAL_EXTRA);
}

#endif /* _VTR_ARRAY_H */
