// SPDX-License-Identifier: GPL-2.0
/*
 * FXT record encoder.
 *
 * Each vtr_fxt_put_*() composes one record in @words, which the caller owns
 * and has made large enough, and returns its length in words. Every byte of a
 * record is written, padding too. Nothing here locks, allocates or logs.
 *
 * "Format" in the comments below is the Fuchsia trace format; our tables of it
 * are in Documentation/fxt.rst.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "fxt.h"
#include "peek.h"

static unsigned int stream_words(unsigned int len_bytes)
{
	return DIV_ROUND_UP(len_bytes, FXT_WORD_BYTES);
}

/* A stream is padded with zeros to a whole word. Format: "Atoms". */
static unsigned int put_stream(u64 *words, const char *bytes,
			       unsigned int len_bytes)
{
	unsigned int nr_words = stream_words(len_bytes);

	if (!nr_words)
		return 0;
	words[nr_words - 1] = 0;
	memcpy(words, bytes, len_bytes);
	return nr_words;
}

static u64 inline_string(unsigned int len_bytes)
{
	return len_bytes ? FXT_STRING_REF_INLINE | len_bytes : 0;
}

/**
 * vtr_fxt_put_provider() - compose a provider info metadata record
 * @words: where to
 * @id: provider id
 * @name: provider's name, at most 255 bytes
 *
 * Context: any. Format: "Provider info metadata".
 * Return: words written.
 */
unsigned int vtr_fxt_put_provider(u64 *words, u32 id, const char *name)
{
	unsigned int len_bytes = strlen(name);
	unsigned int nr_words = 1 + stream_words(len_bytes);

	words[0] = vtr_fxt_header(FXT_RECORD_METADATA, nr_words) |
		   FIELD_PREP(FXT_METADATA_TYPE, FXT_METADATA_PROVIDER_INFO) |
		   FIELD_PREP(FXT_PROVIDER_ID, id) |
		   FIELD_PREP(FXT_PROVIDER_INFO_NAME_BYTES, len_bytes);
	put_stream(words + 1, name, len_bytes);
	return nr_words;
}

/**
 * vtr_fxt_put_section() - compose a provider section metadata record
 * @words: where to
 * @id: provider whose records follow
 *
 * Context: any. Format: "Provider section metadata".
 * Return: words written.
 */
unsigned int vtr_fxt_put_section(u64 *words, u32 id)
{
	words[0] = vtr_fxt_header(FXT_RECORD_METADATA, 1) |
		   FIELD_PREP(FXT_METADATA_TYPE, FXT_METADATA_PROVIDER_SECTION) |
		   FIELD_PREP(FXT_PROVIDER_ID, id);
	return 1;
}

/**
 * vtr_fxt_put_provider_event() - compose a provider event metadata record
 * @words: where to
 * @id: provider to which it happened
 * @event: FXT_PROVIDER_EVENT_BUFFER_FULL
 *
 * Context: any. Format: "Provider event metadata".
 * Return: words written.
 */
unsigned int vtr_fxt_put_provider_event(u64 *words, u32 id, u8 event)
{
	words[0] = vtr_fxt_header(FXT_RECORD_METADATA, 1) |
		   FIELD_PREP(FXT_METADATA_TYPE, FXT_METADATA_PROVIDER_EVENT) |
		   FIELD_PREP(FXT_PROVIDER_ID, id) |
		   FIELD_PREP(FXT_PROVIDER_EVENT_ID, event);
	return 1;
}

/**
 * vtr_fxt_put_initialization() - compose an initialization record
 * @words: where to
 * @ticks_per_second: rate of the timestamps that follow
 *
 * Context: any. Format: "Initialization record".
 * Return: words written.
 */
unsigned int vtr_fxt_put_initialization(u64 *words, u64 ticks_per_second)
{
	words[0] = vtr_fxt_header(FXT_RECORD_INITIALIZATION, 2);
	words[1] = ticks_per_second;
	return 2;
}

/**
 * vtr_fxt_put_blob() - compose the head of a BLOB record of type DATA
 * @words: where to
 * @name: name of the blob; "" for padding
 * @len_bytes: payload, a multiple of 8, which the caller writes behind it
 *
 * Context: any. Format: "BLOB record".
 * Return: words written, payload not included.
 */
