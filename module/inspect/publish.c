// SPDX-License-Identifier: GPL-2.0
/*
 * Public interface: properties, batches.
 *
 * Concurrency: each call is one edit as defined in edit.h, or part of a batch.
 * The type of a handle's block can be read before the edit begins: it changes only
 * when the handle is deleted, and the publisher must not use a handle while it
 * deletes it. A call that allocates blocks is repeated if the heap was full and
 * pages could be added.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "double.h"
#include "edit.h"

/* Begin an edit of a property of 64 bits. Return false if it must not take place. */
static __always_inline bool number_begin(const u64 *block,
					 enum inspect_type type,
					 struct vitrine_tree **tree,
					 unsigned long *flags)
{
	if (!block)
		return false;
	*tree = vtr_edit_tree(block);
	if (unlikely(vtr_block_type(block) != type)) {
		vtr_edit_refuse(*tree, -EINVAL);
		return false;
	}
	return vtr_edit_begin_block(*tree, block, flags);
}

static __always_inline void number_set(void *handle, enum inspect_type type,
				       u64 bits)
{
	struct vitrine_tree *tree;
	unsigned long flags;
	u64 *block = handle;

	if (!number_begin(block, type, &tree, &flags))
		return;
	block[1] = bits;
	vtr_edit_end(tree, flags);
}

/* In two's complement, addition is the same for int and uint, and covers subtraction. */
static __always_inline void number_add(void *handle, enum inspect_type type,
				       u64 delta)
{
	struct vitrine_tree *tree;
	unsigned long flags;
	u64 *block = handle;

	if (!number_begin(block, type, &tree, &flags))
		return;
	block[1] += delta;
	vtr_edit_end(tree, flags);
}

static void *value_create(struct vitrine_node *parent, const char *name,
			  enum inspect_type type, u64 word1)
{
	return vtr_edit_create(parent, name, 0, 1, vtr_tree_value_create, type,
			       word1);
}

static void number_delete(void *handle, enum inspect_type type)
{
	vtr_edit_delete(handle, vtr_tree_number_delete, type);
}

static void *buffer_create(struct vitrine_node *parent, const char *name,
			   enum inspect_buffer_format format,
			   const void *value, size_t len_bytes)
{
	return vtr_edit_create(parent, name, !value && len_bytes ? -ENOMEM : 0,
			       vtr_edit_buffer_pages(len_bytes),
			       vtr_tree_buffer_create, format, value,
			       len_bytes);
}

static void buffer_set(void *handle, enum inspect_buffer_format format,
		       const void *value, size_t len_bytes)
{
	struct vitrine_tree *tree;
	u32 index;
	int err;

	if (!handle)
		return;
	tree = vtr_edit_tree(handle);
	index = vtr_edit_index(handle);
	if (!value && len_bytes) {
		vtr_edit_refuse(tree, -ENOMEM);
		return;
	}

	err = vtr_edit_grow(tree, vtr_edit_buffer_pages(len_bytes),
			    vtr_tree_buffer_set(&tree->blocks, index, format,
						value, len_bytes));
	vtr_edit_done(tree, err);
}

static void buffer_delete(void *handle, enum inspect_buffer_format format)
{
	vtr_edit_delete(handle, vtr_tree_buffer_delete, format);
}

unsigned long vitrine_batch_begin(struct vitrine_tree *tree)
{
	unsigned long flags = 0;

	if (!tree || in_nmi())
		return 0;
	vtr_edit_refill(tree, VTR_EDIT_RESERVE_PAGES);
	vtr_edit_begin(tree, &flags);
	if (!tree->depth++)
		WRITE_ONCE(tree->owner, current);
	return flags;
}
EXPORT_SYMBOL_GPL(vitrine_batch_begin);

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
EXPORT_SYMBOL_GPL(vitrine_batch_end);

