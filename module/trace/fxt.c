// SPDX-License-Identifier: GPL-2.0
/*
 * FXT record encoder.
 *
 * Each vtr_fxt_put_*() composes one record in @words, which the caller owns and has made
 * large enough, and returns its length in words. Every byte of a record is written,
 * including padding. Nothing here locks, allocates or logs.
 *
 * "Format" in the comments below names a section of the "Fuchsia trace format"; our
 * tables of it are in Documentation/fxt.rst.
 */
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <vitrine/inspect.h>

#include "fxt.h"

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
 * @words: destination
 * @id: provider id
 * @name: name of the provider, at most 255 bytes
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
 * @words: destination
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
 * @words: destination
 * @id: provider of the event
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
 * @words: destination
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
 * @words: destination
 * @name: name of the blob; "" for padding
 * @len_bytes: length of the payload, a multiple of 8; the caller writes the payload
 *
 * Context: any. Format: "BLOB record".
 * Return: words written, without the payload.
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
 * @words: destination
 * @index: string table index, 1 to 0x7fff
 * @string: the string
 * @len_bytes: length of @string in bytes
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

#define EACH_BYTE	0x0101010101010101ULL
#define TOP_BITS	(0x80 * EACH_BYTE)

/* Return @word with all bytes from its first NUL on cleared. */
static u64 until_nul(u64 word)
{
	/* The lowest set bit is the top bit of the first NUL (the haszero() trick). */
	u64 nul = (word - EACH_BYTE) & ~word & TOP_BITS;

	return word & ((nul & -nul) - 1);
}

/* Return the number of bytes of a word up to the last one that is not NUL. */
static unsigned int filled_bytes(u64 word)
{
	return (fls64(word) + 7) / 8U;
}

/*
 * Compose the record of an object, except for its arguments.
 *
 * Strings must be UTF-8, but the name of a task can be any bytes. Invalid bytes become
 * "?", and so does an empty name.
 *
 * Threads are named with the run queue locked, so this works a word at a time.
 */
static __always_inline u64 *put_object(u64 *words, u64 type_and_args, u64 koid,
				       const char *name, unsigned int arg_words)
{
	u64 *end = words + 3, first, second, header;
	unsigned int len_bytes;

	BUILD_BUG_ON(sizeof(first) + sizeof(second) != VTR_FXT_NAME_MAX + 1);

	/* The thread may be renamed meanwhile; then the halves are of two names. */
	data_race(memcpy(&first, name, sizeof(first)));
	/* As above. */
	data_race(memcpy(&second, name + sizeof(first), sizeof(second)));
	header = vtr_fxt_header(FXT_RECORD_KERNEL_OBJECT, 3 + arg_words) |
		 FIELD_PREP(FXT_KERNEL_OBJECT_NAME, FXT_STRING_REF_INLINE) |
		 type_and_args;
	words[1] = koid;
	words[2] = until_nul(first);
	len_bytes = filled_bytes(words[2]);
	if (len_bytes == sizeof(first) && (u8)second) {
		words[3] = until_nul(second & ~0ULL >> 8);
		len_bytes += filled_bytes(words[3]);
		header += FIELD_PREP(FXT_HEADER_WORDS, 1);
		end++;
	}
	if (unlikely(!len_bytes)) {
		words[2] = '?';
		len_bytes = 1;
	} else if (unlikely((first | second) & TOP_BITS)) {
		vitrine_text_clean((char *)(words + 2), len_bytes);
	}
	words[0] = header +
		   ((u64)len_bytes << __builtin_ctzll(FXT_KERNEL_OBJECT_NAME));
	return end;
}

/**
 * vtr_fxt_put_process_name() - compose the kernel object record of a process
 * @words: destination
 * @process: koid of the process
 * @name: name of the process, an array of VTR_FXT_NAME_MAX + 1 arbitrary bytes, which may
 *	change; it ends before the first NUL or the last byte
 *
 * Context: any. Format: "Kernel object record".
 * Return: end of the record.
 */
u64 *vtr_fxt_put_process_name(u64 *words, u64 process, const char *name)
{
	return put_object(words, FIELD_PREP(FXT_KERNEL_OBJECT_TYPE,
					    FXT_OBJECT_TYPE_PROCESS),
			  process, name, 0);
}

/**
 * vtr_fxt_put_thread_name() - compose the kernel object record of a thread
 * @words: destination
 * @process: koid of the process of the thread
 * @thread: koid of the thread
 * @name: name of the thread, an array of VTR_FXT_NAME_MAX + 1 arbitrary bytes, which may
 *	change; it ends before the first NUL or the last byte
 *
 * String VTR_FXT_STRING_PROCESS must be registered as "process".
 *
 * Context: any. Format: "Kernel object record", "Kernel object id argument".
 * Return: end of the record.
 */
u64 *vtr_fxt_put_thread_name(u64 *words, u64 process, u64 thread,
			     const char *name)
{
	u64 *end;

	end = put_object(words, FIELD_PREP(FXT_KERNEL_OBJECT_TYPE,
					   FXT_OBJECT_TYPE_THREAD) |
			 FIELD_PREP(FXT_KERNEL_OBJECT_NR_ARGS, 1),
			 thread, name, 2);
	end[0] = VTR_FXT_ARG(FXT_ARG_KOID, 2, VTR_FXT_STRING_PROCESS);
	end[1] = process;
	return end + 2;
}

/**
 * vtr_fxt_put_wide_switch() - compose a context switch record of any CPU
 * @words: destination
 * @cpu: CPU number
 * @state: enum fxt_thread_state of the outgoing thread
 * @now: timestamp in ticks
 * @outgoing: koid of the outgoing thread
 * @outgoing_weight: return value of vtr_fxt_weight()
 * @incoming: koid of the incoming thread
 * @incoming_weight: return value of vtr_fxt_weight()
 *
 * Context: any. Format: "Context switch record", subtype 1 in Documentation/fxt.rst.
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

/* Write text as UTF-8; it may be arbitrary bytes and may change while it is copied. */
static unsigned int put_string(u64 *words, const struct vtr_fxt_string *string)
{
	unsigned int len_bytes = inline_bytes(string);
	unsigned int nr_words;

	nr_words = put_stream(words, string->bytes, len_bytes);
	vitrine_text_clean((char *)words, len_bytes);
	return nr_words;
}

/* Write the ids of process and thread, if the thread is inline. */
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
 * vtr_fxt_strings_words() - return the length of the variable part of a record
 * @event: contents of the record
 *
 * Context: any.
 * Return: words for category, name, arguments and payload.
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
 * @words: destination
 * @event: contents of the record
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
 * @words: destination
 * @event: name and payload
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
 * @words: destination
 * @event: process, address, name and arguments
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
 * @words: destination
 * @event: type, koid, name and arguments
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
 * @words: destination
 * @event: thread, time, and the message as payload
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
	vitrine_text_clean((char *)(words + nr_words), event->payload_bytes);
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
 * @words: destination
 * @event: contents of the record
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
 * @words: destination
 * @event: category, name and payload
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

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/fxt_kunit.c"
#include "tests/strings_kunit.c" /* strings.h has no unit of its own */
#endif
