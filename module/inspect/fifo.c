// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of the most recent nodes: "0", "1", ... below a node. When a list is full,
 * appending to it deletes the oldest node.
 *
 * Concurrency: not thread safe. The caller has begun an edit (see edit.h), so
 * the generation is odd, during every call.
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include "fifo.h"
#include "node.h"
#include "record.h"

#define LIST_BYTES	(4 * INSPECT_MIN_BLOCK_BYTES)
#define LIST_COUNT	1
#define LIST_CAPACITY	2
#define LIST_NUMBER	3

#define ITEM_BYTES	(2 * INSPECT_MIN_BLOCK_BYTES)
#define ITEM_NEWER	1

static bool is_list(const struct vtr_tree *tree, u32 index)
{
	return vtr_block_type(vtr_tree_block(tree, index)) ==
	       INSPECT_NODE_VALUE &&
	       *vtr_tree_note(tree, index) & VTR_NODE_LIST;
}

/* Return the note that links to the next newer item. Notes of one block are adjacent. */
static u32 *item_newer(const struct vtr_tree *tree, u32 item)
{
	return vtr_tree_note(tree, item) + ITEM_NEWER;
}

static void ring_add(struct vtr_tree *tree, u32 *notes, u32 item)
{
	u32 newest = *notes & VTR_NODE_NEXT;

	if (newest) {
		*item_newer(tree, item) = *item_newer(tree, newest);
		*item_newer(tree, newest) = item;
	} else {
		*item_newer(tree, item) = item;
	}
	*notes = (*notes & ~VTR_NODE_NEXT) | item;
	notes[LIST_COUNT]++;
}

/* Remove the oldest item of a list that is not empty, and return it. */
static u32 ring_remove(struct vtr_tree *tree, u32 *notes)
{
	u32 newest = *notes & VTR_NODE_NEXT;
	u32 oldest = *item_newer(tree, newest);

	*item_newer(tree, newest) = *item_newer(tree, oldest);
	if (!--notes[LIST_COUNT])
		*notes &= ~VTR_NODE_NEXT;
	return oldest;
}

/**
 * vtr_fifo_create() - create a list
 * @tree: tree to create it in
 * @parent: parent node
 * @name: name of the list
 * @capacity: maximum number of items, at least 1
 * @ret: index of the new block, written on success only
 *
 * Context: any; the caller serialises.
 * Return: as vtr_node_create_sized().
 */
int vtr_fifo_create(struct vtr_tree *tree, u32 parent, const char *name,
		    u32 capacity, u32 *ret)
{
	int err = vtr_node_create_sized(tree, parent, name, LIST_BYTES, ret);
	u32 *notes;

	if (err)
		return err;
	notes = vtr_tree_note(tree, *ret);
	*notes = VTR_NODE_LIST;
	notes[LIST_COUNT] = 0;
	notes[LIST_CAPACITY] = capacity;
	notes[LIST_NUMBER] = 0;
	return 0;
}

/**
 * vtr_fifo_append() - append an item to a list
 * @tree: the tree
 * @list: index of the list
 * @ret: index of the item, a node that the list owns; written on success only
 * @dropped: index of the item that was deleted to make room, or 0. The caller deletes the
 *	values recorded in that item with vtr_record_purge() before it creates anything
 *	else. Written on success only
 *
 * The heap needs room for one item more than the list has.
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC if the heap is full, -ELOOP if the item would be deeper than
 *	VITRINE_DEPTH_MAX, -EINVAL if @list is not a list.
 */
int vtr_fifo_append(struct vtr_tree *tree, u32 list, u32 *ret, u32 *dropped)
{
	u32 *notes = vtr_tree_note(tree, list);
	char name[12];
	u32 item;
	int err;

	if (!is_list(tree, list))
		return -EINVAL;
	scnprintf(name, sizeof(name), "%u", notes[LIST_NUMBER]);
	err = vtr_node_create_sized(tree, list, name, ITEM_BYTES, &item);
	if (err)
		return err;
	*vtr_tree_note(tree, item) = VTR_NODE_OWNED;
	notes[LIST_NUMBER]++;
	*dropped = 0;
	if (notes[LIST_COUNT] == notes[LIST_CAPACITY]) {
		*dropped = ring_remove(tree, notes);
		vtr_node_drop(tree, *dropped);
	}
	ring_add(tree, notes, item);
	*ret = item;
	return 0;
}

/**
 * vtr_fifo_delete() - delete a list
 * @tree: the tree
 * @list: index of the list; the caller deletes its items with vtr_fifo_purge() before it
 *	creates anything else
 *
 * Context: any; the caller serialises.
 * Return: 0, -EINVAL if @list is not a list.
 */
int vtr_fifo_delete(struct vtr_tree *tree, u32 list)
{
	if (!is_list(tree, list))
		return -EINVAL;
	vtr_node_drop(tree, list);
	return 0;
}

/**
 * vtr_fifo_purge() - delete items of a deleted list
 * @tree: the tree
 * @list: index of the list, which was deleted by the preceding call, or for which the
 *	preceding call of this function returned true
 * @max: maximum number of values to delete
 *
 * Context: any; the caller serialises.
 * Return: true if values are left; false if none is, in which case the block of the list
 *	may be freed.
 */
bool vtr_fifo_purge(struct vtr_tree *tree, u32 list, unsigned int max)
{
	u32 *notes = vtr_tree_note(tree, list);

	while (notes[LIST_COUNT] && max--) {
		u32 newest = *notes & VTR_NODE_NEXT;
		u32 oldest = *item_newer(tree, newest);

		/* Recorded values first: an item that owns none is freed at once. */
		if (*vtr_tree_note(tree, oldest) & VTR_NODE_NEXT)
			vtr_record_purge(tree, oldest, 1);
		else
			vtr_node_drop(tree, ring_remove(tree, notes));
	}
	return notes[LIST_COUNT];
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/fifo_kunit.c"
#endif
