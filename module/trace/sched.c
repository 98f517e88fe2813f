// SPDX-License-Identifier: GPL-2.0
/*
 * The probes of the scheduler: turn tasks into records.
 *
 * Concurrency: all functions run on the CPU whose ring they write, with interrupts off:
 * sched_switch is called with the run queue locked, the other probes and attach/detach
 * disable interrupts themselves. Each CPU follows its own pointer in vtr_writer_ring,
 * which only attach and detach change: on that CPU, or while it is offline.
 *
 * The switches of a CPU form a chain: the incoming thread of a record is the
 * outgoing thread of the next one. Attach opens the chain with a switch from idle, detach
 * closes it with a switch to idle, so that a pause is shown as idle and not as the thread
 * that happened to run before it.
 *
 * probe_switch_*() and probe_wakeup_*() are the hot path. They call nothing but the
 * clock; rare cases are handled by functions in tail position, so that the hot path saves
 * no register, and the counter is read only after the rare cases are excluded. Kbuild
 * enables tail calls for this file even where the kernel disables them. A wide ring has no
 * thread references, so each of its switches is a rare case, and the hot path needs no
 * check for wide rings.
 *
 * The data of these probes is the address of vtr_writer_ring, which the tracepoint
 * passes in a register; on arm64, computing it would take two instructions.
 */
#include <linux/binfmts.h>
#include <linux/cleanup.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <asm/syscall.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "category.h"
#include "compat.h"
#include "source.h"
#include "waits.h"

/* Data of the hot probes; a cast, because the address is in the per-CPU address space. */
#define WRITER_RINGS	((void *)(unsigned long __force)&vtr_writer_ring)

/*
 * States of a blocked thread. On PREEMPT_RT a thread that waits for a spinlock has a state
 * of its own; elsewhere, testing only two adjacent bits is shorter.
 */
#define BLOCKED	(TASK_NORMAL | (IS_ENABLED(CONFIG_PREEMPT_RT) ? TASK_RTLOCK_WAIT : 0))

/* Return the ring of this CPU from the data of the probe. */
static __always_inline struct vtr_ring *ring_here(void *rings)
{
	return __this_cpu_read(*(struct vtr_ring * __percpu __force *)
			       (unsigned long)rings);
}

/* Return the state of an outgoing thread that is neither runnable nor simply blocked. */
static u64 rare_state(unsigned int state)
{
	if (state & TASK_DEAD)
		return vtr_writer_state(FXT_THREAD_DEAD);
	if (state & (__TASK_STOPPED | __TASK_TRACED | TASK_PARKED))
		return vtr_writer_state(FXT_THREAD_SUSPENDED);
	return vtr_writer_state(FXT_THREAD_BLOCKED);
}

static noinline void switch_rare(struct vtr_ring *ring, unsigned int prev_state,
				 const struct task_struct *next)
{
	vtr_writer_switch(ring, vtr_writer_ticks(ring), rare_state(prev_state), current, next);
}

/* Record a switch to a thread whose priority has changed, which it rarely has. */
static noinline void switch_changed(struct vtr_ring *ring, u64 state,
				    const struct task_struct *next)
{
	vtr_writer_switch(ring, vtr_writer_ticks(ring), state, current, next);
}

/* Record a switch to a thread without a reference, or one that needs a new sub-buffer. */
static noinline void switch_new(struct vtr_ring *ring, u64 state,
				const struct task_struct *next)
{
	vtr_writer_switch_new(ring, vtr_writer_ticks(ring), state, current, next);
}

static __always_inline void put_new(enum vitrine_clock clock,
				    struct vtr_ring *ring, u64 state,
				    const struct task_struct *next)
{
	if (clock == VITRINE_CLOCK_COUNTER)
		vtr_writer_switch_new(ring, vtr_counter_switch_ticks(), state,
				      current, next);
	else
		switch_new(ring, state, next);
}

/*
 * Record a switch. Unless @timed, read the clock, as late as possible. The outgoing thread is
 * still the current one, and rare cases take it from there.
 */
