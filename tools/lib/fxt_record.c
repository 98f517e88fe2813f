// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Decode one FXT record, in place.
 *
 * The strings, threads and the tick rate that a record registers are stored in the
 * tables of its provider. The caller knows which provider a record belongs to.
 */
#include <errno.h>
#include <inttypes.h>

#include <vitrine/map.h>

#include "fxt_phase.h"
#include "fxt_record.h"

static void check_reserved(struct fxt_cursor *cursor, uint64_t offset,
			   uint64_t word, uint64_t reserved)
{
	if (cursor->decoder->thorough && word & reserved)
		fxt_fault(cursor->decoder, offset,
			  "reserved bits 0x%" PRIx64 " are set",
			  word & reserved);
}

/* Report set bits of a header word, apart from the fields in @known. */
static void check_header(struct fxt_cursor *cursor, uint64_t header,
			 uint64_t known)
{
	check_reserved(cursor, cursor->record, header,
		       ~(FXT_HEADER_TYPE | FXT_HEADER_WORDS | known));
}

static bool parse_ticks(struct fxt_cursor *cursor, struct vitrine_fxt_record *ret)
{
	ret->timed = fxt_parse_word(cursor, "timestamp", &ret->ticks);
	return ret->timed;
}

static bool out_of_memory(struct fxt_cursor *cursor)
{
	cursor->decoder->stop = ENOMEM;
	return false;
}

static bool parse_provider_info(struct fxt_cursor *cursor, uint64_t header,
				struct vitrine_fxt_record *ret)
{
	check_header(cursor, header, FXT_METADATA_TYPE | FXT_PROVIDER_ID |
		     FXT_PROVIDER_INFO_NAME_BYTES);
	ret->kind = VITRINE_FXT_PROVIDER_INFO;
	ret->provider = FXT_GET(FXT_PROVIDER_ID, header);
	return fxt_parse_stream(cursor, "provider's name",
				FXT_GET(FXT_PROVIDER_INFO_NAME_BYTES, header),
				true, &ret->provider_info.name);
}

static bool parse_provider_event(struct fxt_cursor *cursor, uint64_t header,
				 struct vitrine_fxt_record *ret)
{
	check_header(cursor, header, FXT_METADATA_TYPE | FXT_PROVIDER_ID |
		     FXT_PROVIDER_EVENT_ID);
	ret->kind = VITRINE_FXT_PROVIDER_EVENT;
	ret->provider = FXT_GET(FXT_PROVIDER_ID, header);
	ret->provider_info.event = FXT_GET(FXT_PROVIDER_EVENT_ID, header);
	return true;
}

static bool parse_metadata(struct fxt_cursor *cursor, uint64_t header,
			   struct vitrine_fxt_record *ret)
{
	if (header == FXT_MAGIC_RECORD) {
		ret->kind = VITRINE_FXT_MAGIC;
		return true;
	}
	switch (FXT_GET(FXT_METADATA_TYPE, header)) {
	case FXT_METADATA_PROVIDER_INFO:
		return parse_provider_info(cursor, header, ret);
	case FXT_METADATA_PROVIDER_SECTION:
		check_header(cursor, header, FXT_METADATA_TYPE | FXT_PROVIDER_ID);
		ret->kind = VITRINE_FXT_PROVIDER_SECTION;
		ret->provider = FXT_GET(FXT_PROVIDER_ID, header);
		return true;
	case FXT_METADATA_PROVIDER_EVENT:
		return parse_provider_event(cursor, header, ret);
	default:
		cursor->at = cursor->end;
		return true;
	}
}

static bool parse_initialization(struct fxt_cursor *cursor, uint64_t header,
				 struct vitrine_fxt_record *ret)
{
	uint64_t rate;

	check_header(cursor, header, 0);
	ret->kind = VITRINE_FXT_INITIALIZATION;
	if (!fxt_parse_word(cursor, "ticks per second", &rate))
		return false;
	if (!rate) {
		fxt_fault(cursor->decoder, cursor->record,
			  "ticks per second are 0");
		return false;
	}
	ret->ticks_per_second = rate;
	cursor->provider->ticks_per_second = rate;
	return true;
}

