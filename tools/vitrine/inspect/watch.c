// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine watch': watch trees on a live screen: read them at each refresh, compare their values
 * with the previous refresh, sort and filter the rows, draw them, handle keys. ui/screen.c owns the
 * terminal.
 *
 * One thread.
 */
#define _GNU_SOURCE	/* strcasestr(), open_memstream(), wide characters of curses */
#include <argp.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <curses.h>

#include "base.h"
#include "command.h"
#include "ui/label.h"
#include "ui/line.h"
#include "ui/screen.h"
#include "value.h"
#include "show.h"
#include "trees.h"

/**
 * struct watch_row - one property, or one error
 * @name: "TREE:NODE/NODE:PROPERTY", bytes of unknown origin; or an error message
 * @value: its value as text; empty for an error
 * @has_changed: the previous refresh had another value
 * @is_error: @name is an error message
 * @number: the value; of a histogram, the sum of its counts; its type is VITRINE_NODE if the
 *	property is no number
 * @rate: change of the number per second; 0 if it is new
 */
struct watch_row {
	char *name;
	char *value;
	bool has_changed;
	bool is_error;
	struct vtr_number number;
	double rate;
};

/**
 * struct watch_rows - the rows of a refresh; all zero at first
 * @rows: in the order of the trees; of the previous refresh, by name
 * @nr: number of @rows
 * @taken_ns: monotonic time of the refresh
 */
struct watch_rows {
	struct watch_row *rows;
	size_t nr;
	uint64_t taken_ns;
};

enum watch_order {
	WATCH_BY_NAME,
	WATCH_BY_VALUE,
	WATCH_BY_RATE,
};

#define MAX_VALUE	256	/* bytes of a value */
#define MAX_NAME	256	/* bytes of one name */
#define MAX_PATH	4096	/* bytes of a row's name, roughly */

#define MAX_FILTER	63	/* bytes */
#define HEADER_LINES	2
#define RATE_COLUMNS	14
#define MAX_VALUE_COLUMNS	32

/* Trees, or parts of them; none: all live trees. */
static char **selectors;

/* All rows, and those of the previous refresh. */
static struct watch_rows rows_now, rows_before;

/* "TREE:NODE/NODE" of the row that is added. */
static struct text path;

/* The rows that match the filter, in the order shown. */
static const struct watch_row **view;
static size_t nr_view;

/* Trees that could be read. */
static size_t nr_trees;

static enum watch_order sort_order;

/* Text that names in the view contain; keys go to it. */
static char row_filter[MAX_FILTER + 1];
static bool is_typing;

/* ---- Rows -------------------------------------------------------------- */

static void rows_free(struct watch_rows *rows)
{
	while (rows->nr--) {
		free(rows->rows[rows->nr].name);
		free(rows->rows[rows->nr].value);
	}
	free(rows->rows);
}

/* Append a row. */
static struct watch_row *row_append(const char *name)
{
	struct watch_row *row;

	must_have(GROW(rows_now.rows, rows_now.nr));
	row = &rows_now.rows[rows_now.nr++];
	*row = (struct watch_row){ .name = strdup(name) };
	must_have(row->name);
	return row;
}

static int compare_names(const void *a, const void *b)
{
	const struct watch_row *a_row = a, *b_row = b;

	return strcmp(a_row->name, b_row->name);
}

/* Begin a refresh. */
static void rows_begin(uint64_t now_ns)
{
	rows_free(&rows_before);
	rows_before = rows_now;
	rows_now = (struct watch_rows){ .taken_ns = now_ns };
	SORT(rows_before.rows, rows_before.nr, compare_names);
}

/* ---- Values ------------------------------------------------------------ */

/* Print a number or a string. */
static void print_slot(FILE *stream, const struct vitrine_value *value, unsigned int slot)
{
	struct vtr_number number = vtr_value_number(value, slot);
	char text[DECIMAL_TEXT_BYTES];
	const char *bytes;
	size_t len;

	if (number.type <= VITRINE_BOOL) {
		number_format(number, text);
		fputs(text, stream);
		return;
	}
	bytes = vtr_value_text(value, slot, &len);
	fwrite(bytes, 1, len < MAX_VALUE ? len : MAX_VALUE, stream);
}

