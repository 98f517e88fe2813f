// SPDX-License-Identifier: GPL-2.0
/*
 * Long waits: when a thread is woken up that was blocked for a long time, the CPU that
 * wakes it up records its kernel stack. When a thread gets a CPU that was runnable for a
 * long time, that CPU records which thread had it meanwhile.
 *
 * While recording of stacks is armed, the probe that records wakeups calls this file. A
 * second probe of the same tracepoint would cost each wakeup more than the check itself.
 * The scheduler already stores when a thread left its CPU. The check compares this time
 * with an upper bound of the scheduler's clock, and reads the clock itself only for
 * threads whose wait is long by that bound. Waits of runnable threads are detected where
 * switches are recorded: see latency.h.
 *
 * On request, the threads that are still blocked are recorded, too, each with its pi_lock
 * held, so that it cannot be woken up meanwhile.
 *
 * Concurrency: stacks_mutex protects the settings. They change only while the static key
 * is off and all probes that saw it on have returned. stack_table.c describes the locking
 * of the table of stacks; all other data is per CPU and accessed with interrupts off.
 * The thread that is woken up cannot run meanwhile, because its pi_lock is held. Neither
 * can a thread that is switched in, because the run queue is locked.
 */
#include <linux/err.h>
#include <linux/idr.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <asm/syscall.h>

#include "category.h"
#include "clock.h"
#include "compat.h"
#include "holders.h"
#include "latency.h"
#include "locks.h"
#include "stack_event.h"
#include "stack_table.h"
#include "stacks.h"
#include "syscall_name.h"
#include "unwind.h"
#include "user_stack.h"
#include "writer.h"

#if !VTR_UNWIND_WORKS
#pragma message "long waits are recorded without stacks: this kernel lets no module unwind"
#endif

/* One hour. A longer limit is taken for a typing error. */
#define MAX_US	3600000000ULL

/* Limits for each CPU and kind of wait: waits recorded per second, and in one burst. */
#define MOST_PER_SECOND	1000
#define MOST_AT_ONCE	100
#define INTERVAL_NS	(NSEC_PER_SEC / MOST_PER_SECOND)

/*
 * Limits for a request to record the threads that are still blocked: waits, and ring memory
 * for each of them, so that most of what was recorded before stays.
 */
#define MOST_STILL	1000
#define STILL_BYTES	4096

/* Kernel threads, and threads that the kernel creates in a process of user space. */
#define KERNEL_THREADS	(PF_KTHREAD | PF_IO_WORKER | VTR_PF_USER_WORKER)

DEFINE_STATIC_KEY_FALSE(vtr_stacks_armed);

static const struct vtr_stacks_settings nothing = {
	.blocked_ns = VTR_LATENCY_NEVER,
	.runnable_ns = VTR_LATENCY_NEVER,
};

struct vtr_stacks_settings vtr_stacks_settings __read_mostly = {
	.blocked_ns = VTR_LATENCY_NEVER,
	.runnable_ns = VTR_LATENCY_NEVER,
};

static DEFINE_MUTEX(stacks_mutex);
static struct vtr_stack_table *table;

/**
 * struct here - rate limits and counters of one CPU
 * @next_blocked_ns: when the allowance of blocked threads is full again; see has_allowance()
 * @next_runnable_ns: the same of runnable threads, whose waits displace no stacks
 * @blocked: as in struct vtr_stacks_stats
 * @runnable: as in struct vtr_stacks_stats
 * @left_out: as in struct vtr_stacks_stats
 * @told: value of @left_out that was last written to the trace
 */
struct here {
	u64	next_blocked_ns;
	u64	next_runnable_ns;
	u64	blocked;
	u64	runnable;
	u64	left_out;
	u64	told;
};

static DEFINE_PER_CPU(struct here, here);

/* Turns of threads that may explain the next wait. */
static DEFINE_PER_CPU(struct vtr_holders, holders);

/* ---- records --------------------------------------------------------------- */

