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

#include <uapi/vitrine/map.h>
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

/* Compose the first word of a record about a provider. */
static u64 metadata(enum fxt_metadata_type type, u32 id, unsigned int nr_words)
{
	return vtr_fxt_header(FXT_RECORD_METADATA, nr_words) |
	       FIELD_PREP(FXT_METADATA_TYPE, type) |
	       FIELD_PREP(FXT_PROVIDER_ID, id);
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

	words[0] = metadata(FXT_METADATA_PROVIDER_INFO, id, nr_words) |
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
	words[0] = metadata(FXT_METADATA_PROVIDER_SECTION, id, 1);
	return 1;
}

/**
 * vtr_fxt_put_full() - compose the record that viewers show as a loss
 * @words: destination
 * @id: provider whose buffer is full
 *
 * Context: any. Format: "Provider event metadata".
 * Return: words written.
 */
unsigned int vtr_fxt_put_full(u64 *words, u32 id)
{
	words[0] = metadata(FXT_METADATA_PROVIDER_EVENT, id, 1) |
		   FIELD_PREP(FXT_PROVIDER_EVENT_ID, FXT_PROVIDER_EVENT_BUFFER_FULL);
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
		   FIELD_PREP(FXT_BLOB_NAME, vtr_fxt_inline(name, name_bytes).ref) |
		   FIELD_PREP(FXT_BLOB_BYTES, len_bytes) |
		   FIELD_PREP(FXT_BLOB_TYPE, FXT_BLOB_TYPE_DATA);
	put_stream(words + 1, name, name_bytes);
	return nr_words;
}

/**
 * vtr_fxt_put_string() - compose a string record
 * @words: destination
 * @index: string table index, 1 to 0x7fff
 * @string: the string, of arbitrary bytes, which are written as UTF-8
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
	vitrine_text_clean((char *)(words + 1), len_bytes);
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
	unsigned int nr_words = put_stream(words, string->bytes, len_bytes);

	if (nr_words)
		vitrine_text_clean((char *)words, len_bytes);
	return nr_words;
}

static unsigned int put_arg(u64 *words, const struct vtr_fxt_arg *arg)
{
	unsigned int nr_words = 1 + put_string(words + 1, &arg->name);
	u64 field = 0;

	switch (arg->type) {
	case FXT_ARG_NULL:
		break;
	case FXT_ARG_INT32:
	case FXT_ARG_UINT32:
		field = FIELD_PREP(FXT_ARG_VALUE32, (u32)arg->value);
		break;
	case FXT_ARG_BOOL:
		field = FIELD_PREP(FXT_ARG_BOOLEAN, arg->value != 0);
		break;
	case FXT_ARG_STRING_REF:
		field = FIELD_PREP(FXT_ARG_STRING, arg->string.ref);
		nr_words += put_string(words + nr_words, &arg->string);
		break;
	default:
		words[nr_words++] = arg->value;
		break;
	}
	words[0] = FIELD_PREP(FXT_HEADER_TYPE, arg->type) |
		   FIELD_PREP(FXT_HEADER_WORDS, nr_words) |
		   FIELD_PREP(FXT_ARG_NAME, arg->name.ref) | field;
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

/* Parts of a record, after its first word. */
enum part {
	NOTHING,
	FIELDS,		/* the fields, where the first word has none but the size */
	TICKS,
	THREAD,		/* if it is inline: process and thread */
	PROCESS,	/* the process alone, likewise */
	CATEGORY,
	NAME,
	ARGS,
	ID,
	LAST,		/* the id, if the type of the event has one */
	SIZE,
	PAYLOAD,
	MESSAGE,	/* the payload, which is text */
};

/**
 * struct layout - the bits and parts of a kind of record
 * @header: constant bits of the first word
 * @type: position of the type of an event or object in the fields; 0 if there is none
 * @nr_args: position of the number of arguments, likewise
 * @thread: position of the thread reference, likewise
 * @category: position of the category, likewise
 * @name: position of the name, likewise
 * @len_bytes: position of the length of the payload, likewise
 * @parts: what follows the first word
 */
struct layout {
	u64	header;
	u64	type;
	u64	nr_args;
	u64	thread;
	u64	category;
	u64	name;
	u64	len_bytes;
	u8	parts[8];
};

