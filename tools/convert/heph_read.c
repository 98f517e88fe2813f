// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Makes a Fuchsia trace of one in Heph's trace format: ours, or of any other
 * writer, whose events become instants and complete durations.
 *
 * The file is looked through once, for its streams and for their order; if one
 * of them is not in order, a list of all events is sorted in memory.
 */
#define _GNU_SOURCE	/* tdestroy() */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "error.h"
#include "fxt.h"
#include "fxt_write.h"
#include "heph.h"
#include "left_out.h"

#define NSEC_PER_SEC	1000000000ULL

/* FXT counts CPUs to this. */
#define MAX_CPUS	0x10000

/* Later times are this time, so that other formats can say it, too. */
#define LAST_NS		(1ULL << 62)

/**
 * struct heph_stream - a stream
 * @id: of the stream
 * @cpu: it has switches or wakeups: it is a CPU
 * @last: start of its last event
 * @next: counter its next event should have
 * @begun: there was an event
 */
struct heph_stream {
	uint32_t id;
	bool cpu;
	uint64_t last;
	uint32_t next;
	bool begun;
};

/* Where an event is, and when it began. */
struct heph_place {
	uint64_t start;
	uint64_t offset;
};

/**
 * struct heph_attribute - an attribute of an event
 * @name: its name
 * @type: enum heph_type, with HEPH_ARRAY
 * @value: if it is a number
 * @text: if it is a string
 */
struct heph_attribute {
	struct vitrine_fxt_string name;
	unsigned int type;
	uint64_t value;
	struct vitrine_fxt_string text;
};

/**
 * struct heph_packet - a packet
 * @offset: where it is
 * @end: where it ends
 * @event: it is an event, else metadata
 * @name: description, or name of the option
 * @stream: of an event
 * @counter: of an event
 * @substream: of an event
 * @start: of an event
 * @finish: of an event
 * @at: where attributes begin, or the option's value
 */
struct heph_packet {
	uint64_t offset;
	uint64_t end;
	bool event;
	struct vitrine_fxt_string name;
	uint32_t stream;
	uint32_t counter;
	uint64_t substream;
	uint64_t start;
	uint64_t finish;
	uint64_t at;
};

/**
 * struct heph - a file being read
 * @file: its bytes
 * @path: its name
 * @out: what becomes of it
 * @streams: struct heph_stream, a tree of tsearch()
 * @unsorted: a stream is not in the order of time
 * @places: all events, if @unsorted
 * @nr_places: how many
 * @epoch_ns: the option, or 0
 * @left_out: what FXT cannot say
 * @nr_options: options nobody knows
 */
struct heph {
	const struct fxt_file *file;
	const char *path;
	struct fxt_out *out;
	void *streams;
	bool unsorted;
	struct heph_place *places;
	size_t nr_places;
	uint64_t epoch_ns;
	struct left_out left_out;
	uint64_t nr_options;
};

/* ---- Packets ---- */

/* The caller knows that they are there. */
static uint64_t take(const struct heph *heph, uint64_t *at,
		     unsigned int nr_bytes)
{
	uint64_t value = 0;

	while (nr_bytes--)
		value = value << 8 | heph->file->bytes[(*at)++];
	return value;
}

/* False if it is longer than what is left up to @end. */
static bool take_text(const struct heph *heph, uint64_t *at, uint64_t end,
		      struct vitrine_fxt_string *ret)
{
	size_t len;

	if (end - *at < 2)
		return false;
	len = take(heph, at, 2);
	if (end - *at < len)
		return false;
	ret->bytes = (const char *)heph->file->bytes + *at;
	ret->len_bytes = len;
	*at += len;
	return true;
}

static struct vitrine_error *malformed(const struct heph *heph,
				       uint64_t offset, const char *what)
{
	return vitrine_error_create(EBADMSG, heph->path, offset, NULL, "%s",
				    what);
}

static struct vitrine_error *take_packet(const struct heph *heph,
					 uint64_t offset,
					 struct heph_packet *ret)
{
	uint64_t at = offset, left = heph->file->len_bytes - offset, magic;
	uint64_t size, least;

