// SPDX-License-Identifier: GPL-2.0
/*
 * An Inspect hierarchy in a heap: nodes, properties, names, tombstones.
 *
 * Concurrency: not thread safe. The caller has begun an edit (see edit.h), so
 * the generation is odd, during every call.
 *
 * Every operation first allocates all blocks that it needs and links them last, so
 * that a failed operation leaves the hierarchy unchanged; a string or byte vector that
 * has no room is deleted again. Deletion follows the section
 * "NODE_VALUE and TOMBSTONE" of the format: the reference count of a node is the number
 * of value and tombstone blocks whose parent it is.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include "tree.h"

#define EXTENT_PAYLOAD_MAX \
	(INSPECT_MAX_BLOCK_BYTES - INSPECT_EXTENT_PAYLOAD_OFFSET)

/*
 * Names.
 *
 * All values of a name share one STRING_REFERENCE block, which is found through a
 * set-associative hash table. The hash selects a row of NAME_ROW slots,
 * which is one cache line. The used slots of a row come first: a search ends at the first
 * empty slot, and the last slot fills the gap when a slot is emptied. If the row of a name
 * is full, or the reference count of its block would overflow, the name is not shared: the
 * value then has a NAME block of its own.
 */
#define NAME_ROW	8
#define NAME_REFERENCE	FIELD_PREP(INSPECT_W0_STRREF_COUNT, 1)

static const char *name_bytes(u64 *block)
{
	return vtr_block_payload(block, INSPECT_STRREF_PAYLOAD_OFFSET);
}

static bool name_matches(u64 *block, const char *name, size_t len)
{
	return vtr_block_get(block, 1, STRREF_LENGTH) == len &&
	       !memcmp(name_bytes(block), name, len);
}

static struct vtr_tree_name *name_row(const struct vtr_tree *tree, u32 hash)
{
	return &tree->names[hash & tree->names_mask & ~(NAME_ROW - 1)];
}

/* Return the slot of @name; if it has none, an empty slot, or NULL if the row is full. */
static struct vtr_tree_name *name_find(const struct vtr_tree *tree, u32 hash,
				       const char *name, size_t len)
{
	struct vtr_tree_name *slot = name_row(tree, hash);
	struct vtr_tree_name *end = slot + NAME_ROW;

	for (; slot < end; slot++)
		if (!slot->index ||
		    (slot->hash == hash &&
		     name_matches(vtr_tree_address(tree, slot->index), name,
				  len)))
			return slot;
	return NULL;
}

/* Create a name in @slot; if @slot is NULL, an unshared block of type @alone. */
static noinline int name_create(struct vtr_tree *tree, const char *name,
				size_t len, u32 hash,
				struct vtr_tree_name *slot,
				enum inspect_type alone, u32 *ret)
{
	bool is_name = !slot && alone == INSPECT_NAME;
	size_t offset = is_name ? INSPECT_NAME_PAYLOAD_OFFSET :
				  INSPECT_STRREF_PAYLOAD_OFFSET;
	int err = vtr_heap_alloc(&tree->heap, offset + len, ret);
	u64 *block;

	if (err)
		return err;
	block = vtr_tree_block(tree, *ret);
	if (is_name) {
		vtr_block_set(block, 0, TYPE, INSPECT_NAME);
		vtr_block_set(block, 0, NAME_LENGTH, len);
	} else {
		vtr_block_set(block, 0, TYPE, INSPECT_STRING_REFERENCE);
		block[0] |= NAME_REFERENCE;
		vtr_block_set(block, 1, STRREF_LENGTH, len);
	}
	memcpy(vtr_block_payload(block, offset), name, len);
	if (slot)
		*slot = (struct vtr_tree_name){ .hash = hash, .index = *ret };
	return 0;
}

/* Take a reference to a name; @alone is the type of its block if it cannot be shared. */
static __always_inline int name_get(struct vtr_tree *tree, const char *name,
				    enum inspect_type alone, u32 *ret)
{
	size_t len = strnlen(name, VITRINE_NAME_MAX + 1);
	u32 hash = full_name_hash(NULL, name, len);
	struct vtr_tree_name *slot;
	u64 *block;

