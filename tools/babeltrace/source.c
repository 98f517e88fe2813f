// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * source.vitrine.fxt: convert a Fuchsia trace to messages of libbabeltrace2.
 *
 * A stream is a CPU, a packet is a sub-buffer, and times are in nanoseconds. The component
 * has one port and one message iterator, which returns the messages of all streams in time
 * order.
 */
#include <stdio.h>
#include <stdlib.h>

#include "dialect.h"
#include "faults.h"
#include "grow.h"
#include "left_out.h"
#include "plugin.h"

#define NSEC_PER_SEC	1000000000ULL

/*
 * More messages than one item results in: five for a record (four processes, one event), two
 * for lost records, one for a stream.
 */
#define MAX_QUEUED	8

/* A stream and its open packet. */
struct source_stream {
	bt_stream *stream;
	bt_packet *packet;
};

/**
 * struct source - a trace being read
 * @path: name of the file
 * @feed: contents of the file
 * @dialect: event classes
 * @clock: clock of all streams
 * @trace: the trace of libbabeltrace2
 * @streams: streams by their index in @feed
 * @nr_streams: number of @streams
 * @nr_ended: at the end of the trace, number of streams that have ended
 * @queue: messages to be returned
 * @nr_queued: number of @queue
 * @nr_given: number of messages of @queue that were returned
 * @left_out: counts of what messages cannot represent
 * @faults: malformed records; those of the caller, or @own_faults
 * @own_faults: see @faults
 */
struct source {
	char *path;
	struct feed *feed;
	struct dialect dialect;
	bt_clock_class *clock;
	bt_trace *trace;
	struct source_stream *streams;
	unsigned int nr_streams;
	unsigned int nr_ended;
	const bt_message *queue[MAX_QUEUED];
	unsigned int nr_queued;
	unsigned int nr_given;
	struct left_out left_out;
	struct faults *faults;
	struct faults own_faults;
};

/* ---- Opening ---- */

static bool open_feed(struct source *source, bt_self_component *self)
{
	const struct vitrine_fxt_report report = {
		.fault = faults_print,
		.ctx = source->faults,
	};
	struct vitrine_error *err;

	err = feed_create(source->path, &report, &source->feed);
	if (err) {
		bt_current_thread_error_append_cause_from_component(self,
			__FILE__, __LINE__, "%s: %s", source->path,
			err->message);
		vitrine_error_destroy(err);
		return false;
	}
	faults_end(&source->own_faults);
	feed_part(source->feed, dialect_is_pair);
	source->dialect.archive = feed_archive(source->feed);
	return true;
}

static void create_clock(struct source *source, bt_self_component *self)
{
	uint64_t realtime_ns = 0;
	bool known = feed_realtime(source->feed, &realtime_ns);

	source->clock = bt_clock_class_create(self);
	bt_clock_class_set_name(source->clock, "monotonic");
	bt_clock_class_set_description(source->clock,
				       "The clock the trace was recorded with");
	bt_clock_class_set_frequency(source->clock, NSEC_PER_SEC);
	bt_clock_class_set_offset(source->clock, realtime_ns / NSEC_PER_SEC,
				  realtime_ns % NSEC_PER_SEC);
	bt_clock_class_set_origin_is_unix_epoch(source->clock, known);
}

static void create_trace(struct source *source)
{
	bt_trace *trace = bt_trace_create(source->dialect.trace_class);

	bt_trace_set_environment_entry_string(trace, "domain", "kernel");
	bt_trace_set_environment_entry_string(trace, "sysname", "Linux");
	bt_trace_set_environment_entry_string(trace, "tracer_name", "vitrine");
	bt_trace_set_environment_entry_string(trace, "tracer_version",
					      VITRINE_VERSION);
	source->trace = trace;
}

static void put_messages(struct source *source)
{
	unsigned int i;

	while (source->nr_given < source->nr_queued)
		bt_message_put_ref(source->queue[source->nr_given++]);
	for (i = 0; i < source->nr_streams; i++) {
		BT_PACKET_PUT_REF_AND_RESET(source->streams[i].packet);
		BT_STREAM_PUT_REF_AND_RESET(source->streams[i].stream);
	}
}

static void source_destroy(struct source *source)
{
	put_messages(source);
	free(source->streams);
	bt_trace_put_ref(source->trace);
	if (source->dialect.trace_class)
		dialect_deinit(&source->dialect);
	bt_clock_class_put_ref(source->clock);
	feed_destroy(source->feed);
	free(source->path);
	free(source);
}

