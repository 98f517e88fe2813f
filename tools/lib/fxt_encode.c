// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Encode FXT records, for the recorder's loss records and for conversions into FXT.
 *
 * The references of a record to threads and strings depend on the sub-buffer that it will be
 * in. For threads, fxt_encode() leaves the bits 0 and says where they go, or writes threads
 * inline. Strings are inline unless the encoder has a function that registers them.
 */
#include <string.h>

#include "fxt_bits.h"
#include "fxt_encode.h"
#include "fxt_phase.h"
#include "fxt_record.h"
#include "utf8.h"

/* Highest CPU that a legacy switch record can name. */
#define LEGACY_MAX_CPU	255

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

static void put_stream(struct fxt_encoder *to, const void *bytes,
		       size_t len_bytes)
{
	size_t nr_words = fxt_stream_words(len_bytes);

	if (nr_words > to->size) {
		to->nr = to->size + 1;
		return;
	}
	if (len_bytes && to->nr + nr_words <= to->size) {
		to->words[to->nr + nr_words - 1] = 0;
		memcpy(&to->words[to->nr], bytes, len_bytes);
	}
	to->nr += nr_words;
}

/*
 * Return the reference to a string: an index of the string table, or the mark and the length
 * of an inline string, which put_string() writes. Format: "String references".
 */
static uint64_t refer_to(const struct fxt_encoder *to,
			 const struct vitrine_fxt_string *string)
{
	unsigned int index = 0;

	if (!string->len_bytes)
		return 0;
	if (to->intern)
		index = to->intern(to->ctx, string);
	return index ? index : FXT_STRING_REF_INLINE | string->len_bytes;
}

/* Write a string, if its reference is inline. It has 15 bits for the length. */
static void put_string(struct fxt_encoder *to, uint64_t ref,
		       const struct vitrine_fxt_string *string)
{
	unsigned int at = to->nr;

	if (!(ref & FXT_STRING_REF_INLINE))
		return;
	if (string->len_bytes > FXT_MAX_STRING_BYTES) {
		to->nr = to->size + 1;
		return;
	}
	put_stream(to, string->bytes, string->len_bytes);
	if (to->nr <= to->size)
		fxt_mend_text(&to->words[at], string->len_bytes);
}

static struct vitrine_fxt_string string_of(const char *text)
{
	return (struct vitrine_fxt_string){ text, strlen(text) };
}

/* Set the first word of the record or argument at @at, whose words are all written. */
static void put_header(struct fxt_encoder *to, unsigned int at, uint64_t header)
{
	if (at < to->size)
		to->words[at] = header | FXT_PUT(FXT_HEADER_WORDS, to->nr - at);
}

/* ---- Arguments ---------------------------------------------------------- */

static void put_arg(struct fxt_encoder *to, const struct vitrine_fxt_arg *arg)
{
	uint64_t name = refer_to(to, &arg->name), text;
	uint64_t header = FXT_PUT(FXT_HEADER_TYPE, arg->type) |
			  FXT_PUT(FXT_ARG_NAME, name);
	unsigned int at = to->nr;

	put_word(to, 0);
	put_string(to, name, &arg->name);
	switch (arg->type) {
	case FXT_ARG_INT32:
	case FXT_ARG_UINT32:
		header |= FXT_PUT(FXT_ARG_VALUE32,
				  (uint32_t)arg->value.uint64);
		break;
	case FXT_ARG_STRING_REF:
		text = refer_to(to, &arg->value.string);
		header |= FXT_PUT(FXT_ARG_STRING, text);
		put_string(to, text, &arg->value.string);
		break;
	case FXT_ARG_BOOL:
		header |= FXT_PUT(FXT_ARG_BOOLEAN, arg->value.boolean);
		break;
	case FXT_ARG_INT64:
	case FXT_ARG_UINT64:
	case FXT_ARG_DOUBLE:
	case FXT_ARG_POINTER:
	case FXT_ARG_KOID:
		put_word(to, arg->value.uint64);
		break;
	default:
		header &= ~FXT_HEADER_TYPE;	/* null */
		break;
	}
	put_header(to, at, header);
}

static void put_args(struct fxt_encoder *to,
		     const struct vitrine_fxt_record *record)
{
	unsigned int i;

	for (i = 0; i < record->nr_args; i++)
		put_arg(to, &record->args[i]);
}

