/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An Inspect hierarchy in a heap: nodes, properties, names, tombstones.
 *
 * Pure: takes no lock, allocates nothing, also compiles on the host. The
 * owner serialises all calls. Blocks are identified by their index; INSPECT_ROOT, the
 * index of the header, identifies the root.
 */
#ifndef _VTR_TREE_H
#define _VTR_TREE_H

#include <vitrine/inspect.h>

#include "heap.h"

/**
 * struct vtr_tree_name - a slot of the table of names
 * @hash: hash of the name
 * @index: index of the STRING_REFERENCE block, 0 if the slot is empty
 */
struct vtr_tree_name {
	u32	hash;
	u32	index;
};

/**
 * struct vtr_tree - a hierarchy
 * @heap: the heap that contains the blocks
 * @names: table of names; the owner allocates it
 * @notes: for each page an array of one u32 per 16 bytes, which readers do not see; the
 *	owner allocates them; see below
 * @names_mask: number of slots of @names minus one; a power of two minus one
 * @nr_values: number of value blocks, without tombstones
 * @nr_tombstones: number of nodes that were deleted before the values below them
 */
struct vtr_tree {
	struct vtr_heap		heap;
	struct vtr_tree_name	*names;
	u32			**notes;
	u32			names_mask;
	u32			nr_values;
	u32			nr_tombstones;
};

struct vtr_tree_name *vtr_tree_use_names(struct vtr_tree *tree, struct vtr_tree_name *names,
					 u32 nr_names);
void vtr_tree_init(struct vtr_tree *tree);
void vtr_tree_add_page(struct vtr_tree *tree, void *page, u32 *notes);

int vtr_tree_name_get(struct vtr_tree *tree, const char *name, u32 *ret);
void vtr_tree_name_put(struct vtr_tree *tree, u32 index);

int vtr_tree_create(struct vtr_tree *tree, u32 parent, const char *name,
		    enum inspect_type type, u64 word1, size_t size_bytes, u32 *ret);
int vtr_tree_delete(struct vtr_tree *tree, u32 index);
bool vtr_tree_purge(struct vtr_tree *tree, u32 index, unsigned int max);

int vtr_tree_buffer_create(struct vtr_tree *tree, u32 parent, const char *name,
			   enum inspect_buffer_format format,
			   const void *value, size_t len_bytes, u32 *ret);
int vtr_tree_buffer_set(struct vtr_tree *tree, u32 index, const void *value,
			size_t len_bytes);

/**
 * vtr_tree_address() - return the address of a block
 * @tree: the tree
 * @index: index of the block
 *
 * Context: any.
 * Return: first word of the block, which the caller only reads or has saved.
 */
static inline u64 *vtr_tree_address(const struct vtr_tree *tree, u32 index)
{
	return vtr_heap_address(&tree->heap, index);
}

/**
 * vtr_tree_block() - return a block for writing
 * @tree: the tree
 * @index: index of the block
 *
 * Context: any; the caller serialises.
 * Return: first word of the block, which the caller may change; see vtr_heap_block().
 */
static inline u64 *vtr_tree_block(const struct vtr_tree *tree, u32 index)
{
	return vtr_heap_block(&tree->heap, index);
}

/**
 * vtr_tree_is_node() - check whether a block can have children
 * @tree: the tree
 * @index: index of the block
 *
 * Context: any; the caller serialises.
 * Return: true for a node, the root included; false for a property or a
 *	tombstone.
 */
static inline bool vtr_tree_is_node(const struct vtr_tree *tree, u32 index)
{
	return index == INSPECT_ROOT ||
	       vtr_block_type(vtr_tree_address(tree, index)) ==
	       INSPECT_NODE_VALUE;
}

/**
 * vtr_tree_note() - return the note of 16 bytes of the heap
 * @tree: the tree
 * @index: index of the 16 bytes
 *
 * Context: any; the caller serialises.
 * Return: the note; see below.
 */
static inline u32 *vtr_tree_note(const struct vtr_tree *tree, u32 index)
{
	return &tree->notes[index / VTR_HEAP_BLOCKS_PER_PAGE]
			   [index % VTR_HEAP_BLOCKS_PER_PAGE];
}

/*
 * Nodes of an Inspect hierarchy: delete and move them.
 *
 * Each 16 bytes of the heap have a note, a u32 that readers do not see. The first note of
 * a node contains:
 *
 *   31    30    23                 0
 *   owned list | next recorded value |
 *
 *   owned	deleted together with its owner, a node or list, and not by itself
 *   list	the node is a list
 *   next	for a node, the value that was recorded in it last; for a recorded value,
 *		the next one of the same owner
 *
 * The note of a node is initialised when the node is created. Except for recorded values,
 * notes of other blocks are meaningless.
 */

#define VTR_NODE_NEXT		0x00ffffffU
#define VTR_NODE_LIST		0x40000000U
#define VTR_NODE_OWNED		0x80000000U

int vtr_node_adopt(struct vtr_tree *tree, u32 parent, u32 child);
void vtr_record_insert(struct vtr_tree *tree, u32 node, u32 index);

int vtr_fifo_create(struct vtr_tree *tree, u32 parent, const char *name,
		    u32 capacity, u32 *ret);
int vtr_fifo_append(struct vtr_tree *tree, u32 list, u32 *ret, u32 *dropped);

int vtr_link_create(struct vtr_tree *tree, u32 parent, const char *name,
		    const char *content,
		    enum inspect_link_disposition disposition, u32 *ret);

#endif /* _VTR_TREE_H */
