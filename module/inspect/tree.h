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

#include <linux/types.h>

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
 *	owner allocates them; see node.h
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

void vtr_tree_init(struct vtr_tree *tree, void **pages, void *first_page,
		   u32 **notes, struct vtr_tree_name *names, u32 nr_names);
void vtr_tree_add_page(struct vtr_tree *tree, void *page, u32 *notes);

int vtr_tree_name_get(struct vtr_tree *tree, const char *name, u32 *ret);
void vtr_tree_name_put(struct vtr_tree *tree, u32 index);

int vtr_tree_child_create(struct vtr_tree *tree, u32 parent, const char *name,
			  enum inspect_type type, u64 word1, size_t size_bytes,
			  u32 *ret);
int vtr_tree_sized_create(struct vtr_tree *tree, u32 parent, const char *name,
			  enum inspect_type type, u64 word1, size_t size_bytes,
			  u32 *ret);
int vtr_tree_value_create(struct vtr_tree *tree, u32 parent, const char *name,
			  enum inspect_type type, u64 word1, u32 *ret);
void vtr_tree_value_delete(struct vtr_tree *tree, u64 *block, u32 index);
void vtr_tree_parent_get(struct vtr_tree *tree, u32 index);
void vtr_tree_parent_put(struct vtr_tree *tree, u32 index);
int vtr_tree_number_delete(struct vtr_tree *tree, u32 index,
			   enum inspect_type type);

int vtr_tree_buffer_create(struct vtr_tree *tree, u32 parent, const char *name,
			   enum inspect_buffer_format format,
			   const void *value, size_t len_bytes, u32 *ret);
int vtr_tree_buffer_set(struct vtr_tree *tree, u32 index,
			enum inspect_buffer_format format, const void *value,
			size_t len_bytes);
int vtr_tree_buffer_delete(struct vtr_tree *tree, u32 index,
			   enum inspect_buffer_format format);

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
 * Return: the note; see node.h.
 */
static inline u32 *vtr_tree_note(const struct vtr_tree *tree, u32 index)
{
	return &tree->notes[index / VTR_HEAP_BLOCKS_PER_PAGE]
			   [index % VTR_HEAP_BLOCKS_PER_PAGE];
}

#endif /* _VTR_TREE_H */
