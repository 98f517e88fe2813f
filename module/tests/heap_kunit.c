// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of heap.c: splitting, merging, growing, a full heap, and random walks
 * with all invariants checked after each step.
 */
#include <kunit/test.h>

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

static void *heap_test_page(struct kunit *test)
{
	void *page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	return page;
}

static int heap_test_init(struct kunit *test)
{
	struct heap_test *ht = kunit_kzalloc(test, sizeof(*ht), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ht);
	test->priv = ht;
	check_init(test, &ht->check, HEAP_TEST_PAGES);
	vtr_heap_init(&ht->heap, ht->pages, heap_test_page(test));
	return 0;
}

static void give_pages(struct kunit *test, u32 nr)
{
	struct heap_test *ht = test->priv;

	while (nr--)
		vtr_heap_add_page(&ht->heap, heap_test_page(test));
}

static u32 alloc_bytes(struct kunit *test, size_t size_bytes)
{
	struct heap_test *ht = test->priv;
	u32 index = 0;

	KUNIT_ASSERT_EQ(test, vtr_heap_alloc(&ht->heap, size_bytes, &index), 0);
	KUNIT_ASSERT_NE(test, index, 0);
	return index;
}

static void check_now(struct kunit *test)
{
	struct heap_test *ht = test->priv;

	check_heap(test, &ht->heap, &ht->check);
}

static void new_heap_is_a_header_and_free_blocks(struct kunit *test)
{
	struct heap_test *ht = test->priv;
	u32 order;

	check_now(test);
	KUNIT_EXPECT_EQ(test, ht->heap.used_bytes, 32);
	KUNIT_EXPECT_EQ(test, ht->heap.free[0], 0);
	for (order = 1; order < INSPECT_NR_ORDERS - 1; order++)
		KUNIT_EXPECT_EQ(test, ht->heap.free[order], 1U << order);
}

static void every_size_gets_the_smallest_order(struct kunit *test)
{
	struct heap_test *ht = test->priv;
	u32 size, order, index;

	for (size = 1; size <= INSPECT_MAX_BLOCK_BYTES; size++) {
		for (order = 0; 16U << order < size; order++)
			;
		index = alloc_bytes(test, size);
		KUNIT_ASSERT_EQ(test,
				vtr_block_order(vtr_heap_block(&ht->heap,
							       index)), order);
		KUNIT_ASSERT_EQ(test, vtr_heap_order(size), order);
		vtr_heap_free(&ht->heap, index);
	}
	check_now(test);
}

static void more_than_a_block_is_refused(struct kunit *test)
{
	struct heap_test *ht = test->priv;
	u32 index = 99;

	KUNIT_EXPECT_EQ(test, vtr_heap_alloc(&ht->heap, 2049, &index), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_heap_alloc(&ht->heap, ~0UL, &index), -EINVAL);
	KUNIT_EXPECT_EQ(test, index, 99);
	check_now(test);
}

static void new_block_is_reserved_and_zero(struct kunit *test)
{
	struct heap_test *ht = test->priv;
	u32 index = alloc_bytes(test, 64);
	const u64 *block = vtr_heap_block(&ht->heap, index);

	KUNIT_EXPECT_EQ(test, block[0], 0x102ULL);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(block + 1, 0, 56));
	check_now(test);
}

static void free_merges_with_left_buddy(struct kunit *test)
{
	struct heap_test *ht = test->priv;
	u32 a = alloc_bytes(test, 1024), b = alloc_bytes(test, 1024);

	/* 64 was left of the first page; the next two are buddies */
	KUNIT_ASSERT_EQ(test, a, 64);
	KUNIT_ASSERT_EQ(test, b, 128);
	b = alloc_bytes(test, 1024);
	KUNIT_ASSERT_EQ(test, b, 192);
	vtr_heap_free(&ht->heap, 128);
	KUNIT_EXPECT_EQ(test, ht->heap.free[6], 128);
	vtr_heap_free(&ht->heap, 192);
	check_now(test);
	merge_last(&ht->heap);
	KUNIT_EXPECT_EQ(test, ht->heap.free[6], 0);
	KUNIT_EXPECT_EQ(test, ht->heap.free[7], 128);
	check_now(test);
}

static void free_merges_with_right_buddy(struct kunit *test)
{
	struct heap_test *ht = test->priv;

	KUNIT_ASSERT_EQ(test, alloc_bytes(test, 1024), 64);
	KUNIT_ASSERT_EQ(test, alloc_bytes(test, 1024), 128);
	KUNIT_ASSERT_EQ(test, alloc_bytes(test, 1024), 192);
	vtr_heap_free(&ht->heap, 192);
	vtr_heap_free(&ht->heap, 128);
	merge_last(&ht->heap);
	KUNIT_EXPECT_EQ(test, ht->heap.free[6], 0);
	KUNIT_EXPECT_EQ(test, ht->heap.free[7], 128);
	check_now(test);
}

