/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Long waits and samples: what the probes of sched.c check, and what is then recorded or
 * fires the trigger. Each of the files that are named below has its locking rules.
 */
#ifndef _VTR_WAITS_H
#define _VTR_WAITS_H

#include <linux/jump_label.h>
#include <linux/limits.h>
#include <linux/percpu.h>

#include "category.h"
#include "clock.h"
#include "compat.h"
#include "peek.h"
#include "preempted.h"
#include "writer.h"

struct pt_regs;
struct seq_file;
struct vtr_stack_table;

/*
 * latency.c: detect threads with a high wakeup latency when they get a CPU, for the trigger.
 */

/* Called with interrupts off and the run queue locked, after the switch was recorded. */
typedef void (*vtr_latency_late_fn)(u64 waited_ns, struct task_struct *next);

/* A limit that no thread reaches. */
#define VTR_LATENCY_NEVER	S64_MAX

/**
 * struct vtr_latency - the limit and what to do above it
 * @limit_ns: wakeup latency above which @late is called, or VTR_LATENCY_NEVER
 * @preempted: threads that each CPU has preempted
 * @late: callback
 *
 * @preempted and @late are valid while vtr_latency_armed is on.
 */
struct vtr_latency {
	s64				limit_ns;
	struct vtr_preempted __percpu	*preempted;
	vtr_latency_late_fn		late;
};

extern struct vtr_latency vtr_latency;

/*
 * The probe of switches does more than record them: counts vtr_latency_arm(), vtr_sample_start()
 * and the category "syscall".
 */
DECLARE_STATIC_KEY_FALSE(vtr_switch_watched);

/* @limit_ns is set, so that preempted threads are noted. */
DECLARE_STATIC_KEY_FALSE(vtr_latency_armed);

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
 * vtr_latency_suspect() - check whether a thread may have waited for long
 * @now: ticks of the session's clock
 * @next: incoming thread
 *
 * Context: sched_switch, while watched. Hot.
 * Return: false if @next certainly has not waited as long as the limit.
 */
static __always_inline bool vtr_latency_suspect(u64 now,
						const struct task_struct *next)
{
	u64 queued_ns = vtr_preempted_since(next);

	return static_branch_likely(&vtr_latency_armed) && queued_ns &&
	       (s64)(vtr_bound_ns(now) - queued_ns) >=
	       /* It may be changing; READ_ONCE() takes a register. */
	       data_race(vtr_latency.limit_ns);
}

s64 vtr_latency_late_ns(u64 now, const struct task_struct *next);
int vtr_latency_arm(s64 limit_ns, vtr_latency_late_fn late);
void vtr_latency_disarm(void);

/*
 * sample.c: interrupt the running threads at a fixed rate, for running.c.
 */

/* Called in the interrupt of a timer, with the registers of the running thread. */
typedef void (*vtr_sample_fn)(struct pt_regs *regs);

/* Threads are sampled. */
DECLARE_STATIC_KEY_FALSE(vtr_sample_armed);

/* The timer of this CPU waits for vtr_sample_wake(). */
DECLARE_PER_CPU(bool, vtr_sample_asleep);

/**
 * vtr_sample_is_due() - check whether the timer of this CPU has to be started again
 * @next: incoming thread, or the current one
 *
 * Context: interrupts off. Hot.
 * Return: true if vtr_sample_wake() is to be called.
 */
static __always_inline bool vtr_sample_is_due(const struct task_struct *next)
{
	return static_branch_unlikely(&vtr_sample_armed) &&
	       this_cpu_read(vtr_sample_asleep) && !vtr_writer_is_idle(next);
}

void vtr_sample_wake(void);
int vtr_sample_start(unsigned int hz, vtr_sample_fn sample);
void vtr_sample_stop(void);

/*
 * user_stack.c: user stacks.
 */

void vtr_user_stack_request(struct vtr_ring *ring, u64 now, struct task_struct *task);
void vtr_user_stack_cancel(void);
unsigned int vtr_user_stack_pending(void);

/*
 * stacks.c: which waits and samples are recorded with their stacks.
 */