/* Record how many waits this CPU has left out so far. */
static void write_left_out(struct vtr_ring *ring, u64 now,
			   const struct task_struct *task, struct here *cpu)
{
	struct vtr_fxt_arg args[1];
	struct vtr_fxt_event event = {
		.type = FXT_EVENT_COUNTER,
		.name = vtr_stack_event_text("stacks_left_out"),
		.ticks = now,
		.id = smp_processor_id(),
	};

	vtr_stack_event_add(&event, args, "left_out", FXT_ARG_UINT64,
			    cpu->left_out);
	if (vtr_stack_event_write(ring, task, &event, args, false))
		cpu->told = cpu->left_out;
}

/* Add the system call that a user-space thread is in, if there is one. */
static void add_syscall(struct vtr_fxt_event *event, struct vtr_fxt_arg *args,
			struct task_struct *task)
{
	long nr = syscall_get_nr(task, task_pt_regs(task));
	const char *name;

	if (nr < 0)
		return;
	name = vtr_syscall_name(task, nr);
	if (name)
		vtr_stack_event_add_string(event, args, "syscall", name,
					   strlen(name));
	else
		vtr_stack_event_add(event, args, "syscall", FXT_ARG_UINT32,
				    (u32)nr);
}

static bool write_blocked(struct vtr_ring *ring, u64 now, u64 blocked_ns,
			  struct task_struct *task,
			  const struct vtr_stack *stack, bool is_still)
{
	const char *lock = vtr_locks_kind(task);
	struct vtr_fxt_arg args[6];
	struct vtr_fxt_event event = {
		.type = FXT_EVENT_INSTANT,
		.name = vtr_stack_event_text("blocked"),
		.ticks = now,
	};

	vtr_stack_event_add(&event, args, "blocked_ns", FXT_ARG_UINT64,
			    blocked_ns);
	if (!(task->flags & KERNEL_THREADS))
		add_syscall(&event, args, task);
	if (is_still)
		vtr_stack_event_add(&event, args, "still", FXT_ARG_BOOL, true);
	/* It shares a word with bits that others change. */
	if (data_race((bool)task->in_iowait))
		vtr_stack_event_add(&event, args, "io_wait", FXT_ARG_BOOL, true);
	if (lock)
		vtr_stack_event_add_string(&event, args, "lock", lock,
					   strlen(lock));
	if (stack)
		vtr_stack_event_add_string(&event, args, "stack",
					   stack->text + stack->text_offset,
					   stack->text_bytes);
	return vtr_stack_event_write(ring, task, &event, args, false);
}

/* Record which thread had the CPU for most of the time that @task was runnable. */
static bool write_runnable(struct vtr_ring *ring, u64 now, u64 runnable_ns,
			   const struct task_struct *task,
			   const struct vtr_holder *holder)
{
	struct vtr_fxt_arg args[4];
	struct vtr_fxt_event event = {
		.type = FXT_EVENT_INSTANT,
		.name = vtr_stack_event_text("runnable"),
		.ticks = now,
	};

	vtr_stack_event_add(&event, args, "runnable_ns", FXT_ARG_UINT64,
			    runnable_ns);
	vtr_stack_event_add(&event, args, "holder_tid", FXT_ARG_KOID,
			    holder->thread);
	vtr_stack_event_add(&event, args, "holder_priority", FXT_ARG_UINT32,
			    holder->priority);
	vtr_stack_event_add(&event, args, "held_ns", FXT_ARG_UINT64,
			    holder->held_ns);
	return vtr_stack_event_write(ring, task, &event, args, false);
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
		       const struct task_struct *task, struct here *cpu,
		       u64 *full_ns)
{
	if (!has_allowance(full_ns, now_ns)) {
		cpu->left_out++;
		return false;
	}
	if (cpu->told != cpu->left_out)
		write_left_out(ring, now, task, cpu);
	return true;
}

