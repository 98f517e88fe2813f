// SPDX-License-Identifier: GPL-2.0
/*
 * Arrays of an Inspect hierarchy: numbers and strings in one block each.
 *
 * Concurrency: none here. The owner holds the tree's lock, and has made the
 * generation odd, around every call.
 *
 * A slot of numbers is the number; a slot of strings is the index of a
 * STRING_REFERENCE, which it holds a reference to, or 0 for the empty string.
 * Texts are shared with each other and with names, so a text is as long as a
 * name at most.
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
 * vtr_array_fits() - has the format room for an array?
 * @shape: its shape
 *
 * The count has 8 bits, and the array is one block: 254 numbers or 255
 * strings.
 *
 * Context: any.
 * Return: true if it has.
 */
bool vtr_array_fits(const struct vtr_array_shape *shape)
{
	return shape->count <= FIELD_MAX(INSPECT_W1_ARRAY_COUNT) &&
	       array_bytes(shape) <= INSPECT_MAX_BLOCK_BYTES;
}

/**
 * vtr_array_create() - make an array
 * @tree: tree to make it in
 * @parent: node it goes below
 * @name: its name
 * @shape: its shape
 * @ret: its index, written on success only
 *
 * Its slots are 0, or empty.
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC when the heap is full, -ENAMETOOLONG, -EINVAL if @parent
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
 * vtr_array_string_set() - change one slot of an array of strings
 * @tree: tree it is in
 * @index: the array
 * @slot: number of the slot, from 0 on
 * @value: its new text
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC when the heap is full, -ENAMETOOLONG if the text is
 *	longer than VITRINE_NAME_MAX, -ERANGE if there is no such slot, -EINVAL
 *	if @index is no array of strings. A failure leaves the old text.
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
 * @tree: tree it is in
 * @index: the array
 * @type: the type its slots must have
 * @format: the format it must have
 *
 * Context: any; the caller serialises.
 * Return: 0, -EINVAL if @index is no such array.
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