static __always_inline void put_switch(enum vitrine_clock clock, bool timed,
				       u64 now, void *rings, bool preempt,
				       const struct task_struct *next,
				       unsigned int prev_state)
{
	struct vtr_ring *ring = ring_here(rings);
	u64 running = ring->running;
	enum vtr_switch result;

	if (unlikely(!(prev_state & BLOCKED) || preempt)) {
		if (unlikely(!preempt && prev_state))
			return switch_rare(ring, prev_state, next);
		running &= ~FXT_SWITCH_OUTGOING_STATE;
	}
	result = vtr_switch_put(clock, timed, now, ring, running, next);
	if (unlikely(result == VTR_SWITCH_CHANGED))
		switch_changed(ring, running & FXT_SWITCH_OUTGOING_STATE, next);
	else if (unlikely(result == VTR_SWITCH_NEW))
		put_new(clock, ring, running & FXT_SWITCH_OUTGOING_STATE, next);
}

/*
 * A thread may have waited for too long, or the CPU was idle for so long that its threads
 * are no longer sampled. The trigger fires after the switch is recorded.
 */
static noinline void switch_suspect(u64 now, void *rings, bool preempt,
				    struct task_struct *next,
				    unsigned int prev_state)
{
	s64 late_ns = vtr_latency_late_ns(now, next);

	put_switch(ring_here(rings)->config.clock, true, now, rings, preempt,
		   next, prev_state);
	if (vtr_sample_is_due(next))
		vtr_sample_wake();
	if (late_ns)
		vtr_latency.late(late_ns, next);
}

static __always_inline void watch_switch(enum vitrine_clock clock, void *rings,
					 bool preempt, struct task_struct *next,
					 unsigned int prev_state)
{
	u64 now = vtr_switch_ticks(clock);

	if (unlikely(vtr_latency_suspect(now, next) || vtr_sample_is_due(next)))
		return switch_suspect(now, rings, preempt, next, prev_state);
	put_switch(clock, true, now, rings, preempt, next, prev_state);
}

/* Record a switch from a thread that may have been preempted. */
static noinline notrace void watch_awake_counter(void *rings, bool preempt,
						 struct task_struct *prev,
						 struct task_struct *next,
						 unsigned int prev_state)
{
	vtr_latency_note(preempt, prev, prev_state);
	watch_switch(VITRINE_CLOCK_COUNTER, rings, preempt, next, prev_state);
}

/* Check whether a thread leaves this CPU in a system call whose begin is not written yet. */
static __always_inline bool is_leaving_call(const struct task_struct *prev)
{
	return static_branch_unlikely(&vitrine_category_syscall.key) &&
	       this_cpu_read(vtr_call.task) == prev;
}

static noinline notrace void watch_switch_other(void *rings, bool preempt,
						struct task_struct *prev,
						struct task_struct *next,
						unsigned int prev_state)
{
	if (is_leaving_call(prev))
		vtr_syscall_leave();
	vtr_latency_note(preempt, prev, prev_state);
	watch_switch(ring_here(rings)->config.clock, rings, preempt, next,
		     prev_state);
}

/* As put_switch(), with the checks of the outgoing thread made once. */
static noinline notrace void watch_switch_counter(void *rings, bool preempt,
						  struct task_struct *prev,
						  struct task_struct *next,
						  unsigned int prev_state)
{
	if (is_leaving_call(prev))
		return watch_switch_other(rings, preempt, prev, next, prev_state);
	if (unlikely(preempt || !(prev_state & BLOCKED)))
		return watch_awake_counter(rings, preempt, prev, next,
					   prev_state);
	watch_switch(VITRINE_CLOCK_COUNTER, rings, preempt, next, prev_state);
}

/* Takes the arguments of the probes in the same order, so that the call costs nothing. */
static __always_inline void record_switch(enum vitrine_clock clock, void *rings,
					  bool preempt,
					  struct task_struct *prev,
					  struct task_struct *next,
					  unsigned int prev_state)
{
	if (!static_branch_unlikely(&vtr_switch_watched))
		put_switch(clock, false, 0, rings, preempt, next, prev_state);
	else if (clock == VITRINE_CLOCK_COUNTER)
		watch_switch_counter(rings, preempt, prev, next, prev_state);
	else
		watch_switch_other(rings, preempt, prev, next, prev_state);
}

static notrace void probe_switch_counter(void *rings, bool preempt,
					 struct task_struct *prev,
					 struct task_struct *next,
					 unsigned int prev_state)
{
	record_switch(VITRINE_CLOCK_COUNTER, rings, preempt, prev, next,
		      prev_state);
}

