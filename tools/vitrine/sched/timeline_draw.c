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
static struct timeline_args {
	const char *path;
	const char *output;
	bool live;
	bool html;
	struct record_filter filter;
} args;

/* What is drawn, and where to. */
static FILE *stream;

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

static uint64_t length_ns(void)
{
	return timeline.end_ns - timeline.begin_ns;
}

static double x_of(uint64_t ns)
{
	return length_ns() ? LEFT + (double)PLOT * (ns - timeline.begin_ns) / length_ns() : LEFT;
}

static unsigned int nr_seen(void)
{
	unsigned int nr = 0;
	uint32_t i;

	for (i = 0; i < timeline.nr_lanes; i++)
		nr += timeline.lanes[i].seen;
	return nr;
}

static int lane_height(void)
{
	unsigned int nr = nr_seen();
	int height = 640 / (nr ? nr : 1);

	return height < 14 ? 14 : height > 64 ? 64 : height;
}

static uint32_t colour_of(uint32_t thread)
{
	if (thread == TIMELINE_OTHERS)
		return 0xb5b5b5;
	return timeline_colour(timeline.threads[thread].rank);
}

static const char *label_of(uint32_t thread)
{
	if (thread == TIMELINE_OTHERS)
		return "others";
	return thread_label(archive, &timeline.threads[thread].id);
}

/* Begin a rectangle; the caller adds attributes and ends it. */
static void begin_rect(double x, double y, double width, double height)
{
	fprintf(stream,
		"<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"",
		x, y, width, height);
}

/* The same of a bar, which is at least as wide as @least. Return its width. */
static double begin_bar(uint64_t begin_ns, uint64_t end_ns, double least, double y, double height)
{
	double x = x_of(begin_ns), width = x_of(end_ns) - x;

	width = width < least ? least : width;
	begin_rect(x, y, width, height);
	return width;
}

static void begin_text(double x, double y, const char *anchor, const char *style)
{
	fprintf(stream,
		"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">",
		x, y, anchor, style);
}

/* ---- Bars -------------------------------------------------------------- */

static void put_process(uint32_t thread)
{
	struct vitrine_fxt_string name;
	uint64_t process;

	if (thread == TIMELINE_OTHERS)
		return;
	process = record_process(&timeline.threads[thread].id);
	if (!vitrine_archive_process(archive, process, &name))
		return;
	fputs(" of ", stream);
	xml_put_text(stream, name_label(&name));
}

static void put_title(const struct timeline_item *item)
{
	fputs("<title>", stream);
	if (item->nr > 1)
		fprintf(stream, "%" PRIu32 " time slices, the most time by ", item->nr);
	xml_put_text(stream, label_of(item->thread));
	put_process(item->thread);
	fprintf(stream, "\nat %s, %sran for %s", seconds(item->begin_ns),
		item->nr > 1 ? "all " : "", duration(item->busy_ns));
	if (item->nr == 1)
		fprintf(stream, "\n%s", came_from[item->waited]);
	if (item->nr == 1 && item->ready_ns)
		fprintf(stream, ", waited for %s", duration(item->ready_ns));
	fputs("</title>", stream);
}

/* Put as much of a name as fits. */
static void put_name(const char *label, double x, double y, double width, bool dark)
{
	int room, len = strcspn(label, ":");

	if (width < 30)
		return;
	room = (width - 6) / CHARACTER;
	if (len > room)
		len = room;
	/* Do not cut within a character. */
	while (len && (label[len] & 0xc0) == 0x80)
		len--;
	begin_text(x + 3, y, "start", dark ? "n d" : "n");
	xml_put_text(stream, format_label("%.*s", len, label));
	fputs("</text>", stream);
}

static void put_item(const struct timeline_item *item, int y, int height)
{
	uint64_t ns = item->end_ns - item->begin_ns;
	double bar = ns ? (double)height * item->busy_ns / ns : height;
	uint32_t colour = colour_of(item->thread);
	double width = begin_bar(item->begin_ns, item->end_ns, 0.3, y + height - bar, bar);

	fprintf(stream, " fill=\"#%06" PRIx32 "\">", colour);
	put_title(item);
	fputs("</rect>", stream);
	if (item->nr == 1)
		put_name(label_of(item->thread), x_of(item->begin_ns), y + height / 2.0 + 4,
			 width, timeline_is_dark(colour));
	putc('\n', stream);
}

