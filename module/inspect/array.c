// SPDX-License-Identifier: GPL-2.0
/*
 * Arrays of an Inspect hierarchy: numbers or strings in one block.
 *
 * Concurrency: not thread safe. The caller has begun an edit (see edit.h), so
 * the generation is odd, during every call.
 *
 * A slot of a numeric array contains the number. A slot of a string array contains
 * the index of a STRING_REFERENCE, to which it holds a reference, or 0 for the empty
 * string. Arrays and names share STRING_REFERENCE blocks, so a string is at most as long
 * as a name.
 */
#include <linux/errno.h>

#include <vitrine/inspect.h>

#include "array.h"

static size_t slot_bytes(enum inspect_type type)
{
	return type == INSPECT_STRING_REFERENCE ? sizeof(u32) : sizeof(u64);
}

static size_t array_bytes(const struct vtr_array_shape *shape)
{
	return INSPECT_ARRAY_PAYLOAD_OFFSET +
	       shape->count * slot_bytes(shape->type);
}

static u32 *array_strings(u64 *block)
{
	return vtr_block_payload(block, INSPECT_ARRAY_PAYLOAD_OFFSET);
}

/**
 * vtr_array_fits() - check whether the format allows an array of a shape
 * @shape: the shape
 *
 * The count has 8 bits and the array is one block: at most 254 numbers or 255
 * strings.
 *
 * Context: any.
 * Return: true if the array fits.
 */
bool vtr_array_fits(const struct vtr_array_shape *shape)
{
	return shape->count <= FIELD_MAX(INSPECT_W1_ARRAY_COUNT) &&
	       array_bytes(shape) <= INSPECT_MAX_BLOCK_BYTES;
}

/**
 * vtr_array_create() - create an array whose slots are 0 or empty
 * @tree: tree to create it in
 * @parent: parent node
 * @name: name of the array
 * @shape: shape of the array
 * @ret: index of the new block, written on success only
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC if the heap is full, -ENAMETOOLONG, -EINVAL if @parent
 *	is not a node or there are too many slots.
 */
int vtr_array_create(struct vtr_tree *tree, u32 parent, const char *name,
		     const struct vtr_array_shape *shape, u32 *ret)
{
	if (!vtr_array_fits(shape))
		return -EINVAL;
	return vtr_tree_sized_create(tree, parent, name, INSPECT_ARRAY_VALUE,
			FIELD_PREP(INSPECT_W1_ARRAY_TYPE, shape->type) |
			FIELD_PREP(INSPECT_W1_ARRAY_FORMAT, shape->format) |
			FIELD_PREP(INSPECT_W1_ARRAY_COUNT, shape->count),
			array_bytes(shape), ret);
}

/**
 * vtr_array_string_set() - set one slot of an array of strings
 * @tree: the tree
 * @index: index of the array
 * @slot: slot number, from 0
 * @value: new text
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC if the heap is full, -ENAMETOOLONG if the text is
 *	longer than VITRINE_NAME_MAX, -ERANGE if there is no such slot, -EINVAL
 *	if @index is not an array of strings. On failure the old text stays.
 */
int vtr_array_string_set(struct vtr_tree *tree, u32 index, unsigned int slot,
			 const char *value)
{
	u64 *block = vtr_tree_block(tree, index);
	u32 *strings = array_strings(block);
	u32 text = 0, old;
	int err;

	if (!vtr_array_is(block, INSPECT_STRING_REFERENCE, INSPECT_ARRAY_FLAT))
		return -EINVAL;
	if (slot >= vtr_array_count(block))
		return -ERANGE;
	if (*value) {
		err = vtr_tree_name_get(tree, value, &text);
		if (err)
			return err;
	}
	old = strings[slot];
	strings[slot] = text;
	if (old)
		vtr_tree_name_put(tree, old);
	return 0;
}

static void strings_put(struct vtr_tree *tree, u64 *block)
{
	u32 *strings = array_strings(block);
	unsigned int i;

	for (i = 0; i < vtr_array_count(block); i++)
		if (strings[i])
			vtr_tree_name_put(tree, strings[i]);
}

/**
 * vtr_array_delete() - delete an array
 * @tree: the tree
 * @index: index of the array
 * @type: expected type of the slots
 * @format: expected format
 *
 * Context: any; the caller serialises.
 * Return: 0, -EINVAL if @index is not such an array.
 */
int vtr_array_delete(struct vtr_tree *tree, u32 index, enum inspect_type type,
		     enum inspect_array_format format)
{
	u64 *block = vtr_tree_block(tree, index);

	if (!vtr_array_is(block, type, format))
		return -EINVAL;
	if (type == INSPECT_STRING_REFERENCE)
		strings_put(tree, block);
	vtr_tree_value_delete(tree, block, index);
	return 0;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/array_kunit.c"
#endif
