// SPDX-License-Identifier: GPL-2.0
/*
 * Write one record of a trace as one line of JSON. The schema is in
 * Documentation/json.rst.
 */
#include <string.h>

#include <vitrine/fxt.h>

#include "fxt_record.h"
#include "record_filter.h"
#include "record_json.h"

/* Relative to the first record, a time may be negative. */
static void member_time(struct json_writer *json, const char *name,
			uint64_t ns, uint64_t base_ns)
{
	json_key(json, name);
	if (ns >= base_ns)
		json_uint(json, ns - base_ns);
	else
		json_int(json, -(int64_t)(base_ns - ns));
}

static void member_text(struct json_writer *json, const char *name,
			const struct vitrine_fxt_string *string)
{
	json_key(json, name);
	json_text(json, string->bytes, string->len_bytes);
}

/**
 * record_json_thread() - write a thread as an object
 * @json: writer
 * @archive: trace that has the names
 * @thread: the thread
 */
void record_json_thread(struct json_writer *json,
			const struct vitrine_archive *archive,
			const struct vitrine_fxt_thread *thread)
{
	struct vitrine_fxt_string name = { "idle", 4 };
	uint64_t process = record_process(archive, thread), unused;

	json_begin(json);
	json_key_uint(json, "tid", thread->thread);
	if (process != VITRINE_FXT_NO_PROCESS)
		json_key_uint(json, "pid", process);
	if (fxt_is_others(thread->thread))
		json_key_string(json, "name", FXT_OTHERS_NAME);
	else if (vitrine_archive_thread(archive, thread->thread, &name, &unused) ||
		 !thread->thread)
		member_text(json, "name", &name);
	json_end(json);
}

/**
 * record_json_arg() - write the value of an argument, without its name
 * @json: writer
 * @arg: argument
 */
void record_json_arg(struct json_writer *json,
		     const struct vitrine_fxt_arg *arg)
{
	switch (arg->type) {
	case FXT_ARG_INT32:
	case FXT_ARG_INT64:
		json_int(json, arg->value.int64);
		break;
	case FXT_ARG_UINT32:
	case FXT_ARG_UINT64:
	case FXT_ARG_KOID:
	case FXT_ARG_POINTER:
		json_uint(json, arg->value.uint64);
		break;
	case FXT_ARG_DOUBLE:
		json_real(json, arg->value.real);
		break;
	case FXT_ARG_STRING_REF:
		json_text(json, arg->value.string.bytes,
			  arg->value.string.len_bytes);
		break;
	case FXT_ARG_BOOL:
		json_boolean(json, arg->value.boolean);
		break;
	default:
		json_null(json);
		break;
	}
}

/* Return how many arguments before @i have its name. */
static unsigned int ordinal_of(const struct vitrine_fxt_record *record,
			       unsigned int i)
{
	const struct vitrine_fxt_string *name = &record->args[i].name, *other;
	unsigned int j, ordinal = 0;

	for (j = 0; j < i; j++) {
		other = &record->args[j].name;
		ordinal += other->len_bytes == name->len_bytes &&
			   !memcmp(other->bytes, name->bytes, name->len_bytes);
	}
	return ordinal;
}

static void write_args(struct json_writer *json,
		       const struct vitrine_fxt_record *record)
{
	unsigned int i;

	if (!record->nr_args)
		return;
	json_key(json, "args");
	json_begin(json);
	for (i = 0; i < record->nr_args; i++) {
		json_member(json, record->args[i].name.bytes,
			    record->args[i].name.len_bytes,
			    ordinal_of(record, i));
		record_json_arg(json, &record->args[i]);
	}
	json_end(json);
}

static void write_state(struct json_writer *json, unsigned int state)
{
	const char *name = vitrine_fxt_state_name(state);

	json_key(json, "state");
	if (name)
		json_string(json, name);
	else
		json_uint(json, state);
}

static void write_switch(struct json_writer *json,
			 const struct vitrine_archive *archive,
			 const struct vitrine_fxt_record *record)
{
	json_key(json, "out");
	record_json_thread(json, archive, &record->context_switch.outgoing);
	write_state(json, record->context_switch.outgoing_state);
	if (record->context_switch.legacy)
		json_key_uint(json, "out_priority",
			      record->context_switch.outgoing_priority);
	json_key(json, "in");
	record_json_thread(json, archive, &record->context_switch.incoming);
	if (record->context_switch.legacy)
		json_key_uint(json, "in_priority",
			      record->context_switch.incoming_priority);
}

static void write_subject(struct json_writer *json,
			  const struct vitrine_fxt_string *category,
			  const struct vitrine_fxt_string *name)
{
	member_text(json, "category", category);
	member_text(json, "name", name);
}

