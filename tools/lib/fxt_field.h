/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields of an FXT record: words, streams, references and arguments.
 *
 * A field is parsed from the front of a cursor, which holds the rest of one record.
 * Nothing is read before it has been compared with what is left of the record.
 */
#ifndef _VITRINE_LIB_FXT_FIELD_H
#define _VITRINE_LIB_FXT_FIELD_H

#include <byteswap.h>
#include <string.h>

#include "fxt_bits.h"
#include "fxt_provider.h"

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

void fxt_fault(struct fxt_decoder *decoder, uint64_t offset,
	       const char *format, ...) __attribute__((format(printf, 3, 4)));
bool fxt_parse_word(struct fxt_cursor *cursor, const char *what, uint64_t *ret);
bool fxt_parse_stream(struct fxt_cursor *cursor, const char *what,
		      uint64_t len_bytes, bool text,
		      struct vitrine_fxt_string *ret);
bool fxt_parse_string(struct fxt_cursor *cursor, const char *what, uint64_t ref,
		      struct vitrine_fxt_string *ret);
bool fxt_parse_thread(struct fxt_cursor *cursor, const char *what, uint64_t ref,
		      struct vitrine_fxt_thread *ret);
bool fxt_parse_args(struct fxt_cursor *cursor, unsigned int nr_args,
		    struct vitrine_fxt_record *ret);

#endif /* _VITRINE_LIB_FXT_FIELD_H */