/* Return the name of the file in the parameters, or NULL if there is not exactly one. */
static const char *input_of(const bt_value *params)
{
	const bt_value *inputs, *input;

	inputs = bt_value_map_borrow_entry_value_const(params, "inputs");
	if (!inputs || !bt_value_is_array(inputs) ||
	    bt_value_array_get_length(inputs) != 1)
		return NULL;
	input = bt_value_array_borrow_element_by_index_const(inputs, 0);
	return bt_value_is_string(input) ? bt_value_string_get(input) : NULL;
}

/* Open a file. Return false if it is not a Fuchsia trace, or there is no memory. */
static bool open_source(struct source *source, bt_self_component_source *self,
			const char *path)
{
	bt_self_component *component =
		bt_self_component_source_as_self_component(self);

	source->path = strdup(path);
	source->own_faults.path = source->path;
	if (!source->path || !open_feed(source, component))
		return false;
	create_clock(source, component);
	if (!dialect_init(&source->dialect, component, source->clock))
		return false;
	source->dialect.archive = feed_archive(source->feed);
	create_trace(source);
	return bt_self_component_source_add_output_port(self, "out", NULL,
							NULL) ==
	       BT_SELF_COMPONENT_ADD_PORT_STATUS_OK;
}

/**
 * source_initialize() - open the trace of a component
 * @self: component
 * @configuration: unused
 * @params: `inputs', an array of one path
 * @data: struct faults that names the trace and counts its faults, or NULL
 *
 * Return: status.
 */
