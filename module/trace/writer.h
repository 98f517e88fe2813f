/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers shared by all probes: find this CPU's ring, reserve space in it, and register
 * threads before a record refers to them. The locking rules are in writer.c.
 */
#ifndef _VTR_WRITER_H
#define _VTR_WRITER_H

#include <linux/sched.h>

#include "clock.h"
#include "ring.h"

/* Maximum length of the records that register a thread: a reference and both names. */
#define VTR_WRITER_THREAD_WORDS (VTR_FXT_THREAD_WORDS + \
				 VTR_FXT_THREAD_NAME_WORDS + \
				 VTR_FXT_PROCESS_NAME_WORDS)

/* Maximum length of the records of a switch, on any CPU: a new thread, the switch. */
#define VTR_WRITER_SWITCH_WORDS	(VTR_WRITER_THREAD_WORDS + \
				 VTR_FXT_WIDE_SWITCH_WORDS)

/* Maximum length of the records that open the chain of switches: idle, one switch. */
#define VTR_WRITER_CHAIN_WORDS	(VTR_WRITER_THREAD_WORDS + \
				 VTR_WRITER_SWITCH_WORDS)

/* The ring of CPUs that do not record: it never has room. */
extern struct vtr_ring vtr_writer_none;

/* The ring into which this CPU records. */
DECLARE_PER_CPU(struct vtr_ring *, vtr_writer_ring);

/**
 * struct vtr_subject - description of a thread for the records that register it
 * @key: key in the thread table
 * @process: koid of the process
 * @thread: koid of the thread
 * @priority: priority field of a switch record
 * @prio: priority of the task, from which @priority follows
 * @name: name of the thread, an array of VTR_FXT_NAME_MAX + 1 arbitrary bytes, which may
 *	change
 * @process_name: name of the process, likewise
 */
struct vtr_subject {
	u64		key;
	u64		process;
	u64		thread;
	u8		priority;
	int		prio;
	const char	*name;
	const char	*process_name;
};

/**
 * vtr_writer_ticks() - read the clock of a ring
 * @ring: the ring
 *
 * Context: any; with interrupts off if the clock of this CPU must be read.
 * Return: time in ticks.
 */
static inline u64 vtr_writer_ticks(const struct vtr_ring *ring)
{
	return vtr_clock_ticks(ring->config.clock);
}

/**
 * vtr_writer_key() - return the key of a thread
 * @task: the thread
 *
 * Where pid and tgid are neighbours, as without RANDSTRUCT, the compiler fetches both in one load.
 *
 * Context: any. Hot.
 * Return: process id << 32 | thread id.
 */
static __always_inline u64 vtr_writer_key(const struct task_struct *task)
{
	return (u64)task->tgid << 32 | (u32)task->pid;
}

/**
 * vtr_writer_is_idle() - check whether a thread is the idle thread of its CPU
 * @task: the thread
 *
 * Context: any. Hot.
 * Return: true if it is.
 */
static __always_inline bool vtr_writer_is_idle(const struct task_struct *task)
{
	return !task->pid;
}

/**
 * vtr_writer_is_on_cpu() - check whether a thread has a CPU
 * @task: the thread
 *
 * Context: any. Hot.
 * Return: true if it has.
 */
static __always_inline bool vtr_writer_is_on_cpu(const struct task_struct *task)
{
#ifdef CONFIG_SMP
	/* Its CPU may be clearing it. Testing one bit is cheaper than comparing the word. */
	return data_race(task->on_cpu) & 1;
#else
	return task == current;
#endif
}

/**
 * vtr_writer_state() - return the state field of a switch record
 * @state: state of the outgoing thread
 *
 * Context: any. Hot.
 * Return: the state in its position in a 16-byte switch record.
 */
static __always_inline u64 vtr_writer_state(enum fxt_thread_state state)
{
	return (u64)state << __builtin_ctzll(FXT_SWITCH_OUTGOING_STATE);
}

/*
 * The hot path of a switch: what is the same in the probes, and in user space, where
 * selftests/host/nanoseconds.c measures it.
 */

