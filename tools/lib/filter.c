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

/* What is left of @first and its siblings. Recursion is VITRINE_MAX_DEPTH. */
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
 * vitrine_hierarchy_filter() - leave out of a tree what is not wanted
 * @hierarchy: tree
 * @judge: asked about every value whose parent is to be descended into,
 *	parents first
 * @ctx: for @judge
 *
 * If nothing is left, vitrine_hierarchy_first() is NULL.
 */
void vitrine_hierarchy_filter(struct vitrine_hierarchy *hierarchy,
			      vitrine_filter_fn *judge, void *ctx)
{
	const struct filter filter = { .judge = judge, .ctx = ctx };

	hierarchy->first = keep_siblings(&filter, hierarchy->first);
}
