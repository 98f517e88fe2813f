// SPDX-License-Identifier: GPL-2.0
/*
 * Draw a timeline as SVG: one lane per CPU, time to the right. Each bar has a title,
 * which viewers show under the mouse.
 */
#include <inttypes.h>
#include <string.h>

#include "ui/label.h"
#include "ui/xml.h"
#include "timeline.h"

#define WIDTH		1600
#define LEFT		70
#define RIGHT		20
#define TOP		84
#define PLOT		(WIDTH - LEFT - RIGHT)
#define LANE_SPACE	8
#define TICKS		10	/* approximate number of ticks on the axis */
#define CHARACTER	6.3	/* approximate width of a character */

/* A turn is so many times as high as an interrupt. */
#define INTERRUPT_SHARE	6.0

#define LEGEND_COLUMNS	5
#define LEGEND_ROWS	8
#define LEGEND_STEP	20

static const char * const came_from[SCHED_NR_STATES] = {
	[SCHED_UNKNOWN]		= "before: unknown",
	[SCHED_RUNNING]		= "before: running",
	[SCHED_WOKEN]		= "before: woken",
	[SCHED_PREEMPTED]	= "before: preempted",
	[SCHED_BLOCKED]		= "before: blocked, no wakeup seen",
	[SCHED_STOPPED]		= "before: stopped, no wakeup seen",
	[SCHED_DEAD]		= "before: dead",
};

static double x_of(const struct timeline *timeline, uint64_t ns)
{
	uint64_t length_ns = timeline->end_ns - timeline->begin_ns;

	if (!length_ns)
		return LEFT;
	return LEFT + (double)PLOT * (ns - timeline->begin_ns) / length_ns;
}

static unsigned int nr_seen(const struct timeline *timeline)
{
	unsigned int nr = 0;
	uint32_t i;

	for (i = 0; i < timeline->nr_lanes; i++)
		nr += timeline->lanes[i].seen;
	return nr;
}

static int lane_height(const struct timeline *timeline)
{
	unsigned int nr = nr_seen(timeline);
	int height = 640 / (nr ? nr : 1);

	return height < 14 ? 14 : height > 64 ? 64 : height;
}

static uint32_t colour_of(const struct timeline *timeline, uint32_t thread)
{
	if (thread == TIMELINE_OTHERS)
		return 0xb5b5b5;
	return timeline_colour(timeline->threads[thread].rank);
}

static void label_of(const struct timeline *timeline, uint32_t thread,
		     char label[LABEL_BYTES])
{
	if (thread == TIMELINE_OTHERS)
		snprintf(label, LABEL_BYTES, "others");
	else
		label_thread(label, timeline->archive,
			     &timeline->threads[thread].id);
}

/* Begin a rectangle; the caller adds attributes and ends it. */
static void begin_rect(FILE *stream, double x, double y, double width,
		       double height)
{
	fprintf(stream,
		"<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"",
		x, y, width, height);
}

static void begin_text(FILE *stream, double x, double y, const char *anchor,
		       const char *style)
{
	fprintf(stream,
		"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">",
		x, y, anchor, style);
}

/* ---- Bars -------------------------------------------------------------- */

static void put_duration(FILE *stream, const char *before, uint64_t ns)
{
	char label[LABEL_TIME_BYTES];

	label_duration(label, ns);
	fprintf(stream, "%s%s", before, label);
}

static void put_process(FILE *stream, const struct timeline *timeline,
			uint32_t thread)
{
	struct vitrine_fxt_string name;
	char label[LABEL_BYTES];
	uint64_t process;

	if (thread == TIMELINE_OTHERS)
		return;
	process = record_process(timeline->archive,
				 &timeline->threads[thread].id);
	if (!vitrine_archive_process(timeline->archive, process, &name))
		return;
	label_name(label, &name);
	fputs(" of ", stream);
	xml_put_text(stream, label);
}

