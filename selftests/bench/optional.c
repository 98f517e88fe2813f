// SPDX-License-Identifier: GPL-2.0
/*
 * Measure the cost of updates in a driver that works without vitrine, for
 * selftests/cost_inspect.sh, with vitrine and without. Loading the module prints a line for each,
 * as bench.c does.
 */
#include <linux/module.h>

#include <vitrine/publisher.h>

#include "measure.h"

static struct vitrine_uint *number;
static struct vitrine_percpu_uint *percpu;
static struct vitrine_percpu_histogram *percpu_twos;

static void bench_publish(struct vitrine_publisher *publisher)
{
	struct vitrine_node *root = vitrine_tree_root(vitrine_tree_create("bench", 0));

	number = vitrine_uint_create(root, "number", 0);
	percpu = vitrine_percpu_uint_create(root, "percpu");
	percpu_twos = vitrine_percpu_histogram_create(root, "percpu twos", 0, 1, 2, 40);
}

static void bench_unpublish(struct vitrine_publisher *publisher)
{
	WRITE_ONCE(number, NULL);
	WRITE_ONCE(percpu, NULL);
	WRITE_ONCE(percpu_twos, NULL);
}

static struct vitrine_publisher publisher = {
	.abi = VITRINE_ABI,
	.publish = bench_publish,
	.unpublish = bench_unpublish,
};

BENCH(nothing, (void)i)
BENCH(uint_add, vitrine_uint_add(number, i))
BENCH(percpu_add, vitrine_percpu_uint_add(percpu, i))
BENCH(percpu_insert, vitrine_percpu_histogram_insert(percpu_twos, i))

static int __init bench_init(void)
{
	report("absent_percpu_add", bench_percpu_add, bench_nothing);
	vitrine_publisher_register(&publisher);
	if (!percpu_twos) {
		vitrine_publisher_unregister(&publisher);
		return -ENODEV;
	}
	report("optional_uint_add", bench_uint_add, bench_nothing);
	report("optional_percpu_add", bench_percpu_add, bench_nothing);
	report("optional_percpu_insert", bench_percpu_insert, bench_nothing);
	return 0;
}

static void __exit bench_exit(void)
{
	vitrine_publisher_unregister(&publisher);
}

module_init(bench_init);
module_exit(bench_exit);

MODULE_DESCRIPTION("Measure the cost of updates in a driver that works without vitrine");
MODULE_LICENSE("GPL");
