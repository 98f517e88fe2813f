/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inspect trees on a live screen.
 */
#ifndef _VITRINE_WATCH_H
#define _VITRINE_WATCH_H

/**
 * struct watch_args - the options of `vitrine watch'
 * @interval: seconds between two refreshes
 * @selectors: trees, or parts of them; none: all live trees
 * @nr_selectors: number of @selectors
 */
struct watch_args {
	double interval;
	char **selectors;
	int nr_selectors;
};

int watch_run(const struct watch_args *args);

#endif /* _VITRINE_WATCH_H */
