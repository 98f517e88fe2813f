/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of nodes, records, links, lists, health and statistics through the public
 * interface.
 *
 * A part of inspect_kunit.c, which includes it after the helpers of both.
 */
#ifndef _VTR_TESTS_INSPECT_NODES_H
#define _VTR_TESTS_INSPECT_NODES_H

#include <linux/device.h>

#define NODES_TEST_RECORDS	100	/* more than one slice */

static void null_nodes_are_accepted_too(struct kunit *test)
{
	struct vitrine_health health;

	vitrine_node_adopt(NULL, root);
	vitrine_node_adopt(root, NULL);
	KUNIT_EXPECT_NULL(test, vitrine_record_node(NULL, "n"));
	vitrine_record_int(NULL, "i", 1);
	vitrine_record_uint(NULL, "u", 1);
	vitrine_record_double(NULL, "d", 1);
	vitrine_record_bool(NULL, "b", true);
	vitrine_record_string(NULL, "s", "v");
	vitrine_record_bytes(NULL, "b", "v", 1);
	KUNIT_EXPECT_NULL(test, vitrine_link_create(NULL, "l", "t", INSPECT_LINK_CHILD));
	vitrine_delete(NULL);
	KUNIT_EXPECT_NULL(test, vitrine_list_create(NULL, "l", 1));
	KUNIT_EXPECT_NULL(test, vitrine_list_append(NULL));
	vitrine_health_init(NULL, root);
	vitrine_health_init(&health, NULL);
	vitrine_health_ok(NULL);
	vitrine_health_starting_up(&health, "m");
	vitrine_health_unhealthy(&health, "m");
	vitrine_health_deinit(&health);
	vitrine_health_deinit(NULL);
	vitrine_tree_show_stats(NULL);
	KUNIT_EXPECT_EQ(test, failures(), 0);
}

static u32 nr_values(void)
{
	struct vtr_inspect_stats stats;

	vtr_inspect_stats(tree, &stats);
	return stats.nr_values + stats.nr_tombstones;
}

static void record_many(struct vitrine_node *node)
{
	struct vitrine_node *below = vitrine_record_node(node, "below");
	unsigned int i;

	for (i = 0; i < NODES_TEST_RECORDS; i++) {
		vitrine_record_uint(below, "u", i);
		vitrine_record_string(node, "s", "a text");
	}
}

static void a_node_takes_along_what_it_owns(struct kunit *test)
{
	struct vitrine_node *node = vitrine_node_create(root, "n");
	struct vitrine_uint *held;
	unsigned long flags;

	record_many(node);
	held = vitrine_uint_create(node, "held", 1);
	KUNIT_EXPECT_EQ(test, nr_values(), 3 + 2 * NODES_TEST_RECORDS);
	check_live(test);
	vitrine_delete(node);
	KUNIT_EXPECT_EQ(test, nr_values(), 2);
	check_live(test);
	vitrine_delete(held);
	KUNIT_EXPECT_EQ(test, nr_values(), 0);

	/* in a batch the deletion is one edit, and blocks come from the reserve */
	flags = vitrine_batch_begin(tree);
	node = vitrine_node_create(root, "n");
	record_many(node);
	vitrine_batch_end(tree, flags);
	KUNIT_EXPECT_EQ(test, nr_values(), 2 + 2 * NODES_TEST_RECORDS);
	flags = vitrine_batch_begin(tree);
	vitrine_delete(node);
	vitrine_batch_end(tree, flags);
	KUNIT_EXPECT_EQ(test, nr_values(), 0);
	KUNIT_EXPECT_EQ(test, failures(), 0);
}

static void moves_that_cannot_be_are_counted(struct kunit *test)
{
	struct vitrine_node *a = vitrine_node_create(root, "a");
	struct vitrine_node *b = vitrine_node_create(a, "b");

	vitrine_node_adopt(b, a);
	KUNIT_EXPECT_EQ(test, failures(), 1);
	vitrine_node_adopt(b, b);
	KUNIT_EXPECT_EQ(test, failures(), 2);
	vitrine_node_adopt(root, b);
	KUNIT_EXPECT_EQ(test, failures(), 2);
}

static void links_to_no_name_are_counted(struct kunit *test)
{
	struct vitrine_link *link;

	KUNIT_EXPECT_NULL(test, vitrine_link_create(root, "l", "", INSPECT_LINK_CHILD));
	KUNIT_EXPECT_NULL(test, vitrine_link_create(root, "l", "a/b", INSPECT_LINK_CHILD));
	KUNIT_EXPECT_NULL(test, vitrine_link_create(root, "l", NULL, INSPECT_LINK_CHILD));
	KUNIT_EXPECT_EQ(test, failures(), 3);
	link = vitrine_link_create(root, "l", long_name, INSPECT_LINK_INLINE);
	KUNIT_EXPECT_NOT_NULL(test, link);
	check_live(test);
	vitrine_delete(link);
}

