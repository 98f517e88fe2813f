/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trees of a command: found by its arguments, read, and reduced to the values
 * that their selectors select.
 */
#ifndef _VITRINE_TREES_H
#define _VITRINE_TREES_H

#include <stdbool.h>
#include <stddef.h>

#include "input.h"
#include "vitrine.h"
#include "selector.h"

/**
 * enum tree_kind - origin of a tree
 * @TREE_LIVE: published by the running module
 * @TREE_RETAINED: left behind by a publisher that has gone
 * @TREE_SAVED: in a file
 */
enum tree_kind {
	TREE_LIVE,
	TREE_RETAINED,
	TREE_SAVED,
};

/**
 * struct tree - one tree
 * @path: its file; "-": standard input
 * @name: name of the file without suffix; of a retained tree, after "retained/"
 * @ordinal: number of trees before it with the same name
 * @kind: origin
 * @is_found: it was found in a directory, and not named; then it may be gone when it is read
 * @whole: selected as a whole
 * @selectors: else, its selectors, which belong to the set
 * @nr_selectors: number of @selectors
 * @code: errno value of the error reported last, or 0
 * @input: of a saved tree, the file or the copy of a pipe, once it is needed
 * @source: the open file, or NULL
 * @snapshot: the last snapshot, or NULL
 * @hierarchy: its selected values, links followed; NULL if it cannot be read
 */
struct tree {
	char *path;
	char *name;
	unsigned int ordinal;
	enum tree_kind kind;
	bool is_found;
	bool whole;
	struct selector **selectors;
	size_t nr_selectors;
	int code;
	struct input input;
	struct vitrine_source *source;
	struct vitrine_snapshot *snapshot;
	struct vitrine_hierarchy *hierarchy;
};

/**
 * struct trees - a set of trees; all zero at first
 * @trees: the trees, by argument, then in natural order
 * @nr: number of @trees
 * @selectors: one per argument
 * @nr_selectors: number of @selectors
 * @single: one argument without "*" has named one tree
 */
struct trees {
	struct tree *trees;
	size_t nr;
	struct selector **selectors;
	size_t nr_selectors;
	bool single;
};

/*
 * Find the trees that arguments name; read them; read those again that may have
 * changed. Errors are reported on standard error and do not stop the others; return
 * the worst exit code.
 */
int trees_find(struct trees *trees, char **args);
int trees_read(struct trees *trees);
int trees_refresh(struct trees *trees, bool *ret_changed);
void trees_destroy(struct trees *trees);

/* Read one tree, as it is, without links; close it. */
struct vitrine_error *tree_load(struct tree *tree);
void tree_close(struct tree *tree);

/* Return whether a tree could be read, and something of it is selected. */
bool tree_is_shown(const struct tree *tree);

/**
 * typedef tree_differs_fn - handle one difference
 * @old: the value in the first tree, NULL if it has none
 * @new: the value in the second tree, NULL if it has none
 *
 * @old and @new are properties, links, or nodes without children, of the same name
 * and in the same place.
 *
 * Return: false to end the comparison.
 */
typedef bool tree_differs_fn(const struct vitrine_value *old, const struct vitrine_value *new);

/* Compare values and their siblings; return false if @differs ended it, which NULL does. */
bool tree_compare(const struct vitrine_value *old, const struct vitrine_value *new,
		  tree_differs_fn *differs);

/* Compare two elements; compare the types of two values, and elements of arrays. */
bool tree_same_slot(const struct vitrine_value *old, const struct vitrine_value *new,
		    unsigned int slot);
bool tree_same_slots(const struct vitrine_value *old, const struct vitrine_value *new,
		     unsigned int nr);

#endif /* _VITRINE_TREES_H */
