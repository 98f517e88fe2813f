/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Invariants of every heap and every tree, after any sequence of operations.
 *
 * Included by the suites of heap.c, tree.c, array.c and inspect.c; written from the format
 * and not from the code: it knows a file only by its bytes.
 */
#ifndef _VTR_TESTS_CHECK_H
#define _VTR_TESTS_CHECK_H

#include <kunit/test.h>
#include <linux/string.h>

#include "inspect/tree.h"
#include "suite.h"

/* Blocks and references found at each index of a file. */
struct check {
	u8	*start;	/* order plus one of the block that starts there, or 0 */
	u32	*refs;	/* number of references to it */
	u32	nr;	/* number of indexes for which there is room */
};

/* The parent of a value, the next block of a chain or list; and its name, or the one before. */
static inline u32 check_parent(const u64 *block)
{
	return block[0] >> 16 & 0xffffff;
}

static inline u32 check_name_index(const u64 *block)
{
	return block[0] >> 40;
}

static inline void check_init(struct kunit *test, struct check *check, u32 max_pages)
{
	check->nr = max_pages * VTR_HEAP_BLOCKS_PER_PAGE;
	check->start = zalloc(test, check->nr);
	check->refs = zalloc(test, check->nr * sizeof(u32));
}

/* Read the second word of a block directly, the value of a number. */
static inline u64 bits_of(const void *handle)
{
	return ((const u64 *)handle)[1];
}

/* The first extent of a buffer, or 0. */
static inline u32 check_extent(const u64 *buffer)
{
	return buffer[1] >> 32 & 0xffffff;
}

/* Return whether a block is a name, or a text that is shared, and contains @text. */
static inline bool check_has_text(const u64 *block, const char *text)
{
	size_t len = strlen(text);

	if (vtr_block_type(block) == INSPECT_NAME)
		return block[0] >> 16 == len && !memcmp(block + 1, text, len);
	return vtr_block_type(block) == INSPECT_STRING_REFERENCE && (u32)block[1] == len &&
	       !memcmp((const u8 *)block + 12, text, len);
}

/* Return whether a buffer contains these bytes. */
static inline bool check_has_bytes(const struct vtr_tree *tree, const u64 *buffer,
				   const void *bytes, u32 len)
{
	u32 index = check_extent(buffer), fill;

	if ((u32)buffer[1] != len)
		return false;
	for (; index && len; len -= fill, bytes += fill) {
		const u64 *extent = vtr_tree_address(tree, index);

		fill = min_t(u32, len, (16 << (*extent & 0xf)) - 8);
		if (vtr_block_type(extent) != INSPECT_EXTENT || memcmp(extent + 1, bytes, fill))
			return false;
		index = check_parent(extent);
	}
	return !index && !len;
}

/* Allocate notes for one page of a tree under test, initialised to all ones. */
static inline u32 *check_notes(struct kunit *test)
{
	size_t bytes = VTR_HEAP_BLOCKS_PER_PAGE * sizeof(u32);
	u32 *notes = zalloc(test, bytes);

	memset(notes, 0xff, bytes);
	return notes;
}

/* Two buddies may both be free only if one of them was freed last. */
static inline void check_merged(struct kunit *test, const struct vtr_heap *heap,
				u32 index, u32 order)
{
	u32 buddy = index ^ 1U << order;

	if (order == INSPECT_NR_ORDERS - 1 || !(index & 1U << order) ||
	    index == heap->unmerged || buddy == heap->unmerged)
		return;
	/* A free block has type 0; the rest of its word is links. */
	KUNIT_ASSERT_NE(test, vtr_heap_block(heap, buddy)[0] & 0xff0f, (u64)order);
}

/* Blocks tile the file; free blocks are merged, and zero except for their links. */
static inline void check_tiling(struct kunit *test, const struct vtr_heap *heap,
				struct check *check, u32 *nr_free)
{
	u32 end = heap->nr_pages * VTR_HEAP_BLOCKS_PER_PAGE;
	u32 index, order, used = 0;