unsigned int vtr_fxt_put_blob(u64 *words, const char *name,
			      unsigned int len_bytes)
{
	unsigned int name_bytes = strlen(name);
	unsigned int nr_words = 1 + stream_words(name_bytes);

	words[0] = vtr_fxt_header(FXT_RECORD_BLOB,
				  nr_words + stream_words(len_bytes)) |
		   FIELD_PREP(FXT_BLOB_NAME, inline_string(name_bytes)) |
		   FIELD_PREP(FXT_BLOB_BYTES, len_bytes) |
		   FIELD_PREP(FXT_BLOB_TYPE, FXT_BLOB_TYPE_DATA);
	put_stream(words + 1, name, name_bytes);
	return nr_words;
}

/**
 * vtr_fxt_put_string() - compose a string record
 * @words: where to
 * @index: string table index, 1 to 0x7fff
 * @string: its value
 * @len_bytes: its length
 *
 * Context: any. Format: "String record".
 * Return: words written.
 */
unsigned int vtr_fxt_put_string(u64 *words, u16 index, const char *string,
				unsigned int len_bytes)
{
	unsigned int nr_words = 1 + stream_words(len_bytes);

	words[0] = vtr_fxt_header(FXT_RECORD_STRING, nr_words) |
		   FIELD_PREP(FXT_STRING_INDEX, index) |
		   FIELD_PREP(FXT_STRING_BYTES, len_bytes);
	put_stream(words + 1, string, len_bytes);
	return nr_words;
}

/**
 * vtr_fxt_put_thread() - compose a thread record
 * @words: where to
 * @ref: thread table index, 1 to 255
 * @process: koid of the process
 * @thread: koid of the thread
 *
 * Context: any. Format: "Thread record".
 * Return: words written.
 */
unsigned int vtr_fxt_put_thread(u64 *words, u8 ref, u64 process, u64 thread)
{
	words[0] = vtr_fxt_header(FXT_RECORD_THREAD, VTR_FXT_THREAD_WORDS) |
		   FIELD_PREP(FXT_THREAD_INDEX, ref);
	words[1] = process;
	words[2] = thread;
	return VTR_FXT_THREAD_WORDS;
}

static unsigned int put_object(u64 *words, u8 object_type, u64 koid,
			       const char *name, unsigned int nr_args)
{
	unsigned int len_bytes = strlen(name);
	unsigned int nr_words = 2 + stream_words(len_bytes);

	words[0] = vtr_fxt_header(FXT_RECORD_KERNEL_OBJECT,
				  nr_words + 2 * nr_args) |
		   FIELD_PREP(FXT_KERNEL_OBJECT_TYPE, object_type) |
		   FIELD_PREP(FXT_KERNEL_OBJECT_NAME, inline_string(len_bytes)) |
		   FIELD_PREP(FXT_KERNEL_OBJECT_NR_ARGS, nr_args);
	words[1] = koid;
	put_stream(words + 2, name, len_bytes);
	return nr_words;
}

/**
 * vtr_fxt_put_process_name() - compose the kernel object record of a process
 * @words: where to
 * @process: koid of the process
 * @name: its name, at most VTR_FXT_NAME_MAX bytes
 *
 * Context: any. Format: "Kernel object record".
 * Return: words written.
 */
unsigned int vtr_fxt_put_process_name(u64 *words, u64 process,
				      const char *name)
{
	return put_object(words, FXT_OBJECT_TYPE_PROCESS, process, name, 0);
}

/**
 * vtr_fxt_put_thread_name() - compose the kernel object record of a thread
 * @words: where to
 * @process: koid of the process it belongs to
 * @thread: koid of the thread
 * @name: its name, at most VTR_FXT_NAME_MAX bytes
 *
 * Needs string VTR_FXT_STRING_PROCESS to be registered as "process".
 *
 * Context: any. Format: "Kernel object record", "Kernel object id argument".
 * Return: words written.
 */