static void last_freed_is_taken_again_unmerged(struct kunit *test)
{
	struct heap_test *ht = test->priv;
	u32 index = alloc_bytes(test, 16);

	KUNIT_ASSERT_EQ(test, ht->heap.free[0], 3);
	vtr_heap_free(&ht->heap, index);
	KUNIT_EXPECT_EQ(test, ht->heap.unmerged, index);
	check_now(test);
	KUNIT_EXPECT_EQ(test, alloc_bytes(test, 16), index);
	KUNIT_EXPECT_EQ(test, ht->heap.unmerged, 0);
	check_now(test);
}

static void next_free_merges_the_one_before(struct kunit *test)
{
	struct heap_test *ht = test->priv;
	u32 index = alloc_bytes(test, 16), other = alloc_bytes(test, 2048);

	vtr_heap_free(&ht->heap, index);
	vtr_heap_free(&ht->heap, other);
	KUNIT_EXPECT_EQ(test, ht->heap.free[0], 0);
	KUNIT_EXPECT_EQ(test, ht->heap.unmerged, other);
	check_now(test);
}

static void full_heap_merges_before_it_refuses(struct kunit *test)
{
	struct heap_test *ht = test->priv;
	u32 index = alloc_bytes(test, 1024), other = alloc_bytes(test, 2048);

	vtr_heap_free(&ht->heap, other);
	KUNIT_EXPECT_EQ(test, alloc_bytes(test, 1024), other);
	KUNIT_EXPECT_EQ(test, alloc_bytes(test, 1024), other + 64);
	vtr_heap_free(&ht->heap, other);
	vtr_heap_free(&ht->heap, other + 64);
	KUNIT_EXPECT_EQ(test, alloc_bytes(test, 2048), other);
	vtr_heap_free(&ht->heap, index);
	check_now(test);
}

static void smallest_block_merges_all_the_way(struct kunit *test)
{
	struct heap_test *ht = test->priv;
	u32 index, order;

	vtr_heap_free(&ht->heap, alloc_bytes(test, 16));
	merge_last(&ht->heap);
	check_now(test);
	for (order = 1; order < INSPECT_NR_ORDERS - 1; order++)
		KUNIT_EXPECT_EQ(test, ht->heap.free[order], 1U << order);
	index = alloc_bytes(test, 16);
	KUNIT_EXPECT_EQ(test, index, 2);
}

static void header_never_merges(struct kunit *test)
{
	struct heap_test *ht = test->priv;

	KUNIT_ASSERT_EQ(test, alloc_bytes(test, 32), 2);
	vtr_heap_free(&ht->heap, 2);
	KUNIT_EXPECT_EQ(test, ht->heap.free[1], 2);
	KUNIT_EXPECT_EQ(test, ht->heap.free[2], 4);
	check_now(test);
}

static void freed_bytes_are_zero(struct kunit *test)
{
	struct heap_test *ht = test->priv;
	u32 order, index;

	for (order = 0; order < INSPECT_NR_ORDERS; order++) {
		index = alloc_bytes(test, 16 << order);
		memset(vtr_heap_block(&ht->heap, index) + 1, 0xa5,
		       (16 << order) - 8);
		vtr_heap_free(&ht->heap, index);
		check_now(test);
	}
}

static void full_heap_refuses_and_recovers(struct kunit *test)
{
	struct heap_test *ht = test->priv;
	u32 index = 99, nr = 0;

	while (!vtr_heap_alloc(&ht->heap, 16, &ht->taken[nr]))
		nr++;
	KUNIT_EXPECT_EQ(test, nr, (u32)(PAGE_SIZE / 16) - 2);
	KUNIT_EXPECT_EQ(test, vtr_heap_alloc(&ht->heap, 16, &index), -ENOSPC);
	KUNIT_EXPECT_EQ(test, index, 99);
	KUNIT_EXPECT_EQ(test, ht->heap.used_bytes, (u32)PAGE_SIZE);
	check_now(test);
	while (nr--)
		vtr_heap_free(&ht->heap, ht->taken[nr]);
	check_now(test);
	KUNIT_EXPECT_EQ(test, ht->heap.used_bytes, 32);
}

