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
#define _GNU_SOURCE	/* qsort_r() */
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
#include "samples.h"
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
	uint64_t self_ns[2];
	uint64_t total_ns[2];
};

/**
 * struct flame - a tree; empty if zeroed
 * @nodes: the nodes; the first is the root
 * @nr_nodes: number of @nodes
 * @hash: hash table of @nodes without the root
 * @names: names of the nodes
 * @nr_traces: 1, or 2 to compare an old trace with a new one
 * @max_depth: largest depth of a node
 */
struct flame {
	struct flame_node *nodes;
	uint32_t nr_nodes;
	struct hash hash;
	struct why_texts names;
	unsigned int nr_traces;
	unsigned int max_depth;
};

enum flame_format {
	FLAME_SVG,
	FLAME_HTML,
	FLAME_FOLDED,
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
struct flame_args {
	const char *paths[2];
	unsigned int nr_paths;
	const char *output;
	bool live;
	bool on_cpu;
	bool off_cpu;
	enum flame_format format;
	struct record_filter filter;
};

#define NSEC_PER_USEC	1000

/* Time that one trace can have in all, 292 years: only a damaged trace has more. */
#define TRACE_MAX_NS	(UINT64_MAX / 2)

/**
 * struct reader - a trace that is being added to a tree
 * @flame: the tree
 * @archive: the trace
 * @trace: number of the trace in the tree, 0 or 1
 */
struct reader {
	struct flame *flame;
	const struct vitrine_archive *archive;
	unsigned int trace;
};

struct flame_follower {
	struct reader reader;
	struct why why;
	struct samples samples;
};

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

/**
 * struct picture - a tree that is being drawn
 * @stream: output stream
 * @flame: the tree
 * @shown: number of the trace that determines the widths: the only one, or the new one
 * @x: left edge of each node
 * @height: height of the picture
 */
struct picture {
	FILE *stream;
	const struct flame *flame;
	unsigned int shown;
	double *x;
	int height;
};

/**
 * struct flame_request - options and progress of one run
 * @args: command line options
 * @flame: the tree
 * @nr_read: number of traces that have been added to @flame
 */
struct flame_request {
	const struct flame_args *args;
	struct flame *flame;
	unsigned int *nr_read;
};

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
	const struct flame *flame = owner;
	const struct flame_node *a = &flame->nodes[number], *b = key;

	return a->parent == b->parent && a->name == b->name;
}

/* Create the root, unless it exists. */
static void have_root(struct flame *flame)
{
	if (flame->nr_nodes)
		return;
	must_have(GROW(flame->nodes, 0));
	flame->nodes[flame->nr_nodes++] = (struct flame_node){ 0 };
}

/* Move @node to its child with a name, which is created if there is room. */
static void descend(struct flame *flame, uint32_t *node, const char *bytes,
		    size_t len_bytes, enum flame_kind kind)
{
	struct flame_node child = {
		.parent = *node,
		.kind = kind,
		.depth = flame->nodes[*node].depth + 1,
	};
	uint32_t *slot;

	if (child.depth > FLAME_MAX_DEPTH)
		return;
	must_have(why_texts_add(&flame->names, bytes, len_bytes, &child.name));
	must_have(hash_reserve(&flame->hash, flame->nr_nodes));
	slot = hash_find(&flame->hash, hash_node(&child), has_key, flame, &child);
	if (!*slot) {
		if (flame->nr_nodes >= FLAME_MAX_NODES)
			return;
		must_have(GROW(flame->nodes, flame->nr_nodes));
		*slot = flame->nr_nodes;
		flame->nodes[flame->nr_nodes++] = child;
	}
	*node = *slot;
	if (flame->nodes[*node].depth > flame->max_depth)
		flame->max_depth = flame->nodes[*node].depth;
}

static void descend_to(struct flame *flame, uint32_t *node, const char *text,
		       enum flame_kind kind)
{
	descend(flame, node, text, strlen(text), kind);
}

