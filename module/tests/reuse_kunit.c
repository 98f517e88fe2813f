// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of reuse.c: when ids of threads begin again. Kernel only, with the session of the
 * module.
 */
#include "suite.h"

/* Return whether new sub-buffers are begun if the next id was @last before. */
static bool begins_after(struct kunit *test, unsigned int last)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct vtr_ring_stats before, after;

	KUNIT_ASSERT_TRUE(test, vtr_session_stats(cpu, &before));
	WRITE_ONCE(last_id, last);
	probe_new(NULL, NULL, 0);
	flush_work(&reuse_work);
	KUNIT_ASSERT_TRUE(test, vtr_session_stats(cpu, &after));
	return after.subbufs > before.subbufs;
}

static void lower_id_begins_subbuffers(struct kunit *test)
{
	bool was_enabled = vtr_session_enabled();

	KUNIT_ASSERT_EQ(test, vtr_session_enable(true), 0);
	KUNIT_EXPECT_TRUE(test, begins_after(test, INT_MAX));
	KUNIT_EXPECT_FALSE(test, begins_after(test, 1));
	/* As if another CPU had created a thread at the same time. */
	KUNIT_EXPECT_FALSE(test, begins_after(test, idr_get_cursor(&init_pid_ns.idr) + 1));
	KUNIT_EXPECT_EQ(test, vtr_session_enable(was_enabled), 0);
}

static struct kunit_case reuse_cases[] = {
	KUNIT_CASE(lower_id_begins_subbuffers),
	{}
};

VTR_KUNIT_SUITE(reuse);
