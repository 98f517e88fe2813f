/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What `vitrine latency' has measured of each thread, and its reports as text and as JSON.
 */
#ifndef _VITRINE_LATENCY_REPORT_H
#define _VITRINE_LATENCY_REPORT_H

#include "ui/json.h"
#include "quantiles.h"
#include "sched_state.h"

/**
 * struct latency_runnable - intervals for which threads were runnable before they ran
 * @spread: distribution of their durations
 * @sum_ns: total
 * @max_ns: the longest
 * @max_end_ns: end of the longest
 * @max_is_still: it was not over at the end of the trace, so the next members are not known
 * @max_cpu: CPU where it ended
 * @instead: thread that had that CPU until then; 0: idle
 */
struct latency_runnable {
	struct quantiles spread;
	uint64_t sum_ns;
	uint64_t max_ns;
	uint64_t max_end_ns;
	bool max_is_still;
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
 * @runnable: how long it was runnable, after a wakeup or a preemption
 * @interrupted: interrupts while it ran
 * @by: interrupts by name, nested ones included
 * @nr_by: number of names
 */
struct latency_thread {
	bool wanted;
	unsigned int tag;
	struct latency_runnable runnable;
	struct latency_interrupts interrupted;
	struct latency_interrupts *by;
	size_t nr_by;
};

/**
 * struct latency_row - a thread, or several
 * @sum: a thread, with the times and counts of all of them
 * @nr_threads: number of threads
 * @latency: measurements of all of them
 */
struct latency_row {
	struct sched_thread sum;
	size_t nr_threads;
	struct latency_thread *latency;
};

/**
 * struct latency_report - contents of a report
 * @sched: all threads, whose owners are struct latency_thread
 * @rows: threads, or names, sorted
 * @nr_rows: number of @rows
 * @nr_printed: number of @rows to print
 * @total: all threads
 * @by_name: each row has the threads of a name
 * @interrupted: some threads were interrupted
 * @begin_ns: begin of the reported time range
 * @end_ns: its end
 */
struct latency_report {
	const struct sched *sched;
	struct latency_row *rows;
	size_t nr_rows;
	size_t nr_printed;
	struct latency_row total;
	bool by_name;
	bool interrupted;
	uint64_t begin_ns;
	uint64_t end_ns;
};

static inline uint64_t latency_average_ns(const struct latency_runnable *runnable)
{
	return runnable->spread.nr ? runnable->sum_ns / runnable->spread.nr : 0;
}

void latency_put_without_wakeups(FILE *stream, const struct sched *sched);
void latency_put_unknown(FILE *stream, const struct sched *sched, uint64_t begin_ns);
void latency_write_unknown(struct json_writer *json, const struct sched *sched, uint64_t begin_ns);
void latency_table(const struct latency_report *report);
void latency_json(const struct latency_report *report);
void latency_turns_head(void);
void latency_turn(const struct sched *sched, const struct sched_thread *thread);
void latency_turn_json(struct json_writer *json, const struct sched *sched,
		       const struct sched_thread *thread);

#endif /* _VITRINE_LATENCY_REPORT_H */