static const struct layout layouts[] = {
	[VTR_FXT_EVENT] = {
		.header = FXT_RECORD_EVENT,
		.type = FXT_EVENT_TYPE,
		.nr_args = FXT_EVENT_NR_ARGS,
		.thread = FXT_EVENT_THREAD,
		.category = FXT_EVENT_CATEGORY,
		.name = FXT_EVENT_NAME,
		.parts = { TICKS, THREAD, CATEGORY, NAME, ARGS, LAST },
	},
	[VTR_FXT_LOG] = {
		.header = FXT_RECORD_LOG,
		.thread = FXT_LOG_THREAD,
		.len_bytes = FXT_LOG_BYTES,
		.parts = { TICKS, THREAD, MESSAGE },
	},
	[VTR_FXT_BLOB] = {
		.header = FXT_RECORD_BLOB |
			  (u64)FXT_BLOB_TYPE_DATA << __builtin_ctzll(FXT_BLOB_TYPE),
		.name = FXT_BLOB_NAME,
		.len_bytes = FXT_BLOB_BYTES,
		.parts = { NAME, PAYLOAD },
	},
	[VTR_FXT_LARGE_BLOB] = {
		.header = FXT_RECORD_LARGE,
		.nr_args = FXT_LARGE_BLOB_NR_ARGS,
		.thread = FXT_LARGE_BLOB_THREAD,
		.category = FXT_LARGE_BLOB_CATEGORY,
		.name = FXT_LARGE_BLOB_NAME,
		.parts = { FIELDS, CATEGORY, NAME, TICKS, THREAD, ARGS, SIZE, PAYLOAD },
	},
	[VTR_FXT_LARGE_DATA] = {
		.header = FXT_RECORD_LARGE | (u64)FXT_LARGE_BLOB_NO_METADATA
			  << __builtin_ctzll(FXT_LARGE_BLOB_FORMAT),
		.category = FXT_LARGE_BLOB_CATEGORY,
		.name = FXT_LARGE_BLOB_NAME,
		.parts = { FIELDS, CATEGORY, NAME, SIZE, PAYLOAD },
	},
	[VTR_FXT_USERSPACE_OBJECT] = {
		.header = FXT_RECORD_USERSPACE_OBJECT,
		.nr_args = FXT_USERSPACE_OBJECT_NR_ARGS,
		.thread = FXT_USERSPACE_OBJECT_PROCESS,
		.name = FXT_USERSPACE_OBJECT_NAME,
		.parts = { ID, PROCESS, NAME, ARGS },
	},
	[VTR_FXT_KERNEL_OBJECT] = {
		.header = FXT_RECORD_KERNEL_OBJECT,
		.type = FXT_KERNEL_OBJECT_TYPE,
		.nr_args = FXT_KERNEL_OBJECT_NR_ARGS,
		.name = FXT_KERNEL_OBJECT_NAME,
		.parts = { ID, NAME, ARGS },
	},
};

/* Return @value at the position @mask, or 0 if @mask is: its lowest bit is a factor. */
static u64 field(u64 mask, u64 value)
{
	return value * (mask & -mask);
}

static u64 fields(const struct layout *layout, const struct vtr_fxt_event *event)
{
	return field(layout->type, event->type) |
	       field(layout->nr_args, event->nr_args) |
	       field(layout->thread, event->thread.ref) |
	       field(layout->category, event->category.ref) |
	       field(layout->name, event->name.ref) |
	       field(layout->len_bytes, event->payload_bytes);
}

static unsigned int put_part(u64 *words, enum part part, const struct vtr_fxt_event *event)
{
	struct vtr_fxt_string message;

	switch (part) {
	case TICKS:
		words[0] = event->ticks;
		return 1;
	case ID:
	case LAST:
		if (part == LAST && !event_has_word(event->type))
			return 0;
		words[0] = event->id;
		return 1;
	case SIZE:
		words[0] = event->payload_bytes;
		return 1;
	case THREAD:
	case PROCESS:
		if (event->thread.ref)
			return 0;
		words[0] = event->thread.process;
		if (part == PROCESS)
			return 1;
		words[1] = event->thread.thread;
		return 2;
	case CATEGORY:
		return put_string(words, &event->category);
	case NAME:
		return put_string(words, &event->name);
	case ARGS:
		return put_args(words, event);
	case PAYLOAD:
		return put_stream(words, event->payload, event->payload_bytes);
	case MESSAGE:
		message = vtr_fxt_inline(event->payload, event->payload_bytes);
		return put_string(words, &message);
	default:
		return 0;
	}
}

