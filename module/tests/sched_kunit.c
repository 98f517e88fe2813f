// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of sched.c: this CPU records into the ring of a CPU whose number does not
 * fit into the 16-byte switch record. Kernel only.
 */
#include "ring_fixture.h"

#define TEST_CPU	300
#define TEST_SWITCHES	500
#define TEST_WAKEUPS	100
#define TEST_EVENTS	50

static DEFINE_VITRINE_CATEGORY(kunit_wide);

struct wide_counts {
	unsigned int	switches;
	unsigned int	wakeups;
	unsigned int	events;
};

static void set_on_cpu(struct task_struct *task, int on_cpu)
{
#ifdef CONFIG_SMP
	task->on_cpu = on_cpu;
#endif
}

static void switch_to_thread(struct task_struct *other, unsigned int state)
{
	probe_switch_local(WRITER_RINGS, false, current, other, state);
}

static void switch_from_thread(struct task_struct *other, unsigned int state)
{
	probe_switch_local(WRITER_RINGS, false, other, current, state);
}

/* Call the probes as the scheduler does: for a switch to a thread and back. */
static void call_probes(void *other)
{
	unsigned int i;

	for (i = 0; i < TEST_SWITCHES; i += 2) {
		switch_to_thread(other, TASK_INTERRUPTIBLE);
		switch_from_thread(other, TASK_DEAD);
		if (i < TEST_WAKEUPS)
			probe_wakeup_local(WRITER_RINGS, other);
		if (i < TEST_EVENTS)
			vitrine_trace_instant(kunit_wide, "event", VITRINE_ARG("number", i));
	}
}

static void count_record(struct kunit *test, void *reader, const u64 *words, size_t nr_words)
{
	struct wide_counts *counts = reader;

	switch (FIELD_GET(FXT_HEADER_TYPE, words[0])) {
	case FXT_RECORD_THREAD:
		KUNIT_FAIL(test, "a thread has a reference");
		break;
	case FXT_RECORD_EVENT:
		counts->events++;
		KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_EVENT_THREAD, words[0]), 0);
		KUNIT_EXPECT_EQ(test, words[3], current->pid);
		break;
	case FXT_RECORD_SCHEDULING:
		KUNIT_EXPECT_EQ(test, FIELD_GET(FXT_SCHEDULING_CPU, words[0]), TEST_CPU);
		if (FIELD_GET(FXT_SCHEDULING_SUBTYPE, words[0]) == FXT_SCHEDULING_CONTEXT_SWITCH)
			counts->switches++;
		else
			counts->wakeups++;
		break;
	}
}

static void probes_take_a_wide_ring(struct kunit *test)
{
	struct vtr_ring *ring = new_ring_of(test, TEST_CPU, VITRINE_MODE_ONESHOT, 32);
	struct wide_counts counts = { 0 };
	struct vtr_ring_stats stats;

	static_branch_enable(&vitrine_category_kunit_wide.key);
	with_ring(ring, call_probes, new_task(test, 64, 64));
	static_branch_disable(&vitrine_category_kunit_wide.key);
	vtr_ring_stats(ring, &stats);
	expect_range(test, ring, 0, nr_begun(ring));
	read_ring(test, ring, count_record, &counts);
	/* The first switch opens the row, from idle. */
	KUNIT_EXPECT_EQ(test, counts.switches, TEST_SWITCHES + 1);
	KUNIT_EXPECT_EQ(test, counts.wakeups, TEST_WAKEUPS / 2);
	KUNIT_EXPECT_EQ(test, counts.events, TEST_EVENTS / 2);
	KUNIT_EXPECT_EQ(test, stats.switches, counts.switches);
	KUNIT_EXPECT_EQ(test, stats.records, counts.switches + counts.wakeups + counts.events);
	KUNIT_EXPECT_EQ(test, stats.lost_records, 0);
}

/* The number of wakeups that the ring had after each step. */
static u64 nr_wakeups[4];

static void wake(unsigned int step, struct task_struct *task)
{
	probe_wakeup_local(WRITER_RINGS, task);
	nr_wakeups[step] = this_cpu_read(vtr_writer_ring)->nr_wakeups;
}

static void wake_at_each_step(void *ctx)
{
	struct task_struct *other = ctx;

	task_thread_info(other)->cpu = smp_processor_id();
	set_on_cpu(other, 1);
	switch_to_thread(other, TASK_INTERRUPTIBLE);
	wake(0, other);
	switch_from_thread(other, TASK_INTERRUPTIBLE);
	wake(1, other);
	set_on_cpu(other, 0);
	wake(2, other);
	wake(3, current);
}

