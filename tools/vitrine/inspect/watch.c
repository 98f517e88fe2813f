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
 * @is_number: @number, @real and @rate are valid
 * @is_new: the previous refresh did not have it
 * @has_changed: the previous refresh had another value
 * @is_error: @name is an error message
 * @number: the value; of a histogram, the sum of its counts
 * @real: @number as a double
 * @rate: change of the number per second; 0 if it is new
 */
struct watch_row {
	char *name;
	char *value;
	bool is_number;
	bool is_new;
	bool has_changed;
	bool is_error;
	struct vtr_number number;
	double real;
	double rate;
};

/**
 * struct watch_rows - all rows; all zero at first
 * @rows: in the order of the trees
 * @nr: number of @rows
 * @taken_ns: monotonic time of the refresh
 * @before: rows of the previous refresh, by name
 * @nr_before: number of rows in @before
 * @before_ns: time of that refresh
 */
struct watch_rows {
	struct watch_row *rows;
	size_t nr;
	uint64_t taken_ns;
	struct watch_row *before;
	size_t nr_before;
	uint64_t before_ns;
};

enum watch_order {
	WATCH_BY_NAME,
	WATCH_BY_VALUE,
	WATCH_BY_RATE,
};

#define MAX_VALUE	256	/* bytes of a value */
#define MAX_NAME	256	/* bytes of one name */
#define MAX_PATH	4096	/* bytes of a row's name, roughly */

/**
 * struct walk - a walk through one tree
 * @rows: where rows are added
 * @path: "TREE:NODE/NODE" so far
 */
struct walk {
	struct watch_rows *rows;
	struct text path;
};

#define MAX_FILTER	63	/* bytes */
#define HEADER_LINES	2
#define RATE_COLUMNS	14
#define MAX_VALUE_COLUMNS	32

/**
 * struct watch - the options, and the command at work
 * @selectors: trees, or parts of them; none: all live trees
 * @nr_selectors: number of @selectors
 * @screen: the terminal
 * @rows: all rows
 * @view: the rows that match @filter, in the order shown
 * @nr_view: number of rows in @view
 * @nr_trees: trees that could be read
 * @order: sort key of @view
 * @filter: text that names in @view contain
 * @typing: keys go to @filter
 */
static struct watch {
	char **selectors;
	int nr_selectors;
	struct screen screen;
	struct watch_rows rows;
	const struct watch_row **view;
	size_t nr_view;
	size_t nr_trees;
	enum watch_order order;
	char filter[MAX_FILTER + 1];
	bool typing;
} watch;

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

/* Append a row. */
static struct watch_row *row_append(struct watch_rows *rows, const char *name)
{
	struct watch_row *row;

	must_have(GROW(rows->rows, rows->nr));
	row = &rows->rows[rows->nr++];
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
static void watch_rows_begin(struct watch_rows *rows, uint64_t now_ns)
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
}

/* ---- Values ------------------------------------------------------------ */

static void set_number(struct watch_row *row, struct vtr_number number)
{
	row->is_number = true;
	row->number = number;
	row->real = number_real(number);
}

