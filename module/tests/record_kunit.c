// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of recorded values in tree.c: which values are deleted with a node, and which stay.
 */
#include <kunit/test.h>

#include "fixture.h"

static u32 recorded_node(struct kunit *test, u32 node)
{
	struct fixture *f = test->priv;
	u32 index = 0;

	KUNIT_ASSERT_EQ(test, record_node(&f->tree, node, "r", &index), 0);
	return index;
}

/* One value of each kind. */
static void record_values(struct kunit *test, u32 node)
{
	static const enum inspect_type types[] = {
		INSPECT_INT_VALUE, INSPECT_UINT_VALUE, INSPECT_DOUBLE_VALUE,
		INSPECT_BOOL_VALUE,
	};
	struct fixture *f = test->priv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		KUNIT_ASSERT_EQ(test, record_number(&f->tree, node, "v",
						    types[i], 1), 0);
	KUNIT_ASSERT_EQ(test, record_buffer(&f->tree, node, "s",
					    INSPECT_BUFFER_UTF8,
						"a text of two blocks, or so",
						27), 0);
	KUNIT_ASSERT_EQ(test, record_buffer(&f->tree, node, "b",
					    INSPECT_BUFFER_BINARY, NULL, 0),
			0);
}

static void delete_with_all(struct kunit *test, u32 node)
{
	struct fixture *f = test->priv;

	KUNIT_ASSERT_EQ(test, vtr_tree_delete(&f->tree, node), 0);
	KUNIT_EXPECT_FALSE(test, vtr_tree_purge(&f->tree, node, UINT_MAX));
	fixture_check(test);
}

static void recorded_values_go_with_their_node(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 node = fixture_node(test, INSPECT_ROOT), index;
	u32 other = fixture_node(test, INSPECT_ROOT);

	record_values(test, other);
	record_values(test, node);
	fixture_check(test);
	KUNIT_EXPECT_EQ(test, fixture_block(test, node)[1], 6ULL);
	/* values of its recorded nodes, too, whenever they were recorded */
	index = recorded_node(test, node);
	record_values(test, index);
	record_values(test, node);
	record_values(test, recorded_node(test, index));
	record_values(test, index);
	fixture_check(test);

	delete_with_all(test, node);
	KUNIT_EXPECT_EQ(test, f->tree.nr_values, 1 + 6);
	delete_with_all(test, other);
	fixture_expect_empty(test);
}

static void node_without_records_goes_alone(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 node = fixture_node(test, INSPECT_ROOT);
	u32 value = fixture_number(test, node);

	delete_with_all(test, node);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&f->tree, value), 0);
	delete_with_all(test, fixture_node(test, INSPECT_ROOT));
	fixture_expect_empty(test);
}

static void values_with_handles_stay(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 node = fixture_node(test, INSPECT_ROOT);
	u32 recorded = recorded_node(test, node);
	u32 held = fixture_node(test, recorded);
	u32 value = fixture_number(test, held);

	record_values(test, held);
	record_values(test, recorded);
	delete_with_all(test, node);
	KUNIT_EXPECT_EQ(test, f->tree.nr_tombstones, 2);
	KUNIT_EXPECT_EQ(test, fixture_block(test, held)[1], 7ULL);
	KUNIT_EXPECT_EQ(test, fixture_parent(test, held), recorded);
	record_values(test, held);
	delete_with_all(test, held);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&f->tree, value), 0);
	fixture_expect_empty(test);
}

static void adopted_node_keeps_its_records(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 a = fixture_node(test, INSPECT_ROOT);
	u32 b = fixture_node(test, INSPECT_ROOT);

	record_values(test, a);
	record_values(test, b);
	KUNIT_EXPECT_EQ(test, vtr_node_adopt(&f->tree, recorded_node(test, b), a),
			0);
	record_values(test, a);
	delete_with_all(test, b);
	KUNIT_EXPECT_EQ(test, fixture_block(test, a)[1], 12ULL);
	delete_with_all(test, a);
	fixture_expect_empty(test);
}

static void purge_takes_no_more_than_asked(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 node = fixture_node(test, INSPECT_ROOT), nr = 1;

	record_values(test, recorded_node(test, node));
	record_values(test, node);
	KUNIT_ASSERT_EQ(test, vtr_tree_delete(&f->tree, node), 0);
	/* 12 values, and the node between them: 13 */
	while (vtr_tree_purge(&f->tree, node, 2)) {
		fixture_check(test);
		nr++;
	}
	KUNIT_EXPECT_EQ(test, nr, 7);
	fixture_expect_empty(test);
}

static void recorded_node_cannot_go_or_move_alone(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 node = fixture_node(test, INSPECT_ROOT);
	u32 recorded = recorded_node(test, node);

	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&f->tree, recorded), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_node_adopt(&f->tree, INSPECT_ROOT, recorded),
			-EINVAL);
	fixture_check(test);
	delete_with_all(test, node);
	fixture_expect_empty(test);
}

static void failed_record_changes_nothing(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 node = fixture_node(test, INSPECT_ROOT), index = 99;
	u32 value = fixture_number(test, INSPECT_ROOT), used;

	KUNIT_EXPECT_EQ(test, record_number(&f->tree, value, "v",
					    INSPECT_UINT_VALUE, 1),
			-EINVAL);
	while (!record_number(&f->tree, node, "v", INSPECT_UINT_VALUE, 1))
		;
	used = f->tree.heap.used_bytes;
	KUNIT_EXPECT_EQ(test, record_buffer(&f->tree, node, "v",
					    INSPECT_BUFFER_UTF8, "v", 1),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, record_node(&f->tree, node, "v", &index),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, index, 99);
	KUNIT_EXPECT_EQ(test, f->tree.heap.used_bytes, used);
	fixture_check(test);
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

static struct kunit_suite record_suite = {
	.name = "vitrine_record",
	.init = fixture_init,
	.test_cases = record_cases,
};

kunit_test_suite(record_suite);