static void wakeup_of_a_running_thread_is_not_recorded(struct kunit *test)
{
	static const u64 wanted[] = { 0, 1, 2, 2 };
	unsigned int i;

	if (!IS_ENABLED(CONFIG_SMP))
		kunit_skip(test, "without SMP a thread that switches out is off its CPU");
	with_ring(new_ring_of(test, 0, VITRINE_MODE_CIRCULAR, 2), wake_at_each_step,
		  new_task(test, 64, 64));
	for (i = 0; i < ARRAY_SIZE(wanted); i++)
		KUNIT_EXPECT_EQ_MSG(test, nr_wakeups[i], wanted[i], "step %u", i);
}

/* Meaning of a preemption count for a wakeup that the current thread, of this name, executes. */
static const struct {
	unsigned int		count;
	const char		*name;
	enum fxt_wakeup_context	wanted;
} contexts[] = {
	{ 0, "kworker/0:1", FXT_WAKEUP_THREAD },
	{ PREEMPT_OFFSET, "kworker/0:1", FXT_WAKEUP_THREAD },
	/* Softirqs are disabled, and none is served. */
	{ SOFTIRQ_DISABLE_OFFSET, "kworker/0:1", FXT_WAKEUP_THREAD },
	{ HARDIRQ_OFFSET, "kworker/0:1", FXT_WAKEUP_HARDIRQ },
	{ HARDIRQ_OFFSET + SOFTIRQ_OFFSET, "ksoftirqd/0", FXT_WAKEUP_HARDIRQ },
	/* A kernel thread may have raised the softirq; waker.sh has threads in user space. */
	{ SOFTIRQ_OFFSET, "kworker/0:1", FXT_WAKEUP_SOFTIRQ_IN_CALL },
	{ SOFTIRQ_OFFSET, "ksoftirqd/0", FXT_WAKEUP_THREAD },
	{ SOFTIRQ_OFFSET, "ktimers/0", FXT_WAKEUP_THREAD },
	{ SOFTIRQ_OFFSET, "irq/24-ahci", FXT_WAKEUP_THREAD },
};

static void wake_in_each_context(void *other)
{
	char name[TASK_COMM_LEN];
	unsigned int i;

	switch_from_thread(other, TASK_INTERRUPTIBLE);
	set_on_cpu(other, 0);
	memcpy(name, current->comm, sizeof(name));
	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		strscpy(current->comm, contexts[i].name, sizeof(current->comm));
		__preempt_count_add(contexts[i].count);
		probe_wakeup_local(WRITER_RINGS, other);
		__preempt_count_sub(contexts[i].count);
	}
	memcpy(current->comm, name, sizeof(name));
}

static void check_context(struct kunit *test, void *reader, const u64 *words, size_t nr_words)
{
	unsigned int *nr = reader;

	if (FIELD_GET(FXT_HEADER_TYPE, words[0]) != FXT_RECORD_SCHEDULING ||
	    FIELD_GET(FXT_SCHEDULING_SUBTYPE, words[0]) != FXT_SCHEDULING_THREAD_WAKEUP)
		return;
	KUNIT_ASSERT_LT(test, *nr, (unsigned int)ARRAY_SIZE(contexts));
	KUNIT_EXPECT_EQ_MSG(test, FIELD_GET(FXT_SCHEDULING_CONTEXT, words[0]),
			    (u64)contexts[*nr].wanted, "context %u", *nr);
	++*nr;
}

static void wakeup_has_its_context(struct kunit *test)
{
	struct vtr_ring *ring = new_ring_of(test, 0, VITRINE_MODE_CIRCULAR, 2);
	unsigned int nr = 0;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "the preemption count does not tell softirqs");
	with_ring(ring, wake_in_each_context, new_task(test, 64, 64));
	read_ring(test, ring, check_context, &nr);
	KUNIT_EXPECT_EQ(test, nr, (unsigned int)ARRAY_SIZE(contexts));
}

static void attach(void *ring)
{
	vtr_sched_attach(ring, smp_processor_id(), current);
}

/* The module of a string may have been unloaded while the ring was detached. */
static void attached_ring_has_forgotten_its_strings(struct kunit *test)
{
	struct vtr_ring *ring = new_ring_of(test, 0, VITRINE_MODE_CIRCULAR, 2);
	static const char key[] = "alpha";

	vtr_ring_advance(ring, 1);
	KUNIT_EXPECT_NE(test, vtr_strings_add(&ring->strings, key), 0);
	with_ring(ring, attach, ring);
	KUNIT_EXPECT_EQ(test, vtr_strings_find(&ring->strings, key), 0);
}

static struct kunit_case sched_cases[] = {
	KUNIT_CASE(probes_take_a_wide_ring),
	KUNIT_CASE(wakeup_of_a_running_thread_is_not_recorded),
	KUNIT_CASE(wakeup_has_its_context),
	KUNIT_CASE(attached_ring_has_forgotten_its_strings),
	{}
};

VTR_KUNIT_SUITE(sched, .exit = put_ring);
