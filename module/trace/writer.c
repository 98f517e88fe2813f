// SPDX-License-Identifier: GPL-2.0
/*
 * Helpers shared by all probes: find this CPU's ring, reserve space in it, and emit
 * thread records.
 *
 * Concurrency: all functions run on the CPU whose ring they write, or while it is offline, with
 * interrupts off. Each CPU has its own pointer in vtr_writer_ring, which only
 * vtr_sched_attach() and vtr_sched_detach() change, likewise. A ring is not freed
 * before an IPI has switched its CPU to another one, so code that runs with
 * interrupts off or in NMI context may dereference the pointer.
 */
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include "writer.h"

/* Process of all kernel threads, as in /proc. */
#define KTHREADD_PID	2

/* committed_bytes of vtr_writer_none: it is read even though the limit is 0. */
static u64 nothing;

struct vtr_ring vtr_writer_none = {
	.committed = &nothing,
};

/* Set by vtr_writer_init(): before 6.15, per-CPU data of modules is not relocated. */
DEFINE_PER_CPU(struct vtr_ring *, vtr_writer_ring);

/**
 * vtr_writer_init() - attach each CPU to the ring that has no room
 *
 * Context: task, before any probe is registered.
 */
void vtr_writer_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(vtr_writer_ring, cpu) = &vtr_writer_none;
}

static const char idle_name[VTR_FXT_NAME_MAX + 1] = "idle";
static const char kthreadd_name[VTR_FXT_NAME_MAX + 1] = "kthreadd";

static void forget_strings(void *unused)
{
	vtr_strings_forget(&this_cpu_read(vtr_writer_ring)->strings);
}

/**
 * vtr_writer_forget_strings() - empty the string table of each CPU's ring
 *
 * Called before strings are freed, and when prepared records must no longer be used.
 * Detached rings empty their table when they are attached.
 *
 * Context: task, interrupts on; all CPUs have done so on return.
 */
void vtr_writer_forget_strings(void)
{
	on_each_cpu(forget_strings, NULL, 1);
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
	subject->prio = VTR_THREADS_NO_PRIO;
	subject->name = idle_name;
	subject->process_name = idle_name;
}

static __always_inline struct vtr_subject
subject_of(const struct task_struct *task)
{
	int prio = READ_ONCE(task->prio);
	struct vtr_subject subject = {
		.key = vtr_writer_key(task),
		.process = task->tgid,
		.thread = task->pid,
		.priority = vtr_fxt_priority(prio, false),
		.prio = prio,
		.name = task->comm,
	};

	/* The thread may be changing other flags, on another CPU or where it was interrupted. */
	if (unlikely(data_race(task->flags) & PF_KTHREAD)) {
		subject.process = KTHREADD_PID;
		subject.process_name = kthreadd_name;
	} else {
		/*
		 * The leader of a reaped thread may be freed. The parent may reap the thread
		 * while it leaves its CPU for the last time. RCU keeps the leader until this
		 * CPU enables preemption.
		 */
		subject.process_name = data_race(pid_alive(task)) ?
				       task->group_leader->comm : task->comm;
	}
	return subject;
}

/**
 * vtr_subject_task() - describe a thread
 * @task: the thread, which must stay valid as long as @subject is used
 * @subject: the description
 *
 * Context: any.
 */
void vtr_subject_task(const struct task_struct *task,
		      struct vtr_subject *subject)
{
	if (!vtr_writer_is_idle(task)) {
		*subject = subject_of(task);
		return;
	}
	vtr_subject_idle(subject);
	subject->prio = READ_ONCE(task->prio);
}

/* If the sub-buffer contains the name of a thread, it contains that of the process. */
static __always_inline u64 *put_names(struct vtr_ring *ring, u64 *next,
				      const struct vtr_subject *subject)
{
	u64 process = VTR_THREADS_PROCESS(subject->process);
	struct vtr_threads *threads = &ring->threads;

	if (vtr_threads_named(threads, subject->key))
		return next;
	if (unlikely(!vtr_threads_named(threads, process))) {
		vtr_threads_name(threads, process);
		next = vtr_fxt_put_process_name(next, subject->process,
						subject->process_name);
	}
	vtr_threads_name(threads, subject->key);
	return vtr_fxt_put_thread_name(next, subject->process, subject->thread,
				       subject->name);
}

/*
 * Assign a reference to a thread that has none, and compose the records that register it.
 * @next then is the end of the records.
 */
