// SPDX-License-Identifier: GPL-2.0
/*
 * Fills a timeline from a trace of any length.
 *
 * Turns are kept as they are until there are too many. Then time is divided into
 * cells, and turns that begin in one and are shorter than it become one item of
 * their lane; if there are too many again, a cell is made twice as long. So a lane
 * has at most two items a cell, whatever the trace holds.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "error.h"
#include "label.h"
#include "timeline.h"

/* Gaps of a lane; more are put together with their neighbours. */
#define MAX_GAPS	1024

struct filling {
	struct timeline *timeline;
	struct sched sched;
};

/* Room for one more of an array; false: no memory. */
static bool make_room(void *array, size_t nr, size_t *size, size_t bytes)
{
	size_t bigger = *size ? 2 * *size : 64;
	void *moved;

	if (nr < *size)
		return true;
	moved = reallocarray(*(void **)array, bigger, bytes);
	if (!moved)
		return false;
	*(void **)array = moved;
	*size = bigger;
	return true;
}

static struct timeline_lane *lane_get(struct timeline *timeline, uint32_t cpu)
{
	struct timeline_lane *bigger;
	uint32_t i;

	if (cpu >= timeline->nr_lanes) {
		bigger = reallocarray(timeline->lanes, cpu + 1,
				      sizeof(*bigger));
		if (!bigger) {
			timeline->failed = true;
			return NULL;
		}
		for (i = timeline->nr_lanes; i <= cpu; i++)
			bigger[i] = (struct timeline_lane){ 0 };
		timeline->lanes = bigger;
		timeline->nr_lanes = cpu + 1;
	}
	timeline->lanes[cpu].seen = true;
	return &timeline->lanes[cpu];
}

/* ---- Items ------------------------------------------------------------- */

static bool same_cell(const struct timeline *timeline,
		      const struct timeline_item *a,
		      const struct timeline_item *b)
{
	uint64_t cell_ns = timeline->cell_ns;

	return cell_ns && a->begin_ns / cell_ns == b->begin_ns / cell_ns &&
	       a->end_ns - a->begin_ns < cell_ns &&
	       b->end_ns - b->begin_ns < cell_ns;
}

static void put_together(struct timeline_item *item,
			 const struct timeline_item *next)
{
	if (item->thread == next->thread) {
		item->thread_ns += next->thread_ns;
	} else if (next->thread_ns > item->thread_ns) {
		item->thread = next->thread;
		item->thread_ns = next->thread_ns;
	}
	item->end_ns = next->end_ns;
	item->busy_ns += next->busy_ns;
	item->nr += next->nr;
}

static void make_coarser(struct timeline *timeline)
{
	struct timeline_lane *lane;
	uint32_t cpu;
	size_t i, nr;

	timeline->cell_ns = timeline->cell_ns ? 2 * timeline->cell_ns : 1;
	timeline->nr_items = 0;
	for (cpu = 0; cpu < timeline->nr_lanes; cpu++) {
		lane = &timeline->lanes[cpu];
		for (i = 0, nr = 0; i < lane->nr_items; i++) {
			if (nr && same_cell(timeline, &lane->items[nr - 1],
					    &lane->items[i]))
				put_together(&lane->items[nr - 1],
					     &lane->items[i]);
			else
				lane->items[nr++] = lane->items[i];
		}
		lane->nr_items = nr;
		timeline->nr_items += nr;
	}
}

static void add_item(struct timeline *timeline, struct timeline_lane *lane,
		     const struct timeline_item *item)
{
	size_t nr = lane->nr_items;

	timeline->nr_turns++;
	lane->busy_ns += item->busy_ns;
	if (nr && same_cell(timeline, &lane->items[nr - 1], item)) {
		put_together(&lane->items[nr - 1], item);
		return;
	}
	if (!make_room(&lane->items, nr, &lane->size_items,
		       sizeof(*lane->items))) {
		timeline->failed = true;
		return;
	}
	lane->items[lane->nr_items++] = *item;
	timeline->nr_items++;
	/* A lane may have two items a cell: it does not help for ever. */
	while (timeline->nr_items > timeline->max_items &&
	       timeline->cell_ns < timeline->end_ns)
		make_coarser(timeline);
}

/* ---- Threads ----------------------------------------------------------- */

/* Its number, plus one, is what is kept as the owner of a thread. */
static uint32_t number_of(struct timeline *timeline,
			  struct sched_thread *thread)
{
	uint32_t nr = timeline->nr_threads;
	struct timeline_thread *bigger;

