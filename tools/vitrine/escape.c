// SPDX-License-Identifier: GPL-2.0
/*
 * Text of unknown origin on its way to a terminal: names and strings of files, and the paths of
 * these files. The category of a character is known by libutf8proc.
 */
#include <stdio.h>
#include <string.h>

#include <utf8proc.h>

#include "base.h"
#include "escape.h"

/**
 * character_is_printable() - find out whether a character is safe for a terminal
 * @c: character
 *
 * Control characters are not, nor format characters (bidirectional or of zero width),
 * line and paragraph separators, and unassigned code points.
 *
 * Return: true if it is.
 */
bool character_is_printable(uint32_t c)
{
	if (c >= ' ' && c < 0x7f)
		return true;
	switch (utf8proc_category(c)) {
	case UTF8PROC_CATEGORY_CC:
	case UTF8PROC_CATEGORY_CF:
	case UTF8PROC_CATEGORY_CS:
	case UTF8PROC_CATEGORY_CN:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
		return false;
	default:
		return true;
	}
}

/**
 * printable_len() - measure the first character of a text
 * @bytes: the text
 * @len_bytes: its length, not 0
 *
 * All text from files passes this function on its way to a terminal.
 *
 * Return: how many bytes the character has; 0 if the first byte is to be escaped or replaced.
 */
size_t printable_len(const char *bytes, size_t len_bytes)
{
	uint32_t c;
	size_t len = vtr_utf8_decode(bytes, len_bytes, &c);

	return len && character_is_printable(c) ? len : 0;
}

/**
 * escape_character() - escape the first character of a text, unless it is printable
 * @to: receives the character, or an escape as in C, terminated
 * @bytes: the text
 * @len_bytes: its length, not 0
 *
 * Return: how many bytes of the text it stands for.
 */
size_t escape_character(char to[ESCAPE_BYTES], const char *bytes, size_t len_bytes)
{
	static const char special[] = "\n\t\r", letters[] = "ntr";
	size_t len = printable_len(bytes, len_bytes);
	const char *at;
	uint32_t c;

	if (len) {
		memcpy(to, bytes, len);
		to[len] = '\0';
		return len;
	}
	len = vtr_utf8_decode(bytes, len_bytes, &c);
	at = len == 1 && c ? strchr(special, c) : NULL;
	if (at)
		sprintf(to, "\\%c", letters[at - special]);
	else if (len < 2)
		sprintf(to, "\\x%02x", (unsigned char)*bytes);
	else
		sprintf(to, c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
	return len ? len : 1;
}

/**
 * print_escaped() - print a text with escapes for what is not printable
 * @text: the text
 * @stream: output stream
 */
void print_escaped(const char *text, FILE *stream)
{
	size_t len = strlen(text), n;
	char escaped[ESCAPE_BYTES];

	for (; len; text += n, len -= n) {
		n = escape_character(escaped, text, len);
		fputs(escaped, stream);
	}
}