static bool is_selected(const struct task_struct *task)
{
	const struct vtr_filter *filter = vtr_stacks_settings.filter;

	return !filter || vtr_filter_admits(filter, task);
}

/* A thread that was preempted on its way into a wait is still queued, so not blocked. */
static bool is_wanted(const struct task_struct *task)
{
	if (vtr_task_is_queued(task))
		return false;
	/* Only the thread itself changes its flags, and it does not run. */
	if (task->flags & KERNEL_THREADS && !vtr_stacks_settings.kthreads)
		return false;
	return is_selected(task);
}

/* Return whether the wait was recorded, or its record lost. */
static bool record(struct vtr_ring *ring, u64 now, u64 blocked_ns,
		   struct task_struct *task, struct here *cpu, bool is_still)
{
	unsigned long frames[VTR_STACK_MAX_FRAMES];
	const struct vtr_stack *stack = NULL;
	unsigned int nr_frames;

	nr_frames = vtr_unwind(task, frames, VTR_STACK_MAX_FRAMES);
	if (nr_frames) {
		stack = vtr_stack_table_find(table, frames, nr_frames);
		if (!stack) {
			cpu->left_out++;
			return false;
		}
	}
	cpu->blocked += write_blocked(ring, now, blocked_ns, task, stack, is_still);
	return true;
}

/**
 * vtr_stacks_woken() - record the stack of a thread that was blocked for a long time
 * @ring: this CPU's ring
 * @now: current time in ticks of the ring's clock
 * @task: thread that is woken up, for which vtr_stacks_suspect() returned true
 *
 * Context: sched_waking, while armed: interrupts off, the thread's pi_lock held.
 */
void vtr_stacks_woken(struct vtr_ring *ring, u64 now, struct task_struct *task)
{
	u64 since_ns = vtr_stacks_since(task), now_ns = vtr_bound_sync(now);
	/* Negative if @since_ns is from another CPU, whose clock may be slightly ahead. */
	s64 blocked_ns = now_ns - since_ns;
	struct here *cpu = this_cpu_ptr(&here);

	if (!since_ns || blocked_ns < vtr_stacks_settings.blocked_ns ||
	    !is_wanted(task) ||
	    !may_record(ring, now, now_ns, task, cpu, &cpu->next_blocked_ns))
		return;
	if (record(ring, now, max(blocked_ns, 0), task, cpu, false) &&
	    vtr_stacks_settings.user && !(task->flags & KERNEL_THREADS))
		vtr_user_stack_request(ring, now, task, vtr_stacks_settings.memory);
}

/**
 * vtr_stacks_switched() - record which thread had the CPU while another one was runnable
 * @ring: this CPU's ring
 * @now: current time in ticks of the ring's clock
 * @now_ns: local_clock()
 * @waited_ns: vtr_latency_waited() of @next
 * @prev: outgoing thread, whose switch is not recorded yet
 * @next: incoming thread
 *
 * Context: sched_switch, while runnable_us is armed: interrupts off, the run queue locked.
 */
