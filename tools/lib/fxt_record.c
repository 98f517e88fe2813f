// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What an FXT record is: a table of kinds with their fields, by which records are decoded and
 * encoded, and by which the command prints them; names of the types of events and of the states
 * of threads.
 *
 * A record is decoded in place. The strings, threads and the tick rate that it registers are
 * stored in the tables of its provider; the caller knows which provider a record belongs to.
 *
 * The encoder is used for the recorder's loss records and for conversions into FXT. The
 * references of a record to threads and strings depend on the sub-buffer that it will be
 * in. For threads, fxt_encode() leaves the bits 0 and says where they go, or writes threads
 * inline. Strings are inline unless the encoder has a function that registers them.
 *
 * Most records of a trace are context switches of 16 bytes and wakeups, which are decoded and
 * encoded without the table.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include <vitrine/map.h>

#include "base.h"
#include "fxt_field.h"
#include "fxt_record.h"

/* These bits of a header say that the record is a 16-byte switch. */
#define PLAIN_SWITCH_BITS \
	(FXT_HEADER_TYPE | FXT_HEADER_WORDS | FXT_SCHEDULING_SUBTYPE)
#define PLAIN_SWITCH \
	(FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_SCHEDULING) | \
	 FXT_PUT(FXT_HEADER_WORDS, 2) | \
	 FXT_PUT(FXT_SCHEDULING_SUBTYPE, FXT_SCHEDULING_LEGACY_SWITCH))

/* Headers of a wakeup, but for CPU and context: as the module writes it, and with a waker. */
#define PLAIN_WAKEUP(nr_words, nr_args) \
	(FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_SCHEDULING) | \
	 FXT_PUT(FXT_HEADER_WORDS, nr_words) | \
	 FXT_PUT(FXT_SCHEDULING_NR_ARGS, nr_args) | \
	 FXT_PUT(FXT_SCHEDULING_SUBTYPE, FXT_SCHEDULING_THREAD_WAKEUP))

#define PLAIN_WAKEUP_BITS	(~(FXT_SCHEDULING_CPU | FXT_SCHEDULING_CONTEXT))

/* Header of a switch of the newer form without arguments, but for its CPU and the state. */
#define KOID_SWITCH \
	(FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_SCHEDULING) | \
	 FXT_PUT(FXT_HEADER_WORDS, 4) | \
	 FXT_PUT(FXT_SCHEDULING_SUBTYPE, FXT_SCHEDULING_CONTEXT_SWITCH))

/* The waker of a wakeup, but for the reference to its name. */
#define PLAIN_WAKER \
	(FXT_PUT(FXT_HEADER_TYPE, FXT_ARG_KOID) | FXT_PUT(FXT_HEADER_WORDS, 2))

/* Highest CPU that a legacy switch record can name. */
#define LEGACY_MAX_CPU	255

/* ---- Types of events, states of threads -------------------------------- */

const struct fxt_phase fxt_phases[FXT_NR_PHASES] = {
	[FXT_EVENT_INSTANT]		= { "instant", "instant", false },
	[FXT_EVENT_COUNTER]		= { "counter", "counter", true },
	[FXT_EVENT_DURATION_BEGIN]	= { "begin", "begin", false },
	[FXT_EVENT_DURATION_END]	= { "end", "end", false },
	[FXT_EVENT_DURATION_COMPLETE]	= { "complete", "complete", true },
	[FXT_EVENT_ASYNC_BEGIN]		= { "async-begin", "async_begin", true },
	[FXT_EVENT_ASYNC_INSTANT]	= { "async", "async_instant", true },
	[FXT_EVENT_ASYNC_END]		= { "async-end", "async_end", true },
	[FXT_EVENT_FLOW_BEGIN]		= { "flow-begin", "flow_begin", true },
	[FXT_EVENT_FLOW_STEP]		= { "flow", "flow_step", true },
	[FXT_EVENT_FLOW_END]		= { "flow-end", "flow_end", true },
};

static const char * const state_names[] = {
	[FXT_THREAD_NEW]	= "runnable",
	[FXT_THREAD_RUNNING]	= "running",
	[FXT_THREAD_SUSPENDED]	= "suspended",
	[FXT_THREAD_BLOCKED]	= "blocked",
	[FXT_THREAD_DYING]	= "dying",
	[FXT_THREAD_DEAD]	= "dead",
};

static const char * const context_names[] = {
	[FXT_WAKEUP_UNKNOWN]		= NULL,
	[FXT_WAKEUP_THREAD]		= "thread",
	[FXT_WAKEUP_HARDIRQ]		= "hardirq",
	[FXT_WAKEUP_SOFTIRQ]		= "softirq",
	[FXT_WAKEUP_SOFTIRQ_IN_CALL]	= "softirq-in-call",
};

/**
 * vitrine_fxt_event_name() - return the name of a type of event
 * @type: event.type of a record
 *
 * Return: the name, e.g. "begin"; NULL if the format has no such type.
 */
const char *vitrine_fxt_event_name(unsigned int type)
{
	return type < FXT_NR_PHASES ? fxt_phases[type].name : NULL;
}

/**
 * vitrine_fxt_event_has_id() - test whether events of a type have an id
 * @type: event.type of a record
 *
 * Return: true if event.id of the record is an id; false if it is the end of a complete
 *	event or means nothing.
 */
bool vitrine_fxt_event_has_id(unsigned int type)
{
	return type < FXT_NR_PHASES && type != FXT_EVENT_DURATION_COMPLETE &&
	       fxt_phases[type].has_word;
}

/**
 * vitrine_fxt_state_name() - return the name of a thread state
 * @state: context_switch.outgoing_state of a record
 *
 * Return: the name, e.g. "blocked"; NULL if the format has no such state.
 */
const char *vitrine_fxt_state_name(unsigned int state)
{
	return state < ARRAY_LEN(state_names) ?
	       state_names[state] : NULL;
}

/**
 * vitrine_fxt_context_name() - return the name of the context of a wakeup
 * @context: wakeup_context of a record
 *
 * Return: the name, e.g. "softirq"; NULL if the record does not tell the context.
 */
const char *vitrine_fxt_context_name(unsigned int context)
{
	return context < ARRAY_LEN(context_names) ? context_names[context] : NULL;
}

/* ---- Kinds of records -------------------------------------------------- */

/* Variants of a kind have rows behind those of all kinds. */
enum {
	LEGACY_SWITCH = VITRINE_FXT_LARGE_BLOB + 1,
	UNTIMED_LARGE_BLOB,
	BUFFER_FULL,
};

/* A field without bits has some shift: __builtin_ctzll(0) is not defined. */
#define FIELD(op, member, bits, ...) \
	{ FXT_ ## op, offsetof(struct vitrine_fxt_record, member), \
	  __builtin_ctzll((bits) | 1ULL << 63), bits, __VA_ARGS__ }
