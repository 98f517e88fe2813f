// SPDX-License-Identifier: GPL-2.0
/*
 * An Inspect hierarchy in a heap: nodes, properties, names, tombstones.
 *
 * Concurrency: none here. The owner holds the tree's lock, and has made the
 * generation odd, around every call.
 *
 * Every operation takes all the blocks it needs first and links them last, so
 * that one that fails leaves the hierarchy as it was. Deletion follows the
 * format's rules: a node's reference count is the number of value and
 * tombstone blocks that name it as their parent.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <vitrine/inspect.h>

#include "tree.h"

#define EXTENT_PAYLOAD_MAX \
	(INSPECT_MAX_BLOCK_BYTES - INSPECT_EXTENT_PAYLOAD_OFFSET)

/*
 * Names.
 *
 * A name is one STRING_REFERENCE block, shared by all values of that name and
 * found through a hash table of fixed size. A name may stand in any of
 * NAME_WINDOW slots from its hash on; all of them are searched, so a slot is
 * emptied without moving others, and no operation looks at more than two cache
 * lines of the table. A name that finds no empty slot is simply not shared.
 */
#define NAME_WINDOW	8

/* FNV-1a of a name, which ends at a NUL or after @max bytes; and its length. */
static u32 name_hash(const char *name, size_t max, size_t *len)
{
	u32 hash = 0x811c9dc5;
	size_t i;

	for (i = 0; i < max && name[i]; i++)
		hash = (hash ^ (u8)name[i]) * 0x01000193;
	*len = i;
	return hash;
}

static const char *name_bytes(u64 *block)
{
	return vtr_block_payload(block, INSPECT_STRREF_PAYLOAD_OFFSET);
}

static bool name_matches(const struct vtr_tree *tree, u32 index,
			 const char *name, size_t len)
{
	u64 *block = vtr_tree_block(tree, index);

	return vtr_block_get(block, 1, STRREF_LENGTH) == len &&
	       !memcmp(name_bytes(block), name, len);
}

/* The slot that holds @name; without one, an empty slot for it, or NULL. */
static struct vtr_tree_name *name_find(const struct vtr_tree *tree, u32 hash,
				       const char *name, size_t len)
{
	struct vtr_tree_name *slot, *empty = NULL;
	u32 i;

	for (i = 0; i < NAME_WINDOW; i++) {
		slot = &tree->names[(hash + i) & tree->names_mask];
		if (!slot->index)
			empty = empty ?: slot;
		else if (slot->hash == hash &&
			 name_matches(tree, slot->index, name, len))
			return slot;
	}
	return empty;
}

/*
 * A file of 2^24 smallest blocks cannot have as many values of one name, but
 * slots of string arrays are smaller than blocks.
 */
static bool name_is_exhausted(const struct vtr_tree *tree, u32 index)
{
	return vtr_block_get(vtr_tree_block(tree, index), 0, STRREF_COUNT) ==
	       FIELD_MAX(INSPECT_W0_STRREF_COUNT);
}

/**
 * vtr_tree_name_get() - take a reference to a STRING_REFERENCE
 * @tree: tree it is in
 * @name: its text, of a name or of a slot of an array
 * @ret: its index, written on success only
 *
 * The block is made if there is none with that text.
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC when the heap is full, -ENAMETOOLONG.
 */
int vtr_tree_name_get(struct vtr_tree *tree, const char *name, u32 *ret)
{
	size_t len;
	u32 hash = name_hash(name, VITRINE_NAME_MAX + 1, &len);
	struct vtr_tree_name *slot;
	u64 *block;
	u32 index;
	int err;

	if (len > VITRINE_NAME_MAX)
		return -ENAMETOOLONG;
	slot = name_find(tree, hash, name, len);
	if (slot && slot->index && name_is_exhausted(tree, slot->index))
		slot = NULL;
	if (slot && slot->index) {
		block = vtr_tree_block(tree, slot->index);
		vtr_block_set(block, 0, STRREF_COUNT,
			      vtr_block_get(block, 0, STRREF_COUNT) + 1);
		*ret = slot->index;
		return 0;
	}

	err = vtr_heap_alloc(&tree->heap, INSPECT_STRREF_PAYLOAD_OFFSET + len,
			     &index);
	if (err)
		return err;
	block = vtr_tree_block(tree, index);
	block[0] = vtr_block_word0(INSPECT_STRING_REFERENCE,
				   vtr_block_order(block)) |
		   FIELD_PREP(INSPECT_W0_STRREF_COUNT, 1);
	vtr_block_set(block, 1, STRREF_LENGTH, len);
	memcpy(vtr_block_payload(block, INSPECT_STRREF_PAYLOAD_OFFSET), name,
	       len);
	if (slot)
		*slot = (struct vtr_tree_name){ .hash = hash, .index = index };
	*ret = index;
	return 0;
}

