/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A part of a trace as a trace of its own.
 */
#ifndef _VITRINE_CUT_H
#define _VITRINE_CUT_H

#include "sched/record_filter.h"

/**
 * struct cut_args - the options of `vitrine cut'
 * @path: trace to read; "-": standard input
 * @out: trace to write; "-": standard output
 * @filter: selects the records to keep
 * @pids: processes to keep, too, whose children are kept as with those of @filter
 * @nr_pids: how many
 * @cgroup: whose processes @pids are, or NULL
 * @anonymise: replace names and texts by tokens
 * @must_select: a filter that selects nothing is an error
 */
struct cut_args {
	const char *path;
	const char *out;
	struct record_filter filter;
	const uint64_t *pids;
	size_t nr_pids;
	const char *cgroup;
	bool anonymise;
	bool must_select;
};

int cut_run(const struct cut_args *args);

#endif /* _VITRINE_CUT_H */
