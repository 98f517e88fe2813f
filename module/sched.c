// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduler's probes: from task to record.
 *
 * Concurrency: everything here runs on the CPU whose ring it writes, with
 * interrupts off: sched_switch is traced with the run queue locked, the other
 * probes and attach/detach see to it themselves. Each CPU follows its own
 * pointer in cpu_ring, which only attach and detach on that CPU change.
 *
 * A CPU's switches form an unbroken chain: the thread a record brings in is
 * the one the next record takes out. Attach opens the chain from idle, detach
 * closes it to idle, so a pause shows as idle and not as the thread that
 * happened to run before it.
 *
 * probe_switch_*() is the hot path: no call on it, the rare rest in tail
 * position, so that it saves no register.
 */
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "clock.h"
#include "fxt.h"
#include "ring.h"
#include "sched.h"

/* All kernel threads belong to it, as in /proc. */
#define KTHREADD_PID	2

/* Most that one switch can need before its own record: both threads, named. */
#define THREAD_MAX_WORDS (VTR_FXT_THREAD_WORDS + VTR_FXT_THREAD_NAME_WORDS + \
			  VTR_FXT_PROCESS_NAME_WORDS)

/* A CPU without a ring follows this one: it never has room. */
static struct vtr_ring no_ring = {
	.next = (u64 *)(2 * FXT_WORD_BYTES),
	.last = NULL,
};

/* Set by vtr_sched_init(): before 6.15 modules' per-CPU data is not relocated. */
static DEFINE_PER_CPU(struct vtr_ring *, cpu_ring);

static struct tracepoint *tp_switch;
static struct tracepoint *tp_rename;

/*
 * Key of a thread: process id << 32 | thread id. The two fields are next to
 * each other, so that one load fetches both.
 */
static __always_inline u64 task_key(const struct task_struct *task)
{
	BUILD_BUG_ON(sizeof(task->pid) != 4 || sizeof(task->tgid) != 4);
	BUILD_BUG_ON(offsetof(struct task_struct, tgid) !=
		     offsetof(struct task_struct, pid) + 4);
	BUILD_BUG_ON(!IS_ENABLED(CONFIG_CPU_LITTLE_ENDIAN) &&
		     !IS_ENABLED(CONFIG_X86) && !IS_ENABLED(CONFIG_ARM64));

	return *(const u64 *)&task->pid;
}

static __always_inline bool task_is_idle(const struct task_struct *task)
{
	return !task->pid;
}

static __always_inline u64 state_field(enum fxt_thread_state state)
{
	return (u64)state << __builtin_ctzll(FXT_SWITCH_OUTGOING_STATE);
}

/* Of a thread that is neither runnable nor simply blocked. */
static u64 rare_state(unsigned int state)
{
	if (state & TASK_DEAD)
		return state_field(FXT_THREAD_DEAD);
	if (state & (__TASK_STOPPED | __TASK_TRACED | TASK_PARKED))
		return state_field(FXT_THREAD_SUSPENDED);
	return state_field(FXT_THREAD_BLOCKED);
}

static __always_inline u64 incoming_fields(unsigned int ref,
					   const struct task_struct *task)
{
	return vtr_fxt_incoming(ref, vtr_fxt_priority(READ_ONCE(task->prio),
						      task_is_idle(task)));
}

/* What the records that introduce a thread say of it. */
struct subject {
	u64			key;
	u64			process;
	u64			thread;
	const char		*name;
	const char		*process_name;
};

static void describe_idle(struct subject *subject)
{
	subject->key = 0;
	subject->process = 0;
	subject->thread = 0;
	subject->name = "idle";
	subject->process_name = "idle";
}

