// SPDX-License-Identifier: GPL-2.0
/*
 * UTF-8 of unknown origin: no overlong forms, no surrogates, nothing beyond
 * U+10FFFF. What a character is and how wide, libutf8proc has from Unicode.
 */
#include <utf8proc.h>

#include "utf8.h"

/* Length of a character by its first byte, 0 if none begins so. */
static size_t length_of(uint8_t first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first < 0xe0)
		return 2;
	if (first >= 0xe0 && first < 0xf0)
		return 3;
	if (first >= 0xf0 && first < 0xf5)
		return 4;
	return 0;
}

/**
 * utf8_decode() - take the first character
 * @bytes: bytes
 * @len: how many; at least one
 * @ret: the character
 *
 * Return: how many bytes it has, 0 if they are not UTF-8.
 */
size_t utf8_decode(const uint8_t *bytes, size_t len, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t i, n = length_of(bytes[0]);
	uint32_t c;

	if (!n || n > len)
		return 0;
	c = n == 1 ? bytes[0] : bytes[0] & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (bytes[i] & 0x3f);
	}
	if (c < least[n] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return 0;
	*ret = c;
	return n;
}

/**
 * utf8_is_valid() - whether bytes are UTF-8 throughout
 * @bytes: bytes
 * @len: how many
 *
 * Return: whether they are.
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
 * utf8_is_printable() - whether a character may be written to a terminal
 * @c: character
 *
 * Control characters, format characters, such as those that change the direction
 * of writing or take no room, separators of lines and paragraphs, and what Unicode
 * has not assigned, may not.
 *
 * Return: whether it may.
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
 * utf8_columns() - how wide a character is on a terminal
 * @c: character that is printable
 *
 * Return: columns: 0 if it combines with the one before, 2 if it is wide.
 */
unsigned int utf8_columns(uint32_t c)
{
	return utf8proc_charwidth(c);
}