static void put_int32(struct fxt_encoder *to, const char *name, int32_t value)
{
	const struct vitrine_fxt_arg arg = {
		.type = FXT_ARG_INT32,
		.name = string_of(name),
		.value.int64 = value,
	};

	put_arg(to, &arg);
}

/* ---- Records without a time ---------------------------------------------- */

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
 * @type: FXT_METADATA_PROVIDER_INFO, FXT_METADATA_PROVIDER_SECTION, or
 *	FXT_METADATA_PROVIDER_EVENT for the event "buffer filled up"
 * @provider: provider id
 * @name: of PROVIDER_INFO the name, at most 255 bytes; else ""
 */
void fxt_encode_provider(struct fxt_encoder *to, unsigned int type,
			 uint32_t provider, const char *name)
{
	size_t len_bytes = strlen(name);
	unsigned int at = to->nr;

	put_word(to, 0);
	put_stream(to, name, len_bytes);
	put_header(to, at, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_METADATA) |
		   FXT_PUT(FXT_METADATA_TYPE, type) |
		   FXT_PUT(FXT_PROVIDER_ID, provider) |
		   FXT_PUT(FXT_PROVIDER_INFO_NAME_BYTES, len_bytes));
}

/**
 * fxt_encode_initialization() - encode an initialization record
 * @to: the encoder
 * @ticks_per_second: rate of the timestamps behind it
 */
void fxt_encode_initialization(struct fxt_encoder *to,
			       uint64_t ticks_per_second)
{
	unsigned int at = to->nr;

	put_word(to, 0);
	put_word(to, ticks_per_second);
	put_header(to, at, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_INITIALIZATION));
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
	unsigned int at = to->nr;

	put_word(to, 0);
	put_string(to, FXT_STRING_REF_INLINE, string);
	put_header(to, at, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_STRING) |
		   FXT_PUT(FXT_STRING_INDEX, index) |
		   FXT_PUT(FXT_STRING_BYTES, string->len_bytes));
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
	unsigned int at = to->nr;

	put_word(to, 0);
	put_word(to, thread->process);
	put_word(to, thread->thread);
	put_header(to, at, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_THREAD) |
		   FXT_PUT(FXT_THREAD_INDEX, index));
}

/* ---- Records without a time that are not part of a sub-buffer's tables -------- */

static void encode_provider_event(struct fxt_encoder *to,
				  const struct vitrine_fxt_record *record)
{
	put_word(to, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_METADATA) |
		 FXT_PUT(FXT_METADATA_TYPE, FXT_METADATA_PROVIDER_EVENT) |
		 FXT_PUT(FXT_PROVIDER_ID, record->provider) |
		 FXT_PUT(FXT_PROVIDER_EVENT_ID, record->provider_info.event));
}

static void encode_blob(struct fxt_encoder *to, const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_string *payload = &record->blob.payload;
	uint64_t name = refer_to(to, &record->blob.name);

	put_word(to, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_BLOB) |
		 FXT_PUT(FXT_BLOB_NAME, name) |
		 FXT_PUT(FXT_BLOB_BYTES, payload->len_bytes) |
		 FXT_PUT(FXT_BLOB_TYPE, record->blob.type));
	put_string(to, name, &record->blob.name);
	put_stream(to, payload->bytes, payload->len_bytes);
}

static void encode_userspace_object(struct fxt_encoder *to,
				    const struct vitrine_fxt_record *record)
{
	uint64_t name = refer_to(to, &record->userspace_object.name);

	put_word(to, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_USERSPACE_OBJECT) |
		 FXT_PUT(FXT_USERSPACE_OBJECT_NAME, name) |
		 FXT_PUT(FXT_USERSPACE_OBJECT_NR_ARGS, record->nr_args));
	put_word(to, record->userspace_object.pointer);
	put_word(to, record->userspace_object.process);
	put_string(to, name, &record->userspace_object.name);
	put_args(to, record);
}

static void encode_kernel_object(struct fxt_encoder *to,
				 const struct vitrine_fxt_record *record)
{
	uint64_t name = refer_to(to, &record->kernel_object.name);

	put_word(to, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_KERNEL_OBJECT) |
		 FXT_PUT(FXT_KERNEL_OBJECT_TYPE, record->kernel_object.type) |
		 FXT_PUT(FXT_KERNEL_OBJECT_NAME, name) |
		 FXT_PUT(FXT_KERNEL_OBJECT_NR_ARGS, record->nr_args));
	put_word(to, record->kernel_object.koid);
	put_string(to, name, &record->kernel_object.name);
	put_args(to, record);
}

