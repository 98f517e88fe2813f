// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "sched": what the scheduler of each CPU does, counted by probes that are
 * registered while the tree is switched on.
 *
 * A switch is counted without reading a clock: the scheduler has just read its own and
 * stored the time in the two threads. The wakeup latency of a thread is computed at the
 * end of its time slice, from the time it got the CPU and the time it began to wait.
 *
 * Concurrency: of the cells of a CPU
 *
 *   @local is written by that CPU in sched_switch, with interrupts off
 *   @preempted is also written by a CPU that moves a waiting thread to that CPU: see
 *	preempted.h
 *   @arrivals and @moved_wakeups are atomic
 *
 * fill() reads all of them without a lock.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <trace/events/sched.h>

#include "builtin.h"
#include "peek.h"
#include "preempted.h"
#include "probe.h"

/* Buckets end at 256 ns, 512 ns, ... 8.6 s; the last one is unbounded. */
#define FIRST_BUCKET_SHIFT	8
#define NR_BUCKETS		26

/* One count for each highest bit of a time; the first covers all lower bits. */
#define NR_COUNTS		(64 - FIRST_BUCKET_SHIFT + 1)

struct waits {
	u64		sum_ns;
	u64		counts[NR_COUNTS];
};

/**
 * struct cells - counts of one CPU
 * @local: written by that CPU only
 * @local.idle: context switches from idle; all others are counted in slice
 * @local.began_ns: time at which the current thread got the CPU, in the run queue's task
 *	clock
 * @local.queued_ns: time at which the current thread was woken up, or 0 if it was
 *	preempted before it ran
 * @local.latency: wakeup latency
 * @local.slice: time from switch to switch, without idle
 * @preempted: waiting threads that were preempted, not woken up
 * @arrivals: threads that migrated to this CPU
 * @moved_wakeups: of these, threads that were woken up and had not run yet
 */
struct cells {
	struct {
		u64		idle;
		u64		began_ns;
		u64		queued_ns;
		struct waits	latency;
		struct waits	slice;
	} local ____cacheline_aligned;
	struct vtr_preempted	preempted;
	atomic64_t		arrivals ____cacheline_aligned;
	atomic64_t		moved_wakeups;
};

static struct cells __percpu *cells;

/* Count a time by its highest bit; all times of the first bucket count as one bit. */
static __always_inline void count(struct waits *waits, u64 ns)
{
	waits->sum_ns += ns;
	waits->counts[__fls(ns >> (FIRST_BUCKET_SHIFT - 1) | 1)]++;
}

static notrace void probe_switch(void *unused, bool preempt,
				 struct task_struct *prev,
				 struct task_struct *next,
				 unsigned int prev_state)
{
	struct cells *cell = this_cpu_ptr(cells);

	if (likely(prev->pid)) {
		count(&cell->local.slice,
		      prev->se.exec_start - cell->local.began_ns);
		if (likely(cell->local.queued_ns))
			count(&cell->local.latency, vtr_preempted_arrival(prev) -
			      cell->local.queued_ns);
		if (unlikely(preempt || !prev_state))
			vtr_preempted_note(&cell->preempted, prev);
	} else {
		cell->local.idle++;
	}
	cell->local.began_ns = next->se.exec_start;
	cell->local.queued_ns = vtr_preempted_find(&cell->preempted, next) ?
				0 : vtr_preempted_since(next);
}

/*
 * When a waiting thread migrates, the kernel restarts its wait. The time until it runs
 * is then no wakeup latency: the thread counts as preempted, and the wakeup, if there
 * was one, is counted here.
 */
static void probe_arrival(void *unused, struct task_struct *task, int cpu)
{
	struct cells *from = per_cpu_ptr(cells, task_cpu(task));
	struct cells *to = per_cpu_ptr(cells, cpu);

	atomic64_inc(&to->arrivals);
	if (!READ_ONCE(task->on_rq))
		return;
	if (!vtr_preempted_find(&from->preempted, task))
		atomic64_inc(&to->moved_wakeups);
	vtr_preempted_note(&to->preempted, task);
}

static struct vtr_probe probes[] = {
	VTR_PROBE(sched_switch, probe_switch),
	VTR_PROBE(sched_migrate_task, probe_arrival),
};

