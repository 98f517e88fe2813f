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
 * Also on request, the timers of sample.c interrupt the running threads, whose kernel stacks
 * are recorded. These have a table of their own: new ones keep coming, and must not take the
 * place of those of waits.
 *
 * Concurrency: stacks_mutex protects the settings. They change only while the static key
 * is off, or is_sampling is, and all that saw it on have returned. The
 * locking of the table of stacks is described there; all other data is per CPU and accessed
 * with interrupts off. The thread that is woken up cannot run meanwhile, because its pi_lock
 * is held.
 */
#include <linux/cleanup.h>
#include <linux/jhash.h>
#include <linux/kallsyms.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/time64.h>
#include <trace/events/lock.h>
#include <asm/syscall.h>

#include "compat.h"
#include "category.h"
#include "event.h"
#include "source.h"
#include "stack_text.h"
#include "waits.h"

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
 * locks_kind() - return what kind of lock a thread waits for
 * @task: the thread, which is blocked
 *
 * Context: any.
 * Return: a constant string; NULL if the thread waits for none, or since before
 *	locks_watch().
 */
static const char *locks_kind(const struct task_struct *task)
{
	u64 thread = vtr_peek(slot_of(task)->thread);

	if ((u32)thread != (u32)task->pid)
		return NULL;
	return kind(thread >> 32, READ_ONCE(task->__state) & TASK_RTLOCK_WAIT);
}

/**
 * locks_watch() - begin to note which threads wait for a lock
 *
 * If the tracepoints cannot be used, no lock is known.
 *
 * Context: task; may sleep. The caller serialises.
 */
static void locks_watch(void)
{
	memset(waits, 0, sizeof(waits));
	vtr_probe_find(probes, ARRAY_SIZE(probes));
	is_watching = !vtr_probe_register(probes, ARRAY_SIZE(probes));
}

/**
 * locks_unwatch() - undo locks_watch()
 *
 * Context: task; may sleep. The caller serialises.
 */
static void locks_unwatch(void)
{
	if (is_watching)
		vtr_probe_unregister(probes, ARRAY_SIZE(probes));
	is_watching = false;
}

/*
 * A hash table of the kernel stacks that have been seen, with their text.
 *
 * Concurrency: lock-free, in any context, on any CPU. A CPU claims a free slot with
 * cmpxchg(), fills it, and stores SLOT_READY with release semantics. A CPU that loads
 * SLOT_READY with acquire semantics may read the slot, which does not change any more.
 * If two CPUs see a new stack at the same time, each may add it. The caller empties or
 * frees a table only when no CPU can be using it.
 */

/* Maximum number of frames of a stack; only the innermost frames are used. */
#define STACK_MAX_FRAMES	32

/* Maximum number of stacks in a table. */
#define STACK_TABLE_SLOTS	1024

/**
 * struct stack - a slot of the table
 * @state: SLOT_READY if the other members are valid; see above
 * @nr_frames: number of @frames in use
 * @frames: return addresses, innermost first
 * @text: names of the frames
 */
struct stack {
	u32			state;
	unsigned int		nr_frames;
	unsigned long		frames[STACK_MAX_FRAMES];
	struct vtr_stack_text	text;
};

/**
 * struct stack_table - stacks that have been seen
 * @slots: hash table with linear probing
 *
 * A zeroed table is empty.
 */
struct stack_table {
	struct stack	slots[STACK_TABLE_SLOTS];
};

enum {
	SLOT_FREE,
	SLOT_CLAIMED,
	SLOT_READY,
};

/* Number of slots that are probed for a stack. */
#define PROBES	16

/* Maximum length of a frame's name, including the NUL; longer names are truncated. */
#define NAME_BYTES	128

/* Format as "function+0x12 [module]", that is, %pB without the size of the function. */
static void name_frame(unsigned long address, char *name)
{
	char *size, *rest;

	snprintf(name, NAME_BYTES, "%pB", (void *)address);
	size = strchr(name, '/');
	if (size) {
		rest = strchrnul(size, ' ');
		memmove(size, rest, strlen(rest) + 1);
	}
	/* Without a symbol %pB prints the raw address, which must not leave the kernel. */
	if (!strchr(name, '+'))
		strscpy(name, "?", NAME_BYTES);
}

