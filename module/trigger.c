// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers: what freezes the rings, so that its cause is still in them.
 *
 *   latency_us=N  a thread that woke up ran only N microseconds later
 *   event=irq:softirq  an event of this category and name was recorded; or, as
 *                 event=irq, any of the category
 *   hung_task     the kernel has found a task that hangs
 *   panic         the kernel panics, or a thread dies of an oops
 *   now           whoever says so
 *
 * The first one of those armed that fires writes an event into the ring of its
 * CPU and freezes all of them, until trace/trigger is written again or a new
 * session begins.
 *
 * Latency costs nothing unless it is armed: it is a probe of its own, called
 * after the one that records. When a thread was last put on a run queue the
 * scheduler keeps itself. Whether it woke up then, or was preempted, is known
 * from its last switch: a byte a thread, by the low bits of its id.
 *
 * Concurrency: @armed is changed by vtr_trigger_set(), whose callers take turns,
 * while no probe of ours is registered. fire() runs in any context, NMI
 * included, on several CPUs at a time; the one that gets to freeze the session
 * writes @report and then, with release, which freeze it is of. Who reads it
 * sees whether all of it is of the freeze that is now.
 */
#include <linux/irq_work.h>
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>
#include <trace/events/sched.h>

#include "clock.h"
#include "event.h"
#include "marks.h"
#include "peek.h"
#include "probe.h"
#include "session.h"
#include "trigger.h"
#include "writer.h"

/* Two threads whose ids agree so far share what is known of them. */
#define NR_THREADS	65536

/* An hour: more than that is a typing error. */
#define MAX_LATENCY_US	3600000000ULL

/**
 * struct armed - what may freeze the rings
 * @latency_ns: wake-up latency from which on, 0: none
 * @event: category, ':' and name of an event, or a category; empty: none
 * @hung_task: a task that hangs
 * @panic: a panic or an oops
 */
struct armed {
	u64	latency_ns;
	char	event[VTR_EVENT_WATCH_BYTES];
	bool	hung_task;
	bool	panic;
};

static struct armed armed;

/*
 * By the low bits of a thread's id: not 0 unless it is known to have slept. Only
 * while latency is armed.
 */
static u8 *awake;

static struct vtr_trigger_report report;
static u32 reported;

static DECLARE_WAIT_QUEUE_HEAD(fired_wait);

static void wake_waiting(struct irq_work *work)
{
	wake_up_all(&fired_wait);
}

static DEFINE_IRQ_WORK(fired_work, wake_waiting);

/*
 * Say in this CPU's ring what happens. In an NMI a record may be open, and then
 * nothing can be said; freezing needs no ring.
 */
static void put_mark(const char *cause, u64 value,
		     const struct task_struct *subject,
		     const struct task_struct *running)
{
	struct vtr_ring *ring = this_cpu_read(vtr_writer_ring);
	struct vtr_subject thread;
	unsigned int nr_words;
	bool has_room;
	u64 now, *next;

	if (ring == &vtr_writer_none || in_nmi())
		return;
	now = vtr_clock_ticks(ring->config.clock);
	if (running) {
		vtr_subject_task(running, &thread);
		has_room = vtr_writer_reserve(ring, VTR_MARKS_FROZEN_WORDS,
					      now, &thread);
	} else {
		has_room = vtr_writer_reserve_here(ring, VTR_MARKS_FROZEN_WORDS,
						   now);
	}
	if (!has_room)
		return;
	vtr_subject_task(subject, &thread);
	next = vtr_ring_next(ring);
	nr_words = vtr_marks_put_frozen(next, now, thread.process, thread.thread,
					cause, value);
	ring->other_records++;
	vtr_writer_commit_untimed(ring, next + nr_words, now);
}

/*
 * Freeze all rings. @running is the thread this CPU's row of switches ends
 * with; NULL: who runs now.
 */
static void fire(const char *cause, u64 value,
		 const struct task_struct *subject,
		 const struct task_struct *running)
{
	unsigned long flags;
	u32 freeze;

	if (vtr_session_frozen())
		return;
	local_irq_save(flags);
	put_mark(cause, value, subject, running);
	freeze = vtr_session_freeze();
	if (freeze) {
		report.cause = cause;
		report.value = value;
		report.cpu = smp_processor_id();
		report.thread = subject->pid;
		/* Pairs with vtr_trigger_fired(). */
		smp_store_release(&reported, freeze);
		irq_work_queue(&fired_work);
	}
	local_irq_restore(flags);
}

#ifdef CONFIG_SCHED_INFO
static u64 queued_at(const struct task_struct *task)
{
	return READ_ONCE(task->sched_info.last_queued);
}
#else
static u64 queued_at(const struct task_struct *task)
{
	return 0;
}
#endif

