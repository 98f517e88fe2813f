// SPDX-License-Identifier: GPL-2.0
/*
 * What publishers call: histograms.
 *
 * Concurrency: as in publish.c. Type, parameters and count of a histogram do
 * not change before it is deleted, so the slot of a value is searched without
 * the lock: only the sum is an edit.
 */
#include <linux/export.h>

#include "double.h"
#include "edit.h"
#include "histogram.h"

static void *histogram_create(struct vitrine_node *parent, const char *name,
			      const struct vtr_histogram *histogram)
{
	struct vitrine_tree *tree;
	u32 parent_index, index = 0;
	int err;

	if (!parent)
		return NULL;
	tree = vtr_edit_tree(parent);
	parent_index = vtr_edit_index(parent);
	if (!name) /* what kasprintf() left */
		return vtr_edit_created(tree, -ENOMEM, 0);
	/* Parameters may follow from the machine: refused, but no bug. */
	if (!vtr_histogram_fits(histogram))
		return vtr_edit_created(tree, -ERANGE, 0);

	err = vtr_edit_grow(tree, 1,
			    vtr_histogram_create(&tree->blocks, parent_index,
						 name, histogram, &index));
	return vtr_edit_created(tree, err, index);
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
	struct vitrine_tree *tree;
	u32 index;
	int err;

	if (!handle)
		return;
	tree = vtr_edit_tree(handle);
	index = vtr_edit_index(handle);
	err = vtr_edit_call(tree,
			    vtr_histogram_delete(&tree->blocks, index, type));
	vtr_edit_done(tree, err);
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

/* @count is the bits of a double too, as all slots are. */
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

/**
 * vitrine_int_linear_create() - make a linear histogram of signed integers
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @floor: where the first bucket begins
 * @step: width of each bucket, greater than 0
 * @nr_buckets: number of buckets, 1 to 250
 *
 * Bucket i, from 0 on, is of values from floor + step * i on. What is below the
 * floor, or beyond the last bucket, is counted too. Where the last bucket ends
 * must be a number of that type.
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_int_histogram *
vitrine_int_linear_create(struct vitrine_node *parent, const char *name,
			  s64 floor, s64 step, unsigned int nr_buckets)
{
	return linear_create(parent, name, INSPECT_INT_VALUE, floor, step,
			     nr_buckets);
}
EXPORT_SYMBOL_GPL(vitrine_int_linear_create);

/**
 * vitrine_int_exponential_create() - make an exponential histogram of signed integers
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @floor: where the first bucket begins
 * @step: width of the first bucket, greater than 0
 * @multiplier: by how much each further bucket ends farther from the floor,
 *	at least 1
 * @nr_buckets: number of buckets, 1 to 249
 *
 * The first bucket is of values from floor on, bucket i behind it of those from
 * floor + step * multiplier^(i - 1) on. What is below the floor, or beyond the
 * last bucket, is counted too. Where the last bucket ends must be a number of
 * that type.
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_int_histogram *
vitrine_int_exponential_create(struct vitrine_node *parent, const char *name,
			       s64 floor, s64 step, s64 multiplier,
			       unsigned int nr_buckets)
{
	return exponential_create(parent, name, INSPECT_INT_VALUE, floor, step,
				  multiplier, nr_buckets);
}
EXPORT_SYMBOL_GPL(vitrine_int_exponential_create);

/**
 * vitrine_int_histogram_insert() - count a value in a histogram
 * @histogram: the histogram, or NULL
 * @value: the value
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_int_histogram_insert(struct vitrine_int_histogram *histogram,
				  s64 value)
{
	insert_integer(histogram, INSPECT_INT_VALUE, value, 1);
}
EXPORT_SYMBOL_GPL(vitrine_int_histogram_insert);

/**
 * vitrine_int_histogram_insert_many() - count a value several times
 * @histogram: the histogram, or NULL
 * @value: the value
 * @count: how many times; the sum wraps
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_int_histogram_insert_many(struct vitrine_int_histogram *histogram,
				       s64 value, u64 count)
{
	insert_integer(histogram, INSPECT_INT_VALUE, value, count);
}
EXPORT_SYMBOL_GPL(vitrine_int_histogram_insert_many);

/**
 * vitrine_int_histogram_delete() - delete a histogram
 * @histogram: the histogram, or NULL
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_int_histogram_delete(struct vitrine_int_histogram *histogram)
{
	histogram_delete(histogram, INSPECT_INT_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_int_histogram_delete);

/**
 * vitrine_uint_linear_create() - make a linear histogram of unsigned integers
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @floor: where the first bucket begins
 * @step: width of each bucket, greater than 0
 * @nr_buckets: number of buckets, 1 to 250
 *
 * Bucket i, from 0 on, is of values from floor + step * i on. What is below the
 * floor, or beyond the last bucket, is counted too. Where the last bucket ends
 * must be a number of that type.
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_uint_histogram *
vitrine_uint_linear_create(struct vitrine_node *parent, const char *name,
			   u64 floor, u64 step, unsigned int nr_buckets)
{
	return linear_create(parent, name, INSPECT_UINT_VALUE, floor, step,
			     nr_buckets);
}
EXPORT_SYMBOL_GPL(vitrine_uint_linear_create);

/**
 * vitrine_uint_exponential_create() - make an exponential histogram of unsigned integers
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @floor: where the first bucket begins
 * @step: width of the first bucket, greater than 0
 * @multiplier: by how much each further bucket ends farther from the floor,
 *	at least 1
 * @nr_buckets: number of buckets, 1 to 249
 *
 * The first bucket is of values from floor on, bucket i behind it of those from
 * floor + step * multiplier^(i - 1) on. What is below the floor, or beyond the
 * last bucket, is counted too. Where the last bucket ends must be a number of
 * that type.
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_uint_histogram *
vitrine_uint_exponential_create(struct vitrine_node *parent, const char *name,
				u64 floor, u64 step, u64 multiplier,
				unsigned int nr_buckets)
{
	return exponential_create(parent, name, INSPECT_UINT_VALUE, floor, step,
				  multiplier, nr_buckets);
}
EXPORT_SYMBOL_GPL(vitrine_uint_exponential_create);

/**
 * vitrine_uint_histogram_insert() - count a value in a histogram
 * @histogram: the histogram, or NULL
 * @value: the value
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_uint_histogram_insert(struct vitrine_uint_histogram *histogram,
				   u64 value)
{
	insert_integer(histogram, INSPECT_UINT_VALUE, value, 1);
}
EXPORT_SYMBOL_GPL(vitrine_uint_histogram_insert);

/**
 * vitrine_uint_histogram_insert_many() - count a value several times
 * @histogram: the histogram, or NULL
 * @value: the value
 * @count: how many times; the sum wraps
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_uint_histogram_insert_many(struct vitrine_uint_histogram *histogram,
					u64 value, u64 count)
{
	insert_integer(histogram, INSPECT_UINT_VALUE, value, count);
}
EXPORT_SYMBOL_GPL(vitrine_uint_histogram_insert_many);

/**
 * vitrine_uint_histogram_delete() - delete a histogram
 * @histogram: the histogram, or NULL
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_uint_histogram_delete(struct vitrine_uint_histogram *histogram)
{
	histogram_delete(histogram, INSPECT_UINT_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_uint_histogram_delete);

/**
 * vitrine_double_linear_create() - make a linear histogram of doubles
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @floor: where the first bucket begins, as bits
 * @step: width of each bucket, as bits, greater than 0
 * @nr_buckets: number of buckets, 1 to 250
 *
 * Bucket i, from 0 on, is of values from floor + step * i on. What is below the
 * floor, or beyond the last bucket, is counted too. Where the last bucket ends
 * must be a number of that type.
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_double_histogram *
vitrine_double_linear_create(struct vitrine_node *parent, const char *name,
			     u64 floor, u64 step, unsigned int nr_buckets)
{
	return linear_create(parent, name, INSPECT_DOUBLE_VALUE, floor, step,
			     nr_buckets);
}
EXPORT_SYMBOL_GPL(vitrine_double_linear_create);

/**
 * vitrine_double_exponential_create() - make an exponential histogram of doubles
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @floor: where the first bucket begins, as bits
 * @step: width of the first bucket, as bits, greater than 0
 * @multiplier: by how much each further bucket ends farther from the floor, as bits,
 *	at least 1
 * @nr_buckets: number of buckets, 1 to 249
 *
 * The first bucket is of values from floor on, bucket i behind it of those from
 * floor + step * multiplier^(i - 1) on. What is below the floor, or beyond the
 * last bucket, is counted too. Where the last bucket ends must be a number of
 * that type.
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_double_histogram *
vitrine_double_exponential_create(struct vitrine_node *parent, const char *name,
				  u64 floor, u64 step, u64 multiplier,
				  unsigned int nr_buckets)
{
	return exponential_create(parent, name, INSPECT_DOUBLE_VALUE, floor, step,
				  multiplier, nr_buckets);
}
EXPORT_SYMBOL_GPL(vitrine_double_exponential_create);

/**
 * vitrine_double_histogram_insert() - count a value in a histogram
 * @histogram: the histogram, or NULL
 * @bits: the value, as bits
 *
 * NaN goes nowhere and is counted as a failure.
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_double_histogram_insert(struct vitrine_double_histogram *histogram,
				     u64 bits)
{
	insert_double(histogram, bits, vtr_double_from_uint(1));
}
EXPORT_SYMBOL_GPL(vitrine_double_histogram_insert);

/**
 * vitrine_double_histogram_insert_many() - count a value several times
 * @histogram: the histogram, or NULL
 * @bits: the value, as bits
 * @count: how many times; the sum rounds to nearest even
 *
 * NaN goes nowhere and is counted as a failure.
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_double_histogram_insert_many(struct vitrine_double_histogram *histogram,
					  u64 bits, u64 count)
{
	insert_double(histogram, bits, vtr_double_from_uint(count));
}
EXPORT_SYMBOL_GPL(vitrine_double_histogram_insert_many);

/**
 * vitrine_double_histogram_delete() - delete a histogram
 * @histogram: the histogram, or NULL
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_double_histogram_delete(struct vitrine_double_histogram *histogram)
{
	histogram_delete(histogram, INSPECT_DOUBLE_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_double_histogram_delete);