static __always_inline unsigned int register_thread(struct vtr_ring *ring,
						    u64 **next,
						    const struct vtr_subject *subject)
{
	unsigned int running = FIELD_GET(FXT_SWITCH_OUTGOING_THREAD,
					 ring->running);
	unsigned int ref = vtr_threads_add(&ring->threads, subject->key, running,
					   subject->prio, subject->priority);
	u64 *words = *next;

	*next += vtr_fxt_put_thread(words, ref, subject->process,
				    subject->thread);
	*next = put_names(ring, *next, subject);
	ring->other_bytes += (*next - words) * FXT_WORD_BYTES;
	return ref;
}

/**
 * vtr_writer_introduce() - register a thread if the sub-buffer lacks it
 * @ring: ring of this CPU, with room for VTR_WRITER_THREAD_WORDS
 * @now: time in ticks
 * @subject: the thread
 *
 * Context: the ring's CPU, interrupts off.
 * Return: thread reference. In a wide ring, which contains only the names, 0, that is,
 *	inline.
 */
unsigned int vtr_writer_introduce(struct vtr_ring *ring, u64 now,
				  const struct vtr_subject *subject)
{
	unsigned int ref = vtr_threads_find(&ring->threads, subject->key);
	u64 *next = vtr_ring_next(ring);

	if (ref) {
		vtr_threads_compose(&ring->threads, ref, subject->prio, subject->priority);
		return ref;
	}
	if (vtr_ring_is_wide(ring)) {
		next = put_names(ring, next, subject);
		vtr_ring_commit_untimed(ring, next, now);
		return 0;
	}
	ref = register_thread(ring, &next, subject);
	vtr_ring_commit(ring, next, now);
	return ref;
}

/**
 * vtr_writer_intern() - replace an inline string by a reference to the string table
 * @ring: ring of this CPU, with room for vtr_writer_event_words()
 * @now: time in ticks
 * @string: inline string; becomes a reference
 *
 * Registers the string first, if the sub-buffer lacks it. The string stays inline if it has
 * no key, or if the record being written already uses as many indices as one record may.
 *
 * Context: the ring's CPU, interrupts off; after vtr_strings_begin().
 */
void vtr_writer_intern(struct vtr_ring *ring, u64 now, struct vtr_fxt_string *string)
{
	unsigned int len_bytes = string->ref & FXT_STRING_REF_VALUE;
	struct vtr_strings *strings = &ring->strings;
	u64 *next = vtr_ring_next(ring);
	u16 index;

	if (!len_bytes || !string->key)
		return;
	index = vtr_strings_find(strings, string->key);
	if (!index) {
		index = vtr_strings_add(strings, string->key);
		if (!index)
			return;
		next += vtr_fxt_put_string(next, index, string->bytes,
					   len_bytes);
		vtr_ring_commit_untimed(ring, next, now);
	}
	string->ref = index;
}

/* Of a large BLOB, which has the most: two words of header, time, inline thread, and size. */
#define EVENT_FIXED_WORDS	6

/**
 * vtr_writer_event_words() - compute the room for an event, its thread and its strings
 * @event: the event, with all strings inline
 *
 * Context: any.
 * Return: upper bound in words.
 */
unsigned int vtr_writer_event_words(const struct vtr_fxt_event *event)
{
	/*
	 * The record of a string is one word longer than the string. An argument that is a string
	 * has two of them, but takes no word for its value.
	 */
	return VTR_WRITER_THREAD_WORDS + 2 + event->nr_args +
	       EVENT_FIXED_WORDS + vtr_fxt_strings_words(event);
}

/* In a wide ring, store the key of the last incoming thread instead of a reference. */
static void keep_key(struct vtr_ring *ring, const struct vtr_subject *running)
{
	if (vtr_ring_is_wide(ring))
		*vtr_threads_key(&ring->threads, 0) = running->key;
}

static void set_running(struct vtr_ring *ring, const struct vtr_subject *running,
			unsigned int ref)
{
	ring->running = ring->switch_base |
			vtr_fxt_incoming(ref, running->priority) >>
			VTR_FXT_INCOMING_TO_OUTGOING;
	keep_key(ring, running);
}

