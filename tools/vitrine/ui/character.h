/* SPDX-License-Identifier: GPL-2.0 */
/*
 * UTF-8 of unknown origin, and its width on a terminal.
 */
#ifndef _VITRINE_UTF8_H
#define _VITRINE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decode the first character of @bytes, of which there are @len; return its length,
 * 0 if it is not UTF-8.
 */
size_t utf8_decode(const uint8_t *bytes, size_t len, uint32_t *ret);

/* Return whether all of it is valid UTF-8. */
bool utf8_is_valid(const void *bytes, size_t len);

/* Return whether a terminal shows the character and does nothing else. */
bool utf8_is_printable(uint32_t c);

/* Return the columns that the character takes. */
unsigned int utf8_columns(uint32_t c);

#endif /* _VITRINE_UTF8_H */
