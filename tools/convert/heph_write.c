// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Convert a Fuchsia trace to Heph's trace format. One conversion runs at a time; its state is
 * static.
 */
#include <errno.h>

#include "archive.h"
#include "base.h"
#include "fxt_names.h"
#include "fxt_record.h"
#include "heph.h"
#include "left_out.h"
#include "writer.h"

#define BUFFER_BYTES	(1U << 16)

/* A stream id, and the counter of its next event. */
struct heph_counter {
	uint32_t id;
	uint32_t next;
};

/**
 * struct heph_out - the file that is being written
 * @archive: the trace to convert
 * @writer: writer of the file
 * @counters: struct heph_counter of all streams by id
 * @told: threads and processes whose names were written are used
 * @left_out: counts of what the format cannot represent
 * @limit: longest packet; what does not fit is left out
 * @nr_long: number of packets that Heph's own converter does not read
 * @len: length of the packets in @buffer that are not written yet
 * @at: length of the current packet, which follows them
 */
static struct heph_out {
	struct vitrine_archive *archive;
	struct vitrine_writer *writer;
	struct fxt_names counters;
	struct fxt_names told;
	struct left_out left_out;
	size_t limit;
	uint64_t nr_long;
	size_t len;
	size_t at;
} out;

static unsigned char buffer[BUFFER_BYTES + HEPH_MAX_BYTES];

/* ---- Packets ---- */

/* Append a number to the packet; the caller has checked that it fits. */
static void put(uint64_t value, unsigned int nr_bytes)
{
	while (nr_bytes--)
		buffer[out.len + out.at++] = value >> 8 * nr_bytes;
}

static void put_bytes(const void *bytes, size_t len)
{
	memcpy(buffer + out.len + out.at, bytes, len);
	out.at += len;
}

static struct vitrine_error *flush(void)
{
	struct vitrine_error *err;

	err = vitrine_writer_append(out.writer, buffer, out.len);
	out.len = 0;
	return err;
}

/* Fill in the size of the packet, and write it. */
static struct vitrine_error *end_packet(void)
{
	size_t len = out.at;

	out.at = 4;
	put(len, 4);
	out.nr_long += len > HEPH_PACKET_BYTES;
	out.len += len;
	return out.len < BUFFER_BYTES ? NULL : flush();
}

/* @after: number of bytes to keep free for attributes after the description */
static void begin_event(struct heph_counter *counter,
			uint64_t substream, uint64_t start, uint64_t end,
			const struct vitrine_fxt_string *description,
			size_t after)
{
	size_t len = vtr_utf8_cut(description->bytes, description->len_bytes,
				  out.limit - HEPH_EVENT_BYTES - after);

	out.left_out.nr[LEFT_OUT_TEXT] += len < description->len_bytes;
	out.at = 0;
	put(HEPH_EVENT_MAGIC, 4);
	put(0, 4);
	put(counter->id, 4);
	put(counter->next++, 4);
	put(substream, 8);
	put(start, 8);
	put(end, 8);
	put(len, 2);
	put_bytes(description->bytes, len);
}

/* Length of an attribute whose value is a number. */
static size_t number_bytes(const char *name)
{
	return 2 + strlen(name) + 1 + 8;
}

static void put_name(const char *name, size_t len,
		     enum heph_type type)
{
	put(len, 2);
	put_bytes(name, len);
	put(type, 1);
}

static void put_number(const char *name,
		       enum heph_type type, uint64_t value)
{
	put_name(name, strlen(name), type);
	put(value, 8);
}

/* Return the type of an argument; 0: it has no value. */
static enum heph_type type_of(const struct vitrine_fxt_arg *arg)
{
	static const uint8_t types[] = {
		[FXT_CLASS_SIGNED]	= HEPH_INT64,
		[FXT_CLASS_UNSIGNED]	= HEPH_UINT64,
		[FXT_CLASS_REAL]	= HEPH_DOUBLE,
		[FXT_CLASS_TEXT]	= HEPH_STRING,
		[FXT_CLASS_ADDRESS]	= HEPH_UINT64,
		[FXT_CLASS_BOOL]	= HEPH_UINT64,
	};

