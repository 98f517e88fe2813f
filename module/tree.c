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
 * found through a hash table of fixed size. Its hash leads to a row of NAME_ROW
 * slots, one cache line, whose used slots come first: a search ends at the
 * first empty one, and the last one takes the place of one that is emptied. A
 * name that finds its row full, or has all the references that can be counted,
 * is not shared: a value then has a NAME block of its own.
 */
#define NAME_ROW	8
#define NAME_REFERENCE	FIELD_PREP(INSPECT_W0_STRREF_COUNT, 1)

static u32 load_u32(const char *bytes)
{
	u32 ret;

	memcpy(&ret, bytes, sizeof(ret));
	return ret;
}

static u64 load_u64(const char *bytes)
{
	u64 ret;

	memcpy(&ret, bytes, sizeof(ret));
	return ret;
}

/* The last bytes of a name, at most 8: no two of that length have the same. */
static __always_inline u64 name_tail(const char *name, size_t len)
{
	if (len >= 4)
		return load_u32(name) | (u64)load_u32(name + len - 4) << 32;
	if (!len)
		return 0;
	return (u8)name[0] | (u8)name[len / 2] << 8 | (u8)name[len - 1] << 16;
}

/* Folding the product lets each bit of what is mixed in reach all others. */
static u64 hash_mix(u64 hash, u64 bits)
{
	unsigned __int128 product = (unsigned __int128)(hash ^ bits) *
				    0x9e3779b97f4a7c15ULL;

	return (u64)product ^ (u64)(product >> 64);
}

static __always_inline u32 name_hash(const char *name, size_t len)
{
	u64 hash = len;

	for (; len > 8; name += 8, len -= 8)
		hash = hash_mix(hash, load_u64(name));
	return hash_mix(hash, name_tail(name, len));
}

static const char *name_bytes(u64 *block)
{
	return vtr_block_payload(block, INSPECT_STRREF_PAYLOAD_OFFSET);
}

static bool name_matches(u64 *block, const char *name, size_t len)
{
	const char *other = name_bytes(block);

	if (vtr_block_get(block, 1, STRREF_LENGTH) != len)
		return false;
	for (; len > 8; name += 8, other += 8, len -= 8)
		if (load_u64(name) != load_u64(other))
			return false;
	return name_tail(name, len) == name_tail(other, len);
}

static struct vtr_tree_name *name_row(const struct vtr_tree *tree, u32 hash)
{
	return &tree->names[hash & tree->names_mask & ~(NAME_ROW - 1)];
}

/* The slot that holds @name; without one, an empty slot for it, or NULL. */
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

/* Empty the slot of a block, if it has one. */
static void name_forget(struct vtr_tree *tree, u32 hash, u32 index)
{
	struct vtr_tree_name *slot = name_row(tree, hash), *last;
	struct vtr_tree_name *end = slot + NAME_ROW;

	while (slot < end && slot->index && slot->index != index)
		slot++;
	if (slot == end || !slot->index)
		return;
	for (last = slot; last + 1 < end && last[1].index; last++)
		;
	*slot = *last;
	last->index = 0;
}

/* A block with a name, of a type that the first words are for. */
static int name_create(struct vtr_tree *tree, u64 word0, size_t offset,
		       const char *name, size_t len, u32 *ret)
{
	u64 *block;
	int err;

	err = vtr_heap_alloc(&tree->heap, offset + len, ret);
	if (err)
		return err;
	block = vtr_tree_block(tree, *ret);
	vtr_heap_assert_reserved(block);
	block[0] = word0 | vtr_block_order(block);
	memcpy(vtr_block_payload(block, offset), name, len);
	return 0;
}

static int reference_create(struct vtr_tree *tree, const char *name,
			    size_t len, u32 *ret)
{
	u64 word0 = vtr_block_word0(INSPECT_STRING_REFERENCE, 0) |
		    NAME_REFERENCE;
	int err = name_create(tree, word0, INSPECT_STRREF_PAYLOAD_OFFSET, name,
			      len, ret);

	if (!err)
		vtr_block_set(vtr_tree_block(tree, *ret), 1, STRREF_LENGTH,
			      len);
	return err;
}

static int alone_create(struct vtr_tree *tree, const char *name, size_t len,
			u32 *ret)
{
	u64 word0 = vtr_block_word0(INSPECT_NAME, 0) |
		    FIELD_PREP(INSPECT_W0_NAME_LENGTH, len);

	return name_create(tree, word0, INSPECT_NAME_PAYLOAD_OFFSET, name, len,
			   ret);
}

