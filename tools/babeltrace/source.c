// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * source.vitrine.fxt: convert a Fuchsia trace to messages of libbabeltrace2.
 *
 * A stream is a CPU, a packet is a sub-buffer, and times are in nanoseconds. The component
 * has one port and one message iterator, which returns the messages of all streams in time
 * order.
 *
 * A stream has the records of one provider for one CPU. Each provider has one more stream
 * for records without a CPU. For records of other producers than vitrine, packets of limited
 * length are made. While the file is opened, the packet headers of sub-buffers are collected, and
 * the losses between them. The memory needed grows with the number of sub-buffers, not of records,
 * except for the time of each record that began before its sub-buffer.
 */
#include <stdio.h>
#include <stdlib.h>

#include "archive.h"
#include "base.h"
#include "left_out.h"
#include "vitrine.h"
#include "dialect.h"
#include "plugin.h"

/**
 * struct feed_packet - a packet
 * @begin_ns: time of its first record, or earlier
 * @end_ns: time of its last record, or later
 * @nr_lost: number of records lost since the previous packet
 * @nr_lost_packets: number of packets lost since the previous packet
 */
struct feed_packet {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t nr_lost;
	uint64_t nr_lost_packets;
};

/**
 * struct feed_stream - a stream
 * @provider: id of the provider
 * @cpu: CPU, or VITRINE_FXT_NO_CPU
 * @packets: packets of sub-buffers, by time
 * @nr_packets: number of @packets
 * @strays: times of records outside of their sub-buffer's time, while the file is opened
 * @nr_strays: number of @strays
 * @next: index in @packets of the first packet that has not begun
 * @open: a packet is open
 * @made: @packet is not a sub-buffer
 * @packet: the packet that is open, or was open last
 * @nr_records: number of records in @packet
 * @bt_stream: the stream of libbabeltrace2, NULL before it begins
 * @bt_packet: its open packet, or NULL
 */
struct feed_stream {
	uint32_t provider;
	uint32_t cpu;
	struct feed_packet *packets;
	size_t nr_packets;
	uint64_t *strays;
	size_t nr_strays;
	size_t next;
	bool open;
	bool made;
	struct feed_packet packet;
	uint64_t nr_records;
	bt_stream *bt_stream;
	bt_packet *bt_packet;
};

/*
 * Maximum number of ends that are kept. Interrupts and the system call below them nest four
 * deep on a CPU, so that this is enough for 4096 CPUs. Further records are not split.
 */
#define PAIRS_MAX_WAITING	16384

/**
 * struct pairs - records in time order, some of them split
 * @next: next record of the archive, or NULL before it is read
 * @begin: storage for the begin of a record that is split
 * @ends: ends that are kept, the earliest first: a heap of struct pairs_end
 * @nr_ends: number of @ends
 * @last: the end that was returned last, or NULL
 */
struct pairs {
	const struct vitrine_fxt_record *next;
	struct vitrine_fxt_record begin;
	void **ends;
	unsigned int nr_ends;
	struct pairs_end *last;
};

/* An end that is kept for later; allocated without the unused arguments of the record. */
struct pairs_end {
	uint64_t ns;
	struct vitrine_fxt_record record;
};

/* Maximum number of records in a made packet. */
#define FEED_PACKET_RECORDS	16384

#define NEVER	UINT64_MAX

/**
 * struct feed - a trace that is being read
 * @archive: the records in time order
 * @pairs: splits complete durations of @archive
 * @streams: all streams, by provider and CPU
 * @due_ns: time at which the next packet of any stream begins or ends
 * @last_ns: time of the last message
 * @record: next record, or NULL
 * @record_ns: time of @record
 * @ended: there are no more records
 */
struct feed {
	struct vitrine_archive *archive;
	struct pairs pairs;
	struct fxt_names streams;
	uint64_t due_ns;
	uint64_t last_ns;
	const struct vitrine_fxt_record *record;
	uint64_t record_ns;
	bool ended;
};