	return types[fxt_arg_class(arg->type)];
}

/* Length of the value of an argument. */
static size_t value_bytes(const struct vitrine_fxt_arg *arg)
{
	return arg->type == FXT_ARG_STRING_REF ? 2 + arg->value.string.len_bytes : 8;
}

static void put_value(const struct vitrine_fxt_arg *arg)
{
	if (arg->type == FXT_ARG_STRING_REF) {
		put(arg->value.string.len_bytes, 2);
		put_bytes(arg->value.string.bytes, arg->value.string.len_bytes);
	} else {
		put(arg->type == FXT_ARG_BOOL ? arg->value.boolean : arg->value.uint64, 8);
	}
}

/* Append an argument. Return false if it does not fit, or has no value. */
static bool put_arg(const struct vitrine_fxt_arg *arg)
{
	enum heph_type type = type_of(arg);

	if (!type || out.at + 2 + arg->name.len_bytes + 1 + value_bytes(arg) > out.limit)
		return false;
	put_name(arg->name.bytes, arg->name.len_bytes, type);
	put_value(arg);
	return true;
}

static void put_args(const struct vitrine_fxt_record *record)
{
	unsigned int i;

	for (i = 0; i < record->nr_args; i++)
		out.left_out.nr[LEFT_OUT_ARGUMENT] += !put_arg(&record->args[i]);
}

/* ---- Arrays ---- */

/* Return the length of NAME if the argument is called NAME[@index], otherwise 0. */
static size_t element_name(const struct vitrine_fxt_arg *arg, unsigned int index)
{
	char end[16];
	size_t len = snprintf(end, sizeof(end), "[%u]", index);

	if (arg->name.len_bytes <= len ||
	    memcmp(arg->name.bytes + arg->name.len_bytes - len, end, len))
		return 0;
	return arg->name.len_bytes - len;
}

/* Return how many of the arguments are the elements of one array, the first of them first. */
static unsigned int nr_elements(const struct vitrine_fxt_arg *args,
				unsigned int nr_args)
{
	size_t len = element_name(args, 0);
	unsigned int i;

	if (!len)
		return 0;
	for (i = 1; i < nr_args; i++)
		if (args[i].type != args->type ||
		    element_name(&args[i], i) != len ||
		    memcmp(args[i].name.bytes, args->name.bytes, len))
			break;
	return i;
}

static bool put_array(const struct vitrine_fxt_arg *args, unsigned int nr)
{
	size_t len_name = element_name(args, 0), len = 2 + len_name + 1 + 2;
	enum heph_type type = type_of(args);
	unsigned int i;

	for (i = 0; i < nr; i++)
		len += value_bytes(&args[i]);
	if (!type || out.at + len > out.limit)
		return false;
	put_name(args->name.bytes, len_name, type | HEPH_ARRAY);
	put(nr, 2);
	for (i = 0; i < nr; i++)
		put_value(&args[i]);
	return true;
}

static void put_attributes(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *args;
	unsigned int i, nr;
	bool good;

	for (i = 0; i < record->nr_args; i += nr ? nr : 1) {
		args = &record->args[i];
		nr = nr_elements(args, record->nr_args - i);
		good = nr ? put_array(args, nr) : put_arg(args);
		out.left_out.nr[LEFT_OUT_ARGUMENT] += !good;
	}
}

static struct vitrine_error *put_epoch(void)
{
	uint64_t realtime_ns;

	if (!archive_realtime(out.archive, &realtime_ns))
		return NULL;
	out.at = 0;
	put(HEPH_METADATA_MAGIC, 4);
	put(0, 4);
	put(strlen(HEPH_EPOCH), 2);
	put_bytes(HEPH_EPOCH, strlen(HEPH_EPOCH));
	put(realtime_ns, 8);
	return end_packet();
}

