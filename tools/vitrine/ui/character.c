// SPDX-License-Identifier: GPL-2.0
/*
 * UTF-8 of unknown origin, with libutf8proc. It rejects overlong forms, surrogates
 * and anything beyond U+10FFFF, and has Unicode's categories and widths.
 */
#include <utf8proc.h>

#include "utf8.h"

/**
 * utf8_decode() - decode the first character of a text
 * @bytes: the text
 * @len: its length in bytes; at least one
 * @ret: the character
 *
 * Return: its length in bytes, 0 if it is not UTF-8.
 */
size_t utf8_decode(const uint8_t *bytes, size_t len, uint32_t *ret)
{
	utf8proc_int32_t c;
	utf8proc_ssize_t n = utf8proc_iterate(bytes, len, &c);

	if (n <= 0)
		return 0;
	*ret = c;
	return n;
}

/**
 * utf8_is_valid() - find out whether bytes are valid UTF-8
 * @bytes: bytes
 * @len: length of @bytes in bytes
 *
 * Return: true if all of them are.
 */
bool utf8_is_valid(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	uint32_t c;

	while (len) {
		size_t n = utf8_decode(at, len, &c);

		if (!n)
			return false;
		at += n;
		len -= n;
	}
	return true;
}

/**
 * utf8_is_printable() - find out whether a character is safe for a terminal
 * @c: character
 *
 * Control characters are not, nor format characters (bidirectional or of zero width),
 * line and paragraph separators, and unassigned code points.
 *
 * Return: true if it is.
 */
bool utf8_is_printable(uint32_t c)
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
 * utf8_columns() - find out the width of a character on a terminal
 * @c: printable character
 *
 * Return: columns: 0 for a combining character, 2 for a wide one, else 1.
 */
unsigned int utf8_columns(uint32_t c)
{
	return utf8proc_charwidth(c);
}