/* @slot: where it goes, NULL if it cannot be shared; @alone: its type then. */
static noinline int name_get_new(struct vtr_tree *tree, const char *name,
				 size_t len, u32 hash,
				 struct vtr_tree_name *slot,
				 enum inspect_type alone, u32 *ret)
{
	int err;

	if (!slot && alone == INSPECT_NAME)
		return alone_create(tree, name, len, ret);
	err = reference_create(tree, name, len, ret);
	if (!err && slot)
		*slot = (struct vtr_tree_name){ .hash = hash, .index = *ret };
	return err;
}

/* @alone: the type of a block that cannot be shared. */
static __always_inline int name_get(struct vtr_tree *tree, const char *name,
				    enum inspect_type alone, u32 *ret)
{
	struct vtr_tree_name *slot;
	size_t len = 0;
	u64 *block;
	u32 hash;

	while (name[len])
		if (++len > VITRINE_NAME_MAX)
			return -ENAMETOOLONG;
	hash = name_hash(name, len);
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
	return name_get_new(tree, name, len, hash, slot, alone, ret);
}

/**
 * vtr_tree_name_get() - take a reference to a STRING_REFERENCE
 * @tree: tree it is in
 * @name: its text, of a slot of an array or of a link
 * @ret: its index, written on success only
 *
 * The block is made if there is none with that text.
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC when the heap is full, -ENAMETOOLONG.
 */
int vtr_tree_name_get(struct vtr_tree *tree, const char *name, u32 *ret)
{
	return name_get(tree, name, INSPECT_STRING_REFERENCE, ret);
}

static noinline void name_free(struct vtr_tree *tree, u64 *block, u32 index)
{
	if (vtr_block_type(block) == INSPECT_STRING_REFERENCE)
		name_forget(tree,
			    name_hash(name_bytes(block),
				      vtr_block_get(block, 1, STRREF_LENGTH)),
			    index);
	vtr_heap_free(&tree->heap, index);
}

/* Its page is saved. */
static __always_inline void name_put(struct vtr_tree *tree, u32 index)
{
	u64 *block = vtr_tree_address(tree, index);

	if (likely(vtr_block_type(block) == INSPECT_STRING_REFERENCE)) {
		block[0] -= NAME_REFERENCE;
		if (likely(block[0] >= NAME_REFERENCE))
			return;
	}
	name_free(tree, block, index);
}

/**
 * vtr_tree_name_put() - drop a reference to a STRING_REFERENCE, or a NAME
 * @tree: tree it is in
 * @index: the block, freed with its last reference
 *
 * Context: any; the caller serialises.
 */
void vtr_tree_name_put(struct vtr_tree *tree, u32 index)
{
	vtr_heap_save(&tree->heap, index);
	name_put(tree, index);
}

/*
 * Values: what nodes and properties have in common.
 */

/* The root has no count: the second word of the header is the generation. */
static __always_inline void parent_get(struct vtr_tree *tree, u32 index)
{
	if (index != INSPECT_ROOT)
		vtr_tree_block(tree, index)[1]++;
}

static void value_link(struct vtr_tree *tree, u32 index,
		       enum inspect_type type, u32 parent, u32 name, u64 word1)
{
	u64 *block = vtr_tree_address(tree, index); /* fresh: it is saved */

	vtr_heap_assert_reserved(block);
	block[0] = vtr_block_word0(type, vtr_block_order(block)) |
		   FIELD_PREP(INSPECT_W0_VALUE_PARENT, parent) |
		   FIELD_PREP(INSPECT_W0_VALUE_NAME, name);
	block[1] = word1;
	tree->nr_values++;
	parent_get(tree, parent);
}

/* @block: a tombstone below which nothing is left. */
static noinline void tombstone_free(struct vtr_tree *tree, u64 *block,
				    u32 index)
{
	do {
		u32 parent = vtr_block_get(block, 0, VALUE_PARENT);

		vtr_heap_free(&tree->heap, index);
		tree->nr_tombstones--;
		index = parent;
		block = vtr_tree_block(tree, index);
	} while (index != INSPECT_ROOT && !--block[1] &&
		 vtr_block_type(block) == INSPECT_TOMBSTONE);
}

