// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Makes a record of an event, as its class wants it, and learns from it which
 * threads there are. Touches sink->record and, of the stream, who runs.
 */
#include <stdio.h>
#include <string.h>

#include "dialect.h"
#include "field.h"
#include "kernel_words.h"
#include "sink.h"

/*
 * Threads, of process 0, that events belong to before it is known who runs; nobody's
 * ids.
 */
#define UNKNOWN_EVENTS(cpu)	(0x50000000ULL + (cpu))

/* ---- Scheduling ---- */

static unsigned int priority_of(const struct sink_class *class, int64_t tid,
				int64_t prio)
{
	return kernel_priority(tid, prio + class->fields->prio_base);
}

static struct vitrine_fxt_thread thread_of(const struct sink *sink,
					   uint64_t tid)
{
	return (struct vitrine_fxt_thread){
		.process = tid ? fxt_out_process(sink->out, tid) : 0,
		.thread = tid,
	};
}

/* Idle needs no name, and it has another one on each CPU. */
static bool learn_comm(struct sink *sink, const bt_field *payload,
		       const char *field, int64_t tid)
{
	struct vitrine_fxt_string comm;

	if (!tid || !get_text(payload, field, &comm))
		return true;
	return fxt_out_name_thread(sink->out, tid, VITRINE_FXT_NO_PROCESS,
				   &comm);
}

/* False if it has not the fields of a switch. */
static bool make_switch(struct sink *sink, struct sink_stream *stream,
			const struct sink_class *class,
			const bt_field *payload)
{
	const struct sink_fields *fields = class->fields;
	struct vitrine_fxt_record *record = &sink->record;
	int64_t prev, prev_prio, state, next, next_prio;

	if (!get_integer(payload, fields->outgoing, &prev) ||
	    !get_integer(payload, "prev_prio", &prev_prio) ||
	    !get_integer(payload, "prev_state", &state) ||
	    !get_integer(payload, fields->incoming, &next) ||
	    !get_integer(payload, "next_prio", &next_prio) ||
	    stream->cpu == VITRINE_FXT_NO_CPU)
		return false;
	if (!learn_comm(sink, payload, "prev_comm", prev) ||
	    !learn_comm(sink, payload, "next_comm", next))
		return false;
	record->kind = VITRINE_FXT_SWITCH;
	record->context_switch.outgoing = thread_of(sink, prev);
	record->context_switch.incoming = thread_of(sink, next);
	record->context_switch.outgoing_state = kernel_state(state);
	record->context_switch.outgoing_priority =
		priority_of(class, prev, prev_prio);
	record->context_switch.incoming_priority =
		priority_of(class, next, next_prio);
	record->context_switch.legacy = true;
	stream->running = next;
	stream->switched = true;
	return true;
}

static bool make_wakeup(struct sink *sink, struct sink_stream *stream,
			const struct sink_class *class,
			const bt_field *payload)
{
	struct vitrine_fxt_record *record = &sink->record;
	int64_t tid, prio, waker = -1;

	if (!get_integer(payload, class->fields->woken, &tid) ||
	    !get_integer(payload, "prio", &prio) ||
	    stream->cpu == VITRINE_FXT_NO_CPU ||
	    !learn_comm(sink, payload, "comm", tid))
		return false;
	record->kind = VITRINE_FXT_WAKEUP;
	record->wakeup = thread_of(sink, tid);
	fxt_add_arg(record, FXT_ARG_INT32, "weight")->value.int64 =
		priority_of(class, tid, prio);
	if (!get_integer(payload, "waker_tid", &waker) && class->exact &&
	    stream->switched)
		waker = stream->running;
	if (waker >= 0)
		fxt_add_arg(record, FXT_ARG_KOID, "waker")->value.uint64 = waker;
	return true;
}

static bool learn_process(struct sink *sink, const bt_field *payload)
{
	struct vitrine_fxt_string name = { 0 };
	int64_t tid, pid;

	if (!get_integer(payload, "tid", &tid) ||
	    !get_integer(payload, "pid", &pid) || !tid)
		return true;
	if (!get_text(payload, "name", &name))
		get_text(payload, "comm", &name);
	return fxt_out_name_thread(sink->out, tid, pid, &name) &&
	       (tid != pid || fxt_out_name_process(sink->out, pid, &name));
}

