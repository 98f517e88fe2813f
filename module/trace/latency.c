// SPDX-License-Identifier: GPL-2.0
/*
 * Detect threads that were runnable for a long time when they get a CPU.
 *
 * While either limit is set, the probe that records switches calls this, because a probe
 * of its own would cost more than the check. The scheduler itself stores since when a
 * thread has waited, in local_clock() time. Only if the thread has waited too long by an
 * upper bound of local_clock(), see clock.h, does the check read local_clock().
 *
 * Concurrency: limits_mutex serialises changes of the limits, which probes may be reading,
 * and protects is_sampling.
 * Calls of vtr_latency_arm() and vtr_latency_disarm() are serialised by the caller, and so
 * are those of vtr_latency_set_runnable(). The slots of preempted threads: see preempted.h.
 */
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "probe.h"
#include "waits.h"

struct vtr_latency vtr_latency = {
	.suspect_ns = VTR_LATENCY_NEVER,
	.limit_ns = VTR_LATENCY_NEVER,
	.runnable_ns = VTR_LATENCY_NEVER,
};

DEFINE_STATIC_KEY_FALSE(vtr_latency_watched);
DEFINE_STATIC_KEY_FALSE(vtr_latency_armed);
DEFINE_STATIC_KEY_FALSE(vtr_latency_runnable);

/* Turns are remembered that are at least as long as this part of a wait that is recorded. */
#define TURNS_PER_WAIT	8

static DEFINE_MUTEX(limits_mutex);
static bool is_sampling;

/**
 * vtr_latency_waited() - return how long a thread has been runnable
 * @now_ns: local_clock()
 * @next: incoming thread
 *
 * Context: sched_switch.
 * Return: nanoseconds; negative if the thread was not, or if the time at which it became
 *	runnable is of another CPU's clock, which is slightly ahead.
 */
s64 vtr_latency_waited(u64 now_ns, const struct task_struct *next)
{
	u64 queued_ns = vtr_preempted_since(next);

	return queued_ns ? now_ns - queued_ns : -1;
}

/**
 * vtr_latency_is_late() - check whether the wakeup latency of a thread is too high
 * @waited_ns: vtr_latency_waited() of the thread
 * @next: the thread
 *
 * Context: sched_switch, while watched.
 * Return: true if it is above the limit that vtr_latency_arm() has set.
 */
bool vtr_latency_is_late(s64 waited_ns, const struct task_struct *next)
{
	return static_branch_unlikely(&vtr_latency_armed) &&
	       waited_ns > READ_ONCE(vtr_latency.limit_ns) &&
	       !vtr_preempted_find(this_cpu_ptr(vtr_latency.preempted), next);
}

static void update(void)
{
	s64 suspect_ns = min(vtr_latency.limit_ns, vtr_latency.runnable_ns);

	lockdep_assert_held(&limits_mutex);
	WRITE_ONCE(vtr_latency.suspect_ns, suspect_ns);
	if (suspect_ns == VTR_LATENCY_NEVER && !is_sampling)
		static_branch_disable(&vtr_latency_watched);
	else
		static_branch_enable(&vtr_latency_watched);
}

static void set_limit(s64 *limit, s64 limit_ns)
{
	mutex_lock(&limits_mutex);
	WRITE_ONCE(*limit, limit_ns);
	update();
	mutex_unlock(&limits_mutex);
}

/**
 * vtr_latency_watch() - have switches watched for the sake of sample.c, too
 * @watch: begin or end
 *
 * Context: task; may sleep.
 */
void vtr_latency_watch(bool watch)
{
	mutex_lock(&limits_mutex);
	is_sampling = watch;
	update();
	mutex_unlock(&limits_mutex);
}

/**
 * vtr_latency_set_runnable() - set for which threads vtr_stacks_switched() is called
 * @limit_ns: shortest time runnable, or VTR_LATENCY_NEVER
 *
 * Does not wait until a call that has begun returns.
 *
 * Context: task; may sleep. The caller serialises.
 */
void vtr_latency_set_runnable(s64 limit_ns)
{
	if (limit_ns == VTR_LATENCY_NEVER) {
		static_branch_disable(&vtr_latency_runnable);
		set_limit(&vtr_latency.runnable_ns, limit_ns);
		return;
	}
	vtr_bound_forget();
	WRITE_ONCE(vtr_latency.turn_ns, div_s64(limit_ns, TURNS_PER_WAIT));
	set_limit(&vtr_latency.runnable_ns, limit_ns);
	static_branch_enable(&vtr_latency_runnable);
}

/* Move the note of a thread that was preempted on the CPU from which it migrates. */
static void probe_migrate(void *unused, struct task_struct *task, int cpu)
{
	struct vtr_preempted __percpu *preempted = vtr_latency.preempted;

	if (vtr_preempted_find(per_cpu_ptr(preempted, task_cpu(task)), task))
		vtr_preempted_note(per_cpu_ptr(preempted, cpu), task);
}

static struct vtr_probe migrate = VTR_PROBE(sched_migrate_task, probe_migrate);

/*
 * Note all threads that wait now, as if they had been preempted: why they wait is unknown.
 * One that migrates at this moment is left out.
 */
static void note_waiting(void)
{
	struct vtr_preempted __percpu *preempted = vtr_latency.preempted;
	struct task_struct *task;
	int id = 1;

	while ((task = vtr_thread_next(&id))) {
		if (vtr_preempted_since(task))
			vtr_preempted_note(per_cpu_ptr(preempted, task_cpu(task)), task);
		put_task_struct(task);
		cond_resched();
	}
}

/**
 * vtr_latency_arm() - call a function for threads with a high wakeup latency
 * @limit_ns: highest latency, in nanoseconds, for which it is not called
 * @late: the function
 *
 * Context: task; may sleep. The caller serialises; not armed yet.
 * Return: 0, -ENOMEM, or the error of the tracepoint of migrations, in which case it is not
 *	armed.
 */
int vtr_latency_arm(s64 limit_ns, vtr_latency_late_fn late)
{
	unsigned int cpu;
	int err;

	if (!vtr_probe_find(&migrate, 1))
		return -ENOENT;
	vtr_latency.preempted = alloc_percpu(struct vtr_preempted);
	if (!vtr_latency.preempted)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		vtr_preempted_init(per_cpu_ptr(vtr_latency.preempted, cpu));
	err = min(vtr_probe_register(&migrate, 1), 0);
	if (err) {
		free_percpu(vtr_latency.preempted);
		return err;
	}
	vtr_latency.late = late;
	vtr_bound_forget();
	static_branch_enable(&vtr_latency_armed);
	/* No thread waits for that long, but each CPU notes the threads that it preempts. */
	set_limit(&vtr_latency.limit_ns, VTR_LATENCY_NEVER - 1);
	synchronize_rcu();
	note_waiting();
	set_limit(&vtr_latency.limit_ns, limit_ns);
	return 0;
}

/**
 * vtr_latency_disarm() - undo vtr_latency_arm()
 *
 * Waits until no callback is running.
 *
 * Context: task; may sleep.
 */
void vtr_latency_disarm(void)
{
	set_limit(&vtr_latency.limit_ns, VTR_LATENCY_NEVER);
	static_branch_disable(&vtr_latency_armed);
	/* Waits for all probes, including the one that records switches. */
	vtr_probe_unregister(&migrate, 1);
	free_percpu(vtr_latency.preempted);
}
