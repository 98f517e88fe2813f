// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of sched.c: this CPU records into the ring of a CPU whose number does not
 * fit into the 16-byte switch record. Kernel only.
 */
#include <linux/irqflags.h>

#include "ring_fixture.h"
#include "suite.h"

#define TEST_CPU	300
#define TEST_SWITCHES	500
#define TEST_WAKEUPS	100
#define TEST_EVENTS	50

static DEFINE_VITRINE_CATEGORY(kunit_wide);

/**
 * struct wide_counts - number of records in a ring
 * @switches: context switches
 * @wakeups: thread wakeups
 * @events: events
 */
struct wide_counts {
	unsigned int	switches;
	unsigned int	wakeups;
	unsigned int	events;
};

/* Call the probes as the scheduler does: for a switch to a thread and back. */
static void call_probes(struct vtr_ring *ring, struct task_struct *other)
{
	struct vtr_ring *before;
	unsigned long flags;
	unsigned int i;

	local_irq_save(flags);
	before = this_cpu_read(vtr_writer_ring);
	this_cpu_write(vtr_writer_ring, ring);
	for (i = 0; i < TEST_SWITCHES; i += 2) {
		probe_switch_local(WRITER_RINGS, false, current, other, TASK_INTERRUPTIBLE);
		probe_switch_local(WRITER_RINGS, false, other, current, TASK_DEAD);
		if (i < TEST_WAKEUPS)
			probe_wakeup_local(WRITER_RINGS, other);
		if (i < TEST_EVENTS)
			vitrine_trace_instant(kunit_wide, "event", VITRINE_ARG("number", i));
	}
	this_cpu_write(vtr_writer_ring, before);
	local_irq_restore(flags);
}

static void count_record(struct kunit *test, const u64 *words, struct wide_counts *counts)
{
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

static void count_records(struct kunit *test, struct vtr_ring *ring, struct wide_counts *counts)
{
	u64 *bytes = zalloc(test, PAGE_SIZE);
	size_t len, i, nr_words;
	u64 first, end;

	vtr_ring_range(ring, &first, &end);
	KUNIT_EXPECT_EQ(test, first, 0);
	for (; first < end; first++) {
		len = vtr_ring_copy(ring, first, bytes);
		for (i = 0; i < len / FXT_WORD_BYTES; i += nr_words) {
			nr_words = record_words(test, bytes + i, len / FXT_WORD_BYTES - i);
			count_record(test, bytes + i, counts);
		}
	}
}

static void probes_take_a_wide_ring(struct kunit *test)
{
	const struct vtr_ring_config config = ring_config(VITRINE_MODE_ONESHOT, 32);
	struct task_struct *other = zalloc(test, sizeof(*other));
	struct wide_counts counts = { 0 };
	struct vtr_ring_stats stats;
	struct vtr_ring *ring;

	other->pid = 64;
	other->tgid = 64;
	ring = keep_ring(test, vtr_ring_create(TEST_CPU, &config));
	static_branch_enable(&vitrine_category_kunit_wide.key);
	call_probes(ring, other);
	static_branch_disable(&vitrine_category_kunit_wide.key);
	vtr_ring_stats(ring, &stats);
	count_records(test, ring, &counts);
	/* The first switch opens the row, from idle. */
	KUNIT_EXPECT_EQ(test, counts.switches, TEST_SWITCHES + 1);
	KUNIT_EXPECT_EQ(test, counts.wakeups, TEST_WAKEUPS / 2);
	KUNIT_EXPECT_EQ(test, counts.events, TEST_EVENTS / 2);
	KUNIT_EXPECT_EQ(test, stats.switches, counts.switches);
	KUNIT_EXPECT_EQ(test, stats.records, counts.switches + counts.wakeups + counts.events);
	KUNIT_EXPECT_EQ(test, stats.lost_records, 0);
}

static struct vtr_ring *new_narrow_ring(struct kunit *test)
{
	const struct vtr_ring_config config = ring_config(VITRINE_MODE_CIRCULAR, 2);

	return keep_ring(test, vtr_ring_create(0, &config));
}

static void set_on_cpu(struct task_struct *task, int on_cpu)
{
#ifdef CONFIG_SMP
	task->on_cpu = on_cpu;
#endif
}

/* Create a thread that stays on this CPU although its switches pretend otherwise. */
static struct task_struct *new_thread_here(struct kunit *test)
{
	struct task_struct *task = zalloc(test, sizeof(*task));

	task->pid = 64;
	task->tgid = 64;
	set_on_cpu(task, 1);
	return task;
}

static void wakeup_of_a_running_thread_is_not_recorded(struct kunit *test)
{
	struct task_struct *other = new_thread_here(test);
	struct vtr_ring *ring, *before;
	unsigned long flags;
	u64 running, leaving, gone, itself;

	if (!IS_ENABLED(CONFIG_SMP))
		kunit_skip(test, "without SMP a thread that switches out is off its CPU");
	ring = new_narrow_ring(test);
	local_irq_save(flags);
	task_thread_info(other)->cpu = smp_processor_id();
	before = this_cpu_read(vtr_writer_ring);
	this_cpu_write(vtr_writer_ring, ring);
	probe_switch_local(WRITER_RINGS, false, current, other, TASK_INTERRUPTIBLE);
	probe_wakeup_local(WRITER_RINGS, other);
	running = ring->nr_wakeups;
	probe_switch_local(WRITER_RINGS, false, other, current, TASK_INTERRUPTIBLE);
	probe_wakeup_local(WRITER_RINGS, other);
	leaving = ring->nr_wakeups;
	set_on_cpu(other, 0);
	probe_wakeup_local(WRITER_RINGS, other);
	gone = ring->nr_wakeups;
	probe_wakeup_local(WRITER_RINGS, current);
	itself = ring->nr_wakeups;
	this_cpu_write(vtr_writer_ring, before);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, running, 0);
	KUNIT_EXPECT_EQ(test, leaving, 1);
	KUNIT_EXPECT_EQ(test, gone, 2);
	KUNIT_EXPECT_EQ(test, itself, 2);
}

/* The module of a string may have been unloaded while the ring was detached. */
static void attached_ring_has_forgotten_its_strings(struct kunit *test)
{
	struct vtr_ring *ring = new_narrow_ring(test), *before;
	static const char key[] = "alpha";
	unsigned long flags;
	u16 index, found;

	vtr_ring_advance(ring, 1);
	index = vtr_strings_add(&ring->strings, key);
	local_irq_save(flags);
	before = this_cpu_read(vtr_writer_ring);
	vtr_sched_attach(ring);
	found = vtr_strings_find(&ring->strings, key);
	this_cpu_write(vtr_writer_ring, before);
	local_irq_restore(flags);
	KUNIT_EXPECT_NE(test, index, 0);
	KUNIT_EXPECT_EQ(test, found, 0);
}

static struct kunit_case sched_cases[] = {
	KUNIT_CASE(probes_take_a_wide_ring),
	KUNIT_CASE(wakeup_of_a_running_thread_is_not_recorded),
	KUNIT_CASE(attached_ring_has_forgotten_its_strings),
	{}
};

VTR_KUNIT_SUITE(sched, .exit = put_ring);
