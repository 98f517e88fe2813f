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
#include <linux/math64.h>
#include <linux/slab.h>

#include "compat.h"
#include "array.h"
#include "inspect.h"

/**
 * struct vitrine_percpu_histogram - a per-CPU histogram, or a counter
 * @counter: the cells of each CPU: the count; or underflow, buckets and overflow
 * @floor: lower bound of the first bucket
 * @step: width of the first bucket
 * @multiplier: factor by which the distance of the upper bound grows per bucket
 * @inverse: 2^64 / @step, rounded down, for a linear histogram; else 0
 * @nr_buckets: number of buckets
 * @nr_cells: number of cells per CPU
 * @refresher: refresher of the tree that updates the sums
 * @tree: the tree, with a reference
 * @block: first word of the block of the property
 * @slot: word of @block that contains the sum of the first cell
 * @sums: sum of each cell over all CPUs; used only by @refresher
 *
 * The fields that an insertion reads come first, and are constant.
 */
struct vitrine_percpu_histogram {
	struct vitrine_percpu_uint	counter;
	u64				floor;
	u64				step;
	u64				multiplier;
	u64				inverse;
	u32				nr_buckets;
	u32				nr_cells;
	struct vtr_inspect_refresher	refresher;
	struct vitrine_tree		*tree;
	u64				*block;
	u64				*slot;
	u64				*sums;
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
	struct vitrine_percpu_histogram *value =
		container_of(refresher, struct vitrine_percpu_histogram, refresher);
	size_t bytes = value->nr_cells * sizeof(u64);
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < value->nr_cells; i++)
		value->sums[i] = cell_sum(value->counter.cells + i);
	if (!memcmp(value->slot, value->sums, bytes))
		return;
	if (!vtr_edit_begin_block(value->tree, value->block, &flags))
		return;
	memcpy(value->slot, value->sums, bytes);
	vtr_edit_end(value->tree, flags);
}

static void value_release(struct vtr_inspect_refresher *refresher)
{
	vitrine_percpu_delete(container_of(refresher, struct vitrine_percpu_histogram,
					   refresher));
}

static void value_free(struct vitrine_percpu_histogram *value)
{
	free_percpu(value->counter.cells);
	kfree(value->sums);
	kfree(value);
}

/* Find the slots of a property. */
static void value_init(struct vitrine_percpu_histogram *value, u64 *block)
{
	const u64 *slots = vtr_array_numbers(block);

	value->tree = vtr_edit_tree(block);
	value->block = block;
	value->slot = block + 1;
	value->nr_cells = 1;
	if (vtr_array_kind(block) == U64_MAX)
		return;
	value->slot = (u64 *)slots + vtr_histogram_underflow(block);
	value->nr_cells = vtr_array_count(block) - vtr_histogram_underflow(block);
	value->nr_buckets = value->nr_cells - 2;
	value->floor = slots[VTR_HISTOGRAM_FLOOR];
	value->step = slots[VTR_HISTOGRAM_STEP];
	if (vtr_block_get(block, 1, ARRAY_FORMAT) == INSPECT_ARRAY_LINEAR_HISTOGRAM)
		value->inverse = div64_u64(U64_MAX, value->step);
	else
		value->multiplier = slots[VTR_HISTOGRAM_MULTIPLIER];
}

static bool value_alloc(struct vitrine_percpu_histogram *value)
{
	value->sums = kcalloc(value->nr_cells, sizeof(*value->sums), GFP_KERNEL);
	value->counter.cells = __alloc_percpu(value->nr_cells * sizeof(u64),
					      __alignof__(u64));
	return value->sums && value->counter.cells;
}

void *vitrine_percpu_create(struct vitrine_node *parent, const char *name,
			    const struct vitrine_value *value)
{
	u64 *block = vitrine_value_create(parent, name, value);
	struct vitrine_percpu_histogram *ret;

	if (!block)
		return NULL;
	ret = kzalloc(sizeof(*ret), GFP_KERNEL);
	if (!ret)
		goto err_block;
	value_init(ret, block);
	if (!value_alloc(ret))
		goto err_value;
	vtr_inspect_get(ret->tree);
	ret->refresher.refresh = value_refresh;
	ret->refresher.release = value_release;
	vtr_inspect_add_refresher(ret->tree, &ret->refresher);
	/* Pairs with the READ_ONCE() of VITRINE_UPDATE(): the value before its handle. */
	smp_wmb();
	return ret;

err_value:
	value_free(ret);
err_block:
	vtr_edit_refuse(vtr_edit_tree(block), -ENOMEM);
	vitrine_delete(block);
	return NULL;
}
VTR_EXPORT(vitrine_percpu_create);

/* If the tree was destroyed before, the property is gone; the reference keeps its pages. */
void vitrine_percpu_delete(void *handle)
{
	struct vitrine_percpu_histogram *value = handle;
	struct vitrine_tree *tree;

	if (!value)
		return;
	tree = value->tree;
	if (vtr_inspect_remove_refresher(tree, &value->refresher))
		vitrine_delete(value->block);
	value_free(value);
	vtr_inspect_put(tree);
}
VTR_EXPORT(vitrine_percpu_delete);

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
		this_cpu_inc(*histogram->counter.cells);
		return;
	}
	value -= histogram->floor;
	bucket = histogram->inverse ?
		 linear_bucket(histogram, value) :
		 vtr_histogram_exponential(value, histogram->step,
					   histogram->multiplier);
	bucket = min_t(u64, bucket, histogram->nr_buckets) + 1;
	this_cpu_inc(histogram->counter.cells[bucket]);
}
VTR_EXPORT(vitrine_percpu_histogram_insert);

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/percpu_kunit.c"
#endif
