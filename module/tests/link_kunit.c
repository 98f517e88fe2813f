// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of links in tree.c: links in the bits of the format, and where their content
 * may be.
 */

#include "fixture.h"
#include "suite.h"

static void link_block_is_as_the_format_says(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT, "n"), child = 0, inlined = 0;
	const u64 *block, *text;

	KUNIT_ASSERT_EQ(test, vtr_link_create(tree, node, "c", "o.inspect",
					      INSPECT_LINK_CHILD, &child), 0);
	KUNIT_ASSERT_EQ(test, vtr_link_create(tree, node, "i", "o.inspect",
					      INSPECT_LINK_INLINE, &inlined),
			0);
	check_now(test);
	block = block_at(child);
	KUNIT_EXPECT_EQ(test, block[0] & 0xffff, 0xc00ULL);
	KUNIT_EXPECT_EQ(test, value_parent(child), node);
	/* nothing but the content's index */
	KUNIT_EXPECT_EQ(test, block[1] & ~0xfffffULL, 0ULL);
	text = block_at(block[1]);
	KUNIT_EXPECT_EQ(test, vtr_block_type(text), INSPECT_STRING_REFERENCE);
	/* both refer to it */
	KUNIT_EXPECT_EQ(test, text[0] >> 40, 2ULL);
	KUNIT_EXPECT_EQ(test, (u32)text[1], 9);
	KUNIT_EXPECT_EQ(test, memcmp((u8 *)text + 12, "o.inspect", 9), 0);
	KUNIT_EXPECT_EQ(test, block_at(inlined)[1], block[1] | 1ULL << 60);

	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, child), 0);
	check_now(test);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, inlined), 0);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, node), 0);
	expect_empty(test);
}

static void content_beyond_20_bits_is_refused(struct kunit *test)
{
	u32 nr_pages = (1U << 20) / VTR_HEAP_BLOCKS_PER_PAGE + 1, index = 99;
	void **pages = zalloc(test, nr_pages * sizeof(*pages));
	u32 **notes = zalloc(test, nr_pages * sizeof(*notes));
	void *page = zalloc(test, PAGE_SIZE);
	u32 used;

	new_node(test, INSPECT_ROOT, "n");
	/* Simulates a heap whose first 16 MiB are in use. */
	pages[0] = fixture->pages[0];
	notes[0] = fixture->notes[0];
	tree->heap.pages = pages;
	tree->notes = notes;
	tree->heap.nr_pages = nr_pages - 1;
	tree->heap.nr_ready = nr_pages - 1;
	memset(tree->heap.free, 0, sizeof(tree->heap.free));
	vtr_tree_add_page(tree, page, check_notes(test));
	used = tree->heap.used_bytes;

	KUNIT_EXPECT_EQ(test, vtr_link_create(tree, INSPECT_ROOT, "l",
					      "o.inspect", INSPECT_LINK_CHILD,
					      &index), -EFBIG);
	KUNIT_EXPECT_EQ(test, index, 99);
	KUNIT_EXPECT_EQ(test, tree->heap.used_bytes, used);
	KUNIT_EXPECT_EQ(test, tree->nr_values, 1);
	/* an existing text in the first 16 MiB can be used */
	KUNIT_EXPECT_EQ(test, vtr_link_create(tree, INSPECT_ROOT, "l", "n", INSPECT_LINK_CHILD,
					      &index), 0);
	KUNIT_EXPECT_EQ(test, index >> 20, 1);
}

static void link_that_does_not_fit_changes_nothing(struct kunit *test)
{
	u32 value = new_number(test, INSPECT_ROOT), index = 99, used;

	KUNIT_EXPECT_EQ(test, vtr_link_create(tree, value, "l", "o.inspect",
					      INSPECT_LINK_CHILD, &index),
			-EINVAL);
	while (!try_value(INSPECT_ROOT, "v", INSPECT_UINT_VALUE, 0, &index))
		;
	index = 99;
	used = tree->heap.used_bytes;
	KUNIT_EXPECT_EQ(test, vtr_link_create(tree, INSPECT_ROOT, "l",
					      "v", INSPECT_LINK_CHILD,
					      &index), -ENOSPC);
	KUNIT_EXPECT_EQ(test, tree->heap.used_bytes, used);
	KUNIT_EXPECT_EQ(test, index, 99);
	check_now(test);
}

static struct kunit_case link_cases[] = {
	KUNIT_CASE(link_block_is_as_the_format_says),
	KUNIT_CASE(content_beyond_20_bits_is_refused),
	KUNIT_CASE(link_that_does_not_fit_changes_nothing),
	{}
};

VTR_KUNIT_SUITE(link, .init = fixture_init);
