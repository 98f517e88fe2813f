// SPDX-License-Identifier: GPL-2.0
/*
 * Public interface: arrays of numbers and of strings.
 *
 * Concurrency: as in publish.c. Type and count of an array do not change before
 * the array is deleted, so both are read before the edit begins.
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

	/* -ERANGE does not warn: the count may depend on the machine. */
	return vtr_edit_create(parent, name,
			       vtr_array_fits(&shape) ? 0 : -ERANGE, 1,
			       vtr_array_create, &shape);
}

static void array_delete(void *handle, enum inspect_type type)
{
	vtr_edit_delete(handle, vtr_array_delete, type, INSPECT_ARRAY_FLAT);
}

/* Begin an edit of a slot. Return NULL if it must not take place. */
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

/* In two's complement, addition is the same for int and uint, and covers subtraction. */
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

struct vitrine_int_array *
vitrine_int_array_create(struct vitrine_node *parent, const char *name,
			 unsigned int count)
{
	return array_create(parent, name, INSPECT_INT_VALUE, count);
}
EXPORT_SYMBOL_GPL(vitrine_int_array_create);

void vitrine_int_array_set(struct vitrine_int_array *array, unsigned int slot,
			   s64 value)
{
	slot_set(array, INSPECT_INT_VALUE, slot, value);
}
EXPORT_SYMBOL_GPL(vitrine_int_array_set);

void vitrine_int_array_add(struct vitrine_int_array *array, unsigned int slot,
			   s64 delta)
{
	slot_add(array, INSPECT_INT_VALUE, slot, delta);
}
EXPORT_SYMBOL_GPL(vitrine_int_array_add);

void vitrine_int_array_sub(struct vitrine_int_array *array, unsigned int slot,
			   s64 delta)
{
	slot_add(array, INSPECT_INT_VALUE, slot, -(u64)delta);
}
EXPORT_SYMBOL_GPL(vitrine_int_array_sub);

void vitrine_int_array_delete(struct vitrine_int_array *array)
{
	array_delete(array, INSPECT_INT_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_int_array_delete);

struct vitrine_uint_array *
vitrine_uint_array_create(struct vitrine_node *parent, const char *name,
			  unsigned int count)
{
	return array_create(parent, name, INSPECT_UINT_VALUE, count);
}
EXPORT_SYMBOL_GPL(vitrine_uint_array_create);

void vitrine_uint_array_set(struct vitrine_uint_array *array, unsigned int slot,
			    u64 value)
{
	slot_set(array, INSPECT_UINT_VALUE, slot, value);
}
EXPORT_SYMBOL_GPL(vitrine_uint_array_set);

void vitrine_uint_array_add(struct vitrine_uint_array *array, unsigned int slot,
			    u64 delta)
{
	slot_add(array, INSPECT_UINT_VALUE, slot, delta);
}
EXPORT_SYMBOL_GPL(vitrine_uint_array_add);

void vitrine_uint_array_sub(struct vitrine_uint_array *array, unsigned int slot,
			    u64 delta)
{
	slot_add(array, INSPECT_UINT_VALUE, slot, -delta);
}
EXPORT_SYMBOL_GPL(vitrine_uint_array_sub);

void vitrine_uint_array_delete(struct vitrine_uint_array *array)
{
	array_delete(array, INSPECT_UINT_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_uint_array_delete);

struct vitrine_double_array *
vitrine_double_array_create(struct vitrine_node *parent, const char *name,
			    unsigned int count)
{
	return array_create(parent, name, INSPECT_DOUBLE_VALUE, count);
}
EXPORT_SYMBOL_GPL(vitrine_double_array_create);

void vitrine_double_array_set(struct vitrine_double_array *array,
			      unsigned int slot, u64 bits)
{
	slot_set(array, INSPECT_DOUBLE_VALUE, slot, bits);
}
EXPORT_SYMBOL_GPL(vitrine_double_array_set);

void vitrine_double_array_add(struct vitrine_double_array *array,
			      unsigned int slot, u64 bits)
{
	slot_add_double(array, slot, bits);
}
EXPORT_SYMBOL_GPL(vitrine_double_array_add);

void vitrine_double_array_sub(struct vitrine_double_array *array,
			      unsigned int slot, u64 bits)
{
	slot_add_double(array, slot, bits ^ VTR_DOUBLE_SIGN);
}
EXPORT_SYMBOL_GPL(vitrine_double_array_sub);

void vitrine_double_array_delete(struct vitrine_double_array *array)
{
	array_delete(array, INSPECT_DOUBLE_VALUE);
}
EXPORT_SYMBOL_GPL(vitrine_double_array_delete);

struct vitrine_string_array *
vitrine_string_array_create(struct vitrine_node *parent, const char *name,
			    unsigned int count)
{
	return array_create(parent, name, INSPECT_STRING_REFERENCE, count);
}
EXPORT_SYMBOL_GPL(vitrine_string_array_create);

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

void vitrine_string_array_delete(struct vitrine_string_array *array)
{
	array_delete(array, INSPECT_STRING_REFERENCE);
}
EXPORT_SYMBOL_GPL(vitrine_string_array_delete);