/* ---- Records with a time -------------------------------------------------- */

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

/* Refer to a thread by a reference in @mask, or write the thread inline here. */
static void put_thread(struct fxt_encoder *to,
		       const struct vitrine_fxt_thread *thread, uint64_t mask)
{
	if (!to->inline_threads) {
		fxt_encode_refer(to, thread, __builtin_ctzll(mask));
		return;
	}
	put_word(to, thread->process);
	put_word(to, thread->thread);
}

/* Convert the priority of a legacy record to the weight of the newer one. */
static int32_t weight_of(uint64_t thread, unsigned int priority)
{
	return thread || priority ? (int32_t)priority : INT32_MIN;
}

static void encode_wide_switch(struct fxt_encoder *to,
			       const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_thread *outgoing, *incoming;
	bool legacy = record->context_switch.legacy;

	outgoing = &record->context_switch.outgoing;
	incoming = &record->context_switch.incoming;
	if (!to->inline_threads) {
		fxt_encode_refer(to, outgoing, FXT_NO_SHIFT);
		fxt_encode_refer(to, incoming, FXT_NO_SHIFT);
	}
	put_word(to, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_SCHEDULING) |
		 FXT_PUT(FXT_SCHEDULING_SUBTYPE, FXT_SCHEDULING_CONTEXT_SWITCH) |
		 FXT_PUT(FXT_SCHEDULING_NR_ARGS, legacy ? 2 : record->nr_args) |
		 FXT_PUT(FXT_SCHEDULING_CPU, record->cpu) |
		 FXT_PUT(FXT_SCHEDULING_OUTGOING_STATE,
			 record->context_switch.outgoing_state));
	put_word(to, record->ticks);
	put_word(to, outgoing->thread);
	put_word(to, incoming->thread);
	if (!legacy) {
		put_args(to, record);
		return;
	}
	put_int32(to, "outgoing_weight",
		  weight_of(outgoing->thread,
			    record->context_switch.outgoing_priority));
	put_int32(to, "incoming_weight",
		  weight_of(incoming->thread,
			    record->context_switch.incoming_priority));
}

static void encode_switch(struct fxt_encoder *to,
			  const struct vitrine_fxt_record *record)
{
	if (!record->context_switch.legacy || record->cpu > LEGACY_MAX_CPU) {
		encode_wide_switch(to, record);
		return;
	}
	put_word(to, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_SCHEDULING) |
		 FXT_PUT(FXT_SWITCH_CPU, record->cpu) |
		 FXT_PUT(FXT_SWITCH_OUTGOING_STATE,
			 record->context_switch.outgoing_state) |
		 FXT_PUT(FXT_SWITCH_OUTGOING_PRIORITY,
			 record->context_switch.outgoing_priority) |
		 FXT_PUT(FXT_SWITCH_INCOMING_PRIORITY,
			 record->context_switch.incoming_priority));
	put_word(to, record->ticks);
	put_thread(to, &record->context_switch.outgoing,
		   FXT_SWITCH_OUTGOING_THREAD);
	put_thread(to, &record->context_switch.incoming,
		   FXT_SWITCH_INCOMING_THREAD);
}

static void encode_wakeup(struct fxt_encoder *to,
			  const struct vitrine_fxt_record *record)
{
	fxt_encode_refer(to, &record->wakeup, FXT_NO_SHIFT);
	put_word(to, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_SCHEDULING) |
		 FXT_PUT(FXT_SCHEDULING_SUBTYPE, FXT_SCHEDULING_THREAD_WAKEUP) |
		 FXT_PUT(FXT_SCHEDULING_NR_ARGS, record->nr_args) |
		 FXT_PUT(FXT_SCHEDULING_CPU, record->cpu & 0xffff));
	put_word(to, record->ticks);
	put_word(to, record->wakeup.thread);
	put_args(to, record);
}

