// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of trigger.c: triggers that fire at the same time. Kernel only, with the session of
 * the module.
 */
#include <linux/preempt.h>

#include "compat.h"
#include "suite.h"

/* Fire on this CPU, and return how many events that wrote into its ring, or -1 without a ring. */
static int marks_of(const char *cause, bool thaw_ring)
{
	struct vtr_ring *ring;
	u64 before;

	guard(irqsave)();
	ring = this_cpu_read(vtr_writer_ring);
	if (ring == &vtr_writer_none)
		return -1;
	if (thaw_ring)
		vtr_ring_thaw(ring);
	before = ring->other_records;
	fire(cause, 0, current, current);
	return ring->other_records - before;
}

/* The trigger of another CPU has claimed the session and not frozen the ring of this one yet. */
static void one_of_two_triggers_leaves_a_mark(struct kunit *test)
{
	bool was_enabled = vtr_session_enabled();

	KUNIT_ASSERT_EQ(test, vtr_session_enable(true), 0);
	KUNIT_EXPECT_NE(test, vtr_session_freeze(), 0);
	KUNIT_EXPECT_EQ(test, marks_of("kunit", true), 0);
	vtr_session_thaw();
	KUNIT_EXPECT_EQ(test, marks_of("kunit", false), 1);
	vtr_session_thaw();
	KUNIT_EXPECT_EQ(test, vtr_session_enable(was_enabled), 0);
}

static struct kunit_case trigger_cases[] = {
	KUNIT_CASE(one_of_two_triggers_leaves_a_mark),
	{}
};

VTR_KUNIT_SUITE(trigger);