unsigned int vtr_fxt_put_thread_name(u64 *words, u64 process, u64 thread,
				     const char *name)
{
	unsigned int nr_words;

	nr_words = put_object(words, FXT_OBJECT_TYPE_THREAD, thread, name, 1);
	words[nr_words++] = FIELD_PREP(FXT_HEADER_TYPE, FXT_ARG_KOID) |
			    FIELD_PREP(FXT_HEADER_WORDS, 2) |
			    FIELD_PREP(FXT_ARG_NAME, VTR_FXT_STRING_PROCESS);
	words[nr_words++] = process;
	return nr_words;
}

/**
 * vtr_fxt_put_wide_switch() - compose a context switch record of any CPU
 * @words: where to
 * @cpu: CPU number
 * @state: enum fxt_thread_state of the outgoing thread
 * @now: time
 * @outgoing: koid of the outgoing thread
 * @outgoing_weight: as from vtr_fxt_weight()
 * @incoming: koid of the incoming thread
 * @incoming_weight: as from vtr_fxt_weight()
 *
 * Context: any. Format: "Scheduling", subtype 1.
 * Return: words written.
 */
unsigned int vtr_fxt_put_wide_switch(u64 *words, u16 cpu, u8 state, u64 now,
				     u64 outgoing, u32 outgoing_weight,
				     u64 incoming, u32 incoming_weight)
{
	words[0] = vtr_fxt_header(FXT_RECORD_SCHEDULING,
				  VTR_FXT_WIDE_SWITCH_WORDS) |
		   FIELD_PREP(FXT_SCHEDULING_NR_ARGS, 2) |
		   FIELD_PREP(FXT_SCHEDULING_CPU, cpu) |
		   FIELD_PREP(FXT_SCHEDULING_OUTGOING_STATE, state) |
		   FIELD_PREP(FXT_SCHEDULING_SUBTYPE,
			      FXT_SCHEDULING_CONTEXT_SWITCH);
	words[1] = now;
	words[2] = outgoing;
	words[3] = incoming;
	words[4] = VTR_FXT_ARG(FXT_ARG_INT32, 1,
			       VTR_FXT_STRING_OUTGOING_WEIGHT) |
		   FIELD_PREP(FXT_ARG_VALUE32, outgoing_weight);
	words[5] = VTR_FXT_ARG(FXT_ARG_INT32, 1,
			       VTR_FXT_STRING_INCOMING_WEIGHT) |
		   FIELD_PREP(FXT_ARG_VALUE32, incoming_weight);
	return VTR_FXT_WIDE_SWITCH_WORDS;
}

static unsigned int inline_bytes(const struct vtr_fxt_string *string)
{
	return string->ref & FXT_STRING_REF_INLINE ?
		       string->ref & FXT_STRING_REF_VALUE : 0;
}

static unsigned int string_words(const struct vtr_fxt_string *string)
{
	return stream_words(inline_bytes(string));
}

/* Text may be anything, and may change while it is copied: make it UTF-8. */
static unsigned int put_string(u64 *words, const struct vtr_fxt_string *string)
{
	unsigned int len_bytes = inline_bytes(string);
	unsigned int nr_words;

	nr_words = put_stream(words, string->bytes, len_bytes);
	vtr_fxt_clean((char *)words, len_bytes);
	return nr_words;
}

/* Process and thread, if they are not in the thread table. */
static unsigned int put_inline_thread(u64 *words,
				      const struct vtr_fxt_thread *thread)
{
	if (thread->ref)
		return 0;
	words[0] = thread->process;
	words[1] = thread->thread;
	return 2;
}

static bool arg_has_word(enum fxt_arg_type type)
{
	switch (type) {
	case FXT_ARG_INT64:
	case FXT_ARG_UINT64:
	case FXT_ARG_DOUBLE:
	case FXT_ARG_POINTER:
	case FXT_ARG_KOID:
		return true;
	default:
		return false;
	}
}

