// SPDX-License-Identifier: GPL-2.0
/*
 * Public interface: per-CPU counters and histograms.
 *
 * Concurrency: each cell of a value is written only by its own CPU, with
 * this_cpu_add(), and may be read on any CPU. The property in the tree is written
 * by the refresher of the value, which runs when the tree is read, one call at a
 * time. All other fields are constant once the handle is returned. The cells of a
 * CPU that went offline are kept and included in the sum.
 *
 * Unlike other handles, these have memory of their own, which the publisher
 * frees before or after it destroys the tree. A handle holds a reference to its
 * tree, so that updates and deletion never access freed memory.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "edit.h"
#include "histogram.h"
#include "inspect.h"

/**
 * struct percpu_value - a property that is the sum of per-CPU cells
 * @refresher: refresher of the tree that updates the sums
 * @tree: the tree, with a reference
 * @block: first word of the block of the property
 * @slot: word of @block that contains the sum of the first cell
 * @nr_cells: number of cells per CPU
 * @cells: the cells of each CPU
 * @sums: sum of each cell over all CPUs; used only by @refresher
 */
struct percpu_value {
	struct vtr_inspect_refresher	refresher;
	struct vitrine_tree		*tree;
	u64				*block;
	u64				*slot;
	unsigned int			nr_cells;
	u64 __percpu			*cells;
	u64				*sums;
};

struct percpu_uint {
	struct vitrine_percpu_uint	counter;
	struct percpu_value		value;
};

/**
 * struct vitrine_percpu_histogram - a per-CPU histogram
 * @cells: underflow, buckets and overflow
 * @floor: lower bound of the first bucket
 * @step: width of the first bucket
 * @multiplier: factor by which the distance of the upper bound grows per bucket
 * @inverse: 2^64 / @step, rounded down, for a linear histogram; else 0
 * @nr_buckets: number of buckets
 * @value: the property in the tree
 *
 * The fields that an insertion reads come first, and are constant.
 */
struct vitrine_percpu_histogram {
	u64 __percpu		*cells;
	u64			floor;
	u64			step;
	u64			multiplier;
	u64			inverse;
	u32			nr_buckets;
	struct percpu_value	value;
};

static u64 cell_sum(const u64 __percpu *cell)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(cell, cpu));
	return sum;
}

/* Compute the sums before the edit, to keep it short, and skip it if nothing changed. */
static void value_refresh(struct vtr_inspect_refresher *refresher)
{
	struct percpu_value *value = container_of(refresher,
						  struct percpu_value,
						  refresher);
	size_t bytes = value->nr_cells * sizeof(u64);
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < value->nr_cells; i++)
		value->sums[i] = cell_sum(value->cells + i);
	if (!memcmp(value->slot, value->sums, bytes))
		return;
	if (!vtr_edit_begin_block(value->tree, value->block, &flags))
		return;
	memcpy(value->slot, value->sums, bytes);
	vtr_edit_end(value->tree, flags);
}

static void value_free(struct percpu_value *value)
{
	free_percpu(value->cells);
	kfree(value->sums);
}

static bool value_init(struct percpu_value *value, void *block,
		       unsigned int word, unsigned int nr_cells)
{
	value->tree = vtr_edit_tree(block);
	value->block = block;
	value->slot = value->block + word;
	value->nr_cells = nr_cells;
	value->sums = kcalloc(nr_cells, sizeof(*value->sums), GFP_KERNEL);
	value->cells = __alloc_percpu(nr_cells * sizeof(*value->cells),
				      __alignof__(*value->cells));
	if (!value->sums || !value->cells) {
		value_free(value);
		return false;
	}
	vtr_inspect_get(value->tree);
	value->refresher.refresh = value_refresh;
	vtr_inspect_add_refresher(value->tree, &value->refresher);
	return true;
}

/* Return the property to delete, or NULL if the tree was destroyed before. */
static void *value_stop(struct percpu_value *value)
{
	return vtr_inspect_remove_refresher(value->tree, &value->refresher) ?
	       value->block : NULL;
}

/* Call after deleting the property: the reference to the tree keeps its pages. */
static void value_deinit(struct percpu_value *value)
{
	value_free(value);
	vtr_inspect_put(value->tree);
}

struct vitrine_percpu_uint *
vitrine_percpu_uint_create(struct vitrine_node *parent, const char *name)
{
	struct vitrine_uint *property = vitrine_uint_create(parent, name, 0);
	struct percpu_uint *ret;

	if (!property)
		return NULL;
	ret = kzalloc(sizeof(*ret), GFP_KERNEL);
	if (!ret || !value_init(&ret->value, property, 1, 1)) {
		vtr_edit_refuse(vtr_edit_tree(property), -ENOMEM);
		vitrine_uint_delete(property);
		kfree(ret);
		return NULL;
	}
	ret->counter.cells = ret->value.cells;
	return &ret->counter;
}
EXPORT_SYMBOL_GPL(vitrine_percpu_uint_create);

