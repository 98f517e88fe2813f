/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace as text or JSON, one line per record.
 */
#ifndef _VITRINE_PRINT_H
#define _VITRINE_PRINT_H

#include "record_filter.h"

/**
 * struct print_args - the options of `vitrine print'
 * @path: trace to read
 * @all: include records without a time, and file offsets
 * @relative: print times relative to the first record
 * @json: print JSON
 * @filter: records to print
 */
struct print_args {
	const char *path;
	bool all;
	bool relative;
	bool json;
	struct record_filter filter;
};

int print_run(const struct print_args *args);

#endif /* _VITRINE_PRINT_H */
