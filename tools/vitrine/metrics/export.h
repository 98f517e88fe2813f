/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inspect trees as Prometheus metrics, printed or in a file.
 */
#ifndef _VITRINE_EXPORT_H
#define _VITRINE_EXPORT_H

#include <stdbool.h>

/**
 * struct metrics_args - the options of `vitrine metrics'
 * @textfile: file to replace, or NULL to print
 * @strict: print OpenMetrics 1.0
 * @selectors: trees, or parts of them; none: all live trees
 * @nr_selectors: number of @selectors
 */
struct metrics_args {
	const char *textfile;
	bool strict;
	char **selectors;
	int nr_selectors;
};

int metrics_run(const struct metrics_args *args);

#endif /* _VITRINE_EXPORT_H */
