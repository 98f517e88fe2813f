/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tree of a case: at first one page, and a few names.
 *
 * Included by the suites of tree.c and array.c.
 */
#ifndef _VTR_TESTS_FIXTURE_H
#define _VTR_TESTS_FIXTURE_H

#include "inspect/tree.h"
#include "check.h"

#define FIXTURE_PAGES	40
#define FIXTURE_NAMES	16	/* slots in the table of names */

static struct fixture {
	struct vtr_tree		tree;
	struct check		check;
	struct vtr_tree_name	names[FIXTURE_NAMES];
	void			*pages[FIXTURE_PAGES];
	u32			*notes[FIXTURE_PAGES];
} *fixture;

/* That of the fixture. */
static struct vtr_tree *tree;

static inline void add_page(struct kunit *test)
{
	vtr_tree_add_page(tree, zalloc(test, PAGE_SIZE), check_notes(test));
}

static inline int fixture_init(struct kunit *test)
{
	fixture = zalloc(test, sizeof(*fixture));
	tree = &fixture->tree;
	check_init(test, &fixture->check, FIXTURE_PAGES);
	tree->heap.pages = fixture->pages;
	tree->notes = fixture->notes;
	tree->names = fixture->names;
	add_page(test);
	vtr_tree_init(tree, FIXTURE_NAMES);
	return 0;
}

/* Also called after each case. */
static inline void check_now(struct kunit *test)
{
	check_tree(test, tree, &fixture->check);
}

/* Nothing is left but the header, which is the root. */
static inline void expect_empty(struct kunit *test)
{
	check_now(test);
	KUNIT_EXPECT_EQ(test, tree->nr_values, 0);
	KUNIT_EXPECT_EQ(test, tree->nr_tombstones, 0);
	KUNIT_EXPECT_EQ(test, tree->heap.used_bytes, 32);
}

static inline u64 *block_at(u32 index)
{
	return vtr_tree_block(tree, index);
}

static inline u32 value_parent(u32 index)
{
	return block_at(index)[0] >> 16 & 0xffffff;
}

static inline u32 name_of(u32 index)
{
	return block_at(index)[0] >> 40;
}

static inline u32 nr_references(u32 text)
{
	return block_at(text)[0] >> 40;
}

/* Create a value of 16 bytes. */
static inline int try_value(u32 parent, const char *name, enum inspect_type type, u64 bits,
			    u32 *ret)
{
	return vtr_tree_create(tree, parent, name, type, bits, INSPECT_MIN_BLOCK_BYTES, ret);
}

static inline u32 new_value(struct kunit *test, u32 parent, const char *name,
			    enum inspect_type type, u64 bits)
{
	u32 index = 0;

	KUNIT_ASSERT_EQ(test, try_value(parent, name, type, bits, &index), 0);
	return index;
}

static inline u32 new_node(struct kunit *test, u32 parent, const char *name)
{
	return new_value(test, parent, name, INSPECT_NODE_VALUE, 0);
}

static inline u32 new_number(struct kunit *test, u32 parent)
{
	return new_value(test, parent, "v", INSPECT_UINT_VALUE, 1);
}

static inline void expect_text(struct kunit *test, u32 index, const char *text)
{
	const u64 *block = block_at(index);

	KUNIT_ASSERT_EQ(test, (u32)block[1], strlen(text));
	KUNIT_ASSERT_TRUE(test, !memcmp((u8 *)block + 12, text, strlen(text)));
}

/* Check a name, which is shared unless the table of names is crowded. */
static inline void expect_name(struct kunit *test, u32 index, const char *name)
{
	u32 text = name_of(index);
	const u64 *block = block_at(text);

	if (vtr_block_type(block) != INSPECT_NAME) {
		expect_text(test, text, name);
		return;
	}
	KUNIT_ASSERT_EQ(test, block[0] >> 16, strlen(name));
	KUNIT_ASSERT_TRUE(test, !memcmp(block + 1, name, strlen(name)));
}

/* Create a value as vitrine_value_create() does for a recorded one. */
static inline int record_number(u32 node, const char *name, enum inspect_type type, u64 word1)
{
	u32 index;
	int err = try_value(node, name, type, word1, &index);

	if (!err)
		vtr_record_insert(tree, node, index);
	return err;
}

static inline int record_buffer(u32 node, const char *name, enum inspect_buffer_format format,
				const void *value, size_t len_bytes)
{
	u32 index;
	int err = vtr_tree_buffer_create(tree, node, name, format, value, len_bytes, &index);

	if (!err)
		vtr_record_insert(tree, node, index);
	return err;
}

static inline int record_node(u32 node, const char *name, u32 *ret)
{
	int err = try_value(node, name, INSPECT_NODE_VALUE, 0, ret);

	if (!err)
		vtr_record_insert(tree, node, *ret);
	return err;
}

#endif /* _VTR_TESTS_FIXTURE_H */
