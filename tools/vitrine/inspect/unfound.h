/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Errors for selectors and names of trees that select nothing.
 */
#ifndef _VITRINE_UNFOUND_H
#define _VITRINE_UNFOUND_H

#include "nearest.h"
#include "selector.h"
#include "vitrine.h"

/**
 * struct unfound - the place in a tree up to which a selector leads
 * @selector: the selector, which has nodes
 * @tree: name of the tree, or NULL before unfound_search()
 * @level: number of names of @selector that lead there
 * @parent: name of the node there
 * @nr_nodes: number of nodes in it
 * @nr_properties: number of properties in it
 * @nearest: search for the name that is missing there
 */
struct unfound {
	const struct selector *selector;
	const char *tree;
	size_t level;
	char parent[NEAREST_BYTES];
	size_t nr_nodes;
	size_t nr_properties;
	struct nearest nearest;
};

void unfound_search(struct unfound *unfound, const char *tree, const char *path,
		    const struct vitrine_snapshot *snapshot);
struct vitrine_error *unfound_values(const struct unfound *unfound);
struct vitrine_error *unfound_tree(const char *name);

#endif /* _VITRINE_UNFOUND_H */
