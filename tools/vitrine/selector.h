/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Selectors: "TREE:NODE/NODE:PROPERTY" says which values of which trees.
 *
 * As Fuchsia's tools have them: TREE names a tree or a file, the nodes lead
 * down from the root, PROPERTY is one of the last node. What is left out from
 * the end means all. In each name "*" stands for any run of characters; a
 * backslash takes ":", "/", "*" and "\" for what they are. The first node is
 * the root, "root", which may be left out.
 */
#ifndef _VITRINE_SELECTOR_H
#define _VITRINE_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "vitrine.h"

/**
 * struct selector_name - a name, or a pattern for names
 * @bytes: not terminated; of a pattern as written, backslashes and all
 * @len: how many
 */
struct selector_name {
	const char *bytes;
	size_t len;
};

/**
 * struct selector - a parsed selector
 * @text: as given; all patterns point into it
 * @tree: pattern of the tree's name or file
 * @nodes: patterns, one a level
 * @nr_nodes: how many; 0 for the whole tree
 * @below_root: the first of @nodes is a child of the root, not the root
 * @has_property: the selector is for properties
 * @property: pattern of their name
 * @found: for the caller: it has selected something
 */
struct selector {
	char *text;
	struct selector_name tree;
	struct selector_name *nodes;
	size_t nr_nodes;
	bool below_root;
	bool has_property;
	struct selector_name property;
	bool found;
};

struct vitrine_error *selector_create(const char *text, struct selector **ret);
void selector_destroy(struct selector *selector);

bool selector_is_special(char c);

/* Of one pattern: does it fit, has it "*", what is it if it has not. */
bool selector_name_fits(const struct selector_name *pattern,
			const struct selector_name *name);
bool selector_name_is_pattern(const struct selector_name *pattern);
char *selector_name_unescape(const struct selector_name *pattern);

/* Of a node or property: @path are the names from the top down to its own. */
enum vitrine_verdict selector_judge(const struct selector *selector,
				    const struct selector_name *path,
				    size_t nr_names, bool is_node);

#endif /* _VITRINE_SELECTOR_H */
