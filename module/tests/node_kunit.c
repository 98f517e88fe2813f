// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of nodes in tree.c: moving nodes. Blocks and tombstones are in the suite of
 * tree.c.
 */

#include "fixture.h"

static void expect_adopt(struct kunit *test, u32 parent, u32 child, int err)
{
	u32 before = value_parent(child);

	KUNIT_EXPECT_EQ(test, vtr_node_adopt(tree, parent, child), err);
	KUNIT_EXPECT_EQ(test, value_parent(child), err ? before : parent);
	check_now(test);
}

/* Create nodes, each below the previous one. */
static void new_row(struct kunit *test, u32 *row, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		row[i] = new_node(test, i ? row[i - 1] : INSPECT_ROOT);
}

static void cycles_are_refused(struct kunit *test)
{
	u32 row[4];

	new_row(test, row, 4);
	expect_adopt(test, row[1], row[1], -ELOOP);
	expect_adopt(test, row[2], row[1], -ELOOP);
	expect_adopt(test, row[3], row[0], -ELOOP);
	/* through a deleted node, too */
	delete_value(test, row[2]);
	expect_adopt(test, row[3], row[1], -ELOOP);
}

static void only_nodes_adopt_and_are_adopted(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT), deleted = new_node(test, INSPECT_ROOT);
	u32 value = new_number(test, deleted);

	delete_value(test, deleted);
	expect_adopt(test, node, value, -EINVAL);
	expect_adopt(test, value, node, -EINVAL);
	expect_adopt(test, node, INSPECT_ROOT, -EINVAL);
	expect_adopt(test, node, deleted, -EINVAL);
	expect_adopt(test, deleted, node, -EINVAL);
}

static struct kunit_case node_cases[] = {
	KUNIT_CASE(cycles_are_refused),
	KUNIT_CASE(only_nodes_adopt_and_are_adopted),
	{}
};

VTR_KUNIT_SUITE(node, .init = fixture_init, .exit = check_now);