struct vitrine_int *vitrine_int_create(struct vitrine_node *parent,
				       const char *name, s64 value)
{
	return value_create(parent, name, INSPECT_INT_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_int_create);

void vitrine_int_set(struct vitrine_int *property, s64 value)
{
	number_set(property, INSPECT_INT_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_int_set);

void vitrine_int_add(struct vitrine_int *property, s64 delta)
{
	number_add(property, INSPECT_INT_VALUE, delta);
}
EXPORT_SYMBOL_GPL(vitrine_int_add);

void vitrine_int_sub(struct vitrine_int *property, s64 delta)
{
	number_add(property, INSPECT_INT_VALUE, -(u64)delta);
}
EXPORT_SYMBOL_GPL(vitrine_int_sub);

void vitrine_int_delete(struct vitrine_int *property)
{
	number_delete(property, INSPECT_INT_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_int_delete);

struct vitrine_uint *vitrine_uint_create(struct vitrine_node *parent,
					 const char *name, u64 value)
{
	return value_create(parent, name, INSPECT_UINT_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_uint_create);

void vitrine_uint_set(struct vitrine_uint *property, u64 value)
{
	number_set(property, INSPECT_UINT_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_uint_set);

void vitrine_uint_add(struct vitrine_uint *property, u64 delta)
{
	number_add(property, INSPECT_UINT_VALUE, delta);
}
EXPORT_SYMBOL_GPL(vitrine_uint_add);

void vitrine_uint_sub(struct vitrine_uint *property, u64 delta)
{
	number_add(property, INSPECT_UINT_VALUE, -delta);
}
EXPORT_SYMBOL_GPL(vitrine_uint_sub);

void vitrine_uint_delete(struct vitrine_uint *property)
{
	number_delete(property, INSPECT_UINT_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_uint_delete);

struct vitrine_double *vitrine_double_create(struct vitrine_node *parent,
					     const char *name, u64 bits)
{
	return value_create(parent, name, INSPECT_DOUBLE_VALUE, bits);
}
EXPORT_SYMBOL_GPL(vitrine_double_create);

void vitrine_double_set(struct vitrine_double *property, u64 bits)
{
	number_set(property, INSPECT_DOUBLE_VALUE, bits);
}
EXPORT_SYMBOL_GPL(vitrine_double_set);

void vitrine_double_add(struct vitrine_double *property, u64 bits)
{
	struct vitrine_tree *tree;
	unsigned long flags;
	u64 *block = (u64 *)property;

	if (!number_begin(block, INSPECT_DOUBLE_VALUE, &tree, &flags))
		return;
	block[1] = vtr_double_add(block[1], bits);
	vtr_edit_end(tree, flags);
}
EXPORT_SYMBOL_GPL(vitrine_double_add);

void vitrine_double_sub(struct vitrine_double *property, u64 bits)
{
	struct vitrine_tree *tree;
	unsigned long flags;
	u64 *block = (u64 *)property;

	if (!number_begin(block, INSPECT_DOUBLE_VALUE, &tree, &flags))
		return;
	block[1] = vtr_double_sub(block[1], bits);
	vtr_edit_end(tree, flags);
}
EXPORT_SYMBOL_GPL(vitrine_double_sub);

void vitrine_double_delete(struct vitrine_double *property)
{
	number_delete(property, INSPECT_DOUBLE_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_double_delete);

struct vitrine_bool *vitrine_bool_create(struct vitrine_node *parent,
					 const char *name, bool value)
{
	return value_create(parent, name, INSPECT_BOOL_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_bool_create);

void vitrine_bool_set(struct vitrine_bool *property, bool value)
{
	number_set(property, INSPECT_BOOL_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_bool_set);

void vitrine_bool_delete(struct vitrine_bool *property)
{
	number_delete(property, INSPECT_BOOL_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_bool_delete);

struct vitrine_string *vitrine_string_create(struct vitrine_node *parent,
					     const char *name,
					     const char *value)
{
	return buffer_create(parent, name, INSPECT_BUFFER_UTF8, value,
			     vtr_edit_string_bytes(value));
}
EXPORT_SYMBOL_GPL(vitrine_string_create);

void vitrine_string_set(struct vitrine_string *property, const char *value)
{
	buffer_set(property, INSPECT_BUFFER_UTF8, value, vtr_edit_string_bytes(value));
}
EXPORT_SYMBOL_GPL(vitrine_string_set);

void vitrine_string_delete(struct vitrine_string *property)
{
	buffer_delete(property, INSPECT_BUFFER_UTF8);
}
EXPORT_SYMBOL_GPL(vitrine_string_delete);

struct vitrine_bytes *vitrine_bytes_create(struct vitrine_node *parent,
					   const char *name, const void *value,
					   size_t len_bytes)
{
	return buffer_create(parent, name, INSPECT_BUFFER_BINARY, value,
			     len_bytes);
}
EXPORT_SYMBOL_GPL(vitrine_bytes_create);

void vitrine_bytes_set(struct vitrine_bytes *property, const void *value,
		       size_t len_bytes)
{
	buffer_set(property, INSPECT_BUFFER_BINARY, value, len_bytes);
}
EXPORT_SYMBOL_GPL(vitrine_bytes_set);

void vitrine_bytes_delete(struct vitrine_bytes *property)
{
	buffer_delete(property, INSPECT_BUFFER_BINARY);
}
EXPORT_SYMBOL_GPL(vitrine_bytes_delete);
