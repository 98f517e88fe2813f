// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "vitrine": the state of this module. For each tree it shows usage and failed
 * calls, for each lazy tree the result of its fills, for each CPU the recorded and the
 * lost records.
 *
 * Concurrency: everything below @tree is written by self_refresh(), and inspect.c
 * serialises the refreshes of a tree.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <vitrine/inspect.h>

#include "trees/builtin.h"
#include "trace/clock.h"
#include "trace/marker.h"
#include "inspect/inspect.h"
#include "inspect/lazy.h"
#include "inspect/retained.h"
#include "trace/ring.h"
#include "trace/session.h"
#include "trace/source.h"
#include "trace/stacks.h"
#include "trace/trigger.h"
#include "trace/user_stack.h"

#define MAX_FIGURES	6

/**
 * struct entry_group - a node with one child per entry of a kind
 * @kind: kind of the entries
 * @get: reads the figures of an entry, in the order of @figures
 * @title: name of the node
 * @figures: names of the figures
 * @node: the node
 * @entries: list of struct entry_node
 */
struct entry_group {
	enum vtr_inspect_kind	kind;
	void			(*get)(struct vtr_inspect_entry *entry,
				       u64 *ret);
	const char		*title;
	const char		*figures[MAX_FIGURES];
	struct vitrine_node	*node;
	struct list_head	entries;
};

struct entry_node {
	struct list_head	list;
	char			name[VITRINE_TREE_NAME_MAX + 1];
	bool			seen;
	struct vitrine_node	*node;
	struct vitrine_uint	*figures[MAX_FIGURES];
};

struct ring_node {
	struct vitrine_node	*node;
	struct vitrine_uint	*records, *bytes, *lost, *overwritten, *subbufs;
};

static struct vitrine_tree *tree;
static struct vitrine_node *missing_node;
static struct vitrine_node *rings_node;
static struct vitrine_uint *refused, *dropped;
static struct vitrine_bool *recording;
static struct vitrine_uint *session_number, *buffer_bytes, *subbuf_bytes;
static struct vitrine_string *clock, *mode;
static struct vitrine_string *frozen_by;
static struct vitrine_uint *frozen_value, *frozen_cpu, *frozen_thread;
static struct vitrine_uint *stacks_blocked, *stacks_runnable, *stacks_left_out;
static struct vitrine_uint *user_recorded, *user_left_out, *user_pending;
static struct vitrine_uint *markers_refused;

static struct ring_node *ring_nodes;

static void get_tree(struct vtr_inspect_entry *entry, u64 *ret)
{
	struct vtr_inspect_stats stats;

	vtr_inspect_stats(entry->tree, &stats);
	ret[0] = stats.size_bytes;
	ret[1] = stats.used_bytes;
	ret[2] = stats.limit_bytes;
	ret[3] = stats.failed;
	ret[4] = stats.nr_values;
	ret[5] = stats.nr_tombstones;
}

static void get_lazy(struct vtr_inspect_entry *entry, u64 *ret)
{
	struct vtr_lazy_stats stats;

	vtr_lazy_stats(entry, &stats);
	ret[0] = stats.filling;
	ret[1] = stats.fills;
	ret[2] = stats.failures;
	ret[3] = stats.timeouts;
	ret[4] = stats.failed;
}

#define TREE_FIGURES	{ "size_bytes", "used_bytes", "limit_bytes",	\
			  "failed", "values", "tombstones" }

static struct entry_group groups[] = {
	{ VTR_INSPECT_TREE, get_tree, "trees", TREE_FIGURES },
	{ VTR_INSPECT_LAZY, get_lazy, "lazy",
	  { "filling", "fills", "failures", "timeouts", "failed" } },
	{ VTR_INSPECT_RETAINED, get_tree, "retained", TREE_FIGURES },
};

static void create_groups(struct vitrine_node *root)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		groups[i].node = vitrine_node_create(root, groups[i].title);
		INIT_LIST_HEAD(&groups[i].entries);
	}
}

static struct entry_node *create_entry(struct entry_group *group,
				       const char *name)
{
	struct entry_node *entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	unsigned int i;

	if (!entry)
		return NULL;
	strscpy(entry->name, name, sizeof(entry->name));
	entry->node = vitrine_node_create(group->node, name);
	for (i = 0; i < MAX_FIGURES && group->figures[i]; i++)
		entry->figures[i] = vitrine_uint_create(entry->node,
							group->figures[i], 0);
	list_add_tail(&entry->list, &group->entries);
	return entry;
}

