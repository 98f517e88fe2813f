// SPDX-License-Identifier: GPL-2.0
/*
 * Trees as an indented outline, for people: a node's properties first, aligned,
 * then the nodes below it. Whatever a terminal could take for a command is
 * escaped: names and strings come from anywhere.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <vitrine/inspect.h>

#include "double.h"
#include "outline.h"
#include "terminal.h"
#include "utf8.h"

#define INDENT		2
#define MAX_ALIGN	40	/* a longer name does not push the others */
#define MAX_BYTES	32	/* of a byte vector, in hexadecimal */

/* ---- Text of unknown origin -------------------------------------------- */

/* C0 and C1 controls, and what changes the direction of writing. */
static bool is_printable(uint32_t c)
{
	return c >= 0x20 && !(c >= 0x7f && c < 0xa0) &&
	       !(c >= 0x200e && c <= 0x200f) && !(c >= 0x2028 && c <= 0x202e) &&
	       !(c >= 0x2066 && c <= 0x2069) && c != 0xfeff;
}

static const char *short_escape(uint32_t c)
{
	switch (c) {
	case '\n':
		return "\\n";
	case '\t':
		return "\\t";
	case '\r':
		return "\\r";
	case '\\':
		return "\\\\";
	default:
		return NULL;
	}
}

/*
 * Print text, escaped, @quote escaped as well; to nowhere if @stream is NULL.
 * Return the columns it takes, as far as characters are columns.
 */
static size_t print_text(FILE *stream, const char *text, size_t len, char quote)
{
	const uint8_t *bytes = (const uint8_t *)text;
	size_t columns = 0;

	while (len) {
		uint32_t c = 0;
		size_t n = utf8_decode(bytes, len, &c);
		const char *escape = n ? short_escape(c) : NULL;
		char other[16];

		if (!n)
			snprintf(other, sizeof(other), "\\x%02x", *bytes);
		else if (quote && c == (unsigned char)quote)
			snprintf(other, sizeof(other), "\\%c", quote);
		else if (!is_printable(c))
			snprintf(other, sizeof(other),
				 c < 0x80 ? "\\x%02x" : "\\u%04x", c);
		else
			other[0] = '\0';
		if (!escape && other[0])
			escape = other;

		columns += escape ? strlen(escape) : 1;
		if (stream && escape)
			fputs(escape, stream);
		else if (stream)
			fwrite(bytes, 1, n, stream);
		bytes += n ? n : 1;
		len -= n ? n : 1;
	}
	return columns;
}

static void print_string(const char *text, size_t len)
{
	term_begin(INK_STRING);
	putchar('"');
	print_text(stdout, text, len, '"');
	putchar('"');
	term_end();
}

static void print_bytes(const uint8_t *bytes, size_t len)
{
	size_t i;

	term_begin(INK_OTHER);
	printf("%zu bytes:", len);
	for (i = 0; i < len && i < MAX_BYTES; i++)
		printf(" %02x", bytes[i]);
	if (len > MAX_BYTES)
		fputs(" ...", stdout);
	term_end();
}

/* ---- Numbers ----------------------------------------------------------- */

static void print_double(double number)
{
	char text[DOUBLE_TEXT_BYTES];

	double_format(number, text);
	fputs(text, stdout);
}

/* A number, or an array's element, in no colour of its own. */
static void print_element(const struct vitrine_value *value, unsigned int i)
{
	const char *text;
	size_t len;

	switch (vitrine_value_array(value).type) {
	case VITRINE_INT:
		printf("%" PRId64, vitrine_value_array_int(value, i));
		break;
	case VITRINE_UINT:
		printf("%" PRIu64, vitrine_value_array_uint(value, i));
		break;
	case VITRINE_DOUBLE:
		print_double(vitrine_value_array_double(value, i));
		break;
	default:
		text = vitrine_value_array_string(value, i, &len);
		print_string(text, len);
		break;
	}
}

static void print_flat_array(const struct vitrine_value *value)
{
	unsigned int i, count = vitrine_value_array(value).count;

	putchar('[');
	for (i = 0; i < count; i++) {
		if (i)
			fputs(", ", stdout);
		print_element(value, i);
	}
	putchar(']');
}

