// SPDX-License-Identifier: GPL-2.0
/*
 * Replace invalid UTF-8, because both formats require UTF-8 text. Pure: takes no lock,
 * allocates nothing, also compiles on the host.
 */
#include <linux/export.h>
#include <linux/types.h>

#include <vitrine/inspect.h>

/* Return the length of the UTF-8 sequence at @s, at most @left bytes; 0 if it is invalid. */
static unsigned int utf8_sequence(const u8 *s, size_t left)
{
	unsigned int i, len;

	if (s[0] < 0x80)
		return 1;
	/* c0, c1 and f5..ff never start a sequence; e0, ed, f0 and f4 restrict s[1] */
	len = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 :
	      s[0] < 0xf5 ? 4 : 0;
	if (!len || len > left)
		return 0;
	for (i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

void vitrine_text_clean(char *text, size_t len_bytes)
{
	unsigned int sequence;
	size_t i;

	for (i = 0; i < len_bytes; i += sequence) {
		sequence = utf8_sequence((const u8 *)text + i, len_bytes - i);
		if (!sequence || !text[i]) {
			text[i] = '?';
			sequence = 1;
		}
	}
}
EXPORT_SYMBOL_GPL(vitrine_text_clean);