static void delete_entry(struct entry_node *entry)
{
	unsigned int i;

	for (i = 0; i < MAX_FIGURES; i++)
		vitrine_uint_delete(entry->figures[i]);
	vitrine_node_delete(entry->node);
	list_del(&entry->list);
	kfree(entry);
}

static struct entry_node *find_entry(struct entry_group *group,
				     const char *name)
{
	struct entry_node *entry;

	list_for_each_entry(entry, &group->entries, list)
		if (!strcmp(entry->name, name))
			return entry;
	return create_entry(group, name);
}

static void refresh_entry(struct vtr_inspect_entry *from, void *ctx)
{
	struct entry_group *group = ctx;
	struct entry_node *entry = find_entry(group, from->name);
	u64 figures[MAX_FIGURES];
	unsigned int i;

	if (!entry)
		return;
	entry->seen = true;
	group->get(from, figures);
	for (i = 0; i < MAX_FIGURES && group->figures[i]; i++)
		vitrine_uint_set(entry->figures[i], figures[i]);
}

static void refresh_group(struct entry_group *group)
{
	struct entry_node *entry, *tmp;

	list_for_each_entry(entry, &group->entries, list)
		entry->seen = false;
	vtr_inspect_for_each(group->kind, refresh_entry, group);
	list_for_each_entry_safe(entry, tmp, &group->entries, list)
		if (!entry->seen)
			delete_entry(entry);
}

/* The nodes were destroyed with the tree; free the list. */
static void free_group(struct entry_group *group)
{
	struct entry_node *entry, *tmp;

	list_for_each_entry_safe(entry, tmp, &group->entries, list)
		kfree(entry);
}

/**
 * vtr_self_lacks() - show that a built-in tree lacks a value on this kernel
 * @tree: name of the tree
 * @name: name of the missing value
 * @why: reason
 *
 * Context: task, while the built-in trees are started.
 */
void vtr_self_lacks(const char *tree, const char *name, const char *why)
{
	static struct vitrine_node *node;
	static const char *last;

	if (!last || strcmp(tree, last))
		node = vitrine_node_create(missing_node, tree);
	last = tree;
	vitrine_string_create(node, name, why);
}

static void say_missing(const char *category, const char *tracepoint)
{
	char name[64];

	if (!tracepoint) {
		vtr_self_lacks("events", category,
			       "this kernel has no tracepoint for it");
		return;
	}
	snprintf(name, sizeof(name), "%s:%s", category, tracepoint);
	vtr_self_lacks("events", name, "this kernel has no such tracepoint");
}

static void create_ring_node(struct ring_node *ring, unsigned int cpu)
{
	char name[12];

	snprintf(name, sizeof(name), "%u", cpu);
	ring->node = vitrine_node_create(rings_node, name);
	ring->records = vitrine_uint_create(ring->node, "records", 0);
	ring->bytes = vitrine_uint_create(ring->node, "bytes", 0);
	ring->lost = vitrine_uint_create(ring->node, "lost_records", 0);
	ring->overwritten = vitrine_uint_create(ring->node,
						"overwritten_records", 0);
	ring->subbufs = vitrine_uint_create(ring->node, "subbuffers", 0);
}

static void refresh_ring(unsigned int cpu)
{
	struct ring_node *ring = &ring_nodes[cpu];
	struct vtr_ring_stats stats;

	if (!vtr_session_stats(cpu, &stats))
		return;
	if (!ring->node)
		create_ring_node(ring, cpu);
	vitrine_uint_set(ring->records, stats.records);
	vitrine_uint_set(ring->bytes, stats.bytes);
	vitrine_uint_set(ring->lost, stats.lost_records);
	vitrine_uint_set(ring->overwritten, stats.overwritten_records);
	vitrine_uint_set(ring->subbufs, stats.subbufs);
}

/* Show what froze the rings; the node is empty unless they are frozen. */
static void create_trigger_node(struct vitrine_node *parent)
{
	struct vitrine_node *node = vitrine_node_create(parent, "frozen");

	frozen_by = vitrine_string_create(node, "cause", "");
	frozen_value = vitrine_uint_create(node, "value", 0);
	frozen_cpu = vitrine_uint_create(node, "cpu", 0);
	frozen_thread = vitrine_uint_create(node, "thread", 0);
}

static void refresh_trigger(void)
{
	struct vtr_trigger_report report = { .cause = "" };

	vtr_trigger_fired(&report);
	vitrine_string_set(frozen_by, report.cause);
	vitrine_uint_set(frozen_value, report.value);
	vitrine_uint_set(frozen_cpu, report.cpu);
	vitrine_uint_set(frozen_thread, report.thread);
}

