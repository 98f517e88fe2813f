// SPDX-License-Identifier: GPL-2.0
/*
 * Long waits: when a thread is woken up that was blocked for a long time, the CPU that
 * wakes it up records its kernel stack.
 *
 * While recording of stacks is armed, the probe that records wakeups calls this file. A
 * second probe of the same tracepoint would cost each wakeup more than the check itself.
 * The scheduler already stores when a thread left its CPU. The check compares this time
 * with an upper bound of the scheduler's clock, and reads the clock itself only for
 * threads whose wait is long by that bound.
 *
 * On request, the threads that are still blocked are recorded, too, each with its pi_lock
 * held, so that it cannot be woken up meanwhile.
 *
 * Concurrency: all data is per CPU and accessed with interrupts off. The thread that is woken
 * up cannot run meanwhile, because its pi_lock is held.
 */
#include <linux/cleanup.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/time64.h>
#include <asm/syscall.h>

#include "compat.h"
#include "event.h"
#include "locks.h"
#include "probe.h"
#include "source.h"
#include "stack_table.h"
#include "unwind.h"
#include "waits.h"

/* Limits for each CPU: waits recorded per second, and in one burst. */
#define MOST_PER_SECOND	1000
#define MOST_AT_ONCE	100
#define INTERVAL_NS	(NSEC_PER_SEC / MOST_PER_SECOND)

/*
 * Limits for a request to record the threads that are still blocked: waits, and ring memory
 * for each of them, so that most of what was recorded before stays.
 */
#define MOST_STILL	1000
#define STILL_BYTES	4096

/* When the allowance of a CPU is full again; see has_allowance(). */
static DEFINE_PER_CPU(u64, full_ns_here);

/* Number of waits left out by a CPU that was last written to the trace. */
static DEFINE_PER_CPU(u64, told_here);

/* ---- records --------------------------------------------------------------- */

/* Record how many waits this CPU has left out so far, unless the trace says so already. */
static void write_left_out(struct vtr_ring *ring, u64 now,
			   const struct task_struct *task)
{
	u64 left_out = this_cpu_read(vtr_stacks_counters.left_out);
	struct vtr_stack_event stack;

	if (this_cpu_read(told_here) == left_out)
		return;
	vtr_stack_event_begin(&stack, "stacks_left_out", now);
	stack.event.type = FXT_EVENT_COUNTER;
	stack.event.id = smp_processor_id();
	vtr_stack_event_add(&stack, "left_out", FXT_ARG_UINT64, left_out);
	if (vtr_stack_event_write(&stack, ring, task))
		this_cpu_write(told_here, left_out);
}

/* Add the system call that a user-space thread is in, if there is one. */
static void add_syscall(struct vtr_stack_event *event, struct task_struct *task)
{
	long nr = syscall_get_nr(task, task_pt_regs(task));
	const char *name;

	if (nr < 0)
		return;
	name = vtr_syscall_name(task, nr);
	if (name)
		vtr_stack_event_add_string(event, "syscall", name, strlen(name), false);
	else
		vtr_stack_event_add(event, "syscall", FXT_ARG_UINT32, (u32)nr);
}

static bool write_blocked(struct vtr_ring *ring, u64 now, u64 blocked_ns,
			  struct task_struct *task,
			  const struct vtr_stack *stack, bool is_still)
{
	const char *lock = vtr_locks_kind(task);
	struct vtr_stack_event event;

	vtr_stack_event_begin(&event, "blocked", now);
	vtr_stack_event_add(&event, "blocked_ns", FXT_ARG_UINT64, blocked_ns);
	if (!vtr_stacks_is_kthread(task))
		add_syscall(&event, task);
	if (is_still)
		vtr_stack_event_add(&event, "still", FXT_ARG_BOOL, true);
	/* It shares a word with bits that others change. */
	if (data_race((bool)task->in_iowait))
		vtr_stack_event_add(&event, "io_wait", FXT_ARG_BOOL, true);
	if (lock)
		vtr_stack_event_add_string(&event, "lock", lock, strlen(lock), false);
	if (stack)
		vtr_stack_event_add_string(&event, "stack", stack->text.begin,
					   vtr_stack_text_bytes(&stack->text), false);
	return vtr_stack_event_write(&event, ring, task);
}

/* ---- selection -------------------------------------------------------------- */

/*
 * Check a rate limit of this CPU and account for one wait, as a token bucket: each wait
 * that is recorded consumes INTERVAL_NS, and the bucket holds MOST_AT_ONCE intervals.
 */
static bool has_allowance(u64 *full_ns, u64 now_ns)
{
	u64 next_ns = max(*full_ns, now_ns);

	if (next_ns - now_ns > (MOST_AT_ONCE - 1) * INTERVAL_NS)
		return false;
	*full_ns = next_ns + INTERVAL_NS;
	return true;
}

/* Check the rate limit, and record how many waits were left out because of it. */
static bool may_record(struct vtr_ring *ring, u64 now, u64 now_ns,
		       const struct task_struct *task)
{
	if (!has_allowance(this_cpu_ptr(&full_ns_here), now_ns)) {
		this_cpu_inc(vtr_stacks_counters.left_out);
		return false;
	}
	write_left_out(ring, now, task);
	return true;
}

/* A thread that was preempted on its way into a wait is still queued, so not blocked. */
static bool is_wanted(const struct task_struct *task)
{
	if (vtr_task_is_queued(task))
		return false;
	/* Only the thread itself changes its flags, and it does not run. */
	if (vtr_stacks_is_kthread(task) && !vtr_stacks_settings.kthreads)
		return false;
	return vtr_stacks_selects(task);
}

