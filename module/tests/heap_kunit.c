// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of heap.c: splitting, merging, growing, a full heap, and random walks
 * with all invariants checked after each step.
 */

#include "check.h"

#define HEAP_TEST_PAGES	8
#define HEAP_TEST_BLOCKS \
	(HEAP_TEST_PAGES * PAGE_SIZE / INSPECT_MIN_BLOCK_BYTES)
#define HEAP_TEST_STEPS	3000

/* A heap, and the blocks allocated from it. */
struct heap_test {
	struct vtr_heap	heap;
	struct check	check;
	void		*pages[HEAP_TEST_PAGES];
	u32		taken[HEAP_TEST_BLOCKS];
	u32		nr_taken;
};

static struct heap_test *heap_test;
static struct vtr_heap *heap;

static void give_pages(struct kunit *test, u32 nr)
{
	while (nr--)
		heap->pages[heap->nr_ready++] = zalloc(test, PAGE_SIZE);
}

static int heap_test_init(struct kunit *test)
{
	heap_test = zalloc(test, sizeof(*heap_test));
	heap = &heap_test->heap;
	check_init(test, &heap_test->check, HEAP_TEST_PAGES);
	heap->pages = heap_test->pages;
	give_pages(test, 1);
	vtr_heap_init(heap);
	return 0;
}

static u32 alloc_bytes(struct kunit *test, size_t size_bytes)
{
	u32 index = 0;

	KUNIT_ASSERT_EQ(test, vtr_heap_alloc(heap, size_bytes, &index), 0);
	KUNIT_ASSERT_NE(test, index, 0);
	return index;
}

static void free_at(u32 index)
{
	vtr_heap_free(heap, vtr_heap_address(heap, index), index);
}

static void check_now(struct kunit *test)
{
	check_heap(test, heap, &heap_test->check);
}

/* The page is free but for the header: one block of each order but the lowest and the highest. */
static void expect_split_page(struct kunit *test)
{
	u32 order;

	check_now(test);
	KUNIT_EXPECT_EQ(test, heap->used_bytes, 32);
	KUNIT_EXPECT_EQ(test, heap->free[0], 0);
	for (order = 1; order < INSPECT_NR_ORDERS - 1; order++)
		KUNIT_EXPECT_EQ(test, heap->free[order], 1U << order);
}

static void new_heap_is_a_header_and_free_blocks(struct kunit *test)
{
	expect_split_page(test);
}

/* Each size gets a block of the smallest order. */
static void new_block_is_reserved_and_zero(struct kunit *test)
{
	u32 size, order, index;
	const u64 *block;

	for (size = 1; size <= INSPECT_MAX_BLOCK_BYTES; size++) {
		for (order = 0; 16U << order < size; order++)
			;
		index = alloc_bytes(test, size);
		block = vtr_heap_block(heap, index);
		KUNIT_ASSERT_EQ(test, block[0], 0x100ULL | order);
		KUNIT_ASSERT_TRUE(test, !memchr_inv(block + 1, 0, (16 << order) - 8));
		KUNIT_ASSERT_EQ(test, vtr_heap_order(size), order);
		free_at(index);
	}
	index = 99;
	KUNIT_EXPECT_EQ(test, vtr_heap_alloc(heap, 2049, &index), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_heap_alloc(heap, ~0UL, &index), -EINVAL);
	KUNIT_EXPECT_EQ(test, index, 99);
}

/* 64 is what was left of the first block; the next two, 128 and 192, are buddies. */
static void free_merges_with_either_buddy(struct kunit *test)
{
	u32 first, i;

	KUNIT_ASSERT_EQ(test, alloc_bytes(test, 1024), 64);
	for (first = 128; first <= 192; first += 64) {
		for (i = 128; i <= 192; i += 64)
			KUNIT_ASSERT_EQ(test, alloc_bytes(test, 1024), i);
		free_at(first);
		KUNIT_EXPECT_EQ(test, heap->free[6], first);
		free_at(128 + 192 - first);
		check_now(test);
		merge_last(heap);
		KUNIT_EXPECT_EQ(test, heap->free[6], 0);
		KUNIT_EXPECT_EQ(test, heap->free[7], 128);
	}
}

static void last_freed_is_taken_again_unmerged(struct kunit *test)
{
	u32 index = alloc_bytes(test, 16), other = alloc_bytes(test, 2048);

	KUNIT_ASSERT_EQ(test, heap->free[0], 3);
	free_at(index);
	KUNIT_EXPECT_EQ(test, heap->unmerged, index);
	check_now(test);
	KUNIT_EXPECT_EQ(test, alloc_bytes(test, 16), index);
	KUNIT_EXPECT_EQ(test, heap->unmerged, 0);
	/* The next free merges the one before. */
	free_at(index);
	free_at(other);
	KUNIT_EXPECT_EQ(test, heap->free[0], 0);
	KUNIT_EXPECT_EQ(test, heap->unmerged, other);
}

static void full_heap_merges_before_it_refuses(struct kunit *test)
{
	u32 index = alloc_bytes(test, 1024), other = alloc_bytes(test, 2048);

	free_at(other);
	KUNIT_EXPECT_EQ(test, alloc_bytes(test, 1024), other);
	KUNIT_EXPECT_EQ(test, alloc_bytes(test, 1024), other + 64);
	free_at(other);
	free_at(other + 64);
	KUNIT_EXPECT_EQ(test, alloc_bytes(test, 2048), other);
	free_at(index);
}