static notrace void probe_switch_local(void *rings, bool preempt,
				       struct task_struct *prev,
				       struct task_struct *next,
				       unsigned int prev_state)
{
	record_switch(VITRINE_CLOCK_LOCAL, rings, preempt, prev, next,
		      prev_state);
}

/* The clocks "mono" and "boot", whose readings take longer than this look-up. */
static notrace void probe_switch_other(void *rings, bool preempt,
				       struct task_struct *prev,
				       struct task_struct *next,
				       unsigned int prev_state)
{
	record_switch(ring_here(rings)->config.clock, rings, preempt, prev, next,
		      prev_state);
}

/* One probe per common clock, so that it is chosen once and not at each switch. */
static void * const switch_probes[VTR_NR_CLOCKS] = {
	[VITRINE_CLOCK_LOCAL]	= VTR_CHECKED_PROBE(sched_switch, probe_switch_local),
	[VITRINE_CLOCK_COUNTER]	= VTR_CHECKED_PROBE(sched_switch, probe_switch_counter),
	[VITRINE_CLOCK_MONO]	= VTR_CHECKED_PROBE(sched_switch, probe_switch_other),
	[VITRINE_CLOCK_BOOT]	= VTR_CHECKED_PROBE(sched_switch, probe_switch_other),
};

/*
 * Source "sched": wakeups, migrations, and threads that begin and end.
 *
 * A wakeup is recorded on the CPU that executes it. The waker is the current thread of that
 * CPU, unless an interrupt makes the wakeup, which the record tells. sched_waking is also
 * called for a thread that is still on a CPU, because it has changed its state but not been
 * switched out. That is not the wakeup of a sleeping thread, and is not recorded, unless the
 * thread's CPU has already recorded the switch. For the current thread, and only for it, the
 * probe is called with interrupts on.
 */

VTR_SOURCE_CATEGORY(sched);

/*
 * Check whether the CPU of a thread has recorded that the thread is switched out. The ring
 * of another CPU is valid while a probe runs: stop_locked() in session.c waits for the
 * probes before it drops a ring.
 */
static bool has_gone_out(const struct task_struct *task)
{
	struct vtr_ring *ring = READ_ONCE(per_cpu(vtr_writer_ring, task_cpu(task)));
	u64 running = vtr_peek(ring->running);
	u64 key;

	key = vtr_peek(*vtr_threads_key(&ring->threads,
					FIELD_GET(FXT_SWITCH_OUTGOING_THREAD, running)));
	return ring != &vtr_writer_none && key != VTR_THREADS_NOBODY &&
	       key != vtr_writer_key(task);
}

/* Check for a thread that serves interrupts, so that softirqs are its own work. */
static bool serves_interrupts(const struct task_struct *task)
{
	return task->flags & PF_KTHREAD &&
	       (str_has_prefix(task->comm, "ksoftirqd/") ||
		str_has_prefix(task->comm, "ktimers/") || str_has_prefix(task->comm, "irq/"));
}

/*
 * Check whether a thread may have raised the softirq that runs while it is the current one: it
 * executes kernel code of its own, in a system call or as a kernel thread.
 */
static bool is_in_call(struct task_struct *task)
{
	return !vtr_writer_is_idle(task) &&
	       (task->flags & PF_KTHREAD || syscall_get_nr(task, task_pt_regs(task)) >= 0);
}

/*
 * Tell what makes a wakeup here. A thread that sends over the loopback device wakes its peer in a
 * softirq, in its own system call. The preemption count does not tell this from the softirq of an
 * interrupt: the scheduler holds a lock here.
 */
static enum fxt_wakeup_context context_here(void)
{
	if (in_hardirq())
		return FXT_WAKEUP_HARDIRQ;
	if (!in_serving_softirq() || serves_interrupts(current))
		return FXT_WAKEUP_THREAD;
	return is_in_call(current) ? FXT_WAKEUP_SOFTIRQ_IN_CALL : FXT_WAKEUP_SOFTIRQ;
}

static __always_inline void put_wakeup(struct vtr_ring *ring, u64 *committed,
				       u64 offset, u64 base, u64 now,
				       const struct task_struct *task)
{
	u64 thread = (u32)task->pid;

	ring->nr_wakeups++;
	vtr_fxt_put_wakeup(vtr_ring_at(committed, offset), base, now, thread);
	vtr_ring_commit_hot(committed, offset, VTR_FXT_WAKEUP_WORDS, now);
}

