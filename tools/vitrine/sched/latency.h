/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scheduling latency of threads: the options of `vitrine latency', and its start.
 */
#ifndef _VITRINE_LATENCY_H
#define _VITRINE_LATENCY_H

#include <stdbool.h>

#include "record_filter.h"

/* Sort key of a report, in descending order except for names. */
enum latency_order {
	LATENCY_BY_MAX,
	LATENCY_BY_P99,
	LATENCY_BY_P50,
	LATENCY_BY_AVERAGE,
	LATENCY_BY_RUNS,
	LATENCY_BY_RUNNING,
	LATENCY_BY_RUNNABLE,
	LATENCY_BY_BLOCKED,
	LATENCY_BY_NAME,
	LATENCY_NR_ORDERS,
};

/**
 * struct latency_args - the options of `vitrine latency'
 * @path: trace to read; NULL with @live
 * @live: read the flight recorder
 * @json: print JSON
 * @switches: print one line per time slice instead of the report
 * @map: print the threads of all CPUs at each switch instead of the report
 * @why: explain the longest waits instead of the report
 * @by_name: put the threads of one name into one row of the report
 * @nr: number of rows of the report, or of waits to explain; 0: not given
 * @sorted: @order was given
 * @order: sort key of the report
 * @filter: threads and time range
 */
struct latency_args {
	const char *path;
	bool live;
	bool json;
	bool switches;
	bool map;
	bool why;
	bool by_name;
	bool sorted;
	unsigned int nr;
	enum latency_order order;
	struct record_filter filter;
};

int latency_run(const struct latency_args *args);

#endif /* _VITRINE_LATENCY_H */
