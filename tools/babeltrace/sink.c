// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sink.vitrine.fxt: messages of libbabeltrace2 become a Fuchsia trace.
 *
 * A stream with `cpu_id' in its packets is a CPU. Switches and wakeups, as LTTng
 * writes them, become scheduling records; system calls and interrupts become
 * durations; any other event is an instant with its fields as arguments. What
 * libbabeltrace2 says was discarded is lost in the Fuchsia trace, too.
 */
#define _GNU_SOURCE	/* tdestroy() */
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "dialect.h"
#include "fxt_write.h"
#include "left_out.h"
#include "plugin.h"

#define NSEC_PER_SEC	1000000000LL

#define MAX_RT_PRIO	100

/*
 * Threads, of process 0, that events in idle belong to, as the recorder has it, and
 * events before it is known who runs; nobody's ids.
 */
#define IDLE_EVENTS(cpu)	(0x40000000ULL + (cpu))
#define UNKNOWN_EVENTS(cpu)	(0x50000000ULL + (cpu))

/* What becomes of an event. */
enum event_kind {
	KIND_SWITCH,
	KIND_WAKEUP,
	KIND_PROCESS,
	KIND_FORK,
	KIND_LOG,
	KIND_SYSCALL,
	KIND_SOFTIRQ,
	KIND_VECTOR,
	KIND_IRQ,
	KIND_OTHER,
};

/**
 * struct sink_class - what is known of a class of events
 * @class: the class
 * @kind: what becomes of its events
 * @type: enum fxt_event_type, where the name tells
 * @exact: a wakeup on the CPU of who wakes
 * @category: of the event
 * @name: of the event
 * @text: what @category and @name point into
 */
struct sink_class {
	const bt_event_class *class;
	enum event_kind kind;
	unsigned int type;
	bool exact;
	struct vitrine_fxt_string category;
	struct vitrine_fxt_string name;
	char *text;
};

/**
 * struct sink_stream - a stream
 * @stream: which
 * @lane: where its records go, or NULL before its first packet
 * @cpu: of its packets, or VITRINE_FXT_NO_CPU
 * @nr_lost: lost before @lane was known
 * @running: thread that runs, if @switched
 * @switched: a switch was seen, and nothing lost since
 * @nr_told_early: told as lost before the stream said that they were discarded
 * @irq: what the interrupt is called that is being served
 */
struct sink_stream {
	const bt_stream *stream;
	struct fxt_lane_out *lane;
	uint32_t cpu;
	uint64_t nr_lost;
	uint64_t running;
	bool switched;
	uint64_t nr_told_early;
	char irq[64];
};

/**
 * struct sink - a file being written
 * @path: its name
 * @iterator: brings messages
 * @out: the file, or NULL before the first stream
 * @base_ns: where time 0 of the file is, from the origin of the clocks
 * @classes: struct sink_class, a tree of tsearch()
 * @streams: all that came
 * @nr_streams: how many
 * @nr_lost_packets: packets that are missing
 * @left_out: what FXT cannot say
 * @record: the record being made
 * @args: of its arguments
 */
struct sink {
	char *path;
	bt_message_iterator *iterator;
	struct fxt_out *out;
	int64_t base_ns;
	void *classes;
	struct sink_stream *streams;
	unsigned int nr_streams;
	uint64_t nr_lost_packets;
	struct left_out left_out;
	struct vitrine_fxt_record record;
	struct args args;
};

/* ---- Fields ---- */

static const bt_field *field_of(const bt_field *structure, const char *name)
{
	if (!structure)
		return NULL;
	return bt_field_structure_borrow_member_field_by_name_const(structure,
								    name);
}

static bool is_integer(const bt_field *field)
{
	return field && bt_field_class_type_is(bt_field_get_class_type(field),
					       BT_FIELD_CLASS_TYPE_INTEGER);
}

static int64_t value_of(const bt_field *field)
{
	if (bt_field_class_type_is(bt_field_get_class_type(field),
				   BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		return bt_field_integer_signed_get_value(field);
	return bt_field_integer_unsigned_get_value(field);
}

/* False if there is no such field, or it is no number. */
static bool get_integer(const bt_field *structure, const char *name,
			int64_t *ret)
{
	const bt_field *field = field_of(structure, name);

	if (!is_integer(field))
		return false;
	*ret = value_of(field);
	return true;
}

static bool get_text(const bt_field *structure, const char *name,
		     struct vitrine_fxt_string *ret)
{
	const bt_field *field = field_of(structure, name);

	if (!field || bt_field_get_class_type(field) !=
	    BT_FIELD_CLASS_TYPE_STRING)
		return false;
	ret->bytes = bt_field_string_get_value(field);
	ret->len_bytes = bt_field_string_get_length(field);
	return true;
}

/* ---- Classes of events ---- */

static int compare_classes(const void *left, const void *right)
{
	const struct sink_class *a = left, *b = right;

	return (a->class > b->class) - (a->class < b->class);
}

static void free_class(void *node)
{
	struct sink_class *class = node;

	bt_event_class_put_ref(class->class);
	free(class->text);
	free(class);
}

static bool has_class(const bt_event_class *class, const char *name)
{
	const bt_stream_class *stream_class;
	const char *other;
	uint64_t i;

	stream_class = bt_event_class_borrow_stream_class_const(class);
	for (i = 0; i < bt_stream_class_get_event_class_count(stream_class);
	     i++) {
		other = bt_event_class_get_name(
			bt_stream_class_borrow_event_class_by_index_const(
				stream_class, i));
		if (other && !strcmp(other, name))
			return true;
	}
	return false;
}

/* True if @text begins with @prefix, behind which is @ret. */
static bool take_prefix(const char *text, const char *prefix, const char **ret)
{
	size_t len = strlen(prefix);

	if (strncmp(text, prefix, len))
		return false;
	*ret = text + len;
	return true;
}

static void set_names(struct sink_class *class, const char *category,
		      const char *name, size_t len_bytes)
{
	class->category = (struct vitrine_fxt_string){
		category, strlen(category) };
	class->name = (struct vitrine_fxt_string){ name, len_bytes };
}

static bool is_entry(struct sink_class *class, const char *end)
{
	class->type = FXT_EVENT_DURATION_BEGIN;
	if (!strcmp(end, "entry"))
		return true;
	class->type = FXT_EVENT_DURATION_END;
	return !strcmp(end, "exit");
}

/* Durations: system calls and interrupts. */
static bool classify_duration(struct sink_class *class, const char *text)
{
	const char *rest = text, *end;

	take_prefix(text, "compat_", &rest);
	if (take_prefix(rest, "syscall_entry_", &rest))
		class->type = FXT_EVENT_DURATION_BEGIN;
	else if (take_prefix(rest, "syscall_exit_", &rest))
		class->type = FXT_EVENT_DURATION_END;
	if (class->type) {
		class->kind = KIND_SYSCALL;
		set_names(class, "syscall", rest, strlen(rest));
		return true;
	}
	set_names(class, "irq", "", 0);
	/* LTTng before 2.8 has the name without "irq_". */
	if ((take_prefix(text, "irq_softirq_", &rest) ||
	     take_prefix(text, "softirq_", &rest)) && is_entry(class, rest)) {
		class->kind = KIND_SOFTIRQ;
		return true;
	}
	if (take_prefix(text, "irq_handler_", &rest) && is_entry(class, rest)) {
		class->kind = KIND_IRQ;
		return true;
	}
	end = strrchr(text, '_');
	if (take_prefix(text, DIALECT_VECTOR_PREFIX, &rest) && end > rest &&
	    is_entry(class, end + 1)) {
		class->kind = KIND_VECTOR;
		class->name = (struct vitrine_fxt_string){ rest, end - rest };
		return true;
	}
	return false;
}

static void classify(struct sink_class *class)
{
	const char *text = class->text, *colon = strchr(text, ':');

	class->exact = strcmp(text, "sched_wakeup");
	if (!strcmp(text, "sched_switch")) {
		class->kind = KIND_SWITCH;
	} else if (!strcmp(text, "sched_waking") ||
		   !strcmp(text, "sched_wakeup_new") ||
		   (!class->exact && !has_class(class->class, "sched_waking"))) {
		class->kind = KIND_WAKEUP;
	} else if (!strcmp(text, "lttng_statedump_process_state")) {
		class->kind = KIND_PROCESS;
	} else if (!strcmp(text, DIALECT_LOG)) {
		class->kind = KIND_LOG;
	} else if (!classify_duration(class, text)) {
		class->kind = strcmp(text, "sched_process_fork") ? KIND_OTHER :
								   KIND_FORK;
		class->type = FXT_EVENT_INSTANT;
		set_names(class, "kernel", text, strlen(text));
		if (colon) {
			set_names(class, text, colon + 1, strlen(colon + 1));
			class->category.len_bytes = colon - text;
		}
	}
}

/* Look up what is known of a class, or find out; NULL without memory. */
static const struct sink_class *class_of(struct sink *sink,
					 const bt_event_class *class)
{
	const char *name = bt_event_class_get_name(class);
	struct sink_class wanted = { .class = class }, *made, **found;

	found = tfind(&wanted, &sink->classes, compare_classes);
	if (found)
		return *found;
	made = calloc(1, sizeof(*made));
	if (!made)
		return NULL;
	made->class = class;
	made->text = strdup(name ? name : "event");
	if (!made->text || !tsearch(made, &sink->classes, compare_classes)) {
		free(made->text);
		free(made);
		return NULL;
	}
	bt_event_class_get_ref(class);
	classify(made);
	return made;
}

/* ---- Scheduling ---- */

static unsigned int priority_of(int64_t tid, int64_t prio)
{
	if (!tid)
		return 0;
	prio += MAX_RT_PRIO;
	/* Priority 0 is idle's alone. */
	return prio < 1 ? 1 : prio > 255 ? 255 : prio;
}

/* From the bits of the kernel's states, as the tracepoint has them. */
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
			const bt_field *payload)
{
	struct vitrine_fxt_record *record = &sink->record;
	int64_t prev, prev_prio, state, next, next_prio;

	if (!get_integer(payload, "prev_tid", &prev) ||
	    !get_integer(payload, "prev_prio", &prev_prio) ||
	    !get_integer(payload, "prev_state", &state) ||
	    !get_integer(payload, "next_tid", &next) ||
	    !get_integer(payload, "next_prio", &next_prio) ||
	    stream->cpu == VITRINE_FXT_NO_CPU)
		return false;
	if (!learn_comm(sink, payload, "prev_comm", prev) ||
	    !learn_comm(sink, payload, "next_comm", next))
		return false;
	record->kind = VITRINE_FXT_SWITCH;
	record->context_switch.outgoing = thread_of(sink, prev);
	record->context_switch.incoming = thread_of(sink, next);
	record->context_switch.outgoing_state = state_of(state);
	record->context_switch.outgoing_priority = priority_of(prev, prev_prio);
	record->context_switch.incoming_priority = priority_of(next, next_prio);
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

	if (!get_integer(payload, "tid", &tid) ||
	    !get_integer(payload, "prio", &prio) ||
	    stream->cpu == VITRINE_FXT_NO_CPU ||
	    !learn_comm(sink, payload, "comm", tid))
		return false;
	record->kind = VITRINE_FXT_WAKEUP;
	record->wakeup = thread_of(sink, tid);
	args_add(record, FXT_ARG_INT32, "weight")->value.int64 =
		priority_of(tid, prio);
	if (!get_integer(payload, "waker_tid", &waker) && class->exact &&
	    stream->switched)
		waker = stream->running;
	if (waker >= 0)
		args_add(record, FXT_ARG_KOID, "waker")->value.uint64 = waker;
	return true;
}

static bool learn_process(struct sink *sink, const bt_field *payload)
{
	struct vitrine_fxt_string name = { 0 };
	int64_t tid, pid;

	if (!get_integer(payload, "tid", &tid) ||
	    !get_integer(payload, "pid", &pid) || !tid)
		return true;
	get_text(payload, "name", &name);
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
 * Who the contexts say it was: false if they do not. Kernel and user space have
 * different names for it.
 */
static bool get_who(const bt_event *event, int64_t *ret_tid, int64_t *ret_pid)
{
	const bt_field *specific = specific_context(event);
	const bt_field *common = common_context(event);

	*ret_pid = -1;
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

/* A thread of its own for each CPU's, or what happens in them would be mixed up. */
static struct vitrine_fxt_thread idle_thread(struct sink *sink, uint32_t cpu)
{
	static const struct vitrine_fxt_string name = { "idle", 4 };
	struct vitrine_fxt_thread thread = { .thread = IDLE_EVENTS(cpu) };

	fxt_out_name_thread(sink->out, thread.thread, VITRINE_FXT_NO_PROCESS,
			    &name);
	return thread;
}

/* The thread the contexts tell, or who runs. */
static struct vitrine_fxt_thread event_thread(struct sink *sink,
					      const struct sink_stream *stream,
					      const bt_event *event)
{
	int64_t tid = stream->running, pid = -1;
	struct vitrine_fxt_thread thread;
	bool known;

	known = get_who(event, &tid, &pid) || stream->switched;
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

/* What the contexts say of the thread holds for all its records. */
static void learn_who(struct sink *sink, const bt_event *event)
{
	struct vitrine_fxt_string name = { 0 };
	int64_t tid, pid;

	if (!common_context(event) || !get_who(event, &tid, &pid) || !tid)
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
static void add_args(struct sink *sink, const bt_event *event,
		     const char *said_otherwise)
{
	const char * const skip[] = { said_otherwise, NULL };

	args_add_members(&sink->args,
			 bt_event_borrow_payload_field_const(event), skip);
	args_add_members(&sink->args, specific_context(event), who_and_phase);
	args_add_members(&sink->args, common_context(event), who_and_phase);
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
	const char *name = "softirq";
	int64_t vec;

	if (get_integer(payload, "vec", &vec) && vec >= 0 &&
	    vec < DIALECT_SOFTIRQS)
		name = dialect_softirqs[vec];
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
	record->event.thread = event_thread(sink, stream, event);
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
	add_args(sink, event, said_otherwise);
}

static void make_log(struct sink *sink, struct sink_stream *stream,
		     const bt_event *event)
{
	struct vitrine_fxt_record *record = &sink->record;

	record->kind = VITRINE_FXT_LOG;
	record->log.thread = event_thread(sink, stream, event);
	record->log.message = (struct vitrine_fxt_string){ 0 };
	get_text(bt_event_borrow_payload_field_const(event), "message",
		 &record->log.message);
}

/* True if sink->record is to be written. */
static bool make_record(struct sink *sink, struct sink_stream *stream,
			const struct sink_class *class, const bt_event *event)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);

	learn_who(sink, event);
	switch (class->kind) {
	case KIND_SWITCH:
		args_leave_members(&sink->args, common_context(event),
				   who_and_phase);
		if (make_switch(sink, stream, payload))
			return true;
		break;
	case KIND_WAKEUP:
		args_leave_members(&sink->args, common_context(event),
				   who_and_phase);
		if (make_wakeup(sink, stream, class, payload))
			return true;
		break;
	case KIND_PROCESS:
		learn_process(sink, payload);
		return false;
	case KIND_LOG:
		make_log(sink, stream, event);
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

/* ---- Messages ---- */

/* The stream as we know it, or a new one; NULL without memory. */
static struct sink_stream *stream_of(struct sink *sink,
				     const bt_stream *stream)
{
	unsigned int nr = sink->nr_streams, i;
	struct sink_stream *bigger;

	for (i = 0; i < nr; i++)
		if (sink->streams[i].stream == stream)
			return &sink->streams[i];
	bigger = reallocarray(sink->streams, nr + 1, sizeof(*bigger));
	if (!bigger)
		return NULL;
	sink->streams = bigger;
	bigger[nr] = (struct sink_stream){
		.stream = stream,
		.cpu = VITRINE_FXT_NO_CPU,
	};
	bt_stream_get_ref(stream);
	sink->nr_streams++;
	return &bigger[nr];
}

static int64_t offset_ns(const bt_clock_class *clock)
{
	uint64_t cycles, frequency = bt_clock_class_get_frequency(clock);
	int64_t seconds;

	bt_clock_class_get_offset(clock, &seconds, &cycles);
	return seconds * NSEC_PER_SEC +
	       (int64_t)((__uint128_t)cycles * NSEC_PER_SEC / frequency);
}

/* The first stream says when time 0 was. */
static struct vitrine_error *open_out(struct sink *sink,
				      const bt_stream *stream)
{
	const bt_clock_class *clock = NULL;
	uint64_t realtime_ns = 0;

	if (sink->out)
		return NULL;
	if (stream)
		clock = bt_stream_class_borrow_default_clock_class_const(
				bt_stream_borrow_class_const(stream));
	if (clock) {
		sink->base_ns = offset_ns(clock);
		if (bt_clock_class_origin_is_unix_epoch(clock) &&
		    sink->base_ns > 0)
			realtime_ns = sink->base_ns;
	}
	return fxt_out_create(sink->path, realtime_ns, &sink->out);
}

static struct vitrine_error *no_memory(void)
{
	return vitrine_error_create(ENOMEM, NULL, VITRINE_NO_OFFSET, NULL,
				    "out of memory");
}

/* The lane of a stream, whose CPU its packets say. */
static struct vitrine_error *find_lane(struct sink *sink,
				       struct sink_stream *stream,
				       const bt_packet *packet)
{
	struct vitrine_error *err;
	uint64_t nr_lost = stream->nr_lost;
	int64_t cpu;

	if (packet &&
	    get_integer(bt_packet_borrow_context_field_const(packet),
			"cpu_id", &cpu))
		stream->cpu = cpu;
	err = fxt_lane_out_get(sink->out, stream->cpu, &stream->lane);
	if (err || !nr_lost)
		return err;
	stream->nr_lost = 0;
	return fxt_lane_out_lost(stream->lane, nr_lost);
}

static struct vitrine_error *lose(struct sink_stream *stream, uint64_t nr)
{
	stream->switched = false;
	if (stream->lane)
		return fxt_lane_out_lost(stream->lane, nr);
	stream->nr_lost += nr;
	return NULL;
}

/*
 * Who goes out had come in, or something is missing. LTTng says so in this packet or
 * a later one, so what is told here is taken off what it says next.
 */
static struct vitrine_error *mend_switch(struct sink_stream *stream,
					 const struct sink_class *class,
					 const bt_event *event)
{
	int64_t prev;

	if (class->kind != KIND_SWITCH || !stream->switched ||
	    !get_integer(bt_event_borrow_payload_field_const(event),
			 "prev_tid", &prev) ||
	    (uint64_t)prev == stream->running)
		return NULL;
	stream->nr_told_early++;
	return lose(stream, 1);
}

static uint64_t time_of(const struct sink *sink, const bt_message *message)
{
	const bt_clock_snapshot *snapshot;
	int64_t ns;

	snapshot = bt_message_event_borrow_default_clock_snapshot_const(message);
	if (bt_clock_snapshot_get_ns_from_origin(snapshot, &ns) !=
	    BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK ||
	    ns < sink->base_ns)
		return 0;
	return ns - sink->base_ns;
}

static bool has_time(const bt_stream *stream)
{
	return bt_stream_class_borrow_default_clock_class_const(
			bt_stream_borrow_class_const(stream));
}

static struct vitrine_error *take_event(struct sink *sink,
					const bt_message *message)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	const bt_stream *stream = bt_event_borrow_stream_const(event);
	struct sink_stream *from = stream_of(sink, stream);
	const struct sink_class *class;
	struct vitrine_error *err;

	class = class_of(sink, bt_event_borrow_class_const(event));
	if (!from || !class)
		return no_memory();
	if (!has_time(stream)) {
		sink->left_out.nr[LEFT_OUT_EVENT]++;
		return NULL;
	}
	if (!from->lane) {
		err = find_lane(sink, from, NULL);
		if (err)
			return err;
	}
	err = mend_switch(from, class, event);
	if (err)
		return err;
	sink->record.nr_args = 0;
	sink->record.timed = true;
	sink->record.ticks = time_of(sink, message);
	sink->record.ticks_per_second = NSEC_PER_SEC;
	sink->record.cpu = from->cpu;
	if (!make_record(sink, from, class, event))
		return NULL;
	return fxt_lane_out_put(from->lane, &sink->record);
}

static struct vitrine_error *take_packet(struct sink *sink,
					 const bt_packet *packet)
{
	struct sink_stream *stream;

	stream = stream_of(sink, bt_packet_borrow_stream_const(packet));
	if (!stream)
		return no_memory();
	return stream->lane ? NULL : find_lane(sink, stream, packet);
}

static struct vitrine_error *take_lost(struct sink *sink,
				       const bt_message *message)
{
	const bt_stream *stream =
		bt_message_discarded_events_borrow_stream_const(message);
	struct sink_stream *from = stream_of(sink, stream);
	uint64_t nr, early;

	if (!from)
		return no_memory();
	if (bt_message_discarded_events_get_count(message, &nr) !=
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		nr = 1;
	early = from->nr_told_early < nr ? from->nr_told_early : nr - 1;
	from->nr_told_early -= early;
	return lose(from, nr - early);
}

static void take_lost_packets(struct sink *sink, const bt_message *message)
{
	struct sink_stream *from = stream_of(sink,
		bt_message_discarded_packets_borrow_stream_const(message));
	uint64_t nr;

	if (from)
		from->switched = false;
	if (bt_message_discarded_packets_get_count(message, &nr) !=
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		nr = 1;
	sink->nr_lost_packets += nr;
}

static struct vitrine_error *take_message(struct sink *sink,
					  const bt_message *message)
{
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		return open_out(sink,
			bt_message_stream_beginning_borrow_stream_const(message));
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		return take_packet(sink,
			bt_message_packet_beginning_borrow_packet_const(message));
	case BT_MESSAGE_TYPE_EVENT:
		return take_event(sink, message);
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		return take_lost(sink, message);
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		take_lost_packets(sink, message);
		return NULL;
	default:
		return NULL;
	}
}

/* ---- The component ---- */

static void print_counts(const struct sink *sink)
{
	struct fxt_out_counts counts = fxt_out_counts(sink->out);
	struct left_out left_out = sink->left_out;
	unsigned int i;

	for (i = 0; i < sink->nr_streams; i++)
		counts.nr_breaks += sink->streams[i].nr_told_early;
	left_out.nr[LEFT_OUT_EVENT] += counts.nr_refused;
	left_out.nr[LEFT_OUT_ARGUMENT] += sink->args.nr_left_out;
	left_out_print(&left_out, sink->path, "a Fuchsia trace", stderr);
	if (counts.nr_breaks)
		fprintf(stderr,
			"vitrine: %s: %llu switches from a thread that was not running: for each, one record before it is counted as lost\n",
			sink->path, (unsigned long long)counts.nr_breaks);
	if (sink->nr_lost_packets)
		fprintf(stderr, "vitrine: %s: %llu packets are missing\n",
			sink->path,
			(unsigned long long)sink->nr_lost_packets);
}

static struct vitrine_error *finish(struct sink *sink)
{
	struct vitrine_error *err = open_out(sink, NULL);

	if (!err)
		err = fxt_out_commit(sink->out);
	if (!err)
		print_counts(sink);
	return err;
}

static bt_component_class_sink_consume_method_status
fail(bt_self_component_sink *self, struct vitrine_error *err)
{
	bt_current_thread_error_append_cause_from_component(
		bt_self_component_sink_as_self_component(self), __FILE__,
		__LINE__, "%s%s%s", err->path ? err->path : "",
		err->path ? ": " : "", err->message);
	vitrine_error_destroy(err);
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
}

/**
 * sink_consume() - write what the next messages say
 * @self: component
 *
 * Return: status.
 */
bt_component_class_sink_consume_method_status
sink_consume(bt_self_component_sink *self)
{
	struct sink *sink = bt_self_component_get_data(
		bt_self_component_sink_as_self_component(self));
	bt_message_iterator_next_status status;
	bt_message_array_const messages;
	struct vitrine_error *err = NULL;
	uint64_t nr, i;

	status = bt_message_iterator_next(sink->iterator, &messages, &nr);
	if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END) {
		err = finish(sink);
		return err ? fail(self, err) :
			BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
	}
	if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
		return (int)status;
	for (i = 0; i < nr; i++) {
		if (!err)
			err = take_message(sink, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	return err ? fail(self, err) :
		BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

/**
 * sink_initialize() - make a component
 * @self: component
 * @configuration: unused
 * @params: `path', the file to write
 * @data: unused
 *
 * Return: status.
 */
