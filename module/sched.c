// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduler's probes: from task to record.
 *
 * Concurrency: everything here runs on the CPU whose ring it writes, with
 * interrupts off: sched_switch is traced with the run queue locked, the other
 * probes and attach/detach see to it themselves. Each CPU follows its own
 * pointer in vtr_writer_ring, which only attach and detach on that CPU change.
 *
 * A CPU's switches form an unbroken chain: the thread a record brings in is
 * the one the next record takes out. Attach opens the chain from idle, detach
 * closes it to idle, so a pause shows as idle and not as the thread that
 * happened to run before it.
 *
 * probe_switch_*() is the hot path: no call on it, the rare rest in tail
 * position, so that it saves no register. A wide ring has no thread references,
 * so all of its switches are "rare"; nothing here asks what the ring is.
 */
#include <linux/binfmts.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "category.h"
#include "clock.h"
#include "compat.h"
#include "counter.h"
#include "fxt.h"
#include "peek.h"
#include "ring.h"
#include "sched.h"
#include "source.h"
#include "writer.h"

/* Of a thread that is neither runnable nor simply blocked. */
static u64 rare_state(unsigned int state)
{
	if (state & TASK_DEAD)
		return vtr_writer_state(FXT_THREAD_DEAD);
	if (state & (__TASK_STOPPED | __TASK_TRACED | TASK_PARKED))
		return vtr_writer_state(FXT_THREAD_SUSPENDED);
	return vtr_writer_state(FXT_THREAD_BLOCKED);
}

static __always_inline u64 incoming_fields(unsigned int ref,
					   const struct task_struct *task)
{
	return vtr_fxt_incoming(ref, vtr_writer_priority(task));
}

static __always_inline void put_switch(struct vtr_ring *ring, u64 now,
				       u64 state, u64 incoming)
{
	struct vitrine_packet *packet = vtr_ring_packet(ring->subbuf);
	u64 *next = vtr_ring_next(ring);

	next[0] = ring->running | state | incoming;
	next[1] = now;
	ring->running = ring->switch_base |
			incoming >> VTR_FXT_INCOMING_TO_OUTGOING;
	vtr_ring_commit_hot(packet, VTR_FXT_SWITCH_WORDS, now);
}

static noinline void switch_rare(struct vtr_ring *ring, u64 now,
				 const struct task_struct *prev,
				 const struct task_struct *next,
				 unsigned int prev_state)
{
	vtr_writer_switch(ring, now, rare_state(prev_state), prev, next);
}

static __always_inline void record_switch(u64 now, bool preempt,
					  struct task_struct *prev,
					  struct task_struct *next,
					  unsigned int prev_state)
{
	struct vtr_ring *ring = this_cpu_read(vtr_writer_ring);
	unsigned int ref;
	u64 state;

	if (preempt || !prev_state)
		state = 0;
	else if (likely(prev_state & TASK_NORMAL))
		state = vtr_writer_state(FXT_THREAD_BLOCKED);
	else
		return switch_rare(ring, now, prev, next, prev_state);

	ref = vtr_threads_find(&ring->threads, vtr_writer_key(next));
	if (unlikely(!vtr_ring_has(ring, VTR_FXT_SWITCH_WORDS) || !ref))
		return vtr_writer_switch(ring, now, state, prev, next);
	put_switch(ring, now, state, incoming_fields(ref, next));
}

static notrace void probe_switch_counter(void *unused, bool preempt,
					 struct task_struct *prev,
					 struct task_struct *next,
					 unsigned int prev_state)
{
	record_switch(vtr_counter_switch_ticks(), preempt, prev, next, prev_state);
}

static notrace void probe_switch_local(void *unused, bool preempt,
				       struct task_struct *prev,
				       struct task_struct *next,
				       unsigned int prev_state)
{
	record_switch(vtr_clock_ticks(VITRINE_CLOCK_LOCAL), preempt, prev, next,
		      prev_state);
}

