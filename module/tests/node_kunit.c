// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of nodes in tree.c: moving nodes. Blocks and tombstones are in the suite of
 * tree.c.
 */

#include "fixture.h"
#include "suite.h"

static int adopt(u32 parent, u32 child)
{
	return vtr_node_adopt(tree, parent, child);
}

static int delete_node(u32 index)
{
	return vtr_tree_delete(tree, index);
}

/* Create @nr nodes, each below the previous one, the first below @parent. */
static void new_row(struct kunit *test, u32 parent, u32 *row, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		row[i] = new_node(test, i ? row[i - 1] : parent, "n");
}

static void adopted_node_has_another_parent(struct kunit *test)
{
	u32 a = new_node(test, INSPECT_ROOT, "n");
	u32 b = new_node(test, INSPECT_ROOT, "n");
	u32 child = new_node(test, a, "n");
	u32 value = new_number(test, child);

	KUNIT_EXPECT_EQ(test, adopt(b, child), 0);
	KUNIT_EXPECT_EQ(test, value_parent(child), b);
	KUNIT_EXPECT_EQ(test, value_parent(value), child);
	KUNIT_EXPECT_EQ(test, block_at(a)[1], 0ULL);
	KUNIT_EXPECT_EQ(test, block_at(b)[1], 1ULL);
	check_now(test);
	KUNIT_EXPECT_EQ(test, adopt(b, child), 0);
	KUNIT_EXPECT_EQ(test, block_at(b)[1], 1ULL);
	KUNIT_EXPECT_EQ(test, adopt(INSPECT_ROOT, child), 0);
	KUNIT_EXPECT_EQ(test, value_parent(child), INSPECT_ROOT);
}

static void what_is_adopted_from_a_tombstone_frees_it(struct kunit *test)
{
	u32 row[3];

	new_row(test, INSPECT_ROOT, row, 3);
	KUNIT_EXPECT_EQ(test, delete_node(row[1]), 0);
	KUNIT_EXPECT_EQ(test, delete_node(row[0]), 0);
	KUNIT_EXPECT_EQ(test, tree->nr_tombstones, 2);
	KUNIT_EXPECT_EQ(test, adopt(INSPECT_ROOT, row[2]), 0);
	KUNIT_EXPECT_EQ(test, tree->nr_tombstones, 0);
	check_now(test);
	KUNIT_EXPECT_EQ(test, delete_node(row[2]), 0);
	expect_empty(test);
}

static void cycles_are_refused(struct kunit *test)
{
	u32 row[4];

	new_row(test, INSPECT_ROOT, row, 4);
	KUNIT_EXPECT_EQ(test, adopt(row[1], row[1]), -ELOOP);
	KUNIT_EXPECT_EQ(test, adopt(row[2], row[1]), -ELOOP);
	KUNIT_EXPECT_EQ(test, adopt(row[3], row[0]), -ELOOP);
	KUNIT_EXPECT_EQ(test, value_parent(row[1]), row[0]);
	check_now(test);
	/* through a deleted node, too */
	KUNIT_EXPECT_EQ(test, delete_node(row[2]), 0);
	KUNIT_EXPECT_EQ(test, adopt(row[3], row[1]), -ELOOP);
}

static void only_nodes_adopt_and_are_adopted(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT, "n");
	u32 deleted = new_node(test, INSPECT_ROOT, "n");
	u32 value = new_number(test, deleted);

	KUNIT_EXPECT_EQ(test, delete_node(deleted), 0);
	KUNIT_EXPECT_EQ(test, adopt(node, value), -EINVAL);
	KUNIT_EXPECT_EQ(test, adopt(value, node), -EINVAL);
	KUNIT_EXPECT_EQ(test, adopt(node, INSPECT_ROOT), -EINVAL);
	KUNIT_EXPECT_EQ(test, adopt(node, deleted), -EINVAL);
	KUNIT_EXPECT_EQ(test, adopt(deleted, node), -EINVAL);
}

static struct kunit_case node_cases[] = {
	KUNIT_CASE(adopted_node_has_another_parent),
	KUNIT_CASE(what_is_adopted_from_a_tombstone_frees_it),
	KUNIT_CASE(cycles_are_refused),
	KUNIT_CASE(only_nodes_adopt_and_are_adopted),
	{}
};

VTR_KUNIT_SUITE(node, .init = fixture_init, .exit = check_now);
