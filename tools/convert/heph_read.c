// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Convert a file in Heph's trace format, written by vitrine or by others, to a Fuchsia trace:
 * read its packets, convert its events, and follow its streams.
 *
 * The attributes of an event that vitrine wrote identify its kind. Events of other writers
 * become instants and complete durations.
 *
 * A first pass finds the streams and checks whether they are in time order. If not, a list
 * of all events is sorted in memory. All functions are called by one thread. One conversion runs at
 * a time; its state is static.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vitrine/fxt.h>

#include "base.h"
#include "fxt_file.h"
#include "fxt_names.h"
#include "fxt_record.h"
#include "fxt_write.h"
#include "heph.h"
#include "left_out.h"

/* Later times are clipped to this one, so that other formats can represent them, too. */
#define HEPH_LAST_NS	(1ULL << 62)

/* Room for the name of an element of an array. */
#define HEPH_ELEMENT_BYTES	256

/**
 * struct heph_packet - a packet
 * @offset: position in the file
 * @end: position of the end
 * @event: the packet is an event, otherwise it is metadata
 * @name: description of an event, or name of an option
 * @stream: stream of an event
 * @counter: counter of an event
 * @substream: substream of an event
 * @start: start time of an event
 * @finish: end time of an event
 * @at: position of the attributes of an event, or of the value of an option
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
 * struct heph - the file that is being converted
 * @file: contents of the file
 * @path: name of the file
 * @out: the Fuchsia trace
 * @streams: struct heph_stream by id
 * @unsorted: a stream is not in time order
 * @last_other: start of the last event of a stream that is no CPU
 * @places: all events in time order, if @unsorted
 * @nr_places: number of @places
 * @epoch_ns: value of the option of that name, or 0
 * @left_out: counts of what FXT cannot represent
 * @nr_options: number of unknown options
 * @element_names: by argument of a record, name of an element of an array
 */
static struct heph {
	const struct fxt_file *file;
	const char *path;
	struct fxt_out *out;
	struct fxt_names streams;
	bool unsorted;
	uint64_t last_other;
	struct heph_place *places;
	size_t nr_places;
	uint64_t epoch_ns;
	struct left_out left_out;
	uint64_t nr_options;
	char element_names[FXT_MAX_ARGS][HEPH_ELEMENT_BYTES];
} heph;

/* Kind of an event, by its first attribute: see heph.h. */
enum heph_kind {
	KIND_OTHER,
	KIND_SWITCH,
	KIND_WAKEUP,
	KIND_NAME,
	KIND_LOG,
	KIND_EVENT,
};

/* Attributes that vitrine writes in addition to arguments. */
enum heph_known {
	KNOWN_OUT,
	KNOWN_STATE,
	KNOWN_OUT_PRIO,
	KNOWN_PRIO,
	KNOWN_OUT_WEIGHT,
	KNOWN_IN_WEIGHT,
	KNOWN_WAKEUP,
	KNOWN_WEIGHT,
	KNOWN_WAKER,
	KNOWN_CONTEXT,
	KNOWN_PROCESS,
	KNOWN_LOG,
	KNOWN_CATEGORY,
	KNOWN_PHASE,
	KNOWN_ID,
	NR_KNOWN,
};

