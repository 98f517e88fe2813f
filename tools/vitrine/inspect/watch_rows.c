// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of `vitrine watch': walk trees, compare with the previous refresh, sort and
 * filter.
 *
 * One thread.
 */
#define _GNU_SOURCE	/* strcasestr(), open_memstream() */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vitrine/inspect.h>

#include "grow.h"
#include "histogram.h"
#include "ui/double.h"
#include "ui/text.h"
#include "watch_rows.h"

#define MAX_VALUE	256	/* bytes of a value */
#define MAX_NAME	256	/* bytes of one name */
#define MAX_PATH	4096	/* bytes of a row's name, roughly */

/* ---- Rows -------------------------------------------------------------- */

static void rows_free(struct watch_row *rows, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		free(rows[i].name);
		free(rows[i].value);
	}
	free(rows);
}

/* Append a row; NULL without memory. */
static struct watch_row *row_append(struct watch_rows *rows)
{
	struct watch_row *row;

	if (!GROW(rows->rows, rows->nr)) {
		rows->failed = true;
		return NULL;
	}
	row = &rows->rows[rows->nr++];
	*row = (struct watch_row){ 0 };
	return row;
}

static int compare_names(const void *a, const void *b)
{
	const struct watch_row *a_row = a, *b_row = b;

	return strcmp(a_row->name, b_row->name);
}

/**
 * watch_rows_begin() - begin a refresh
 * @rows: rows; their contents become those of the previous refresh
 * @now_ns: monotonic time
 */
void watch_rows_begin(struct watch_rows *rows, uint64_t now_ns)
{
	rows_free(rows->before, rows->nr_before);
	rows->before = rows->rows;
	rows->nr_before = rows->nr;
	rows->before_ns = rows->taken_ns;
	if (rows->nr_before)
		qsort(rows->before, rows->nr_before, sizeof(*rows->before),
		      compare_names);
	rows->rows = NULL;
	rows->nr = 0;
	rows->taken_ns = now_ns;
	rows->failed = false;
}

/**
 * watch_rows_add_error() - add a row with an error
 * @rows: rows
 * @message: error
 */
void watch_rows_add_error(struct watch_rows *rows, const char *message)
{
	struct watch_row *row = row_append(rows);

	if (!row)
		return;
	row->is_error = true;
	row->name = strdup(message);
	row->value = strdup("");
	rows->failed |= !row->name || !row->value;
}

/* ---- Values ------------------------------------------------------------ */

static void set_number(struct watch_row *row, enum vitrine_type type,
		       uint64_t bits, double number)
{
	row->is_number = true;
	row->type = type;
	row->bits = bits;
	row->number = number;
}

static void print_double(FILE *stream, double number)
{
	char text[DOUBLE_TEXT_BYTES];

	double_format(number, text);
	fputs(text, stream);
}

static void print_elements(FILE *stream, const struct vitrine_value *value)
{
	struct vitrine_array array = vitrine_value_array(value);
	char text[DOUBLE_TEXT_BYTES];
	unsigned int i;
	size_t len;

	for (i = 0; i < array.count && ftell(stream) < MAX_VALUE; i++) {
		if (i)
			fputs(", ", stream);
		if (array.type == VITRINE_STRING) {
			const char *bytes;

			bytes = vitrine_value_array_string(value, i, &len);
			fwrite(bytes, 1, len < MAX_VALUE ? len : MAX_VALUE, stream);
		} else {
			number_format(value, i, text);
			fputs(text, stream);
		}
	}
}

static void print_array(FILE *stream, struct watch_row *row,
			const struct vitrine_value *value)
{
	char text[DOUBLE_TEXT_BYTES];
	double total;

	if (vitrine_value_array(value).format == INSPECT_ARRAY_FLAT) {
		print_elements(stream, value);
		return;
	}
	total = histogram_format_total(value, text);
	fprintf(stream, "%s counted", text);
	set_number(row, VITRINE_DOUBLE, 0, total);
}

static void print_bytes(FILE *stream, const struct vitrine_value *value)
{
	const uint8_t *bytes;
	size_t i, len;

	bytes = vitrine_value_bytes(value, &len);
	for (i = 0; i < len && i < MAX_VALUE / 2; i++)
		fprintf(stream, "%02x", bytes[i]);
}

