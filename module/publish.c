// SPDX-License-Identifier: GPL-2.0
/*
 * What publishers call: properties, batches.
 *
 * Concurrency: each call is one edit as edit.h defines it, or part of a
 * batch. A handle's block can be looked at before the lock is taken: its type
 * changes only when the handle is deleted, and whoever deletes it sees to it
 * that nobody uses it. A call that may take blocks is made again if it found
 * the heap full and pages could be had.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "double.h"
#include "edit.h"

/* Begin an edit of a property that holds 64 bits. */
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

/* Two's complement: the same for int and uint, added and subtracted. */
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
	struct vitrine_tree *tree;
	u32 parent_index, index = 0;
	int err;

	if (!parent)
		return NULL;
	tree = vtr_edit_tree(parent);
	parent_index = vtr_edit_index(parent);
	if (!name) /* what kasprintf() left */
		return vtr_edit_created(tree, -ENOMEM, 0);

	err = vtr_edit_grow(tree, 1,
			    vtr_tree_value_create(&tree->blocks, parent_index,
						  name, type, word1, &index));
	return vtr_edit_created(tree, err, index);
}

static void number_delete(void *handle, enum inspect_type type)
{
	struct vitrine_tree *tree;
	u32 index;
	int err;

	if (!handle)
		return;
	tree = vtr_edit_tree(handle);
	index = vtr_edit_index(handle);
	err = vtr_edit_call(tree,
			    vtr_tree_number_delete(&tree->blocks, index, type));
	vtr_edit_done(tree, err);
}

static void *buffer_create(struct vitrine_node *parent, const char *name,
			   enum inspect_buffer_format format,
			   const void *value, size_t len_bytes)
{
	struct vitrine_tree *tree;
	u32 parent_index, index = 0;
	int err;

	if (!parent)
		return NULL;
	tree = vtr_edit_tree(parent);
	parent_index = vtr_edit_index(parent);
	if (!name || (!value && len_bytes))
		return vtr_edit_created(tree, -ENOMEM, 0);

	err = vtr_edit_grow(tree, vtr_edit_buffer_pages(len_bytes),
			    vtr_tree_buffer_create(&tree->blocks, parent_index,
						   name, format, value,
						   len_bytes, &index));
	return vtr_edit_created(tree, err, index);
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
	struct vitrine_tree *tree;
	u32 index;
	int err;

	if (!handle)
		return;
	tree = vtr_edit_tree(handle);
	index = vtr_edit_index(handle);
	err = vtr_edit_call(tree,
			    vtr_tree_buffer_delete(&tree->blocks, index,
						   format));
	vtr_edit_done(tree, err);
}

/**
 * vitrine_batch_begin() - make several edits one step
 * @tree: the tree, or NULL
 *
 * Until vitrine_batch_end() the caller holds the tree's lock with interrupts
 * off: it must not sleep, and should be brief. Readers see all the edits or
 * none. Batches of one tree nest; those of two trees must always be begun in
 * the same order. No memory is allocated inside a batch, so creations are
 * limited to the tree's free space and some 8 KiB. From NMI a batch has no
 * effect.
 *
 * Context: any.
 * Return: flags for vitrine_batch_end().
 */
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

/**
 * vitrine_batch_end() - end what vitrine_batch_begin() began
 * @tree: the tree, or NULL
 * @flags: what vitrine_batch_begin() returned
 *
 * Context: where the batch was begun.
 */
void vitrine_batch_end(struct vitrine_tree *tree, unsigned long flags)
{
	if (!tree || in_nmi())
		return;
	if (WARN_ON_ONCE(!vtr_edit_in_batch(tree)) || --tree->depth)
		return;
	WRITE_ONCE(tree->owner, NULL);
	vtr_edit_end(tree, flags);
}
EXPORT_SYMBOL_GPL(vitrine_batch_end);

