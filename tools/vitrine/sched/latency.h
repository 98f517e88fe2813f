/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scheduling latency of threads, measured and reported.
 */
#ifndef _VITRINE_LATENCY_H
#define _VITRINE_LATENCY_H

#include "ui/json.h"
#include "quantiles.h"
#include "record_filter.h"
#include "sched_state.h"

/**
 * struct latency_wait - all waits of one kind of a thread
 * @spread: distribution of their durations
 * @sum_ns: total
 * @max_ns: the longest
 * @max_end_ns: end of the longest
 * @max_cpu: CPU where it ended
 * @instead: thread that had that CPU until then; 0: idle
 */
struct latency_wait {
	struct quantiles spread;
	uint64_t sum_ns;
	uint64_t max_ns;
	uint64_t max_end_ns;
	uint32_t max_cpu;
	struct vitrine_fxt_thread instead;
};

/**
 * struct latency_interrupts - interrupts of a thread while it ran
 * @name: their name; NULL: all that are not nested in another one
 * @nr: number of interrupts
 * @sum_ns: total duration
 * @max_ns: the longest
 */
struct latency_interrupts {
	char *name;
	uint64_t nr;
	uint64_t sum_ns;
	uint64_t max_ns;
};

/**
 * struct latency_thread - measurements of a thread
 * @wanted: it matches the filter
 * @tag: its number in a map; 0: none yet
 * @woken: waits after a wakeup
 * @preempted: waits after a preemption
 * @interrupted: interrupts while it ran
 * @by: interrupts by name, nested ones included
 * @nr_by: number of names
 */
struct latency_thread {
	bool wanted;
	unsigned int tag;
	struct latency_wait woken;
	struct latency_wait preempted;
	struct latency_interrupts interrupted;
	struct latency_interrupts *by;
	size_t nr_by;
};

/* Sort key of a report, in descending order except for names. */
enum latency_order {
	LATENCY_BY_MAX,
	LATENCY_BY_P99,
	LATENCY_BY_P50,
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
 * @nr_worst: number of waits to explain; 0: not given
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
	bool sorted;
	unsigned int nr_worst;
	enum latency_order order;
	struct record_filter filter;
};

/**
 * struct latency_report - contents of a report
 * @sched: all threads, whose owners are struct latency_thread
 * @rows: threads, sorted
 * @nr_rows: number of @rows
 * @by_preemption: the trace has no wakeups: waits after preemption are reported
 * @interrupted: some threads were interrupted
 * @begin_ns: begin of the reported time range
 * @end_ns: its end
 */
struct latency_report {
	const struct sched *sched;
	struct sched_thread **rows;
	size_t nr_rows;
	bool by_preemption;
	bool interrupted;
	uint64_t begin_ns;
	uint64_t end_ns;
};

int latency_run(const struct latency_args *args);

/* latency_report.c */
const struct latency_wait *latency_wait_of(const struct latency_report *report,
					   const struct sched_thread *thread);

void latency_table(const struct latency_report *report);
void latency_json(const struct latency_report *report);
void latency_turns_head(void);
void latency_turn(const struct sched *sched, const struct sched_thread *thread);
void latency_turn_json(struct json_writer *json, const struct sched *sched,
		       const struct sched_thread *thread);

/* latency_map.c */
void latency_map_switch(const struct sched *sched, uint32_t number,
			unsigned int *nr_tags);

#endif /* _VITRINE_LATENCY_H */
