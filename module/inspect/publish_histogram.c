// SPDX-License-Identifier: GPL-2.0
/*
 * Public interface: histograms.
 *
 * Concurrency: as in publish.c. Type, parameters and count of a histogram do
 * not change before it is deleted, so the slot of a value is determined before
 * the edit begins; only the addition is an edit.
 */
#include <linux/export.h>

#include "double.h"
#include "edit.h"
#include "histogram.h"

static void *histogram_create(struct vitrine_node *parent, const char *name,
			      const struct vtr_histogram *histogram)
{
	/* -ERANGE does not warn: the parameters may depend on the machine. */
	return vtr_edit_create(parent, name,
			       vtr_histogram_fits(histogram) ? 0 : -ERANGE, 1,
			       vtr_histogram_create, histogram);
}

static void *linear_create(struct vitrine_node *parent, const char *name,
			   enum inspect_type type, u64 floor, u64 step, unsigned int nr_buckets)
{
	const struct vtr_histogram histogram = {
		.type = type,
		.format = INSPECT_ARRAY_LINEAR_HISTOGRAM,
		.parameters = { floor, step },
		.nr_buckets = nr_buckets,
	};

	return histogram_create(parent, name, &histogram);
}

static void *exponential_create(struct vitrine_node *parent, const char *name,
				enum inspect_type type, u64 floor, u64 step,
				u64 multiplier, unsigned int nr_buckets)
{
	const struct vtr_histogram histogram = {
		.type = type,
		.format = INSPECT_ARRAY_EXPONENTIAL_HISTOGRAM,
		.parameters = { floor, step, multiplier },
		.nr_buckets = nr_buckets,
	};

	return histogram_create(parent, name, &histogram);
}

static void histogram_delete(void *handle, enum inspect_type type)
{
	vtr_edit_delete(handle, vtr_histogram_delete, type);
}

static __always_inline void insert_integer(void *handle, enum inspect_type type,
					   u64 value, u64 count)
{
	struct vitrine_tree *tree;
	unsigned long flags;
	u64 *block = handle;
	unsigned int slot;

	if (!block)
		return;
	tree = vtr_edit_tree(block);
	slot = vtr_histogram_integer_slot(block, type == INSPECT_INT_VALUE,
					  value);
	if (unlikely(!slot)) {
		vtr_edit_refuse(tree, -EINVAL);
		return;
	}
	if (!vtr_edit_begin_block(tree, block, &flags))
		return;
	vtr_array_numbers(block)[slot] += count;
	vtr_edit_end(tree, flags);
}

/* @count is the bits of a double, too, as are all slots of the histogram. */
static void insert_double(void *handle, u64 bits, u64 count)
{
	struct vitrine_tree *tree;
	unsigned long flags;
	u64 *block = handle;
	unsigned int slot;
	u64 *number;

	if (!block)
		return;
	tree = vtr_edit_tree(block);
	if (unlikely(!vtr_histogram_is(block, INSPECT_DOUBLE_VALUE))) {
		vtr_edit_refuse(tree, -EINVAL);
		return;
	}
	slot = vtr_histogram_double_slot(block, bits);
	if (!slot) {
		vtr_edit_refuse(tree, -ERANGE);
		return;
	}
	if (!vtr_edit_begin_block(tree, block, &flags))
		return;
	number = vtr_array_numbers(block) + slot;
	*number = vtr_double_add(*number, count);
	vtr_edit_end(tree, flags);
}

struct vitrine_int_histogram *
vitrine_int_linear_create(struct vitrine_node *parent, const char *name,
			  s64 floor, s64 step, unsigned int nr_buckets)
{
	return linear_create(parent, name, INSPECT_INT_VALUE, floor, step,
			     nr_buckets);
}
EXPORT_SYMBOL_GPL(vitrine_int_linear_create);

struct vitrine_int_histogram *
vitrine_int_exponential_create(struct vitrine_node *parent, const char *name,
			       s64 floor, s64 step, s64 multiplier,
			       unsigned int nr_buckets)
{
	return exponential_create(parent, name, INSPECT_INT_VALUE, floor, step,
				  multiplier, nr_buckets);
}
EXPORT_SYMBOL_GPL(vitrine_int_exponential_create);

