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
	void (*look)(void *ctx);
	void (*draw)(void *ctx);
	void (*key)(void *ctx, int key);
	const char *instead;
};

/**
 * struct screen - a live screen
 * @interval: seconds between two refreshes
 * @ops: its contents
 * @ctx: passed to the functions of @ops
 * @done: set by these functions to leave the screen
 * @errors: file that standard error goes to meanwhile
 * @top: first row shown, of the rows that scroll
 */
struct screen {
	double interval;
	const struct screen_ops *ops;
	void *ctx;
	bool done;
	int errors;
	size_t top;
};

/**
 * struct cell - a place on the screen for a text
 * @line: line
 * @column: first column
 * @columns: how many; longer text is cut off
 * @right: align the text to the right
 */
struct cell {
	int line;
	int column;
	int columns;
	bool right;
};

/* Parse the argument of --interval. */
struct argp_state;
double screen_parse_interval(const char *arg, struct argp_state *state);

void screen_run(struct screen *screen);
void screen_text(struct cell cell, const char *text);
void screen_bar(int line);
void screen_footer(const char *text);
size_t screen_lines(int used);
void screen_fit(struct screen *screen, size_t page, size_t nr);
bool screen_key(struct screen *screen, int key, size_t page, size_t nr);
void screen_errors(const struct screen *screen,
		   void (*line)(void *ctx, const char *text), void *ctx);

#endif /* _VITRINE_SCREEN_H */
