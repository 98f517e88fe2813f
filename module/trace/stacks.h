/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Long waits: where in the kernel a thread was blocked for a long time, and which thread
 * had the CPU while another one waited for it; and what running threads execute. The locking
 * rules are in stacks.c.
 */
#ifndef _VITRINE_STACKS_H
#define _VITRINE_STACKS_H

#include <linux/jump_label.h>

#include "clock.h"
#include "peek.h"
#include "preempted.h"
#include "ring.h"
#include "user_stack.h"

struct seq_file;
struct vtr_filter;

/* Threads that were blocked for a long time are recorded when they are woken up. */
DECLARE_STATIC_KEY_FALSE(vtr_stacks_armed);

/**
 * struct vtr_stacks_settings - which waits are recorded
 * @blocked_ns: shortest time blocked that is recorded, or VTR_LATENCY_NEVER
 * @runnable_ns: shortest time runnable that is recorded, or VTR_LATENCY_NEVER
 * @sample_hz: how often a second the running thread of each CPU is recorded, 0 for never
 * @kthreads: record waits of blocked kernel threads, too
 * @user: record the user stack of blocked and of running threads, too
 * @memory: with @user, also save registers and stack memory
 * @filter: threads and CPUs that are recorded, or NULL for all
 */
struct vtr_stacks_settings {
	s64			blocked_ns;
	s64			runnable_ns;
	unsigned int		sample_hz;
	bool			kthreads;
	bool			user;
	bool			memory;
	struct vtr_filter	*filter;
};

/* Constant while any probe uses it. */
extern struct vtr_stacks_settings vtr_stacks_settings;

/**
 * vtr_stacks_since() - estimate when a thread left its CPU
 * @task: the thread, which is on no CPU
 *
 * exec_start is when the scheduler last accounted the thread's run time. Its clock may
 * exclude time in interrupts and time stolen by a hypervisor, and then falls behind more
 * and more. The time when the thread last got a CPU has no such error and is a lower bound.
 *
 * Context: any. Hot.
 * Return: nanoseconds of the scheduler's clock; 0 if the thread has not run yet.
 */
static __always_inline u64 vtr_stacks_since(const struct task_struct *task)
{
	return max(vtr_peek(task->se.exec_start), vtr_preempted_arrival(task));
}

/**
 * vtr_stacks_suspect() - check whether a thread may have been blocked for a long time
 * @now: ticks of the session's clock
 * @since_ns: vtr_stacks_since() of a thread that is woken up
 *
 * Context: sched_waking, while armed. Hot.
 * Return: false if the wait was certainly shorter than the limit.
 */
static __always_inline bool vtr_stacks_suspect(u64 now, u64 since_ns)
{
	return (s64)(vtr_bound_ns(now) - since_ns) >=
	       vtr_stacks_settings.blocked_ns;
}

void vtr_stacks_woken(struct vtr_ring *ring, u64 now, struct task_struct *task);
void vtr_stacks_switched(struct vtr_ring *ring, u64 now, u64 now_ns,
			 s64 waited_ns, const struct task_struct *prev,
			 const struct task_struct *next);
int vtr_stacks_set(char *words);
int vtr_stacks_show(struct seq_file *seq);
void vtr_stacks_stats(struct vtr_stacks_stats *ret);
bool vtr_stacks_unwinds(void);
void vtr_stacks_forget(void);
void vtr_stacks_deinit(void);

#endif /* _VITRINE_STACKS_H */
