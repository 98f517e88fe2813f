// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine show': print Inspect trees as an outline or as JSON, once or again whenever one of them
 * has changed.
 *
 * An outline has first a node's properties, aligned, then its child nodes. Names and strings are
 * of unknown origin, so characters that a terminal may interpret are escaped. JSON is written
 * during the walk, without a copy in memory: the text may be many times the size of a file whose
 * values share long names.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <vitrine/inspect.h>

#include "base.h"
#include "command.h"
#include "escape.h"
#include "ui/label.h"
#include "ui/terminal.h"
#include "selector.h"
#include "show.h"
#include "trees.h"

#define INDENT		2
#define MAX_ALIGN	40	/* longer names do not move the column of values */
#define MAX_BYTES	32	/* shown of a byte vector, in hexadecimal */
#define BAR_COLUMNS	32	/* longest bar if the width is unknown */
#define MIN_BAR		8	/* longest bar in a narrow terminal */

/**
 * struct bars - layout of a histogram's bars
 * @indent: columns before each line
 * @range: widest range
 * @count: widest count
 * @bar: longest bar
 * @most: count that the longest bar stands for
 */
static struct bars {
	int indent;
	int range;
	int count;
	int bar;
	double most;
} bars;

/**
 * struct show_args - the options of `vitrine show'
 * @json: print JSON
 * @live: print again on each change, until interrupted
 * @selectors: trees, or parts of them; none: all live trees
 */
static struct show_args {
	bool json;
	bool live;
	char **selectors;
} args;

#define LIVE_INTERVAL_NS	100000000	/* how often to look for changes */

/* ---- Numbers, and buckets of histograms --------------------------------- */

/*
 * The parameters of a histogram come from the writer and are not trusted: integers wrap, and
 * doubles may have any value.
 */

/**
 * number_format() - format a number in decimal
 * @number: number
 * @text: receives the text
 */
void number_format(struct vtr_number number, char text[DECIMAL_TEXT_BYTES])
{
	if (number.type == VITRINE_BOOL)
		snprintf(text, DECIMAL_TEXT_BYTES, "%s", number.u ? "true" : "false");
	else if (number.type == VITRINE_DOUBLE)
		double_format(number.real, text);
	else
		decimal_format(number_integer(number), 0, text);
}

/**
 * number_integer() - return an integer
 * @number: number
 *
 * Return: the integer, in a type in which two of them can be subtracted; 0 if @number is none.
 */
__int128 number_integer(struct vtr_number number)
{
	return number.type == VITRINE_INT ? number.i :
	       number.type == VITRINE_UINT ? (__int128)number.u : 0;
}

/**
 * number_real() - convert a number to a double
 * @number: number
 *
 * Return: the number.
 */
double number_real(struct vtr_number number)
{
	return number.type == VITRINE_DOUBLE ? number.real : (double)number_integer(number);
}

/* Kinds of histograms, and the names of their parameters in JSON. */
static const struct histogram_kind {
	const char *name;
	unsigned int nr_parameters;
	const char *keys[3];
} kinds[] = {
	[INSPECT_ARRAY_FLAT]			= { 0 },
	[INSPECT_ARRAY_LINEAR_HISTOGRAM]	= { "linear", 2, { "floor", "step" } },
	[INSPECT_ARRAY_EXPONENTIAL_HISTOGRAM]	= {
		"exponential", 3, { "floor", "initial_step", "step_multiplier" },
	},
};

static const struct histogram_kind *kind_of(const struct vitrine_value *array)
{
	return &kinds[vitrine_value_array(array).format];
}

/**
 * histogram_nr_parameters() - count the elements before the buckets
 * @array: array
 *
 * Return: 2 for floor and step, 3 for floor, initial step and multiplier, 0 if @array is no
 * histogram.
 */
unsigned int histogram_nr_parameters(const struct vitrine_value *array)
{
	return kind_of(array)->nr_parameters;
}

/* Count the buckets. Returns how many, underflow and overflow included. */
static unsigned int histogram_nr_buckets(const struct vitrine_value *histogram)
{
	unsigned int nr = vitrine_value_array(histogram).count;
	unsigned int nr_parameters = histogram_nr_parameters(histogram);

	return nr > nr_parameters ? nr - nr_parameters : 0;
}

