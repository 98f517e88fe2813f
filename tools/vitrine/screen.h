/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A live screen, by ncurses: the terminal, the keyboard, signals and the clock.
 */
#ifndef _VITRINE_SCREEN_H
#define _VITRINE_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "vitrine.h"

#define SCREEN_ESCAPE		27
#define SCREEN_DELETE		127
#define SCREEN_CONTROL(c)	((c) & 0x1f)

/* Of the colours of a screen, if it has any. */
enum { SCREEN_CHANGED = 1, SCREEN_ERROR };

/**
 * struct screen - a live screen
 * @interval: seconds from one look to the next
 * @look: see what there is now
 * @draw: draw it
 * @key: a key was pressed
 * @ctx: theirs
 * @done: set by them: leave
 * @errors: what standard error is while the screen is ours
 * @top: first row that is shown, of those that can be scrolled
 */
struct screen {
	double interval;
	void (*look)(void *ctx);
	void (*draw)(void *ctx);
	void (*key)(void *ctx, int key);
	void *ctx;
	bool done;
	int errors;
	size_t top;
};

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

/* argp's: take the argument of --interval. */
struct argp_state;
double screen_parse_interval(const char *arg, struct argp_state *state);

struct vitrine_error *screen_run(struct screen *screen, const char *instead);
void screen_text(struct cell cell, const char *text);
void screen_bar(int line);
bool screen_scroll(struct screen *screen, int key, size_t page, size_t nr);
void screen_errors(const struct screen *screen,
		   void (*line)(void *ctx, const char *text), void *ctx);

#endif /* _VITRINE_SCREEN_H */