	if (len > VITRINE_NAME_MAX)
		return -ENAMETOOLONG;
	slot = name_find(tree, hash, name, len);
	if (slot && slot->index) {
		block = vtr_tree_address(tree, slot->index);
		if (likely(block[0] < INSPECT_W0_STRREF_COUNT)) {
			vtr_heap_save(&tree->heap, slot->index);
			block[0] += NAME_REFERENCE;
			*ret = slot->index;
			return 0;
		}
		slot = NULL;
	}
	return name_create(tree, name, len, hash, slot, alone, ret);
}

/**
 * vtr_tree_name_get() - take a reference to a STRING_REFERENCE
 * @tree: the tree
 * @name: text of a slot of an array or of a link
 * @ret: index of the block, written on success only
 *
 * Creates the block if there is none with that text.
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC if the heap is full, -ENAMETOOLONG.
 */
int vtr_tree_name_get(struct vtr_tree *tree, const char *name, u32 *ret)
{
	return name_get(tree, name, INSPECT_STRING_REFERENCE, ret);
}

/* Empty a slot: the last one of its row that is used takes its place. */
static void slot_empty(const struct vtr_tree *tree, struct vtr_tree_name *slot)
{
	struct vtr_tree_name *last = slot;
	struct vtr_tree_name *end = name_row(tree, slot->hash) + NAME_ROW;

	while (last + 1 < end && last[1].index)
		last++;
	*slot = *last;
	last->index = 0;
}

/* Free a name, and remove it from the table, if it is there. */
static noinline void name_free(struct vtr_tree *tree, u64 *block, u32 index)
{
	size_t len = vtr_block_get(block, 1, STRREF_LENGTH);
	struct vtr_tree_name *slot;

	if (vtr_block_type(block) == INSPECT_STRING_REFERENCE) {
		slot = name_find(tree, full_name_hash(NULL, name_bytes(block), len),
				 name_bytes(block), len);
		if (slot && slot->index == index)
			slot_empty(tree, slot);
	}
	vtr_heap_free(&tree->heap, block, index);
}

static __always_inline void name_put(struct vtr_tree *tree, u32 index)
{
	u64 *block = vtr_tree_block(tree, index);

	if (likely(vtr_block_type(block) == INSPECT_STRING_REFERENCE)) {
		block[0] -= NAME_REFERENCE;
		if (likely(block[0] >= NAME_REFERENCE))
			return;
	}
	name_free(tree, block, index);
}

/**
 * vtr_tree_name_put() - drop a reference to a STRING_REFERENCE or NAME
 * @tree: the tree
 * @index: index of the block, which is freed with its last reference
 *
 * Context: any; the caller serialises.
 */
void vtr_tree_name_put(struct vtr_tree *tree, u32 index)
{
	name_put(tree, index);
}

/**
 * vtr_tree_use_names() - set the table of names, or replace it by a larger one
 * @tree: the tree
 * @names: a zeroed table
 * @nr_names: number of slots of @names, a power of two, at least 8, and not below the number so far
 *
 * The names of a row are divided among rows of the larger table, so each of these has room.
 *
 * Context: any; the caller serialises.
 * Return: the table so far, or NULL.
 */
struct vtr_tree_name *vtr_tree_use_names(struct vtr_tree *tree, struct vtr_tree_name *names,
					 u32 nr_names)
{
	struct vtr_tree_name *old = tree->names, *slot;
	u32 i, nr_old = old ? tree->names_mask + 1 : 0;

	tree->names = names;
	tree->names_mask = nr_names - 1;
	for (i = 0; i < nr_old; i++) {
		if (!old[i].index)
			continue;
		for (slot = name_row(tree, old[i].hash); slot->index; slot++)
			;
		*slot = old[i];
	}
	return old;
}

/*
 * Values: common operations of nodes and properties.
 */

/* The root has no reference count: the second word of the header is the generation. */
static __always_inline void parent_get(struct vtr_tree *tree, u32 index)
{
	if (index != INSPECT_ROOT)
		vtr_tree_block(tree, index)[1]++;
}

