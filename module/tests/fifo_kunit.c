// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of lists in tree.c: which items a list has, and that nothing of it is left.
 */

#include "fixture.h"
#include "suite.h"

static u32 new_list(struct kunit *test, u32 capacity)
{
	u32 index = 0;

	KUNIT_ASSERT_EQ(test, vtr_fifo_create(tree, INSPECT_ROOT, "l", capacity, &index), 0);
	check_now(test);
	return index;
}

/* Append an item with two values, of which one stands in a node of its own. */
static u32 append(struct kunit *test, u32 list)
{
	u32 item = 0, dropped = 0, node = 0;

	KUNIT_ASSERT_EQ(test, vtr_fifo_append(tree, list, &item, &dropped), 0);
	if (dropped)
		KUNIT_EXPECT_FALSE(test, vtr_tree_purge(tree, dropped, UINT_MAX));
	KUNIT_ASSERT_EQ(test, record_number(item, "v", INSPECT_UINT_VALUE, 1), 0);
	KUNIT_ASSERT_EQ(test, record_node(item, "r", &node), 0);
	KUNIT_ASSERT_EQ(test, record_number(node, "v", INSPECT_UINT_VALUE, 2), 0);
	check_now(test);
	return item;
}

static void delete_list(struct kunit *test, u32 list, unsigned int slice)
{
	KUNIT_ASSERT_EQ(test, vtr_tree_delete(tree, list), 0);
	while (vtr_tree_purge(tree, list, slice))
		check_now(test);
}

static void full_list_drops_its_oldest(struct kunit *test)
{
	u32 list = new_list(test, 3), item[5], i;
	char name[12];

	for (i = 0; i < ARRAY_SIZE(item); i++) {
		item[i] = append(test, list);
		scnprintf(name, sizeof(name), "%u", i);
		expect_name(test, item[i], name);
		KUNIT_EXPECT_EQ(test, value_parent(item[i]), list);
		KUNIT_EXPECT_EQ(test, block_at(list)[1], (u64)min(i + 1, 3U));
	}
	/* the youngest three are those that are left */
	for (i = 2; i < ARRAY_SIZE(item); i++) {
		scnprintf(name, sizeof(name), "%u", i);
		expect_name(test, item[i], name);
	}
	KUNIT_EXPECT_EQ(test, tree->nr_values, 1 + 3 * 4);
	delete_list(test, list, UINT_MAX);
	expect_empty(test);
}

static void list_goes_in_slices(struct kunit *test)
{
	u32 list = new_list(test, 3), i;

	for (i = 0; i < 4; i++)
		append(test, list);
	delete_list(test, list, 1);
	expect_empty(test);
	delete_list(test, new_list(test, 1), 1);
	expect_empty(test);
}

static void list_of_one_has_the_last(struct kunit *test)
{
	u32 list = new_list(test, 1);

	append(test, list);
	expect_name(test, append(test, list), "1");
	KUNIT_EXPECT_EQ(test, block_at(list)[1], 1ULL);
	delete_list(test, list, 2);
	expect_empty(test);
}

static void held_node_outlives_its_item(struct kunit *test)
{
	u32 list = new_list(test, 1);
	u32 held = new_node(test, append(test, list), "n");

	append(test, list);
	KUNIT_EXPECT_EQ(test, tree->nr_tombstones, 1);
	delete_list(test, list, UINT_MAX);
	KUNIT_EXPECT_EQ(test, tree->nr_tombstones, 2);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, held), 0);
	expect_empty(test);
}

static void items_go_with_their_list_only(struct kunit *test)
{
	u32 list = new_list(test, 2), item = append(test, list), index = 99;
	u32 node = new_node(test, INSPECT_ROOT, "n");

	KUNIT_EXPECT_EQ(test, vtr_tree_delete(tree, item), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_node_adopt(tree, node, list), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_node_adopt(tree, node, item), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_fifo_append(tree, node, &index, &index), -EINVAL);
	KUNIT_EXPECT_EQ(test, index, 99);
}

static void item_that_does_not_fit_drops_nothing(struct kunit *test)
{
	u32 list = new_list(test, 1), item = append(test, list);
	u32 index = 99, dropped = 99, used;

	while (!record_number(item, "v", INSPECT_UINT_VALUE, 1))
		;
	used = tree->heap.used_bytes;
	KUNIT_EXPECT_EQ(test, vtr_fifo_append(tree, list, &index, &dropped), -ENOSPC);
	KUNIT_EXPECT_EQ(test, index, 99);
	KUNIT_EXPECT_EQ(test, dropped, 99);
	KUNIT_EXPECT_EQ(test, tree->heap.used_bytes, used);
	expect_name(test, item, "0");
	check_now(test);
	delete_list(test, list, 100);
	expect_empty(test);
}

static struct kunit_case fifo_cases[] = {
	KUNIT_CASE(full_list_drops_its_oldest),
	KUNIT_CASE(list_goes_in_slices),
	KUNIT_CASE(list_of_one_has_the_last),
	KUNIT_CASE(held_node_outlives_its_item),
	KUNIT_CASE(items_go_with_their_list_only),
	KUNIT_CASE(item_that_does_not_fit_drops_nothing),
	{}
};

VTR_KUNIT_SUITE(fifo, .init = fixture_init, .exit = check_now);
