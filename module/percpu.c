// SPDX-License-Identifier: GPL-2.0
/*
 * What publishers call: counters and histograms kept apart for each CPU.
 *
 * Concurrency: a value's cells are written by their own CPU alone, with
 * this_cpu_add(), and read by anybody. Its property in the tree is written by
 * its refresher, which the inspect layer runs when somebody reads the tree, one
 * call at a time. All else is set up before the handle is given out and read
 * only from then on. Cells of a CPU that went offline stay and are summed.
 *
 * Unlike other handles these have memory of their own, which is the
 * publisher's to delete, before its tree is destroyed or after. They hold a
 * reference to the tree, so what updates and deletes them never meets memory
 * that is gone.
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
 * struct percpu_value - a value in a tree that is the sum of each CPU's cells
 * @refresher: of the tree, brings the sums up to date
 * @tree: the tree, with a reference
 * @block: first word of the value's block
 * @slot: word of @block that has the sum of the first cell
 * @nr_cells: cells of each CPU
 * @cells: those of each CPU
 * @sums: over all CPUs, of each cell; the refresher's
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
 * struct vitrine_percpu_histogram - a histogram kept apart for each CPU
 * @cells: what is below the floor, the buckets, what is beyond them
 * @floor: where the first bucket begins
 * @step: width of the first bucket
 * @multiplier: by how much each further one ends farther from the floor
 * @inverse: of a linear one 2^64 / @step, rounded down; else 0
 * @nr_buckets: number of buckets
 * @value: what it is in the tree
 *
 * What an insertion reads comes first, and stays as it is.
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

/* Sums first, so that the edit is short, and none where nothing changed. */
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

/* Return the property to delete: none, if the tree went before. */
static void *value_stop(struct percpu_value *value)
{
	return vtr_inspect_remove_refresher(value->tree, &value->refresher) ?
	       value->block : NULL;
}

/* After the property, which may be in the last pages that the tree has. */
static void value_deinit(struct percpu_value *value)
{
	value_free(value);
	vtr_inspect_put(value->tree);
}

/**
 * vitrine_percpu_uint_create() - make a counter kept apart for each CPU
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 *
 * In the tree it is an unsigned number, brought up to date whenever the tree is
 * read, and each second while its file is open. The counter is the caller's to
 * delete, even if its tree is destroyed.
 *
 * Context: task, sleeps.
 * Return: the counter, or NULL: the failure is counted.
 */
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

/**
 * vitrine_percpu_uint_delete() - delete a counter
 * @counter: the counter, which nobody adds to any more, or NULL
 *
 * Its tree may have been destroyed before.
 *
 * Context: task, sleeps.
 */
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

/* Cells for a histogram of a tree, which may be NULL. */
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

/**
 * vitrine_percpu_linear_create() - make a linear histogram kept apart for each CPU
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @floor: where the first bucket begins
 * @step: width of each bucket, greater than 0
 * @nr_buckets: number of buckets, 1 to 250
 *
 * In the tree it is what vitrine_uint_linear_create() makes, brought up to date
 * as vitrine_percpu_uint_create() says. It is the caller's to delete.
 *
 * Context: task, sleeps.
 * Return: the histogram, or NULL: the failure is counted.
 */
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

/**
 * vitrine_percpu_exponential_create() - make an exponential histogram kept apart for each CPU
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @floor: where the first bucket begins
 * @step: width of the first bucket, greater than 0
 * @multiplier: by how much each further bucket ends farther from the floor,
 *	at least 1
 * @nr_buckets: number of buckets, 1 to 249
 *
 * In the tree it is what vitrine_uint_exponential_create() makes, brought up to
 * date as vitrine_percpu_uint_create() says. It is the caller's to delete.
 *
 * Context: task, sleeps.
 * Return: the histogram, or NULL: the failure is counted.
 */
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
 * The product with the inverse is at most one below the quotient, since the
 * inverse is less than one below 2^64 / step and the distance below 2^64.
 */
static __always_inline u64
linear_bucket(const struct vitrine_percpu_histogram *histogram, u64 distance)
{
	u64 bucket = mul_u64_u64_shr(distance, histogram->inverse, 64);

	return bucket + (distance - bucket * histogram->step >=
			 histogram->step);
}

/**
 * vitrine_percpu_histogram_insert() - count a value in a histogram of this CPU
 * @histogram: the histogram, or NULL
 * @value: the value
 *
 * Context: any, NMI too where the architecture's this_cpu_inc() allows it.
 */
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

/**
 * vitrine_percpu_histogram_delete() - delete a histogram
 * @histogram: the histogram, which nobody inserts into any more, or NULL
 *
 * Its tree may have been destroyed before.
 *
 * Context: task, sleeps.
 */
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
