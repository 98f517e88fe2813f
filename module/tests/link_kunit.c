// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of links in tree.c: links in the bits of the format, and where their content
 * may be.
 */

#include "fixture.h"

static int try_link(u32 parent, const char *content, enum inspect_link_disposition disposition)
{
	return vtr_link_create(tree, parent, "l", content, disposition, &made);
}

static void link_block_is_as_the_format_says(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT), child, inlined, text;

	KUNIT_ASSERT_EQ(test, try_link(node, "o.inspect", INSPECT_LINK_CHILD), 0);
	child = made;
	KUNIT_ASSERT_EQ(test, try_link(node, "o.inspect", INSPECT_LINK_INLINE), 0);
	inlined = made;
	check_now(test);
	/* Both refer to the content; nothing but its index, and the disposition. */
	text = block_at(child)[1] & 0xfffff;
	expect_block(test, child, 0xc00, node, text);
	expect_block(test, inlined, 0xc00, node, text | 1ULL << 60);
	KUNIT_EXPECT_EQ(test, vtr_block_type(block_at(text)), INSPECT_STRING_REFERENCE);
	KUNIT_EXPECT_EQ(test, nr_references(text), 2);
	KUNIT_EXPECT_TRUE(test, check_has_text(block_at(text), "o.inspect"));

	delete_value(test, child);
	check_now(test);
	delete_value(test, inlined);
	delete_value(test, node);
	expect_empty(test);
}

static void content_beyond_20_bits_is_refused(struct kunit *test)
{
	u32 nr_pages = (1U << 20) / VTR_HEAP_BLOCKS_PER_PAGE + 1, used;
	void **pages = zalloc(test, nr_pages * sizeof(*pages));
	u32 **notes = zalloc(test, nr_pages * sizeof(*notes));

	new_node(test, INSPECT_ROOT);
	/* Simulates a heap whose first 16 MiB are in use. */
	pages[0] = fixture->pages[0];
	notes[0] = fixture->notes[0];
	tree->heap.pages = pages;
	tree->notes = notes;
	tree->heap.nr_pages = nr_pages - 1;
	tree->heap.nr_ready = nr_pages - 1;
	memset(tree->heap.free, 0, sizeof(tree->heap.free));
	add_page(test);

	/* The tree is not checked, most pages of which do not exist. */
	used = begin_refusal();
	KUNIT_EXPECT_EQ(test, try_link(INSPECT_ROOT, "o.inspect", INSPECT_LINK_CHILD), -EFBIG);
	KUNIT_EXPECT_EQ(test, made, 99);
	KUNIT_EXPECT_EQ(test, tree->heap.used_bytes, used);
	KUNIT_EXPECT_EQ(test, tree->nr_values, 1);
	/* an existing text in the first 16 MiB can be used */
	KUNIT_EXPECT_EQ(test, try_link(INSPECT_ROOT, "n", INSPECT_LINK_CHILD), 0);
	KUNIT_EXPECT_EQ(test, made >> 20, 1);
}

static void link_that_does_not_fit_changes_nothing(struct kunit *test)
{
	u32 value = new_number(test, INSPECT_ROOT);

	EXPECT_REFUSED(test, -EINVAL, try_link(value, "o.inspect", INSPECT_LINK_CHILD));
	fill_heap();
	EXPECT_REFUSED(test, -ENOSPC, try_link(INSPECT_ROOT, "v", INSPECT_LINK_CHILD));
}

static struct kunit_case link_cases[] = {
	KUNIT_CASE(link_block_is_as_the_format_says),
	KUNIT_CASE(content_beyond_20_bits_is_refused),
	KUNIT_CASE(link_that_does_not_fit_changes_nothing),
	{}
};

VTR_KUNIT_SUITE(link, .init = fixture_init);
