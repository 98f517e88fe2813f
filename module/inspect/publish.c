// SPDX-License-Identifier: GPL-2.0
/*
 * Public interface: values, batches, health, statistics and per-CPU values.
 *
 * Concurrency: each call is one edit as defined in edit.h, or part of a batch. A node or list
 * is removed in one edit; what it owns, which readers no longer see, is deleted in several, so
 * that interrupts are off only briefly.
 *
 * The type of a handle's block, and shape and parameters of an array, can be read before the
 * edit begins: they change only when the handle is deleted, and the publisher must not use a
 * handle while it deletes it. A call that allocates blocks is repeated if the heap was full and
 * pages could be added.
 */
#include <linux/container_of.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "array.h"
#include "compat.h"
#include "inspect.h"

/* Defined in units that are also compiled on the host. */
VTR_EXPORT(vitrine_double_from_ratio);
VTR_EXPORT(vitrine_text_clean);

/*
 * Run an expression, which may allocate blocks and evaluates to 0 or a negative errno, as an
 * edit. If the heap is full and pages can be added, it runs again: for the longest value a few
 * times, because each time adds as many pages as the reserve has. Failures are counted.
 */
#define retry_growing(tree, call)					\
({									\
	struct vitrine_tree *grow_tree = (tree);			\
	unsigned long grow_flags;					\
	int grow_err;							\
									\
	do {								\
		grow_err = -EBUSY;					\
		if (!vtr_edit_begin(grow_tree, &grow_flags))		\
			break;						\
		grow_err = (call);					\
		vtr_edit_publish_pages(grow_tree);			\
		vtr_edit_end(grow_tree, grow_flags);			\
	} while (grow_err == -ENOSPC && vtr_edit_refill_slow(grow_tree)); \
	vtr_edit_refill(grow_tree);					\
	if (grow_err && grow_err != -EBUSY)				\
		vtr_edit_refuse(grow_tree, grow_err);			\
	grow_err;							\
})

/* Return the length of a string or byte vector. A text is capped just above the limit. */
static size_t buffer_bytes(unsigned int format, const void *bytes, size_t len_bytes)
{
	if (format == INSPECT_BUFFER_BINARY)
		return len_bytes;
	return bytes ? strnlen(bytes, VITRINE_VALUE_MAX + 1) : 0;
}

/* Out of line, because its name needs a stack frame. */
static noinline int link_create(struct vtr_tree *blocks, u32 parent, const char *name,
				const struct vitrine_value *value, u32 *ret)
{
	char content[VITRINE_TREE_NAME_MAX + sizeof(".inspect")];

	if (!value->bytes)
		return -ENOMEM;
	if (vtr_inspect_name_fault(value->bytes))
		return -ENAMETOOLONG; /* no warning: may come from user space */
	if (value->format > INSPECT_LINK_INLINE)
		return -EINVAL;
	scnprintf(content, sizeof(content), "%s.inspect", (const char *)value->bytes);
	return vtr_link_create(blocks, parent, name, content, value->format, ret);
}

static int block_create(struct vtr_tree *blocks, u32 parent, const char *name,
			const struct vitrine_value *value, u32 *ret)
{
	switch (value->type) {
	case INSPECT_BUFFER_VALUE:
		return vtr_tree_buffer_create(blocks, parent, name, value->format, value->bytes,
					      buffer_bytes(value->format, value->bytes,
							   value->len_bytes), ret);
	case INSPECT_ARRAY_VALUE:
		return vtr_array_create(blocks, parent, name, value, ret);
	case INSPECT_LINK_VALUE:
		return link_create(blocks, parent, name, value, ret);
	}
	if (value->is_list)
		return vtr_fifo_create(blocks, parent, name, value->count, ret);
	return vtr_tree_create(blocks, parent, name, value->type, value->bits,
			       INSPECT_MIN_BLOCK_BYTES, ret);
}

static int value_create(struct vtr_tree *blocks, u32 parent, const char *name,
			const struct vitrine_value *value, u32 *ret)
{
	int err = name ? block_create(blocks, parent, name, value, ret) : -ENOMEM;

	if (!err && value->is_recorded)
		vtr_record_insert(blocks, parent, *ret);
	return err;
}

