// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Drop values from a tree.
 *
 * Nothing is copied: a dropped value is unlinked from the tree and freed with it. Ordinals
 * do not change, so that a value keeps its name among its siblings.
 */
#include "value.h"

struct filter {
	vitrine_filter_fn *judge;
	void *ctx;
};

/* Filter @first and its siblings. The recursion is at most VITRINE_MAX_DEPTH deep. */
static struct vitrine_value *keep_siblings(const struct filter *filter,
					   struct vitrine_value *first)
{
	struct vitrine_value *kept = NULL, **end = &kept;
	struct vitrine_value *value, *next;

	for (value = first; value; value = next) {
		enum vitrine_verdict verdict = filter->judge(filter->ctx, value);

		next = value->next;
		if (verdict == VITRINE_DESCEND)
			value->first_child = keep_siblings(filter,
							   value->first_child);
		if (verdict == VITRINE_KEEP ||
		    (verdict == VITRINE_DESCEND && value->first_child)) {
			*end = value;
			end = &value->next;
		}
	}
	*end = NULL;
	return kept;
}

/**
 * vitrine_hierarchy_filter() - drop the values of a tree that are not wanted
 * @hierarchy: tree
 * @judge: decides about each value whose parent is descended into,
 *	parents first
 * @ctx: first argument of @judge
 *
 * If nothing is left, vitrine_hierarchy_first() is NULL.
 */
void vitrine_hierarchy_filter(struct vitrine_hierarchy *hierarchy,
			      vitrine_filter_fn *judge, void *ctx)
{
	const struct filter filter = { .judge = judge, .ctx = ctx };

	hierarchy->first = keep_siblings(&filter, hierarchy->first);
}
