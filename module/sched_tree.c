// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "sched": what each CPU's scheduler does, counted by probes of our
 * own that are registered while the tree is switched on.
 *
 * How long a thread waited after it was woken up: the kernel keeps since when
 * a thread waits, until it runs. That is so of threads that were preempted,
 * too; those woken up are told apart by a mark, which is that very time.
 *
 * Concurrency: of each CPU's cells
 *
 *   @local is written by its CPU in sched_switch, with interrupts off
 *   @remote is written by whoever wakes a thread up on that CPU, with the run
 *	queue of that CPU locked, except @arrivals, which is atomic; its marks
 *	are read in sched_switch, with the same lock held
 *
 * Who fills the tree reads both as they stand. The two are apart so that a
 * wake-up from afar leaves the line that each switch writes alone.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include <vitrine/inspect.h>

#include "builtin.h"
#include "probe.h"

/* Buckets end at 256 ns, 512 ns, ... 8.6 s; the last has what is beyond. */
#define FIRST_BUCKET_SHIFT	8
#define NR_BUCKETS		26
/* Threads woken up that may wait on one CPU before marks meet. */
#define NR_MARKS		64

struct waits {
	u64		sum_ns;
	u64		counts[NR_BUCKETS + 1];
};

struct cells {
	struct {
		u64		switches;
		u64		since_ns;
		struct waits	latency;
		struct waits	slice;
	} local ____cacheline_aligned;
	struct {
		u64		wakeups;
		atomic64_t	arrivals;
		u64		marks[NR_MARKS];
	} remote ____cacheline_aligned;
};

static struct cells __percpu *cells;

/* Since when a thread waits to run, by local_clock(); 0 if it does not. */
static __always_inline u64 waits_since(const struct task_struct *task)
{
#ifdef CONFIG_SCHED_INFO
	return READ_ONCE(task->sched_info.last_queued);
#else
	return 0;
#endif
}

static __always_inline u64 *mark_of(struct cells *cell,
				    const struct task_struct *task)
{
	return &cell->remote.marks[(unsigned int)task->pid % NR_MARKS];
}

/* Clocks of two CPUs may differ a little. */
static __always_inline void count(struct waits *waits, s64 ns)
{
	if (unlikely(ns < 0))
		ns = 0;
	waits->sum_ns += ns;
	waits->counts[min(fls64((u64)ns >> FIRST_BUCKET_SHIFT), NR_BUCKETS)]++;
}

static void probe_switch(void *unused, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	struct cells *cell = this_cpu_ptr(cells);
	u64 now_ns = local_clock();
	u64 since_ns = waits_since(next);

	cell->local.switches++;
	if (prev->pid && cell->local.since_ns)
		count(&cell->local.slice, now_ns - cell->local.since_ns);
	cell->local.since_ns = now_ns;
	if (since_ns && *mark_of(cell, next) == since_ns)
		count(&cell->local.latency, now_ns - since_ns);
}

/* Who wakes itself up did not sleep, and holds no lock here. */
static void probe_wakeup(void *unused, struct task_struct *task)
{
	struct cells *cell = per_cpu_ptr(cells, task_cpu(task));

	if (task == current)
		return;
	cell->remote.wakeups++;
	*mark_of(cell, task) = waits_since(task);
}

static void probe_arrival(void *unused, struct task_struct *task, int cpu)
{
	atomic64_inc(&per_cpu_ptr(cells, cpu)->remote.arrivals);
}

static struct vtr_probe probes[] = {
	VTR_PROBE(sched_switch, probe_switch),
	VTR_PROBE(sched_wakeup, probe_wakeup),
	VTR_PROBE(sched_wakeup_new, probe_wakeup),
	VTR_PROBE(sched_migrate_task, probe_arrival),
};

static void sched_stop(void)
{
	vtr_probe_unregister(probes, ARRAY_SIZE(probes));
	free_percpu(cells);
}

static int sched_start(void)
{
	int err;

	if (vtr_probe_find(probes, ARRAY_SIZE(probes)) < ARRAY_SIZE(probes))
		return -ENOENT;
	cells = alloc_percpu(struct cells);
	if (!cells)
		return -ENOMEM;
	err = min(vtr_probe_register(probes, ARRAY_SIZE(probes)), 0);
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
	histogram = vitrine_uint_exponential_create(node, name, 0,
						    1 << FIRST_BUCKET_SHIFT, 2,
						    NR_BUCKETS);
	for (i = 0; i <= NR_BUCKETS; i++) {
		start_ns = i ? 1ULL << (FIRST_BUCKET_SHIFT + i - 1) : 0;
		vitrine_uint_histogram_insert_many(histogram, start_ns,
						   vtr_peek(waits->counts[i]));
	}
}

static void record_cpu(struct vitrine_node *cpus, unsigned int cpu,
		       u64 nr_runnable)
{
	struct vitrine_node *node = vtr_builtin_number(cpus, cpu);
	const struct cells *cell = per_cpu_ptr(cells, cpu);

	vitrine_record_uint(node, "runnable", nr_runnable);
	vitrine_record_uint(node, "switches", vtr_peek(cell->local.switches));
	vitrine_record_uint(node, "wakeups", vtr_peek(cell->remote.wakeups));
	vitrine_record_uint(node, "migrations",
			    atomic64_read(&cell->remote.arrivals));
	record_waits(node, "wakeup_latency_ns", "wakeup_latency_sum_ns",
		     &cell->local.latency);
	record_waits(node, "slice_ns", "slice_sum_ns", &cell->local.slice);
}

/* Run queues are out of reach, but each thread says whether it is on one. */
static void count_runnable(u64 *nr_runnable)
{
	struct task_struct *task;
	int id;

	for (id = 1; (task = vtr_tasks_next(&id)); id++) {
		if (READ_ONCE(task->on_rq) && task_is_running(task))
			nr_runnable[task_cpu(task)]++;
		put_task_struct(task);
		cond_resched();
	}
}

static int sched_fill(struct vitrine_node *root, void *unused)
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

/* What each CPU's scheduler does. */
const struct vtr_builtin vtr_builtin_sched = {
	.name = "sched",
	.limit_bytes = SZ_64K,
	.cpu_bytes = SZ_2K,
	.fill = sched_fill,
	.start = sched_start,
	.stop = sched_stop,
};
