// SPDX-License-Identifier: GPL-2.0
/*
 * What a record takes on this machine's own CPU, in nanoseconds: the module's ring, writer and
 * hot path of a switch, compiled for user space with the CPU's real counter. Not a test.
 *
 * Prints a row for each case: what is done, how many threads take turns, what is in no cache
 * when a run begins, and the median and the quartiles of a record's share of many runs. A run
 * has 1024 records, or if the thread table is in no cache, one for each thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/writer.h"

#define NR_RUNS		2001
#define NR_RECORDS	1024
#define MAX_THREADS	200
#define LINE_BYTES	64

static struct task_struct tasks[MAX_THREADS];
/* Which thread each record of a run switches to. */
static const struct task_struct *turns[NR_RECORDS];
static struct vtr_ring *ring;
static u64 buffer[NR_RECORDS * 9];
static double ticks_per_ns;

int host_locks_held;	/* counted by lockdep.h, read by KUnit only */

/* What is flushed before a run: the records, or with them the ring's fields and thread table. */
enum cold { WARM, COLD_RING, COLD_TABLE };
static const char * const cold_names[] = { "-", "ring", "ring, table" };

/* An event of ftrace as perf and trace-cmd read it: sched_switch, behind its header. */
struct ftrace_switch {
	u32	header;
	u16	type;
	u8	flags, preempt_count;
	s32	pid;
	char	prev_comm[16];
	s32	prev_pid, prev_prio;
	s64	prev_state;
	char	next_comm[16];
	s32	next_pid, next_prio;
} __attribute__((packed));

/* Each records NR switches, or does what a part of that is. */

#define DO_EACH(name, what)						\
static void name(unsigned int nr)					\
{									\
	unsigned int i;							\
									\
	for (i = 0; i < nr; i++) {					\
		what;							\
	}								\
}

static void store_pair(unsigned int i, u64 first, u64 second)
{
	WRITE_ONCE(buffer[2 * i], first);
	WRITE_ONCE(buffer[2 * i + 1], second);
}

static void read_counter(void)
{
	u64 now = vtr_counter_switch_ticks();

	OPTIMIZER_HIDE_VAR(now);
}

DO_EACH(nothing, barrier())
DO_EACH(counter, read_counter())
DO_EACH(store, store_pair(i, i, nr))
DO_EACH(counter_and_store, store_pair(i, i, vtr_counter_switch_ticks()))

static void ftrace(unsigned int nr)
{
	struct ftrace_switch *event = (void *)buffer;
	const struct task_struct *prev = tasks, *next;
	unsigned int i;
	static u64 last;
	u64 now;

	for (i = 0; i < nr; i++, event++, prev = next) {
		next = turns[i];
		now = vtr_counter_switch_ticks();
		event->header = (now - last) << 5 | 16;
		last = now;
		event->type = 316;
		event->flags = 1;
		event->preempt_count = 0;
		event->pid = prev->pid;
		memcpy(event->prev_comm, prev->comm, sizeof(prev->comm));
		event->prev_pid = prev->pid;
		event->prev_prio = prev->prio;
		event->prev_state = 1;
		memcpy(event->next_comm, next->comm, sizeof(next->comm));
		event->next_pid = next->pid;
		event->next_prio = next->prio;
		barrier();
	}
}

static __always_inline void switches(unsigned int nr, bool timed)
{
	const struct task_struct *prev = tasks, *next;
	unsigned int i;

	for (i = 0; i < nr; i++, prev = next) {
		next = turns[i];
		if (unlikely(vtr_switch_put(VITRINE_CLOCK_COUNTER, timed, i, vtr_writer_ring,
					    vtr_writer_ring->running, next)))
			vtr_writer_switch_new(ring, vtr_counter_switch_ticks(),
					      vtr_writer_state(FXT_THREAD_BLOCKED), prev, next);
	}
}

static void vitrine(unsigned int nr)
{
	switches(nr, false);
}

static void vitrine_timed(unsigned int nr)
{
	switches(nr, true);
}

/* Write back and invalidate what is in any cache. */
static void flush(const void *begin, size_t len)
{
	const char *line;

	for (line = begin; line < (const char *)begin + len; line += LINE_BYTES)
#ifdef CONFIG_X86
		__builtin_ia32_clflush(line);
#else
		__asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
#endif
	smp_mb();	/* What is measured next finds nothing of it. */
}