static void encode_event(struct fxt_encoder *to,
			 const struct vitrine_fxt_record *record)
{
	uint64_t category = refer_to(to, &record->event.category);
	uint64_t name = refer_to(to, &record->event.name);

	put_word(to, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_EVENT) |
		 FXT_PUT(FXT_EVENT_TYPE, record->event.type) |
		 FXT_PUT(FXT_EVENT_NR_ARGS, record->nr_args) |
		 FXT_PUT(FXT_EVENT_CATEGORY, category) |
		 FXT_PUT(FXT_EVENT_NAME, name));
	put_word(to, record->ticks);
	put_thread(to, &record->event.thread, FXT_EVENT_THREAD);
	put_string(to, category, &record->event.category);
	put_string(to, name, &record->event.name);
	put_args(to, record);
	if (record->event.type == FXT_EVENT_DURATION_COMPLETE)
		put_word(to, record->event.id > record->ticks ?
			 record->event.id : record->ticks);
	else if (fxt_phases[record->event.type].has_word)
		put_word(to, record->event.id);
}

static void encode_log(struct fxt_encoder *to,
		       const struct vitrine_fxt_record *record)
{
	put_word(to, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_LOG) |
		 FXT_PUT(FXT_LOG_BYTES, record->log.message.len_bytes));
	put_word(to, record->ticks);
	put_thread(to, &record->log.thread, FXT_LOG_THREAD);
	put_string(to, FXT_STRING_REF_INLINE, &record->log.message);
}

static void encode_large_blob(struct fxt_encoder *to,
			      const struct vitrine_fxt_record *record)
{
	bool metadata = record->large_blob.format == FXT_LARGE_BLOB_WITH_METADATA;
	const struct vitrine_fxt_string *payload = &record->large_blob.payload;
	uint64_t category = refer_to(to, &record->large_blob.category);
	uint64_t name = refer_to(to, &record->large_blob.name);

	to->ref_word++;
	put_word(to, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_LARGE) |
		 FXT_PUT(FXT_LARGE_BLOB_FORMAT, record->large_blob.format));
	put_word(to, FXT_PUT(FXT_LARGE_BLOB_CATEGORY, category) |
		 FXT_PUT(FXT_LARGE_BLOB_NAME, name) |
		 FXT_PUT(FXT_LARGE_BLOB_NR_ARGS, metadata ? record->nr_args : 0));
	put_string(to, category, &record->large_blob.category);
	put_string(to, name, &record->large_blob.name);
	if (metadata) {
		put_word(to, record->ticks);
		put_thread(to, &record->large_blob.thread, FXT_LARGE_BLOB_THREAD);
		put_args(to, record);
	}
	put_word(to, payload->len_bytes);
	put_stream(to, payload->bytes, payload->len_bytes);
}

/**
 * fxt_encode() - encode a record with a time, a blob, an object or the event of a provider
 * @to: the encoder
 * @record: the record
 *
 * Return: false if FXT or the encoder has no room for it; then @to->nr and the words
 * from there on are undefined.
 */
bool fxt_encode(struct fxt_encoder *to, const struct vitrine_fxt_record *record)
{
	bool large = record->kind == VITRINE_FXT_LARGE_BLOB;
	unsigned int at = to->nr, nr;

	to->nr_threads = 0;
	to->ref_word = at;
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		encode_switch(to, record);
		break;
	case VITRINE_FXT_WAKEUP:
		encode_wakeup(to, record);
		break;
	case VITRINE_FXT_EVENT:
		if (record->event.type >= FXT_NR_PHASES)
			return false;
		encode_event(to, record);
		break;
	case VITRINE_FXT_LOG:
		encode_log(to, record);
		break;
	case VITRINE_FXT_LARGE_BLOB:
		encode_large_blob(to, record);
		break;
	case VITRINE_FXT_PROVIDER_EVENT:
		encode_provider_event(to, record);
		break;
	case VITRINE_FXT_BLOB:
		encode_blob(to, record);
		break;
	case VITRINE_FXT_USERSPACE_OBJECT:
		encode_userspace_object(to, record);
		break;
	case VITRINE_FXT_KERNEL_OBJECT:
		encode_kernel_object(to, record);
		break;
	default:
		return false;
	}
	nr = to->nr - at;
	if (to->nr > to->size || (!large && nr > FXT_MAX_RECORD_WORDS))
		return false;
	to->words[at] |= large ? FXT_PUT(FXT_LARGE_WORDS, nr) :
				 FXT_PUT(FXT_HEADER_WORDS, nr);
	return true;
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
	struct vitrine_fxt_record record = {
		.kind = VITRINE_FXT_KERNEL_OBJECT,
		.kernel_object = { type, koid, *name },
	};

	if (process)
		fxt_add_arg(&record, FXT_ARG_KOID, "process")->value.uint64 = *process;
	fxt_encode(to, &record);
}