/* After the probe that records: the switch is in the ring when we freeze it. */
static void probe_latency(void *unused, bool preempt, struct task_struct *prev,
			  struct task_struct *next, unsigned int prev_state)
{
	u64 queued = queued_at(next);
	s64 waited;

	WRITE_ONCE(awake[prev->pid % NR_THREADS], preempt || !prev_state);
	if (!queued || vtr_writer_is_idle(next) ||
	    READ_ONCE(awake[next->pid % NR_THREADS]))
		return;
	/* It may be another CPU's clock, which may be a little ahead. */
	waited = local_clock() - queued;
	if (waited > (s64)armed.latency_ns)
		fire("latency_us", waited, next, next);
}

static struct vtr_probe latency = VTR_PROBE(sched_switch, probe_latency);

static void on_event(void)
{
	fire("event", 0, current, NULL);
}

#ifdef CONFIG_DETECT_HUNG_TASK
static void probe_hang(void *unused, struct task_struct *task)
{
	fire("hung_task", 0, task, NULL);
}

static struct vtr_probe hang = VTR_PROBE(sched_process_hang, probe_hang);
#else
static struct vtr_probe hang = { "sched_process_hang" };
#endif

static int on_die(struct notifier_block *block, unsigned long what, void *args)
{
	if (what == DIE_OOPS && vtr_peek(armed.panic))
		fire("oops", 0, current, NULL);
	return NOTIFY_DONE;
}

static int on_panic(struct notifier_block *block, unsigned long what,
		    void *message)
{
	if (vtr_peek(armed.panic))
		fire("panic", 0, current, NULL);
	return NOTIFY_DONE;
}

static struct notifier_block die_block = { .notifier_call = on_die };

/* Before those that take their time, or do not return. */
static struct notifier_block panic_block = {
	.notifier_call	= on_panic,
	.priority	= INT_MAX,
};

static int arm_latency(void)
{
	int err;

	if (!armed.latency_ns)
		return 0;
	awake = vmalloc(NR_THREADS);
	if (!awake) {
		err = -ENOMEM;
		goto err_disarm;
	}
	/* Of nobody is it known yet that it slept. */
	memset(awake, 1, NR_THREADS);
	err = tracepoint_probe_register_prio(latency.tracepoint,
					     latency.function, NULL,
					     TRACEPOINT_DEFAULT_PRIO - 1);
	if (err)
		goto err_awake;
	return 0;

err_awake:
	vfree(awake);
	awake = NULL;
err_disarm:
	armed.latency_ns = 0;
	return err;
}

static int arm_hung_task(void)
{
	int err;

	if (!armed.hung_task)
		return 0;
	err = min(vtr_probe_register(&hang, 1), 0);
	if (err)
		armed.hung_task = false;
	return err;
}

static void disarm(void)
{
	if (armed.latency_ns)
		vtr_probe_unregister(&latency, 1);
	if (*armed.event)
		vtr_event_unwatch();
	if (armed.hung_task)
		vtr_probe_unregister(&hang, 1);
	vfree(awake);
	awake = NULL;
	memset(&armed, 0, sizeof(armed));
}

static int parse_latency(const char *value, struct armed *ret)
{
	u64 us;
	int err;

	if (!IS_ENABLED(CONFIG_SCHED_INFO))
		return -EOPNOTSUPP;
	err = kstrtou64(value, 0, &us);
	if (err || !us || us > MAX_LATENCY_US)
		return -EINVAL;
	ret->latency_ns = us * NSEC_PER_USEC;
	return 0;
}

static int parse_event(const char *words, struct armed *ret)
{
	if (!vtr_event_can_watch(words))
		return -EINVAL;
	strscpy(ret->event, words, sizeof(ret->event));
	return 0;
}

static int parse_word(const char *word, struct armed *ret, bool *ret_now)
{
	size_t len;

	len = str_has_prefix(word, "latency_us=");
	if (len)
		return parse_latency(word + len, ret);
	len = str_has_prefix(word, "event=");
	if (len)
		return parse_event(word + len, ret);
	if (!strcmp(word, "panic")) {
		ret->panic = true;
	} else if (!strcmp(word, "hung_task")) {
		if (!hang.tracepoint)
			return -EOPNOTSUPP;
		ret->hung_task = true;
	} else if (!strcmp(word, "now")) {
		*ret_now = true;
	} else if (strcmp(word, "none")) {
		return -EINVAL;
	}
	return 0;
}

static int parse(const char *words, struct armed *ret, bool *ret_now)
{
	char line[VTR_TRIGGER_LINE_BYTES], *rest = line, *word;
	int err;

	if (strscpy(line, words, sizeof(line)) < 0)
		return -EINVAL;
	while ((word = strsep(&rest, " "))) {
		if (!*word)
			continue;
		err = parse_word(word, ret, ret_now);
		if (err)
			return err;
	}
	return 0;
}

