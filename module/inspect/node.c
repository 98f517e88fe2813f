// SPDX-License-Identifier: GPL-2.0
/*
 * Nodes of an Inspect hierarchy: create, delete and move them, and bound the depth.
 *
 * Concurrency: not thread safe. The caller has begun an edit (see edit.h), so
 * the generation is odd, during every call.
 *
 * The depth of a tree is bounded by the heights of its nodes. A parent's is
 * greater than that of each node below it, and the root's is less than
 * VITRINE_DEPTH_MAX: no walk towards the root takes more steps. Heights only grow,
 * so that deletion needs no search: the height of a node reflects all nodes that
 * were ever below it, until it is empty and moved.
 */
#include <linux/errno.h>

#include "node.h"

static u32 height_of(const struct vtr_tree *tree, u32 index)
{
	return FIELD_GET(VTR_NODE_HEIGHT, *vtr_tree_note(tree, index));
}

static void height_set(struct vtr_tree *tree, u32 index, u32 height)
{
	u32 *note = vtr_tree_note(tree, index);

	*note = (*note & ~VTR_NODE_HEIGHT) |
		FIELD_PREP(VTR_NODE_HEIGHT, height);
}

static u32 parent_of(const struct vtr_tree *tree, u32 index)
{
	return vtr_block_get(vtr_tree_address(tree, index), 0, VALUE_PARENT);
}

/* Check whether a node of a height can become a child of @parent. */
static bool height_fits(const struct vtr_tree *tree, u32 parent, u32 height)
{
	u32 at = parent;

	while (height_of(tree, at) <= height) {
		if (++height >= VITRINE_DEPTH_MAX)
			return false;
		if (at == INSPECT_ROOT)
			break;
		at = parent_of(tree, at);
	}
	return true;
}

/* Raise the heights of @parent and its ancestors for a new child of a height. */
static void height_raise(struct vtr_tree *tree, u32 parent, u32 height)
{
	u32 at = parent;

	while (height_of(tree, at) <= height) {
		height_set(tree, at, ++height);
		if (at == INSPECT_ROOT)
			break;
		at = parent_of(tree, at);
	}
}

/**
 * vtr_node_create_sized() - create a node whose block has room for more notes
 * @tree: tree to create it in
 * @parent: parent node
 * @name: name of the node
 * @size_bytes: size of the block; there is one note for each 16 bytes
 * @ret: index of the new block, written on success only
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC if the heap is full, -ENAMETOOLONG, -ELOOP if the node would be
 *	deeper than VITRINE_DEPTH_MAX, -EINVAL if @parent is not a node.
 */
int vtr_node_create_sized(struct vtr_tree *tree, u32 parent, const char *name,
			  size_t size_bytes, u32 *ret)
{
	bool is_first;
	int err;

	if (!vtr_tree_is_node(tree, parent))
		return -EINVAL;
	is_first = !height_of(tree, parent);
	if (is_first && !height_fits(tree, parent, 0))
		return -ELOOP;
	err = vtr_tree_child_create(tree, parent, name, INSPECT_NODE_VALUE, 0,
				    size_bytes, ret);
	if (err)
		return err;
	*vtr_tree_note(tree, *ret) = 0;
	if (is_first)
		height_raise(tree, parent, 0);
	return 0;
}

static __always_inline void node_drop(struct vtr_tree *tree, u64 *block,
				      u32 index)
{
	if (likely(!block[1])) {
		vtr_tree_value_delete(tree, block, index);
		return;
	}
	block = vtr_tree_block(tree, index);
	vtr_tree_name_put(tree, vtr_block_get(block, 0, VALUE_NAME));
	vtr_block_set(block, 0, VALUE_NAME, 0);
	vtr_block_set(block, 0, TYPE, INSPECT_TOMBSTONE);
	tree->nr_values--;
	tree->nr_tombstones++;
}

/**
 * vtr_node_drop() - delete a node without checking its owner
 * @tree: the tree
 * @index: index of the node; not the root
 *
 * Values below the node stay and can still be deleted. Until then the node remains as a
 * TOMBSTONE, which readers do not show, so that its index is not reused.
 *
 * Context: any; the caller serialises.
 */
void vtr_node_drop(struct vtr_tree *tree, u32 index)
{
	node_drop(tree, vtr_tree_address(tree, index), index);
}

/**
 * vtr_node_delete() - delete a node
 * @tree: the tree
 * @index: index of the node
 *
 * As vtr_node_drop(). The caller deletes the values recorded in the node with
 * vtr_record_purge() before it creates anything else.
 *
 * Context: any; the caller serialises.
 * Return: 0, -EINVAL if @index is not a node, or is the root, a list, or owned
 *	by a node or list.
 */
int vtr_node_delete(struct vtr_tree *tree, u32 index)
{
	u64 *block = vtr_tree_address(tree, index);

	if (vtr_block_type(block) != INSPECT_NODE_VALUE ||
	    *vtr_tree_note(tree, index) & (VTR_NODE_OWNED | VTR_NODE_LIST))
		return -EINVAL;
	node_drop(tree, block, index);
	return 0;
}

static bool is_within(const struct vtr_tree *tree, u32 index, u32 ancestor)
{
	for (; index != INSPECT_ROOT; index = parent_of(tree, index))
		if (index == ancestor)
			return true;
	return false;
}

/**
 * vtr_node_adopt() - move a node and everything below it to another parent
 * @tree: tree that contains both
 * @parent: new parent
 * @child: node to move
 *
 * Context: any; the caller serialises.
 * Return: 0, -ELOOP if @parent is @child or below it, or if the tree would become deeper
 *	than VITRINE_DEPTH_MAX, -EINVAL if one of the two is not a node or @child is the
 *	root, a list, or owned by a node or list.
 */
int vtr_node_adopt(struct vtr_tree *tree, u32 parent, u32 child)
{
	u64 *block = vtr_tree_block(tree, child);
	u32 old = vtr_block_get(block, 0, VALUE_PARENT);

	if (!vtr_tree_is_node(tree, parent) ||
	    vtr_block_type(block) != INSPECT_NODE_VALUE ||
	    *vtr_tree_note(tree, child) & (VTR_NODE_OWNED | VTR_NODE_LIST))
		return -EINVAL;
	if (old == parent)
		return 0;
	if (is_within(tree, parent, child))
		return -ELOOP;
	if (!block[1])
		height_set(tree, child, 0);
	if (!height_fits(tree, parent, height_of(tree, child)))
		return -ELOOP;
	height_raise(tree, parent, height_of(tree, child));
	vtr_tree_parent_get(tree, parent);
	vtr_block_set(block, 0, VALUE_PARENT, parent);
	vtr_tree_parent_put(tree, old);
	return 0;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/node_kunit.c"
#endif