/* ---- Histograms -------------------------------------------------------- */

static bool element_is_zero(const struct vitrine_value *value, unsigned int i)
{
	switch (vitrine_value_array(value).type) {
	case VITRINE_INT:
		return !vitrine_value_array_int(value, i);
	case VITRINE_UINT:
		return !vitrine_value_array_uint(value, i);
	default:
		return vitrine_value_array_double(value, i) == 0;
	}
}

/*
 * Print the lower bound of bucket @bucket: floor + step * bucket, or floor for
 * the first and floor + initial_step * step_multiplier^(bucket - 1) for others.
 * Integers wrap in silence: the parameters are the writer's.
 */
static void print_bound(const struct vitrine_value *value, unsigned int bucket)
{
	struct vitrine_array array = vitrine_value_array(value);
	bool linear = array.format == INSPECT_ARRAY_LINEAR_HISTOGRAM;
	unsigned int i;

	if (array.type == VITRINE_DOUBLE) {
		double step = vitrine_value_array_double(value, 1);

		if (linear)
			step *= bucket;
		else if (!bucket)
			step = 0;
		else
			step *= pow(vitrine_value_array_double(value, 2),
				    bucket - 1);
		print_double(vitrine_value_array_double(value, 0) + step);
	} else {
		bool is_signed = array.type == VITRINE_INT;
		uint64_t parameter[3], step;

		for (i = 0; i < 3; i++)
			parameter[i] = is_signed ?
				(uint64_t)vitrine_value_array_int(value, i) :
				vitrine_value_array_uint(value, i);
		step = parameter[1] * (linear ? bucket : !!bucket);
		for (i = 1; !linear && i < bucket; i++)
			step *= parameter[2];
		if (is_signed)
			printf("%" PRId64, (int64_t)(parameter[0] + step));
		else
			printf("%" PRIu64, parameter[0] + step);
	}
}

/* Buckets that are not empty: "[10, 20): 3"; the ends are open. */
static void print_histogram(const struct vitrine_value *value)
{
	struct vitrine_array array = vitrine_value_array(value);
	bool linear = array.format == INSPECT_ARRAY_LINEAR_HISTOGRAM;
	unsigned int i, first = linear ? 2 : 3;
	bool empty = true;

	fputs(linear ? "linear histogram" : "exponential histogram", stdout);
	for (i = first; i < array.count; i++) {
		if (element_is_zero(value, i))
			continue;
		fputs(empty ? ": " : ", ", stdout);
		empty = false;
		fputs(i == first ? "(-inf" : "[", stdout);
		if (i > first)
			print_bound(value, i - first - 1);
		fputs(", ", stdout);
		if (i < array.count - 1)
			print_bound(value, i - first);
		else
			fputs("+inf", stdout);
		fputs("): ", stdout);
		print_element(value, i);
	}
	if (empty)
		fputs(", empty", stdout);
}

/* ---- Values ------------------------------------------------------------ */

static void print_link(const struct vitrine_value *value)
{
	const struct vitrine_error *err = vitrine_value_link_error(value);
	const char *text;
	size_t len;

	text = vitrine_value_bytes(value, &len);
	fputs("-> ", stdout);
	print_text(stdout, text, len, 0);
	if (vitrine_value_disposition(value) == INSPECT_LINK_INLINE)
		fputs(" (inline)", stdout);
	if (err)
		printf(": %s", err->message);
}

static void print_plain_value(const struct vitrine_value *value)
{
	switch (vitrine_value_type(value)) {
	case VITRINE_INT:
		printf("%" PRId64, vitrine_value_int(value));
		break;
	case VITRINE_UINT:
		printf("%" PRIu64, vitrine_value_uint(value));
		break;
	case VITRINE_DOUBLE:
		print_double(vitrine_value_double(value));
		break;
	case VITRINE_BOOL:
		fputs(vitrine_value_bool(value) ? "true" : "false", stdout);
		break;
	case VITRINE_LINK:
		print_link(value);
		break;
	case VITRINE_ARRAY:
		if (vitrine_value_array(value).format == INSPECT_ARRAY_FLAT)
			print_flat_array(value);
		else
			print_histogram(value);
		break;
	default:
		break;
	}
}

