/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trees as an indented outline, for people.
 */
#ifndef _VITRINE_OUTLINE_H
#define _VITRINE_OUTLINE_H

#include "vitrine.h"

/* Print @title and below it the tree, to standard output. */
void outline_print(const char *title, const struct vitrine_hierarchy *hierarchy);

#endif /* _VITRINE_OUTLINE_H */
