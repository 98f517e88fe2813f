/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recorded values of an Inspect hierarchy, which are deleted with their node.
 *
 * Pure: takes no lock, allocates nothing, also compiles on the host. The
 * owner serialises all calls.
 */
#ifndef _VTR_RECORD_H
#define _VTR_RECORD_H

#include <linux/types.h>

#include "node.h"

int vtr_record_number(struct vtr_tree *tree, u32 node, const char *name,
		      enum inspect_type type, u64 word1);
int vtr_record_buffer(struct vtr_tree *tree, u32 node, const char *name,
		      enum inspect_buffer_format format, const void *value,
		      size_t len_bytes);
int vtr_record_node(struct vtr_tree *tree, u32 node, const char *name,
		    u32 *ret);
bool vtr_record_purge(struct vtr_tree *tree, u32 node, unsigned int max);

/**
 * vtr_record_owns() - check whether vtr_record_purge() has values to delete
 * @tree: the tree
 * @node: index of a node that was just deleted
 *
 * Context: any; the caller serialises.
 * Return: true if the node owns values.
 */
static inline bool vtr_record_owns(const struct vtr_tree *tree, u32 node)
{
	return *vtr_tree_note(tree, node) & VTR_NODE_NEXT;
}

#endif /* _VTR_RECORD_H */
