// SPDX-License-Identifier: GPL-2.0
/*
 * Recorded values of an Inspect hierarchy, which are deleted with their node.
 *
 * Concurrency: not thread safe. The caller has begun an edit (see edit.h), so
 * the generation is odd, during every call.
 *
 * A node that is not recorded itself owns all values that are recorded in it, in
 * nodes recorded in it, and so on. These values form one chain through the notes of
 * the heap. A new value is inserted directly after the node in which it is recorded,
 * whether that node is the owner or is itself owned; the owner need not be known.
 * Deleting the chain takes no recursion: a node that is deleted before the values
 * below it becomes a TOMBSTONE until they are deleted.
 */
#include <linux/errno.h>

#include "node.h"
#include "record.h"

static void chain_insert(struct vtr_tree *tree, u32 node, u32 index)
{
	u32 *before = vtr_tree_note(tree, node);

	*vtr_tree_note(tree, index) = VTR_NODE_OWNED |
				      (*before & VTR_NODE_NEXT);
	*before = (*before & ~VTR_NODE_NEXT) | index;
}

/**
 * vtr_record_number() - record a value of 64 bits
 * @tree: tree to create it in
 * @node: parent node, which will own the value
 * @name: name of the value
 * @type: type of the block: a number or a truth value
 * @word1: the value
 *
 * Context: any; the caller serialises.
 * Return: as vtr_tree_value_create().
 */
int vtr_record_number(struct vtr_tree *tree, u32 node, const char *name,
		      enum inspect_type type, u64 word1)
{
	u32 index;
	int err = vtr_tree_value_create(tree, node, name, type, word1, &index);

	if (!err)
		chain_insert(tree, node, index);
	return err;
}

/**
 * vtr_record_buffer() - record a string or byte vector
 * @tree: tree to create it in
 * @node: parent node, which will own the value
 * @name: name of the value
 * @format: INSPECT_BUFFER_UTF8 or INSPECT_BUFFER_BINARY
 * @value: the bytes
 * @len_bytes: length of @value in bytes
 *
 * Context: any; the caller serialises.
 * Return: as vtr_tree_buffer_create().
 */
int vtr_record_buffer(struct vtr_tree *tree, u32 node, const char *name,
		      enum inspect_buffer_format format, const void *value,
		      size_t len_bytes)
{
	u32 index;
	int err = vtr_tree_buffer_create(tree, node, name, format, value,
					 len_bytes, &index);

	if (!err)
		chain_insert(tree, node, index);
	return err;
}

/**
 * vtr_record_node() - record a node
 * @tree: tree to create it in
 * @node: parent node, which will own the value
 * @name: name of the new value
 * @ret: index of the new block, written on success only
 *
 * Context: any; the caller serialises.
 * Return: as vtr_node_create().
 */
int vtr_record_node(struct vtr_tree *tree, u32 node, const char *name,
		    u32 *ret)
{
	int err = vtr_node_create(tree, node, name, ret);

	if (!err)
		chain_insert(tree, node, *ret);
	return err;
}

static void value_drop(struct vtr_tree *tree, u32 index)
{
	u64 *block = vtr_tree_block(tree, index);

	switch (vtr_block_type(block)) {
	case INSPECT_NODE_VALUE:
		vtr_node_drop(tree, index);
		break;
	case INSPECT_BUFFER_VALUE:
		vtr_tree_buffer_delete(tree, index,
				       vtr_block_get(block, 1, BUFFER_FORMAT));
		break;
	default:
		vtr_tree_value_delete(tree, block, index);
		break;
	}
}

/**
 * vtr_record_purge() - delete values that a deleted node owns
 * @tree: the tree
 * @node: index of the node, which was deleted by the preceding call, or for which the
 *	preceding call of this function returned true
 * @max: maximum number of values to delete
 *
 * Context: any; the caller serialises.
 * Return: true if values are left; false if none is, in which case the block of the node
 *	may be freed.
 */
bool vtr_record_purge(struct vtr_tree *tree, u32 node, unsigned int max)
{
	u32 *first = vtr_tree_note(tree, node);

	while (*first & VTR_NODE_NEXT && max--) {
		u32 index = *first & VTR_NODE_NEXT;
		u32 next = *vtr_tree_note(tree, index) & VTR_NODE_NEXT;

		*first = (*first & ~VTR_NODE_NEXT) | next;
		value_drop(tree, index);
	}
	return *first & VTR_NODE_NEXT;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/record_kunit.c"
#endif
