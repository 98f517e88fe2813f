/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms of an Inspect hierarchy: arrays that begin with their parameters.
 *
 * Pure: takes no lock, allocates nothing, also compiles on the host. The
 * owner serialises creation and deletion; the parameters are constant in between, so
 * the slot of a value is determined without a lock.
 *
 *	linear		floor, step, underflow, buckets..., overflow
 *	exponential	floor, initial step, multiplier, underflow, buckets..., overflow
 */
#ifndef _VTR_HISTOGRAM_H
#define _VTR_HISTOGRAM_H

#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "array.h"

#define VTR_HISTOGRAM_FLOOR		0
#define VTR_HISTOGRAM_STEP		1
#define VTR_HISTOGRAM_MULTIPLIER	2

/* Number of slots besides the buckets: parameters, underflow, overflow. */
#define VTR_HISTOGRAM_LINEAR_EXTRA	4
#define VTR_HISTOGRAM_EXPONENTIAL_EXTRA	5

/**
 * struct vtr_histogram - parameters of a histogram
 * @type: type of the values: INSPECT_INT_VALUE, _UINT_VALUE or _DOUBLE_VALUE
 * @format: INSPECT_ARRAY_LINEAR_HISTOGRAM or _EXPONENTIAL_HISTOGRAM
 * @parameters: floor, step and, for an exponential histogram, multiplier
 * @nr_buckets: number of buckets, without underflow and overflow
 */
struct vtr_histogram {
	enum inspect_type		type;
	enum inspect_array_format	format;
	u64				parameters[3];
	unsigned int			nr_buckets;
};

bool vtr_histogram_fits(const struct vtr_histogram *histogram);
int vtr_histogram_create(struct vtr_tree *tree, u32 parent, const char *name,
			 const struct vtr_histogram *histogram, u32 *ret);
int vtr_histogram_delete(struct vtr_tree *tree, u32 index,
			 enum inspect_type type);
u64 vtr_histogram_climb(u64 distance, u64 step, u64 multiplier);
unsigned int vtr_histogram_double_slot(u64 *block, u64 bits);

/**
 * vtr_histogram_is() - check that a block is a histogram of a type
 * @block: first word of the block
 * @type: expected type of the values
 *
 * Context: any.
 * Return: true if it is one, linear or exponential.
 */
static inline bool vtr_histogram_is(const u64 *block, enum inspect_type type)
{
	return vtr_block_type(block) == INSPECT_ARRAY_VALUE &&
	       vtr_block_get(block, 1, ARRAY_TYPE) == type &&
	       vtr_block_get(block, 1, ARRAY_FORMAT) != INSPECT_ARRAY_FLAT;
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
 * vtr_histogram_integer_slot() - return the slot in which an integer is counted
 * @block: first word of a block that should be a histogram of integers
 * @is_signed: the integers are signed
 * @value: the integer
 *
 * The distance from the floor is computed as unsigned, because a signed difference could
 * overflow.
 *
 * Context: any.
 * Return: number of the slot, or 0, which is never a bucket, if @block is not such a
 *	histogram.
 */
static __always_inline unsigned int
vtr_histogram_integer_slot(u64 *block, bool is_signed, u64 value)
{
	enum inspect_type type = is_signed ? INSPECT_INT_VALUE :
					     INSPECT_UINT_VALUE;
	const u64 *slots = vtr_array_numbers(block);
	unsigned int count = vtr_array_count(block);
	u64 floor, step, bucket;
	bool below;

	/* Only an ARRAY_VALUE is sure to be long enough for the accesses below. */
	if (unlikely(vtr_block_type(block) != INSPECT_ARRAY_VALUE))
		return 0;
	floor = slots[VTR_HISTOGRAM_FLOOR];
	step = slots[VTR_HISTOGRAM_STEP];
	below = is_signed ? (s64)value < (s64)floor : value < floor;
	if (vtr_array_is(block, type, INSPECT_ARRAY_LINEAR_HISTOGRAM)) {
		if (below)
			return VTR_HISTOGRAM_STEP + 1;
		bucket = vtr_histogram_linear(value - floor, step);
		return VTR_HISTOGRAM_STEP + 2 +
		       min_t(u64, bucket, count - VTR_HISTOGRAM_LINEAR_EXTRA);
	}
	if (unlikely(!vtr_array_is(block, type,
				   INSPECT_ARRAY_EXPONENTIAL_HISTOGRAM)))
		return 0;
	if (below)
		return VTR_HISTOGRAM_MULTIPLIER + 1;
	bucket = vtr_histogram_exponential(value - floor, step,
					   slots[VTR_HISTOGRAM_MULTIPLIER]);
	return VTR_HISTOGRAM_MULTIPLIER + 2 +
	       min_t(u64, bucket, count - VTR_HISTOGRAM_EXPONENTIAL_EXTRA);
}

#endif /* _VTR_HISTOGRAM_H */