/* ---- Other events ---- */

/* Members of contexts that are no arguments. */
static const char * const who_and_phase[] = {
	"tid", "pid", "vtid", "vpid", "procname", "phase", "id", NULL,
};

static const bt_field *specific_context(const bt_event *event)
{
	return bt_event_borrow_specific_context_field_const(event);
}

static const bt_field *common_context(const bt_event *event)
{
	return bt_event_borrow_common_context_field_const(event);
}

/*
 * Who the event says it was: false if it does not. Kernel and user space have
 * different names for it in contexts; perf has it in the payload.
 */
static bool get_who(const struct sink_class *class, const bt_event *event,
		    int64_t *ret_tid, int64_t *ret_pid)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	const bt_field *specific = specific_context(event);
	const bt_field *common = common_context(event);

	*ret_pid = -1;
	if (class->fields->thread)
		return get_integer(payload, class->fields->thread, ret_tid) &&
		       get_integer(payload, class->fields->process, ret_pid);
	if (get_integer(specific, "tid", ret_tid))
		get_integer(specific, "pid", ret_pid);
	else if (get_integer(common, "tid", ret_tid))
		get_integer(common, "pid", ret_pid);
	else if (get_integer(common, "vtid", ret_tid))
		get_integer(common, "vpid", ret_pid);
	else
		return false;
	return true;
}

static struct vitrine_fxt_thread idle_thread(struct sink *sink, uint32_t cpu)
{
	static const struct vitrine_fxt_string name = { "idle", 4 };
	struct vitrine_fxt_thread thread = { .thread = KERNEL_IDLE_EVENTS(cpu) };

	fxt_out_name_thread(sink->out, thread.thread, VITRINE_FXT_NO_PROCESS,
			    &name);
	return thread;
}

/* The thread the event tells, or who runs. */
static struct vitrine_fxt_thread event_thread(struct sink *sink,
					      const struct sink_stream *stream,
					      const struct sink_class *class,
					      const bt_event *event)
{
	int64_t tid = stream->running, pid = -1;
	struct vitrine_fxt_thread thread;
	bool known;

	known = get_who(class, event, &tid, &pid) || stream->switched;
	if (!known && stream->cpu == VITRINE_FXT_NO_CPU)
		return (struct vitrine_fxt_thread){ 0 };
	if (!known)
		return (struct vitrine_fxt_thread){
			.thread = UNKNOWN_EVENTS(stream->cpu),
		};
	/* What our source writes is told by its own context, as it was. */
	if (!tid && stream->cpu != VITRINE_FXT_NO_CPU &&
	    !specific_context(event))
		return idle_thread(sink, stream->cpu);
	thread = thread_of(sink, tid);
	if (pid >= 0)
		thread.process = pid;
	return thread;
}

/* What contexts, or perf, say of the thread holds for all its records. */
static void learn_who(struct sink *sink, const struct sink_class *class,
		      const bt_event *event)
{
	struct vitrine_fxt_string name = { 0 };
	int64_t tid, pid;

	if ((!common_context(event) && !class->fields->thread) ||
	    !get_who(class, event, &tid, &pid) || !tid)
		return;
	get_text(common_context(event), "procname", &name);
	fxt_out_name_thread(sink->out, tid, pid >= 0 ? (uint64_t)pid :
			    VITRINE_FXT_NO_PROCESS, &name);
}

/* A thread that was not there when the recording began. */
static void learn_child(struct sink *sink, const bt_field *payload)
{
	struct vitrine_fxt_string name = { 0 };
	int64_t tid, pid;

	if (!get_integer(payload, "child_tid", &tid) ||
	    !get_integer(payload, "child_pid", &pid) || !tid)
		return;
	get_text(payload, "child_comm", &name);
	fxt_out_name_thread(sink->out, tid, pid, &name);
}

/*
 * Arguments of an event: its payload, and what the contexts say that is no thread
 * and, of our source, no phase.
 */
static void add_args(struct sink *sink, const struct sink_class *class,
		     const bt_event *event, const char *said_otherwise)
{
	/* It ends before the kernel's header where perf has added nobody. */
	const char * const skip[] = {
		said_otherwise ?: "", class->fields->thread,
		class->fields->process, "common_type", "common_pid", NULL,
	};

	args_add_members(&sink->args,
			 bt_event_borrow_payload_field_const(event), skip);
	args_add_members(&sink->args, specific_context(event), who_and_phase);
	args_add_members(&sink->args, common_context(event), who_and_phase);
}

