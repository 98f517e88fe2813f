/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Detect threads that were runnable for a long time when they get a CPU: those with a high
 * wakeup latency, for the trigger, and any, for stacks.c. latency.c explains the method
 * and the locking rules.
 */
#ifndef _VTR_LATENCY_H
#define _VTR_LATENCY_H

#include <linux/jump_label.h>
#include <linux/limits.h>

#include "clock.h"
#include "preempted.h"

/* Called with interrupts off and the run queue locked, after the switch was recorded. */
typedef void (*vtr_latency_late_fn)(u64 waited_ns, struct task_struct *next);

/* A limit that no thread reaches. */
#define VTR_LATENCY_NEVER	S64_MAX

/**
 * struct vtr_latency - limits and what to do above them
 * @suspect_ns: the lower of the next two
 * @limit_ns: wakeup latency above which @late is called, or VTR_LATENCY_NEVER
 * @runnable_ns: shortest time runnable that is recorded, or VTR_LATENCY_NEVER
 * @turn_ns: shortest turn of an outgoing thread that is remembered
 * @preempted: threads that each CPU has preempted
 * @late: callback
 *
 * @preempted and @late are valid while vtr_latency_armed is on.
 */
struct vtr_latency {
	s64				suspect_ns;
	s64				limit_ns;
	s64				runnable_ns;
	s64				turn_ns;
	struct vtr_preempted __percpu	*preempted;
	vtr_latency_late_fn		late;
};

extern struct vtr_latency vtr_latency;

/* Either limit is set, or vtr_latency_watch() was called. */
DECLARE_STATIC_KEY_FALSE(vtr_latency_watched);

/* @limit_ns is set, so that preempted threads are noted. */
DECLARE_STATIC_KEY_FALSE(vtr_latency_armed);

/* @runnable_ns is set, so that vtr_stacks_switched() is called. */
DECLARE_STATIC_KEY_FALSE(vtr_latency_runnable);

/**
 * vtr_latency_note() - note the outgoing thread if it is preempted
 * @preempt: argument of sched_switch
 * @prev: outgoing thread
 * @prev_state: argument of sched_switch
 *
 * Context: sched_switch, while watched, before vtr_latency_suspect(). Need not be called
 *	for a thread that goes to sleep.
 */
static __always_inline void vtr_latency_note(bool preempt,
					     const struct task_struct *prev,
					     unsigned int prev_state)
{
	if (static_branch_unlikely(&vtr_latency_armed) &&
	    (preempt || !prev_state))
		vtr_preempted_note(this_cpu_ptr(vtr_latency.preempted), prev);
}

/**
 * vtr_latency_suspect() - check whether a thread may have waited, or run, for long
 * @now: ticks of the session's clock
 * @prev: outgoing thread
 * @next: incoming thread
 *
 * Context: sched_switch, while watched. Hot.
 * Return: false if @next certainly has not waited as long as either limit, and, while
 *	@runnable_ns is set, the turn of @prev was certainly shorter than @turn_ns.
 */
static __always_inline bool vtr_latency_suspect(u64 now,
						const struct task_struct *prev,
						const struct task_struct *next)
{
	u64 queued_ns = vtr_preempted_since(next), now_ns = vtr_bound_ns(now);

	if (queued_ns && (s64)(now_ns - queued_ns) >=
			 /* set_limit() may change it; READ_ONCE() takes a register. */
			 data_race(vtr_latency.suspect_ns))
		return true;
	return static_branch_unlikely(&vtr_latency_runnable) &&
	       (s64)(now_ns - vtr_preempted_arrival(prev)) >=
	       /* Likewise; at worst, the turn is not remembered. */
	       data_race(vtr_latency.turn_ns) && prev->pid;
}

s64 vtr_latency_waited(u64 now_ns, const struct task_struct *next);
bool vtr_latency_is_late(s64 waited_ns, const struct task_struct *next);
void vtr_latency_set_runnable(s64 limit_ns);
void vtr_latency_watch(bool watch);
int vtr_latency_arm(s64 limit_ns, vtr_latency_late_fn late);
void vtr_latency_disarm(void);

#endif /* _VTR_LATENCY_H */
