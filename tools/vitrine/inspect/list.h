/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inspect trees and their sizes.
 */
#ifndef _VITRINE_LIST_H
#define _VITRINE_LIST_H

#include <stdbool.h>

/**
 * struct list_args - the options of `vitrine list'
 * @json: print JSON
 * @all: open lazy trees, too
 * @trees: names or files of trees; none: all live trees
 * @nr_trees: number of @trees
 */
struct list_args {
	bool json;
	bool all;
	char **trees;
	int nr_trees;
};

int list_run(const struct list_args *args);

#endif /* _VITRINE_LIST_H */