/* Replace semicolons in a label: in folded stacks they separate frames. */
static void descend_label(struct flame *flame, uint32_t *node, const char *label)
{
	char text[LABEL_BYTES], *at = text;

	do {
		*at++ = *label == ';' ? ':' : *label;
	} while (*label++);
	descend_to(flame, node, text, FLAME_ALL);
}

static void descend_stack(struct flame *flame, uint32_t *node,
			  const char *stack, enum flame_kind kind)
{
	unsigned int nr = 0;
	const char *frame;
	size_t len;

	while (nr++ < FLAME_MAX_FRAMES && why_frame_next(&stack, &frame, &len))
		descend(flame, node, frame, len, kind);
}

/* ---- Adding a trace ------------------------------------------------------- */

/* Return a name or, of a thread or process without one, its id. */
static const char *name_or_id(const struct vitrine_fxt_string *name, uint64_t koid)
{
	return name->len_bytes ? name_label(name) : format_label("?:%" PRIu64, koid);
}

/* Descend to a process, thread and state; threads of the same name share their nodes. */
static uint32_t descend_thread(const struct reader *reader, const struct vitrine_fxt_thread *id,
			       enum flame_kind kind)
{
	struct vitrine_fxt_string process_name = { 0 }, name = { 0 };
	uint64_t process = record_process(reader->archive, id), unused;
	struct flame *flame = reader->flame;
	uint32_t node = FLAME_ROOT;

	vitrine_archive_process(reader->archive, process, &process_name);
	descend_label(flame, &node, process == VITRINE_FXT_NO_PROCESS ? "?" :
		      name_or_id(&process_name, process));
	vitrine_archive_thread(reader->archive, id->thread, &name, &unused);
	descend_label(flame, &node, name_or_id(&name, id->thread));
	descend_to(flame, &node, flame_kind_names[kind], kind);
	return node;
}

/* Descend to the kernel stack, or to the system call if the stack is unknown. */
static void descend_wait(const struct reader *reader, uint32_t *node,
			 const struct why *why, uint32_t syscall, uint32_t stack,
			 enum flame_kind kind)
{
	if (stack || syscall)
		descend_stack(reader->flame, node, why_text(&why->texts, stack ? stack : syscall),
			      kind);
	else
		descend_to(reader->flame, node, "[no stack]", kind);
}

/* Add time to a node. Until flame_finish(), the root's total is that of all nodes. */
static void spend(const struct reader *reader, uint32_t node, uint64_t ns)
{
	struct flame_node *nodes = reader->flame->nodes;
	uint64_t *all_ns = &nodes[FLAME_ROOT].total_ns[reader->trace];

	if (ns > TRACE_MAX_NS - *all_ns)
		ns = TRACE_MAX_NS - *all_ns;
	*all_ns += ns;
	nodes[node].self_ns[reader->trace] += ns;
}

static bool on_blocked(void *ctx, const struct sched_thread *thread,
		       const struct why_blocked *blocked, uint32_t user_stack)
{
	const struct flame_follower *follower = ctx;
	const struct reader *reader = &follower->reader;
	const struct why *why = &follower->why;
	uint32_t node = descend_thread(reader, &thread->id, FLAME_BLOCKED);

	if (user_stack)
		descend_stack(reader->flame, &node, why_text(&why->texts, user_stack),
			      FLAME_BLOCKED);
	descend_wait(reader, &node, why, blocked->syscall, blocked->stack, FLAME_BLOCKED);
	if (blocked->is_still)
		descend_to(reader->flame, &node, "still blocked", FLAME_BLOCKED);
	spend(reader, node, blocked->ns);
	return true;
}

