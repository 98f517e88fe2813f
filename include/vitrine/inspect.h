/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The publisher's interface: put kernel state behind glass.
 *
 *	static struct vitrine_tree *tree;
 *	static struct vitrine_uint *resets;
 *
 *	tree = vitrine_tree_create("mydriver", 0);
 *	resets = vitrine_uint_create(vitrine_tree_root(tree), "resets", 0);
 *	...
 *	vitrine_uint_add(resets, 1);
 *	...
 *	vitrine_tree_destroy(tree);
 *
 * and user space reads /sys/kernel/debug/vitrine/inspect/mydriver.inspect.
 *
 * As with debugfs, a publisher needs no error handling: what cannot be made is
 * NULL, every call accepts NULL, and failures are counted and shown in the
 * tree "vitrine".
 *
 * Context: what makes or ends a tree, a lazy tree or a value kept per CPU
 * sleeps. All other calls may be made from any context but NMI: from NMI
 * an update is tried, and counted as failed if the tree is being edited. Calls
 * on one tree serialise themselves. The caller sees to it that nobody uses a
 * handle after it or its tree has been deleted, as with any other pointer. A
 * node may be deleted before what is below it: that is out of the readers'
 * sight at once, and each handle of it can still be updated and deleted.
 *
 * A handle is the block itself, typed: it costs no memory of its own. Never
 * dereference it.
 *
 * The functions' kernel-doc stands where they are defined: trees in
 * module/inspect.c, lazy.c and managed.c, what is in them in module/publish.c,
 * publish_*.c and percpu.c, and the conversions to double in module/double.c.
 */
#ifndef _VITRINE_INSPECT_H
#define _VITRINE_INSPECT_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

/* Longest name of a tree, node or property in bytes, without the final NUL. */
#define VITRINE_TREE_NAME_MAX	63
#define VITRINE_NAME_MAX	255
/* Longest string or byte-vector value in bytes. */
#define VITRINE_VALUE_MAX	(64U << 10)
/* Most levels of nodes in a tree, the root included. */
#define VITRINE_DEPTH_MAX	64

struct vitrine_tree;
struct vitrine_node;
struct vitrine_int;
struct vitrine_uint;
struct vitrine_double;
struct vitrine_bool;
struct vitrine_string;
struct vitrine_bytes;
struct vitrine_int_array;
struct vitrine_uint_array;
struct vitrine_double_array;
struct vitrine_string_array;
struct vitrine_int_histogram;
struct vitrine_uint_histogram;
struct vitrine_double_histogram;
struct vitrine_link;
struct vitrine_list;
struct vitrine_lazy;
struct device;
struct module;

/* A tree: one Inspect file. limit_bytes 0 means 256 KiB. */
struct vitrine_tree *vitrine_tree_create(const char *name, size_t limit_bytes);
void vitrine_tree_destroy(struct vitrine_tree *tree);
struct vitrine_node *vitrine_tree_root(struct vitrine_tree *tree);

/* Instead of destroy: what the tree held last stays readable in retained/. */
void vitrine_tree_retain(struct vitrine_tree *tree);

/* Trees that are destroyed when their device or module goes. */
struct vitrine_tree *devm_vitrine_tree_create(struct device *dev,
					      const char *name,
					      size_t limit_bytes);
struct vitrine_tree *vitrine_tree_create_for(struct module *owner,
					     const char *name,
					     size_t limit_bytes);
#define vitrine_module_tree_create(name, limit_bytes) \
	vitrine_tree_create_for(THIS_MODULE, name, limit_bytes)

/* A node with how full the tree is, in the tree, right whenever it is read. */
void vitrine_tree_show_stats(struct vitrine_tree *tree);

/*
 * A lazy tree costs nothing until somebody opens its file: fill() is then
 * called, in task context, to make what goes below the root of a tree that
 * only this opener sees. It may sleep, and returns 0 or why it failed. An
 * opener waits at most timeout_ms.
 */
struct vitrine_lazy *
vitrine_lazy_create(const char *name, size_t limit_bytes,
		    unsigned int timeout_ms,
		    int (*fill)(struct vitrine_node *root, void *ctx),
		    void *ctx);
void vitrine_lazy_destroy(struct vitrine_lazy *lazy);

/* Many edits in one step of the generation: a reader sees all or none. */
unsigned long vitrine_batch_begin(struct vitrine_tree *tree);
void vitrine_batch_end(struct vitrine_tree *tree, unsigned long flags);

struct vitrine_node *vitrine_node_create(struct vitrine_node *parent,
					 const char *name);
void vitrine_node_delete(struct vitrine_node *node);
void vitrine_node_adopt(struct vitrine_node *parent,
			struct vitrine_node *child);

/* "prefix-0", "prefix-1", ...: a name no other call returns. */
const char *vitrine_unique_name(char *name, size_t size, const char *prefix);

/* Links: another tree, by its name, seen as a child or inline in the parent. */
enum vitrine_disposition {
	VITRINE_LINK_CHILD,
	VITRINE_LINK_INLINE,
};

