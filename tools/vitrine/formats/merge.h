/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces of several machines or boots in one.
 */
#ifndef _VITRINE_MERGE_H
#define _VITRINE_MERGE_H

#include <stdbool.h>

struct vitrine_fxt_record;

/**
 * struct merge_args - the options of `vitrine merge'
 * @paths: traces to read; "-": standard input
 * @nr_paths: number of @paths
 * @out: trace to write; "-": standard output
 * @edit: changes the arguments of a record before it is written, and returns false if the
 *	record is to be left out; or NULL
 * @ctx: first argument of @edit
 */
struct merge_args {
	char **paths;
	unsigned int nr_paths;
	const char *out;
	bool (*edit)(void *ctx, struct vitrine_fxt_record *record);
	void *ctx;
};

int merge_run(const struct merge_args *args);

#endif /* _VITRINE_MERGE_H */
