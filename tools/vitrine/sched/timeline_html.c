// SPDX-License-Identifier: GPL-2.0
/*
 * Write a timeline as a self-contained page: timeline.html with the data in it. The
 * order of the numbers in put_item() and in the page's script must agree.
 */
#include <inttypes.h>
#include <string.h>

#include "ui/label.h"
#include "ui/xml.h"
#include "timeline.h"

/* timeline.html as a string, made by the Makefile. */
#include "timeline_page.h"

/* Put text that HTML and JSON take literally; labels are printable. */
static void put_text(FILE *stream, const char *text)
{
	for (; *text; text++) {
		if (strchr("<>&\"\\'", *text))
			fprintf(stream, "\\u%04x", *text);
		else
			putc(*text, stream);
	}
}

static void put_thread(FILE *stream, const struct timeline *timeline,
		       const struct timeline_thread *thread)
{
	struct vitrine_fxt_string name = { 0 };
	uint32_t colour = timeline_colour(thread->rank);
	char label[LABEL_BYTES];

	label_thread(label, timeline->archive, &thread->id);
	fputs("[\"", stream);
	put_text(stream, label);
	vitrine_archive_process(timeline->archive,
				record_process(timeline->archive, &thread->id),
				&name);
	label_name(label, &name);
	fputs("\",\"", stream);
	put_text(stream, label);
	fprintf(stream, "\",%" PRIu64 ",\"#%06" PRIx32 "\",%d]",
		thread->running_ns, colour, timeline_is_dark(colour));
}

/*
 * A time slice: distance from the end of the item before, length, thread, 1, state
 * before and after, time runnable, time blocked. Merged slices: distance, length,
 * thread, number, busy time, time of that thread.
 */
static void put_item(FILE *stream, const struct timeline_item *item,
		     uint64_t since_ns)
{
	fprintf(stream, "%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRIu32,
		item->begin_ns - since_ns, item->end_ns - item->begin_ns,
		item->thread == TIMELINE_OTHERS ? -1 : (int64_t)item->thread,
		item->nr);
	if (item->nr == 1)
		fprintf(stream, ",%d,%d,%" PRIu64 ",%" PRIu64, item->waited,
			item->after, item->ready_ns, item->blocked_ns);
	else
		fprintf(stream, ",%" PRIu64 ",%" PRIu64, item->busy_ns,
			item->thread_ns);
}

/*
 * An interrupt, or merged ones: distance from the begin of the one before, length,
 * number of the name, how many, busy time.
 */
static void put_interrupts(FILE *stream, const struct timeline_row *row,
			   uint64_t since_ns)
{
	const struct timeline_item *item;
	size_t i;

	for (i = 0; i < row->nr_items; i++) {
		item = &row->items[i];
		if (i)
			fputs(i % 8 ? "," : ",\n", stream);
		fprintf(stream, "%" PRIu64 ",%" PRIu64 ",%" PRIu32,
			item->begin_ns - since_ns,
			item->end_ns - item->begin_ns, item->thread);
		fprintf(stream, ",%" PRIu32 ",%" PRIu64, item->nr,
			item->busy_ns);
		since_ns = item->begin_ns;
	}
}

static void put_lane(FILE *stream, const struct timeline *timeline,
		     uint32_t cpu)
{
	const struct timeline_lane *lane = &timeline->lanes[cpu];
	const struct timeline_row *turns = &lane->rows[TIMELINE_TURNS];
	uint64_t since_ns = timeline->begin_ns;
	size_t i;

	fprintf(stream, "{\"cpu\":%" PRIu32 ",\"busy\":%" PRIu64 ",\"items\":[",
		cpu, lane->busy_ns);
	for (i = 0; i < turns->nr_items; i++) {
		if (i)
			fputs(i % 8 ? "," : ",\n", stream);
		put_item(stream, &turns->items[i], since_ns);
		since_ns = turns->items[i].end_ns;
	}
	fputs("],\"interrupts\":[", stream);
	put_interrupts(stream, &lane->rows[TIMELINE_INTERRUPTS],
		       timeline->begin_ns);
	fputs("],\"gaps\":[", stream);
	for (i = 0; i < lane->nr_gaps; i++)
		fprintf(stream, "%s%" PRIu64 ",%" PRIu64, i ? "," : "",
			lane->gaps[i].begin_ns - timeline->begin_ns,
			lane->gaps[i].end_ns - timeline->begin_ns);
	fputs("]}", stream);
}

static void put_data(FILE *stream, const struct timeline *timeline,
		     const char *title)
{
	const char *comma = "";
	uint32_t i;

	fputs("{\"title\":\"", stream);
	put_text(stream, title);
	/* A string: numbers of JavaScript have 53 bits. */
	fprintf(stream, "\",\"begin\":\"%" PRIu64 "\",\"length\":%" PRIu64,
		timeline->begin_ns, timeline->end_ns - timeline->begin_ns);
	fprintf(stream, ",\"cell\":%" PRIu64 ",\"turns\":%" PRIu64,
		timeline->cell_ns[TIMELINE_TURNS],
		timeline->nr_all[TIMELINE_TURNS]);
	fprintf(stream, ",\"lost\":%" PRIu64 ",\n\"threads\":[",
		timeline->nr_lost);
	for (i = 0; i < timeline->nr_threads; i++) {
		fputs(i ? ",\n" : "\n", stream);
		put_thread(stream, timeline, &timeline->threads[i]);
	}
	fprintf(stream, "],\n\"interrupts\":%" PRIu64 ",\"names\":[",
		timeline->nr_all[TIMELINE_INTERRUPTS]);
	for (i = 0; i < timeline->nr_names; i++) {
		fputs(i ? ",\"" : "\"", stream);
		put_text(stream, timeline->names[i]);
		putc('"', stream);
	}
	fputs("],\n\"lanes\":[", stream);
	for (i = 0; i < timeline->nr_lanes; i++) {
		if (!timeline->lanes[i].seen)
			continue;
		fprintf(stream, "%s\n", comma);
		put_lane(stream, timeline, i);
		comma = ",";
	}
	fputs("]}\n", stream);
}

/* Shown without the script, too. */
static void put_missing(FILE *stream, const struct timeline *timeline)
{
	if (!timeline->cell_ns[TIMELINE_TURNS])
		return;
	fputs("<p id=\"missing\">", stream);
	timeline_put_missing(stream, timeline);
	fputs(", which zooming does not split. ", stream);
	fputs("To draw each time slice of a part of the trace, run ", stream);
	fputs("<code>vitrine timeline --from TIME --to TIME</code>.</p>\n",
	      stream);
}

/**
 * timeline_html() - write a timeline as an HTML page
 * @stream: output stream
 * @timeline: timeline
 * @title: title of the page
 */
void timeline_html(FILE *stream, const struct timeline *timeline,
		   const char *title)
{
	const char *at;

	at = xml_put_until(stream, page, "@TITLE@");
	xml_put_text(stream, title);
	at = xml_put_until(stream, at, "@MISSING@\n");
	put_missing(stream, timeline);
	at = xml_put_until(stream, at, "@DATA@");
	put_data(stream, timeline, title);
	fputs(at, stream);
}
