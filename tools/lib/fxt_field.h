/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields of an FXT record: bits by the masks of <vitrine/fxt.h>, words, streams, references
 * and arguments.
 *
 * A field is parsed from the front of a cursor, which holds the rest of one record.
 * Nothing is read before it has been compared with what is left of the record.
 */
#ifndef _VITRINE_LIB_FXT_FIELD_H
#define _VITRINE_LIB_FXT_FIELD_H

#include <byteswap.h>
#include <stdint.h>
#include <string.h>

#include <vitrine/fxt.h>

#include "fxt_provider.h"

/* CPU numbers of records have 16 bits. */
#define FXT_MAX_CPUS	0x10000

#define FXT_GET(mask, word)	(((word) & (mask)) >> __builtin_ctzll(mask))
#define FXT_PUT(mask, value)	((uint64_t)(value) << __builtin_ctzll(mask))

static inline bool fxt_is_large(uint64_t header)
{
	return FXT_GET(FXT_HEADER_TYPE, header) == FXT_RECORD_LARGE;
}

/**
 * fxt_header_words() - read the size of a record
 * @header: first word of the record
 *
 * Return: its length in words, not validated.
 */
static inline uint64_t fxt_header_words(uint64_t header)
{
	return fxt_is_large(header) ? FXT_GET(FXT_LARGE_WORDS, header) :
				      FXT_GET(FXT_HEADER_WORDS, header);
}

/**
 * fxt_stream_words() - calculate the padded size of a stream
 * @len_bytes: length without padding; must not be close to 2^64
 *
 * Return: its length in words.
 */
static inline uint64_t fxt_stream_words(uint64_t len_bytes)
{
	return (len_bytes + FXT_WORD_BYTES - 1) / FXT_WORD_BYTES;
}

/**
 * struct fxt_decoder - the bytes to decode, and the receiver of faults
 * @bytes: the trace
 * @len_bytes: its length
 * @swap: the writer's byte order is not ours
 * @thorough: also report faults that do not prevent decoding
 * @fault: called for each fault, or NULL
 * @ctx: context of @fault
 * @stop: errno value behind FXT_STOP, else 0
 *
 * An offset is a byte position from the start of @bytes.
 */
struct fxt_decoder {
	const unsigned char *bytes;
	uint64_t len_bytes;
	bool swap;
	bool thorough;
	vitrine_fault_fn *fault;
	void *ctx;
	int stop;
};

/**
 * struct fxt_cursor - the rest of a record
 * @decoder: the bytes
 * @provider: provider whose tables resolve references
 * @record: offset of the record
 * @at: offset of the next field
 * @end: offset behind the record
 */
struct fxt_cursor {
	struct fxt_decoder *decoder;
	struct fxt_provider *provider;
	uint64_t record;
	uint64_t at;
	uint64_t end;
};

static inline uint64_t fxt_word(const struct fxt_decoder *decoder,
				uint64_t offset)
{
	uint64_t word;

	memcpy(&word, decoder->bytes + offset, sizeof(word));
	return decoder->swap ? bswap_64(word) : word;
}

/* What the value of an argument is. A class is of several types, which differ in width. */
enum fxt_class {
	FXT_CLASS_NONE,
	FXT_CLASS_SIGNED,
	FXT_CLASS_UNSIGNED,
	FXT_CLASS_REAL,
	FXT_CLASS_TEXT,
	FXT_CLASS_ADDRESS,
	FXT_CLASS_BOOL,
};

enum fxt_class fxt_arg_class(unsigned int type);
uint64_t fxt_arg_mask(unsigned int type);
void fxt_fault(struct fxt_decoder *decoder, uint64_t offset,
	       const char *format, ...) __attribute__((format(printf, 3, 4)));
bool fxt_too_short(struct fxt_cursor *cursor, const char *what);
bool fxt_parse_stream(struct fxt_cursor *cursor, const char *what,
		      uint64_t len_bytes, bool text,
		      struct vitrine_fxt_string *ret);
bool fxt_parse_string(struct fxt_cursor *cursor, const char *what, uint64_t ref,
		      struct vitrine_fxt_string *ret);
bool fxt_parse_thread(struct fxt_cursor *cursor, const char *what, uint64_t ref,
		      struct vitrine_fxt_thread *ret);
bool fxt_parse_args(struct fxt_cursor *cursor, unsigned int nr_args,
		    struct vitrine_fxt_record *ret);

/**
 * fxt_parse_word() - parse one word
 * @cursor: rest of the record
 * @what: name of the field, for the fault
 * @ret: its value
 *
 * Return: false at the end of the record.
 */
static inline bool fxt_parse_word(struct fxt_cursor *cursor, const char *what, uint64_t *ret)
{
	if (cursor->at >= cursor->end)
		return fxt_too_short(cursor, what);
	*ret = fxt_word(cursor->decoder, cursor->at);
	cursor->at += FXT_WORD_BYTES;
	return true;
}

#endif /* _VITRINE_LIB_FXT_FIELD_H */
