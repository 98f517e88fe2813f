// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine flame': read one or two traces, which are compared, and break down their time by
 * process, thread, state ("running", "runnable" or "blocked") and stack frame: a tree, which is
 * drawn as SVG, alone or in an HTML page with a script for zoom and search, flame.html, or
 * written as folded stacks.
 *
 * A tree has at most FLAME_MAX_NODES nodes, and at most FLAME_MAX_FRAMES frames per stack. The
 * time of a frame beyond these limits counts for its nearest ancestor that has a node.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "base.h"
#include "command.h"
#include "fxt_record.h"
#include "input.h"
#include "ui/label.h"
#include "ui/line.h"
#include "flame_page.h"
#include "record_filter.h"
#include "timeline.h"
#include "trace_input.h"
#include "why.h"
#include "why_texts.h"

#define FLAME_MAX_NODES		(1U << 17)
#define FLAME_MAX_FRAMES	128
#define FLAME_ROOT		0

/* Room for a kernel stack, a user stack, and the nodes above and below them. */
#define FLAME_MAX_DEPTH		(2 * FLAME_MAX_FRAMES + 8)

/**
 * enum flame_kind - state of the threads during the time of a node
 * @FLAME_ALL: several states: the node is a process or a thread
 * @FLAME_RUNNING: running on a CPU
 * @FLAME_RUNNABLE: waiting for a CPU
 * @FLAME_BLOCKED: waiting for anything else
 * @FLAME_NR_KINDS: number of kinds
 */
enum flame_kind {
	FLAME_ALL,
	FLAME_RUNNING,
	FLAME_RUNNABLE,
	FLAME_BLOCKED,
	FLAME_NR_KINDS,
};

/**
 * struct flame_node - a process, thread, state or stack frame
 * @parent: index of the parent, for a frame its caller; less than the node's own index
 * @name: text number
 * @kind: enum flame_kind
 * @depth: number of ancestors
 * @first: first child by name, 0 if there is none; set by flame_finish()
 * @next: next child of the same parent, 0 if there is none; set by flame_finish()
 * @x: left edge in the picture
 * @self_ns: time of the node without its children, for each trace
 * @total_ns: time of the node with its children, for each trace; set by flame_finish()
 */
struct flame_node {
	uint32_t parent;
	uint32_t name;
	uint8_t kind;
	uint16_t depth;
	uint32_t first;
	uint32_t next;
	double x;
	uint64_t self_ns[2];
	uint64_t total_ns[2];
};

/**
 * struct flame - a tree, and the trace that is being added; empty if zeroed
 * @nodes: the nodes; the first is the root
 * @nr_nodes: number of @nodes
 * @hash: hash table of @nodes without the root
 * @names: names of the nodes
 * @nr_traces: number of traces that have been added; 2 compare an old trace with a new one
 * @max_depth: largest depth of a node
 */
static struct flame {
	struct flame_node *nodes;
	uint32_t nr_nodes;
	struct hash hash;
	struct why_texts names;
	unsigned int nr_traces;
	unsigned int max_depth;
} flame;

/* Where it is drawn. */
static FILE *stream;

enum flame_format {
	FLAME_SVG,
	FLAME_HTML,
	FLAME_FOLDED,
	FLAME_NR_FORMATS,
};

/**
 * struct flame_args - command line options of `vitrine flame'
 * @paths: trace to draw, or the old and the new trace to compare; unused with @live
 * @nr_paths: number of @paths
 * @output: file to write, "-" for standard output
 * @live: read the flight recorder
 * @on_cpu: draw running time only
 * @off_cpu: draw waiting time only
 * @format: format of the output
 * @filter: threads and time range
 */
static struct flame_args {
	const char *paths[2];
	unsigned int nr_paths;
	const char *output;
	bool live;
	bool on_cpu;
	bool off_cpu;
	enum flame_format format;
	struct record_filter filter;
} args;

#define NSEC_PER_USEC	1000

/* Time that one trace can have in all, 292 years: only a damaged trace has more. */
#define TRACE_MAX_NS	(UINT64_MAX / 2)