/* The last sub-buffer of a provider, while the file is opened. */
struct look {
	struct vitrine_packet packet;
	struct feed_stream *stream;
	uint64_t nr_timed;
	uint64_t begin;
};

/* ---- Complete durations ------------------------------------------------ */

/*
 * Formats without a record for both ends of a duration want a begin and an end. An archive
 * returns a complete duration at the time of its begin. The end is a copy of the record, kept in
 * a heap by time, until all earlier records have been returned; its strings remain valid as long
 * as the archive. pairs_next() is called in place of vitrine_archive_next().
 */

static uint64_t ns_of(const struct vitrine_fxt_record *record)
{
	return vitrine_fxt_ns(record->ticks, record->ticks_per_second);
}

/* Order by time; at the same time, by position in the file. */
static bool end_before(const void *left, const void *right)
{
	const struct pairs_end *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns;
	return a->record.offset < b->record.offset;
}

/* ---- Splitting a record ---- */

/* Whether an argument is a result of the duration, which its begin cannot have. */
static bool is_result(const struct vitrine_fxt_arg *arg)
{
	return fxt_string_is(&arg->name, "ret") ||
	       fxt_string_is(&arg->name, "handled");
}

static void make_begin(struct vitrine_fxt_record *begin,
		       const struct vitrine_fxt_record *whole)
{
	unsigned int i;

	memcpy(begin, whole, offsetof(struct vitrine_fxt_record, args));
	begin->event.type = FXT_EVENT_DURATION_BEGIN;
	begin->nr_args = 0;
	for (i = 0; i < whole->nr_args; i++)
		if (!is_result(&whole->args[i]))
			begin->args[begin->nr_args++] = whole->args[i];
}

static struct pairs_end *create_end(const struct vitrine_fxt_record *whole)
{
	struct pairs_end *end;

	end = malloc(offsetof(struct pairs_end, record) + fxt_record_bytes(whole));
	if (!end)
		return NULL;
	memcpy(&end->record, whole, fxt_record_bytes(whole));
	end->record.event.type = FXT_EVENT_DURATION_END;
	/* In a malformed file the end may precede the begin. */
	if (whole->event.id > whole->ticks)
		end->record.ticks = whole->event.id;
	end->ns = ns_of(&end->record);
	return end;
}

/* Replace the next record by its begin, and keep its end. Return false without memory. */
static bool part(struct pairs *pairs)
{
	struct pairs_end *end;

	if (!GROW(pairs->ends, pairs->nr_ends))
		return false;
	end = create_end(pairs->next);
	if (!end)
		return false;
	make_begin(&pairs->begin, pairs->next);
	pairs->ends[pairs->nr_ends] = end;
	heap_rise(pairs->ends, pairs->nr_ends++, end_before);
	return true;
}

/* ---- Reading ---- */

/*
 * Whether an end precedes the next record. At the same time, it does unless the next record
 * is from the same provider and comes first in the file.
 */
static bool end_is_due(const struct pairs *pairs)
{
	const struct vitrine_fxt_record *next = pairs->next;
	const struct pairs_end *end;
	uint64_t ns;

	if (!pairs->nr_ends)
		return false;
	if (!next)
		return true;
	if (!next->timed)
		return false;
	end = pairs->ends[0];
	ns = ns_of(next);
	if (end->ns != ns)
		return end->ns < ns;
	return next->provider != end->record.provider ||
	       next->offset > end->record.offset;
}

static const struct vitrine_fxt_record *take_end(struct pairs *pairs)
{
	pairs->last = pairs->ends[0];
	pairs->ends[0] = pairs->ends[--pairs->nr_ends];
	if (pairs->nr_ends)
		heap_sink(pairs->ends, pairs->nr_ends, end_before);
	return &pairs->last->record;
}

/*
 * Read the next record in time order. Returns NULL, or an error as vitrine_archive_next()
 * does.
 */
