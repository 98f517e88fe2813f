/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Comparison of two trees.
 */
#ifndef _VITRINE_DIFF_H
#define _VITRINE_DIFF_H

#include <stdbool.h>

#include "vitrine.h"

/**
 * typedef diff_fn - handle one difference
 * @old: the value in the first tree, NULL if it has none
 * @new: the value in the second tree, NULL if it has none
 *
 * @old and @new are properties, links, or nodes without children, of the same name
 * and in the same place.
 *
 * Return: false to end the comparison.
 */
typedef bool diff_fn(const struct vitrine_value *old, const struct vitrine_value *new);

/* Compare values and their siblings; return false if @differs ended it, which NULL does. */
bool diff_values(const struct vitrine_value *old,
		 const struct vitrine_value *new, diff_fn *differs);

/* Compare two elements; compare the types of two values, and elements of arrays. */
bool diff_same_slot(const struct vitrine_value *old, const struct vitrine_value *new,
		    unsigned int slot);
bool diff_same_slots(const struct vitrine_value *old, const struct vitrine_value *new,
		     unsigned int nr);

/* diff_print.c */
int diff_run(bool json, char **trees);

#endif /* _VITRINE_DIFF_H */