#define WIDTH		1200
#define MARGIN		10
#define PLOT		(WIDTH - 2 * MARGIN)
#define TOP		76
#define BOTTOM		14
#define ROW		18
#define CHARACTER	6.7	/* width of one, about */

/* Frames that are narrower are invisible and not drawn. */
#define LEAST_WIDTH	0.2

#define MORE		0xd55e00
#define LESS		0x0072b2
#define SAME		0xececec

static const char * const flame_kind_names[FLAME_NR_KINDS] = {
	[FLAME_ALL]		= "all",
	[FLAME_RUNNING]		= "running",
	[FLAME_RUNNABLE]	= "runnable",
	[FLAME_BLOCKED]		= "blocked",
};

/* ---- Nodes ---------------------------------------------------------------- */

static uint32_t hash_node(const struct flame_node *node)
{
	uint64_t key = (uint64_t)node->parent << 32 | node->name;

	return key * 0x9e3779b97f4a7c15ULL >> 32;
}

static bool has_key(const void *owner, uint32_t number, const void *key)
{
	const struct flame_node *a = &flame.nodes[number], *b = key;

	return a->parent == b->parent && a->name == b->name;
}

/* Create the root, unless it exists. */
static void have_root(void)
{
	if (flame.nr_nodes)
		return;
	must_have(GROW(flame.nodes, 0));
	flame.nodes[flame.nr_nodes++] = (struct flame_node){ 0 };
}

/* Return the child of a node with a name, which is created, or the node if there is no room. */
static uint32_t descend(uint32_t node, const char *bytes, size_t len_bytes, enum flame_kind kind)
{
	struct flame_node child = {
		.parent = node,
		.kind = kind,
		.depth = flame.nodes[node].depth + 1,
	};
	uint32_t *slot;

	if (child.depth > FLAME_MAX_DEPTH)
		return node;
	child.name = why_texts_add(&flame.names, bytes, len_bytes);
	must_have(hash_reserve(&flame.hash, flame.nr_nodes));
	slot = hash_find(&flame.hash, hash_node(&child), has_key, NULL, &child);
	if (*slot)
		return *slot;
	if (flame.nr_nodes >= FLAME_MAX_NODES)
		return node;
	must_have(GROW(flame.nodes, flame.nr_nodes));
	*slot = flame.nr_nodes;
	flame.nodes[flame.nr_nodes++] = child;
	if (child.depth > flame.max_depth)
		flame.max_depth = child.depth;
	return *slot;
}

static uint32_t descend_to(uint32_t node, const char *text, enum flame_kind kind)
{
	return descend(node, text, strlen(text), kind);
}

/* Replace semicolons in a label: in folded stacks they separate frames. */
static uint32_t descend_label(uint32_t node, const char *label)
{
	char text[LABEL_BYTES], *at = text;

	do {
		*at++ = *label == ';' ? ':' : *label;
	} while (*label++);
	return descend_to(node, text, FLAME_ALL);
}

static uint32_t descend_stack(uint32_t node, const char *stack, enum flame_kind kind)
{
	unsigned int nr = 0;
	const char *frame;
	size_t len;

	while (nr++ < FLAME_MAX_FRAMES && why_frame_next(&stack, &frame, &len))
		node = descend(node, frame, len, kind);
	return node;
}

/* ---- Adding a trace ------------------------------------------------------- */

/* Return a name or, of a thread or process without one, its id. */
static const char *name_or_id(const struct vitrine_fxt_string *name, uint64_t koid)
{
	return name->len_bytes ? name_label(name) : format_label("?:%" PRIu64, koid);
}

/* Descend to a process, thread and state; threads of the same name share their nodes. */
static uint32_t descend_thread(const struct vitrine_fxt_thread *id, enum flame_kind kind)
{
	struct vitrine_fxt_string process_name = { 0 }, name = { 0 };
	uint64_t process = record_process(id), unused;
	uint32_t node;

	vitrine_archive_process(archive, process, &process_name);
	node = descend_label(FLAME_ROOT, process == VITRINE_FXT_NO_PROCESS ? "?" :
					 name_or_id(&process_name, process));
	vitrine_archive_thread(archive, id->thread, &name, &unused);
	node = descend_label(node, name_or_id(&name, id->thread));
	return descend_to(node, flame_kind_names[kind], kind);
}

