// SPDX-License-Identifier: GPL-2.0
/*
 * Fill a timeline from a trace of any length.
 *
 * Time slices are kept as they are until there are too many. Then time is divided into
 * cells, and the slices of a lane that begin in one cell and are shorter than it become
 * one item; if there are too many again, the cells are doubled. So a lane has at most
 * two items per cell, whatever the length of the trace. Interrupts have lists of their
 * own and are merged in the same way.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "base.h"
#include "command.h"
#include "ui/label.h"
#include "timeline.h"

/* Most gaps of a lane; more are merged with their neighbours. */
#define MAX_GAPS	1024

/* ---- Colours of threads ------------------------------------------------ */

/*
 * By rank: the first ones are easy to tell apart, also in print and for people with colour
 * blindness.
 */

/* The palette of Okabe and Ito without black and grey; then lighter, then darker. */
static const uint32_t colours[] = {
	0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0xf0e442,
	0x66aad1, 0xf2cc7a, 0x70c8ae, 0xe4b9d0, 0xa6d7f3, 0xe89a5f, 0xf8f2a3,
	0x004e7a, 0x9c6c00, 0x006b4e, 0x8c4f72, 0x2f7ba3, 0x8f3f00, 0xa89d1c,
};

/**
 * timeline_colour() - return the colour of a thread
 * @rank: rank by running time, 0 for the longest
 *
 * Return: 0xRRGGBB; the colours repeat after 21.
 */
uint32_t timeline_colour(uint32_t rank)
{
	return colours[rank % ARRAY_LEN(colours)];
}

/**
 * timeline_is_dark() - find out whether text on a colour must be white
 * @colour: colour
 *
 * Return: true if the colour is darker than a medium grey.
 */
bool timeline_is_dark(uint32_t colour)
{
	unsigned int red = colour >> 16, green = colour >> 8 & 0xff;

	return 299 * red + 587 * green + 114 * (colour & 0xff) < 140 * 1000;
}

struct timeline timeline;

static struct timeline_lane *lane_get(uint32_t cpu)
{
	must_have(GROW_TO(timeline.lanes, timeline.nr_lanes, cpu));
	timeline.lanes[cpu].seen = true;
	return &timeline.lanes[cpu];
}

/* ---- Items ------------------------------------------------------------- */

static bool same_cell(uint64_t cell_ns, const struct timeline_item *a,
		      const struct timeline_item *b)
{
	return cell_ns && a->begin_ns / cell_ns == b->begin_ns / cell_ns &&
	       a->end_ns - a->begin_ns < cell_ns &&
	       b->end_ns - b->begin_ns < cell_ns;
}

static void put_together(struct timeline_item *item, const struct timeline_item *next)
{
	if (item->thread == next->thread) {
		item->thread_ns += next->thread_ns;
	} else if (next->thread_ns > item->thread_ns) {
		item->thread = next->thread;
		item->thread_ns = next->thread_ns;
	}
	if (item->end_ns < next->end_ns)
		item->end_ns = next->end_ns;
	item->busy_ns += next->busy_ns;
	item->nr += next->nr;
}

static void make_coarser(enum timeline_kind kind)
{
	uint64_t cell_ns = timeline.cell_ns[kind] ?
			   2 * timeline.cell_ns[kind] : 1;
	struct timeline_list *list;
	uint32_t cpu;
	size_t i, nr;

	timeline.cell_ns[kind] = cell_ns;
	timeline.nr_items[kind] = 0;
	for (cpu = 0; cpu < timeline.nr_lanes; cpu++) {
		list = &timeline.lanes[cpu].lists[kind];
		for (i = 0, nr = 0; i < list->nr_items; i++) {
			if (nr && same_cell(cell_ns, &list->items[nr - 1], &list->items[i]))
				put_together(&list->items[nr - 1], &list->items[i]);
			else
				list->items[nr++] = list->items[i];
		}
		list->nr_items = nr;
		timeline.nr_items[kind] += nr;
	}
}

static void add_item(struct timeline_lane *lane, enum timeline_kind kind,
		     const struct timeline_item *item)
{
	struct timeline_list *list = &lane->lists[kind];
	size_t nr = list->nr_items;

	timeline.nr_all[kind]++;
	if (nr && same_cell(timeline.cell_ns[kind], &list->items[nr - 1], item)) {
		put_together(&list->items[nr - 1], item);
		return;
	}
	must_have(GROW(list->items, nr));
	list->items[list->nr_items++] = *item;
	timeline.nr_items[kind]++;
	/*
	 * A lane may have two items per cell, so coarser cells help only so far. Half of
	 * the time, since a longer cell may not fit into 64 bits.
	 */
	while (timeline.nr_items[kind] > timeline.max_items &&
	       timeline.cell_ns[kind] <= timeline.end_ns / 2)
		make_coarser(kind);
}