	if (left < 8)
		return malformed(heph, offset, "packet is cut short");
	magic = take(heph, &at, 4);
	size = take(heph, &at, 4);
	if (magic != HEPH_EVENT_MAGIC && magic != HEPH_METADATA_MAGIC)
		return malformed(heph, offset, "neither event nor metadata");
	ret->event = magic == HEPH_EVENT_MAGIC;
	least = ret->event ? HEPH_EVENT_BYTES : HEPH_METADATA_BYTES;
	if (size < least || size > left)
		return malformed(heph, offset, size < least ?
				 "packet is shorter than its fields" :
				 "packet is longer than the file");
	ret->offset = offset;
	ret->end = offset + size;
	if (ret->event) {
		ret->stream = take(heph, &at, 4);
		ret->counter = take(heph, &at, 4);
		ret->substream = take(heph, &at, 8);
		ret->start = take(heph, &at, 8);
		ret->finish = take(heph, &at, 8);
	}
	if (!take_text(heph, &at, ret->end, &ret->name))
		return malformed(heph, offset, ret->event ?
				 "description is longer than its packet" :
				 "option's name is longer than its packet");
	ret->at = at;
	return NULL;
}

/* Passes over an array; its elements are of nothing FXT has. */
static bool skip_array(const struct heph *heph, uint64_t *at, uint64_t end,
		       unsigned int type)
{
	struct vitrine_fxt_string text;
	uint64_t nr;

	if (end - *at < 2)
		return false;
	nr = take(heph, at, 2);
	if (type != HEPH_STRING) {
		if ((end - *at) / 8 < nr)
			return false;
		*at += nr * 8;
		return true;
	}
	while (nr--)
		if (!take_text(heph, at, end, &text))
			return false;
	return true;
}

/* The attribute at *@at. False if it does not fit into the packet. */
static bool take_attribute(const struct heph *heph, uint64_t *at, uint64_t end,
			   struct heph_attribute *ret)
{
	unsigned int type;

	if (!take_text(heph, at, end, &ret->name) || *at == end)
		return false;
	ret->type = take(heph, at, 1);
	type = ret->type & ~HEPH_ARRAY;
	if (type < HEPH_UINT64 || type > HEPH_STRING)
		return false;
	if (ret->type & HEPH_ARRAY)
		return skip_array(heph, at, end, type);
	if (type == HEPH_STRING)
		return take_text(heph, at, end, &ret->text);
	if (end - *at < 8)
		return false;
	ret->value = take(heph, at, 8);
	return true;
}

/* ---- Streams ---- */