/* ---- Streams and threads ---- */

/* Return the counter of a stream, or NULL without memory. */
static struct heph_counter *counter_of(uint32_t id)
{
	struct heph_counter *counter;

	counter = fxt_names_owned(&out.counters, id, sizeof(*counter));
	if (counter)
		counter->id = id;
	return counter;
}

static uint32_t id_of(uint32_t provider, uint32_t cpu)
{
	return cpu != VITRINE_FXT_NO_CPU ? cpu : HEPH_OTHER_STREAM | provider;
}

static struct vitrine_fxt_string name_of(uint64_t koid, uint64_t *ret_process)
{
	const struct vitrine_archive *archive = out.archive;
	struct vitrine_fxt_string name = { "idle", 4 };

	*ret_process = VITRINE_FXT_NO_PROCESS;
	if (vitrine_archive_thread(archive, koid, &name, ret_process) || !koid)
		return name;
	if (!vitrine_archive_process(archive, koid, &name))
		name = (struct vitrine_fxt_string){ "", 0 };
	return name;
}

/* Write name and process of a thread, unless they were written already. */
static struct vitrine_error *tell_thread(struct heph_counter *counter,
					 uint64_t ns, uint64_t koid,
					 uint64_t process)
{
	struct fxt_name *told = fxt_names_get(&out.told, koid);
	struct vitrine_fxt_string name;
	uint64_t own;

	if (!told)
		return vtr_error_no_memory();
	if (told->used || !koid)
		return NULL;
	told->used = true;
	name = name_of(koid, &own);
	if (process == VITRINE_FXT_NO_PROCESS)
		process = own;
	if (process == VITRINE_FXT_NO_PROCESS && !name.len_bytes)
		return NULL;
	begin_event(counter, koid, ns, ns, &name,
		    number_bytes("process"));
	if (process != VITRINE_FXT_NO_PROCESS)
		put_number("process", HEPH_UINT64, process);
	return end_packet();
}

static struct vitrine_error *tell(struct heph_counter *counter, uint64_t ns,
				  const struct vitrine_fxt_thread *thread)
{
	uint64_t process = thread->process;
	struct vitrine_error *err = NULL;

	if (process == VITRINE_FXT_NO_PROCESS)
		name_of(thread->thread, &process);
	if (process && process != VITRINE_FXT_NO_PROCESS)
		err = tell_thread(counter, ns, process, process);
	return err ? err : tell_thread(counter, ns, thread->thread,
				       process);
}

/* ---- Records ---- */

static void put_weight(const char *name, const struct vitrine_fxt_record *record,
		       const char *weight)
{
	const struct vitrine_fxt_arg *arg = fxt_find_typed(record, weight, FXT_ARG_INT32);

	if (arg)
		put_number(name, HEPH_INT64, arg->value.int64);
}

/* Begin an event with a short name of its thread; the event that names it has all of the name. */
static void begin_scheduling(struct heph_counter *counter, const struct archive_item *item,
			     uint64_t koid)
{
	uint64_t unused;
	struct vitrine_fxt_string name = name_of(koid, &unused);

	name.len_bytes = vtr_utf8_cut(name.bytes, name.len_bytes, 16);
	begin_event(counter, koid, item->ns, item->ns, &name, 0);
}

static void put_switch(struct heph_counter *counter, const struct archive_item *item)
{
	const struct vitrine_fxt_record *record = item->record;

	begin_scheduling(counter, item, record->context_switch.incoming.thread);
	put_number("out", HEPH_UINT64, record->context_switch.outgoing.thread);
	put_number("state", HEPH_UINT64, record->context_switch.outgoing_state);
	if (record->context_switch.legacy) {
		put_number("out_prio", HEPH_UINT64, record->context_switch.outgoing_priority);
		put_number("prio", HEPH_UINT64, record->context_switch.incoming_priority);
	} else {
		put_weight("out_weight", record, "outgoing_weight");
		put_weight("weight", record, "incoming_weight");
	}
}

