// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of lists in tree.c: which items a list has, and that nothing of it is left.
 */

#include "fixture.h"

static u32 new_list(struct kunit *test, u32 capacity)
{
	KUNIT_ASSERT_EQ(test, vtr_fifo_create(tree, INSPECT_ROOT, "l", capacity, &made), 0);
	check_now(test);
	return made;
}

/* Append an item with two values, of which one stands in a node of its own. */
static u32 append(struct kunit *test, u32 list)
{
	u32 item = 0, dropped = 0;

	KUNIT_ASSERT_EQ(test, vtr_fifo_append(tree, list, &item, &dropped), 0);
	if (dropped)
		KUNIT_EXPECT_FALSE(test, vtr_tree_purge(tree, dropped, UINT_MAX));
	KUNIT_ASSERT_EQ(test, record_number(item), 0);
	KUNIT_ASSERT_EQ(test, record_number(new_recorded_node(test, item)), 0);
	check_now(test);
	return item;
}

static void delete_list(struct kunit *test, u32 list, unsigned int slice)
{
	delete_value(test, list);
	while (vtr_tree_purge(tree, list, slice))
		check_now(test);
}

static void expect_item(struct kunit *test, u32 item, u32 number)
{
	char name[12];

	scnprintf(name, sizeof(name), "%u", number);
	expect_name(test, item, name);
}

static void full_list_drops_its_oldest(struct kunit *test)
{
	u32 list = new_list(test, 3), item[5], i;

	for (i = 0; i < ARRAY_SIZE(item); i++) {
		item[i] = append(test, list);
		expect_item(test, item[i], i);
		KUNIT_EXPECT_EQ(test, value_parent(item[i]), list);
		KUNIT_EXPECT_EQ(test, block_at(list)[1], (u64)min(i + 1, 3U));
	}
	/* the youngest three are those that are left */
	for (i = 2; i < ARRAY_SIZE(item); i++)
		expect_item(test, item[i], i);
	KUNIT_EXPECT_EQ(test, tree->nr_values, 1 + 3 * 4);
	delete_list(test, list, UINT_MAX);
	expect_empty(test);
}

static void held_node_outlives_its_item(struct kunit *test)
{
	u32 list = new_list(test, 1), held = new_node(test, append(test, list));

	append(test, list);
	KUNIT_EXPECT_EQ(test, tree->nr_tombstones, 1);
	delete_list(test, list, UINT_MAX);
	KUNIT_EXPECT_EQ(test, tree->nr_tombstones, 2);
	delete_value(test, held);
	expect_empty(test);
}

static void items_go_with_their_list_only(struct kunit *test)
{
	u32 list = new_list(test, 2), item = append(test, list);
	u32 node = new_node(test, INSPECT_ROOT);

	EXPECT_REFUSED(test, -EINVAL, vtr_tree_delete(tree, item));
	EXPECT_REFUSED(test, -EINVAL, vtr_node_adopt(tree, node, list));
	EXPECT_REFUSED(test, -EINVAL, vtr_node_adopt(tree, node, item));
	EXPECT_REFUSED(test, -EINVAL, vtr_fifo_append(tree, node, &made, &made));
}

static void item_that_does_not_fit_drops_nothing(struct kunit *test)
{
	u32 list = new_list(test, 1), item = append(test, list);

	while (!record_number(item))
		;
	EXPECT_REFUSED(test, -ENOSPC, vtr_fifo_append(tree, list, &made, &made));
	expect_item(test, item, 0);
	delete_list(test, list, 100);
	expect_empty(test);
}

static struct kunit_case fifo_cases[] = {
	KUNIT_CASE(full_list_drops_its_oldest),
	KUNIT_CASE(held_node_outlives_its_item),
	KUNIT_CASE(items_go_with_their_list_only),
	KUNIT_CASE(item_that_does_not_fit_drops_nothing),
	{}
};

VTR_KUNIT_SUITE(fifo, .init = fixture_init, .exit = check_now);
