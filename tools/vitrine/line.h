/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text for millions of records: composed in one buffer, passed on to a stream
 * when it is full.
 */
#ifndef _VITRINE_LINE_H
#define _VITRINE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What line_put() may take at once, and line_room() promises. */
#define LINE_ROOM	512

/* Room for any number of 64 bits in decimal. */
#define LINE_DIGITS	24

/**
 * struct line_output - a buffer in front of a stream
 * @stream: where the bytes go; ferror() tells whether they arrived
 * @at: where the next byte goes
 * @buffer: bytes not yet passed on
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

/* The caller has made room. */
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

/* As line_put(), of a buffer of a size the compiler knows: no call. */
#define line_put_array(out, array, len_bytes) do {		\
	struct line_output *out_ = (out);			\
								\
	memcpy(out_->at, (array), sizeof(array));		\
	out_->at += (len_bytes);				\
} while (0)

/* Exactly nine digits. */
static inline void line_put_nine(struct line_output *out, uint32_t number)
{
	char *at = out->at + 9;

	while (at > out->at) {
		*--at = '0' + number % 10;
		number /= 10;
	}
	out->at += 9;
}

/* At least @width characters, filled up with @fill on the left. */
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

/* The same with no width, and no call: behind the digits, any bytes are put, too. */
static inline void line_put_uint(struct line_output *out, uint64_t number)
{
	char digits[2 * LINE_DIGITS], *end = digits + LINE_DIGITS, *at = end;

	do {
		*--at = '0' + number % 10;
		number /= 10;
	} while (number);
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

#endif /* _VITRINE_LINE_H */
