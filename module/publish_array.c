// SPDX-License-Identifier: GPL-2.0
/*
 * What publishers call: arrays of numbers and of strings.
 *
 * Concurrency: as in publish.c. Type and count of an array do not change
 * before it is deleted, so both are looked at without the lock.
 */
#include <linux/export.h>

#include "array.h"
#include "double.h"
#include "edit.h"

static void *array_create(struct vitrine_node *parent, const char *name,
			  enum inspect_type type, unsigned int count)
{
	const struct vtr_array_shape shape = {
		.type = type,
		.format = INSPECT_ARRAY_FLAT,
		.count = count,
	};
	struct vitrine_tree *tree;
	u32 parent_index, index = 0;
	int err;

	if (!parent)
		return NULL;
	tree = vtr_edit_tree(parent);
	parent_index = vtr_edit_index(parent);
	if (!name) /* what kasprintf() left */
		return vtr_edit_created(tree, -ENOMEM, 0);
	/* The count may follow from the machine: refused, but no bug. */
	if (!vtr_array_fits(&shape))
		return vtr_edit_created(tree, -ERANGE, 0);

	err = vtr_edit_grow(tree, 1,
			    vtr_array_create(&tree->blocks, parent_index, name,
					     &shape, &index));
	return vtr_edit_created(tree, err, index);
}

static void array_delete(void *handle, enum inspect_type type)
{
	struct vitrine_tree *tree;
	u32 index;
	int err;

	if (!handle)
		return;
	tree = vtr_edit_tree(handle);
	index = vtr_edit_index(handle);
	err = vtr_edit_call(tree,
			    vtr_array_delete(&tree->blocks, index, type,
					     INSPECT_ARRAY_FLAT));
	vtr_edit_done(tree, err);
}

/* Begin an edit of one number of an array; NULL if it must not take place. */
static __always_inline u64 *slot_begin(void *handle, enum inspect_type type,
				       unsigned int slot,
				       struct vitrine_tree **tree,
				       unsigned long *flags)
{
	u64 *block = handle;

	if (!block)
		return NULL;
	*tree = vtr_edit_tree(block);
	if (unlikely(!vtr_array_is(block, type, INSPECT_ARRAY_FLAT))) {
		vtr_edit_refuse(*tree, -EINVAL);
		return NULL;
	}
	if (unlikely(slot >= vtr_array_count(block))) {
		vtr_edit_refuse(*tree, -ERANGE);
		return NULL;
	}
	if (!vtr_edit_begin_block(*tree, block, flags))
		return NULL;
	return vtr_array_numbers(block) + slot;
}

static __always_inline void slot_set(void *handle, enum inspect_type type,
				     unsigned int slot, u64 bits)
{
	struct vitrine_tree *tree;
	unsigned long flags;
	u64 *number = slot_begin(handle, type, slot, &tree, &flags);

	if (!number)
		return;
	*number = bits;
	vtr_edit_end(tree, flags);
}

/* Two's complement: the same for int and uint, added and subtracted. */
static __always_inline void slot_add(void *handle, enum inspect_type type,
				     unsigned int slot, u64 delta)
{
	struct vitrine_tree *tree;
	unsigned long flags;
	u64 *number = slot_begin(handle, type, slot, &tree, &flags);

	if (!number)
		return;
	*number += delta;
	vtr_edit_end(tree, flags);
}

static void slot_add_double(void *handle, unsigned int slot, u64 bits)
{
	struct vitrine_tree *tree;
	unsigned long flags;
	u64 *number = slot_begin(handle, INSPECT_DOUBLE_VALUE, slot, &tree,
				 &flags);

	if (!number)
		return;
	*number = vtr_double_add(*number, bits);
	vtr_edit_end(tree, flags);
}