void *vitrine_value_create(struct vitrine_node *parent, const char *name,
			   const struct vitrine_value *value)
{
	struct vitrine_tree *tree;
	u32 below, index = 0;
	int err;

	if (!parent)
		return NULL;
	tree = vtr_edit_tree(parent);
	below = vtr_edit_index(parent);
	err = retry_growing(tree, value_create(&tree->blocks, below, name, value, &index));
	/* Pairs with the READ_ONCE() of VITRINE_UPDATE(): the value before its handle. */
	smp_wmb();
	return err ? NULL : vtr_edit_handle(tree, index);
}
VTR_EXPORT(vitrine_value_create);

/*
 * Return how many invisible values to delete in one edit. In NMI context all of them, because
 * the next edit might not take place. While a copy is in progress only one, because each may
 * make the writer save several pages.
 */
static unsigned int slice(const struct vtr_tree *blocks)
{
	if (in_nmi())
		return UINT_MAX;
	return vtr_peek(blocks->heap.copy) ? 1 : 32;
}

/* Delete the remaining values of a deleted node, in short edits. */
static void purge(struct vitrine_tree *tree, u32 index)
{
	unsigned long flags;
	bool more;

	do {
		vtr_edit_begin(tree, &flags);
		more = vtr_tree_purge(&tree->blocks, index, slice(&tree->blocks));
		vtr_edit_end(tree, flags);
	} while (more);
}

void vitrine_value_delete(void *handle)
{
	struct vitrine_tree *tree;
	bool is_node, more = false;
	unsigned long flags;
	u32 index;
	int err;

	if (!handle)
		return;
	tree = vtr_edit_tree(handle);
	index = vtr_edit_index(handle);
	if (!vtr_edit_begin(tree, &flags))
		return;
	is_node = vtr_block_type(handle) == INSPECT_NODE_VALUE;
	err = vtr_tree_delete(&tree->blocks, index);
	if (is_node && !err && *vtr_tree_note(&tree->blocks, index) & VTR_NODE_NEXT)
		more = vtr_tree_purge(&tree->blocks, index, slice(&tree->blocks));
	vtr_edit_end(tree, flags);
	if (err)
		vtr_edit_refuse(tree, err);
	if (more)
		purge(tree, index);
}
VTR_EXPORT(vitrine_value_delete);

void vitrine_node_adopt(struct vitrine_node *parent,
			struct vitrine_node *child)
{
	struct vitrine_tree *tree;

	if (!parent || !child)
		return;
	tree = vtr_edit_tree(child);
	if (vtr_edit_tree(parent) == tree)
		retry_growing(tree, vtr_node_adopt(&tree->blocks, vtr_edit_index(parent),
						   vtr_edit_index(child)));
	else
		vtr_edit_refuse(tree, -EINVAL);
}
VTR_EXPORT(vitrine_node_adopt);

/*
 * Append an item with values; @dropped is an item that owns values still to be deleted, or 0. If a
 * value does not fit, the error is not -ENOSPC, because a retry would append another item.
 */
static int item_append(struct vtr_tree *blocks, u32 list, const struct vitrine_value *values,
		       unsigned int nr_values, u32 *item, u32 *dropped)
{
	int err = vtr_fifo_append(blocks, list, item, dropped);
	u32 index;

	if (err)
		return err;
	if (*dropped && !vtr_tree_purge(blocks, *dropped, slice(blocks)))
		*dropped = 0;
	for (; nr_values; nr_values--, values++)
		err = value_create(blocks, *item, values->name, values, &index) ?: err;
	return err == -ENOSPC ? -ENOMEM : err;
}

struct vitrine_node *vitrine_list_append_values(struct vitrine_list *list,
						const struct vitrine_value *values,
						unsigned int nr_values)
{
	u32 item = 0, dropped = 0;
	struct vitrine_tree *tree;
	int err;

	if (!list)
		return NULL;
	tree = vtr_edit_tree(list);
	err = retry_growing(tree, item_append(&tree->blocks, vtr_edit_index(list), values,
					      nr_values, &item, &dropped));
	if (dropped)
		purge(tree, dropped);
	return err ? NULL : vtr_edit_handle(tree, item);
}
VTR_EXPORT(vitrine_list_append_values);

/*
 * Set the word @nr after @base or, if @is_sum, add to it, unless the call is wrong for the reason
 * @err. In two's complement, addition is the same for int and uint, and covers subtraction.
 */
static __always_inline void word_change(struct vitrine_tree *tree, u64 *base, unsigned int nr,
					bool is_right, int err, bool is_sum, u64 bits)
{
	unsigned long flags;

	if (unlikely(!is_right)) {
		vtr_edit_refuse(tree, err);
		return;
	}
	if (!vtr_edit_begin_block(tree, base, &flags))
		return;
	base[nr] = is_sum ? base[nr] + bits : bits;
	vtr_edit_end(tree, flags);
}

