/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What `vitrine top' shows: threads and CPUs at one moment, and their activity since
 * the previous refresh; as parts of a screen, as text, and as JSON.
 */
#ifndef _VITRINE_TOP_REPORT_H
#define _VITRINE_TOP_REPORT_H

#include "ui/label.h"
#include "sched_state.h"

#define TOP_WAITING	16	/* most waiting threads named per CPU */
#define TOP_HEAD_BYTES	256
#define TOP_CPU_BYTES	((TOP_WAITING + 2) * LABEL_BYTES)

/* Numbers in a row. */
enum top_number {
	TOP_CPU,
	TOP_RUNNING,
	TOP_WAIT,
	TOP_RUNS,
	TOP_LONGEST,
	TOP_NR_NUMBERS,
};

enum top_order {
	TOP_BY_CPU,
	TOP_BY_WAIT,
	TOP_BY_RUNS,
};

/**
 * struct top_row - a thread
 * @id: its ids
 * @label: its name and ids
 * @state: current state
 * @cpu: CPU where it runs or ran last
 * @since_ns: begin of the current state
 * @running_ns: time it ran since the previous refresh
 * @ready_ns: time it waited for a CPU
 * @runs: number of time slices
 * @max_ns: its longest wait, including one that has not ended
 */
struct top_row {
	struct vitrine_fxt_thread id;
	char label[LABEL_BYTES];
	enum sched_state state;
	uint32_t cpu;
	uint64_t since_ns;
	uint64_t running_ns;
	uint64_t ready_ns;
	uint64_t runs;
	uint64_t max_ns;
};

/**
 * struct top_cpu - a CPU
 * @number: its number
 * @known: the running thread is known
 * @busy_ns: time that threads ran since the previous refresh
 * @idle_ns: time that the CPU was idle since then
 * @nr_switches: number of context switches
 */
struct top_cpu {
	uint32_t number;
	bool known;
	uint64_t busy_ns;
	uint64_t idle_ns;
	uint64_t nr_switches;
};

/**
 * struct top_view - contents of the screen
 * @order: sort key of the rows
 * @rows: threads
 * @nr_rows: number of @rows
 * @cpus: CPUs
 * @nr_cpus: number of @cpus
 * @now_ns: time of the last record that was read
 * @length_ns: time since the previous refresh
 * @nr_gaps: gaps in the trace since then
 * @has_wakeups: the trace has wakeups
 */
struct top_view {
	enum top_order order;
	struct top_row *rows;
	size_t nr_rows;
	struct top_cpu *cpus;
	size_t nr_cpus;
	uint64_t now_ns;
	uint64_t length_ns;
	uint64_t nr_gaps;
	bool has_wakeups;
};

extern const char * const top_heads[TOP_NR_NUMBERS];

bool top_is_waiting(const struct top_row *row);

/* Parts of the view as text, for the screen and for a pipe. */
void top_head_text(const struct top_view *view, char text[TOP_HEAD_BYTES]);
/* Returns how many threads wait there. */
size_t top_cpu_text(const struct top_view *view, const struct top_cpu *cpu,
		    char text[TOP_CPU_BYTES]);
const char *top_state_text(const struct top_row *row);
void top_row_texts(const struct top_view *view, const struct top_row *row,
		   char texts[TOP_NR_NUMBERS][LABEL_TIME_BYTES]);

/* Print everything on standard output. */
void top_print(const struct top_view *view);
void top_json(const struct top_view *view, const struct vitrine_archive *archive);

#endif /* _VITRINE_TOP_REPORT_H */
