// SPDX-License-Identifier: GPL-2.0
/*
 * Growing strings. A string without memory stays as it is, and remembers the failure.
 */
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "text.h"

/**
 * text_add() - append bytes
 * @text: text
 * @bytes: bytes
 * @len: length of @bytes in bytes
 */
void text_add(struct text *text, const char *bytes, size_t len)
{
	if (!GROW_BYTES(text->bytes, text->size, text->len + len + 1)) {
		text->failed = true;
		return;
	}
	memcpy(text->bytes + text->len, bytes, len);
	text->len += len;
	text->bytes[text->len] = '\0';
}

/**
 * text_add_string() - append a string
 * @text: text
 * @string: string
 */
void text_add_string(struct text *text, const char *string)
{
	text_add(text, string, strlen(string));
}

/**
 * text_cut() - truncate a text
 * @text: text
 * @len: new length
 */
void text_cut(struct text *text, size_t len)
{
	if (len < text->len) {
		text->len = len;
		text->bytes[len] = '\0';
	}
}

/**
 * text_destroy() - free and empty a text
 * @text: text
 */
void text_destroy(struct text *text)
{
	free(text->bytes);
	*text = (struct text){ 0 };
}