static void spend_behind(const struct flame_follower *follower, uint32_t node,
			 const struct why_share *share)
{
	struct vitrine_fxt_string name = { 0 };
	uint64_t unused;

	vitrine_archive_thread(follower->reader.archive, share->number, &name, &unused);
	descend_to(follower->reader.flame, &node,
		   format_label("behind %s", fxt_is_others(share->number) ?
				"threads that were not recorded" :
				share->number ? name_or_id(&name, share->number) : "an idle CPU"),
		   FLAME_RUNNABLE);
	spend(&follower->reader, node, share->ns);
}

static bool on_runnable(void *ctx, const struct sched_thread *thread,
			const struct why_wait *wait)
{
	const struct flame_follower *follower = ctx;
	const struct reader *reader = &follower->reader;
	uint32_t node = descend_thread(reader, &thread->id, FLAME_RUNNABLE);
	unsigned int i;

	if (wait->is_preempted)
		descend_to(reader->flame, &node, "[preempted]", FLAME_RUNNABLE);
	else
		descend_wait(reader, &node, &follower->why, wait->blocked.syscall,
			     wait->blocked.stack, FLAME_RUNNABLE);
	for (i = 0; i < wait->behind.nr; i++)
		spend_behind(follower, node, &wait->behind.shares[i]);
	spend(reader, node, wait->behind.other_ns + wait->behind.unknown_ns);
	return true;
}

static const struct why_ops ops = {
	.blocked = on_blocked,
	.runnable = on_runnable,
};

static const struct why_ops no_waits = { 0 };

/* Descend to the stacks of a sample. */
static void descend_sample(const struct flame_follower *follower, uint32_t *node,
			   const struct sample *sample)
{
	const struct why_texts *texts = &follower->samples.texts;
	struct flame *flame = follower->reader.flame;

	if (sample->user)
		descend_stack(flame, node, why_text(texts, sample->user), FLAME_RUNNING);
	else if (!sample->kernel)
		descend_to(flame, node, "[user space]", FLAME_RUNNING);
	if (sample->kernel)
		descend_stack(flame, node, why_text(texts, sample->kernel), FLAME_RUNNING);
}

static int compare_stacks(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	if (a->user != b->user)
		return a->user < b->user ? -1 : 1;
	return a->kernel < b->kernel ? -1 : a->kernel > b->kernel;
}

/* Divide the running time of a thread among the stacks of its samples. */
static void spend_running(const struct flame_follower *follower, uint32_t thread_node,
			  const struct sched_thread *thread)
{
	uint64_t ns = thread->time_ns[SCHED_RUNNING], before_ns = 0, until_ns;
	struct sample *samples;
	size_t i, nr = samples_of(&follower->samples, thread->id.thread, 0, UINT64_MAX, &samples);
	uint32_t node;

	if (nr)
		qsort(samples, nr, sizeof(*samples), compare_stacks);
	for (i = 1; i <= nr; i++) {
		if (i < nr && !compare_stacks(&samples[i - 1], &samples[i]))
			continue;
		/* As ns * i / nr, which may not fit. */
		until_ns = ns / nr * i + ns % nr * i / nr;
		node = thread_node;
		descend_sample(follower, &node, &samples[i - 1]);
		spend(&follower->reader, node, until_ns - before_ns);
		before_ns = until_ns;
	}
	spend(&follower->reader, thread_node, ns - before_ns);
}

static void add_running(const struct flame_follower *follower)
{
	const struct sched *sched = &follower->why.sched;
	const struct sched_thread *thread;
	size_t i = 0;

	while ((thread = sched_thread_next(sched, &i))) {
		if (!why_wants(thread) || !thread->time_ns[SCHED_RUNNING])
			continue;
		spend_running(follower, descend_thread(&follower->reader, &thread->id,
						       FLAME_RUNNING), thread);
	}
}

static enum archive_step follow(void *ctx, const struct vitrine_fxt_record *record)
{
	struct flame_follower *follower = ctx;
	const struct sched *sched = &follower->why.sched;

	must_have(why_follow(&follower->why, record));
	if (sched->now_ns >= sched->from_ns && sched->now_ns <= sched->to_ns)
		samples_follow(&follower->samples, record, sched->now_ns,
			       record->event.thread.thread);
	return ARCHIVE_NEXT;
}

