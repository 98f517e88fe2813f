// SPDX-License-Identifier: GPL-2.0
/*
 * What publishers call: nodes.
 *
 * Concurrency: as in publish.c. A node goes in one edit; what is recorded in
 * it, which nobody can see any more, in as many as it takes to have interrupts
 * off only briefly.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "edit.h"
#include "node.h"
#include "record.h"

/* Next number for vitrine_unique_name(). */
static atomic64_t unique_number;

/**
 * vitrine_node_create() - make a node
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 *
 * Nodes are nested at most VITRINE_DEPTH_MAX deep.
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_node *vitrine_node_create(struct vitrine_node *parent,
					 const char *name)
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

	err = vtr_edit_grow(tree, 1,
			    vtr_node_create(&tree->blocks, parent_index, name,
					    &index));
	return vtr_edit_created(tree, err, index);
}
EXPORT_SYMBOL_GPL(vitrine_node_create);

/**
 * vitrine_node_delete() - delete a node
 * @node: the node, or NULL; not the root, and not one that was recorded
 *
 * It is gone for readers at once, with all that is below it. What is recorded
 * in it is deleted; what has a handle keeps its memory until it is deleted too,
 * before or after.
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_node_delete(struct vitrine_node *node)
{
	struct vitrine_tree *tree;
	bool more = false;
	unsigned long flags;
	u32 index;
	int err;

	if (!node)
		return;
	tree = vtr_edit_tree(node);
	index = vtr_edit_index(node);
	if (!vtr_edit_begin(tree, &flags))
		return;
	err = vtr_node_delete(&tree->blocks, index);
	if (!err && vtr_record_owns(&tree->blocks, index))
		more = vtr_record_purge(&tree->blocks, index,
					vtr_edit_slice(&tree->blocks));
	vtr_edit_end(tree, flags);
	if (err)
		vtr_edit_refuse(tree, err);
	while (more) {
		vtr_edit_begin(tree, &flags);
		more = vtr_record_purge(&tree->blocks, index,
					vtr_edit_slice(&tree->blocks));
		vtr_edit_end(tree, flags);
	}
}
EXPORT_SYMBOL_GPL(vitrine_node_delete);

/**
 * vitrine_node_adopt() - move a node, with all that is below it
 * @parent: node it goes below from now on, or NULL
 * @child: the node, or NULL; of the same tree, not the root, and not one that
 *	was recorded
 *
 * It stays where it is, and that is counted, if @parent is @child or below it,
 * or if something were more than VITRINE_DEPTH_MAX deep.
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_node_adopt(struct vitrine_node *parent,
			struct vitrine_node *child)
{
	struct vitrine_tree *tree;
	int err = -EINVAL;

	if (!parent || !child)
		return;
	tree = vtr_edit_tree(child);
	if (vtr_edit_tree(parent) == tree)
		err = vtr_edit_call(tree,
				    vtr_node_adopt(&tree->blocks,
						   vtr_edit_index(parent),
						   vtr_edit_index(child)));
	vtr_edit_done(tree, err);
}
EXPORT_SYMBOL_GPL(vitrine_node_adopt);

/* Length to which a text of UTF-8 can be cut without splitting a character. */
static size_t cut_length(const char *text, size_t max)
{
	size_t len = strnlen(text, max + 1);

	if (len <= max)
		return len;
	for (len = max; len && (text[len] & 0xc0) == 0x80; len--)
		;
	return len;
}

/**
 * vitrine_unique_name() - a name that no other call returns
 * @name: where it goes
 * @size: room there; VITRINE_NAME_MAX + 1 is enough for any name
 * @prefix: how it begins, cut if it is too long; NULL is empty
 *
 * "prefix-0", "prefix-1", ...; the numbers go on, whatever the prefix.
 *
 * Context: any.
 * Return: @name, or NULL if there is no room for a number, which all calls that
 *	take a name count as a failure.
 */
const char *vitrine_unique_name(char *name, size_t size, const char *prefix)
{
	char number[24];
	int digits = scnprintf(number, sizeof(number), "-%llu",
			       atomic64_fetch_inc(&unique_number));

	if (!name || size <= digits)
		return NULL;
	if (!prefix)
		prefix = "";
	scnprintf(name, size, "%.*s%s",
		  (int)cut_length(prefix, min_t(size_t, size,
						VITRINE_NAME_MAX + 1) -
				  digits - 1), prefix, number);
	return name;
}
EXPORT_SYMBOL_GPL(vitrine_unique_name);
