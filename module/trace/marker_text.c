// SPDX-License-Identifier: GPL-2.0
/*
 * Parse the text of markers. marker_text.h describes the syntax.
 *
 * Pure: the text is the caller's, on its stack. It comes from user space, and nothing in
 * it is trusted.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <uapi/vitrine/map.h>

#include "marker_text.h"

#define SEPARATOR	'|'

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Parse a decimal number up to the end of the text. A counter is between S64_MIN and
 * S64_MAX, an id between S64_MIN and U64_MAX, of which the bits are returned.
 */
static int parse_number(const char *digits, u64 most, s64 *ret)
{
	bool negative = *digits == '-';
	u64 value = 0, digit;

	if (negative) {
		digits++;
		most = (u64)S64_MAX + 1;
	}
	if (!*digits)
		return -EINVAL;
	for (; *digits; digits++) {
		digit = (u8)(*digits - '0');
		if (digit > 9)
			return -EINVAL;
		/* Below this value, no limit is exceeded. */
		if (unlikely(value >= S64_MAX / 10) &&
		    (value > U64_MAX / 10 || value * 10 > most - digit))
			return -EINVAL;
		value = value * 10 + digit;
	}
	*ret = negative ? -value : value;
	return 0;
}

/* Cut the number off the end of "NAME|NUMBER". */
static int cut_number(char *text, struct vtr_marker *marker)
{
	u64 most = marker->type == FXT_EVENT_COUNTER ? S64_MAX : U64_MAX;
	char *end = text + marker->len_bytes;

	while (end > text && end[-1] != SEPARATOR)
		end--;
	if (end == text)
		return -EINVAL;
	marker->len_bytes = end - 1 - text;
	end[-1] = '\0';
	return parse_number(end, most, &marker->number);
}

static bool has_number(enum fxt_event_type type)
{
	return type == FXT_EVENT_COUNTER || type >= FXT_EVENT_ASYNC_BEGIN;
}

/* The type of the event by the letter of the marker; FXT_EVENT_INSTANT is 0. */
#define NOT_A_LETTER	0
#define LETTER(type)	((type) + 1)

static const u8 letters[256] = {
	['B'] = LETTER(FXT_EVENT_DURATION_BEGIN),
	['E'] = LETTER(FXT_EVENT_DURATION_END),
	['I'] = LETTER(FXT_EVENT_INSTANT),
	['C'] = LETTER(FXT_EVENT_COUNTER),
	['S'] = LETTER(FXT_EVENT_ASYNC_BEGIN),
	['F'] = LETTER(FXT_EVENT_ASYNC_END),
	['s'] = LETTER(FXT_EVENT_FLOW_BEGIN),
	['t'] = LETTER(FXT_EVENT_FLOW_STEP),
	['f'] = LETTER(FXT_EVENT_FLOW_END),
};

/* Parse "PID|NAME" or "PID|NAME|NUMBER", after "LETTER|". */
static int parse_fields(char *text, char *end, struct vtr_marker *marker)
{
	while (is_digit(*text))
		text++;
	if (*text == SEPARATOR)
		text++;
	else if (text != end || marker->type != FXT_EVENT_DURATION_END)
		return -EINVAL;
	marker->name = text;
	marker->len_bytes = end - text;
	if (has_number(marker->type) && cut_number(text, marker))
		return -EINVAL;
	if (!*marker->name && marker->type != FXT_EVENT_DURATION_END)
		return -EINVAL;
	return 0;
}

/* Parse a struct vitrine_marker_number and the name that follows it. */
static int parse_binary(char *text, size_t len_bytes, struct vtr_marker *marker)
{
	const struct vitrine_marker_number *binary = (const void *)text;
	u8 letter = letters[binary->letter];
	enum fxt_event_type type = letter - LETTER(0);
	char *name = text + sizeof(*binary);

	if (len_bytes > VTR_MARKER_MAX_BYTES)
		return -EMSGSIZE;
	if (letter == NOT_A_LETTER || !has_number(type) || !*name)
		return -EINVAL;
	marker->type = type;
	marker->number = binary->number;
	marker->name = name;
	marker->len_bytes = len_bytes - sizeof(*binary);
	text[len_bytes] = '\0';
	return 0;
}

/**
 * vtr_marker_parse() - parse a marker
 * @text: the text, which is modified, and VTR_MARKER_SPARE_BYTES more
 * @len_bytes: length of @text
 * @ret: the marker, undefined on failure
 *
 * Newlines and NULs at the end of the text are ignored. A name in a binary marker is taken
 * as it is.
 *
 * Context: any.
 * Return: 0, -EMSGSIZE if the text is too long, -EINVAL if it is empty, or begins like a
 *	marker and is none.
 */
int vtr_marker_parse(char *text, size_t len_bytes, struct vtr_marker *ret)
{
	u8 letter;

	/* No text has a NUL as its second character. */
	if (len_bytes > sizeof(struct vitrine_marker_number) && !text[1])
		return parse_binary(text, len_bytes, ret);
	while (len_bytes && (text[len_bytes - 1] == '\n' ||
			     !text[len_bytes - 1]))
		len_bytes--;
	if (len_bytes > VTR_MARKER_MAX_BYTES)
		return -EMSGSIZE;
	if (!len_bytes || !*text)
		return -EINVAL;
	text[len_bytes] = '\0';
	ret->number = 0;
	if (text[1] == SEPARATOR) {
		letter = letters[(u8)*text];
		if (letter == NOT_A_LETTER)
			return -EINVAL;
		ret->type = letter - LETTER(0);
		return parse_fields(text + 2, text + len_bytes, ret);
	}
	ret->type = FXT_EVENT_INSTANT;
	if (len_bytes == 1 && *text == 'E') {
		ret->type = FXT_EVENT_DURATION_END;
		len_bytes = 0;
		text++;
	}
	ret->len_bytes = len_bytes;
	ret->name = text;
	return 0;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/marker_text_kunit.c"
#endif