/* Write a switch from the last incoming thread to @next, in a ring that is not wide. */
static __always_inline void commit_switch(struct vtr_ring *ring, u64 *next, u64 now,
					  u64 state, u64 incoming)
{
	next[0] = vtr_ring_running(ring, state) | incoming;
	next[1] = now;
	ring->running = ring->switch_base |
			incoming >> VTR_FXT_INCOMING_TO_OUTGOING;
	vtr_ring_commit(ring, next + VTR_FXT_SWITCH_WORDS, now);
}

/* Write a switch from the last incoming thread; there is room for it. */
static void put_switch(struct vtr_ring *ring, u64 now, u64 state,
		       const struct vtr_subject *incoming)
{
	unsigned int ref = vtr_writer_introduce(ring, now, incoming);
	u64 *next = vtr_ring_next(ring);

	if (!vtr_ring_is_wide(ring)) {
		commit_switch(ring, next, now, state,
			      vtr_fxt_incoming(ref, incoming->priority));
		return;
	}
	next += vtr_ring_put_wide_switch(ring, next, now, state,
					 incoming->thread, incoming->priority);
	set_running(ring, incoming, ref);
	vtr_ring_commit(ring, next, now);
}

/**
 * vtr_writer_open_chain() - open the chain of switches: from idle to the running thread
 * @ring: ring of this CPU, with room for VTR_WRITER_CHAIN_WORDS
 * @now: time in ticks
 * @running: running thread
 *
 * Context: the ring's CPU, interrupts off.
 */
void vtr_writer_open_chain(struct vtr_ring *ring, u64 now, const struct task_struct *running)
{
	struct vtr_subject subject;

	vtr_subject_idle(&subject);
	set_running(ring, &subject, vtr_writer_introduce(ring, now, &subject));
	if (vtr_writer_is_idle(running))
		return;
	vtr_subject_task(running, &subject);
	put_switch(ring, now, 0, &subject);
}

/**
 * vtr_writer_reserve() - reserve room, in the next sub-buffer if necessary
 * @ring: ring of this CPU
 * @nr_words: room needed
 * @now: time in ticks
 * @running: last incoming thread, with which the next sub-buffer begins; if the chain of
 *	switches is closed, the running thread, to open it
 *
 * A record that might not fit into an empty sub-buffer is refused before a sub-buffer is
 * begun, which would overwrite the oldest one without room for the record.
 *
 * Context: the ring's CPU, interrupts off.
 * Return: false if the ring is full or frozen, or no sub-buffer is large enough; the
 *	caller then counts the record with vtr_ring_lose().
 */
bool vtr_writer_reserve(struct vtr_ring *ring, unsigned int nr_words, u64 now,
			const struct task_struct *running)
{
	struct vtr_subject subject;
	unsigned int ref;

	if (vtr_ring_has(ring, nr_words))
		return true;
	if (nr_words + VTR_WRITER_CHAIN_WORDS > vtr_ring_max_words(ring) ||
	    !vtr_ring_advance(ring, now))
		return false;
	if (ring->running == ring->switch_base) {
		vtr_writer_open_chain(ring, now, running);
		return vtr_ring_has(ring, nr_words);
	}
	vtr_subject_task(running, &subject);
	ring->running &= ~FXT_SWITCH_OUTGOING_THREAD;
	ref = vtr_writer_introduce(ring, now, &subject);
	ring->running |= FIELD_PREP(FXT_SWITCH_OUTGOING_THREAD, ref);
	keep_key(ring, &subject);
	return vtr_ring_has(ring, nr_words);
}

/**
 * vtr_writer_reserve_here() - reserve room from within a thread
 * @ring: ring of this CPU
 * @nr_words: room needed
 * @now: time in ticks
 * @task: the running thread, or the one to which a switch was just recorded
 *
 * A sub-buffer can begin only if @task is the last incoming thread, which the running thread is
 * not between the record of a switch and the switch itself. The same holds while the chain of
 * switches is closed, which only the next switch can open.
 *
 * Context: the ring's CPU, interrupts off.
 * Return: false if there is no room.
 */
bool vtr_writer_reserve_here(struct vtr_ring *ring, unsigned int nr_words, u64 now,
			     const struct task_struct *task)
{
	unsigned int ref = FIELD_GET(FXT_SWITCH_OUTGOING_THREAD, ring->running);

	if (vtr_ring_has(ring, nr_words))
		return true;
	if (*vtr_threads_key(&ring->threads, ref) != vtr_writer_key(task))
		return false;
	return vtr_writer_reserve(ring, nr_words, now, task);
}

