/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A timeline: the time slices of the threads on each CPU, merged until they can be drawn.
 */
#ifndef _VITRINE_TIMELINE_H
#define _VITRINE_TIMELINE_H

#include "record_filter.h"
#include "sched_state.h"

/* Number that stands for threads that do not match the filter. */
#define TIMELINE_OTHERS	UINT32_MAX

/**
 * enum timeline_kind - kinds of items in a CPU's lane
 * @TIMELINE_TURNS: time slices of threads
 * @TIMELINE_INTERRUPTS: interrupts
 * @TIMELINE_NR_KINDS: number of kinds
 */
enum timeline_kind {
	TIMELINE_TURNS,
	TIMELINE_INTERRUPTS,
	TIMELINE_NR_KINDS,
};

/**
 * struct timeline_item - a time slice or an interrupt, or several merged ones
 * @begin_ns: begin of the first
 * @end_ns: end of the last
 * @busy_ns: time that any of them ran; of an interrupt, 0 if it is nested
 * @thread: number of the thread or, of several, of the one that ran longest as far as
 *	known; number of an interrupt's name
 * @thread_ns: time that this thread ran
 * @nr: number of slices or interrupts
 * @waited: of a single one, as in struct sched_turn
 * @after: likewise
 * @ready_ns: likewise
 * @blocked_ns: likewise
 */
struct timeline_item {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t busy_ns;
	uint32_t thread;
	uint32_t nr;
	uint64_t thread_ns;
	enum sched_state waited;
	enum sched_state after;
	uint64_t ready_ns;
	uint64_t blocked_ns;
};

/* An interval in which records are missing. */
struct timeline_gap {
	uint64_t begin_ns;
	uint64_t end_ns;
};

/**
 * struct timeline_list - items of one kind
 * @items: in the order in which they begin
 * @nr_items: number of @items
 */
struct timeline_list {
	struct timeline_item *items;
	size_t nr_items;
};

/**
 * struct timeline_lane - the lane of a CPU
 * @lists: by kind
 * @gaps: in time order
 * @nr_gaps: number of @gaps
 * @busy_ns: time that threads ran
 * @seen: the CPU is drawn
 */
struct timeline_lane {
	struct timeline_list lists[TIMELINE_NR_KINDS];
	struct timeline_gap *gaps;
	size_t nr_gaps;
	uint64_t busy_ns;
	bool seen;
};

/**
 * struct timeline_thread - a thread that is drawn
 * @id: its ids
 * @running_ns: time that it ran
 * @rank: rank by that time, 0 for the longest
 */
struct timeline_thread {
	struct vitrine_fxt_thread id;
	uint64_t running_ns;
	uint32_t rank;
};

/**
 * struct timeline - the timeline that is drawn: at first all zero but @filter, @max_items and
 *	@max_cells
 * @filter: CPUs, threads and time range to draw
 * @max_items: limit for items of a kind in all lanes
 * @max_cells: limit for cells; 0: no limit
 * @cell_ns: by kind, length of a cell: shorter items are merged with their
 *	neighbours; 0 if none had to be
 * @begin_ns: begin of the drawn range
 * @end_ns: its end
 * @lanes: by CPU
 * @nr_lanes: number of @lanes
 * @nr_items: by kind, number of items in all lanes
 * @nr_all: by kind, number of slices and interrupts in these items
 * @threads: by number
 * @nr_threads: number of @threads
 * @names: names of interrupts, by number
 * @nr_names: number of @names
 */
extern struct timeline {
	const struct record_filter *filter;
	size_t max_items;
	uint64_t max_cells;
	uint64_t cell_ns[TIMELINE_NR_KINDS];
	uint64_t begin_ns;
	uint64_t end_ns;
	struct timeline_lane *lanes;
	uint32_t nr_lanes;
	size_t nr_items[TIMELINE_NR_KINDS];
	uint64_t nr_all[TIMELINE_NR_KINDS];
	struct timeline_thread *threads;
	uint32_t nr_threads;
	char **names;
	uint32_t nr_names;
} timeline;

struct vitrine_error *timeline_fill(void);
void timeline_deinit(void);
void timeline_put_missing(FILE *stream);

uint32_t timeline_colour(uint32_t rank);
bool timeline_is_dark(uint32_t colour);

#endif /* _VITRINE_TIMELINE_H */