/**
 * struct vtr_stacks_stats - counters since the module was loaded, each a u64
 * @blocked: waits of blocked threads that were recorded
 * @running: samples of running threads that were recorded
 * @left_out: waits that were not recorded, because there were too many
 * @user: user stacks that were recorded
 * @user_left_out: user stacks that were requested, but not recorded
 */
struct vtr_stacks_stats {
	u64	blocked;
	u64	running;
	u64	left_out;
	u64	user;
	u64	user_left_out;
};

DECLARE_PER_CPU(struct vtr_stacks_stats, vtr_stacks_counters);

/* Threads that were blocked for a long time are recorded when they are woken up. */
DECLARE_STATIC_KEY_FALSE(vtr_stacks_armed);

/**
 * struct vtr_stacks_settings - which waits are recorded
 * @blocked_ns: shortest time blocked that is recorded, or VTR_LATENCY_NEVER
 * @sample_hz: how often a second the running thread of each CPU is recorded, 0 for never
 * @kthreads: record waits of blocked kernel threads, too
 * @user: record the user stack of blocked and of running threads, too
 * @memory: with @user, also save registers and stack memory
 * @filter: threads and CPUs that are recorded, or NULL for all
 */
struct vtr_stacks_settings {
	s64			blocked_ns;
	unsigned int		sample_hz;
	bool			kthreads;
	bool			user;
	bool			memory;
	struct vtr_filter	*filter;
};

/* Constant while any probe uses it. */
extern struct vtr_stacks_settings vtr_stacks_settings;

/* Check the conditions of the settings for a thread. Preemption is disabled. */
static inline bool vtr_stacks_selects(const struct task_struct *task)
{
	return !vtr_stacks_settings.filter || vtr_filter_admits(vtr_stacks_settings.filter, task);
}

/* Find kernel threads, and threads that the kernel creates in a process of user space. */
static inline bool vtr_stacks_is_kthread(const struct task_struct *task)
{
	return task->flags & (PF_KTHREAD | PF_IO_WORKER | VTR_PF_USER_WORKER);
}

int vtr_stacks_set(char *words);
int vtr_stacks_show(struct seq_file *seq);
void vtr_stacks_stats(struct vtr_stacks_stats *ret);
void vtr_stacks_forget(void);
void vtr_stacks_deinit(void);

/*
 * blocked.c: where in the kernel a thread was blocked for a long time.
 */

/* The stacks of blocked threads, while stacks are armed. */
extern struct vtr_stack_table *vtr_blocked_table;

/**
 * vtr_blocked_since() - estimate when a thread left its CPU
 * @task: the thread, which is on no CPU
 *
 * exec_start is when the scheduler last accounted the thread's run time. Its clock may
 * exclude time in interrupts and time stolen by a hypervisor, and then falls behind more
 * and more. The time when the thread last got a CPU has no such error and is a lower bound.
 *
 * Context: any. Hot.
 * Return: nanoseconds of the scheduler's clock; 0 if the thread has not run yet.
 */
static __always_inline u64 vtr_blocked_since(const struct task_struct *task)
{
	return max(vtr_peek(task->se.exec_start), vtr_preempted_arrival(task));
}

/**
 * vtr_blocked_suspect() - check whether a thread may have been blocked for a long time
 * @now: ticks of the session's clock
 * @since_ns: vtr_blocked_since() of a thread that is woken up
 *
 * Context: sched_waking, while armed. Hot.
 * Return: false if the wait was certainly shorter than the limit.
 */
static __always_inline bool vtr_blocked_suspect(u64 now, u64 since_ns)
{
	return (s64)(vtr_bound_ns(now) - since_ns) >=
	       vtr_stacks_settings.blocked_ns;
}

void vtr_blocked_woken(struct vtr_ring *ring, u64 now, struct task_struct *task);
int vtr_blocked_record_still(void);

/*
 * running.c: what the running threads execute.
 */

/* Stacks of running threads; NULL while these are not recorded. */
extern struct vtr_stack_table *vtr_running_table;

void vtr_running_record(struct pt_regs *regs);

#endif /* _VTR_WAITS_H */