/**
 * vtr_tree_name_put() - drop a reference to a STRING_REFERENCE
 * @tree: tree it is in
 * @index: the block, freed with its last reference
 *
 * Context: any; the caller serialises.
 */
void vtr_tree_name_put(struct vtr_tree *tree, u32 index)
{
	u64 *block = vtr_tree_block(tree, index);
	u32 count = vtr_block_get(block, 0, STRREF_COUNT) - 1;
	size_t len = vtr_block_get(block, 1, STRREF_LENGTH);
	u32 hash, i;

	if (count) {
		vtr_block_set(block, 0, STRREF_COUNT, count);
		return;
	}
	hash = name_hash(name_bytes(block), len, &len);
	for (i = 0; i < NAME_WINDOW; i++) {
		struct vtr_tree_name *slot =
			&tree->names[(hash + i) & tree->names_mask];

		if (slot->index == index) {
			slot->index = 0;
			break;
		}
	}
	vtr_heap_free(&tree->heap, index);
}

/*
 * Values: what nodes and properties have in common.
 */

static void value_link(struct vtr_tree *tree, u32 index,
		       enum inspect_type type, u32 parent, u32 name, u64 word1)
{
	u64 *block = vtr_tree_block(tree, index);

	block[0] = vtr_block_word0(type, vtr_block_order(block)) |
		   FIELD_PREP(INSPECT_W0_VALUE_PARENT, parent) |
		   FIELD_PREP(INSPECT_W0_VALUE_NAME, name);
	block[1] = word1;
	tree->nr_values++;
	if (parent)
		vtr_tree_block(tree, parent)[1]++;
}

/**
 * vtr_tree_parent_put() - there is one block less below a node
 * @tree: tree it is in
 * @index: the node or tombstone; a tombstone is freed with the last block below
 *	it, and so on up
 *
 * Context: any; the caller serialises.
 */
void vtr_tree_parent_put(struct vtr_tree *tree, u32 index)
{
	u64 *block = vtr_tree_block(tree, index);

	while (!--block[1] && vtr_block_type(block) == INSPECT_TOMBSTONE) {
		u32 parent = vtr_block_get(block, 0, VALUE_PARENT);

		vtr_heap_free(&tree->heap, index);
		tree->nr_tombstones--;
		index = parent;
		block = vtr_tree_block(tree, index);
	}
}

/**
 * vtr_tree_value_delete() - delete a value that refers to nothing any more
 * @tree: tree it is in
 * @index: the value, not a node with something below it
 *
 * For those who know its type, which is not looked at.
 *
 * Context: any; the caller serialises.
 */
void vtr_tree_value_delete(struct vtr_tree *tree, u32 index)
{
	u64 *block = vtr_tree_block(tree, index);
	u32 parent = vtr_block_get(block, 0, VALUE_PARENT);

	vtr_tree_name_put(tree, vtr_block_get(block, 0, VALUE_NAME));
	vtr_heap_free(&tree->heap, index);
	tree->nr_values--;
	vtr_tree_parent_put(tree, parent);
}

/**
 * vtr_tree_init() - make a tree of one root node
 * @tree: storage to set up
 * @pages: array with room for every page the tree may ever get
 * @first_page: a zeroed page, becomes pages[0]
 * @notes: array as long as @pages, of which the first is there
 * @names: zeroed table of names
 * @nr_names: its number of slots, a power of two, at least 8
 *
 * Context: any; nobody else knows the tree yet.
 */
void vtr_tree_init(struct vtr_tree *tree, void **pages, void *first_page,
		   u32 **notes, struct vtr_tree_name *names, u32 nr_names)
{
	u32 name;

	memset(tree, 0, sizeof(*tree));
	vtr_heap_init(&tree->heap, pages, first_page);
	tree->notes = notes;
	tree->names = names;
	tree->names_mask = nr_names - 1;
	/* An empty heap has room for both. */
	vtr_heap_alloc(&tree->heap, INSPECT_MIN_BLOCK_BYTES, &tree->root);
	vtr_tree_name_get(tree, "root", &name);
	value_link(tree, tree->root, INSPECT_NODE_VALUE, 0, name, 0);
	*vtr_tree_note(tree, tree->root) = 0;
}

/**
 * vtr_tree_add_page() - put a page into the heap's reserve
 * @tree: tree to give it to
 * @page: a zeroed page; the owner sees to it that the arrays have room
 * @notes: VTR_HEAP_BLOCKS_PER_PAGE notes for it
 *
 * Context: any; the caller serialises.
 */
