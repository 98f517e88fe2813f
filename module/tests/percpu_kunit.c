// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the per-CPU values of publish.c, kernel only: sums are exact, from every CPU
 * and with nested interrupts; histograms have the form of ordinary ones; values go with their
 * tree, or before it.
 */
#include <linux/completion.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>

#include "check.h"
#include "published.h"

#define PERCPU_TEST_TASKS	4
#define PERCPU_TEST_ROUNDS	20000
#define PERCPU_TEST_TIMER_NS	(200 * NSEC_PER_USEC)

/* Find the only value of the tree in a copy, as a reader does. */
static const u64 *only_value(struct kunit *test, const void *copied)
{
	unsigned int order, index;
	const u64 *block, *found = NULL;

	for (index = 2; index < VTR_HEAP_BLOCKS_PER_PAGE; index += 1 << order) {
		block = copied + index * INSPECT_MIN_BLOCK_BYTES;
		order = vtr_block_order(block);
		if (vtr_block_type(block) != INSPECT_UINT_VALUE &&
		    vtr_block_type(block) != INSPECT_ARRAY_VALUE)
			continue;
		KUNIT_ASSERT_NULL(test, found);
		found = block;
	}
	KUNIT_ASSERT_NOT_NULL(test, found);
	return found;
}

/* Copy the tree, and return its only value. */
static const u64 *read_value(struct kunit *test)
{
	void *copied, *ret = zalloc(test, PAGE_SIZE);
	size_t len;

	KUNIT_ASSERT_EQ(test, vtr_inspect_snapshot(tree, &copied, &len), 0);
	KUNIT_ASSERT_EQ(test, len, PAGE_SIZE);
	memcpy(ret, copied, len);
	kvfree(copied);
	return only_value(test, ret);
}

static void counter_is_summed_when_read(struct kunit *test)
{
	struct vitrine_percpu_uint *counter = vitrine_percpu_uint_create(root, "counter");
	unsigned int cpu;
	u64 generation;

	KUNIT_ASSERT_NOT_NULL(test, counter);
	for_each_possible_cpu(cpu)
		per_cpu_ptr(counter->cells, cpu)[0] = cpu + 1;
	vitrine_percpu_uint_add(counter, 5);
	vitrine_percpu_uint_add(NULL, 5);
	KUNIT_EXPECT_EQ(test, read_value(test)[1], nr_cpu_ids * (nr_cpu_ids + 1) / 2 + 5);
	generation = *tree->generation;
	read_value(test);
	KUNIT_EXPECT_EQ(test, *tree->generation, generation);
	vitrine_percpu_delete(counter);
	KUNIT_EXPECT_EQ(test, tree->blocks.nr_values, 0);
}

/* Insert the same values into both histograms and compare their slots. */
static void expect_the_same(struct kunit *test, u64 floor, u64 step,
			    u64 multiplier, unsigned int nr_buckets)
{
	struct vitrine_percpu_histogram *histogram;
	struct vitrine_uint_histogram *other;
	const u64 *block;
	u64 *expected;
	struct random random = { .state = step };
	unsigned int i;

	other = vitrine_uint_histogram_create(root, "other", floor, step, multiplier, nr_buckets);
	histogram = vitrine_percpu_histogram_create(root, "h", floor, step, multiplier, nr_buckets);
	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_ASSERT_NOT_NULL(test, histogram);
	for (i = 0; i < 5000; i++) {
		u64 value = random_u64(&random) >> random_below(&random, 64);

		if (random_below(&random, 4) == 0)
			value = floor + step * random_below(&random, 300) -
				random_below(&random, 2);
		vitrine_uint_histogram_insert(other, value);
		vitrine_percpu_histogram_insert(histogram, value);
	}
	expected = zalloc(test, INSPECT_MAX_BLOCK_BYTES);
	memcpy(expected, other, vtr_block_bytes((u64 *)other));
	vitrine_delete(other);
	block = read_value(test);
	KUNIT_EXPECT_EQ(test, block[1], expected[1]);
	KUNIT_EXPECT_EQ(test, memcmp(block + 2, expected + 2, vtr_block_bytes(block) - 16), 0);
	vitrine_percpu_delete(histogram);
}

