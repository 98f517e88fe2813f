/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Distinguish threads that wait to run because they were preempted from threads that
 * were woken up. The kernel records since when a thread waits, but not why.
 *
 * When a CPU preempts a thread, it notes the time at which the thread last got a CPU
 * (its arrival). While the arrival of a waiting thread equals the noted one, the thread
 * has not run since on any CPU, and so it cannot have slept. A note therefore becomes
 * invalid by itself, and going to sleep costs nothing.
 *
 * Concurrency: a CPU reads and writes its slots in sched_switch. When a waiting thread
 * migrates, the slot of one CPU is read and that of the other written, with the run queue
 * of one of them locked. When a trigger is armed, a task writes slots of all CPUs. Threads
 * whose ids are equal modulo VTR_PREEMPTED_SLOTS share a slot; the thread that was preempted
 * first then counts as woken up.
 */
#ifndef _VTR_PREEMPTED_H
#define _VTR_PREEMPTED_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/string.h>

#define VTR_PREEMPTED_SLOTS	1024

/**
 * struct vtr_preempted - threads that a CPU has preempted
 * @arrivals: time at which a thread last got a CPU, indexed by the low bits of its id
 */
struct vtr_preempted {
	u64	arrivals[VTR_PREEMPTED_SLOTS];
};

/* Return since when a thread waits to run, in local_clock() time; 0 if it does not wait. */
static __always_inline u64 vtr_preempted_since(const struct task_struct *task)
{
#ifdef CONFIG_SCHED_INFO
	return READ_ONCE(task->sched_info.last_queued);
#else
	return 0;
#endif
}

/* Return when a thread last got a CPU, in local_clock() time. */
static __always_inline u64 vtr_preempted_arrival(const struct task_struct *task)
{
#ifdef CONFIG_SCHED_INFO
	return READ_ONCE(task->sched_info.last_arrival);
#else
	return 0;
#endif
}

static __always_inline u64 *vtr_preempted_slot(struct vtr_preempted *preempted,
					       const struct task_struct *task)
{
	return &preempted->arrivals[(unsigned int)task->pid %
				    VTR_PREEMPTED_SLOTS];
}

/**
 * vtr_preempted_init() - clear the notes of a CPU
 * @preempted: notes of the CPU
 *
 * Context: before any probe uses @preempted.
 */
static inline void vtr_preempted_init(struct vtr_preempted *preempted)
{
	memset(preempted, 0xff, sizeof(*preempted));
}

/**
 * vtr_preempted_note() - note that a thread is being preempted
 * @preempted: notes of the CPU on whose run queue the thread waits
 * @task: the thread
 *
 * Context: sched_switch on that CPU, which is hot; or any.
 */
static __always_inline void vtr_preempted_note(struct vtr_preempted *preempted,
					       const struct task_struct *task)
{
	WRITE_ONCE(*vtr_preempted_slot(preempted, task),
		   vtr_preempted_arrival(task));
}

/**
 * vtr_preempted_find() - check whether a waiting thread was preempted
 * @preempted: notes of the CPU on whose run queue the thread waits
 * @task: the thread
 *
 * Context: sched_switch on that CPU, or with the run queue of that CPU locked. Hot.
 * Return: true if the thread was preempted, false if it was woken up.
 */
static __always_inline bool vtr_preempted_find(struct vtr_preempted *preempted,
					       const struct task_struct *task)
{
	return READ_ONCE(*vtr_preempted_slot(preempted, task)) ==
	       vtr_preempted_arrival(task);
}

#endif /* _VTR_PREEMPTED_H */