static void print_array(FILE *stream, struct watch_row *row,
			const struct vitrine_value *value)
{
	char text[DECIMAL_TEXT_BYTES];
	unsigned int i;

	if (histogram_nr_parameters(value)) {
		row->number.type = VITRINE_DOUBLE;
		row->number.real = histogram_format_total(value, text);
		fprintf(stream, "%s counted", text);
		return;
	}
	for (i = 0; i < vitrine_value_array(value).count && ftell(stream) < MAX_VALUE; i++) {
		if (i)
			fputs(", ", stream);
		print_slot(stream, value, i);
	}
}

static void print_bytes(FILE *stream, const struct vitrine_value *value)
{
	const uint8_t *bytes = value->bytes;
	size_t i;

	for (i = 0; i < value->len && i < MAX_VALUE / 2; i++)
		fprintf(stream, "%02x", bytes[i]);
}

/* Print the value, and store it in the row if it is a number. */
static void print_value(FILE *stream, struct watch_row *row,
			const struct vitrine_value *value)
{
	if (value->type == VITRINE_ARRAY) {
		print_array(stream, row, value);
	} else if (value->type == VITRINE_BYTES) {
		print_bytes(stream, value);
	} else {
		if (value->type < VITRINE_BOOL)
			row->number = vtr_value_number(value, 0);
		print_slot(stream, value, 0);
	}
}

/* ---- Trees ------------------------------------------------------------- */

/* Append @separator and a name to the path. */
static void path_add(char separator, const char *name, size_t len, unsigned int ordinal)
{
	if (path.len > MAX_PATH)
		return;
	if (separator)
		text_add(&path, &separator, 1);
	text_add(&path, name, len < MAX_NAME ? len : MAX_NAME);
	if (ordinal)
		text_add_string(&path, format_label("#%u", ordinal + 1));
}

static void add_property(const struct vitrine_value *value)
{
	struct watch_row *row = row_append(path.bytes);
	size_t len;
	FILE *stream;

	stream = open_memstream(&row->value, &len);
	must_have(stream);
	print_value(stream, row, value);
	must_have(!fclose(stream));
}

/*
 * Add @value, its siblings and all below them. Depth: VITRINE_MAX_DEPTH at most.
 * @separator precedes a node's name.
 */
static void add_siblings(const struct vitrine_value *value, char separator)
{
	size_t at = path.len;

	for (; value; value = value->next, text_cut(&path, at)) {
		bool is_node = value->type == VITRINE_NODE;

		/* The name of the tree stands for the root. */
		if (is_node && !value->parent && vtr_value_is_named(value, "root")) {
			add_siblings(value->first_child, ':');
			continue;
		}
		path_add(is_node ? separator : ':', value->name->bytes, value->name->len,
			 value->ordinal);
		if (is_node)
			add_siblings(value->first_child, '/');
		else
			add_property(value);
	}
}

/* Add a row for each property of a tree. */
static void add_tree(const struct tree *tree)
{
	text_cut(&path, 0);
	path_add(0, tree->name, strlen(tree->name), tree->ordinal);
	add_siblings(vitrine_hierarchy_first(tree->hierarchy), ':');
}

/* ---- Comparison with the previous refresh ------------------------------- */

static void compare(struct watch_row *row, const struct watch_row *before)
{
	uint64_t elapsed_ns = rows_now.taken_ns - rows_before.taken_ns;
	struct vtr_number now = row->number, old = before->number;
	double difference;

	row->has_changed = strcmp(row->value, before->value);
	if (now.type == VITRINE_NODE || now.type != old.type || !elapsed_ns)
		return;
	difference = now.type == VITRINE_DOUBLE ? now.real - old.real :
		     number_integer(now) - number_integer(old);
	row->rate = difference / (elapsed_ns / 1e9);
}

/* End a refresh: compute changes and rates. */
static void rows_end(void)
{
	const struct watch_row *before;
	struct watch_row *row = rows_now.rows;
	size_t i;

	for (i = 0; rows_before.nr && i < rows_now.nr; i++, row++) {
		before = bsearch(row, rows_before.rows, rows_before.nr, sizeof(*row),
				 compare_names);
		if (before)
			compare(row, before);
	}
}

/* ---- Sorted and filtered ----------------------------------------------- */

