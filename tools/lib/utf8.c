// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Validate UTF-8, also of a text that arrives in pieces: overlong forms, surrogates and
 * code points beyond U+10FFFF are invalid. The second byte of a character shows all three.
 *
 * Pure functions.
 */
#include "utf8.h"

static bool begin_character(struct vtr_utf8 *utf8, uint8_t byte)
{
	if (byte < 0x80)
		return true;
	if (byte < 0xc2 || byte > 0xf4)
		return false;
	utf8->nr_missing = 1 + (byte >= 0xe0) + (byte >= 0xf0);
	utf8->lowest = byte == 0xe0 ? 0xa0 : byte == 0xf0 ? 0x90 : 0x80;
	utf8->highest = byte == 0xed ? 0x9f : byte == 0xf4 ? 0x8f : 0xbf;
	return true;
}

static bool continue_character(struct vtr_utf8 *utf8, uint8_t byte)
{
	if (byte < utf8->lowest || byte > utf8->highest)
		return false;
	utf8->nr_missing--;
	utf8->lowest = 0x80;
	utf8->highest = 0xbf;
	return true;
}

/**
 * vtr_utf8_add() - look at the next piece of a text
 * @utf8: the text so far
 * @bytes: the piece
 * @len: its length
 */
void vtr_utf8_add(struct vtr_utf8 *utf8, const uint8_t *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len && !utf8->is_invalid; i++)
		utf8->is_invalid = utf8->nr_missing ?
				   !continue_character(utf8, bytes[i]) :
				   !begin_character(utf8, bytes[i]);
}

/**
 * vtr_utf8_sequence() - measure the first character of a text
 * @bytes: the text
 * @len: its length in bytes, not 0
 *
 * Return: how many bytes the character has, 0 if they are not UTF-8.
 */
unsigned int vtr_utf8_sequence(const uint8_t *bytes, size_t len)
{
	struct vtr_utf8 utf8 = { 0 };
	unsigned int i;

	if (!begin_character(&utf8, bytes[0]))
		return 0;
	for (i = 1; utf8.nr_missing; i++)
		if (i == len || !continue_character(&utf8, bytes[i]))
			return 0;
	return i;
}

/**
 * vtr_utf8_is_valid() - whether a text was UTF-8 throughout
 * @utf8: the text, all pieces of which have been added
 *
 * Return: true if it was, and ends with a character's last byte.
 */
bool vtr_utf8_is_valid(const struct vtr_utf8 *utf8)
{
	return !utf8->is_invalid && !utf8->nr_missing;
}
