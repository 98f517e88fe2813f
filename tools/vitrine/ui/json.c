// SPDX-License-Identifier: GPL-2.0
/*
 * Write JSON into the buffer of standard output without intermediate copies: a trace has
 * millions of records with a dozen members each. Nothing is allocated, so only the
 * stream can fail. A command writes one text at a time.
 */
#include <math.h>

#include "base.h"
#include "json.h"
#include "line.h"

struct line_output json_line;
bool json_is_pretty, json_is_empty;

/* The innermost array stays on one line. */
static bool is_on_line;

/* Number of open objects and arrays. */
static unsigned int depth;

/**
 * json_init() - begin to write JSON to standard output
 * @pretty: one member per line, indented; else all on one line
 */
void json_init(bool pretty)
{
	line_init(&json_line, stdout);
	json_is_pretty = pretty;
	json_is_empty = true;
	is_on_line = false;
	depth = 0;
}

/**
 * json_flush() - write the buffer to the stream
 */
void json_flush(void)
{
	line_flush(&json_line);
}

/**
 * json_newline() - end the line
 */
void json_newline(void)
{
	line_room(&json_line);
	line_put_char(&json_line, '\n');
}

/**
 * json_finish() - end the line and write the buffer to the stream
 */
void json_finish(void)
{
	json_newline();
	json_flush();
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
static bool put_plain(const char *bytes, size_t len)
{
	uint64_t eight;
	char *at;
	size_t i;

	if (len > LINE_ROOM - 2)
		return false;
	line_room(&json_line);
	at = json_line.at;
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
	json_line.at = at + len + 1;
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

static void put_escape(char c)
{
	static const char letters[' '] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
		['\r'] = 'r',
	};
	char letter = c == '"' || c == '\\' ? c : letters[(int)c], digits[8];

	line_room(&json_line);
	if (letter) {
		line_put_char(&json_line, '\\');
		line_put_char(&json_line, letter);
	} else {
		line_put(&json_line, digits, snprintf(digits, sizeof(digits), "\\u%04x", c));
	}
}

/* Put valid UTF-8. */
static void put_utf8(const char *bytes, size_t len)
{
	for (;;) {
		size_t n = unescaped_len(bytes, len);

		line_put_bytes(&json_line, bytes, n);
		if (n == len)
			break;
		put_escape(bytes[n++]);
		bytes += n;
		len -= n;
	}
}

static void put_quote(void)
{
	line_room(&json_line);
	line_put_char(&json_line, '"');
}

/**
 * json_bytes() - write bytes as a string
 * @bytes: bytes
 * @len: length of @bytes in bytes
 */
void json_bytes(const void *bytes, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *at = bytes;
	size_t i;

	line_put_bytes(&json_line, "\"b64:", 5);
	for (i = 0; i < len; i += 3) {
		size_t n = len - i;
		uint32_t bits = at[i] << 16 | (n > 1 ? at[i + 1] << 8 : 0) |
				(n > 2 ? at[i + 2] : 0);

		line_room(&json_line);
		line_put_char(&json_line, digits[bits >> 18]);
		line_put_char(&json_line, digits[bits >> 12 & 63]);
		line_put_char(&json_line, n > 1 ? digits[bits >> 6 & 63] : '=');
		line_put_char(&json_line, n > 2 ? digits[bits & 63] : '=');
	}
	put_quote();
}

/**
 * json_text() - write a string that should be UTF-8
 * @bytes: text; if it is not UTF-8, it is written as by json_bytes()
 * @len: its length
 */
void json_text(const char *bytes, size_t len)
{
	if (put_plain(bytes, len))
		return;
	if (!vtr_utf8_is_text(bytes, len)) {
		json_bytes(bytes, len);
		return;
	}
	put_quote();
	put_utf8(bytes, len);
	put_quote();
}

/**
 * json_string() - write text of unknown origin
 * @text: text
 */
void json_string(const char *text)
{
	json_text(text, strlen(text));
}

/* ---- Names ------------------------------------------------------------- */

/* Write the bytes that need it as \xHH or \\. */
static void put_odd_name(const char *name, size_t len)
{
	char escape[8];
	uint32_t c;

	while (len) {
		size_t n = vtr_utf8_decode(name, len, &c);

		if (n && c && c != '\\') {
			put_utf8(name, n);
		} else if (n && c) {
			put_utf8("\\\\", 2);
		} else {
			n = 1;
			put_utf8(escape,
				 snprintf(escape, sizeof(escape), "\\x%02x",
					  (uint8_t)*name));
		}
		name += n;
		len -= n;
	}
}

/**
 * json_name() - write a name of unknown origin as a string
 * @name: bytes of the name
 * @len: length of @name in bytes
 * @ordinal: how many siblings before it have this name
 */
void json_name(const char *name, size_t len, unsigned int ordinal)
{
	char number[16];

	if (!ordinal && put_plain(name, len))
		return;
	put_quote();
	put_odd_name(name, len);
	if (ordinal)
		put_utf8(number,
			 snprintf(number, sizeof(number), "\\#%u", ordinal + 1));
	put_quote();
}

#define INDENT_BYTES	32	/* written at once */

/* ---- Structure --------------------------------------------------------- */

/**
 * json_indent() - begin a new line if the output is indented
 */
void json_indent(void)
{
	static const char spaces[INDENT_BYTES] = { [0 ... INDENT_BYTES - 1] = ' ' };
	unsigned int nr;

	if (is_on_line) {
		if (!json_is_empty)
			line_put_char(&json_line, ' ');
		return;
	}
	line_room(&json_line);
	line_put_char(&json_line, '\n');
	for (nr = 2 * depth; nr > INDENT_BYTES; nr -= INDENT_BYTES) {
		line_put(&json_line, spaces, INDENT_BYTES);
		line_room(&json_line);
	}
	line_put_array(&json_line, spaces, nr);
	line_room(&json_line);
}

static void begin(char bracket)
{
	line_room(&json_line);
	line_put_char(&json_line, bracket);
	depth++;
	json_is_empty = true;
}

static void end(char bracket)
{
	depth--;
	if (json_is_pretty && !json_is_empty && !is_on_line)
		json_indent();
	json_is_empty = false;
	is_on_line = false;
	line_room(&json_line);
	line_put_char(&json_line, bracket);
}

/**
 * json_begin() - begin an object
 */
void json_begin(void)
{
	begin('{');
}

/**
 * json_end() - end an object
 */
void json_end(void)
{
	end('}');
}

/**
 * json_begin_list() - begin an array with one item per line
 */
void json_begin_list(void)
{
	begin('[');
}

/**
 * json_begin_line() - begin an array on one line, which holds plain values only
 */
void json_begin_line(void)
{
	begin('[');
	is_on_line = true;
}

/**
 * json_end_list() - end an array
 */
void json_end_list(void)
{
	end(']');
}

/**
 * json_member() - write the name of a member; its value comes next
 * @name: bytes of a name of unknown origin
 * @len: length of @name in bytes
 * @ordinal: how many members before it have this name
 */
void json_member(const char *name, size_t len, unsigned int ordinal)
{
	json_item();
	json_name(name, len, ordinal);
	line_room(&json_line);
	line_put_char(&json_line, ':');
	if (json_is_pretty)
		line_put_char(&json_line, ' ');
}

/* ---- Other values ------------------------------------------------------ */

/**
 * json_number() - write a number given in decimal
 * @text: number in JSON syntax, with any number of digits
 */
void json_number(const char *text)
{
	line_put_bytes(&json_line, text, strlen(text));
}

/**
 * json_uint() - write an unsigned integer
 * @number: number
 */
void json_uint(uint64_t number)
{
	line_room(&json_line);
	line_put_uint(&json_line, number);
}

/**
 * json_int() - write a signed integer
 * @number: number
 */
void json_int(int64_t number)
{
	line_room(&json_line);
	line_put_signed(&json_line, number);
}

/**
 * json_real() - write a double
 * @number: number; infinities and NaN, which JSON lacks, are written as strings
 */
void json_real(double number)
{
	char text[DOUBLE_TEXT_BYTES];

	if (isnan(number)) {
		json_number("\"NaN\"");
	} else if (isinf(number)) {
		json_number(number > 0 ? "\"Infinity\"" : "\"-Infinity\"");
	} else {
		double_format(number, text);
		json_number(text);
	}
}

/**
 * json_boolean() - write true or false
 * @value: value
 */
void json_boolean(bool value)
{
	json_number(value ? "true" : "false");
}

/**
 * json_null() - write null
 */
void json_null(void)
{
	json_number("null");
}
