// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of drift.c: a counter that is set or changes its rate, and when the counter
 * is the default clock. Kernel only, with the session of the module.
 */
#include <kunit/test.h>

#define TEST_RATE	2500000000ULL
#define SECOND		1000000000ULL

static const struct vtr_drift_reading test_start = {
	.ticks = 1ULL << 60,
	.mono_ns = 77 * SECOND,
	.asleep_ns = 5,
};

/* Return a later reading, by the given differences of both clocks. */
static struct vtr_drift_reading later(u64 mono_ns, s64 ticks)
{
	struct vtr_drift_reading reading = test_start;

	reading.mono_ns += mono_ns;
	reading.ticks += ticks;
	return reading;
}

/* On bare metal, in a virtual machine, and in one that may migrate. */
static void default_is_a_steady_counter(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, vtr_clock_choose(true, false, true),
			VITRINE_CLOCK_COUNTER);
	KUNIT_EXPECT_EQ(test, vtr_clock_choose(true, true, false),
			VITRINE_CLOCK_COUNTER);
	KUNIT_EXPECT_EQ(test, vtr_clock_choose(true, false, false),
			VITRINE_CLOCK_LOCAL);
	KUNIT_EXPECT_EQ(test, vtr_clock_choose(false, true, true),
			VITRINE_CLOCK_LOCAL);
}

static void counter_may_be_off_by_little(struct kunit *test)
{
	static const struct {
		u64	mono_ns;
		s64	ticks;
		bool	steady;
	} cases[] = {
		{ 10 * SECOND,	10 * TEST_RATE,				true },
		{ 10 * SECOND,	10 * TEST_RATE + TEST_RATE / 100,	true },
		{ 10 * SECOND,	10 * TEST_RATE - TEST_RATE / 100,	true },
		{ 10 * SECOND,	10 * TEST_RATE + TEST_RATE / 30,	false },
		{ 10 * SECOND,	10 * TEST_RATE - TEST_RATE / 30,	false },
		{ 10 * SECOND,	-1,					false },
		{ 10 * SECOND,	0,					false },
		{ 1000,		0,					true },
		{ 3600 * SECOND, 3600 * TEST_RATE,			true },
		{ 3600 * SECOND, 3590 * TEST_RATE,			false },
	};
	struct vtr_drift_reading now;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		now = later(cases[i].mono_ns, cases[i].ticks);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].steady,
				    vtr_drift_steady(&test_start, &now,
						     TEST_RATE),
				    "case %u", i);
	}
}

static void counter_may_stop_while_suspended(struct kunit *test)
{
	struct vtr_drift_reading now = later(10 * SECOND, -5);

	now.asleep_ns++;
	KUNIT_EXPECT_TRUE(test, vtr_drift_steady(&test_start, &now, TEST_RATE));
}

/* Begin a session with the counter, and change @steady and the rate. */
static void tell_session(struct kunit *test, bool was_steady, bool steady,
			 unsigned int seconds, enum vitrine_clock wanted)
{
	struct vtr_drift_reading now = test_start;
	struct vtr_session_settings before, settings;
	u32 session;

	vtr_session_settings(&before);
	settings = before;
	settings.clock = VITRINE_CLOCK_COUNTER;
	KUNIT_ASSERT_EQ(test, vtr_session_replace(&settings), 0);
	session = vtr_session_number();
	check_counter(was_steady, &now);
	now.mono_ns += 10 * SECOND;
	now.ticks += 10 * vtr_counter_rate();
	check_counter(was_steady, &now);
	KUNIT_EXPECT_EQ(test, vtr_session_number(), session);
	now.mono_ns += 10 * SECOND;
	now.ticks += seconds * vtr_counter_rate();
	check_counter(steady, &now);
	vtr_session_settings(&settings);
	KUNIT_EXPECT_EQ(test, settings.clock, wanted);
	KUNIT_EXPECT_EQ(test, vtr_session_number(),
			session + (wanted != VITRINE_CLOCK_COUNTER));
	KUNIT_EXPECT_EQ(test, vtr_session_replace(&before), 0);
}

static void changed_counter_begins_a_session(struct kunit *test)
{
	vtr_drift_deinit();
	if (!vtr_clock_usable(VITRINE_CLOCK_COUNTER))
		kunit_skip(test, "this machine has no counter");
	tell_session(test, true, true, 10, VITRINE_CLOCK_COUNTER);
	tell_session(test, true, true, 12, VITRINE_CLOCK_LOCAL);
	tell_session(test, true, false, 10, VITRINE_CLOCK_LOCAL);
	/* A counter that the user chose although it is unstable is kept. */
	tell_session(test, false, false, 12, VITRINE_CLOCK_COUNTER);
	vtr_drift_init();
}

static struct kunit_case drift_cases[] = {
	KUNIT_CASE(default_is_a_steady_counter),
	KUNIT_CASE(counter_may_be_off_by_little),
	KUNIT_CASE(counter_may_stop_while_suspended),
	KUNIT_CASE(changed_counter_begins_a_session),
	{}
};

static struct kunit_suite drift_suite = {
	.name = "vitrine_drift",
	.test_cases = drift_cases,
};

kunit_test_suites(&drift_suite);
