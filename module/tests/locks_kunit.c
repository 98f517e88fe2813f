// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the locks.c. It runs only in a kernel.
 */
#include "suite.h"

static void kinds_are_named_as_perf_names_them(struct kunit *test)
{
	static const struct {
		unsigned int	flags;
		const char	*name;
		unsigned int	state;
	} kinds[] = {
		{ 0, "semaphore" },
		{ LCB_F_MUTEX, "mutex" },
		{ LCB_F_READ, "rwsem:R" },
		{ LCB_F_WRITE, "rwsem:W" },
		{ LCB_F_RT, "rt-mutex" },
		{ LCB_F_RT, "rtlock", TASK_RTLOCK_WAIT },
		{ LCB_F_RT | LCB_F_READ, "rwlock-rt:R" },
		{ LCB_F_RT | LCB_F_WRITE, "rwlock-rt:W" },
		{ LCB_F_PERCPU | LCB_F_READ, "pcpu-sem:R" },
		{ LCB_F_PERCPU | LCB_F_WRITE, "pcpu-sem:W" },
	};
	struct task_struct *task = new_task(test, S32_MAX, S32_MAX);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		task->__state = kinds[i].state;
		note(task, test, kinds[i].flags);
		KUNIT_EXPECT_STREQ(test, vtr_locks_kind(task), kinds[i].name);
		forget(task, test);
		KUNIT_EXPECT_NULL(test, vtr_locks_kind(task));
	}
}

static void end_of_an_inner_wait_keeps_the_outer_one(struct kunit *test)
{
	struct task_struct *task = new_task(test, S32_MAX, S32_MAX);
	int outer, inner;

	note(task, &outer, LCB_F_WRITE);
	note(task, &inner, LCB_F_SPIN);
	forget(task, &inner);
	KUNIT_EXPECT_STREQ(test, vtr_locks_kind(task), "rwsem:W");
	forget(task, &outer);
	KUNIT_EXPECT_NULL(test, vtr_locks_kind(task));
}

static void threads_that_share_a_slot_are_not_confused(struct kunit *test)
{
	struct task_struct *one = new_task(test, S32_MAX, S32_MAX);
	struct task_struct *other = new_task(test, S32_MAX - NR_SLOTS, S32_MAX);

	note(one, test, LCB_F_MUTEX);
	note(other, test, LCB_F_READ);
	KUNIT_EXPECT_NULL(test, vtr_locks_kind(one));
	forget(one, test);
	KUNIT_EXPECT_STREQ(test, vtr_locks_kind(other), "rwsem:R");
	forget(other, test);
}

static struct kunit_case locks_cases[] = {
	KUNIT_CASE(kinds_are_named_as_perf_names_them),
	KUNIT_CASE(end_of_an_inner_wait_keeps_the_outer_one),
	KUNIT_CASE(threads_that_share_a_slot_are_not_confused),
	{}
};

VTR_KUNIT_SUITE(locks);
