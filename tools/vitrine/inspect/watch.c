// SPDX-License-Identifier: GPL-2.0
/*
 * Watch trees on a live screen: read them at each refresh, draw them, handle keys.
 * watch_rows.c holds the rows with their rates, ui/screen.c owns the terminal.
 */
#define _GNU_SOURCE	/* wide characters of curses */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <curses.h>

#include "report.h"
#include "ui/screen.h"
#include "trees.h"
#include "watch.h"
#include "watch_rows.h"

#define MAX_FILTER	63	/* bytes */
#define HEADER_LINES	2
#define RATE_COLUMNS	14
#define MAX_VALUE_COLUMNS	32

/**
 * struct watch - the command at work
 * @args: the options
 * @screen: the terminal
 * @rows: all rows
 * @view: the rows that match @filter, in the order shown
 * @nr_view: number of rows in @view
 * @nr_trees: trees that could be read
 * @order: sort key of @view
 * @filter: text that names in @view contain
 * @typing: keys go to @filter
 */
struct watch {
	const struct watch_args *args;
	struct screen screen;
	struct watch_rows rows;
	const struct watch_row **view;
	size_t nr_view;
	size_t nr_trees;
	enum watch_order order;
	char filter[MAX_FILTER + 1];
	bool typing;
};

/* ---- Reading the trees ------------------------------------------------- */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void add_error(void *ctx, const char *text)
{
	struct watch *watch = ctx;

	watch_rows_add_error(&watch->rows, text);
}

static void update_view(struct watch *watch)
{
	free(watch->view);
	watch->nr_view = watch_rows_view(&watch->rows, watch->order,
					 watch->filter, &watch->view);
}

/*
 * Find and read all trees anew, so that new trees appear, removed ones vanish, and
 * lazy ones are filled again. Errors are printed to standard error as by any
 * command; the screen has redirected it, and shows them as rows.
 */
static void look(void *ctx)
{
	struct watch *watch = ctx;
	struct trees trees = { 0 };
	size_t i;

	watch_rows_begin(&watch->rows, now_ns());
	trees_find(&trees, watch->args->selectors, watch->args->nr_selectors);
	trees_read(&trees);
	screen_errors(&watch->screen, add_error, watch);
	watch->nr_trees = 0;
	for (i = 0; i < trees.nr; i++) {
		const struct tree *tree = &trees.trees[i];

		if (!tree->hierarchy)
			continue;
		watch->nr_trees++;
		watch_rows_add_tree(&watch->rows, tree->name, tree->ordinal,
				    tree->hierarchy);
	}
	trees_destroy(&trees);
	watch_rows_end(&watch->rows);
	update_view(watch);
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

static void draw_header(const struct watch *watch)
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
		 watch->nr_trees, watch->nr_trees == 1 ? "" : "s",
		 watch->nr_view, watch->rows.nr, watch->screen.interval,
		 orders[watch->order], *watch->filter ? ", with " : "",
		 watch->filter);
	screen_text((struct cell){ 0, 0, COLS, false }, text);
	screen_bar(1);
	screen_text((struct cell){ 1, 0, names, false }, "NAME");
	screen_text((struct cell){ 1, names + 1, values, true }, "VALUE");
	screen_text((struct cell){ 1, names + 1 + values, RATE_COLUMNS, true },
		    "RATE");
	attrset(A_NORMAL);
}

static void draw_help(const struct watch *watch)
{
	static const char keys[] =
		"q quit  n v r by name, value, rate  / filter  arrows, Page, Home, End scroll";
	char text[MAX_FILTER + 64];

	if (watch->typing) {
		snprintf(text, sizeof(text), "Filter: %s_  (Enter: done, Escape: all)",
			 watch->filter);
		screen_footer(text);
	} else {
		screen_footer(keys);
	}
}

static void draw(void *ctx)
{
	struct watch *watch = ctx;
	size_t i, lines = screen_lines(HEADER_LINES);

	screen_fit(&watch->screen, lines, watch->nr_view);
	for (i = 0; i < lines && watch->screen.top + i < watch->nr_view; i++)
		draw_row(watch->view[watch->screen.top + i], HEADER_LINES + i);
	if (watch->rows.failed)
		screen_text((struct cell){ HEADER_LINES, 0, COLS, false },
			    "out of memory");
	draw_header(watch);
	draw_help(watch);
}

/* ---- The keyboard ------------------------------------------------------ */

static void type_key(struct watch *watch, int key)
{
	size_t len = strlen(watch->filter);

	switch (key) {
	case '\n':
	case '\r':
	case KEY_ENTER:
		watch->typing = false;
		return;
	case SCREEN_ESCAPE:
		watch->typing = false;
		len = 0;
		break;
	case KEY_BACKSPACE:
	case SCREEN_DELETE:
	case '\b':
		/* Delete one UTF-8 character: continuation bytes, then the first byte. */
		while (len && (watch->filter[--len] & 0xc0) == 0x80)
			;
		break;
	default:
		if (key < ' ' || key > 0xff || len == MAX_FILTER)
			return;
		watch->filter[len++] = key;
		break;
	}
	watch->filter[len] = '\0';
	watch->screen.top = 0;
	update_view(watch);
}

static void order_by(struct watch *watch, enum watch_order order)
{
	watch->order = order;
	watch->screen.top = 0;
	update_view(watch);
}

static void press_key(void *ctx, int key)
{
	struct watch *watch = ctx;

	if (watch->typing) {
		type_key(watch, key);
		return;
	}
	if (screen_key(&watch->screen, key, screen_lines(HEADER_LINES),
		       watch->nr_view))
		return;
	switch (key) {
	case 'n':
		order_by(watch, WATCH_BY_NAME);
		break;
	case 'v':
		order_by(watch, WATCH_BY_VALUE);
		break;
	case 'r':
		order_by(watch, WATCH_BY_RATE);
		break;
	case '/':
		watch->typing = true;
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
static int try_trees(struct watch *watch)
{
	struct trees trees = { 0 };
	int status = trees_find(&trees, watch->args->selectors,
				watch->args->nr_selectors);
	bool any = false;
	size_t i;

	if (trees.nr)
		status = worse(status, trees_read(&trees));
	for (i = 0; i < trees.nr; i++)
		any |= tree_is_shown(&trees.trees[i]);
	trees_destroy(&trees);
	return any ? EXIT_DONE : status;
}

/**
 * watch_run() - watch trees until the user quits
 * @args: the options
 *
 * Return: enum exit_code.
 */
int watch_run(const struct watch_args *args)
{
	struct watch watch = {
		.args = args,
		.screen = {
			.interval = args->interval,
			.ops = &ops,
			.ctx = &watch,
		},
	};
	struct vitrine_error *err;
	int status;

	status = try_trees(&watch);
	if (status != EXIT_DONE)
		return status;
	err = screen_run(&watch.screen);
	free(watch.view);
	watch_rows_destroy(&watch.rows);
	return err ? report_error(err) : EXIT_DONE;
}