/* These are the innermost frames of every blocked thread, so they carry no information. */
static bool is_scheduler(const char *name)
{
	return str_has_prefix(name, "__schedule+") ||
	       str_has_prefix(name, "schedule+");
}

static void make_text(struct stack *stack)
{
	struct vtr_stack_text *text = &stack->text;
	char name[NAME_BYTES];
	unsigned int i;

	vtr_stack_text_init(text);
	for (i = 0; i < stack->nr_frames; i++) {
		name_frame(stack->frames[i], name);
		if (!*text->begin && is_scheduler(name))
			continue;
		if (!vtr_stack_text_add(text, name))
			break;
	}
}

/**
 * stack_table_find() - look up a stack, and add it if it is new
 * @table: the table
 * @frames: return addresses, innermost first
 * @nr_frames: number of @frames, at most STACK_MAX_FRAMES
 *
 * Context: any.
 * Return: the stack with its text; NULL if it is new and there is no room for it.
 */
static const struct stack *stack_table_find(struct stack_table *table,
					    const unsigned long *frames,
					    unsigned int nr_frames)
{
	size_t frames_bytes = nr_frames * sizeof(*frames);
	u32 hash = jhash(frames, frames_bytes, 0);
	struct stack *stack;
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		stack = &table->slots[(hash + i) % STACK_TABLE_SLOTS];
		/* Pairs with smp_store_release() below, on another CPU. */
		if (smp_load_acquire(&stack->state) == SLOT_READY) {
			if (stack->nr_frames == nr_frames &&
			    !memcmp(stack->frames, frames, frames_bytes))
				return stack;
			continue;
		}
		if (cmpxchg(&stack->state, SLOT_FREE, SLOT_CLAIMED) != SLOT_FREE)
			continue;
		stack->nr_frames = nr_frames;
		memcpy(stack->frames, frames, frames_bytes);
		make_text(stack);
		/* Pairs with smp_load_acquire() above. */
		smp_store_release(&stack->state, SLOT_READY);
		return stack;
	}
	return NULL;
}

/* ---- waits -------------------------------------------------------------- */

#if defined(CONFIG_X86) && \
	(defined(CONFIG_UNWINDER_ORC) || defined(CONFIG_UNWINDER_FRAME_POINTER))
#include <asm/unwind.h>

#define UNWIND_WORKS	1

/**
 * unwind() - find the return addresses on a thread's kernel stack
 * @task: the thread, which is on no CPU and not woken up yet; or the current thread
 * @regs: registers of the current thread when it was interrupted in the kernel, or NULL
 * @frames: receives the addresses, innermost first
 * @most: size of @frames
 *
 * Context: any.
 * Return: number of addresses found; 0 if this kernel exports no function with which a
 *	module can unwind.
 */
static inline unsigned int unwind(struct task_struct *task, struct pt_regs *regs,
				  unsigned long *frames, unsigned int most)
{
	struct unwind_state state;
	unsigned long address;
	unsigned int nr = 0;

	/* It begins with the caller of what was interrupted. */
	unwind_start(&state, task, regs, NULL);
	while (nr < most && !unwind_done(&state)) {
		address = unwind_get_return_address(&state);
		if (!address)
			break;
		frames[nr++] = address;
		unwind_next_frame(&state);
	}
	return nr;
}

#elif defined(VTR_HAS_STACK_TRACE_SAVE_TSK)
#define UNWIND_WORKS	1

/* Maximum number of frames of the interrupt itself. */
#define INTERRUPT_FRAMES	24

/* Leave out the frames of the interrupt, and the function that was interrupted. */
static unsigned int unwind_interrupted(struct pt_regs *regs, unsigned long *frames,
				       unsigned int most)
{
	unsigned long all[STACK_MAX_FRAMES + INTERRUPT_FRAMES];
	unsigned int nr = stack_trace_save(all, ARRAY_SIZE(all), 0), i = 0;

	while (i < nr && all[i] != instruction_pointer(regs))
		i++;
	if (i < nr)
		i++;
	nr = min(nr - i, most);
	memcpy(frames, all + i, nr * sizeof(*frames));
	return nr;
}

