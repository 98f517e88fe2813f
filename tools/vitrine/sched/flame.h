/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tree that breaks down time by process, thread, state ("running", "runnable" or
 * "blocked") and stack frame. Flame graphs and folded stacks are made from it.
 *
 * A tree contains one trace, or two traces that are compared. It has at most
 * FLAME_MAX_NODES nodes, and at most FLAME_MAX_FRAMES frames per stack. The time of a
 * frame beyond these limits counts for its nearest ancestor that has a node.
 */
#ifndef _VITRINE_FLAME_H
#define _VITRINE_FLAME_H

#include "record_filter.h"
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
 * @format: format of the output
 * @filter: threads and time range
 */
struct flame_args {
	const char *paths[2];
	unsigned int nr_paths;
	const char *output;
	bool live;
	enum flame_format format;
	struct record_filter filter;
};

extern const char * const flame_kind_names[FLAME_NR_KINDS];

struct vitrine_error *flame_read(struct flame *flame,
				 struct vitrine_archive *archive,
				 const struct record_filter *filter);
bool flame_finish(struct flame *flame);
uint32_t flame_after(const struct flame *flame, uint32_t node);
void flame_folded(FILE *stream, const struct flame *flame);
void flame_deinit(struct flame *flame);

/* flame_draw.c */
int flame_run(const struct flame_args *args);

/* flame_svg.c, flame_html.c */
bool flame_svg(FILE *stream, const struct flame *flame, const char *title);
bool flame_html(FILE *stream, const struct flame *flame, const char *title);

#endif /* _VITRINE_FLAME_H */