void vtr_stacks_switched(struct vtr_ring *ring, u64 now, u64 now_ns,
			 s64 waited_ns, const struct task_struct *prev,
			 const struct task_struct *next)
{
	struct vtr_turn turn = {
		/* The scheduler does not store since when the idle thread runs. */
		.begin_ns = vtr_writer_is_idle(prev) ?
			    now_ns : vtr_preempted_arrival(prev),
		.end_ns = now_ns,
		.thread = prev->pid,
		.priority = vtr_writer_priority(prev),
	};
	struct here *cpu = this_cpu_ptr(&here);
	struct vtr_holder holder;

	if ((s64)(now_ns - turn.begin_ns) >= READ_ONCE(vtr_latency.turn_ns))
		vtr_holders_add(this_cpu_ptr(&holders), &turn);
	if (waited_ns < vtr_stacks_settings.runnable_ns ||
	    ring == &vtr_writer_none || !is_selected(next) ||
	    !may_record(ring, now, now_ns, next, cpu, &cpu->next_runnable_ns))
		return;
	holder = vtr_holders_find(this_cpu_ptr(&holders), &turn, waited_ns);
	cpu->runnable += write_runnable(ring, now, waited_ns, next, &holder);
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

/* Return how long a thread has been blocked; less than 0 if it is not to be recorded. */
static s64 still_blocked_ns(const struct task_struct *task, u64 now)
{
	u64 since_ns = vtr_stacks_since(task);

	if (!since_ns || !is_blocked(task) || !is_wanted(task))
		return -1;
	return vtr_bound_sync(now) - since_ns;
}

/* Return this CPU's ring if a thread is to be recorded, with time and duration, or NULL. */
static struct vtr_ring *still_blocked(const struct task_struct *task, u64 *now,
				      s64 *blocked_ns)
{
	struct vtr_ring *ring = this_cpu_read(vtr_writer_ring);

	lockdep_assert_held(&task->pi_lock);
	if (ring == &vtr_writer_none)
		return NULL;
	*now = vtr_clock_ticks(ring->config.clock);
	*blocked_ns = still_blocked_ns(task, *now);
	if (*blocked_ns < 0 || *blocked_ns < vtr_stacks_settings.blocked_ns)
		return NULL;
	return ring;
}

/*
 * Add the stack of a thread that is blocked to the table. To find the names of its
 * functions takes long, and is done without a lock and with interrupts on. When the stack
 * is recorded, they are there, unless the thread has another stack by then.
 */
static void name_still(struct task_struct *task)
{
	unsigned long frames[VTR_STACK_MAX_FRAMES], flags;
	unsigned int nr_frames = 0;
	s64 blocked_ns;
	u64 now;

	raw_spin_lock_irqsave(&task->pi_lock, flags);
	if (still_blocked(task, &now, &blocked_ns))
		nr_frames = vtr_unwind(task, frames, VTR_STACK_MAX_FRAMES);
	raw_spin_unlock_irqrestore(&task->pi_lock, flags);
	if (nr_frames)
		vtr_stack_table_find(table, frames, nr_frames);
}

/* Return the number of records that were written, and count those that are too many. */
static unsigned int record_still(struct task_struct *task, unsigned int nr)
{
	struct vtr_ring *ring;
	unsigned long flags;
	s64 blocked_ns;
	u64 now;

	raw_spin_lock_irqsave(&task->pi_lock, flags);
	ring = still_blocked(task, &now, &blocked_ns);
	if (!ring)
		goto unlock;
	if (nr >= MOST_STILL ||
	    nr * STILL_BYTES >= ring->config.nr_subbufs * vtr_ring_subbuf_bytes(&ring->config))
		this_cpu_ptr(&here)->left_out++;
	else
		nr += record(ring, now, blocked_ns, task, this_cpu_ptr(&here), true);
unlock:
	raw_spin_unlock_irqrestore(&task->pi_lock, flags);
	return nr;
}

/* Return the first thread whose id is not below *@id, with a reference, and its id + 1. */
static struct task_struct *thread_from(int *id)
{
	struct task_struct *task = NULL;
	struct pid *pid;

	rcu_read_lock();
	for (; !task && (pid = idr_get_next(&init_pid_ns.idr, id)); ++*id)
		task = get_pid_task(pid, PIDTYPE_PID);
	rcu_read_unlock();
	return task;
}

/*
 * Record the threads that are blocked now, for as long as the settings say. There may be
 * very many threads, so other threads get the CPU in between.
 */
static int record_all_still(void)
{
	struct task_struct *task;
	unsigned int nr = 0;
	int id = 1;

	lockdep_assert_held(&stacks_mutex);
	if (vtr_stacks_settings.blocked_ns == VTR_LATENCY_NEVER)
		return -EINVAL;
	while ((task = thread_from(&id))) {
		name_still(task);
		nr = record_still(task, nr);
		put_task_struct(task);
		cond_resched();
	}
	return 0;
}

/* ---- settings --------------------------------------------------------------- */

static int parse_us(const char *digits, s64 *ret_ns)
{
	u64 us;
	int err = kstrtou64(digits, 0, &us);

	if (err || us > MAX_US)
		return -EINVAL;
	*ret_ns = us * NSEC_PER_USEC;
	return 0;
}

static int parse_word(const char *word, struct vtr_stacks_settings *ret)
{
	size_t len;

	len = str_has_prefix(word, "blocked_us=");
	if (len)
		return parse_us(word + len, &ret->blocked_ns);
	len = str_has_prefix(word, "runnable_us=");
	if (len) {
		if (!IS_ENABLED(CONFIG_SCHED_INFO))
			return -EOPNOTSUPP;
		return parse_us(word + len, &ret->runnable_ns);
	}
	if (!strcmp(word, "kthreads")) {
		ret->kthreads = true;
		return 0;
	}
	if (!strcmp(word, "user") || !strcmp(word, "user=memory")) {
		if (!VTR_USER_STACK_WORKS)
			return -EOPNOTSUPP;
		ret->user = true;
		ret->memory = strlen(word) > strlen("user");
		return 0;
	}
	return vtr_filter_parse(word, &ret->filter);
}

static bool is_armed(const struct vtr_stacks_settings *settings)
{
	return settings->blocked_ns != VTR_LATENCY_NEVER ||
	       settings->runnable_ns != VTR_LATENCY_NEVER;
}

/* Parse the settings; on success, the caller frees the filter. */
static int parse(char *words, struct vtr_stacks_settings *ret)
{
	struct vtr_stacks_settings wanted = nothing;
	char *word;
	int err = 0;

	words = strim(words);
	if (!strcmp(words, "none")) {
		*ret = wanted;
		return 0;
	}
	while (!err && (word = strsep(&words, " \t\n"))) {
		if (!*word)
			continue;
		err = parse_word(word, &wanted);
		if (err == -EINVAL || err == -ERANGE)
			vtr_category_refuse("stacks", word);
	}
	if (!err && !is_armed(&wanted))
		err = -EINVAL;
	if (err)
		vtr_filter_free(wanted.filter);
	else
		*ret = wanted;
	return err;
}

/* Stop recording, and wait until no probe uses the settings or the table. */
static void pause(void)
{
	lockdep_assert_held(&stacks_mutex);
	static_branch_disable(&vtr_stacks_armed);
	vtr_latency_set_runnable(VTR_LATENCY_NEVER);
	synchronize_rcu();
	/* Other texts may get the addresses that serve as keys of strings. */
	vtr_writer_forget_strings();
}

static void resume(void)
{
	if (vtr_stacks_settings.blocked_ns != VTR_LATENCY_NEVER)
		static_branch_enable(&vtr_stacks_armed);
	vtr_latency_set_runnable(vtr_stacks_settings.runnable_ns);
}

static void disarm(void)
{
	if (!is_armed(&vtr_stacks_settings))
		return;
	pause();
	vtr_locks_unwatch();
	vtr_user_stack_tell_pending();
	kvfree(table);
	vtr_filter_free(vtr_stacks_settings.filter);
	vtr_stacks_settings = nothing;
}

static int arm(const struct vtr_stacks_settings *wanted)
{
	table = kvzalloc(sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	vtr_stacks_settings = *wanted;
	if (wanted->blocked_ns != VTR_LATENCY_NEVER)
		vtr_locks_watch();
	resume();
	return 0;
}

/**
 * vtr_stacks_set() - set which waits are recorded
 * @words: "blocked_us=1000 runnable_us=5000 kthreads user cpus=0-3 process=17 thread=18",
 *	or "none"; or "still" to record the threads that are blocked now; modified by this call
 *
 * Context: task; may sleep.
 * Return: 0; -EINVAL for an unknown word, or if both limits are missing; -ERANGE for a
 *	CPU number that is too large; -EOPNOTSUPP if this kernel does not record since
 *	when a thread is runnable, or, for "user", if VTR_USER_STACK_WORKS is false;
 *	-ENOMEM. On error the settings do not change, except that -ENOMEM may leave
 *	recording of stacks disarmed.
 */
int vtr_stacks_set(char *words)
{
	struct vtr_stacks_settings wanted;
	int err;

	words = strim(words);
	if (!strcmp(words, "still")) {
		mutex_lock(&stacks_mutex);
		err = record_all_still();
		mutex_unlock(&stacks_mutex);
		return err;
	}
	err = parse(words, &wanted);
	if (err)
		return err;
	mutex_lock(&stacks_mutex);
	disarm();
	if (is_armed(&wanted))
		err = arm(&wanted);
	mutex_unlock(&stacks_mutex);
	if (err)
		vtr_filter_free(wanted.filter);
	return err;
}

static void show_limit(struct seq_file *seq, const char *name, s64 limit_ns)
{
	if (limit_ns != VTR_LATENCY_NEVER)
		seq_printf(seq, "%s%s=%lld", seq->count ? " " : "", name,
			   limit_ns / NSEC_PER_USEC);
}

/**
 * vtr_stacks_show() - show which waits are recorded
 * @seq: receives one line, in the syntax of vtr_stacks_set()
 *
 * Context: task; may sleep.
 */
void vtr_stacks_show(struct seq_file *seq)
{
	const struct vtr_stacks_settings *settings = &vtr_stacks_settings;

	mutex_lock(&stacks_mutex);
	if (!is_armed(settings))
		seq_puts(seq, "none");
	show_limit(seq, "blocked_us", settings->blocked_ns);
	show_limit(seq, "runnable_us", settings->runnable_ns);
	if (settings->kthreads)
		seq_puts(seq, " kthreads");
	if (settings->user)
		seq_puts(seq, settings->memory ? " user=memory" : " user");
	if (settings->filter)
		vtr_filter_show(seq, ' ', settings->filter);
	seq_putc(seq, '\n');
	mutex_unlock(&stacks_mutex);
}

/**
 * vtr_stacks_stats() - sum up the counters of all CPUs
 * @ret: the sums
 *
 * Context: any.
 */
void vtr_stacks_stats(struct vtr_stacks_stats *ret)
{
	unsigned int cpu;

	*ret = (struct vtr_stacks_stats){};
	for_each_possible_cpu(cpu) {
		ret->blocked += vtr_peek(per_cpu(here, cpu).blocked);
		ret->runnable += vtr_peek(per_cpu(here, cpu).runnable);
		ret->left_out += vtr_peek(per_cpu(here, cpu).left_out);
	}
}

/**
 * vtr_stacks_unwinds() - check whether long waits are recorded with their stacks
 *
 * Context: any.
 * Return: false if this kernel exports no function with which a module can unwind.
 */
bool vtr_stacks_unwinds(void)
{
	return VTR_UNWIND_WORKS;
}

/**
 * vtr_stacks_forget() - empty the table of stacks
 *
 * Called when a module is unloaded, because another module may be loaded at its addresses.
 *
 * Context: task; may sleep.
 */
void vtr_stacks_forget(void)
{
	mutex_lock(&stacks_mutex);
	if (is_armed(&vtr_stacks_settings)) {
		pause();
		memset(table, 0, sizeof(*table));
		resume();
	}
	mutex_unlock(&stacks_mutex);
}

/**
 * vtr_stacks_deinit() - stop recording stacks and free the table
 *
 * Context: task; may sleep. No file of vitrine is open.
 */
void vtr_stacks_deinit(void)
{
	mutex_lock(&stacks_mutex);
	disarm();
	mutex_unlock(&stacks_mutex);
	vtr_user_stack_deinit();
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/stacks_kunit.c"
#endif
