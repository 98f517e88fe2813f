// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the readers of other formats share: the conversion of the events of the kernel's
 * tracepoints to records.
 *
 * Each type of events is classified by its name, once, when its first event is read. An event
 * is converted according to its class, and tells the names and processes of threads.
 *
 * The caller serialises.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "foreign.h"

/*
 * Threads of process 0 to which events on a CPU belong: in the idle task, as in traces that
 * vitrine records, and while the running thread is not known. Each CPU has its own, so that
 * events of different CPUs are not mixed up.
 */
#define IDLE_EVENTS(cpu)	(0x40000000ULL + (cpu))
#define UNKNOWN_EVENTS(cpu)	(0x50000000ULL + (cpu))

/* ---- The kernel's words ------------------------------------------------ */

const char * const kernel_softirqs[KERNEL_SOFTIRQS] = {
	"softirq HI", "softirq TIMER", "softirq NET_TX", "softirq NET_RX",
	"softirq BLOCK", "softirq IRQ_POLL", "softirq TASKLET",
	"softirq SCHED", "softirq HRTIMER", "softirq RCU",
};

/* Names of x86 tracepoints of inter-processor interrupts. */
static const char * const ipis[] = {
	"reschedule", "call_function", "call_function_single", "irq_work",
	"x86_platform_ipi",
};

/**
 * kernel_is_ipi() - check whether an x86 vector is an inter-processor interrupt
 * @name: name of the vector
 *
 * Return: true if it belongs to the category "ipi", false if to "irq".
 */
bool kernel_is_ipi(const struct vitrine_fxt_string *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(ipis); i++)
		if (fxt_string_is(name, ipis[i]))
			return true;
	return false;
}

static unsigned int priority_of(const struct foreign_class *class, int64_t tid, int64_t prio)
{
	prio += class->words->prio_base;
	/* Only idle has priority 0. */
	return !tid ? 0 : prio < 1 ? 1 : prio > 255 ? 255 : prio;
}

/* Convert the state bits of the tracepoint sched_switch. */
static unsigned int state_of(int64_t state)
{
	if (state & 0x10)
		return FXT_THREAD_DEAD;
	if (state & 0x20)
		return FXT_THREAD_DYING;
	if (state & (0x04 | 0x08 | 0x40))
		return FXT_THREAD_SUSPENDED;
	if (state & (0x01 | 0x02 | 0x80))
		return FXT_THREAD_BLOCKED;
	return FXT_THREAD_NEW;
}

/* ---- Classes of events ------------------------------------------------- */

const struct foreign_words foreign_ftrace = {
	.outgoing = "prev_pid",
	.incoming = "next_pid",
	.woken = "pid",
	.child = "child_pid",
	.message = "buf",
};

static struct vitrine_fxt_string string_of(const char *text)
{
	return (struct vitrine_fxt_string){ text, strlen(text) };
}

/**
 * foreign_class() - look up how events of a type are converted
 * @foreign: source
 * @type: the type
 *
 * Return: the class, NULL if there is no memory. If it has no words, it is new: the reader sets
 * words, category and name, which make it a class of instants.
 */
struct foreign_class *foreign_class(struct foreign *foreign, const void *type)
{
	struct foreign_class *class;

	class = fxt_names_owned(&foreign->classes, (uintptr_t)type, sizeof(*class));
	if (class)
		class->type = type;
	return class;
}

/* Check for an event of a system. */
static bool is_event(const struct foreign_class *class, const char *system, const char *name)
{
	return fxt_string_is(&class->category, system) && fxt_string_is(&class->name, name);
}

/* Remove the beginning of a name. */
static bool skip_prefix(struct vitrine_fxt_string *name, const char *prefix)
{
	size_t len = strlen(prefix);

	if (name->len_bytes < len || memcmp(name->bytes, prefix, len))
		return false;
	name->bytes += len;
	name->len_bytes -= len;
	return true;
}

/* Remove the end of a name. */
static bool skip_suffix(struct vitrine_fxt_string *name, const char *suffix)
{
	size_t len = strlen(suffix);

	if (name->len_bytes < len ||
	    memcmp(name->bytes + name->len_bytes - len, suffix, len))
		return false;
	name->len_bytes -= len;
	return true;
}

static void classify_syscall(struct foreign_class *class)
{
	/* The second name is that of LTTng. */
	if (skip_prefix(&class->name, "sys_enter_") ||
	    skip_prefix(&class->name, "syscall_entry_"))
		class->phase = FXT_EVENT_DURATION_BEGIN;
	else if (skip_prefix(&class->name, "sys_exit_") ||
		 skip_prefix(&class->name, "syscall_exit_"))
		class->phase = FXT_EVENT_DURATION_END;
	else
		return;
	class->category = string_of("syscall");
}