/* Their names and types in events of a kind. The first one of an event tells the kind. */
static const struct {
	enum heph_kind kind;
	const char *name;
	unsigned int type;
	bool is_first;
} known[NR_KNOWN] = {
	[KNOWN_OUT]		= { KIND_SWITCH, "out", HEPH_UINT64, true },
	[KNOWN_STATE]		= { KIND_SWITCH, "state", HEPH_UINT64 },
	[KNOWN_OUT_PRIO]	= { KIND_SWITCH, "out_prio", HEPH_UINT64 },
	[KNOWN_PRIO]		= { KIND_SWITCH, "prio", HEPH_UINT64 },
	[KNOWN_OUT_WEIGHT]	= { KIND_SWITCH, "out_weight", HEPH_INT64 },
	[KNOWN_IN_WEIGHT]	= { KIND_SWITCH, "weight", HEPH_INT64 },
	[KNOWN_WAKEUP]		= { KIND_WAKEUP, "wakeup", HEPH_UINT64, true },
	[KNOWN_WEIGHT]		= { KIND_WAKEUP, "weight", HEPH_INT64 },
	[KNOWN_WAKER]		= { KIND_WAKEUP, "waker", HEPH_UINT64 },
	[KNOWN_CONTEXT]		= { KIND_WAKEUP, "context", HEPH_UINT64 },
	[KNOWN_PROCESS]		= { KIND_NAME, "process", HEPH_UINT64, true },
	[KNOWN_LOG]		= { KIND_LOG, "log", HEPH_UINT64, true },
	[KNOWN_CATEGORY]	= { KIND_EVENT, "category", HEPH_STRING, true },
	[KNOWN_PHASE]		= { KIND_EVENT, "phase", HEPH_UINT64 },
	[KNOWN_ID]		= { KIND_EVENT, "id", HEPH_UINT64 },
};

/**
 * struct heph_found - what an event has of them
 * @kind: kind of the event
 * @has: found
 * @values: values of those that are numbers
 * @category: text of KNOWN_CATEGORY
 */
struct heph_found {
	enum heph_kind kind;
	bool has[NR_KNOWN];
	uint64_t values[NR_KNOWN];
	struct vitrine_fxt_string category;
};

#define NSEC_PER_SEC	1000000000ULL

/**
 * struct heph_attribute - an attribute of an event
 * @name: name of the attribute
 * @type: enum heph_type, with HEPH_ARRAY
 * @value: value, if it is a number
 * @text: value, if it is a string
 * @nr: number of elements of an array
 * @at: position of the first one
 */
struct heph_attribute {
	struct vitrine_fxt_string name;
	unsigned int type;
	uint64_t value;
	struct vitrine_fxt_string text;
	unsigned int nr;
	uint64_t at;
};

/**
 * struct heph_stream - a stream
 * @cpu: the stream is a CPU, because it has switches or wakeups
 * @last: start of the last event
 * @next: expected counter of the next event
 * @begun: the stream has had an event
 */
struct heph_stream {
	bool cpu;
	uint64_t last;
	uint32_t next;
	bool begun;
};

/* Start time of an event, and its position in the file. */
struct heph_place {
	uint64_t start;
	uint64_t offset;
};

/* ---- Packets ----------------------------------------------------------- */

/* Read a number of @nr_bytes at *@at; the caller has checked that they are in the file. */
static inline uint64_t heph_take(uint64_t *at,
				 unsigned int nr_bytes)
{
	uint64_t value = 0;

	while (nr_bytes--)
		value = value << 8 | heph.file->bytes[(*at)++];
	return value;
}

/* Read a string at *@at. Return false if it exceeds @end. */
static inline bool heph_take_text(uint64_t *at,
				  uint64_t end, struct vitrine_fxt_string *ret)
{
	size_t len;

	if (end - *at < 2)
		return false;
	len = heph_take(at, 2);
	if (end - *at < len)
		return false;
	ret->bytes = (const char *)heph.file->bytes + *at;
	ret->len_bytes = len;
	*at += len;
	return true;
}

/* Create an error for a malformed file. Returns the error, EBADMSG. */
static struct vitrine_error *heph_malformed(uint64_t offset,
					    const char *what)
{
	return vitrine_error_create(EBADMSG, heph.path, offset, NULL, "%s",
				    what);
}

/* Read the header of a packet. Returns NULL, or an error: EBADMSG. */
static struct vitrine_error *heph_take_packet(uint64_t offset,
					      struct heph_packet *ret)
{
	uint64_t at = offset, left = heph.file->len_bytes - offset, magic;
	uint64_t size, least;