static void put_title(FILE *stream, const struct timeline *timeline,
		      const struct timeline_item *item)
{
	char label[LABEL_BYTES], time[LABEL_TIME_BYTES];

	label_of(timeline, item->thread, label);
	fputs("<title>", stream);
	if (item->nr > 1)
		fprintf(stream, "%" PRIu32 " time slices, the most time by ", item->nr);
	xml_put_text(stream, label);
	put_process(stream, timeline, item->thread);
	label_time(time, item->begin_ns);
	fprintf(stream, "\nat %s", time);
	if (item->nr > 1) {
		put_duration(stream, ", all ran for ", item->busy_ns);
	} else {
		put_duration(stream, ", ran for ", item->busy_ns);
		fprintf(stream, "\n%s", came_from[item->waited]);
		if (item->ready_ns)
			put_duration(stream, ", waited for ", item->ready_ns);
	}
	fputs("</title>", stream);
}

/* Put as much of a name as fits. */
static void put_name(FILE *stream, const char *label, double x, double y,
		     double width, bool dark)
{
	size_t room = (width - 6) / CHARACTER, len = strcspn(label, ":");

	if (width < 30)
		return;
	if (len > room)
		len = room;
	/* Do not cut within a character. */
	while (len && (label[len] & 0xc0) == 0x80)
		len--;
	begin_text(stream, x + 3, y, "start", dark ? "n d" : "n");
	for (; len; len--)
		xml_put_text(stream, (char[]){ *label++, 0 });
	fputs("</text>", stream);
}

static void put_item(FILE *stream, const struct timeline *timeline,
		     const struct timeline_item *item, int y, int height)
{
	uint64_t length_ns = item->end_ns - item->begin_ns;
	double x = x_of(timeline, item->begin_ns), bar = height;
	double width = x_of(timeline, item->end_ns) - x;
	uint32_t colour = colour_of(timeline, item->thread);
	char label[LABEL_BYTES];

	if (width < 0.3)
		width = 0.3;
	if (length_ns)
		bar = (double)height * item->busy_ns / length_ns;
	begin_rect(stream, x, y + height - bar, width, bar);
	fprintf(stream, " fill=\"#%06" PRIx32 "\">", colour);
	put_title(stream, timeline, item);
	fputs("</rect>", stream);
	if (item->nr == 1) {
		label_of(timeline, item->thread, label);
		put_name(stream, label, x, y + height / 2.0 + 4, width,
			 timeline_is_dark(colour));
	}
	putc('\n', stream);
}

static void put_interrupt(FILE *stream, const struct timeline *timeline,
			  const struct timeline_item *item, int y,
			  double height)
{
	double x = x_of(timeline, item->begin_ns);
	double width = x_of(timeline, item->end_ns) - x;
	char time[LABEL_TIME_BYTES];

	/* A nested interrupt is drawn in front of the outer one. */
	if (!item->busy_ns)
		height /= 2;
	begin_rect(stream, x, y, width < 0.3 ? 0.3 : width, height);
	fputs(item->busy_ns ? " class=\"i\"><title>" :
			      " class=\"i j\"><title>", stream);
	if (item->nr > 1)
		fprintf(stream, "%" PRIu32 " interrupts, the most time by ", item->nr);
	xml_put_text(stream, timeline->names[item->thread]);
	label_time(time, item->begin_ns);
	fprintf(stream, "\nat %s", time);
	put_duration(stream, item->nr > 1 ? ", all took " : ", took ",
		     item->nr > 1 ? item->busy_ns : item->thread_ns);
	fputs("</title></rect>\n", stream);
}

static void put_gap(FILE *stream, const struct timeline *timeline,
		    const struct timeline_gap *gap, int y, int height)
{
	double x = x_of(timeline, gap->begin_ns);
	double width = x_of(timeline, gap->end_ns) - x;

	begin_rect(stream, x, y, width < 2 ? 2 : width, height);
	fputs(" class=\"gap\"><title>records are missing here</title></rect>\n",
	      stream);
}