void vtr_tree_add_page(struct vtr_tree *tree, void *page, u32 *notes)
{
	tree->notes[tree->heap.nr_ready] = notes;
	vtr_heap_add_page(&tree->heap, page);
}

/**
 * vtr_tree_sized_create() - make a value whose block has a payload
 * @tree: tree to make it in
 * @parent: node it goes below
 * @name: its name
 * @type: type of its block
 * @word1: the block's second word
 * @size_bytes: length of the block, header included; all behind the second
 *	word is zero
 * @ret: its index, written on success only
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC when the heap is full, -ENAMETOOLONG, -EINVAL if @parent
 *	is not a node or @size_bytes exceeds one block.
 */
int vtr_tree_sized_create(struct vtr_tree *tree, u32 parent, const char *name,
			  enum inspect_type type, u64 word1, size_t size_bytes,
			  u32 *ret)
{
	u32 index, name_index;
	int err;

	if (vtr_block_type(vtr_tree_block(tree, parent)) != INSPECT_NODE_VALUE)
		return -EINVAL;
	err = vtr_heap_alloc(&tree->heap, size_bytes, &index);
	if (err)
		return err;
	err = vtr_tree_name_get(tree, name, &name_index);
	if (err) {
		vtr_heap_free(&tree->heap, index);
		return err;
	}
	value_link(tree, index, type, parent, name_index, word1);
	*ret = index;
	return 0;
}

/**
 * vtr_tree_value_create() - make a property of 16 bytes
 * @tree: tree to make it in
 * @parent: node it goes below
 * @name: its name
 * @type: type of its block
 * @word1: the block's second word
 * @ret: its index, written on success only
 *
 * Context: any; the caller serialises.
 * Return: as vtr_tree_sized_create().
 */
int vtr_tree_value_create(struct vtr_tree *tree, u32 parent, const char *name,
			  enum inspect_type type, u64 word1, u32 *ret)
{
	return vtr_tree_sized_create(tree, parent, name, type, word1,
				     INSPECT_MIN_BLOCK_BYTES, ret);
}

/**
 * vtr_tree_number_delete() - delete a property that holds 64 bits
 * @tree: tree it is in
 * @index: the property
 * @type: the type it must have
 *
 * Context: any; the caller serialises.
 * Return: 0, -EINVAL if @index is not of that type.
 */
int vtr_tree_number_delete(struct vtr_tree *tree, u32 index,
			   enum inspect_type type)
{
	if (vtr_block_type(vtr_tree_block(tree, index)) != type)
		return -EINVAL;
	vtr_tree_value_delete(tree, index);
	return 0;
}

/*
 * Buffers. A value of a given length always has the same chain of extents: as
 * many of the largest as it fills, and one of the smallest order that takes
 * the rest. An empty one has none.
 */

static size_t extent_fill(size_t len_bytes)
{
	return min_t(size_t, len_bytes, EXTENT_PAYLOAD_MAX);
}

static void extents_free(struct vtr_tree *tree, u32 index)
{
	while (index) {
		u32 next = vtr_block_get(vtr_tree_block(tree, index), 0,
					 EXTENT_NEXT);

		vtr_heap_free(&tree->heap, index);
		index = next;
	}
}

/* Make the chain for a value; a failure leaves nothing behind. */
static int extents_create(struct vtr_tree *tree, const void *value,
			  size_t len_bytes, u32 *ret)
{
	u64 *block, *last = NULL;
	u32 first = 0, index;
	size_t fill;
	int err;

	for (; len_bytes; len_bytes -= fill, value += fill) {
		fill = extent_fill(len_bytes);
		err = vtr_heap_alloc(&tree->heap,
				     INSPECT_EXTENT_PAYLOAD_OFFSET + fill,
				     &index);
		if (err) {
			extents_free(tree, first);
			return err;
		}
		block = vtr_tree_block(tree, index);
		vtr_block_set(block, 0, TYPE, INSPECT_EXTENT);
		memcpy(vtr_block_payload(block, INSPECT_EXTENT_PAYLOAD_OFFSET),
		       value, fill);
		if (last)
			vtr_block_set(last, 0, EXTENT_NEXT, index);
		else
			first = index;
		last = block;
	}
	*ret = first;
	return 0;
}

/* Write a value over the chain of another that has the same one. */
static void extents_overwrite(struct vtr_tree *tree, u32 index,
			      const void *value, size_t len_bytes)
{
	size_t fill, room;
	u64 *block;
	u8 *payload;

	for (; len_bytes; len_bytes -= fill, value += fill) {
		block = vtr_tree_block(tree, index);
		payload = vtr_block_payload(block,
					    INSPECT_EXTENT_PAYLOAD_OFFSET);
		room = vtr_block_bytes(block) - INSPECT_EXTENT_PAYLOAD_OFFSET;
		fill = extent_fill(len_bytes);
		memcpy(payload, value, fill);
		memset(payload + fill, 0, room - fill);
		index = vtr_block_get(block, 0, EXTENT_NEXT);
	}
}

