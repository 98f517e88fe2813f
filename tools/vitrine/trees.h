/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trees a command is about: found by its arguments, read, and cut down to
 * what their selectors select.
 */
#ifndef _VITRINE_TREES_H
#define _VITRINE_TREES_H

#include <stdbool.h>
#include <stddef.h>

#include "selector.h"
#include "vitrine.h"

/**
 * enum tree_kind - where a tree is
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
 * @path: its file
 * @name: what it is called: the file's name without suffix, before it
 *	"retained/" if it is
 * @ordinal: trees before it of the same name
 * @kind: where it is
 * @whole: all of it is wanted
 * @selectors: else what these select; the set's
 * @nr_selectors: how many
 * @code: of the error last reported, errno value, or 0
 * @source: once opened
 * @snapshot: once taken
 * @hierarchy: what is wanted of it, links followed; NULL if it cannot be read
 */
struct tree {
	char *path;
	char *name;
	unsigned int ordinal;
	enum tree_kind kind;
	bool whole;
	struct selector **selectors;
	size_t nr_selectors;
	int code;
	struct vitrine_source *source;
	struct vitrine_snapshot *snapshot;
	struct vitrine_hierarchy *hierarchy;
};

/**
 * struct trees - a set of trees; begin with all zero
 * @trees: the trees, in the order of the arguments, natural order in each
 * @nr: how many
 * @selectors: one for each argument
 * @nr_selectors: how many
 * @single: it is the one tree that one argument names, without "*"
 */
struct trees {
	struct tree *trees;
	size_t nr;
	struct selector **selectors;
	size_t nr_selectors;
	bool single;
};

/*
 * Find the trees that arguments name, read them, read again those that may have
 * changed. What goes wrong is reported on standard error, the rest goes on;
 * returns the worst exit code.
 */
int trees_find(struct trees *trees, char **args, int nr_args);
int trees_read(struct trees *trees);
int trees_refresh(struct trees *trees, bool *ret_changed);
void trees_destroy(struct trees *trees);

/* It has been read, and something of it is wanted. */
bool tree_is_shown(const struct tree *tree);

#endif /* _VITRINE_TREES_H */
