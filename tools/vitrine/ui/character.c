// SPDX-License-Identifier: GPL-2.0
/*
 * Characters on a terminal: their Unicode category and width, by libutf8proc.
 */
#include <utf8proc.h>

#include "character.h"

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
 * character_columns() - find out the width of a character on a terminal
 * @c: printable character
 *
 * Return: columns: 0 for a combining character, 2 for a wide one, else 1.
 */
unsigned int character_columns(uint32_t c)
{
	return utf8proc_charwidth(c);
}