/* Descend to the kernel stack, or to the system call if the stack is unknown. */
static uint32_t descend_wait(uint32_t node, const struct why_blocked *blocked, enum flame_kind kind)
{
	uint32_t text = blocked->stack ? blocked->stack : blocked->syscall;

	return text ? descend_stack(node, why_text(&why.texts, text), kind) :
		      descend_to(node, "[no stack]", kind);
}

/* Add time to a node. Until flame_finish(), the root's total is that of all nodes. */
static void spend(uint32_t node, uint64_t ns)
{
	uint64_t *all_ns = &flame.nodes[FLAME_ROOT].total_ns[flame.nr_traces];

	if (ns > TRACE_MAX_NS - *all_ns)
		ns = TRACE_MAX_NS - *all_ns;
	*all_ns += ns;
	flame.nodes[node].self_ns[flame.nr_traces] += ns;
}

static void on_blocked(const struct sched_thread *thread, const struct why_blocked *blocked,
		       uint32_t user_stack)
{
	uint32_t node = descend_thread(&thread->id, FLAME_BLOCKED);

	node = descend_stack(node, why_text(&why.texts, user_stack), FLAME_BLOCKED);
	node = descend_wait(node, blocked, FLAME_BLOCKED);
	if (blocked->is_still)
		node = descend_to(node, "still blocked", FLAME_BLOCKED);
	spend(node, blocked->ns);
}

static void spend_behind(uint32_t node, const struct why_share *share)
{
	uint64_t koid = share->thread ? share->thread->id.thread : 0, unused;
	struct vitrine_fxt_string name = { 0 };

	vitrine_archive_thread(archive, koid, &name, &unused);
	node = descend_to(node, format_label("behind %s", fxt_is_others(koid) ?
					     "threads that were not recorded" :
					     koid ? name_or_id(&name, koid) : "an idle CPU"),
			  FLAME_RUNNABLE);
	spend(node, share->ns);
}

static void on_runnable(const struct why_wait *wait)
{
	uint32_t node = descend_thread(&wait->thread->id, FLAME_RUNNABLE);
	unsigned int i;

	node = wait->is_preempted ? descend_to(node, "[preempted]", FLAME_RUNNABLE) :
				    descend_wait(node, &wait->blocked, FLAME_RUNNABLE);
	for (i = 0; i < wait->behind.nr; i++)
		spend_behind(node, &wait->behind.shares[i]);
	spend(node, wait->behind.other_ns + wait->behind.unknown_ns);
}

static const struct why_ops ops = {
	.blocked = on_blocked,
	.runnable = on_runnable,
};

static const struct why_ops no_waits = { 0 };

/* Descend to the stacks of a sample. */
static uint32_t descend_sample(uint32_t node, const struct sample *sample)
{
	const struct why_texts *texts = &samples.texts;

	if (!sample->user && !sample->kernel)
		return descend_to(node, "[user space]", FLAME_RUNNING);
	node = descend_stack(node, why_text(texts, sample->user), FLAME_RUNNING);
	return descend_stack(node, why_text(texts, sample->kernel), FLAME_RUNNING);
}

static int compare_stacks(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	return number_order(a->user, b->user) ?: number_order(a->kernel, b->kernel);
}

/* Divide the running time of a thread among the stacks of its samples. */
static void spend_running(const struct sched_thread *thread)
{
	uint64_t ns = thread->time_ns[SCHED_RUNNING], before_ns = 0, until_ns;
	uint32_t node = descend_thread(&thread->id, FLAME_RUNNING);
	struct sample *found;
	size_t i, nr = samples_of(thread->id.thread, 0, UINT64_MAX, &found);

	SORT(found, nr, compare_stacks);
	for (i = 1; i <= nr; i++) {
		if (i < nr && !compare_stacks(&found[i - 1], &found[i]))
			continue;
		/* As ns * i / nr, which may not fit. */
		until_ns = ns / nr * i + ns % nr * i / nr;
		spend(descend_sample(node, &found[i - 1]), until_ns - before_ns);
		before_ns = until_ns;
	}
	spend(node, ns - before_ns);
}