/* Free a tombstone whose reference count is 0. */
static noinline void tombstone_free(struct vtr_tree *tree, u64 *block,
				    u32 index)
{
	do {
		u32 parent = vtr_block_get(block, 0, VALUE_PARENT);

		vtr_heap_free(&tree->heap, block, index);
		tree->nr_tombstones--;
		index = parent;
		block = vtr_tree_block(tree, index);
	} while (index != INSPECT_ROOT && !--block[1] &&
		 vtr_block_type(block) == INSPECT_TOMBSTONE);
}

static __always_inline void parent_put(struct vtr_tree *tree, u32 index)
{
	u64 *block = vtr_tree_block(tree, index);

	if (index != INSPECT_ROOT && !--block[1] &&
	    unlikely(vtr_block_type(block) == INSPECT_TOMBSTONE))
		tombstone_free(tree, block, index);
}

/**
 * vtr_tree_init() - create a hierarchy that consists of the root
 * @tree: zeroed, but for @notes and the pages of @heap, two arrays. vtr_tree_use_names() and
 *	vtr_tree_add_page() have been called
 *
 * Context: any; the tree is not visible to others yet.
 */
void vtr_tree_init(struct vtr_tree *tree)
{
	vtr_heap_init(&tree->heap);
	*vtr_tree_note(tree, INSPECT_ROOT) = 0;
}

/**
 * vtr_tree_add_page() - add a page to the reserve of the heap
 * @tree: the tree
 * @page: a zeroed page; the owner makes sure that the arrays have room
 * @notes: VTR_HEAP_BLOCKS_PER_PAGE notes for the page
 *
 * The file does not grow until the page is needed.
 *
 * Context: any; the caller serialises.
 */
void vtr_tree_add_page(struct vtr_tree *tree, void *page, u32 *notes)
{
	tree->notes[tree->heap.nr_ready] = notes;
	tree->heap.pages[tree->heap.nr_ready++] = page;
}

/**
 * vtr_tree_create() - create a value
 * @tree: tree to create it in
 * @parent: parent node
 * @name: name of the value
 * @type: type of the block
 * @word1: second word of the block
 * @size_bytes: size of the block, header included; everything after the second
 *	word is zero. There is one note for each 16 bytes
 * @ret: index of the new block, written on success only
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC if the heap is full, -ENAMETOOLONG, -EINVAL if @parent is not a node or
 *	@size_bytes exceeds one block.
 */
int vtr_tree_create(struct vtr_tree *tree, u32 parent, const char *name,
		    enum inspect_type type, u64 word1, size_t size_bytes, u32 *ret)
{
	u32 name_index;
	u64 *block;
	int err;

	if (!vtr_tree_is_node(tree, parent))
		return -EINVAL;
	err = name_get(tree, name, INSPECT_NAME, &name_index);
	if (err)
		return err;
	err = vtr_heap_alloc(&tree->heap, size_bytes, ret);
	if (err) {
		vtr_tree_name_put(tree, name_index);
		return err;
	}
	block = vtr_tree_address(tree, *ret); /* just allocated, so its page is saved */
	block[0] = vtr_block_word0(type, vtr_block_order(block)) |
		   FIELD_PREP(INSPECT_W0_VALUE_PARENT, parent) |
		   FIELD_PREP(INSPECT_W0_VALUE_NAME, name_index);
	block[1] = word1;
	tree->nr_values++;
	parent_get(tree, parent);
	if (type == INSPECT_NODE_VALUE)
		*vtr_tree_note(tree, *ret) = 0;
	return 0;
}

/*
 * Buffers. The chain of extents of a value depends only on the length of the value: as
 * many extents of the largest order as the value fills, and one of the smallest order that
 * holds the rest. An empty value has no extent.
 */

/* Return how much of a value is in its last extent. */
static size_t extent_last(size_t len_bytes)
{
	return (len_bytes - 1) % EXTENT_PAYLOAD_MAX + 1;
}

static void extents_free(struct vtr_tree *tree, u32 index)
{
	while (index) {
		u64 *block = vtr_tree_address(tree, index);
		u32 next = vtr_block_get(block, 0, EXTENT_NEXT);

		vtr_heap_free(&tree->heap, block, index);
		index = next;
	}
}

/* Store a value in a chain of extents for values of that length. */
static void extents_write(struct vtr_tree *tree, u32 index,
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
		fill = min_t(size_t, len_bytes, EXTENT_PAYLOAD_MAX);
		memcpy(payload, value, fill);
		memset(payload + fill, 0, room - fill);
		index = vtr_block_get(block, 0, EXTENT_NEXT);
	}
}