/* Return whether the wait was recorded, or its record lost. */
static bool record(struct vtr_ring *ring, u64 now, u64 blocked_ns,
		   struct task_struct *task, bool is_still)
{
	unsigned long frames[VTR_STACK_MAX_FRAMES];
	const struct vtr_stack *stack = NULL;
	unsigned int nr_frames;

	nr_frames = vtr_unwind(task, NULL, frames, VTR_STACK_MAX_FRAMES);
	if (nr_frames) {
		stack = vtr_stack_table_find(vtr_blocked_table, frames, nr_frames);
		if (!stack) {
			this_cpu_inc(vtr_stacks_counters.left_out);
			return false;
		}
	}
	if (write_blocked(ring, now, blocked_ns, task, stack, is_still))
		this_cpu_inc(vtr_stacks_counters.blocked);
	return true;
}

/**
 * vtr_blocked_woken() - record the stack of a thread that was blocked for a long time
 * @ring: this CPU's ring
 * @now: current time in ticks of the ring's clock
 * @task: thread that is woken up, for which vtr_blocked_suspect() returned true
 *
 * Context: sched_waking, while armed: interrupts off, the thread's pi_lock held.
 */
void vtr_blocked_woken(struct vtr_ring *ring, u64 now, struct task_struct *task)
{
	u64 since_ns = vtr_blocked_since(task), now_ns = vtr_bound_sync(now);
	/* Negative if @since_ns is from another CPU, whose clock may be slightly ahead. */
	s64 blocked_ns = now_ns - since_ns;

	if (!since_ns || blocked_ns < vtr_stacks_settings.blocked_ns ||
	    !is_wanted(task) ||
	    !may_record(ring, now, now_ns, task))
		return;
	if (record(ring, now, max(blocked_ns, 0), task, false))
		vtr_user_stack_request(ring, now, task);
}

/* ---- waits that are not over ------------------------------------------------- */

/*
 * Check whether a thread is blocked, and stays so while its pi_lock is held: a waker
 * takes the lock first.
 */
static bool is_blocked(const struct task_struct *task)
{
	if (task->exit_state || !READ_ONCE(task->__state) || vtr_task_is_queued(task))
		return false;
	/* Pairs with the release of on_cpu in finish_task(), which follows the dequeue. */
	smp_rmb();
	return !vtr_writer_is_on_cpu(task);
}

/* Return this CPU's ring if a thread is to be recorded, with time and duration, or NULL. */
static struct vtr_ring *still_blocked(const struct task_struct *task, u64 *now,
				      s64 *blocked_ns)
{
	struct vtr_ring *ring = this_cpu_read(vtr_writer_ring);
	u64 since_ns = vtr_blocked_since(task);

	lockdep_assert_held(&task->pi_lock);
	if (ring == &vtr_writer_none || !since_ns || !is_blocked(task) || !is_wanted(task))
		return NULL;
	*now = vtr_writer_ticks(ring);
	*blocked_ns = vtr_bound_sync(*now) - since_ns;
	return *blocked_ns < vtr_stacks_settings.blocked_ns ? NULL : ring;
}

/*
 * Add the stack of a thread that is blocked to the table. To find the names of its
 * functions takes long, and is done without a lock and with interrupts on. When the stack
 * is recorded, they are there, unless the thread has another stack by then.
 */
static void name_still(struct task_struct *task)
{
	unsigned long frames[VTR_STACK_MAX_FRAMES];
	unsigned int nr_frames = 0;
	s64 blocked_ns;
	u64 now;

	scoped_guard(raw_spinlock_irqsave, &task->pi_lock)
		if (still_blocked(task, &now, &blocked_ns))
			nr_frames = vtr_unwind(task, NULL, frames, VTR_STACK_MAX_FRAMES);
	if (nr_frames)
		vtr_stack_table_find(vtr_blocked_table, frames, nr_frames);
}

/* Return the number of records that were written, and count those that are too many. */
static unsigned int record_still(struct task_struct *task, unsigned int nr)
{
	struct vtr_ring *ring;
	s64 blocked_ns;
	u64 now;

	guard(raw_spinlock_irqsave)(&task->pi_lock);
	ring = still_blocked(task, &now, &blocked_ns);
	if (!ring)
		return nr;
	if (nr >= MOST_STILL ||
	    nr * STILL_BYTES >= ring->config.nr_subbufs * vtr_ring_subbuf_bytes(&ring->config))
		this_cpu_inc(vtr_stacks_counters.left_out);
	else
		nr += record(ring, now, blocked_ns, task, true);
	return nr;
}

/**
 * vtr_blocked_record_still() - record the threads that are blocked now, as the settings say
 *
 * There may be very many threads, so other threads get the CPU in between.
 *
 * Context: task; may sleep. The settings do not change meanwhile.
 * Return: 0; -EINVAL if waits are not recorded.
 */
int vtr_blocked_record_still(void)
{
	struct task_struct *task;
	unsigned int nr = 0;
	int id = 1;

	if (vtr_stacks_settings.blocked_ns == VTR_LATENCY_NEVER)
		return -EINVAL;
	while ((task = vtr_thread_next(&id))) {
		name_still(task);
		nr = record_still(task, nr);
		put_task_struct(task);
		cond_resched();
	}
	return 0;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/blocked_kunit.c"
#endif
