// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of tasks.c, kernel only: threads for which the tree is full. The suite "trees" has
 * the same when memory is short, and selftests/trees.sh tests the rest.
 */
#include <linux/sizes.h>

#include "published.h"

/* Threads and processes of one fill. */
struct filling {
	u64 nr_processes;
	u64 nr_threads;
	u64 nr_truncated;
};

static void fill_limited(struct kunit *test, size_t limit_bytes, struct filling *filling)
{
	new_tree(test, limit_bytes);
	vtr_tasks_fill(root);
	*filling = (struct filling){ nr_processes, nr_threads, nr_truncated };
	KUNIT_EXPECT_EQ(test, fill_err, 0);
	KUNIT_EXPECT_EQ(test, failures(), filling->nr_truncated);
	KUNIT_EXPECT_LE(test, tree->blocks.heap.used_bytes, limit_bytes);
	vitrine_tree_destroy(tree);
}

static void threads_that_do_not_fit_are_counted(struct kunit *test)
{
	struct filling all = {}, some = {};

	fill_limited(test, SZ_16M, &all);
	KUNIT_EXPECT_EQ(test, all.nr_truncated, 0);
	KUNIT_EXPECT_GE(test, all.nr_threads, all.nr_processes);
	KUNIT_EXPECT_GT(test, all.nr_processes, 20);

	fill_limited(test, 12 << 10, &some);
	KUNIT_EXPECT_GT(test, some.nr_threads, 5);
	KUNIT_EXPECT_GT(test, some.nr_truncated, 5);
	/* Threads are created and exit meanwhile, but not that many. */
	KUNIT_EXPECT_LE(test, some.nr_threads + some.nr_truncated, all.nr_threads + 5);
}

static struct kunit_case tasks_cases[] = {
	KUNIT_CASE(threads_that_do_not_fit_are_counted),
	{}
};

VTR_KUNIT_SUITE(tasks);