/* Create a chain of extents, from its end, that are still zero. A failure leaves nothing behind. */
static int extents_create(struct vtr_tree *tree, size_t len_bytes, u32 *ret)
{
	u32 first = 0, index;
	u64 *block;
	size_t fill;
	int err;

	for (; len_bytes; len_bytes -= fill) {
		fill = extent_last(len_bytes);
		err = vtr_heap_alloc(&tree->heap,
				     INSPECT_EXTENT_PAYLOAD_OFFSET + fill,
				     &index);
		if (err) {
			extents_free(tree, first);
			return err;
		}
		block = vtr_tree_block(tree, index);
		vtr_block_set(block, 0, TYPE, INSPECT_EXTENT);
		vtr_block_set(block, 0, EXTENT_NEXT, first);
		first = index;
	}
	*ret = first;
	return 0;
}

/* Return a number that is equal for two lengths if their chains have the same blocks. */
static size_t extents_shape(size_t len_bytes)
{
	if (!len_bytes)
		return 0;
	return DIV_ROUND_UP(len_bytes, EXTENT_PAYLOAD_MAX) * INSPECT_NR_ORDERS +
	       vtr_heap_order(INSPECT_EXTENT_PAYLOAD_OFFSET + extent_last(len_bytes));
}

/**
 * vtr_tree_buffer_set() - set a string or byte-vector property
 * @tree: the tree
 * @index: index of the property
 * @value: new value
 * @len_bytes: length of @value in bytes
 *
 * Overwrites the value in place if the chain of extents stays the same. Otherwise creates
 * a new chain before freeing the old one.
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC if the heap is full, -ENOMEM if @value is NULL but not empty, -EMSGSIZE if
 *	the value is longer than VITRINE_VALUE_MAX, -EINVAL if @index is not such a property.
 */
int vtr_tree_buffer_set(struct vtr_tree *tree, u32 index, const void *value,
			size_t len_bytes)
{
	u64 *block = vtr_tree_block(tree, index);
	u32 old = vtr_block_get(block, 1, BUFFER_EXTENT), extent = old;
	int err;

	if (vtr_block_type(block) != INSPECT_BUFFER_VALUE)
		return -EINVAL;
	if (!value && len_bytes)
		return -ENOMEM;
	if (len_bytes > VITRINE_VALUE_MAX)
		return -EMSGSIZE;
	if (extents_shape(vtr_block_get(block, 1, BUFFER_LENGTH)) != extents_shape(len_bytes)) {
		err = extents_create(tree, len_bytes, &extent);
		if (err)
			return err;
	}
	extents_write(tree, extent, value, len_bytes);
	vtr_block_set(block, 1, BUFFER_EXTENT, extent);
	vtr_block_set(block, 1, BUFFER_LENGTH, len_bytes);
	if (extent != old)
		extents_free(tree, old);
	return 0;
}

/*
 * Nodes of an Inspect hierarchy: delete and move them.
 */

/**
 * vtr_node_adopt() - move a node and everything below it to another parent
 * @tree: tree that contains both
 * @parent: new parent
 * @child: node to move
 *
 * Context: any; the caller serialises.
 * Return: 0, -ELOOP if @parent is @child or below it, -EINVAL if one of the two is not a node
 *	or @child is the root, a list, or owned by a node or list.
 */
int vtr_node_adopt(struct vtr_tree *tree, u32 parent, u32 child)
{
	u64 *block = vtr_tree_block(tree, child);
	u32 old = vtr_block_get(block, 0, VALUE_PARENT);
	u32 above;

	if (!vtr_tree_is_node(tree, parent) ||
	    vtr_block_type(block) != INSPECT_NODE_VALUE ||
	    *vtr_tree_note(tree, child) & (VTR_NODE_OWNED | VTR_NODE_LIST))
		return -EINVAL;
	if (old == parent)
		return 0;
	for (above = parent; above != INSPECT_ROOT;
	     above = vtr_block_get(vtr_tree_address(tree, above), 0, VALUE_PARENT))
		if (above == child)
			return -ELOOP;
	parent_get(tree, parent);
	vtr_block_set(block, 0, VALUE_PARENT, parent);
	parent_put(tree, old);
	return 0;
}

