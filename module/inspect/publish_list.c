// SPDX-License-Identifier: GPL-2.0
/*
 * Public interface: lists of the most recent nodes.
 *
 * Concurrency: as in publish.c. One edit appends an item and removes the oldest
 * one. The values recorded in the removed item, which readers no longer see, are
 * deleted in several edits, so that interrupts are off only briefly.
 */
#include <linux/export.h>

#include "edit.h"
#include "fifo.h"
#include "record.h"

struct vitrine_list *vitrine_list_create(struct vitrine_node *parent,
					 const char *name,
					 unsigned int capacity)
{
	/* -ERANGE does not warn: the capacity may depend on the machine. */
	return vtr_edit_create(parent, name, capacity ? 0 : -ERANGE, 1,
			       vtr_fifo_create, capacity);
}
EXPORT_SYMBOL_GPL(vitrine_list_create);

/* Append an item; @dropped is an item that owns values still to be deleted, or 0. */
static int item_append(struct vtr_tree *blocks, u32 list, u32 *item,
		       u32 *dropped)
{
	int err = vtr_fifo_append(blocks, list, item, dropped);

	if (!err && *dropped &&
	    !vtr_record_purge(blocks, *dropped, vtr_edit_slice(blocks)))
		*dropped = 0;
	return err;
}

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
		vtr_edit_purge(tree, dropped, vtr_record_purge);
	return vtr_edit_created(tree, err, item);
}
EXPORT_SYMBOL_GPL(vitrine_list_append);

void vitrine_list_delete(struct vitrine_list *list)
{
	vtr_edit_delete_all(list, vtr_fifo_delete, vtr_fifo_purge);
}
EXPORT_SYMBOL_GPL(vitrine_list_delete);
