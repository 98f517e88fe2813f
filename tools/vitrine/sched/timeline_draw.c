// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine timeline': draw the timeline of a trace into a file, as SVG or as a self-contained
 * HTML page: timeline.html with the data in it. The format decides how fine the timeline is;
 * timeline.c follows the trace.
 *
 * In SVG, there is one lane per CPU, time to the right. Each bar has a title, which viewers show
 * under the mouse.
 */
#include <argp.h>
#include <inttypes.h>
#include <string.h>

#include "command.h"
#include "input.h"
#include "ui/label.h"
#include "ui/line.h"
#include "record_filter.h"
#include "timeline.h"
#include "timeline_page.h"
#include "trace_input.h"

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

/**
 * struct timeline_args - the options of `vitrine timeline'
 * @path: trace to read; NULL with @live
 * @output: file to write; "-": standard output
 * @live: read the flight recorder
 * @html: write HTML, not SVG
 * @filter: CPUs and time range to draw, threads to colour
 */
struct timeline_args {
	const char *path;
	const char *output;
	bool live;
	bool html;
	struct record_filter filter;
};

/* Number of items that a browser draws without a pause; the file has a few megabytes. */
#define MAX_ITEMS_HTML	60000

/* On paper, more bars cannot be told apart. A column of cells has two bars. */
#define MAX_ITEMS_SVG	20000
#define MAX_CELLS_SVG	1600

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