static void histogram_is_that_of_the_tree(struct kunit *test)
{
	expect_the_same(test, 0, 1, 0, 100);
	expect_the_same(test, 7, 3, 0, 100);
	expect_the_same(test, 0, 4096, 0, 16);
	expect_the_same(test, 1, U64_MAX / 3, 0, 2);
	expect_the_same(test, 0, 1, 2, 63);
	expect_the_same(test, 100, 10, 2, 40);
	expect_the_same(test, 0, 1, 10, 15);
	expect_the_same(test, 0, 7, 3, 30);
	expect_the_same(test, 5, 9, 1, 9);
}

struct percpu_test_load {
	struct vitrine_percpu_uint	*counter;
	struct vitrine_percpu_histogram	*histogram;
	struct hrtimer			timer;
	struct completion		begun;
	u64				nr_interrupts;
};

static void load_step(struct percpu_test_load *load, u64 value)
{
	vitrine_percpu_uint_add(load->counter, 1);
	vitrine_percpu_histogram_insert(load->histogram, value & 7);
}

static enum hrtimer_restart load_interrupt(struct hrtimer *timer)
{
	struct percpu_test_load *load = container_of(timer, struct percpu_test_load, timer);

	load_step(load, load->nr_interrupts++);
	hrtimer_forward_now(timer, ns_to_ktime(PERCPU_TEST_TIMER_NS));
	return HRTIMER_RESTART;
}