/**
 * vtr_writer_flush() - begin a sub-buffer that contains nothing from before
 * @ring: ring of this CPU
 * @now: time in ticks
 * @running: running thread, which is the last incoming one unless the chain is closed
 *
 * Without room for another sub-buffer, the current one goes on.
 *
 * Context: the ring's CPU, interrupts off, not between the record of a switch and the switch.
 */
void vtr_writer_flush(struct vtr_ring *ring, u64 now, const struct task_struct *running)
{
	u64 told_records;

	/* A sub-buffer that reports a loss begins when records were first lost. */
	do {
		told_records = ring->gap.told_records;
		if (!vtr_ring_end_subbuf(ring))
			return;
		vtr_writer_reserve(ring, VTR_WRITER_CHAIN_WORDS, now, running);
	} while (ring->gap.told_records != told_records);
}

/**
 * vtr_writer_rename() - record that a thread has another name than in the sub-buffer
 * @ring: ring of this CPU
 * @now: time in ticks
 * @subject: the thread, with its new name
 *
 * Without room, the thread loses its reference, so that it is named again before it next runs
 * here.
 *
 * Context: the ring's CPU, interrupts off.
 */
void vtr_writer_rename(struct vtr_ring *ring, u64 now,
		       const struct vtr_subject *subject)
{
	bool has_room = vtr_writer_reserve_here(ring, VTR_WRITER_THREAD_WORDS, now, current);
	struct vtr_threads *threads = &ring->threads;

	vtr_threads_unname(threads, subject->key);
	if (subject->process == subject->thread)
		vtr_threads_unname(threads, VTR_THREADS_PROCESS(subject->process));
	if (has_room)
		vtr_ring_commit_untimed(ring, put_names(ring, vtr_ring_next(ring), subject), now);
	else
		vtr_threads_remove(threads, subject->key);
}

/**
 * vtr_writer_switch() - record a switch on the slow path
 * @ring: ring of this CPU, or vtr_writer_none
 * @now: time in ticks
 * @state: state of @prev as returned by vtr_writer_state()
 * @prev: outgoing thread
 * @next: incoming thread
 *
 * Context: the ring's CPU, interrupts off, possibly with the run queue locked.
 */
void vtr_writer_switch(struct vtr_ring *ring, u64 now, u64 state,
		       const struct task_struct *prev,
		       const struct task_struct *next)
{
	struct vtr_subject subject;

	if (ring == &vtr_writer_none)
		return;
	if (!vtr_writer_reserve(ring, VTR_WRITER_SWITCH_WORDS, now, prev)) {
		vtr_ring_lose(ring, vtr_ring_switch_words(ring));
		return;
	}
	vtr_subject_task(next, &subject);
	put_switch(ring, now, state, &subject);
	if (state == vtr_writer_state(FXT_THREAD_DEAD))
		vtr_threads_remove(&ring->threads, vtr_writer_key(prev));
}

/* Inlined, because with more threads than references most switches get here. */
static __always_inline void switch_to_newcomer(struct vtr_ring *ring, u64 now, u64 state,
					       const struct task_struct *task)
{
	const struct vtr_subject subject = subject_of(task);
	u64 *next = vtr_ring_next(ring);
	unsigned int ref = register_thread(ring, &next, &subject);

	commit_switch(ring, next, now, state,
		      vtr_fxt_incoming(ref, subject.priority));
}

/**
 * vtr_writer_switch_new() - record a switch to a thread without a reference
 * @ring: ring of this CPU, or vtr_writer_none
 * @now: time in ticks
 * @state: state of @prev, which has not ended, as returned by vtr_writer_state()
 * @prev: outgoing thread
 * @next: incoming thread; it may have a reference if there is no room for a switch
 *
 * Context: the ring's CPU, interrupts off, possibly with the run queue locked.
 */
void vtr_writer_switch_new(struct vtr_ring *ring, u64 now, u64 state,
			   const struct task_struct *prev,
			   const struct task_struct *next)
{
	if (unlikely(!vtr_ring_has(ring, VTR_WRITER_SWITCH_WORDS) ||
		     vtr_ring_is_wide(ring) || vtr_writer_is_idle(next)))
		vtr_writer_switch(ring, now, state, prev, next);
	else
		switch_to_newcomer(ring, now, state, next);
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/writer_kunit.c"
#endif