static void classify_irq(struct foreign_class *class)
{
	if (skip_suffix(&class->name, "_entry"))
		class->phase = FXT_EVENT_DURATION_BEGIN;
	else if (skip_suffix(&class->name, "_exit"))
		class->phase = FXT_EVENT_DURATION_END;
	else
		return;
	if (is_event(class, "irq", "softirq"))
		class->kind = FOREIGN_SOFTIRQ;
	else if (is_event(class, "irq", "irq_handler"))
		class->kind = FOREIGN_IRQ;
	else if (fxt_string_is(&class->category, "irq_vectors"))
		class->category = string_of(kernel_is_ipi(&class->name) ? "ipi" : "irq");
}

/**
 * foreign_classify() - find out the kind of the events of a tracepoint
 * @class: class whose category is the system of the events, and whose name is their name
 * @has_waking: the source has sched_waking events, so sched_wakeup is not needed
 */
void foreign_classify(struct foreign_class *class, bool has_waking)
{
	class->exact = !is_event(class, "sched", "sched_wakeup");
	if (is_event(class, "sched", "sched_switch"))
		class->kind = FOREIGN_SWITCH;
	else if (is_event(class, "sched", "sched_waking") ||
		 is_event(class, "sched", "sched_wakeup_new") ||
		 (!class->exact && !has_waking))
		class->kind = FOREIGN_WAKEUP;
	else if (is_event(class, "sched", "sched_process_fork"))
		class->kind = FOREIGN_FORK;
	else if (is_event(class, "ftrace", "print"))
		class->kind = FOREIGN_LOG;
	else if (fxt_string_is(&class->category, "syscalls"))
		classify_syscall(class);
	else if (fxt_string_is(&class->category, "irq") ||
		 fxt_string_is(&class->category, "irq_vectors"))
		classify_irq(class);
}

/* ---- Threads of events ------------------------------------------------- */

/* Return the id in the trace for a thread or process that events name. */
static uint64_t told(struct foreign *foreign, uint64_t id)
{
	return fxt_out_id(foreign->out, &foreign->told, id, id);
}

/* Return the id in the trace for an idle or unknown thread. */
static uint64_t made_up(struct foreign *foreign, uint64_t id)
{
	return fxt_out_id(foreign->out, &foreign->made_up, id, id);
}

static struct vitrine_fxt_thread thread_of(struct foreign *foreign, uint64_t tid)
{
	uint64_t thread = told(foreign, tid);

	return (struct vitrine_fxt_thread){
		.process = fxt_out_process(foreign->out, thread),
		.thread = thread,
	};
}

/**
 * foreign_learn() - learn the name and process of a thread
 * @foreign: source
 * @tid: the thread; the names of idle threads are not needed
 * @process: its process; negative: unknown
 * @name: its name; empty: unknown
 *
 * They apply to the records that follow. foreign->ids tells if there was no memory.
 */
void foreign_learn(struct foreign *foreign, int64_t tid, int64_t process,
		   const struct vitrine_fxt_string *name)
{
	if (tid)
		fxt_out_name_thread(foreign->out, told(foreign, tid), process < 0 ?
				    VITRINE_FXT_NO_PROCESS : told(foreign, process), name);
}

static bool number_of(const struct foreign *foreign, const struct foreign_event *event,
		      const char *name, int64_t *ret)
{
	return foreign->ops->number(event, name, ret);
}

static void learn_name(struct foreign *foreign, const struct foreign_event *event,
		       const char *field, int64_t tid)
{
	struct vitrine_fxt_string name;

	if (foreign->ops->text(event, field, &name))
		foreign_learn(foreign, tid, -1, &name);
}

/* Learn of a thread that was created during the recording. */
static void learn_child(struct foreign *foreign, const struct foreign_event *event)
{
	const struct foreign_words *words = event->class->words;
	struct vitrine_fxt_string name = { 0 };
	int64_t tid, process = -1;

	if (!number_of(foreign, event, words->child, &tid) ||
	    (words->child_process &&
	     !number_of(foreign, event, words->child_process, &process)))
		return;
	foreign->ops->text(event, "child_comm", &name);
	foreign_learn(foreign, tid, process, &name);
}

