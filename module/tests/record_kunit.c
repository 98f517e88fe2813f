// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of recorded values in tree.c: which values are deleted with a node, and which stay.
 */

#include "fixture.h"

/* Record one value of each kind: six. */
static void record_values(struct kunit *test, u32 node)
{
	static const enum inspect_type types[] = {
		INSPECT_INT_VALUE, INSPECT_UINT_VALUE, INSPECT_DOUBLE_VALUE, INSPECT_BOOL_VALUE,
	};
	static const char text[] = "a text of two blocks, or so";
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		KUNIT_ASSERT_EQ(test, record_value(node, "v", types[i], 1), 0);
	KUNIT_ASSERT_EQ(test, record_buffer(node, "s", INSPECT_BUFFER_UTF8, text, strlen(text)),
			0);
	KUNIT_ASSERT_EQ(test, record_buffer(node, "b", INSPECT_BUFFER_BINARY, NULL, 0), 0);
	check_now(test);
}

static void delete_with_all(struct kunit *test, u32 node)
{
	delete_value(test, node);
	KUNIT_EXPECT_FALSE(test, vtr_tree_purge(tree, node, UINT_MAX));
	check_now(test);
}

static void recorded_values_go_with_their_node(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT), other = new_node(test, INSPECT_ROOT), index;

	record_values(test, other);
	record_values(test, node);
	KUNIT_EXPECT_EQ(test, block_at(node)[1], 6ULL);
	/* values of its recorded nodes, too, whenever they were recorded */
	index = new_recorded_node(test, node);
	record_values(test, index);
	record_values(test, node);
	record_values(test, new_recorded_node(test, index));
	record_values(test, index);

	delete_with_all(test, node);
	KUNIT_EXPECT_EQ(test, tree->nr_values, 1 + 6);
	delete_with_all(test, other);
	expect_empty(test);
}

static void values_with_handles_stay(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT), recorded = new_recorded_node(test, node);
	u32 held = new_node(test, recorded), value = new_number(test, held);

	record_values(test, held);
	record_values(test, recorded);
	delete_with_all(test, node);
	KUNIT_EXPECT_EQ(test, tree->nr_tombstones, 2);
	expect_block(test, held, 0x300, recorded, 7);
	record_values(test, held);
	delete_with_all(test, held);
	delete_value(test, value);
	expect_empty(test);
}

static void purge_takes_no_more_than_asked(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT), nr = 1;

	record_values(test, new_recorded_node(test, node));
	record_values(test, node);
	delete_value(test, node);
	/* 12 values, and the node between them: 13 */
	for (; vtr_tree_purge(tree, node, 2); nr++)
		check_now(test);
	KUNIT_EXPECT_EQ(test, nr, 7);
	expect_empty(test);
}

static void recorded_node_cannot_go_or_move_alone(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT), recorded = new_recorded_node(test, node);

	EXPECT_REFUSED(test, -EINVAL, vtr_tree_delete(tree, recorded));
	EXPECT_REFUSED(test, -EINVAL, vtr_node_adopt(tree, INSPECT_ROOT, recorded));
	delete_with_all(test, node);
	expect_empty(test);
}

static void failed_record_changes_nothing(struct kunit *test)
{
	u32 node = new_node(test, INSPECT_ROOT), value = new_number(test, INSPECT_ROOT);

	KUNIT_EXPECT_EQ(test, record_number(value), -EINVAL);
	while (!record_number(node))
		;
	EXPECT_REFUSED(test, -ENOSPC, record_buffer(node, "v", INSPECT_BUFFER_UTF8, "v", 1));
	EXPECT_REFUSED(test, -ENOSPC, record_value(node, "v", INSPECT_NODE_VALUE, 0));
	delete_with_all(test, node);
}

static struct kunit_case record_cases[] = {
	KUNIT_CASE(recorded_values_go_with_their_node),
	KUNIT_CASE(values_with_handles_stay),
	KUNIT_CASE(purge_takes_no_more_than_asked),
	KUNIT_CASE(recorded_node_cannot_go_or_move_alone),
	KUNIT_CASE(failed_record_changes_nothing),
	{}
};

VTR_KUNIT_SUITE(record, .init = fixture_init, .exit = check_now);
