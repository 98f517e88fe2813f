/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwinding a saved stack with libdw.
 */
#ifndef _VITRINE_DWARF_UNWIND_H
#define _VITRINE_DWARF_UNWIND_H

#include <stdbool.h>
#include <stdio.h>

#define UNWIND_QUESTION	"stack "

bool unwind_is_regular(const char *path);
int unwind_answer(FILE *questions, const char *line);

#endif /* _VITRINE_DWARF_UNWIND_H */