static void learn_process(struct foreign *foreign, const struct foreign_event *event)
{
	struct vitrine_fxt_string name = { 0 };
	int64_t tid, process;

	if (!number_of(foreign, event, "tid", &tid) ||
	    !number_of(foreign, event, "pid", &process) || !tid)
		return;
	if (!foreign->ops->text(event, "name", &name))
		foreign->ops->text(event, "comm", &name);
	foreign_learn(foreign, tid, process, &name);
	if (tid == process)
		fxt_out_name_process(foreign->out, told(foreign, process), &name);
}

static struct vitrine_fxt_thread idle_thread(struct foreign *foreign, uint32_t cpu)
{
	static const struct vitrine_fxt_string name = { "idle", 4 };
	struct vitrine_fxt_thread thread = {
		.thread = made_up(foreign, IDLE_EVENTS(cpu)),
	};

	fxt_out_name_thread(foreign->out, thread.thread, VITRINE_FXT_NO_PROCESS, &name);
	return thread;
}

/* Return the thread of an event, or the running thread if the event has none. */
static struct vitrine_fxt_thread event_thread(struct foreign *foreign,
					      const struct foreign_event *event)
{
	const struct foreign_cpu *cpu = event->cpu;
	struct foreign_who who = { .tid = cpu->running, .process = -1 };
	bool known = foreign->ops->who(foreign, event, &who) || cpu->is_known;
	struct vitrine_fxt_thread thread = { 0 };

	if (!known) {
		if (cpu->number != VITRINE_FXT_NO_CPU)
			thread.thread = made_up(foreign, UNKNOWN_EVENTS(cpu->number));
		return thread;
	}
	if (!who.tid && !who.is_thread_0 && cpu->number != VITRINE_FXT_NO_CPU)
		return idle_thread(foreign, cpu->number);
	thread = thread_of(foreign, who.tid);
	if (who.process >= 0)
		thread.process = told(foreign, who.process);
	return thread;
}

/* ---- Records ----------------------------------------------------------- */

/* Convert a context switch. Return false if the event lacks a field of a switch. */
static bool make_switch(struct foreign *foreign, const struct foreign_event *event)
{
	const struct foreign_words *words = event->class->words;
	struct vitrine_fxt_record *record = &foreign->record;
	int64_t prev, prev_prio, state, next, next_prio;

	if (!number_of(foreign, event, words->outgoing, &prev) ||
	    !number_of(foreign, event, "prev_prio", &prev_prio) ||
	    !number_of(foreign, event, "prev_state", &state) ||
	    !number_of(foreign, event, words->incoming, &next) ||
	    !number_of(foreign, event, "next_prio", &next_prio) ||
	    event->cpu->number == VITRINE_FXT_NO_CPU)
		return false;
	learn_name(foreign, event, "prev_comm", prev);
	learn_name(foreign, event, "next_comm", next);
	record->kind = VITRINE_FXT_SWITCH;
	record->context_switch.outgoing = thread_of(foreign, prev);
	record->context_switch.incoming = thread_of(foreign, next);
	record->context_switch.outgoing_state = state_of(state);
	record->context_switch.outgoing_priority = priority_of(event->class, prev, prev_prio);
	record->context_switch.incoming_priority = priority_of(event->class, next, next_prio);
	record->context_switch.legacy = true;
	event->cpu->running = next;
	event->cpu->is_known = true;
	return true;
}

/*
 * Find out what made a wakeup: as vitrine wrote it, or by the flags that the kernel adds to each of
 * its events, which do not tell in whose system call a softirq runs.
 */
static uint8_t context_of(struct foreign *foreign, const struct foreign_event *event)
{
	const unsigned int hardirq = 0x08, softirq = 0x10;
	int64_t context = FXT_WAKEUP_UNKNOWN, flags;

	if (number_of(foreign, event, "context", &context))
		return vitrine_fxt_context_name(context) ? context : FXT_WAKEUP_UNKNOWN;
	if (!event->class->exact || !number_of(foreign, event, "common_flags", &flags))
		return FXT_WAKEUP_UNKNOWN;
	return flags & hardirq ? FXT_WAKEUP_HARDIRQ :
	       flags & softirq ? FXT_WAKEUP_SOFTIRQ_IN_CALL : FXT_WAKEUP_THREAD;
}

