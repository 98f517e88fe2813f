// SPDX-License-Identifier: GPL-2.0
/*
 * Compare two trees. Siblings have the same order in both, so one walk over both
 * side by side finds all differences. Nothing is copied.
 */
#include <limits.h>
#include <string.h>

#include "value.h"
#include "diff.h"

/* ---- Values ------------------------------------------------------------ */

/**
 * diff_same_slot() - compare properties, or elements of two arrays
 * @old: property
 * @new: property
 * @slot: of arrays, index of the elements
 *
 * Return: true if they are equal; a NaN equals itself.
 */
bool diff_same_slot(const struct vitrine_value *old, const struct vitrine_value *new,
		    unsigned int slot)
{
	struct vtr_number a = vtr_value_number(old, slot);
	struct vtr_number b = vtr_value_number(new, slot);
	const char *a_bytes, *b_bytes;
	size_t a_len, b_len;

	if (a.type <= VITRINE_BOOL)
		return a.type == b.type && a.u == b.u;
	a_bytes = vtr_value_text(old, slot, &a_len);
	b_bytes = vtr_value_text(new, slot, &b_len);
	return a.type == b.type && a_len == b_len && !memcmp(a_bytes, b_bytes, a_len);
}

/**
 * diff_same_slots() - compare types; of arrays, also the format, the length and elements
 * @old: property
 * @new: property
 * @nr: number of elements to compare; UINT_MAX: all
 *
 * Return: true if they are equal.
 */
bool diff_same_slots(const struct vitrine_value *old, const struct vitrine_value *new,
		     unsigned int nr)
{
	struct vitrine_array a = vitrine_value_array(old);
	struct vitrine_array b = vitrine_value_array(new);
	unsigned int i;

	if (vitrine_value_type(old) != vitrine_value_type(new) ||
	    a.type != b.type || a.format != b.format || a.count != b.count)
		return false;
	for (i = 0; i < a.count && i < nr; i++)
		if (!diff_same_slot(old, new, i))
			return false;
	return true;
}

static int link_code(const struct vitrine_value *value)
{
	const struct vitrine_error *err = vitrine_value_link_error(value);

	return err ? err->code : 0;
}

static bool same_property(const struct vitrine_value *old, const struct vitrine_value *new)
{
	bool is_array = vitrine_value_type(old) == VITRINE_ARRAY;

	return diff_same_slots(old, new, UINT_MAX) &&
	       (is_array || diff_same_slot(old, new, 0)) &&
	       vitrine_value_disposition(old) == vitrine_value_disposition(new) &&
	       link_code(old) == link_code(new);
}

/* ---- The walk ---------------------------------------------------------- */

static bool is_node(const struct vitrine_value *value)
{
	return vitrine_value_type(value) == VITRINE_NODE;
}

/* Report @value, or everything below it, as present in one tree only. */
static bool only_in_one(diff_fn *differs, const struct vitrine_value *value, bool in_new)
{
	const struct vitrine_value *child = vitrine_value_first_child(value);

	if (!child)
		return differs &&
		       differs(in_new ? NULL : value, in_new ? value : NULL);
	for (; child; child = vitrine_value_next(child))
		if (!only_in_one(differs, child, in_new))
			return false;
	return true;
}

static bool walk_siblings(diff_fn *differs, const struct vitrine_value *old,
			  const struct vitrine_value *new);

/* Compare two values of the same name. */
static bool walk_pair(diff_fn *differs, const struct vitrine_value *old,
		      const struct vitrine_value *new)
{
	if (is_node(old) && is_node(new))
		return walk_siblings(differs, vitrine_value_first_child(old),
				     vitrine_value_first_child(new));
	if (is_node(old) || is_node(new))
		return only_in_one(differs, old, false) && only_in_one(differs, new, true);
	return same_property(old, new) ||
	       (differs && differs(old, new));
}

static bool walk_siblings(diff_fn *differs, const struct vitrine_value *old,
			  const struct vitrine_value *new)
{
	bool go_on = true;
	int order;

	while (go_on && (old || new)) {
		order = !old ? 1 : !new ? -1 : vitrine_value_compare(old, new);
		if (order < 0)
			go_on = only_in_one(differs, old, false);
		else if (order > 0)
			go_on = only_in_one(differs, new, true);
		else
			go_on = walk_pair(differs, old, new);
		old = order <= 0 ? vitrine_value_next(old) : old;
		new = order >= 0 ? vitrine_value_next(new) : new;
	}
	return go_on;
}

/**
 * diff_values() - find the differences of two trees, or of parts of them
 * @old: first of some siblings, or NULL
 * @new: first of some siblings, or NULL
 * @differs: called for each difference, in the order of names; NULL: end at the first one
 *
 * Return: false if the comparison was ended.
 */
bool diff_values(const struct vitrine_value *old, const struct vitrine_value *new,
		 diff_fn *differs)
{
	return walk_siblings(differs, old, new);
}
