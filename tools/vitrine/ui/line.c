// SPDX-License-Identifier: GPL-2.0
/*
 * A text buffer in front of a stream, fast enough for millions of records.
 */
#include "character.h"
#include "line.h"
#include "utf8.h"

/**
 * line_init() - begin with an empty buffer
 * @out: output
 * @stream: output stream
 */
void line_init(struct line_output *out, FILE *stream)
{
	out->stream = stream;
	out->at = out->buffer;
}

/**
 * line_flush() - write the buffer to the stream and empty it
 * @out: output
 *
 * After an error of the stream, the bytes are discarded.
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
 * @len_bytes: length of @bytes in bytes
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
 * @number: number
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
 * @value: number
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

/* Put one character, escaped if it is not printable; return its length. */
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
	len = vtr_utf8_decode(bytes, len_bytes, &character);
	if (len && character_is_printable(character)) {
		line_put(out, bytes, len);
		return len;
	}
	put_escaped(out, *bytes);
	return 1;
}

/**
 * line_put_text() - put text of unknown origin
 * @out: output; room is made
 * @bytes: text
 * @len_bytes: its length
 *
 * Characters that a terminal may interpret, among them bidirectional and other
 * format characters, are escaped as "\xNN".
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
