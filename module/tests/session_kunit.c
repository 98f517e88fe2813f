// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of session.c: a trigger fires while a session is replaced. Kernel only,
 * with the session of the module.
 */
#include <linux/completion.h>
#include <linux/kthread.h>

#include "suite.h"

/* Begin a session with the same settings. */
static int begin_again(void)
{
	struct vtr_ring_config config;

	vtr_session_config(&config);
	return vtr_session_set(offsetof(struct vtr_ring_config, clock), config.clock);
}

/* Step of replace_locked() at which a trigger fires; counted down. */
static int fire_at;

static void fire_while_replacing(void)
{
	if (!fire_at--)
		vtr_session_freeze();
}

/* Session and rings agree on whether they are frozen. */
static void expect_rings_agree(struct kunit *test)
{
	bool is_frozen = vtr_session_frozen();
	struct vtr_ring *ring;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		ring = vtr_session_ring(cpu);
		if (!ring)
			continue;
		KUNIT_EXPECT_EQ(test, vtr_ring_frozen(ring), is_frozen);
		vtr_ring_put(ring);
	}
}

static void replace_while_a_trigger_fires(struct kunit *test, int step, bool wanted)
{
	fire_at = step;
	observer = fire_while_replacing;
	KUNIT_EXPECT_EQ(test, begin_again(), 0);
	observer = NULL;
	KUNIT_EXPECT_EQ(test, !!vtr_session_frozen(), wanted);
	expect_rings_agree(test);
	vtr_session_thaw();
	expect_rings_agree(test);
}

/* A freeze before the new rings exist concerns the old ones. */
static void freeze_of_the_old_rings_ends(struct kunit *test)
{
	replace_while_a_trigger_fires(test, 0, false);
}

static void freeze_of_the_new_rings_stays(struct kunit *test)
{
	replace_while_a_trigger_fires(test, 1, true);
	replace_while_a_trigger_fires(test, 2, true);
}

/* A new session is not frozen, even if the old one was. */
static void new_session_is_thawed(struct kunit *test)
{
	vtr_session_freeze();
	expect_rings_agree(test);
	replace_while_a_trigger_fires(test, 1, false);
}

/* A freeze on another CPU that has claimed the session, and a thaw at that moment. */
static struct task_struct *slow_freezer;
static DECLARE_COMPLETION(claimed);
static bool is_thawed;

/*
 * In vtr_session_freeze_end(), with interrupts off, so that a clock may stand still. A thaw that
 * does not wait for this RCU reader would return soon. One that does wait ends the case after
 * all rounds.
 */
static void freeze_slowly(void)
{
	unsigned int i;

	if (current != slow_freezer)
		return;
	complete(&claimed);
	for (i = 0; i < 1000000 && !READ_ONCE(is_thawed); i++)
		cpu_relax();
}

static int freeze_on_another_cpu(void *unused)
{
	vtr_session_freeze();
	return 0;
}

static void thaw_waits_for_a_freeze_in_progress(struct kunit *test)
{
	struct task_struct *task;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	task = kthread_create(freeze_on_another_cpu, NULL, "kunit_freeze");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	reinit_completion(&claimed);
	WRITE_ONCE(is_thawed, false);
	get_task_struct(task);
	slow_freezer = task;
	observer = freeze_slowly;
	wake_up_process(task);
	wait_for_completion(&claimed);
	vtr_session_thaw();
	WRITE_ONCE(is_thawed, true);
	kthread_stop(task);
	put_task_struct(task);
	observer = NULL;
	KUNIT_EXPECT_EQ(test, vtr_session_frozen(), 0);
	expect_rings_agree(test);
	vtr_session_thaw();
}

/*
 * Take each lock that is held when session_mutex is taken, and each that is taken while it
 * is held: lockdep, which has seen the documented order, would report another one.
 */
static void locks_nest_as_documented(struct kunit *test)
{
	bool was_enabled = vtr_session_enabled();

	KUNIT_EXPECT_EQ(test, vtr_session_enable(true), 0);
	KUNIT_EXPECT_EQ(test, begin_again(), 0);
	KUNIT_EXPECT_EQ(test, vtr_session_enable(was_enabled), 0);
}

static bool is_locked;

static void look_at_the_lock(void)
{
	is_locked = mutex_is_locked(&session_mutex);
}

/* Otherwise the ring could lose its sub-buffers meanwhile: three sessions end it. */
static void statistics_are_read_under_the_lock(struct kunit *test)
{
	struct vtr_ring_stats stats;

	is_locked = false;
	observer = look_at_the_lock;
	KUNIT_EXPECT_TRUE(test, vtr_session_stats(cpumask_first(cpu_online_mask), &stats));
	observer = NULL;
	KUNIT_EXPECT_TRUE(test, is_locked);
}

static struct kunit_case session_cases[] = {
	KUNIT_CASE(locks_nest_as_documented),
	KUNIT_CASE(freeze_of_the_old_rings_ends),
	KUNIT_CASE(freeze_of_the_new_rings_stays),
	KUNIT_CASE(new_session_is_thawed),
	KUNIT_CASE(thaw_waits_for_a_freeze_in_progress),
	KUNIT_CASE(statistics_are_read_under_the_lock),
	{}
};

VTR_KUNIT_SUITE(session);
