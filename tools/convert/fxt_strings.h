/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * String table of a sub-buffer that is being filled.
 */
#ifndef _VITRINE_CONVERT_FXT_STRINGS_H
#define _VITRINE_CONVERT_FXT_STRINGS_H

#include "fxt_encode.h"

#define FXT_STRINGS_MAX		1024
#define FXT_STRINGS_SLOTS	(2 * FXT_STRINGS_MAX)
#define FXT_STRINGS_SEEN	4096

/**
 * struct fxt_strings - the strings that a sub-buffer has registered; empty if zeroed
 * @nr: number of strings, which have the indices 1 to @nr
 * @slots: indices by hash, 0 for a free slot
 * @entries: hash, first word in the sub-buffer and length of each string
 */
struct fxt_strings {
	unsigned int nr;
	uint16_t slots[FXT_STRINGS_SLOTS];
	struct {
		uint32_t hash;
		uint32_t at;
		uint32_t len_bytes;
	} entries[FXT_STRINGS_MAX + 1];
};

/**
 * struct fxt_strings_seen - hashes of strings that a file contains
 * @hashes: the last hash of each slot
 */
struct fxt_strings_seen {
	uint32_t hashes[FXT_STRINGS_SEEN];
};

unsigned int fxt_strings_intern(struct fxt_strings *strings,
				struct fxt_strings_seen *seen,
				struct fxt_encoder *to,
				const struct vitrine_fxt_string *string);

#endif /* _VITRINE_CONVERT_FXT_STRINGS_H */