/* Print the value, and store it in the row if it is a number. */
static void print_value(FILE *stream, struct watch_row *row,
			const struct vitrine_value *value)
{
	const char *bytes;
	size_t len;

	switch (vitrine_value_type(value)) {
	case VITRINE_INT:
		set_number(row, VITRINE_INT, vitrine_value_int(value),
			   vitrine_value_int(value));
		fprintf(stream, "%" PRId64, vitrine_value_int(value));
		break;
	case VITRINE_UINT:
		set_number(row, VITRINE_UINT, vitrine_value_uint(value),
			   vitrine_value_uint(value));
		fprintf(stream, "%" PRIu64, vitrine_value_uint(value));
		break;
	case VITRINE_DOUBLE:
		set_number(row, VITRINE_DOUBLE, 0, vitrine_value_double(value));
		print_double(stream, row->number);
		break;
	case VITRINE_BOOL:
		fputs(vitrine_value_bool(value) ? "true" : "false", stream);
		break;
	case VITRINE_ARRAY:
		print_array(stream, row, value);
		break;
	case VITRINE_BYTES:
		print_bytes(stream, value);
		break;
	default:
		bytes = vitrine_value_bytes(value, &len);
		fwrite(bytes, 1, len < MAX_VALUE ? len : MAX_VALUE, stream);
		break;
	}
}

/* ---- Trees ------------------------------------------------------------- */

/**
 * struct walk - a walk through one tree
 * @rows: where rows are added
 * @path: "TREE:NODE/NODE" so far
 */
struct walk {
	struct watch_rows *rows;
	struct text path;
};

/* Append @separator and a name to the path; false without memory. */
static bool path_add(struct walk *walk, char separator, const char *name,
		     size_t len, unsigned int ordinal)
{
	char digits[16];

	if (walk->path.len > MAX_PATH)
		return true;
	if (separator)
		text_add(&walk->path, &separator, 1);
	text_add(&walk->path, name, len < MAX_NAME ? len : MAX_NAME);
	if (ordinal) {
		snprintf(digits, sizeof(digits), "#%u", ordinal + 1);
		text_add_string(&walk->path, digits);
	}
	walk->rows->failed |= walk->path.failed;
	return !walk->path.failed;
}

static void add_property(struct walk *walk, const struct vitrine_value *value)
{
	struct watch_row *row = row_append(walk->rows);
	size_t len;
	FILE *stream;

	if (!row)
		return;
	row->name = strdup(walk->path.bytes);
	stream = open_memstream(&row->value, &len);
	if (stream) {
		print_value(stream, row, value);
		fclose(stream);
	}
	walk->rows->failed |= !row->name || !row->value;
}

/* The name of the tree stands for the root. */
static bool is_root(const struct vitrine_value *value)
{
	const char *name;
	size_t len;

	name = vitrine_value_name(value, &len);
	return !vitrine_value_parent(value) && len == 4 &&
	       !memcmp(name, "root", len) &&
	       vitrine_value_type(value) == VITRINE_NODE;
}

/*
 * Add @value, its siblings and all below them. Depth: VITRINE_MAX_DEPTH at most.
 * @separator precedes a node's name.
 */
static void add_siblings(struct walk *walk, const struct vitrine_value *value,
			 char separator)
{
	size_t at = walk->path.len;

	for (; value; value = vitrine_value_next(value), text_cut(&walk->path, at)) {
		bool is_node = vitrine_value_type(value) == VITRINE_NODE;
		const char *name;
		size_t len;

		if (is_root(value)) {
			add_siblings(walk, vitrine_value_first_child(value), ':');
			continue;
		}
		name = vitrine_value_name(value, &len);
		if (!path_add(walk, is_node ? separator : ':', name, len,
			      vitrine_value_ordinal(value)))
			return;
		if (is_node)
			add_siblings(walk, vitrine_value_first_child(value), '/');
		else
			add_property(walk, value);
	}
}

/**
 * watch_rows_add_tree() - add a row for each property of a tree
 * @rows: rows
 * @tree: its name
 * @ordinal: number of trees before it with that name
 * @hierarchy: the tree
 */