	if (left < 8)
		return heph_malformed(offset, "packet is cut short");
	magic = heph_take(&at, 4);
	size = heph_take(&at, 4);
	if (magic != HEPH_EVENT_MAGIC && magic != HEPH_METADATA_MAGIC)
		return heph_malformed(offset,
				      "neither event nor metadata");
	ret->event = magic == HEPH_EVENT_MAGIC;
	least = ret->event ? HEPH_EVENT_BYTES : HEPH_METADATA_BYTES;
	if (size < least || size > left)
		return heph_malformed(offset, size < least ?
				      "packet is shorter than its fields" :
				      "packet is longer than the file");
	ret->offset = offset;
	ret->end = offset + size;
	if (ret->event) {
		ret->stream = heph_take(&at, 4);
		ret->counter = heph_take(&at, 4);
		ret->substream = heph_take(&at, 8);
		ret->start = heph_take(&at, 8);
		ret->finish = heph_take(&at, 8);
	}
	if (!heph_take_text(&at, ret->end, &ret->name))
		return heph_malformed(offset, ret->event ?
				      "description is longer than its packet" :
				      "option's name is longer than its packet");
	ret->at = at;
	return NULL;
}

/* ---- Attributes ---- */

/* Read a value, which is no array, at *@at. Return false if it exceeds the packet. */
static bool take_value(uint64_t *at, uint64_t end,
		       struct heph_attribute *ret)
{
	if ((ret->type & ~HEPH_ARRAY) == HEPH_STRING)
		return heph_take_text(at, end, &ret->text);
	if (end - *at < 8)
		return false;
	ret->value = heph_take(at, 8);
	return true;
}

/* Find the elements of the array at *@at. Return false if it exceeds the packet. */
static bool take_array(uint64_t *at, uint64_t end,
		       struct heph_attribute *ret)
{
	unsigned int i;

	if (end - *at < 2)
		return false;
	ret->nr = heph_take(at, 2);
	ret->at = *at;
	for (i = 0; i < ret->nr; i++)
		if (!take_value(at, end, ret))
			return false;
	return true;
}

/* Read the attribute at *@at. Return false if it exceeds the packet. */
static bool take_attribute(uint64_t *at, uint64_t end,
			   struct heph_attribute *ret)
{
	unsigned int type;

	if (!heph_take_text(at, end, &ret->name) || *at == end)
		return false;
	ret->type = heph_take(at, 1);
	type = ret->type & ~HEPH_ARRAY;
	if (type < HEPH_UINT64 || type > HEPH_STRING)
		return false;
	if (ret->type & HEPH_ARRAY)
		return take_array(at, end, ret);
	return take_value(at, end, ret);
}

/* ---- Recognising events written by vitrine ---- */

static bool is_known(const struct heph_attribute *attribute, enum heph_known i)
{
	return attribute->type == known[i].type && fxt_string_is(&attribute->name, known[i].name);
}

static enum heph_kind kind_of(const struct heph_packet *packet,
			      const struct heph_attribute *first)
{
	unsigned int i;

	if (first->type != HEPH_STRING && packet->start != packet->finish)
		return KIND_OTHER;
	for (i = 0; i < NR_KNOWN; i++)
		if (known[i].is_first && is_known(first, i))
			return known[i].kind;
	return KIND_OTHER;
}

/* Store an attribute that vitrine writes in addition to arguments. Return false for others. */
static bool keep_known(const struct heph_attribute *attribute,
		       struct heph_found *found)
{
	unsigned int i;

	for (i = 0; i < NR_KNOWN; i++) {
		if (known[i].kind != found->kind || found->has[i] || !is_known(attribute, i) ||
		    (i == KNOWN_ID && !found->has[KNOWN_PHASE]))
			continue;
		found->has[i] = true;
		found->values[i] = attribute->value;
		if (i == KNOWN_CATEGORY)
			found->category = attribute->text;
		return true;
	}
	return false;
}

