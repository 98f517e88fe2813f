/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bit fields of FXT words, by the masks of <vitrine/fxt.h>.
 */
#ifndef _VITRINE_LIB_FXT_BITS_H
#define _VITRINE_LIB_FXT_BITS_H

#include <stdint.h>

#include <vitrine/fxt.h>

#define FXT_GET(mask, word)	(((word) & (mask)) >> __builtin_ctzll(mask))
#define FXT_PUT(mask, value)	((uint64_t)(value) << __builtin_ctzll(mask))

/**
 * fxt_header_words() - read the size of a record
 * @header: first word of the record
 *
 * Return: its length in words, not validated.
 */
static inline uint64_t fxt_header_words(uint64_t header)
{
	return FXT_GET(FXT_HEADER_TYPE, header) == FXT_RECORD_LARGE ?
		       FXT_GET(FXT_LARGE_WORDS, header) :
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

#endif /* _VITRINE_LIB_FXT_BITS_H */
