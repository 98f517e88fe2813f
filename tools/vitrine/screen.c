// SPDX-License-Identifier: GPL-2.0
/*
 * A live screen, by ncurses. What is on it is its user's.
 *
 * One thread, which waits in one place, run(). Signals arrive there as bytes to
 * read, so that nothing interrupts the drawing of a screen, and the terminal is
 * always given back by the same way out.
 */
#define _GNU_SOURCE	/* memfd_create(), wide characters of curses */
#include <argp.h>
#include <errno.h>
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

#include "screen.h"
#include "utf8.h"

#define ESCAPE_MS	25	/* what comes later is no part of a key */

static struct vitrine_error *error_of(int code, const char *what)
{
	return vitrine_error_create(code, NULL, VITRINE_NO_OFFSET, NULL,
				    "%s: %s", what, strerror(code));
}

/* ---- Text -------------------------------------------------------------- */

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
	return wcwidth(c) > 0 && utf8_is_printable(c) ? c : L'?';
}

static int columns_of(const char *text)
{
	int columns = 0;

	while (*text)
		columns += wcwidth(next_character(&text));
	return columns;
}

/**
 * screen_text() - draw a text, and say with "~" that there is more of it
 * @cell: where
 * @text: what
 */
void screen_text(struct cell cell, const char *text)
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

/**
 * screen_bar() - clear a line, in reverse; so is what is drawn until attrset()
 * @line: which
 */
void screen_bar(int line)
{
	attrset(A_REVERSE);
	mvhline(line, 0, ' ', COLS);
}

/**
 * screen_scroll() - take a key that scrolls
 * @screen: screen; its @top changes
 * @key: key
 * @page: rows on the screen
 * @nr: rows there are
 *
 * Return: false if the key does something else.
 */
bool screen_scroll(struct screen *screen, int key, size_t page, size_t nr)
{
	size_t lines = key == KEY_PPAGE || key == KEY_NPAGE || key == ' ' ?
		       page : 1;

	switch (key) {
	case KEY_UP:
	case 'k':
	case KEY_PPAGE:
		screen->top -= screen->top < lines ? screen->top : lines;
		return true;
	case KEY_DOWN:
	case 'j':
	case KEY_NPAGE:
	case ' ':
		screen->top += lines;
		return true;
	case KEY_HOME:
		screen->top = 0;
		return true;
	case KEY_END:
		screen->top = nr;
		return true;
	default:
		return false;
	}
}

/* ---- Keyboard, signals and time ---------------------------------------- */

static void read_keys(struct screen *screen)
{
	int key;

	while (!screen->done && (key = getch()) != ERR)
		if (key != KEY_RESIZE)
			screen->key(screen->ctx, key);
}

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

static void read_signals(struct screen *screen, int fd)
{
	struct signalfd_siginfo info;
	struct winsize size;

	while (read(fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGWINCH)
			screen->done = true;
		else if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
			resizeterm(size.ws_row, size.ws_col);
	}
}

/* What was written to standard error at the last look is gone at the next. */
static void look(struct screen *screen)
{
	if (ftruncate(screen->errors, 0) ||
	    lseek(screen->errors, 0, SEEK_SET))
		screen->done = true;
	screen->look(screen->ctx);
}

/* Until somebody wants it to end, or the terminal is gone. */
static void run(struct screen *screen, int timer, int signals)
{
	enum { KEYS, TIMER, SIGNALS, NR_FDS };
	struct pollfd fds[NR_FDS] = {
		[KEYS]		= { STDIN_FILENO, POLLIN, 0 },
		[TIMER]		= { timer, POLLIN, 0 },
		[SIGNALS]	= { signals, POLLIN, 0 },
	};
	uint64_t ticks;

	while (!screen->done) {
		erase();
		screen->draw(screen->ctx);
		refresh();
		if (poll(fds, NR_FDS, -1) < 0 && errno != EINTR)
			return;
		if (fds[KEYS].revents & (POLLHUP | POLLERR | POLLNVAL))
			return;
		read_signals(screen, signals);
		read_keys(screen);
		if (read(timer, &ticks, sizeof(ticks)) == sizeof(ticks))
			look(screen);
	}
}

/* ---- The terminal ------------------------------------------------------ */

static void colours_init(void)
{
	const char *no_color = getenv("NO_COLOR");

	if ((no_color && *no_color) || !has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(SCREEN_CHANGED, COLOR_YELLOW, -1);
	init_pair(SCREEN_ERROR, COLOR_RED, -1);
}

/* With the screen ours, standard error goes to @screen->errors. */
static struct vitrine_error *with_terminal(struct screen *screen, int timer,
					   int signals)
{
	int old_stderr = dup(STDERR_FILENO);
	SCREEN *terminal;

	if (old_stderr < 0)
		return error_of(errno, "standard error");
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal) {
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
	dup2(screen->errors, STDERR_FILENO);
	look(screen);
	run(screen, timer, signals);
	endwin();
	delscreen(terminal);
	fflush(stderr);
	dup2(old_stderr, STDERR_FILENO);
	close(old_stderr);
	return NULL;
}

/**
 * screen_run() - show a live screen until somebody wants it to end
 * @screen: screen, with the first five members set
 * @instead: what to do without a terminal
 *
 * Return: NULL, or an error: ENOTTY if there is no terminal.
 */
struct vitrine_error *screen_run(struct screen *screen, const char *instead)
{
	struct vitrine_error *err = NULL;
	int timer, signals;
	sigset_t old;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return vitrine_error_create(ENOTTY, NULL, VITRINE_NO_OFFSET,
					    instead, "watching takes a terminal");
	screen->errors = memfd_create("errors", MFD_CLOEXEC);
	if (screen->errors < 0)
		return error_of(errno, "memory for messages");
	timer = timer_open(screen->interval);
	if (timer < 0) {
		err = error_of(errno, "cannot wait");
		goto out_errors;
	}
	signals = signals_open(&old);
	if (signals < 0) {
		err = error_of(errno, "cannot wait for signals");
		goto out_timer;
	}
	err = with_terminal(screen, timer, signals);
	close(signals);
	/* Whatever still waits would end us: it has. */
	sigprocmask(SIG_SETMASK, &old, NULL);

out_timer:
	close(timer);
out_errors:
	close(screen->errors);
	return err;
}

/**
 * screen_errors() - tell what has been written to standard error
 * @screen: screen
 * @line: told each line, without our name in front
 * @ctx: its context
 */
void screen_errors(const struct screen *screen,
		   void (*line)(void *ctx, const char *text), void *ctx)
{
	const char *name = "vitrine: ";
	char *text, *at, *rest;
	off_t len;

	fflush(stderr);
	len = lseek(screen->errors, 0, SEEK_END);
	text = len > 0 ? calloc(1, len + 1) : NULL;
	rest = text;
	if (text && pread(screen->errors, text, len, 0) == len)
		while ((at = strsep(&rest, "\n")))
			if (*at)
				line(ctx, at + (strncmp(at, name, strlen(name)) ?
						0 : strlen(name)));
	free(text);
}

/**
 * screen_parse_interval() - take the argument of --interval
 * @arg: argument
 * @state: argp's; what makes no sense ends the program, with a message
 *
 * Return: seconds.
 */
double screen_parse_interval(const char *arg, struct argp_state *state)
{
	char *end;
	double interval = strtod(arg, &end);

	if (end == arg || *end || !(interval >= 0.05) || interval > 86400)
		argp_error(state, "%s is no number of seconds from 0.05 to 86400",
			   arg);
	return interval;
}
