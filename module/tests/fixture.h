/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A small tree for a suite: two pages, a few names.
 *
 * Included by the suites of tree.c and array.c.
 */
#ifndef _VTR_TESTS_FIXTURE_H
#define _VTR_TESTS_FIXTURE_H

#include "inspect/tree.h"
#include "check.h"

#define FIXTURE_PAGES	2
#define FIXTURE_NAMES	16

struct fixture {
	struct vtr_tree		tree;
	struct check		check;
	struct vtr_tree_name	names[FIXTURE_NAMES];
	void			*pages[FIXTURE_PAGES];
	u32			*notes[FIXTURE_PAGES];
};

static inline int fixture_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	void *page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_NOT_NULL(test, page);
	test->priv = f;
	check_init(test, &f->check, FIXTURE_PAGES);
	f->notes[0] = check_notes(test);
	vtr_tree_init(&f->tree, f->pages, page, f->notes, f->names,
		      FIXTURE_NAMES);
	return 0;
}

static inline void fixture_check(struct kunit *test)
{
	struct fixture *f = test->priv;

	check_tree(test, &f->tree, &f->check);
}

/* Nothing is left but the header, which is the root. */
static inline void fixture_expect_empty(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_check(test);
	KUNIT_EXPECT_EQ(test, f->tree.nr_values, 0);
	KUNIT_EXPECT_EQ(test, f->tree.nr_tombstones, 0);
	KUNIT_EXPECT_EQ(test, f->tree.heap.used_bytes, 32);
}

static inline u64 *fixture_block(struct kunit *test, u32 index)
{
	struct fixture *f = test->priv;

	return vtr_tree_block(&f->tree, index);
}

static inline u32 fixture_node(struct kunit *test, u32 parent)
{
	struct fixture *f = test->priv;
	u32 index = 0;

	KUNIT_ASSERT_EQ(test, vtr_node_create(&f->tree, parent, "n", &index),
			0);
	return index;
}

static inline u32 fixture_number(struct kunit *test, u32 parent)
{
	struct fixture *f = test->priv;
	u32 index = 0;

	KUNIT_ASSERT_EQ(test, vtr_tree_value_create(&f->tree, parent, "v",
						    INSPECT_UINT_VALUE, 1,
						    &index), 0);
	return index;
}

static inline u32 fixture_parent(struct kunit *test, u32 index)
{
	return fixture_block(test, index)[0] >> 16 & 0xffffff;
}

#endif /* _VTR_TESTS_FIXTURE_H */
