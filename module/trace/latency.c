// SPDX-License-Identifier: GPL-2.0
/*
 * Detect threads with a high wakeup latency when they get a CPU.
 *
 * While a limit is set, the probe that records switches calls this, because a probe
 * of its own would cost more than the check. The scheduler itself stores since when a
 * thread has waited, in local_clock() time. Only if the thread has waited too long by an
 * upper bound of local_clock(), see clock.h, does the check read local_clock().
 *
 * Concurrency: calls of vtr_latency_arm() and vtr_latency_disarm() are serialised by the
 * caller. Probes may be reading the limit while it changes. The slots of preempted threads:
 * see preempted.h.
 */
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <trace/events/sched.h>

#include "probe.h"
#include "waits.h"

struct vtr_latency vtr_latency = {
	.limit_ns = VTR_LATENCY_NEVER,
};

DEFINE_STATIC_KEY_FALSE(vtr_switch_watched);
DEFINE_STATIC_KEY_FALSE(vtr_latency_armed);

/**
 * vtr_latency_late_ns() - return the wakeup latency of a thread if it is too high
 * @now: ticks of the session's clock
 * @next: incoming thread
 *
 * Context: sched_switch, while watched.
 * Return: nanoseconds; 0 if they are not above the limit that vtr_latency_arm() has set, or
 *	the thread was preempted.
 */
s64 vtr_latency_late_ns(u64 now, const struct task_struct *next)
{
	u64 queued_ns = vtr_preempted_since(next);
	s64 waited_ns;

	if (!static_branch_unlikely(&vtr_latency_armed) || !queued_ns)
		return 0;
	/* Negative if @queued_ns is of another CPU's clock, which is slightly ahead. */
	waited_ns = vtr_bound_sync(now) - queued_ns;
	return waited_ns > READ_ONCE(vtr_latency.limit_ns) &&
	       !vtr_preempted_find(this_cpu_ptr(vtr_latency.preempted), next) ? waited_ns : 0;
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

	vtr_latency.preempted = alloc_percpu(struct vtr_preempted);
	if (!vtr_latency.preempted)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		vtr_preempted_init(per_cpu_ptr(vtr_latency.preempted, cpu));
	vtr_probe_find(&migrate, 1);
	err = vtr_probe_register(&migrate, 1);
	if (err) {
		free_percpu(vtr_latency.preempted);
		return err;
	}
	vtr_latency.late = late;
	vtr_bound_forget();
	static_branch_enable(&vtr_latency_armed);
	/* Before there is a limit, each CPU notes the threads that it preempts. */
	static_branch_inc(&vtr_switch_watched);
	synchronize_rcu();
	note_waiting();
	WRITE_ONCE(vtr_latency.limit_ns, limit_ns);
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
	WRITE_ONCE(vtr_latency.limit_ns, VTR_LATENCY_NEVER);
	static_branch_dec(&vtr_switch_watched);
	static_branch_disable(&vtr_latency_armed);
	/* Waits for all probes, including the one that records switches. */
	vtr_probe_unregister(&migrate, 1);
	free_percpu(vtr_latency.preempted);
}
