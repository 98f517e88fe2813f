// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of tasks.c, kernel only: threads for which the tree is full or memory is
 * short. selftests/trees.sh tests the rest.
 */
#include <linux/sizes.h>

#include "inspect/edit.h"
#include "inspect/inspect.h"
#include "suite.h"
#include "usage.h"

/* Threads and processes of one fill. */
struct filling {
	u64 nr_processes;
	u64 nr_threads;
	u64 nr_truncated;
};

/* Fill a tree; allocations fail unless their flags include @gfp_needed. */
static void fill_limited(struct kunit *test, size_t limit_bytes,
			 gfp_t gfp_needed, struct filling *filling)
{
	struct vitrine_tree *tree = vitrine_tree_create("kunit", limit_bytes);
	struct vtr_inspect_stats stats;

	KUNIT_ASSERT_NOT_NULL(test, tree);
	vtr_edit_gfp_needed = gfp_needed;
	vtr_tasks_fill(vitrine_tree_root(tree));
	vtr_edit_gfp_needed = 0;
	vtr_inspect_stats(tree, &stats);
	vitrine_tree_destroy(tree);
	*filling = (struct filling){ nr_processes, nr_threads, nr_truncated };
	KUNIT_EXPECT_EQ(test, fill_err, 0);
	KUNIT_EXPECT_EQ(test, stats.failed, filling->nr_truncated);
	KUNIT_EXPECT_LE(test, stats.used_bytes, limit_bytes);
}

static void threads_that_do_not_fit_are_counted(struct kunit *test)
{
	struct filling all = {}, some = {};

	fill_limited(test, SZ_16M, 0, &all);
	KUNIT_EXPECT_EQ(test, all.nr_truncated, 0);
	KUNIT_EXPECT_GE(test, all.nr_threads, all.nr_processes);
	KUNIT_EXPECT_GT(test, all.nr_processes, 20);

	fill_limited(test, 12 << 10, 0, &some);
	KUNIT_EXPECT_GT(test, some.nr_threads, 5);
	KUNIT_EXPECT_GT(test, some.nr_truncated, 5);
	/* Threads are created and exit meanwhile, but not that many. */
	KUNIT_EXPECT_LE(test, some.nr_threads + some.nr_truncated, all.nr_threads + 5);
}

static void threads_wait_for_memory(struct kunit *test)
{
	struct filling all = {}, some = {};

	fill_limited(test, SZ_16M, __GFP_DIRECT_RECLAIM, &all);
	KUNIT_EXPECT_EQ(test, all.nr_truncated, 0);
	KUNIT_EXPECT_GT(test, all.nr_processes, 20);

	/* All allocations fail. */
	fill_limited(test, SZ_16M, ~(gfp_t)0, &some);
	KUNIT_EXPECT_GT(test, some.nr_threads, 1);
	KUNIT_EXPECT_GT(test, some.nr_truncated, 5);
	KUNIT_EXPECT_LE(test, some.nr_threads + some.nr_truncated, all.nr_threads + 5);
}

static struct kunit_case tasks_cases[] = {
	KUNIT_CASE(threads_that_do_not_fit_are_counted),
	KUNIT_CASE(threads_wait_for_memory),
	{}
};

VTR_KUNIT_SUITE(tasks);
