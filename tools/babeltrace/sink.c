// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sink.vitrine.fxt: convert messages of libbabeltrace2 to a Fuchsia trace.
 *
 * A stream with `cpu_id' in its packets is a CPU. foreign.c converts the events of LTTng and
 * perf; this file reads their fields. Discarded events are reported as lost records in the
 * Fuchsia trace. All functions are called by one thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <babeltrace2/babeltrace.h>

#include "base.h"
#include "foreign.h"
#include "vitrine.h"
#include "dialect.h"
#include "plugin.h"

/* Maximum nesting depth of structures and arrays. */
#define MAX_DEPTH	4

/**
 * struct sink_stream - a stream
 * @stream: the stream of libbabeltrace2
 * @cpu: CPU of its packets, what runs there, and whether nothing was lost since that was read
 * @is_placed: @cpu is known, or the stream has none
 * @is_perf: perf recorded it
 * @nr_lost: number of records lost before that
 * @nr_told_early: number of records written as lost before the stream reported them
 */
struct sink_stream {
	const bt_stream *stream;
	struct foreign_cpu cpu;
	bool is_placed;
	bool is_perf;
	uint64_t nr_lost;
	uint64_t nr_told_early;
};

/**
 * struct sink - a file being written
 * @foreign: what is converted; its file is NULL before the first stream
 * @path: name of the file
 * @name: name of the trace in notes
 * @iterator: message iterator
 * @base_ns: time 0 of the file, relative to the origin of the clocks
 * @streams: struct sink_stream of all streams so far, by their addresses
 * @nr_lost_packets: number of missing packets
 * @nr_untimed: number of events without a time
 * @nr_explained: number of records written as lost that a stream reported later
 */
struct sink {
	struct foreign foreign;
	char *path;
	const char *name;
	bt_message_iterator *iterator;
	int64_t base_ns;
	struct fxt_names streams;
	uint64_t nr_lost_packets;
	uint64_t nr_untimed;
	uint64_t nr_explained;
};

#define NSEC_PER_SEC	1000000000LL

/* ---- Members of structures --------------------------------------------- */

/* These functions are inline because they are called several times for each event. */

static inline const bt_field *field_of(const bt_field *structure,
				       const char *name)
{
	if (!structure)
		return NULL;
	return bt_field_structure_borrow_member_field_by_name_const(structure,
								    name);
}

static inline bool is_integer(const bt_field *field)
{
	return field && bt_field_class_type_is(bt_field_get_class_type(field),
					       BT_FIELD_CLASS_TYPE_INTEGER);
}

static inline int64_t value_of(const bt_field *field)
{
	if (bt_field_class_type_is(bt_field_get_class_type(field),
				   BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		return bt_field_integer_signed_get_value(field);
	return bt_field_integer_unsigned_get_value(field);
}

/* Read a number. Return false if there is no such field, or the field is not a number. */
static inline bool get_integer(const bt_field *structure, const char *name,
			       int64_t *ret)
{
	const bt_field *field = field_of(structure, name);

	if (!is_integer(field))
		return false;
	*ret = value_of(field);
	return true;
}

static inline bool get_text(const bt_field *structure, const char *name,
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

/* ---- Arguments --------------------------------------------------------- */

/*
 * Fields become arguments of a record as far as it has room: each number or text is one. Names
 * of array elements have an index, as in "name[0]", and names of structure members a dot, as in
 * "name.member". For a variant, the selected option is converted.
 */

static void add_field(struct foreign *foreign, const char *name,
		      const bt_field *field, unsigned int depth);

/* Check for an enumeration of false and true, which the source writes for booleans. */
static bool is_boolean(const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);

	return bt_field_get_class_type(field) ==
	       BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION &&
	       bt_field_class_enumeration_get_mapping_count(class) == 2 &&
	       bt_field_class_enumeration_unsigned_borrow_mapping_by_label_const(class,
								"true");
}

static void set_integer(struct vitrine_fxt_arg *arg, const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	bool wide = bt_field_class_integer_get_field_value_range(class) > 32;
	bool hex = bt_field_class_integer_get_preferred_display_base(class) ==
		   BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL;

	if (bt_field_class_type_is(bt_field_get_class_type(field),
				   BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) {
		arg->type = wide ? FXT_ARG_INT64 : FXT_ARG_INT32;
		arg->value.int64 = bt_field_integer_signed_get_value(field);
		return;
	}
	arg->value.uint64 = bt_field_integer_unsigned_get_value(field);
	if (is_boolean(field)) {
		arg->type = FXT_ARG_BOOL;
		arg->value.boolean = arg->value.uint64;
	} else {
		arg->type = !wide ? FXT_ARG_UINT32 :
			    hex ? FXT_ARG_POINTER : FXT_ARG_UINT64;
	}
}

/* Store a number or text in @arg. Return false for other fields. */
static bool set_arg(struct vitrine_fxt_arg *arg, const bt_field *field)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER)) {
		set_integer(arg, field);
	} else if (type == BT_FIELD_CLASS_TYPE_BOOL) {
		arg->type = FXT_ARG_BOOL;
		arg->value.boolean = bt_field_bool_get_value(field);
	} else if (type == BT_FIELD_CLASS_TYPE_STRING) {
		arg->type = FXT_ARG_STRING_REF;
		arg->value.string.bytes = bt_field_string_get_value(field);
		arg->value.string.len_bytes =
			bt_field_string_get_length(field);
	} else if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL) {
		arg->type = FXT_ARG_DOUBLE;
		arg->value.real =
			bt_field_real_double_precision_get_value(field);
	} else if (type == BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL) {
		arg->type = FXT_ARG_DOUBLE;
		arg->value.real =
			bt_field_real_single_precision_get_value(field);
	} else {
		return false;
	}
	return true;
}

static bool is_full(const struct foreign *foreign)
{
	return foreign->record.nr_args == FXT_MAX_ARGS;
}

/* Add a number or text. A generated name is copied to @names, as the record points to it. */
static void add_value(struct foreign *foreign, const char *name,
		      const bt_field *field, unsigned int depth)
{
	unsigned int nr = foreign->record.nr_args;
	struct vitrine_fxt_arg arg;

	if (is_full(foreign) || !set_arg(&arg, field)) {
		foreign->left_out.nr[LEFT_OUT_ARGUMENT]++;
		return;
	}
	if (depth) {
		snprintf(foreign->names[nr], FOREIGN_NAME_BYTES, "%s", name);
		name = foreign->names[nr];
	}
	fxt_add_arg(&foreign->record, arg.type, name)->value = arg.value;
}

static void add_array(struct foreign *foreign, const char *name,
		      const bt_field *array, unsigned int depth)
{
	uint64_t i, nr = bt_field_array_get_length(array);
	char element[FOREIGN_NAME_BYTES];

	for (i = 0; i < nr && !is_full(foreign); i++) {
		snprintf(element, sizeof(element), "%.40s[%llu]", name,
			 (unsigned long long)i);
		add_field(foreign, element,
			  bt_field_array_borrow_element_field_by_index_const(array,
									     i),
			  depth + 1);
	}
	foreign->left_out.nr[LEFT_OUT_ARGUMENT] += nr - i;
}

static const char *member_name(const bt_field_class *structure, uint64_t index)
{
	return bt_field_class_structure_member_get_name(
		bt_field_class_structure_borrow_member_by_index_const(structure,
								      index));
}

static void add_structure(struct foreign *foreign, const char *name,
			  const bt_field *structure, unsigned int depth)
{
	const bt_field_class *class = bt_field_borrow_class_const(structure);
	uint64_t i, nr = bt_field_class_structure_get_member_count(class);
	char member[FOREIGN_NAME_BYTES];

	for (i = 0; i < nr; i++) {
		snprintf(member, sizeof(member), "%.31s.%.31s", name,
			 member_name(class, i));
		add_field(foreign, member,
			  bt_field_structure_borrow_member_field_by_index_const(
				structure, i), depth + 1);
	}
}

static void add_field(struct foreign *foreign, const char *name,
		      const bt_field *field, unsigned int depth)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	if (depth == MAX_DEPTH)
		foreign->left_out.nr[LEFT_OUT_ARGUMENT]++;
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY))
		add_array(foreign, name, field, depth);
	else if (type == BT_FIELD_CLASS_TYPE_STRUCTURE)
		add_structure(foreign, name, field, depth);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT))
		add_field(foreign, name,
			  bt_field_variant_borrow_selected_option_field_const(field),
			  depth + 1);
	else
		add_value(foreign, name, field, depth);
}

static bool is_one_of(const char *name, const char * const *names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

/* Make arguments of the members of a structure but those of @skip, or count them as left out. */
static void add_members(struct foreign *foreign, const bt_field *structure,
			const char * const *skip, bool is_left_out)
{
	const bt_field_class *class;
	const char *name;
	uint64_t i, nr;

	if (!structure)
		return;
	class = bt_field_borrow_class_const(structure);
	nr = bt_field_class_structure_get_member_count(class);
	for (i = 0; i < nr; i++) {
		name = member_name(class, i);
		if (is_one_of(name, skip))
			continue;
		if (is_left_out)
			foreign->left_out.nr[LEFT_OUT_ARGUMENT]++;
		else
			add_field(foreign, name,
				  bt_field_structure_borrow_member_field_by_index_const(
					structure, i), 0);
	}
}

/* ---- Classes ----------------------------------------------------------- */

/* Names of the fields in events of LTTng, which subtracts a number from the priorities. */
static const struct foreign_words lttng_words = {
	.outgoing = "prev_tid",
	.incoming = "next_tid",
	.woken = "tid",
	.child = "child_tid",
	.child_process = "child_pid",
	.message = "message",
	.prio_base = MAX_RT_PRIO,
};

/* How LTTng calls the tracepoints of a system: what is left out from the front of a name. */
static const struct {
	const char *prefix;
	const char *system;
	unsigned int nr_left_out;
} lttng_names[] = {
	{ "sched_", "sched", 0 },
	{ "sys", "syscalls", 0 },
	{ "compat_sys", "syscalls", 7 },
	/* The names of LTTng before 2.8 lack "irq_". */
	{ "softirq_", "irq", 0 },
	{ "irq_softirq_", "irq", 4 },
	{ "irq_handler_", "irq", 0 },
	{ DIALECT_VECTOR_PREFIX, "irq_vectors", sizeof(DIALECT_VECTOR_PREFIX) - 1 },
};

static const char * const perf_said[] = {
	"perf_tid", "perf_pid", "common_type", "common_pid",
	"prev_comm", "prev_pid", "prev_prio", "prev_state",
	"next_comm", "next_pid", "next_prio", "comm", "pid", "prio", NULL,
};

/* Check whether the stream class has an event class @name, with or without a subsystem. */
static bool has_class(const bt_event_class *class, const char *name)
{
	const bt_stream_class *stream_class;
	const char *other, *colon;
	uint64_t i;

	stream_class = bt_event_class_borrow_stream_class_const(class);
	for (i = 0; i < bt_stream_class_get_event_class_count(stream_class);
	     i++) {
		other = bt_event_class_get_name(
			bt_stream_class_borrow_event_class_by_index_const(
				stream_class, i));
		colon = other ? strchr(other, ':') : NULL;
		if (other && !strcmp(colon ? colon + 1 : other, name))
			return true;
	}
	return false;
}

/* Check for a class of perf, whose payload has the thread of the event. */
static bool is_of_perf(const bt_event_class *class)
{
	const bt_field_class *payload =
		bt_event_class_borrow_payload_field_class_const(class);

	return payload &&
	       bt_field_class_structure_borrow_member_by_name_const(
			payload, "perf_tid");
}

static bool is_perf_class(const struct foreign_class *class)
{
	return class->words == &foreign_ftrace;
}

static struct vitrine_fxt_string string_of(const char *text)
{
	return (struct vitrine_fxt_string){ text, strlen(text) };
}

/* Classify a tracepoint by the name that LTTng gives it, without the name of its system. */
static void classify_lttng(struct foreign_class *class, const char *text, bool has_waking)
{
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(lttng_names); i++) {
		if (!text_after(text, lttng_names[i].prefix))
			continue;
		class->category = string_of(lttng_names[i].system);
		class->name = string_of(text + lttng_names[i].nr_left_out);
	}
	foreign_classify(class, has_waking);
	if (class->phase)
		return;
	class->category = string_of("kernel");
	class->name = string_of(text);
}

static void classify(struct foreign_class *class, const bt_event_class *type)
{
	const char *text = bt_event_class_get_name(type) ?: "event", *colon = strchr(text, ':');
	bool has_waking = has_class(type, "sched_waking");

	class->words = is_of_perf(type) ? &foreign_ftrace : &lttng_words;
	class->category = string_of("kernel");
	class->name = string_of(text);
	if (colon) {
		class->category = (struct vitrine_fxt_string){ text, colon - text };
		class->name = string_of(colon + 1);
	}
	if (!strcmp(text, "lttng_statedump_process_state") || !strcmp(text, "perf_comm"))
		class->kind = FOREIGN_PROCESS;
	else if (!strcmp(text, DIALECT_LOG))
		class->kind = FOREIGN_LOG;
	else if (is_perf_class(class))
		foreign_classify(class, has_waking);
	else if (!colon)
		classify_lttng(class, text, has_waking);
}

/*
 * Return how events of a class are converted, or NULL if there is no memory. The class belongs
 * to a stream, which the sink keeps, and so does its name.
 */
static const struct foreign_class *class_of(struct sink *sink, const bt_event_class *type)
{
	struct foreign_class *class = foreign_class(&sink->foreign, type);

	if (class && !class->words)
		classify(class, type);
	return class;
}

/* ---- Events ---- */

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

static bool get_number(const struct foreign_event *event, const char *name, int64_t *ret)
{
	return get_integer(bt_event_borrow_payload_field_const(event->from), name, ret);
}

static bool get_string(const struct foreign_event *event, const char *name,
		       struct vitrine_fxt_string *ret)
{
	return get_text(bt_event_borrow_payload_field_const(event->from), name, ret);
}

/*
 * The names of the fields differ between contexts of the kernel and of user space, and perf
 * has the fields in the payload. source.vitrine.fxt writes the original thread to the context
 * of the event.
 */
static bool find_thread(struct foreign *foreign, const struct foreign_event *event,
			struct foreign_who *ret)
{
	const bt_field *specific = specific_context(event->from);
	const bt_field *common = common_context(event->from);

	ret->is_thread_0 = specific;
	if (is_perf_class(event->class))
		return get_number(event, "perf_tid", &ret->tid) &&
		       get_number(event, "perf_pid", &ret->process);
	if (get_integer(specific, "tid", &ret->tid))
		get_integer(specific, "pid", &ret->process);
	else if (get_integer(common, "tid", &ret->tid))
		get_integer(common, "pid", &ret->process);
	else if (get_integer(common, "vtid", &ret->tid))
		get_integer(common, "vpid", &ret->process);
	else
		return false;
	return true;
}

/* Learn the name and process of the thread of an event. */
static void learn_who(struct foreign *foreign, const struct foreign_event *event)
{
	const bt_field *common = common_context(event->from);
	struct foreign_who who = { .process = -1 };
	struct vitrine_fxt_string name = { 0 };

	if ((!common && !is_perf_class(event->class)) || !find_thread(foreign, event, &who))
		return;
	get_text(common, "procname", &name);
	foreign_learn(foreign, who.tid, who.process, &name);
}

/*
 * Add the arguments of an event: its payload, and the members of its contexts other than the
 * thread and, of source.vitrine.fxt, the phase.
 */
static void add_args(struct foreign *foreign, const struct foreign_event *event, const char *skip)
{
	/* Without fields of perf the list ends after the first element. */
	const char * const skipped[] = {
		skip ?: "", is_perf_class(event->class) ? "perf_tid" : NULL,
		"perf_pid", "common_type", "common_pid", NULL,
	};

	add_members(foreign, bt_event_borrow_payload_field_const(event->from), skipped, false);
	add_members(foreign, specific_context(event->from), who_and_phase, false);
	add_members(foreign, common_context(event->from), who_and_phase, false);
}

static const struct foreign_ops ops = {
	.number = get_number,
	.text = get_string,
	.who = find_thread,
	.add_args = add_args,
};

/* Count the fields that a scheduling record cannot represent as left out. */
static void leave_args(struct foreign *foreign, const struct foreign_event *event)
{
	add_members(foreign, common_context(event->from), who_and_phase, true);
	if (is_perf_class(event->class))
		add_members(foreign, bt_event_borrow_payload_field_const(event->from),
			    perf_said, true);
}

/* Get type and id of an event from the context that source.vitrine.fxt writes. */
static void take_phase(struct vitrine_fxt_record *record, const bt_event *event)
{
	const bt_field *context = specific_context(event);
	int64_t phase, id;

	if (!get_integer(context, "phase", &phase) || phase < 0 ||
	    phase > FXT_EVENT_FLOW_END)
		return;
	record->event.type = phase;
	if (get_integer(context, "id", &id))
		record->event.id = id;
}

/* ---- Messages ---- */

static bool is_perf(const bt_stream *stream)
{
	const bt_value *tracer = bt_trace_borrow_environment_entry_value_by_name_const(
			bt_stream_borrow_trace_const(stream), "tracer_name");

	return tracer && bt_value_is_string(tracer) &&
	       !strcmp(bt_value_string_get(tracer), "perf");
}

/* Look up a stream, and add it if it is new. Return NULL if there is no memory. */
static struct sink_stream *stream_of(struct sink *sink,
				     const bt_stream *stream)
{
	struct sink_stream *ret;

	ret = fxt_names_owned(&sink->streams, (uintptr_t)stream, sizeof(*ret));
	if (!ret || ret->stream)
		return ret;
	ret->stream = stream;
	ret->cpu.number = VITRINE_FXT_NO_CPU;
	ret->is_perf = is_perf(stream);
	bt_stream_get_ref(stream);
	return ret;
}

static int64_t offset_ns(const bt_clock_class *clock)
{
	uint64_t cycles, frequency = bt_clock_class_get_frequency(clock);
	int64_t seconds;

	bt_clock_class_get_offset(clock, &seconds, &cycles);
	return seconds * NSEC_PER_SEC +
	       (int64_t)((__uint128_t)cycles * NSEC_PER_SEC / frequency);
}

/* Create the output file; the clock of the first stream gives the time of day. */
static struct vitrine_error *open_out(struct sink *sink,
				      const bt_stream *stream)
{
	const bt_clock_class *clock = NULL;
	uint64_t realtime_ns = 0;

	if (sink->foreign.out)
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
	return fxt_out_create(sink->path, realtime_ns, &sink->foreign.out);
}

static void lose(struct sink *sink, struct sink_stream *stream, uint64_t nr)
{
	stream->cpu.is_known = false;
	if (stream->is_placed)
		fxt_out_lost(sink->foreign.out, 0, stream->cpu.number, nr);
	else
		stream->nr_lost += nr;
}

/* Find the CPU of a stream in its packets. */
static void place(struct sink *sink, struct sink_stream *stream, const bt_packet *packet)
{
	int64_t cpu;

	if (stream->is_placed)
		return;
	if (packet && get_integer(bt_packet_borrow_context_field_const(packet), "cpu_id", &cpu))
		stream->cpu.number = cpu;
	stream->is_placed = true;
	/* The CPU is in the trace even if it has no event. */
	fxt_out_before(sink->foreign.out, stream->cpu.number, 0, 0);
	if (stream->nr_lost)
		lose(sink, stream, stream->nr_lost);
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

/*
 * If the outgoing thread of a switch is not the one that the previous switch brought in, events
 * were lost in between, and the lane has one lost record. The stream reports the loss in this
 * packet or a later one, so the record is subtracted from the next report.
 */
static void put_record(struct sink *sink, struct sink_stream *stream, bool was_known)
{
	const uint64_t nr_breaks = fxt_out_counts(sink->foreign.out).nr_breaks;

	fxt_out_put(sink->foreign.out, &sink->foreign.record);
	if (was_known)
		stream->nr_told_early += fxt_out_counts(sink->foreign.out).nr_breaks - nr_breaks;
}

/* Convert an event, and learn the thread of an event. Return whether there is a record. */
static bool make_record(struct foreign *foreign, const struct foreign_event *event)
{
	bool make;

	learn_who(foreign, event);
	make = foreign_record(foreign, event);
	if (event->class->kind >= FOREIGN_SWITCH)
		leave_args(foreign, event);
	else if (event->class->kind == FOREIGN_EVENT && !event->class->phase)
		take_phase(&foreign->record, event->from);
	return make;
}

static struct vitrine_error *take_event(struct sink *sink,
					const bt_message *message)
{
	const bt_event *from = bt_message_event_borrow_event_const(message);
	struct sink_stream *stream = stream_of(sink, bt_event_borrow_stream_const(from));
	struct foreign *foreign = &sink->foreign;
	struct foreign_event event = { .from = from };
	bool was_known;

	event.class = class_of(sink, bt_event_borrow_class_const(from));
	if (!stream || !event.class)
		return vtr_error_no_memory();
	if (!has_time(stream->stream)) {
		sink->nr_untimed++;
		return NULL;
	}
	place(sink, stream, NULL);
	event.cpu = &stream->cpu;
	was_known = stream->cpu.is_known;
	foreign->record.ticks = time_of(sink, message);
	foreign->record.ticks_per_second = NSEC_PER_SEC;
	if (!make_record(foreign, &event))
		return NULL;
	/* perf gives the time 0 to what it tells of the time before the recording. */
	if (stream->is_perf && !foreign->record.ticks)
		sink->nr_untimed++;
	else
		put_record(sink, stream, was_known);
	return NULL;
}

static struct vitrine_error *take_packet(struct sink *sink,
					 const bt_packet *packet)
{
	struct sink_stream *stream;

	stream = stream_of(sink, bt_packet_borrow_stream_const(packet));
	if (!stream)
		return vtr_error_no_memory();
	place(sink, stream, packet);
	return NULL;
}

static struct vitrine_error *take_lost(struct sink *sink,
				       const bt_message *message)
{
	const bt_stream *stream =
		bt_message_discarded_events_borrow_stream_const(message);
	struct sink_stream *from = stream_of(sink, stream);
	uint64_t nr, early;

	if (!from)
		return vtr_error_no_memory();
	if (bt_message_discarded_events_get_count(message, &nr) !=
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		nr = 1;
	early = from->nr_told_early < nr ? from->nr_told_early : nr - 1;
	from->nr_told_early -= early;
	sink->nr_explained += early;
	lose(sink, from, nr - early);
	return NULL;
}

static void take_lost_packets(struct sink *sink, const bt_message *message)
{
	struct sink_stream *from = stream_of(sink,
		bt_message_discarded_packets_borrow_stream_const(message));
	uint64_t nr;

	if (from)
		from->cpu.is_known = false;
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
	struct fxt_out_counts counts = fxt_out_counts(sink->foreign.out);

	counts.nr_breaks -= sink->nr_explained;
	left_out_print_fxt(sink->foreign.left_out, &counts, sink->name, stderr);
	left_out_note(sink->name, sink->nr_untimed, "events have no time and are left out", stderr);
	left_out_note(sink->name, sink->nr_lost_packets, "packets are missing", stderr);
}

static struct vitrine_error *finish(struct sink *sink)
{
	struct vitrine_error *err = open_out(sink, NULL);

	if (!err)
		err = fxt_out_commit(sink->foreign.out);
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
 * sink_consume() - convert the next messages
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
		if (!err && sink->foreign.out)
			err = fxt_out_error(sink->foreign.out);
		bt_message_put_ref(messages[i]);
	}
	return err ? fail(self, err) :
		BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

/**
 * sink_initialize() - initialise a component
 * @self: component
 * @configuration: unused
 * @params: `path', the file to write
 * @data: name of the trace in notes, valid as long as the component; NULL: that of the file
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
	sink->name = data ? data : sink->path;
	sink->foreign.ops = &ops;
	bt_self_component_set_data(component, sink);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static void put_stream(void *stream)
{
	bt_stream_put_ref(((struct sink_stream *)stream)->stream);
}

/**
 * sink_finalize() - destroy a component; an incomplete file is removed
 * @self: component
 */
void sink_finalize(bt_self_component_sink *self)
{
	struct sink *sink = bt_self_component_get_data(
		bt_self_component_sink_as_self_component(self));

	bt_message_iterator_put_ref(sink->iterator);
	foreign_deinit(&sink->foreign);
	fxt_names_free_owned(&sink->streams, put_stream);
	free(sink->path);
	free(sink);
}

/**
 * sink_configured() - create the message iterator when the graph is complete
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
