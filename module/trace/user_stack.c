// SPDX-License-Identifier: GPL-2.0
/*
 * User stacks of threads that were blocked for a long time, or are sampled: the CPU that wakes
 * such a thread up, or interrupts it, gives it a task work, and the thread, on its way back to
 * user space, walks its own stack and writes an event.
 *
 * Concurrency: a request is a slot of a fixed pool. The CPU that gives the task work claims
 * a slot by storing the thread in it with cmpxchg(), with interrupts off. The thread
 * releases the slot when its task work ends. The task work runs in process context
 * without locks, but it must not wait for anything: not for memory, and not for a device or a
 * server from which a page of the stack or of a file would be read. Pages that are not there
 * are left out. Real-time threads are left out.
 *
 * Each request holds a reference to the module, so the module cannot be removed while a
 * task work is pending: vtr_user_stack_cancel() takes back those of threads that sleep. A
 * thread drops the reference as its last step, but may be preempted before it leaves the code
 * of the module: vtr_stacks_deinit() waits for it.
 */
#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/log2.h>
#include <linux/rcupdate.h>
#include <linux/task_work.h>

#include "compat.h"
#include "event.h"
#include "user_walk.h"
#include "waits.h"

/*
 * Maximum number of requests, of those of the threads of one user, and of slots that are
 * probed for a thread. A thread that stays in the kernel keeps its slot. Users whose ids have
 * the same hash share one limit.
 */
#define NR_SLOTS	256
#define NR_USERS	256
#define USER_SLOTS	32
#define PROBES		16

/**
 * struct request - a thread that records its stack before it returns to user space
 * @work: task work of the thread
 * @task: the thread, NULL in a free slot
 * @nr_of_user: number of pending requests of the thread's real user
 * @exec_id: tells the programs that the thread executes apart
 * @with_memory: save memory if the frame pointers do not lead to the end of the stack
 */
struct request {
	struct callback_head	work;
	struct task_struct	*task;
	atomic_t		*nr_of_user;
	u64			exec_id;
	bool			with_memory;
};

static struct request slots[NR_SLOTS];
static atomic_t users[NR_USERS];

/* ---- record ----------------------------------------------------------------- */

/* Write as much of the memory as fits into a sub-buffer. */
static void write_memory(struct vtr_ring *ring, const struct vtr_user_memory *saved, u64 ticks)
{
	struct vtr_stack_event event;

	vtr_stack_event_begin(&event, "user stack memory", ticks);
	vtr_stack_event_add(&event, "memory", FXT_ARG_UINT64, ticks);
	vtr_stack_event_add(&event, "registers", FXT_ARG_UINT32, saved->nr_registers);
	vtr_stack_event_add(&event, "words", FXT_ARG_UINT32, saved->nr_stack);
	vtr_stack_event_add_payload(&event, ring, saved->words, saved->nr_words);
	vtr_stack_event_write(&event, ring, current);
}

static bool write_walk(struct vtr_ring *ring, u64 now, const struct vtr_user_walk *walk)
{
	const struct vtr_user_memory *saved = walk->memory;
	bool has_memory = walk->list_bytes && saved;
	struct vtr_stack_event event;

	vtr_stack_event_begin(&event, "user stack", now);
	vtr_stack_event_add_string(&event, "stack", walk->text.begin,
				   vtr_stack_text_bytes(&walk->text), true);
	if (walk->list_bytes)
		vtr_stack_event_add_string(&event, "files", walk->list, walk->list_bytes, true);
	if (has_memory) {
		vtr_stack_event_add_string(&event, "maps", saved->maps, strlen(saved->maps), true);
		vtr_stack_event_add(&event, "memory", FXT_ARG_UINT64, now);
	}
	if (!vtr_stack_event_write(&event, ring, current))
		return false;
	if (has_memory)
		write_memory(ring, saved, now);
	return true;
}

/*
 * Record that the stack of a thread is not known. Otherwise the next user stack of the
 * thread would be taken for that of this wait, too.
 */
static void write_unknown(struct vtr_ring *ring, u64 now,
			  const struct task_struct *task)
{
	struct vtr_stack_event event;

	vtr_stack_event_begin(&event, "user stack", now);
	vtr_stack_event_add_string(&event, "stack", "?", strlen("?"), false);
	vtr_stack_event_write(&event, ring, task);
}

/* Record the stack of a thread, the current one unless @walk is NULL: it is not known. */
static bool write_here(const struct vtr_user_walk *walk, const struct task_struct *task)
{
	struct vtr_ring *ring;
	u64 now;

	guard(irqsave)();
	ring = this_cpu_read(vtr_writer_ring);
	if (ring == &vtr_writer_none)
		return false;
	now = vtr_writer_ticks(ring);
	if (walk && write_walk(ring, now, walk))
		return true;
	write_unknown(ring, now, task);
	return false;
}

static bool record(bool with_memory)
{
	struct vtr_user_walk *walk = vtr_user_walk_create(with_memory);
	bool is_written;

	if (walk)
		vtr_user_text_compose(walk);
	is_written = write_here(walk, current);
	vtr_user_walk_destroy(walk);
	return is_written;
}