static void add_running(void)
{
	const struct sched_thread *thread;
	size_t i = 0;

	while ((thread = sched_thread_next(&i)))
		if (why_wants(thread) && thread->time_ns[SCHED_RUNNING])
			spend_running(thread);
}

/* Add a trace to the tree. Returns NULL, or an error. */
static struct vitrine_error *flame_read(void)
{
	struct vitrine_error *err;
	struct archive_item item;

	have_root();
	why_begin(&args.filter, args.on_cpu ? &no_waits : &ops);
	while (!(err = archive_read(archive, &item)) && item.record) {
		why_follow(&item);
		if (sched_counts(item.ns))
			samples_follow(item.record, item.ns, item.record->event.thread.thread);
	}
	if (!err) {
		why_finish();
		samples_finish();
		if (!args.off_cpu)
			add_running();
		flame.nr_traces++;
	}
	samples_deinit();
	why_deinit();
	return err;
}

/* ---- The finished tree ---------------------------------------------------- */

static const char *name_of(const struct flame_node *node)
{
	return node == flame.nodes ? "all" : why_text(&flame.names, node->name);
}

static int compare_siblings(const void *left, const void *right)
{
	const struct flame_node *a = &flame.nodes[*(const uint32_t *)left];
	const struct flame_node *b = &flame.nodes[*(const uint32_t *)right];

	return number_order(a->parent, b->parent) ?: strcmp(name_of(a), name_of(b));
}

/* Sort the nodes by name and compute their total time. */
static void flame_finish(void)
{
	struct flame_node *nodes = flame.nodes;
	uint32_t *order, i, nr = flame.nr_nodes;

	order = calloc(nr, sizeof(*order));
	must_have(order);
	for (i = 0; i < nr; i++)
		order[i] = i;
	/* Leave out the root, which is its own parent. */
	SORT(order + 1, nr - 1, compare_siblings);
	for (i = nr; --i;) {
		nodes[order[i]].next = nodes[nodes[order[i]].parent].first;
		nodes[nodes[order[i]].parent].first = order[i];
	}
	free(order);
	for (i = 0; i < nr; i++)
		memcpy(nodes[i].total_ns, nodes[i].self_ns, sizeof(nodes[i].total_ns));
	/* A child has a larger index than its parent, so its total is complete. */
	for (i = nr; --i;) {
		nodes[nodes[i].parent].total_ns[0] += nodes[i].total_ns[0];
		nodes[nodes[i].parent].total_ns[1] += nodes[i].total_ns[1];
	}
}

/*
 * Return the next node in pre-order, with siblings ordered by name. Returns the next node, or
 * FLAME_ROOT after the last node.
 */
static uint32_t flame_after(uint32_t node)
{
	if (flame.nodes[node].first)
		return flame.nodes[node].first;
	while (node && !flame.nodes[node].next)
		node = flame.nodes[node].parent;
	return flame.nodes[node].next;
}

static void put_path(uint32_t node)
{
	uint32_t path[FLAME_MAX_DEPTH + 1];
	unsigned int nr = 0;

	for (; node; node = flame.nodes[node].parent)
		path[nr++] = node;
	while (nr--)
		fprintf(stream, "%s%s", name_of(&flame.nodes[path[nr]]), nr ? ";" : "");
}

static uint64_t rounded_us(uint64_t ns)
{
	return (ns + NSEC_PER_USEC / 2) / NSEC_PER_USEC;
}

/* Write a tree as folded stacks, in microseconds. */
static void flame_folded(void)
{
	uint64_t first_us, second_us;
	uint32_t node;

	for (node = flame_after(FLAME_ROOT); node; node = flame_after(node)) {
		first_us = rounded_us(flame.nodes[node].self_ns[0]);
		second_us = rounded_us(flame.nodes[node].self_ns[1]);
		if (!first_us && !second_us)
			continue;
		put_path(node);
		fprintf(stream, " %" PRIu64, first_us);
		if (flame.nr_traces == 2)
			fprintf(stream, " %" PRIu64, second_us);
		putc('\n', stream);
	}
}

