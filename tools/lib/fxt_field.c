// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parse the fields of an FXT record: words, streams, references, arguments.
 *
 * Each fxt_parse_*() parses one field at the front of the cursor and moves the cursor
 * behind it. If it fails it reports why, and the rest of the record is not usable.
 */
#include <inttypes.h>

#include "base.h"
#include "fxt_field.h"

static uint64_t stream_bytes(uint64_t len_bytes)
{
	return fxt_stream_words(len_bytes) * FXT_WORD_BYTES;
}

/**
 * fxt_fault() - report a fault of the trace
 * @decoder: decoder, whose fault function is called
 * @offset: offset of the word or byte at fault
 * @format: what is wrong
 */
void __attribute__((cold)) fxt_fault(struct fxt_decoder *decoder,
				     uint64_t offset, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vtr_report(decoder->fault, decoder->ctx, offset, format, args);
	va_end(args);
}

/**
 * fxt_too_short() - report that a record ends before a field does
 * @cursor: rest of the record
 * @what: name of the field
 *
 * Return: false.
 */
bool __attribute__((cold)) fxt_too_short(struct fxt_cursor *cursor, const char *what)
{
	fxt_fault(cursor->decoder, cursor->at,
		  "%s does not fit: the record at 0x%" PRIx64 " ends at 0x%" PRIx64,
		  what, cursor->record, cursor->end);
	return false;
}

static void check_stream(struct fxt_cursor *cursor, const char *what,
			 uint64_t len_bytes, bool text)
{
	const unsigned char *bytes = cursor->decoder->bytes + cursor->at;
	unsigned int len;
	uint64_t i;

	for (i = 0; text && i < len_bytes; i += len) {
		len = vtr_utf8_sequence(bytes + i, len_bytes - i);
		if (!len) {
			fxt_fault(cursor->decoder, cursor->at + i,
				  "%s is not UTF-8", what);
			break;
		}
	}
	for (i = len_bytes; i < stream_bytes(len_bytes); i++) {
		if (bytes[i]) {
			fxt_fault(cursor->decoder, cursor->at + i,
				  "padding of %s is not zero", what);
			break;
		}
	}
}

/**
 * fxt_parse_stream() - parse a stream of bytes and its padding
 * @cursor: rest of the record
 * @what: name of the field, for faults
 * @len_bytes: length without padding
 * @text: the stream should be UTF-8
 * @ret: the bytes, in place
 *
 * Return: false if the record ends before the stream does.
 */
bool fxt_parse_stream(struct fxt_cursor *cursor, const char *what,
		      uint64_t len_bytes, bool text,
		      struct vitrine_fxt_string *ret)
{
	/* Compared unpadded first: a length near 2^64 would wrap. */
	if (len_bytes > cursor->end - cursor->at ||
	    stream_bytes(len_bytes) > cursor->end - cursor->at)
		return fxt_too_short(cursor, what);
	if (cursor->decoder->thorough)
		check_stream(cursor, what, len_bytes, text);
	ret->bytes = (const char *)cursor->decoder->bytes + cursor->at;
	ret->len_bytes = len_bytes;
	cursor->at += stream_bytes(len_bytes);
	return true;
}

/**
 * fxt_parse_string() - resolve a string reference
 * @cursor: rest of the record, from which an inline string is parsed
 * @what: name of the field, for faults
 * @ref: the reference
 * @ret: the string, in place
 *
 * Return: false if an inline string does not fit, or the table lacks the index.
 */
bool fxt_parse_string(struct fxt_cursor *cursor, const char *what, uint64_t ref,
		      struct vitrine_fxt_string *ret)
{
	const struct fxt_string_entry *entry;

	if (!ref) {
		*ret = (struct vitrine_fxt_string){ .bytes = "" };
		return true;
	}
	if (ref & FXT_STRING_REF_INLINE) {
		if (cursor->decoder->thorough &&
		    (ref & FXT_STRING_REF_VALUE) > FXT_MAX_STRING_BYTES)
			fxt_fault(cursor->decoder, cursor->at,
				  "%s is longer than %u bytes", what,
				  FXT_MAX_STRING_BYTES);
		return fxt_parse_stream(cursor, what, ref & FXT_STRING_REF_VALUE,
					true, ret);
	}
	entry = fxt_provider_string(cursor->provider, ref);
	if (!entry) {
		fxt_fault(cursor->decoder, cursor->record,
			  "%s: string %u of provider %u is not registered",
			  what, (unsigned int)ref, cursor->provider->id);
		return false;
	}
	ret->bytes = entry->bytes;
	ret->len_bytes = entry->len_bytes;
	return true;
}

/**
 * fxt_parse_thread() - resolve a thread reference
 * @cursor: rest of the record, from which an inline thread is parsed
 * @what: name of the field, for faults
 * @ref: the reference
 * @ret: the thread
 *
 * Return: false if an inline thread does not fit, or the table lacks the index.
 */
bool fxt_parse_thread(struct fxt_cursor *cursor, const char *what, uint64_t ref,
		      struct vitrine_fxt_thread *ret)
{
	const struct fxt_thread_entry *entry;

