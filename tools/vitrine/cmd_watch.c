// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine watch': trees on a live screen, by ncurses. What is on it is
 * watch_rows.c's; here are the screen, the keyboard and the clock.
 *
 * One thread, which waits in one place, watch_run(). Signals arrive there as
 * bytes to read, so that nothing interrupts the drawing of a screen, and the
 * terminal is always given back by the same way out.
 */
#define _GNU_SOURCE	/* memfd_create(), wide characters of curses */
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include <curses.h>

#include "commands.h"
#include "trees.h"
#include "watch_rows.h"

#define MAX_FILTER	63	/* bytes */
#define HEADER_LINES	2
#define RATE_COLUMNS	14
#define MAX_VALUE_COLUMNS	32
#define ESCAPE_MS	25	/* what comes later is no part of a key */

#define KEY_ESCAPE	27
#define KEY_DELETE	127
#define KEY_CONTROL(c)	((c) & 0x1f)

enum { PAIR_CHANGED = 1, PAIR_ERROR };

/**
 * struct watch - all of the command
 * @args: which trees
 * @nr_args: how many
 * @interval: seconds from one look to the next
 * @rows: what there is
 * @view: of these, what is shown, in order
 * @nr_view: how many
 * @nr_trees: that could be read
 * @order: of the view
 * @filter: of the view
 * @typing: keys go to the filter
 * @top: first row of the view on the screen
 * @done: leave
 * @errors: what standard error is while the screen is ours
 */
struct watch {
	char **args;
	int nr_args;
	double interval;
	struct watch_rows rows;
	const struct watch_row **view;
	size_t nr_view;
	size_t nr_trees;
	enum watch_order order;
	char filter[MAX_FILTER + 1];
	bool typing;
	size_t top;
	bool done;
	int errors;
};

static struct vitrine_error *error_of(int code, const char *what)
{
	return vitrine_error_create(code, NULL, VITRINE_NO_OFFSET, NULL,
				    "%s: %s", what, strerror(code));
}

/* ---- What there is ----------------------------------------------------- */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* Each line that has been written to standard error is a row, without our name. */
static void add_errors(struct watch *watch)
{
	off_t len = lseek(watch->errors, 0, SEEK_END);
	char *text = len > 0 ? calloc(1, len + 1) : NULL;
	char *line, *rest = text;

	if (text && pread(watch->errors, text, len, 0) == len)
		while ((line = strsep(&rest, "\n")))
			if (*line)
				watch_rows_add_error(&watch->rows, line +
						     (strncmp(line, "vitrine: ", 9) ?
						      0 : 9));
	free(text);
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
static void look(struct watch *watch)
{
	struct trees trees = { 0 };
	size_t i;

	if (ftruncate(watch->errors, 0) || lseek(watch->errors, 0, SEEK_SET))
		watch->done = true;
	watch_rows_begin(&watch->rows, now_ns());
	trees_find(&trees, watch->args, watch->nr_args);
	trees_read(&trees);
	fflush(stderr);
	add_errors(watch);
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

/**
 * struct cell - a place on the screen for a text
 * @line: which
 * @column: first
 * @columns: how many; what does not fit is cut off
 * @right: text goes to the right
 */
struct cell {
	int line;
	int column;
	int columns;
	bool right;
};

/*
 * The next character of @text, or "?" for what cannot be shown: text of unknown
 * origin must not be able to move the cursor.
 */
static wchar_t next_character(const char **text)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t n = mbrtowc(&c, *text, strlen(*text), &state);

	if (n == (size_t)-1 || n == (size_t)-2) {
		++*text;
		return L'?';
	}
	*text += n;
	return wcwidth(c) > 0 ? c : L'?';
}

static int columns_of(const char *text)
{
	int columns = 0;

	while (*text)
		columns += wcwidth(next_character(&text));
	return columns;
}

/* Draw a text, and say with "~" that there is more of it. */
static void draw_text(struct cell cell, const char *text)
{
	int columns = columns_of(text), used = 0;
	bool cut = columns > cell.columns;

	if (cell.columns <= 0)
		return;
	move(cell.line, cell.column +
	     (cell.right && !cut ? cell.columns - columns : 0));
	while (*text) {
		wchar_t c = next_character(&text);

		used += wcwidth(c);
		if (used > cell.columns - cut)
			break;
		addnwstr(&c, 1);
	}
	if (cut)
		addch('~');
}

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
		return A_BOLD | COLOR_PAIR(PAIR_ERROR);
	if (row->has_changed)
		return A_BOLD | COLOR_PAIR(PAIR_CHANGED);
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
		draw_text(cell, row->name);
	} else {
		format_rate(row, rate);
		cell.columns = names;
		draw_text(cell, row->name);
		cell.column = names + 1;
		cell.columns = values;
		cell.right = true;
		draw_text(cell, row->value);
		cell.column += values;
		cell.columns = RATE_COLUMNS;
		draw_text(cell, rate);
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
		 watch->nr_view, watch->rows.nr, watch->interval,
		 orders[watch->order], *watch->filter ? ", with " : "",
		 watch->filter);
	draw_text((struct cell){ 0, 0, COLS, false }, text);
	attrset(A_REVERSE);
	mvhline(1, 0, ' ', COLS);
	draw_text((struct cell){ 1, 0, names, false }, "NAME");
	draw_text((struct cell){ 1, names + 1, values, true }, "VALUE");
	draw_text((struct cell){ 1, names + 1 + values, RATE_COLUMNS, true },
		  "RATE");
	attrset(A_NORMAL);
}