/**
 * histogram_integer_bound() - compute the upper bound of a bucket of integers
 * @histogram: histogram of integers
 * @i: bucket, where 0 is the underflow
 * @ret: receives the bound
 *
 * Return: false if the bound overflows; its low bits are right, nevertheless.
 */
bool histogram_integer_bound(const struct vitrine_value *histogram, unsigned int i, __int128 *ret)
{
	const bool linear = vitrine_value_array(histogram).format == INSPECT_ARRAY_LINEAR_HISTOGRAM;
	const __int128 floor = number_integer(vtr_value_number(histogram, 0));
	const __int128 factor = number_integer(vtr_value_number(histogram, 2));
	__int128 step = number_integer(vtr_value_number(histogram, 1));
	bool overflows = false;
	unsigned int n;

	step *= linear ? i : !!i;
	for (n = 1; !linear && n < i; n++)
		overflows |= __builtin_mul_overflow(step, factor, &step);
	return !__builtin_add_overflow(floor, step, ret) && !overflows;
}

/**
 * histogram_bound() - compute the upper bound of a bucket
 * @histogram: histogram
 * @i: bucket, where 0 is the underflow
 *
 * Return: the bound. An integer wraps, and a double may be infinite or NaN.
 */
struct vtr_number histogram_bound(const struct vitrine_value *histogram, unsigned int i)
{
	const bool linear = vitrine_value_array(histogram).format == INSPECT_ARRAY_LINEAR_HISTOGRAM;
	struct vtr_number bound = vtr_value_number(histogram, 0);
	const double step = vtr_value_number(histogram, 1).real;
	__int128 integer;

	if (bound.type == VITRINE_DOUBLE) {
		bound.real += linear ? step * i :
			      i ? step * pow(vtr_value_number(histogram, 2).real, i - 1) : 0;
	} else {
		histogram_integer_bound(histogram, i, &integer);
		bound.u = integer;
	}
	return bound;
}

/* Return the count of a bucket; 0 if it is invalid: negative or not finite. */
static struct vtr_number histogram_count(const struct vitrine_value *histogram,
					 unsigned int bucket)
{
	unsigned int slot = bucket + histogram_nr_parameters(histogram);
	struct vtr_number count = vtr_value_number(histogram, slot);
	double real = number_real(count);

	if (!isfinite(real) || real < 0)
		count.u = 0;
	return count;
}

/**
 * histogram_format_total() - format the sum of all counts in decimal
 * @histogram: histogram
 * @text: where to; integers are exact, and saturate
 *
 * Return: the sum as a double.
 */
double histogram_format_total(const struct vitrine_value *histogram,
			      char text[DECIMAL_TEXT_BYTES])
{
	struct vtr_number total = { .type = VITRINE_UINT }, count;
	unsigned int i, nr = histogram_nr_buckets(histogram);
	double real = 0;

	for (i = 0; i < nr; i++) {
		count = histogram_count(histogram, i);
		real += number_real(count);
		if (__builtin_add_overflow(total.u, count.u, &total.u))
			total.u = UINT64_MAX;
	}
	if (vitrine_value_array(histogram).type == VITRINE_DOUBLE)
		total = (struct vtr_number){ VITRINE_DOUBLE, { .real = real } };
	number_format(total, text);
	return real;
}

/* Find a quantile. Returns the first bucket at whose end @share of @total is reached. */
static unsigned int histogram_quantile(const struct vitrine_value *histogram,
				       double share, double total)
{
	unsigned int i, last = 0, nr = histogram_nr_buckets(histogram);
	double sum = 0;

	for (i = 0; i < nr; i++) {
		double count = number_real(histogram_count(histogram, i));

		sum += count;
		if (count > 0)
			last = i;
		if (count > 0 && sum >= share * total)
			break;
	}
	return last;
}

static const int percents[] = { 50, 90, 99 };

/* ---- Text of unknown origin -------------------------------------------- */

/*
 * Return text with unprintable characters escaped, in quotes if @quote is not empty; valid until
 * the next call.
 */