static struct vitrine_error *pairs_next(struct pairs *pairs,
					struct vitrine_archive *archive,
					const struct vitrine_fxt_record **ret)
{
	struct vitrine_error *err;

	free(pairs->last);
	pairs->last = NULL;
	if (!pairs->next) {
		err = vitrine_archive_next(archive, &pairs->next);
		if (err)
			return err;
	}
	if (end_is_due(pairs)) {
		*ret = take_end(pairs);
		return NULL;
	}
	*ret = pairs->next;
	if (pairs->next && dialect_is_pair(pairs->next) &&
	    pairs->nr_ends < PAIRS_MAX_WAITING) {
		if (!part(pairs))
			return vtr_error_no_memory();
		*ret = &pairs->begin;
	}
	pairs->next = NULL;
	return NULL;
}

/* Free the ends that are kept. */
static void pairs_deinit(struct pairs *pairs)
{
	unsigned int i;

	for (i = 0; i < pairs->nr_ends; i++)
		free(pairs->ends[i]);
	free(pairs->ends);
	free(pairs->last);
}

/* ---- Streams ---- */

/* Look up a stream, and create it if necessary. Return NULL without memory. */
static struct feed_stream *stream_get(struct feed *feed, uint32_t provider,
				      uint32_t cpu)
{
	const unsigned int nr = feed->streams.nr;
	struct feed_stream *stream;

	stream = fxt_names_owned(&feed->streams, (uint64_t)provider << 32 | cpu, sizeof(*stream));
	if (stream && nr < feed->streams.nr)
		*stream = (struct feed_stream){ .provider = provider, .cpu = cpu };
	return stream;
}

static struct feed_stream *stream_at(const struct feed *feed, unsigned int index)
{
	return feed->streams.entries[index].owner;
}

static void stream_deinit(void *owner)
{
	struct feed_stream *stream = owner;

	free(stream->packets);
	free(stream->strays);
}

/* ---- Packet headers ---- */

/* Count the records and packets lost between two sub-buffers of a CPU and session. */
static void count_lost(const struct look *look,
		       const struct vitrine_packet *packet,
		       struct feed_packet *ret)
{
	struct fxt_loss loss;

	if (!look->stream || look->packet.session != packet->session)
		return;
	loss = fxt_packet_loss(&look->packet, look->nr_timed, packet);
	ret->nr_lost = loss.nr_missing + loss.nr_unwritten;
	ret->nr_lost_packets = loss.nr_subbufs;
}

static bool look_at_packet(struct feed *feed, struct look *look,
			   const struct vitrine_packet *packet,
			   const struct vitrine_fxt_record *record)
{
	uint64_t rate = record->ticks_per_second;
	struct feed_stream *stream;
	struct feed_packet *entry;

	stream = stream_get(feed, record->provider, packet->cpu);
	if (!stream || !GROW(stream->packets, stream->nr_packets))
		return false;
	entry = &stream->packets[stream->nr_packets++];
	*entry = (struct feed_packet){
		.begin_ns = archive_ns(packet->begin_ticks, rate),
		.end_ns = archive_ns(packet->end_ticks, rate),
	};
	count_lost(look, packet, entry);
	*look = (struct look){
		.packet = *packet,
		.stream = stream,
		.begin = record->offset - FXT_PACKET_RECORD_OFFSET,
	};
	return true;
}

static bool add_stray(struct feed_stream *stream, uint64_t ns)
{
	if (!GROW(stream->strays, stream->nr_strays))
		return false;
	stream->strays[stream->nr_strays++] = ns;
	return true;
}

/*
 * Records that the recorder wrote after a sub-buffer belong to the packet of the sub-buffer.
 * A record whose time is outside of its sub-buffer, such as a duration that began earlier,
 * is placed by its time, which may be between two packets.
 */
