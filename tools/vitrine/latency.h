/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long threads waited for a CPU, counted and reported.
 */
#ifndef _VITRINE_LATENCY_H
#define _VITRINE_LATENCY_H

#include "json.h"
#include "quantiles.h"
#include "sched_state.h"

/**
 * struct latency_wait - all waits of a sort
 * @spread: how long they were
 * @sum_ns: all together
 * @max_ns: the longest
 * @max_end_ns: when that one was over
 * @max_cpu: where
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
 * struct latency_thread - what is kept of a thread
 * @wanted: it is to be reported
 * @tag: its number in a map; 0: none yet
 * @woken: waits after a wakeup
 * @preempted: waits after another thread got the CPU
 */
struct latency_thread {
	bool wanted;
	unsigned int tag;
	struct latency_wait woken;
	struct latency_wait preempted;
};

/* By what a report is sorted, the largest first but for names. */
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
 * struct latency_report - what is reported
 * @sched: what threads did; their owners are struct latency_thread
 * @rows: threads, sorted
 * @nr_rows: how many
 * @by_preemption: there are no wakeups: waits after preemption are reported
 * @begin_ns: the time that counts
 * @end_ns: and its end
 */
struct latency_report {
	const struct sched *sched;
	struct sched_thread **rows;
	size_t nr_rows;
	bool by_preemption;
	uint64_t begin_ns;
	uint64_t end_ns;
};

const struct latency_wait *latency_wait_of(const struct latency_report *report,
					   const struct sched_thread *thread);
uint64_t latency_runnable_ns(const struct sched_thread *thread);
uint64_t latency_blocked_ns(const struct sched_thread *thread);

void latency_table(const struct latency_report *report);
void latency_json(const struct latency_report *report);
void latency_turns_head(void);
void latency_turn(const struct sched *sched, const struct sched_thread *thread);
void latency_turn_json(struct json_writer *json, const struct sched *sched,
		       const struct sched_thread *thread);
void latency_map_switch(const struct sched *sched, uint32_t number,
			unsigned int *nr_tags);

#endif /* _VITRINE_LATENCY_H */
