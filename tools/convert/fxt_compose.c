// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Composes one record out of its decoded form: all but its references to
 * threads, which depend on the sub-buffer it will stand in.
 */
#include <string.h>

#include "fxt.h"
#include "fxt_compose.h"

/**
 * fxt_mend_text() - replace what is no UTF-8, byte for byte
 * @text: the text
 * @len_bytes: its length
 */
void fxt_mend_text(void *text, size_t len_bytes)
{
	unsigned char *bytes = text;
	size_t i, len;

	for (i = 0; i < len_bytes; i += len) {
		len = fxt_utf8_sequence(bytes + i, len_bytes - i);
		if (!len) {
			bytes[i] = '?';
			len = 1;
		}
	}
}

/**
 * fxt_composed_refer() - have a record refer to a thread
 * @to: the composed record
 * @thread: the thread
 * @shift: where the reference goes in @to->words[@to->ref_word], or
 *	FXT_NO_SHIFT
 */
void fxt_composed_refer(struct fxt_composed *to,
			const struct vitrine_fxt_thread *thread,
			unsigned int shift)
{
	to->threads[to->nr_threads] = *thread;
	to->shifts[to->nr_threads++] = shift;
}

static void put_word(struct fxt_composed *to, uint64_t word)
{
	if (to->nr < FXT_COMPOSED_MAX_WORDS)
		to->words[to->nr] = word;
	to->nr++;
}

static void put_stream(struct fxt_composed *to, const char *bytes,
		       size_t len_bytes)
{
	size_t nr_words = (len_bytes + 7) / 8;

	if (nr_words > FXT_COMPOSED_MAX_WORDS) {
		to->nr = FXT_COMPOSED_MAX_WORDS + 1;
		return;
	}
	if (len_bytes && to->nr + nr_words <= FXT_COMPOSED_MAX_WORDS) {
		to->words[to->nr + nr_words - 1] = 0;
		memcpy(&to->words[to->nr], bytes, len_bytes);
	}
	to->nr += nr_words;
}

/* A string of a record: its reference cannot tell more than 15 bits. */
static void put_string(struct fxt_composed *to,
		       const struct vitrine_fxt_string *string)
{
	unsigned int at = to->nr;

	if (string->len_bytes > FXT_MAX_STRING_BYTES) {
		to->nr = FXT_COMPOSED_MAX_WORDS + 1;
		return;
	}
	put_stream(to, string->bytes, string->len_bytes);
	if (to->nr <= FXT_COMPOSED_MAX_WORDS)
		fxt_mend_text(&to->words[at], string->len_bytes);
}

static void put_arg(struct fxt_composed *to, const struct vitrine_fxt_arg *arg)
{
	uint64_t header = FXT_PUT(FXT_HEADER_TYPE, arg->type) |
			  FXT_PUT(FXT_ARG_NAME, fxt_inline_ref(&arg->name));
	unsigned int at = to->nr;

	put_word(to, 0);
	put_string(to, &arg->name);
	switch (arg->type) {
	case FXT_ARG_INT32:
	case FXT_ARG_UINT32:
		header |= FXT_PUT(FXT_ARG_VALUE32,
				  (uint32_t)arg->value.uint64);
		break;
	case FXT_ARG_STRING_REF:
		header |= FXT_PUT(FXT_ARG_STRING, fxt_inline_ref(&arg->value.string));
		put_string(to, &arg->value.string);
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
	header |= FXT_PUT(FXT_HEADER_WORDS, to->nr - at);
	if (at < FXT_COMPOSED_MAX_WORDS)
		to->words[at] = header;
}

static void put_args(struct fxt_composed *to,
		     const struct vitrine_fxt_record *record)
{
	unsigned int i;

	for (i = 0; i < record->nr_args; i++)
		put_arg(to, &record->args[i]);
}

static void put_int32(struct fxt_composed *to, const char *name, int32_t value)
{
	const struct vitrine_fxt_arg arg = {
		.type = FXT_ARG_INT32,
		.name = { name, strlen(name) },
		.value.int64 = value,
	};

	put_arg(to, &arg);
}

/* What a priority of the legacy record is in the newer one. */
static int32_t weight_of(uint64_t thread, unsigned int priority)
{
	return thread || priority ? (int32_t)priority : INT32_MIN;
}

static void compose_wide_switch(struct fxt_composed *to,
				const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_thread *outgoing, *incoming;
	unsigned int nr_args = record->nr_args;

	outgoing = &record->context_switch.outgoing;
	incoming = &record->context_switch.incoming;
	fxt_composed_refer(to, outgoing, FXT_NO_SHIFT);
	fxt_composed_refer(to, incoming, FXT_NO_SHIFT);
	put_word(to, 0);
	put_word(to, record->ticks);
	put_word(to, outgoing->thread);
	put_word(to, incoming->thread);
	if (record->context_switch.legacy) {
		put_int32(to, "outgoing_weight",
			  weight_of(outgoing->thread,
				    record->context_switch.outgoing_priority));
		put_int32(to, "incoming_weight",
			  weight_of(incoming->thread,
				    record->context_switch.incoming_priority));
		nr_args = 2;
	} else {
		put_args(to, record);
	}
	to->words[0] = FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_SCHEDULING) |
		FXT_PUT(FXT_SCHEDULING_SUBTYPE, FXT_SCHEDULING_CONTEXT_SWITCH) |
		FXT_PUT(FXT_SCHEDULING_NR_ARGS, nr_args) |
		FXT_PUT(FXT_SCHEDULING_CPU, record->cpu) |
		FXT_PUT(FXT_SCHEDULING_OUTGOING_STATE,
			record->context_switch.outgoing_state);
}