/**
 * vtr_switch_ticks() - read a clock in a probe of sched_switch
 * @clock: clock of the session, a constant
 *
 * Context: the ring's CPU, interrupts off. Hot.
 * Return: time in ticks.
 */
static __always_inline u64 vtr_switch_ticks(enum vitrine_clock clock)
{
	return clock == VITRINE_CLOCK_COUNTER ? vtr_counter_switch_ticks() :
						vtr_clock_ticks(clock);
}

/* Whether vtr_switch_put() has recorded a switch; if not, the function that does. */
enum vtr_switch {
	VTR_SWITCH_DONE,
	VTR_SWITCH_NEW,		/* vtr_writer_switch_new() */
	VTR_SWITCH_CHANGED,	/* vtr_writer_switch() */
};

/**
 * vtr_switch_put() - record a switch to a thread that has a reference
 * @clock: clock of the session, a constant
 * @timed: @now is the time; otherwise the clock is read, as late as possible
 * @now: time in ticks
 * @ring: ring of this CPU, or vtr_writer_none
 * @running: vtr_ring_running()
 * @next: incoming thread
 *
 * Context: the ring's CPU, interrupts off. Hot.
 * Return: VTR_SWITCH_NEW if the thread has no reference or the ring no room,
 *	VTR_SWITCH_CHANGED if the thread has another priority than before.
 */
static __always_inline enum vtr_switch
vtr_switch_put(enum vitrine_clock clock, bool timed, u64 now, struct vtr_ring *ring,
	       u64 running, const struct task_struct *next)
{
	u64 *committed, *record, offset, incoming;

	if (unlikely(!vtr_threads_look_up(&ring->threads, vtr_writer_key(next),
					  &incoming)))
		return VTR_SWITCH_NEW;
	committed = ring->committed;
	offset = *committed;
	if (unlikely(!vtr_ring_has_hot(ring, offset)))
		return VTR_SWITCH_NEW;

	/* The lowest byte of the priority, which becomes 0. */
	incoming ^= READ_ONCE(*(const u8 *)&next->prio);
	if (unlikely((u8)incoming))
		return VTR_SWITCH_CHANGED;
	incoming <<= VTR_THREADS_SHIFT;
	if (!timed)
		now = vtr_switch_ticks(clock);
	record = vtr_ring_at(committed, offset);
	record[0] = running | incoming;
	record[1] = now;
	ring->running = ring->switch_base |
			incoming >> VTR_FXT_INCOMING_TO_OUTGOING;
	vtr_ring_commit_hot(committed, offset, VTR_FXT_SWITCH_WORDS, now);
	return VTR_SWITCH_DONE;
}

void vtr_writer_init(void);
void vtr_writer_forget_strings(void);
void vtr_writer_intern(struct vtr_ring *ring, u64 now, struct vtr_fxt_string *string);
unsigned int vtr_writer_event_words(const struct vtr_fxt_event *event);
void vtr_subject_idle(struct vtr_subject *subject);
void vtr_subject_task(const struct task_struct *task,
		      struct vtr_subject *subject);
bool vtr_writer_reserve(struct vtr_ring *ring, unsigned int nr_words, u64 now,
			const struct task_struct *running);
bool vtr_writer_reserve_here(struct vtr_ring *ring, unsigned int nr_words, u64 now,
			     const struct task_struct *task);
void vtr_writer_flush(struct vtr_ring *ring, u64 now, const struct task_struct *running);
void vtr_writer_open_chain(struct vtr_ring *ring, u64 now, const struct task_struct *running);
unsigned int vtr_writer_introduce(struct vtr_ring *ring, u64 now,
				  const struct vtr_subject *subject);
void vtr_writer_switch(struct vtr_ring *ring, u64 now, u64 state,
		       const struct task_struct *prev,
		       const struct task_struct *next);
void vtr_writer_switch_new(struct vtr_ring *ring, u64 now, u64 state,
			   const struct task_struct *prev,
			   const struct task_struct *next);
void vtr_writer_rename(struct vtr_ring *ring, u64 now,
		       const struct vtr_subject *subject);

#endif /* _VTR_WRITER_H */
