/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A live screen with ncurses: the terminal, the keyboard, signals and the timer.
 */
#ifndef _VITRINE_SCREEN_H
#define _VITRINE_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#define SCREEN_ESCAPE		27
#define SCREEN_DELETE		127
#define SCREEN_CONTROL(c)	((c) & 0x1f)

/* Pairs of colours. */
enum { SCREEN_CHANGED = 1, SCREEN_ERROR };

/**
 * struct screen_ops - contents of a screen
 * @look: read what is to be shown
 * @draw: draw it
 * @key: handle a key
 * @instead: advice for output that is not a terminal
 */
struct screen_ops {
	void (*look)(void);
	void (*draw)(void);
	void (*key)(int key);
	const char *instead;
};

/**
 * struct screen - the live screen
 * @interval: seconds between two refreshes
 * @ops: its contents
 * @done: set by these functions to leave the screen
 * @errors: file that standard error goes to meanwhile
 * @top: first row shown, of the rows that scroll
 */
extern struct screen {
	double interval;
	const struct screen_ops *ops;
	bool done;
	int errors;
	size_t top;
} screen;

/* Parse the argument of --interval. */
struct argp_state;
double screen_parse_interval(const char *arg, struct argp_state *state);

void screen_run(void);
void screen_text(int line, int column, int columns, bool right, const char *text);
void screen_bar(int line);
void screen_footer(const char *text);
size_t screen_lines(int used);
void screen_fit(size_t page, size_t nr);
bool screen_key(int key, size_t page, size_t nr);
void screen_errors(void (*line)(const char *text));

#endif /* _VITRINE_SCREEN_H */