static void create_stacks_node(struct vitrine_node *parent)
{
	struct vitrine_node *node = vitrine_node_create(parent, "stacks");

	stacks_blocked = vitrine_uint_create(node, "blocked", 0);
	stacks_runnable = vitrine_uint_create(node, "runnable", 0);
	stacks_left_out = vitrine_uint_create(node, "left_out", 0);
	user_recorded = vitrine_uint_create(node, "user", 0);
	user_left_out = vitrine_uint_create(node, "user_left_out", 0);
	user_pending = vitrine_uint_create(node, "user_pending", 0);
	if (!vtr_stacks_unwinds())
		vtr_self_lacks("stacks", "stack",
			       "this kernel lets no module unwind");
}

static void refresh_stacks(void)
{
	struct vtr_user_stack_stats user;
	struct vtr_stacks_stats stats;

	vtr_stacks_stats(&stats);
	vtr_user_stack_stats(&user);
	vitrine_uint_set(stacks_blocked, stats.blocked);
	vitrine_uint_set(stacks_runnable, stats.runnable);
	vitrine_uint_set(stacks_left_out, stats.left_out);
	vitrine_uint_set(user_recorded, user.recorded);
	vitrine_uint_set(user_left_out, user.left_out);
	vitrine_uint_set(user_pending, user.pending);
}

static void self_refresh(struct vtr_inspect_refresher *unused)
{
	struct vtr_session_settings settings;
	unsigned int cpu, i;

	vtr_session_settings(&settings);
	vitrine_bool_set(recording, vtr_session_enabled());
	vitrine_uint_set(session_number, vtr_session_number());
	vitrine_uint_set(buffer_bytes, settings.buffer_kb * 1024ULL);
	vitrine_uint_set(subbuf_bytes, settings.subbuf_kb * 1024ULL);
	vitrine_string_set(clock, vtr_clock_name(settings.clock));
	vitrine_string_set(mode, vtr_session_mode_name(settings.mode));
	refresh_trigger();
	refresh_stacks();
	vitrine_uint_set(markers_refused, vtr_marker_refused());
	vitrine_uint_set(refused, vtr_inspect_refused());
	vitrine_uint_set(dropped, vtr_retained_dropped());
	for (i = 0; i < ARRAY_SIZE(groups); i++)
		refresh_group(&groups[i]);
	for_each_possible_cpu(cpu)
		refresh_ring(cpu);
}

static struct vtr_inspect_refresher refresher = {
	.refresh = self_refresh,
};

static int self_start(void)
{
	struct vitrine_node *root, *node;

	ring_nodes = kvcalloc(nr_cpu_ids, sizeof(*ring_nodes), GFP_KERNEL);
	if (!ring_nodes)
		return -ENOMEM;
	/* Each tree and each CPU takes about 120 bytes. */
	tree = vitrine_tree_create("vitrine", 256 * 1024 + nr_cpu_ids * 512UL);
	if (!tree) {
		kvfree(ring_nodes);
		return -ENOMEM;
	}
	root = vitrine_tree_root(tree);
	refused = vitrine_uint_create(root, "trees_refused", 0);
	dropped = vitrine_uint_create(root, "retained_dropped", 0);
	missing_node = vitrine_node_create(root, "missing");
	vtr_source_report_missing(say_missing);
	create_groups(root);
	node = vitrine_node_create(root, "trace");
	recording = vitrine_bool_create(node, "recording", false);
	session_number = vitrine_uint_create(node, "session", 0);
	clock = vitrine_string_create(node, "clock", "");
	mode = vitrine_string_create(node, "mode", "");
	create_trigger_node(node);
	create_stacks_node(node);
	markers_refused = vitrine_uint_create(node, "markers_refused", 0);
	buffer_bytes = vitrine_uint_create(node, "buffer_bytes", 0);
	subbuf_bytes = vitrine_uint_create(node, "subbuffer_bytes", 0);
	rings_node = vitrine_node_create(node, "cpus");
	vtr_inspect_add_refresher(tree, &refresher);
	return 0;
}

static void self_stop(void)
{
	unsigned int i;

	vitrine_tree_destroy(tree);
	for (i = 0; i < ARRAY_SIZE(groups); i++)
		free_group(&groups[i]);
	kvfree(ring_nodes);
}

const struct vtr_builtin vtr_builtin_self = {
	.name = "vitrine",
	.start = self_start,
	.stop = self_stop,
};
