/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replacing names and texts of a trace by tokens, so that it can be given to others.
 */
#ifndef _VITRINE_ANONYMISE_H
#define _VITRINE_ANONYMISE_H

#include "vitrine.h"

/* Room for the texts of one record. */
#define ANONYMISE_BYTES	(64U << 10)

/**
 * struct anonymiser - makes tokens of texts
 * @key: random; the same text has the same token with the same key
 * @texts: texts of the record that was processed last
 * @len_bytes: bytes used of @texts
 */
struct anonymiser {
	uint64_t key[2];
	char texts[ANONYMISE_BYTES];
	size_t len_bytes;
};

struct vitrine_error *anonymise_init(struct anonymiser *anonymiser);
/* The texts that the functions return are valid until this call. */
void anonymise_begin(struct anonymiser *anonymiser);
struct vitrine_fxt_string anonymise_name(struct anonymiser *anonymiser,
					 const struct vitrine_fxt_string *name);
void anonymise_record(struct anonymiser *anonymiser,
		      struct vitrine_fxt_record *record);

#endif /* _VITRINE_ANONYMISE_H */