static bool parse_string_record(struct fxt_cursor *cursor, uint64_t header,
				struct vitrine_fxt_record *ret)
{
	check_header(cursor, header, FXT_STRING_INDEX | FXT_STRING_BYTES);
	ret->kind = VITRINE_FXT_STRING;
	ret->string.index = FXT_GET(FXT_STRING_INDEX, header);
	if (!fxt_parse_stream(cursor, "string",
			      FXT_GET(FXT_STRING_BYTES, header), true,
			      &ret->string.value))
		return false;
	if (ret->string.index)
		return fxt_provider_set_string(cursor->provider,
					       ret->string.index,
					       &ret->string.value) ||
		       out_of_memory(cursor);
	/* Format: "must be ignored". */
	if (cursor->decoder->thorough)
		fxt_fault(cursor->decoder, cursor->record,
			  "string index 0 is not to be registered");
	return true;
}

static bool parse_thread_record(struct fxt_cursor *cursor, uint64_t header,
				struct vitrine_fxt_record *ret)
{
	struct vitrine_fxt_thread *thread = &ret->thread.thread;

	check_header(cursor, header, FXT_THREAD_INDEX);
	ret->kind = VITRINE_FXT_THREAD;
	ret->thread.index = FXT_GET(FXT_THREAD_INDEX, header);
	if (!fxt_parse_word(cursor, "process", &thread->process) ||
	    !fxt_parse_word(cursor, "thread", &thread->thread))
		return false;
	if (ret->thread.index)
		return fxt_provider_set_thread(cursor->provider,
					       ret->thread.index, thread) ||
		       out_of_memory(cursor);
	/* Format: "must be ignored". */
	if (cursor->decoder->thorough)
		fxt_fault(cursor->decoder, cursor->record,
			  "thread index 0 is not to be registered");
	return true;
}

static bool parse_event(struct fxt_cursor *cursor, uint64_t header,
			struct vitrine_fxt_record *ret)
{
	ret->kind = VITRINE_FXT_EVENT;
	ret->event.type = FXT_GET(FXT_EVENT_TYPE, header);
	ret->event.id = 0;
	if (!parse_ticks(cursor, ret) ||
	    !fxt_parse_thread(cursor, "event's thread",
			      FXT_GET(FXT_EVENT_THREAD, header),
			      &ret->event.thread) ||
	    !fxt_parse_string(cursor, "event's category",
			      FXT_GET(FXT_EVENT_CATEGORY, header),
			      &ret->event.category) ||
	    !fxt_parse_string(cursor, "event's name",
			      FXT_GET(FXT_EVENT_NAME, header),
			      &ret->event.name) ||
	    !fxt_parse_args(cursor, FXT_GET(FXT_EVENT_NR_ARGS, header), ret))
		return false;

	if (ret->event.type >= FXT_NR_PHASES) {
		cursor->at = cursor->end;
		return true;
	}
	return !fxt_phases[ret->event.type].has_word ||
	       fxt_parse_word(cursor, "event's last word", &ret->event.id);
}

static bool parse_blob(struct fxt_cursor *cursor, uint64_t header,
		       struct vitrine_fxt_record *ret)
{
	check_header(cursor, header, FXT_BLOB_NAME | FXT_BLOB_BYTES | FXT_BLOB_TYPE);
	ret->kind = VITRINE_FXT_BLOB;
	ret->blob.type = FXT_GET(FXT_BLOB_TYPE, header);
	return fxt_parse_string(cursor, "blob's name",
				FXT_GET(FXT_BLOB_NAME, header),
				&ret->blob.name) &&
	       fxt_parse_stream(cursor, "blob's payload",
				FXT_GET(FXT_BLOB_BYTES, header), false,
				&ret->blob.payload);
}

