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
 * @anonymise: replace names and texts by tokens
 */
struct cut_args {
	const char *path;
	const char *out;
	struct record_filter filter;
	bool anonymise;
};

int cut_run(const struct cut_args *args);

#endif /* _VITRINE_CUT_H */
