// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers freeze the rings, so that the records before the trigger are preserved.
 *
 *   latency_us=N  a thread ran more than N microseconds after it was woken
 *   event=irq:softirq  an event of this category and name was recorded; with
 *                 event=irq, any event of the category
 *   hung_task     the kernel detected a hung task
 *   panic         the kernel panicked, or a thread was killed by an oops
 *   now           immediately
 *
 * The first armed trigger that fires writes an event into the ring of its CPU and
 * freezes all rings, until trace/trigger is written again or a new session begins.
 * Latency is checked where switches are recorded: see latency.c.
 *
 * Concurrency: @armed is changed by vtr_trigger_set(), whose callers serialise, while none
 * of its probes is registered. fire() runs in any context, NMI included, on several
 * CPUs at a time. The CPU that succeeds in freezing the session writes @report and then,
 * with release, the number of the freeze, by which a reader checks that the report belongs
 * to the current freeze. @is_armed is changed at the end of vtr_trigger_set() and read by
 * poll(), which needs nothing else of @armed.
 */
#include <linux/cleanup.h>
#include <linux/kdebug.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/seq_file.h>
#include <trace/events/sched.h>

#include "category.h"
#include "event.h"
#include "peek.h"
#include "probe.h"
#include "session.h"
#include "waits.h"

/**
 * struct armed - the armed triggers
 * @latency_ns: wakeup latency above which the trigger fires, 0 if not armed
 * @event: "category:name" of an event, or a category; empty if not armed
 * @hung_task: fire on a hung task
 * @panic: fire on a panic or an oops
 * @now: fire as soon as the triggers are armed
 */
struct armed {
	s64	latency_ns;
	char	event[VTR_EVENT_WATCH_BYTES];
	bool	hung_task;
	bool	panic;
	bool	now;
};

static struct armed armed;
static bool is_armed;

static struct vtr_trigger_report report;
static u32 reported;

static DECLARE_WAIT_QUEUE_HEAD(fired_wait);

static void wake_waiting(struct irq_work *work)
{
	wake_up_all(&fired_wait);
}

static DEFINE_IRQ_WORK(fired_work, wake_waiting);

/*
 * Write the event of the trigger into the ring of this CPU. Nothing is written in NMI
 * context, which may have interrupted the writer; freezing does not need the ring.
 */
static void put_mark(const char *cause, u64 value,
		     const struct task_struct *subject,
		     const struct task_struct *running)
{
	struct vtr_ring *ring = this_cpu_read(vtr_writer_ring);
	struct vtr_subject thread;
	u64 now, *next;

	if (ring == &vtr_writer_none || in_nmi())
		return;
	now = vtr_writer_ticks(ring);
	if (!vtr_writer_reserve_here(ring, VTR_MARKS_FROZEN_WORDS, now, running))
		return;
	vtr_subject_task(subject, &thread);
	next = vtr_ring_next(ring);
	next += vtr_marks_put_frozen(next, now, thread.process, thread.thread, cause, value);
	ring->other_records++;
	vtr_ring_commit_untimed(ring, next, now);
}

/*
 * Freeze all rings, after a mark if this is the first trigger that fires. @running is the thread
 * with which the chain of switches of this CPU ends.
 */
static void fire(const char *cause, u64 value,
		 const struct task_struct *subject,
		 const struct task_struct *running)
{
	u32 freeze;

	guard(irqsave)();
	freeze = vtr_session_freeze_begin();
	if (!freeze)
		return;
	put_mark(cause, value, subject, running);
	vtr_session_freeze_end();
	report = (struct vtr_trigger_report){
		.cause = cause,
		.value = value,
		.cpu = smp_processor_id(),
		.thread = subject->pid,
	};
	/* Pairs with vtr_trigger_fired(). */
	smp_store_release(&reported, freeze);
	irq_work_queue(&fired_work);
}

static void on_late(u64 waited_ns, struct task_struct *next)
{
	fire("latency_us", waited_ns, next, next);
}

static void on_event(void)
{
	fire("event", 0, current, current);
}

#ifdef CONFIG_DETECT_HUNG_TASK
static void probe_hang(void *unused, struct task_struct *task)
{
	fire("hung_task", 0, task, current);
}

static struct vtr_probe hang = VTR_PROBE(sched_process_hang, probe_hang);
#else
static struct vtr_probe hang = { "sched_process_hang" };
#endif

static int on_die(struct notifier_block *block, unsigned long what, void *args)
{
	if (what == DIE_OOPS && vtr_peek(armed.panic))
		fire("oops", 0, current, current);
	return NOTIFY_DONE;
}

static int on_panic(struct notifier_block *block, unsigned long what,
		    void *message)
{
	if (vtr_peek(armed.panic))
		fire("panic", 0, current, current);
	return NOTIFY_DONE;
}

static struct notifier_block die_block = { .notifier_call = on_die };

/* Called before notifiers that take long or do not return. */
static struct notifier_block panic_block = {
	.notifier_call	= on_panic,
	.priority	= INT_MAX,
};

/* Begin to watch for all that is armed. A trigger that fails is disarmed. */
static int arm(void)
{
	int err = 0, hung_err = 0;

	if (armed.latency_ns)
		err = vtr_latency_arm(armed.latency_ns, on_late);
	if (err)
		armed.latency_ns = 0;
	if (armed.hung_task)
		hung_err = vtr_probe_register(&hang, 1);
	if (hung_err)
		armed.hung_task = false;
	if (*armed.event)
		vtr_event_watch(armed.event, on_event);
	return err ?: hung_err;
}

