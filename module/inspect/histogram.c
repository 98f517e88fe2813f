// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms of an Inspect hierarchy: arrays that begin with their parameters.
 *
 * Concurrency: not thread safe. The caller has begun an edit (see edit.h), so
 * the generation is odd, during creation and deletion.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/overflow.h>

#include "double.h"
#include "histogram.h"

static bool is_linear(const struct vtr_histogram *histogram)
{
	return histogram->format == INSPECT_ARRAY_LINEAR_HISTOGRAM;
}

static struct vtr_array_shape shape_of(const struct vtr_histogram *histogram)
{
	return (struct vtr_array_shape){
		.type = histogram->type,
		.format = histogram->format,
		.count = histogram->nr_buckets +
			 (is_linear(histogram) ?
			  VTR_HISTOGRAM_LINEAR_EXTRA :
			  VTR_HISTOGRAM_EXPONENTIAL_EXTRA),
	};
}

/* Compute the distance of the last bound from the floor; false if it exceeds 64 bits. */
static bool last_distance(const struct vtr_histogram *histogram, u64 *ret)
{
	u64 multiplier = histogram->parameters[VTR_HISTOGRAM_MULTIPLIER];
	unsigned int i;

	*ret = histogram->parameters[VTR_HISTOGRAM_STEP];
	if (is_linear(histogram))
		return !check_mul_overflow(*ret, (u64)histogram->nr_buckets,
					   ret);
	for (i = 1; i < histogram->nr_buckets; i++)
		if (check_mul_overflow(*ret, multiplier, ret))
			return false;
	return true;
}

static bool integers_fit(const struct vtr_histogram *histogram)
{
	u64 max = histogram->type == INSPECT_INT_VALUE ? S64_MAX : U64_MAX;
	u64 step = histogram->parameters[VTR_HISTOGRAM_STEP];
	u64 multiplier = histogram->parameters[VTR_HISTOGRAM_MULTIPLIER];
	u64 distance;

	if (!step || step > max)
		return false;
	if (!is_linear(histogram) && (!multiplier || multiplier > max))
		return false;
	return last_distance(histogram, &distance) &&
	       distance <= max - histogram->parameters[VTR_HISTOGRAM_FLOOR];
}

static u64 linear_bound(const u64 *parameters, unsigned int nr)
{
	return vtr_double_add(parameters[VTR_HISTOGRAM_FLOOR],
			      vtr_double_mul(parameters[VTR_HISTOGRAM_STEP],
					     vtr_double_from_uint(nr)));
}

static bool doubles_fit(const struct vtr_histogram *histogram)
{
	const u64 *parameters = histogram->parameters;
	u64 multiplier = parameters[VTR_HISTOGRAM_MULTIPLIER];
	u64 step = parameters[VTR_HISTOGRAM_STEP];
	unsigned int i;

	if (!vtr_double_is_finite(step) || !vtr_double_less(0, step))
		return false;
	if (is_linear(histogram))
		return vtr_double_is_finite(linear_bound(parameters,
							 histogram->nr_buckets));
	if (!vtr_double_is_finite(multiplier) ||
	    vtr_double_less(multiplier, vtr_double_from_uint(1)))
		return false;
	for (i = 1; i < histogram->nr_buckets; i++)
		step = vtr_double_mul(step, multiplier);
	step = vtr_double_add(parameters[VTR_HISTOGRAM_FLOOR], step);
	return vtr_double_is_finite(step);
}

/**
 * vtr_histogram_fits() - check the parameters of a histogram
 * @histogram: the parameters
 *
 * The histogram needs at least one bucket and at most as many as one block holds, a step
 * greater than 0 and a multiplier of at least 1, and all bounds must be representable.
 *
 * Context: any.
 * Return: true if the parameters are valid.
 */
bool vtr_histogram_fits(const struct vtr_histogram *histogram)
{
	struct vtr_array_shape shape = shape_of(histogram);

	if (!histogram->nr_buckets || histogram->nr_buckets > shape.count ||
	    !vtr_array_fits(&shape))
		return false;
	if (histogram->type == INSPECT_DOUBLE_VALUE)
		return doubles_fit(histogram);
	return integers_fit(histogram);
}