/* Sort descending, rows without a number last, equal ones in the order of trees. */
static int compare_rows(const void *left, const void *right)
{
	const struct watch_row *a = *(const struct watch_row *const *)left;
	const struct watch_row *b = *(const struct watch_row *const *)right;
	bool by_value = sort_order == WATCH_BY_VALUE;
	double a_number = by_value ? number_real(a->number) : a->rate;
	double b_number = by_value ? number_real(b->number) : b->rate;
	bool a_is = a->number.type != VITRINE_NODE && !isnan(a_number);
	bool b_is = b->number.type != VITRINE_NODE && !isnan(b_number);

	if (a->is_error != b->is_error)
		return a->is_error ? -1 : 1;
	if (a_is != b_is)
		return a_is ? -1 : 1;
	if (a_is && a_number != b_number)
		return a_number > b_number ? -1 : 1;
	return (a > b) - (a < b);
}

/* Select and sort rows. */
static void update_view(void)
{
	size_t i;

	free(view);
	nr_view = 0;
	view = calloc(rows_now.nr + 1, sizeof(*view));
	must_have(view);
	for (i = 0; i < rows_now.nr; i++)
		if (rows_now.rows[i].is_error || strcasestr(rows_now.rows[i].name, row_filter))
			view[nr_view++] = &rows_now.rows[i];
	if (sort_order != WATCH_BY_NAME)
		SORT(view, nr_view, compare_rows);
}

/* ---- Reading the trees ------------------------------------------------- */

static void add_error(const char *text)
{
	struct watch_row *row = row_append(text);

	row->is_error = true;
	row->value = strdup("");
	must_have(row->value);
}

/*
 * Find and read all trees anew, so that new trees appear, removed ones vanish, and
 * lazy ones are filled again. Errors are printed to standard error as by any
 * command; the screen has redirected it, and shows them as rows.
 */
static void look(void)
{
	struct trees trees = { 0 };
	struct timespec now;
	size_t i;

	clock_gettime(CLOCK_MONOTONIC, &now);
	rows_begin(now.tv_sec * NSEC_PER_SEC + now.tv_nsec);
	trees_find(&trees, selectors);
	trees_read(&trees);
	screen_errors(add_error);
	nr_trees = 0;
	for (i = 0; i < trees.nr; i++) {
		if (!trees.trees[i].hierarchy)
			continue;
		nr_trees++;
		add_tree(&trees.trees[i]);
	}
	trees_destroy(&trees);
	rows_end();
	update_view();
}

/* ---- The screen -------------------------------------------------------- */

static void format_rate(const struct watch_row *row, char text[32])
{
	if (row->rate == 0)
		*text = '\0';
	else
		snprintf(text, 32, "%+.*f/s", row->rate < 100 && row->rate > -100 ?
			 2 : 0, row->rate);
	/* Fall back to an exponent if the rate does not fit its column. */
	if (strlen(text) > RATE_COLUMNS - 1)
		snprintf(text, 32, "%+.3g/s", row->rate);
}

static int row_attributes(const struct watch_row *row)
{
	if (row->is_error)
		return A_BOLD | COLOR_PAIR(SCREEN_ERROR);
	if (row->has_changed)
		return A_BOLD | COLOR_PAIR(SCREEN_CHANGED);
	return A_NORMAL;
}

static void draw_columns(int line, const char *name, const char *value, const char *rate)
{
	int third = (COLS - RATE_COLUMNS) / 3;
	int values = third < MAX_VALUE_COLUMNS ? third : MAX_VALUE_COLUMNS;
	int names = COLS - values - RATE_COLUMNS - 1;

	screen_text(line, 0, names, false, name);
	screen_text(line, names + 1, values, true, value);
	screen_text(line, names + 1 + values, RATE_COLUMNS, true, rate);
}

static void draw_row(const struct watch_row *row, int line)
{
	char rate[32];

	attrset(row_attributes(row));
	if (row->is_error) {
		screen_text(line, 0, COLS, false, row->name);
	} else {
		format_rate(row, rate);
		draw_columns(line, row->name, row->value, rate);
	}
	attrset(A_NORMAL);
}