/* Its page is saved. */
static __always_inline void parent_put(struct vtr_tree *tree, u32 index)
{
	u64 *block = vtr_tree_address(tree, index);

	if (index != INSPECT_ROOT && !--block[1] &&
	    unlikely(vtr_block_type(block) == INSPECT_TOMBSTONE))
		tombstone_free(tree, block, index);
}

/**
 * vtr_tree_parent_get() - there is one block more below a node
 * @tree: tree it is in
 * @index: the node
 *
 * Context: any; the caller serialises.
 */
void vtr_tree_parent_get(struct vtr_tree *tree, u32 index)
{
	parent_get(tree, index);
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
	vtr_heap_save(&tree->heap, index);
	parent_put(tree, index);
}

/* Save what changes when a value goes: its name and its parent. */
static noinline void delete_save(const struct vtr_tree *tree, const u64 *block)
{
	vtr_heap_save(&tree->heap, vtr_block_get(block, 0, VALUE_NAME));
	vtr_heap_save(&tree->heap, vtr_block_get(block, 0, VALUE_PARENT));
}

/**
 * vtr_tree_value_delete() - delete a value that refers to nothing any more
 * @tree: tree it is in
 * @block: first word of the value
 * @index: the value, not a node with something below it
 *
 * For those who know its type, which is not looked at.
 *
 * Context: any; the caller serialises.
 */
void vtr_tree_value_delete(struct vtr_tree *tree, u64 *block, u32 index)
{
	u32 parent;

	if (unlikely(tree->heap.copy))
		delete_save(tree, block);
	parent = vtr_block_get(block, 0, VALUE_PARENT);
	name_put(tree, vtr_block_get(block, 0, VALUE_NAME));
	vtr_heap_free_block(&tree->heap, block, index);
	tree->nr_values--;
	parent_put(tree, parent);
}

/**
 * vtr_tree_init() - make a tree of nothing but the root
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
	memset(tree, 0, sizeof(*tree));
	vtr_heap_init(&tree->heap, pages, first_page);
	tree->notes = notes;
	tree->names = names;
	tree->names_mask = nr_names - 1;
	*vtr_tree_note(tree, INSPECT_ROOT) = 0;
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
 * vtr_tree_child_create() - make a value whose block has a payload
 * @tree: tree to make it in
 * @parent: node it goes below, which the caller knows to be one
 * @name: its name
 * @type: type of its block
 * @word1: the block's second word
 * @size_bytes: length of the block, header included; all behind the second
 *	word is zero
 * @ret: its index, written on success only
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC when the heap is full, -ENAMETOOLONG, -EINVAL if
 *	@size_bytes exceeds one block.
 */
int vtr_tree_child_create(struct vtr_tree *tree, u32 parent, const char *name,
			  enum inspect_type type, u64 word1, size_t size_bytes,
			  u32 *ret)
{
	u32 name_index;
	int err;

	err = name_get(tree, name, INSPECT_NAME, &name_index);
	if (err)
		return err;
	err = vtr_heap_alloc(&tree->heap, size_bytes, ret);
	if (err) {
		vtr_tree_name_put(tree, name_index);
		return err;
	}
	value_link(tree, *ret, type, parent, name_index, word1);
	return 0;
}

/**
 * vtr_tree_sized_create() - make a value whose block has a payload
 * @tree: tree to make it in
 * @parent: what it goes below
 * @name: its name
 * @type: type of its block
 * @word1: the block's second word
 * @size_bytes: length of the block, header included; all behind the second
 *	word is zero
 * @ret: its index, written on success only
 *
 * Context: any; the caller serialises.
 * Return: as vtr_tree_child_create(), and -EINVAL if @parent is not a node.
 */
int vtr_tree_sized_create(struct vtr_tree *tree, u32 parent, const char *name,
			  enum inspect_type type, u64 word1, size_t size_bytes,
			  u32 *ret)
{
	if (!vtr_tree_is_node(tree, parent))
		return -EINVAL;
	return vtr_tree_child_create(tree, parent, name, type, word1,
				     size_bytes, ret);
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
	u64 *block = vtr_tree_address(tree, index);

	if (vtr_block_type(block) != type)
		return -EINVAL;
	vtr_tree_value_delete(tree, block, index);
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
		vtr_heap_assert_reserved(block);
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
	vtr_tree_value_delete(tree, block, index);
	return 0;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/tree_kunit.c"
#endif
