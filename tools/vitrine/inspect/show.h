/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inspect trees as text or JSON.
 */
#ifndef _VITRINE_SHOW_H
#define _VITRINE_SHOW_H

#include <stdbool.h>

/**
 * struct show_args - the options of `vitrine show'
 * @json: print JSON
 * @live: print again on each change, until interrupted
 * @selectors: trees, or parts of them; none: all live trees
 * @nr_selectors: number of @selectors
 */
struct show_args {
	bool json;
	bool live;
	char **selectors;
	int nr_selectors;
};

int show_run(const struct show_args *args);

#endif /* _VITRINE_SHOW_H */
