// SPDX-License-Identifier: GPL-2.0
/*
 * A live screen with ncurses. The caller draws its contents.
 *
 * One thread, which waits in one place, run(). Signals arrive there through a
 * descriptor, so that none interrupts the drawing, and the terminal is restored in
 * one place.
 */
#define _GNU_SOURCE	/* memfd_create(), wide characters of curses */
#include <argp.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <wchar.h>

#include <curses.h>

#include "base.h"
#include "command.h"
#include "escape.h"
#include "label.h"
#include "screen.h"
#include "terminal.h"

struct screen screen;

#define ESCAPE_MS	25	/* bytes that arrive later belong to another key */

/* ---- Text -------------------------------------------------------------- */

/*
 * Decode the next character of @text, or "?" if it cannot be shown: text of unknown
 * origin must not move the cursor.
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
	return wcwidth(c) > 0 && character_is_printable(c) ? c : L'?';
}

static int columns_of(const char *text)
{
	int columns = 0;

	while (*text)
		columns += wcwidth(next_character(&text));
	return columns;
}

/**
 * screen_text() - draw a text; a "~" at its end shows that it was cut off
 * @line: line
 * @column: first column
 * @columns: how many; longer text is cut off
 * @right: align the text to the right
 * @text: text
 */
void screen_text(int line, int column, int columns, bool right, const char *text)
{
	int needed = columns_of(text), used = 0;
	bool cut = needed > columns;

	if (columns <= 0)
		return;
	move(line, column + (right && !cut ? columns - needed : 0));
	while (*text) {
		wchar_t c = next_character(&text);

		used += wcwidth(c);
		if (used > columns - cut)
			break;
		addnwstr(&c, 1);
	}
	if (cut)
		addch('~');
}

/**
 * screen_bar() - clear a line in reverse video, which stays on until attrset()
 * @line: line
 */
void screen_bar(int line)
{
	attrset(A_REVERSE);
	mvhline(line, 0, ' ', COLS);
}

/**
 * screen_footer() - draw the last line, in reverse video
 * @text: text
 */
void screen_footer(const char *text)
{
	screen_bar(LINES - 1);
	screen_text(LINES - 1, 0, COLS, false, text);
	attrset(A_NORMAL);
}

/**
 * screen_lines() - compute how many lines are left for rows
 * @used: lines above the rows
 *
 * Return: number of lines between these and the footer.
 */
size_t screen_lines(int used)
{
	return LINES - used > 1 ? LINES - used - 1 : 0;
}

/**
 * screen_fit() - scroll back if rows would end above the footer
 * @page: rows that fit on the screen
 * @nr: rows in total
 */
void screen_fit(size_t page, size_t nr)
{
	if (screen.top + page > nr)
		screen.top = nr > page ? nr - page : 0;
}

/**
 * screen_key() - handle a key that quits, redraws or scrolls
 * @key: key
 * @page: rows that fit on the screen
 * @nr: rows in total
 *
 * Return: false if it is another key.
 */
bool screen_key(int key, size_t page, size_t nr)
{
	size_t lines = key == KEY_PPAGE || key == KEY_NPAGE || key == ' ' ?
		       page : 1;

	switch (key) {
	case 'q':
	case 'Q':
		screen.done = true;
		return true;
	case SCREEN_CONTROL('L'):
		clearok(curscr, TRUE);
		return true;
	case KEY_UP:
	case 'k':
	case KEY_PPAGE:
		screen.top -= screen.top < lines ? screen.top : lines;
		return true;
	case KEY_DOWN:
	case 'j':
	case KEY_NPAGE:
	case ' ':
		screen.top += lines;
		return true;
	case KEY_HOME:
		screen.top = 0;
		return true;
	case KEY_END:
		screen.top = nr;
		return true;
	default:
		return false;
	}
}

/* ---- Keyboard, signals and time ---------------------------------------- */

static void read_keys(void)
{
	int key;

	while (!screen.done && (key = getch()) != ERR)
		if (key != KEY_RESIZE)
			screen.ops->key(key);
}

static void read_signals(int fd)
{
	struct signalfd_siginfo info;
	struct winsize size;

	while (read(fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGWINCH) {
			screen.done = true;
			continue;
		}
		if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
			resizeterm(size.ws_row, size.ws_col);
		/* A terminal that has its old size again may have moved or cut what it shows. */
		clearok(curscr, TRUE);
	}
}

