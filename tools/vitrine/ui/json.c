// SPDX-License-Identifier: GPL-2.0
/*
 * Write JSON into the buffer of the output without intermediate copies: a trace has
 * millions of records with a dozen members each. Nothing is allocated, so only the
 * stream can fail.
 */
#include <math.h>

#include "base.h"
#include "json.h"
#include "line.h"

/**
 * json_init() - begin to write JSON
 * @json: writer
 * @stream: output stream
 * @pretty: one member per line, indented; else all on one line
 */
void json_init(struct json_writer *json, FILE *stream, bool pretty)
{
	line_init(&json->out, stream);
	json->pretty = pretty;
	json->empty = true;
	json->line = false;
	json->depth = 0;
}

/**
 * json_flush() - write the buffer to the stream
 * @json: writer
 */
void json_flush(struct json_writer *json)
{
	line_flush(&json->out);
}

/**
 * json_newline() - end the line
 * @json: writer
 */
void json_newline(struct json_writer *json)
{
	line_room(&json->out);
	line_put_char(&json->out, '\n');
}

/**
 * json_finish() - end the line and write the buffer to the stream
 * @json: writer
 */
void json_finish(struct json_writer *json)
{
	json_newline(json);
	json_flush(json);
}

/* ---- Texts ------------------------------------------------------------- */

/* Bytes that cannot be copied as they are into a string or a name. */
static const bool is_special[256] = {
	[0 ... ' ' - 1]	= true,
	['"']		= true,
	['\\']		= true,
	[0x80 ... 0xff]	= true,
};

#define EACH_BYTE(c)	(0x0101010101010101ULL * (uint8_t)(c))

/* Return whether any of eight bytes is in is_special[], tested within a word (SWAR). */
static bool any_special(uint64_t eight)
{
	uint64_t quotes = eight ^ EACH_BYTE('"');
	uint64_t backslashes = eight ^ EACH_BYTE('\\');

	return ((eight - EACH_BYTE(' ')) | (quotes - EACH_BYTE(1)) |
		(backslashes - EACH_BYTE(1)) | eight) & EACH_BYTE(0x80);
}

/*
 * Put a text if it is short and plain, as nearly all are; else put nothing. It is
 * copied eight bytes at a time; there is always room to copy too many.
 */
static bool put_plain(struct line_output *out, const char *bytes, size_t len)
{
	uint64_t eight;
	char *at;
	size_t i;

	if (len > LINE_ROOM - 2)
		return false;
	line_room(out);
	at = out->at;
	*at++ = '"';
	for (i = 0; i + sizeof(eight) <= len; i += sizeof(eight)) {
		memcpy(&eight, bytes + i, sizeof(eight));
		if (any_special(eight))
			return false;
		memcpy(at + i, &eight, sizeof(eight));
	}
	for (; i < len; i++) {
		if (is_special[(unsigned char)bytes[i]])
			return false;
		at[i] = bytes[i];
	}
	at[len] = '"';
	out->at = at + len + 1;
	return true;
}

/* Return the length of the first part that needs no escape in a string. */
static size_t unescaped_len(const char *bytes, size_t len)
{
	size_t i = 0;

	while (i < len && (!is_special[(unsigned char)bytes[i]] ||
			   (signed char)bytes[i] < 0))
		i++;
	return i;
}

static void put_escape(struct line_output *out, char c)
{
	static const char letters[' '] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
		['\r'] = 'r',
	};
	char letter = c == '"' || c == '\\' ? c : letters[(int)c], digits[8];

	line_room(out);
	if (letter) {
		line_put_char(out, '\\');
		line_put_char(out, letter);
	} else {
		line_put(out, digits, snprintf(digits, sizeof(digits), "\\u%04x", c));
	}
}

/* Put valid UTF-8. */
static void put_utf8(struct line_output *out, const char *bytes, size_t len)
{
	for (;;) {
		size_t n = unescaped_len(bytes, len);

		line_put_bytes(out, bytes, n);
		if (n == len)
			break;
		put_escape(out, bytes[n++]);
		bytes += n;
		len -= n;
	}
}

static void put_quote(struct line_output *out)
{
	line_room(out);
	line_put_char(out, '"');
}

/**
 * json_bytes() - write bytes as a string
 * @json: writer
 * @bytes: bytes
 * @len: length of @bytes in bytes
 */
void json_bytes(struct json_writer *json, const void *bytes, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct line_output *out = &json->out;
	const uint8_t *at = bytes;
	size_t i;

	line_put_bytes(out, "\"b64:", 5);
	for (i = 0; i < len; i += 3) {
		size_t n = len - i;
		uint32_t bits = at[i] << 16 | (n > 1 ? at[i + 1] << 8 : 0) |
				(n > 2 ? at[i + 2] : 0);

		line_room(out);
		line_put_char(out, digits[bits >> 18]);
		line_put_char(out, digits[bits >> 12 & 63]);
		line_put_char(out, n > 1 ? digits[bits >> 6 & 63] : '=');
		line_put_char(out, n > 2 ? digits[bits & 63] : '=');
	}
	put_quote(out);
}

/**
 * json_text() - write a string that should be UTF-8
 * @json: writer
 * @bytes: text; if it is not UTF-8, it is written as by json_bytes()
 * @len: its length
 */
void json_text(struct json_writer *json, const char *bytes, size_t len)
{
	struct line_output *out = &json->out;

	if (put_plain(out, bytes, len))
		return;
	if (!vtr_utf8_is_text(bytes, len)) {
		json_bytes(json, bytes, len);
		return;
	}
	put_quote(out);
	put_utf8(out, bytes, len);
	put_quote(out);
}