static u64 arg_field(const struct vtr_fxt_arg *arg)
{
	switch (arg->type) {
	case FXT_ARG_INT32:
	case FXT_ARG_UINT32:
		return FIELD_PREP(FXT_ARG_VALUE32, (u32)arg->value);
	case FXT_ARG_STRING_REF:
		return FIELD_PREP(FXT_ARG_STRING, arg->string.ref);
	case FXT_ARG_BOOL:
		return FIELD_PREP(FXT_ARG_BOOLEAN, arg->value != 0);
	default:
		return 0;
	}
}

static unsigned int put_arg(u64 *words, const struct vtr_fxt_arg *arg)
{
	unsigned int nr_words = 1;

	nr_words += put_string(words + nr_words, &arg->name);
	if (arg->type == FXT_ARG_STRING_REF)
		nr_words += put_string(words + nr_words, &arg->string);
	else if (arg_has_word(arg->type))
		words[nr_words++] = arg->value;
	words[0] = FIELD_PREP(FXT_HEADER_TYPE, arg->type) |
		   FIELD_PREP(FXT_HEADER_WORDS, nr_words) |
		   FIELD_PREP(FXT_ARG_NAME, arg->name.ref) | arg_field(arg);
	return nr_words;
}

static unsigned int put_args(u64 *words, const struct vtr_fxt_event *event)
{
	unsigned int i, nr_words = 0;

	for (i = 0; i < event->nr_args; i++)
		nr_words += put_arg(words + nr_words, &event->args[i]);
	return nr_words;
}

/**
 * vtr_fxt_strings_words() - room for what varies in a record
 * @event: what it says
 *
 * Context: any.
 * Return: words that its category, name, arguments and payload take.
 */
unsigned int vtr_fxt_strings_words(const struct vtr_fxt_event *event)
{
	unsigned int i, nr_words;

	nr_words = string_words(&event->category) + string_words(&event->name) +
		   stream_words(event->payload_bytes);
	for (i = 0; i < event->nr_args; i++) {
		nr_words += 2 + string_words(&event->args[i].name);
		if (event->args[i].type == FXT_ARG_STRING_REF)
			nr_words += string_words(&event->args[i].string);
	}
	return nr_words;
}

static bool event_has_word(enum fxt_event_type type)
{
	return type == FXT_EVENT_COUNTER ||
	       (type >= FXT_EVENT_DURATION_COMPLETE &&
		type <= FXT_EVENT_FLOW_END);
}

/**
 * vtr_fxt_put_event() - compose an event record
 * @words: where to
 * @event: what it says
 *
 * Context: any. Format: "Event record".
 * Return: words written.
 */
unsigned int vtr_fxt_put_event(u64 *words, const struct vtr_fxt_event *event)
{
	unsigned int nr_words = 1;

	words[nr_words++] = event->ticks;
	nr_words += put_inline_thread(words + nr_words, &event->thread);
	nr_words += put_string(words + nr_words, &event->category);
	nr_words += put_string(words + nr_words, &event->name);
	nr_words += put_args(words + nr_words, event);
	if (event_has_word(event->type))
		words[nr_words++] = event->id;
	words[0] = vtr_fxt_header(FXT_RECORD_EVENT, nr_words) |
		   FIELD_PREP(FXT_EVENT_TYPE, event->type) |
		   FIELD_PREP(FXT_EVENT_NR_ARGS, event->nr_args) |
		   FIELD_PREP(FXT_EVENT_THREAD, event->thread.ref) |
		   FIELD_PREP(FXT_EVENT_CATEGORY, event->category.ref) |
		   FIELD_PREP(FXT_EVENT_NAME, event->name.ref);
	return nr_words;
}

/**
 * vtr_fxt_put_data() - compose a BLOB record of type DATA
 * @words: where to
 * @event: its name and payload
 *
 * Context: any. Format: "BLOB record".
 * Return: words written.
 */
unsigned int vtr_fxt_put_data(u64 *words, const struct vtr_fxt_event *event)
{
	unsigned int nr_words = 1;

	nr_words += put_string(words + nr_words, &event->name);
	nr_words += put_stream(words + nr_words, event->payload,
			       event->payload_bytes);
	words[0] = vtr_fxt_header(FXT_RECORD_BLOB, nr_words) |
		   FIELD_PREP(FXT_BLOB_NAME, event->name.ref) |
		   FIELD_PREP(FXT_BLOB_BYTES, event->payload_bytes) |
		   FIELD_PREP(FXT_BLOB_TYPE, FXT_BLOB_TYPE_DATA);
	return nr_words;
}