/**
 * vtr_trigger_set() - arm triggers, in place of those armed before
 * @words: which, with spaces in between; "now" fires at once; "none" of them
 *
 * Frozen rings go on.
 *
 * Context: task, sleeps; callers take turns.
 * Return: 0; -EINVAL for a word that is none, or an event of no category,
 *	-EOPNOTSUPP for what this kernel does not have: nothing changes then;
 *	-ENOMEM, or the error of a tracepoint: that one is not armed.
 */
int vtr_trigger_set(const char *words)
{
	struct armed wanted = { 0 };
	bool now = false;
	int err, hung_err;

	err = parse(words, &wanted, &now);
	if (err)
		return err;
	disarm();
	vtr_session_thaw();
	armed = wanted;
	err = arm_latency();
	hung_err = arm_hung_task();
	if (*armed.event)
		vtr_event_watch(armed.event, on_event);
	if (now)
		fire("now", 0, current, NULL);
	return err ?: hung_err;
}

/**
 * vtr_trigger_fired() - whether a trigger has frozen the rings
 * @ret: what happened
 *
 * Context: task.
 * Return: false if they are not frozen; @ret is then unchanged.
 */
bool vtr_trigger_fired(struct vtr_trigger_report *ret)
{
	u32 freeze = vtr_session_frozen();
	struct vtr_trigger_report copy;

	/* Pairs with fire(). */
	if (!freeze || smp_load_acquire(&reported) != freeze)
		return false;
	/* The next freeze may come and report; then this is not returned. */
	data_race(copy = report);
	smp_rmb();	/* Pairs with cmpxchg() in vtr_session_freeze(). */
	if (vtr_session_frozen() != freeze)
		return false;
	*ret = copy;
	return true;
}

/**
 * vtr_trigger_show() - say what is armed, or what has fired
 * @line: room for VTR_TRIGGER_LINE_BYTES
 *
 * Context: task; callers take turns with vtr_trigger_set().
 * Return: length of the line.
 */
int vtr_trigger_show(char *line)
{
	struct vtr_trigger_report fired;
	int len;

	if (vtr_trigger_fired(&fired))
		return scnprintf(line, VTR_TRIGGER_LINE_BYTES,
				 "fired %s %llu cpu %u thread %d\n",
				 fired.cause, fired.value, fired.cpu,
				 fired.thread);
	if (!armed.latency_ns && !*armed.event && !armed.hung_task &&
	    !armed.panic)
		return scnprintf(line, VTR_TRIGGER_LINE_BYTES, "none\n");
	len = scnprintf(line, VTR_TRIGGER_LINE_BYTES, "armed");
	if (armed.latency_ns)
		len += scnprintf(line + len, VTR_TRIGGER_LINE_BYTES - len,
				 " latency_us=%llu",
				 armed.latency_ns / NSEC_PER_USEC);
	if (*armed.event)
		len += scnprintf(line + len, VTR_TRIGGER_LINE_BYTES - len,
				 " event=%s", armed.event);
	if (armed.hung_task)
		len += scnprintf(line + len, VTR_TRIGGER_LINE_BYTES - len,
				 " hung_task");
	if (armed.panic)
		len += scnprintf(line + len, VTR_TRIGGER_LINE_BYTES - len,
				 " panic");
	return len + scnprintf(line + len, VTR_TRIGGER_LINE_BYTES - len, "\n");
}

/**
 * vtr_trigger_poll() - wait for a trigger
 * @file: who waits
 * @wait: for poll_wait()
 *
 * Context: task.
 * Return: EPOLLPRI if one has fired; the file can be read and written always.
 */
__poll_t vtr_trigger_poll(struct file *file, poll_table *wait)
{
	__poll_t ready = EPOLLIN | EPOLLRDNORM | EPOLLOUT | EPOLLWRNORM;

	poll_wait(file, &fired_wait, wait);
	return vtr_session_frozen() ? ready | EPOLLPRI : ready;
}

/**
 * vtr_trigger_init() - arm the first triggers
 * @words: as for vtr_trigger_set()
 *
 * Context: task, sleeps; sched_switch is known to be there.
 * Return: as vtr_trigger_set(); nothing is armed then.
 */
int vtr_trigger_init(const char *words)
{
	int err;

	vtr_probe_find(&latency, 1);
	vtr_probe_find(&hang, 1);
	err = vtr_trigger_set(words);
	if (err) {
		disarm();
		return err;
	}
	register_die_notifier(&die_block);
	atomic_notifier_chain_register(&panic_notifier_list, &panic_block);
	return 0;
}

/**
 * vtr_trigger_deinit() - disarm all
 *
 * Context: task, sleeps; no file of ours is open.
 */
void vtr_trigger_deinit(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
	unregister_die_notifier(&die_block);
	disarm();
	irq_work_sync(&fired_work);
}