static notrace void probe_switch_mono(void *unused, bool preempt,
				      struct task_struct *prev,
				      struct task_struct *next,
				      unsigned int prev_state)
{
	record_switch(vtr_clock_ticks(VITRINE_CLOCK_MONO), preempt, prev, next,
		      prev_state);
}

static notrace void probe_switch_boot(void *unused, bool preempt,
				      struct task_struct *prev,
				      struct task_struct *next,
				      unsigned int prev_state)
{
	record_switch(vtr_clock_ticks(VITRINE_CLOCK_BOOT), preempt, prev, next,
		      prev_state);
}

/* One probe a clock: the choice is made once, not at each switch. */
static void * const switch_probes[VTR_NR_CLOCKS] = {
	[VITRINE_CLOCK_LOCAL]	= VTR_PROBE_FUNCTION(sched_switch, probe_switch_local),
	[VITRINE_CLOCK_COUNTER]	= VTR_PROBE_FUNCTION(sched_switch, probe_switch_counter),
	[VITRINE_CLOCK_MONO]	= VTR_PROBE_FUNCTION(sched_switch, probe_switch_mono),
	[VITRINE_CLOCK_BOOT]	= VTR_PROBE_FUNCTION(sched_switch, probe_switch_boot),
};

/*
 * Source "sched": who wakes whom, and threads that move, begin and end.
 *
 * A wakeup is recorded on the CPU that does it; the thread that does it is the
 * one that runs there. sched_waking is also called for a thread that is on a
 * CPU: it has changed its state, but not stopped running. That is no wakeup of
 * a sleeping thread and is not recorded, unless the thread's CPU has recorded
 * already that it goes out. For the running thread itself, and only for it, the
 * probe is called with interrupts on.
 */

static int sched_switched(bool on);
static DEFINE_VITRINE_CATEGORY_SWITCHED(sched, sched_switched);

static __always_inline bool is_on_cpu(const struct task_struct *task)
{
#ifdef CONFIG_SMP
	/* Its CPU may be clearing it. A comparison with 1 needs no load first. */
	return data_race(task->on_cpu) == 1;
#else
	return task == current;
#endif
}

/*
 * Whether the CPU that a thread is on has recorded that the thread goes out.
 * Another CPU's ring stays for as long as a probe may run: stop_locked() in
 * session.c waits for the probes before a ring is dropped.
 */
static bool has_gone_out(const struct task_struct *task)
{
	const struct vtr_ring *ring = READ_ONCE(per_cpu(vtr_writer_ring,
							task_cpu(task)));
	u64 running = vtr_peek(ring->running);
	u64 key;

	key = vtr_peek(ring->threads.keys[FIELD_GET(FXT_SWITCH_OUTGOING_THREAD,
						    running)]);
	return ring != &vtr_writer_none && key != VTR_THREADS_NOBODY &&
	       key != vtr_writer_key(task);
}

static __always_inline void put_wakeup(struct vtr_ring *ring, u64 now,
				       const struct task_struct *task)
{
	struct vitrine_packet *packet = vtr_ring_packet(ring->subbuf);

	vtr_fxt_put_wakeup(vtr_ring_next(ring), ring->wakeup_base, now,
			   task->pid);
	ring->nr_wakeups++;
	vtr_ring_commit_hot(packet, VTR_FXT_WAKEUP_WORDS, now);
}

static noinline void wakeup_slow(const struct task_struct *task)
{
	struct vtr_ring *ring = this_cpu_read(vtr_writer_ring);
	u64 now;

	if (task == current || ring == &vtr_writer_none ||
	    (is_on_cpu(task) && !has_gone_out(task)))
		return;
	now = vtr_clock_ticks(ring->config.clock);
	if (vtr_writer_reserve_here(ring, VTR_FXT_WAKEUP_WORDS, now))
		put_wakeup(ring, now, task);
	else
		vtr_ring_lose(ring, VTR_FXT_WAKEUP_WORDS);
}