	if (thread->owner)
		return (uintptr_t)thread->owner - 1;
	if (!record_filter_match_thread(timeline->filter, timeline->archive,
					&thread->id))
		return TIMELINE_OTHERS;
	if (!(nr & (nr - 1))) {
		bigger = reallocarray(timeline->threads, nr ? 2 * nr : 1,
				      sizeof(*bigger));
		if (!bigger) {
			timeline->failed = true;
			return TIMELINE_OTHERS;
		}
		timeline->threads = bigger;
	}
	timeline->threads[nr] = (struct timeline_thread){ .id = thread->id };
	timeline->nr_threads++;
	thread->owner = (void *)(uintptr_t)(nr + 1);
	return nr;
}

struct ranked {
	uint64_t running_ns;
	uint32_t number;
};

static int compare_running(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->running_ns != b->running_ns)
		return a->running_ns > b->running_ns ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

static void rank_threads(struct timeline *timeline)
{
	struct ranked *ranked = calloc(timeline->nr_threads + 1,
				       sizeof(*ranked));
	uint32_t i;

	if (!ranked) {
		timeline->failed = true;
		return;
	}
	for (i = 0; i < timeline->nr_threads; i++) {
		ranked[i].running_ns = timeline->threads[i].running_ns;
		ranked[i].number = i;
	}
	qsort(ranked, timeline->nr_threads, sizeof(*ranked), compare_running);
	for (i = 0; i < timeline->nr_threads; i++)
		timeline->threads[ranked[i].number].rank = i;
	free(ranked);
}

/* ---- What the trace says ----------------------------------------------- */

/* Cut off what is not to be drawn; false: all of it. */
static bool clip(const struct filling *filling, uint64_t *begin_ns,
		 uint64_t *end_ns)
{
	const struct record_filter *filter = filling->timeline->filter;

	if (*begin_ns < filter->from_ns)
		*begin_ns = filter->from_ns;
	if (*end_ns > filter->to_ns)
		*end_ns = filter->to_ns;
	return *begin_ns <= *end_ns;
}

static void on_end(void *ctx, struct sched_thread *thread)
{
	struct filling *filling = ctx;
	struct timeline *timeline = filling->timeline;
	const struct sched_turn *turn = &thread->turn;
	uint64_t begin_ns = turn->begin_ns, end_ns = turn->end_ns;
	struct timeline_item item;
	struct timeline_lane *lane;

	if (!record_filter_match_cpu(timeline->filter, turn->cpu) ||
	    !clip(filling, &begin_ns, &end_ns))
		return;
	lane = lane_get(timeline, turn->cpu);
	if (!lane)
		return;
	timeline->end_ns = filling->sched.now_ns;
	item = (struct timeline_item){
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.busy_ns = end_ns - begin_ns,
		.thread = number_of(timeline, thread),
		.thread_ns = end_ns - begin_ns,
		.nr = 1,
		.waited = turn->waited,
		.after = turn->after,
		.ready_ns = turn->ready_ns,
		.blocked_ns = turn->blocked_ns,
	};
	if (item.thread != TIMELINE_OTHERS)
		timeline->threads[item.thread].running_ns += item.busy_ns;
	add_item(timeline, lane, &item);
}

static void add_gap(struct timeline *timeline, uint32_t cpu, uint64_t begin_ns,
		    uint64_t end_ns)
{
	struct timeline_lane *lane = lane_get(timeline, cpu);
	struct timeline_gap *last;

	if (!lane)
		return;
	last = lane->nr_gaps ? &lane->gaps[lane->nr_gaps - 1] : NULL;
	if (last && (begin_ns <= last->end_ns || lane->nr_gaps == MAX_GAPS)) {
		if (end_ns > last->end_ns)
			last->end_ns = end_ns;
		return;
	}
	if (!make_room(&lane->gaps, lane->nr_gaps, &lane->size_gaps,
		       sizeof(*lane->gaps))) {
		timeline->failed = true;
		return;
	}
	lane->gaps[lane->nr_gaps++] = (struct timeline_gap){ begin_ns, end_ns };
}