/**
 * json_string() - write text of unknown origin
 * @json: writer
 * @text: text
 */
void json_string(struct json_writer *json, const char *text)
{
	json_text(json, text, strlen(text));
}

/* ---- Names ------------------------------------------------------------- */

/* Write the bytes that need it as \xHH or \\. */
static void put_odd_name(struct line_output *out, const char *name, size_t len)
{
	char escape[8];
	uint32_t c;

	while (len) {
		size_t n = vtr_utf8_decode(name, len, &c);

		if (n && c && c != '\\') {
			put_utf8(out, name, n);
		} else if (n && c) {
			put_utf8(out, "\\\\", 2);
		} else {
			n = 1;
			put_utf8(out, escape,
				 snprintf(escape, sizeof(escape), "\\x%02x",
					  (uint8_t)*name));
		}
		name += n;
		len -= n;
	}
}

/**
 * json_name() - write a name of unknown origin as a string
 * @json: writer
 * @name: bytes of the name
 * @len: length of @name in bytes
 * @ordinal: how many siblings before it have this name
 */
void json_name(struct json_writer *json, const char *name, size_t len,
	       unsigned int ordinal)
{
	struct line_output *out = &json->out;
	char number[16];

	if (!ordinal && put_plain(out, name, len))
		return;
	put_quote(out);
	put_odd_name(out, name, len);
	if (ordinal)
		put_utf8(out, number,
			 snprintf(number, sizeof(number), "\\#%u", ordinal + 1));
	put_quote(out);
}

#define INDENT_BYTES	32	/* written at once */

/* ---- Structure --------------------------------------------------------- */

/**
 * json_indent() - begin a new line if the output is indented
 * @json: writer; between two items of a line, a space is written
 */
void json_indent(struct json_writer *json)
{
	static const char spaces[INDENT_BYTES] = { [0 ... INDENT_BYTES - 1] = ' ' };
	unsigned int nr;

	if (json->line) {
		if (!json->empty)
			line_put_char(&json->out, ' ');
		return;
	}
	line_room(&json->out);
	line_put_char(&json->out, '\n');
	for (nr = 2 * json->depth; nr > INDENT_BYTES; nr -= INDENT_BYTES) {
		line_put(&json->out, spaces, INDENT_BYTES);
		line_room(&json->out);
	}
	line_put_array(&json->out, spaces, nr);
	line_room(&json->out);
}

static void begin(struct json_writer *json, char bracket)
{
	line_room(&json->out);
	line_put_char(&json->out, bracket);
	json->depth++;
	json->empty = true;
}

static void end(struct json_writer *json, char bracket)
{
	json->depth--;
	if (json->pretty && !json->empty && !json->line)
		json_indent(json);
	json->empty = false;
	json->line = false;
	line_room(&json->out);
	line_put_char(&json->out, bracket);
}

/**
 * json_begin() - begin an object
 * @json: writer
 */
void json_begin(struct json_writer *json)
{
	begin(json, '{');
}

/**
 * json_end() - end an object
 * @json: writer
 */
void json_end(struct json_writer *json)
{
	end(json, '}');
}

/**
 * json_begin_list() - begin an array with one item per line
 * @json: writer
 */
void json_begin_list(struct json_writer *json)
{
	begin(json, '[');
}

/**
 * json_begin_line() - begin an array on one line, which holds plain values only
 * @json: writer
 */
void json_begin_line(struct json_writer *json)
{
	begin(json, '[');
	json->line = true;
}

/**
 * json_end_list() - end an array
 * @json: writer
 */
void json_end_list(struct json_writer *json)
{
	end(json, ']');
}

/**
 * json_member() - write the name of a member; its value comes next
 * @json: writer
 * @name: bytes of a name of unknown origin
 * @len: length of @name in bytes
 * @ordinal: how many members before it have this name
 */
void json_member(struct json_writer *json, const char *name, size_t len,
		 unsigned int ordinal)
{
	json_item(json);
	json_name(json, name, len, ordinal);
	line_room(&json->out);
	line_put_char(&json->out, ':');
	if (json->pretty)
		line_put_char(&json->out, ' ');
}

/* ---- Other values ------------------------------------------------------ */

/**
 * json_number() - write a number given in decimal
 * @json: writer
 * @text: number in JSON syntax, with any number of digits
 */
void json_number(struct json_writer *json, const char *text)
{
	line_put_bytes(&json->out, text, strlen(text));
}

/**
 * json_uint() - write an unsigned integer
 * @json: writer
 * @number: number
 */
void json_uint(struct json_writer *json, uint64_t number)
{
	line_room(&json->out);
	line_put_uint(&json->out, number);
}

/**
 * json_int() - write a signed integer
 * @json: writer
 * @number: number
 */
void json_int(struct json_writer *json, int64_t number)
{
	line_room(&json->out);
	line_put_signed(&json->out, number);
}

/**
 * json_real() - write a double
 * @json: writer
 * @number: number; infinities and NaN, which JSON lacks, are written as strings
 */
void json_real(struct json_writer *json, double number)
{
	char text[DOUBLE_TEXT_BYTES];

	if (isnan(number)) {
		json_number(json, "\"NaN\"");
	} else if (isinf(number)) {
		json_number(json, number > 0 ? "\"Infinity\"" : "\"-Infinity\"");
	} else {
		double_format(number, text);
		json_number(json, text);
	}
}

/**
 * json_boolean() - write true or false
 * @json: writer
 * @value: value
 */
void json_boolean(struct json_writer *json, bool value)
{
	json_number(json, value ? "true" : "false");
}

/**
 * json_null() - write null
 * @json: writer
 */
void json_null(struct json_writer *json)
{
	json_number(json, "null");
}