/* Set the begin of the current thread, whose switch was before the probes were there. */
static void begin_here(void *unused)
{
	this_cpu_ptr(cells)->local.began_ns = current->se.exec_start;
}

/**
 * vtr_sched_stop() - stop counting
 *
 * Context: task; may sleep.
 */
void vtr_sched_stop(void)
{
	vtr_probe_unregister(probes, ARRAY_SIZE(probes));
	free_percpu(cells);
}

/**
 * vtr_sched_start() - begin to count
 *
 * Context: task; may sleep.
 * Return: 0, -ENOENT if this kernel lacks a tracepoint, -ENOMEM, or the error of one.
 */
int vtr_sched_start(void)
{
	unsigned int cpu;
	int err;

	if (vtr_probe_find(probes, ARRAY_SIZE(probes)) < ARRAY_SIZE(probes))
		return -ENOENT;
	cells = alloc_percpu(struct cells);
	if (!cells)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		vtr_preempted_init(&per_cpu_ptr(cells, cpu)->preempted);
	on_each_cpu(begin_here, NULL, 1);
	err = vtr_probe_register(probes, ARRAY_SIZE(probes));
	if (err)
		free_percpu(cells);
	return err;
}

static void record_waits(struct vitrine_node *node, const char *name,
			 const char *sum_name, const struct waits *waits)
{
	struct vitrine_uint_histogram *histogram;
	unsigned int i;
	u64 start_ns;

	vitrine_record_uint(node, sum_name, vtr_peek(waits->sum_ns));
	histogram = vitrine_uint_histogram_create(node, name, 0,
						  1 << FIRST_BUCKET_SHIFT, 2,
						    NR_BUCKETS);
	for (i = 0; i < NR_COUNTS; i++) {
		start_ns = i ? 1ULL << (FIRST_BUCKET_SHIFT + i - 1) : 0;
		vitrine_uint_histogram_insert_many(histogram, start_ns,
						   vtr_peek(waits->counts[i]));
	}
}

static u64 nr_waits(const struct waits *waits)
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < NR_COUNTS; i++)
		sum += vtr_peek(waits->counts[i]);
	return sum;
}

static void record_cpu(struct vitrine_node *cpus, unsigned int cpu,
		       u64 nr_runnable)
{
	struct vitrine_node *node = vtr_builtin_number(cpus, cpu);
	const struct cells *cell = per_cpu_ptr(cells, cpu);

	VTR_RECORD(node,
		   { "runnable", nr_runnable },
		   { "switches", vtr_peek(cell->local.idle) +
				 nr_waits(&cell->local.slice) },
		   { "migrations", atomic64_read(&cell->arrivals) });
	if (IS_ENABLED(CONFIG_SCHED_INFO)) {
		vitrine_record_uint(node, "wakeups",
				    nr_waits(&cell->local.latency) +
				    atomic64_read(&cell->moved_wakeups));
		record_waits(node, "wakeup_latency_ns", "wakeup_latency_sum_ns",
			     &cell->local.latency);
	}
	record_waits(node, "slice_ns", "slice_sum_ns", &cell->local.slice);
}

/* Count runnable threads by CPU. Run queues are not exported, but each thread has on_rq. */
static void count_runnable(u64 *nr_runnable)
{
	struct task_struct *task;
	int id = 1;

	while ((task = vtr_thread_next(&id))) {
		if (READ_ONCE(task->on_rq) && task_is_running(task))
			nr_runnable[task_cpu(task)]++;
		put_task_struct(task);
		cond_resched();
	}
}

/**
 * vtr_sched_fill() - fill the tree "sched"
 * @root: root of the tree
 *
 * Context: task; may sleep.
 * Return: 0 or -ENOMEM.
 */
int vtr_sched_fill(struct vitrine_node *root)
{
	u64 *nr_runnable = kvcalloc(nr_cpu_ids, sizeof(*nr_runnable),
				    GFP_KERNEL);
	struct vitrine_node *cpus;
	unsigned int cpu;

	if (!nr_runnable)
		return -ENOMEM;
	count_runnable(nr_runnable);
	cpus = vitrine_record_node(root, "cpus");
	for_each_possible_cpu(cpu)
		record_cpu(cpus, cpu, nr_runnable[cpu]);
	kvfree(nr_runnable);
	return 0;
}