/* Free the tree. */
static void flame_deinit(void)
{
	free(flame.nodes);
	free(flame.hash.slots);
	why_texts_deinit(&flame.names);
	flame = (struct flame){ 0 };
}

/* ---- SVG --------------------------------------------------------------- */

/*
 * The root is at the bottom, and callees are above their callers. The width of a frame is
 * proportional to its time. A tooltip describes each frame.
 */

static const uint32_t colours[FLAME_NR_KINDS] = {
	[FLAME_ALL]		= 0xcfcfcf,
	[FLAME_RUNNING]		= 0x2fb58c,
	[FLAME_RUNNABLE]	= 0xf0ac1f,
	[FLAME_BLOCKED]		= 0x6cbdf0,
};

/* ---- Colours -------------------------------------------------------------- */

static unsigned int mix_channel(uint32_t from, uint32_t to, double share, unsigned int shift)
{
	double a = from >> shift & 0xff, b = to >> shift & 0xff;

	return a + (b - a) * share + 0.5;
}

static uint32_t mix(uint32_t from, uint32_t to, double share)
{
	return mix_channel(from, to, share, 16) << 16 |
	       mix_channel(from, to, share, 8) << 8 |
	       mix_channel(from, to, share, 0);
}

/* Vary the shade by name, so that adjacent frames can be told apart. */
static double shade_of(const char *name)
{
	unsigned int sum = 0;

	for (; *name; name++)
		sum = 31 * sum + (unsigned char)*name;
	return sum % 8 / 20.0;
}

static uint32_t colour_of(const struct flame_node *node)
{
	uint64_t old_ns = node->total_ns[0], new_ns = node->total_ns[1];

	if (flame.nr_traces < 2)
		return mix(colours[node->kind], 0xffffff,
			   shade_of(why_text(&flame.names, node->name)));
	if (new_ns > old_ns)
		return mix(SAME, MORE, (double)(new_ns - old_ns) / new_ns);
	return old_ns ? mix(SAME, LESS, (double)(old_ns - new_ns) / old_ns) : SAME;
}

/* ---- Frames --------------------------------------------------------------- */

/* Return the time that determines the width of a node: in the only trace, or in the new one. */
static uint64_t shown_ns(const struct flame_node *node)
{
	return node->total_ns[flame.nr_traces - 1];
}

static double width_of(const struct flame_node *node)
{
	uint64_t all_ns = shown_ns(flame.nodes);

	return all_ns ? (double)PLOT * shown_ns(node) / all_ns : 0;
}

/* Compare with the old trace, if there is one. */
static void put_change(const struct flame_node *node)
{
	uint64_t old_ns = node->total_ns[0], new_ns = node->total_ns[1];

	if (flame.nr_traces == 2)
		fprintf(stream, ", before %s (%c%s)", duration(old_ns), new_ns < old_ns ? '-' : '+',
			duration(new_ns < old_ns ? old_ns - new_ns : new_ns - old_ns));
}

static void put_frame_title(const struct flame_node *node)
{
	fputs("<title>", stream);
	xml_put_text(stream, name_of(node));
	fprintf(stream, "\n%s", duration(shown_ns(node)));
	if (node->kind != FLAME_ALL)
		fprintf(stream, " %s", flame_kind_names[node->kind]);
	fprintf(stream, ", %.2f %%", 100.0 * shown_ns(node) / shown_ns(flame.nodes));
	put_change(node);
	fputs("</title>", stream);
}

/* Write a name, truncated to the width of its frame at a character boundary. */
static void put_name(const char *name, double x, double y, double width, bool is_dark)
{
	size_t room = width > 6 ? (width - 6) / CHARACTER : 0, len = strlen(name);

	if (room < 3)
		return;
	fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\"%s>", x + 3, y + 13,
		is_dark ? " class=\"d\"" : "");
	if (len > room)
		for (len = room - 2; len && (name[len] & 0xc0) == 0x80;)
			len--;
	xml_put_text(stream, format_label("%.*s", (int)len, name));
	fputs(name[len] ? "..</text>" : "</text>", stream);
}

static int height(void)
{
	return TOP + (flame.max_depth + 1) * ROW + BOTTOM;
}

