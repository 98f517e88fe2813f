// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of blocked.c: the limit on the rate of waits that are recorded. It runs only in a kernel.
 */
#include "suite.h"

static unsigned int nr_recorded(u64 *full_ns, u64 from_ns, u64 to_ns, u64 step_ns)
{
	unsigned int nr = 0;

	for (; from_ns < to_ns; from_ns += step_ns)
		nr += has_allowance(full_ns, from_ns);
	return nr;
}

static void storm_is_bounded(struct kunit *test)
{
	const u64 begin = 1000 * NSEC_PER_SEC;
	u64 full_ns = 0;

	KUNIT_EXPECT_EQ(test, nr_recorded(&full_ns, 0, NSEC_PER_SEC, INTERVAL_NS), MOST_PER_SECOND);
	KUNIT_EXPECT_EQ(test, nr_recorded(&full_ns, begin, begin + NSEC_PER_SEC, 1000),
			MOST_PER_SECOND + MOST_AT_ONCE - 1);
	/* After a long idle time the burst is not larger than at the beginning. */
	KUNIT_EXPECT_EQ(test, nr_recorded(&full_ns, 2 * begin, 2 * begin + INTERVAL_NS, 1000),
			MOST_AT_ONCE);
}

static struct kunit_case blocked_cases[] = {
	KUNIT_CASE(storm_is_bounded),
	{}
};

VTR_KUNIT_SUITE(blocked);
