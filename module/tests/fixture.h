/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tree of a case: at first one page, and a few names.
 *
 * Included by the suites of tree.c and array.c.
 */
#ifndef _VTR_TESTS_FIXTURE_H
#define _VTR_TESTS_FIXTURE_H

#include "inspect/array.h"
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
	u32			filled[4];	/* the last values of fill_heap() */
} *fixture;

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
	vtr_tree_use_names(tree, fixture->names, FIXTURE_NAMES);
	add_page(test);
	vtr_tree_init(tree);
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
	return check_parent(block_at(index));
}

static inline u32 name_of(u32 index)
{
	return check_name_index(block_at(index));
}

static inline u32 nr_references(u32 text)
{
	return block_at(text)[0] >> 40;
}

/* Expect the type and order of a block, the parent of its value, and its second word. */
static inline void expect_block(struct kunit *test, u32 index, u32 low_bits, u32 parent, u64 word)
{
	const u64 *block = block_at(index);

	KUNIT_EXPECT_EQ(test, block[0] & 0xffff, (u64)low_bits);
	KUNIT_EXPECT_EQ(test, value_parent(index), parent);
	KUNIT_EXPECT_EQ(test, block[1], word);
}

/* The index of what was created last. A call that is refused does not write it. */
static u32 made;

static inline int try_value(u32 parent, const char *name, enum inspect_type type, u64 bits)
{
	return vtr_tree_create(tree, parent, name, type, bits, INSPECT_MIN_BLOCK_BYTES, &made);
}

static inline int try_buffer(u32 parent, const char *name, enum inspect_buffer_format format,
			     const void *bytes, size_t len_bytes)
{
	return vtr_tree_buffer_create(tree, parent, name, format, bytes, len_bytes, &made);
}

static inline u32 new_value(struct kunit *test, u32 parent, const char *name,
			    enum inspect_type type, u64 bits)
{
	KUNIT_ASSERT_EQ(test, try_value(parent, name, type, bits), 0);
	return made;
}

static inline u32 new_node(struct kunit *test, u32 parent)
{
	return new_value(test, parent, "n", INSPECT_NODE_VALUE, 0);
}

static inline u32 new_number(struct kunit *test, u32 parent)
{
	return new_value(test, parent, "v", INSPECT_UINT_VALUE, 1);
}

static inline void delete_value(struct kunit *test, u32 index)
{
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, index), 0);
}

/* Create values of 16 bytes until the heap is full. */
static inline void fill_heap(void)
{
	u32 nr;

	for (nr = 0; !try_value(INSPECT_ROOT, "v", INSPECT_UINT_VALUE, 0); nr++)
		fixture->filled[nr % 4] = made;
}

static inline u32 begin_refusal(void)
{
	made = 99;
	return tree->heap.used_bytes;
}

static inline void end_refusal(struct kunit *test, u32 used_bytes, const char *call, int err,
			       int wanted)
{
	KUNIT_EXPECT_EQ_MSG(test, err, wanted, "%s", call);
	KUNIT_EXPECT_EQ_MSG(test, made, 99, "%s", call);
	KUNIT_EXPECT_EQ_MSG(test, tree->heap.used_bytes, used_bytes, "%s", call);
	check_now(test);
}

/* Expect that a call, whose result would be @made, fails and changes nothing. */
#define EXPECT_REFUSED(test, err, call) do {				\
	u32 used_before = begin_refusal();				\
									\
	end_refusal(test, used_before, #call, call, err);		\
} while (0)

static inline void expect_name(struct kunit *test, u32 index, const char *name)
{
	KUNIT_ASSERT_EQ_MSG(test, check_has_text(block_at(name_of(index)), name), true, "%s", name);
}

/* Record the value that was created last, unless that failed, as vitrine_value_create() does. */
static inline int record(u32 node, int err)
{
	if (!err)
		vtr_record_insert(tree, node, made);
	return err;
}

static inline int record_value(u32 node, const char *name, enum inspect_type type, u64 bits)
{
	return record(node, try_value(node, name, type, bits));
}

static inline int record_number(u32 node)
{
	return record_value(node, "v", INSPECT_UINT_VALUE, 1);
}

static inline int record_buffer(u32 node, const char *name, enum inspect_buffer_format format,
				const void *bytes, size_t len_bytes)
{
	return record(node, try_buffer(node, name, format, bytes, len_bytes));
}

static inline u32 new_recorded_node(struct kunit *test, u32 node)
{
	KUNIT_ASSERT_EQ(test, record_value(node, "r", INSPECT_NODE_VALUE, 0), 0);
	return made;
}

#endif /* _VTR_TESTS_FIXTURE_H */
