// SPDX-License-Identifier: GPL-2.0
/*
 * Build the tree of a flame graph from a trace, and write it as folded stacks.
 */
#define _GNU_SOURCE	/* qsort_r() */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "flame.h"
#include "fxt_record.h"
#include "grow.h"
#include "ui/label.h"
#include "why.h"

#define NSEC_PER_USEC	1000

/* Time that one trace can have in all, 292 years: only a damaged trace has more. */
#define TRACE_MAX_NS	(UINT64_MAX / 2)

const char * const flame_kind_names[FLAME_NR_KINDS] = {
	[FLAME_ALL]		= "all",
	[FLAME_RUNNING]		= "running",
	[FLAME_RUNNABLE]	= "runnable",
	[FLAME_BLOCKED]		= "blocked",
};

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

/* ---- Nodes ---------------------------------------------------------------- */

static uint32_t hash_node(const struct flame_node *node)
{
	uint64_t key = (uint64_t)node->parent << 32 | node->name;

	return key * 0x9e3779b97f4a7c15ULL >> 32;
}

static uint32_t hash_number(const void *owner, uint32_t number)
{
	const struct flame *flame = owner;

	return hash_node(&flame->nodes[number]);
}

static bool has_key(const void *owner, uint32_t number, const void *key)
{
	const struct flame *flame = owner;
	const struct flame_node *a = &flame->nodes[number], *b = key;

	return a->parent == b->parent && a->name == b->name;
}

/* Create the root, unless it exists; return false without memory. */
static bool have_root(struct flame *flame)
{
	if (flame->nr_nodes)
		return true;
	if (!GROW(flame->nodes, 0))
		return false;
	flame->nodes[flame->nr_nodes++] = (struct flame_node){ 0 };
	return true;
}

/* Move @node to its child with a name, which is created if there is room. */
static bool descend(struct flame *flame, uint32_t *node, const char *bytes,
		    size_t len_bytes, enum flame_kind kind)
{
	struct flame_node child = {
		.parent = *node,
		.kind = kind,
		.depth = flame->nodes[*node].depth + 1,
	};
	uint32_t *slot;

	if (child.depth > FLAME_MAX_DEPTH)
		return true;
	if (!why_texts_add(&flame->names, bytes, len_bytes, &child.name))
		return false;
	if (!hash_reserve(&flame->hash, flame->nr_nodes, hash_number, flame))
		return false;
	slot = hash_find(&flame->hash, hash_node(&child), has_key, flame,
			 &child);
	if (!*slot) {
		if (flame->nr_nodes >= FLAME_MAX_NODES)
			return true;
		if (!GROW(flame->nodes, flame->nr_nodes))
			return false;
		*slot = flame->nr_nodes;
		flame->nodes[flame->nr_nodes++] = child;
	}
	*node = *slot;
	if (flame->nodes[*node].depth > flame->max_depth)
		flame->max_depth = flame->nodes[*node].depth;
	return true;
}

static bool descend_to(struct flame *flame, uint32_t *node, const char *text,
		       enum flame_kind kind)
{
	return descend(flame, node, text, strlen(text), kind);
}

/* Replace semicolons in a label: in folded stacks they separate frames. */
static bool descend_label(struct flame *flame, uint32_t *node, char *label)
{
	char *at;

	for (at = label; *at; at++)
		if (*at == ';')
			*at = ':';
	return descend_to(flame, node, label, FLAME_ALL);
}

static bool descend_stack(struct flame *flame, uint32_t *node,
			  const char *stack, enum flame_kind kind)
{
	unsigned int nr = 0;
	const char *frame;
	size_t len;

	while (nr++ < FLAME_MAX_FRAMES && why_frame_next(&stack, &frame, &len))
		if (!descend(flame, node, frame, len, kind))
			return false;
	return true;
}

/* ---- Adding a trace ------------------------------------------------------- */

/* Format a name or, of a thread or process without one, its id. */
static void label_named(char label[LABEL_BYTES], const struct vitrine_fxt_string *name,
			uint64_t koid)
{
	if (name->len_bytes)
		label_name(label, name);
	else
		snprintf(label, LABEL_BYTES, "?:%" PRIu64, koid);
}

/* Descend to a process, thread and state; threads of the same name share their nodes. */
static bool descend_thread(const struct reader *reader, uint32_t *node,
			   const struct vitrine_fxt_thread *id,
			   enum flame_kind kind)
{
	struct vitrine_fxt_string process_name = { 0 }, name = { 0 };
	uint64_t process = record_process(reader->archive, id), unused;
	struct flame *flame = reader->flame;
	char label[LABEL_BYTES] = "?";

	*node = FLAME_ROOT;
	vitrine_archive_process(reader->archive, process, &process_name);
	if (process != VITRINE_FXT_NO_PROCESS)
		label_named(label, &process_name, process);
	if (!descend_label(flame, node, label))
		return false;
	vitrine_archive_thread(reader->archive, id->thread, &name, &unused);
	label_named(label, &name, id->thread);
	return descend_label(flame, node, label) &&
	       descend_to(flame, node, flame_kind_names[kind], kind);
}

/* Descend to the kernel stack, or to the system call if the stack is unknown. */
static bool descend_wait(const struct reader *reader, uint32_t *node,
			 const struct why *why, uint32_t syscall, uint32_t stack,
			 enum flame_kind kind)
{
	struct flame *flame = reader->flame;