/**
 * vtr_fxt_put_userspace_object() - compose a user-space object record
 * @words: where to
 * @event: its process, address, name and arguments
 *
 * Context: any. Format: "Userspace object record".
 * Return: words written.
 */
unsigned int vtr_fxt_put_userspace_object(u64 *words,
					  const struct vtr_fxt_event *event)
{
	unsigned int nr_words = 1;

	words[nr_words++] = event->id;
	if (!event->thread.ref)
		words[nr_words++] = event->thread.process;
	nr_words += put_string(words + nr_words, &event->name);
	nr_words += put_args(words + nr_words, event);
	words[0] = vtr_fxt_header(FXT_RECORD_USERSPACE_OBJECT, nr_words) |
		   FIELD_PREP(FXT_USERSPACE_OBJECT_PROCESS, event->thread.ref) |
		   FIELD_PREP(FXT_USERSPACE_OBJECT_NAME, event->name.ref) |
		   FIELD_PREP(FXT_USERSPACE_OBJECT_NR_ARGS, event->nr_args);
	return nr_words;
}

/**
 * vtr_fxt_put_kernel_object() - compose a kernel object record
 * @words: where to
 * @event: its type, koid, name and arguments
 *
 * Context: any. Format: "Kernel object record".
 * Return: words written.
 */
unsigned int vtr_fxt_put_kernel_object(u64 *words,
				       const struct vtr_fxt_event *event)
{
	unsigned int nr_words = 1;

	words[nr_words++] = event->id;
	nr_words += put_string(words + nr_words, &event->name);
	nr_words += put_args(words + nr_words, event);
	words[0] = vtr_fxt_header(FXT_RECORD_KERNEL_OBJECT, nr_words) |
		   FIELD_PREP(FXT_KERNEL_OBJECT_TYPE, event->object_type) |
		   FIELD_PREP(FXT_KERNEL_OBJECT_NAME, event->name.ref) |
		   FIELD_PREP(FXT_KERNEL_OBJECT_NR_ARGS, event->nr_args);
	return nr_words;
}

/**
 * vtr_fxt_put_log() - compose a log record
 * @words: where to
 * @event: its thread, time, and message as payload
 *
 * Context: any. Format: "Log record".
 * Return: words written.
 */
unsigned int vtr_fxt_put_log(u64 *words, const struct vtr_fxt_event *event)
{
	unsigned int nr_words = 1;

	words[nr_words++] = event->ticks;
	nr_words += put_inline_thread(words + nr_words, &event->thread);
	put_stream(words + nr_words, event->payload, event->payload_bytes);
	vtr_fxt_clean((char *)(words + nr_words), event->payload_bytes);
	nr_words += stream_words(event->payload_bytes);
	words[0] = vtr_fxt_header(FXT_RECORD_LOG, nr_words) |
		   FIELD_PREP(FXT_LOG_BYTES, event->payload_bytes) |
		   FIELD_PREP(FXT_LOG_THREAD, event->thread.ref);
	return nr_words;
}

static u64 large_header(unsigned int nr_words, unsigned int format)
{
	return FIELD_PREP(FXT_HEADER_TYPE, FXT_RECORD_LARGE) |
	       FIELD_PREP(FXT_LARGE_WORDS, nr_words) |
	       FIELD_PREP(FXT_LARGE_TYPE, FXT_LARGE_TYPE_BLOB) |
	       FIELD_PREP(FXT_LARGE_BLOB_FORMAT, format);
}

static unsigned int put_large_payload(u64 *words,
				      const struct vtr_fxt_event *event)
{
	words[0] = event->payload_bytes;
	return 1 + put_stream(words + 1, event->payload, event->payload_bytes);
}

/**
 * vtr_fxt_put_large_blob() - compose a large BLOB record with metadata
 * @words: where to
 * @event: what it says
 *
 * Context: any. Format: "In Band Large Blob Record With Metadata".
 * Return: words written.
 */