static const char *escape(const char *bytes, size_t len, const char *quote)
{
	static struct text text;
	char escaped[ESCAPE_BYTES];
	size_t n;

	text_cut(&text, 0);
	text_add_string(&text, quote);
	for (; len; bytes += n, len -= n) {
		if (*bytes == '\\' || (*bytes == '"' && *quote))
			text_add(&text, "\\", 1);
		n = escape_character(escaped, bytes, len);
		text_add_string(&text, escaped);
	}
	text_add_string(&text, quote);
	return text.bytes;
}

static void print_text(const char *text, size_t len)
{
	fputs(escape(text, len, ""), stdout);
}

/**
 * outline_text() - print text of unknown origin
 * @text: text
 */
void outline_text(const char *text)
{
	print_text(text, strlen(text));
}

/**
 * outline_columns() - measure the output of outline_text()
 * @text: text
 *
 * Return: columns.
 */
size_t outline_columns(const char *text)
{
	return label_columns(escape(text, strlen(text), ""));
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
		print_text(name, n);
		name += n;
		len -= n;
		if (!len)
			break;
		putchar('\\');
		putchar(*name++);
		len--;
	}
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

/* ---- Colours ----------------------------------------------------------- */

static enum term_ink ink_of(const struct vitrine_value *value)
{
	switch (vtr_value_number(value, 0).type) {
	case VITRINE_INT:
	case VITRINE_UINT:
	case VITRINE_DOUBLE:
		return INK_NUMBER;
	case VITRINE_STRING:
		return INK_STRING;
	default:
		return INK_OTHER;
	}
}

/* ---- Arrays ------------------------------------------------------------ */

/* Return a number or a string, valid until the next call. */
static const char *slot_text(const struct vitrine_value *value, unsigned int slot)
{
	struct vtr_number number = vtr_value_number(value, slot);
	static char text[DECIMAL_TEXT_BYTES];
	const char *bytes;
	size_t len;

	if (number.type == VITRINE_STRING) {
		bytes = vtr_value_text(value, slot, &len);
		return escape(bytes, len, "\"");
	}
	number_format(number, text);
	return text;
}