	KUNIT_ASSERT_LE(test, end, check->nr);
	memset(check->start, 0, check->nr);
	for (index = 0; index < end; index += 1U << order) {
		const u64 *block = vtr_heap_block(heap, index);

		order = block[0] & 0xf;
		KUNIT_ASSERT_LT(test, order, INSPECT_NR_ORDERS);
		KUNIT_ASSERT_EQ(test, index & ((1U << order) - 1), 0);
		KUNIT_ASSERT_EQ(test, block[0] & 0xf0, 0);
		check->start[index] = order + 1;
		if (vtr_block_type(block) != INSPECT_FREE) {
			used += 16 << order;
			continue;
		}
		nr_free[order]++;
		KUNIT_ASSERT_TRUE(test, !memchr_inv(block + 1, 0, (16 << order) - 8));
		check_merged(test, heap, index, order);
	}
	KUNIT_ASSERT_EQ(test, index, end);
	KUNIT_ASSERT_EQ(test, used, heap->used_bytes);
}

/* The free list of an order contains each free block of that order once. */
static inline void check_free_list(struct kunit *test, const struct vtr_heap *heap,
				   const struct check *check, u32 order, u32 nr_free)
{
	u32 index = heap->free[order], previous = 0, nr = 0;

	while (index) {
		const u64 *block = vtr_heap_block(heap, index);

		KUNIT_ASSERT_LE(test, ++nr, nr_free);
		KUNIT_ASSERT_LT(test, index, (u32)(heap->nr_pages * VTR_HEAP_BLOCKS_PER_PAGE));
		KUNIT_ASSERT_EQ(test, check->start[index], order + 1);
		KUNIT_ASSERT_EQ(test, vtr_block_type(block), INSPECT_FREE);
		KUNIT_ASSERT_EQ(test, check_name_index(block), previous);
		previous = index;
		index = check_parent(block);
	}
	KUNIT_ASSERT_EQ(test, nr, nr_free);
}

static inline void check_heap(struct kunit *test, const struct vtr_heap *heap, struct check *check)
{
	u32 nr_free[INSPECT_NR_ORDERS] = { 0 };
	const u64 *header = heap->pages[0];
	u32 order, page;

	KUNIT_ASSERT_EQ(test, header[0], 0x50534e4900020201ULL);
	KUNIT_ASSERT_EQ(test, header[2], (u64)heap->nr_pages * PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, header[3], 0ULL);
	if (heap->unmerged)
		KUNIT_ASSERT_EQ(test, vtr_block_type(vtr_heap_block(heap, heap->unmerged)),
				INSPECT_FREE);
	check_tiling(test, heap, check, nr_free);
	for (order = 0; order < INSPECT_NR_ORDERS; order++)
		check_free_list(test, heap, check, order, nr_free[order]);
	for (page = heap->nr_pages; page < heap->nr_ready; page++)
		KUNIT_ASSERT_TRUE(test, !memchr_inv(heap->pages[page], 0, PAGE_SIZE));
}

/* Count a reference, which must be to the start of a block. */
static inline const u64 *check_ref(struct kunit *test, const struct vtr_tree *tree,
				   struct check *check, u32 index)
{
	KUNIT_ASSERT_LT(test, index, check->nr);
	KUNIT_ASSERT_NE(test, check->start[index], 0);
	check->refs[index]++;
	return vtr_tree_block(tree, index);
}

/* The same for a reference to a text. */
static inline void check_text(struct kunit *test, const struct vtr_tree *tree, struct check *check,
			      u32 index)
{
	KUNIT_ASSERT_EQ(test, vtr_block_type(check_ref(test, tree, check, index)),
			INSPECT_STRING_REFERENCE);
}

/* The bytes of a buffer are followed by zeros. */
static inline void check_buffer(struct kunit *test, const struct vtr_tree *tree,
				struct check *check, const u64 *buffer)
{
	u32 index = check_extent(buffer), len = buffer[1];

	KUNIT_ASSERT_LE(test, buffer[1] >> 60, 1ULL);
	KUNIT_ASSERT_EQ(test, buffer[1] >> 56 & 0xf, 0ULL);
	while (index) {
		const u64 *block = check_ref(test, tree, check, index);
		u32 room = (16 << (check->start[index] - 1)) - 8;
		u32 fill = min(len, room);

		KUNIT_ASSERT_EQ(test, vtr_block_type(block), INSPECT_EXTENT);
		KUNIT_ASSERT_EQ(test, check_name_index(block), 0);
		KUNIT_ASSERT_GT(test, fill, 0);
		KUNIT_ASSERT_TRUE(test, !memchr_inv((u8 *)(block + 1) + fill, 0, room - fill));
		len -= fill;
		index = check_parent(block);
	}
	KUNIT_ASSERT_EQ(test, len, 0);
}

