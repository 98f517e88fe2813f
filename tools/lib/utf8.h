/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Validate and decode UTF-8, also of a text that arrives in pieces. Pure functions.
 */
#ifndef _VITRINE_LIB_UTF8_H
#define _VITRINE_LIB_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct vtr_utf8 - a text so far; begin with zeros
 * @nr_missing: bytes that the last character lacks
 * @lowest: the next of them is at least this
 * @highest: and at most this
 * @is_invalid: there was a byte that cannot follow
 */
struct vtr_utf8 {
	unsigned int nr_missing;
	uint8_t lowest;
	uint8_t highest;
	bool is_invalid;
};

void vtr_utf8_add(struct vtr_utf8 *utf8, const uint8_t *bytes, size_t len);
bool vtr_utf8_is_valid(const struct vtr_utf8 *utf8);
unsigned int vtr_utf8_sequence(const uint8_t *bytes, size_t len);
unsigned int vtr_utf8_decode(const void *bytes, size_t len, uint32_t *ret);
bool vtr_utf8_is_text(const void *bytes, size_t len);
size_t vtr_utf8_cut(const void *bytes, size_t len, size_t max);

#endif /* _VITRINE_LIB_UTF8_H */