/**
 * vitrine_int_create() - make a signed integer
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @value: its first value
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_int *vitrine_int_create(struct vitrine_node *parent,
				       const char *name, s64 value)
{
	return value_create(parent, name, INSPECT_INT_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_int_create);

/**
 * vitrine_int_set() - change a signed integer
 * @property: the property, or NULL
 * @value: its new value
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_int_set(struct vitrine_int *property, s64 value)
{
	number_set(property, INSPECT_INT_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_int_set);

/**
 * vitrine_int_add() - add to a signed integer
 * @property: the property, or NULL
 * @delta: what to add; the sum wraps
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_int_add(struct vitrine_int *property, s64 delta)
{
	number_add(property, INSPECT_INT_VALUE, delta);
}
EXPORT_SYMBOL_GPL(vitrine_int_add);

/**
 * vitrine_int_sub() - subtract from a signed integer
 * @property: the property, or NULL
 * @delta: what to subtract; the difference wraps
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_int_sub(struct vitrine_int *property, s64 delta)
{
	number_add(property, INSPECT_INT_VALUE, -(u64)delta);
}
EXPORT_SYMBOL_GPL(vitrine_int_sub);

/**
 * vitrine_int_delete() - delete a signed integer
 * @property: the property, or NULL
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_int_delete(struct vitrine_int *property)
{
	number_delete(property, INSPECT_INT_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_int_delete);

/**
 * vitrine_uint_create() - make an unsigned integer
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @value: its first value
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_uint *vitrine_uint_create(struct vitrine_node *parent,
					 const char *name, u64 value)
{
	return value_create(parent, name, INSPECT_UINT_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_uint_create);

/**
 * vitrine_uint_set() - change an unsigned integer
 * @property: the property, or NULL
 * @value: its new value
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_uint_set(struct vitrine_uint *property, u64 value)
{
	number_set(property, INSPECT_UINT_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_uint_set);

/**
 * vitrine_uint_add() - add to an unsigned integer
 * @property: the property, or NULL
 * @delta: what to add; the sum wraps
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_uint_add(struct vitrine_uint *property, u64 delta)
{
	number_add(property, INSPECT_UINT_VALUE, delta);
}
EXPORT_SYMBOL_GPL(vitrine_uint_add);

/**
 * vitrine_uint_sub() - subtract from an unsigned integer
 * @property: the property, or NULL
 * @delta: what to subtract; the difference wraps
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_uint_sub(struct vitrine_uint *property, u64 delta)
{
	number_add(property, INSPECT_UINT_VALUE, -delta);
}
EXPORT_SYMBOL_GPL(vitrine_uint_sub);

/**
 * vitrine_uint_delete() - delete an unsigned integer
 * @property: the property, or NULL
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_uint_delete(struct vitrine_uint *property)
{
	number_delete(property, INSPECT_UINT_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_uint_delete);

/**
 * vitrine_double_create() - make a double
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @bits: its first value, the bits of an IEEE-754 binary64
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_double *vitrine_double_create(struct vitrine_node *parent,
					     const char *name, u64 bits)
{
	return value_create(parent, name, INSPECT_DOUBLE_VALUE, bits);
}
EXPORT_SYMBOL_GPL(vitrine_double_create);

/**
 * vitrine_double_set() - change a double
 * @property: the property, or NULL
 * @bits: its new value, as bits
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_double_set(struct vitrine_double *property, u64 bits)
{
	number_set(property, INSPECT_DOUBLE_VALUE, bits);
}
EXPORT_SYMBOL_GPL(vitrine_double_set);

/**
 * vitrine_double_add() - add to a double
 * @property: the property, or NULL
 * @bits: what to add, as bits
 *
 * The sum is rounded to nearest, ties to even.
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
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

/**
 * vitrine_double_sub() - subtract from a double
 * @property: the property, or NULL
 * @bits: what to subtract, as bits
 *
 * The difference is rounded to nearest, ties to even.
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
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

/**
 * vitrine_double_delete() - delete a double
 * @property: the property, or NULL
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_double_delete(struct vitrine_double *property)
{
	number_delete(property, INSPECT_DOUBLE_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_double_delete);

/**
 * vitrine_bool_create() - make a truth value
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @value: its first value
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_bool *vitrine_bool_create(struct vitrine_node *parent,
					 const char *name, bool value)
{
	return value_create(parent, name, INSPECT_BOOL_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_bool_create);

/**
 * vitrine_bool_set() - change a truth value
 * @property: the property, or NULL
 * @value: its new value
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_bool_set(struct vitrine_bool *property, bool value)
{
	number_set(property, INSPECT_BOOL_VALUE, value);
}
EXPORT_SYMBOL_GPL(vitrine_bool_set);

/**
 * vitrine_bool_delete() - delete a truth value
 * @property: the property, or NULL
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_bool_delete(struct vitrine_bool *property)
{
	number_delete(property, INSPECT_BOOL_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_bool_delete);

/**
 * vitrine_string_create() - make a string
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @value: its first value, at most 64 KiB of UTF-8; copied, NULL is empty
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_string *vitrine_string_create(struct vitrine_node *parent,
					     const char *name,
					     const char *value)
{
	return buffer_create(parent, name, INSPECT_BUFFER_UTF8, value,
			     vtr_edit_string_bytes(value));
}
EXPORT_SYMBOL_GPL(vitrine_string_create);

/**
 * vitrine_string_set() - change a string
 * @property: the property, or NULL
 * @value: its new value, at most 64 KiB of UTF-8; copied, NULL is empty
 *
 * One that is too long, or that there is no room for, leaves the old value in
 * place and is counted.
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_string_set(struct vitrine_string *property, const char *value)
{
	buffer_set(property, INSPECT_BUFFER_UTF8, value, vtr_edit_string_bytes(value));
}
EXPORT_SYMBOL_GPL(vitrine_string_set);

/**
 * vitrine_string_delete() - delete a string
 * @property: the property, or NULL
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_string_delete(struct vitrine_string *property)
{
	buffer_delete(property, INSPECT_BUFFER_UTF8);
}
EXPORT_SYMBOL_GPL(vitrine_string_delete);

/**
 * vitrine_bytes_create() - make a byte vector
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @value: its first value; copied, NULL if there is none
 * @len_bytes: length of @value, at most 64 KiB
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_bytes *vitrine_bytes_create(struct vitrine_node *parent,
					   const char *name, const void *value,
					   size_t len_bytes)
{
	return buffer_create(parent, name, INSPECT_BUFFER_BINARY, value,
			     len_bytes);
}
EXPORT_SYMBOL_GPL(vitrine_bytes_create);

/**
 * vitrine_bytes_set() - change a byte vector
 * @property: the property, or NULL
 * @value: its new value; copied, NULL if there is none
 * @len_bytes: length of @value, at most 64 KiB
 *
 * One that is too long, or that there is no room for, leaves the old value in
 * place and is counted.
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_bytes_set(struct vitrine_bytes *property, const void *value,
		       size_t len_bytes)
{
	buffer_set(property, INSPECT_BUFFER_BINARY, value, len_bytes);
}
EXPORT_SYMBOL_GPL(vitrine_bytes_set);

/**
 * vitrine_bytes_delete() - delete a byte vector
 * @property: the property, or NULL
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_bytes_delete(struct vitrine_bytes *property)
{
	buffer_delete(property, INSPECT_BUFFER_BINARY);
}
EXPORT_SYMBOL_GPL(vitrine_bytes_delete);
