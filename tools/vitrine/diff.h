/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What two trees differ in.
 */
#ifndef _VITRINE_DIFF_H
#define _VITRINE_DIFF_H

#include <stdbool.h>

#include "vitrine.h"

/**
 * typedef diff_fn - takes one difference
 * @ctx: the caller's
 * @old: the value in the first tree, NULL if it has none
 * @new: the value in the second tree, NULL if it has none
 *
 * Either is a property or a link, or a node with nothing below it. Both have
 * the same name and the same place.
 *
 * Return: whether to go on.
 */
typedef bool diff_fn(void *ctx, const struct vitrine_value *old,
		     const struct vitrine_value *new);

/* Compare values and their siblings; false if @differs did not want to go on. */
bool diff_values(const struct vitrine_value *old,
		 const struct vitrine_value *new, diff_fn *differs, void *ctx);

/* Whether two trees say the same. */
bool diff_is_same(const struct vitrine_hierarchy *old,
		  const struct vitrine_hierarchy *new);

/* Of two arrays of one type and count: whether an element is the same. */
bool diff_same_element(const struct vitrine_value *old,
		       const struct vitrine_value *new, unsigned int i);

#endif /* _VITRINE_DIFF_H */