static void put_interrupt(const struct timeline_item *item, int y, double height)
{
	/* A nested interrupt is drawn in front of the outer one. */
	begin_bar(item->begin_ns, item->end_ns, 0.3, y, item->busy_ns ? height : height / 2);
	fputs(item->busy_ns ? " class=\"i\"><title>" : " class=\"i j\"><title>", stream);
	if (item->nr > 1)
		fprintf(stream, "%" PRIu32 " interrupts, the most time by ", item->nr);
	xml_put_text(stream, timeline.names[item->thread]);
	fprintf(stream, "\nat %s, %stook %s</title></rect>\n", seconds(item->begin_ns),
		item->nr > 1 ? "all " : "",
		duration(item->nr > 1 ? item->busy_ns : item->thread_ns));
}

static void put_lane(uint32_t cpu, int y, int height)
{
	const struct timeline_lane *lane = &timeline.lanes[cpu];
	const struct timeline_list *turns = &lane->lists[TIMELINE_TURNS];
	const struct timeline_list *interrupts = &lane->lists[TIMELINE_INTERRUPTS];
	size_t i;

	begin_text(LEFT - 8, y + height / 2, "end", "b");
	fprintf(stream, "CPU %" PRIu32 "</text>\n", cpu);
	if (height >= 30 && length_ns()) {
		begin_text(LEFT - 8, y + height / 2 + 14, "end", "f");
		fprintf(stream, "%.0f %%</text>\n", 100.0 * lane->busy_ns / length_ns());
	}
	begin_rect(LEFT, y, PLOT, height);
	fputs(" class=\"lane\"/>\n", stream);
	for (i = 0; i < turns->nr_items; i++)
		put_item(&turns->items[i], y, height);
	for (i = 0; i < interrupts->nr_items; i++)
		put_interrupt(&interrupts->items[i], y, height / INTERRUPT_SHARE);
	for (i = 0; i < lane->nr_gaps; i++) {
		begin_bar(lane->gaps[i].begin_ns, lane->gaps[i].end_ns, 2, y, height);
		fputs(" class=\"gap\"><title>records are missing here</title></rect>\n", stream);
	}
}

/* ---- Axis, labels and legend -------------------------------------------- */

/* Return 1, 2 or 5 times a power of ten, for about TICKS ticks. */
static uint64_t tick_step(void)
{
	uint64_t step = 1;

	for (;; step *= 10) {
		if (length_ns() / step <= TICKS)
			return step;
		if (length_ns() / (2 * step) <= TICKS)
			return 2 * step;
		if (length_ns() / (5 * step) <= TICKS)
			return 5 * step;
	}
}