static enum term_ink ink_of(const struct vitrine_value *value)
{
	switch (vitrine_value_type(value)) {
	case VITRINE_INT:
	case VITRINE_UINT:
	case VITRINE_DOUBLE:
		return INK_NUMBER;
	case VITRINE_ARRAY:
		return vitrine_value_array(value).type == VITRINE_STRING ?
			INK_STRING : INK_NUMBER;
	default:
		return INK_OTHER;
	}
}

static void print_value(const struct vitrine_value *value)
{
	const void *bytes;
	size_t len;

	switch (vitrine_value_type(value)) {
	case VITRINE_STRING:
		bytes = vitrine_value_bytes(value, &len);
		print_string(bytes, len);
		break;
	case VITRINE_BYTES:
		bytes = vitrine_value_bytes(value, &len);
		print_bytes(bytes, len);
		break;
	default:
		term_begin(ink_of(value));
		print_plain_value(value);
		term_end();
		break;
	}
}

static size_t name_columns(const struct vitrine_value *value)
{
	const char *name;
	size_t len;

	name = vitrine_value_name(value, &len);
	return print_text(NULL, name, len, 0);
}

static void print_name(const struct vitrine_value *value)
{
	const char *name;
	size_t len;

	name = vitrine_value_name(value, &len);
	print_text(stdout, name, len, 0);
}

static bool is_node(const struct vitrine_value *value)
{
	return vitrine_value_type(value) == VITRINE_NODE;
}

/* Column where the values of these properties begin. */
static size_t alignment(const struct vitrine_value *first)
{
	const struct vitrine_value *value;
	size_t widest = 0;

	for (value = first; value; value = vitrine_value_next(value)) {
		size_t columns = is_node(value) ? 0 : name_columns(value);

		if (columns > widest && columns <= MAX_ALIGN)
			widest = columns;
	}
	return widest;
}

/* @first and its siblings, and all below them; recursion is VITRINE_MAX_DEPTH. */
static void print_siblings(const struct vitrine_value *first, int depth)
{
	const struct vitrine_value *value;
	size_t align = alignment(first);

	for (value = first; value; value = vitrine_value_next(value)) {
		size_t columns;

		if (is_node(value))
			continue;
		columns = name_columns(value);
		printf("%*s", depth * INDENT, "");
		print_name(value);
		printf("%*s = ", columns < align ? (int)(align - columns) : 0,
		       "");
		print_value(value);
		putchar('\n');
	}
	for (value = first; value; value = vitrine_value_next(value)) {
		if (!is_node(value))
			continue;
		printf("%*s", depth * INDENT, "");
		term_begin(INK_NODE);
		print_name(value);
		term_end();
		fputs(":\n", stdout);
		print_siblings(vitrine_value_first_child(value), depth + 1);
	}
}

/* The only value on top if it is the node "root", as it should be. */
static const struct vitrine_value *
root_of(const struct vitrine_hierarchy *hierarchy)
{
	const struct vitrine_value *root = vitrine_hierarchy_first(hierarchy);
	const char *name;
	size_t len;

	if (!root || vitrine_value_next(root) || !is_node(root))
		return NULL;
	name = vitrine_value_name(root, &len);
	return len == 4 && !memcmp(name, "root", len) ? root : NULL;
}

/**
 * outline_print() - print a tree
 * @title: printed above it
 * @hierarchy: the tree
 *
 * The title stands for the root, unless the file has more than that on top.
 */
void outline_print(const char *title, const struct vitrine_hierarchy *hierarchy)
{
	const struct vitrine_value *root = root_of(hierarchy);

	term_begin(INK_TITLE);
	print_text(stdout, title, strlen(title), 0);
	term_end();
	fputs(":\n", stdout);
	print_siblings(root ? vitrine_value_first_child(root) :
			      vitrine_hierarchy_first(hierarchy), 1);
}