static void disarm(void)
{
	if (armed.latency_ns)
		vtr_latency_disarm();
	if (*armed.event)
		vtr_event_unwatch();
	if (armed.hung_task)
		vtr_probe_unregister(&hang, 1);
	memset(&armed, 0, sizeof(armed));
}

static int parse_word(const char *word, struct armed *ret)
{
	size_t len;

	len = str_has_prefix(word, "latency_us=");
	if (len && !IS_ENABLED(CONFIG_SCHED_INFO))
		return -EOPNOTSUPP;
	if (len)
		return vtr_word_us(word + len, &ret->latency_ns) || !ret->latency_ns ? -EINVAL : 0;
	len = str_has_prefix(word, "event=");
	if (len && !vtr_event_can_watch(word + len))
		return -EINVAL;
	if (len) {
		strscpy(ret->event, word + len, sizeof(ret->event));
	} else if (!strcmp(word, "panic")) {
		ret->panic = true;
	} else if (!strcmp(word, "hung_task")) {
		if (!hang.tracepoint)
			return -EOPNOTSUPP;
		ret->hung_task = true;
	} else if (!strcmp(word, "now")) {
		ret->now = true;
	} else if (strcmp(word, "none")) {
		return -EINVAL;
	}
	return 0;
}

/**
 * vtr_trigger_wake() - wake the tasks that poll for a trigger
 *
 * To be called after recording was switched on or off.
 *
 * Context: task.
 */
void vtr_trigger_wake(void)
{
	wake_up_all(&fired_wait);
}

/**
 * vtr_trigger_set() - arm triggers instead of those armed before
 * @words: triggers, separated by white space; "now" fires at once; "none" arms none;
 *	modified by this call
 *
 * Thaws frozen rings.
 *
 * Context: task; may sleep. The caller serialises.
 * Return: 0; -EINVAL for an unknown trigger or category and -EOPNOTSUPP for a trigger
 *	that this kernel does not support, both without any change; -ENOMEM or the
 *	error of a tracepoint, in which case that trigger is not armed.
 */
int vtr_trigger_set(char *words)
{
	struct armed wanted = { 0 };
	char *word;
	int err = 0;

	while (!err && (word = vtr_word_next(&words)))
		err = parse_word(word, &wanted);
	if (err)
		return err;
	disarm();
	vtr_session_thaw();
	armed = wanted;
	err = arm();
	if (armed.now)
		fire("now", 0, current, current);
	WRITE_ONCE(is_armed, armed.latency_ns || *armed.event || armed.hung_task || armed.panic);
	vtr_trigger_wake();
	return err;
}

/**
 * vtr_trigger_fired() - return the report of the trigger that has frozen the rings
 * @ret: the report
 *
 * Context: task.
 * Return: false if the rings are not frozen; @ret is then unchanged.
 */
bool vtr_trigger_fired(struct vtr_trigger_report *ret)
{
	u32 freeze = vtr_session_frozen();
	struct vtr_trigger_report copy;

	/* Pairs with fire(). */
	if (!freeze || smp_load_acquire(&reported) != freeze)
		return false;
	/* The next freeze may overwrite the report meanwhile; the check below detects that. */
	data_race(copy = report);
	smp_rmb();	/* Pairs with cmpxchg() in vtr_session_freeze_begin(). */
	if (vtr_session_frozen() != freeze)
		return false;
	*ret = copy;
	return true;
}

/**
 * vtr_trigger_show() - show the armed triggers, or the one that has fired
 * @seq: receives one line
 *
 * Context: task; the caller serialises with vtr_trigger_set().
 * Return: 0.
 */
int vtr_trigger_show(struct seq_file *seq)
{
	struct vtr_trigger_report fired;

	if (vtr_trigger_fired(&fired)) {
		seq_printf(seq, "fired %s %llu cpu %u thread %d\n", fired.cause,
			   fired.value, fired.cpu, fired.thread);
		return 0;
	}
	seq_puts(seq, is_armed ? "armed" : "none");
	if (armed.latency_ns)
		seq_printf(seq, " latency_us=%llu",
			   armed.latency_ns / NSEC_PER_USEC);
	if (*armed.event)
		seq_printf(seq, " event=%s", armed.event);
	if (armed.hung_task)
		seq_puts(seq, " hung_task");
	if (armed.panic)
		seq_puts(seq, " panic");
	seq_putc(seq, '\n');
	return 0;
}

/**
 * vtr_trigger_poll() - poll for a trigger
 * @file: polled file
 * @wait: argument of poll_wait()
 *
 * Context: task.
 * Return: EPOLLPRI if a trigger has fired; EPOLLHUP if none can fire, because none is
 *	armed or recording is off. The file can always be read and written.
 */
__poll_t vtr_trigger_poll(struct file *file, poll_table *wait)
{
	__poll_t ready = EPOLLIN | EPOLLRDNORM | EPOLLOUT | EPOLLWRNORM;

	poll_wait(file, &fired_wait, wait);
	if (vtr_session_frozen())
		return ready | EPOLLPRI;
	if (!READ_ONCE(is_armed) || !vtr_session_enabled())
		return ready | EPOLLHUP;
	return ready;
}

/**
 * vtr_trigger_init() - arm the first triggers
 * @words: as for vtr_trigger_set()
 *
 * Context: task; may sleep. The tracepoint sched_switch is known to exist.
 * Return: as vtr_trigger_set(); on failure nothing is armed.
 */
int vtr_trigger_init(char *words)
{
	int err;

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
 * vtr_trigger_deinit() - disarm all triggers
 *
 * Context: task; may sleep. No file of the module is open.
 */
void vtr_trigger_deinit(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
	unregister_die_notifier(&die_block);
	disarm();
	irq_work_sync(&fired_work);
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/trigger_kunit.c"
#endif