static bool make_wakeup(struct foreign *foreign, const struct foreign_event *event)
{
	struct vitrine_fxt_record *record = &foreign->record;
	int64_t tid, prio, waker = -1;

	if (!number_of(foreign, event, event->class->words->woken, &tid) ||
	    !number_of(foreign, event, "prio", &prio) ||
	    event->cpu->number == VITRINE_FXT_NO_CPU)
		return false;
	learn_name(foreign, event, "comm", tid);
	record->kind = VITRINE_FXT_WAKEUP;
	record->wakeup = thread_of(foreign, tid);
	record->wakeup_context = context_of(foreign, event);
	fxt_add_weight(record, "weight", priority_of(event->class, tid, prio));
	if (!number_of(foreign, event, "waker_tid", &waker) && event->class->exact &&
	    event->cpu->is_known)
		waker = event->cpu->running;
	if (fxt_is_by_interrupt(record))
		fxt_add_waker(record, 0);
	else if (waker >= 0)
		fxt_add_waker(record, told(foreign, waker));
	return true;
}

static void name_softirq(struct foreign *foreign, const struct foreign_event *event)
{
	int64_t vector = -1;

	number_of(foreign, event, "vec", &vector);
	foreign->record.event.name = string_of(vector >= 0 && vector < KERNEL_SOFTIRQS ?
					       kernel_softirqs[vector] : "softirq");
}

/* Name an interrupt. Only the event at the entry of the handler has the name. */
static void name_irq(struct foreign *foreign, const struct foreign_event *event)
{
	struct foreign_cpu *cpu = event->cpu;
	struct vitrine_fxt_string name;

	if (foreign->ops->text(event, "name", &name))
		snprintf(cpu->irq, sizeof(cpu->irq), "%.*s", (int)name.len_bytes, name.bytes);
	foreign->record.event.name = string_of(cpu->irq);
}

static void make_event(struct foreign *foreign, const struct foreign_event *event)
{
	const struct foreign_class *class = event->class;
	struct vitrine_fxt_record *record = &foreign->record;
	const char *in_name = NULL;	/* field that is no argument */

	record->kind = VITRINE_FXT_EVENT;
	record->event.type = class->phase;
	record->event.thread = event_thread(foreign, event);
	record->event.category = class->category;
	record->event.name = class->name;
	record->event.id = 0;
	if (class->kind == FOREIGN_SOFTIRQ) {
		name_softirq(foreign, event);
		in_name = "vec";
	} else if (class->kind == FOREIGN_IRQ) {
		name_irq(foreign, event);
		in_name = "name";
	}
	foreign->ops->add_args(foreign, event, in_name);
}

/* Convert a text; the kernel ends what is written to trace_marker with a newline. */
static void make_log(struct foreign *foreign, const struct foreign_event *event)
{
	struct vitrine_fxt_record *record = &foreign->record;
	struct vitrine_fxt_string *text = &record->log.message;

	record->kind = VITRINE_FXT_LOG;
	record->log.thread = event_thread(foreign, event);
	*text = (struct vitrine_fxt_string){ 0 };
	foreign->ops->text(event, event->class->words->message, text);
	while (text->len_bytes && text->bytes[text->len_bytes - 1] == '\n')
		text->len_bytes--;
}

/**
 * foreign_record() - convert an event to a record
 * @foreign: source; the reader has set the time of the record
 * @event: the event
 *
 * Names and processes of threads in the event are learnt and apply to the records that follow.
 *
 * Return: true if foreign->record must be written, unless foreign->ids ran out of memory.
 */
bool foreign_record(struct foreign *foreign, const struct foreign_event *event)
{
	struct vitrine_fxt_record *record = &foreign->record;

	record->nr_args = 0;
	record->timed = true;
	record->cpu = event->cpu->number;
	switch (event->class->kind) {
	case FOREIGN_SWITCH:
		if (make_switch(foreign, event))
			return true;
		break;
	case FOREIGN_WAKEUP:
		if (make_wakeup(foreign, event))
			return true;
		break;
	case FOREIGN_LOG:
		make_log(foreign, event);
		return true;
	case FOREIGN_PROCESS:
		learn_process(foreign, event);
		return false;
	case FOREIGN_FORK:
		learn_child(foreign, event);
		make_event(foreign, event);
		return true;
	default:
		make_event(foreign, event);
		return true;
	}
	foreign->left_out.nr[LEFT_OUT_SCHEDULING]++;
	return false;
}

/**
 * foreign_deinit() - close the trace and forget the source
 * @foreign: source
 */
void foreign_deinit(struct foreign *foreign)
{
	fxt_out_destroy(foreign->out);
	fxt_names_deinit(&foreign->told);
	fxt_names_deinit(&foreign->made_up);
	fxt_names_free_owned(&foreign->classes, NULL);
}