static __always_inline void number_change(u64 *block, u8 type, bool is_sum, u64 bits)
{
	struct vitrine_tree *tree;

	if (!block)
		return;
	tree = vtr_edit_tree(block);
	word_change(tree, block, 1, vtr_block_type(block) == type, -EINVAL, is_sum, bits);
}

void vitrine_number_set(void *number, u8 type, u64 bits)
{
	number_change(number, type, false, bits);
}
VTR_EXPORT(vitrine_number_set);

void vitrine_number_add(void *number, u8 type, u64 delta)
{
	number_change(number, type, true, delta);
}
VTR_EXPORT(vitrine_number_add);

void vitrine_buffer_set(void *buffer, const void *bytes, size_t len_bytes)
{
	struct vitrine_tree *tree;

	if (!buffer)
		return;
	tree = vtr_edit_tree(buffer);
	len_bytes = buffer_bytes(vtr_block_get(buffer, 1, BUFFER_FORMAT), bytes, len_bytes);
	retry_growing(tree, vtr_tree_buffer_set(&tree->blocks, vtr_edit_index(buffer), bytes,
						len_bytes));
}
VTR_EXPORT(vitrine_buffer_set);

static __always_inline void slot_change(u64 *block, u64 kind, unsigned int slot, bool is_sum,
					u64 bits)
{
	struct vitrine_tree *tree = vtr_edit_tree(block);
	bool is_kind = vtr_array_kind(block) == kind;

	word_change(tree, block, INSPECT_ARRAY_PAYLOAD_OFFSET / sizeof(u64) + slot,
		    is_kind && slot < vtr_array_count(block), is_kind ? -ERANGE : -EINVAL, is_sum,
		    bits);
}

/* The type is the lowest field of the kind, and the format of a flat array 0. */
void vitrine_slot_set(void *array, u8 type, unsigned int slot, u64 bits)
{
	if (array)
		slot_change(array, type, slot, false, bits);
}
VTR_EXPORT(vitrine_slot_set);

void vitrine_slot_add(void *array, u8 type, unsigned int slot, u64 delta)
{
	if (array)
		slot_change(array, type, slot, true, delta);
}
VTR_EXPORT(vitrine_slot_add);

void vitrine_string_array_set(struct vitrine_string_array *array,
			      unsigned int slot, const char *value)
{
	struct vitrine_tree *tree;

	if (!array)
		return;
	tree = vtr_edit_tree(array);
	retry_growing(tree, vtr_array_string_set(&tree->blocks, vtr_edit_index(array), slot,
						 value ?: ""));
}
VTR_EXPORT(vitrine_string_array_set);

static __always_inline void histogram_insert(u64 *block, bool is_signed, u64 value, u64 count)
{
	struct vitrine_tree *tree;
	u64 slot;

	if (!block)
		return;
	tree = vtr_edit_tree(block);
	slot = vtr_histogram_slot(block, is_signed, value);
	/* The page of the number is that of the block. */
	word_change(tree, vtr_array_numbers(block) + slot, 0, slot, -EINVAL, true, count);
}

void vitrine_int_histogram_insert_many(struct vitrine_int_histogram *histogram, s64 value,
				       u64 count)
{
	histogram_insert((u64 *)histogram, true, value, count);
}
VTR_EXPORT(vitrine_int_histogram_insert_many);

void vitrine_uint_histogram_insert_many(struct vitrine_uint_histogram *histogram, u64 value,
					u64 count)
{
	histogram_insert((u64 *)histogram, false, value, count);
}
VTR_EXPORT(vitrine_uint_histogram_insert_many);

void vitrine_double_histogram_set(struct vitrine_double_histogram *histogram,
				  unsigned int bucket, struct vitrine_f64 count)
{
	u64 *block = (u64 *)histogram;
	u64 kind;

	if (!block)
		return;
	kind = vtr_array_kind(block);
	if (kind != VTR_ARRAY_KIND(DOUBLE_VALUE, EXPONENTIAL_HISTOGRAM))
		kind = VTR_ARRAY_KIND(DOUBLE_VALUE, LINEAR_HISTOGRAM);
	/* No histogram has that many buckets; the sum does not wrap. */
	bucket = min(bucket, INT_MAX + 0U) + vtr_histogram_underflow(block);
	slot_change(block, kind, bucket, false, count.bits);
}
VTR_EXPORT(vitrine_double_histogram_set);