static bool parse_userspace_object(struct fxt_cursor *cursor, uint64_t header,
				   struct vitrine_fxt_record *ret)
{
	unsigned int ref = FXT_GET(FXT_USERSPACE_OBJECT_PROCESS, header);
	struct vitrine_fxt_thread thread;

	check_header(cursor, header, FXT_USERSPACE_OBJECT_PROCESS |
		     FXT_USERSPACE_OBJECT_NAME | FXT_USERSPACE_OBJECT_NR_ARGS);
	ret->kind = VITRINE_FXT_USERSPACE_OBJECT;
	if (!fxt_parse_word(cursor, "pointer", &ret->userspace_object.pointer))
		return false;
	/* An inline reference has a process but no thread. */
	if (!ref) {
		if (!fxt_parse_word(cursor, "process", &thread.process))
			return false;
	} else if (!fxt_parse_thread(cursor, "process", ref, &thread)) {
		return false;
	}
	ret->userspace_object.process = thread.process;
	return fxt_parse_string(cursor, "object's name",
				FXT_GET(FXT_USERSPACE_OBJECT_NAME, header),
				&ret->userspace_object.name) &&
	       fxt_parse_args(cursor,
			      FXT_GET(FXT_USERSPACE_OBJECT_NR_ARGS, header),
			      ret);
}

static bool parse_kernel_object(struct fxt_cursor *cursor, uint64_t header,
				struct vitrine_fxt_record *ret)
{
	check_header(cursor, header, FXT_KERNEL_OBJECT_TYPE | FXT_KERNEL_OBJECT_NAME |
		     FXT_KERNEL_OBJECT_NR_ARGS);
	ret->kind = VITRINE_FXT_KERNEL_OBJECT;
	ret->kernel_object.type = FXT_GET(FXT_KERNEL_OBJECT_TYPE, header);
	return fxt_parse_word(cursor, "koid", &ret->kernel_object.koid) &&
	       fxt_parse_string(cursor, "object's name",
				FXT_GET(FXT_KERNEL_OBJECT_NAME, header),
				&ret->kernel_object.name) &&
	       fxt_parse_args(cursor,
			      FXT_GET(FXT_KERNEL_OBJECT_NR_ARGS, header), ret);
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

static bool is_state_good(unsigned int state)
{
	return state != FXT_THREAD_RUNNING && state <= FXT_THREAD_DEAD;
}

static void check_state(struct fxt_cursor *cursor, unsigned int state)
{
	if (cursor->decoder->thorough && !is_state_good(state))
		fxt_fault(cursor->decoder, cursor->record,
			  "outgoing thread's state is %u", state);
}

static bool parse_legacy_switch(struct fxt_cursor *cursor, uint64_t header,
				struct vitrine_fxt_record *ret)
{
	ret->kind = VITRINE_FXT_SWITCH;
	ret->cpu = FXT_GET(FXT_SWITCH_CPU, header);
	ret->context_switch.legacy = true;
	ret->context_switch.outgoing_state =
		FXT_GET(FXT_SWITCH_OUTGOING_STATE, header);
	ret->context_switch.outgoing_priority =
		FXT_GET(FXT_SWITCH_OUTGOING_PRIORITY, header);
	ret->context_switch.incoming_priority =
		FXT_GET(FXT_SWITCH_INCOMING_PRIORITY, header);
	check_state(cursor, ret->context_switch.outgoing_state);
	return parse_ticks(cursor, ret) &&
	       fxt_parse_thread(cursor, "outgoing thread",
				FXT_GET(FXT_SWITCH_OUTGOING_THREAD, header),
				&ret->context_switch.outgoing) &&
	       fxt_parse_thread(cursor, "incoming thread",
				FXT_GET(FXT_SWITCH_INCOMING_THREAD, header),
				&ret->context_switch.incoming);
}

static bool parse_context_switch(struct fxt_cursor *cursor, uint64_t header,
				 struct vitrine_fxt_record *ret)
{
	struct vitrine_fxt_thread *outgoing = &ret->context_switch.outgoing;
	struct vitrine_fxt_thread *incoming = &ret->context_switch.incoming;

