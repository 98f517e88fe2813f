// SPDX-License-Identifier: GPL-2.0
/*
 * An Inspect hierarchy in a heap: nodes, properties, names, tombstones.
 *
 * Concurrency: not thread safe. The caller has begun an edit (see edit.h), so
 * the generation is odd, during every call.
 *
 * Every operation first allocates all blocks that it needs and links them last, so
 * that a failed operation leaves the hierarchy unchanged. Deletion follows the section
 * "NODE_VALUE and TOMBSTONE" of the format: the reference count of a node is the number
 * of value and tombstone blocks whose parent it is.
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
 * All values of a name share one STRING_REFERENCE block, which is found through a
 * set-associative hash table of fixed size. The hash selects a row of NAME_ROW slots,
 * which is one cache line. The used slots of a row come first: a search ends at the first
 * empty slot, and the last slot fills the gap when a slot is emptied. If the row of a name
 * is full, or the reference count of its block would overflow, the name is not shared: the
 * value then has a NAME block of its own.
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

/* Load the last, at most 8, bytes of a name. Together with its length this is injective. */
static __always_inline u64 name_tail(const char *name, size_t len)
{
	if (len >= 4)
		return load_u32(name) | (u64)load_u32(name + len - 4) << 32;
	if (!len)
		return 0;
	return (u8)name[0] | (u8)name[len / 2] << 8 | (u8)name[len - 1] << 16;
}

/* Mix by a folded multiplication, as in wyhash: each input bit affects all output bits. */
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

/* Remove a block from the table, if it is there. */
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

/* Create a block that contains a name; @word0 determines its type. */
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

/* Create a name in @slot; if @slot is NULL, an unshared block of type @alone. */
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

/* Take a reference to a name; @alone is the type of its block if it cannot be shared. */
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
 * vtr_tree_name_put() - drop a reference to a STRING_REFERENCE or NAME
 * @tree: the tree
 * @index: index of the block, which is freed with its last reference
 *
 * Context: any; the caller serialises.
 */
void vtr_tree_name_put(struct vtr_tree *tree, u32 index)
{
	vtr_heap_save(&tree->heap, index);
	name_put(tree, index);
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

static void value_link(struct vtr_tree *tree, u32 index,
		       enum inspect_type type, u32 parent, u32 name, u64 word1)
{
	u64 *block = vtr_tree_address(tree, index); /* just allocated, so its page is saved */

	vtr_heap_assert_reserved(block);
	block[0] = vtr_block_word0(type, vtr_block_order(block)) |
		   FIELD_PREP(INSPECT_W0_VALUE_PARENT, parent) |
		   FIELD_PREP(INSPECT_W0_VALUE_NAME, name);
	block[1] = word1;
	tree->nr_values++;
	parent_get(tree, parent);
}

/* Free a tombstone whose reference count is 0. */
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
 * vtr_tree_parent_get() - increment the reference count of a node
 * @tree: the tree
 * @index: index of the node
 *
 * Context: any; the caller serialises.
 */
void vtr_tree_parent_get(struct vtr_tree *tree, u32 index)
{
	parent_get(tree, index);
}

/**
 * vtr_tree_parent_put() - decrement the reference count of a node
 * @tree: the tree
 * @index: index of the node or tombstone. A tombstone is freed when its count becomes 0,
 *	which decrements the count of its parent, and so on
 *
 * Context: any; the caller serialises.
 */
void vtr_tree_parent_put(struct vtr_tree *tree, u32 index)
{
	vtr_heap_save(&tree->heap, index);
	parent_put(tree, index);
}

/* Save the pages that deletion of a value changes: those of its name and parent. */
static noinline void delete_save(const struct vtr_tree *tree, const u64 *block)
{
	vtr_heap_save(&tree->heap, vtr_block_get(block, 0, VALUE_NAME));
	vtr_heap_save(&tree->heap, vtr_block_get(block, 0, VALUE_PARENT));
}

/**
 * vtr_tree_value_delete() - delete a value that refers to nothing but name and parent
 * @tree: the tree
 * @block: first word of the value
 * @index: index of the value, which is not a node with values below it
 *
 * The type is not checked.
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
 * vtr_tree_init() - create a hierarchy that consists of the root
 * @tree: storage to set up
 * @pages: array with room for every page that the tree can ever have
 * @first_page: a zeroed page, becomes pages[0]
 * @notes: array as long as @pages, of which the first element is set
 * @names: zeroed table of names
 * @nr_names: number of slots of @names, a power of two, at least 8
 *
 * Context: any; the tree is not visible to others yet.
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
 * vtr_tree_add_page() - add a page to the reserve of the heap
 * @tree: the tree
 * @page: a zeroed page; the owner makes sure that the arrays have room
 * @notes: VTR_HEAP_BLOCKS_PER_PAGE notes for the page
 *
 * Context: any; the caller serialises.
 */
void vtr_tree_add_page(struct vtr_tree *tree, void *page, u32 *notes)
{
	tree->notes[tree->heap.nr_ready] = notes;
	vtr_heap_add_page(&tree->heap, page);
}

/**
 * vtr_tree_child_create() - create a value with a payload below a checked parent
 * @tree: tree to create it in
 * @parent: parent node; the caller has checked its type
 * @name: name of the value
 * @type: type of the block
 * @word1: second word of the block
 * @size_bytes: size of the block, header included; everything after the second
 *	word is zero
 * @ret: index of the new block, written on success only
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC if the heap is full, -ENAMETOOLONG, -EINVAL if
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
 * vtr_tree_sized_create() - create a value with a payload
 * @tree: tree to create it in
 * @parent: parent node
 * @name: name of the value
 * @type: type of the block
 * @word1: second word of the block
 * @size_bytes: size of the block, header included; everything after the second
 *	word is zero
 * @ret: index of the new block, written on success only
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
 * vtr_tree_value_create() - create a property of 16 bytes
 * @tree: tree to create it in
 * @parent: parent node
 * @name: name of the property
 * @type: type of the block
 * @word1: second word of the block
 * @ret: index of the new block, written on success only
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
 * vtr_tree_number_delete() - delete a property of 64 bits
 * @tree: the tree
 * @index: index of the property
 * @type: expected type
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
 * Buffers. The chain of extents of a value depends only on the length of the value: as
 * many extents of the largest order as the value fills, and one of the smallest order that
 * holds the rest. An empty value has no extent.
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

/* Create the chain of extents of a value. A failure leaves nothing behind. */
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

/* Overwrite the chain of a value with another value that has the same chain. */
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

/* Return a number that is equal for two lengths if their chains have the same blocks. */
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
 * Return: 0, -ENOSPC if the heap is full, -ENAMETOOLONG, -EMSGSIZE if the
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
 * vtr_tree_buffer_set() - set a string or byte-vector property
 * @tree: the tree
 * @index: index of the property
 * @format: expected format
 * @value: new value
 * @len_bytes: length of @value in bytes
 *
 * Overwrites the value in place if the chain of extents stays the same. Otherwise creates
 * a new chain before freeing the old one.
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC if the heap is full, -EMSGSIZE if the value is longer
 *	than VITRINE_VALUE_MAX, -EINVAL if @index is not such a property.
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
 * @tree: the tree
 * @index: index of the property
 * @format: expected format
 *
 * Context: any; the caller serialises.
 * Return: 0, -EINVAL if @index is not such a property.
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