/* Empty the buffer of standard error, then let the caller read anew. */
static void look(void)
{
	if (ftruncate(screen.errors, 0) ||
	    lseek(screen.errors, 0, SEEK_SET))
		screen.done = true;
	screen.ops->look();
}

/* Handle keys, signals and the timer until the user quits or the terminal is gone. */
static void run(int timer, int signals)
{
	enum { KEYS, TIMER, SIGNALS, NR_FDS };
	struct pollfd fds[NR_FDS] = {
		[KEYS]		= { STDIN_FILENO, POLLIN, 0 },
		[TIMER]		= { timer, POLLIN, 0 },
		[SIGNALS]	= { signals, POLLIN, 0 },
	};
	uint64_t ticks;

	while (!screen.done) {
		erase();
		screen.ops->draw();
		refresh();
		if (poll(fds, NR_FDS, -1) < 0 && errno != EINTR)
			return;
		if (fds[KEYS].revents & (POLLHUP | POLLERR | POLLNVAL))
			return;
		read_signals(signals);
		read_keys();
		if (read(timer, &ticks, sizeof(ticks)) == sizeof(ticks))
			look();
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

/* While curses owns the screen, standard error is here, and goes to screen.errors. */
static int old_stderr = -1;

/* Leave the screen: at its end, or when must() has ended the command. */
static void leave(void)
{
	if (old_stderr < 0)
		return;
	endwin();
	fflush(stderr);
	dup2(old_stderr, STDERR_FILENO);
	close(old_stderr);
	old_stderr = -1;
}

static void with_terminal(int timer, int signals)
{
	SCREEN *terminal;

	old_stderr = dup(STDERR_FILENO);
	if (old_stderr < 0 || atexit(leave))
		must(vtr_error_os(errno, NULL, "cannot redirect standard error"));
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal) {
		close(old_stderr);
		old_stderr = -1;
		must(make_error(ENOTTY, NULL, "set TERM to the type of the terminal",
				"unknown terminal type"));
	}
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	curs_set(0);
	colours_init();
	fflush(stderr);
	dup2(screen.errors, STDERR_FILENO);
	look();
	run(timer, signals);
	leave();
	delscreen(terminal);
}

/**
 * screen_run() - show a live screen, whose interval and contents are set, until the user quits
 *
 * Without a terminal, the command ends.
 */
void screen_run(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, 0 };
	int timer, signals;
	sigset_t old;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		must(make_error(ENOTTY, NULL, screen.ops->instead,
				"input and output must be a terminal"));
	setlocale(LC_CTYPE, "");
	screen.errors = memfd_create("errors", MFD_CLOEXEC);
	if (screen.errors < 0)
		must(vtr_error_os(errno, NULL, "cannot create a file for messages"));
	timer = timer_open(screen.interval * 1e9);
	if (timer < 0)
		must(vtr_error_os(errno, NULL, "cannot wait"));
	signals = signals_open(ending, &old);
	if (signals < 0)
		must(vtr_error_os(errno, NULL, "cannot wait for signals"));
	with_terminal(timer, signals);
	close(signals);
	/* A signal that is still pending ends the process here, as it should. */
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(timer);
	close(screen.errors);
}

/**
 * screen_errors() - read what has been written to standard error
 * @line: called with each line, without "vitrine: " in front
 */
void screen_errors(void (*line)(const char *text))
{
	const char *name = "vitrine: ";
	char *text, *at, *rest;
	off_t len;

	fflush(stderr);
	len = lseek(screen.errors, 0, SEEK_END);
	text = len > 0 ? calloc(1, len + 1) : NULL;
	rest = text;
	if (text && pread(screen.errors, text, len, 0) == len)
		while ((at = strsep(&rest, "\n")))
			if (*at)
				line(at + (strncmp(at, name, strlen(name)) ? 0 : strlen(name)));
	free(text);
}

/**
 * screen_parse_interval() - parse the argument of --interval
 * @arg: argument
 * @state: argp's; an invalid argument ends the program with a message
 *
 * Return: seconds.
 */
double screen_parse_interval(const char *arg, struct argp_state *state)
{
	return units_duration(arg, NSEC_PER_SEC / 20, 24 * 3600 * NSEC_PER_SEC,
			      state) / (double)NSEC_PER_SEC;
}