static void calibrate(void)
{
	u64 begin_ns = ktime_get_mono_fast_ns(), begin = vtr_counter_ticks_ordered(), end_ns;

	do
		end_ns = ktime_get_mono_fast_ns();
	while (end_ns - begin_ns < 100000000);
	ticks_per_ns = (double)(vtr_counter_ticks_ordered() - begin) / (end_ns - begin_ns);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Print what @record takes, with what @cold says in no cache. */
static void measure(const char *what, void (*record)(unsigned int nr), unsigned int threads,
		    enum cold cold)
{
	static double ns[NR_RUNS];
	unsigned int run, nr = cold == COLD_TABLE ? threads : NR_RECORDS;
	u64 before, begin, end, other_bytes;

	for (run = 0; run < NR_RECORDS; run++)
		turns[run] = &tasks[(run + 1) % threads];
	for (run = 0; run < NR_RUNS; run++) {
		/* Begin a sub-buffer in which each thread has its reference. */
		vtr_ring_end_subbuf(ring);
		vitrine(2 * threads);
		record(nr);
		other_bytes = ring->other_bytes;
		if (cold) {
			flush(vtr_ring_next(ring), nr * VTR_FXT_SWITCH_WORDS * FXT_WORD_BYTES);
			flush(buffer, sizeof(buffer));
		}
		if (cold == COLD_TABLE)
			flush(ring, sizeof(*ring));
		before = vtr_counter_ticks_ordered();
		begin = vtr_counter_ticks_ordered();
		record(nr);
		end = vtr_counter_ticks_ordered();
		ns[run] = (double)((end - begin) - (begin - before)) / ticks_per_ns / nr;
		if (ring->other_bytes != other_bytes)
			exit(1);	/* not all were on the fast path */
	}
	qsort(ns, NR_RUNS, sizeof(*ns), compare);
	printf("%s\t%u\t%s\t%.2f\t%.2f\t%.2f\n", what, threads, cold_names[cold],
	       ns[NR_RUNS / 2], ns[NR_RUNS / 4], ns[NR_RUNS * 3 / 4]);
}

int main(void)
{
	const struct vtr_ring_config config = {
		.session = 1, .clock = VITRINE_CLOCK_COUNTER, .subbuf_order = 5, .nr_subbufs = 2,
		.ticks_per_second = 1000000000,
	};
	unsigned int i;

	for (i = 0; i < MAX_THREADS; i++) {
		tasks[i] = (struct task_struct){ .prio = 120, .pid = 1000 + i, .tgid = 1000 + i };
		tasks[i].group_leader = &tasks[i];
		snprintf(tasks[i].comm, sizeof(tasks[i].comm), "worker-%u", i);
	}
	vtr_writer_init();
	ring = vtr_ring_create(0, &config);
	if (!ring)
		return 1;
	vtr_writer_ring = ring;
	calibrate();
	measure("empty loop", nothing, 2, WARM);
	measure("16-byte store", store, 2, WARM);
	measure("counter", counter, 2, WARM);
	measure("counter, 16-byte store", counter_and_store, 2, WARM);
	measure("68 bytes, as ftrace writes", ftrace, 2, WARM);
	measure("vitrine", vitrine, 2, WARM);
	measure("vitrine", vitrine, 60, WARM);
	measure("vitrine", vitrine, 200, WARM);
	measure("vitrine, without the counter", vitrine_timed, 2, WARM);
	measure("vitrine, without the counter", vitrine_timed, 60, WARM);
	measure("vitrine, without the counter", vitrine_timed, 200, WARM);
	measure("counter, 16-byte store", counter_and_store, 2, COLD_RING);
	measure("68 bytes, as ftrace writes", ftrace, 2, COLD_RING);
	measure("vitrine", vitrine, 2, COLD_RING);
	measure("vitrine", vitrine, 60, COLD_TABLE);
	measure("vitrine", vitrine, 200, COLD_TABLE);
	measure("vitrine, without the counter", vitrine_timed, 2, COLD_RING);
	measure("vitrine, without the counter", vitrine_timed, 60, COLD_TABLE);
	measure("vitrine, without the counter", vitrine_timed, 200, COLD_TABLE);
	return 0;
}