void watch_rows_add_tree(struct watch_rows *rows, const char *tree,
			 unsigned int ordinal,
			 const struct vitrine_hierarchy *hierarchy)
{
	struct walk walk = { .rows = rows };

	if (path_add(&walk, 0, tree, strlen(tree), ordinal))
		add_siblings(&walk, vitrine_hierarchy_first(hierarchy), ':');
	text_destroy(&walk.path);
}

/* ---- Comparison with the previous refresh ------------------------------- */

/* Return the difference of two integers, which may exceed the range of both. */
static double difference(const struct watch_row *row,
			 const struct watch_row *before)
{
	if (row->type == VITRINE_DOUBLE)
		return row->number - before->number;
	if (row->type == VITRINE_INT ? (int64_t)row->bits >= (int64_t)before->bits :
				       row->bits >= before->bits)
		return row->bits - before->bits;
	return -(double)(before->bits - row->bits);
}

static void compare(struct watch_row *row, const struct watch_row *before,
		    uint64_t elapsed_ns)
{
	row->is_new = !before;
	if (!before)
		return;
	row->has_changed = strcmp(row->value, before->value);
	if (row->is_number && before->is_number && row->type == before->type &&
	    elapsed_ns)
		row->rate = difference(row, before) / (elapsed_ns / 1e9);
}

/**
 * watch_rows_end() - end a refresh: compute changes and rates
 * @rows: rows
 */
void watch_rows_end(struct watch_rows *rows)
{
	uint64_t elapsed_ns = rows->taken_ns - rows->before_ns;
	size_t i;

	for (i = 0; i < rows->nr && !rows->failed; i++)
		compare(&rows->rows[i], rows->nr_before ?
			bsearch(&rows->rows[i], rows->before, rows->nr_before,
				sizeof(*rows->rows), compare_names) : NULL,
			elapsed_ns);
	/* Without memory, rows are missing: drop all. */
	if (rows->failed) {
		rows_free(rows->rows, rows->nr);
		rows->rows = NULL;
		rows->nr = 0;
	}
}

/**
 * watch_rows_destroy() - free and empty rows
 * @rows: rows
 */
void watch_rows_destroy(struct watch_rows *rows)
{
	rows_free(rows->rows, rows->nr);
	rows_free(rows->before, rows->nr_before);
	*rows = (struct watch_rows){ 0 };
}

/* ---- Sorted and filtered ----------------------------------------------- */

/* Sort descending, rows without a number last, equal ones in the order of trees. */
static int compare_numbers(const struct watch_row *a, const struct watch_row *b,
			   double a_number, double b_number)
{
	bool a_is = a->is_number && !isnan(a_number);
	bool b_is = b->is_number && !isnan(b_number);

	if (a->is_error != b->is_error)
		return a->is_error ? -1 : 1;
	if (a_is != b_is)
		return a_is ? -1 : 1;
	if (a_is && a_number != b_number)
		return a_number > b_number ? -1 : 1;
	return (a > b) - (a < b);
}

static int compare_values(const void *a, const void *b)
{
	const struct watch_row *a_row = *(const struct watch_row *const *)a;
	const struct watch_row *b_row = *(const struct watch_row *const *)b;

	return compare_numbers(a_row, b_row, a_row->number, b_row->number);
}

static int compare_rates(const void *a, const void *b)
{
	const struct watch_row *a_row = *(const struct watch_row *const *)a;
	const struct watch_row *b_row = *(const struct watch_row *const *)b;

	return compare_numbers(a_row, b_row, a_row->rate, b_row->rate);
}

/**
 * watch_rows_view() - select and sort rows
 * @rows: rows
 * @order: sort key; values and rates descend
 * @filter: text that names must contain, in any case; errors are always shown
 * @ret: the rows
 *
 * Return: how many.
 */
size_t watch_rows_view(const struct watch_rows *rows, enum watch_order order,
		       const char *filter, const struct watch_row ***ret)
{
	const struct watch_row **view;
	size_t i, nr = 0;

	view = calloc(rows->nr + 1, sizeof(*view));
	*ret = view;
	if (!view)
		return 0;
	for (i = 0; i < rows->nr; i++)
		if (rows->rows[i].is_error ||
		    strcasestr(rows->rows[i].name, filter))
			view[nr++] = &rows->rows[i];
	if (order != WATCH_BY_NAME)
		qsort(view, nr, sizeof(*view),
		      order == WATCH_BY_VALUE ? compare_values : compare_rates);
	return nr;
}