static void put_wakeup(struct heph_counter *counter, const struct archive_item *item)
{
	const struct vitrine_fxt_record *record = item->record;
	const struct vitrine_fxt_arg *waker = fxt_find_typed(record, "waker", FXT_ARG_KOID);

	begin_scheduling(counter, item, record->wakeup.thread);
	put_number("wakeup", HEPH_UINT64, 1);
	put_weight("weight", record, "weight");
	if (waker)
		put_number("waker", HEPH_UINT64, waker->value.uint64);
	if (record->wakeup_context)
		put_number("context", HEPH_UINT64, record->wakeup_context);
}

static uint64_t end_of(const struct archive_item *item)
{
	const struct vitrine_fxt_record *record = item->record;
	uint64_t ns;

	if (record->event.type != FXT_EVENT_DURATION_COMPLETE)
		return item->ns;
	ns = vitrine_fxt_ns(record->event.id, record->ticks_per_second);
	return ns > item->ns ? ns : item->ns;
}

static void put_event(struct heph_counter *counter, const struct archive_item *item)
{
	const struct vitrine_fxt_record *record = item->record;
	unsigned int type = record->event.type;
	struct vitrine_fxt_arg category = {
		.type = FXT_ARG_STRING_REF,
		.name = { "category", strlen("category") },
		.value.string = record->event.category,
	};
	struct vitrine_fxt_string *text = &category.value.string;

	text->len_bytes = vtr_utf8_cut(text->bytes, text->len_bytes,
				       out.limit - HEPH_PACKET_BYTES + 24);
	out.left_out.nr[LEFT_OUT_TEXT] += text->len_bytes < record->event.category.len_bytes;
	begin_event(counter, record->event.thread.thread, item->ns, end_of(item),
		    &record->event.name, 13 + text->len_bytes + number_bytes("phase") +
		    number_bytes("id"));
	put_arg(&category);
	if (type != FXT_EVENT_DURATION_COMPLETE)
		put_number("phase", HEPH_UINT64, type);
	if (vitrine_fxt_event_has_id(type))
		put_number("id", HEPH_UINT64, record->event.id);
	put_args(record);
}

/* Whether an event was one of another writer of Heph's format: see heph.h. */
static bool is_foreign(const struct vitrine_fxt_record *record)
{
	return record->kind == VITRINE_FXT_EVENT &&
	       fxt_string_is(&record->event.category, HEPH_CATEGORY) &&
	       (record->event.type == FXT_EVENT_INSTANT ||
		record->event.type == FXT_EVENT_DURATION_COMPLETE) &&
	       record->event.thread.process <= UINT32_MAX;
}

static struct vitrine_error *put_foreign(const struct archive_item *item)
{
	const struct vitrine_fxt_record *record = item->record;
	struct heph_counter *counter;

	counter = counter_of(record->event.thread.process);
	if (!counter)
		return vtr_error_no_memory();
	begin_event(counter, record->event.thread.thread, item->ns,
		    end_of(item), &record->event.name, 0);
	put_attributes(record);
	return end_packet();
}

static void put_log(struct heph_counter *counter, const struct archive_item *item)
{
	const struct vitrine_fxt_record *record = item->record;

	begin_event(counter, record->log.thread.thread, item->ns, item->ns,
		    &record->log.message, number_bytes("log"));
	put_number("log", HEPH_UINT64, 1);
}

/* Write the event of a record whose threads have been named. */
typedef void put_fn(struct heph_counter *counter, const struct archive_item *item);

/* Return the function for a record, or NULL. */
static put_fn *function_for(const struct vitrine_fxt_record *record)
{
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		return put_switch;
	case VITRINE_FXT_WAKEUP:
		return put_wakeup;
	case VITRINE_FXT_EVENT:
		return record->event.type <= FXT_EVENT_FLOW_END ? put_event : NULL;
	case VITRINE_FXT_LOG:
		return put_log;
	default:
		return NULL;
	}
}

