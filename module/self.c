// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "vitrine": the state of this module. For each tree it shows usage and failed
 * calls, for each lazy tree the result of its fills, for each CPU the recorded and the
 * lost records.
 *
 * Concurrency: @lacks is written only while the built-in trees are started.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sizes.h>
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

/* Each tree and each CPU takes about 250 bytes. */
#define LIMIT_BYTES	SZ_256K
#define CPU_BYTES	512

/* More than the built-in trees can lack on any kernel. */
#define MAX_LACKS	128

static void record_tree(struct vtr_inspect_entry *entry, void *parent)
{
	struct vitrine_node *node = vitrine_record_node(parent, entry->name);
	struct vtr_inspect_stats stats;

	vtr_inspect_stats(entry->tree, &stats);
	vitrine_record_uint(node, "size_bytes", stats.size_bytes);
	vitrine_record_uint(node, "used_bytes", stats.used_bytes);
	vitrine_record_uint(node, "limit_bytes", stats.limit_bytes);
	vitrine_record_uint(node, "failed", stats.failed);
	vitrine_record_uint(node, "values", stats.nr_values);
	vitrine_record_uint(node, "tombstones", stats.nr_tombstones);
}

static void record_lazy(struct vtr_inspect_entry *entry, void *parent)
{
	struct vitrine_node *node = vitrine_record_node(parent, entry->name);
	struct vtr_lazy_stats stats;

	vtr_lazy_stats(entry, &stats);
	vitrine_record_uint(node, "filling", stats.filling);
	vitrine_record_uint(node, "fills", stats.fills);
	vitrine_record_uint(node, "failures", stats.failures);
	vitrine_record_uint(node, "timeouts", stats.timeouts);
	vitrine_record_uint(node, "failed", stats.failed);
}

/* What the built-in trees lack on this kernel. */
static struct {
	const char	*tree;
	const char	*name;
	const char	*why;
} lacks[MAX_LACKS];

static unsigned int nr_lacks;

/**
 * vtr_self_lacks() - show that a built-in tree lacks a value on this kernel
 * @tree: name of the tree
 * @name: name of the missing value
 * @why: reason; all three are constants
 *
 * Context: task, while the built-in trees are started.
 */
void vtr_self_lacks(const char *tree, const char *name, const char *why)
{
	if (nr_lacks == MAX_LACKS)
		return;
	lacks[nr_lacks].tree = tree;
	lacks[nr_lacks].name = name;
	lacks[nr_lacks++].why = why;
}

static void record_missing_event(const char *category, const char *tracepoint,
				 void *events)
{
	char name[64];

	if (!tracepoint) {
		vitrine_record_string(events, category,
				      "this kernel has no tracepoint for it");
		return;
	}
	snprintf(name, sizeof(name), "%s:%s", category, tracepoint);
	vitrine_record_string(events, name,
			      "this kernel has no such tracepoint");
}

/* The values that one tree lacks follow each other. */
static void record_missing(struct vitrine_node *missing)
{
	struct vitrine_node *node = NULL;
	unsigned int i;

	for (i = 0; i < nr_lacks; i++) {
		if (!i || strcmp(lacks[i - 1].tree, lacks[i].tree))
			node = vitrine_record_node(missing, lacks[i].tree);
		vitrine_record_string(node, lacks[i].name, lacks[i].why);
	}
	vtr_source_report_missing(record_missing_event,
				  vitrine_record_node(missing, "events"));
}

static void record_ring(struct vitrine_node *cpus, unsigned int cpu)
{
	struct vtr_ring_stats stats;
	struct vitrine_node *node;
	char name[12];

	if (!vtr_session_stats(cpu, &stats))
		return;
	snprintf(name, sizeof(name), "%u", cpu);
	node = vitrine_record_node(cpus, name);
	vitrine_record_uint(node, "records", stats.records);
	vitrine_record_uint(node, "bytes", stats.bytes);
	vitrine_record_uint(node, "lost_records", stats.lost_records);
	vitrine_record_uint(node, "overwritten_records",
			    stats.overwritten_records);
	vitrine_record_uint(node, "subbuffers", stats.subbufs);
}

static void record_rings(struct vitrine_node *cpus)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		record_ring(cpus, cpu);
}

/* Show what froze the rings; the values are empty unless they are frozen. */
static void record_trigger(struct vitrine_node *node)
{
	struct vtr_trigger_report report = { .cause = "" };

	vtr_trigger_fired(&report);
	vitrine_record_string(node, "cause", report.cause);
	vitrine_record_uint(node, "value", report.value);
	vitrine_record_uint(node, "cpu", report.cpu);
	vitrine_record_uint(node, "thread", report.thread);
}

static void record_stacks(struct vitrine_node *node)
{
	struct vtr_user_stack_stats user;
	struct vtr_stacks_stats stats;

	vtr_stacks_stats(&stats);
	vtr_user_stack_stats(&user);
	vitrine_record_uint(node, "blocked", stats.blocked);
	vitrine_record_uint(node, "runnable", stats.runnable);
	vitrine_record_uint(node, "left_out", stats.left_out);
	vitrine_record_uint(node, "user", user.recorded);
	vitrine_record_uint(node, "user_left_out", user.left_out);
	vitrine_record_uint(node, "user_pending", user.pending);
}

static void record_trace(struct vitrine_node *node)
{
	struct vtr_session_settings settings;

	vtr_session_settings(&settings);
	vitrine_record_bool(node, "recording", vtr_session_enabled());
	vitrine_record_uint(node, "session", vtr_session_number());
	vitrine_record_string(node, "clock", vtr_clock_name(settings.clock));
	vitrine_record_string(node, "mode",
			      vtr_session_mode_name(settings.mode));
	record_trigger(vitrine_record_node(node, "frozen"));
	record_stacks(vitrine_record_node(node, "stacks"));
	vitrine_record_uint(node, "markers_refused", vtr_marker_refused());
	vitrine_record_uint(node, "buffer_bytes", settings.buffer_kb * 1024ULL);
	vitrine_record_uint(node, "subbuffer_bytes",
			    settings.subbuf_kb * 1024ULL);
	record_rings(vitrine_record_node(node, "cpus"));
}

static int self_fill(struct vitrine_node *root)
{
	vitrine_record_uint(root, "trees_refused", vtr_inspect_refused());
	vitrine_record_uint(root, "retained_dropped", vtr_retained_dropped());
	record_missing(vitrine_record_node(root, "missing"));
	vtr_inspect_for_each(VTR_INSPECT_TREE, record_tree,
			     vitrine_record_node(root, "trees"));
	vtr_inspect_for_each(VTR_INSPECT_LAZY, record_lazy,
			     vitrine_record_node(root, "lazy"));
	vtr_inspect_for_each(VTR_INSPECT_RETAINED, record_tree,
			     vitrine_record_node(root, "retained"));
	record_trace(vitrine_record_node(root, "trace"));
	return 0;
}

static int self_start(void)
{
	if (!vtr_stacks_unwinds())
		vtr_self_lacks("stacks", "stack",
			       "this kernel lets no module unwind");
	return 0;
}

const struct vtr_builtin vtr_builtin_self = {
	.name = "vitrine",
	.limit_bytes = LIMIT_BYTES,
	.cpu_bytes = CPU_BYTES,
	.fill = self_fill,
	.start = self_start,
};
