/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Selectors: "TREE:NODE/NODE:PROPERTY" selects values of trees.
 *
 * The syntax is that of Fuchsia's tools. TREE is a tree or a file, the nodes lead down
 * from the root, and PROPERTY is a property of the last node. Parts left out at the
 * end match everything. The last node may also be the name of a property, unless it has a
 * "*". In each name, "*" matches any characters; a backslash takes
 * the special meaning from ":", "/", "*" and "\". The first node is the root, "root",
 * which may be left out.
 */
#ifndef _VITRINE_SELECTOR_H
#define _VITRINE_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "vitrine.h"

/**
 * struct selector_name - a name, or a pattern for names
 * @bytes: not terminated; a pattern as written, with its backslashes
 * @len: length of @bytes in bytes
 */
struct selector_name {
	const char *bytes;
	size_t len;
};

/**
 * struct selector - a parsed selector
 * @text: as given; all patterns point into it
 * @tree: pattern for the name of the tree or file
 * @nodes: patterns, one per level
 * @nr_nodes: number of @nodes; 0 for the whole tree
 * @below_root: the first of @nodes is a child of the root, not the root
 * @has_property: the selector is for properties
 * @property: pattern for their names
 * @found: set by the caller when the selector has selected something
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

/* Match a name; find out whether it has a "*"; remove its escapes if not. */
bool selector_name_fits(const struct selector_name *pattern,
			const struct selector_name *name);
bool selector_name_is_pattern(const struct selector_name *pattern);
char *selector_name_unescape(const struct selector_name *pattern);

/* Judge a node or property; @path has the names from the root down to its own. */
enum vitrine_verdict selector_judge(const struct selector *selector,
				    const struct selector_name *path,
				    size_t nr_names, bool is_node);

#endif /* _VITRINE_SELECTOR_H */