/* Equal for two lengths whose chains are of the same blocks. */
static size_t extents_shape(size_t len_bytes)
{
	size_t last;

	if (!len_bytes)
		return 0;
	last = (len_bytes - 1) % EXTENT_PAYLOAD_MAX + 1;
	return DIV_ROUND_UP(len_bytes, EXTENT_PAYLOAD_MAX) * INSPECT_NR_ORDERS +
	       vtr_heap_order(INSPECT_EXTENT_PAYLOAD_OFFSET + last);
}

static u64 buffer_word1(enum inspect_buffer_format format, u32 extent,
			size_t len_bytes)
{
	return FIELD_PREP(INSPECT_W1_BUFFER_FORMAT, format) |
	       FIELD_PREP(INSPECT_W1_BUFFER_EXTENT, extent) |
	       FIELD_PREP(INSPECT_W1_BUFFER_LENGTH, len_bytes);
}

static bool is_buffer(const u64 *block, enum inspect_buffer_format format)
{
	return vtr_block_type(block) == INSPECT_BUFFER_VALUE &&
	       vtr_block_get(block, 1, BUFFER_FORMAT) == format;
}

/**
 * vtr_tree_buffer_create() - make a string or byte-vector property
 * @tree: tree to make it in
 * @parent: node it goes below
 * @name: its name
 * @format: INSPECT_BUFFER_UTF8 or INSPECT_BUFFER_BINARY
 * @value: its bytes
 * @len_bytes: how many
 * @ret: its index, written on success only
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC when the heap is full, -ENAMETOOLONG, -EMSGSIZE if the
 *	value is longer than VITRINE_VALUE_MAX, -EINVAL if @parent is not a
 *	node.
 */
int vtr_tree_buffer_create(struct vtr_tree *tree, u32 parent, const char *name,
			   enum inspect_buffer_format format,
			   const void *value, size_t len_bytes, u32 *ret)
{
	u32 extent;
	int err;

	if (len_bytes > VITRINE_VALUE_MAX)
		return -EMSGSIZE;
	err = extents_create(tree, value, len_bytes, &extent);
	if (err)
		return err;
	err = vtr_tree_value_create(tree, parent, name, INSPECT_BUFFER_VALUE,
				    buffer_word1(format, extent, len_bytes),
				    ret);
	if (err)
		extents_free(tree, extent);
	return err;
}

/**
 * vtr_tree_buffer_set() - change a string or byte-vector property
 * @tree: tree it is in
 * @index: the property
 * @format: the format it must have
 * @value: its new bytes
 * @len_bytes: how many
 *
 * Writes in place when the new value takes the same blocks, and else makes a
 * new chain before it frees the old one.
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC when the heap is full, -EMSGSIZE if the value is longer
 *	than VITRINE_VALUE_MAX, -EINVAL if @index is no such property.
 */
int vtr_tree_buffer_set(struct vtr_tree *tree, u32 index,
			enum inspect_buffer_format format, const void *value,
			size_t len_bytes)
{
	u64 *block = vtr_tree_block(tree, index);
	size_t old_bytes = vtr_block_get(block, 1, BUFFER_LENGTH);
	u32 old = vtr_block_get(block, 1, BUFFER_EXTENT);
	u32 extent;
	int err;

	if (!is_buffer(block, format))
		return -EINVAL;
	if (len_bytes > VITRINE_VALUE_MAX)
		return -EMSGSIZE;

	if (extents_shape(old_bytes) == extents_shape(len_bytes)) {
		extents_overwrite(tree, old, value, len_bytes);
		vtr_block_set(block, 1, BUFFER_LENGTH, len_bytes);
		return 0;
	}
	err = extents_create(tree, value, len_bytes, &extent);
	if (err)
		return err;
	block[1] = buffer_word1(format, extent, len_bytes);
	extents_free(tree, old);
	return 0;
}

/**
 * vtr_tree_buffer_delete() - delete a string or byte-vector property
 * @tree: tree it is in
 * @index: the property
 * @format: the format it must have
 *
 * Context: any; the caller serialises.
 * Return: 0, -EINVAL if @index is no such property.
 */
int vtr_tree_buffer_delete(struct vtr_tree *tree, u32 index,
			   enum inspect_buffer_format format)
{
	u64 *block = vtr_tree_block(tree, index);

	if (!is_buffer(block, format))
		return -EINVAL;
	extents_free(tree, vtr_block_get(block, 1, BUFFER_EXTENT));
	vtr_tree_value_delete(tree, index);
	return 0;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/tree_kunit.c"
#endif