static void set_argument(struct vitrine_fxt_arg *arg,
			 const struct vitrine_fxt_string *name,
			 const struct heph_attribute *attribute)
{
	static const unsigned char types[] = {
		[HEPH_UINT64]	= FXT_ARG_UINT64,
		[HEPH_INT64]	= FXT_ARG_INT64,
		[HEPH_DOUBLE]	= FXT_ARG_DOUBLE,
		[HEPH_STRING]	= FXT_ARG_STRING_REF,
	};

	arg->type = types[attribute->type & ~HEPH_ARRAY];
	arg->name = *name;
	if (arg->type == FXT_ARG_STRING_REF)
		arg->value.string = attribute->text;
	else
		arg->value.uint64 = attribute->value;
}

/* Add the elements of an array, which are called NAME[0], NAME[1] and so on. */
static void add_array(const struct heph_packet *packet,
		      struct vitrine_fxt_record *record,
		      struct heph_attribute array)
{
	struct vitrine_fxt_string name;
	uint64_t at = array.at;
	unsigned int i;
	char *text;

	for (i = 0; i < array.nr; i++) {
		take_value(&at, packet->end, &array);
		text = heph.element_names[record->nr_args];
		name.bytes = text;
		name.len_bytes = snprintf(text, HEPH_ELEMENT_BYTES, "%.*s[%u]",
					  (int)array.name.len_bytes,
					  array.name.bytes, i);
		set_argument(&record->args[record->nr_args++], &name, &array);
	}
}

/* Whether the arguments have room for an attribute; FXT has no empty arrays. */
static bool has_room(const struct vitrine_fxt_record *record,
		     const struct heph_attribute *attribute)
{
	unsigned int room = FXT_MAX_ARGS - record->nr_args;

	if (!(attribute->type & HEPH_ARRAY))
		return room;
	return attribute->nr && attribute->nr <= room &&
	       attribute->name.len_bytes + strlen("[14]") < HEPH_ELEMENT_BYTES &&
	       !memchr(attribute->name.bytes, '\0', attribute->name.len_bytes);
}

static void add_argument(const struct heph_packet *packet,
			 struct vitrine_fxt_record *record,
			 const struct heph_attribute *attribute)
{
	if (!has_room(record, attribute))
		heph.left_out.nr[LEFT_OUT_ARGUMENT]++;
	else if (attribute->type & HEPH_ARRAY)
		add_array(packet, record, *attribute);
	else
		set_argument(&record->args[record->nr_args++], &attribute->name,
			     attribute);
}

static struct vitrine_error *collect(const struct heph_packet *packet,
				     struct vitrine_fxt_record *record,
				     struct heph_found *found)
{
	struct heph_attribute attribute = { .type = 0 };
	uint64_t at = packet->at;
	bool first = found->kind != KIND_OTHER;

	record->nr_args = 0;
	while (at < packet->end) {
		if (!take_attribute(&at, packet->end, &attribute))
			return heph_malformed(packet->offset,
					      "attribute is malformed");
		if (first)
			found->kind = kind_of(packet, &attribute);
		first = false;
		if (!keep_known(&attribute, found))
			add_argument(packet, record, &attribute);
	}
	return NULL;
}

/* Whether an event has exactly the attributes of its kind. */
static bool is_whole(const struct heph_found *found,
		     const struct vitrine_fxt_record *record)
{
	switch (found->kind) {
	case KIND_SWITCH:
		return found->has[KNOWN_STATE] && found->values[KNOWN_STATE] <= FXT_THREAD_DEAD &&
		       found->values[KNOWN_STATE] != FXT_THREAD_RUNNING &&
		       found->values[KNOWN_OUT_PRIO] <= 255 &&
		       found->values[KNOWN_PRIO] <= 255 && !record->nr_args;
	case KIND_WAKEUP:
	case KIND_NAME:
	case KIND_LOG:
		return !record->nr_args;
	default:
		return true;
	}
}

/* Read the attributes of an event and determine its kind. Returns NULL, or an error: EBADMSG. */
static struct vitrine_error *heph_take_attributes(const struct heph_packet *packet,
						  struct vitrine_fxt_record *record,
						  struct heph_found *ret)
{
	struct vitrine_error *err;