static const char *label_of(const struct timeline *timeline, uint32_t thread)
{
	if (thread == TIMELINE_OTHERS)
		return "others";
	return thread_label(timeline->archive, &timeline->threads[thread].id);
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

static void put_process(FILE *stream, const struct timeline *timeline,
			uint32_t thread)
{
	struct vitrine_fxt_string name;
	uint64_t process;

	if (thread == TIMELINE_OTHERS)
		return;
	process = record_process(timeline->archive,
				 &timeline->threads[thread].id);
	if (!vitrine_archive_process(timeline->archive, process, &name))
		return;
	fputs(" of ", stream);
	xml_put_text(stream, name_label(&name));
}

static void put_title(FILE *stream, const struct timeline *timeline,
		      const struct timeline_item *item)
{
	fputs("<title>", stream);
	if (item->nr > 1)
		fprintf(stream, "%" PRIu32 " time slices, the most time by ", item->nr);
	xml_put_text(stream, label_of(timeline, item->thread));
	put_process(stream, timeline, item->thread);
	fprintf(stream, "\nat %s, %sran for %s", seconds(item->begin_ns),
		item->nr > 1 ? "all " : "", duration(item->busy_ns));
	if (item->nr == 1)
		fprintf(stream, "\n%s", came_from[item->waited]);
	if (item->nr == 1 && item->ready_ns)
		fprintf(stream, ", waited for %s", duration(item->ready_ns));
	fputs("</title>", stream);
}

/* Put as much of a name as fits. */
static void put_name(FILE *stream, const char *label, double x, double y,
		     double width, bool dark)
{
	size_t room, len = strcspn(label, ":");

	if (width < 30)
		return;
	room = (width - 6) / CHARACTER;
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

	if (width < 0.3)
		width = 0.3;
	if (length_ns)
		bar = (double)height * item->busy_ns / length_ns;
	begin_rect(stream, x, y + height - bar, width, bar);
	fprintf(stream, " fill=\"#%06" PRIx32 "\">", colour);
	put_title(stream, timeline, item);
	fputs("</rect>", stream);
	if (item->nr == 1)
		put_name(stream, label_of(timeline, item->thread), x, y + height / 2.0 + 4,
			 width, timeline_is_dark(colour));
	putc('\n', stream);
}

static void put_interrupt(FILE *stream, const struct timeline *timeline,
			  const struct timeline_item *item, int y,
			  double height)
{
	double x = x_of(timeline, item->begin_ns);
	double width = x_of(timeline, item->end_ns) - x;

	/* A nested interrupt is drawn in front of the outer one. */
	if (!item->busy_ns)
		height /= 2;
	begin_rect(stream, x, y, width < 0.3 ? 0.3 : width, height);
	fputs(item->busy_ns ? " class=\"i\"><title>" :
			      " class=\"i j\"><title>", stream);
	if (item->nr > 1)
		fprintf(stream, "%" PRIu32 " interrupts, the most time by ", item->nr);
	xml_put_text(stream, timeline->names[item->thread]);
	fprintf(stream, "\nat %s, %stook %s</title></rect>\n", seconds(item->begin_ns),
		item->nr > 1 ? "all " : "",
		duration(item->nr > 1 ? item->busy_ns : item->thread_ns));
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
	double x;

	/* A count, since the time after the last tick may not fit into 64 bits. */
	for (i = 0; i <= length_ns / step; i++) {
		x = x_of(timeline, timeline->begin_ns + i * step);
		fprintf(stream, "<path class=\"t\" d=\"M%.1f %dV%d\"/>", x,
			TOP - 14, bottom);
		begin_text(stream, x, TOP - 18, "middle", "f");
		fprintf(stream, "%s</text>\n", ticks_label(i * step, step));
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
		fprintf(stream, ", merged where shorter than %s",
			duration(timeline->cell_ns[TIMELINE_INTERRUPTS]));
}

static void put_head(FILE *stream, const struct timeline *timeline,
		     const char *title, int height)
{
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
		duration(timeline->end_ns - timeline->begin_ns), seconds(timeline->begin_ns),
		timeline->nr_all[TIMELINE_TURNS], timeline->nr_threads);
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
	int x, y;

	for (i = 0; i < timeline->nr_threads; i++) {
		rank = timeline->threads[i].rank;
		if (rank >= nr)
			continue;
		x = LEFT + rank / LEGEND_ROWS * (PLOT / LEGEND_COLUMNS);
		y = top + rank % LEGEND_ROWS * LEGEND_STEP;
		begin_rect(stream, x, y, 14, 14);
		fprintf(stream, " fill=\"#%06" PRIx32 "\"/>",
			timeline_colour(rank));
		begin_text(stream, x + 20, y + 12, "start", "l");
		xml_put_text(stream, label_of(timeline, i));
		fprintf(stream, "  %s</text>\n", duration(timeline->threads[i].running_ns));
	}
	if (timeline->nr_threads <= nr)
		return;
	begin_text(stream, LEFT, top + LEGEND_ROWS * LEGEND_STEP + 12, "start",
		   "f");
	fprintf(stream, "and %" PRIu32 " more</text>\n",
		timeline->nr_threads - nr);
}

/* Draw a timeline as SVG. */
static void timeline_svg(FILE *stream, const struct timeline *timeline,
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

/* ---- HTML -------------------------------------------------------------- */

/* The order of the numbers in put_page_item() and in the page's script must agree. */

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

	fputs("[\"", stream);
	put_text(stream, thread_label(timeline->archive, &thread->id));
	vitrine_archive_process(timeline->archive,
				record_process(timeline->archive, &thread->id),
				&name);
	fputs("\",\"", stream);
	put_text(stream, name_label(&name));
	fprintf(stream, "\",%" PRIu64 ",\"#%06" PRIx32 "\",%d]",
		thread->running_ns, colour, timeline_is_dark(colour));
}

/*
 * A time slice: distance from the end of the item before, length, thread, 1, state
 * before and after, time runnable, time blocked. Merged slices: distance, length,
 * thread, number, busy time, time of that thread.
 */
static void put_page_item(FILE *stream, const struct timeline_item *item,
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

static void put_page_lane(FILE *stream, const struct timeline *timeline,
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
		put_page_item(stream, &turns->items[i], since_ns);
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
		put_page_lane(stream, timeline, i);
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

/* Write a timeline as an HTML page. */
static void timeline_html(FILE *stream, const struct timeline *timeline,
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

/* ---- The file ---------------------------------------------------------- */

static struct vitrine_error *draw(const struct timeline_args *args,
				  const struct timeline *timeline)
{
	char title[LABEL_FILE_BYTES] = "flight recorder";
	struct vitrine_error *err;
	struct output output;

	err = output_open(&output, args->output);
	if (err)
		return err;
	if (!args->live)
		label_file(title, args->path);
	if (args->html)
		timeline_html(output.stream, timeline, title);
	else
		timeline_svg(output.stream, timeline, title);
	return output_close(&output);
}

static struct vitrine_error *draw_archive(const void *ctx,
					  struct vitrine_archive *archive)
{
	const struct timeline_args *args = ctx;
	struct timeline timeline = {
		.filter = &args->filter,
		.max_items = args->html ? MAX_ITEMS_HTML : MAX_ITEMS_SVG,
		.max_cells = args->html ? 0 : MAX_CELLS_SVG,
	};
	struct vitrine_error *err;

	err = timeline_fill(&timeline, archive);
	if (!err)
		err = draw(args, &timeline);
	timeline_deinit(&timeline);
	return err;
}

/* Draw a timeline. Returns enum exit_code. */
static int timeline_run(const struct timeline_args *args)
{
	const struct selection selection = { .filter = &args->filter };

	return trace_input_run(args->path, &selection, draw_archive, args);
}

/* ---- Options ----------------------------------------------------------- */

static struct timeline_args args;

static const struct command_option options[] = {
	{ "output", 'o', "FILE", "Write FILE.svg or FILE.html, or SVG to \"-\"",
	  .text = &args.output },
	{ "live", 'l', NULL, "Read the flight recorder instead of FILE", .flag = &args.live },
	{ .help = "Filters:" },
	{ "cpu", 'c', "LIST", .help = "Draw only these CPUs, such as 0,2-3" },
	{ "thread", 't', "TID|NAME", .help = "Colour this thread; draw others grey" },
	{ "process", 'p', "PID|NAME", .help = "Colour this process; draw others grey" },
	{ "from", RECORD_FILTER_FROM, "TIME",
	  .help = "Start at TIME, such as 1234.5 (seconds) or 5ms" },
	{ "to", RECORD_FILTER_TO, "TIME", .help = "End at TIME" },
	{ 0 }
};

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), len_end = strlen(end);

	return len > len_end && !strcmp(text + len - len_end, end);
}

static void check_args(struct argp_state *state)
{
	if (!args.path == !args.live)
		argp_error(state, "give either FILE or --live");
	if (!args.output)
		argp_error(state, "no output given; use -o FILE");
	args.html = ends_with(args.output, ".html");
	if (!args.html && strcmp(args.output, "-") &&
	    !ends_with(args.output, ".svg"))
		argp_error(state, "%s: the suffix must be .svg or .html", args.output);
	operand_check_output(state, args.output, args.path);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	return record_filter_parse(&args.filter, key, arg, state);
}

static const struct command_line line = {
	.options = options,
	.parse = parse_option,
	.check = check_args,
	.operand = &args.path,
	.operand_name = "FILE",
	.args_doc = "FILE -o OUTPUT\n--live -o OUTPUT",
	.doc = "Draw a scheduling timeline as SVG or HTML.\n"
	       "\013The picture has a row for each CPU, which shows when each thread ran on it.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine timeline load.fxt -o load.html\n"
	       "  vitrine timeline --live -c 0-3 -t postgres -o now.svg",
};

int cmd_timeline(int argc, char **argv)
{
	args = (struct timeline_args){ 0 };
	record_filter_init(&args.filter);
	options_parse(&line, argc, argv);
	return timeline_run(&args);
}