/* ---- Threads ----------------------------------------------------------- */

/* Return the number of a thread; its owner is that number plus one. */
static uint32_t number_of(struct sched_thread *thread)
{
	uint32_t nr = timeline.nr_threads;

	if (thread->owner)
		return (uintptr_t)thread->owner - 1;
	if (!record_filter_match_thread(timeline.filter, &thread->id))
		return TIMELINE_OTHERS;
	must_have(GROW(timeline.threads, nr));
	timeline.threads[nr] = (struct timeline_thread){ .id = thread->id };
	timeline.nr_threads++;
	thread->owner = (void *)(uintptr_t)(nr + 1);
	return nr;
}

/* The thread that ran longest comes first; of several, the one with the lowest number. */
static int compare_running(const void *left, const void *right)
{
	const struct timeline_thread *a = *(struct timeline_thread * const *)left;
	const struct timeline_thread *b = *(struct timeline_thread * const *)right;

	return number_order(b->running_ns, a->running_ns) ?: a < b ? -1 : 1;
}

static void rank_threads(void)
{
	struct timeline_thread **ranked = calloc(timeline.nr_threads + 1, sizeof(*ranked));
	uint32_t i;

	must_have(ranked);
	for (i = 0; i < timeline.nr_threads; i++)
		ranked[i] = &timeline.threads[i];
	SORT(ranked, timeline.nr_threads, compare_running);
	for (i = 0; i < timeline.nr_threads; i++)
		ranked[i]->rank = i;
	free(ranked);
}

/* ---- Following the trace ----------------------------------------------- */

/* Clip an interval to the requested range; false if nothing remains. */
static bool clip(uint64_t *begin_ns, uint64_t *end_ns)
{
	if (*begin_ns < timeline.filter->from_ns)
		*begin_ns = timeline.filter->from_ns;
	if (*end_ns > timeline.filter->to_ns)
		*end_ns = timeline.filter->to_ns;
	return *begin_ns <= *end_ns;
}

/* Clip an item to the requested range and find its lane; NULL: it is not drawn. */
static struct timeline_lane *lane_of(uint32_t cpu, struct timeline_item *item)
{
	if (!record_filter_match_cpu(timeline.filter, cpu) ||
	    !clip(&item->begin_ns, &item->end_ns))
		return NULL;
	timeline.end_ns = sched.now_ns;
	item->thread_ns = item->end_ns - item->begin_ns;
	return lane_get(cpu);
}

static void on_end(struct sched_thread *thread)
{
	const struct sched_turn *turn = &thread->turn;
	struct timeline_item item = {
		.begin_ns = turn->begin_ns,
		.end_ns = turn->end_ns,
		.nr = 1,
		.waited = turn->waited,
		.after = turn->after,
		.ready_ns = turn->ready_ns,
		.blocked_ns = turn->blocked_ns,
	};
	struct timeline_lane *lane = lane_of(turn->cpu, &item);

	if (!lane)
		return;
	item.busy_ns = item.thread_ns;
	item.thread = number_of(thread);
	if (item.thread != TIMELINE_OTHERS)
		timeline.threads[item.thread].running_ns += item.busy_ns;
	lane->busy_ns += item.busy_ns;
	add_item(lane, TIMELINE_TURNS, &item);
}

static uint32_t name_of(const char *label)
{
	uint32_t nr;

	for (nr = 0; nr < timeline.nr_names; nr++)
		if (!strcmp(timeline.names[nr], label))
			return nr;
	if (nr >= SCHED_MAX_INTERRUPTS && strcmp(label, SCHED_OTHER_INTERRUPTS))
		return name_of(SCHED_OTHER_INTERRUPTS);
	must_have(GROW(timeline.names, nr));
	timeline.names[nr] = must_format("%s", label);
	return timeline.nr_names++;
}

static void on_interrupt(const struct sched_interrupt *interrupt)
{
	struct timeline_item item = {
		.begin_ns = interrupt->begin_ns,
		.end_ns = interrupt->end_ns,
		.busy_ns = interrupt->alone_ns,
		.nr = 1,
	};
	struct timeline_lane *lane = lane_of(interrupt->cpu, &item);

	if (!lane)
		return;
	item.thread = name_of(event_label(interrupt->record));
	if (item.busy_ns > item.thread_ns)
		item.busy_ns = item.thread_ns;
	add_item(lane, TIMELINE_INTERRUPTS, &item);
}