bt_component_class_initialize_method_status
sink_initialize(bt_self_component_sink *self,
		bt_self_component_sink_configuration *configuration,
		const bt_value *params, void *data)
{
	bt_self_component *component =
		bt_self_component_sink_as_self_component(self);
	const bt_value *path;
	struct sink *sink;

	path = bt_value_map_borrow_entry_value_const(params, "path");
	if (!path || !bt_value_is_string(path)) {
		bt_current_thread_error_append_cause_from_component(component,
			__FILE__, __LINE__,
			"parameter `path' is not the name of a file");
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	if (bt_self_component_sink_add_input_port(self, "in", NULL, NULL) !=
	    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK)
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	sink = calloc(1, sizeof(*sink));
	if (sink)
		sink->path = strdup(bt_value_string_get(path));
	if (!sink || !sink->path) {
		free(sink);
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}
	sink->args.record = &sink->record;
	bt_self_component_set_data(component, sink);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

/**
 * sink_finalize() - unmake a component; a file that is not whole is removed
 * @self: component
 */
void sink_finalize(bt_self_component_sink *self)
{
	struct sink *sink = bt_self_component_get_data(
		bt_self_component_sink_as_self_component(self));
	unsigned int i;

	bt_message_iterator_put_ref(sink->iterator);
	fxt_out_destroy(sink->out);
	tdestroy(sink->classes, free_class);
	for (i = 0; i < sink->nr_streams; i++)
		bt_stream_put_ref(sink->streams[i].stream);
	free(sink->streams);
	free(sink->path);
	free(sink);
}

/**
 * sink_configured() - the graph is complete: ask for messages
 * @self: component
 *
 * Return: status.
 */
bt_component_class_sink_graph_is_configured_method_status
sink_configured(bt_self_component_sink *self)
{
	struct sink *sink = bt_self_component_get_data(
		bt_self_component_sink_as_self_component(self));

	return bt_message_iterator_create_from_sink_component(self,
		bt_self_component_sink_borrow_input_port_by_index(self, 0),
		&sink->iterator) ==
		BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK ?
		BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK :
		BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_MEMORY_ERROR;
}