static void put_frame(const struct flame_node *node)
{
	int y = height() - BOTTOM - (node->depth + 1) * ROW;
	double width = width_of(node);
	uint32_t colour = colour_of(node);

	if (width < LEAST_WIDTH)
		return;
	fputs("<g class=\"f\">", stream);
	put_frame_title(node);
	fprintf(stream,
		"<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"#%06" PRIx32 "\"/>",
		node->x, y, width, ROW - 1, colour);
	put_name(name_of(node), node->x, y, width, timeline_is_dark(colour));
	fputs("</g>\n", stream);
}

/* Compute the left edge of each node: siblings are adjacent, aligned to their parent. */
static void lay_out(void)
{
	struct flame_node *nodes = flame.nodes;
	uint32_t index = FLAME_ROOT, child;
	double x;

	nodes[FLAME_ROOT].x = MARGIN;
	do {
		x = nodes[index].x;
		for (child = nodes[index].first; child; child = nodes[child].next) {
			nodes[child].x = x;
			x += width_of(&nodes[child]);
		}
		index = flame_after(index);
	} while (index);
}

/* ---- Title and legend ----------------------------------------------------- */

static const char style[] =
	"<style>\n"
	".b{font-size:16px;font-weight:bold}\n"
	".l{fill:#444}\n"
	".f text{pointer-events:none}\n"
	".f rect{stroke:#fff;stroke-width:.4}\n"
	".f:hover rect{stroke:#000;stroke-width:1}\n"
	".d{fill:#fff}\n"
	"</style>\n"
	"<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";

static void put_key(int x, uint32_t colour, const char *text)
{
	fprintf(stream,
		"<rect x=\"%d\" y=\"52\" width=\"13\" height=\"13\" fill=\"#%06" PRIx32 "\"/>",
		x, colour);
	fprintf(stream, "<text x=\"%d\" y=\"63\" class=\"l\">%s</text>\n", x + 18, text);
}

static void put_legend(void)
{
	if (flame.nr_traces == 2) {
		put_key(MARGIN, MORE, "more than before");
		put_key(150, SAME, "as before");
		put_key(250, LESS, "less than before");
		return;
	}
	put_key(MARGIN, colours[FLAME_BLOCKED], "blocked");
	put_key(100, colours[FLAME_RUNNABLE], "runnable");
	put_key(190, colours[FLAME_RUNNING], "running");
}

static void put_head(const char *title)
{
	svg_begin(stream, WIDTH, height());
	fputs(style, stream);
	fprintf(stream, "<text x=\"%d\" y=\"24\" class=\"b\">", MARGIN);
	xml_put_text(stream, title);
	fprintf(stream, "</text>\n<text x=\"%d\" y=\"43\" class=\"l\">Time of all threads: %s",
		MARGIN, duration(shown_ns(flame.nodes)));
	put_change(flame.nodes);
	fputs("</text>\n", stream);
	put_legend();
}

/* Draw the tree as a flame graph. */
static void flame_svg(const char *title)
{
	uint32_t index = FLAME_ROOT;

	lay_out();
	put_head(title);
	do {
		put_frame(&flame.nodes[index]);
		index = flame_after(index);
	} while (index);
	fputs("</svg>\n", stream);
}

/* ---- HTML -------------------------------------------------------------- */

/* Write an HTML page with a flame graph. */
static void flame_html(const char *title)
{
	const char *at;

	at = xml_put_until(stream, page, "@TITLE@");
	xml_put_text(stream, title);
	at = xml_put_until(stream, at, "@PICTURE@\n");
	flame_svg(title);
	fputs(at, stream);
}

/* ---- The file ---------------------------------------------------------- */

static void draw(void)
{
	char title[2 * LABEL_FILE_BYTES + 32] = "flight recorder", old[LABEL_FILE_BYTES];
	struct output output;
	size_t len;

	if (!args.live)
		label_file(title, args.paths[args.nr_paths - 1]);
	if (args.nr_paths == 2) {
		label_file(old, args.paths[0]);
		len = strlen(title);
		snprintf(title + len, sizeof(title) - len, ", compared with %s", old);
	}
	must(output_open(&output, args.output));
	stream = output.stream;
	switch (args.format) {
	case FLAME_FOLDED:
		flame_folded();
		break;
	case FLAME_HTML:
		flame_html(title);
		break;
	default:
		flame_svg(title);
		break;
	}
	must(output_close(&output));
}