unsigned long vitrine_batch_begin(struct vitrine_tree *tree)
{
	unsigned long flags = 0;

	if (!tree || in_nmi())
		return 0;
	vtr_edit_refill(tree);
	vtr_edit_begin(tree, &flags);
	if (!tree->depth++)
		WRITE_ONCE(tree->owner, current);
	return flags;
}
VTR_EXPORT(vitrine_batch_begin);

void vitrine_batch_end(struct vitrine_tree *tree, unsigned long flags)
{
	if (!tree || in_nmi())
		return;
	if (!vtr_edit_in_batch(tree)) {
		vtr_edit_refuse(tree, -EINVAL);
		return;
	}
	if (--tree->depth)
		return;
	WRITE_ONCE(tree->owner, NULL);
	vtr_edit_end(tree, flags);
}
VTR_EXPORT(vitrine_batch_end);

/*
 * The health of a publisher, in the node that Fuchsia's
 * tools expect, "fuchsia.inspect.Health":
 *
 *	start_timestamp_nanos	int, CLOCK_MONOTONIC
 *	status			"STARTING_UP", "OK" or "UNHEALTHY"
 *	message			string, optional
 *
 * Concurrency: as above; status and message change in one batch. The
 * caller serialises calls with the same struct vitrine_health.
 */

static void message_set(struct vitrine_health *health, const char *message)
{
	if (!message) {
		vitrine_delete(health->message);
		health->message = NULL;
	} else if (health->message) {
		vitrine_string_set(health->message, message);
	} else {
		health->message = vitrine_string_create(health->node,
							"message", message);
	}
}

void vitrine_health_set(struct vitrine_health *health, const char *status,
			const char *message)
{
	/* Once: unpublish() of a driver that works without vitrine clears it meanwhile. */
	struct vitrine_node *node = health ? READ_ONCE(health->node) : NULL;
	struct vitrine_tree *tree;
	unsigned long flags;

	if (!node)
		return;
	tree = vtr_edit_tree(node);
	flags = vitrine_batch_begin(tree);
	vitrine_string_set(health->status, status);
	message_set(health, message);
	vitrine_batch_end(tree, flags);
}
VTR_EXPORT(vitrine_health_set);

void vitrine_health_init(struct vitrine_health *health,
			 struct vitrine_node *parent)
{
	struct vitrine_tree *tree;
	unsigned long flags;

	if (!health)
		return;
	*health = (struct vitrine_health){ 0 };
	if (!parent)
		return;
	tree = vtr_edit_tree(parent);
	flags = vitrine_batch_begin(tree);
	health->node = vitrine_node_create(parent, "fuchsia.inspect.Health");
	vitrine_record_int(health->node, "start_timestamp_nanos",
			   ktime_get_mono_fast_ns());
	health->status = vitrine_string_create(health->node, "status",
					       "STARTING_UP");
	vitrine_batch_end(tree, flags);
}
VTR_EXPORT(vitrine_health_init);

/*
 * The size and usage of a tree, in its node
 * "fuchsia.inspect.Stats":
 *
 *	current_size	current size of the file in bytes
 *	maximum_size	maximum size of the file in bytes
 *	used_size	bytes in blocks that are not free
 *	values		number of nodes and properties, including these
 *	failed		number of creations and updates that failed
 *
 * Concurrency: the values are written by the tree's refresher, whose calls are
 * serialised.
 */

static void stats_refresh(struct vtr_inspect_refresher *refresher)
{
	struct vitrine_tree *tree = container_of(refresher, struct vitrine_tree, stats);
	unsigned long flags = vitrine_batch_begin(tree);
	const struct vtr_tree *blocks = &tree->blocks;

	vitrine_uint_set(tree->figures[0], blocks->heap.nr_pages * PAGE_SIZE);
	vitrine_uint_set(tree->figures[1], tree->area.max_pages * PAGE_SIZE);
	vitrine_uint_set(tree->figures[2], blocks->heap.used_bytes);
	vitrine_uint_set(tree->figures[3], blocks->nr_values);
	vitrine_uint_set(tree->figures[4], atomic_long_read(&tree->failed));
	vitrine_batch_end(tree, flags);
}

