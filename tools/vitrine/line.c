// SPDX-License-Identifier: GPL-2.0
/*
 * Text for millions of records.
 */
#include "line.h"
#include "utf8.h"

/**
 * line_init() - begin with an empty buffer
 * @out: output
 * @stream: where the bytes go
 */
void line_init(struct line_output *out, FILE *stream)
{
	out->stream = stream;
	out->at = out->buffer;
}

/**
 * line_flush() - pass on to the stream what is in the buffer
 * @out: output; afterwards empty
 *
 * After an error of the stream everything is discarded.
 */
void line_flush(struct line_output *out)
{
	if (!ferror(out->stream))
		fwrite(out->buffer, 1, out->at - out->buffer, out->stream);
	out->at = out->buffer;
}

/**
 * line_put_bytes() - put bytes as they are
 * @out: output; room is made
 * @bytes: bytes
 * @len_bytes: how many
 */
void line_put_bytes(struct line_output *out, const char *bytes,
		    size_t len_bytes)
{
	for (; len_bytes > LINE_ROOM; len_bytes -= LINE_ROOM) {
		line_room(out);
		line_put(out, bytes, LINE_ROOM);
		bytes += LINE_ROOM;
	}
	line_room(out);
	line_put(out, bytes, len_bytes);
}

/**
 * line_put_hex() - put a number in hexadecimal, with 0x
 * @out: output with room
 * @number: what
 * @width: least number of digits
 */
void line_put_hex(struct line_output *out, uint64_t number, unsigned int width)
{
	char digits[24];

	line_put(out, digits, snprintf(digits, sizeof(digits), "0x%0*llx",
				       (int)width, (unsigned long long)number));
}

/**
 * line_put_real() - put a floating-point number
 * @out: output with room
 * @value: what
 */
void line_put_real(struct line_output *out, double value)
{
	char digits[32];

	line_put(out, digits, snprintf(digits, sizeof(digits), "%.17g", value));
}

static void put_escaped(struct line_output *out, unsigned char byte)
{
	static const char hex[] = "0123456789abcdef";

	line_put(out, "\\x", 2);
	line_put_char(out, hex[byte >> 4]);
	line_put_char(out, hex[byte & 15]);
}

/* Put one character; its length. What is not to be printed is escaped. */
static size_t put_character(struct line_output *out, const char *bytes,
			    size_t len_bytes)
{
	uint32_t character = 0;
	size_t len;

	if (*bytes == '\\' || *bytes == '"') {
		line_put_char(out, '\\');
		line_put_char(out, *bytes);
		return 1;
	}
	len = utf8_decode((const uint8_t *)bytes, len_bytes, &character);
	if (len && utf8_is_printable(character)) {
		line_put(out, bytes, len);
		return len;
	}
	put_escaped(out, *bytes);
	return 1;
}

/**
 * line_put_text() - put a string that may hold anything
 * @out: output; room is made
 * @bytes: the string
 * @len_bytes: its length
 *
 * Bytes that a terminal might obey, those of bidirectional and other format
 * characters too, come out as "\xNN".
 */
void line_put_text(struct line_output *out, const char *bytes,
		   size_t len_bytes)
{
	size_t i = 0;

	while (i < len_bytes) {
		line_room(out);
		if (bytes[i] >= ' ' && bytes[i] < 0x7f && bytes[i] != '\\' &&
		    bytes[i] != '"')
			line_put_char(out, bytes[i++]);
		else
			i += put_character(out, bytes + i, len_bytes - i);
	}
	line_room(out);
}
