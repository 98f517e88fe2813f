// SPDX-License-Identifier: GPL-2.0
/*
 * What publishers call: lists of what happened last.
 *
 * Concurrency: as in publish.c. An item comes and another goes in one edit;
 * what was recorded in the one that went, which nobody can see any more, goes
 * in as many as it takes to have interrupts off only briefly.
 */
#include <linux/export.h>

#include "edit.h"
#include "fifo.h"
#include "record.h"

/**
 * vitrine_list_create() - make a list
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @capacity: most nodes it has, at least 1
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_list *vitrine_list_create(struct vitrine_node *parent,
					 const char *name,
					 unsigned int capacity)
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
	/* The capacity may follow from the machine: refused, but no bug. */
	if (!capacity)
		return vtr_edit_created(tree, -ERANGE, 0);

	err = vtr_edit_grow(tree, 1,
			    vtr_fifo_create(&tree->blocks, parent_index, name,
					    capacity, &index));
	return vtr_edit_created(tree, err, index);
}
EXPORT_SYMBOL_GPL(vitrine_list_create);

/* @dropped: an item of which there is more to delete, or 0 */
static int item_append(struct vtr_tree *blocks, u32 list, u32 *item,
		       u32 *dropped)
{
	int err = vtr_fifo_append(blocks, list, item, dropped);

	if (!err && *dropped &&
	    !vtr_record_purge(blocks, *dropped, vtr_edit_slice(blocks)))
		*dropped = 0;
	return err;
}

/* Delete the rest of what was recorded in an item that has been dropped. */
static void dropped_purge(struct vitrine_tree *tree, u32 dropped)
{
	unsigned long flags;
	bool more;

	do {
		vtr_edit_begin(tree, &flags);
		more = vtr_record_purge(&tree->blocks, dropped,
					vtr_edit_slice(&tree->blocks));
		vtr_edit_end(tree, flags);
	} while (more);
}

/**
 * vitrine_list_append() - add a node to a list
 * @list: the list, or NULL
 *
 * Nodes are named "0", "1", ... in the order in which they come. The oldest of
 * a full list goes in the same step, and with it what is recorded in it: its
 * handle is good until then. There must be room for one node more than the
 * list has; if there is none, the oldest stays.
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: the node, which can neither be deleted nor adopted, or NULL: the
 *	failure is counted.
 */
struct vitrine_node *vitrine_list_append(struct vitrine_list *list)
{
	u32 index, item = 0, dropped = 0;
	struct vitrine_tree *tree;
	int err;

	if (!list)
		return NULL;
	tree = vtr_edit_tree(list);
	index = vtr_edit_index(list);

	err = vtr_edit_grow(tree, 1,
			    item_append(&tree->blocks, index, &item, &dropped));
	if (!err && dropped)
		dropped_purge(tree, dropped);
	return vtr_edit_created(tree, err, item);
}
EXPORT_SYMBOL_GPL(vitrine_list_append);

/**
 * vitrine_list_delete() - delete a list
 * @list: the list, or NULL
 *
 * It is gone for readers at once, with its nodes and what is recorded in them.
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_list_delete(struct vitrine_list *list)
{
	struct vitrine_tree *tree;
	bool more = false;
	unsigned long flags;
	u32 index;
	int err;

	if (!list)
		return;
	tree = vtr_edit_tree(list);
	index = vtr_edit_index(list);
	if (!vtr_edit_begin(tree, &flags))
		return;
	err = vtr_fifo_delete(&tree->blocks, index);
	if (!err)
		more = vtr_fifo_purge(&tree->blocks, index, vtr_edit_slice(&tree->blocks));
	vtr_edit_end(tree, flags);
	if (err)
		vtr_edit_refuse(tree, err);
	while (more) {
		vtr_edit_begin(tree, &flags);
		more = vtr_fifo_purge(&tree->blocks, index, vtr_edit_slice(&tree->blocks));
		vtr_edit_end(tree, flags);
	}
}
EXPORT_SYMBOL_GPL(vitrine_list_delete);