static int compare_streams(const void *left, const void *right)
{
	const struct heph_stream *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

static struct heph_stream *stream_of(struct heph *heph, uint32_t id)
{
	struct heph_stream wanted = { .id = id }, *made, **found;

	found = tfind(&wanted, &heph->streams, compare_streams);
	if (found)
		return *found;
	made = calloc(1, sizeof(*made));
	if (!made)
		return NULL;
	made->id = id;
	if (!tsearch(made, &heph->streams, compare_streams)) {
		free(made);
		return NULL;
	}
	return made;
}

/* ---- Events into records ---- */

/* What an event is, by its first attribute: see heph.h. */
enum event_kind {
	KIND_OTHER,
	KIND_SWITCH,
	KIND_WAKEUP,
	KIND_NAME,
	KIND_LOG,
	KIND_EVENT,
};

/* What was found among the attributes. */
struct found {
	enum event_kind kind;
	bool out, state, wakeup, waker, process, log, category, phase;
	bool out_prio, prio, out_weight, weight, id;
	uint64_t out_value, state_value, waker_value, process_value;
	uint64_t out_prio_value, prio_value, phase_value, id_value;
	int64_t out_weight_value, weight_value;
	struct vitrine_fxt_string category_text;
};

static enum event_kind kind_of(const struct heph_packet *packet,
			       const struct heph_attribute *first)
{
	static const struct {
		const char *name;
		enum event_kind kind;
	} kinds[] = {
		{ "out", KIND_SWITCH }, { "wakeup", KIND_WAKEUP },
		{ "process", KIND_NAME }, { "log", KIND_LOG },
	};
	unsigned int i;

	if (first->type == HEPH_STRING)
		return fxt_string_is(&first->name, "category") ? KIND_EVENT :
								 KIND_OTHER;
	if (first->type != HEPH_UINT64 || packet->start != packet->finish)
		return KIND_OTHER;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (fxt_string_is(&first->name, kinds[i].name))
			return kinds[i].kind;
	return KIND_OTHER;
}

static bool keep(const struct heph_attribute *attribute, const char *name,
		 unsigned int type, bool *ret_found, uint64_t *ret_value)
{
	if (*ret_found || attribute->type != type ||
	    !fxt_string_is(&attribute->name, name))
		return false;
	*ret_found = true;
	*ret_value = attribute->value;
	return true;
}

static bool keep_switch(const struct heph_attribute *attribute,
			struct found *found)
{
	return keep(attribute, "out", HEPH_UINT64, &found->out,
		    &found->out_value) ||
	       keep(attribute, "state", HEPH_UINT64, &found->state,
		    &found->state_value) ||
	       keep(attribute, "out_prio", HEPH_UINT64, &found->out_prio,
		    &found->out_prio_value) ||
	       keep(attribute, "prio", HEPH_UINT64, &found->prio,
		    &found->prio_value) ||
	       keep(attribute, "out_weight", HEPH_INT64, &found->out_weight,
		    (uint64_t *)&found->out_weight_value) ||
	       keep(attribute, "weight", HEPH_INT64, &found->weight,
		    (uint64_t *)&found->weight_value);
}

static bool keep_wakeup(const struct heph_attribute *attribute,
			struct found *found)
{
	uint64_t unused;

	return keep(attribute, "wakeup", HEPH_UINT64, &found->wakeup,
		    &unused) ||
	       keep(attribute, "weight", HEPH_INT64, &found->weight,
		    (uint64_t *)&found->weight_value) ||
	       keep(attribute, "waker", HEPH_UINT64, &found->waker,
		    &found->waker_value);
}

static bool keep_event(const struct heph_attribute *attribute,
		       struct found *found)
{
	if (!found->category) {
		found->category = true;
		found->category_text = attribute->text;
		return true;
	}
	return keep(attribute, "phase", HEPH_UINT64, &found->phase,
		    &found->phase_value) ||
	       (found->phase && keep(attribute, "id", HEPH_UINT64, &found->id,
				     &found->id_value));
}

/* True if it is one that we write beside arguments. */
static bool keep_known(const struct heph_attribute *attribute,
		       struct found *found)
{
	uint64_t unused;

	switch (found->kind) {
	case KIND_SWITCH:
		return keep_switch(attribute, found);
	case KIND_WAKEUP:
		return keep_wakeup(attribute, found);
	case KIND_NAME:
		return keep(attribute, "process", HEPH_UINT64, &found->process,
			    &found->process_value);
	case KIND_LOG:
		return keep(attribute, "log", HEPH_UINT64, &found->log,
			    &unused);
	case KIND_EVENT:
		return keep_event(attribute, found);
	default:
		return false;
	}
}

static struct vitrine_fxt_arg *add_arg(struct vitrine_fxt_record *record,
				       unsigned int type, const char *name)
{
	struct vitrine_fxt_arg *arg = &record->args[record->nr_args++];

	arg->type = type;
	arg->name = (struct vitrine_fxt_string){ name, strlen(name) };
	return arg;
}

static void add_argument(struct heph *heph, struct vitrine_fxt_record *record,
			 const struct heph_attribute *attribute)
{
	static const unsigned char types[] = {
		[HEPH_UINT64]	= FXT_ARG_UINT64,
		[HEPH_INT64]	= FXT_ARG_INT64,
		[HEPH_DOUBLE]	= FXT_ARG_DOUBLE,
		[HEPH_STRING]	= FXT_ARG_STRING_REF,
	};
	struct vitrine_fxt_arg *arg;

	if (attribute->type & HEPH_ARRAY || record->nr_args == FXT_MAX_ARGS) {
		heph->left_out.nr[LEFT_OUT_ARGUMENT]++;
		return;
	}
	arg = &record->args[record->nr_args++];
	arg->type = types[attribute->type];
	arg->name = attribute->name;
	if (attribute->type == HEPH_STRING)
		arg->value.string = attribute->text;
	else
		arg->value.uint64 = attribute->value;
}

static struct vitrine_error *collect(struct heph *heph,
				     const struct heph_packet *packet,
				     struct vitrine_fxt_record *record,
				     struct found *found)
{
	struct heph_attribute attribute;
	uint64_t at = packet->at;
	bool first = found->kind != KIND_OTHER;

	record->nr_args = 0;
	while (at < packet->end) {
		if (!take_attribute(heph, &at, packet->end, &attribute))
			return malformed(heph, packet->offset,
					 "attribute is malformed");
		if (first)
			found->kind = kind_of(packet, &attribute);
		first = false;
		if (!keep_known(&attribute, found))
			add_argument(heph, record, &attribute);
	}
	return NULL;
}

/* A switch needs its state, and none of what we write has more than it needs. */
static bool is_whole(const struct found *found,
		     const struct vitrine_fxt_record *record)
{
	switch (found->kind) {
	case KIND_SWITCH:
		return found->state && found->state_value <= FXT_THREAD_DEAD &&
		       found->state_value != FXT_THREAD_RUNNING &&
		       found->out_prio_value <= 255 &&
		       found->prio_value <= 255 && !record->nr_args;
	case KIND_WAKEUP:
	case KIND_NAME:
	case KIND_LOG:
		return !record->nr_args;
	default:
		return true;
	}
}

static struct vitrine_error *take_attributes(struct heph *heph,
					     const struct heph_packet *packet,
					     struct vitrine_fxt_record *record,
					     struct found *ret)
{
	struct vitrine_error *err;

	*ret = (struct found){ .kind = KIND_EVENT };
	err = collect(heph, packet, record, ret);
	if (packet->at == packet->end)
		ret->kind = KIND_OTHER;
	if (err || is_whole(ret, record))
		return err;
	/* It only looks like ours: all attributes are arguments. */
	*ret = (struct found){ .kind = KIND_OTHER };
	return collect(heph, packet, record, ret);
}

static struct vitrine_fxt_thread thread_of(const struct heph *heph,
					   uint64_t koid)
{
	return (struct vitrine_fxt_thread){
		.process = koid ? fxt_out_process(heph->out, koid) : 0,
		.thread = koid,
	};
}

static void make_switch(const struct heph *heph,
			const struct heph_packet *packet,
			const struct found *found,
			struct vitrine_fxt_record *record)
{
	record->kind = VITRINE_FXT_SWITCH;
	record->context_switch.outgoing = thread_of(heph, found->out_value);
	record->context_switch.incoming = thread_of(heph, packet->substream);
	record->context_switch.outgoing_state = found->state_value;
	record->context_switch.legacy = found->out_prio && found->prio;
	record->context_switch.outgoing_priority = found->out_prio_value;
	record->context_switch.incoming_priority = found->prio_value;
	record->nr_args = 0;
	if (found->out_weight)
		add_arg(record, FXT_ARG_INT32, "outgoing_weight")->value.int64 =
			found->out_weight_value;
	if (found->weight)
		add_arg(record, FXT_ARG_INT32, "incoming_weight")->value.int64 =
			found->weight_value;
}

static void make_wakeup(const struct heph *heph,
			const struct heph_packet *packet,
			const struct found *found,
			struct vitrine_fxt_record *record)
{
	record->kind = VITRINE_FXT_WAKEUP;
	record->wakeup = thread_of(heph, packet->substream);
	record->nr_args = 0;
	if (found->weight)
		add_arg(record, FXT_ARG_INT32, "weight")->value.int64 =
			found->weight_value;
	if (found->waker)
		add_arg(record, FXT_ARG_KOID, "waker")->value.uint64 =
			found->waker_value;
}

/* Of other writers, a stream is a thread and its substream what runs on it. */
static void make_event(const struct heph *heph,
		       const struct heph_packet *packet,
		       const struct found *found,
		       struct vitrine_fxt_record *record)
{
	record->kind = VITRINE_FXT_EVENT;
	record->event.thread = thread_of(heph, packet->substream);
	record->event.name = packet->name;
	record->event.id = found->id_value;
	record->event.category = found->category_text;
	record->event.type = packet->finish > packet->start || found->category ?
				     FXT_EVENT_DURATION_COMPLETE :
				     FXT_EVENT_INSTANT;
	if (found->phase && found->phase_value <= FXT_EVENT_FLOW_END)
		record->event.type = found->phase_value;
	if (record->event.type == FXT_EVENT_DURATION_COMPLETE)
		record->event.id = packet->finish < LAST_NS ? packet->finish :
							      LAST_NS;
	if (found->category)
		return;
	record->event.category = (struct vitrine_fxt_string){ "heph", 4 };
	record->event.thread.process = packet->stream;
}

static bool learn_name(struct heph *heph, const struct heph_packet *packet,
		       const struct found *found)
{
	uint64_t process = found->process_value, koid = packet->substream;

	return fxt_out_name_thread(heph->out, koid, process, &packet->name) &&
	       (koid != process ||
		fxt_out_name_process(heph->out, koid, &packet->name));
}

static void make_record(const struct heph *heph,
			const struct heph_packet *packet,
			const struct found *found,
			struct vitrine_fxt_record *record)
{
	record->timed = true;
	record->ticks = packet->start < LAST_NS ? packet->start : LAST_NS;
	record->ticks_per_second = NSEC_PER_SEC;
	switch (found->kind) {
	case KIND_SWITCH:
		make_switch(heph, packet, found, record);
		break;
	case KIND_WAKEUP:
		make_wakeup(heph, packet, found, record);
		break;
	case KIND_LOG:
		record->kind = VITRINE_FXT_LOG;
		record->log.thread = thread_of(heph, packet->substream);
		record->log.message = packet->name;
		break;
	default:
		make_event(heph, packet, found, record);
		break;
	}
}

/* A gap in the counter: so many are missing. */
static struct vitrine_error *follow_counter(const struct heph *heph,
					    struct heph_stream *stream,
					    struct fxt_lane_out *lane,
					    const struct heph_packet *packet)
{
	uint32_t gap = packet->counter - stream->next;
	bool lost = stream->begun && stream->cpu && !heph->unsorted &&
		    gap && gap < 1U << 31;

	stream->begun = true;
	stream->next = packet->counter + 1;
	return lost ? fxt_lane_out_lost(lane, gap) : NULL;
}

static struct vitrine_error *write_event(struct heph *heph,
					 const struct heph_packet *packet)
{
	struct heph_stream *stream = stream_of(heph, packet->stream);
	struct vitrine_fxt_record record;
	struct fxt_lane_out *lane;
	struct vitrine_error *err;
	struct found found;

	record.cpu = stream->cpu ? packet->stream : VITRINE_FXT_NO_CPU;
	err = fxt_lane_out_get(heph->out, record.cpu, &lane);
	if (!err)
		err = follow_counter(heph, stream, lane, packet);
	if (!err)
		err = take_attributes(heph, packet, &record, &found);
	if (err)
		return err;
	if (found.kind == KIND_NAME)
		return learn_name(heph, packet, &found) ? NULL :
						vtr_error_no_memory();
	if (!stream->cpu && (found.kind == KIND_SWITCH ||
			     found.kind == KIND_WAKEUP)) {
		heph->left_out.nr[LEFT_OUT_SCHEDULING]++;
		return NULL;
	}
	make_record(heph, packet, &found, &record);
	return fxt_lane_out_put(lane, &record);
}

/* ---- The file ---- */

static void look_at_option(struct heph *heph, const struct heph_packet *packet)
{
	uint64_t at = packet->at;

	if (fxt_string_is(&packet->name, HEPH_EPOCH) && packet->end - at == 8)
		heph->epoch_ns = take(heph, &at, 8);
	else
		heph->nr_options++;
}

/* All that belongs to no CPU goes into one lane. */
static struct vitrine_error *look_at_event(struct heph *heph,
					   const struct heph_packet *packet,
					   uint64_t *last_other)
{
	struct heph_stream *stream = stream_of(heph, packet->stream);
	struct vitrine_fxt_record record;
	struct vitrine_error *err;
	struct found found;

	if (!stream)
		return vtr_error_no_memory();
	err = take_attributes(heph, packet, &record, &found);
	if (err)
		return err;
	if ((found.kind == KIND_SWITCH || found.kind == KIND_WAKEUP) &&
	    stream->id < MAX_CPUS)
		stream->cpu = true;
	if (packet->start < stream->last ||
	    (!stream->cpu && packet->start < *last_other))
		heph->unsorted = true;
	stream->last = packet->start;
	if (!stream->cpu)
		*last_other = packet->start;
	heph->nr_places++;
	return NULL;
}

/* Now and then, what was read is given back. */
static void release(const struct heph *heph, uint64_t offset,
		    uint64_t *released)
{
	if (offset - *released < FXT_RELEASE_BYTES)
		return;
	fxt_file_release(heph->file, *released, offset);
	*released = offset;
}

static struct vitrine_error *look_through(struct heph *heph)
{
	uint64_t offset = 0, last_other = 0, released = 0;
	struct vitrine_error *err = NULL;
	struct heph_packet packet;

	for (; !err && offset < heph->file->len_bytes; offset = packet.end) {
		err = take_packet(heph, offset, &packet);
		if (err)
			break;
		release(heph, offset, &released);
		if (packet.event)
			err = look_at_event(heph, &packet, &last_other);
		else
			look_at_option(heph, &packet);
	}
	/* What is left out is counted when it is. */
	heph->left_out = (struct left_out){ 0 };
	return err;
}

static struct vitrine_error *write_in_order(struct heph *heph)
{
	uint64_t offset = 0, released = 0;
	struct vitrine_error *err = NULL;
	struct heph_packet packet;

	for (; !err && offset < heph->file->len_bytes; offset = packet.end) {
		err = take_packet(heph, offset, &packet);
		if (!err && packet.event)
			err = write_event(heph, &packet);
		if (err)
			break;
		release(heph, offset, &released);
	}
	return err;
}

static int compare_places(const void *left, const void *right)
{
	const struct heph_place *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

static struct vitrine_error *write_sorted(struct heph *heph)
{
	struct vitrine_error *err = NULL;
	struct heph_packet packet;
	uint64_t offset = 0;
	size_t i, nr = 0;

	heph->places = calloc(heph->nr_places, sizeof(*heph->places));
	if (!heph->places)
		return vtr_error_no_memory();
	for (; !err && offset < heph->file->len_bytes; offset = packet.end) {
		err = take_packet(heph, offset, &packet);
		if (err)
			break;
		if (packet.event)
			heph->places[nr++] = (struct heph_place){
				packet.start, offset };
	}
	qsort(heph->places, nr, sizeof(*heph->places), compare_places);
	for (i = 0; !err && i < nr; i++) {
		err = take_packet(heph, heph->places[i].offset, &packet);
		if (!err)
			err = write_event(heph, &packet);
	}
	return err;
}

static void print_counts(const struct heph *heph, FILE *notes)
{
	struct fxt_out_counts counts = fxt_out_counts(heph->out);
	struct left_out left_out = heph->left_out;

	left_out.nr[LEFT_OUT_EVENT] += counts.nr_refused;
	left_out_print(&left_out, heph->path, "a Fuchsia trace", notes);
	if (counts.nr_breaks)
		fprintf(notes,
			"vitrine: %s: %llu switches from a thread that was not running: for each, one record before it is counted as lost\n",
			heph->path, (unsigned long long)counts.nr_breaks);
	if (heph->nr_options)
		fprintf(notes,
			"vitrine: %s: %" PRIu64 " options are not known\n",
			heph->path, heph->nr_options);
	if (heph->unsorted)
		fprintf(notes,
			"vitrine: %s: not in time order: sorted in memory; gaps in counters are not looked at\n",
			heph->path);
}

/**
 * heph_detect() - is this a trace in Heph's format?
 * @bytes: its first bytes
 * @len_bytes: how many
 *
 * Return: true if it begins as one does.
 */
bool heph_detect(const void *bytes, size_t len_bytes)
{
	const unsigned char *at = bytes;
	uint32_t magic;

	if (len_bytes < 4)
		return false;
	magic = (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
	return magic == HEPH_METADATA_MAGIC || magic == HEPH_EVENT_MAGIC;
}

/**
 * heph_read_file() - make a Fuchsia trace of a file that is open
 * @file: its bytes
 * @from: its name
 * @to: file to make
 * @notes: told what was left out, or NULL
 *
 * Return: NULL, or an error; then there is no such file.
 */
struct vitrine_error *heph_read_file(const struct fxt_file *file,
				     const char *from, const char *to,
				     FILE *notes)
{
	struct heph heph = { .file = file, .path = from };
	struct vitrine_error *err;

	err = look_through(&heph);
	if (!err)
		err = fxt_out_create(to, heph.epoch_ns < LAST_NS ?
				     heph.epoch_ns : 0, &heph.out);
	if (!err)
		err = heph.unsorted ? write_sorted(&heph) :
				      write_in_order(&heph);
	if (!err)
		err = fxt_out_commit(heph.out);
	if (!err && notes)
		print_counts(&heph, notes);
	fxt_out_destroy(heph.out);
	tdestroy(heph.streams, free);
	free(heph.places);
	return err;
}

/**
 * heph_read() - make a Fuchsia trace of one in Heph's format
 * @from: the file
 * @to: file to make
 *
 * Return: NULL, or an error; then there is no such file.
 */
struct vitrine_error *heph_read(const char *from, const char *to)
{
	struct vitrine_error *err;
	struct fxt_file file;

	err = fxt_file_open(from, &file);
	if (err)
		return err;
	err = heph_read_file(&file, from, to, stderr);
	fxt_file_close(&file);
	return err;
}