static void reserve_is_used_when_needed(struct kunit *test)
{
	struct heap_test *ht = test->priv;
	u32 per_page = PAGE_SIZE / INSPECT_MAX_BLOCK_BYTES, i;

	give_pages(test, 2);
	for (i = 0; i < per_page - 1; i++)
		alloc_bytes(test, 2048);
	KUNIT_EXPECT_EQ(test, ht->heap.nr_pages, 1);
	check_now(test);
	KUNIT_EXPECT_EQ(test, alloc_bytes(test, 2048),
			(u32)VTR_HEAP_BLOCKS_PER_PAGE);
	KUNIT_EXPECT_EQ(test, ht->heap.nr_pages, 2);
	check_now(test);
	for (i = 0; i < 2 * per_page - 1; i++)
		alloc_bytes(test, 2048);
	KUNIT_EXPECT_EQ(test, ht->heap.nr_pages, 3);
	KUNIT_EXPECT_EQ(test, vtr_heap_alloc(&ht->heap, 2048, &i), -ENOSPC);
	check_now(test);
}

static void free_unlinks_from_the_middle(struct kunit *test)
{
	struct heap_test *ht = test->priv;
	u32 left[5], right[5], i;

	/* five pairs of buddies; the left ones free, so five in the list */
	alloc_bytes(test, 32);
	for (i = 0; i < 5; i++) {
		left[i] = alloc_bytes(test, 16);
		right[i] = alloc_bytes(test, 16);
		KUNIT_ASSERT_EQ(test, left[i] ^ 1, right[i]);
	}
	for (i = 0; i < 5; i++)
		vtr_heap_free(&ht->heap, left[i]);
	check_now(test);
	/* from the middle, from the front, from the end */
	vtr_heap_free(&ht->heap, right[2]);
	check_now(test);
	vtr_heap_free(&ht->heap, right[4]);
	check_now(test);
	vtr_heap_free(&ht->heap, right[0]);
	check_now(test);
}

static void heap_step(struct kunit *test, struct random *random)
{
	struct heap_test *ht = test->priv;
	u32 used = ht->heap.used_bytes, i;
	size_t size;
	int err;

	switch (random_below(random, 16)) {
	case 0:
		if (ht->heap.nr_ready < HEAP_TEST_PAGES &&
		    !random_below(random, 16))
			give_pages(test, 1);
		return;
	case 1 ... 8:
		size = 1 + random_below(random, 16 << random_below(random, 8));
		err = vtr_heap_alloc(&ht->heap, size,
				     &ht->taken[ht->nr_taken]);
		if (err) {
			KUNIT_ASSERT_EQ(test, err, -ENOSPC);
			KUNIT_ASSERT_EQ(test, ht->heap.used_bytes, used);
			return;
		}
		i = ht->taken[ht->nr_taken++];
		memset(vtr_heap_block(&ht->heap, i) + 1, 0x5a,
		       vtr_block_bytes(vtr_heap_block(&ht->heap, i)) - 8);
		return;
	default:
		if (!ht->nr_taken)
			return;
		i = random_below(random, ht->nr_taken);
		vtr_heap_free(&ht->heap, ht->taken[i]);
		ht->taken[i] = ht->taken[--ht->nr_taken];
	}
}

static void heap_walk(struct kunit *test, u64 seed)
{
	struct heap_test *ht = test->priv;
	struct random random = { seed };
	u32 i;

	for (i = 0; i < HEAP_TEST_STEPS; i++) {
		heap_step(test, &random);
		check_now(test);
	}
	while (ht->nr_taken)
		vtr_heap_free(&ht->heap, ht->taken[--ht->nr_taken]);
	check_now(test);
	KUNIT_EXPECT_EQ(test, ht->heap.used_bytes, 32);
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
	KUNIT_CASE(every_size_gets_the_smallest_order),
	KUNIT_CASE(more_than_a_block_is_refused),
	KUNIT_CASE(new_block_is_reserved_and_zero),
	KUNIT_CASE(free_merges_with_left_buddy),
	KUNIT_CASE(free_merges_with_right_buddy),
	KUNIT_CASE(last_freed_is_taken_again_unmerged),
	KUNIT_CASE(next_free_merges_the_one_before),
	KUNIT_CASE(full_heap_merges_before_it_refuses),
	KUNIT_CASE(smallest_block_merges_all_the_way),
	KUNIT_CASE(header_never_merges),
	KUNIT_CASE(freed_bytes_are_zero),
	KUNIT_CASE(full_heap_refuses_and_recovers),
	KUNIT_CASE(reserve_is_used_when_needed),
	KUNIT_CASE(free_unlinks_from_the_middle),
	KUNIT_CASE(walk_with_a_fixed_seed),
	KUNIT_CASE(walk_with_a_fresh_seed),
	{}
};

static struct kunit_suite heap_suite = {
	.name = "vitrine_heap",
	.init = heap_test_init,
	.test_cases = heap_cases,
};

kunit_test_suite(heap_suite);
