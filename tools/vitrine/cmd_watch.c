// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine watch': trees on a live screen. What is on it is watch_rows.c's, the
 * terminal is screen.c's; here are looking, drawing and keys.
 */
#define _GNU_SOURCE	/* wide characters of curses */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <curses.h>

#include "commands.h"
#include "screen.h"
#include "trees.h"
#include "watch_rows.h"

#define MAX_FILTER	63	/* bytes */
#define HEADER_LINES	2
#define RATE_COLUMNS	14
#define MAX_VALUE_COLUMNS	32
/**
 * struct watch - all of the command
 * @args: which trees
 * @nr_args: how many
 * @screen: where it is shown
 * @rows: what there is
 * @view: of these, what is shown, in order
 * @nr_view: how many
 * @nr_trees: that could be read
 * @order: of the view
 * @filter: of the view
 * @typing: keys go to the filter
 */
struct watch {
	char **args;
	int nr_args;
	struct screen screen;
	struct watch_rows rows;
	const struct watch_row **view;
	size_t nr_view;
	size_t nr_trees;
	enum watch_order order;
	char filter[MAX_FILTER + 1];
	bool typing;
};

/* ---- What there is ----------------------------------------------------- */

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
 * Find and read all trees anew: so trees come and go, and those that are filled
 * when they are opened are filled. What cannot be read says so on standard error,
 * which is ours to read.
 */
static void look(void *ctx)
{
	struct watch *watch = ctx;
	struct trees trees = { 0 };
	size_t i;

	watch_rows_begin(&watch->rows, now_ns());
	trees_find(&trees, watch->args, watch->nr_args);
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
	/* Beyond what has room there. */
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

/* The width of the column of values. */
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
	char text[MAX_FILTER + 64];

	screen_bar(LINES - 1);
	if (watch->typing) {
		snprintf(text, sizeof(text), "Filter: %s_  (Enter: done, Escape: all)",
			 watch->filter);
		screen_text((struct cell){ LINES - 1, 0, COLS, false }, text);
	} else {
		screen_text((struct cell){ LINES - 1, 0, COLS, false },
			    "q quit  n v r by name, value, rate  / filter  arrows, Page, Home, End scroll");
	}
	attrset(A_NORMAL);
}

/* Lines that rows have. */
static size_t page_lines(void)
{
	int lines = LINES - HEADER_LINES - 1;

	return lines > 0 ? lines : 0;
}

static void draw(void *ctx)
{
	struct watch *watch = ctx;
	size_t i, lines = page_lines();

	if (watch->screen.top + lines > watch->nr_view)
		watch->screen.top = watch->nr_view > lines ?
				    watch->nr_view - lines : 0;
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
		/* A whole character: bytes that go on, then the first. */
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
	if (screen_scroll(&watch->screen, key, page_lines(), watch->nr_view))
		return;
	switch (key) {
	case 'q':
	case 'Q':
		watch->screen.done = true;
		break;
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
	case SCREEN_CONTROL('L'):
		clearok(curscr, TRUE);
		break;
	}
}

/* ---- All together ------------------------------------------------------ */

/* Whether there is anything to watch; if not, it has been said. */
static int try_trees(struct watch *watch)
{
	struct trees trees = { 0 };
	int status = trees_find(&trees, watch->args, watch->nr_args);
	bool any = trees.nr;

	trees_destroy(&trees);
	return any ? EXIT_DONE : status;
}

/* ---- Command line ------------------------------------------------------ */

static const struct argp_option options[] = {
	{ "interval", 'i', "SECONDS", 0, "From one look to the next; 1 if not given", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct watch *watch = state->input;

	switch (key) {
	case 'i':
		watch->screen.interval = screen_parse_interval(arg, state);
		return 0;
	case ARGP_KEY_ARGS:
		watch->args = state->argv + state->next;
		watch->nr_args = state->argc - state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "[SELECTOR]...",
	.doc = "Watch Inspect trees, or what is selected of them, on a live screen: what\n"
	       "changes is highlighted, numbers have a rate per second.\n"
	       "\013A SELECTOR is TREE[:NODE[/NODE]...[:PROPERTY]], as `vitrine show' takes it.\n"
	       "Without any, all of the module's trees are watched.",
};

/**
 * cmd_watch() - run `vitrine watch'
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code.
 */
int cmd_watch(int argc, char **argv)
{
	struct watch watch = {
		.screen = {
			.interval = 1,
			.look = look,
			.draw = draw,
			.key = press_key,
			.ctx = &watch,
		},
	};
	struct vitrine_error *err;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &watch);
	setlocale(LC_CTYPE, "");
	status = try_trees(&watch);
	if (status != EXIT_DONE)
		return status;
	err = screen_run(&watch.screen, "`vitrine show --live' prints to anything");
	free(watch.view);
	watch_rows_destroy(&watch.rows);
	return err ? report_error(err) : EXIT_DONE;
}
