// SPDX-License-Identifier: GPL-2.0
/*
 * Compare two trees. Siblings have the same order in both, so one walk over both
 * side by side finds all differences. Nothing is copied.
 */
#include <limits.h>
#include <string.h>

#include "diff.h"

/* ---- Values ------------------------------------------------------------ */

static bool same_bytes(const void *a, size_t a_len, const void *b, size_t b_len)
{
	return a_len == b_len && !memcmp(a, b, a_len);
}

static bool same_content(const struct vitrine_value *old,
			 const struct vitrine_value *new)
{
	size_t old_len, new_len;
	const void *old_bytes = vitrine_value_bytes(old, &old_len);
	const void *new_bytes = vitrine_value_bytes(new, &new_len);

	return same_bytes(old_bytes, old_len, new_bytes, new_len);
}

/* Compare by bits, so that a NaN equals itself. */
static bool same_double(double a, double b)
{
	return !memcmp(&a, &b, sizeof(a));
}

/**
 * diff_same_element() - compare one element of two arrays
 * @old: array
 * @new: array of the same type
 * @i: index of the element
 *
 * Return: true if it is equal in both.
 */
bool diff_same_element(const struct vitrine_value *old,
		       const struct vitrine_value *new, unsigned int i)
{
	size_t old_len, new_len;
	const char *old_bytes, *new_bytes;

	switch (vitrine_value_array(old).type) {
	case VITRINE_INT:
		return vitrine_value_array_int(old, i) ==
		       vitrine_value_array_int(new, i);
	case VITRINE_UINT:
		return vitrine_value_array_uint(old, i) ==
		       vitrine_value_array_uint(new, i);
	case VITRINE_DOUBLE:
		return same_double(vitrine_value_array_double(old, i),
				   vitrine_value_array_double(new, i));
	default:
		old_bytes = vitrine_value_array_string(old, i, &old_len);
		new_bytes = vitrine_value_array_string(new, i, &new_len);
		return same_bytes(old_bytes, old_len, new_bytes, new_len);
	}
}

/**
 * diff_same_elements() - compare the first elements of two arrays
 * @old: an array
 * @new: an array
 * @nr: number of elements to compare; UINT_MAX: all
 *
 * Return: true if they are equal, and the arrays have the same type, format and length.
 */
bool diff_same_elements(const struct vitrine_value *old,
			const struct vitrine_value *new, unsigned int nr)
{
	struct vitrine_array a = vitrine_value_array(old);
	struct vitrine_array b = vitrine_value_array(new);
	unsigned int i;

	if (a.type != b.type || a.format != b.format || a.count != b.count)
		return false;
	for (i = 0; i < a.count && i < nr; i++)
		if (!diff_same_element(old, new, i))
			return false;
	return true;
}

static bool same_link(const struct vitrine_value *old,
		      const struct vitrine_value *new)
{
	const struct vitrine_error *a = vitrine_value_link_error(old);
	const struct vitrine_error *b = vitrine_value_link_error(new);

	return same_content(old, new) &&
	       vitrine_value_disposition(old) == vitrine_value_disposition(new) &&
	       (a ? a->code : 0) == (b ? b->code : 0);
}

static bool same_property(const struct vitrine_value *old,
			  const struct vitrine_value *new)
{
	if (vitrine_value_type(old) != vitrine_value_type(new))
		return false;
	switch (vitrine_value_type(old)) {
	case VITRINE_NODE:
		return true;
	case VITRINE_INT:
		return vitrine_value_int(old) == vitrine_value_int(new);
	case VITRINE_UINT:
		return vitrine_value_uint(old) == vitrine_value_uint(new);
	case VITRINE_DOUBLE:
		return same_double(vitrine_value_double(old),
				   vitrine_value_double(new));
	case VITRINE_BOOL:
		return vitrine_value_bool(old) == vitrine_value_bool(new);
	case VITRINE_STRING:
	case VITRINE_BYTES:
		return same_content(old, new);
	case VITRINE_ARRAY:
		return diff_same_elements(old, new, UINT_MAX);
	case VITRINE_LINK:
		return same_link(old, new);
	}
	return false;
}

/* ---- The walk ---------------------------------------------------------- */

struct walk {
	diff_fn *differs;
	void *ctx;
};

static bool is_node(const struct vitrine_value *value)
{
	return vitrine_value_type(value) == VITRINE_NODE;
}

/* Report @value, or everything below it, as present in one tree only. */
static bool only_in_one(const struct walk *walk,
			const struct vitrine_value *value, bool in_new)
{
	const struct vitrine_value *child;

	child = is_node(value) ? vitrine_value_first_child(value) : NULL;
	if (!child)
		return walk->differs(walk->ctx, in_new ? NULL : value,
				     in_new ? value : NULL);
	for (; child; child = vitrine_value_next(child))
		if (!only_in_one(walk, child, in_new))
			return false;
	return true;
}

static bool walk_siblings(const struct walk *walk,
			  const struct vitrine_value *old,
			  const struct vitrine_value *new);

/* Compare two values of the same name. */
static bool walk_pair(const struct walk *walk, const struct vitrine_value *old,
		      const struct vitrine_value *new)
{
	if (is_node(old) && is_node(new))
		return walk_siblings(walk, vitrine_value_first_child(old),
				     vitrine_value_first_child(new));
	if (is_node(old) || is_node(new))
		return only_in_one(walk, old, false) &&
		       only_in_one(walk, new, true);
	return same_property(old, new) || walk->differs(walk->ctx, old, new);
}

static bool walk_siblings(const struct walk *walk,
			  const struct vitrine_value *old,
			  const struct vitrine_value *new)
{
	bool go_on = true;
	int order;

	while (go_on && (old || new)) {
		order = !old ? 1 : !new ? -1 : vitrine_value_compare(old, new);
		if (order < 0)
			go_on = only_in_one(walk, old, false);
		else if (order > 0)
			go_on = only_in_one(walk, new, true);
		else
			go_on = walk_pair(walk, old, new);
		old = order <= 0 ? vitrine_value_next(old) : old;
		new = order >= 0 ? vitrine_value_next(new) : new;
	}
	return go_on;
}

/**
 * diff_values() - find the differences of two trees, or of parts of them
 * @old: first of some siblings, or NULL
 * @new: first of some siblings, or NULL
 * @differs: called for each difference, in the order of names
 * @ctx: passed to @differs
 *
 * Return: false if @differs ended the comparison.
 */
bool diff_values(const struct vitrine_value *old,
		 const struct vitrine_value *new, diff_fn *differs, void *ctx)
{
	const struct walk walk = { .differs = differs, .ctx = ctx };

	return walk_siblings(&walk, old, new);
}

static bool stop(void *ctx, const struct vitrine_value *old,
		 const struct vitrine_value *new)
{
	return false;
}

/**
 * diff_is_same() - find out whether two trees are equal
 * @old: tree
 * @new: tree
 *
 * Return: true if they are.
 */
bool diff_is_same(const struct vitrine_hierarchy *old,
		  const struct vitrine_hierarchy *new)
{
	return diff_values(vitrine_hierarchy_first(old),
			   vitrine_hierarchy_first(new), stop, NULL);
}