/*
 * Recorded values of an Inspect hierarchy, which are deleted with their node.
 *
 * A node that is not recorded itself owns all values that are recorded in it, in
 * nodes recorded in it, and so on. These values form one chain through the notes of
 * the heap. A new value is inserted directly after the node in which it is recorded,
 * whether that node is the owner or is itself owned; the owner need not be known.
 * Deleting the chain takes no recursion: a node that is deleted before the values
 * below it becomes a TOMBSTONE until they are deleted.
 */

/**
 * vtr_record_insert() - make a node own a value
 * @tree: the tree
 * @node: the node, or a node that it owns
 * @index: index of the value, which was just created below @node
 *
 * Context: any; the caller serialises.
 */
void vtr_record_insert(struct vtr_tree *tree, u32 node, u32 index)
{
	u32 *before = vtr_tree_note(tree, node);

	*vtr_tree_note(tree, index) = VTR_NODE_OWNED |
				      (*before & VTR_NODE_NEXT);
	*before = (*before & ~VTR_NODE_NEXT) | index;
}

/*
 * Deletion. The type of a value is in its block, and determines what else the value refers to.
 */

static void strings_put(struct vtr_tree *tree, u64 *block)
{
	u32 *strings = vtr_block_payload(block, INSPECT_ARRAY_PAYLOAD_OFFSET);
	unsigned int i;

	for (i = 0; i < vtr_block_get(block, 1, ARRAY_COUNT); i++)
		if (strings[i])
			vtr_tree_name_put(tree, strings[i]);
}

/*
 * Delete a value without checking its owner. Return -EINVAL if the block is no value. Values
 * below a node stay and can still be deleted. Until then the node remains as a TOMBSTONE, which
 * readers do not show, so that its index is not reused.
 */
static int value_drop(struct vtr_tree *tree, u32 index)
{
	u64 *block = vtr_tree_address(tree, index);
	u32 name = vtr_block_get(block, 0, VALUE_NAME);
	u32 parent = vtr_block_get(block, 0, VALUE_PARENT);

	switch (vtr_block_type(block)) {
	case INSPECT_NODE_VALUE:
		if (likely(!block[1]))
			break;
		block = vtr_tree_block(tree, index);
		vtr_tree_name_put(tree, name);
		vtr_block_set(block, 0, VALUE_NAME, 0);
		vtr_block_set(block, 0, TYPE, INSPECT_TOMBSTONE);
		tree->nr_values--;
		tree->nr_tombstones++;
		return 0;
	case INSPECT_BUFFER_VALUE:
		extents_free(tree, vtr_block_get(block, 1, BUFFER_EXTENT));
		break;
	case INSPECT_ARRAY_VALUE:
		if (vtr_block_get(block, 1, ARRAY_TYPE) == INSPECT_STRING_REFERENCE)
			strings_put(tree, block);
		break;
	case INSPECT_LINK_VALUE:
		vtr_tree_name_put(tree, vtr_block_get(block, 1, LINK_CONTENT));
		break;
	case INSPECT_INT_VALUE:
	case INSPECT_UINT_VALUE:
	case INSPECT_DOUBLE_VALUE:
	case INSPECT_BOOL_VALUE:
		break;
	default:
		return -EINVAL;
	}
	name_put(tree, name);
	vtr_heap_free(&tree->heap, block, index);
	tree->nr_values--;
	parent_put(tree, parent);
	return 0;
}

/**
 * vtr_tree_buffer_create() - create a string or byte-vector property
 * @tree: tree to create it in
 * @parent: parent node
 * @name: name of the property
 * @format: INSPECT_BUFFER_UTF8 or INSPECT_BUFFER_BINARY
 * @value: the bytes
 * @len_bytes: length of @value in bytes
 * @ret: index of the new block, written on success only
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENAMETOOLONG, -EINVAL if @parent is not a node, or an error of
 *	vtr_tree_buffer_set().
 */