/* Add a trace to a tree. Returns NULL, or an error. */
static struct vitrine_error *flame_read(struct flame *flame,
					struct vitrine_archive *archive,
					const struct flame_args *args)
{
	struct flame_follower follower = {
		.reader = {
			.flame = flame,
			.archive = archive,
			.trace = flame->nr_traces++,
		},
		.why = { .ops = args->on_cpu ? &no_waits : &ops, .ctx = &follower },
	};
	struct vitrine_error *err;

	have_root(flame);
	why_init(&follower.why, archive, &args->filter);
	err = archive_for_each(archive, follow, &follower);
	if (!err) {
		must_have(why_finish(&follower.why));
		samples_finish(&follower.samples);
	}
	if (!err && !args->off_cpu)
		add_running(&follower);
	samples_deinit(&follower.samples);
	why_deinit(&follower.why);
	return err;
}

/* ---- The finished tree ---------------------------------------------------- */

static int compare_siblings(const void *left, const void *right, void *ctx)
{
	const struct flame *flame = ctx;
	const struct flame_node *a = &flame->nodes[*(const uint32_t *)left];
	const struct flame_node *b = &flame->nodes[*(const uint32_t *)right];

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	return strcmp(why_text(&flame->names, a->name),
		      why_text(&flame->names, b->name));
}

