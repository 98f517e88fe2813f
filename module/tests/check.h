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

/**
 * struct check - what was found at each index of a file
 * @start: order plus one of the block that starts there, or 0
 * @refs: number of references to the block that starts there
 * @nr: number of indexes for which there is room
 */
struct check {
	u8	*start;
	u32	*refs;
	u32	nr;
};

static inline void check_init(struct kunit *test, struct check *check, u32 max_pages)
{
	check->nr = max_pages * VTR_HEAP_BLOCKS_PER_PAGE;
	check->start = zalloc(test, check->nr);
	check->refs = zalloc(test, check->nr * sizeof(u32));
}

/* Allocate notes for one page of a tree under test, initialised to all ones. */
static inline u32 *check_notes(struct kunit *test)
{
	size_t bytes = VTR_HEAP_BLOCKS_PER_PAGE * sizeof(u32);
	u32 *notes = zalloc(test, bytes);

	memset(notes, 0xff, bytes);
	return notes;
}

/* Check that the header describes the heap. */
static inline void check_header(struct kunit *test, const struct vtr_heap *heap)
{
	const u64 *header = heap->pages[0];

	KUNIT_ASSERT_EQ(test, header[0], 0x50534e4900020201ULL);
	KUNIT_ASSERT_EQ(test, header[2], (u64)heap->nr_pages * PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, header[3], 0ULL);
}

/* Two buddies may both be free only if one of them was freed last. */
static inline void check_merged(struct kunit *test, const struct vtr_heap *heap,
				u32 index, u32 order)
{
	u32 buddy = index ^ 1U << order;

	if (order == INSPECT_NR_ORDERS - 1 || !(index & 1U << order) ||
	    index == heap->unmerged || buddy == heap->unmerged)
		return;
	KUNIT_ASSERT_FALSE(test, vtr_block_is_free(vtr_heap_block(heap, buddy), order));
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
		KUNIT_ASSERT_EQ(test, block[0] >> 40, previous);
		previous = index;
		index = block[0] >> 16 & 0xffffff;
	}
	KUNIT_ASSERT_EQ(test, nr, nr_free);
}

static inline void check_heap(struct kunit *test, const struct vtr_heap *heap, struct check *check)
{
	u32 nr_free[INSPECT_NR_ORDERS] = { 0 };
	u32 order, page;

	check_header(test, heap);
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

static inline void check_chain(struct kunit *test, const struct vtr_tree *tree,
			       struct check *check, u32 index, u32 len)
{
	while (index) {
		const u64 *block = check_ref(test, tree, check, index);
		u32 room = (16 << (check->start[index] - 1)) - 8;
		u32 fill = min(len, room);

		KUNIT_ASSERT_EQ(test, vtr_block_type(block), INSPECT_EXTENT);
		KUNIT_ASSERT_EQ(test, block[0] >> 40, 0);
		KUNIT_ASSERT_GT(test, fill, 0);
		KUNIT_ASSERT_TRUE(test, !memchr_inv((u8 *)(block + 1) + fill, 0, room - fill));
		len -= fill;
		index = block[0] >> 16 & 0xffffff;
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
		const u64 *text;

		if (!strings[i])
			continue;
		text = check_ref(test, tree, check, strings[i]);
		KUNIT_ASSERT_EQ(test, vtr_block_type(text), INSPECT_STRING_REFERENCE);
		KUNIT_ASSERT_NE(test, (u32)text[1], 0);
	}
}

/* The content of a link is a name; its other bits are zero. */
static inline void check_link(struct kunit *test, const struct vtr_tree *tree,
			      struct check *check, u32 index)
{
	const u64 *block = vtr_tree_block(tree, index), *text;

	KUNIT_ASSERT_EQ(test, block[1] & ~0x10000000000fffffULL, 0ULL);
	text = check_ref(test, tree, check, block[1] & 0xfffff);
	KUNIT_ASSERT_EQ(test, vtr_block_type(text), INSPECT_STRING_REFERENCE);
}

/* A node that is deleted by itself or by its list owns the values recorded in it. */
static inline bool check_is_owner(const struct vtr_tree *tree, u32 index)
{
	u32 parent = vtr_tree_block(tree, index)[0] >> 16 & 0xffffff;

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
			above = vtr_tree_block(tree, above)[0] >> 16 & 0xffffff;
		while (!check_is_owner(tree, above));
		KUNIT_ASSERT_EQ(test, above, owner);
		KUNIT_ASSERT_LE(test, ++nr, tree->nr_values);
		at = *vtr_tree_note(tree, at);
	}
}

/* Check the block of a node, and the values recorded in it. */
static inline void check_notes_of(struct kunit *test, const struct vtr_tree *tree,
				  const struct check *check, u32 index)
{
	u64 *block = vtr_tree_block(tree, index);
	u32 note = *vtr_tree_note(tree, index);
	u32 order = check->start[index] - 1;

	KUNIT_ASSERT_LE(test, order, 2);
	KUNIT_ASSERT_TRUE(test, !memchr_inv(block + 2, 0, (16 << order) - 16));
	if (check_is_owner(tree, index) && !(note & VTR_NODE_LIST))
		check_records(test, tree, index);
}