int vtr_tree_buffer_create(struct vtr_tree *tree, u32 parent, const char *name,
			   enum inspect_buffer_format format,
			   const void *value, size_t len_bytes, u32 *ret)
{
	u32 index;
	int err = vtr_tree_create(tree, parent, name, INSPECT_BUFFER_VALUE,
				  FIELD_PREP(INSPECT_W1_BUFFER_FORMAT, format),
				  INSPECT_MIN_BLOCK_BYTES, &index);

	if (err)
		return err;
	err = vtr_tree_buffer_set(tree, index, value, len_bytes);
	if (err)
		value_drop(tree, index);
	else
		*ret = index;
	return err;
}

/**
 * vtr_tree_delete() - delete a value
 * @tree: the tree
 * @index: index of its block
 *
 * The caller deletes what a node or list owns with vtr_tree_purge() before it creates
 * anything else.
 *
 * Context: any; the caller serialises.
 * Return: 0, -EINVAL if @index is not a value, or is a node that a node or list owns.
 */
int vtr_tree_delete(struct vtr_tree *tree, u32 index)
{
	if (vtr_block_type(vtr_tree_address(tree, index)) == INSPECT_NODE_VALUE &&
	    *vtr_tree_note(tree, index) & VTR_NODE_OWNED)
		return -EINVAL;
	return value_drop(tree, index);
}

/* Remove a value from the chain that begins in note @first, and return it. */
static u32 record_remove(struct vtr_tree *tree, u32 *first)
{
	u32 index = *first & VTR_NODE_NEXT;
	u32 next = *vtr_tree_note(tree, index) & VTR_NODE_NEXT;

	*first = (*first & ~VTR_NODE_NEXT) | next;
	return index;
}

/*
 * Lists of the most recent nodes: "0", "1", ... below a node. When a list is full,
 * appending to it deletes the oldest node.
 */

#define LIST_BYTES	(4 * INSPECT_MIN_BLOCK_BYTES)
#define LIST_COUNT	1
#define LIST_CAPACITY	2
#define LIST_NUMBER	3

#define ITEM_BYTES	(2 * INSPECT_MIN_BLOCK_BYTES)
#define ITEM_NEWER	1

/* Return the note that links to the next newer item. Notes of one block are adjacent. */
static u32 *item_newer(const struct vtr_tree *tree, u32 item)
{
	return vtr_tree_note(tree, item) + ITEM_NEWER;
}

static void ring_add(struct vtr_tree *tree, u32 *notes, u32 item)
{
	u32 newest = (*notes & VTR_NODE_NEXT) ?: item;

	*item_newer(tree, item) = item;
	swap(*item_newer(tree, item), *item_newer(tree, newest));
	*notes = (*notes & ~VTR_NODE_NEXT) | item;
	notes[LIST_COUNT]++;
}

/* Return the oldest item of a list that is not empty: the newest one links to it. */
static u32 list_oldest(struct vtr_tree *tree, const u32 *notes)
{
	return *item_newer(tree, *notes & VTR_NODE_NEXT);
}

/* Remove the oldest item of a list that is not empty, and return it. */
static u32 ring_remove(struct vtr_tree *tree, u32 *notes)
{
	u32 oldest = list_oldest(tree, notes);

	*item_newer(tree, *notes & VTR_NODE_NEXT) = *item_newer(tree, oldest);
	if (!--notes[LIST_COUNT])
		*notes &= ~VTR_NODE_NEXT;
	return oldest;
}

/**
 * vtr_fifo_create() - create a list
 * @tree: tree to create it in
 * @parent: parent node
 * @name: name of the list
 * @capacity: maximum number of items, at least 1
 * @ret: index of the new block, written on success only
 *
 * Context: any; the caller serialises.
 * Return: as vtr_tree_create(), and -ERANGE if @capacity is 0.
 */
int vtr_fifo_create(struct vtr_tree *tree, u32 parent, const char *name,
		    u32 capacity, u32 *ret)
{
	u32 *notes;
	int err;

	if (!capacity)
		return -ERANGE;
	err = vtr_tree_create(tree, parent, name, INSPECT_NODE_VALUE, 0, LIST_BYTES, ret);
	if (err)
		return err;
	notes = vtr_tree_note(tree, *ret);
	*notes = VTR_NODE_LIST;
	notes[LIST_COUNT] = 0;
	notes[LIST_CAPACITY] = capacity;
	notes[LIST_NUMBER] = 0;
	return 0;
}