/* Sort the nodes by name and compute their total time. */
static void flame_finish(struct flame *flame)
{
	struct flame_node *nodes = flame->nodes;
	uint32_t *order, i, nr = flame->nr_nodes;

	order = calloc(nr, sizeof(*order));
	must_have(order);
	for (i = 0; i < nr; i++)
		order[i] = i;
	/* Leave out the root, which is its own parent. */
	qsort_r(order + 1, nr - 1, sizeof(*order), compare_siblings, flame);
	for (i = nr; --i;) {
		nodes[order[i]].next = nodes[nodes[order[i]].parent].first;
		nodes[nodes[order[i]].parent].first = order[i];
	}
	free(order);
	for (i = 0; i < nr; i++)
		memcpy(nodes[i].total_ns, nodes[i].self_ns,
		       sizeof(nodes[i].total_ns));
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
static uint32_t flame_after(const struct flame *flame, uint32_t node)
{
	if (flame->nodes[node].first)
		return flame->nodes[node].first;
	while (node && !flame->nodes[node].next)
		node = flame->nodes[node].parent;
	return flame->nodes[node].next;
}

static void put_path(FILE *stream, const struct flame *flame, uint32_t node)
{
	uint32_t path[FLAME_MAX_DEPTH + 1];
	unsigned int nr = 0;

	for (; node; node = flame->nodes[node].parent)
		path[nr++] = node;
	while (nr--)
		fprintf(stream, "%s%s",
			why_text(&flame->names, flame->nodes[path[nr]].name),
			nr ? ";" : "");
}

static uint64_t rounded_us(uint64_t ns)
{
	return (ns + NSEC_PER_USEC / 2) / NSEC_PER_USEC;
}

/* Write a tree as folded stacks, in microseconds. */
static void flame_folded(FILE *stream, const struct flame *flame)
{
	uint64_t first_us, second_us;
	uint32_t node;

	for (node = flame_after(flame, FLAME_ROOT); node;
	     node = flame_after(flame, node)) {
		first_us = rounded_us(flame->nodes[node].self_ns[0]);
		second_us = rounded_us(flame->nodes[node].self_ns[1]);
		if (!first_us && !second_us)
			continue;
		put_path(stream, flame, node);
		fprintf(stream, " %" PRIu64, first_us);
		if (flame->nr_traces == 2)
			fprintf(stream, " %" PRIu64, second_us);
		putc('\n', stream);
	}
}

/* Free a tree. */
static void flame_deinit(struct flame *flame)
{
	free(flame->nodes);
	free(flame->hash.slots);
	why_texts_deinit(&flame->names);
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

static unsigned int mix_channel(uint32_t from, uint32_t to, double share,
				unsigned int shift)
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

static uint32_t colour_of(const struct picture *picture,
			  const struct flame_node *node)
{
	uint64_t old_ns = node->total_ns[0], new_ns = node->total_ns[1];
	uint64_t more_ns = old_ns > new_ns ? old_ns : new_ns;

	if (picture->flame->nr_traces < 2)
		return mix(colours[node->kind], 0xffffff,
			   shade_of(why_text(&picture->flame->names,
					     node->name)));
	if (new_ns >= old_ns)
		return mix(SAME, MORE,
			   more_ns ? (double)(new_ns - old_ns) / more_ns : 0);
	return mix(SAME, LESS, (double)(old_ns - new_ns) / more_ns);
}

/* ---- Frames --------------------------------------------------------------- */

static const char *name_of(const struct picture *picture, uint32_t index)
{
	return index ? why_text(&picture->flame->names,
				picture->flame->nodes[index].name) : "all";
}

static double width_of(const struct picture *picture, uint32_t index)
{
	const struct flame_node *nodes = picture->flame->nodes;
	uint64_t all_ns = nodes[FLAME_ROOT].total_ns[picture->shown];

	return all_ns ? (double)PLOT * nodes[index].total_ns[picture->shown] /
			all_ns : 0;
}

static void put_change(const struct picture *picture, uint64_t old_ns, uint64_t new_ns)
{
	fprintf(picture->stream, ", before %s (%c%s)", duration(old_ns),
		new_ns < old_ns ? '-' : '+',
		duration(new_ns < old_ns ? old_ns - new_ns : new_ns - old_ns));
}

static void put_frame_title(const struct picture *picture, uint32_t index)
{
	const struct flame_node *nodes = picture->flame->nodes;
	const struct flame_node *node = &nodes[index];
	uint64_t ns = node->total_ns[picture->shown];

	fputs("<title>", picture->stream);
	xml_put_text(picture->stream, name_of(picture, index));
	fprintf(picture->stream, "\n%s", duration(ns));
	if (node->kind != FLAME_ALL)
		fprintf(picture->stream, " %s", flame_kind_names[node->kind]);
	fprintf(picture->stream, ", %.2f %%",
		100.0 * ns / nodes[FLAME_ROOT].total_ns[picture->shown]);
	if (picture->flame->nr_traces == 2)
		put_change(picture, node->total_ns[0], ns);
	fputs("</title>", picture->stream);
}

/* Write a name, truncated to the width of its frame at a character boundary. */
static void put_name(const struct picture *picture, const char *name, double x,
		     double y, double width, bool is_dark)
{
	size_t room = width > 6 ? (width - 6) / CHARACTER : 0;
	size_t len = strlen(name), i;

	if (room < 3)
		return;
	fprintf(picture->stream, "<text x=\"%.1f\" y=\"%.1f\"%s>", x + 3, y + 13,
		is_dark ? " class=\"d\"" : "");
	if (len > room)
		for (len = room - 2; len && (name[len] & 0xc0) == 0x80;)
			len--;
	for (i = 0; i < len; i++)
		xml_put_text(picture->stream, (char[]){ name[i], '\0' });
	fputs(name[len] ? "..</text>" : "</text>", picture->stream);
}

static void put_frame(const struct picture *picture, uint32_t index)
{
	const struct flame_node *node = &picture->flame->nodes[index];
	double x = picture->x[index], width = width_of(picture, index);
	int y = picture->height - BOTTOM - (node->depth + 1) * ROW;
	uint32_t colour = colour_of(picture, node);

	if (width < LEAST_WIDTH)
		return;
	fputs("<g class=\"f\">", picture->stream);
	put_frame_title(picture, index);
	fprintf(picture->stream,
		"<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"#%06" PRIx32 "\"/>",
		x, y, width, ROW - 1, colour);
	put_name(picture, name_of(picture, index), x, y, width,
		 timeline_is_dark(colour));
	fputs("</g>\n", picture->stream);
}

/* Compute the left edge of each node: siblings are adjacent, aligned to their parent. */
static void lay_out(const struct picture *picture)
{
	const struct flame_node *nodes = picture->flame->nodes;
	uint32_t index = FLAME_ROOT, child;
	double x;

	picture->x[FLAME_ROOT] = MARGIN;
	do {
		x = picture->x[index];
		for (child = nodes[index].first; child;
		     child = nodes[child].next) {
			picture->x[child] = x;
			x += width_of(picture, child);
		}
		index = flame_after(picture->flame, index);
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

static void put_key(const struct picture *picture, int x, uint32_t colour,
		    const char *text)
{
	fprintf(picture->stream,
		"<rect x=\"%d\" y=\"52\" width=\"13\" height=\"13\" fill=\"#%06" PRIx32 "\"/>",
		x, colour);
	fprintf(picture->stream, "<text x=\"%d\" y=\"63\" class=\"l\">%s</text>\n",
		x + 18, text);
}

static void put_legend(const struct picture *picture)
{
	if (picture->flame->nr_traces == 2) {
		put_key(picture, MARGIN, MORE, "more than before");
		put_key(picture, 150, SAME, "as before");
		put_key(picture, 250, LESS, "less than before");
		return;
	}
	put_key(picture, MARGIN, colours[FLAME_BLOCKED], "blocked");
	put_key(picture, 100, colours[FLAME_RUNNABLE], "runnable");
	put_key(picture, 190, colours[FLAME_RUNNING], "running");
}

static void put_head(const struct picture *picture, const char *title)
{
	const struct flame_node *root = picture->flame->nodes;

	fprintf(picture->stream,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ",
		WIDTH, picture->height, WIDTH, picture->height);
	fputs("font-family=\"sans-serif\" font-size=\"12\">\n", picture->stream);
	fputs(style, picture->stream);
	fprintf(picture->stream, "<text x=\"%d\" y=\"24\" class=\"b\">", MARGIN);
	xml_put_text(picture->stream, title);
	fprintf(picture->stream,
		"</text>\n<text x=\"%d\" y=\"43\" class=\"l\">Time of all threads: %s",
		MARGIN, duration(root->total_ns[picture->shown]));
	if (picture->flame->nr_traces == 2)
		put_change(picture, root->total_ns[0], root->total_ns[1]);
	fputs("</text>\n", picture->stream);
	put_legend(picture);
}

/* Draw a tree as a flame graph. */
static void flame_svg(FILE *stream, const struct flame *flame, const char *title)
{
	const struct picture picture = {
		.stream = stream,
		.flame = flame,
		.shown = flame->nr_traces - 1,
		.x = calloc(flame->nr_nodes, sizeof(double)),
		.height = TOP + (flame->max_depth + 1) * ROW + BOTTOM,
	};
	uint32_t index = FLAME_ROOT;

	must_have(picture.x);
	lay_out(&picture);
	put_head(&picture, title);
	do {
		put_frame(&picture, index);
		index = flame_after(flame, index);
	} while (index);
	fputs("</svg>\n", stream);
	free(picture.x);
}

/* ---- HTML -------------------------------------------------------------- */

/* Write an HTML page with a flame graph. */
static void flame_html(FILE *stream, const struct flame *flame, const char *title)
{
	const char *at;

	at = xml_put_until(stream, page, "@TITLE@");
	xml_put_text(stream, title);
	at = xml_put_until(stream, at, "@PICTURE@\n");
	flame_svg(stream, flame, title);
	fputs(at, stream);
}

/* ---- The file ---------------------------------------------------------- */

static struct vitrine_error *read_archive(const void *ctx,
					  struct vitrine_archive *archive)
{
	const struct flame_request *request = ctx;
	struct vitrine_error *err;

	err = flame_read(request->flame, archive, request->args);
	if (!err)
		++*request->nr_read;
	return err;
}

static void put_title(char *title, size_t size, const struct flame_args *args)
{
	char first[LABEL_FILE_BYTES] = "flight recorder";
	char second[LABEL_FILE_BYTES];

	if (!args->live)
		label_file(first, args->paths[0]);
	if (args->nr_paths == 2) {
		label_file(second, args->paths[1]);
		snprintf(title, size, "%s, compared with %s", second, first);
	} else {
		snprintf(title, size, "%s", first);
	}
}

static void draw(const struct flame_args *args, const struct flame *flame)
{
	char title[2 * LABEL_FILE_BYTES + 32];
	struct output output;

	put_title(title, sizeof(title), args);
	must(output_open(&output, args->output));
	switch (args->format) {
	case FLAME_FOLDED:
		flame_folded(output.stream, flame);
		break;
	case FLAME_HTML:
		flame_html(output.stream, flame, title);
		break;
	default:
		flame_svg(output.stream, flame, title);
		break;
	}
	must(output_close(&output));
}

/* Draw a flame graph. Returns enum exit_code. */
static int flame_run(const struct flame_args *args)
{
	unsigned int i, nr_read = 0, nr = args->live ? 1 : args->nr_paths;
	struct flame flame = { 0 };
	const struct flame_request request = { args, &flame, &nr_read };
	const struct selection selection = { .filter = &args->filter };
	int status = EXIT_DONE;

	for (i = 0; i < nr && nr_read == i; i++)
		status = worse(status,
			       trace_input_run(args->paths[i], &selection,
					       read_archive, &request));
	if (nr_read == nr) {
		flame_finish(&flame);
		draw(args, &flame);
	}
	flame_deinit(&flame);
	return status;
}

/* ---- Options ----------------------------------------------------------- */

static struct flame_args args;

static const struct command_option options[] = {
	{ "output", 'o', "FILE", "Write FILE.svg, .html or .folded", .text = &args.output },
	{ "folded", 'f', NULL, .help = "With -o -: write folded stacks, not SVG" },
	{ "live", 'l', NULL, "Read the flight recorder instead of FILE", .flag = &args.live },
	{ "on-cpu", 0, NULL, "Draw only running time", .flag = &args.on_cpu },
	{ "off-cpu", 0, NULL, "Draw only waiting time", .flag = &args.off_cpu },
	{ .help = "Filters:" },
	{ "thread", 't', "TID|NAME", .help = "Draw only this thread" },
	{ "process", 'p', "PID|NAME", .help = "Draw only this process" },
	{ "from", RECORD_FILTER_FROM, "TIME",
	  .help = "Start at TIME, such as 1234.5 (seconds) or 5ms" },
	{ "to", RECORD_FILTER_TO, "TIME", .help = "End at TIME" },
	{ 0 }
};

static const struct {
	const char *suffix;
	enum flame_format format;
} formats[] = {
	{ ".svg", FLAME_SVG },
	{ ".html", FLAME_HTML },
	{ ".folded", FLAME_FOLDED },
};

static void set_format(struct argp_state *state)
{
	const char *output = args.output;
	size_t i, len, len_suffix;

	if (!output)
		argp_error(state, "no output given; use -o FILE");
	if (!output || !strcmp(output, "-"))
		return;
	len = strlen(output);
	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		len_suffix = strlen(formats[i].suffix);
		if (len > len_suffix &&
		    !strcmp(output + len - len_suffix, formats[i].suffix)) {
			args.format = formats[i].format;
			return;
		}
	}
	argp_error(state, "%s: the suffix must be .svg, .html or .folded",
		   output);
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
		return record_filter_parse(&args.filter, key, arg, state);
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
	record_filter_init(&args.filter);
	options_parse(&line, argc, argv);
	return flame_run(&args);
}