	if (!ref)
		return fxt_parse_word(cursor, what, &ret->process) &&
		       fxt_parse_word(cursor, what, &ret->thread);
	entry = fxt_provider_thread(cursor->provider, ref);
	if (!entry) {
		fxt_fault(cursor->decoder, cursor->record,
			  "%s: thread %u of provider %u is not registered",
			  what, (unsigned int)ref, cursor->provider->id);
		return false;
	}
	*ret = entry->thread;
	return true;
}

/* Types of arguments: what they hold, and the bits of the header that hold it; 0: a word does. */
static const struct {
	uint8_t class;
	uint64_t mask;
} arg_types[FXT_HEADER_TYPE + 1] = {
	[FXT_ARG_INT32]		= { FXT_CLASS_SIGNED, FXT_ARG_VALUE32 },
	[FXT_ARG_UINT32]	= { FXT_CLASS_UNSIGNED, FXT_ARG_VALUE32 },
	[FXT_ARG_INT64]		= { FXT_CLASS_SIGNED },
	[FXT_ARG_UINT64]	= { FXT_CLASS_UNSIGNED },
	[FXT_ARG_DOUBLE]	= { FXT_CLASS_REAL },
	[FXT_ARG_STRING_REF]	= { FXT_CLASS_TEXT, FXT_ARG_STRING },
	[FXT_ARG_POINTER]	= { FXT_CLASS_ADDRESS },
	[FXT_ARG_KOID]		= { FXT_CLASS_UNSIGNED },
	[FXT_ARG_BOOL]		= { FXT_CLASS_BOOL, FXT_ARG_BOOLEAN },
};

/**
 * fxt_arg_class() - tell what the value of an argument is
 * @type: type of the argument
 *
 * Return: its class; FXT_CLASS_NONE for FXT_ARG_NULL and for unknown types.
 */
enum fxt_class fxt_arg_class(unsigned int type)
{
	return type <= FXT_HEADER_TYPE ? arg_types[type].class : FXT_CLASS_NONE;
}

/**
 * fxt_arg_mask() - tell where the value of an argument is
 * @type: type of the argument, at most FXT_HEADER_TYPE
 *
 * Return: the bits of the header that hold the value or refer to it; 0: a word of its own does.
 */
uint64_t fxt_arg_mask(unsigned int type)
{
	return arg_types[type].mask;
}

static bool parse_value(struct fxt_cursor *cursor, uint64_t header,
			struct vitrine_fxt_arg *ret)
{
	uint64_t mask = fxt_arg_mask(ret->type);
	enum fxt_class class = fxt_arg_class(ret->type);

	if (class == FXT_CLASS_TEXT)
		return fxt_parse_string(cursor, "argument's value",
					FXT_GET(FXT_ARG_STRING, header), &ret->value.string);
	if (class == FXT_CLASS_BOOL)
		ret->value.boolean = FXT_GET(FXT_ARG_BOOLEAN, header);
	else if (mask && class == FXT_CLASS_SIGNED)
		ret->value.int64 = (int32_t)FXT_GET(FXT_ARG_VALUE32, header);
	else if (mask)
		ret->value.uint64 = FXT_GET(FXT_ARG_VALUE32, header);
	else if (class)
		/* int64_t and double have the same bits at the same place. */
		return fxt_parse_word(cursor, "argument's value", &ret->value.uint64);
	else if (ret->type)
		cursor->at = cursor->end;
	return true;
}

static bool parse_arg(struct fxt_cursor *record, struct vitrine_fxt_arg *ret)
{
	struct fxt_cursor arg = *record;
	uint64_t header = 0, words, reserved;

	if (!fxt_parse_word(&arg, "argument", &header))
		return false;
	words = FXT_GET(FXT_HEADER_WORDS, header);
	if (!words) {
		fxt_fault(record->decoder, record->at, "argument size is 0 words");
		return false;
	}
	if (words > (record->end - record->at) / FXT_WORD_BYTES)
		return fxt_too_short(record, "argument");
	arg.end = record->at + words * FXT_WORD_BYTES;
	ret->type = FXT_GET(FXT_HEADER_TYPE, header);
	reserved = header & FXT_ARG_VALUE32 & ~fxt_arg_mask(ret->type);
	if (record->decoder->thorough && ret->type <= FXT_ARG_BOOL && reserved)
		fxt_fault(record->decoder, record->at,
			  "reserved bits 0x%" PRIx64 " of an argument are set", reserved);
	if (!fxt_parse_string(&arg, "argument's name",
			      FXT_GET(FXT_ARG_NAME, header), &ret->name) ||
	    !parse_value(&arg, header, ret))
		return false;
	if (record->decoder->thorough && arg.at != arg.end)
		fxt_fault(record->decoder, arg.at,
			  "argument of %u words has %u left over",
			  (unsigned int)words,
			  (unsigned int)(arg.end - arg.at) / FXT_WORD_BYTES);
	record->at = arg.end;
	return true;
}

/**
 * fxt_parse_args() - parse the arguments of a record
 * @cursor: rest of the record
 * @nr_args: number of arguments, at most FXT_MAX_ARGS
 * @ret: record whose arguments are set
 *
 * Return: false if an argument is malformed.
 */
bool fxt_parse_args(struct fxt_cursor *cursor, unsigned int nr_args,
		    struct vitrine_fxt_record *ret)
{
	unsigned int i;

	for (i = 0; i < nr_args; i++)
		if (!parse_arg(cursor, &ret->args[i]))
			return false;
	ret->nr_args = nr_args;
	return true;
}