static void write_event(struct json_writer *json,
			const struct vitrine_archive *archive,
			const struct vitrine_fxt_record *record,
			uint64_t base_ns)
{
	unsigned int type = record->event.type;

	json_key(json, "thread");
	record_json_thread(json, archive, &record->event.thread);
	write_subject(json, &record->event.category, &record->event.name);
	if (type == FXT_EVENT_DURATION_COMPLETE)
		member_time(json, "end_ns",
			    vitrine_fxt_ns(record->event.id,
					   record->ticks_per_second), base_ns);
	else if (vitrine_fxt_event_has_id(type))
		json_key_uint(json, "id", record->event.id);
}

static void write_object(struct json_writer *json,
			 const struct vitrine_fxt_record *record)
{
	if (record->kind == VITRINE_FXT_USERSPACE_OBJECT) {
		json_key_uint(json, "pointer", record->userspace_object.pointer);
		json_key_uint(json, "pid", record->userspace_object.process);
		member_text(json, "name", &record->userspace_object.name);
		return;
	}
	json_key(json, "type");
	switch (record->kernel_object.type) {
	case FXT_OBJECT_TYPE_PROCESS:
		json_string(json, "process");
		break;
	case FXT_OBJECT_TYPE_THREAD:
		json_string(json, "thread");
		break;
	default:
		json_uint(json, record->kernel_object.type);
		break;
	}
	json_key_uint(json, "koid", record->kernel_object.koid);
	member_text(json, "name", &record->kernel_object.name);
}

static void write_details(struct json_writer *json,
			  const struct vitrine_archive *archive,
			  const struct vitrine_fxt_record *record,
			  uint64_t base_ns)
{
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		write_switch(json, archive, record);
		break;
	case VITRINE_FXT_WAKEUP:
		json_key(json, "thread");
		record_json_thread(json, archive, &record->wakeup);
		break;
	case VITRINE_FXT_EVENT:
		write_event(json, archive, record, base_ns);
		break;
	case VITRINE_FXT_LOG:
		json_key(json, "thread");
		record_json_thread(json, archive, &record->log.thread);
		member_text(json, "message", &record->log.message);
		break;
	case VITRINE_FXT_LARGE_BLOB:
		if (record->timed) {
			json_key(json, "thread");
			record_json_thread(json, archive,
					   &record->large_blob.thread);
		}
		write_subject(json, &record->large_blob.category,
			      &record->large_blob.name);
		json_key_uint(json, "bytes",
			      record->large_blob.payload.len_bytes);
		break;
	case VITRINE_FXT_BLOB:
		member_text(json, "name", &record->blob.name);
		json_key_uint(json, "type", record->blob.type);
		json_key_uint(json, "bytes", record->blob.payload.len_bytes);
		break;
	case VITRINE_FXT_USERSPACE_OBJECT:
	case VITRINE_FXT_KERNEL_OBJECT:
		write_object(json, record);
		break;
	case VITRINE_FXT_PROVIDER_INFO:
		member_text(json, "name", &record->provider_info.name);
		break;
	case VITRINE_FXT_PROVIDER_EVENT:
		json_key_uint(json, "event", record->provider_info.event);
		break;
	case VITRINE_FXT_STRING:
		json_key_uint(json, "index", record->string.index);
		member_text(json, "value", &record->string.value);
		break;
	case VITRINE_FXT_THREAD:
		json_key_uint(json, "index", record->thread.index);
		json_key(json, "thread");
		record_json_thread(json, archive, &record->thread.thread);
		break;
	case VITRINE_FXT_INITIALIZATION:
		json_key_uint(json, "ticks_per_second", record->ticks_per_second);
		break;
	case VITRINE_FXT_UNKNOWN:
		json_key_uint(json, "type", record->type);
		break;
	default:
		break;
	}
}

/**
 * record_json() - write a record as an object on a line
 * @json: writer, not pretty
 * @archive: trace
 * @record: the record
 * @base_ns: base of its times
 */
void record_json(struct json_writer *json,
		 const struct vitrine_archive *archive,
		 const struct vitrine_fxt_record *record, uint64_t base_ns)
{
	json_begin(json);
	member_time(json, "time_ns",
		    vitrine_fxt_ns(record->ticks, record->ticks_per_second),
		    base_ns);
	json_key_uint(json, "offset", record->offset);
	json_key_uint(json, "provider", record->provider);
	if (record->cpu != VITRINE_FXT_NO_CPU)
		json_key_uint(json, "cpu", record->cpu);
	json_key_string(json, "kind", record_kind(record));
	write_details(json, archive, record, base_ns);
	write_args(json, record);
	json_end(json);
	json_newline(json);
}