static void put_lane(FILE *stream, const struct timeline *timeline,
		     uint32_t cpu, int y, int height)
{
	const struct timeline_lane *lane = &timeline->lanes[cpu];
	const struct timeline_row *turns = &lane->rows[TIMELINE_TURNS];
	const struct timeline_row *interrupts = &lane->rows[TIMELINE_INTERRUPTS];
	uint64_t length_ns = timeline->end_ns - timeline->begin_ns;
	size_t i;

	begin_text(stream, LEFT - 8, y + height / 2, "end", "b");
	fprintf(stream, "CPU %" PRIu32 "</text>\n", cpu);
	if (height >= 30 && length_ns) {
		begin_text(stream, LEFT - 8, y + height / 2 + 14, "end", "f");
		fprintf(stream, "%.0f %%</text>\n",
			100.0 * lane->busy_ns / length_ns);
	}
	begin_rect(stream, LEFT, y, PLOT, height);
	fputs(" class=\"lane\"/>\n", stream);
	for (i = 0; i < turns->nr_items; i++)
		put_item(stream, timeline, &turns->items[i], y, height);
	for (i = 0; i < interrupts->nr_items; i++)
		put_interrupt(stream, timeline, &interrupts->items[i], y,
			      height / INTERRUPT_SHARE);
	for (i = 0; i < lane->nr_gaps; i++)
		put_gap(stream, timeline, &lane->gaps[i], y, height);
}

/* ---- Axis, labels and legend -------------------------------------------- */

/* Return 1, 2 or 5 times a power of ten, for about TICKS ticks. */
static uint64_t tick_step(uint64_t length_ns)
{
	uint64_t step = 1;

	for (;; step *= 10) {
		if (length_ns / step <= TICKS)
			return step;
		if (length_ns / (2 * step) <= TICKS)
			return 2 * step;
		if (length_ns / (5 * step) <= TICKS)
			return 5 * step;
	}
}

static void put_axis(FILE *stream, const struct timeline *timeline, int bottom)
{
	uint64_t length_ns = timeline->end_ns - timeline->begin_ns;
	uint64_t step = tick_step(length_ns), i;
	char label[LABEL_TIME_BYTES];
	double x;

	/* A count, since the time after the last tick may not fit into 64 bits. */
	for (i = 0; i <= length_ns / step; i++) {
		x = x_of(timeline, timeline->begin_ns + i * step);
		label_ticks(label, i * step, step);
		fprintf(stream, "<path class=\"t\" d=\"M%.1f %dV%d\"/>", x,
			TOP - 14, bottom);
		begin_text(stream, x, TOP - 18, "middle", "f");
		fprintf(stream, "%s</text>\n", label);
	}
}

static const char style[] =
	"<style>\n"
	".lane{fill:#f2f2f2;stroke:#ccc}\n"
	".gap{fill:url(#hatch);stroke:#b00000}\n"
	".i{fill:#333}\n"
	".j{fill:#f4a300}\n"
	".t{stroke:#ddd}\n"
	".b{font-weight:bold}\n"
	".f{fill:#555}\n"
	".h{font-size:16px}\n"
	".n{font-size:11px;pointer-events:none}\n"
	".d{fill:#fff}\n"
	"</style>\n"
	"<defs>\n"
	"<pattern id=\"hatch\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\n"
	"<rect width=\"8\" height=\"8\" fill=\"#fff\"/>\n"
	"<path d=\"M0 8 8 0M-2 2 2-2M6 10 10 6\" stroke=\"#b00000\"/>\n"
	"</pattern>\n"
	"</defs>\n"
	"<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";

