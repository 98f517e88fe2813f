/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who ran on which CPU when, made coarser until it fits: what a timeline is
 * drawn from.
 */
#ifndef _VITRINE_TIMELINE_H
#define _VITRINE_TIMELINE_H

#include "record_filter.h"
#include "sched_state.h"

/* In place of a thread: one that was not asked for. */
#define TIMELINE_OTHERS	UINT32_MAX

/**
 * struct timeline_item - a thread on a CPU, or several for a short time each
 * @begin_ns: begin of the first
 * @end_ns: end of the last
 * @busy_ns: how long any ran
 * @thread: who, by number; of several, who ran longest as far as known
 * @thread_ns: how long that one ran
 * @nr: how many turns this is
 * @waited: of one, as in struct sched_turn
 * @after: as there
 * @ready_ns: as there
 * @blocked_ns: as there
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

/* Where records are missing. */
struct timeline_gap {
	uint64_t begin_ns;
	uint64_t end_ns;
};

/**
 * struct timeline_lane - a CPU
 * @items: in time order
 * @nr_items: how many
 * @size_items: room
 * @gaps: in time order
 * @nr_gaps: how many
 * @size_gaps: room
 * @busy_ns: how long threads ran
 * @seen: there is something to be drawn
 */
struct timeline_lane {
	struct timeline_item *items;
	size_t nr_items;
	size_t size_items;
	struct timeline_gap *gaps;
	size_t nr_gaps;
	size_t size_gaps;
	uint64_t busy_ns;
	bool seen;
};

/**
 * struct timeline_thread - a thread that is drawn
 * @id: who
 * @running_ns: how long it ran
 * @rank: by that, 0 the longest
 */
struct timeline_thread {
	struct vitrine_fxt_thread id;
	uint64_t running_ns;
	uint32_t rank;
};

/**
 * struct timeline - all of it
 * @archive: knows names
 * @filter: what is wanted
 * @max_items: in all lanes together
 * @max_cells: from begin to end; 0: any number
 * @cell_ns: turns shorter than this are put together with their neighbours; 0
 *	if none had to
 * @begin_ns: what is drawn begins
 * @end_ns: and ends
 * @lanes: by CPU
 * @nr_lanes: how many
 * @nr_items: in all lanes
 * @nr_turns: that were put into them
 * @nr_lost: records lost, as far as known
 * @threads: by number
 * @nr_threads: how many
 * @failed: out of memory
 */
struct timeline {
	const struct vitrine_archive *archive;
	const struct record_filter *filter;
	size_t max_items;
	uint64_t max_cells;
	uint64_t cell_ns;
	uint64_t begin_ns;
	uint64_t end_ns;
	struct timeline_lane *lanes;
	uint32_t nr_lanes;
	size_t nr_items;
	uint64_t nr_turns;
	uint64_t nr_lost;
	struct timeline_thread *threads;
	uint32_t nr_threads;
	bool failed;
};

struct vitrine_error *timeline_fill(struct timeline *timeline,
				    struct vitrine_archive *archive);
void timeline_deinit(struct timeline *timeline);
void timeline_put_missing(FILE *stream, const struct timeline *timeline);

/* timeline_colour.c */
uint32_t timeline_colour(uint32_t rank);
bool timeline_is_dark(uint32_t colour);

/* timeline_svg.c, timeline_html.c */
void timeline_svg(FILE *stream, const struct timeline *timeline,
		  const char *title);
void timeline_html(FILE *stream, const struct timeline *timeline,
		   const char *title);

#endif /* _VITRINE_TIMELINE_H */