struct vitrine_link *vitrine_link_create(struct vitrine_node *parent,
					 const char *name, const char *tree,
					 enum vitrine_disposition disposition);
void vitrine_link_delete(struct vitrine_link *link);

/*
 * Recorded values belong to their node: nobody holds a handle of theirs, and
 * they are deleted with it.
 */
struct vitrine_node *vitrine_record_node(struct vitrine_node *parent,
					 const char *name);
void vitrine_record_int(struct vitrine_node *node, const char *name, s64 value);
void vitrine_record_uint(struct vitrine_node *node, const char *name,
			 u64 value);
void vitrine_record_double(struct vitrine_node *node, const char *name,
			   u64 bits);
void vitrine_record_bool(struct vitrine_node *node, const char *name,
			 bool value);
void vitrine_record_string(struct vitrine_node *node, const char *name,
			   const char *value);
void vitrine_record_bytes(struct vitrine_node *node, const char *name,
			  const void *value, size_t len_bytes);

/*
 * A list of what happened last: appending to a full one deletes its oldest
 * node with all that is recorded below it. Nodes are named "0", "1", ...
 */
struct vitrine_list *vitrine_list_create(struct vitrine_node *parent,
					 const char *name,
					 unsigned int capacity);
struct vitrine_node *vitrine_list_append(struct vitrine_list *list);
void vitrine_list_delete(struct vitrine_list *list);

/* Health, as Fuchsia's tools look for it: status, message, start time. */
struct vitrine_health {
	struct vitrine_node	*node;
	struct vitrine_string	*status;
	struct vitrine_string	*message;
};

void vitrine_health_init(struct vitrine_health *health,
			 struct vitrine_node *parent);
void vitrine_health_starting_up(struct vitrine_health *health,
				const char *message);
void vitrine_health_ok(struct vitrine_health *health);
void vitrine_health_unhealthy(struct vitrine_health *health,
			      const char *message);
void vitrine_health_deinit(struct vitrine_health *health);

struct vitrine_int *vitrine_int_create(struct vitrine_node *parent,
				       const char *name, s64 value);
void vitrine_int_set(struct vitrine_int *property, s64 value);
void vitrine_int_add(struct vitrine_int *property, s64 delta);
void vitrine_int_sub(struct vitrine_int *property, s64 delta);
void vitrine_int_delete(struct vitrine_int *property);

struct vitrine_uint *vitrine_uint_create(struct vitrine_node *parent,
					 const char *name, u64 value);
void vitrine_uint_set(struct vitrine_uint *property, u64 value);
void vitrine_uint_add(struct vitrine_uint *property, u64 delta);
void vitrine_uint_sub(struct vitrine_uint *property, u64 delta);
void vitrine_uint_delete(struct vitrine_uint *property);

/*
 * The kernel has no floating point: a double travels as its IEEE-754 bits.
 * The conversions and the sums round to nearest, ties to even.
 */
u64 vitrine_double_from_int(s64 value);
u64 vitrine_double_from_ratio(s64 numerator, u64 denominator);
struct vitrine_double *vitrine_double_create(struct vitrine_node *parent,
					     const char *name, u64 bits);
void vitrine_double_set(struct vitrine_double *property, u64 bits);
void vitrine_double_add(struct vitrine_double *property, u64 bits);
void vitrine_double_sub(struct vitrine_double *property, u64 bits);
void vitrine_double_delete(struct vitrine_double *property);

struct vitrine_bool *vitrine_bool_create(struct vitrine_node *parent,
					 const char *name, bool value);
void vitrine_bool_set(struct vitrine_bool *property, bool value);
void vitrine_bool_delete(struct vitrine_bool *property);

struct vitrine_string *vitrine_string_create(struct vitrine_node *parent,
					     const char *name,
					     const char *value);
void vitrine_string_set(struct vitrine_string *property, const char *value);
void vitrine_string_delete(struct vitrine_string *property);

struct vitrine_bytes *vitrine_bytes_create(struct vitrine_node *parent,
					   const char *name, const void *value,
					   size_t len_bytes);
void vitrine_bytes_set(struct vitrine_bytes *property, const void *value,
		       size_t len_bytes);
void vitrine_bytes_delete(struct vitrine_bytes *property);

/*
 * Arrays: a fixed number of slots, at most 254 numbers or 255 strings, which
 * begin as 0 or empty. A double is its bits, as above.
 */
struct vitrine_int_array *
vitrine_int_array_create(struct vitrine_node *parent, const char *name,
			 unsigned int count);
void vitrine_int_array_set(struct vitrine_int_array *array, unsigned int slot,
			   s64 value);
void vitrine_int_array_add(struct vitrine_int_array *array, unsigned int slot,
			   s64 delta);
void vitrine_int_array_sub(struct vitrine_int_array *array, unsigned int slot,
			   s64 delta);
void vitrine_int_array_delete(struct vitrine_int_array *array);

struct vitrine_uint_array *
vitrine_uint_array_create(struct vitrine_node *parent, const char *name,
			  unsigned int count);