/**
 * vitrine_int_array_create() - make an array of signed integers
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @count: number of slots, at most 254; they begin as 0
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_int_array *
vitrine_int_array_create(struct vitrine_node *parent, const char *name,
			 unsigned int count)
{
	return array_create(parent, name, INSPECT_INT_VALUE, count);
}
EXPORT_SYMBOL_GPL(vitrine_int_array_create);

/**
 * vitrine_int_array_set() - change one number of an array
 * @array: the array, or NULL
 * @slot: which, from 0 on; one that is not there is counted as a failure
 * @value: its new value
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_int_array_set(struct vitrine_int_array *array, unsigned int slot,
			   s64 value)
{
	slot_set(array, INSPECT_INT_VALUE, slot, value);
}
EXPORT_SYMBOL_GPL(vitrine_int_array_set);

/**
 * vitrine_int_array_add() - add to one number of an array
 * @array: the array, or NULL
 * @slot: which, from 0 on; one that is not there is counted as a failure
 * @delta: what to add; the sum wraps
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_int_array_add(struct vitrine_int_array *array, unsigned int slot,
			   s64 delta)
{
	slot_add(array, INSPECT_INT_VALUE, slot, delta);
}
EXPORT_SYMBOL_GPL(vitrine_int_array_add);

/**
 * vitrine_int_array_sub() - subtract from one number of an array
 * @array: the array, or NULL
 * @slot: which, from 0 on; one that is not there is counted as a failure
 * @delta: what to subtract; the difference wraps
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_int_array_sub(struct vitrine_int_array *array, unsigned int slot,
			   s64 delta)
{
	slot_add(array, INSPECT_INT_VALUE, slot, -(u64)delta);
}
EXPORT_SYMBOL_GPL(vitrine_int_array_sub);

/**
 * vitrine_int_array_delete() - delete an array of signed integers
 * @array: the array, or NULL
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_int_array_delete(struct vitrine_int_array *array)
{
	array_delete(array, INSPECT_INT_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_int_array_delete);

/**
 * vitrine_uint_array_create() - make an array of unsigned integers
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @count: number of slots, at most 254; they begin as 0
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_uint_array *
vitrine_uint_array_create(struct vitrine_node *parent, const char *name,
			  unsigned int count)
{
	return array_create(parent, name, INSPECT_UINT_VALUE, count);
}
EXPORT_SYMBOL_GPL(vitrine_uint_array_create);

/**
 * vitrine_uint_array_set() - change one number of an array
 * @array: the array, or NULL
 * @slot: which, from 0 on; one that is not there is counted as a failure
 * @value: its new value
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_uint_array_set(struct vitrine_uint_array *array, unsigned int slot,
			    u64 value)
{
	slot_set(array, INSPECT_UINT_VALUE, slot, value);
}
EXPORT_SYMBOL_GPL(vitrine_uint_array_set);

/**
 * vitrine_uint_array_add() - add to one number of an array
 * @array: the array, or NULL
 * @slot: which, from 0 on; one that is not there is counted as a failure
 * @delta: what to add; the sum wraps
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_uint_array_add(struct vitrine_uint_array *array, unsigned int slot,
			    u64 delta)
{
	slot_add(array, INSPECT_UINT_VALUE, slot, delta);
}
EXPORT_SYMBOL_GPL(vitrine_uint_array_add);

/**
 * vitrine_uint_array_sub() - subtract from one number of an array
 * @array: the array, or NULL
 * @slot: which, from 0 on; one that is not there is counted as a failure
 * @delta: what to subtract; the difference wraps
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_uint_array_sub(struct vitrine_uint_array *array, unsigned int slot,
			    u64 delta)
{
	slot_add(array, INSPECT_UINT_VALUE, slot, -delta);
}
EXPORT_SYMBOL_GPL(vitrine_uint_array_sub);

/**
 * vitrine_uint_array_delete() - delete an array of unsigned integers
 * @array: the array, or NULL
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_uint_array_delete(struct vitrine_uint_array *array)
{
	array_delete(array, INSPECT_UINT_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_uint_array_delete);

/**
 * vitrine_double_array_create() - make an array of doubles
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @count: number of slots, at most 254; they begin as 0
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_double_array *
vitrine_double_array_create(struct vitrine_node *parent, const char *name,
			    unsigned int count)
{
	return array_create(parent, name, INSPECT_DOUBLE_VALUE, count);
}
EXPORT_SYMBOL_GPL(vitrine_double_array_create);

/**
 * vitrine_double_array_set() - change one number of an array
 * @array: the array, or NULL
 * @slot: which, from 0 on; one that is not there is counted as a failure
 * @bits: its new value, as bits
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_double_array_set(struct vitrine_double_array *array,
			      unsigned int slot, u64 bits)
{
	slot_set(array, INSPECT_DOUBLE_VALUE, slot, bits);
}
EXPORT_SYMBOL_GPL(vitrine_double_array_set);

/**
 * vitrine_double_array_add() - add to one number of an array
 * @array: the array, or NULL
 * @slot: which, from 0 on; one that is not there is counted as a failure
 * @bits: what to add, as bits
 *
 * The sum is rounded to nearest, ties to even.
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_double_array_add(struct vitrine_double_array *array,
			      unsigned int slot, u64 bits)
{
	slot_add_double(array, slot, bits);
}
EXPORT_SYMBOL_GPL(vitrine_double_array_add);

/**
 * vitrine_double_array_sub() - subtract from one number of an array
 * @array: the array, or NULL
 * @slot: which, from 0 on; one that is not there is counted as a failure
 * @bits: what to subtract, as bits
 *
 * The difference is rounded to nearest, ties to even.
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_double_array_sub(struct vitrine_double_array *array,
			      unsigned int slot, u64 bits)
{
	slot_add_double(array, slot, bits ^ VTR_DOUBLE_SIGN);
}
EXPORT_SYMBOL_GPL(vitrine_double_array_sub);

/**
 * vitrine_double_array_delete() - delete an array of doubles
 * @array: the array, or NULL
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_double_array_delete(struct vitrine_double_array *array)
{
	array_delete(array, INSPECT_DOUBLE_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_double_array_delete);

/**
 * vitrine_string_array_create() - make an array of strings
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @count: number of slots, at most 255; they begin empty
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_string_array *
vitrine_string_array_create(struct vitrine_node *parent, const char *name,
			    unsigned int count)
{
	return array_create(parent, name, INSPECT_STRING_REFERENCE, count);
}
EXPORT_SYMBOL_GPL(vitrine_string_array_create);

/**
 * vitrine_string_array_set() - change one string of an array
 * @array: the array, or NULL
 * @slot: which, from 0 on; one that is not there is counted as a failure
 * @value: its new value, at most 255 bytes of UTF-8; copied, NULL is empty
 *
 * Equal strings are stored once, with those of other arrays and with names.
 * One that is too long, or that there is no room for, leaves the old value in
 * place and is counted.
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_string_array_set(struct vitrine_string_array *array,
			      unsigned int slot, const char *value)
{
	struct vitrine_tree *tree;
	u32 index;
	int err;

	if (!array)
		return;
	tree = vtr_edit_tree(array);
	index = vtr_edit_index(array);

	err = vtr_edit_grow(tree, 1,
			    vtr_array_string_set(&tree->blocks, index, slot,
						 value ?: ""));
	vtr_edit_done(tree, err);
}
EXPORT_SYMBOL_GPL(vitrine_string_array_set);

/**
 * vitrine_string_array_delete() - delete an array of strings
 * @array: the array, or NULL
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_string_array_delete(struct vitrine_string_array *array)
{
	array_delete(array, INSPECT_STRING_REFERENCE);
}
EXPORT_SYMBOL_GPL(vitrine_string_array_delete);