static void compose_switch(struct fxt_composed *to,
			   const struct vitrine_fxt_record *record)
{
	if (!record->context_switch.legacy || record->cpu > 255) {
		compose_wide_switch(to, record);
		return;
	}
	fxt_composed_refer(to, &record->context_switch.outgoing,
			   __builtin_ctzll(FXT_SWITCH_OUTGOING_THREAD));
	fxt_composed_refer(to, &record->context_switch.incoming,
			   __builtin_ctzll(FXT_SWITCH_INCOMING_THREAD));
	put_word(to, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_SCHEDULING) |
		 FXT_PUT(FXT_SWITCH_CPU, record->cpu) |
		 FXT_PUT(FXT_SWITCH_OUTGOING_STATE,
			 record->context_switch.outgoing_state) |
		 FXT_PUT(FXT_SWITCH_OUTGOING_PRIORITY,
			 record->context_switch.outgoing_priority) |
		 FXT_PUT(FXT_SWITCH_INCOMING_PRIORITY,
			 record->context_switch.incoming_priority));
	put_word(to, record->ticks);
}

static void compose_wakeup(struct fxt_composed *to,
			   const struct vitrine_fxt_record *record)
{
	fxt_composed_refer(to, &record->wakeup, FXT_NO_SHIFT);
	put_word(to, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_SCHEDULING) |
		 FXT_PUT(FXT_SCHEDULING_SUBTYPE, FXT_SCHEDULING_THREAD_WAKEUP) |
		 FXT_PUT(FXT_SCHEDULING_NR_ARGS, record->nr_args) |
		 FXT_PUT(FXT_SCHEDULING_CPU, record->cpu & 0xffff));
	put_word(to, record->ticks);
	put_word(to, record->wakeup.thread);
	put_args(to, record);
}

static void compose_event(struct fxt_composed *to,
			  const struct vitrine_fxt_record *record)
{
	fxt_composed_refer(to, &record->event.thread,
			   __builtin_ctzll(FXT_EVENT_THREAD));
	put_word(to, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_EVENT) |
		 FXT_PUT(FXT_EVENT_TYPE, record->event.type) |
		 FXT_PUT(FXT_EVENT_NR_ARGS, record->nr_args) |
		 FXT_PUT(FXT_EVENT_CATEGORY, fxt_inline_ref(&record->event.category)) |
		 FXT_PUT(FXT_EVENT_NAME, fxt_inline_ref(&record->event.name)));
	put_word(to, record->ticks);
	put_string(to, &record->event.category);
	put_string(to, &record->event.name);
	put_args(to, record);
	switch (record->event.type) {
	case FXT_EVENT_INSTANT:
	case FXT_EVENT_DURATION_BEGIN:
	case FXT_EVENT_DURATION_END:
		break;
	case FXT_EVENT_DURATION_COMPLETE:
		put_word(to, record->event.id > record->ticks ?
			 record->event.id : record->ticks);
		break;
	default:
		put_word(to, record->event.id);
		break;
	}
}

static void compose_log(struct fxt_composed *to,
			const struct vitrine_fxt_record *record)
{
	fxt_composed_refer(to, &record->log.thread, __builtin_ctzll(FXT_LOG_THREAD));
	put_word(to, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_LOG) |
		 FXT_PUT(FXT_LOG_BYTES, record->log.message.len_bytes));
	put_word(to, record->ticks);
	put_string(to, &record->log.message);
}

static void compose_large_blob(struct fxt_composed *to,
			       const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_string *payload = &record->large_blob.payload;

	fxt_composed_refer(to, &record->large_blob.thread,
			   __builtin_ctzll(FXT_LARGE_BLOB_THREAD));
	to->ref_word = 1;
	put_word(to, FXT_PUT(FXT_HEADER_TYPE, FXT_RECORD_LARGE) |
		 FXT_PUT(FXT_LARGE_BLOB_FORMAT, FXT_LARGE_BLOB_WITH_METADATA));
	put_word(to, FXT_PUT(FXT_LARGE_BLOB_CATEGORY,
			     fxt_inline_ref(&record->large_blob.category)) |
		 FXT_PUT(FXT_LARGE_BLOB_NAME,
			 fxt_inline_ref(&record->large_blob.name)) |
		 FXT_PUT(FXT_LARGE_BLOB_NR_ARGS, record->nr_args));
	put_string(to, &record->large_blob.category);
	put_string(to, &record->large_blob.name);
	put_word(to, record->ticks);
	put_args(to, record);
	put_word(to, payload->len_bytes);
	put_stream(to, payload->bytes, payload->len_bytes);
}

/**
 * fxt_compose() - compose a record
 * @to: the composed record
 * @record: what it says
 *
 * Return: false if FXT, or a sub-buffer, has no room for it.
 */
bool fxt_compose(struct fxt_composed *to,
		 const struct vitrine_fxt_record *record)
{
	bool large = record->kind == VITRINE_FXT_LARGE_BLOB;

	to->nr = 0;
	to->nr_threads = 0;
	to->ref_word = 0;
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		compose_switch(to, record);
		break;
	case VITRINE_FXT_WAKEUP:
		compose_wakeup(to, record);
		break;
	case VITRINE_FXT_EVENT:
		if (record->event.type > FXT_EVENT_FLOW_END)
			return false;
		compose_event(to, record);
		break;
	case VITRINE_FXT_LOG:
		compose_log(to, record);
		break;
	case VITRINE_FXT_LARGE_BLOB:
		compose_large_blob(to, record);
		break;
	default:
		return false;
	}
	if (to->nr > (large ? FXT_COMPOSED_MAX_WORDS : FXT_MAX_RECORD_WORDS))
		return false;
	to->words[0] |= large ? FXT_PUT(FXT_LARGE_WORDS, to->nr) :
				FXT_PUT(FXT_HEADER_WORDS, to->nr);
	return true;
}
