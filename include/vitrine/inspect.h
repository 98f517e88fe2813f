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
 * Context: vitrine_tree_create() and vitrine_tree_destroy() sleep. All other
 * calls may be made from any context but NMI: from NMI an update is tried, and
 * counted as failed if the tree is being edited. Calls on one tree serialise
 * themselves. The caller sees to it that nobody uses a handle after it or its
 * tree has been deleted, as with any other pointer. A node may be deleted
 * before what is below it: that is out of the readers' sight at once, and each
 * handle of it can still be updated and deleted.
 *
 * A handle is the block itself, typed: it costs no memory of its own. Never
 * dereference it.
 *
 * The functions' kernel-doc stands where they are defined: trees in
 * module/inspect.c, what is in them in module/publish.c, publish_array.c
 * and publish_histogram.c, and the conversions to double in module/double.c.
 */
#ifndef _VITRINE_INSPECT_H
#define _VITRINE_INSPECT_H

#include <linux/types.h>

/* Longest name of a tree, node or property in bytes, without the final NUL. */
#define VITRINE_TREE_NAME_MAX	63
#define VITRINE_NAME_MAX	255
/* Longest string or byte-vector value in bytes. */
#define VITRINE_VALUE_MAX	(64U << 10)

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

/* A tree: one Inspect file. limit_bytes 0 means 256 KiB. */
struct vitrine_tree *vitrine_tree_create(const char *name, size_t limit_bytes);
void vitrine_tree_destroy(struct vitrine_tree *tree);
struct vitrine_node *vitrine_tree_root(struct vitrine_tree *tree);

/* Many edits in one step of the generation: a reader sees all or none. */
unsigned long vitrine_batch_begin(struct vitrine_tree *tree);
void vitrine_batch_end(struct vitrine_tree *tree, unsigned long flags);

struct vitrine_node *vitrine_node_create(struct vitrine_node *parent,
					 const char *name);
void vitrine_node_delete(struct vitrine_node *node);

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

#endif /* _VITRINE_INSPECT_H */