	*ret = (struct heph_found){ .kind = KIND_EVENT };
	err = collect(packet, record, ret);
	if (packet->at == packet->end)
		ret->kind = KIND_OTHER;
	if (err || is_whole(ret, record))
		return err;
	/* Not written by vitrine after all: all attributes are arguments. */
	*ret = (struct heph_found){ .kind = KIND_OTHER };
	return collect(packet, record, ret);
}

static struct vitrine_fxt_thread thread_of(uint64_t koid)
{
	return (struct vitrine_fxt_thread){
		.process = koid ? fxt_out_process(heph.out, koid) : 0,
		.thread = koid,
	};
}

static void make_switch(const struct heph_packet *packet,
			const struct heph_found *found,
			struct vitrine_fxt_record *record)
{
	record->kind = VITRINE_FXT_SWITCH;
	record->context_switch.outgoing = thread_of(found->values[KNOWN_OUT]);
	record->context_switch.incoming = thread_of(packet->substream);
	record->context_switch.outgoing_state = found->values[KNOWN_STATE];
	record->context_switch.legacy = found->has[KNOWN_OUT_PRIO] && found->has[KNOWN_PRIO];
	record->context_switch.outgoing_priority = found->values[KNOWN_OUT_PRIO];
	record->context_switch.incoming_priority = found->values[KNOWN_PRIO];
	record->nr_args = 0;
	if (found->has[KNOWN_OUT_WEIGHT])
		fxt_add_weight(record, "outgoing_weight",
			       found->values[KNOWN_OUT_WEIGHT]);
	if (found->has[KNOWN_IN_WEIGHT])
		fxt_add_weight(record, "incoming_weight",
			       found->values[KNOWN_IN_WEIGHT]);
}

static void make_wakeup(const struct heph_packet *packet,
			const struct heph_found *found,
			struct vitrine_fxt_record *record)
{
	record->kind = VITRINE_FXT_WAKEUP;
	record->wakeup = thread_of(packet->substream);
	record->wakeup_context = found->has[KNOWN_CONTEXT] &&
				 vitrine_fxt_context_name(found->values[KNOWN_CONTEXT]) ?
				 found->values[KNOWN_CONTEXT] : FXT_WAKEUP_UNKNOWN;
	record->nr_args = 0;
	if (found->has[KNOWN_WEIGHT])
		fxt_add_weight(record, "weight", found->values[KNOWN_WEIGHT]);
	if (found->has[KNOWN_WAKER])
		fxt_add_waker(record, found->values[KNOWN_WAKER]);
}

/* In files of other writers a stream is a thread, and a substream is a task on it. */
static void make_event(const struct heph_packet *packet,
		       const struct heph_found *found,
		       struct vitrine_fxt_record *record)
{
	record->kind = VITRINE_FXT_EVENT;
	record->event.thread = thread_of(packet->substream);
	record->event.name = packet->name;
	record->event.id = found->values[KNOWN_ID];
	record->event.category = found->category;
	record->event.type = packet->finish > packet->start || found->has[KNOWN_CATEGORY] ?
				     FXT_EVENT_DURATION_COMPLETE :
				     FXT_EVENT_INSTANT;
	if (found->has[KNOWN_PHASE] && found->values[KNOWN_PHASE] <= FXT_EVENT_FLOW_END)
		record->event.type = found->values[KNOWN_PHASE];
	if (record->event.type == FXT_EVENT_DURATION_COMPLETE)
		record->event.id = packet->finish < HEPH_LAST_NS ?
					   packet->finish : HEPH_LAST_NS;
	if (found->has[KNOWN_CATEGORY])
		return;
	record->event.category.bytes = HEPH_CATEGORY;
	record->event.category.len_bytes = strlen(HEPH_CATEGORY);
	record->event.thread.process = packet->stream;
}

