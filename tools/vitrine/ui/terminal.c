// SPDX-License-Identifier: GPL-2.0
/*
 * Colours and size of the terminal, as terminfo describes it.
 */
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <curses.h>
#include <term.h>

#include "terminal.h"

#define DEFAULT_COLUMNS	80

static bool is_terminal;
static bool is_utf8;
static char *sequences[INK_NR];
static char *plain;
static char *clear_sequence;

/* Return a copy of a capability, because the library reuses its memory; or NULL. */
static char *capability(const char *name)
{
	char *value = tigetstr(name);

	return value && value != (char *)-1 ? strdup(value) : NULL;
}

static char *colour(const char *setaf, int number)
{
	char *value = tparm(setaf, number, 0, 0, 0, 0, 0, 0, 0, 0);

	return value ? strdup(value) : NULL;
}

static void colours_init(void)
{
	static const int colours[INK_NR] = {
		[INK_TITLE]	= COLOR_WHITE,
		[INK_NODE]	= COLOR_BLUE,
		[INK_NUMBER]	= COLOR_CYAN,
		[INK_STRING]	= COLOR_GREEN,
		[INK_OTHER]	= COLOR_YELLOW,
		[INK_FAINT]	= COLOR_MAGENTA,
	};
	char *setaf = capability("setaf");
	int i;

	if (setaf && plain && tigetnum("colors") >= 8)
		for (i = INK_NODE; i < INK_NR; i++)
			sequences[i] = colour(setaf, colours[i]);
	free(setaf);
	sequences[INK_TITLE] = plain ? capability("bold") : NULL;
}

/**
 * term_init() - find out what standard output is capable of
 */
void term_init(void)
{
	const char *no_color = getenv("NO_COLOR");
	int found;

	if (!isatty(STDOUT_FILENO) ||
	    setupterm(NULL, STDOUT_FILENO, &found) != OK)
		return;
	is_terminal = true;
	setlocale(LC_CTYPE, "");
	is_utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	clear_sequence = capability("clear");
	plain = capability("sgr0");
	if (!no_color || !*no_color)
		colours_init();
}

/**
 * term_is_terminal() - find out whether standard output is a terminal
 *
 * Return: true if it is one that terminfo knows.
 */
bool term_is_terminal(void)
{
	return is_terminal;
}

/**
 * term_is_utf8() - find out whether characters beyond ASCII may be written
 *
 * Return: true if standard output is a terminal and the locale is UTF-8.
 */
bool term_is_utf8(void)
{
	return is_utf8;
}

/**
 * term_columns() - measure the width of the terminal
 *
 * Return: its columns now; 80 if they are unknown.
 */
unsigned int term_columns(void)
{
	struct winsize size;
	int cols;

	if (!is_terminal)
		return DEFAULT_COLUMNS;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	cols = tigetnum("cols");
	return cols > 0 ? cols : DEFAULT_COLUMNS;
}

/**
 * term_begin() - switch a colour on
 * @ink: colour
 */
void term_begin(enum term_ink ink)
{
	if (sequences[ink])
		tputs(sequences[ink], 1, putchar);
}

/**
 * term_end() - switch colours off
 */
void term_end(void)
{
	if (sequences[INK_TITLE] || sequences[INK_NODE])
		tputs(plain, 1, putchar);
}

/**
 * term_clear() - clear the screen
 */
void term_clear(void)
{
	if (clear_sequence)
		tputs(clear_sequence, 1, putchar);
}

/**
 * timer_open() - open a timer
 * @ns: interval in nanoseconds; 0: never
 *
 * Return: a descriptor that is readable after each interval; -1 with errno on failure.
 */
int timer_open(uint64_t ns)
{
	struct itimerspec times = {
		.it_interval.tv_sec = ns / 1000000000,
		.it_interval.tv_nsec = ns % 1000000000,
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	times.it_value = times.it_interval;
	if (fd >= 0 && timerfd_settime(fd, 0, &times, NULL)) {
		close(fd);
		return -1;
	}
	return fd;
}

/**
 * signals_open() - block signals, and receive them by a descriptor
 * @signals: the signals, and behind them 0
 * @old: receives the mask before, unless it is NULL
 *
 * Return: a descriptor that is readable when a signal comes; -1 with errno on failure.
 */
int signals_open(const int *signals, sigset_t *old)
{
	sigset_t mask;

	sigemptyset(&mask);
	while (*signals)
		sigaddset(&mask, *signals++);
	if (sigprocmask(SIG_BLOCK, &mask, old))
		return -1;
	return signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}