static void wakeup_reserve(struct vtr_ring *ring, u64 now,
			   const struct task_struct *task)
{
	if (vtr_writer_reserve_here(ring, VTR_FXT_WAKEUP_WORDS, now, current))
		put_wakeup(ring, ring->committed, *ring->committed,
			   vtr_fxt_wakeup_in(ring->wakeup_base, context_here()), now, task);
	else
		vtr_ring_lose(ring, VTR_FXT_WAKEUP_WORDS);
}

/* Record a wakeup after the stack event of a thread that was blocked for long, if any. */
static noinline void wakeup_suspect(u64 now, struct vtr_ring *ring,
				    struct task_struct *task)
{
	vtr_blocked_woken(ring, now, task);
	wakeup_reserve(ring, now, task);
}

static noinline void wakeup_slow(struct vtr_ring *ring,
				 struct task_struct *task)
{
	u64 now;

	if (task == current || ring == &vtr_writer_none ||
	    (vtr_writer_is_on_cpu(task) && !has_gone_out(task)))
		return;
	/* As in record_awake(), or pairs with the store of ring->running in vtr_switch_put(). */
	vtr_counter_after_branch();
	now = vtr_writer_ticks(ring);
	if (static_branch_unlikely(&vtr_stacks_armed) && !vtr_writer_is_on_cpu(task) &&
	    vtr_blocked_suspect(now, vtr_blocked_since(task)))
		vtr_blocked_woken(ring, now, task);
	wakeup_reserve(ring, now, task);
}

/*
 * Record a wakeup. The clock is read after the thread was seen to be off its CPU, so that
 * the timestamp is later than that of the switch by which it was switched out.
 */
static __always_inline u64 wakeup_ticks(enum vitrine_clock clock)
{
	return clock == VITRINE_CLOCK_COUNTER ? vtr_counter_ticks() :
						vtr_clock_ticks(clock);
}

static __always_inline void record_awake(enum vitrine_clock clock, bool watch,
					 void *rings, struct task_struct *task)
{
	struct vtr_ring *ring = ring_here(rings);
	u64 *committed, offset, since_ns, now;

	if (unlikely(vtr_writer_is_on_cpu(task) || !in_task()))
		return wakeup_slow(ring, task);
	/* Pairs with the release of on_cpu in finish_task(). */
	vtr_counter_after_branch();
	committed = ring->committed;
	offset = *committed;
	if (unlikely(!vtr_ring_has_hot(ring, offset)))
		return wakeup_slow(ring, task);
	if (!watch) {
		put_wakeup(ring, committed, offset, ring->wakeup_base, wakeup_ticks(clock), task);
		return;
	}
	/* Before the clock, which takes two registers: fewer have to be saved. */
	since_ns = vtr_blocked_since(task);
	now = wakeup_ticks(clock);
	if (unlikely(vtr_blocked_suspect(now, since_ns)))
		return wakeup_suspect(now, ring, task);
	put_wakeup(ring, committed, offset, ring->wakeup_base, now, task);
}

static noinline notrace void watch_wakeup_counter(void *rings,
						  struct task_struct *task)
{
	record_awake(VITRINE_CLOCK_COUNTER, true, rings, task);
}

static noinline notrace void watch_wakeup_other(void *rings,
						struct task_struct *task)
{
	record_awake(ring_here(rings)->config.clock, true, rings, task);
}

/* The probes' own arguments in their own places, so that this costs a no-op. */
static __always_inline void record_wakeup(enum vitrine_clock clock, void *rings,
					  struct task_struct *task)
{
	if (!static_branch_unlikely(&vtr_stacks_armed))
		record_awake(clock, false, rings, task);
	else if (clock == VITRINE_CLOCK_COUNTER)
		watch_wakeup_counter(rings, task);
	else
		watch_wakeup_other(rings, task);
}

static notrace void probe_wakeup_counter(void *rings, struct task_struct *task)
{
	record_wakeup(VITRINE_CLOCK_COUNTER, rings, task);
}

static notrace void probe_wakeup_local(void *rings, struct task_struct *task)
{
	record_wakeup(VITRINE_CLOCK_LOCAL, rings, task);
}

