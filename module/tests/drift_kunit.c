// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of drift.c: a counter that is set or changes its rate, a
 * suspended machine, and when the counter is the default clock. Kernel only, with the
 * session of the module.
 */
#include "suite.h"

#define TEST_RATE	2500000000ULL
#define SECOND		1000000000ULL

/* The clock of the session that a case replaces by its own. */
static enum vitrine_clock clock_before;

static struct vtr_ring_config settings(void)
{
	struct vtr_ring_config config;

	vtr_session_config(&config);
	return config;
}

static u32 session_number(void)
{
	return settings().session;
}

static const struct drift_reading test_start = {
	.ticks = 1ULL << 60,
	.mono_ns = 77 * SECOND,
	.asleep_ns = 5,
};

/* Return a later reading, by the given differences of both clocks. */
static struct drift_reading later(u64 mono_ns, s64 ticks)
{
	struct drift_reading reading = test_start;

	reading.mono_ns += mono_ns;
	reading.ticks += ticks;
	return reading;
}

/* On bare metal, in a virtual machine, and in one that may migrate. */
static void default_is_a_steady_counter(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, vtr_clock_choose(true, false, true), VITRINE_CLOCK_COUNTER);
	KUNIT_EXPECT_EQ(test, vtr_clock_choose(true, true, false), VITRINE_CLOCK_COUNTER);
	KUNIT_EXPECT_EQ(test, vtr_clock_choose(true, false, false), VITRINE_CLOCK_LOCAL);
	KUNIT_EXPECT_EQ(test, vtr_clock_choose(false, true, true), VITRINE_CLOCK_LOCAL);
}

static void counter_may_be_off_by_little(struct kunit *test)
{
	static const struct {
		u64	mono_ns;
		s64	ticks;
		bool	steady;
		u64	asleep_ns;
	} cases[] = {
		{ 10 * SECOND,	10 * TEST_RATE,				true },
		{ 10 * SECOND,	10 * TEST_RATE + TEST_RATE / 100,	true },
		{ 10 * SECOND,	10 * TEST_RATE - TEST_RATE / 100,	true },
		{ 10 * SECOND,	10 * TEST_RATE + TEST_RATE / 30,	false },
		{ 10 * SECOND,	10 * TEST_RATE - TEST_RATE / 30,	false },
		{ 10 * SECOND,	0,					false },
		{ 1000,		0,					true },
		{ 3600 * SECOND, 3600 * TEST_RATE,			true },
		{ 3600 * SECOND, 3590 * TEST_RATE,			false },
		/* It may stop while the machine is suspended. */
		{ 10 * SECOND,	-5,					true, 1 },
	};
	struct drift_reading now;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		now = later(cases[i].mono_ns, cases[i].ticks);
		now.asleep_ns += cases[i].asleep_ns;
		KUNIT_EXPECT_EQ_MSG(test, cases[i].steady,
				    drift_steady(&test_start, &now, TEST_RATE), "case %u", i);
	}
}

static void tell_counter(bool steady, const struct drift_reading *now)
{
	check_counter(steady, vtr_counter_rate(), now);
}

/* Tell a reading 10 seconds after the last one, with the ticks of @seconds. */
static void tell_later(bool steady, struct drift_reading *now, unsigned int seconds, u64 rate)
{
	now->mono_ns += 10 * SECOND;
	now->ticks += seconds * vtr_counter_rate();
	check_counter(steady, rate, now);
}

static int begin_session(enum vitrine_clock clock)
{
	return vtr_session_set(offsetof(struct vtr_ring_config, clock), clock);
}

/* Before a case: only the case compares the clocks until it ends. */
static int stop_watching(struct kunit *test)
{
	vtr_drift_deinit();
	clock_before = settings().clock;
	return 0;
}

/* After a case, also if it failed or was skipped. */
static void watch_again(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, begin_session(clock_before), 0);
	KUNIT_EXPECT_EQ(test, vtr_drift_init(), 0);
	vtr_drift_watch();
}

