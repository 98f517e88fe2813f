// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Convert an event to a record according to its class, and learn the names and processes of
 * threads from it. The functions write sink->record and the running thread of the stream.
 */
#include <stdio.h>
#include <string.h>

#include "field.h"
#include "kernel_words.h"
#include "sink_event.h"

/* Thread of events on a CPU while its running thread is not known; of process 0. */
#define UNKNOWN_EVENTS(cpu)	(0x50000000ULL + (cpu))

/* ---- Scheduling ---- */

static unsigned int priority_of(const struct sink_class *class, int64_t tid,
				int64_t prio)
{
	return kernel_priority(tid, prio + class->fields->prio_base);
}

/* Return the id in the output for a thread or process that messages name. */
static uint64_t told(struct sink *sink, int64_t id)
{
	return ids_get(&sink->ids, &sink->told, id, id);
}

/* Return the id in the output for an idle or unknown thread. */
static uint64_t made_up(struct sink *sink, uint64_t id)
{
	return ids_get(&sink->ids, &sink->made_up, id, id);
}

static struct vitrine_fxt_thread thread_of(struct sink *sink, uint64_t tid)
{
	uint64_t thread = told(sink, tid);

	return (struct vitrine_fxt_thread){
		.process = thread ? fxt_out_process(sink->out, thread) : 0,
		.thread = thread,
	};
}

static bool name_thread(struct sink *sink, int64_t tid, int64_t pid,
			const struct vitrine_fxt_string *name)
{
	return fxt_out_name_thread(sink->out, told(sink, tid),
				   pid < 0 ? VITRINE_FXT_NO_PROCESS :
					     told(sink, pid), name);
}

/* Learn the name of a thread; the names of idle threads are not needed. */
static bool learn_comm(struct sink *sink, const bt_field *payload,
		       const char *field, int64_t tid)
{
	struct vitrine_fxt_string comm;

	if (!tid || !get_text(payload, field, &comm))
		return true;
	return name_thread(sink, tid, -1, &comm);
}

/* Convert a context switch. Return false if the event lacks a field of a switch. */
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
	fxt_add_weight(record, "weight", priority_of(class, tid, prio));
	if (!get_integer(payload, "waker_tid", &waker) && class->exact &&
	    stream->switched)
		waker = stream->running;
	if (waker >= 0)
		fxt_add_waker(record, told(sink, waker));
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
	return name_thread(sink, tid, pid, &name) &&
	       (tid != pid ||
		fxt_out_name_process(sink->out, told(sink, pid), &name));
}

/* ---- Other events ---- */

/* Members of contexts that do not become arguments. */
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
 * Get the thread and process of an event, or return false if the event has none. The names of
 * the fields differ between contexts of the kernel and of user space, and perf has the fields
 * in the payload.
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
	struct vitrine_fxt_thread thread = {
		.thread = made_up(sink, KERNEL_IDLE_EVENTS(cpu)),
	};

	fxt_out_name_thread(sink->out, thread.thread, VITRINE_FXT_NO_PROCESS,
			    &name);
	return thread;
}

/* Return the thread of an event, or the running thread if the event has none. */
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
			.thread = made_up(sink, UNKNOWN_EVENTS(stream->cpu)),
		};
	/* source.vitrine.fxt writes the original thread to the context of the event. */
	if (!tid && stream->cpu != VITRINE_FXT_NO_CPU &&
	    !specific_context(event))
		return idle_thread(sink, stream->cpu);
	thread = thread_of(sink, tid);
	if (pid >= 0)
		thread.process = told(sink, pid);
	return thread;
}

/* Learn the name and process of the thread of an event. */
static void learn_who(struct sink *sink, const struct sink_class *class,
		      const bt_event *event)
{
	struct vitrine_fxt_string name = { 0 };
	int64_t tid, pid;

	if ((!common_context(event) && !class->fields->thread) ||
	    !get_who(class, event, &tid, &pid) || !tid)
		return;
	get_text(common_context(event), "procname", &name);
	name_thread(sink, tid, pid, &name);
}

/* Learn the name and process of a thread that was created during the recording. */
static void learn_child(struct sink *sink, const bt_field *payload)
{
	struct vitrine_fxt_string name = { 0 };
	int64_t tid, pid;

	if (!get_integer(payload, "child_tid", &tid) ||
	    !get_integer(payload, "child_pid", &pid) || !tid)
		return;
	get_text(payload, "child_comm", &name);
	name_thread(sink, tid, pid, &name);
}

/*
 * Add the arguments of an event: its payload, and the members of its contexts other than the
 * thread and, of source.vitrine.fxt, the phase.
 */
static void add_args(struct sink *sink, const struct sink_class *class,
		     const bt_event *event, const char *in_name)
{
	/* Without fields of perf the list ends after the first element. */
	const char * const skip[] = {
		in_name ?: "", class->fields->thread,
		class->fields->process, "common_type", "common_pid", NULL,
	};

	args_add_members(&sink->args,
			 bt_event_borrow_payload_field_const(event), skip);
	args_add_members(&sink->args, specific_context(event), who_and_phase);
	args_add_members(&sink->args, common_context(event), who_and_phase);
}

/* Count the fields that a scheduling record cannot represent as left out. */
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
	/* Only the event at the entry of the handler has the name. */
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

/* Get type and id of an event from the context that source.vitrine.fxt writes. */
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
	const char *in_name = NULL;	/* field that is no argument */

	record->kind = VITRINE_FXT_EVENT;
	record->event.type = class->type;
	record->event.thread = event_thread(sink, stream, class, event);
	record->event.category = class->category;
	record->event.name = class->name;
	record->event.id = 0;
	if (class->kind == KIND_SOFTIRQ) {
		name_softirq(sink, payload);
		in_name = "vec";
	} else if (class->kind == KIND_IRQ) {
		name_irq(sink, stream, payload);
		in_name = "name";
	} else if (class->kind == KIND_OTHER) {
		take_phase(sink, event);
	}
	add_args(sink, class, event, in_name);
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
 * sink_make_record() - convert an event to a record
 * @sink: the component; its @record has the time, and no arguments yet
 * @stream: stream of the event; its running thread and interrupt are updated
 * @class: class of the event
 * @event: the event; the record points to its strings
 *
 * Names and processes of threads in the event are learnt and apply to the records that
 * follow.
 *
 * Return: true if sink->record must be written.
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
