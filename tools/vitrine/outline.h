/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trees as an indented outline, for people.
 */
#ifndef _VITRINE_OUTLINE_H
#define _VITRINE_OUTLINE_H

#include <stddef.h>

#include "vitrine.h"

/* Print @title and below it the tree, to standard output. */
void outline_print(const char *title, const struct vitrine_hierarchy *hierarchy);

/* Text of unknown origin, safe for a terminal, and the columns it takes. */
void outline_text(const char *text);
size_t outline_columns(const char *text);

/*
 * A name as a selector has it. A value, from @column on; if it takes more
 * lines, these begin in @indent. None ends the line.
 */
void outline_selector_name(const char *name, size_t len);
void outline_value(const struct vitrine_value *value, size_t column,
		   int indent);

/* Which element of an array or bucket of a histogram; an element. */
void outline_element_place(const struct vitrine_value *array, unsigned int i);
void outline_element(const struct vitrine_value *array, unsigned int i);

#endif /* _VITRINE_OUTLINE_H */
