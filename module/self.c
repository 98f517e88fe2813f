// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "vitrine": the state of this module. For each tree it shows usage and failed
 * calls, for each lazy tree the result of its fills, for each CPU the recorded and the
 * lost records.
 *
 * Concurrency: none; each of the functions that it calls takes its own locks.
 */
#include <linux/cpumask.h>

#include "trees/builtin.h"
#include "trace/event.h"
#include "inspect/inspect.h"
#include "trace/session.h"
#include "trace/source.h"
#include "trace/unwind.h"
#include "trace/waits.h"

/* The nodes of each kind of tree. */
static struct vitrine_node *trees, *lazies, *retained;

static void record_tree(struct vtr_inspect_entry *entry, void *unused)
{
	struct vitrine_node *parent = entry->is_retained ? retained : trees;
	const struct vtr_tree *blocks;
	struct vtr_lazy_stats stats;

	if (!entry->file)
		return;
	if (entry->tree) {
		blocks = &entry->tree->blocks;
		VTR_RECORD(vitrine_record_node(parent, entry->name),
			   { "size_bytes", vtr_peek(blocks->heap.nr_pages) * PAGE_SIZE },
			   { "used_bytes", vtr_peek(blocks->heap.used_bytes) },
			   { "limit_bytes", entry->tree->area.max_pages * PAGE_SIZE },
			   { "failed", atomic_long_read(&entry->tree->failed) },
			   { "values", vtr_peek(blocks->nr_values) },
			   { "tombstones", vtr_peek(blocks->nr_tombstones) });
		return;
	}
	vtr_lazy_stats(entry, &stats);
	VTR_RECORD(vitrine_record_node(lazies, entry->name),
		   { "filling", stats.filling },
		   { "fills", stats.fills },
		   { "failures", stats.failures },
		   { "timeouts", stats.timeouts },
		   { "failed", stats.failed });
}

#define NEEDS(tree, name, option) { tree, name, #option " is off", IS_BUILTIN(option) }

/* Figures that the built-in trees lack if the kernel is built without an option. */
static const struct {
	const char	*tree;
	const char	*name;
	const char	*why;
	bool		is_there;
} figures[] = {
	NEEDS("tasks",		"runs",			CONFIG_SCHED_INFO),
	NEEDS("tasks",		"run_delay_ns",		CONFIG_SCHED_INFO),
	NEEDS("memory",		"events",		CONFIG_VM_EVENT_COUNTERS),
	NEEDS("memory",		"swap_cache_bytes",	CONFIG_SWAP),
	NEEDS("modules",	"references",		CONFIG_MODULE_UNLOAD),
	NEEDS("devices",	"net",			CONFIG_NET),
	NEEDS("devices",	"block",		CONFIG_BLOCK),
	NEEDS("sched",		"wakeups",		CONFIG_SCHED_INFO),
	NEEDS("sched",		"wakeup_latency_ns",	CONFIG_SCHED_INFO),
};

/* The values that one tree lacks follow each other. */
static void record_missing(struct vitrine_node *missing)
{
	struct vitrine_node *node = NULL;
	const char *tree = "";
	unsigned int i;

	if (!vtr_unwind_works())
		vitrine_record_string(vitrine_record_node(missing, "stacks"), "stack",
				      "this kernel lets no module unwind");
	for (i = 0; i < ARRAY_SIZE(figures); i++) {
		if (figures[i].is_there)
			continue;
		if (strcmp(tree, figures[i].tree))
			node = vitrine_record_node(missing, figures[i].tree);
		tree = figures[i].tree;
		vitrine_record_string(node, figures[i].name, figures[i].why);
	}
	vtr_source_record_missing(vitrine_record_node(missing, "events"));
}

static void record_ring(struct vitrine_node *cpus, unsigned int cpu)
{
	struct vtr_ring_stats stats;

	if (!vtr_session_stats(cpu, &stats))
		return;
	VTR_RECORD(vtr_builtin_number(cpus, cpu),
		   { "records", stats.records },
		   { "bytes", stats.bytes },
		   { "lost_records", stats.lost_records },
		   { "overwritten_records", stats.overwritten_records },
		   { "subbuffers", stats.subbufs });
}

/* Show what froze the rings; the values are empty unless they are frozen. */
static void record_trigger(struct vitrine_node *node)
{
	struct vtr_trigger_report report = { .cause = "" };

	vtr_trigger_fired(&report);
	vitrine_record_string(node, "cause", report.cause);
	VTR_RECORD(node,
		   { "value", report.value },
		   { "cpu", report.cpu },
		   { "thread", report.thread });
}

static void record_stacks(struct vitrine_node *node)
{
	struct vtr_stacks_stats stats;

	vtr_stacks_stats(&stats);
	VTR_RECORD(node,
		   { "blocked", stats.blocked },
		   { "running", stats.running },
		   { "left_out", stats.left_out },
		   { "user", stats.user },
		   { "user_left_out", stats.user_left_out },
		   { "user_pending", vtr_user_stack_pending() });
}

static void record_trace(struct vitrine_node *node)
{
	struct vtr_ring_config config;
	struct vitrine_node *cpus;
	unsigned int cpu;

	vtr_session_config(&config);
	vitrine_record_bool(node, "recording", vtr_session_enabled());
	vitrine_record_uint(node, "session", config.session);
	vitrine_record_string(node, "clock", vtr_clock_names[config.clock]);
	vitrine_record_string(node, "mode", vtr_session_modes[config.mode]);
	record_trigger(vitrine_record_node(node, "frozen"));
	record_stacks(vitrine_record_node(node, "stacks"));
	VTR_RECORD(node,
		   { "markers_refused", vtr_marker_refused() },
		   { "buffer_bytes", config.buffer_kb * 1024ULL },
		   { "subbuffer_bytes", config.subbuf_kb * 1024ULL });
	cpus = vitrine_record_node(node, "cpus");
	for_each_possible_cpu(cpu)
		record_ring(cpus, cpu);
}

/**
 * vtr_self_fill() - fill the tree "vitrine"
 * @root: root of the tree
 *
 * Context: task; may sleep.
 * Return: 0.
 */
int vtr_self_fill(struct vitrine_node *root)
{
	VTR_RECORD(root,
		   { "trees_refused", vtr_inspect_refused() },
		   { "retained_dropped", vtr_retained_dropped() });
	record_missing(vitrine_record_node(root, "missing"));
	trees = vitrine_record_node(root, "trees");
	lazies = vitrine_record_node(root, "lazy");
	retained = vitrine_record_node(root, "retained");
	vtr_inspect_visit(record_tree, NULL);
	record_trace(vitrine_record_node(root, "trace"));
	return 0;
}
