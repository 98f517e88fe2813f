/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A record composed out of its decoded form. fxt_write.c, which knows the
 * sub-buffers, is all that needs it.
 */
#ifndef _VITRINE_CONVERT_FXT_COMPOSE_H
#define _VITRINE_CONVERT_FXT_COMPOSE_H

#include "fxt.h"
#include "vitrine.h"

/* Longest record: a sub-buffer of fxt_write.c holds it with what it refers to. */
#define FXT_COMPOSED_MAX_WORDS	8000

/* The record has no place for a reference to the thread. */
#define FXT_NO_SHIFT	64

/**
 * struct fxt_composed - a record without its references to threads
 * @words: its words
 * @nr: how many; more than FXT_COMPOSED_MAX_WORDS if there was no room
 * @threads: threads it refers to
 * @shifts: where each reference goes in @words[@ref_word], or FXT_NO_SHIFT
 * @nr_threads: how many
 * @ref_word: index of that word
 */
struct fxt_composed {
	uint64_t words[FXT_COMPOSED_MAX_WORDS];
	unsigned int nr;
	struct vitrine_fxt_thread threads[2];
	unsigned int shifts[2];
	unsigned int nr_threads;
	unsigned int ref_word;
};

/* Refer to a string that stands in the record. Format: "String references". */
static inline uint64_t fxt_inline_ref(const struct vitrine_fxt_string *string)
{
	return string->len_bytes ? FXT_STRING_REF_INLINE | string->len_bytes :
				   0;
}

bool fxt_compose(struct fxt_composed *to,
		 const struct vitrine_fxt_record *record);
void fxt_composed_refer(struct fxt_composed *to,
			const struct vitrine_fxt_thread *thread,
			unsigned int shift);
void fxt_mend_text(void *text, size_t len_bytes);

#endif /* _VITRINE_CONVERT_FXT_COMPOSE_H */