	check_header(cursor, header, FXT_SCHEDULING_NR_ARGS | FXT_SCHEDULING_CPU |
		     FXT_SCHEDULING_OUTGOING_STATE | FXT_SCHEDULING_SUBTYPE);
	ret->kind = VITRINE_FXT_SWITCH;
	ret->cpu = FXT_GET(FXT_SCHEDULING_CPU, header);
	ret->context_switch.legacy = false;
	ret->context_switch.outgoing_state =
		FXT_GET(FXT_SCHEDULING_OUTGOING_STATE, header);
	ret->context_switch.outgoing_priority = 0;
	ret->context_switch.incoming_priority = 0;
	outgoing->process = VITRINE_FXT_NO_PROCESS;
	incoming->process = VITRINE_FXT_NO_PROCESS;
	check_state(cursor, ret->context_switch.outgoing_state);
	return parse_ticks(cursor, ret) &&
	       fxt_parse_word(cursor, "outgoing thread", &outgoing->thread) &&
	       fxt_parse_word(cursor, "incoming thread", &incoming->thread) &&
	       fxt_parse_args(cursor, FXT_GET(FXT_SCHEDULING_NR_ARGS, header),
			      ret);
}

/* The module does not write the waker: it is the thread that runs on that CPU. */
static void add_waker(const struct fxt_provider *provider,
		      struct vitrine_fxt_record *ret)
{
	if (!ret->nr_args && provider->cpu != VITRINE_FXT_NO_CPU &&
	    provider->running_known)
		fxt_add_waker(ret, provider->running);
}

static bool parse_wakeup(struct fxt_cursor *cursor, uint64_t header,
			 struct vitrine_fxt_record *ret)
{
	check_header(cursor, header, FXT_SCHEDULING_NR_ARGS | FXT_SCHEDULING_CPU |
		     FXT_SCHEDULING_SUBTYPE);
	ret->kind = VITRINE_FXT_WAKEUP;
	ret->cpu = FXT_GET(FXT_SCHEDULING_CPU, header);
	ret->wakeup.process = VITRINE_FXT_NO_PROCESS;
	if (!parse_ticks(cursor, ret) ||
	    !fxt_parse_word(cursor, "woken thread", &ret->wakeup.thread) ||
	    !fxt_parse_args(cursor, FXT_GET(FXT_SCHEDULING_NR_ARGS, header),
			    ret))
		return false;
	add_waker(cursor->provider, ret);
	return true;
}

static bool parse_scheduling(struct fxt_cursor *cursor, uint64_t header,
			     struct vitrine_fxt_record *ret)
{
	switch (FXT_GET(FXT_SCHEDULING_SUBTYPE, header)) {
	case FXT_SCHEDULING_LEGACY_SWITCH:
		return parse_legacy_switch(cursor, header, ret);
	case FXT_SCHEDULING_CONTEXT_SWITCH:
		return parse_context_switch(cursor, header, ret);
	case FXT_SCHEDULING_THREAD_WAKEUP:
		return parse_wakeup(cursor, header, ret);
	default:
		cursor->at = cursor->end;
		return true;
	}
}

static bool parse_log(struct fxt_cursor *cursor, uint64_t header,
		      struct vitrine_fxt_record *ret)
{
	check_header(cursor, header, FXT_LOG_BYTES | FXT_LOG_THREAD);
	ret->kind = VITRINE_FXT_LOG;
	return parse_ticks(cursor, ret) &&
	       fxt_parse_thread(cursor, "message's thread",
				FXT_GET(FXT_LOG_THREAD, header),
				&ret->log.thread) &&
	       fxt_parse_stream(cursor, "message",
				FXT_GET(FXT_LOG_BYTES, header), true,
				&ret->log.message);
}

static bool parse_large_payload(struct fxt_cursor *cursor,
				struct vitrine_fxt_record *ret)
{
	uint64_t len_bytes;

