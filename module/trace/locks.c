// SPDX-License-Identifier: GPL-2.0
/*
 * The kind of lock that a blocked thread waits for.
 *
 * Without lock debugging, task_struct does not tell which lock a task waits for: 6.1 and
 * 6.12 have blocked_on with DEBUG_MUTEXES only, 7.3 has it for mutexes, and blocker for
 * mutexes, semaphores and rwsems, but not for real-time and per-CPU locks. All of these
 * locks, since 5.19, call the tracepoint contention_begin before a thread waits for a lock, and
 * contention_end afterwards, in the slow paths of the locks.
 *
 * Concurrency: a thread writes its own slot of @waits, and reads it in contention_end.
 * Threads whose ids are equal modulo NR_SLOTS share a slot; at worst the lock of one of
 * them is unknown. The CPU that wakes a thread up reads its slot: the thread wrote it
 * before it was switched out. The addresses of locks are only compared.
 */
#include <linux/sched.h>
#include <linux/string.h>
#include <trace/events/lock.h>

#include "locks.h"
#include "peek.h"
#include "probe.h"

#define NR_SLOTS	1024

/**
 * struct wait - a thread that waits for a lock
 * @thread: id of the thread, and in the upper half the flags of contention_begin; 0 if unused
 * @lock: the lock
 */
struct wait {
	u64		thread;
	const void	*lock;
};

static struct wait waits[NR_SLOTS];

static struct wait *slot_of(const struct task_struct *task)
{
	return &waits[(unsigned int)task->pid % NR_SLOTS];
}

static void note(struct task_struct *task, const void *lock, unsigned int flags)
{
	struct wait *wait = slot_of(task);

	/* The thread spins; if it then blocks, contention_begin is called again. */
	if (flags & LCB_F_SPIN)
		return;
	WRITE_ONCE(wait->lock, lock);
	WRITE_ONCE(wait->thread, (u64)flags << 32 | (u32)task->pid);
}

static void forget(struct task_struct *task, const void *lock)
{
	struct wait *wait = slot_of(task);

	/* The thread may have had to wait for another lock while it waited for this one. */
	if (vtr_peek(wait->lock) == lock &&
	    (u32)vtr_peek(wait->thread) == (u32)task->pid)
		WRITE_ONCE(wait->thread, 0);
}

static void probe_begin(void *unused, void *lock, unsigned int flags)
{
	note(current, lock, flags);
}

static void probe_end(void *unused, void *lock, int ret)
{
	forget(current, lock);
}

static struct vtr_probe probes[] = {
	VTR_PROBE(contention_begin, probe_begin),
	VTR_PROBE(contention_end, probe_end),
};

static bool is_watching;

/*
 * The names are those that "perf lock contention" uses, which does not tell a spinlock of
 * PREEMPT_RT, "rtlock", from an rt-mutex.
 */
static const char *kind(unsigned int flags, bool is_rtlock)
{
	const char *name = flags & LCB_F_WRITE ? "rwsem:W" : "rwsem:R";

	if (flags & LCB_F_MUTEX)
		return "mutex";
	if (!(flags & (LCB_F_READ | LCB_F_WRITE))) {
		if (!(flags & LCB_F_RT))
			return "semaphore";
		return is_rtlock ? "rtlock" : "rt-mutex";
	}
	if (flags & LCB_F_RT)
		name = flags & LCB_F_WRITE ? "rwlock-rt:W" : "rwlock-rt:R";
	else if (flags & LCB_F_PERCPU)
		name = flags & LCB_F_WRITE ? "pcpu-sem:W" : "pcpu-sem:R";
	return name;
}

/**
 * vtr_locks_kind() - return what kind of lock a thread waits for
 * @task: the thread, which is blocked
 *
 * Context: any.
 * Return: a constant string; NULL if the thread waits for none, or since before
 *	vtr_locks_watch().
 */
const char *vtr_locks_kind(const struct task_struct *task)
{
	u64 thread = vtr_peek(slot_of(task)->thread);

	if ((u32)thread != (u32)task->pid)
		return NULL;
	return kind(thread >> 32, READ_ONCE(task->__state) & TASK_RTLOCK_WAIT);
}

/**
 * vtr_locks_watch() - begin to note which threads wait for a lock
 *
 * If the tracepoints cannot be used, no lock is known.
 *
 * Context: task; may sleep. The caller serialises.
 */
void vtr_locks_watch(void)
{
	memset(waits, 0, sizeof(waits));
	vtr_probe_find(probes, ARRAY_SIZE(probes));
	is_watching = !vtr_probe_register(probes, ARRAY_SIZE(probes));
}

/**
 * vtr_locks_unwatch() - undo vtr_locks_watch()
 *
 * Context: task; may sleep. The caller serialises.
 */
void vtr_locks_unwatch(void)
{
	if (is_watching)
		vtr_probe_unregister(probes, ARRAY_SIZE(probes));
	is_watching = false;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/locks_kunit.c"
#endif