	if (stack)
		return descend_stack(flame, node, why_text(&why->texts, stack),
				     kind);
	if (syscall)
		return descend_stack(flame, node,
				     why_text(&why->texts, syscall), kind);
	return descend_to(flame, node, "[no stack]", kind);
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

struct flame_follower {
	struct reader reader;
	struct why why;
};

static bool on_blocked(void *ctx, const struct sched_thread *thread,
		       const struct why_blocked *blocked, uint32_t user_stack)
{
	const struct flame_follower *follower = ctx;
	const struct reader *reader = &follower->reader;
	const struct why *why = &follower->why;
	uint32_t node;

	if (!descend_thread(reader, &node, &thread->id, FLAME_BLOCKED))
		return false;
	if (user_stack &&
	    !descend_stack(reader->flame, &node,
			   why_text(&why->texts, user_stack), FLAME_BLOCKED))
		return false;
	if (!descend_wait(reader, &node, why, blocked->syscall, blocked->stack,
			  FLAME_BLOCKED))
		return false;
	if (blocked->is_still &&
	    !descend_to(reader->flame, &node, "still blocked", FLAME_BLOCKED))
		return false;
	spend(reader, node, blocked->ns);
	return true;
}

static bool spend_behind(const struct flame_follower *follower, uint32_t node,
			 const struct why_share *share)
{
	const struct vitrine_fxt_thread id = { VITRINE_FXT_NO_PROCESS,
					       share->number };
	char label[LABEL_BYTES], behind[LABEL_BYTES + 8];
	struct vitrine_fxt_string name = { 0 };
	uint64_t unused;

	vitrine_archive_thread(follower->reader.archive, id.thread, &name,
			       &unused);
	label_named(label, &name, id.thread);
	snprintf(behind, sizeof(behind), "behind %s",
		 fxt_is_others(share->number) ? "threads that were not recorded" :
		 share->number ? label : "an idle CPU");
	if (!descend_to(follower->reader.flame, &node, behind, FLAME_RUNNABLE))
		return false;
	spend(&follower->reader, node, share->ns);
	return true;
}

static bool on_runnable(void *ctx, const struct sched_thread *thread,
			const struct why_wait *wait)
{
	const struct flame_follower *follower = ctx;
	const struct reader *reader = &follower->reader;
	const struct why_link *link = wait->nr_links ? &wait->links[0] : NULL;
	unsigned int i;
	uint32_t node;
	bool good;

	if (!descend_thread(reader, &node, &thread->id, FLAME_RUNNABLE))
		return false;
	if (wait->is_preempted)
		good = descend_to(reader->flame, &node, "[preempted]",
				  FLAME_RUNNABLE);
	else
		good = descend_wait(reader, &node, &follower->why,
				    link ? link->syscall : WHY_TEXT_NONE,
				    link ? link->stack : WHY_TEXT_NONE,
				    FLAME_RUNNABLE);
	for (i = 0; good && i < wait->behind.nr; i++)
		good = spend_behind(follower, node, &wait->behind.shares[i]);
	spend(reader, node, wait->behind.other_ns + wait->behind.unknown_ns);
	return good;
}

static const struct why_ops ops = {
	.blocked = on_blocked,
	.runnable = on_runnable,
};

static bool add_running(const struct flame_follower *follower)
{
	const struct sched *sched = &follower->why.sched;
	const struct sched_thread *thread;
	uint32_t node;
	size_t i = 0;

	while ((thread = sched_thread_next(sched, &i))) {
		if (!why_wants(thread) || !thread->time_ns[SCHED_RUNNING])
			continue;
		if (!descend_thread(&follower->reader, &node, &thread->id,
				    FLAME_RUNNING))
			return false;
		spend(&follower->reader, node, thread->time_ns[SCHED_RUNNING]);
	}
	return true;
}

/**
 * flame_read() - add a trace to a tree
 * @flame: the tree, which contains at most one trace so far
 * @archive: the trace
 * @filter: selected threads and time range
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *flame_read(struct flame *flame,
				 struct vitrine_archive *archive,
				 const struct record_filter *filter)
{
	struct flame_follower follower = {
		.reader = {
			.flame = flame,
			.archive = archive,
			.trace = flame->nr_traces++,
		},
		.why = { .ops = &ops, .ctx = &follower },
	};
	struct vitrine_error *err = NULL;

	if (!have_root(flame) ||
	    !why_init(&follower.why, archive, filter, 0))
		err = vtr_error_no_memory();
	if (!err)
		err = why_read(&follower.why, archive);
	if (!err && !add_running(&follower))
		err = vtr_error_no_memory();
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

/**
 * flame_finish() - sort the nodes by name and compute their total time
 * @flame: the tree, after the last flame_read()
 *
 * Return: false if there is no memory.
 */
bool flame_finish(struct flame *flame)
{
	struct flame_node *nodes = flame->nodes;
	uint32_t *order, i, nr = flame->nr_nodes;

	order = calloc(nr, sizeof(*order));
	if (!order)
		return false;
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
	return true;
}

/**
 * flame_after() - return the next node in pre-order, with siblings ordered by name
 * @flame: the tree, after flame_finish()
 * @node: current node
 *
 * Return: the next node, or FLAME_ROOT after the last node.
 */
uint32_t flame_after(const struct flame *flame, uint32_t node)
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

/**
 * flame_folded() - write a tree as folded stacks, in microseconds
 * @stream: output stream
 * @flame: the tree, after flame_finish()
 */
void flame_folded(FILE *stream, const struct flame *flame)
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

/**
 * flame_deinit() - free a tree
 * @flame: the tree
 */
void flame_deinit(struct flame *flame)
{
	free(flame->nodes);
	free(flame->hash.slots);
	why_texts_deinit(&flame->names);
}