static struct vitrine_error *put_record(const struct archive_item *item)
{
	const struct vitrine_fxt_record *record = item->record;
	put_fn *put_own;
	const struct vitrine_fxt_thread *thread;
	struct vitrine_error *err = NULL;
	struct heph_counter *counter;
	unsigned int i;

	if (is_foreign(record))
		return put_foreign(item);
	put_own = function_for(record);
	if (!put_own) {
		left_out_record(&out.left_out, record);
		return NULL;
	}
	counter = counter_of(id_of(record->provider, record->cpu));
	if (!counter)
		return vtr_error_no_memory();
	for (i = 0; !err && (thread = fxt_thread_of(record, i)); i++)
		err = tell(counter, item->ns, thread);
	if (err)
		return err;
	put_own(counter, item);
	return end_packet();
}

/* Records that were lost before a sub-buffer have had numbers. */
static struct vitrine_error *count_lost(const struct archive_item *item)
{
	const uint64_t nr = item->loss.nr_missing + item->loss.nr_unwritten;
	struct heph_counter *counter;

	if (!nr)
		return NULL;
	counter = counter_of(id_of(item->record->provider, item->packet->cpu));
	if (!counter)
		return vtr_error_no_memory();
	counter->next += nr;
	return NULL;
}

static struct vitrine_error *put_all(void)
{
	struct vitrine_error *err;
	struct archive_item item;

	err = put_epoch();
	while (!err) {
		err = archive_read(out.archive, &item);
		if (err || !item.record)
			break;
		item.ns = archive_clip(item.ns);
		if (item.record->timed)
			err = put_record(&item);
		else if (item.packet)
			err = count_lost(&item);
		else
			left_out_untimed(&out.left_out, item.record);
	}
	return err ? err : flush();
}

/* A trace without events would be an empty file, which is no valid trace. */
static struct vitrine_error *refuse_empty(const char *path)
{
	if (!vtr_writer_is_empty(out.writer))
		return NULL;
	return vitrine_error_create(EBADMSG, path, VITRINE_NO_OFFSET, NULL,
				    "no record that Heph's format can represent");
}

static void print_counts(const char *from)
{
	left_out_print(&out.left_out, from, "Heph's format", stderr);
	left_out_note(from, out.nr_long,
		      "packets of more than 128 bytes, which Heph's own converter may refuse",
		      stderr);
}

/**
 * heph_write() - convert a Fuchsia trace to Heph's format
 * @from: name of the Fuchsia trace
 * @to: file to write
 * @packet_bytes: longest packet, not less than HEPH_PACKET_BYTES; what does not fit is left
 *	out. 0: no limit
 * @faults: receives the faults of @from; its path names the trace in messages
 *
 * Return: NULL, or an error; after an error @to is not written.
 */
struct vitrine_error *heph_write(const char *from, const char *to,
				 size_t packet_bytes, struct faults *faults)
{
	const struct vitrine_fxt_report report = {
		.fault = faults_print,
		.ctx = faults,
	};
	struct vitrine_error *err;

	out = (struct heph_out){
		.limit = packet_bytes && packet_bytes < HEPH_MAX_BYTES ? packet_bytes :
									  HEPH_MAX_BYTES,
	};
	err = vitrine_archive_create(from, &report, &out.archive);
	if (!err)
		err = vitrine_writer_create(to, &out.writer);
	if (!err)
		err = put_all();
	if (!err)
		err = refuse_empty(faults->path);
	if (!err)
		err = vitrine_writer_commit(out.writer);
	if (!err)
		print_counts(faults->path);
	vitrine_writer_destroy(out.writer);
	vitrine_archive_destroy(out.archive);
	fxt_names_deinit(&out.told);
	fxt_names_free_owned(&out.counters, NULL);
	return err;
}