void vitrine_percpu_uint_delete(struct vitrine_percpu_uint *counter)
{
	struct percpu_uint *outer;

	if (!counter)
		return;
	outer = container_of(counter, struct percpu_uint, counter);
	vitrine_uint_delete(value_stop(&outer->value));
	value_deinit(&outer->value);
	kfree(outer);
}
EXPORT_SYMBOL_GPL(vitrine_percpu_uint_delete);

/* Create the cells for a histogram property, which may be NULL. */
static struct vitrine_percpu_histogram *
histogram_create(struct vitrine_uint_histogram *property)
{
	struct vitrine_percpu_histogram *ret;
	u64 *block = (u64 *)property;
	unsigned int first;
	const u64 *slots;

	if (!block)
		return NULL;
	first = vtr_array_is(block, INSPECT_UINT_VALUE,
			     INSPECT_ARRAY_LINEAR_HISTOGRAM) ?
		VTR_HISTOGRAM_STEP + 1 : VTR_HISTOGRAM_MULTIPLIER + 1;
	slots = vtr_array_numbers(block);
	ret = kzalloc(sizeof(*ret), GFP_KERNEL);
	if (!ret || !value_init(&ret->value, block, slots - block + first,
				vtr_array_count(block) - first)) {
		vtr_edit_refuse(vtr_edit_tree(property), -ENOMEM);
		vitrine_uint_histogram_delete(property);
		kfree(ret);
		return NULL;
	}
	ret->cells = ret->value.cells;
	ret->floor = slots[VTR_HISTOGRAM_FLOOR];
	ret->step = slots[VTR_HISTOGRAM_STEP];
	ret->nr_buckets = ret->value.nr_cells - 2;
	return ret;
}

struct vitrine_percpu_histogram *
vitrine_percpu_linear_create(struct vitrine_node *parent, const char *name,
			     u64 floor, u64 step, unsigned int nr_buckets)
{
	struct vitrine_percpu_histogram *ret;

	ret = histogram_create(vitrine_uint_linear_create(parent, name, floor,
							  step, nr_buckets));
	if (ret)
		ret->inverse = div64_u64(U64_MAX, step);
	return ret;
}
EXPORT_SYMBOL_GPL(vitrine_percpu_linear_create);

struct vitrine_percpu_histogram *
vitrine_percpu_exponential_create(struct vitrine_node *parent, const char *name,
				  u64 floor, u64 step, u64 multiplier,
				  unsigned int nr_buckets)
{
	struct vitrine_uint_histogram *property;
	struct vitrine_percpu_histogram *ret;

	property = vitrine_uint_exponential_create(parent, name, floor, step,
						   multiplier, nr_buckets);
	ret = histogram_create(property);
	if (ret)
		ret->multiplier = multiplier;
	return ret;
}
EXPORT_SYMBOL_GPL(vitrine_percpu_exponential_create);

/*
 * Division by a constant as a multiplication with its inverse. The product is at most one
 * less than the quotient, since the inverse is less than one below 2^64 / step and the
 * distance is below 2^64; one comparison corrects it.
 */
static __always_inline u64
linear_bucket(const struct vitrine_percpu_histogram *histogram, u64 distance)
{
	u64 bucket = mul_u64_u64_shr(distance, histogram->inverse, 64);

	return bucket + (distance - bucket * histogram->step >=
			 histogram->step);
}

void vitrine_percpu_histogram_insert(struct vitrine_percpu_histogram *histogram,
				     u64 value)
{
	u64 bucket;

	if (unlikely(!histogram))
		return;
	if (unlikely(value < histogram->floor)) {
		this_cpu_inc(*histogram->cells);
		return;
	}
	value -= histogram->floor;
	bucket = histogram->inverse ?
		 linear_bucket(histogram, value) :
		 vtr_histogram_exponential(value, histogram->step,
					   histogram->multiplier);
	bucket = min_t(u64, bucket, histogram->nr_buckets) + 1;
	this_cpu_inc(histogram->cells[bucket]);
}
EXPORT_SYMBOL_GPL(vitrine_percpu_histogram_insert);

void vitrine_percpu_histogram_delete(struct vitrine_percpu_histogram *histogram)
{
	if (!histogram)
		return;
	vitrine_uint_histogram_delete(value_stop(&histogram->value));
	value_deinit(&histogram->value);
	kfree(histogram);
}
EXPORT_SYMBOL_GPL(vitrine_percpu_histogram_delete);

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/percpu_kunit.c"
#endif