static inline unsigned int unwind(struct task_struct *task, struct pt_regs *regs,
				  unsigned long *frames, unsigned int most)
{
	return regs ? unwind_interrupted(regs, frames, most) :
		      stack_trace_save_tsk(task, frames, most, 0);
}

#else
#define UNWIND_WORKS	0

static inline unsigned int unwind(struct task_struct *task, struct pt_regs *regs,
				  unsigned long *frames, unsigned int most)
{
	return 0;
}
#endif

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

/* Kernel threads, and threads that the kernel creates in a process of user space. */
#define KERNEL_THREADS	(PF_KTHREAD | PF_IO_WORKER | VTR_PF_USER_WORKER)

DEFINE_STATIC_KEY_FALSE(vtr_stacks_armed);

DEFINE_PER_CPU(struct vtr_stacks_stats, vtr_stacks_counters);

static const struct vtr_stacks_settings nothing = {
	.blocked_ns = VTR_LATENCY_NEVER,
};

struct vtr_stacks_settings vtr_stacks_settings __read_mostly = {
	.blocked_ns = VTR_LATENCY_NEVER,
};

static DEFINE_MUTEX(stacks_mutex);

/* Stacks of blocked threads and, if threads are sampled, those of running ones. */
enum { BLOCKED, RUNNING };
static struct stack_table *tables;

static bool is_sampling;

/* Highest number of samples of a CPU a second. */
#define MOST_HZ		1000

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

static void add_stack(struct vtr_stack_event *event, const struct vtr_stack_text *text)
{
	vtr_stack_event_add_string(event, "stack", text->begin, vtr_stack_text_bytes(text), false);
}

static bool write_blocked(struct vtr_ring *ring, u64 now, u64 blocked_ns,
			  struct task_struct *task,
			  const struct stack *stack, bool is_still)
{
	const char *lock = locks_kind(task);
	struct vtr_stack_event event;

	vtr_stack_event_begin(&event, "blocked", now);
	vtr_stack_event_add(&event, "blocked_ns", FXT_ARG_UINT64, blocked_ns);
	if (!(task->flags & KERNEL_THREADS))
		add_syscall(&event, task);
	if (is_still)
		vtr_stack_event_add(&event, "still", FXT_ARG_BOOL, true);
	/* It shares a word with bits that others change. */
	if (data_race((bool)task->in_iowait))
		vtr_stack_event_add(&event, "io_wait", FXT_ARG_BOOL, true);
	if (lock)
		vtr_stack_event_add_string(&event, "lock", lock, strlen(lock), false);
	if (stack)
		add_stack(&event, &stack->text);
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
		   struct task_struct *task, bool is_still)
{
	unsigned long frames[STACK_MAX_FRAMES];
	const struct stack *stack = NULL;
	unsigned int nr_frames;