static void on_gap(void *ctx, uint32_t cpu, uint64_t begin_ns,
		   uint64_t end_ns)
{
	struct filling *filling = ctx;
	uint32_t i;

	if (!clip(filling, &begin_ns, &end_ns))
		return;
	if (cpu != SCHED_ALL_CPUS) {
		if (record_filter_match_cpu(filling->timeline->filter, cpu))
			add_gap(filling->timeline, cpu, begin_ns, end_ns);
		return;
	}
	for (i = 0; i < filling->timeline->nr_lanes; i++)
		if (filling->timeline->lanes[i].seen)
			add_gap(filling->timeline, i, begin_ns, end_ns);
}

static const struct sched_ops ops = {
	.end = on_end,
	.gap = on_gap,
};

/* A CPU on which nothing ran all the time has a lane, too. */
static void add_idle_lanes(struct filling *filling)
{
	const struct sched *sched = &filling->sched;
	uint32_t i;

	for (i = 0; i < sched->nr_cpus; i++)
		if (sched->cpus[i] && sched->cpus[i]->known &&
		    record_filter_match_cpu(filling->timeline->filter, i))
			lane_get(filling->timeline, i);
}

static struct vitrine_error *follow(struct filling *filling,
				    struct vitrine_archive *archive)
{
	struct timeline *timeline = filling->timeline;
	const struct vitrine_fxt_record *record;
	struct vitrine_error *err;

	for (;;) {
		err = vitrine_archive_next(archive, &record);
		if (err)
			return err;
		if (!record)
			break;
		if (!sched_follow(&filling->sched, record))
			timeline->failed = true;
		if (timeline->failed)
			break;
	}
	sched_finish(&filling->sched);
	add_idle_lanes(filling);
	rank_threads(timeline);
	if (!timeline->failed)
		return NULL;
	return vtr_error_no_memory();
}

/**
 * timeline_fill() - read all of a trace
 * @timeline: all zero but @filter, @max_items and @max_cells
 * @archive: the trace
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *timeline_fill(struct timeline *timeline,
				    struct vitrine_archive *archive)
{
	struct filling filling = {
		.timeline = timeline,
		.sched = {
			.ops = &ops,
			.archive = archive,
			.from_ns = timeline->filter->from_ns,
			.to_ns = timeline->filter->to_ns,
		},
	};
	struct vitrine_error *err;

	filling.sched.ctx = &filling;
	timeline->archive = archive;
	err = follow(&filling, archive);
	timeline->begin_ns = filling.sched.begin_ns;
	timeline->end_ns = filling.sched.now_ns;
	if (timeline->begin_ns < timeline->filter->from_ns)
		timeline->begin_ns = timeline->filter->from_ns;
	if (timeline->end_ns > timeline->filter->to_ns)
		timeline->end_ns = timeline->filter->to_ns;
	if (timeline->end_ns < timeline->begin_ns)
		timeline->end_ns = timeline->begin_ns;
	while (timeline->max_cells &&
	       (timeline->end_ns - timeline->begin_ns) / timeline->max_cells >
	       timeline->cell_ns)
		make_coarser(timeline);
	timeline->nr_lost = filling.sched.nr_lost;
	sched_deinit(&filling.sched);
	return err;
}

/**
 * timeline_put_missing() - write how many turns are not drawn each on its own
 * @stream: where to
 * @timeline: timeline in which there are some, as @cell_ns says
 */
void timeline_put_missing(FILE *stream, const struct timeline *timeline)
{
	const struct timeline_lane *lane;
	char cell[LABEL_TIME_BYTES];
	uint64_t nr_turns = 0, nr_bars = 0;
	uint32_t cpu;
	size_t i;

	for (cpu = 0; cpu < timeline->nr_lanes; cpu++) {
		lane = &timeline->lanes[cpu];
		for (i = 0; i < lane->nr_items; i++) {
			if (lane->items[i].nr == 1)
				continue;
			nr_turns += lane->items[i].nr;
			nr_bars++;
		}
	}
	label_duration(cell, timeline->cell_ns);
	fprintf(stream, "%" PRIu64 " of %" PRIu64 " turns, all shorter than %s, ",
		nr_turns, timeline->nr_turns, cell);
	fprintf(stream, "are drawn together as %" PRIu64 " bars", nr_bars);
}

/**
 * timeline_deinit() - forget all
 * @timeline: timeline
 */
void timeline_deinit(struct timeline *timeline)
{
	uint32_t i;

	for (i = 0; i < timeline->nr_lanes; i++) {
		free(timeline->lanes[i].items);
		free(timeline->lanes[i].gaps);
	}
	free(timeline->lanes);
	free(timeline->threads);
}
