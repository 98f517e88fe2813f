// SPDX-License-Identifier: GPL-2.0
/*
 * Print trees as an indented outline: first a node's properties, aligned, then its
 * child nodes. Names and strings are of unknown origin, so characters that a terminal
 * may interpret are escaped.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <vitrine/inspect.h>

#include "ui/character.h"
#include "ui/double.h"
#include "histogram.h"
#include "outline.h"
#include "selector.h"
#include "ui/terminal.h"
#include "utf8.h"

#define INDENT		2
#define MAX_ALIGN	40	/* longer names do not move the column of values */
#define MAX_BYTES	32	/* shown of a byte vector, in hexadecimal */
#define BAR_COLUMNS	32	/* longest bar if the width is unknown */
#define MIN_BAR		8	/* longest bar in a narrow terminal */

static const int percents[] = { 50, 90, 99 };

#define NR_PERCENTS	(sizeof(percents) / sizeof(percents[0]))

/* ---- Text of unknown origin -------------------------------------------- */

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
 * Print text with unprintable characters and @quote escaped; only measure it if
 * @stream is NULL. Return the columns it takes.
 */
static size_t print_text(FILE *stream, const char *text, size_t len, char quote)
{
	const uint8_t *bytes = (const uint8_t *)text;
	size_t columns = 0;

	while (len) {
		uint32_t c = 0;
		size_t n = vtr_utf8_decode(bytes, len, &c);
		const char *escape = n ? short_escape(c) : NULL;
		char other[16];

		if (!n)
			snprintf(other, sizeof(other), "\\x%02x", *bytes);
		else if (quote && c == (unsigned char)quote)
			snprintf(other, sizeof(other), "\\%c", quote);
		else if (!character_is_printable(c))
			snprintf(other, sizeof(other), c < 0x80 ? "\\x%02x" :
				 c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
		else
			other[0] = '\0';
		if (!escape && other[0])
			escape = other;

		columns += escape ? strlen(escape) : character_columns(c);
		if (stream && escape)
			fputs(escape, stream);
		else if (stream)
			fwrite(bytes, 1, n, stream);
		bytes += n ? n : 1;
		len -= n ? n : 1;
	}
	return columns;
}

/**
 * outline_text() - print text of unknown origin
 * @text: text
 */
void outline_text(const char *text)
{
	print_text(stdout, text, strlen(text), 0);
}

/**
 * outline_columns() - measure the output of outline_text()
 * @text: text
 *
 * Return: columns.
 */
size_t outline_columns(const char *text)
{
	return print_text(NULL, text, strlen(text), 0);
}

/**
 * outline_selector_name() - print a name with the escapes of a selector
 * @name: bytes of the name
 * @len: length of @name in bytes
 */
void outline_selector_name(const char *name, size_t len)
{
	size_t n;

	while (len) {
		for (n = 0; n < len && !selector_is_special(name[n]); n++)
			;
		print_text(stdout, name, n, 0);
		name += n;
		len -= n;
		if (!len)
			break;
		putchar('\\');
		putchar(*name++);
		len--;
	}
}

/* As print_text(), in quotes. */
static size_t print_string(FILE *stream, const char *text, size_t len)
{
	size_t columns;

	if (stream)
		putc('"', stream);
	columns = print_text(stream, text, len, '"');
	if (stream)
		putc('"', stream);
	return columns + 2;
}

static void print_bytes(const uint8_t *bytes, size_t len)
{
	size_t i;

	printf("%zu bytes:", len);
	for (i = 0; i < len && i < MAX_BYTES; i++)
		printf(" %02x", bytes[i]);
	if (len > MAX_BYTES)
		fputs(" ...", stdout);
}

/* ---- Numbers ----------------------------------------------------------- */

static void print_double(double number)
{
	char text[DOUBLE_TEXT_BYTES];

	double_format(number, text);
	fputs(text, stdout);
}

/* ---- Colours ----------------------------------------------------------- */

static enum term_ink ink_of(const struct vitrine_value *value)
{
	switch (vitrine_value_type(value)) {
	case VITRINE_INT:
	case VITRINE_UINT:
	case VITRINE_DOUBLE:
		return INK_NUMBER;
	case VITRINE_STRING:
		return INK_STRING;
	case VITRINE_ARRAY:
		return vitrine_value_array(value).type == VITRINE_STRING ?
			INK_STRING : INK_NUMBER;
	default:
		return INK_OTHER;
	}
}

/* ---- Arrays ------------------------------------------------------------ */

/* Print an element of an array without colour; only measure it without @stream. */
static size_t print_element(FILE *stream, const struct vitrine_value *value,
			    unsigned int i)
{
	char number[DOUBLE_TEXT_BYTES];
	const char *text;
	size_t len;

	if (vitrine_value_array(value).type == VITRINE_STRING) {
		text = vitrine_value_array_string(value, i, &len);
		return print_string(stream, text, len);
	}
	number_format(value, i, number);
	if (stream)
		fputs(number, stream);
	return strlen(number);
}

/* Print on one line or, on a terminal, wrapped at its width, from @column on. */
static void print_flat_array(const struct vitrine_value *value, size_t column)
{
	unsigned int i, count = vitrine_value_array(value).count;
	size_t at = ++column, width = term_is_terminal() ? term_columns() : 0;

	putchar('[');
	for (i = 0; i < count; i++) {
		/* One more for the comma or the bracket. */
		size_t columns = print_element(NULL, value, i) + 1;

		if (i && width && at + 1 + columns > width) {
			printf("\n%*s", (int)column, "");
			at = column;
		} else if (i) {
			putchar(' ');
			at++;
		}
		print_element(stdout, value, i);
		at += columns;
		putchar(i + 1 < count ? ',' : ']');
	}
	if (!count)
		putchar(']');
}

/* ---- Histograms -------------------------------------------------------- */

/* Print "p90 < 20": the bound below which 90 percent of all values are. */
static void print_quantile(const struct vitrine_value *value, int percent,
			   double total)
{
	unsigned int last = histogram_nr_buckets(value) - 1;
	unsigned int bucket = histogram_quantile(value, percent / 100.0, total);
	char bound[DOUBLE_TEXT_BYTES];

	histogram_format_bound(value, bucket < last ? bucket : last - 1, bound);
	printf(", p%d %s %s", percent, bucket < last ? "<" : ">=", bound);
}

/* Format "[10, 20)"; the first and the last bucket are open. */
static int format_range(const struct vitrine_value *value, unsigned int bucket,
			char *text, size_t room)
{
	char from[DOUBLE_TEXT_BYTES] = "(-inf", to[DOUBLE_TEXT_BYTES] = "+inf";

	if (bucket)
		histogram_format_bound(value, bucket - 1, from);
	if (bucket + 1 < histogram_nr_buckets(value))
		histogram_format_bound(value, bucket, to);
	return snprintf(text, room, "%s%s, %s)", bucket ? "[" : "", from, to);
}

/**
 * outline_element_place() - print the index of an element or the range of a bucket
 * @array: array or histogram
 * @i: index, parameters of a histogram not counted: "[3]" or "[10, 20)"
 */
void outline_element_place(const struct vitrine_value *array, unsigned int i)
{
	char text[2 * DOUBLE_TEXT_BYTES + 4];

	if (vitrine_value_array(array).format == INSPECT_ARRAY_FLAT) {
		printf("[%u]", i);
		return;
	}
	format_range(array, i, text, sizeof(text));
	fputs(text, stdout);
}

/**
 * outline_element() - print an element of an array
 * @array: array or histogram
 * @i: index, parameters counted
 */
void outline_element(const struct vitrine_value *array, unsigned int i)
{
	term_begin(ink_of(array));
	print_element(stdout, array, i);
	term_end();
}

/**
 * struct bars - layout of a histogram's bars
 * @indent: columns before each line
 * @range: widest range
 * @count: widest count
 * @bar: longest bar
 * @most: count that the longest bar stands for
 */
struct bars {
	int indent;
	int range;
	int count;
	int bar;
	double most;
};

static void measure_bars(const struct vitrine_value *value, struct bars *bars)
{
	unsigned int first = histogram_nr_parameters(value);
	unsigned int i, nr = histogram_nr_buckets(value);
	char text[2 * DOUBLE_TEXT_BYTES + 4];

	for (i = 0; i < nr; i++) {
		double count = histogram_count(value, i);
		int columns;

		if (!(count > 0))
			continue;
		if (count > bars->most)
			bars->most = count;
		columns = format_range(value, i, text, sizeof(text));
		bars->range = columns > bars->range ? columns : bars->range;
		columns = print_element(NULL, value, first + i);
		bars->count = columns > bars->count ? columns : bars->count;
	}
	bars->bar = BAR_COLUMNS;
	if (term_is_terminal()) {
		bars->bar = (int)term_columns() - bars->indent - bars->range -
			    bars->count - 3;
		bars->bar = bars->bar < MIN_BAR ? MIN_BAR : bars->bar;
	}
}

static void print_bar(const struct bars *bars, double count)
{
	static const char * const eighths[] = {
		"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a",
		"\u2589",
	};
	bool fine = term_is_utf8();
	int i, parts = fine ? 8 : 1;
	int len = lround(count / bars->most * bars->bar * parts);

	/* A bucket that is not empty has a visible bar. */
	len = len ? len : 1;
	for (i = 0; i < len / parts; i++)
		fputs(fine ? "\u2588" : "#", stdout);
	if (fine)
		fputs(eighths[len % parts], stdout);
}

static void print_bucket(const struct vitrine_value *value, unsigned int bucket,
			 const struct bars *bars)
{
	char range[2 * DOUBLE_TEXT_BYTES + 4], count[DOUBLE_TEXT_BYTES];

	format_range(value, bucket, range, sizeof(range));
	number_format(value, histogram_nr_parameters(value) + bucket, count);
	printf("\n%*s%-*s  %*s ", bars->indent, "", bars->range, range,
	       bars->count, count);
	print_bar(bars, histogram_count(value, bucket));
}

/* Print a summary line, and one line for each bucket that is not empty. */
static void print_histogram(const struct vitrine_value *value, int indent)
{
	unsigned int i, nr = histogram_nr_buckets(value);
	struct bars bars = { .indent = indent };
	char text[DOUBLE_TEXT_BYTES];
	double total = histogram_format_total(value, text);
	unsigned int before = 0;

	printf("%s histogram, ", histogram_is_linear(value) ? "linear" :
							     "exponential");
	if (!(total > 0)) {
		fputs("empty", stdout);
		return;
	}
	printf("count %s", text);
	for (i = 0; nr > 1 && i < NR_PERCENTS; i++)
		print_quantile(value, percents[i], total);
	measure_bars(value, &bars);
	for (i = 0; i < nr; i++) {
		if (!(histogram_count(value, i) > 0))
			continue;
		/* Empty buckets between others are shown as "...". */
		if (before && i > before)
			printf("\n%*s...", indent, "");
		print_bucket(value, i, &bars);
		before = i + 1;
	}
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

static void print_array(const struct vitrine_value *value, size_t column,
			int indent)
{
	if (vitrine_value_array(value).format == INSPECT_ARRAY_FLAT)
		print_flat_array(value, column);
	else
		print_histogram(value, indent);
}

/* Print a value at @column; further lines begin at @indent. */
static void print_plain_value(const struct vitrine_value *value, size_t column,
			      int indent)
{
	const void *bytes;
	size_t len;

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
	case VITRINE_STRING:
		bytes = vitrine_value_bytes(value, &len);
		print_string(stdout, bytes, len);
		break;
	case VITRINE_BYTES:
		bytes = vitrine_value_bytes(value, &len);
		print_bytes(bytes, len);
		break;
	case VITRINE_LINK:
		print_link(value);
		break;
	case VITRINE_ARRAY:
		print_array(value, column, indent);
		break;
	default:
		break;
	}
}

/**
 * outline_value() - print a property or a link
 * @value: property or link
 * @column: column where it begins
 * @indent: columns before each further line
 */
void outline_value(const struct vitrine_value *value, size_t column, int indent)
{
	term_begin(ink_of(value));
	print_plain_value(value, column, indent);
	term_end();
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

/* Return the column where the values of these properties begin. */
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

/* Print @first, its siblings and all below them. Depth: VITRINE_MAX_DEPTH at most. */
static void print_siblings(const struct vitrine_value *first, int depth)
{
	const struct vitrine_value *value;
	size_t align = alignment(first);

	for (value = first; value; value = vitrine_value_next(value)) {
		size_t columns;

		if (is_node(value))
			continue;
		columns = name_columns(value);
		columns = columns < align ? align - columns : 0;
		printf("%*s", depth * INDENT, "");
		print_name(value);
		printf("%*s = ", (int)columns, "");
		outline_value(value,
			      depth * INDENT + name_columns(value) + columns + 3,
			      (depth + 2) * INDENT);
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

/**
 * outline_print() - print a tree
 * @title: printed in place of the root's name
 * @hierarchy: the tree
 */
void outline_print(const char *title, const struct vitrine_hierarchy *hierarchy)
{
	const struct vitrine_value *root = vitrine_hierarchy_first(hierarchy);

	term_begin(INK_TITLE);
	print_text(stdout, title, strlen(title), 0);
	term_end();
	fputs(":\n", stdout);
	if (root)
		print_siblings(vitrine_value_first_child(root), 1);
}