	return fxt_parse_word(cursor, "payload's size", &len_bytes) &&
	       fxt_parse_stream(cursor, "large blob's payload", len_bytes,
				false, &ret->large_blob.payload);
}

static bool parse_large_metadata(struct fxt_cursor *cursor, uint64_t word,
				 struct vitrine_fxt_record *ret)
{
	return parse_ticks(cursor, ret) &&
	       fxt_parse_thread(cursor, "large blob's thread",
				FXT_GET(FXT_LARGE_BLOB_THREAD, word),
				&ret->large_blob.thread) &&
	       fxt_parse_args(cursor, FXT_GET(FXT_LARGE_BLOB_NR_ARGS, word),
			      ret);
}

static bool parse_large_blob(struct fxt_cursor *cursor,
			     struct vitrine_fxt_record *ret)
{
	bool metadata = ret->large_blob.format == FXT_LARGE_BLOB_WITH_METADATA;
	uint64_t known = FXT_LARGE_BLOB_CATEGORY | FXT_LARGE_BLOB_NAME;
	uint64_t word;

	if (metadata)
		known |= FXT_LARGE_BLOB_NR_ARGS | FXT_LARGE_BLOB_THREAD;
	if (!fxt_parse_word(cursor, "large blob's second word", &word))
		return false;
	check_reserved(cursor, cursor->at - FXT_WORD_BYTES, word, ~known);
	return fxt_parse_string(cursor, "large blob's category",
				FXT_GET(FXT_LARGE_BLOB_CATEGORY, word),
				&ret->large_blob.category) &&
	       fxt_parse_string(cursor, "large blob's name",
				FXT_GET(FXT_LARGE_BLOB_NAME, word),
				&ret->large_blob.name) &&
	       (!metadata || parse_large_metadata(cursor, word, ret)) &&
	       parse_large_payload(cursor, ret);
}

static bool parse_large(struct fxt_cursor *cursor, uint64_t header,
			struct vitrine_fxt_record *ret)
{
	unsigned int format = FXT_GET(FXT_LARGE_BLOB_FORMAT, header);

	if (FXT_GET(FXT_LARGE_TYPE, header) != FXT_LARGE_TYPE_BLOB ||
	    format > FXT_LARGE_BLOB_NO_METADATA) {
		cursor->at = cursor->end;
		return true;
	}
	check_reserved(cursor, cursor->record, header,
		       ~(FXT_HEADER_TYPE | FXT_LARGE_WORDS | FXT_LARGE_TYPE |
			 FXT_LARGE_BLOB_FORMAT));
	ret->kind = VITRINE_FXT_LARGE_BLOB;
	ret->large_blob.format = format;
	return parse_large_blob(cursor, ret);
}

static bool parse_record(struct fxt_cursor *cursor, uint64_t header,
			 struct vitrine_fxt_record *ret)
{
	switch (FXT_GET(FXT_HEADER_TYPE, header)) {
	case FXT_RECORD_METADATA:
		return parse_metadata(cursor, header, ret);
	case FXT_RECORD_INITIALIZATION:
		return parse_initialization(cursor, header, ret);
	case FXT_RECORD_STRING:
		return parse_string_record(cursor, header, ret);
	case FXT_RECORD_THREAD:
		return parse_thread_record(cursor, header, ret);
	case FXT_RECORD_EVENT:
		return parse_event(cursor, header, ret);
	case FXT_RECORD_BLOB:
		return parse_blob(cursor, header, ret);
	case FXT_RECORD_USERSPACE_OBJECT:
		return parse_userspace_object(cursor, header, ret);
	case FXT_RECORD_KERNEL_OBJECT:
		return parse_kernel_object(cursor, header, ret);
	case FXT_RECORD_SCHEDULING:
		return parse_scheduling(cursor, header, ret);
	case FXT_RECORD_LOG:
		return parse_log(cursor, header, ret);
	case FXT_RECORD_LARGE:
		return parse_large(cursor, header, ret);
	default:
		cursor->at = cursor->end;
		return true;
	}
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

/* These bits of a header say that the record is a 16-byte switch. */
#define PLAIN_SWITCH_BITS \
	(FXT_HEADER_TYPE | FXT_HEADER_WORDS | FXT_SCHEDULING_SUBTYPE)
#define PLAIN_SWITCH \
	(FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_SCHEDULING) | \
	 FXT_PUT(FXT_HEADER_WORDS, 2) | \
	 FXT_PUT(FXT_SCHEDULING_SUBTYPE, FXT_SCHEDULING_LEGACY_SWITCH))

/*
 * Fast path: decode a valid 16-byte switch between two threads of the table. Return
 * false for all other records, which decode_any() decodes or reports.
 */
static bool decode_plain_switch(const struct fxt_decoder *decoder,
				struct fxt_provider *provider, uint64_t offset,
				struct vitrine_fxt_record *ret)
{
	const struct fxt_thread_entry *outgoing, *incoming;
	unsigned int state;
	uint64_t header;

