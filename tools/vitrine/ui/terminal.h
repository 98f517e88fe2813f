/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Colours and size of a terminal, as terminfo describes it, no colours elsewhere; the times and
 * signals for which an interactive command waits.
 */
#ifndef _VITRINE_TERMINAL_H
#define _VITRINE_TERMINAL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum term_ink {
	INK_TITLE,
	INK_NODE,
	INK_NUMBER,
	INK_STRING,
	INK_OTHER,
	INK_FAINT,
	INK_NR,
};

/*
 * Find out what standard output is capable of: colours are used if it is a terminal
 * that has them and NO_COLOR is not set.
 */
void term_init(void);
bool term_is_terminal(void);
bool term_is_utf8(void);
unsigned int term_columns(void);

/* Switch a colour on, switch colours off. */
void term_begin(enum term_ink ink);
void term_end(void);

/* Clear the screen. */
void term_clear(void);

/* Open a timer that expires every @ns, or never if it is 0; -1 with errno on failure. */
int timer_open(uint64_t ns);

/* Block signals, up to 0, and open a descriptor that receives them; -1 with errno on failure. */
int signals_open(const int *signals, sigset_t *old);

#endif /* _VITRINE_TERMINAL_H */