/* The block of an array has minimum size; its strings are references. */
static inline void check_array(struct kunit *test, const struct vtr_tree *tree,
			       struct check *check, u32 index)
{
	const u64 *block = vtr_tree_block(tree, index);
	u32 type = block[1] & 0xf, format = block[1] >> 4 & 0xf;
	u32 count = block[1] >> 8 & 0xff, order = check->start[index] - 1, i;
	u32 slot_bytes = type == INSPECT_STRING_REFERENCE ? 4 : 8;
	u32 size = 16 + count * slot_bytes;
	const u32 *strings = (const u32 *)(block + 2);

	KUNIT_ASSERT_TRUE(test, (type >= INSPECT_INT_VALUE && type <= INSPECT_DOUBLE_VALUE) ||
			  type == INSPECT_STRING_REFERENCE);
	KUNIT_ASSERT_LE(test, format, 2);
	KUNIT_ASSERT_EQ(test, block[1] >> 16, 0ULL);
	KUNIT_ASSERT_LE(test, size, 16U << order);
	KUNIT_ASSERT_TRUE(test, !order || size > 16U << (order - 1));
	KUNIT_ASSERT_TRUE(test, !memchr_inv((u8 *)block + size, 0, (16U << order) - size));
	if (type != INSPECT_STRING_REFERENCE)
		return;
	KUNIT_ASSERT_EQ(test, format, 0);
	for (i = 0; i < count; i++) {
		if (!strings[i])
			continue;
		check_text(test, tree, check, strings[i]);
		KUNIT_ASSERT_NE(test, (u32)vtr_tree_block(tree, strings[i])[1], 0);
	}
}

/* A node that is deleted by itself or by its list owns the values recorded in it. */
static inline bool check_is_owner(const struct vtr_tree *tree, u32 index)
{
	u32 parent = check_parent(vtr_tree_block(tree, index));

	return !(*vtr_tree_note(tree, index) & VTR_NODE_OWNED) ||
	       *vtr_tree_note(tree, parent) & VTR_NODE_LIST;
}

/* The chain of an owner contains all values recorded in it, or in nodes that it owns. */
static inline void check_records(struct kunit *test, const struct vtr_tree *tree, u32 owner)
{
	u32 at = *vtr_tree_note(tree, owner), nr = 0;

	while ((at &= VTR_NODE_NEXT)) {
		u32 above = at;

		KUNIT_ASSERT_TRUE(test, *vtr_tree_note(tree, at) & VTR_NODE_OWNED);
		do
			above = check_parent(vtr_tree_block(tree, above));
		while (!check_is_owner(tree, above));
		KUNIT_ASSERT_EQ(test, above, owner);
		KUNIT_ASSERT_LE(test, ++nr, tree->nr_values);
		at = *vtr_tree_note(tree, at);
	}
}

/* Check one value or tombstone: its references and its own bits. */
static inline void check_value(struct kunit *test, const struct vtr_tree *tree,
			       struct check *check, u32 index)
{
	const u64 *block = vtr_tree_block(tree, index);
	u32 parent = check_parent(block), name = check_name_index(block);
	u32 type = vtr_block_type(block), order = check->start[index] - 1, other;

	other = vtr_block_type(check_ref(test, tree, check, parent));
	KUNIT_ASSERT_TRUE(test, !parent || other == INSPECT_NODE_VALUE ||
			  other == INSPECT_TOMBSTONE);
	if (type == INSPECT_TOMBSTONE) {
		KUNIT_ASSERT_EQ(test, name, 0);
		KUNIT_ASSERT_NE(test, block[1], 0ULL);
	} else {
		other = vtr_block_type(check_ref(test, tree, check, name));
		KUNIT_ASSERT_TRUE(test, other == INSPECT_NAME || other == INSPECT_STRING_REFERENCE);
	}
	switch (type) {
	case INSPECT_NODE_VALUE:
	case INSPECT_TOMBSTONE:
		KUNIT_ASSERT_LE(test, order, 2);
		KUNIT_ASSERT_TRUE(test, !memchr_inv(block + 2, 0, (16 << order) - 16));
		if (check_is_owner(tree, index) && !(*vtr_tree_note(tree, index) & VTR_NODE_LIST))
			check_records(test, tree, index);
		return;
	case INSPECT_ARRAY_VALUE:
		check_array(test, tree, check, index);
		return;
	case INSPECT_BOOL_VALUE:
		KUNIT_ASSERT_LE(test, block[1], 1ULL);
		break;
	case INSPECT_LINK_VALUE:
		KUNIT_ASSERT_EQ(test, block[1] & ~0x10000000000fffffULL, 0ULL);
		check_text(test, tree, check, block[1] & 0xfffff);
		break;
	case INSPECT_BUFFER_VALUE:
		check_buffer(test, tree, check, block);
		break;
	}
	KUNIT_ASSERT_EQ(test, order, 0);
}

