// SPDX-License-Identifier: GPL-2.0
/*
 * What publishers call: links to other trees.
 *
 * Concurrency: as in publish.c.
 */
#include <linux/export.h>
#include <linux/kernel.h>

#include "edit.h"
#include "inspect.h"
#include "link.h"

/**
 * vitrine_link_create() - make a link to another tree
 * @parent: node it goes below, or NULL
 * @name: its name, at most 255 bytes of UTF-8; copied
 * @tree: name of the other tree, which need not be there; copied
 * @disposition: VITRINE_LINK_CHILD if readers are to show the other's root
 *	under @name, VITRINE_LINK_INLINE if what is below that root is to be
 *	shown in @parent
 *
 * The content of the link, the name of the other's file, must find room in
 * the tree's first 16 MiB.
 *
 * Context: any; from NMI it fails if the tree is being edited.
 * Return: its handle, or NULL: the failure is counted.
 */
struct vitrine_link *vitrine_link_create(struct vitrine_node *parent,
					 const char *name, const char *tree,
					 enum vitrine_disposition disposition)
{
	enum inspect_link_disposition how =
		disposition == VITRINE_LINK_INLINE ? INSPECT_LINK_INLINE :
						     INSPECT_LINK_CHILD;
	char content[VITRINE_TREE_NAME_MAX + sizeof(".inspect")];
	struct vitrine_tree *owner;
	u32 parent_index, index = 0;
	int err;

	if (!parent)
		return NULL;
	owner = vtr_edit_tree(parent);
	parent_index = vtr_edit_index(parent);
	if (!name || !tree) /* what kasprintf() left */
		return vtr_edit_created(owner, -ENOMEM, 0);
	/* The name may come from outside: refused, but no bug. */
	if (vtr_inspect_name_fault(tree))
		return vtr_edit_created(owner, -ENAMETOOLONG, 0);
	if (disposition > VITRINE_LINK_INLINE)
		return vtr_edit_created(owner, -EINVAL, 0);
	scnprintf(content, sizeof(content), "%s.inspect", tree);

	err = vtr_edit_grow(owner, 1,
			    vtr_link_create(&owner->blocks, parent_index, name,
					    content, how, &index));
	return vtr_edit_created(owner, err, index);
}
EXPORT_SYMBOL_GPL(vitrine_link_create);

/**
 * vitrine_link_delete() - delete a link
 * @link: the link, or NULL
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
void vitrine_link_delete(struct vitrine_link *link)
{
	struct vitrine_tree *tree;
	u32 index;
	int err;

	if (!link)
		return;
	tree = vtr_edit_tree(link);
	index = vtr_edit_index(link);
	err = vtr_edit_call(tree, vtr_link_delete(&tree->blocks, index));
	vtr_edit_done(tree, err);
}
EXPORT_SYMBOL_GPL(vitrine_link_delete);
