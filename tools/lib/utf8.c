// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Validate and decode UTF-8. A text may arrive in pieces. Overlong forms, surrogates and
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

/**
 * vtr_utf8_decode() - decode the first character of a text
 * @bytes: the text
 * @len: its length in bytes, not 0
 * @ret: the character, written on success only
 *
 * Return: how many bytes the character has, 0 if they are not UTF-8.
 */
unsigned int vtr_utf8_decode(const void *bytes, size_t len, uint32_t *ret)
{
	static const uint8_t lead_mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	const uint8_t *at = bytes;
	unsigned int nr = vtr_utf8_sequence(at, len), i;
	uint32_t c = at[0] & lead_mask[nr];

	for (i = 1; i < nr; i++)
		c = c << 6 | (at[i] & 0x3f);
	if (nr)
		*ret = c;
	return nr;
}

/**
 * vtr_utf8_is_text() - whether a whole text is UTF-8
 * @bytes: the text
 * @len: its length in bytes
 *
 * Return: true if it is.
 */
bool vtr_utf8_is_text(const void *bytes, size_t len)
{
	struct vtr_utf8 utf8 = { 0 };

	vtr_utf8_add(&utf8, bytes, len);
	return vtr_utf8_is_valid(&utf8);
}

/**
 * vtr_utf8_cut() - shorten a text without splitting a character
 * @bytes: the text
 * @len: its length in bytes
 * @max: most bytes to keep
 *
 * Return: how many bytes to keep.
 */
size_t vtr_utf8_cut(const void *bytes, size_t len, size_t max)
{
	const uint8_t *text = bytes;

	if (len <= max)
		return len;
	while (max && (text[max] & 0xc0) == 0x80)
		max--;
	return max;
}
