/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text of unknown origin on its way to a terminal.
 */
#ifndef _VITRINE_ESCAPE_H
#define _VITRINE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The longest escape, "\U0010ffff", or character. */
#define ESCAPE_BYTES	12

/* Return whether a terminal shows the character and does nothing else. */
bool character_is_printable(uint32_t c);
/* Measure the first character of a text; 0 if it is not printable. */
size_t printable_len(const char *bytes, size_t len_bytes);
/* Escape it; return how many bytes of the text that stands for. */
size_t escape_character(char to[ESCAPE_BYTES], const char *bytes, size_t len_bytes);
/* Print a text with such escapes. */
void print_escaped(const char *text, FILE *stream);

#endif /* _VITRINE_ESCAPE_H */