/* Draw a flame graph. Returns enum exit_code. */
static int flame_run(void)
{
	unsigned int i, nr = args.live ? 1 : args.nr_paths;
	const struct selection selection = { .filter = &args.filter };
	int status = EXIT_DONE;

	for (i = 0; i < nr && flame.nr_traces == i; i++)
		status = worse(status, trace_input_run(args.paths[i], &selection, flame_read));
	if (flame.nr_traces == nr) {
		flame_finish();
		draw();
	}
	flame_deinit();
	return status;
}

/* ---- Options ----------------------------------------------------------- */

static const struct command_option options[] = {
	{ "output", 'o', "FILE", "Write FILE.svg, .html or .folded", .text = &args.output },
	{ "folded", 'f', NULL, .help = "With -o -: write folded stacks, not SVG" },
	{ "live", 'l', NULL, "Read the flight recorder instead of FILE", .flag = &args.live },
	{ "on-cpu", 0, NULL, "Draw only running time", .flag = &args.on_cpu },
	{ "off-cpu", 0, NULL, "Draw only waiting time", .flag = &args.off_cpu },
	{ .help = "Filters:" },
	{ "thread", 't', "TID|NAME", .help = "Draw only this thread" },
	{ "process", 'p', "PID|NAME", .help = "Draw only this process" },
	RECORD_FILTER_OPTION_FROM,
	RECORD_FILTER_OPTION_TO,
	{ 0 }
};

static const char * const suffixes[FLAME_NR_FORMATS] = {
	[FLAME_SVG]	= ".svg",
	[FLAME_HTML]	= ".html",
	[FLAME_FOLDED]	= ".folded",
};

static void set_format(struct argp_state *state)
{
	enum flame_format i;

	if (!args.output)
		argp_error(state, "no output given; use -o FILE");
	if (!args.output || !strcmp(args.output, "-"))
		return;
	for (i = 0; i < FLAME_NR_FORMATS; i++) {
		if (ends_in(args.output, strlen(args.output), suffixes[i])) {
			if (args.format && args.format != i)
				argp_error(state, "--folded excludes -o %s", args.output);
			args.format = i;
			return;
		}
	}
	argp_error(state, "%s: the suffix must be .svg, .html or .folded", args.output);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'f':
		args.format = FLAME_FOLDED;
		return 0;
	case ARGP_KEY_ARG:
		if (args.nr_paths == 2)
			argp_error(state, "more than two FILEs given");
		else
			args.paths[args.nr_paths++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void check_args(struct argp_state *state)
{
	if (!args.nr_paths == !args.live)
		argp_error(state, "give either FILE or --live");
	if (args.on_cpu && args.off_cpu)
		argp_error(state, "--on-cpu excludes --off-cpu");
	set_format(state);
	operand_check_output(state, args.output, args.paths[0]);
	operand_check_output(state, args.output, args.paths[1]);
}

static const struct command_line line = {
	.options = options,
	.parse = parse_option,
	.check = check_args,
	.args_doc = "FILE -o OUTPUT\nOLD NEW -o OUTPUT\n--live -o OUTPUT",
	.doc = "Draw running and waiting time as flame graphs.\n"
	       "\013Times are shown by thread and stack; running times have stacks if the trace\n"
	       "has samples of running threads, as those of `vitrine record --why'. With\n"
	       "OLD and NEW, the picture shows NEW, coloured by the change since OLD. A\n"
	       "folded stack ends with its time in microseconds, or with its times in OLD and\n"
	       "in NEW.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine flame load.fxt -o load.html\n"
	       "  vitrine flame -p postgres before.fxt after.fxt -o change.svg",
};

int cmd_flame(int argc, char **argv)
{
	args = (struct flame_args){ 0 };
	record_filter_options(&line, &args.filter, argc, argv);
	return flame_run();
}
