// SPDX-License-Identifier: GPL-2.0
/*
 * What every probe needs: this CPU's ring, room in it, threads introduced.
 *
 * Concurrency: all functions run on the CPU whose ring they write, interrupts
 * off. Each CPU follows its own pointer in vtr_writer_ring, which only
 * vtr_sched_attach() and vtr_sched_detach() on that CPU change. A ring is not
 * freed before its CPU has been told, by IPI, to follow another one: who has
 * interrupts off, or is an NMI, may use what the pointer says.
 */
#include <linux/sched/signal.h>

#include "writer.h"

/* All kernel threads belong to it, as in /proc. */
#define KTHREADD_PID	2

/* Its limit is 0; what is committed is looked at all the same. */
static u64 nothing[VITRINE_PREAMBLE_BYTES / FXT_WORD_BYTES];

struct vtr_ring vtr_writer_none = {
	.subbuf = nothing,
};

/* Set by vtr_writer_init(): before 6.15 modules' per-CPU data is not relocated. */
DEFINE_PER_CPU(struct vtr_ring *, vtr_writer_ring);

/**
 * vtr_writer_init() - have no CPU record
 *
 * Context: task, before any probe is registered.
 */
void vtr_writer_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(vtr_writer_ring, cpu) = &vtr_writer_none;
}

/**
 * vtr_subject_idle() - describe the idle thread
 * @subject: the description
 *
 * Context: any.
 */
void vtr_subject_idle(struct vtr_subject *subject)
{
	subject->key = 0;
	subject->process = 0;
	subject->thread = 0;
	subject->priority = 0;
	subject->name = "idle";
	subject->process_name = "idle";
}

/**
 * vtr_subject_task() - describe a thread
 * @task: the thread, which lives as long as @subject is used
 * @subject: the description
 *
 * Context: any.
 */
void vtr_subject_task(const struct task_struct *task,
		      struct vtr_subject *subject)
{
	if (vtr_writer_is_idle(task)) {
		vtr_subject_idle(subject);
		return;
	}
	subject->key = vtr_writer_key(task);
	subject->thread = task->pid;
	subject->priority = vtr_writer_priority(task);
	subject->name = task->comm;
	if (task->flags & PF_KTHREAD) {
		subject->process = KTHREADD_PID;
		subject->process_name = "kthreadd";
		return;
	}
	subject->process = task->tgid;
	/* The leader of a thread that has been reaped may be gone. */
	subject->process_name = pid_alive(task) ? task->group_leader->comm :
						  task->comm;
}

/**
 * vtr_writer_put_names() - compose the names that the sub-buffer lacks
 * @ring: this CPU's ring
 * @next: where to
 * @subject: thread to be named, with its process
 *
 * Context: the ring's CPU, interrupts off.
 * Return: end of what was composed.
 */
u64 *vtr_writer_put_names(struct vtr_ring *ring, u64 *next,
			  const struct vtr_subject *subject)
{
	char name[VTR_FXT_NAME_MAX + 1];

	if (vtr_threads_name(&ring->threads,
			     VTR_THREADS_PROCESS(subject->process))) {
		vtr_fxt_clean_name(name, subject->process_name);
		next += vtr_fxt_put_process_name(next, subject->process, name);
	}
	if (vtr_threads_name(&ring->threads, subject->key)) {
		vtr_fxt_clean_name(name, subject->name);
		next += vtr_fxt_put_thread_name(next, subject->process,
						subject->thread, name);
	}
	return next;
}

/**
 * vtr_writer_commit_untimed() - count and show records without a timestamp
 * @ring: this CPU's ring
 * @next: end of the last of them; the first began at vtr_ring_next()
 * @now: time
 *
 * Context: the ring's CPU, interrupts off.
 */
void vtr_writer_commit_untimed(struct vtr_ring *ring, u64 *next, u64 now)
{
	ring->other_bytes += (next - vtr_ring_next(ring)) * FXT_WORD_BYTES;
	vtr_ring_commit(ring, next, now);
}

/**
 * vtr_writer_introduce() - register a thread, if the sub-buffer lacks it
 * @ring: this CPU's ring, with room for VTR_WRITER_THREAD_WORDS
 * @now: time
 * @subject: the thread
 *
 * Context: the ring's CPU, interrupts off.
 * Return: its thread reference; 0, that is, inline, in a wide ring, which has
 *	the names only.
 */
unsigned int vtr_writer_introduce(struct vtr_ring *ring, u64 now,
				  const struct vtr_subject *subject)
{
	unsigned int running = FIELD_GET(FXT_SWITCH_OUTGOING_THREAD,
					 ring->running);
	unsigned int ref = vtr_threads_find(&ring->threads, subject->key);
	u64 *next = vtr_ring_next(ring);

	if (ref)
		return ref;
	if (!vtr_ring_is_wide(ring)) {
		ref = vtr_threads_add(&ring->threads, subject->key, running);
		next += vtr_fxt_put_thread(next, ref, subject->process,
					   subject->thread);
	}
	next = vtr_writer_put_names(ring, next, subject);
	vtr_writer_commit_untimed(ring, next, now);
	return ref;
}

/* What stands for the reference, in a wide ring, of who came in last. */
static void keep_key(struct vtr_ring *ring, const struct vtr_subject *running)
{
	if (vtr_ring_is_wide(ring))
		ring->threads.keys[0] = running->key;
}