/*
 * The clock is read after the thread was seen to be off its CPU: the record is
 * then later than that of the switch by which the thread went out.
 */
static __always_inline void record_wakeup(enum vitrine_clock clock,
					  const struct task_struct *task)
{
	struct vtr_ring *ring;

	if (unlikely(is_on_cpu(task)))
		return wakeup_slow(task);
	smp_rmb();	/* Pairs with the release of on_cpu in finish_task(). */
	ring = this_cpu_read(vtr_writer_ring);
	if (unlikely(!vtr_ring_has(ring, VTR_FXT_WAKEUP_WORDS)))
		return wakeup_slow(task);
	put_wakeup(ring, clock == VITRINE_CLOCK_COUNTER ? vtr_counter_ticks() :
							  vtr_clock_ticks(clock),
		   task);
}

static notrace void probe_wakeup_counter(void *unused, struct task_struct *task)
{
	record_wakeup(VITRINE_CLOCK_COUNTER, task);
}

static notrace void probe_wakeup_local(void *unused, struct task_struct *task)
{
	record_wakeup(VITRINE_CLOCK_LOCAL, task);
}

static notrace void probe_wakeup_mono(void *unused, struct task_struct *task)
{
	record_wakeup(VITRINE_CLOCK_MONO, task);
}

static notrace void probe_wakeup_boot(void *unused, struct task_struct *task)
{
	record_wakeup(VITRINE_CLOCK_BOOT, task);
}

/* While the category has a filter; it changes only while no probe is called. */
static void probe_wakeup_filtered(void *unused, struct task_struct *task)
{
	if (task != current &&
	    !vtr_category_filtered(&vitrine_category_sched, task))
		record_wakeup(this_cpu_read(vtr_writer_ring)->config.clock,
			      task);
}

static_assert(__same_type(check_trace_callback_type_sched_waking,
			  check_trace_callback_type_sched_wakeup_new));

static void * const wakeup_probes[VTR_NR_CLOCKS] = {
	[VITRINE_CLOCK_LOCAL]	= VTR_PROBE_FUNCTION(sched_waking, probe_wakeup_local),
	[VITRINE_CLOCK_COUNTER]	= VTR_PROBE_FUNCTION(sched_waking, probe_wakeup_counter),
	[VITRINE_CLOCK_MONO]	= VTR_PROBE_FUNCTION(sched_waking, probe_wakeup_mono),
	[VITRINE_CLOCK_BOOT]	= VTR_PROBE_FUNCTION(sched_waking, probe_wakeup_boot),
};

static void probe_migrate(void *unused, struct task_struct *task, int cpu)
{
	vitrine_trace_instant(sched, "migrate",
			      VITRINE_ARG_KOID("thread", task->pid),
			      VITRINE_ARG("from", task_cpu(task)),
			      VITRINE_ARG("to", cpu));
}

static void probe_fork(void *unused, struct task_struct *parent,
		       struct task_struct *child)
{
	vitrine_trace_instant(sched, "fork",
			      VITRINE_ARG_KOID("process", child->tgid),
			      VITRINE_ARG_KOID("thread", child->pid),
			      VITRINE_ARG("name", child->comm));
}

static void probe_exec(void *unused, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *binprm)
{
	vitrine_trace_instant(sched, "exec",
			      VITRINE_ARG("file", binprm->filename),
			      VITRINE_ARG_KOID("old_thread", old_pid));
}

static void probe_exit(VTR_SCHED_PROCESS_EXIT_PROTO)
{
	vitrine_trace_instant(sched, "exit",
			      VITRINE_ARG("status", task->exit_code));
}

/* The first two are those of the session's clock. */
static struct vtr_probe sched_probes[] = {
	{ "sched_waking" },
	{ "sched_wakeup_new" },
	VTR_PROBE(sched_migrate_task, probe_migrate),
	VTR_PROBE(sched_process_fork, probe_fork),
	VTR_PROBE(sched_process_exec, probe_exec),
	VTR_PROBE(sched_process_exit, probe_exit),
};

