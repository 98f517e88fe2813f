/* SPDX-License-Identifier: GPL-2.0 */
/*
 * UTF-8 of unknown origin, and what a terminal makes of it.
 */
#ifndef _VITRINE_UTF8_H
#define _VITRINE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bytes of the character that @bytes begin with, at most @len, and the
 * character in @ret; 0 if it is not UTF-8.
 */
size_t utf8_decode(const uint8_t *bytes, size_t len, uint32_t *ret);

/* Whether all of it is UTF-8. */
bool utf8_is_valid(const void *bytes, size_t len);

/* Whether a terminal shows the character, and does nothing else. */
bool utf8_is_printable(uint32_t c);

/* Columns that the character takes. */
unsigned int utf8_columns(uint32_t c);

#endif /* _VITRINE_UTF8_H */