	if (decoder->len_bytes - offset < 2 * FXT_WORD_BYTES)
		return false;
	header = fxt_word(decoder, offset);
	state = FXT_GET(FXT_SWITCH_OUTGOING_STATE, header);
	outgoing = fxt_provider_thread(provider,
				       FXT_GET(FXT_SWITCH_OUTGOING_THREAD,
					       header));
	incoming = fxt_provider_thread(provider,
				       FXT_GET(FXT_SWITCH_INCOMING_THREAD,
					       header));
	if ((header & PLAIN_SWITCH_BITS) != PLAIN_SWITCH ||
	    !is_state_good(state) || !outgoing || !incoming)
		return false;
	provider->ticks = fxt_word(decoder, offset + FXT_WORD_BYTES);
	ret->offset = offset;
	ret->ticks = provider->ticks;
	ret->ticks_per_second = provider->ticks_per_second;
	ret->nr_words = 2;
	ret->provider = provider->id;
	ret->cpu = FXT_GET(FXT_SWITCH_CPU, header);
	ret->kind = VITRINE_FXT_SWITCH;
	ret->type = FXT_RECORD_SCHEDULING;
	ret->nr_args = 0;
	ret->timed = true;
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

	ret->kind = VITRINE_FXT_UNKNOWN;
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
	if (ret->kind == VITRINE_FXT_SWITCH)
		set_running(provider, ret->context_switch.incoming.thread);
	else if (ret->kind == VITRINE_FXT_KERNEL_OBJECT &&
		 ret->kernel_object.type == FXT_OBJECT_TYPE_THREAD)
		follow_thread_name(provider, ret->kernel_object.koid);
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
	if (decode_plain_switch(decoder, provider, offset, ret))
		return FXT_OK;
	return decode_any(decoder, provider, offset, ret);
}

/**
 * fxt_threads() - find the threads that a record is about
 * @record: record
 * @ret: the threads
 *
 * Return: their number: 0, 1 or 2.
 */
unsigned int fxt_threads(const struct vitrine_fxt_record *record,
			 struct vitrine_fxt_thread ret[2])
{
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		ret[0] = record->context_switch.outgoing;
		ret[1] = record->context_switch.incoming;
		return 2;
	case VITRINE_FXT_WAKEUP:
		ret[0] = record->wakeup;
		return 1;
	case VITRINE_FXT_EVENT:
		ret[0] = record->event.thread;
		return 1;
	case VITRINE_FXT_LOG:
		ret[0] = record->log.thread;
		return 1;
	case VITRINE_FXT_LARGE_BLOB:
		ret[0] = record->large_blob.thread;
		return record->timed;
	case VITRINE_FXT_THREAD:
		ret[0] = record->thread.thread;
		return 1;
	case VITRINE_FXT_KERNEL_OBJECT:
		ret[0].process = VITRINE_FXT_NO_PROCESS;
		ret[0].thread = record->kernel_object.koid;
		return record->kernel_object.type == FXT_OBJECT_TYPE_THREAD;
	default:
		return 0;
	}
}