/**
 * vtr_fxt_put_event() - compose an event, a message, a BLOB or an object
 * @words: destination
 * @event: contents of the record
 *
 * Context: any. Format: "Event record", "Log record", "BLOB record", "Large BLOB record",
 * "Userspace object record" and "Kernel object record".
 * Return: words written.
 */
unsigned int vtr_fxt_put_event(u64 *words, const struct vtr_fxt_event *event)
{
	const struct layout *layout = &layouts[event->kind];
	u64 header = layout->header, bits = fields(layout, event);
	unsigned int i, nr_words = 1;

	if (layout->parts[0] == FIELDS)
		words[nr_words++] = bits;
	else
		header |= bits;
	for (i = 0; i < ARRAY_SIZE(layout->parts) && layout->parts[i]; i++)
		nr_words += put_part(words + nr_words, layout->parts[i], event);
	/* The size of other records is at the same position, and shorter. */
	words[0] = header | FIELD_PREP(FXT_LARGE_WORDS, nr_words);
	return nr_words;
}

/*
 * Marks: records about the recording itself. Lost records are reported as a duration
 * "drop_stats" over the time of the loss, on a thread id that no task can have; a
 * trigger that froze the rings is reported as an instant event.
 *
 * Marks need no entry in the tables of a sub-buffer, so they fit into any.
 */

static struct vtr_fxt_string text(const char *bytes)
{
	return vtr_fxt_inline(bytes, strlen(bytes));
}

/**
 * vtr_marks_put_gap() - compose the records that report a loss
 * @words: destination; at most VTR_MARKS_GAP_WORDS are written
 * @cpu: CPU that lost the records
 * @begin: time of the first lost record
 * @end: time from which on no record was lost
 * @nr_records: number of lost records
 * @nr_bytes: length of the lost records
 *
 * Writes a name of the thread, and the duration, which is the only record with a time.
 *
 * Context: any. Format: "Event record".
 * Return: words written.
 */
unsigned int vtr_marks_put_gap(u64 *words, unsigned int cpu, u64 begin,
			       u64 end, u64 nr_records, u64 nr_bytes)
{
	static const char name[VTR_FXT_NAME_MAX + 1] = "lost";
	u32 thread = VITRINE_LOSS_THREAD(cpu);
	const struct vtr_fxt_arg args[] = {
		{ FXT_ARG_UINT64, text("num_records"), { .value = nr_records } },
		{ FXT_ARG_UINT64, text("num_bytes"), { .value = nr_bytes } },
	};
	const struct vtr_fxt_event event = {
		.type = FXT_EVENT_DURATION_COMPLETE,
		.nr_args = ARRAY_SIZE(args),
		.thread = { .thread = thread },
		.category = text("vitrine"),
		.name = text("drop_stats"),
		.args = args,
		.ticks = begin,
		.id = end,
	};
	unsigned int nr_words;

	nr_words = vtr_fxt_put_thread_name(words, 0, thread, name) - words;
	return nr_words + vtr_fxt_put_event(words + nr_words, &event);
}

/**
 * vtr_marks_put_frozen() - compose an instant event with the reason for a freeze
 * @words: destination; at most VTR_MARKS_FROZEN_WORDS are written
 * @now: timestamp in ticks
 * @process: koid of the process of @thread
 * @thread: koid of the thread that fired the trigger
 * @cause: name of the trigger, 1 to 24 bytes
 * @value: measured value
 *
 * Context: any. Format: "Event record".
 * Return: words written.
 */
unsigned int vtr_marks_put_frozen(u64 *words, u64 now, u64 process, u64 thread,
				  const char *cause, u64 value)
{
	const struct vtr_fxt_arg args[] = {
		{ FXT_ARG_STRING_REF, text("cause"), { .string = text(cause) } },
		{ FXT_ARG_UINT64, text("value"), { .value = value } },
	};
	const struct vtr_fxt_event event = {
		.type = FXT_EVENT_INSTANT,
		.nr_args = ARRAY_SIZE(args),
		.thread = { .process = process, .thread = thread },
		.category = text("vitrine"),
		.name = text("frozen"),
		.args = args,
		.ticks = now,
	};

	return vtr_fxt_put_event(words, &event);
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/fxt_kunit.c"
#endif