/* A scheduling record has no room for what it does not say itself. */
static void leave_args(struct sink *sink, const struct sink_class *class,
		       const bt_event *event)
{
	args_leave_members(&sink->args, common_context(event), who_and_phase);
	if (class->fields->said)
		args_leave_members(&sink->args,
				   bt_event_borrow_payload_field_const(event),
				   class->fields->said);
}

static void name_irq(struct sink *sink, struct sink_stream *stream,
		     const bt_field *payload)
{
	struct vitrine_fxt_string *name = &sink->record.event.name;

	if (get_text(payload, "name", name)) {
		snprintf(stream->irq, sizeof(stream->irq), "%s", name->bytes);
		return;
	}
	/* LTTng names an interrupt when its handler is entered only. */
	*name = (struct vitrine_fxt_string){ stream->irq, strlen(stream->irq) };
}

static void name_softirq(struct sink *sink, const bt_field *payload)
{
	const char *name;
	int64_t vec = -1;

	get_integer(payload, "vec", &vec);
	name = kernel_softirq(vec);
	sink->record.event.name = (struct vitrine_fxt_string){
		name, strlen(name) };
}

/* What the source's context says beyond the thread. */
static void take_phase(struct sink *sink, const bt_event *event)
{
	const bt_field *context = specific_context(event);
	int64_t phase, id;

	if (!get_integer(context, "phase", &phase) || phase < 0 ||
	    phase > FXT_EVENT_FLOW_END)
		return;
	sink->record.event.type = phase;
	if (get_integer(context, "id", &id))
		sink->record.event.id = id;
}

static void make_event(struct sink *sink, struct sink_stream *stream,
		       const struct sink_class *class, const bt_event *event)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	struct vitrine_fxt_record *record = &sink->record;
	const char *said_otherwise = NULL;

	record->kind = VITRINE_FXT_EVENT;
	record->event.type = class->type;
	record->event.thread = event_thread(sink, stream, class, event);
	record->event.category = class->category;
	record->event.name = class->name;
	record->event.id = 0;
	if (class->kind == KIND_SOFTIRQ) {
		name_softirq(sink, payload);
		said_otherwise = "vec";
	} else if (class->kind == KIND_IRQ) {
		name_irq(sink, stream, payload);
		said_otherwise = "name";
	} else if (class->kind == KIND_OTHER) {
		take_phase(sink, event);
	}
	add_args(sink, class, event, said_otherwise);
}

static void make_log(struct sink *sink, struct sink_stream *stream,
		     const struct sink_class *class, const bt_event *event)
{
	struct vitrine_fxt_record *record = &sink->record;

	record->kind = VITRINE_FXT_LOG;
	record->log.thread = event_thread(sink, stream, class, event);
	record->log.message = (struct vitrine_fxt_string){ 0 };
	get_text(bt_event_borrow_payload_field_const(event), "message",
		 &record->log.message);
}

/**
 * sink_make_record() - make a record of an event
 * @sink: the component; its record has the time and no arguments
 * @stream: stream of the event; learns who runs and what is served
 * @class: class of the event
 * @event: the event, whose texts the record points into
 *
 * What an event says of threads is learnt, too, for records from then on.
 *
 * Return: true if sink->record is to be written.
 */
bool sink_make_record(struct sink *sink, struct sink_stream *stream,
		      const struct sink_class *class, const bt_event *event)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);

	learn_who(sink, class, event);
	switch (class->kind) {
	case KIND_SWITCH:
		leave_args(sink, class, event);
		if (make_switch(sink, stream, class, payload))
			return true;
		break;
	case KIND_WAKEUP:
		leave_args(sink, class, event);
		if (make_wakeup(sink, stream, class, payload))
			return true;
		break;
	case KIND_PROCESS:
		learn_process(sink, payload);
		return false;
	case KIND_LOG:
		make_log(sink, stream, class, event);
		return true;
	case KIND_FORK:
		learn_child(sink, payload);
		make_event(sink, stream, class, event);
		return true;
	default:
		make_event(sink, stream, class, event);
		return true;
	}
	sink->left_out.nr[LEFT_OUT_SCHEDULING]++;
	return false;
}
