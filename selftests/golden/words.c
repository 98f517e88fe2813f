// SPDX-License-Identifier: GPL-2.0
/*
 * Assemble a golden file from a description of its 64-bit words.
 *
 *	words FILE.words > FILE
 *
 * A line describes one little-endian word, field by field, with the bit numbers of the
 * format's specification, independently of the headers with which the reader under test is
 * built. '#' begins a comment.
 *
 *	0..3=1 8..15=2 32..63="INSP"	fields; other bits are 0; a text fills
 *					its field from the lowest byte on
 *	5=1				a field of one bit
 *	42, -1, 0xff			all bits of the word
 *	f64=0.1				all bits of the word, as a double
 *	"some text"			as many words as necessary, zero-filled;
 *					\xHH in it is a byte
 *	zero 4				four words of 0
 *	@12  or  @12+1			continue at index 12 (byte 192), word 1
 *	use NAME			the words of NAME.words in the same
 *					directory; later lines change them
 *	length 512			length of the file, if it is not the end
 *					of the last word
 *	check: ..., show: ...		expectations of the test; ignored here
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES	(1U << 20)

static uint8_t image[MAX_BYTES];
static size_t at;		/* position of the next word */
static size_t end;		/* end of the words so far */
static size_t length;		/* argument of "length", or 0 */

static const char *file;
static int line;

static void fail(const char *what)
{
	fprintf(stderr, "words: %s:%d: %s\n", file, line, what);
	exit(1);
}

static void put_word(uint64_t word)
{
	int i;

	if (at + 8 > MAX_BYTES)
		fail("beyond the largest file");
	for (i = 0; i < 8; i++)
		image[at++] = word >> 8 * i;
	if (at > end)
		end = at;
}

static int hex_digit(char c)
{
	if (!isxdigit((unsigned char)c))
		fail("bad \\x");
	return isdigit((unsigned char)c) ? c - '0' : tolower(c) - 'a' + 10;
}

/* Parse the text that starts at *s, a quote; return its length. */
static size_t take_text(char **s, uint8_t *bytes, size_t room)
{
	size_t len = 0;
	char *p = *s + 1;

	for (; *p && *p != '"'; p++) {
		if (len == room)
			fail("text too long");
		if (*p != '\\') {
			bytes[len++] = *p;
		} else if (*++p == 'x') {
			bytes[len++] = hex_digit(p[1]) << 4 | hex_digit(p[2]);
			p += 2;
		} else {
			bytes[len++] = *p;
		}
	}
	if (*p != '"')
		fail("text without end");
	*s = p + 1;
	return len;
}

static uint64_t take_number(char **s)
{
	uint64_t number;

	errno = 0;
	number = **s == '-' ? (uint64_t)strtoll(*s, s, 0) : strtoull(*s, s, 0);
	if (errno || (**s && !isspace((unsigned char)**s) && **s != '.' &&
		      **s != '=' && **s != '+'))
		fail("bad number");
	return number;
}

static uint64_t take_value(char **s, unsigned int bits)
{
	uint8_t bytes[8] = { 0 };
	uint64_t value = 0;
	int i;

	if (**s == '"') {
		take_text(s, bytes, bits / 8);
		for (i = 0; i < 8; i++)
			value |= (uint64_t)bytes[i] << 8 * i;
		return value;
	}
	value = take_number(s);
	if (bits < 64 && value >> bits)
		fail("value does not fit its field");
	return value;
}

/* Parse "8..15=2", "5=1", or a value for all bits. */
static uint64_t take_field(char **s)
{
	char *start = *s;
	uint64_t low, high;

	low = take_number(s);
	high = low;
	if (!strncmp(*s, "..", 2)) {
		*s += 2;
		high = take_number(s);
	} else if (**s != '=') {
		*s = start;
		return take_value(s, 64);
	}
	if (*(*s)++ != '=' || low > high || high > 63)
		fail("bad field");
	return take_value(s, high - low + 1) << low;
}

static void put_fields(char *s)
{
	uint64_t word = 0;

	while (*s) {
		word |= take_field(&s);
		while (isspace((unsigned char)*s))
			s++;
	}
	put_word(word);
}

static void put_text(char *s)
{
	uint8_t bytes[4096] = { 0 };
	size_t i, len = take_text(&s, bytes, sizeof(bytes));
	uint64_t word;

	for (i = 0; i < len; i += 8) {
		memcpy(&word, bytes + i, sizeof(word));
		put_word(word);
	}
}

static void put_double(const char *s)
{
	double number = strtod(s, NULL);
	uint64_t word;

	memcpy(&word, &number, sizeof(word));
	put_word(word);
}

static void assemble(const char *path);

static void use(const char *name)
{
	char *copy = strdup(file), *path;
	const char *old_file = file;
	int old_line = line;

	if (!copy || asprintf(&path, "%s/%s.words", dirname(copy), name) < 0)
		fail("out of memory");
	assemble(path);
	free(path);
	free(copy);
	file = old_file;
	line = old_line;
}

/* Remove a comment outside of quotes, and white space around the rest. */
static char *strip(char *s)
{
	bool quoted = false;
	char *p;

	while (isspace((unsigned char)*s))
		s++;
	for (p = s; *p && (quoted || *p != '#'); p++) {
		if (*p == '"')
			quoted = !quoted;
		else if (*p == '\\' && p[1])
			p++;
	}
	while (p > s && isspace((unsigned char)p[-1]))
		p--;
	*p = '\0';
	return s;
}

static void assemble_line(char *s)
{
	unsigned long index, word = 0;
	unsigned long count;

	if (!strncmp(s, "check:", 6) || !strncmp(s, "check!", 6) ||
	    !strncmp(s, "show:", 5) ||
	    !strncmp(s, "summary:", 8))
		return;
	if (!strncmp(s, "use ", 4)) {
		use(s + 4);
	} else if (!strncmp(s, "length ", 7)) {
		length = strtoul(s + 7, NULL, 0);
	} else if (!strncmp(s, "zero ", 5)) {
		for (count = strtoul(s + 5, NULL, 0); count; count--)
			put_word(0);
	} else if (!strncmp(s, "f64=", 4)) {
		put_double(s + 4);
	} else if (*s == '@') {
		s++;
		index = take_number(&s);
		if (*s == '+') {
			s++;
			word = take_number(&s);
		}
		at = 16 * index + 8 * word;
		while (isspace((unsigned char)*s))
			s++;
		if (*s)
			assemble_line(s);
	} else if (*s == '"') {
		put_text(s);
	} else {
		put_fields(s);
	}
}

static void assemble(const char *path)
{
	FILE *stream = fopen(path, "r");
	size_t room = 0;
	char *text = NULL;

	file = path;
	line = 0;
	if (!stream)
		fail(strerror(errno));
	while (getline(&text, &room, stream) >= 0) {
		char *s = strip(text);

		line++;
		if (*s)
			assemble_line(s);
	}
	free(text);
	fclose(stream);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: words FILE.words > FILE\n", stderr);
		return 2;
	}
	assemble(argv[1]);
	if (!length)
		length = end;
	if (length > MAX_BYTES)
		fail("beyond the largest file");
	return fwrite(image, 1, length, stdout) != length || fclose(stdout);
}
