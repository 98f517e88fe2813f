/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trees as an indented outline for people.
 */
#ifndef _VITRINE_OUTLINE_H
#define _VITRINE_OUTLINE_H

#include <stddef.h>

#include "vitrine.h"

/* Print @title and the tree below it to standard output. */
void outline_print(const char *title, const struct vitrine_hierarchy *hierarchy);

/* Print text of unknown origin, escaped for a terminal; measure its columns. */
void outline_text(const char *text);
size_t outline_columns(const char *text);

/*
 * Print a name with the escapes of a selector; print a value at @column, with further
 * lines at @indent. Neither ends the line.
 */
void outline_selector_name(const char *name, size_t len);
void outline_value(const struct vitrine_value *value, size_t column,
		   int indent);

/* Print the index of an element or the range of a bucket; print an element. */
void outline_element_place(const struct vitrine_value *array, unsigned int i);
void outline_element(const struct vitrine_value *array, unsigned int i);

#endif /* _VITRINE_OUTLINE_H */
