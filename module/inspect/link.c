// SPDX-License-Identifier: GPL-2.0
/*
 * Links of an Inspect hierarchy to other Inspect files.
 *
 * Concurrency: not thread safe. The caller has begun an edit (see edit.h), so
 * the generation is odd, during every call.
 *
 * The content of a link is the name of a file, a STRING_REFERENCE like any other
 * name. The field for its index has 20 bits, so the block must be in the first
 * 16 MiB.
 */
#include <linux/errno.h>

#include "link.h"

/**
 * vtr_link_create() - create a link
 * @tree: tree to create it in
 * @parent: parent node
 * @name: name of the link
 * @content: file name of the linked tree
 * @disposition: how readers show the linked tree
 * @ret: index of the new block, written on success only
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC if the heap is full, -EFBIG if there is no room for the
 *	content in the first 16 MiB, -ENAMETOOLONG, -EINVAL if @parent is not a
 *	node.
 */
int vtr_link_create(struct vtr_tree *tree, u32 parent, const char *name,
		    const char *content,
		    enum inspect_link_disposition disposition, u32 *ret)
{
	u64 word1;
	u32 text;
	int err;

	err = vtr_tree_name_get(tree, content, &text);
	if (err)
		return err;
	word1 = FIELD_PREP(INSPECT_W1_LINK_CONTENT, text) |
		FIELD_PREP(INSPECT_W1_LINK_DISPOSITION, disposition);
	if (text > FIELD_MAX(INSPECT_W1_LINK_CONTENT))
		err = -EFBIG;
	else
		err = vtr_tree_value_create(tree, parent, name,
					    INSPECT_LINK_VALUE, word1, ret);
	if (err)
		vtr_tree_name_put(tree, text);
	return err;
}

/**
 * vtr_link_delete() - delete a link
 * @tree: the tree
 * @index: index of the link
 *
 * Context: any; the caller serialises.
 * Return: 0, -EINVAL if @index is not a link.
 */
int vtr_link_delete(struct vtr_tree *tree, u32 index)
{
	u64 *block = vtr_tree_block(tree, index);

	if (vtr_block_type(block) != INSPECT_LINK_VALUE)
		return -EINVAL;
	vtr_tree_name_put(tree, vtr_block_get(block, 1, LINK_CONTENT));
	vtr_tree_value_delete(tree, block, index);
	return 0;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/link_kunit.c"
#endif