	nr_frames = unwind(task, NULL, frames, STACK_MAX_FRAMES);
	if (nr_frames) {
		stack = stack_table_find(&tables[BLOCKED], frames, nr_frames);
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

	if (!since_ns || blocked_ns < vtr_stacks_settings.blocked_ns ||
	    !is_wanted(task) ||
	    !may_record(ring, now, now_ns, task))
		return;
	if (record(ring, now, max(blocked_ns, 0), task, false) &&
	    vtr_stacks_settings.user && !(task->flags & KERNEL_THREADS))
		vtr_user_stack_request(ring, now, task, vtr_stacks_settings.memory);
}

/* ---- running threads ---------------------------------------------------------- */

/*
 * Return the address behind the first byte of a function, so that all samples of the function
 * have equal frames; 0 if there is no symbol for it. A frame is named by the byte before it.
 */
static noinline unsigned long function_of(unsigned long address)
{
	char name[KSYM_SYMBOL_LEN];
	unsigned long offset;
	const char *at;

	sprint_symbol(name, address);
	at = strrchr(name, '+');
	return at && sscanf(at, "+%lx/", &offset) == 1 ? address - offset + 1 : 0;
}

/* Stands for the outer frames if there is no room for the stack. */
#define CUT	"...;"

/* Add the stack of a thread that was interrupted in the kernel. */
static void add_running(struct vtr_stack_event *event, struct pt_regs *regs, char *name)
{
	unsigned long frames[STACK_MAX_FRAMES];
	const struct stack *stack;
	unsigned int nr;

	frames[0] = function_of(instruction_pointer(regs));
	nr = 1 + unwind(current, regs, frames + 1, STACK_MAX_FRAMES - 1);
	stack = stack_table_find(&tables[RUNNING], frames, nr);
	if (stack) {
		add_stack(event, &stack->text);
		return;
	}
	/* There is no room: at least the function is known. */
	memcpy(name, CUT, strlen(CUT));
	name_frame(frames[0], name + strlen(CUT));
	vtr_stack_event_add_string(event, "stack", name, strlen(name), true);
}

/* Record what this CPU executes; a callback of sample.c. */
static void record_running(struct pt_regs *regs)
{
	struct vtr_ring *ring = this_cpu_read(vtr_writer_ring);
	char name[sizeof(CUT) + NAME_BYTES];
	struct vtr_stack_event event;
	u64 now;

	if (!READ_ONCE(is_sampling) || !is_selected(current))
		return;
	now = vtr_writer_ticks(ring);
	vtr_stack_event_begin(&event, "running", now);
	if (!user_mode(regs))
		add_running(&event, regs, name);
	if (vtr_stack_event_write(&event, ring, current))
		this_cpu_inc(vtr_stacks_counters.running);
	if (vtr_stacks_settings.user && !(current->flags & KERNEL_THREADS))
		vtr_user_stack_request(ring, now, current, vtr_stacks_settings.memory);
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
	u64 since_ns = vtr_stacks_since(task);

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
	unsigned long frames[STACK_MAX_FRAMES];
	unsigned int nr_frames = 0;
	s64 blocked_ns;
	u64 now;

	scoped_guard(raw_spinlock_irqsave, &task->pi_lock)
		if (still_blocked(task, &now, &blocked_ns))
			nr_frames = unwind(task, NULL, frames, STACK_MAX_FRAMES);
	if (nr_frames)
		stack_table_find(&tables[BLOCKED], frames, nr_frames);
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
	while ((task = vtr_thread_next(&id))) {
		name_still(task);
		nr = record_still(task, nr);
		put_task_struct(task);
		cond_resched();
	}
	return 0;
}

/* ---- settings --------------------------------------------------------------- */

static int parse_hz(const char *digits, unsigned int *ret)
{
	int err = kstrtouint(digits, 10, ret);

	return err || !*ret || *ret > MOST_HZ ? -EINVAL : 0;
}

static int parse_word(const char *word, struct vtr_stacks_settings *ret)
{
	size_t len;

	len = str_has_prefix(word, "blocked_us=");
	if (len)
		return vtr_word_us(word + len, &ret->blocked_ns);
	len = str_has_prefix(word, "sample_hz=");
	if (len)
		return parse_hz(word + len, &ret->sample_hz);
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
	return settings->blocked_ns != VTR_LATENCY_NEVER || settings->sample_hz;
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
	while (!err && (word = vtr_word_next(&words))) {
		err = parse_word(word, &wanted);
		vtr_word_refuse("stacks", word, err);
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
	WRITE_ONCE(is_sampling, false);
	synchronize_rcu();
	/* Other texts may get the addresses that serve as keys of strings. */
	vtr_writer_forget_strings();
}

static void resume(void)
{
	if (vtr_stacks_settings.blocked_ns != VTR_LATENCY_NEVER)
		static_branch_enable(&vtr_stacks_armed);
	WRITE_ONCE(is_sampling, vtr_stacks_settings.sample_hz);
}

static unsigned int nr_tables(const struct vtr_stacks_settings *settings)
{
	return settings->sample_hz ? RUNNING + 1 : BLOCKED + 1;
}

static void disarm(void)
{
	if (!is_armed(&vtr_stacks_settings))
		return;
	pause();
	if (vtr_stacks_settings.sample_hz)
		vtr_sample_stop();
	locks_unwatch();
	vtr_user_stack_tell_pending();
	kvfree(tables);
	vtr_filter_free(vtr_stacks_settings.filter);
	vtr_stacks_settings = nothing;
}

static int arm(const struct vtr_stacks_settings *wanted)
{
	int err = 0;

	tables = kvcalloc(nr_tables(wanted), sizeof(*tables), GFP_KERNEL);
	if (!tables)
		return -ENOMEM;
	if (wanted->sample_hz)
		err = vtr_sample_start(wanted->sample_hz, record_running);
	if (err) {
		kvfree(tables);
		return err;
	}
	vtr_stacks_settings = *wanted;
	if (wanted->blocked_ns != VTR_LATENCY_NEVER)
		locks_watch();
	resume();
	return 0;
}

/**
 * vtr_stacks_set() - set which waits are recorded
 * @words: "blocked_us=1000 sample_hz=99 kthreads user cpus=0-3 process=17",
 *	or "none"; or "still" to record the threads that are blocked now; modified by this call
 *
 * Context: task; may sleep.
 * Return: 0; -EINVAL for an unknown word, or if there is neither a limit nor a rate; -ERANGE
 *	for a CPU number that is too large; -EOPNOTSUPP for "user" if VTR_USER_STACK_WORKS is false;
 *	-ENOMEM, or -ENOSPC if the kernel takes no further callback of CPUs that come and go.
 *	On error the settings do not change, except that the last two may leave recording of
 *	stacks disarmed.
 */
int vtr_stacks_set(char *words)
{
	struct vtr_stacks_settings wanted;
	int err;

	guard(mutex)(&stacks_mutex);
	if (!strcmp(words, "still"))
		return record_all_still();
	err = parse(words, &wanted);
	if (err)
		return err;
	disarm();
	if (is_armed(&wanted))
		err = arm(&wanted);
	if (err)
		vtr_filter_free(wanted.filter);
	return err;
}

/**
 * vtr_stacks_show() - show which waits are recorded
 * @seq: receives one line, in the syntax of vtr_stacks_set()
 *
 * Context: task; may sleep.
 * Return: 0.
 */
int vtr_stacks_show(struct seq_file *seq)
{
	const struct vtr_stacks_settings *settings = &vtr_stacks_settings;

	guard(mutex)(&stacks_mutex);
	if (!is_armed(settings))
		seq_puts(seq, "none");
	if (settings->blocked_ns != VTR_LATENCY_NEVER)
		seq_printf(seq, "blocked_us=%lld", settings->blocked_ns / NSEC_PER_USEC);
	if (settings->sample_hz)
		seq_printf(seq, "%ssample_hz=%u", seq->count ? " " : "", settings->sample_hz);
	if (settings->kthreads)
		seq_puts(seq, " kthreads");
	if (settings->user)
		seq_puts(seq, settings->memory ? " user=memory" : " user");
	if (settings->filter)
		vtr_filter_show(seq, ' ', settings->filter);
	seq_putc(seq, '\n');
	return 0;
}

/**
 * vtr_stacks_stats() - sum up the counters of all CPUs
 * @ret: the sums
 *
 * Context: any.
 */
void vtr_stacks_stats(struct vtr_stacks_stats *ret)
{
	u64 *sums = (u64 *)ret, *here;
	unsigned int cpu, i;

	*ret = (struct vtr_stacks_stats){};
	for_each_possible_cpu(cpu) {
		here = (u64 *)&per_cpu(vtr_stacks_counters, cpu);
		for (i = 0; i < sizeof(*ret) / sizeof(*sums); i++)
			sums[i] += vtr_peek(here[i]);
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
	return UNWIND_WORKS;
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
	guard(mutex)(&stacks_mutex);
	if (!is_armed(&vtr_stacks_settings))
		return;
	pause();
	memset(tables, 0, nr_tables(&vtr_stacks_settings) * sizeof(*tables));
	resume();
}

/**
 * vtr_stacks_deinit() - stop recording stacks and free the table
 *
 * Context: task; may sleep. No file of vitrine is open.
 */
void vtr_stacks_deinit(void)
{
	scoped_guard(mutex, &stacks_mutex)
		disarm();
	/*
	 * No reference to the module is held any more, so no task work is pending. A thread that
	 * was preempted at the end of its task work is still in the code of the module.
	 */
	synchronize_rcu_tasks();
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/locks_kunit.c"
#include "tests/stack_table_kunit.c"
#include "tests/stacks_kunit.c"
#endif