/* Begin a session with the counter, whose first reading is @now. Return its number. */
static u32 begin_counter(struct kunit *test, bool steady, const struct drift_reading *now)
{
	if (!vtr_clock_rate(VITRINE_CLOCK_COUNTER))
		kunit_skip(test, "this machine has no counter");
	KUNIT_ASSERT_EQ(test, begin_session(VITRINE_CLOCK_COUNTER), 0);
	tell_counter(steady, now);
	return session_number();
}

/* Begin a session with the counter, and change @steady and the rate. */
static void tell_session(struct kunit *test, bool was_steady, bool steady,
			 unsigned int seconds, enum vitrine_clock wanted)
{
	struct drift_reading now = test_start;
	u32 session = begin_counter(test, was_steady, &now);

	tell_later(was_steady, &now, 10, vtr_counter_rate());
	KUNIT_EXPECT_EQ(test, session_number(), session);
	tell_later(steady, &now, seconds, vtr_counter_rate());
	KUNIT_EXPECT_EQ(test, settings().clock, wanted);
	KUNIT_EXPECT_EQ(test, session_number(), session + (wanted != VITRINE_CLOCK_COUNTER));
}

static void changed_counter_begins_a_session(struct kunit *test)
{
	tell_session(test, true, true, 10, VITRINE_CLOCK_COUNTER);
	tell_session(test, true, true, 12, VITRINE_CLOCK_LOCAL);
	tell_session(test, true, false, 10, VITRINE_CLOCK_LOCAL);
	/* A counter that the user chose although it is unstable is kept. */
	tell_session(test, false, false, 12, VITRINE_CLOCK_COUNTER);
}

static void expect_new_session(struct kunit *test, u32 old)
{
	KUNIT_EXPECT_EQ(test, session_number(), old + 1);
	KUNIT_EXPECT_EQ(test, settings().clock, VITRINE_CLOCK_COUNTER);
	KUNIT_EXPECT_EQ(test, vtr_session_frozen(), 0);
}

/* Whether or not the machine has slept, time does not go backwards within a session. */
static void counter_set_back_begins_a_session(struct kunit *test)
{
	struct drift_reading now = later(10 * SECOND, -1);
	unsigned int i, told;
	u32 session;

	for (i = 0; i < 2; i++, now.asleep_ns++) {
		session = begin_counter(test, true, &test_start);
		/* In the new session, the lower value is the first one. */
		for (told = 0; told < 2; told++) {
			tell_counter(true, &now);
			expect_new_session(test, session);
		}
	}
}

/*
 * Suspend and resume with interrupts off, as the kernel does, so that the work item cannot run
 * meanwhile. The counter is set back by @ticks. Return whether the work item was queued, and
 * cancel it.
 */
static bool work_follows_sleep(u64 ticks)
{
	unsigned long flags;
	bool pending;

	local_irq_save(flags);
	probe_suspend(NULL, "machine_suspend", 3, true);
	suspended_ticks += ticks;
	probe_suspend(NULL, "machine_suspend", 3, false);
	pending = cancel_delayed_work(&watch_work);
	local_irq_restore(flags);
	return pending;
}

/* The rings are frozen from the first instruction on, until the work item runs. */
static void rings_are_frozen_when_the_counter_is_set_back(struct kunit *test)
{
	const struct drift_reading now = test_start;
	u32 session = begin_counter(test, true, &now);

	KUNIT_EXPECT_TRUE(test, work_follows_sleep(0));
	KUNIT_EXPECT_EQ(test, vtr_session_frozen(), 0);

	per_cpu(vtr_bound_ahead, 0) = 0;
	KUNIT_EXPECT_TRUE(test, work_follows_sleep(1ULL << 60));
	/* Otherwise, the bound of the scheduler's clock would be in the past for long. */
	KUNIT_EXPECT_GT(test, per_cpu(vtr_bound_ahead, 0), U64_MAX / 8);
	KUNIT_EXPECT_NE(test, vtr_session_frozen(), 0);
	tell_counter(true, &now);
	expect_new_session(test, session);

	/* A session that a trigger has frozen is kept. */
	vtr_session_freeze();
	tell_counter(true, &now);
	KUNIT_EXPECT_NE(test, vtr_session_frozen(), 0);
	KUNIT_EXPECT_EQ(test, session_number(), session + 1);
	vtr_session_thaw();
}