static void draw_header(void)
{
	static const char * const orders[] = {
		[WATCH_BY_NAME]		= "name",
		[WATCH_BY_VALUE]	= "value",
		[WATCH_BY_RATE]		= "rate",
	};
	char text[256];

	snprintf(text, sizeof(text),
		 "%zu tree%s, %zu of %zu rows, every %g s, by %s%s%s",
		 nr_trees, nr_trees == 1 ? "" : "s",
		 nr_view, rows_now.nr, screen.interval,
		 orders[sort_order], *row_filter ? ", with " : "",
		 row_filter);
	screen_text(0, 0, COLS, false, text);
	screen_bar(1);
	draw_columns(1, "NAME", "VALUE", "RATE");
	attrset(A_NORMAL);
}

static void draw_help(void)
{
	static const char keys[] =
		"q quit  n v r by name, value, rate  / filter  arrows, Page, Home, End scroll";
	char text[MAX_FILTER + 64];

	if (is_typing) {
		snprintf(text, sizeof(text), "Filter: %s_  (Enter: done, Escape: all)",
			 row_filter);
		screen_footer(text);
	} else {
		screen_footer(keys);
	}
}

static void draw(void)
{
	size_t i, lines = screen_lines(HEADER_LINES);

	screen_fit(lines, nr_view);
	for (i = 0; i < lines && screen.top + i < nr_view; i++)
		draw_row(view[screen.top + i], HEADER_LINES + i);
	draw_header();
	draw_help();
}

/* ---- The keyboard ------------------------------------------------------ */

static void type_key(int key)
{
	size_t len = strlen(row_filter);

	switch (key) {
	case '\n':
	case '\r':
	case KEY_ENTER:
		is_typing = false;
		return;
	case SCREEN_ESCAPE:
		is_typing = false;
		len = 0;
		break;
	case KEY_BACKSPACE:
	case SCREEN_DELETE:
	case '\b':
		/* Delete one UTF-8 character: continuation bytes, then the first byte. */
		while (len && (row_filter[--len] & 0xc0) == 0x80)
			;
		break;
	default:
		if (key < ' ' || key > 0xff || len == MAX_FILTER)
			return;
		row_filter[len++] = key;
		break;
	}
	row_filter[len] = '\0';
	screen.top = 0;
	update_view();
}

static void order_by(enum watch_order order)
{
	sort_order = order;
	screen.top = 0;
	update_view();
}

static void press_key(int key)
{
	if (is_typing) {
		type_key(key);
		return;
	}
	if (screen_key(key, screen_lines(HEADER_LINES),
		       nr_view))
		return;
	switch (key) {
	case 'n':
		order_by(WATCH_BY_NAME);
		break;
	case 'v':
		order_by(WATCH_BY_VALUE);
		break;
	case 'r':
		order_by(WATCH_BY_RATE);
		break;
	case '/':
		is_typing = true;
		break;
	}
}

static const struct screen_ops ops = {
	.look		= look,
	.draw		= draw,
	.key		= press_key,
	.instead	= "use `vitrine show --live' for other output",
};

/* Return EXIT_DONE if there is something to watch; if not, an error is reported. */
static int try_trees(void)
{
	struct trees trees = { 0 };
	int status = trees_find(&trees, selectors);
	bool any = false;
	size_t i;

	if (trees.nr)
		status = worse(status, trees_read(&trees));
	for (i = 0; i < trees.nr; i++)
		any |= tree_is_shown(&trees.trees[i]);
	trees_destroy(&trees);
	return any ? EXIT_DONE : status;
}

/* ---- Options ----------------------------------------------------------- */

static const struct command_option options[] = {
	{ "interval", 'i', "DURATION", .help = "Refresh interval (default: 1s)" },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	if (key != 'i')
		return ARGP_ERR_UNKNOWN;
	screen.interval = screen_parse_interval(arg, state);
	return 0;
}

static const struct command_line line = {
	.options = options,
	.parse = parse_option,
	.operands = &selectors,
	.args_doc = "[SELECTOR]...",
	.doc = "Watch Inspect trees on a live screen.\n"
	       "\013Changes are highlighted, and numbers are shown with their rate per second.\n"
	       SELECTORS_HELP
	       "\n"
	       "Examples:\n"
	       "  vitrine watch\n"
	       "  vitrine watch -i 0.5 'system:cpus/*'",
};

int cmd_watch(int argc, char **argv)
{
	int status;

	screen = (struct screen){ .interval = 1, .ops = &ops };
	selectors = NULL;
	options_parse(&line, argc, argv);
	status = try_trees();
	if (status != EXIT_DONE)
		return status;
	screen_run();
	return EXIT_DONE;
}