/* The bytes of a name are followed by zeros. */
static inline void check_name(struct kunit *test, const u64 *block, u32 order)
{
	bool is_shared = vtr_block_type(block) == INSPECT_STRING_REFERENCE;
	u32 offset = is_shared ? 12 : 8, room = (16 << order) - offset;
	u32 len = is_shared ? (u32)block[1] : block[0] >> 16 & 0xfff;

	if (is_shared)
		KUNIT_ASSERT_EQ(test, check_parent(block), 0);
	else
		KUNIT_ASSERT_EQ(test, block[0] >> 28, 0ULL);
	KUNIT_ASSERT_LE(test, len, room);
	KUNIT_ASSERT_TRUE(test, !memchr_inv((u8 *)block + offset + len, 0, room - len));
}

/* A name is in the row of its hash, with no empty slot before it. */
static inline void check_names(struct kunit *test, const struct vtr_tree *tree,
			       const struct check *check)
{
	u32 i;

	for (i = 0; i <= tree->names_mask; i++) {
		struct vtr_tree_name *slot = &tree->names[i];

		if (!slot->index)
			continue;
		KUNIT_ASSERT_NE(test, check->start[slot->index], 0);
		KUNIT_ASSERT_EQ(test, vtr_block_type(vtr_tree_block(tree, slot->index)),
				INSPECT_STRING_REFERENCE);
		KUNIT_ASSERT_EQ(test, slot->hash & tree->names_mask & ~7U, i & ~7U);
		if (i & 7)
			KUNIT_ASSERT_NE(test, slot[-1].index, 0);
	}
}

/* The number of references that a block has according to itself or to its type. */
static inline u64 check_wanted_refs(const u64 *block)
{
	switch (vtr_block_type(block)) {
	case INSPECT_NODE_VALUE:
	case INSPECT_TOMBSTONE:
		return block[1];
	case INSPECT_STRING_REFERENCE:
		return check_name_index(block) ?: U64_MAX; /* a text that nobody uses is freed */
	case INSPECT_EXTENT:
	case INSPECT_NAME:
		return 1;
	default:
		return 0;
	}
}

/* Check each block, and then whether references are counted right. */
static inline void check_tree(struct kunit *test, const struct vtr_tree *tree, struct check *check)
{
	u32 end = tree->heap.nr_pages * VTR_HEAP_BLOCKS_PER_PAGE;
	u32 index, nr_values = 0, nr_tombstones = 0;

	check_heap(test, &tree->heap, check);
	/* Index 0, that of the header, is the root. */
	check_records(test, tree, 0);
	memset(check->refs, 0, check->nr * sizeof(*check->refs));
	for (index = 2; index < end; index++) {
		const u64 *block = vtr_tree_block(tree, index);

		if (!check->start[index])
			continue;
		switch (vtr_block_type(block)) {
		case INSPECT_TOMBSTONE:
			nr_tombstones++;
			check_value(test, tree, check, index);
			break;
		case INSPECT_NODE_VALUE ... INSPECT_BUFFER_VALUE:
		case INSPECT_ARRAY_VALUE ... INSPECT_BOOL_VALUE:
			nr_values++;
			check_value(test, tree, check, index);
			break;
		case INSPECT_NAME:
		case INSPECT_STRING_REFERENCE:
			check_name(test, block, check->start[index] - 1);
			break;
		case INSPECT_FREE:
		case INSPECT_EXTENT:
			break;
		default:
			KUNIT_FAIL(test, "block %u is of type %u\n", index, vtr_block_type(block));
			return;
		}
	}
	KUNIT_ASSERT_EQ(test, nr_values, tree->nr_values);
	KUNIT_ASSERT_EQ(test, nr_tombstones, tree->nr_tombstones);
	for (index = 2; index < end; index++)
		if (check->start[index])
			KUNIT_ASSERT_EQ(test, check->refs[index],
					check_wanted_refs(vtr_tree_block(tree, index)));
	check_names(test, tree, check);
}

#endif /* _VTR_TESTS_CHECK_H */
