// SPDX-License-Identifier: GPL-2.0
/*
 * Public interface: nodes.
 *
 * Concurrency: as in publish.c. A node is removed in one edit. The values recorded
 * in the node, which readers no longer see, are deleted in several edits, so that
 * interrupts are off only briefly.
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

struct vitrine_node *vitrine_node_create(struct vitrine_node *parent,
					 const char *name)
{
	return vtr_edit_create(parent, name, 0, 1, vtr_node_create);
}
EXPORT_SYMBOL_GPL(vitrine_node_create);

/* Delete some values that a deleted node owns; most nodes own none. */
static bool node_purge(struct vtr_tree *blocks, u32 index, unsigned int max)
{
	return vtr_record_owns(blocks, index) &&
	       vtr_record_purge(blocks, index, max);
}

void vitrine_node_delete(struct vitrine_node *node)
{
	vtr_edit_delete_all(node, vtr_node_delete, node_purge);
}
EXPORT_SYMBOL_GPL(vitrine_node_delete);

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

/* Return the length to which UTF-8 text can be cut without splitting a character. */
static size_t cut_length(const char *text, size_t max)
{
	size_t len = strnlen(text, max + 1);

	if (len <= max)
		return len;
	for (len = max; len && (text[len] & 0xc0) == 0x80; len--)
		;
	return len;
}

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