static bool look_at_timed(struct feed *feed, struct look *look,
			  const struct vitrine_fxt_record *record)
{
	bool inside = record->offset - look->begin <
		      look->packet.committed_bytes;
	uint64_t written = fxt_written_ticks(record), ns;
	struct feed_stream *stream = look->stream;
	struct feed_packet *packet;

	look->nr_timed += inside;
	if (inside && record->ticks >= look->packet.begin_ticks &&
	    written <= look->packet.end_ticks && record->cpu == stream->cpu)
		return true;
	ns = archive_ns(record->ticks, record->ticks_per_second);
	if (!inside) {
		packet = &stream->packets[stream->nr_packets - 1];
		if (ns > packet->end_ns)
			packet->end_ns = ns;
	}
	stream = stream_get(feed, record->provider, record->cpu);
	return stream && add_stray(stream, ns) &&
	       (written == record->ticks ||
		add_stray(stream, archive_ns(written, record->ticks_per_second)));
}

static bool look_at_record(void *ctx, struct vitrine_fxt *fxt, enum fxt_result result)
{
	struct look *look = fxt->provider->owner;
	struct vitrine_packet packet;
	struct feed *feed = ctx;

	if (result != FXT_OK)
		return true;
	if (fxt_packet_read(&fxt->decoder, &fxt->record, &packet)) {
		if (!look) {
			look = calloc(1, sizeof(*look));
			fxt->provider->owner = look;
		}
		return look && look_at_packet(feed, look, &packet,
					      &fxt->record);
	}
	return !fxt->record.timed || !look || look_at_timed(feed, look, &fxt->record);
}

