/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of trees as text: elements of arrays of numbers, buckets of histograms, the outline for
 * people, and JSON, whose schema is in Documentation/json.rst.
 *
 * Bucket 0 of a histogram is the underflow, for values below the floor; the last one is the
 * overflow. Bound i is the end of bucket i and the begin of bucket i + 1.
 */
#ifndef _VITRINE_SHOW_H
#define _VITRINE_SHOW_H

#include <stddef.h>

#include "ui/json.h"
#include "ui/line.h"
#include "value.h"

/* Format a number in decimal, or "true" or "false"; convert it to a double. */
void number_format(struct vtr_number number, char text[DECIMAL_TEXT_BYTES]);
double number_real(struct vtr_number number);
/* Return an integer, to compute without an overflow; 0 if it is another number. */
__int128 number_integer(struct vtr_number number);

/* Count the elements of an array before the buckets: floor, step, multiplier. */
unsigned int histogram_nr_parameters(const struct vitrine_value *array);
/* Compute bound @i; of integers, exactly. */
struct vtr_number histogram_bound(const struct vitrine_value *histogram, unsigned int i);
bool histogram_integer_bound(const struct vitrine_value *histogram, unsigned int i, __int128 *ret);
/* Format the sum of all counts in decimal. */
double histogram_format_total(const struct vitrine_value *histogram,
			      char text[DECIMAL_TEXT_BYTES]);

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

/* Print the index of an element or the range of a bucket; print a number or a string. */
void outline_element_place(const struct vitrine_value *array, unsigned int i);
void outline_slot(const struct vitrine_value *value, unsigned int slot);

/* Write a value; write a whole tree as one object. */
void json_value(const struct vitrine_value *value);
void json_hierarchy(const struct vitrine_hierarchy *hierarchy);

#endif /* _VITRINE_SHOW_H */