struct vtr_source vtr_source_sched = VTR_SOURCE(sched, sched_probes);

static void *wakeup_probe;

static int sched_switched(bool on)
{
	sched_probes[0].function = rcu_access_pointer(vitrine_category_sched.filter) ?
				   VTR_PROBE_FUNCTION(sched_waking, probe_wakeup_filtered) :
				   wakeup_probe;
	sched_probes[1].function = sched_probes[0].function;
	return vtr_source_switch(&vtr_source_sched, on);
}

/* A name may be new to us, or differ from the one given before: write it. */
static void probe_rename(void *unused, struct task_struct *task,
			 const char *comm)
{
	struct vtr_subject subject;
	struct vtr_ring *ring;
	unsigned long flags;
	u64 now, *next;

	local_irq_save(flags);
	ring = this_cpu_read(vtr_writer_ring);
	if (ring == &vtr_writer_none || vtr_writer_is_idle(task))
		goto out;
	now = vtr_clock_ticks(ring->config.clock);
	if (!vtr_writer_reserve_here(ring, VTR_WRITER_THREAD_WORDS, now))
		goto out;
	vtr_subject_task(task, &subject);
	subject.name = comm;
	if (subject.process == subject.thread)
		subject.process_name = comm;
	vtr_threads_unname(&ring->threads, subject.key);
	if (subject.process == subject.thread)
		vtr_threads_unname(&ring->threads,
				   VTR_THREADS_PROCESS(subject.process));
	next = vtr_writer_put_names(ring, vtr_ring_next(ring), &subject);
	vtr_writer_commit_untimed(ring, next, now);
out:
	local_irq_restore(flags);
}

/**
 * vtr_sched_attach() - make this CPU record into a ring
 * @ring: ring of this CPU, which nobody else writes
 *
 * Opens the chain, from idle to who runs now; if there is no room, once there is.
 * Strings are registered anew: while the ring was detached, modules may have gone
 * whose strings are in its table, and their addresses may be others' by now.
 *
 * Context: the ring's CPU, interrupts off; the probes are registered.
 */
void vtr_sched_attach(struct vtr_ring *ring)
{
	u64 now = vtr_clock_ticks(ring->config.clock);
	struct vtr_subject subject;

	vtr_strings_forget(&ring->strings);
	vtr_subject_task(current, &subject);
	if (vtr_ring_has(ring, VTR_WRITER_ROW_WORDS))
		vtr_writer_open_row(ring, now, &subject);
	else
		vtr_writer_reserve(ring, VTR_WRITER_ROW_WORDS, now, &subject);
	this_cpu_write(vtr_writer_ring, ring);
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
	struct vtr_ring *ring = this_cpu_read(vtr_writer_ring);

	if (ring == &vtr_writer_none)
		return;
	vtr_ring_close_row(ring, vtr_clock_ticks(ring->config.clock));
	this_cpu_write(vtr_writer_ring, &vtr_writer_none);
}

/* The second is that of the session's clock. */
static struct vtr_probe row_probes[] = {
	VTR_PROBE(task_rename, probe_rename),
	{ "sched_switch" },
};

/**
 * vtr_sched_init() - find the scheduler's tracepoints
 *
 * Context: task.
 * Return: 0, or -ENOENT if this kernel has none.
 */
int vtr_sched_init(void)
{
	unsigned int nr = ARRAY_SIZE(row_probes);

	return vtr_probe_find(row_probes, nr) == nr ? 0 : -ENOENT;
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
	wakeup_probe = wakeup_probes[clock];
	row_probes[1].function = switch_probes[clock];
	return min(vtr_probe_register(row_probes, ARRAY_SIZE(row_probes)), 0);
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
	vtr_probe_unregister(row_probes, ARRAY_SIZE(row_probes));
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/sched_kunit.c"
#endif