static void describe(const struct task_struct *task, struct subject *subject)
{
	if (task_is_idle(task)) {
		describe_idle(subject);
		return;
	}
	subject->key = task_key(task);
	subject->thread = task->pid;
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

static u64 *put_names(struct vtr_ring *ring, u64 *next,
		      const struct subject *subject)
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

/* Count and show records without a time, from ring->next up to @next. */
static void commit_other(struct vtr_ring *ring, u64 *next, u64 now)
{
	ring->other_bytes += (next - ring->next) * FXT_WORD_BYTES;
	vtr_ring_commit(ring, next, now);
}

/* Thread reference of @subject, introduced first if need be. Has room. */
static unsigned int introduce(struct vtr_ring *ring, u64 now,
			      const struct subject *subject)
{
	unsigned int running = FIELD_GET(FXT_SWITCH_OUTGOING_THREAD,
					 ring->running);
	unsigned int ref = vtr_threads_find(&ring->threads, subject->key);
	u64 *next = ring->next;

	if (ref)
		return ref;
	ref = vtr_threads_add(&ring->threads, subject->key, running);
	next += vtr_fxt_put_thread(next, ref, subject->process,
				   subject->thread);
	next = put_names(ring, next, subject);
	commit_other(ring, next, now);
	return ref;
}

/* Begin the next sub-buffer, in which @running is known from the start. */
static void advance(struct vtr_ring *ring, u64 now,
		    const struct subject *running)
{
	unsigned int ref;

	vtr_ring_advance(ring, now);
	ring->running &= ~FXT_SWITCH_OUTGOING_THREAD;
	ref = introduce(ring, now, running);
	ring->running |= FIELD_PREP(FXT_SWITCH_OUTGOING_THREAD, ref);
}

static __always_inline void put_switch(struct vtr_ring *ring, u64 now,
				       u64 state, u64 incoming)
{
	u64 *next = ring->next;

	next[0] = ring->running | state | incoming;
	next[1] = now;
	ring->running = ring->switch_base |
			incoming >> VTR_FXT_INCOMING_TO_OUTGOING;
	vtr_ring_commit(ring, next + VTR_FXT_SWITCH_WORDS, now);
}

static noinline void switch_slow(struct vtr_ring *ring, u64 now, u64 state,
				 const struct task_struct *prev,
				 const struct task_struct *next)
{
	struct subject subject;
	unsigned int ref;

	if (ring == &no_ring)
		return;
	if (!vtr_ring_has(ring, THREAD_MAX_WORDS + VTR_FXT_SWITCH_WORDS)) {
		describe(prev, &subject);
		advance(ring, now, &subject);
	}
	describe(next, &subject);
	ref = introduce(ring, now, &subject);
	put_switch(ring, now, state, incoming_fields(ref, next));
	if (state == state_field(FXT_THREAD_DEAD))
		vtr_threads_remove(&ring->threads, task_key(prev));
}

static noinline void switch_rare(struct vtr_ring *ring, u64 now,
				 const struct task_struct *prev,
				 const struct task_struct *next,
				 unsigned int prev_state)
{
	switch_slow(ring, now, rare_state(prev_state), prev, next);
}

static __always_inline void record_switch(u64 now, bool preempt,
					  struct task_struct *prev,
					  struct task_struct *next,
					  unsigned int prev_state)
{
	struct vtr_ring *ring = this_cpu_read(cpu_ring);
	unsigned int ref;
	u64 state;

	if (preempt || !prev_state)
		state = 0;
	else if (likely(prev_state & TASK_NORMAL))
		state = state_field(FXT_THREAD_BLOCKED);
	else
		return switch_rare(ring, now, prev, next, prev_state);

	ref = vtr_threads_find(&ring->threads, task_key(next));
	if (unlikely(ring->next > ring->last || !ref))
		return switch_slow(ring, now, state, prev, next);
	put_switch(ring, now, state, incoming_fields(ref, next));
}

#ifdef CONFIG_X86
static void probe_switch_tsc(void *unused, bool preempt,
			     struct task_struct *prev,
			     struct task_struct *next, unsigned int prev_state)
{
	record_switch(rdtsc(), preempt, prev, next, prev_state);
}
#endif

static void probe_switch_local(void *unused, bool preempt,
			       struct task_struct *prev,
			       struct task_struct *next,
			       unsigned int prev_state)
{
	record_switch(vtr_clock_ticks(VITRINE_CLOCK_LOCAL), preempt, prev, next,
		      prev_state);
}

static void probe_switch_mono(void *unused, bool preempt,
			      struct task_struct *prev,
			      struct task_struct *next,
			      unsigned int prev_state)
{
	record_switch(vtr_clock_ticks(VITRINE_CLOCK_MONO), preempt, prev, next,
		      prev_state);
}

static void probe_switch_boot(void *unused, bool preempt,
			      struct task_struct *prev,
			      struct task_struct *next,
			      unsigned int prev_state)
{
	record_switch(vtr_clock_ticks(VITRINE_CLOCK_BOOT), preempt, prev, next,
		      prev_state);
}

/* One probe a clock: the choice is made once, not at each switch. */
static void * const switch_probes[VTR_NR_CLOCKS] = {
	[VITRINE_CLOCK_LOCAL]	= probe_switch_local,
#ifdef CONFIG_X86
	[VITRINE_CLOCK_TSC]	= probe_switch_tsc,
#endif
	[VITRINE_CLOCK_MONO]	= probe_switch_mono,
	[VITRINE_CLOCK_BOOT]	= probe_switch_boot,
};

static void *switch_probe;

/* A name may be new to us, or differ from the one given before: write it. */
static void probe_rename(void *unused, struct task_struct *task,
			 const char *comm)
{
	struct subject running, subject;
	struct vtr_ring *ring;
	unsigned long flags;
	u64 now, *next;

	local_irq_save(flags);
	ring = this_cpu_read(cpu_ring);
	if (ring == &no_ring || task_is_idle(task))
		goto out;
	now = vtr_clock_ticks(ring->config.clock);
	if (!vtr_ring_has(ring, THREAD_MAX_WORDS)) {
		describe(current, &running);
		advance(ring, now, &running);
	}
	describe(task, &subject);
	subject.name = comm;
	if (subject.process == subject.thread)
		subject.process_name = comm;
	vtr_threads_unname(&ring->threads, subject.key);
	if (subject.process == subject.thread)
		vtr_threads_unname(&ring->threads,
				   VTR_THREADS_PROCESS(subject.process));
	next = put_names(ring, ring->next, &subject);
	commit_other(ring, next, now);
out:
	local_irq_restore(flags);
}

/**
 * vtr_sched_attach() - make this CPU record into a ring
 * @ring: ring of this CPU, which nobody else writes
 *
 * Opens the chain: from idle to who runs now.
 *
 * Context: the ring's CPU, interrupts off; the probes are registered.
 */
void vtr_sched_attach(struct vtr_ring *ring)
{
	u64 now = vtr_clock_ticks(ring->config.clock);
	struct subject idle;
	unsigned int ref;

	describe_idle(&idle);
	ring->running = ring->switch_base;
	if (!vtr_ring_has(ring, 2 * THREAD_MAX_WORDS + VTR_FXT_SWITCH_WORDS))
		advance(ring, now, &idle);
	ref = introduce(ring, now, &idle);
	ring->running = ring->switch_base |
			FIELD_PREP(FXT_SWITCH_OUTGOING_THREAD, ref);
	this_cpu_write(cpu_ring, ring);
	if (!task_is_idle(current))
		switch_slow(ring, now, 0, NULL, current);
}

/**
 * vtr_sched_detach() - make this CPU stop recording
 *
 * Closes the chain: from who runs now to idle.
 *
 * Context: the CPU in question, interrupts off.
 */
void vtr_sched_detach(void)
{
	struct vtr_ring *ring = this_cpu_read(cpu_ring);
	struct subject subject;
	unsigned int ref;
	u64 now;

	if (ring == &no_ring)
		return;
	if (!task_is_idle(current)) {
		now = vtr_clock_ticks(ring->config.clock);
		if (!vtr_ring_has(ring,
				  THREAD_MAX_WORDS + VTR_FXT_SWITCH_WORDS)) {
			describe(current, &subject);
			advance(ring, now, &subject);
		}
		describe_idle(&subject);
		ref = introduce(ring, now, &subject);
		put_switch(ring, now, 0, vtr_fxt_incoming(ref, 0));
	}
	this_cpu_write(cpu_ring, &no_ring);
}

static void find_tracepoint(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "sched_switch"))
		tp_switch = tp;
	else if (!strcmp(tp->name, "task_rename"))
		tp_rename = tp;
}