/* The rate with which the session began was a guess, or was rounded. */
static void rate_that_is_measured_again_begins_a_session(struct kunit *test)
{
	struct drift_reading now = test_start;
	u32 session = begin_counter(test, true, &now);

	tell_later(true, &now, 10, vtr_counter_rate() + 1000);
	expect_new_session(test, session);
}

/* Without memory for a new session, the wrong rate does not become the one to compare with. */
static void new_session_is_tried_again(struct kunit *test)
{
	struct drift_reading now = test_start;
	u32 session = begin_counter(test, true, &now);

	vtr_session_no_memory = true;
	tell_later(true, &now, 12, vtr_counter_rate());
	vtr_session_no_memory = false;
	KUNIT_EXPECT_EQ(test, session_number(), session);
	tell_later(true, &now, 10, vtr_counter_rate());
	KUNIT_EXPECT_EQ(test, settings().clock, VITRINE_CLOCK_LOCAL);
	KUNIT_EXPECT_EQ(test, session_number(), session + 1);
}

/* A setting that changes while the counter is found wrong keeps the new clock. */
static void only_one_setting_changes(struct kunit *test)
{
	const struct drift_reading now = test_start;
	u32 session = begin_counter(test, true, &now);
	unsigned int buffer_kb = settings().buffer_kb;

	KUNIT_EXPECT_EQ(test, vtr_session_renew(session, 0, VITRINE_CLOCK_LOCAL), 0);
	KUNIT_EXPECT_EQ(test, vtr_session_renew(session, 0, VITRINE_CLOCK_COUNTER), -ESTALE);
	KUNIT_EXPECT_EQ(test, vtr_session_set(offsetof(struct vtr_ring_config, buffer_kb),
					      2 * buffer_kb), 0);
	KUNIT_EXPECT_EQ(test, settings().clock, VITRINE_CLOCK_LOCAL);
	KUNIT_EXPECT_EQ(test, vtr_session_set(offsetof(struct vtr_ring_config, buffer_kb),
					      buffer_kb), 0);
}

/* No timer wakes a CPU while nothing is recorded. */
static void nothing_is_watched_while_recording_is_off(struct kunit *test)
{
	bool was_enabled = vtr_session_enabled();

	KUNIT_EXPECT_EQ(test, vtr_session_enable(false), 0);
	cancel_delayed_work_sync(&watch_work);
	watch(NULL);
	KUNIT_EXPECT_FALSE(test, delayed_work_pending(&watch_work));
	KUNIT_EXPECT_EQ(test, vtr_session_enable(true), 0);
	vtr_drift_watch();
	flush_delayed_work(&watch_work);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&watch_work));
	KUNIT_EXPECT_EQ(test, vtr_session_enable(was_enabled), 0);
	cancel_delayed_work_sync(&watch_work);
}

static struct kunit_case drift_cases[] = {
	KUNIT_CASE(default_is_a_steady_counter),
	KUNIT_CASE(counter_may_be_off_by_little),
	KUNIT_CASE(changed_counter_begins_a_session),
	KUNIT_CASE(counter_set_back_begins_a_session),
	KUNIT_CASE(rings_are_frozen_when_the_counter_is_set_back),
	KUNIT_CASE(rate_that_is_measured_again_begins_a_session),
	KUNIT_CASE(new_session_is_tried_again),
	KUNIT_CASE(only_one_setting_changes),
	KUNIT_CASE(nothing_is_watched_while_recording_is_off),
	{}
};

VTR_KUNIT_SUITE(drift, .init = stop_watching, .exit = watch_again);
