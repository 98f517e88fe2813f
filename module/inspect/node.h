/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nodes of an Inspect hierarchy: create, delete and move them, and bound the depth.
 *
 * Pure: takes no lock, allocates nothing, also compiles on the host. The
 * owner serialises all calls.
 *
 * Each 16 bytes of the heap have a note, a u32 that readers do not see. The first note of
 * a node contains:
 *
 *   31    30    29      24 23                 0
 *   owned list |  height  | next recorded value |
 *
 *   owned	deleted together with its owner, a node or list, and not by itself
 *   list	the node is a list, see fifo.h
 *   height	an upper bound of the number of levels of nodes below the node
 *   next	for a node, the value that was recorded in it last; for a recorded value,
 *		the next one of the same owner; see record.h
 *
 * The note of a node is initialised when the node is created. Except for recorded values,
 * notes of other blocks are meaningless.
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
 * vtr_node_create() - create a node
 * @tree: tree to create it in
 * @parent: parent node
 * @name: name of the node
 * @ret: index of the new block, written on success only
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