/**
 * vtr_sched_init() - find the scheduler's tracepoints
 *
 * They are not exported, so they are looked up by name; the compiler checks
 * our probes against their prototypes.
 *
 * Context: task.
 * Return: 0, or -ENOENT if this kernel has none.
 */
int vtr_sched_init(void)
{
	unsigned int cpu;

	check_trace_callback_type_sched_switch(probe_switch_local);
	check_trace_callback_type_task_rename(probe_rename);

	for_each_possible_cpu(cpu)
		per_cpu(cpu_ring, cpu) = &no_ring;
	for_each_kernel_tracepoint(find_tracepoint, NULL);
	return tp_switch && tp_rename ? 0 : -ENOENT;
}

/**
 * vtr_sched_register() - make the scheduler call our probes
 * @clock: usable clock of the session
 *
 * Nothing is recorded before vtr_sched_attach() on each CPU.
 *
 * Context: task, sleeps; the caller serialises.
 * Return: 0, or the error of the tracepoint.
 */
int vtr_sched_register(enum vitrine_clock clock)
{
	int err;

	switch_probe = switch_probes[clock];
	err = tracepoint_probe_register(tp_rename, probe_rename, NULL);
	if (err)
		return err;
	err = tracepoint_probe_register(tp_switch, switch_probe, NULL);
	if (err)
		tracepoint_probe_unregister(tp_rename, probe_rename, NULL);
	return err;
}

/**
 * vtr_sched_unregister() - undo vtr_sched_register()
 *
 * Returns when no probe runs any more; every CPU must be detached before.
 *
 * Context: task, sleeps; the caller serialises.
 */
void vtr_sched_unregister(void)
{
	tracepoint_probe_unregister(tp_switch, switch_probe, NULL);
	tracepoint_probe_unregister(tp_rename, probe_rename, NULL);
	tracepoint_synchronize_unregister();
}