/* Set the name of a thread from an event of KIND_NAME. */
static void heph_learn_name(const struct heph_packet *packet,
			    const struct heph_found *found)
{
	uint64_t process = found->values[KNOWN_PROCESS], koid = packet->substream;

	fxt_out_name_thread(heph.out, koid, process, &packet->name);
	if (koid == process)
		fxt_out_name_process(heph.out, koid, &packet->name);
}

/* Convert an event of any other kind to a record. */
static void heph_make_record(const struct heph_packet *packet,
			     const struct heph_found *found,
			     struct vitrine_fxt_record *record)
{
	record->timed = true;
	record->ticks = packet->start < HEPH_LAST_NS ? packet->start :
						       HEPH_LAST_NS;
	record->ticks_per_second = NSEC_PER_SEC;
	switch (found->kind) {
	case KIND_SWITCH:
		make_switch(packet, found, record);
		break;
	case KIND_WAKEUP:
		make_wakeup(packet, found, record);
		break;
	case KIND_LOG:
		record->kind = VITRINE_FXT_LOG;
		record->log.thread = thread_of(packet->substream);
		record->log.message = packet->name;
		break;
	default:
		make_event(packet, found, record);
		break;
	}
}

/* ---- Streams ---- */

static struct heph_stream *stream_of(uint32_t id)
{
	return fxt_names_owned(&heph.streams, id, sizeof(struct heph_stream));
}

/* Report a gap in the counter of a stream as lost records. */
static void follow_counter(struct heph_stream *stream,
			   const struct heph_packet *packet)
{
	uint32_t gap = packet->counter - stream->next;

	if (stream->begun && stream->cpu && !heph.unsorted && gap && gap < 1U << 31)
		fxt_out_lost(heph.out, 0, packet->stream, gap);
	stream->begun = true;
	stream->next = packet->counter + 1;
}

static struct vitrine_error *write_event(const struct heph_packet *packet)
{
	struct heph_stream *stream = stream_of(packet->stream);
	struct vitrine_fxt_record record;
	struct vitrine_error *err;
	struct heph_found found;

	follow_counter(stream, packet);
	err = heph_take_attributes(packet, &record, &found);
	if (err)
		return err;
	record.provider = 0;
	record.cpu = stream->cpu ? packet->stream : VITRINE_FXT_NO_CPU;
	if (found.kind == KIND_NAME) {
		heph_learn_name(packet, &found);
	} else if (!stream->cpu && (found.kind == KIND_SWITCH || found.kind == KIND_WAKEUP)) {
		heph.left_out.nr[LEFT_OUT_SCHEDULING]++;
	} else {
		heph_make_record(packet, &found, &record);
		fxt_out_put(heph.out, &record);
	}
	return fxt_out_error(heph.out);
}

/* ---- The file ---- */

static void look_at_option(const struct heph_packet *packet)
{
	uint64_t at = packet->at;

	if (fxt_string_is(&packet->name, HEPH_EPOCH) && packet->end - at == 8)
		heph.epoch_ns = heph_take(&at, 8);
	else
		heph.nr_options++;
}

/* All events of streams that are not CPUs go to one lane, and must be in time order there. */
static struct vitrine_error *look_at_event(const struct heph_packet *packet)
{
	struct heph_stream *stream = stream_of(packet->stream);
	struct vitrine_fxt_record record;
	struct vitrine_error *err;
	struct heph_found found;

	if (!stream)
		return vtr_error_no_memory();
	err = heph_take_attributes(packet, &record, &found);
	if (err)
		return err;
	if ((found.kind == KIND_SWITCH || found.kind == KIND_WAKEUP) &&
	    packet->stream < FXT_MAX_CPUS)
		stream->cpu = true;
	if (packet->start < stream->last ||
	    (!stream->cpu && packet->start < heph.last_other))
		heph.unsorted = true;
	stream->last = packet->start;
	if (!stream->cpu)
		heph.last_other = packet->start;
	heph.nr_places++;
	return NULL;
}

