// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of recorded values in tree.c: which values are deleted with a node, and which stay.
 */

#include "fixture.h"
#include "suite.h"

static u32 recorded_node(struct kunit *test, u32 node)
{
	u32 index = 0;

	KUNIT_ASSERT_EQ(test, record_node(node, "r", &index), 0);
	return index;
}

/* One value of each kind. */
static void record_values(struct kunit *test, u32 node)
{
	static const enum inspect_type types[] = {
		INSPECT_INT_VALUE, INSPECT_UINT_VALUE, INSPECT_DOUBLE_VALUE,
		INSPECT_BOOL_VALUE,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		KUNIT_ASSERT_EQ(test, record_number(node, "v", types[i], 1), 0);
	KUNIT_ASSERT_EQ(test, record_buffer(node, "s",
					    INSPECT_BUFFER_UTF8,
						"a text of two blocks, or so",
						27), 0);
	KUNIT_ASSERT_EQ(test, record_buffer(node, "b", INSPECT_BUFFER_BINARY, NULL, 0), 0);
}

static void delete_with_all(struct kunit *test, u32 node)
{
	KUNIT_ASSERT_EQ(test, vtr_tree_delete(tree, node), 0);
	KUNIT_EXPECT_FALSE(test, vtr_tree_purge(tree, node, UINT_MAX));
	check_now(test);
}

static void recorded_values_go_with_their_node(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT, "n"), index;
	u32 other = new_node(test, INSPECT_ROOT, "n");

	record_values(test, other);
	record_values(test, node);
	check_now(test);
	KUNIT_EXPECT_EQ(test, block_at(node)[1], 6ULL);
	/* values of its recorded nodes, too, whenever they were recorded */
	index = recorded_node(test, node);
	record_values(test, index);
	record_values(test, node);
	record_values(test, recorded_node(test, index));
	record_values(test, index);
	check_now(test);

	delete_with_all(test, node);
	KUNIT_EXPECT_EQ(test, tree->nr_values, 1 + 6);
	delete_with_all(test, other);
	expect_empty(test);
}

static void node_without_records_goes_alone(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT, "n");
	u32 value = new_number(test, node);

	delete_with_all(test, node);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, value), 0);
	delete_with_all(test, new_node(test, INSPECT_ROOT, "n"));
	expect_empty(test);
}

static void values_with_handles_stay(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT, "n");
	u32 recorded = recorded_node(test, node);
	u32 held = new_node(test, recorded, "n");
	u32 value = new_number(test, held);

	record_values(test, held);
	record_values(test, recorded);
	delete_with_all(test, node);
	KUNIT_EXPECT_EQ(test, tree->nr_tombstones, 2);
	KUNIT_EXPECT_EQ(test, block_at(held)[1], 7ULL);
	KUNIT_EXPECT_EQ(test, value_parent(held), recorded);
	record_values(test, held);
	delete_with_all(test, held);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, value), 0);
	expect_empty(test);
}

static void adopted_node_keeps_its_records(struct kunit *test)
{
	u32 a = new_node(test, INSPECT_ROOT, "n");
	u32 b = new_node(test, INSPECT_ROOT, "n");

	record_values(test, a);
	record_values(test, b);
	KUNIT_EXPECT_EQ(test, vtr_node_adopt(tree, recorded_node(test, b), a), 0);
	record_values(test, a);
	delete_with_all(test, b);
	KUNIT_EXPECT_EQ(test, block_at(a)[1], 12ULL);
	delete_with_all(test, a);
	expect_empty(test);
}

static void purge_takes_no_more_than_asked(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT, "n"), nr = 1;

	record_values(test, recorded_node(test, node));
	record_values(test, node);
	KUNIT_ASSERT_EQ(test, vtr_tree_delete(tree, node), 0);
	/* 12 values, and the node between them: 13 */
	while (vtr_tree_purge(tree, node, 2)) {
		check_now(test);
		nr++;
	}
	KUNIT_EXPECT_EQ(test, nr, 7);
	expect_empty(test);
}

static void recorded_node_cannot_go_or_move_alone(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT, "n");
	u32 recorded = recorded_node(test, node);

	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, recorded), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_node_adopt(tree, INSPECT_ROOT, recorded), -EINVAL);
	check_now(test);
	delete_with_all(test, node);
	expect_empty(test);
}

static void failed_record_changes_nothing(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT, "n"), index = 99;
	u32 value = new_number(test, INSPECT_ROOT), used;

	KUNIT_EXPECT_EQ(test, record_number(value, "v", INSPECT_UINT_VALUE, 1), -EINVAL);
	while (!record_number(node, "v", INSPECT_UINT_VALUE, 1))
		;
	used = tree->heap.used_bytes;
	KUNIT_EXPECT_EQ(test, record_buffer(node, "v", INSPECT_BUFFER_UTF8, "v", 1), -ENOSPC);
	KUNIT_EXPECT_EQ(test, record_node(node, "v", &index), -ENOSPC);
	KUNIT_EXPECT_EQ(test, index, 99);
	KUNIT_EXPECT_EQ(test, tree->heap.used_bytes, used);
	check_now(test);
	delete_with_all(test, node);
}

static struct kunit_case record_cases[] = {
	KUNIT_CASE(recorded_values_go_with_their_node),
	KUNIT_CASE(node_without_records_goes_alone),
	KUNIT_CASE(values_with_handles_stay),
	KUNIT_CASE(adopted_node_keeps_its_records),
	KUNIT_CASE(purge_takes_no_more_than_asked),
	KUNIT_CASE(recorded_node_cannot_go_or_move_alone),
	KUNIT_CASE(failed_record_changes_nothing),
	{}
};

VTR_KUNIT_SUITE(record, .init = fixture_init, .exit = check_now);
