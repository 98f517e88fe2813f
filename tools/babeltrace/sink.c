// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sink.vitrine.fxt: convert messages of libbabeltrace2 to a Fuchsia trace.
 *
 * A stream with `cpu_id' in its packets is a CPU. Switches and wakeups of LTTng become
 * scheduling records, system calls and interrupts become durations, and all other events
 * become instants with their fields as arguments. Discarded events are reported as lost
 * records in the Fuchsia trace.
 *
 * This file contains the component, its streams, and the handling of lost records;
 * sink_class.c classifies events, and sink_event.c converts them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "field.h"
#include "fxt_write.h"
#include "grow.h"
#include "left_out.h"
#include "plugin.h"
#include "sink_event.h"

#define NSEC_PER_SEC	1000000000LL

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
	unsigned int nr = sink->nr_streams, i;

	for (i = 0; i < nr; i++)
		if (sink->streams[i].stream == stream)
			return &sink->streams[i];
	if (!GROW(sink->streams, nr))
		return NULL;
	sink->streams[nr] = (struct sink_stream){
		.stream = stream,
		.cpu = VITRINE_FXT_NO_CPU,
		.is_perf = is_perf(stream),
	};
	bt_stream_get_ref(stream);
	sink->nr_streams++;
	return &sink->streams[nr];
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

/* Find the lane of a stream by the CPU in its packets. */
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
 * The outgoing thread must be the one that the previous switch brought in; if it is not,
 * events were lost in between. LTTng reports the loss in this packet or a later one, so the
 * record counted as lost here is subtracted from the next report.
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
	bool make;

	class = sink_class_of(&sink->classes, bt_event_borrow_class_const(event));
	if (!from || !class)
		return vtr_error_no_memory();
	if (!has_time(stream)) {
		sink->nr_untimed++;
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
	make = sink_make_record(sink, from, class, event);
	if (sink->ids.no_memory)
		return vtr_error_no_memory();
	if (!make)
		return NULL;
	/* perf gives the time 0 to what it tells of the time before the recording. */
	if (from->is_perf && !sink->record.ticks) {
		sink->nr_untimed++;
		return NULL;
	}
	return fxt_lane_out_put(from->lane, &sink->record);
}

static struct vitrine_error *take_packet(struct sink *sink,
					 const bt_packet *packet)
{
	struct sink_stream *stream;

	stream = stream_of(sink, bt_packet_borrow_stream_const(packet));
	if (!stream)
		return vtr_error_no_memory();
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
		return vtr_error_no_memory();
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
	left_out.nr[LEFT_OUT_ARGUMENT] += sink->args.nr_left_out;
	left_out_print_fxt(left_out, &counts, sink->path, stderr);
	left_out_note(sink->path, sink->nr_untimed, "events have no time and are left out", stderr);
	left_out_note(sink->path, sink->nr_lost_packets, "packets are missing", stderr);
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
 * sink_finalize() - destroy a component; an incomplete file is removed
 * @self: component
 */
void sink_finalize(bt_self_component_sink *self)
{
	struct sink *sink = bt_self_component_get_data(
		bt_self_component_sink_as_self_component(self));
	unsigned int i;

	bt_message_iterator_put_ref(sink->iterator);
	fxt_out_destroy(sink->out);
	ids_source_deinit(&sink->told);
	ids_source_deinit(&sink->made_up);
	ids_deinit(&sink->ids);
	sink_class_destroy_all(sink->classes);
	for (i = 0; i < sink->nr_streams; i++)
		bt_stream_put_ref(sink->streams[i].stream);
	free(sink->streams);
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