static void add_gap(uint32_t cpu, uint64_t begin_ns, uint64_t end_ns)
{
	struct timeline_lane *lane = lane_get(cpu);
	struct timeline_gap *last;

	last = lane->nr_gaps ? &lane->gaps[lane->nr_gaps - 1] : NULL;
	if (last && (begin_ns <= last->end_ns || lane->nr_gaps == MAX_GAPS)) {
		if (end_ns > last->end_ns)
			last->end_ns = end_ns;
		return;
	}
	must_have(GROW(lane->gaps, lane->nr_gaps));
	lane->gaps[lane->nr_gaps++] = (struct timeline_gap){ begin_ns, end_ns };
}

static void on_gap(uint32_t cpu, uint64_t begin_ns, uint64_t end_ns)
{
	uint32_t i;

	if (!clip(&begin_ns, &end_ns))
		return;
	if (cpu != SCHED_ALL_CPUS) {
		if (record_filter_match_cpu(timeline.filter, cpu))
			add_gap(cpu, begin_ns, end_ns);
		return;
	}
	for (i = 0; i < timeline.nr_lanes; i++)
		if (timeline.lanes[i].seen)
			add_gap(i, begin_ns, end_ns);
}

static const struct sched_ops ops = {
	.end = on_end,
	.gap = on_gap,
	.interrupt = on_interrupt,
};

/* Add a lane for each CPU that was idle all the time. */
static void add_idle_lanes(void)
{
	uint32_t i;

	for (i = 0; i < sched.nr_cpus; i++)
		if (sched.cpus[i] && sched.cpus[i]->known &&
		    record_filter_match_cpu(timeline.filter, i))
			lane_get(i);
}

/* Make the cells so large that @max_cells of them cover the range. */
static void make_fit(void)
{
	uint64_t length_ns = timeline.end_ns - timeline.begin_ns;
	unsigned int kind;

	for (kind = 0; kind < TIMELINE_NR_KINDS; kind++)
		while (timeline.max_cells && length_ns / timeline.max_cells >
					      timeline.cell_ns[kind])
			make_coarser(kind);
}

/* Begin gaps that precede the first record of their CPU where the timeline does. */
static void clip_gaps(void)
{
	struct timeline_gap *gap;
	uint32_t cpu;
	size_t i;

	for (cpu = 0; cpu < timeline.nr_lanes; cpu++) {
		for (i = 0; i < timeline.lanes[cpu].nr_gaps; i++) {
			gap = &timeline.lanes[cpu].gaps[i];
			if (gap->begin_ns < timeline.begin_ns)
				gap->begin_ns = timeline.begin_ns;
			if (gap->end_ns < gap->begin_ns)
				gap->end_ns = gap->begin_ns;
		}
	}
}

/**
 * timeline_fill() - fill a timeline from a trace
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *timeline_fill(void)
{
	struct vitrine_error *err;

	err = sched_read(timeline.filter, &ops);
	if (err)
		return err;
	add_idle_lanes();
	rank_threads();
	timeline.begin_ns = sched.span.begin_ns;
	timeline.end_ns = sched.span.end_ns;
	make_fit();
	clip_gaps();
	return NULL;
}

/**
 * timeline_put_missing() - write how many time slices are merged with others
 * @stream: output stream
 */
void timeline_put_missing(FILE *stream)
{
	const struct timeline_list *list;
	uint64_t nr_turns = 0, nr_bars = 0;
	uint32_t cpu;
	size_t i;

	for (cpu = 0; cpu < timeline.nr_lanes; cpu++) {
		list = &timeline.lanes[cpu].lists[TIMELINE_TURNS];
		for (i = 0; i < list->nr_items; i++) {
			if (list->items[i].nr == 1)
				continue;
			nr_turns += list->items[i].nr;
			nr_bars++;
		}
	}
	fprintf(stream, "%" PRIu64 " of %" PRIu64 " time slices are shorter than %s and ",
		nr_turns, timeline.nr_all[TIMELINE_TURNS],
		duration(timeline.cell_ns[TIMELINE_TURNS]));
	fprintf(stream, "merged into %" PRIu64 " bars", nr_bars);
}

/**
 * timeline_deinit() - free a timeline
 */
void timeline_deinit(void)
{
	unsigned int kind;
	uint32_t i;

	for (i = 0; i < timeline.nr_lanes; i++) {
		for (kind = 0; kind < TIMELINE_NR_KINDS; kind++)
			free(timeline.lanes[i].lists[kind].items);
		free(timeline.lanes[i].gaps);
	}
	while (timeline.nr_names)
		free(timeline.names[--timeline.nr_names]);
	free(timeline.names);
	free(timeline.lanes);
	free(timeline.threads);
	sched_deinit();
}