static void put_nr_interrupts(FILE *stream, const struct timeline *timeline)
{
	uint64_t nr = timeline->nr_all[TIMELINE_INTERRUPTS];

	if (!nr)
		return;
	fprintf(stream, ", %" PRIu64 " interrupts", nr);
	if (timeline->cell_ns[TIMELINE_INTERRUPTS])
		put_duration(stream, ", merged where shorter than ",
			     timeline->cell_ns[TIMELINE_INTERRUPTS]);
}

static void put_head(FILE *stream, const struct timeline *timeline,
		     const char *title, int height)
{
	char length[LABEL_TIME_BYTES], begin[LABEL_TIME_BYTES];

	label_duration(length, timeline->end_ns - timeline->begin_ns);
	label_time(begin, timeline->begin_ns);
	fprintf(stream, "<svg xmlns=\"http://www.w3.org/2000/svg\" ");
	fprintf(stream, "width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ",
		WIDTH, height, WIDTH, height);
	fputs("font-family=\"sans-serif\" font-size=\"12\">\n", stream);
	fputs(style, stream);
	begin_text(stream, 12, 24, "start", "b h");
	xml_put_text(stream, title);
	fputs("</text>\n", stream);
	begin_text(stream, 12, 44, "start", "f");
	fprintf(stream, "%s from %s s, %" PRIu64 " time slices of %" PRIu32 " threads",
		length, begin, timeline->nr_all[TIMELINE_TURNS],
		timeline->nr_threads);
	put_nr_interrupts(stream, timeline);
	if (timeline->cell_ns[TIMELINE_TURNS]) {
		fputs("; ", stream);
		timeline_put_missing(stream, timeline);
		fputs(", whose height is the share of time that the CPU was busy", stream);
	}
	if (timeline->nr_lost)
		fprintf(stream, "; %" PRIu64 " records lost",
			timeline->nr_lost);
	fputs("</text>\n", stream);
}

static void put_legend(FILE *stream, const struct timeline *timeline, int top)
{
	uint32_t i, rank, nr = LEGEND_COLUMNS * LEGEND_ROWS;
	char label[LABEL_BYTES];
	int x, y;

	for (i = 0; i < timeline->nr_threads; i++) {
		rank = timeline->threads[i].rank;
		if (rank >= nr)
			continue;
		x = LEFT + rank / LEGEND_ROWS * (PLOT / LEGEND_COLUMNS);
		y = top + rank % LEGEND_ROWS * LEGEND_STEP;
		label_of(timeline, i, label);
		begin_rect(stream, x, y, 14, 14);
		fprintf(stream, " fill=\"#%06" PRIx32 "\"/>",
			timeline_colour(rank));
		begin_text(stream, x + 20, y + 12, "start", "l");
		xml_put_text(stream, label);
		put_duration(stream, "  ", timeline->threads[i].running_ns);
		fputs("</text>\n", stream);
	}
	if (timeline->nr_threads <= nr)
		return;
	begin_text(stream, LEFT, top + LEGEND_ROWS * LEGEND_STEP + 12, "start",
		   "f");
	fprintf(stream, "and %" PRIu32 " more</text>\n",
		timeline->nr_threads - nr);
}

/**
 * timeline_svg() - draw a timeline as SVG
 * @stream: output stream
 * @timeline: timeline
 * @title: title of the picture
 */
void timeline_svg(FILE *stream, const struct timeline *timeline,
		  const char *title)
{
	int height = lane_height(timeline), y = TOP;
	int bottom = TOP + nr_seen(timeline) * (height + LANE_SPACE);
	uint32_t i;

	put_head(stream, timeline, title,
		 bottom + 20 + (LEGEND_ROWS + 1) * LEGEND_STEP + 10);
	put_axis(stream, timeline, bottom);
	for (i = 0; i < timeline->nr_lanes; i++) {
		if (!timeline->lanes[i].seen)
			continue;
		put_lane(stream, timeline, i, y, height);
		y += height + LANE_SPACE;
	}
	put_legend(stream, timeline, bottom + 20);
	fputs("</svg>\n", stream);
}