static void set_running(struct vtr_ring *ring, const struct vtr_subject *running,
			unsigned int ref)
{
	ring->running = ring->switch_base |
			vtr_fxt_incoming(ref, running->priority) >>
			VTR_FXT_INCOMING_TO_OUTGOING;
	keep_key(ring, running);
}

/* A switch from who came in last, for which there is room. */
static void put_switch(struct vtr_ring *ring, u64 now, u64 state,
		       const struct vtr_subject *incoming)
{
	unsigned int ref = vtr_writer_introduce(ring, now, incoming);
	u64 *next = vtr_ring_next(ring);

	if (vtr_ring_is_wide(ring)) {
		next += vtr_ring_put_wide_switch(ring, next, now, state,
						 incoming->thread,
						 incoming->priority);
	} else {
		next[0] = ring->running | state |
			  vtr_fxt_incoming(ref, incoming->priority);
		next[1] = now;
		next += VTR_FXT_SWITCH_WORDS;
	}
	set_running(ring, incoming, ref);
	vtr_ring_commit(ring, next, now);
}

/**
 * vtr_writer_open_row() - open the row of switches: from idle to who runs
 * @ring: this CPU's ring, with room for VTR_WRITER_ROW_WORDS
 * @now: time
 * @running: who runs
 *
 * Context: the ring's CPU, interrupts off.
 */
void vtr_writer_open_row(struct vtr_ring *ring, u64 now,
			 const struct vtr_subject *running)
{
	struct vtr_subject idle;

	vtr_subject_idle(&idle);
	set_running(ring, &idle, vtr_writer_introduce(ring, now, &idle));
	if (running->thread)
		put_switch(ring, now, 0, running);
}

/**
 * vtr_writer_reserve() - make room, in the next sub-buffer if need be
 * @ring: this CPU's ring
 * @nr_words: room that is needed
 * @now: time
 * @running: thread that came in last, which the next sub-buffer begins with;
 *	if the row of switches is closed, thread that runs, to open it with
 *
 * What no sub-buffer is sure to have room for is refused before any is begun: it
 * would cost what is in the oldest one, and still not fit.
 *
 * Context: the ring's CPU, interrupts off.
 * Return: false if the ring is full or frozen, or no sub-buffer is large enough;
 *	vtr_ring_lose() what was to be written.
 */
bool vtr_writer_reserve(struct vtr_ring *ring, unsigned int nr_words, u64 now,
			const struct vtr_subject *running)
{
	bool closed = ring->running == ring->switch_base;
	unsigned int ref;

	if (vtr_ring_has(ring, nr_words))
		return true;
	if (nr_words + VTR_WRITER_ROW_WORDS > vtr_ring_max_words(ring) ||
	    !vtr_ring_advance(ring, now))
		return false;
	if (closed) {
		vtr_writer_open_row(ring, now, running);
		return vtr_ring_has(ring, nr_words);
	}
	ring->running &= ~FXT_SWITCH_OUTGOING_THREAD;
	ref = vtr_writer_introduce(ring, now, running);
	ring->running |= FIELD_PREP(FXT_SWITCH_OUTGOING_THREAD, ref);
	keep_key(ring, running);
	return vtr_ring_has(ring, nr_words);
}

/**
 * vtr_writer_reserve_here() - make room from within the thread that runs
 * @ring: this CPU's ring
 * @nr_words: room that is needed
 * @now: time
 *
 * Between the record of a switch and the switch itself the thread that runs is
 * not the one that came in last, and no sub-buffer can begin; nor while the row
 * of switches is closed, which only the next switch can open.
 *
 * Context: the ring's CPU, interrupts off.
 * Return: false if there is no room.
 */
bool vtr_writer_reserve_here(struct vtr_ring *ring, unsigned int nr_words,
			     u64 now)
{
	unsigned int ref = FIELD_GET(FXT_SWITCH_OUTGOING_THREAD, ring->running);
	struct vtr_subject running;

	if (vtr_ring_has(ring, nr_words))
		return true;
	vtr_subject_task(current, &running);
	if (ring->threads.keys[ref] != running.key)
		return false;
	return vtr_writer_reserve(ring, nr_words, now, &running);
}

/**
 * vtr_writer_switch() - record a switch, whatever it takes
 * @ring: this CPU's ring, or vtr_writer_none
 * @now: time
 * @state: as from vtr_writer_state(), of @prev
 * @prev: who goes out
 * @next: who comes in
 *
 * Context: the ring's CPU, interrupts off, the run queue's lock may be held.
 */
void vtr_writer_switch(struct vtr_ring *ring, u64 now, u64 state,
		       const struct task_struct *prev,
		       const struct task_struct *next)
{
	struct vtr_subject subject;

	if (ring == &vtr_writer_none)
		return;
	if (!vtr_ring_has(ring, VTR_WRITER_SWITCH_WORDS)) {
		vtr_subject_task(prev, &subject);
		if (!vtr_writer_reserve(ring, VTR_WRITER_SWITCH_WORDS, now,
					&subject)) {
			vtr_ring_lose(ring, vtr_ring_switch_words(ring));
			return;
		}
	}
	vtr_subject_task(next, &subject);
	put_switch(ring, now, state, &subject);
	if (state == vtr_writer_state(FXT_THREAD_DEAD))
		vtr_threads_remove(&ring->threads, vtr_writer_key(prev));
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/writer_kunit.c"
#endif