static void a_list_keeps_its_last(struct kunit *test)
{
	struct vitrine_list *list = vitrine_list_create(root, "l", 2);
	unsigned int i;

	KUNIT_EXPECT_NULL(test, vitrine_list_create(root, "l", 0));
	KUNIT_EXPECT_EQ(test, failures(), 1);
	for (i = 0; i < 5; i++) {
		record_many(vitrine_list_append(list));
		check_live(test);
	}
	KUNIT_EXPECT_EQ(test, bits_of(list), 2ULL);
	KUNIT_EXPECT_EQ(test, nr_values(), 1 + 2 * (2 + 2 * NODES_TEST_RECORDS));
	vitrine_delete(list);
	KUNIT_EXPECT_EQ(test, nr_values(), 0);
	KUNIT_EXPECT_EQ(test, failures(), 1);
}

/* The text of a string that fits in one extent. */
static const char *text_of(const void *handle)
{
	u32 extent = bits_of(handle) >> 32 & 0xffffff;

	return (const char *)(vtr_tree_block(&tree->blocks, extent) + 1);
}

static void health_has_a_status_and_maybe_a_message(struct kunit *test)
{
	struct vitrine_health health;
	u64 generation;

	vitrine_health_init(&health, root);
	KUNIT_ASSERT_NOT_NULL(test, health.status);
	KUNIT_EXPECT_EQ(test, bits_of(health.node), 2ULL);
	KUNIT_EXPECT_STREQ(test, text_of(health.status), "STARTING_UP");
	generation = *tree->generation;
	vitrine_health_unhealthy(&health, "on fire");
	KUNIT_EXPECT_EQ(test, *tree->generation, generation + 2);
	KUNIT_EXPECT_STREQ(test, text_of(health.status), "UNHEALTHY");
	KUNIT_EXPECT_STREQ(test, text_of(health.message), "on fire");
	vitrine_health_starting_up(&health, "again");
	KUNIT_EXPECT_STREQ(test, text_of(health.message), "again");
	vitrine_health_ok(&health);
	KUNIT_EXPECT_STREQ(test, text_of(health.status), "OK");
	KUNIT_EXPECT_NULL(test, health.message);
	KUNIT_EXPECT_EQ(test, bits_of(health.node), 2ULL);
	check_live(test);
	vitrine_health_deinit(&health);
	KUNIT_EXPECT_EQ(test, nr_values(), 0);
	KUNIT_EXPECT_EQ(test, failures(), 0);
}

static void figures_are_right_when_read(struct kunit *test)
{
	struct vtr_inspect_stats stats;

	vitrine_tree_show_stats(tree);
	vitrine_tree_show_stats(tree);
	KUNIT_EXPECT_EQ(test, nr_values(), 6);
	vitrine_uint_create(root, NULL, 1);
	vitrine_bytes_create(root, "b", long_name, 60);
	vtr_inspect_refresh(tree);
	vtr_inspect_stats(tree, &stats);
	KUNIT_EXPECT_EQ(test, bits_of(tree->figures[0]), stats.size_bytes);
	KUNIT_EXPECT_EQ(test, bits_of(tree->figures[1]), 256ULL << 10);
	KUNIT_EXPECT_EQ(test, bits_of(tree->figures[2]), stats.used_bytes);
	KUNIT_EXPECT_EQ(test, bits_of(tree->figures[3]), 7ULL);
	KUNIT_EXPECT_EQ(test, bits_of(tree->figures[4]), 1ULL);
}

static void a_tree_goes_with_its_device(struct kunit *test)
{
	struct device *dev = root_device_register("vitrine-kunit");
	struct vitrine_tree *again;

	KUNIT_ASSERT_FALSE(test, IS_ERR(dev));
	KUNIT_EXPECT_NOT_NULL(test, devm_vitrine_tree_create(dev, "devm", 0));
	KUNIT_EXPECT_NULL(test, vitrine_tree_create("devm", 0));
	root_device_unregister(dev);
	again = vitrine_tree_create("devm", 0);
	KUNIT_EXPECT_NOT_NULL(test, again);
	vitrine_tree_destroy(again);
}

#endif /* _VTR_TESTS_INSPECT_NODES_H */