/**
 * vtr_histogram_create() - create a histogram
 * @tree: tree to create it in
 * @parent: parent node
 * @name: name of the histogram
 * @histogram: parameters
 * @ret: index of the new block, written on success only
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC if the heap is full, -ENAMETOOLONG, -EINVAL if @parent
 *	is not a node or the parameters are invalid.
 */
int vtr_histogram_create(struct vtr_tree *tree, u32 parent, const char *name,
			 const struct vtr_histogram *histogram, u32 *ret)
{
	struct vtr_array_shape shape = shape_of(histogram);
	unsigned int i, nr = is_linear(histogram) ? 2 : 3;
	u64 *slots;
	int err;

	if (!vtr_histogram_fits(histogram))
		return -EINVAL;
	err = vtr_array_create(tree, parent, name, &shape, ret);
	if (err)
		return err;
	slots = vtr_array_numbers(vtr_tree_block(tree, *ret));
	for (i = 0; i < nr; i++)
		slots[i] = histogram->parameters[i];
	return 0;
}

/**
 * vtr_histogram_delete() - delete a histogram
 * @tree: the tree
 * @index: index of the histogram
 * @type: expected type of the values
 *
 * Context: any; the caller serialises.
 * Return: 0, -EINVAL if @index is not such a histogram.
 */
int vtr_histogram_delete(struct vtr_tree *tree, u32 index,
			 enum inspect_type type)
{
	u64 *block = vtr_tree_block(tree, index);

	if (!vtr_histogram_is(block, type))
		return -EINVAL;
	vtr_tree_value_delete(tree, block, index);
	return 0;
}

/**
 * vtr_histogram_climb() - return the logarithm of distance / step to any base
 * @distance: distance from the floor, at least @step
 * @step: width of the first bucket
 * @multiplier: the base
 *
 * For multipliers other than 2. It multiplies by the fourth power of @multiplier first,
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

/* Return the number of the last of @nr + 1 bounds that does not exceed a value. */
static unsigned int linear_search(const u64 *parameters, unsigned int nr,
				  u64 bits)
{
	unsigned int low = 0;

	while (low < nr) {
		unsigned int middle = (low + nr + 1) / 2;

		if (vtr_double_less(bits, linear_bound(parameters, middle)))
			nr = middle - 1;
		else
			low = middle;
	}
	return low;
}

/**
 * vtr_histogram_double_slot() - return the slot in which a double is counted
 * @block: first word of a histogram of doubles
 * @bits: the double
 *
 * Bounds are rounded to nearest, ties to even. Those of a linear histogram are the floor
 * plus a multiple of the step, those of an exponential one are computed by repeated
 * multiplication.
 *
 * Context: any; takes at most about 250 multiplications and additions.
 * Return: number of the slot, or 0 for NaN, which belongs to no slot.
 */
unsigned int vtr_histogram_double_slot(u64 *block, u64 bits)
{
	const u64 *slots = vtr_array_numbers(block);
	u64 floor = slots[VTR_HISTOGRAM_FLOOR];
	u64 distance = slots[VTR_HISTOGRAM_STEP];
	unsigned int count = vtr_array_count(block), slot;

	if (vtr_double_is_nan(bits))
		return 0;
	if (vtr_array_is(block, INSPECT_DOUBLE_VALUE,
			 INSPECT_ARRAY_LINEAR_HISTOGRAM)) {
		slot = VTR_HISTOGRAM_STEP + 1;
		if (vtr_double_less(bits, floor))
			return slot;
		return slot + 1 +
		       linear_search(slots, count - VTR_HISTOGRAM_LINEAR_EXTRA,
				     bits);
	}
	slot = VTR_HISTOGRAM_MULTIPLIER + 1;
	if (vtr_double_less(bits, floor))
		return slot;
	while (++slot < count - 1 &&
	       !vtr_double_less(bits, vtr_double_add(floor, distance)))
		distance = vtr_double_mul(distance,
					  slots[VTR_HISTOGRAM_MULTIPLIER]);
	return slot;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/histogram_kunit.c"
#endif
