/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text for a stream: doubles in decimal; lines; escapes for SVG and HTML, and the placeholders of
 * HTML pages.
 *
 * A line is a text buffer in front of a stream, fast enough for millions of records. The
 * caller makes room once per line, then puts without checks.
 */
#ifndef _VITRINE_LINE_H
#define _VITRINE_LINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Longest text of a double, NUL included. */
#define DOUBLE_TEXT_BYTES	32

/*
 * Format a double with the fewest digits that read back the same, and with a point
 * or an exponent, so that it does not look like an integer; or "nan", "inf", "-inf".
 */
void double_format(double number, char text[DOUBLE_TEXT_BYTES]);

/* Longest text of an integer of 128 bits, a point and the NUL included. */
#define DECIMAL_TEXT_BYTES	48

/* Format an integer in units of 10 to the minus @digits: 1500000000 with 9 digits is "1.5". */
void decimal_format(__int128 number, unsigned int digits, char text[DECIMAL_TEXT_BYTES]);

/* Bytes that line_room() makes room for, the most that line_put() may put at once. */
#define LINE_ROOM	512

/* Room for any 64-bit number in decimal. */
#define LINE_DIGITS	24

/**
 * struct line_output - a buffer in front of a stream
 * @stream: where the bytes go; ferror() tells of errors
 * @at: position of the next byte
 * @buffer: bytes not yet written
 */
struct line_output {
	FILE *stream;
	char *at;
	char buffer[1U << 16];
};

void line_init(struct line_output *out, FILE *stream);
void line_flush(struct line_output *out);
void line_put_bytes(struct line_output *out, const char *bytes,
		    size_t len_bytes);
void line_put_text(struct line_output *out, const char *bytes,
		   size_t len_bytes);
void line_put_real(struct line_output *out, double value);

/* Make room for LINE_ROOM bytes. */
static inline void line_room(struct line_output *out)
{
	if (out->buffer + sizeof(out->buffer) - out->at < LINE_ROOM)
		line_flush(out);
}

/* Put bytes; the caller has made room. */
static inline void line_put(struct line_output *out, const char *bytes,
			    size_t len_bytes)
{
	memcpy(out->at, bytes, len_bytes);
	out->at += len_bytes;
}

static inline void line_put_string(struct line_output *out, const char *string)
{
	line_put(out, string, strlen(string));
}

static inline void line_put_char(struct line_output *out, char c)
{
	*out->at++ = c;
}

/* Put an array of constant size, which the compiler copies without a call. */
#define line_put_array(out, array, len_bytes) do {		\
	struct line_output *out_ = (out);			\
								\
	memcpy(out_->at, (array), sizeof(array));		\
	out_->at += (len_bytes);				\
} while (0)

/* Put exactly nine digits. */
static inline void line_put_nine(struct line_output *out, uint32_t number)
{
	char *at = out->at + 9;

	while (at > out->at) {
		*--at = '0' + number % 10;
		number /= 10;
	}
	out->at += 9;
}

/* Put at least @width characters, padded with @fill on the left. */
static inline void line_put_number(struct line_output *out, uint64_t number,
				   unsigned int width, char fill)
{
	char digits[64], *end = digits + sizeof(digits), *at = end;

	do {
		*--at = '0' + number % 10;
		number /= 10;
	} while (number);
	while ((unsigned int)(end - at) < width)
		*--at = fill;
	line_put(out, at, end - at);
}

/* The two digits of each number below 100. */
extern const char line_pairs[100][3];

/*
 * Put a number without padding and without a call, two digits at a time; bytes after it are
 * clobbered.
 */
static inline void line_put_uint(struct line_output *out, uint64_t number)
{
	char digits[2 * LINE_DIGITS], *end = digits + LINE_DIGITS, *at = end;

	for (; number >= 10; number /= 100) {
		at -= 2;
		memcpy(at, line_pairs[number % 100], 2);
	}
	if (number || at == end)
		*--at = '0' + number;
	memcpy(out->at, at, LINE_DIGITS);
	out->at += end - at;
}

static inline void line_put_signed(struct line_output *out, int64_t number)
{
	if (number < 0)
		line_put_char(out, '-');
	line_put_uint(out, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void line_put_hex(struct line_output *out, uint64_t number, unsigned int width);

/* Begin a picture. */
void svg_begin(FILE *stream, int width, int height);
/* Write printable text as the content of an element, with markup escaped. */
void xml_put_text(FILE *stream, const char *text);
/* Write a page up to a placeholder, and return the rest of the page after it. */
const char *xml_put_until(FILE *stream, const char *page, const char *placeholder);

#endif /* _VITRINE_LINE_H */
