// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of what happened last: nodes "0", "1", ... below a node, of which the
 * oldest goes when there are too many.
 *
 * Concurrency: none here. The owner holds the tree's lock, and has made the
 * generation odd, around every call.
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

/* Blocks do not cross pages, so a block's notes stand in a row. */
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

/* Take the oldest item out of a list that is not empty. */
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
 * vtr_fifo_create() - make a list
 * @tree: tree to make it in
 * @parent: node it goes below
 * @name: its name
 * @capacity: most items it has, at least 1
 * @ret: its index, written on success only
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
 * vtr_fifo_append() - add an item to a list
 * @tree: tree it is in
 * @list: the list
 * @ret: index of the item, a node which its list owns; written on success only
 * @dropped: index of the item that has been deleted for it, or 0: what is
 *	recorded in it is for vtr_record_purge() to delete, next and before
 *	anything else is made; written on success only
 *
 * There must be room for one item more than the list has.
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC when the heap is full, -ELOOP if it were deeper than
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
 * @tree: tree it is in
 * @list: the list; vtr_fifo_purge() deletes its items, next and before
 *	anything else is made
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
 * vtr_fifo_purge() - delete the items of a deleted list
 * @tree: tree it is in
 * @list: index of the list, which has just been deleted or of which the last
 *	call has left something
 * @max: most values to delete now
 *
 * Context: any; the caller serialises.
 * Return: true if there is more; false if the list has nothing any more, and
 *	may be gone itself.
 */
bool vtr_fifo_purge(struct vtr_tree *tree, u32 list, unsigned int max)
{
	u32 *notes = vtr_tree_note(tree, list);

	while (notes[LIST_COUNT] && max--) {
		u32 newest = *notes & VTR_NODE_NEXT;
		u32 oldest = *item_newer(tree, newest);

		/* What is recorded first: an item without it goes at once. */
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
