/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exit codes, and the printing of errors and notes.
 */
#ifndef _VITRINE_REPORT_H
#define _VITRINE_REPORT_H

#include "vitrine.h"

enum exit_code {
	EXIT_DONE		= 0,
	EXIT_BAD_INPUT		= 1,
	EXIT_USAGE		= 2,
	EXIT_ENVIRONMENT	= 3,
};

/* Return the worse of two exit codes. */
static inline int worse(int a, int b)
{
	return a > b ? a : b;
}

/* Print "vitrine: ERROR" to standard error; return the exit code for it. */
int print_error(const struct vitrine_error *err);
/* The same, and destroy the error. */
int report_error(struct vitrine_error *err);
/* Print "vitrine: NAME: NOTE" to standard error, with a newline. */
__attribute__((format(printf, 2, 3)))
void print_note(const char *name, const char *format, ...);

#endif /* _VITRINE_REPORT_H */