/* Print on one line or, on a terminal, wrapped at its width, from @column on. */
static void print_flat_array(const struct vitrine_value *value, size_t column)
{
	unsigned int i, count = vitrine_value_array(value).count;
	size_t at = ++column, width = term_is_terminal() ? term_columns() : 0;

	putchar('[');
	for (i = 0; i < count; i++) {
		const char *text = slot_text(value, i);
		/* One more for the comma or the bracket. */
		size_t columns = label_columns(text) + 1;

		if (i && width && at + 1 + columns > width) {
			printf("\n%*s", (int)column, "");
			at = column;
		} else if (i) {
			putchar(' ');
			at++;
		}
		fputs(text, stdout);
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
	char bound[DECIMAL_TEXT_BYTES];

	number_format(histogram_bound(value, bucket < last ? bucket : last - 1), bound);
	printf(", p%d %s %s", percent, bucket < last ? "<" : ">=", bound);
}

/* Format "[10, 20)"; the first and the last bucket are open. */
static int format_range(const struct vitrine_value *value, unsigned int bucket,
			char *text, size_t room)
{
	char from[DECIMAL_TEXT_BYTES] = "(-inf", to[DECIMAL_TEXT_BYTES] = "+inf";

	if (bucket)
		number_format(histogram_bound(value, bucket - 1), from);
	if (bucket + 1 < histogram_nr_buckets(value))
		number_format(histogram_bound(value, bucket), to);
	return snprintf(text, room, "%s%s, %s)", bucket ? "[" : "", from, to);
}

/**
 * outline_element_place() - print the index of an element or the range of a bucket
 * @array: array or histogram
 * @i: index, parameters of a histogram not counted: "[3]" or "[10, 20)"
 */
void outline_element_place(const struct vitrine_value *array, unsigned int i)
{
	char text[2 * DECIMAL_TEXT_BYTES + 4];

	if (!kind_of(array)->name) {
		printf("[%u]", i);
		return;
	}
	format_range(array, i, text, sizeof(text));
	fputs(text, stdout);
}

/**
 * outline_slot() - print a number or a string
 * @value: property
 * @slot: of an array, index of the element
 */
void outline_slot(const struct vitrine_value *value, unsigned int slot)
{
	term_begin(ink_of(value));
	fputs(slot_text(value, slot), stdout);
	term_end();
}

static void measure_bars(const struct vitrine_value *value)
{
	unsigned int first = histogram_nr_parameters(value);
	unsigned int i, nr = histogram_nr_buckets(value);
	char text[2 * DECIMAL_TEXT_BYTES + 4];

	for (i = 0; i < nr; i++) {
		double count = number_real(histogram_count(value, i));
		int columns;

		if (!(count > 0))
			continue;
		if (count > bars.most)
			bars.most = count;
		columns = format_range(value, i, text, sizeof(text));
		bars.range = columns > bars.range ? columns : bars.range;
		columns = strlen(slot_text(value, first + i));
		bars.count = columns > bars.count ? columns : bars.count;
	}
	bars.bar = BAR_COLUMNS;
	if (term_is_terminal()) {
		bars.bar = (int)term_columns() - bars.indent - bars.range -
			    bars.count - 3;
		bars.bar = bars.bar < MIN_BAR ? MIN_BAR : bars.bar;
	}
}

static void print_bar(double count)
{
	static const char * const eighths[] = {
		"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a",
		"\u2589",
	};
	bool fine = term_is_utf8();
	int i, parts = fine ? 8 : 1;
	int len = lround(count / bars.most * bars.bar * parts);

	/* A bucket that is not empty has a visible bar. */
	len = len ? len : 1;
	for (i = 0; i < len / parts; i++)
		fputs(fine ? "\u2588" : "#", stdout);
	if (fine)
		fputs(eighths[len % parts], stdout);
}

static void print_bucket(const struct vitrine_value *value, unsigned int bucket)
{
	char range[2 * DECIMAL_TEXT_BYTES + 4], count[DECIMAL_TEXT_BYTES];

	format_range(value, bucket, range, sizeof(range));
	number_format(histogram_count(value, bucket), count);
	printf("\n%*s%-*s  %*s ", bars.indent, "", bars.range, range,
	       bars.count, count);
	print_bar(number_real(histogram_count(value, bucket)));
}

/* Print a summary line, and one line for each bucket that is not empty. */
static void print_histogram(const struct vitrine_value *value, int indent)
{
	unsigned int i, nr = histogram_nr_buckets(value);
	char text[DECIMAL_TEXT_BYTES];
	double total = histogram_format_total(value, text);
	unsigned int before = 0;

	printf("%s histogram, ", kind_of(value)->name);
	if (!(total > 0)) {
		fputs("empty", stdout);
		return;
	}
	printf("count %s", text);
	bars = (struct bars){ .indent = indent };
	for (i = 0; nr > 1 && i < ARRAY_LEN(percents); i++)
		print_quantile(value, percents[i], total);
	measure_bars(value);
	for (i = 0; i < nr; i++) {
		if (!(number_real(histogram_count(value, i)) > 0))
			continue;
		/* Empty buckets between others are shown as "...". */
		if (before && i > before)
			printf("\n%*s...", indent, "");
		print_bucket(value, i);
		before = i + 1;
	}
}

/* ---- Values ------------------------------------------------------------ */

static void print_link(const struct vitrine_value *value)
{
	const struct vitrine_error *err = vitrine_value_link_error(value);

	fputs("-> ", stdout);
	print_text(value->bytes, value->len);
	if (vitrine_value_disposition(value) == INSPECT_LINK_INLINE)
		fputs(" (inline)", stdout);
	if (err)
		printf(": %s", err->message);
}

static void print_array(const struct vitrine_value *value, size_t column,
			int indent)
{
	if (kind_of(value)->name)
		print_histogram(value, indent);
	else
		print_flat_array(value, column);
}

/* Print a value at @column; further lines begin at @indent. */
static void print_plain_value(const struct vitrine_value *value, size_t column,
			      int indent)
{
	switch (value->type) {
	case VITRINE_BYTES:
		print_bytes(value->bytes, value->len);
		break;
	case VITRINE_LINK:
		print_link(value);
		break;
	case VITRINE_ARRAY:
		print_array(value, column, indent);
		break;
	default:
		fputs(slot_text(value, 0), stdout);
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

/* Return the name of a value, valid until the next call. */
static const char *name_text(const struct vitrine_value *value)
{
	return escape(value->name->bytes, value->name->len, "");
}

/* Return the column where the values of these properties begin. */
static size_t alignment(const struct vitrine_value *first)
{
	const struct vitrine_value *value;
	size_t widest = 0;

	for (value = first; value; value = value->next) {
		size_t columns = value->type == VITRINE_NODE ? 0 :
				 label_columns(name_text(value));

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

	for (value = first; value; value = value->next) {
		const char *name = name_text(value);
		size_t columns = label_columns(name);

		if (value->type == VITRINE_NODE)
			continue;
		/* A longer name moves its value to the right. */
		printf("%*s%s%*s = ", depth * INDENT, "", name,
		       columns < align ? (int)(align - columns) : 0, "");
		outline_value(value, depth * INDENT + (columns < align ? align : columns) + 3,
			      (depth + 2) * INDENT);
		putchar('\n');
	}
	for (value = first; value; value = value->next) {
		if (value->type != VITRINE_NODE)
			continue;
		printf("%*s", depth * INDENT, "");
		term_begin(INK_NODE);
		fputs(name_text(value), stdout);
		term_end();
		fputs(":\n", stdout);
		print_siblings(value->first_child, depth + 1);
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
	print_text(title, strlen(title));
	term_end();
	fputs(":\n", stdout);
	if (root)
		print_siblings(root->first_child, 1);
}

/* ---- JSON -------------------------------------------------------------- */

static void write_slot(const struct vitrine_value *value, unsigned int slot)
{
	struct vtr_number number = vtr_value_number(value, slot);
	char text[DECIMAL_TEXT_BYTES];
	const char *bytes;
	size_t len;

	if (number.type == VITRINE_DOUBLE) {
		json_real(number.real);
	} else if (number.type <= VITRINE_BOOL) {
		number_format(number, text);
		json_number(text);
	} else {
		bytes = vtr_value_text(value, slot, &len);
		json_text(bytes, len);
	}
}

/* Write an array: its elements in brackets, or an object for a histogram. */
static void write_array(const struct vitrine_value *value)
{
	const struct histogram_kind *kind = kind_of(value);
	unsigned int i;

	if (kind->name) {
		json_begin();
		json_key_string("histogram", kind->name);
		for (i = 0; i < kind->nr_parameters; i++) {
			json_key(kind->keys[i]);
			write_slot(value, i);
		}
		json_key("counts");
	}
	json_begin_line();
	for (i = kind->nr_parameters; i < vitrine_value_array(value).count; i++) {
		json_item();
		write_slot(value, i);
	}
	json_end_list();
	if (kind->name)
		json_end();
}

static void write_link(const struct vitrine_value *value)
{
	bool is_inline = vitrine_value_disposition(value) == INSPECT_LINK_INLINE;
	const struct vitrine_error *err = vitrine_value_link_error(value);
	const char *bytes;
	size_t len;

	json_begin();
	json_key("link");
	bytes = vitrine_value_bytes(value, &len);
	json_text(bytes, len);
	json_key_string("disposition", is_inline ? "inline" : "child");
	if (err)
		json_key_string("error", err->message);
	json_end();
}

static void write_property(const struct vitrine_value *value)
{
	switch (value->type) {
	case VITRINE_BYTES:
		json_bytes(value->bytes, value->len);
		break;
	case VITRINE_ARRAY:
		write_array(value);
		break;
	case VITRINE_LINK:
		write_link(value);
		break;
	default:
		write_slot(value, 0);
		break;
	}
}

/* Write @value, its siblings and all below them. Depth: VITRINE_MAX_DEPTH at most. */
static void write_siblings(const struct vitrine_value *value)
{
	json_begin();
	for (; value; value = value->next) {
		json_member(value->name->bytes, value->name->len, value->ordinal);
		json_value(value);
	}
	json_end();
}

/**
 * json_value() - write a value
 * @value: property, link, or node with its descendants
 */
void json_value(const struct vitrine_value *value)
{
	if (value->type == VITRINE_NODE)
		write_siblings(value->first_child);
	else
		write_property(value);
}

/**
 * json_hierarchy() - write a tree as one object
 * @hierarchy: tree
 */
void json_hierarchy(const struct vitrine_hierarchy *hierarchy)
{
	write_siblings(vitrine_hierarchy_first(hierarchy));
}

/* ---- Printing ---------------------------------------------------------- */

static void print_json(const struct trees *trees)
{
	size_t i;

	json_init(!args.live);
	/* A single tree is printed by itself, several as an object of trees by name. */
	if (trees->single) {
		if (!tree_is_shown(&trees->trees[0]))
			return;
		json_hierarchy(trees->trees[0].hierarchy);
	} else {
		json_begin();
		for (i = 0; i < trees->nr; i++) {
			const struct tree *tree = &trees->trees[i];

			if (!tree_is_shown(tree))
				continue;
			json_member(tree->name, strlen(tree->name), tree->ordinal);
			json_hierarchy(tree->hierarchy);
		}
		json_end();
	}
	json_finish();
}

static void print_outlines(const struct trees *trees)
{
	const struct tree *tree;
	size_t i;

	if (args.live)
		term_clear();
	for (i = 0; i < trees->nr; i++) {
		tree = &trees->trees[i];
		if (tree_is_shown(tree))
			outline_print(tree->name, tree->hierarchy);
	}
	if (args.live && !term_is_terminal())
		putchar('\n');
}

static void print_trees(const struct trees *trees)
{
	if (args.json)
		print_json(trees);
	else
		print_outlines(trees);
	fflush(stdout);
}

/* ---- Live -------------------------------------------------------------- */

/* Print again whenever a tree has changed, until interrupted. */
static int follow(struct trees *trees)
{
	static const int ending[] = { SIGINT, SIGTERM, 0 };
	enum { TIMER, INTERRUPT, OUTPUT, NR_FDS };
	struct pollfd fds[NR_FDS] = {
		[TIMER]		= { timer_open(LIVE_INTERVAL_NS), POLLIN, 0 },
		[INTERRUPT]	= { signals_open(ending, NULL), POLLIN, 0 },
		[OUTPUT]	= { STDOUT_FILENO, 0, 0 },
	};
	int status = EXIT_DONE;
	uint64_t ticks;
	bool changed;

	if (fds[TIMER].fd < 0 || fds[INTERRUPT].fd < 0)
		must(vtr_error_os(errno, NULL, "cannot wait"));
	for (;;) {
		if (poll(fds, NR_FDS, -1) < 0 && errno != EINTR)
			break;
		/* A signal, or the reader of the output has gone. */
		if (fds[INTERRUPT].revents || fds[OUTPUT].revents || ferror(stdout))
			break;
		if (!fds[TIMER].revents ||
		    read(fds[TIMER].fd, &ticks, sizeof(ticks)) < 0)
			continue;
		status = worse(status, trees_refresh(trees, &changed));
		if (changed)
			print_trees(trees);
	}
	close(fds[INTERRUPT].fd);
	close(fds[TIMER].fd);
	return status;
}

/* ---- Options ----------------------------------------------------------- */

static const struct command_option options[] = {
	{ "json", 'j', NULL, "Print JSON; with --live, one object per line", .flag = &args.json },
	{ "live", 'l', NULL, "Print again on each change, until interrupted", .flag = &args.live },
	{ 0 }
};

static const struct command_line line = {
	.options = options,
	.operands = &args.selectors,
	.args_doc = "[SELECTOR]...",
	.doc = "Print Inspect trees as text or JSON.\n"
	       "\013SELECTOR is TREE[:NODE[/NODE]...[:PROPERTY]]. TREE is the name of a tree of\n"
	       "the running module, a path with a slash, or \"-\" for standard input; NODEs\n"
	       "lead down from the root, and the last one may be a property. In names, *\n"
	       "matches any characters, and : / * and \\ are escaped with a backslash. The\n"
	       "default is all trees of the running module.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine show system\n"
	       "  vitrine show 'system:cpus/*:idle_ns'\n"
	       "  vitrine show --json ./saved.inspect | jq .root",
};

int cmd_show(int argc, char **argv)
{
	struct trees trees = { 0 };
	int status;

	args = (struct show_args){ 0 };
	options_parse(&line, argc, argv);
	term_init();
	status = trees_find(&trees, args.selectors);
	/* Without a tree and without an error, the output is an empty object. */
	if (trees.nr || status == EXIT_DONE) {
		status = worse(status, trees_read(&trees));
		print_trees(&trees);
	}
	if (args.live && trees.nr)
		status = worse(status, follow(&trees));
	trees_destroy(&trees);
	return status;
}