static void count(bool is_recorded)
{
	if (is_recorded)
		this_cpu_inc(vtr_stacks_counters.user);
	else
		this_cpu_inc(vtr_stacks_counters.user_left_out);
}

/* A thread that is ending, or executes another program, has lost its stack. */
static bool has_stack(const struct request *request)
{
	return current->mm && !(current->flags & PF_EXITING) &&
	       current->self_exec_id == request->exec_id;
}

/* End a request: called by its thread, or after its work was cancelled. */
static void release(struct request *request)
{
	atomic_dec(request->nr_of_user);
	/* Pairs with cmpxchg() in request(). */
	smp_store_release(&request->task, NULL);
	module_put(THIS_MODULE);
}

static void run(struct callback_head *work)
{
	struct request *request = container_of(work, struct request, work);

	count(has_stack(request) ? record(request->with_memory) : write_here(NULL, current));
	release(request);
}

/* ---- requests --------------------------------------------------------------- */

/* Find the slot of a thread, or else a free one; NULL: there is none. */
static struct request *find(const struct task_struct *task)
{
	struct request *free = NULL, *slot;
	const struct task_struct *owner;
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		slot = &slots[(hash_ptr(task, 32) + i) % NR_SLOTS];
		owner = READ_ONCE(slot->task);
		if (owner == task)
			return slot;
		if (!owner && !free)
			free = slot;
	}
	return free;
}

/* Return whether the thread will record its stack, for this request or an earlier one. */
static bool request(struct task_struct *task)
{
	u32 user = hash_32(__kuid_val(task_uid(task)), ilog2(NR_USERS));
	struct request *request = find(task);

	if (request && READ_ONCE(request->task) == task)
		return true;
	if (!request || task->prio < MAX_RT_PRIO)
		return false;
	/* The second pairs with smp_store_release() in release(). */
	if (atomic_inc_return(&users[user]) > USER_SLOTS || cmpxchg(&request->task, NULL, task))
		goto err_user;
	request->nr_of_user = &users[user];
	if (!try_module_get(THIS_MODULE))
		goto err_slot;
	request->exec_id = task->self_exec_id;
	request->with_memory = vtr_stacks_settings.memory;
	init_task_work(&request->work, run);
	if (task_work_add(task, &request->work, VTR_TWA_RESUME))
		goto err_module;
	return true;

err_module:
	module_put(THIS_MODULE);
err_slot:
	WRITE_ONCE(request->task, NULL);
err_user:
	atomic_dec(&users[user]);
	return false;
}

/**
 * vtr_user_stack_request() - make a thread record its user stack, if the settings say so
 * @ring: ring of this CPU
 * @now: time in ticks
 * @task: thread that is woken up, or the current one
 *
 * The thread records its stack once before it returns to user space, regardless of the
 * number of requests until then. If it cannot, this is recorded.
 *
 * Context: sched_waking: interrupts off, the thread's pi_lock held; for the current thread,
 *	an interrupt.
 */
void vtr_user_stack_request(struct vtr_ring *ring, u64 now, struct task_struct *task)
{
	if (!vtr_stacks_settings.user || vtr_stacks_is_kthread(task) || request(task))
		return;
	count(false);
	write_unknown(ring, now, task);
}

/*
 * Take the task work of a thread back. No kernel exports task_work_cancel(); these are its steps.
 * A thread that has detached its list of works takes its pi_lock before it runs them: the holder of
 * the lock may follow the list, and a work that cmpxchg() unlinks will not run.
 */
static bool cancel(struct task_struct *task, struct callback_head *work)
{
	struct callback_head **link = &task->task_works, *at;

	guard(raw_spinlock_irqsave)(&task->pi_lock);
	while ((at = READ_ONCE(*link))) {
		if (at != work)
			link = &at->next;
		else if (cmpxchg(link, work, work->next) == work)
			return true;
	}
	return false;
}

/**
 * vtr_user_stack_cancel() - drop the requests of threads that have not returned to user space
 *
 * Otherwise, threads that sleep in a system call would keep the module in use. A thread that
 * already records its stack does so.
 *
 * Context: task. No stack is requested meanwhile.
 */
void vtr_user_stack_cancel(void)
{
	struct task_struct *task;
	struct request *slot;

	/* A thread releases its slot before it ends. */
	guard(rcu)();
	for (slot = slots; slot < slots + NR_SLOTS; slot++) {
		task = READ_ONCE(slot->task);
		if (!task || !cancel(task, &slot->work))
			continue;
		count(write_here(NULL, task));
		release(slot);
	}
}

/**
 * vtr_user_stack_pending() - count the threads that are still in the kernel
 *
 * Context: any.
 * Return: number of user stacks that were requested, but neither recorded nor left out.
 */
unsigned int vtr_user_stack_pending(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < NR_SLOTS; i++)
		nr += !!READ_ONCE(slots[i].task);
	return nr;
}