/**
 * vtr_fifo_append() - append an item to a list
 * @tree: the tree
 * @list: index of the list
 * @ret: index of the item, a node that the list owns; written on success only
 * @dropped: index of the item that was deleted to make room, or 0. The caller deletes the
 *	values recorded in that item with vtr_tree_purge() before it creates anything
 *	else. Written on success only
 *
 * The heap needs room for one item more than the list has.
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC if the heap is full, -EINVAL if @list is not a list.
 */
int vtr_fifo_append(struct vtr_tree *tree, u32 list, u32 *ret, u32 *dropped)
{
	u32 *notes = vtr_tree_note(tree, list);
	char name[12];
	u32 item;
	int err;

	if (vtr_block_type(vtr_tree_address(tree, list)) != INSPECT_NODE_VALUE ||
	    !(*notes & VTR_NODE_LIST))
		return -EINVAL;
	scnprintf(name, sizeof(name), "%u", notes[LIST_NUMBER]);
	err = vtr_tree_create(tree, list, name, INSPECT_NODE_VALUE, 0, ITEM_BYTES, &item);
	if (err)
		return err;
	*vtr_tree_note(tree, item) = VTR_NODE_OWNED;
	notes[LIST_NUMBER]++;
	*dropped = 0;
	if (notes[LIST_COUNT] == notes[LIST_CAPACITY]) {
		*dropped = ring_remove(tree, notes);
		value_drop(tree, *dropped);
	}
	ring_add(tree, notes, item);
	*ret = item;
	return 0;
}

/**
 * vtr_tree_purge() - delete values that a deleted node or list owns
 * @tree: the tree
 * @index: index of the node or list, which was deleted by the preceding call, or for which
 *	the preceding call of this function returned true
 * @max: maximum number of values to delete
 *
 * Context: any; the caller serialises.
 * Return: true if values are left; false if none is, in which case the block may be freed.
 */
bool vtr_tree_purge(struct vtr_tree *tree, u32 index, unsigned int max)
{
	u32 *notes = vtr_tree_note(tree, index), *owner = notes;

	for (; *notes & VTR_NODE_NEXT; max--) {
		if (!max)
			return true;
		/* Recorded values first: an item of a list that owns none is freed at once. */
		if (*notes & VTR_NODE_LIST)
			owner = vtr_tree_note(tree, list_oldest(tree, notes));
		value_drop(tree, *owner & VTR_NODE_NEXT ? record_remove(tree, owner) :
							  ring_remove(tree, notes));
	}
	return false;
}

/*
 * Links of an Inspect hierarchy to other Inspect files.
 *
 * The content of a link is the name of a file, a STRING_REFERENCE like any other
 * name. The field for its index has 20 bits, so the block must be in the first
 * 16 MiB.
 */

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
		err = vtr_tree_create(tree, parent, name, INSPECT_LINK_VALUE, word1,
				      INSPECT_MIN_BLOCK_BYTES, ret);
	if (err)
		vtr_tree_name_put(tree, text);
	return err;
}

/*
 * Replace invalid UTF-8, because both formats require UTF-8 text. Pure: takes no lock,
 * allocates nothing, also compiles on the host.
 */

/* Return the length of the UTF-8 sequence at @s, at most @left bytes; 0 if it is invalid. */
static unsigned int utf8_sequence(const u8 *s, size_t left)
{
	unsigned int i, len;

	if (s[0] < 0x80)
		return 1;
	/* c0, c1 and f5..ff never start a sequence; e0, ed, f0 and f4 restrict s[1] */
	len = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 :
	      s[0] < 0xf5 ? 4 : 0;
	if (!len || len > left)
		return 0;
	for (i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

void vitrine_text_clean(char *text, size_t len_bytes)
{
	unsigned int sequence;
	size_t i;

	for (i = 0; i < len_bytes; i += sequence) {
		sequence = utf8_sequence((const u8 *)text + i, len_bytes - i);
		if (!sequence || !text[i]) {
			text[i] = '?';
			sequence = 1;
		}
	}
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/tree_kunit.c"
#include "tests/node_kunit.c"
#include "tests/record_kunit.c"
#include "tests/fifo_kunit.c"
#include "tests/link_kunit.c"
#endif
