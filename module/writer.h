/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every probe needs: this CPU's ring, room in it, and threads introduced
 * in it before a record refers to them.
 */
#ifndef _VITRINE_WRITER_H
#define _VITRINE_WRITER_H

#include <linux/percpu.h>
#include <linux/sched.h>

#include "fxt.h"
#include "ring.h"

/* Most that it takes to introduce one thread: a reference, and both names. */
#define VTR_WRITER_THREAD_WORDS (VTR_FXT_THREAD_WORDS + \
				 VTR_FXT_THREAD_NAME_WORDS + \
				 VTR_FXT_PROCESS_NAME_WORDS)

/* Most that one switch can need, on any CPU: a thread introduced, the record. */
#define VTR_WRITER_SWITCH_WORDS	(VTR_WRITER_THREAD_WORDS + \
				 VTR_FXT_WIDE_SWITCH_WORDS)

/* Most that it takes to open the row of switches: idle, and one switch. */
#define VTR_WRITER_ROW_WORDS	(VTR_WRITER_THREAD_WORDS + \
				 VTR_WRITER_SWITCH_WORDS)

/* A CPU that does not record follows this ring: it never has room. */
extern struct vtr_ring vtr_writer_none;

/* The ring this CPU records into. */
DECLARE_PER_CPU(struct vtr_ring *, vtr_writer_ring);

/**
 * struct vtr_subject - what the records that introduce a thread say of it
 * @key: its key in the thread table
 * @process: koid of its process
 * @thread: its koid
 * @priority: its priority, as in a switch record
 * @name: its name; any bytes, which may change
 * @process_name: its process's name, likewise
 */
struct vtr_subject {
	u64		key;
	u64		process;
	u64		thread;
	u8		priority;
	const char	*name;
	const char	*process_name;
};

/**
 * vtr_writer_key() - key of a thread
 * @task: the thread
 *
 * The two fields are next to each other, so that one load fetches both.
 *
 * Context: any. Hot.
 * Return: process id << 32 | thread id.
 */
static __always_inline u64 vtr_writer_key(const struct task_struct *task)
{
	BUILD_BUG_ON(sizeof(task->pid) != 4 || sizeof(task->tgid) != 4);
	BUILD_BUG_ON(offsetof(struct task_struct, tgid) !=
		     offsetof(struct task_struct, pid) + 4);

	/* On a little-endian machine, which block.h makes sure of. */
	return *(const u64 *)&task->pid;
}

/**
 * vtr_writer_is_idle() - whether a thread is the idle thread of its CPU
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
 * vtr_writer_priority() - priority of a thread, as in a switch record
 * @task: the thread
 *
 * Context: any. Hot.
 * Return: 0 for idle, else 1 to 139.
 */
static __always_inline u8 vtr_writer_priority(const struct task_struct *task)
{
	return vtr_fxt_priority(READ_ONCE(task->prio),
				vtr_writer_is_idle(task));
}

/**
 * vtr_writer_state() - a thread's state as it goes out
 * @state: which
 *
 * Context: any. Hot.
 * Return: the state in its place in a 16-byte switch record.
 */
static __always_inline u64 vtr_writer_state(enum fxt_thread_state state)
{
	return (u64)state << __builtin_ctzll(FXT_SWITCH_OUTGOING_STATE);
}

void vtr_writer_init(void);
void vtr_subject_idle(struct vtr_subject *subject);
void vtr_subject_task(const struct task_struct *task,
		      struct vtr_subject *subject);
bool vtr_writer_reserve(struct vtr_ring *ring, unsigned int nr_words, u64 now,
			const struct vtr_subject *running);
bool vtr_writer_reserve_here(struct vtr_ring *ring, unsigned int nr_words,
			     u64 now);
void vtr_writer_open_row(struct vtr_ring *ring, u64 now,
			 const struct vtr_subject *running);
unsigned int vtr_writer_introduce(struct vtr_ring *ring, u64 now,
				  const struct vtr_subject *subject);
void vtr_writer_switch(struct vtr_ring *ring, u64 now, u64 state,
		       const struct task_struct *prev,
		       const struct task_struct *next);
u64 *vtr_writer_put_names(struct vtr_ring *ring, u64 *next,
			  const struct vtr_subject *subject);
void vtr_writer_commit_untimed(struct vtr_ring *ring, u64 *next, u64 now);

#endif /* _VITRINE_WRITER_H */
