/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nodes of an Inspect hierarchy: made, deleted, moved, and never too deep.
 *
 * Pure: takes no lock, allocates nothing, also compiles on the host. The
 * owner serialises all calls.
 *
 * What a node is to the kernel but not to readers stands in its note, the one
 * of its first 16 bytes:
 *
 *   31    30    29      24 23                 0
 *   owned list |  height  | next recorded value |
 *
 *   owned	deleted with the node or list it belongs to, and not by itself
 *   list	a list's node, see fifo.h
 *   height	at least the number of levels of nodes below it
 *   next	of a node: what was last recorded in it; of a recorded value: the
 *		next one of the same owner; see record.h
 *
 * A node's note is set when it is made. Those of other blocks are meaningless,
 * but for recorded values.
 */
#ifndef _VTR_NODE_H
#define _VTR_NODE_H

#include <linux/types.h>

#include <vitrine/inspect.h>

#include "tree.h"

#define VTR_NODE_NEXT		0x00ffffffU
#define VTR_NODE_HEIGHT		0x3f000000U
#define VTR_NODE_LIST		0x40000000U
#define VTR_NODE_OWNED		0x80000000U

int vtr_node_create_sized(struct vtr_tree *tree, u32 parent, const char *name,
			  size_t size_bytes, u32 *ret);
void vtr_node_drop(struct vtr_tree *tree, u32 index);
int vtr_node_delete(struct vtr_tree *tree, u32 index);
int vtr_node_adopt(struct vtr_tree *tree, u32 parent, u32 child);

/**
 * vtr_node_create() - make a node
 * @tree: tree to make it in
 * @parent: node it goes below
 * @name: its name
 * @ret: its index, written on success only
 *
 * Context: any; the caller serialises.
 * Return: as vtr_node_create_sized().
 */
static inline int vtr_node_create(struct vtr_tree *tree, u32 parent,
				  const char *name, u32 *ret)
{
	return vtr_node_create_sized(tree, parent, name,
				     INSPECT_MIN_BLOCK_BYTES, ret);
}

#endif /* _VTR_NODE_H */