static void put_axis(int bottom)
{
	uint64_t step = tick_step(), i;
	double x;

	/* A count, since the time after the last tick may not fit into 64 bits. */
	for (i = 0; i <= length_ns() / step; i++) {
		x = x_of(timeline.begin_ns + i * step);
		fprintf(stream, "<path class=\"t\" d=\"M%.1f %dV%d\"/>", x, TOP - 14, bottom);
		begin_text(x, TOP - 18, "middle", "f");
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

static void put_nr_interrupts(void)
{
	uint64_t nr = timeline.nr_all[TIMELINE_INTERRUPTS];

	if (!nr)
		return;
	fprintf(stream, ", %" PRIu64 " interrupts", nr);
	if (timeline.cell_ns[TIMELINE_INTERRUPTS])
		fprintf(stream, ", merged where shorter than %s",
			duration(timeline.cell_ns[TIMELINE_INTERRUPTS]));
}

static void put_head(const char *title, int height)
{
	svg_begin(stream, WIDTH, height);
	fputs(style, stream);
	begin_text(12, 24, "start", "b h");
	xml_put_text(stream, title);
	fputs("</text>\n", stream);
	begin_text(12, 44, "start", "f");
	fprintf(stream, "%s from %s s, %" PRIu64 " time slices of %" PRIu32 " threads",
		duration(length_ns()), seconds(timeline.begin_ns),
		timeline.nr_all[TIMELINE_TURNS], timeline.nr_threads);
	put_nr_interrupts();
	if (timeline.cell_ns[TIMELINE_TURNS]) {
		fputs("; ", stream);
		timeline_put_missing(stream);
		fputs(", whose height is the share of time that the CPU was busy", stream);
	}
	if (sched.nr_lost)
		fprintf(stream, "; %" PRIu64 " records lost", sched.nr_lost);
	fputs("</text>\n", stream);
}

static void put_legend(int top)
{
	uint32_t i, rank, nr = LEGEND_COLUMNS * LEGEND_ROWS;
	int x, y;

	for (i = 0; i < timeline.nr_threads; i++) {
		rank = timeline.threads[i].rank;
		if (rank >= nr)
			continue;
		x = LEFT + rank / LEGEND_ROWS * (PLOT / LEGEND_COLUMNS);
		y = top + rank % LEGEND_ROWS * LEGEND_STEP;
		begin_rect(x, y, 14, 14);
		fprintf(stream, " fill=\"#%06" PRIx32 "\"/>",
			timeline_colour(rank));
		begin_text(x + 20, y + 12, "start", "l");
		xml_put_text(stream, label_of(i));
		fprintf(stream, "  %s</text>\n", duration(timeline.threads[i].running_ns));
	}
	if (timeline.nr_threads <= nr)
		return;
	begin_text(LEFT, top + LEGEND_ROWS * LEGEND_STEP + 12, "start",
		   "f");
	fprintf(stream, "and %" PRIu32 " more</text>\n", timeline.nr_threads - nr);
}

/* Draw a timeline as SVG. */
static void timeline_svg(const char *title)
{
	int height = lane_height(), y = TOP;
	int bottom = TOP + nr_seen() * (height + LANE_SPACE);
	uint32_t i;

	put_head(title, bottom + 20 + (LEGEND_ROWS + 1) * LEGEND_STEP + 10);
	put_axis(bottom);
	for (i = 0; i < timeline.nr_lanes; i++) {
		if (!timeline.lanes[i].seen)
			continue;
		put_lane(i, y, height);
		y += height + LANE_SPACE;
	}
	put_legend(bottom + 20);
	fputs("</svg>\n", stream);
}

/* ---- HTML -------------------------------------------------------------- */

/* The order of the numbers in put_page_item() and in the page's script must agree. */

/* Put text that HTML and JSON take literally; labels are printable. */
static void put_text(const char *text)
{
	for (; *text; text++) {
		if (strchr("<>&\"\\'", *text))
			fprintf(stream, "\\u%04x", *text);
		else
			putc(*text, stream);
	}
}

static void put_thread(const struct timeline_thread *thread)
{
	struct vitrine_fxt_string name = { 0 };
	uint32_t colour = timeline_colour(thread->rank);

	fputs("[\"", stream);
	put_text(thread_label(archive, &thread->id));
	vitrine_archive_process(archive, record_process(&thread->id), &name);
	fputs("\",\"", stream);
	put_text(name_label(&name));
	fprintf(stream, "\",%" PRIu64 ",\"#%06" PRIx32 "\",%d]",
		thread->running_ns, colour, timeline_is_dark(colour));
}

/*
 * A time slice: distance from the end of the item before, length, thread, 1, state
 * before and after, time runnable, time blocked. Merged slices: distance, length,
 * thread, number, busy time, time of that thread.
 */
static void put_page_item(const struct timeline_item *item, uint64_t since_ns)
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
static void put_interrupts(const struct timeline_list *list, uint64_t since_ns)
{
	const struct timeline_item *item;
	size_t i;

	for (i = 0; i < list->nr_items; i++) {
		item = &list->items[i];
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

static void put_page_lane(uint32_t cpu)
{
	const struct timeline_lane *lane = &timeline.lanes[cpu];
	const struct timeline_list *turns = &lane->lists[TIMELINE_TURNS];
	uint64_t since_ns = timeline.begin_ns;
	size_t i;

	fprintf(stream, "{\"cpu\":%" PRIu32 ",\"busy\":%" PRIu64 ",\"items\":[",
		cpu, lane->busy_ns);
	for (i = 0; i < turns->nr_items; i++) {
		if (i)
			fputs(i % 8 ? "," : ",\n", stream);
		put_page_item(&turns->items[i], since_ns);
		since_ns = turns->items[i].end_ns;
	}
	fputs("],\"interrupts\":[", stream);
	put_interrupts(&lane->lists[TIMELINE_INTERRUPTS], timeline.begin_ns);
	fputs("],\"gaps\":[", stream);
	for (i = 0; i < lane->nr_gaps; i++)
		fprintf(stream, "%s%" PRIu64 ",%" PRIu64, i ? "," : "",
			lane->gaps[i].begin_ns - timeline.begin_ns,
			lane->gaps[i].end_ns - timeline.begin_ns);
	fputs("]}", stream);
}

static void put_data(const char *title)
{
	const char *comma = "";
	uint32_t i;

	fputs("{\"title\":\"", stream);
	put_text(title);
	/* A string: numbers of JavaScript have 53 bits. */
	fprintf(stream, "\",\"begin\":\"%" PRIu64 "\",\"length\":%" PRIu64,
		timeline.begin_ns, length_ns());
	fprintf(stream, ",\"cell\":%" PRIu64 ",\"turns\":%" PRIu64,
		timeline.cell_ns[TIMELINE_TURNS],
		timeline.nr_all[TIMELINE_TURNS]);
	fprintf(stream, ",\"lost\":%" PRIu64 ",\n\"threads\":[", sched.nr_lost);
	for (i = 0; i < timeline.nr_threads; i++) {
		fputs(i ? ",\n" : "\n", stream);
		put_thread(&timeline.threads[i]);
	}
	fprintf(stream, "],\n\"interrupts\":%" PRIu64 ",\"names\":[",
		timeline.nr_all[TIMELINE_INTERRUPTS]);
	for (i = 0; i < timeline.nr_names; i++) {
		fputs(i ? ",\"" : "\"", stream);
		put_text(timeline.names[i]);
		putc('"', stream);
	}
	fputs("],\n\"lanes\":[", stream);
	for (i = 0; i < timeline.nr_lanes; i++) {
		if (!timeline.lanes[i].seen)
			continue;
		fprintf(stream, "%s\n", comma);
		put_page_lane(i);
		comma = ",";
	}
	fputs("]}\n", stream);
}

/* Shown without the script, too. */
static void put_missing(void)
{
	if (!timeline.cell_ns[TIMELINE_TURNS])
		return;
	fputs("<p id=\"missing\">", stream);
	timeline_put_missing(stream);
	fputs(", which zooming does not split. ", stream);
	fputs("To draw each time slice of a part of the trace, run ", stream);
	fputs("<code>vitrine timeline --from TIME --to TIME</code>.</p>\n",
	      stream);
}

/* Write a timeline as an HTML page. */
static void timeline_html(const char *title)
{
	const char *at;

	at = xml_put_until(stream, page, "@TITLE@");
	xml_put_text(stream, title);
	at = xml_put_until(stream, at, "@MISSING@\n");
	put_missing();
	at = xml_put_until(stream, at, "@DATA@");
	put_data(title);
	fputs(at, stream);
}

/* ---- The file ---------------------------------------------------------- */

static struct vitrine_error *draw(void)
{
	char title[LABEL_FILE_BYTES] = "flight recorder";
	struct vitrine_error *err;
	struct output output;

	err = output_open(&output, args.output);
	if (err)
		return err;
	stream = output.stream;
	if (!args.live)
		label_file(title, args.path);
	if (args.html)
		timeline_html(title);
	else
		timeline_svg(title);
	return output_close(&output);
}

static struct vitrine_error *draw_archive(void)
{
	struct vitrine_error *err;

	timeline = (struct timeline){
		.filter = &args.filter,
		.max_items = args.html ? MAX_ITEMS_HTML : MAX_ITEMS_SVG,
		.max_cells = args.html ? 0 : MAX_CELLS_SVG,
	};
	err = timeline_fill();
	if (!err)
		err = draw();
	timeline_deinit();
	return err;
}

/* ---- Options ----------------------------------------------------------- */

static const struct command_option options[] = {
	{ "output", 'o', "FILE", "Write FILE.svg or FILE.html, or SVG to \"-\"",
	  .text = &args.output },
	{ "live", 'l', NULL, "Read the flight recorder instead of FILE", .flag = &args.live },
	{ .help = "Filters:" },
	{ "cpu", 'c', "LIST", .help = "Draw only these CPUs, such as 0,2-3" },
	{ "thread", 't', "TID|NAME", .help = "Colour this thread; draw others grey" },
	{ "process", 'p', "PID|NAME", .help = "Colour this process; draw others grey" },
	RECORD_FILTER_OPTION_FROM,
	RECORD_FILTER_OPTION_TO,
	{ 0 }
};

static void check_args(struct argp_state *state)
{
	if (!args.path == !args.live)
		argp_error(state, "give either FILE or --live");
	if (!args.output)
		argp_error(state, "no output given; use -o FILE");
	args.html = ends_in(args.output, strlen(args.output), ".html");
	if (!args.html && strcmp(args.output, "-") &&
	    !ends_in(args.output, strlen(args.output), ".svg"))
		argp_error(state, "%s: the suffix must be .svg or .html", args.output);
	operand_check_output(state, args.output, args.path);
}

static const struct command_line line = {
	.options = options,
	.check = check_args,
	.operand = &args.path,
	.operand_name = "FILE",
	.args_doc = "FILE -o OUTPUT\n--live -o OUTPUT",
	.doc = "Draw a scheduling timeline as SVG or HTML.\n"
	       "\013The picture has a lane for each CPU, which shows when each thread ran on it.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine timeline load.fxt -o load.html\n"
	       "  vitrine timeline --live -c 0-3 -t postgres -o now.svg",
};

int cmd_timeline(int argc, char **argv)
{
	const struct selection selection = { .filter = &args.filter };

	args = (struct timeline_args){ 0 };
	record_filter_options(&line, &args.filter, argc, argv);
	return trace_input_run(args.path, &selection, draw_archive);
}