void vitrine_uint_array_set(struct vitrine_uint_array *array, unsigned int slot,
			    u64 value);
void vitrine_uint_array_add(struct vitrine_uint_array *array, unsigned int slot,
			    u64 delta);
void vitrine_uint_array_sub(struct vitrine_uint_array *array, unsigned int slot,
			    u64 delta);
void vitrine_uint_array_delete(struct vitrine_uint_array *array);

struct vitrine_double_array *
vitrine_double_array_create(struct vitrine_node *parent, const char *name,
			    unsigned int count);
void vitrine_double_array_set(struct vitrine_double_array *array,
			      unsigned int slot, u64 bits);
void vitrine_double_array_add(struct vitrine_double_array *array,
			      unsigned int slot, u64 bits);
void vitrine_double_array_sub(struct vitrine_double_array *array,
			      unsigned int slot, u64 bits);
void vitrine_double_array_delete(struct vitrine_double_array *array);

struct vitrine_string_array *
vitrine_string_array_create(struct vitrine_node *parent, const char *name,
			    unsigned int count);
void vitrine_string_array_set(struct vitrine_string_array *array,
			      unsigned int slot, const char *value);
void vitrine_string_array_delete(struct vitrine_string_array *array);

/*
 * Histograms: at most 250 linear or 249 exponential buckets, and one below and
 * one beyond them. A double is its bits.
 */
struct vitrine_int_histogram *
vitrine_int_linear_create(struct vitrine_node *parent, const char *name,
			  s64 floor, s64 step, unsigned int nr_buckets);
struct vitrine_int_histogram *
vitrine_int_exponential_create(struct vitrine_node *parent, const char *name,
			       s64 floor, s64 step, s64 multiplier,
			       unsigned int nr_buckets);
void vitrine_int_histogram_insert(struct vitrine_int_histogram *histogram,
				  s64 value);
void vitrine_int_histogram_insert_many(struct vitrine_int_histogram *histogram,
				       s64 value, u64 count);
void vitrine_int_histogram_delete(struct vitrine_int_histogram *histogram);

struct vitrine_uint_histogram *
vitrine_uint_linear_create(struct vitrine_node *parent, const char *name,
			   u64 floor, u64 step, unsigned int nr_buckets);
struct vitrine_uint_histogram *
vitrine_uint_exponential_create(struct vitrine_node *parent, const char *name,
				u64 floor, u64 step, u64 multiplier,
				unsigned int nr_buckets);
void vitrine_uint_histogram_insert(struct vitrine_uint_histogram *histogram,
				   u64 value);
void vitrine_uint_histogram_insert_many(struct vitrine_uint_histogram *histogram,
					u64 value, u64 count);
void vitrine_uint_histogram_delete(struct vitrine_uint_histogram *histogram);

struct vitrine_double_histogram *
vitrine_double_linear_create(struct vitrine_node *parent, const char *name,
			     u64 floor, u64 step, unsigned int nr_buckets);
struct vitrine_double_histogram *
vitrine_double_exponential_create(struct vitrine_node *parent, const char *name,
				  u64 floor, u64 step, u64 multiplier,
				  unsigned int nr_buckets);
void vitrine_double_histogram_insert(struct vitrine_double_histogram *histogram,
				     u64 bits);
void vitrine_double_histogram_insert_many(struct vitrine_double_histogram *histogram,
					  u64 bits, u64 count);
void vitrine_double_histogram_delete(struct vitrine_double_histogram *histogram);

/*
 * Counters and histograms for hot paths: an update touches a cache line of its
 * own CPU and takes no lock; the tree has the sum over all CPUs whenever it is
 * read. Making and deleting them sleeps.
 */
struct vitrine_percpu_uint {
	u64 __percpu *cells;
};

struct vitrine_percpu_uint *
vitrine_percpu_uint_create(struct vitrine_node *parent, const char *name);
void vitrine_percpu_uint_delete(struct vitrine_percpu_uint *counter);

/**
 * vitrine_percpu_uint_add() - add to a counter of this CPU
 * @counter: the counter, or NULL
 * @delta: what to add; the sum wraps
 *
 * Context: any, NMI too where the architecture's this_cpu_add() allows it.
 */
static __always_inline void
vitrine_percpu_uint_add(struct vitrine_percpu_uint *counter, u64 delta)
{
	if (likely(counter))
		this_cpu_add(*counter->cells, delta);
}

struct vitrine_percpu_histogram;

struct vitrine_percpu_histogram *
vitrine_percpu_linear_create(struct vitrine_node *parent, const char *name,
			     u64 floor, u64 step, unsigned int nr_buckets);
struct vitrine_percpu_histogram *
vitrine_percpu_exponential_create(struct vitrine_node *parent, const char *name,
				  u64 floor, u64 step, u64 multiplier,
				  unsigned int nr_buckets);
void vitrine_percpu_histogram_insert(struct vitrine_percpu_histogram *histogram,
				     u64 value);
void vitrine_percpu_histogram_delete(struct vitrine_percpu_histogram *histogram);

#endif /* _VITRINE_INSPECT_H */
