// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of links in tree.c: links in the bits of the format, and where their content
 * may be.
 */
#include <kunit/test.h>

#include "fixture.h"

static void link_block_is_as_the_format_says(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 node = fixture_node(test, INSPECT_ROOT), child = 0, inlined = 0;
	const u64 *block, *text;

	KUNIT_ASSERT_EQ(test, vtr_link_create(&f->tree, node, "c", "o.inspect",
					      INSPECT_LINK_CHILD, &child), 0);
	KUNIT_ASSERT_EQ(test, vtr_link_create(&f->tree, node, "i", "o.inspect",
					      INSPECT_LINK_INLINE, &inlined),
			0);
	fixture_check(test);
	block = fixture_block(test, child);
	KUNIT_EXPECT_EQ(test, block[0] & 0xffff, 0xc00ULL);
	KUNIT_EXPECT_EQ(test, fixture_parent(test, child), node);
	/* nothing but the content's index */
	KUNIT_EXPECT_EQ(test, block[1] & ~0xfffffULL, 0ULL);
	text = fixture_block(test, block[1]);
	KUNIT_EXPECT_EQ(test, vtr_block_type(text), INSPECT_STRING_REFERENCE);
	/* both refer to it */
	KUNIT_EXPECT_EQ(test, text[0] >> 40, 2ULL);
	KUNIT_EXPECT_EQ(test, (u32)text[1], 9);
	KUNIT_EXPECT_EQ(test, memcmp((u8 *)text + 12, "o.inspect", 9), 0);
	KUNIT_EXPECT_EQ(test, fixture_block(test, inlined)[1],
			block[1] | 1ULL << 60);

	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&f->tree, child), 0);
	fixture_check(test);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&f->tree, inlined), 0);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&f->tree, node), 0);
	fixture_expect_empty(test);
}

static void content_beyond_20_bits_is_refused(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 nr_pages = (1U << 20) / VTR_HEAP_BLOCKS_PER_PAGE + 1, index = 99;
	void **pages = kunit_kcalloc(test, nr_pages, sizeof(*pages),
				     GFP_KERNEL);
	u32 **notes = kunit_kcalloc(test, nr_pages, sizeof(*notes), GFP_KERNEL);
	void *page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	u32 used;

	KUNIT_ASSERT_NOT_NULL(test, pages);
	KUNIT_ASSERT_NOT_NULL(test, notes);
	KUNIT_ASSERT_NOT_NULL(test, page);
	fixture_node(test, INSPECT_ROOT);
	/* Simulates a heap whose first 16 MiB are in use. */
	pages[0] = f->pages[0];
	notes[0] = f->notes[0];
	f->tree.heap.pages = pages;
	f->tree.notes = notes;
	f->tree.heap.nr_pages = nr_pages - 1;
	f->tree.heap.nr_ready = nr_pages - 1;
	memset(f->tree.heap.free, 0, sizeof(f->tree.heap.free));
	vtr_tree_add_page(&f->tree, page, check_notes(test));
	used = f->tree.heap.used_bytes;

	KUNIT_EXPECT_EQ(test, vtr_link_create(&f->tree, INSPECT_ROOT, "l",
					      "o.inspect", INSPECT_LINK_CHILD,
					      &index), -EFBIG);
	KUNIT_EXPECT_EQ(test, index, 99);
	KUNIT_EXPECT_EQ(test, f->tree.heap.used_bytes, used);
	KUNIT_EXPECT_EQ(test, f->tree.nr_values, 1);
	/* an existing text in the first 16 MiB can be used */
	KUNIT_EXPECT_EQ(test, vtr_link_create(&f->tree, INSPECT_ROOT, "l",
					      "n", INSPECT_LINK_CHILD,
					      &index), 0);
	KUNIT_EXPECT_EQ(test, index >> 20, 1);
}

static void link_that_does_not_fit_changes_nothing(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 value = fixture_number(test, INSPECT_ROOT), index = 99, used;

	KUNIT_EXPECT_EQ(test, vtr_link_create(&f->tree, value, "l", "o.inspect",
					      INSPECT_LINK_CHILD, &index),
			-EINVAL);
	while (!vtr_tree_value_create(&f->tree, INSPECT_ROOT, "v",
				      INSPECT_UINT_VALUE, 0, &index))
		;
	index = 99;
	used = f->tree.heap.used_bytes;
	KUNIT_EXPECT_EQ(test, vtr_link_create(&f->tree, INSPECT_ROOT, "l",
					      "v", INSPECT_LINK_CHILD,
					      &index), -ENOSPC);
	KUNIT_EXPECT_EQ(test, f->tree.heap.used_bytes, used);
	KUNIT_EXPECT_EQ(test, index, 99);
	fixture_check(test);
}

static struct kunit_case link_cases[] = {
	KUNIT_CASE(link_block_is_as_the_format_says),
	KUNIT_CASE(content_beyond_20_bits_is_refused),
	KUNIT_CASE(link_that_does_not_fit_changes_nothing),
	{}
};

static struct kunit_suite link_suite = {
	.name = "vitrine_link",
	.init = fixture_init,
	.test_cases = link_cases,
};

kunit_test_suite(link_suite);