static void draw_help(const struct watch *watch)
{
	char text[MAX_FILTER + 64];

	attrset(A_REVERSE);
	mvhline(LINES - 1, 0, ' ', COLS);
	if (watch->typing) {
		snprintf(text, sizeof(text), "Filter: %s_  (Enter: done, Escape: all)",
			 watch->filter);
		draw_text((struct cell){ LINES - 1, 0, COLS, false }, text);
	} else {
		draw_text((struct cell){ LINES - 1, 0, COLS, false },
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

static void draw(struct watch *watch)
{
	size_t i, lines = page_lines();

	if (watch->top + lines > watch->nr_view)
		watch->top = watch->nr_view > lines ? watch->nr_view - lines : 0;
	erase();
	for (i = 0; i < lines && watch->top + i < watch->nr_view; i++)
		draw_row(watch->view[watch->top + i], HEADER_LINES + i);
	if (watch->rows.failed)
		draw_text((struct cell){ HEADER_LINES, 0, COLS, false },
			  "out of memory");
	draw_header(watch);
	draw_help(watch);
	refresh();
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
	case KEY_ESCAPE:
		watch->typing = false;
		len = 0;
		break;
	case KEY_BACKSPACE:
	case KEY_DELETE:
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
	watch->top = 0;
	update_view(watch);
}

static void order_by(struct watch *watch, enum watch_order order)
{
	watch->order = order;
	watch->top = 0;
	update_view(watch);
}

static void scroll_by(struct watch *watch, size_t lines, bool up)
{
	if (up)
		watch->top -= watch->top < lines ? watch->top : lines;
	else
		watch->top += lines;
}

static void press_key(struct watch *watch, int key)
{
	switch (key) {
	case 'q':
	case 'Q':
		watch->done = true;
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
	case KEY_UP:
	case 'k':
		scroll_by(watch, 1, true);
		break;
	case KEY_DOWN:
	case 'j':
		scroll_by(watch, 1, false);
		break;
	case KEY_PPAGE:
		scroll_by(watch, page_lines(), true);
		break;
	case KEY_NPAGE:
	case ' ':
		scroll_by(watch, page_lines(), false);
		break;
	case KEY_HOME:
		watch->top = 0;
		break;
	case KEY_END:
		watch->top = watch->nr_view;
		break;
	case KEY_CONTROL('L'):
		clearok(curscr, TRUE);
		break;
	}
}

static void read_keys(struct watch *watch)
{
	int key;

	while (!watch->done && (key = getch()) != ERR) {
		if (key == KEY_RESIZE)
			continue;
		if (watch->typing)
			type_key(watch, key);
		else
			press_key(watch, key);
	}
}

/* ---- Signals and time -------------------------------------------------- */

/* Readable on what ends us or resizes the screen, which then do nothing else. */
static int signals_open(sigset_t *old)
{
	static const int numbers[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH,
	};
	sigset_t signals;
	size_t i;

	sigemptyset(&signals);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&signals, numbers[i]);
	if (sigprocmask(SIG_BLOCK, &signals, old))
		return -1;
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int timer_open(double interval)
{
	struct itimerspec times = {
		.it_interval.tv_sec = interval,
		.it_interval.tv_nsec = (interval - (time_t)interval) * 1e9,
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	times.it_value = times.it_interval;
	if (fd >= 0 && timerfd_settime(fd, 0, &times, NULL)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void read_signals(struct watch *watch, int fd)
{
	struct signalfd_siginfo info;
	struct winsize size;

	while (read(fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGWINCH)
			watch->done = true;
		else if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
			resizeterm(size.ws_row, size.ws_col);
	}
}

/* Until somebody wants it to end, or the terminal is gone. */
static void watch_run(struct watch *watch, int timer, int signals)
{
	enum { KEYS, TIMER, SIGNALS, NR_FDS };
	struct pollfd fds[NR_FDS] = {
		[KEYS]		= { STDIN_FILENO, POLLIN, 0 },
		[TIMER]		= { timer, POLLIN, 0 },
		[SIGNALS]	= { signals, POLLIN, 0 },
	};
	uint64_t ticks;

	while (!watch->done) {
		draw(watch);
		if (poll(fds, NR_FDS, -1) < 0 && errno != EINTR)
			return;
		if (fds[KEYS].revents & (POLLHUP | POLLERR | POLLNVAL))
			return;
		read_signals(watch, signals);
		read_keys(watch);
		if (read(timer, &ticks, sizeof(ticks)) == sizeof(ticks))
			look(watch);
	}
}

/* ---- All together ------------------------------------------------------ */

static void colours_init(void)
{
	const char *no_color = getenv("NO_COLOR");

	if ((no_color && *no_color) || !has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(PAIR_CHANGED, COLOR_YELLOW, -1);
	init_pair(PAIR_ERROR, COLOR_RED, -1);
}

/* With the screen ours, standard error goes to @watch->errors. */
static struct vitrine_error *watch_screen(struct watch *watch, int timer,
					  int signals)
{
	int old_stderr = dup(STDERR_FILENO);
	SCREEN *screen;

	if (old_stderr < 0)
		return error_of(errno, "standard error");
	screen = newterm(NULL, stdout, stdin);
	if (!screen) {
		close(old_stderr);
		return vitrine_error_create(ENOTTY, NULL, VITRINE_NO_OFFSET,
					    "set TERM to what the terminal is",
					    "terminal of an unknown kind");
	}
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	curs_set(0);
	colours_init();
	fflush(stderr);
	dup2(watch->errors, STDERR_FILENO);
	look(watch);
	watch_run(watch, timer, signals);
	endwin();
	delscreen(screen);
	fflush(stderr);
	dup2(old_stderr, STDERR_FILENO);
	close(old_stderr);
	return NULL;
}

static struct vitrine_error *watch_open(struct watch *watch)
{
	struct vitrine_error *err = NULL;
	int timer, signals;
	sigset_t old;

	watch->errors = memfd_create("errors", MFD_CLOEXEC);
	if (watch->errors < 0)
		return error_of(errno, "memory for messages");
	timer = timer_open(watch->interval);
	if (timer < 0) {
		err = error_of(errno, "cannot wait");
		goto out_errors;
	}
	signals = signals_open(&old);
	if (signals < 0) {
		err = error_of(errno, "cannot wait for signals");
		goto out_timer;
	}
	err = watch_screen(watch, timer, signals);
	close(signals);
	/* Whatever still waits would end us: it has. */
	sigprocmask(SIG_SETMASK, &old, NULL);

out_timer:
	close(timer);
out_errors:
	close(watch->errors);
	return err;
}

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

static void parse_interval(struct watch *watch, const char *arg,
			   struct argp_state *state)
{
	char *end;

	watch->interval = strtod(arg, &end);
	if (end == arg || *end || !(watch->interval >= 0.05) ||
	    watch->interval > 86400)
		argp_error(state, "%s is no number of seconds from 0.05 to 86400",
			   arg);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct watch *watch = state->input;

	switch (key) {
	case 'i':
		parse_interval(watch, arg, state);
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
	struct watch watch = { .interval = 1 };
	struct vitrine_error *err;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &watch);
	setlocale(LC_CTYPE, "");
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return report_error(vitrine_error_create(ENOTTY, NULL,
							 VITRINE_NO_OFFSET,
							 "`vitrine show --live' prints to anything",
							 "watching takes a terminal"));
	status = try_trees(&watch);
	if (status != EXIT_DONE)
		return status;
	err = watch_open(&watch);
	free(watch.view);
	watch_rows_destroy(&watch.rows);
	return err ? report_error(err) : EXIT_DONE;
}