/* Check one value or tombstone: its references and its own bits. */
static inline void check_value(struct kunit *test, const struct vtr_tree *tree,
			       struct check *check, u32 index)
{
	const u64 *block = vtr_tree_block(tree, index), *other;
	enum inspect_type type = vtr_block_type(block);
	u32 parent = block[0] >> 16 & 0xffffff;
	u32 name = block[0] >> 40;

	if (type == INSPECT_ARRAY_VALUE)
		check_array(test, tree, check, index);
	else if (type == INSPECT_NODE_VALUE || type == INSPECT_TOMBSTONE)
		check_notes_of(test, tree, check, index);
	else
		KUNIT_ASSERT_EQ(test, check->start[index], 1);
	other = check_ref(test, tree, check, parent);
	KUNIT_ASSERT_TRUE(test, !parent || vtr_block_type(other) == INSPECT_NODE_VALUE ||
			  vtr_block_type(other) == INSPECT_TOMBSTONE);
	if (type == INSPECT_TOMBSTONE) {
		KUNIT_ASSERT_EQ(test, name, 0);
		KUNIT_ASSERT_NE(test, block[1], 0ULL);
	} else {
		other = check_ref(test, tree, check, name);
		KUNIT_ASSERT_TRUE(test, vtr_block_type(other) == INSPECT_NAME ||
				  vtr_block_type(other) == INSPECT_STRING_REFERENCE);
	}
	if (type == INSPECT_BOOL_VALUE)
		KUNIT_ASSERT_LE(test, block[1], 1ULL);
	if (type == INSPECT_LINK_VALUE)
		check_link(test, tree, check, index);
	if (type == INSPECT_BUFFER_VALUE) {
		KUNIT_ASSERT_LE(test, block[1] >> 60, 1ULL);
		KUNIT_ASSERT_EQ(test, block[1] >> 56 & 0xf, 0ULL);
		check_chain(test, tree, check, block[1] >> 32 & 0xffffff, (u32)block[1]);
	}
}

/* The bytes of a name are followed by zeros. */
static inline void check_name(struct kunit *test, const u64 *block, u32 order)
{
	bool is_shared = vtr_block_type(block) == INSPECT_STRING_REFERENCE;
	u32 offset = is_shared ? 12 : 8, room = (16 << order) - offset;
	u32 len = is_shared ? (u32)block[1] : block[0] >> 16 & 0xfff;

	if (is_shared)
		KUNIT_ASSERT_EQ(test, block[0] >> 16 & 0xffffff, 0);
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

/* The reference count of each block equals the number of references to it. */
static inline void check_counts(struct kunit *test, const struct vtr_tree *tree,
				const struct check *check)
{
	u32 end = tree->heap.nr_pages * VTR_HEAP_BLOCKS_PER_PAGE;
	u32 index, nr_values = 0, nr_tombstones = 0;

	for (index = 2; index < end; index++) {
		const u64 *block = vtr_tree_block(tree, index);
		u64 refs = check->refs[index];

		if (!check->start[index])
			continue;
		switch (vtr_block_type(block)) {
		case INSPECT_NODE_VALUE:
			nr_values++;
			KUNIT_ASSERT_EQ(test, block[1], refs);
			break;
		case INSPECT_TOMBSTONE:
			nr_tombstones++;
			KUNIT_ASSERT_EQ(test, block[1], refs);
			break;
		case INSPECT_STRING_REFERENCE:
			KUNIT_ASSERT_EQ(test, block[0] >> 40, refs);
			KUNIT_ASSERT_NE(test, refs, 0ULL);
			break;
		case INSPECT_EXTENT:
		case INSPECT_NAME:
			KUNIT_ASSERT_EQ(test, refs, 1ULL);
			break;
		default:
			nr_values += vtr_block_type(block) != INSPECT_FREE;
			KUNIT_ASSERT_EQ(test, refs, 0ULL);
			break;
		}
	}
	KUNIT_ASSERT_EQ(test, nr_values, tree->nr_values);
	KUNIT_ASSERT_EQ(test, nr_tombstones, tree->nr_tombstones);
}

static inline void check_tree(struct kunit *test, const struct vtr_tree *tree, struct check *check)
{
	u32 end = tree->heap.nr_pages * VTR_HEAP_BLOCKS_PER_PAGE;
	u32 index;

	check_heap(test, &tree->heap, check);
	/* Index 0, that of the header, is the root. */
	check_records(test, tree, 0);
	memset(check->refs, 0, check->nr * sizeof(*check->refs));
	for (index = 2; index < end; index++) {
		const u64 *block = vtr_tree_block(tree, index);

		if (!check->start[index])
			continue;
		switch (vtr_block_type(block)) {
		case INSPECT_NODE_VALUE:
		case INSPECT_INT_VALUE:
		case INSPECT_UINT_VALUE:
		case INSPECT_DOUBLE_VALUE:
		case INSPECT_BOOL_VALUE:
		case INSPECT_BUFFER_VALUE:
		case INSPECT_ARRAY_VALUE:
		case INSPECT_LINK_VALUE:
		case INSPECT_TOMBSTONE:
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
	check_counts(test, tree, check);
	check_names(test, tree, check);
}

#endif /* _VTR_TESTS_CHECK_H */
