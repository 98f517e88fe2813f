// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of lists in tree.c: which items a list has, and that nothing of it is left.
 */
#include <kunit/test.h>

#include "fixture.h"

static u32 new_list(struct kunit *test, u32 capacity)
{
	struct fixture *f = test->priv;
	u32 index = 0;

	KUNIT_ASSERT_EQ(test, vtr_fifo_create(&f->tree, INSPECT_ROOT, "l",
					      capacity, &index), 0);
	fixture_check(test);
	return index;
}

/* Append an item with two values, of which one stands in a node of its own. */
static u32 append(struct kunit *test, u32 list)
{
	struct fixture *f = test->priv;
	u32 item = 0, dropped = 0, node = 0;

	KUNIT_ASSERT_EQ(test, vtr_fifo_append(&f->tree, list, &item, &dropped),
			0);
	if (dropped)
		KUNIT_EXPECT_FALSE(test, vtr_tree_purge(&f->tree, dropped,
							UINT_MAX));
	KUNIT_ASSERT_EQ(test, record_number(&f->tree, item, "v",
					    INSPECT_UINT_VALUE, 1), 0);
	KUNIT_ASSERT_EQ(test, record_node(&f->tree, item, "r", &node), 0);
	KUNIT_ASSERT_EQ(test, record_number(&f->tree, node, "v",
					    INSPECT_UINT_VALUE, 2), 0);
	fixture_check(test);
	return item;
}

static void expect_item(struct kunit *test, u32 index, const char *name)
{
	const u64 *text = fixture_block(test,
					fixture_block(test, index)[0] >> 40);

	KUNIT_EXPECT_EQ(test, (u32)text[1], strlen(name));
	KUNIT_EXPECT_EQ(test, memcmp((u8 *)text + 12, name, strlen(name)), 0);
}

static void delete_list(struct kunit *test, u32 list, unsigned int slice)
{
	struct fixture *f = test->priv;

	KUNIT_ASSERT_EQ(test, vtr_tree_delete(&f->tree, list), 0);
	while (vtr_tree_purge(&f->tree, list, slice))
		fixture_check(test);
}

static void full_list_drops_its_oldest(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 list = new_list(test, 3), item[5], i;
	char name[12];

	for (i = 0; i < ARRAY_SIZE(item); i++) {
		item[i] = append(test, list);
		scnprintf(name, sizeof(name), "%u", i);
		expect_item(test, item[i], name);
		KUNIT_EXPECT_EQ(test, fixture_parent(test, item[i]), list);
		KUNIT_EXPECT_EQ(test, fixture_block(test, list)[1],
				(u64)min(i + 1, 3U));
	}
	/* the youngest three are those that are left */
	for (i = 2; i < ARRAY_SIZE(item); i++) {
		scnprintf(name, sizeof(name), "%u", i);
		expect_item(test, item[i], name);
	}
	KUNIT_EXPECT_EQ(test, f->tree.nr_values, 1 + 3 * 4);
	delete_list(test, list, UINT_MAX);
	fixture_expect_empty(test);
}

static void list_goes_in_slices(struct kunit *test)
{
	u32 list = new_list(test, 3), i;

	for (i = 0; i < 4; i++)
		append(test, list);
	delete_list(test, list, 1);
	fixture_expect_empty(test);
	delete_list(test, new_list(test, 1), 1);
	fixture_expect_empty(test);
}

static void list_of_one_has_the_last(struct kunit *test)
{
	u32 list = new_list(test, 1);

	append(test, list);
	expect_item(test, append(test, list), "1");
	KUNIT_EXPECT_EQ(test, fixture_block(test, list)[1], 1ULL);
	delete_list(test, list, 2);
	fixture_expect_empty(test);
}

static void held_node_outlives_its_item(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 list = new_list(test, 1);
	u32 held = fixture_node(test, append(test, list));

	append(test, list);
	KUNIT_EXPECT_EQ(test, f->tree.nr_tombstones, 1);
	delete_list(test, list, UINT_MAX);
	KUNIT_EXPECT_EQ(test, f->tree.nr_tombstones, 2);
	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&f->tree, held), 0);
	fixture_expect_empty(test);
}

static void items_go_with_their_list_only(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 list = new_list(test, 2), item = append(test, list), index = 99;
	u32 node = fixture_node(test, INSPECT_ROOT);

	KUNIT_EXPECT_EQ(test, vtr_tree_delete(&f->tree, item), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_node_adopt(&f->tree, node, list), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_node_adopt(&f->tree, node, item), -EINVAL);
	KUNIT_EXPECT_EQ(test, vtr_fifo_append(&f->tree, node, &index, &index),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, index, 99);
	fixture_check(test);
}

static void item_that_does_not_fit_drops_nothing(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 list = new_list(test, 1), item = append(test, list);
	u32 index = 99, dropped = 99, used;

	while (!record_number(&f->tree, item, "v", INSPECT_UINT_VALUE, 1))
		;
	used = f->tree.heap.used_bytes;
	KUNIT_EXPECT_EQ(test, vtr_fifo_append(&f->tree, list, &index, &dropped),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, index, 99);
	KUNIT_EXPECT_EQ(test, dropped, 99);
	KUNIT_EXPECT_EQ(test, f->tree.heap.used_bytes, used);
	expect_item(test, item, "0");
	fixture_check(test);
	delete_list(test, list, 100);
	fixture_expect_empty(test);
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

static struct kunit_suite fifo_suite = {
	.name = "vitrine_fifo",
	.init = fixture_init,
	.test_cases = fifo_cases,
};

kunit_test_suite(fifo_suite);