/* Call a function for each packet, in the order of the file. */
static struct vitrine_error *
visit_packets(struct vitrine_error *(*visit)(const struct heph_packet *packet))
{
	uint64_t limit = FXT_RELEASE_BYTES, offset = 0;
	struct vitrine_error *err = NULL;
	struct heph_packet packet;

	for (; !err && offset < heph.file->len_bytes; offset = packet.end) {
		err = heph_take_packet(offset, &packet);
		if (err)
			break;
		err = visit(&packet);
		limit = fxt_file_pass(heph.file, limit, offset);
	}
	return err;
}

static struct vitrine_error *look_at_packet(const struct heph_packet *packet)
{
	if (packet->event)
		return look_at_event(packet);
	look_at_option(packet);
	return NULL;
}

static struct vitrine_error *write_packet(const struct heph_packet *packet)
{
	return packet->event ? write_event(packet) : NULL;
}

static struct vitrine_error *add_place(const struct heph_packet *packet)
{
	if (packet->event)
		heph.places[heph.nr_places++] = (struct heph_place){
			packet->start, packet->offset };
	return NULL;
}

static int compare_places(const void *left, const void *right)
{
	const struct heph_place *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

static struct vitrine_error *write_sorted(void)
{
	struct vitrine_error *err;
	struct heph_packet packet;
	size_t i;

	heph.places = calloc(heph.nr_places, sizeof(*heph.places));
	if (!heph.places)
		return vtr_error_no_memory();
	heph.nr_places = 0;
	err = visit_packets(add_place);
	qsort(heph.places, heph.nr_places, sizeof(*heph.places), compare_places);
	for (i = 0; !err && i < heph.nr_places; i++) {
		err = heph_take_packet(heph.places[i].offset, &packet);
		if (!err)
			err = write_event(&packet);
	}
	return err;
}

static void print_counts(FILE *notes)
{
	struct fxt_out_counts counts = fxt_out_counts(heph.out);

	left_out_print_fxt(heph.left_out, &counts, heph.path, notes);
	left_out_note(heph.path, heph.nr_options, "options are not known", notes);
	if (heph.unsorted)
		fprintf(notes,
			"vitrine: %s: not in time order: sorted in memory; packet counters are not checked for gaps\n",
			heph.path);
}

/**
 * heph_detect() - check whether a file is in Heph's format
 * @bytes: first bytes of the file
 * @len_bytes: number of @bytes
 *
 * Return: true if the file begins with the magic number of a packet.
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
 * heph_read_file() - convert an open file in Heph's format to a Fuchsia trace
 * @file: contents of the file
 * @from: name of the file
 * @to: file to write
 * @notes: stream for notes on what was left out, or NULL
 *
 * Return: NULL, or an error; after an error @to is not written.
 */
struct vitrine_error *heph_read_file(const struct fxt_file *file,
				     const char *from, const char *to,
				     FILE *notes)
{
	struct vitrine_error *err;

	heph = (struct heph){ .file = file, .path = from };
	err = visit_packets(look_at_packet);
	/* The second pass counts what is left out. */
	heph.left_out = (struct left_out){ 0 };
	if (!err)
		err = fxt_out_create(to, heph.epoch_ns < HEPH_LAST_NS ?
				     heph.epoch_ns : 0, &heph.out);
	if (!err)
		err = heph.unsorted ? write_sorted() : visit_packets(write_packet);
	if (!err)
		err = fxt_out_commit(heph.out);
	if (!err && notes)
		print_counts(notes);
	fxt_out_destroy(heph.out);
	fxt_names_free_owned(&heph.streams, NULL);
	free(heph.places);
	return err;
}

/**
 * heph_read() - convert a file in Heph's format to a Fuchsia trace
 * @from: the file
 * @name: its name in messages
 * @to: file to write
 *
 * Return: NULL, or an error; after an error @to is not written.
 */
struct vitrine_error *heph_read(const char *from, const char *name, const char *to)
{
	struct vitrine_error *err;
	struct fxt_file file;

	err = fxt_file_open(from, &file);
	if (err)
		return err;
	err = heph_read_file(&file, name, to, stderr);
	fxt_file_close(&file);
	return err;
}