unsigned int vtr_fxt_put_large_blob(u64 *words,
				    const struct vtr_fxt_event *event)
{
	unsigned int nr_words = 2;

	words[1] = FIELD_PREP(FXT_LARGE_BLOB_CATEGORY, event->category.ref) |
		   FIELD_PREP(FXT_LARGE_BLOB_NAME, event->name.ref) |
		   FIELD_PREP(FXT_LARGE_BLOB_NR_ARGS, event->nr_args) |
		   FIELD_PREP(FXT_LARGE_BLOB_THREAD, event->thread.ref);
	nr_words += put_string(words + nr_words, &event->category);
	nr_words += put_string(words + nr_words, &event->name);
	words[nr_words++] = event->ticks;
	nr_words += put_inline_thread(words + nr_words, &event->thread);
	nr_words += put_args(words + nr_words, event);
	nr_words += put_large_payload(words + nr_words, event);
	words[0] = large_header(nr_words, FXT_LARGE_BLOB_WITH_METADATA);
	return nr_words;
}

/**
 * vtr_fxt_put_large_data() - compose a large BLOB record without metadata
 * @words: where to
 * @event: its category, name and payload
 *
 * Context: any. Format: "In Band Large Blob Record No Metadata".
 * Return: words written.
 */
unsigned int vtr_fxt_put_large_data(u64 *words,
				    const struct vtr_fxt_event *event)
{
	unsigned int nr_words = 2;

	words[1] = FIELD_PREP(FXT_LARGE_BLOB_CATEGORY, event->category.ref) |
		   FIELD_PREP(FXT_LARGE_BLOB_NAME, event->name.ref);
	nr_words += put_string(words + nr_words, &event->category);
	nr_words += put_string(words + nr_words, &event->name);
	nr_words += put_large_payload(words + nr_words, event);
	words[0] = large_header(nr_words, FXT_LARGE_BLOB_NO_METADATA);
	return nr_words;
}

/* Length of the UTF-8 sequence at @s of at most @left bytes, 0 if it is none. */
static unsigned int utf8_sequence(const u8 *s, unsigned int left)
{
	unsigned int i, len;

	if (s[0] < 0x80)
		return 1;
	/* c0, c1 and f5.. never open a sequence; e0, ed, f0, f4 restrict s[1] */
	len = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 :
	      s[0] < 0xf5 ? 4 : 0;
	if (!len || len > left)
		return 0;
	for (i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/**
 * vtr_fxt_clean() - make text out of bytes that may be anything
 * @text: the bytes, which nobody else changes
 * @len_bytes: how many
 *
 * What is no UTF-8 becomes "?", and so does NUL, which ends text for many.
 *
 * Context: any. Format: "Atoms".
 */
void vtr_fxt_clean(char *text, unsigned int len_bytes)
{
	unsigned int i, sequence;

	for (i = 0; i < len_bytes; i += sequence) {
		sequence = utf8_sequence((const u8 *)text + i, len_bytes - i);
		if (!sequence || !text[i]) {
			text[i] = '?';
			sequence = 1;
		}
	}
}

/**
 * vtr_fxt_clean_name() - make a name out of bytes that may be anything
 * @clean: VTR_FXT_NAME_MAX + 1 bytes for the result
 * @name: bytes that may change while they are read, no longer than @clean
 *	unless a NUL ends them earlier
 *
 * Streams hold UTF-8, but a task's name is whatever bytes somebody set, cut
 * at 15. What is no UTF-8 becomes "?", and so does a name without any byte.
 *
 * Context: any. Format: "Atoms".
 * Return: length of @clean in bytes, at least 1.
 */
unsigned int vtr_fxt_clean_name(char *clean, const char *name)
{
	unsigned int len;

	for (len = 0; len < VTR_FXT_NAME_MAX; len++) {
		clean[len] = vtr_peek(name[len]);
		if (!clean[len])
			break;
	}
	if (!len)
		clean[len++] = '?';
	clean[len] = '\0';
	vtr_fxt_clean(clean, len);
	return len;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/fxt_kunit.c"
#endif