void vitrine_int_histogram_insert(struct vitrine_int_histogram *histogram,
				  s64 value)
{
	insert_integer(histogram, INSPECT_INT_VALUE, value, 1);
}
EXPORT_SYMBOL_GPL(vitrine_int_histogram_insert);

void vitrine_int_histogram_insert_many(struct vitrine_int_histogram *histogram,
				       s64 value, u64 count)
{
	insert_integer(histogram, INSPECT_INT_VALUE, value, count);
}
EXPORT_SYMBOL_GPL(vitrine_int_histogram_insert_many);

void vitrine_int_histogram_delete(struct vitrine_int_histogram *histogram)
{
	histogram_delete(histogram, INSPECT_INT_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_int_histogram_delete);

struct vitrine_uint_histogram *
vitrine_uint_linear_create(struct vitrine_node *parent, const char *name,
			   u64 floor, u64 step, unsigned int nr_buckets)
{
	return linear_create(parent, name, INSPECT_UINT_VALUE, floor, step,
			     nr_buckets);
}
EXPORT_SYMBOL_GPL(vitrine_uint_linear_create);

struct vitrine_uint_histogram *
vitrine_uint_exponential_create(struct vitrine_node *parent, const char *name,
				u64 floor, u64 step, u64 multiplier,
				unsigned int nr_buckets)
{
	return exponential_create(parent, name, INSPECT_UINT_VALUE, floor, step,
				  multiplier, nr_buckets);
}
EXPORT_SYMBOL_GPL(vitrine_uint_exponential_create);

void vitrine_uint_histogram_insert(struct vitrine_uint_histogram *histogram,
				   u64 value)
{
	insert_integer(histogram, INSPECT_UINT_VALUE, value, 1);
}
EXPORT_SYMBOL_GPL(vitrine_uint_histogram_insert);

void vitrine_uint_histogram_insert_many(struct vitrine_uint_histogram *histogram,
					u64 value, u64 count)
{
	insert_integer(histogram, INSPECT_UINT_VALUE, value, count);
}
EXPORT_SYMBOL_GPL(vitrine_uint_histogram_insert_many);

void vitrine_uint_histogram_delete(struct vitrine_uint_histogram *histogram)
{
	histogram_delete(histogram, INSPECT_UINT_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_uint_histogram_delete);

struct vitrine_double_histogram *
vitrine_double_linear_create(struct vitrine_node *parent, const char *name,
			     u64 floor, u64 step, unsigned int nr_buckets)
{
	return linear_create(parent, name, INSPECT_DOUBLE_VALUE, floor, step,
			     nr_buckets);
}
EXPORT_SYMBOL_GPL(vitrine_double_linear_create);

struct vitrine_double_histogram *
vitrine_double_exponential_create(struct vitrine_node *parent, const char *name,
				  u64 floor, u64 step, u64 multiplier,
				  unsigned int nr_buckets)
{
	return exponential_create(parent, name, INSPECT_DOUBLE_VALUE, floor, step,
				  multiplier, nr_buckets);
}
EXPORT_SYMBOL_GPL(vitrine_double_exponential_create);

void vitrine_double_histogram_insert(struct vitrine_double_histogram *histogram,
				     u64 bits)
{
	insert_double(histogram, bits, vtr_double_from_uint(1));
}
EXPORT_SYMBOL_GPL(vitrine_double_histogram_insert);

void vitrine_double_histogram_insert_many(struct vitrine_double_histogram *histogram,
					  u64 bits, u64 count)
{
	insert_double(histogram, bits, vtr_double_from_uint(count));
}
EXPORT_SYMBOL_GPL(vitrine_double_histogram_insert_many);

void vitrine_double_histogram_delete(struct vitrine_double_histogram *histogram)
{
	histogram_delete(histogram, INSPECT_DOUBLE_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_double_histogram_delete);
