/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Intern the texts of a trace, that is, stacks, frames, and names of system calls and
 * interrupts: each text is stored once and identified by a number.
 *
 * The texts are copied, so that they outlive the records, and unprintable characters are
 * replaced. Their number and their total size are limited.
 */
#ifndef _VITRINE_WHY_TEXTS_H
#define _VITRINE_WHY_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base.h"

/* Numbers that stand for no text, and for all texts for which there was no room. */
#define WHY_TEXT_NONE	0
#define WHY_TEXT_OTHER	1

enum why_text_kind {
	WHY_TEXT,
	WHY_KERNEL_STACK,
	WHY_USER_STACK,
};

/**
 * struct why_texts - all texts; empty if zeroed
 * @texts: texts, indexed by their number
 * @nr: number of @texts, including WHY_TEXT_NONE and WHY_TEXT_OTHER
 * @len_bytes: total size of the texts
 * @hash: hash table of @texts
 */
struct why_texts {
	char **texts;
	uint32_t nr;
	size_t len_bytes;
	struct hash hash;
};

uint32_t why_texts_add(struct why_texts *texts, const char *bytes, size_t len_bytes);
uint32_t why_texts_add_stack(struct why_texts *texts, const struct vitrine_fxt_record *record,
			     enum why_text_kind kind);
const char *why_text(const struct why_texts *texts, uint32_t number);
void why_texts_deinit(struct why_texts *texts);

/* Iterate over the frames of a stack, outermost first. */
bool why_frame_next(const char **at, const char **ret_frame, size_t *ret_len);
/* Iterate over the frames of a stack, innermost first. */
bool why_frame_before(const char *stack, const char **end,
		      const char **ret_frame, size_t *ret_len);
size_t why_frame_name_len(const char *frame, size_t len);
bool why_frame_is_scheduler(const char *frame, size_t len);

#endif /* _VITRINE_WHY_TEXTS_H */
