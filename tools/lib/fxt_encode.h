/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * FXT encoder: the inverse of fxt_record.h.
 *
 * An encoder appends records to words of the caller, by the masks of <vitrine/fxt.h>. It
 * is used by one thread at a time.
 */
#ifndef _VITRINE_LIB_FXT_ENCODE_H
#define _VITRINE_LIB_FXT_ENCODE_H

#include <vitrine/fxt.h>

#include "vitrine.h"

/* The record has no place for a reference to the thread. */
#define FXT_NO_SHIFT	64

/*
 * Return the index of a string in the string table of the archive, in which it is registered
 * before the record that is being encoded; 0 if it is to be inline in the record.
 */
typedef unsigned int fxt_encode_intern(void *ctx, const struct vitrine_fxt_string *string);

/**
 * struct fxt_encoder - words, and the thread references of the last record
 * @words: the words
 * @size: room for so many words
 * @nr: words so far; more than @size if there was no room
 * @inline_threads: write threads inline, instead of leaving room for a reference
 * @intern: registers strings; NULL: all are inline
 * @ctx: passed to @intern
 * @threads: unless @inline_threads, threads that the last record of fxt_encode() refers to
 * @shifts: bit position of each reference in @words[@ref_word], or FXT_NO_SHIFT
 * @nr_threads: number of these threads
 * @ref_word: index of the word that holds their references
 */
struct fxt_encoder {
	uint64_t *words;
	unsigned int size;
	unsigned int nr;
	bool inline_threads;
	fxt_encode_intern *intern;
	void *ctx;
	struct vitrine_fxt_thread threads[2];
	unsigned int shifts[2];
	unsigned int nr_threads;
	unsigned int ref_word;
};

bool fxt_encode(struct fxt_encoder *to,
		const struct vitrine_fxt_record *record);
void fxt_encode_magic(struct fxt_encoder *to);
void fxt_encode_provider(struct fxt_encoder *to, unsigned int type,
			 uint32_t provider, const char *name);
void fxt_encode_initialization(struct fxt_encoder *to,
			       uint64_t ticks_per_second);
void fxt_encode_blob(struct fxt_encoder *to, const char *name,
		     const void *payload, size_t len_bytes);
void fxt_encode_string(struct fxt_encoder *to, unsigned int index,
		       const struct vitrine_fxt_string *string);
void fxt_encode_thread(struct fxt_encoder *to, unsigned int index,
		       const struct vitrine_fxt_thread *thread);
void fxt_encode_object(struct fxt_encoder *to, unsigned int type, uint64_t koid,
		       const struct vitrine_fxt_string *name,
		       const uint64_t *process);
void fxt_encode_refer(struct fxt_encoder *to,
		      const struct vitrine_fxt_thread *thread,
		      unsigned int shift);
void fxt_mend_text(void *text, size_t len_bytes);

#endif /* _VITRINE_LIB_FXT_ENCODE_H */