static notrace void probe_wakeup_other(void *rings, struct task_struct *task)
{
	record_wakeup(ring_here(rings)->config.clock, rings, task);
}

/* Used while the category has a filter, which changes only while no probe is called. */
static notrace void probe_wakeup_filtered(void *rings, struct task_struct *task)
{
	if (task != current &&
	    !vtr_category_filtered(&vitrine_category_sched, task))
		record_wakeup(ring_here(rings)->config.clock, rings, task);
}

static_assert(__same_type(check_trace_callback_type_sched_waking,
			  check_trace_callback_type_sched_wakeup_new));

static void * const wakeup_probes[VTR_NR_CLOCKS] = {
	[VITRINE_CLOCK_LOCAL]	= VTR_CHECKED_PROBE(sched_waking, probe_wakeup_local),
	[VITRINE_CLOCK_COUNTER]	= VTR_CHECKED_PROBE(sched_waking, probe_wakeup_counter),
	[VITRINE_CLOCK_MONO]	= VTR_CHECKED_PROBE(sched_waking, probe_wakeup_other),
	[VITRINE_CLOCK_BOOT]	= VTR_CHECKED_PROBE(sched_waking, probe_wakeup_other),
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

/* The first two entries are replaced by the probes of the session's clock. */
static struct vtr_probe sched_probes[] = {
	{ "sched_waking" },
	{ "sched_wakeup_new" },
	VTR_PROBE(sched_migrate_task, probe_migrate),
	VTR_PROBE(sched_process_fork, probe_fork),
	VTR_PROBE(sched_process_exec, probe_exec),
	VTR_PROBE(sched_process_exit, probe_exit),
};

struct vtr_source vtr_source_sched = VTR_SOURCE(sched, sched_probes);

/* The clock of the session does not change while the category is on. */
static int sched_switched(bool on)
{
	sched_probes[0].function = rcu_access_pointer(vitrine_category_sched.filter) ?
				   VTR_CHECKED_PROBE(sched_waking, probe_wakeup_filtered) :
				   wakeup_probes[vtr_bound.clock];
	sched_probes[0].data = WRITER_RINGS;
	sched_probes[1].function = sched_probes[0].function;
	sched_probes[1].data = WRITER_RINGS;
	return vtr_source_switch(&vtr_source_sched, on);
}

/* Write the new name, which may differ from the one in the sub-buffer. */
static void probe_rename(void *unused, struct task_struct *task,
			 const char *comm)
{
	char name[VTR_FXT_NAME_MAX + 1] = "";
	struct vtr_subject subject;
	struct vtr_ring *ring;

	strscpy(name, comm, sizeof(name));
	guard(irqsave)();
	ring = this_cpu_read(vtr_writer_ring);
	if (ring == &vtr_writer_none || vtr_writer_is_idle(task))
		return;
	vtr_subject_task(task, &subject);
	subject.name = name;
	if (subject.process == subject.thread)
		subject.process_name = name;
	vtr_writer_rename(ring, vtr_writer_ticks(ring), &subject);
}

/**
 * vtr_sched_repeat_switch() - record switches from the running thread to itself
 * @nr: number of switches
 *
 * As the probes do, but without the checks of a trigger or of trace/stacks.
 *
 * Context: interrupts off, for measurements.
 */
void vtr_sched_repeat_switch(unsigned int nr)
{
	enum vitrine_clock clock = ring_here(WRITER_RINGS)->config.clock;

	while (nr--)
		if (clock == VITRINE_CLOCK_COUNTER)
			put_switch(VITRINE_CLOCK_COUNTER, false, 0, WRITER_RINGS,
				   false, current, TASK_INTERRUPTIBLE);
		else
			put_switch(clock, false, 0, WRITER_RINGS, false, current,
				   TASK_INTERRUPTIBLE);
}

/**
 * vtr_sched_repeat_wakeup() - record wakeups of the running thread
 * @nr: number of wakeups
 *
 * As vtr_sched_repeat_switch().
 *
 * Context: interrupts off, for measurements.
 */
void vtr_sched_repeat_wakeup(unsigned int nr)
{
	struct vtr_ring *ring = ring_here(WRITER_RINGS);
	u64 now;

	while (nr--) {
		now = wakeup_ticks(ring->config.clock);
		if (likely(vtr_ring_has_hot(ring, *ring->committed)))
			put_wakeup(ring, ring->committed, *ring->committed,
				   ring->wakeup_base, now, current);
		else
			wakeup_reserve(ring, now, current);
	}
}

/**
 * vtr_sched_records_wakeups() - check whether wakeups are recorded
 *
 * Context: any.
 * Return: true if the category "sched" is on.
 */
bool vtr_sched_records_wakeups(void)
{
	return static_key_enabled(&vitrine_category_sched.key);
}

/**
 * vtr_sched_attach() - begin to record on a CPU
 * @ring: ring without another writer
 * @cpu: this CPU, or one that is offline
 * @running: thread that runs there
 *
 * Opens the chain of switches with a switch from idle to @running; if there is no
 * room, it is opened once there is. The string table is emptied: while the ring was
 * detached, a module may have been unloaded whose strings are in the table, and other
 * strings may have their addresses now.
 *
 * Context: interrupts off; the probes are registered.
 */
void vtr_sched_attach(struct vtr_ring *ring, unsigned int cpu,
		      const struct task_struct *running)
{
	u64 now = vtr_writer_ticks(ring);

	vtr_strings_forget(&ring->strings);
	if (vtr_ring_has(ring, VTR_WRITER_CHAIN_WORDS))
		vtr_writer_open_chain(ring, now, running);
	else
		vtr_writer_reserve(ring, VTR_WRITER_CHAIN_WORDS, now, running);
	per_cpu(vtr_writer_ring, cpu) = ring;
	if (vtr_sample_is_due(running))
		vtr_sample_wake();
}

/**
 * vtr_sched_detach() - stop recording on a CPU
 * @cpu: this CPU, or one that is offline
 * @state: state of the thread that was running
 *
 * Closes the chain of switches with a switch from that thread to idle.
 *
 * Context: interrupts off.
 */
void vtr_sched_detach(unsigned int cpu, enum fxt_thread_state state)
{
	struct vtr_ring *ring = per_cpu(vtr_writer_ring, cpu);

	if (ring == &vtr_writer_none)
		return;
	vtr_ring_close_chain(ring, vtr_writer_ticks(ring), vtr_writer_state(state));
	per_cpu(vtr_writer_ring, cpu) = &vtr_writer_none;
}

/**
 * vtr_sched_flush() - begin a sub-buffer on this CPU
 * @ring: ring of this CPU
 *
 * If recording is off, the sub-buffer begins when recording does.
 *
 * Context: the ring's CPU, interrupts off, in an interrupt or in a thread: the scheduler has
 *	interrupts off from the record of a switch to the switch.
 */
void vtr_sched_flush(struct vtr_ring *ring)
{
	if (this_cpu_read(vtr_writer_ring) == &vtr_writer_none)
		vtr_ring_end_subbuf(ring);
	else
		vtr_writer_flush(ring, vtr_writer_ticks(ring), current);
}

/* The first entry is replaced by the probe of the session's clock. */
static struct vtr_probe row_probes[] = {
	{ "sched_switch" },
	VTR_PROBE(task_rename, probe_rename),
};

/**
 * vtr_sched_init() - look up the tracepoints of the scheduler
 *
 * Context: task.
 * Return: 0, or -ENOENT if this kernel lacks one.
 */
int vtr_sched_init(void)
{
	unsigned int nr = ARRAY_SIZE(row_probes);

	return vtr_probe_find(row_probes, nr) == nr ? 0 : -ENOENT;
}

/**
 * vtr_sched_register() - register the probes of the scheduler
 * @clock: usable clock of the session
 *
 * Nothing is recorded before vtr_sched_attach() on each CPU.
 *
 * Context: task; may sleep. The caller serialises.
 * Return: 0, or the error of the tracepoint.
 */
int vtr_sched_register(enum vitrine_clock clock)
{
	vtr_bound_clock(clock);
	row_probes[0].function = switch_probes[clock];
	row_probes[0].data = WRITER_RINGS;
	return vtr_probe_register(row_probes, ARRAY_SIZE(row_probes));
}

/**
 * vtr_sched_unregister() - undo vtr_sched_register()
 *
 * Waits until no probe runs any more. Every CPU must be detached before.
 *
 * Context: task; may sleep. The caller serialises.
 */
void vtr_sched_unregister(void)
{
	vtr_probe_unregister(row_probes, ARRAY_SIZE(row_probes));
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/sched_kunit.c"
#endif
