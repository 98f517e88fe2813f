// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of nodes in tree.c: moving nodes. Blocks and tombstones are in the suite of
 * tree.c.
 */
#include <kunit/test.h>

#include "fixture.h"

static int adopt(struct kunit *test, u32 parent, u32 child)
{
	struct fixture *f = test->priv;

	return vtr_node_adopt(&f->tree, parent, child);
}

static int delete_node(struct kunit *test, u32 index)
{
	struct fixture *f = test->priv;

	return vtr_tree_delete(&f->tree, index);
}

/* Create @nr nodes, each below the previous one, the first below @parent. */
static void new_row(struct kunit *test, u32 parent, u32 *row, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		row[i] = fixture_node(test, i ? row[i - 1] : parent);
}

static void adopted_node_has_another_parent(struct kunit *test)
{
	u32 a = fixture_node(test, INSPECT_ROOT);
	u32 b = fixture_node(test, INSPECT_ROOT);
	u32 child = fixture_node(test, a);
	u32 value = fixture_number(test, child);

	KUNIT_EXPECT_EQ(test, adopt(test, b, child), 0);
	KUNIT_EXPECT_EQ(test, fixture_parent(test, child), b);
	KUNIT_EXPECT_EQ(test, fixture_parent(test, value), child);
	KUNIT_EXPECT_EQ(test, fixture_block(test, a)[1], 0ULL);
	KUNIT_EXPECT_EQ(test, fixture_block(test, b)[1], 1ULL);
	fixture_check(test);
	KUNIT_EXPECT_EQ(test, adopt(test, b, child), 0);
	KUNIT_EXPECT_EQ(test, fixture_block(test, b)[1], 1ULL);
	KUNIT_EXPECT_EQ(test, adopt(test, INSPECT_ROOT, child), 0);
	KUNIT_EXPECT_EQ(test, fixture_parent(test, child), INSPECT_ROOT);
	fixture_check(test);
}

static void what_is_adopted_from_a_tombstone_frees_it(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 row[3];

	new_row(test, INSPECT_ROOT, row, 3);
	KUNIT_EXPECT_EQ(test, delete_node(test, row[1]), 0);
	KUNIT_EXPECT_EQ(test, delete_node(test, row[0]), 0);
	KUNIT_EXPECT_EQ(test, f->tree.nr_tombstones, 2);
	KUNIT_EXPECT_EQ(test, adopt(test, INSPECT_ROOT, row[2]), 0);
	KUNIT_EXPECT_EQ(test, f->tree.nr_tombstones, 0);
	fixture_check(test);
	KUNIT_EXPECT_EQ(test, delete_node(test, row[2]), 0);
	fixture_expect_empty(test);
}

static void cycles_are_refused(struct kunit *test)
{
	u32 row[4];

	new_row(test, INSPECT_ROOT, row, 4);
	KUNIT_EXPECT_EQ(test, adopt(test, row[1], row[1]), -ELOOP);
	KUNIT_EXPECT_EQ(test, adopt(test, row[2], row[1]), -ELOOP);
	KUNIT_EXPECT_EQ(test, adopt(test, row[3], row[0]), -ELOOP);
	KUNIT_EXPECT_EQ(test, fixture_parent(test, row[1]), row[0]);
	fixture_check(test);
	/* through a deleted node, too */
	KUNIT_EXPECT_EQ(test, delete_node(test, row[2]), 0);
	KUNIT_EXPECT_EQ(test, adopt(test, row[3], row[1]), -ELOOP);
	fixture_check(test);
}

static void only_nodes_adopt_and_are_adopted(struct kunit *test)
{
	u32 node = fixture_node(test, INSPECT_ROOT);
	u32 deleted = fixture_node(test, INSPECT_ROOT);
	u32 value = fixture_number(test, deleted);

	KUNIT_EXPECT_EQ(test, delete_node(test, deleted), 0);
	KUNIT_EXPECT_EQ(test, adopt(test, node, value), -EINVAL);
	KUNIT_EXPECT_EQ(test, adopt(test, value, node), -EINVAL);
	KUNIT_EXPECT_EQ(test, adopt(test, node, INSPECT_ROOT), -EINVAL);
	KUNIT_EXPECT_EQ(test, adopt(test, node, deleted), -EINVAL);
	KUNIT_EXPECT_EQ(test, adopt(test, deleted, node), -EINVAL);
	fixture_check(test);
}

static struct kunit_case node_cases[] = {
	KUNIT_CASE(adopted_node_has_another_parent),
	KUNIT_CASE(what_is_adopted_from_a_tombstone_frees_it),
	KUNIT_CASE(cycles_are_refused),
	KUNIT_CASE(only_nodes_adopt_and_are_adopted),
	{}
};

static struct kunit_suite node_suite = {
	.name = "vitrine_node",
	.init = fixture_init,
	.test_cases = node_cases,
};

kunit_test_suite(node_suite);
