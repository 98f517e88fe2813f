/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Validation of Inspect and FXT files.
 */
#ifndef _VITRINE_CHECK_H
#define _VITRINE_CHECK_H

#include <stdbool.h>

/**
 * struct check_args - the options of `vitrine check'
 * @json: print JSON
 * @paths: files; "-": standard input
 * @nr_paths: number of @paths
 */
struct check_args {
	bool json;
	char **paths;
	int nr_paths;
};

int check_run(const struct check_args *args);

#endif /* _VITRINE_CHECK_H */