#define TICKS		FIELD(TICKS, ticks, 0, "timestamp")
#define PROVIDER	FIELD(BITS, provider, FXT_PROVIDER_ID)
#define TYPE(type)	FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_ ## type)
#define METADATA(subtype) \
	(TYPE(METADATA) | FXT_PUT(FXT_METADATA_TYPE, FXT_METADATA_ ## subtype))
#define SCHEDULING(subtype) \
	(TYPE(SCHEDULING) | FXT_PUT(FXT_SCHEDULING_SUBTYPE, FXT_SCHEDULING_ ## subtype))

static const char *object_name(unsigned int type)
{
	static const char * const names[] = {
		[FXT_OBJECT_TYPE_PROCESS]	= "process",
		[FXT_OBJECT_TYPE_THREAD]	= "thread",
	};

	return type < ARRAY_LEN(names) ? names[type] : NULL;
}

const struct fxt_row fxt_rows[FXT_NR_ROWS] = {
	[VITRINE_FXT_UNKNOWN] = { 0, "unknown", "unknown record of type %1, %2 words", {
		FIELD(BYTE, type, 0, NULL, "type"),
		FIELD(BITS, nr_words, 0),
	} },
	[VITRINE_FXT_MAGIC] = { 0, "magic", "magic" },
	[VITRINE_FXT_PROVIDER_INFO] = { METADATA(PROVIDER_INFO), "provider", "provider %1 \"%2\"", {
		PROVIDER,
		FIELD(TEXT, provider_info.name, FXT_PROVIDER_INFO_NAME_BYTES, "provider's name",
		      "name"),
	} },
	[VITRINE_FXT_PROVIDER_SECTION] = { METADATA(PROVIDER_SECTION), "provider", "provider %1", {
		PROVIDER,
	} },
	[VITRINE_FXT_PROVIDER_EVENT] = { METADATA(PROVIDER_EVENT), "provider",
					 "provider %1 event %2", {
		PROVIDER,
		FIELD(BITS, provider_info.event, FXT_PROVIDER_EVENT_ID, NULL, "event"),
	} },
	[BUFFER_FULL] = { METADATA(PROVIDER_EVENT), "lost",
			  "lost    provider %1: a buffer filled up", {
		PROVIDER,
		FIELD(BITS, provider_info.event, FXT_PROVIDER_EVENT_ID, NULL, "event"),
	} },
	[VITRINE_FXT_INITIALIZATION] = { TYPE(INITIALIZATION), "clock",
					 "clock   %1 ticks a second", {
		FIELD(WORD, ticks_per_second, 0, "ticks per second", "ticks_per_second"),
	} },
	[VITRINE_FXT_STRING] = { TYPE(STRING), "string", "string  %1 = \"%2\"", {
		FIELD(BITS, string.index, FXT_STRING_INDEX, NULL, "index"),
		FIELD(TEXT, string.value, FXT_STRING_BYTES, "string", "value"),
	} },
	[VITRINE_FXT_THREAD] = { TYPE(THREAD), "thread", "thread  %1 = %2", {
		FIELD(BITS, thread.index, FXT_THREAD_INDEX, NULL, "index"),
		FIELD(THREAD, thread.thread, 0, "thread", "thread"),
	} },
	[VITRINE_FXT_EVENT] = { TYPE(EVENT), "event", "%1 %3 %4:%5%7", {
		FIELD(PHASE, event.type, FXT_EVENT_TYPE),
		TICKS,
		FIELD(THREAD, event.thread, FXT_EVENT_THREAD, "event's thread", "thread"),
		FIELD(STRING, event.category, FXT_EVENT_CATEGORY, "event's category", "category"),
		FIELD(STRING, event.name, FXT_EVENT_NAME, "event's name", "name"),
		FIELD(ARGS, nr_args, FXT_EVENT_NR_ARGS),
		FIELD(LAST_WORD, event.id, 0, "event's last word", "id"),
	} },
	[VITRINE_FXT_BLOB] = { TYPE(BLOB), "blob", "blob    \"%1\" type %2, %3 bytes", {
		FIELD(STRING, blob.name, FXT_BLOB_NAME, "blob's name", "name"),
		FIELD(BITS, blob.type, FXT_BLOB_TYPE, NULL, "type"),
		FIELD(BYTES, blob.payload, FXT_BLOB_BYTES, "blob's payload", "bytes"),
	} },
	[VITRINE_FXT_USERSPACE_OBJECT] = { TYPE(USERSPACE_OBJECT), "object",
					   "object  %1 of process %2 \"%3\"", {
		FIELD(ADDRESS, userspace_object.pointer, 0, "pointer", "pointer"),
		FIELD(PROCESS, userspace_object.process, FXT_USERSPACE_OBJECT_PROCESS, "process",
		      "pid"),
		FIELD(STRING, userspace_object.name, FXT_USERSPACE_OBJECT_NAME, "object's name",
		      "name"),
		FIELD(ARGS, nr_args, FXT_USERSPACE_OBJECT_NR_ARGS),
	} },
	[VITRINE_FXT_KERNEL_OBJECT] = { TYPE(KERNEL_OBJECT), "object",
					"object  %1 %2 \"%3\"", {
		FIELD(BITS, kernel_object.type, FXT_KERNEL_OBJECT_TYPE, NULL, "type", object_name),
		FIELD(WORD, kernel_object.koid, 0, "koid", "koid"),
		FIELD(STRING, kernel_object.name, FXT_KERNEL_OBJECT_NAME, "object's name", "name"),
		FIELD(ARGS, nr_args, FXT_KERNEL_OBJECT_NR_ARGS),
	} },
	[VITRINE_FXT_SWITCH] = { SCHEDULING(CONTEXT_SWITCH), "switch", "switch  %3 %4 ==> %5", {
		FIELD(BITS, cpu, FXT_SCHEDULING_CPU),
		TICKS,
		FIELD(KOID, context_switch.outgoing, 0, "outgoing thread", "out"),
		FIELD(BYTE, context_switch.outgoing_state, FXT_SCHEDULING_OUTGOING_STATE, NULL,
		      "state", vitrine_fxt_state_name),
		FIELD(KOID, context_switch.incoming, 0, "incoming thread", "in"),
		FIELD(ARGS, nr_args, FXT_SCHEDULING_NR_ARGS),
	} },
	[LEGACY_SWITCH] = { SCHEDULING(LEGACY_SWITCH), "switch",
			    "switch  %3 [%5] %4 ==> %6 [%7]", {
		FIELD(BITS, cpu, FXT_SWITCH_CPU),
		TICKS,
		FIELD(THREAD, context_switch.outgoing, FXT_SWITCH_OUTGOING_THREAD,
		      "outgoing thread", "out"),
		FIELD(BYTE, context_switch.outgoing_state, FXT_SWITCH_OUTGOING_STATE, NULL, "state",
		      vitrine_fxt_state_name),
		FIELD(BYTE, context_switch.outgoing_priority, FXT_SWITCH_OUTGOING_PRIORITY, NULL,
		      "out_priority"),
		FIELD(THREAD, context_switch.incoming, FXT_SWITCH_INCOMING_THREAD,
		      "incoming thread", "in"),
		FIELD(BYTE, context_switch.incoming_priority, FXT_SWITCH_INCOMING_PRIORITY, NULL,
		      "in_priority"),
	} },
	[VITRINE_FXT_WAKEUP] = { SCHEDULING(THREAD_WAKEUP), "wakeup", "wakeup  %3%4", {
		FIELD(BITS, cpu, FXT_SCHEDULING_CPU),
		TICKS,
		FIELD(KOID, wakeup, 0, "woken thread", "thread"),
		FIELD(CONTEXT, wakeup_context, FXT_SCHEDULING_CONTEXT, NULL, "context",
		      vitrine_fxt_context_name),
		FIELD(ARGS, nr_args, FXT_SCHEDULING_NR_ARGS),
	} },
	[VITRINE_FXT_LOG] = { TYPE(LOG), "log", "log     %2 \"%3\"", {
		TICKS,
		FIELD(THREAD, log.thread, FXT_LOG_THREAD, "message's thread", "thread"),
		FIELD(TEXT, log.message, FXT_LOG_BYTES, "message", "message"),
	} },
	[VITRINE_FXT_LARGE_BLOB] = { TYPE(LARGE), "large-blob",
				     "large-blob %5 %2:%3 %9 bytes", {
		FIELD(SECOND_WORD, kind, 0, "large blob's second word"),
		FIELD(STRING, large_blob.category, FXT_LARGE_BLOB_CATEGORY,
		      "large blob's category"),
		FIELD(STRING, large_blob.name, FXT_LARGE_BLOB_NAME, "large blob's name"),
		TICKS,
		FIELD(THREAD, large_blob.thread, FXT_LARGE_BLOB_THREAD, "large blob's thread",
		      "thread"),
		FIELD(SHOWN, large_blob.category, 0, NULL, "category"),
		FIELD(SHOWN, large_blob.name, 0, NULL, "name"),
		FIELD(ARGS, nr_args, FXT_LARGE_BLOB_NR_ARGS),
		FIELD(PAYLOAD, large_blob.payload, 0, "large blob's payload", "bytes"),
	} },
	[UNTIMED_LARGE_BLOB] = { TYPE(LARGE) |
				 FXT_PUT(FXT_LARGE_BLOB_FORMAT, FXT_LARGE_BLOB_NO_METADATA),
				 "large-blob", "large-blob %2:%3 %4 bytes", {
		FIELD(SECOND_WORD, kind, 0, "large blob's second word"),
		FIELD(STRING, large_blob.category, FXT_LARGE_BLOB_CATEGORY, "large blob's category",
		      "category"),
		FIELD(STRING, large_blob.name, FXT_LARGE_BLOB_NAME, "large blob's name", "name"),
		FIELD(PAYLOAD, large_blob.payload, 0, "large blob's payload", "bytes"),
	} },
};

/* Return the number of the row for a header, which is the kind of the record or a variant. */
static unsigned int row_number(uint64_t header)
{
	static const uint8_t by_type[FXT_HEADER_TYPE + 1] = {
		[FXT_RECORD_INITIALIZATION]	= VITRINE_FXT_INITIALIZATION,
		[FXT_RECORD_STRING]		= VITRINE_FXT_STRING,
		[FXT_RECORD_THREAD]		= VITRINE_FXT_THREAD,
		[FXT_RECORD_EVENT]		= VITRINE_FXT_EVENT,
		[FXT_RECORD_BLOB]		= VITRINE_FXT_BLOB,
		[FXT_RECORD_USERSPACE_OBJECT]	= VITRINE_FXT_USERSPACE_OBJECT,
		[FXT_RECORD_KERNEL_OBJECT]	= VITRINE_FXT_KERNEL_OBJECT,
		[FXT_RECORD_LOG]		= VITRINE_FXT_LOG,
	};
	static const uint8_t metadata[16] = {
		[FXT_METADATA_PROVIDER_INFO]	= VITRINE_FXT_PROVIDER_INFO,
		[FXT_METADATA_PROVIDER_SECTION]	= VITRINE_FXT_PROVIDER_SECTION,
		[FXT_METADATA_PROVIDER_EVENT]	= VITRINE_FXT_PROVIDER_EVENT,
	};
	static const uint8_t scheduling[16] = {
		[FXT_SCHEDULING_LEGACY_SWITCH]	= LEGACY_SWITCH,
		[FXT_SCHEDULING_CONTEXT_SWITCH]	= VITRINE_FXT_SWITCH,
		[FXT_SCHEDULING_THREAD_WAKEUP]	= VITRINE_FXT_WAKEUP,
	};
	static const uint8_t large[16] = {
		[FXT_LARGE_BLOB_WITH_METADATA]	= VITRINE_FXT_LARGE_BLOB,
		[FXT_LARGE_BLOB_NO_METADATA]	= UNTIMED_LARGE_BLOB,
	};

	switch (FXT_GET(FXT_HEADER_TYPE, header)) {
	case FXT_RECORD_METADATA:
		return header == FXT_MAGIC_RECORD ? VITRINE_FXT_MAGIC :
		       metadata[FXT_GET(FXT_METADATA_TYPE, header)];
	case FXT_RECORD_SCHEDULING:
		return scheduling[FXT_GET(FXT_SCHEDULING_SUBTYPE, header)];
	case FXT_RECORD_LARGE:
		return FXT_GET(FXT_LARGE_TYPE, header) == FXT_LARGE_TYPE_BLOB ?
		       large[FXT_GET(FXT_LARGE_BLOB_FORMAT, header)] : VITRINE_FXT_UNKNOWN;
	default:
		return by_type[FXT_GET(FXT_HEADER_TYPE, header)];
	}
}

/**
 * fxt_row_of() - look up the row of a record in the table of kinds
 * @record: the record
 *
 * Return: its name and its fields.
 */
const struct fxt_row *fxt_row_of(const struct vitrine_fxt_record *record)
{
	if (record->kind == VITRINE_FXT_SWITCH && record->context_switch.legacy)
		return &fxt_rows[LEGACY_SWITCH];
	if (record->kind == VITRINE_FXT_LARGE_BLOB &&
	    record->large_blob.format == FXT_LARGE_BLOB_NO_METADATA)
		return &fxt_rows[UNTIMED_LARGE_BLOB];
	if (record->kind == VITRINE_FXT_PROVIDER_EVENT &&
	    record->provider_info.event == FXT_PROVIDER_EVENT_BUFFER_FULL)
		return &fxt_rows[BUFFER_FULL];
	return &fxt_rows[record->kind];
}

/**
 * fxt_thread_of() - find a thread that a record is about
 * @record: record
 * @i: which of them, from 0; the outgoing thread of a switch is before the incoming one
 *
 * Return: the thread, which a caller that owns @record may change; NULL: it has no more.
 */
struct vitrine_fxt_thread *fxt_thread_of(const struct vitrine_fxt_record *record, unsigned int i)
{
	const struct fxt_field *field;

	if (record->kind == VITRINE_FXT_SWITCH)
		return i > 1 ? NULL :
		       (struct vitrine_fxt_thread *)(i ? &record->context_switch.incoming :
							 &record->context_switch.outgoing);
	for (field = fxt_row_of(record)->fields; field->op; field++)
		if ((field->op == FXT_THREAD || field->op == FXT_KOID) && !i--)
			return (struct vitrine_fxt_thread *)((char *)record + field->at);
	return NULL;
}

/* ---- Decoding ---------------------------------------------------------- */

static uint64_t bits_of(const struct fxt_field *field, uint64_t word)
{
	return (word & field->mask) >> field->shift;
}

static bool is_state_good(unsigned int state)
{
	return state != FXT_THREAD_RUNNING && state <= FXT_THREAD_DEAD;
}

static bool is_context_good(unsigned int context)
{
	return context < ARRAY_LEN(context_names);
}

static void check_reserved(struct fxt_cursor *cursor, uint64_t offset,
			   uint64_t word, uint64_t known)
{
	if (word & ~known)
		fxt_fault(cursor->decoder, offset, "reserved bits 0x%" PRIx64 " are set",
			  word & ~known);
}

static uint64_t masks_of(const struct fxt_row *row)
{
	const struct fxt_field *field;
	uint64_t masks = 0;

	for (field = row->fields; field->op; field++)
		masks |= field->mask;
	return masks;
}

/* Report set bits of a header that belong to no field, and a state or context that is none. */
static void check_header(struct fxt_cursor *cursor, const struct fxt_row *row, uint64_t header)
{
	const struct fxt_field *field;
	uint64_t known = FXT_HEADER_TYPE | row->header;

	known |= fxt_is_large(row->header) ? FXT_LARGE_WORDS :
					     FXT_HEADER_WORDS | masks_of(row);
	check_reserved(cursor, cursor->record, header, known);
	for (field = row->fields; field->op; field++) {
		if (field->word == vitrine_fxt_state_name && !is_state_good(bits_of(field, header)))
			fxt_fault(cursor->decoder, cursor->record, "outgoing thread's state is %u",
				  (unsigned int)bits_of(field, header));
		if (field->op == FXT_CONTEXT && !is_context_good(bits_of(field, header)))
			fxt_fault(cursor->decoder, cursor->record, "context of the wakeup is %u",
				  (unsigned int)bits_of(field, header));
	}
}

static bool parse_second_word(struct fxt_cursor *cursor, const char *what,
			      const struct fxt_row *row, uint64_t *ret)
{
	if (!fxt_parse_word(cursor, what, ret))
		return false;
	if (cursor->decoder->thorough)
		check_reserved(cursor, cursor->at - FXT_WORD_BYTES, *ret, masks_of(row));
	return true;
}

/* An inline reference has a process but no thread. */
static bool parse_process(struct fxt_cursor *cursor, const char *what, uint64_t ref,
			  uint64_t *ret)
{
	struct vitrine_fxt_thread thread;

	if (!ref)
		return fxt_parse_word(cursor, what, ret);
	if (!fxt_parse_thread(cursor, what, ref, &thread))
		return false;
	*ret = thread.process;
	return true;
}

static bool parse_payload(struct fxt_cursor *cursor, const char *what,
			  struct vitrine_fxt_string *ret)
{
	uint64_t len_bytes = 0;

	return fxt_parse_word(cursor, "payload's size", &len_bytes) &&
	       fxt_parse_stream(cursor, what, len_bytes, false, ret);
}

static bool parse_last_word(struct fxt_cursor *cursor, const char *what,
			    struct vitrine_fxt_record *ret)
{
	ret->event.id = 0;
	if (ret->event.type >= FXT_NR_PHASES) {
		cursor->at = cursor->end;
		return true;
	}
	return !fxt_phases[ret->event.type].has_word ||
	       fxt_parse_word(cursor, what, &ret->event.id);
}

/* Parse a field. @word has its bits: the header, or the second word of a large blob. */
static inline bool parse_field(struct fxt_cursor *cursor, const struct fxt_row *row,
			       const struct fxt_field *field, uint64_t *word,
			       struct vitrine_fxt_record *ret)
{
	uint64_t bits = bits_of(field, *word);
	void *to = (char *)ret + field->at;
	struct vitrine_fxt_thread *thread = to;

	switch (field->op) {
	case FXT_BITS:
	case FXT_PHASE:
		*(uint32_t *)to = bits;
		return true;
	case FXT_BYTE:
	case FXT_CONTEXT:
		*(uint8_t *)to = bits;
		return true;
	case FXT_TICKS:
		ret->timed = fxt_parse_word(cursor, field->what, to);
		return ret->timed;
	case FXT_WORD:
	case FXT_ADDRESS:
		return fxt_parse_word(cursor, field->what, to);
	case FXT_TEXT:
	case FXT_BYTES:
		return fxt_parse_stream(cursor, field->what, bits, field->op == FXT_TEXT, to);
	case FXT_STRING:
		return fxt_parse_string(cursor, field->what, bits, to);
	case FXT_THREAD:
		return fxt_parse_thread(cursor, field->what, bits, thread);
	case FXT_KOID:
		thread->process = VITRINE_FXT_NO_PROCESS;
		return fxt_parse_word(cursor, field->what, &thread->thread);
	case FXT_PROCESS:
		return parse_process(cursor, field->what, bits, to);
	case FXT_ARGS:
		return fxt_parse_args(cursor, bits, ret);
	case FXT_LAST_WORD:
		return parse_last_word(cursor, field->what, ret);
	case FXT_SECOND_WORD:
		return parse_second_word(cursor, field->what, row, word);
	case FXT_PAYLOAD:
		return parse_payload(cursor, field->what, to);
	default:
		return true;
	}
}

static void set_running(struct fxt_provider *provider, uint64_t thread)
{
	provider->running = thread;
	provider->running_known = true;
}

/*
 * The first thread that a sub-buffer names is the thread that runs when the sub-buffer
 * begins. The pseudo-thread of lost records does not count.
 */
static void follow_thread_name(struct fxt_provider *provider, uint64_t thread)
{
	if (!provider->running_known && provider->cpu != VITRINE_FXT_NO_CPU &&
	    thread != VITRINE_LOSS_THREAD(provider->cpu))
		set_running(provider, thread);
}

/* The module does not write the waker: it is the thread that runs on that CPU, or none. */
static void add_waker(const struct fxt_provider *provider,
		      struct vitrine_fxt_record *ret)
{
	if (ret->nr_args || provider->cpu == VITRINE_FXT_NO_CPU)
		return;
	if (fxt_is_by_interrupt(ret))
		fxt_add_waker(ret, 0);
	else if (provider->running_known)
		fxt_add_waker(ret, provider->running);
}

static bool set_rate(struct fxt_cursor *cursor, struct vitrine_fxt_record *ret)
{
	if (!ret->ticks_per_second) {
		fxt_fault(cursor->decoder, cursor->record, "ticks per second are 0");
		ret->ticks_per_second = cursor->provider->ticks_per_second;
		return false;
	}
	cursor->provider->ticks_per_second = ret->ticks_per_second;
	return true;
}

/* Report that an entry of a table has index 0. Format: "must be ignored". */
static bool ignore_index_0(const struct fxt_cursor *cursor, const char *table)
{
	if (cursor->decoder->thorough)
		fxt_fault(cursor->decoder, cursor->record,
			  "%s index 0 is not to be registered", table);
	return true;
}

static bool out_of_memory(struct fxt_cursor *cursor)
{
	cursor->decoder->stop = ENOMEM;
	return false;
}

/* Store what a record says about the records behind it, and add what it leaves out. */
static bool follow(struct fxt_cursor *cursor, struct vitrine_fxt_record *ret)
{
	struct fxt_provider *provider = cursor->provider;
	struct vitrine_packet packet;

	switch (ret->kind) {
	case VITRINE_FXT_BLOB:
		if (fxt_packet_read(cursor->decoder, ret, &packet))
			fxt_provider_begin_subbuf(provider, packet.cpu);
		return true;
	case VITRINE_FXT_INITIALIZATION:
		return set_rate(cursor, ret);
	case VITRINE_FXT_STRING:
		if (!ret->string.index)
			return ignore_index_0(cursor, "string");
		return fxt_provider_set_string(provider, ret->string.index,
					       &ret->string.value) || out_of_memory(cursor);
	case VITRINE_FXT_THREAD:
		if (!ret->thread.index)
			return ignore_index_0(cursor, "thread");
		return fxt_provider_set_thread(provider, ret->thread.index,
					       &ret->thread.thread) || out_of_memory(cursor);
	case VITRINE_FXT_KERNEL_OBJECT:
		if (ret->kernel_object.type == FXT_OBJECT_TYPE_THREAD)
			follow_thread_name(provider, ret->kernel_object.koid);
		return true;
	case VITRINE_FXT_SWITCH:
		set_running(provider, ret->context_switch.incoming.thread);
		return true;
	case VITRINE_FXT_WAKEUP:
		add_waker(provider, ret);
		return true;
	default:
		return true;
	}
}

/* Set what tells the variant of the record's kind. */
static void set_kind(unsigned int number, struct vitrine_fxt_record *ret)
{
	ret->kind = number;
	if (number == LEGACY_SWITCH)
		ret->kind = VITRINE_FXT_SWITCH;
	else if (number == UNTIMED_LARGE_BLOB)
		ret->kind = VITRINE_FXT_LARGE_BLOB;
	if (ret->kind == VITRINE_FXT_LARGE_BLOB)
		ret->large_blob.format = number == UNTIMED_LARGE_BLOB ?
			FXT_LARGE_BLOB_NO_METADATA : FXT_LARGE_BLOB_WITH_METADATA;
	if (ret->kind != VITRINE_FXT_SWITCH)
		return;
	ret->context_switch.legacy = number == LEGACY_SWITCH;
	ret->context_switch.outgoing_priority = 0;
	ret->context_switch.incoming_priority = 0;
}

static bool parse_record(struct fxt_cursor *cursor, uint64_t header,
			 struct vitrine_fxt_record *ret)
{
	unsigned int number = row_number(header);
	const struct fxt_row *row = &fxt_rows[number];
	const struct fxt_field *field;
	uint64_t word = header;

	set_kind(number, ret);
	if (number == VITRINE_FXT_UNKNOWN)
		cursor->at = cursor->end;
	if (number <= VITRINE_FXT_MAGIC)
		return true;
	if (cursor->decoder->thorough)
		check_header(cursor, row, header);
	for (field = row->fields; field->op; field++)
		if (!parse_field(cursor, row, field, &word, ret))
			return false;
	return follow(cursor, ret);
}

/* Return the size of a record in words, or 0 if the size is not usable. */
static uint64_t frame(struct fxt_decoder *decoder, uint64_t offset,
		      uint64_t header)
{
	uint64_t left = decoder->len_bytes - offset;
	uint64_t words;

	words = fxt_header_words(header);
	if (header == bswap_64(FXT_MAGIC_RECORD)) {
		fxt_fault(decoder, offset, "the byte order changes here");
		return 0;
	}
	if (!words) {
		fxt_fault(decoder, offset, "record size is 0 words");
		return 0;
	}
	if (words > left / FXT_WORD_BYTES) {
		fxt_fault(decoder, offset,
			  "truncated: record of %" PRIu64 " bytes, %" PRIu64 " are left",
			  words * FXT_WORD_BYTES, left);
		return 0;
	}
	return words;
}

/* Set what the fast paths have in common. */
static void set_plain(struct fxt_provider *provider, uint64_t offset, uint64_t header,
		      uint64_t ticks, struct vitrine_fxt_record *ret)
{
	provider->ticks = ticks;
	ret->offset = offset;
	ret->ticks = ticks;
	ret->ticks_per_second = provider->ticks_per_second;
	ret->nr_words = FXT_GET(FXT_HEADER_WORDS, header);
	ret->provider = provider->id;
	ret->type = FXT_RECORD_SCHEDULING;
	ret->timed = true;
}

/*
 * Fast path: decode a valid 16-byte switch between two threads of the table. Return
 * false for all other records, which decode_any() decodes or reports.
 */
static bool decode_plain_switch(const struct fxt_decoder *decoder,
				struct fxt_provider *provider, uint64_t offset,
				uint64_t header, struct vitrine_fxt_record *ret)
{
	const unsigned int state = FXT_GET(FXT_SWITCH_OUTGOING_STATE, header);
	const struct fxt_thread_entry *outgoing, *incoming;

	if ((header & PLAIN_SWITCH_BITS) != PLAIN_SWITCH || !is_state_good(state))
		return false;
	outgoing = fxt_provider_thread(provider,
				       FXT_GET(FXT_SWITCH_OUTGOING_THREAD,
					       header));
	incoming = fxt_provider_thread(provider,
				       FXT_GET(FXT_SWITCH_INCOMING_THREAD,
					       header));
	if (!outgoing || !incoming)
		return false;
	set_plain(provider, offset, header, fxt_word(decoder, offset + FXT_WORD_BYTES), ret);
	ret->cpu = FXT_GET(FXT_SWITCH_CPU, header);
	ret->kind = VITRINE_FXT_SWITCH;
	ret->nr_args = 0;
	ret->context_switch.outgoing = outgoing->thread;
	ret->context_switch.incoming = incoming->thread;
	ret->context_switch.outgoing_state = state;
	ret->context_switch.outgoing_priority =
		FXT_GET(FXT_SWITCH_OUTGOING_PRIORITY, header);
	ret->context_switch.incoming_priority =
		FXT_GET(FXT_SWITCH_INCOMING_PRIORITY, header);
	ret->context_switch.legacy = true;
	set_running(provider, incoming->thread.thread);
	return true;
}

/* Decode the only argument of a wakeup, if it is a koid whose name is in the table. */
static bool decode_plain_waker(const struct fxt_decoder *decoder,
			       const struct fxt_provider *provider, uint64_t offset,
			       struct vitrine_fxt_record *ret)
{
	uint64_t header = fxt_word(decoder, offset);
	const unsigned int ref = FXT_GET(FXT_ARG_NAME, header);
	const struct fxt_string_entry *name;

	if ((header & ~FXT_ARG_NAME) != PLAIN_WAKER || !ref || ref & FXT_STRING_REF_INLINE)
		return false;
	name = fxt_provider_string(provider, ref);
	if (!name)
		return false;
	ret->args[0].type = FXT_ARG_KOID;
	ret->args[0].name = (struct vitrine_fxt_string){ name->bytes, name->len_bytes };
	ret->args[0].value.uint64 = fxt_word(decoder, offset + FXT_WORD_BYTES);
	ret->nr_args = 1;
	return true;
}

/* Fast path: decode a valid wakeup without arguments, or with a waker only. */
static bool decode_plain_wakeup(const struct fxt_decoder *decoder,
				struct fxt_provider *provider, uint64_t offset,
				uint64_t header, struct vitrine_fxt_record *ret)
{
	const unsigned int context = FXT_GET(FXT_SCHEDULING_CONTEXT, header);

	ret->nr_args = 0;
	if (!is_context_good(context))
		return false;
	if ((header & PLAIN_WAKEUP_BITS) == PLAIN_WAKEUP(5, 1)) {
		if (!decode_plain_waker(decoder, provider, offset + 3 * FXT_WORD_BYTES, ret))
			return false;
	} else if ((header & PLAIN_WAKEUP_BITS) != PLAIN_WAKEUP(3, 0)) {
		return false;
	}
	set_plain(provider, offset, header, fxt_word(decoder, offset + FXT_WORD_BYTES), ret);
	ret->cpu = FXT_GET(FXT_SCHEDULING_CPU, header);
	ret->kind = VITRINE_FXT_WAKEUP;
	ret->wakeup.process = VITRINE_FXT_NO_PROCESS;
	ret->wakeup.thread = fxt_word(decoder, offset + 2 * FXT_WORD_BYTES);
	ret->wakeup_context = context;
	add_waker(provider, ret);
	return true;
}

/* Fast path: decode a valid switch of the newer form without arguments. */
static bool decode_koid_switch(const struct fxt_decoder *decoder, struct fxt_provider *provider,
			       uint64_t offset, uint64_t header, struct vitrine_fxt_record *ret)
{
	const unsigned int state = FXT_GET(FXT_SCHEDULING_OUTGOING_STATE, header);

	if ((header & ~(FXT_SCHEDULING_CPU | FXT_SCHEDULING_OUTGOING_STATE)) != KOID_SWITCH ||
	    !is_state_good(state))
		return false;
	set_plain(provider, offset, header, fxt_word(decoder, offset + FXT_WORD_BYTES), ret);
	ret->cpu = FXT_GET(FXT_SCHEDULING_CPU, header);
	ret->kind = VITRINE_FXT_SWITCH;
	ret->nr_args = 0;
	ret->context_switch.outgoing = (struct vitrine_fxt_thread){
		VITRINE_FXT_NO_PROCESS, fxt_word(decoder, offset + 2 * FXT_WORD_BYTES),
	};
	ret->context_switch.incoming = (struct vitrine_fxt_thread){
		VITRINE_FXT_NO_PROCESS, fxt_word(decoder, offset + 3 * FXT_WORD_BYTES),
	};
	ret->context_switch.outgoing_state = state;
	ret->context_switch.outgoing_priority = 0;
	ret->context_switch.incoming_priority = 0;
	ret->context_switch.legacy = false;
	set_running(provider, ret->context_switch.incoming.thread);
	return true;
}

/*
 * Decode one of the three records above, which are most of a trace. The number of words tells
 * which of them a record can be at all.
 */
static bool decode_plain(const struct fxt_decoder *decoder, struct fxt_provider *provider,
			 uint64_t offset, struct vitrine_fxt_record *ret)
{
	uint64_t left = decoder->len_bytes - offset, header;
	unsigned int words;

	if (left < FXT_WORD_BYTES)
		return false;
	header = fxt_word(decoder, offset);
	words = FXT_GET(FXT_HEADER_WORDS, header);
	if (left < words * FXT_WORD_BYTES)
		return false;
	switch (words) {
	case 2:
		return decode_plain_switch(decoder, provider, offset, header, ret);
	case 3:
	case 5:
		return decode_plain_wakeup(decoder, provider, offset, header, ret);
	case 4:
		return decode_koid_switch(decoder, provider, offset, header, ret);
	default:
		return false;
	}
}

static __attribute__((noinline)) enum fxt_result
decode_any(struct fxt_decoder *decoder, struct fxt_provider *provider,
	   uint64_t offset, struct vitrine_fxt_record *ret)
{
	struct fxt_cursor cursor = {
		.decoder = decoder,
		.provider = provider,
		.record = offset,
		.at = offset + FXT_WORD_BYTES,
	};
	uint64_t header;

	ret->offset = offset;
	if (decoder->len_bytes - offset < FXT_WORD_BYTES) {
		fxt_fault(decoder, offset, "truncated: %u bytes are left",
			  (unsigned int)(decoder->len_bytes - offset));
		return FXT_BAD_FRAME;
	}
	header = fxt_word(decoder, offset);
	ret->nr_words = frame(decoder, offset, header);
	if (!ret->nr_words)
		return FXT_BAD_FRAME;
	cursor.end = offset + ret->nr_words * (uint64_t)FXT_WORD_BYTES;

	ret->type = FXT_GET(FXT_HEADER_TYPE, header);
	ret->provider = provider->id;
	ret->cpu = provider->cpu;
	ret->ticks = provider->ticks;
	ret->ticks_per_second = provider->ticks_per_second;
	ret->timed = false;
	ret->nr_args = 0;
	if (!parse_record(&cursor, header, ret))
		return decoder->stop ? FXT_STOP : FXT_BAD_RECORD;
	if (decoder->thorough && cursor.at != cursor.end)
		fxt_fault(decoder, cursor.at,
			  "record of %u words has %u left over", ret->nr_words,
			  (unsigned int)(cursor.end - cursor.at) / FXT_WORD_BYTES);
	provider->ticks = ret->ticks;
	return FXT_OK;
}

/**
 * fxt_decode() - decode one record
 * @decoder: the bytes
 * @provider: provider of the record, whose tables are read and updated
 * @offset: offset of the record, a multiple of 8 and less than decoder->len_bytes
 * @ret: the record; even if it is malformed its offset is valid, and so is its size
 *	unless the result is FXT_BAD_FRAME
 *
 * Return: FXT_OK, FXT_BAD_RECORD, FXT_BAD_FRAME or FXT_STOP.
 */
enum fxt_result fxt_decode(struct fxt_decoder *decoder,
			   struct fxt_provider *provider, uint64_t offset,
			   struct vitrine_fxt_record *ret)
{
	return decode_plain(decoder, provider, offset, ret) ? FXT_OK :
		decode_any(decoder, provider, offset, ret);
}

/* ---- Encoding ---------------------------------------------------------- */

/* Check whether a word of text is ASCII, as most text is. */
static bool is_ascii(const unsigned char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return !(word & 0x8080808080808080ULL);
}

/**
 * fxt_mend_text() - replace each byte that is not UTF-8
 * @text: the text
 * @len_bytes: its length
 */
void fxt_mend_text(void *text, size_t len_bytes)
{
	unsigned char *bytes = text;
	size_t i, len;

	for (i = 0; i < len_bytes; i += len) {
		len = FXT_WORD_BYTES;
		if (len_bytes - i >= len && is_ascii(bytes + i))
			continue;
		len = vtr_utf8_sequence(bytes + i, len_bytes - i);
		if (!len) {
			bytes[i] = '?';
			len = 1;
		}
	}
}

/* ---- Words -------------------------------------------------------------- */

static void put_word(struct fxt_encoder *to, uint64_t word)
{
	if (to->nr < to->size)
		to->words[to->nr] = word;
	to->nr++;
}

static void put_stream(struct fxt_encoder *to, const struct vitrine_fxt_string *stream,
		       bool is_text)
{
	size_t nr_words = fxt_stream_words(stream->len_bytes);

	if (nr_words > to->size || (is_text && stream->len_bytes > FXT_MAX_STRING_BYTES)) {
		nr_words = to->size + 1;
	} else if (nr_words && to->nr + nr_words <= to->size) {
		to->words[to->nr + nr_words - 1] = 0;
		memcpy(&to->words[to->nr], stream->bytes, stream->len_bytes);
		/* The zeros of the padding need no mending. */
		if (is_text)
			fxt_mend_text(&to->words[to->nr], nr_words * FXT_WORD_BYTES);
	}
	to->nr += nr_words;
}

/*
 * Put a string, if it is inline. Returns its reference: an index of the string table, or the
 * mark and the length of an inline string. Format: "String references".
 */
static uint64_t put_string(struct fxt_encoder *to, const struct vitrine_fxt_string *string)
{
	unsigned int index = 0;

	if (!string->len_bytes)
		return 0;
	if (to->intern)
		index = to->intern(to->ctx, string);
	if (index)
		return index;
	put_stream(to, string, true);
	return FXT_STRING_REF_INLINE | string->len_bytes;
}

static void put_arg(struct fxt_encoder *to, const struct vitrine_fxt_arg *arg)
{
	unsigned int type = arg->type <= FXT_ARG_BOOL ? arg->type : FXT_ARG_NULL;
	uint64_t mask = fxt_arg_mask(type), header, value = arg->value.uint64;
	enum fxt_class class = fxt_arg_class(type);
	unsigned int at = to->nr;

	put_word(to, 0);
	header = FXT_PUT(FXT_HEADER_TYPE, type) |
		 FXT_PUT(FXT_ARG_NAME, put_string(to, &arg->name));
	if (class == FXT_CLASS_TEXT)
		value = put_string(to, &arg->value.string);
	else if (class == FXT_CLASS_BOOL)
		value = arg->value.boolean;
	if (mask)
		header |= FXT_PUT(mask, value) & mask;
	else if (class != FXT_CLASS_NONE)
		put_word(to, value);
	if (at < to->size)
		to->words[at] = header | FXT_PUT(FXT_HEADER_WORDS, to->nr - at);
}

/* ---- Records ------------------------------------------------------------ */

/**
 * fxt_encode_refer() - make the last record refer to a thread
 * @to: the encoder
 * @thread: the thread
 * @shift: bit position of the reference in @to->words[@to->ref_word], or FXT_NO_SHIFT
 */
void fxt_encode_refer(struct fxt_encoder *to,
		      const struct vitrine_fxt_thread *thread,
		      unsigned int shift)
{
	to->threads[to->nr_threads] = *thread;
	to->shifts[to->nr_threads++] = shift;
}

/* Refer to a thread by a reference in @mask, or put the thread here, if there is no mask. */
static void put_thread(struct fxt_encoder *to, const struct vitrine_fxt_thread *thread,
		       uint64_t mask)
{
	if (mask && !to->inline_threads) {
		fxt_encode_refer(to, thread, __builtin_ctzll(mask));
		return;
	}
	put_word(to, thread->process);
	put_word(to, thread->thread);
}

static void put_koid(struct fxt_encoder *to, const struct vitrine_fxt_thread *thread)
{
	put_word(to, thread->thread);
	if (!to->inline_threads)
		fxt_encode_refer(to, thread, FXT_NO_SHIFT);
}

static void put_last_word(struct fxt_encoder *to, const struct vitrine_fxt_record *record)
{
	uint64_t word = record->event.id;

	if (record->event.type == FXT_EVENT_DURATION_COMPLETE && word < record->ticks)
		word = record->ticks;
	if (fxt_phases[record->event.type].has_word)
		put_word(to, word);
}

/* Put the words of a field. Returns its bits, which go to the word of its mask. */
static uint64_t put_field(struct fxt_encoder *to, const struct fxt_field *field,
			  const struct vitrine_fxt_record *record)
{
	const void *from = (const char *)record + field->at;
	const struct vitrine_fxt_string *text = from;
	unsigned int i;

	switch (field->op) {
	case FXT_BITS:
	case FXT_PHASE:
		return *(const uint32_t *)from;
	case FXT_BYTE:
	case FXT_CONTEXT:
		return *(const uint8_t *)from;
	case FXT_TICKS:
	case FXT_WORD:
	case FXT_ADDRESS:
	case FXT_PROCESS:
		put_word(to, *(const uint64_t *)from);
		return 0;
	case FXT_TEXT:
	case FXT_BYTES:
		put_stream(to, text, field->op == FXT_TEXT);
		return text->len_bytes;
	case FXT_STRING:
		return put_string(to, text);
	case FXT_THREAD:
		put_thread(to, from, field->mask);
		return 0;
	case FXT_KOID:
		put_koid(to, from);
		return 0;
	case FXT_ARGS:
		for (i = 0; i < record->nr_args; i++)
			put_arg(to, &record->args[i]);
		return record->nr_args;
	case FXT_LAST_WORD:
		put_last_word(to, record);
		return 0;
	case FXT_SECOND_WORD:
		to->ref_word = to->nr;
		put_word(to, 0);
		return 0;
	case FXT_PAYLOAD:
		put_word(to, text->len_bytes);
		put_stream(to, text, false);
		return 0;
	default:
		return 0;
	}
}

/* Fast path: encode a 16-byte switch, without the references to its threads. */
static bool encode_plain_switch(struct fxt_encoder *to, const struct vitrine_fxt_record *record)
{
	put_word(to, PLAIN_SWITCH | FXT_PUT(FXT_SWITCH_CPU, record->cpu) |
		 (FXT_PUT(FXT_SWITCH_OUTGOING_STATE, record->context_switch.outgoing_state) &
		  FXT_SWITCH_OUTGOING_STATE) |
		 FXT_PUT(FXT_SWITCH_OUTGOING_PRIORITY,
			 record->context_switch.outgoing_priority) |
		 FXT_PUT(FXT_SWITCH_INCOMING_PRIORITY,
			 record->context_switch.incoming_priority));
	put_word(to, record->ticks);
	put_thread(to, &record->context_switch.outgoing, FXT_SWITCH_OUTGOING_THREAD);
	put_thread(to, &record->context_switch.incoming, FXT_SWITCH_INCOMING_THREAD);
	return to->nr <= to->size;
}

/* Fast path: encode a wakeup. */
static bool encode_wakeup(struct fxt_encoder *to, const struct vitrine_fxt_record *record)
{
	const unsigned int at = to->nr;
	unsigned int i;

	put_word(to, 0);
	put_word(to, record->ticks);
	put_koid(to, &record->wakeup);
	for (i = 0; i < record->nr_args; i++)
		put_arg(to, &record->args[i]);
	if (to->nr > to->size || to->nr - at > FXT_MAX_RECORD_WORDS)
		return false;
	to->words[at] = PLAIN_WAKEUP(to->nr - at, record->nr_args) |
			(FXT_PUT(FXT_SCHEDULING_CPU, record->cpu) & FXT_SCHEDULING_CPU) |
			(FXT_PUT(FXT_SCHEDULING_CONTEXT, record->wakeup_context) &
			 FXT_SCHEDULING_CONTEXT);
	return true;
}

/* Convert the priority of a legacy record to the weight of the newer one. */
static int32_t weight_of(const struct vitrine_fxt_thread *thread, unsigned int priority)
{
	return thread->thread || priority ? (int32_t)priority : INT32_MIN;
}

/* Encode a legacy switch of a CPU whose number only the newer record can hold. */
static bool encode_wide_switch(struct fxt_encoder *to, const struct vitrine_fxt_record *record)
{
	struct vitrine_fxt_record wide = *record;

	wide.context_switch.legacy = false;
	wide.nr_args = 0;
	fxt_add_weight(&wide, "outgoing_weight",
		       weight_of(&record->context_switch.outgoing,
				 record->context_switch.outgoing_priority));
	fxt_add_weight(&wide, "incoming_weight",
		       weight_of(&record->context_switch.incoming,
				 record->context_switch.incoming_priority));
	return fxt_encode(to, &wide);
}

static bool encode_any(struct fxt_encoder *to, const struct vitrine_fxt_record *record)
{
	const struct fxt_row *row = fxt_row_of(record);
	bool large = fxt_is_large(row->header);
	const struct fxt_field *field;
	unsigned int at = to->nr, nr;
	uint64_t bits = 0;

	if (record->kind <= VITRINE_FXT_MAGIC ||
	    (record->kind == VITRINE_FXT_EVENT && record->event.type >= FXT_NR_PHASES))
		return false;
	put_word(to, 0);
	for (field = row->fields; field->op; field++)
		bits |= put_field(to, field, record) << field->shift & field->mask;
	nr = to->nr - at;
	if (to->nr > to->size || (!large && nr > FXT_MAX_RECORD_WORDS))
		return false;
	to->words[to->ref_word] = bits;
	to->words[at] |= row->header | (large ? FXT_PUT(FXT_LARGE_WORDS, nr) :
						FXT_PUT(FXT_HEADER_WORDS, nr));
	return true;
}

/**
 * fxt_encode() - encode a record
 * @to: the encoder
 * @record: the record, of any kind but VITRINE_FXT_UNKNOWN and VITRINE_FXT_MAGIC
 *
 * Return: false if FXT or the encoder has no room for it; then @to->nr and the words
 * from there on are undefined.
 */
bool fxt_encode(struct fxt_encoder *to, const struct vitrine_fxt_record *record)
{
	to->nr_threads = 0;
	to->ref_word = to->nr;
	if (record->kind == VITRINE_FXT_WAKEUP)
		return encode_wakeup(to, record);
	if (record->kind != VITRINE_FXT_SWITCH || !record->context_switch.legacy)
		return encode_any(to, record);
	if (record->cpu > LEGACY_MAX_CPU)
		return encode_wide_switch(to, record);
	return to->inline_threads ? encode_any(to, record) : encode_plain_switch(to, record);
}

static struct vitrine_fxt_string string_of(const char *text)
{
	return (struct vitrine_fxt_string){ text, strlen(text) };
}

/**
 * fxt_encode_magic() - encode the magic record, with which a sub-buffer begins
 * @to: the encoder
 */
void fxt_encode_magic(struct fxt_encoder *to)
{
	put_word(to, FXT_MAGIC_RECORD);
}

/**
 * fxt_encode_provider() - encode a metadata record about a provider
 * @to: the encoder
 * @kind: VITRINE_FXT_PROVIDER_INFO, VITRINE_FXT_PROVIDER_SECTION, or
 *	VITRINE_FXT_PROVIDER_EVENT for the event "buffer filled up"
 * @provider: provider id
 * @name: of PROVIDER_INFO the name, at most 255 bytes; else ""
 */
void fxt_encode_provider(struct fxt_encoder *to, enum vitrine_fxt_kind kind,
			 uint32_t provider, const char *name)
{
	const struct vitrine_fxt_record record = {
		.kind = kind,
		.provider = provider,
		.provider_info = { FXT_PROVIDER_EVENT_BUFFER_FULL, string_of(name) },
	};

	fxt_encode(to, &record);
}

/**
 * fxt_encode_initialization() - encode an initialization record
 * @to: the encoder
 * @ticks_per_second: rate of the timestamps behind it
 */
void fxt_encode_initialization(struct fxt_encoder *to,
			       uint64_t ticks_per_second)
{
	const struct vitrine_fxt_record record = {
		.kind = VITRINE_FXT_INITIALIZATION,
		.ticks_per_second = ticks_per_second,
	};

	fxt_encode(to, &record);
}

/**
 * fxt_encode_string() - encode a string record
 * @to: the encoder
 * @index: index in the string table, from 1
 * @string: the string, at most FXT_MAX_STRING_BYTES long
 */
void fxt_encode_string(struct fxt_encoder *to, unsigned int index,
		       const struct vitrine_fxt_string *string)
{
	const struct vitrine_fxt_record record = {
		.kind = VITRINE_FXT_STRING,
		.string = { index, *string },
	};

	fxt_encode(to, &record);
}

/**
 * fxt_encode_thread() - encode a thread record
 * @to: the encoder
 * @index: index in the thread table, 1 to 255
 * @thread: the thread
 */
void fxt_encode_thread(struct fxt_encoder *to, unsigned int index,
		       const struct vitrine_fxt_thread *thread)
{
	const struct vitrine_fxt_record record = {
		.kind = VITRINE_FXT_THREAD,
		.thread = { index, *thread },
	};

	fxt_encode(to, &record);
}

/**
 * fxt_encode_blob() - encode a BLOB record of type DATA
 * @to: the encoder
 * @name: its name
 * @payload: its payload
 * @len_bytes: length of the payload
 */
void fxt_encode_blob(struct fxt_encoder *to, const char *name,
		     const void *payload, size_t len_bytes)
{
	const struct vitrine_fxt_record record = {
		.kind = VITRINE_FXT_BLOB,
		.blob = {
			.type = FXT_BLOB_TYPE_DATA,
			.name = string_of(name),
			.payload = { payload, len_bytes },
		},
	};

	fxt_encode(to, &record);
}

/**
 * fxt_encode_object() - encode the name of a process or thread
 * @to: the encoder
 * @type: FXT_OBJECT_TYPE_PROCESS or FXT_OBJECT_TYPE_THREAD
 * @koid: its koid
 * @name: its name
 * @process: koid of the process of a thread, or NULL
 */
void fxt_encode_object(struct fxt_encoder *to, unsigned int type, uint64_t koid,
		       const struct vitrine_fxt_string *name,
		       const uint64_t *process)
{
	struct vitrine_fxt_record record;

	/* Names may be as frequent as switches, so the rest of the record is not cleared. */
	record.kind = VITRINE_FXT_KERNEL_OBJECT;
	record.nr_args = 0;
	record.kernel_object.type = type;
	record.kernel_object.koid = koid;
	record.kernel_object.name = *name;
	if (process)
		fxt_add_arg(&record, FXT_ARG_KOID, "process")->value.uint64 = *process;
	fxt_encode(to, &record);
}

/**
 * fxt_source_find() - look up a source of events of the module
 * @category: a category
 *
 * Return: the source; NULL if the category is not one of the module's own.
 */
const struct fxt_source *fxt_source_find(const struct vitrine_fxt_string *category)
{
#define SOURCE(category, takes_cpu, what)	{ #category, takes_cpu, what },
	static const struct fxt_source sources[] = { VITRINE_SOURCES(SOURCE) };
	size_t i;

	for (i = 0; i < ARRAY_LEN(sources); i++)
		if (fxt_string_is(category, sources[i].category))
			return &sources[i];
	return NULL;
}