/* But not with the header, which is never free. */
static void smallest_block_merges_all_the_way(struct kunit *test)
{
	free_at(alloc_bytes(test, 16));
	merge_last(heap);
	expect_split_page(test);
	KUNIT_EXPECT_EQ(test, alloc_bytes(test, 16), 2);
}

static void freed_bytes_are_zero(struct kunit *test)
{
	u32 order, index;

	for (order = 0; order < INSPECT_NR_ORDERS; order++) {
		index = alloc_bytes(test, 16 << order);
		memset(vtr_heap_block(heap, index) + 1, 0xa5, (16 << order) - 8);
		free_at(index);
		check_now(test);
	}
}

static void full_heap_refuses_and_recovers(struct kunit *test)
{
	u32 index = 99, nr = 0;

	while (!vtr_heap_alloc(heap, 16, &heap_test->taken[nr]))
		nr++;
	KUNIT_EXPECT_EQ(test, nr, (u32)(PAGE_SIZE / 16) - 2);
	KUNIT_EXPECT_EQ(test, vtr_heap_alloc(heap, 16, &index), -ENOSPC);
	KUNIT_EXPECT_EQ(test, index, 99);
	KUNIT_EXPECT_EQ(test, heap->used_bytes, (u32)PAGE_SIZE);
	check_now(test);
	while (nr--)
		free_at(heap_test->taken[nr]);
	check_now(test);
	KUNIT_EXPECT_EQ(test, heap->used_bytes, 32);
}

static void reserve_is_used_when_needed(struct kunit *test)
{
	u32 per_page = PAGE_SIZE / INSPECT_MAX_BLOCK_BYTES, i;

	give_pages(test, 2);
	for (i = 0; i < per_page - 1; i++)
		alloc_bytes(test, 2048);
	KUNIT_EXPECT_EQ(test, heap->nr_pages, 1);
	check_now(test);
	KUNIT_EXPECT_EQ(test, alloc_bytes(test, 2048), (u32)VTR_HEAP_BLOCKS_PER_PAGE);
	KUNIT_EXPECT_EQ(test, heap->nr_pages, 2);
	check_now(test);
	for (i = 0; i < 2 * per_page - 1; i++)
		alloc_bytes(test, 2048);
	KUNIT_EXPECT_EQ(test, heap->nr_pages, 3);
	KUNIT_EXPECT_EQ(test, vtr_heap_alloc(heap, 2048, &i), -ENOSPC);
}

static void heap_step(struct kunit *test, struct random *random)
{
	u32 used = heap->used_bytes, i;
	u32 *next = &heap_test->taken[heap_test->nr_taken];
	u64 *block;
	int err;

	switch (random_below(random, 16)) {
	case 0:
		if (heap->nr_ready < HEAP_TEST_PAGES && !random_below(random, 16))
			give_pages(test, 1);
		return;
	case 1 ... 8:
		err = vtr_heap_alloc(heap, 1 + random_below(random, 16 << random_below(random, 8)),
				     next);
		if (err) {
			KUNIT_ASSERT_EQ(test, err, -ENOSPC);
			KUNIT_ASSERT_EQ(test, heap->used_bytes, used);
			return;
		}
		heap_test->nr_taken++;
		block = vtr_heap_block(heap, *next);
		memset(block + 1, 0x5a, vtr_block_bytes(block) - 8);
		return;
	default:
		if (!heap_test->nr_taken)
			return;
		i = random_below(random, heap_test->nr_taken);
		free_at(heap_test->taken[i]);
		heap_test->taken[i] = heap_test->taken[--heap_test->nr_taken];
	}
}

static void heap_walk(struct kunit *test, u64 seed)
{
	struct random random = { seed };
	u32 i;

	for (i = 0; i < HEAP_TEST_STEPS; i++) {
		heap_step(test, &random);
		check_now(test);
	}
	while (heap_test->nr_taken)
		free_at(heap_test->taken[--heap_test->nr_taken]);
	check_now(test);
	KUNIT_EXPECT_EQ(test, heap->used_bytes, 32);
}

static void walk_with_a_fixed_seed(struct kunit *test)
{
	heap_walk(test, 1);
}

static void walk_with_a_fresh_seed(struct kunit *test)
{
	heap_walk(test, random_seed(test));
}

static struct kunit_case heap_cases[] = {
	KUNIT_CASE(new_heap_is_a_header_and_free_blocks),
	KUNIT_CASE(new_block_is_reserved_and_zero),
	KUNIT_CASE(free_merges_with_either_buddy),
	KUNIT_CASE(last_freed_is_taken_again_unmerged),
	KUNIT_CASE(full_heap_merges_before_it_refuses),
	KUNIT_CASE(smallest_block_merges_all_the_way),
	KUNIT_CASE(freed_bytes_are_zero),
	KUNIT_CASE(full_heap_refuses_and_recovers),
	KUNIT_CASE(reserve_is_used_when_needed),
	KUNIT_CASE(walk_with_a_fixed_seed),
	KUNIT_CASE(walk_with_a_fresh_seed),
	{}
};

VTR_KUNIT_SUITE(heap, .init = heap_test_init, .exit = check_now);
