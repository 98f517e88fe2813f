// SPDX-License-Identifier: GPL-2.0
/*
 * Recorded values of an Inspect hierarchy: they go with the node they are
 * recorded in.
 *
 * Concurrency: none here. The owner holds the tree's lock, and has made the
 * generation odd, around every call.
 *
 * A node that is not owned is the owner of all that is recorded in it, in nodes
 * recorded in it, and so on. All that it owns is one chain through the notes.
 * What is recorded goes into the chain right behind the node it is recorded in,
 * be that the owner or itself owned, so it need not be known who owns it. To
 * delete all of it takes no recursion: a node that comes before what is below
 * it is a TOMBSTONE for as long.
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
 * @tree: tree to make it in
 * @node: node it goes below, and with
 * @name: its name
 * @type: type of its block: a number's or a bool's
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
 * @tree: tree to make it in
 * @node: node it goes below, and with
 * @name: its name
 * @format: INSPECT_BUFFER_UTF8 or INSPECT_BUFFER_BINARY
 * @value: its bytes
 * @len_bytes: how many
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
 * @tree: tree to make it in
 * @node: node it goes below, and with
 * @name: its name
 * @ret: its index, written on success only
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
 * vtr_record_purge() - delete what a deleted node owns
 * @tree: tree it is in
 * @node: index of the node, which has just been deleted or of which the last
 *	call has left something
 * @max: most values to delete now
 *
 * Context: any; the caller serialises.
 * Return: true if there is more; false if the node owns nothing any more, and
 *	may be gone itself.
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