/* Print a number or a string. */
static void print_slot(FILE *stream, const struct vitrine_value *value, unsigned int slot)
{
	struct vtr_number number = vtr_value_number(value, slot);
	char text[DOUBLE_TEXT_BYTES];
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
	struct vtr_number total = { .type = VITRINE_DOUBLE };
	char text[DOUBLE_TEXT_BYTES];
	unsigned int i;

	if (histogram_nr_parameters(value)) {
		total.real = histogram_format_total(value, text);
		fprintf(stream, "%s counted", text);
		set_number(row, total);
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
	switch (vitrine_value_type(value)) {
	case VITRINE_ARRAY:
		print_array(stream, row, value);
		break;
	case VITRINE_BYTES:
		print_bytes(stream, value);
		break;
	case VITRINE_INT:
	case VITRINE_UINT:
	case VITRINE_DOUBLE:
		set_number(row, vtr_value_number(value, 0));
		print_slot(stream, value, 0);
		break;
	default:
		print_slot(stream, value, 0);
		break;
	}
}

/* ---- Trees ------------------------------------------------------------- */

/* Append @separator and a name to the path. */
static void path_add(struct walk *walk, char separator, const char *name,
		     size_t len, unsigned int ordinal)
{
	if (walk->path.len > MAX_PATH)
		return;
	if (separator)
		text_add(&walk->path, &separator, 1);
	text_add(&walk->path, name, len < MAX_NAME ? len : MAX_NAME);
	if (ordinal)
		text_add_string(&walk->path, format_label("#%u", ordinal + 1));
}

static void add_property(struct walk *walk, const struct vitrine_value *value)
{
	struct watch_row *row = row_append(walk->rows, walk->path.bytes);
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
static void add_siblings(struct walk *walk, const struct vitrine_value *value,
			 char separator)
{
	size_t at = walk->path.len;

	for (; value; value = vitrine_value_next(value), text_cut(&walk->path, at)) {
		bool is_node = vitrine_value_type(value) == VITRINE_NODE;

		/* The name of the tree stands for the root. */
		if (is_node && !vitrine_value_parent(value) && vtr_value_is_named(value, "root")) {
			add_siblings(walk, vitrine_value_first_child(value), ':');
			continue;
		}
		path_add(walk, is_node ? separator : ':', value->name->bytes, value->name->len,
			 vitrine_value_ordinal(value));
		if (is_node)
			add_siblings(walk, vitrine_value_first_child(value), '/');
		else
			add_property(walk, value);
	}
}

/* Add a row for each property of a tree. */
static void watch_rows_add_tree(struct watch_rows *rows, const char *tree,
				unsigned int ordinal,
				const struct vitrine_hierarchy *hierarchy)
{
	struct walk walk = { .rows = rows };

	path_add(&walk, 0, tree, strlen(tree), ordinal);
	add_siblings(&walk, vitrine_hierarchy_first(hierarchy), ':');
	text_destroy(&walk.path);
}

/* ---- Comparison with the previous refresh ------------------------------- */

static void compare(struct watch_row *row, const struct watch_row *before,
		    uint64_t elapsed_ns)
{
	double difference;

	row->is_new = !before;
	if (!before)
		return;
	row->has_changed = strcmp(row->value, before->value);
	if (!row->is_number || !before->is_number || row->number.type != before->number.type ||
	    !elapsed_ns)
		return;
	difference = row->number.type == VITRINE_DOUBLE ? row->real - before->real :
		     number_integer(row->number) - number_integer(before->number);
	row->rate = difference / (elapsed_ns / 1e9);
}

/* End a refresh: compute changes and rates. */
static void watch_rows_end(struct watch_rows *rows)
{
	uint64_t elapsed_ns = rows->taken_ns - rows->before_ns;
	size_t i;

	for (i = 0; i < rows->nr; i++)
		compare(&rows->rows[i], rows->nr_before ?
			bsearch(&rows->rows[i], rows->before, rows->nr_before,
				sizeof(*rows->rows), compare_names) : NULL,
			elapsed_ns);
}

/* Free and empty rows. */
static void watch_rows_destroy(struct watch_rows *rows)
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

	return compare_numbers(a_row, b_row, a_row->real, b_row->real);
}

static int compare_rates(const void *a, const void *b)
{
	const struct watch_row *a_row = *(const struct watch_row *const *)a;
	const struct watch_row *b_row = *(const struct watch_row *const *)b;

	return compare_numbers(a_row, b_row, a_row->rate, b_row->rate);
}

/* Select and sort rows. Returns how many. */
static size_t watch_rows_view(const struct watch_rows *rows, enum watch_order order,
			      const char *filter, const struct watch_row ***ret)
{
	const struct watch_row **view;
	size_t i, nr = 0;

	view = calloc(rows->nr + 1, sizeof(*view));
	must_have(view);
	*ret = view;
	for (i = 0; i < rows->nr; i++)
		if (rows->rows[i].is_error ||
		    strcasestr(rows->rows[i].name, filter))
			view[nr++] = &rows->rows[i];
	if (order != WATCH_BY_NAME)
		qsort(view, nr, sizeof(*view),
		      order == WATCH_BY_VALUE ? compare_values : compare_rates);
	return nr;
}

/* ---- Reading the trees ------------------------------------------------- */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void add_error(void *ctx, const char *text)
{
	struct watch_row *row = row_append(ctx, text);

	row->is_error = true;
	row->value = strdup("");
	must_have(row->value);
}

static void update_view(void)
{
	free(watch.view);
	watch.nr_view = watch_rows_view(&watch.rows, watch.order, watch.filter, &watch.view);
}

/*
 * Find and read all trees anew, so that new trees appear, removed ones vanish, and
 * lazy ones are filled again. Errors are printed to standard error as by any
 * command; the screen has redirected it, and shows them as rows.
 */
static void look(void *ctx)
{
	struct trees trees = { 0 };
	size_t i;

	watch_rows_begin(&watch.rows, now_ns());
	trees_find(&trees, watch.selectors, watch.nr_selectors);
	trees_read(&trees);
	screen_errors(&watch.screen, add_error, &watch.rows);
	watch.nr_trees = 0;
	for (i = 0; i < trees.nr; i++) {
		const struct tree *tree = &trees.trees[i];

		if (!tree->hierarchy)
			continue;
		watch.nr_trees++;
		watch_rows_add_tree(&watch.rows, tree->name, tree->ordinal,
				    tree->hierarchy);
	}
	trees_destroy(&trees);
	watch_rows_end(&watch.rows);
	update_view();
}

/* ---- The screen -------------------------------------------------------- */

static void format_rate(const struct watch_row *row, char text[32])
{
	if (!row->is_number || row->is_new || row->rate == 0)
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

/* Return the width of the column of values. */
static int value_columns(void)
{
	int columns = (COLS - RATE_COLUMNS) / 3;

	return columns < MAX_VALUE_COLUMNS ? columns : MAX_VALUE_COLUMNS;
}

static void draw_row(const struct watch_row *row, int line)
{
	int values = value_columns(), names = COLS - values - RATE_COLUMNS - 1;
	struct cell cell = { .line = line, .columns = COLS };
	char rate[32];

	attrset(row_attributes(row));
	if (row->is_error) {
		screen_text(cell, row->name);
	} else {
		format_rate(row, rate);
		cell.columns = names;
		screen_text(cell, row->name);
		cell.column = names + 1;
		cell.columns = values;
		cell.right = true;
		screen_text(cell, row->value);
		cell.column += values;
		cell.columns = RATE_COLUMNS;
		screen_text(cell, rate);
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
	int values = value_columns(), names = COLS - values - RATE_COLUMNS - 1;
	char text[256];

	snprintf(text, sizeof(text),
		 "%zu tree%s, %zu of %zu rows, every %g s, by %s%s%s",
		 watch.nr_trees, watch.nr_trees == 1 ? "" : "s",
		 watch.nr_view, watch.rows.nr, watch.screen.interval,
		 orders[watch.order], *watch.filter ? ", with " : "",
		 watch.filter);
	screen_text((struct cell){ 0, 0, COLS, false }, text);
	screen_bar(1);
	screen_text((struct cell){ 1, 0, names, false }, "NAME");
	screen_text((struct cell){ 1, names + 1, values, true }, "VALUE");
	screen_text((struct cell){ 1, names + 1 + values, RATE_COLUMNS, true },
		    "RATE");
	attrset(A_NORMAL);
}

static void draw_help(void)
{
	static const char keys[] =
		"q quit  n v r by name, value, rate  / filter  arrows, Page, Home, End scroll";
	char text[MAX_FILTER + 64];

	if (watch.typing) {
		snprintf(text, sizeof(text), "Filter: %s_  (Enter: done, Escape: all)",
			 watch.filter);
		screen_footer(text);
	} else {
		screen_footer(keys);
	}
}

static void draw(void *ctx)
{
	size_t i, lines = screen_lines(HEADER_LINES);

	screen_fit(&watch.screen, lines, watch.nr_view);
	for (i = 0; i < lines && watch.screen.top + i < watch.nr_view; i++)
		draw_row(watch.view[watch.screen.top + i], HEADER_LINES + i);
	draw_header();
	draw_help();
}

/* ---- The keyboard ------------------------------------------------------ */

static void type_key(int key)
{
	size_t len = strlen(watch.filter);

	switch (key) {
	case '\n':
	case '\r':
	case KEY_ENTER:
		watch.typing = false;
		return;
	case SCREEN_ESCAPE:
		watch.typing = false;
		len = 0;
		break;
	case KEY_BACKSPACE:
	case SCREEN_DELETE:
	case '\b':
		/* Delete one UTF-8 character: continuation bytes, then the first byte. */
		while (len && (watch.filter[--len] & 0xc0) == 0x80)
			;
		break;
	default:
		if (key < ' ' || key > 0xff || len == MAX_FILTER)
			return;
		watch.filter[len++] = key;
		break;
	}
	watch.filter[len] = '\0';
	watch.screen.top = 0;
	update_view();
}

static void order_by(enum watch_order order)
{
	watch.order = order;
	watch.screen.top = 0;
	update_view();
}

static void press_key(void *ctx, int key)
{
	if (watch.typing) {
		type_key(key);
		return;
	}
	if (screen_key(&watch.screen, key, screen_lines(HEADER_LINES),
		       watch.nr_view))
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
		watch.typing = true;
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
	int status = trees_find(&trees, watch.selectors,
				watch.nr_selectors);
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
	watch.screen.interval = screen_parse_interval(arg, state);
	return 0;
}

static const struct command_line line = {
	.options = options,
	.parse = parse_option,
	.operands = &watch.selectors,
	.nr_operands = &watch.nr_selectors,
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

	watch = (struct watch){ .screen = { .interval = 1, .ops = &ops } };
	options_parse(&line, argc, argv);
	status = try_trees();
	if (status != EXIT_DONE)
		return status;
	must(screen_run(&watch.screen));
	free(watch.view);
	watch_rows_destroy(&watch.rows);
	return EXIT_DONE;
}