static int compare_packets(const void *left, const void *right)
{
	const struct feed_packet *a = left, *b = right;

	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

/* Sort the packets, and remove overlaps that malformed headers may cause. */
static void order_packets(struct feed_stream *stream)
{
	struct feed_packet *packet;
	uint64_t ns = 0;
	size_t i;

	if (stream->nr_packets)
		qsort(stream->packets, stream->nr_packets,
		      sizeof(*stream->packets), compare_packets);
	for (i = 0; i < stream->nr_packets; i++) {
		packet = &stream->packets[i];
		if (packet->begin_ns < ns)
			packet->begin_ns = ns;
		if (packet->end_ns < packet->begin_ns)
			packet->end_ns = packet->begin_ns;
		ns = packet->end_ns;
	}
}

/*
 * Extend packets backwards to the records before them. This must be done before packets are
 * returned: an item of a loss contains the begin of the next packet.
 */
static void place_strays(struct feed_stream *stream)
{
	size_t i, first, end, middle;

	for (i = 0; i < stream->nr_strays; i++) {
		first = 0;
		end = stream->nr_packets;
		while (first < end) {
			middle = first + (end - first) / 2;
			if (stream->packets[middle].end_ns < stream->strays[i])
				first = middle + 1;
			else
				end = middle;
		}
		if (first < stream->nr_packets &&
		    stream->strays[i] < stream->packets[first].begin_ns)
			stream->packets[first].begin_ns = stream->strays[i];
	}
	free(stream->strays);
	stream->strays = NULL;
	stream->nr_strays = 0;
}

/* Close a trace; NULL is ignored. */
static void feed_destroy(struct feed *feed)
{
	if (!feed)
		return;
	fxt_names_free_owned(&feed->streams, stream_deinit);
	pairs_deinit(&feed->pairs);
	vitrine_archive_destroy(feed->archive);
	free(feed);
}

/* Open a trace file. Returns NULL, or an error as vitrine_archive_create() does. */
static struct vitrine_error *feed_create(const char *path,
					 const struct vitrine_fxt_report *report,
					 struct feed **ret)
{
	struct feed *feed = calloc(1, sizeof(*feed));
	const struct archive_look look = {
		.follow = look_at_record, .ctx = feed, .weights = true,
	};
	struct vitrine_error *err;
	unsigned int i;

	if (!feed)
		return vtr_error_no_memory();
	err = archive_open(path, report, &look, &feed->archive);
	if (err) {
		feed_destroy(feed);
		return err;
	}
	for (i = 0; i < feed->streams.nr; i++) {
		order_packets(stream_at(feed, i));
		place_strays(stream_at(feed, i));
	}
	*ret = feed;
	return NULL;
}

#define NSEC_PER_SEC	1000000000ULL

/*
 * More messages than one step results in: five for a record (four processes, one event), three
 * for the end of a packet and losses behind it, two for the begin of a stream.
 */
#define MAX_QUEUED	8

/**
 * struct source - a trace being read
 * @path: name of the file
 * @feed: contents of the file
 * @dialect: event classes
 * @clock: clock of all streams
 * @trace: the trace of libbabeltrace2
 * @nr_ended: at the end of the trace, number of streams that have ended
 * @iterator: iterator that returns the messages
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
	unsigned int nr_ended;
	bt_self_message_iterator *iterator;
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
	source->dialect.archive = source->feed->archive;
	return true;
}

static void create_clock(struct source *source, bt_self_component *self)
{
	uint64_t realtime_ns = 0;
	bool known = archive_realtime(source->feed->archive, &realtime_ns);

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
	for (i = 0; source->feed && i < source->feed->streams.nr; i++) {
		bt_packet_put_ref(stream_at(source->feed, i)->bt_packet);
		bt_stream_put_ref(stream_at(source->feed, i)->bt_stream);
	}
}

static void source_destroy(struct source *source)
{
	put_messages(source);
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
	source->dialect.archive = source->feed->archive;
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

	left_out_print(&source->left_out, source->faults->path,
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

static bool begin_stream(struct source *source, struct feed_stream *stream)
{
	bool cpu = stream->cpu != VITRINE_FXT_NO_CPU;
	char name[64];

	stream->bt_stream = bt_stream_create(cpu ? source->dialect.cpu_class :
						   source->dialect.other_class,
					     source->trace);
	if (!stream->bt_stream)
		return false;
	if (cpu)
		snprintf(name, sizeof(name), "cpu%u_%u", stream->cpu,
			 stream->provider);
	else
		snprintf(name, sizeof(name), "provider%u", stream->provider);
	bt_stream_set_name(stream->bt_stream, name);
	return queue(source, bt_message_stream_beginning_create(source->iterator,
								stream->bt_stream));
}

static bool put_packet_begin(struct source *source, struct feed_stream *stream, uint64_t ns)
{
	bt_field *context;

	if (!stream->bt_stream && !begin_stream(source, stream))
		return false;
	stream->bt_packet = bt_packet_create(stream->bt_stream);
	if (!stream->bt_packet)
		return false;
	context = bt_packet_borrow_context_field(stream->bt_packet);
	if (context)
		bt_field_integer_unsigned_set_value(
			bt_field_structure_borrow_member_field_by_index(context,
									0),
			stream->cpu);
	return queue(source,
		     bt_message_packet_beginning_create_with_default_clock_snapshot(
				source->iterator, stream->bt_packet, ns));
}

static bool put_packet_end(struct source *source, struct feed_stream *stream)
{
	bool good;

	good = queue(source,
		     bt_message_packet_end_create_with_default_clock_snapshot(
				source->iterator, stream->bt_packet, stream->packet.end_ns));
	BT_PACKET_PUT_REF_AND_RESET(stream->bt_packet);
	return good;
}

/*
 * Report lost events and packets. As the format requires, the time range of lost events
 * extends from the end of a packet to the end of the next one, and that of lost packets to
 * the begin of the next one.
 */
static bool tell_lost(struct source *source, const struct feed_stream *stream)
{
	const uint64_t ns = stream->packet.end_ns;
	const struct feed_packet *next;
	bt_message *message;

	if (stream->next == stream->nr_packets)
		return true;
	next = &stream->packets[stream->next];
	if (next->nr_lost_packets) {
		message = bt_message_discarded_packets_create_with_default_clock_snapshots(
				source->iterator, stream->bt_stream, ns, next->begin_ns);
		if (!queue(source, message))
			return false;
		bt_message_discarded_packets_set_count(message, next->nr_lost_packets);
	}
	if (next->nr_lost) {
		message = bt_message_discarded_events_create_with_default_clock_snapshots(
				source->iterator, stream->bt_stream, ns, next->end_ns);
		if (!queue(source, message))
			return false;
		bt_message_discarded_events_set_count(message, next->nr_lost);
	}
	return true;
}

static bt_event *queue_event(struct source *source, bt_event_class *class,
			     const struct feed_stream *stream)
{
	bt_message *message;

	message = bt_message_event_create_with_packet_and_default_clock_snapshot(
			source->iterator, class, stream->bt_packet, source->feed->last_ns);
	return queue(source, message) ?
		       bt_message_event_borrow_event(message) : NULL;
}

static bool tell_process(struct source *source, const struct feed_stream *stream,
			 const struct vitrine_fxt_thread *thread)
{
	bool cpu = stream->cpu != VITRINE_FXT_NO_CPU;
	bt_event *event;
	bool told;

	if (!dialect_told(&source->dialect, thread, &told))
		return false;
	if (told)
		return true;
	event = queue_event(source,
			    cpu ? source->dialect.cpu_process_state :
				  source->dialect.other_process_state, stream);
	return event && dialect_fill_process(&source->dialect, event, thread);
}

/* Write the process of each thread before its first event, and the process itself before. */
static bool tell_processes(struct source *source, const struct feed_stream *stream,
			   const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_thread *thread;
	struct vitrine_fxt_thread leader;
	struct vitrine_fxt_string name;
	unsigned int i;

	for (i = 0; (thread = fxt_thread_of(record, i)); i++) {
		leader.process = thread->process;
		if (!thread->thread)
			continue;
		if (leader.process == VITRINE_FXT_NO_PROCESS)
			vitrine_archive_thread(source->dialect.archive, thread->thread, &name,
					       &leader.process);
		leader.thread = leader.process;
		if ((leader.process != VITRINE_FXT_NO_PROCESS &&
		     !tell_process(source, stream, &leader)) ||
		    !tell_process(source, stream, thread))
			return false;
	}
	return true;
}

static bool tell_record(struct source *source, const struct feed_stream *stream,
			const struct vitrine_fxt_record *record)
{
	bt_event_class *class;
	bt_event *event;

	class = dialect_class(&source->dialect, stream->cpu != VITRINE_FXT_NO_CPU, record);
	if (!class) {
		left_out_record(&source->left_out, record);
		return true;
	}
	if (!tell_processes(source, stream, record))
		return false;
	event = queue_event(source, class, stream);
	return event && dialect_fill(&source->dialect, event, record);
}

/* ---- One step after the other ---- */

/*
 * Return the time at which the packet of a stream ends or its next packet begins. A packet
 * ends after all records of its last nanosecond.
 */
static uint64_t due_of(const struct feed_stream *stream)
{
	if (stream->open && !stream->made)
		return stream->packet.end_ns + 1;
	return stream->next < stream->nr_packets ?
		       stream->packets[stream->next].begin_ns : NEVER;
}

/* Return the stream that is due first. At the same time, ends precede begins. */
static struct feed_stream *earliest(struct feed *feed)
{
	struct feed_stream *first = NULL, *stream;
	uint64_t due;
	unsigned int i;

	feed->due_ns = NEVER;
	for (i = 0; i < feed->streams.nr; i++) {
		stream = stream_at(feed, i);
		due = due_of(stream);
		if (due < feed->due_ns ||
		    (first && due == feed->due_ns && stream->open &&
		     !first->open)) {
			feed->due_ns = due;
			first = stream;
		}
	}
	return first;
}

/* Return the time of a message: @ns, but not earlier than that of the message before. */
static uint64_t advance_to(struct feed *feed, uint64_t ns)
{
	if (feed->last_ns < ns)
		feed->last_ns = ns;
	return feed->last_ns;
}

/* End a packet, and report what is lost between it and the next one. */
static bool end_packet(struct source *source, struct feed_stream *stream, uint64_t ns)
{
	stream->open = false;
	stream->packet.end_ns = advance_to(source->feed, ns);
	return put_packet_end(source, stream) && tell_lost(source, stream);
}

/* Begin the packet of the next sub-buffer at @ns, or a made one if there is no sub-buffer. */
static bool begin_packet(struct source *source, struct feed_stream *stream, uint64_t ns)
{
	struct feed *feed = source->feed;

	stream->made = stream->next == stream->nr_packets;
	stream->packet = (struct feed_packet){ .end_ns = ARCHIVE_LAST_NS };
	if (!stream->made)
		stream->packet = stream->packets[stream->next++];
	stream->open = true;
	stream->nr_records = 0;
	ns = advance_to(feed, ns);
	if (stream->packet.end_ns < ns)
		stream->packet.end_ns = ns;
	if (due_of(stream) < feed->due_ns)
		feed->due_ns = due_of(stream);
	return put_packet_begin(source, stream, ns);
}

static bool serve(struct source *source, struct feed_stream *stream)
{
	if (!stream->open)
		return begin_packet(source, stream, stream->packets[stream->next].begin_ns);
	return end_packet(source, stream, stream->made ? source->feed->last_ns :
							 stream->packet.end_ns);
}

/* Read the next record. Return false without memory. */
static bool fetch(struct feed *feed)
{
	struct vitrine_error *err;

	err = pairs_next(&feed->pairs, feed->archive, &feed->record);
	if (err) {
		vitrine_error_destroy(err);
		return false;
	}
	if (!feed->record)
		feed->ended = true;
	else if (feed->record->timed)
		feed->record_ns = archive_ns(feed->record->ticks,
					     feed->record->ticks_per_second);
	return true;
}

/* Convert the next record, or first begin or end a packet in its stream. */
static bool take_record(struct source *source)
{
	struct feed *feed = source->feed;
	const struct vitrine_fxt_record *record = feed->record;
	struct feed_stream *stream = stream_get(feed, record->provider, record->cpu);

	if (!stream)
		return false;
	if (!stream->open)
		return begin_packet(source, stream, feed->record_ns);
	if (stream->made && stream->nr_records == FEED_PACKET_RECORDS)
		return end_packet(source, stream, feed->last_ns);
	stream->nr_records++;
	feed->record = NULL;
	advance_to(feed, feed->record_ns);
	return tell_record(source, stream, record);
}

/* At the end of the trace, end a made packet, which has no end time, or else a stream. */
static bool end_streams(struct source *source, bool *ret_ended)
{
	struct feed *feed = source->feed;
	unsigned int i;

	for (i = 0; i < feed->streams.nr; i++)
		if (stream_at(feed, i)->open)
			return end_packet(source, stream_at(feed, i), feed->last_ns);
	*ret_ended = true;
	while (source->nr_ended < feed->streams.nr) {
		bt_stream *stream = stream_at(feed, source->nr_ended++)->bt_stream;

		if (stream)
			return queue(source,
				     bt_message_stream_end_create(source->iterator, stream));
	}
	return true;
}

/* Convert the next record, or begin or end a packet; at the end of the trace nothing is left. */
static bool advance(struct source *source, bool *ret_ended)
{
	struct feed *feed = source->feed;
	struct feed_stream *stream;

	if (!feed->record && !feed->ended && !fetch(feed))
		return false;
	if (feed->record && !feed->record->timed) {
		left_out_untimed(&source->left_out, feed->record);
		feed->record = NULL;
		return true;
	}
	if (feed->ended || feed->due_ns <= feed->record_ns) {
		stream = earliest(feed);
		if (stream && (feed->ended || feed->due_ns <= feed->record_ns))
			return serve(source, stream);
	}
	return feed->record ? take_record(source) : end_streams(source, ret_ended);
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

	source->iterator = self;
	while (nr < capacity) {
		if (source->nr_given < source->nr_queued) {
			messages[nr++] = source->queue[source->nr_given++];
			continue;
		}
		if (ended)
			break;
		source->nr_queued = 0;
		source->nr_given = 0;
		if (!advance(source, &ended)) {
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
