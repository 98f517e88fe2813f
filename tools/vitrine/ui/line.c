// SPDX-License-Identifier: GPL-2.0
/*
 * Text for a stream: a buffer in front of it that is fast enough for millions of records, doubles
 * in decimal, and the characters that SVG and HTML reserve.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base.h"
#include "escape.h"
#include "line.h"

const char line_pairs[100][3] = {
	"00", "01", "02", "03", "04", "05", "06", "07", "08", "09",
	"10", "11", "12", "13", "14", "15", "16", "17", "18", "19",
	"20", "21", "22", "23", "24", "25", "26", "27", "28", "29",
	"30", "31", "32", "33", "34", "35", "36", "37", "38", "39",
	"40", "41", "42", "43", "44", "45", "46", "47", "48", "49",
	"50", "51", "52", "53", "54", "55", "56", "57", "58", "59",
	"60", "61", "62", "63", "64", "65", "66", "67", "68", "69",
	"70", "71", "72", "73", "74", "75", "76", "77", "78", "79",
	"80", "81", "82", "83", "84", "85", "86", "87", "88", "89",
	"90", "91", "92", "93", "94", "95", "96", "97", "98", "99",
};

/* ---- Numbers ----------------------------------------------------------- */

/**
 * double_format() - format a double with the fewest digits that read back the same
 * @number: double
 * @text: receives the text
 */
void double_format(double number, char text[DOUBLE_TEXT_BYTES])
{
	/* 15 digits survive a double; "%g" drops trailing zeros. */
	int digits = DBL_DIG;

	if (isnan(number)) {
		/* The sign of a NaN means nothing. */
		snprintf(text, DOUBLE_TEXT_BYTES, "nan");
		return;
	}
	/* Subnormal doubles have fewer significant digits. */
	if (fabs(number) < DBL_MIN)
		digits = 1;
	do {
		snprintf(text, DOUBLE_TEXT_BYTES, "%.*g", digits, number);
	} while (strtod(text, NULL) != number && ++digits <= DBL_DECIMAL_DIG);
	if (isfinite(number) && !strpbrk(text, ".e"))
		strcat(text, ".0");
}

/**
 * decimal_format() - format an integer in units of a power of ten, without loss
 * @number: integer
 * @digits: number of digits behind the point; zeros at the end are left out
 * @text: receives the text
 */
void decimal_format(__int128 number, unsigned int digits, char text[DECIMAL_TEXT_BYTES])
{
	char reversed[DECIMAL_TEXT_BYTES], *at = reversed;
	bool negative = number < 0, fraction = false;

	if (negative)
		number = -number;
	for (; digits; digits--, number /= 10) {
		fraction |= number % 10;
		if (fraction)
			*at++ = '0' + number % 10;
	}
	if (fraction)
		*at++ = '.';
	do {
		*at++ = '0' + number % 10;
		number /= 10;
	} while (number);
	if (negative)
		*at++ = '-';
	while (at > reversed)
		*text++ = *--at;
	*text = '\0';
}

/* ---- Lines ------------------------------------------------------------- */

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

/* Put one character, escaped if it is not printable; return its length. */
static size_t put_character(struct line_output *out, const char *bytes,
			    size_t len_bytes)
{
	char digits[8];
	size_t len;

	if (*bytes == '\\' || *bytes == '"') {
		line_put_char(out, '\\');
		line_put_char(out, *bytes);
		return 1;
	}
	len = printable_len(bytes, len_bytes);
	if (len) {
		line_put(out, bytes, len);
		return len;
	}
	line_put(out, digits, snprintf(digits, sizeof(digits), "\\x%02x", (uint8_t)*bytes));
	return 1;
}

static const bool is_plain[UINT8_MAX + 1] = {
	[' ' ... '!'] = true, ['#' ... '['] = true, [']' ... '~'] = true,
};

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
	const char *end = bytes + len_bytes, *stop;
	char *at;

	while (bytes < end) {
		line_room(out);
		stop = end - bytes < LINE_ROOM ? end : bytes + LINE_ROOM;
		for (at = out->at; bytes < stop && is_plain[(uint8_t)*bytes]; bytes++)
			*at++ = *bytes;
		out->at = at;
		line_room(out);
		if (bytes < stop)
			bytes += put_character(out, bytes, end - bytes);
	}
	line_room(out);
}

/* ---- SVG and HTML ------------------------------------------------------ */

/**
 * svg_begin() - begin a picture
 * @stream: output stream
 * @width: width of the picture
 * @height: its height
 */
void svg_begin(FILE *stream, int width, int height)
{
	fprintf(stream,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ",
		width, height, width, height);
	fputs("font-family=\"sans-serif\" font-size=\"12\">\n", stream);
}

/**
 * xml_put_text() - write a text as the content of an element, with markup escaped
 * @stream: output stream
 * @text: printable text
 */
void xml_put_text(FILE *stream, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", stream);
			break;
		case '>':
			fputs("&gt;", stream);
			break;
		case '&':
			fputs("&amp;", stream);
			break;
		default:
			putc(*text, stream);
			break;
		}
	}
}

/**
 * xml_put_until() - write a page up to a placeholder
 * @stream: output stream
 * @page: the page, or the rest of it
 * @placeholder: the placeholder, which @page must contain
 *
 * Return: rest of the page, after the placeholder.
 */
const char *xml_put_until(FILE *stream, const char *page, const char *placeholder)
{
	const char *end = strstr(page, placeholder);

	fwrite(page, 1, end - page, stream);
	return end + strlen(placeholder);
}