bt_component_class_initialize_method_status
source_initialize(bt_self_component_source *self,
		  bt_self_component_source_configuration *configuration,
		  const bt_value *params, void *data)
{
	bt_self_component *component =
		bt_self_component_source_as_self_component(self);
	const char *path = input_of(params);
	struct source *source;

	if (!path) {
		bt_current_thread_error_append_cause_from_component(component,
			__FILE__, __LINE__,
			"parameter `inputs' is not an array of one path");
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	source = calloc(1, sizeof(*source));
	if (!source)
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	source->faults = data ? data : &source->own_faults;
	if (!open_source(source, self, path)) {
		source_destroy(source);
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	bt_self_component_set_data(component, source);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

/**
 * source_finalize() - close the trace
 * @self: component
 */
void source_finalize(bt_self_component_source *self)
{
	struct source *source = bt_self_component_get_data(
		bt_self_component_source_as_self_component(self));

	left_out_print(&source->left_out, source->path,
		       "the Common Trace Format", stderr);
	source_destroy(source);
}

/* ---- Detection of the format ---- */

static double weight_of(const bt_value *params)
{
	const bt_value *type, *input;
	enum vitrine_format format;
	struct vitrine_error *err;

	type = bt_value_map_borrow_entry_value_const(params, "type");
	input = bt_value_map_borrow_entry_value_const(params, "input");
	if (!type || !input || !bt_value_is_string(type) ||
	    !bt_value_is_string(input) ||
	    strcmp(bt_value_string_get(type), "file"))
		return 0;
	err = vitrine_format_of_file(bt_value_string_get(input), &format);
	if (err) {
		vitrine_error_destroy(err);
		return 0;
	}
	return format == VITRINE_FORMAT_FXT ? 0.9 : 0;
}

/**
 * source_query() - answer a query to the component class
 * @self: unused
 * @executor: unused
 * @object: name of the query; only `babeltrace.support-info' is known
 * @params: its parameters
 * @data: unused
 * @result: receives the probability that a file is a Fuchsia trace
 *
 * Return: status.
 */
bt_component_class_query_method_status
source_query(bt_self_component_class_source *self,
	     bt_private_query_executor *executor, const char *object,
	     const bt_value *params, void *data, const bt_value **result)
{
	if (strcmp(object, "babeltrace.support-info"))
		return BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_UNKNOWN_OBJECT;
	*result = bt_value_real_create_init(weight_of(params));
	return *result ? BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_OK :
		BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_MEMORY_ERROR;
}

/* ---- Messages ---- */

/* Queue a message. Return false if the message is NULL, because it could not be created. */
static bool queue(struct source *source, const bt_message *message)
{
	if (!message)
		return false;
	source->queue[source->nr_queued++] = message;
	return true;
}

static struct source_stream *stream_of(struct source *source,
				       const struct feed_stream *stream)
{
	if (!GROW_TO(source->streams, source->nr_streams, stream->index))
		return NULL;
	return &source->streams[stream->index];
}

static bool begin_stream(struct source *source, bt_self_message_iterator *self,
			 const struct feed_stream *from,
			 struct source_stream *stream)
{
	bool cpu = from->cpu != VITRINE_FXT_NO_CPU;
	char name[64];

	stream->stream = bt_stream_create(cpu ? source->dialect.cpu_class :
						source->dialect.other_class,
					  source->trace);
	if (!stream->stream)
		return false;
	if (cpu)
		snprintf(name, sizeof(name), "cpu%u_%u", from->cpu,
			 from->provider);
	else
		snprintf(name, sizeof(name), "provider%u", from->provider);
	bt_stream_set_name(stream->stream, name);
	return queue(source, bt_message_stream_beginning_create(self,
							stream->stream));
}

static bool begin_packet(struct source *source, bt_self_message_iterator *self,
			 const struct feed_item *item)
{
	struct source_stream *stream = stream_of(source, item->stream);
	bt_field *context;

	if (!stream || (!stream->stream &&
			!begin_stream(source, self, item->stream, stream)))
		return false;
	stream->packet = bt_packet_create(stream->stream);
	if (!stream->packet)
		return false;
	context = bt_packet_borrow_context_field(stream->packet);
	if (context)
		bt_field_integer_unsigned_set_value(
			bt_field_structure_borrow_member_field_by_index(context,
									0),
			item->stream->cpu);
	return queue(source,
		     bt_message_packet_beginning_create_with_default_clock_snapshot(
				self, stream->packet, item->ns));
}

static bool end_packet(struct source *source, bt_self_message_iterator *self,
		       const struct feed_item *item)
{
	struct source_stream *stream = stream_of(source, item->stream);
	bool good;

	good = queue(source,
		     bt_message_packet_end_create_with_default_clock_snapshot(
				self, stream->packet, item->ns));
	BT_PACKET_PUT_REF_AND_RESET(stream->packet);
	return good;
}

/*
 * Report lost events and packets. As the format requires, the time range of lost events
 * extends from the end of a packet to the end of the next one, and that of lost packets to
 * the begin of the next one.
 */
static bool tell_lost(struct source *source, bt_self_message_iterator *self,
		      const struct feed_item *item)
{
	bt_stream *stream = stream_of(source, item->stream)->stream;
	bt_message *message;

	if (item->lost->nr_lost_packets) {
		message = bt_message_discarded_packets_create_with_default_clock_snapshots(
				self, stream, item->ns, item->lost->begin_ns);
		if (!queue(source, message))
			return false;
		bt_message_discarded_packets_set_count(message,
			item->lost->nr_lost_packets);
	}
	if (item->lost->nr_lost) {
		message = bt_message_discarded_events_create_with_default_clock_snapshots(
				self, stream, item->ns, item->lost->end_ns);
		if (!queue(source, message))
			return false;
		bt_message_discarded_events_set_count(message,
						      item->lost->nr_lost);
	}
	return true;
}

static bt_event *queue_event(struct source *source,
			     bt_self_message_iterator *self,
			     bt_event_class *class,
			     const struct feed_item *item)
{
	bt_message *message;

	message = bt_message_event_create_with_packet_and_default_clock_snapshot(
			self, class,
			source->streams[item->stream->index].packet, item->ns);
	return queue(source, message) ?
		       bt_message_event_borrow_event(message) : NULL;
}

static bool tell_process(struct source *source, bt_self_message_iterator *self,
			 const struct feed_item *item,
			 const struct vitrine_fxt_thread *thread)
{
	bool cpu = item->stream->cpu != VITRINE_FXT_NO_CPU;
	bt_event *event;
	bool told;

	if (!dialect_told(&source->dialect, thread, &told))
		return false;
	if (told)
		return true;
	event = queue_event(source, self,
			    cpu ? source->dialect.cpu_process_state :
				  source->dialect.other_process_state, item);
	return event && dialect_fill_process(&source->dialect, event, thread);
}

/* Write the process of each thread before its first event, and the process itself before. */
static bool tell_processes(struct source *source,
			   bt_self_message_iterator *self,
			   const struct feed_item *item)
{
	const struct vitrine_fxt_thread *threads[2];
	struct vitrine_fxt_thread leader;
	struct vitrine_fxt_string name;
	uint64_t process;
	unsigned int i, nr = dialect_threads(item->record, threads);

	for (i = 0; i < nr; i++) {
		process = threads[i]->process;
		if (!threads[i]->thread)
			continue;
		if (process == VITRINE_FXT_NO_PROCESS)
			vitrine_archive_thread(source->dialect.archive,
					       threads[i]->thread, &name,
					       &process);
		leader.process = process;
		leader.thread = process;
		if (process != VITRINE_FXT_NO_PROCESS &&
		    !tell_process(source, self, item, &leader))
			return false;
		if (!tell_process(source, self, item, threads[i]))
			return false;
	}
	return true;
}

static bool tell_record(struct source *source, bt_self_message_iterator *self,
			const struct feed_item *item)
{
	bool cpu = item->stream->cpu != VITRINE_FXT_NO_CPU;
	bt_event_class *class;
	bt_event *event;

	class = dialect_class(&source->dialect, cpu, item->record);
	if (!class) {
		left_out_record(&source->left_out, item->record);
		return true;
	}
	if (!tell_processes(source, self, item))
		return false;
	event = queue_event(source, self, class, item);
	return event && dialect_fill(&source->dialect, event, item->record);
}

static bool end_streams(struct source *source, bt_self_message_iterator *self)
{
	bt_stream *stream;

	while (source->nr_ended < source->nr_streams) {
		stream = source->streams[source->nr_ended++].stream;
		if (stream)
			return queue(source,
				     bt_message_stream_end_create(self, stream));
	}
	return true;
}

/* Convert one item to messages; at the end of the trace there is none. */
static bool advance(struct source *source, bt_self_message_iterator *self,
		    bool *ret_ended)
{
	struct vitrine_error *err;
	struct feed_item item;

	err = feed_next(source->feed, &item);
	if (err) {
		vitrine_error_destroy(err);
		return false;
	}
	switch (item.kind) {
	case FEED_PACKET_BEGIN:
		return begin_packet(source, self, &item);
	case FEED_PACKET_END:
		return end_packet(source, self, &item);
	case FEED_LOST:
		return tell_lost(source, self, &item);
	case FEED_RECORD:
		return tell_record(source, self, &item);
	case FEED_UNTIMED:
		left_out_untimed(&source->left_out, item.record);
		return true;
	default:
		*ret_ended = true;
		return end_streams(source, self);
	}
}

/**
 * source_next() - return the next messages
 * @self: message iterator
 * @messages: receives the messages
 * @capacity: maximum number of messages
 * @count: receives the number of messages
 *
 * Return: status.
 */
bt_message_iterator_class_next_method_status
source_next(bt_self_message_iterator *self, bt_message_array_const messages,
	    uint64_t capacity, uint64_t *count)
{
	struct source *source = bt_self_message_iterator_get_data(self);
	bool ended = false;
	uint64_t nr = 0;

	while (nr < capacity) {
		if (source->nr_given < source->nr_queued) {
			messages[nr++] = source->queue[source->nr_given++];
			continue;
		}
		if (ended)
			break;
		source->nr_queued = 0;
		source->nr_given = 0;
		if (!advance(source, self, &ended)) {
			while (nr)
				bt_message_put_ref(messages[--nr]);
			return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_MEMORY_ERROR;
		}
	}
	*count = nr;
	return nr ? BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK :
		    BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END;
}

/* ---- The message iterator ---- */

/**
 * source_begin() - initialise a message iterator
 * @self: message iterator
 * @configuration: its configuration: messages are in time order
 * @port: unused, as there is only one
 *
 * Return: status.
 */
bt_message_iterator_class_initialize_method_status
source_begin(bt_self_message_iterator *self,
	     bt_self_message_iterator_configuration *configuration,
	     bt_self_component_port_output *port)
{
	bt_self_component *component =
		bt_self_message_iterator_borrow_component(self);

	bt_self_message_iterator_set_data(self,
				bt_self_component_get_data(component));
	bt_self_message_iterator_configuration_set_can_seek_forward(configuration,
								    BT_TRUE);
	return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

/**
 * source_can_seek() - tell that a message iterator can go back to the beginning
 * @self: message iterator
 * @ret: receives BT_TRUE
 *
 * Return: status.
 */
bt_message_iterator_class_can_seek_beginning_method_status
source_can_seek(bt_self_message_iterator *self, bt_bool *ret)
{
	*ret = BT_TRUE;
	return BT_MESSAGE_ITERATOR_CLASS_CAN_SEEK_BEGINNING_METHOD_STATUS_OK;
}

static void forget_messages(struct source *source)
{
	put_messages(source);
	dialect_forget(&source->dialect);
	source->nr_ended = 0;
	source->left_out = (struct left_out){ 0 };
}

/**
 * source_seek() - go back to the beginning
 * @self: message iterator
 *
 * Return: status.
 */
bt_message_iterator_class_seek_beginning_method_status
source_seek(bt_self_message_iterator *self)
{
	struct source *source = bt_self_message_iterator_get_data(self);

	forget_messages(source);
	feed_destroy(source->feed);
	source->feed = NULL;
	return open_feed(source,
			 bt_self_message_iterator_borrow_component(self)) ?
		BT_MESSAGE_ITERATOR_CLASS_SEEK_BEGINNING_METHOD_STATUS_OK :
		BT_MESSAGE_ITERATOR_CLASS_SEEK_BEGINNING_METHOD_STATUS_ERROR;
}