static int load_run(void *ctx)
{
	struct percpu_test_load *load = ctx;
	unsigned int i;

	complete(&load->begun);
	for (i = 0; i < PERCPU_TEST_ROUNDS; i++) {
		load_step(load, i);
		cond_resched();
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* Read during the updates: a sum never decreases. */
static void run_load(struct kunit *test, struct percpu_test_load *load)
{
	struct task_struct *tasks[PERCPU_TEST_TASKS];
	u64 last = 0, now;
	unsigned int i;

	for (i = 0; i < PERCPU_TEST_TASKS; i++) {
		tasks[i] = kthread_run(load_run, load, "percpu_kunit");
		KUNIT_ASSERT_FALSE(test, IS_ERR(tasks[i]));
	}
	for (i = 0; i < 100; i++) {
		now = read_value(test)[1];
		KUNIT_EXPECT_GE(test, now, last);
		last = now;
		cond_resched();
	}
	/* A thread that is stopped before it begins does nothing. */
	for (i = 0; i < PERCPU_TEST_TASKS; i++)
		wait_for_completion(&load->begun);
	while (!READ_ONCE(load->nr_interrupts))
		schedule_timeout_uninterruptible(1);
	for (i = 0; i < PERCPU_TEST_TASKS; i++)
		kthread_stop(tasks[i]);
}

static void sums_from_tasks_and_interrupts_are_exact(struct kunit *test)
{
	struct vitrine_tree *other = vitrine_tree_create("kunit2", 0);
	struct percpu_test_load *load;
	u64 *block, expected, sum = 0;
	unsigned int i;

	load = zalloc(test, sizeof(*load));
	init_completion(&load->begun);
	load->counter = vitrine_percpu_uint_create(root, "counter");
	load->histogram = vitrine_percpu_histogram_create(vitrine_tree_root(other),
							  "h", 1, 1, VITRINE_LINEAR, 6);
	KUNIT_ASSERT_NOT_NULL(test, load->counter);
	KUNIT_ASSERT_NOT_NULL(test, load->histogram);
	hrtimer_init(&load->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	load->timer.function = load_interrupt;
	hrtimer_start(&load->timer, ns_to_ktime(PERCPU_TEST_TIMER_NS), HRTIMER_MODE_REL_HARD);
	run_load(test, load);
	hrtimer_cancel(&load->timer);

	expected = PERCPU_TEST_TASKS * PERCPU_TEST_ROUNDS + load->nr_interrupts;
	KUNIT_EXPECT_NE(test, load->nr_interrupts, 0ULL);
	vtr_inspect_refresh(tree);
	vtr_inspect_refresh(other);
	block = load->histogram->block;
	for (i = 4; i < 4 + 8; i++)
		sum += block[i];
	KUNIT_EXPECT_EQ(test, sum, expected);
	KUNIT_EXPECT_EQ(test, block[4], expected / 8 + !!(expected % 8));
	vitrine_percpu_delete(load->histogram);
	vitrine_tree_destroy(other);
	block = container_of(load->counter, struct vitrine_percpu_histogram, counter)->block;
	KUNIT_EXPECT_EQ(test, block[1], expected);
	vitrine_percpu_delete(load->counter);
}

static void a_value_may_be_deleted_after_its_node(struct kunit *test)
{
	struct vitrine_node *node = vitrine_node_create(root, "node");
	struct vitrine_percpu_uint *below = vitrine_percpu_uint_create(node, "below");

	vitrine_delete(node);
	vitrine_percpu_uint_add(below, 1);
	vitrine_percpu_delete(below);
	KUNIT_EXPECT_EQ(test, tree->blocks.nr_values + tree->blocks.nr_tombstones, 0);
}

/* Forget a counter and a histogram in a tree, whose first page shows whether the tree is freed. */
static struct page *forget_values(struct kunit *test, struct vitrine_tree *other)
{
	struct vitrine_node *node = vitrine_node_create(vitrine_tree_root(other), "node");
	struct vitrine_percpu_uint *counter = vitrine_percpu_uint_create(node, "counter");
	struct page *page = virt_to_page(other->area.pages[0]);

	KUNIT_ASSERT_NOT_NULL(test, counter);
	KUNIT_ASSERT_NOT_NULL(test, vitrine_percpu_histogram_create(node, "h", 0, 1, 2, 9));
	vitrine_percpu_uint_add(counter, 1);
	get_page(page);
	return page;
}

static void expect_freed(struct kunit *test, struct page *page)
{
	KUNIT_EXPECT_EQ(test, page_count(page), 1);
	put_page(page);
}

static void forgotten_values_go_with_their_tree(struct kunit *test)
{
	struct device *dev = root_device_register("vitrine-kunit");
	struct vitrine_tree *other = vitrine_tree_create("kunit2", 0);
	struct page *page = forget_values(test, other);

	vitrine_tree_destroy(other);
	expect_freed(test, page);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dev));
	page = forget_values(test, devm_vitrine_tree_create(dev, "kunit2", 0));
	root_device_unregister(dev);
	expect_freed(test, page);
	/* as that of a lazy tree whose fill() fails */
	other = vtr_inspect_create("kunit2", 0, GFP_KERNEL);
	page = forget_values(test, other);
	vtr_inspect_put(other);
	expect_freed(test, page);
}

/* The cells of many CPUs take long to read. */
static void a_refresh_lets_other_tasks_run(struct kunit *test)
{
	struct vitrine_percpu_histogram *histogram =
		vitrine_percpu_histogram_create(root, "h", 0, 1, 2, 60);

	KUNIT_ASSERT_NOT_NULL(test, histogram);
	if (IS_ENABLED(CONFIG_PREEMPTION))
		kunit_skip(test, "every task is preempted when another one is due");
	set_tsk_need_resched(current);
	set_preempt_need_resched();
	value_refresh(&histogram->refresher);
	KUNIT_EXPECT_FALSE(test, need_resched());
}

static void refusals_are_null(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, vitrine_percpu_uint_create(NULL, "counter"));
	KUNIT_EXPECT_NULL(test, vitrine_percpu_uint_create(root, NULL));
	KUNIT_EXPECT_NULL(test, vitrine_percpu_histogram_create(NULL, "h", 0, 1, VITRINE_LINEAR,
								9));
	KUNIT_EXPECT_NULL(test, vitrine_percpu_histogram_create(root, "h", 0, 0, VITRINE_LINEAR,
								9));
	KUNIT_EXPECT_NULL(test, vitrine_percpu_histogram_create(root, "h", 0, 1, 2, 65));
	vitrine_percpu_histogram_insert(NULL, 1);
	vitrine_percpu_destroy(NULL);
}

static struct kunit_case percpu_cases[] = {
	KUNIT_CASE(counter_is_summed_when_read),
	KUNIT_CASE(histogram_is_that_of_the_tree),
	KUNIT_CASE(sums_from_tasks_and_interrupts_are_exact),
	KUNIT_CASE(a_value_may_be_deleted_after_its_node),
	KUNIT_CASE(forgotten_values_go_with_their_tree),
	KUNIT_CASE(a_refresh_lets_other_tasks_run),
	KUNIT_CASE(refusals_are_null),
	{}
};

VTR_KUNIT_SUITE(percpu, .init = published_init, .exit = published_exit);