void vitrine_tree_show_stats(struct vitrine_tree *tree)
{
	static const char * const names[ARRAY_SIZE(tree->figures)] = {
		"current_size", "maximum_size", "used_size", "values", "failed",
	};
	struct vitrine_node *node;
	unsigned int i;

	if (!tree || tree->stats.refresh)
		return;
	node = vitrine_node_create(vitrine_tree_root(tree),
				   "fuchsia.inspect.Stats");
	for (i = 0; i < ARRAY_SIZE(names); i++)
		tree->figures[i] = vitrine_uint_create(node, names[i], 0);
	tree->stats.refresh = stats_refresh;
	vtr_inspect_add_refresher(tree, &tree->stats);
}
VTR_EXPORT(vitrine_tree_show_stats);

/*
 * Per-CPU counters and histograms.
 *
 * Concurrency: each cell of a value is written only by its own CPU, with
 * this_cpu_add(), and may be read on any CPU. The property in the tree is written
 * by the refresher of the value, which runs when the tree is read, one call at a
 * time. All other fields are constant once the handle is returned. The cells of a
 * CPU that went offline are kept and included in the sum.
 *
 * Unlike other handles, these have memory of their own, which is freed when the value
 * is deleted or the tree is destroyed.
 */

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
 * @tree: the tree
 * @block: first word of the block of the property
 * @slot: word of @block that contains the sum of the first cell
 * @sums: sum of each of the @nr_cells cells over all CPUs; used only by @refresher
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
	u64				sums[];
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

	for (i = 0; i < value->nr_cells; i++) {
		value->sums[i] = cell_sum(value->counter.cells + i);
		cond_resched();
	}
	if (!memcmp(value->slot, value->sums, bytes))
		return;
	if (!vtr_edit_begin_block(value->tree, value->block, &flags))
		return;
	memcpy(value->slot, value->sums, bytes);
	vtr_edit_end(value->tree, flags);
}

static void value_free(struct vtr_inspect_refresher *refresher)
{
	struct vitrine_percpu_histogram *value =
		container_of(refresher, struct vitrine_percpu_histogram, refresher);

	free_percpu(value->counter.cells);
	kfree(value);
}

/* Find the slots of a property. */
static void value_init(struct vitrine_percpu_histogram *value, u64 *block)
{
	const u64 *slots = vtr_array_numbers(block);

	value->tree = vtr_edit_tree(block);
	value->block = block;
	value->slot = block + 1;
	if (vtr_array_kind(block) == U64_MAX)
		return;
	value->slot = (u64 *)slots + vtr_histogram_underflow(block);
	value->nr_buckets = value->nr_cells - 2;
	value->floor = slots[VTR_HISTOGRAM_FLOOR];
	value->step = slots[VTR_HISTOGRAM_STEP];
	if (vtr_block_get(block, 1, ARRAY_FORMAT) == INSPECT_ARRAY_LINEAR_HISTOGRAM)
		value->inverse = div64_u64(U64_MAX, value->step);
	else
		value->multiplier = slots[VTR_HISTOGRAM_MULTIPLIER];
}

void *vitrine_percpu_create(struct vitrine_node *parent, const char *name,
			    const struct vitrine_value *value)
{
	u64 *block = vitrine_value_create(parent, name, value);
	struct vitrine_percpu_histogram *ret;
	u32 nr_cells = 1;

	if (!block)
		return NULL;
	if (vtr_array_kind(block) != U64_MAX)
		nr_cells = vtr_array_count(block) - vtr_histogram_underflow(block);
	ret = kzalloc(struct_size(ret, sums, nr_cells), GFP_KERNEL);
	if (!ret)
		goto err_block;
	ret->counter.cells = __alloc_percpu(nr_cells * sizeof(u64), __alignof__(u64));
	if (!ret->counter.cells)
		goto err_value;
	ret->nr_cells = nr_cells;
	value_init(ret, block);
	ret->refresher.refresh = value_refresh;
	ret->refresher.release = value_free;
	vtr_inspect_add_refresher(ret->tree, &ret->refresher);
	/* Pairs with the READ_ONCE() of VITRINE_UPDATE(): the value before its handle. */
	smp_wmb();
	return ret;

err_value:
	kfree(ret);
err_block:
	vtr_edit_refuse(vtr_edit_tree(block), -ENOMEM);
	vitrine_value_delete(block);
	return NULL;
}
VTR_EXPORT(vitrine_percpu_create);

void vitrine_percpu_destroy(void *handle)
{
	struct vitrine_percpu_histogram *value = handle;

	if (!value)
		return;
	vtr_inspect_remove_refresher(value->tree, &value->refresher);
	vitrine_value_delete(value->block);
	value_free(&value->refresher);
}
VTR_EXPORT(vitrine_percpu_destroy);

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
