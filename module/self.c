// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "vitrine": the module's own state. Per tree how full it is and what
 * was refused, per CPU what was recorded and what was lost.
 *
 * Concurrency: everything below @tree is written by self_refresh(), which the
 * inspect layer never runs twice at a time for one tree.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <vitrine/inspect.h>

#include "builtin.h"
#include "clock.h"
#include "inspect.h"
#include "ring.h"
#include "session.h"

struct tree_node {
	struct list_head	list;
	char			name[VITRINE_TREE_NAME_MAX + 1];
	bool			seen;
	struct vitrine_node	*node;
	struct vitrine_uint	*size, *used, *limit, *failed;
	struct vitrine_uint	*values, *tombstones;
};

struct ring_node {
	struct vitrine_node	*node;
	struct vitrine_uint	*records, *bytes, *lost, *overwritten, *subbufs;
};

static struct vitrine_tree *tree;
static struct vitrine_node *trees_node, *rings_node;
static struct vitrine_uint *refused;
static struct vitrine_bool *recording;
static struct vitrine_uint *session_number, *buffer_bytes, *subbuf_bytes;
static struct vitrine_string *clock, *mode;

static LIST_HEAD(tree_nodes);
static struct ring_node *ring_nodes;

static void set_tree(struct tree_node *node,
		     const struct vtr_inspect_stats *stats)
{
	vitrine_uint_set(node->size, stats->size_bytes);
	vitrine_uint_set(node->used, stats->used_bytes);
	vitrine_uint_set(node->limit, stats->limit_bytes);
	vitrine_uint_set(node->failed, stats->failed);
	vitrine_uint_set(node->values, stats->nr_values);
	vitrine_uint_set(node->tombstones, stats->nr_tombstones);
}

static struct tree_node *create_tree_node(const char *name)
{
	struct tree_node *node = kzalloc(sizeof(*node), GFP_KERNEL);

	if (!node)
		return NULL;
	strscpy(node->name, name, sizeof(node->name));
	node->node = vitrine_node_create(trees_node, name);
	node->size = vitrine_uint_create(node->node, "size_bytes", 0);
	node->used = vitrine_uint_create(node->node, "used_bytes", 0);
	node->limit = vitrine_uint_create(node->node, "limit_bytes", 0);
	node->failed = vitrine_uint_create(node->node, "failed", 0);
	node->values = vitrine_uint_create(node->node, "values", 0);
	node->tombstones = vitrine_uint_create(node->node, "tombstones", 0);
	list_add_tail(&node->list, &tree_nodes);
	return node;
}

static void delete_tree_node(struct tree_node *node)
{
	vitrine_uint_delete(node->size);
	vitrine_uint_delete(node->used);
	vitrine_uint_delete(node->limit);
	vitrine_uint_delete(node->failed);
	vitrine_uint_delete(node->values);
	vitrine_uint_delete(node->tombstones);
	vitrine_node_delete(node->node);
	list_del(&node->list);
	kfree(node);
}

static struct tree_node *find_tree_node(const char *name)
{
	struct tree_node *node;

	list_for_each_entry(node, &tree_nodes, list)
		if (!strcmp(node->name, name))
			return node;
	return create_tree_node(name);
}

static void refresh_tree(struct vtr_inspect_entry *entry, void *unused)
{
	struct tree_node *node = find_tree_node(entry->name);
	struct vtr_inspect_stats stats;

	if (!node)
		return;
	node->seen = true;
	vtr_inspect_stats(entry->tree, &stats);
	set_tree(node, &stats);
}

static void refresh_trees(void)
{
	struct tree_node *node, *tmp;

	list_for_each_entry(node, &tree_nodes, list)
		node->seen = false;
	vtr_inspect_for_each(VTR_INSPECT_TREE, refresh_tree, NULL);
	list_for_each_entry_safe(node, tmp, &tree_nodes, list)
		if (!node->seen)
			delete_tree_node(node);
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

static void self_refresh(struct vtr_inspect_refresher *unused)
{
	struct vtr_session_settings settings;
	unsigned int cpu;

	vtr_session_settings(&settings);
	vitrine_bool_set(recording, vtr_session_enabled());
	vitrine_uint_set(session_number, vtr_session_number());
	vitrine_uint_set(buffer_bytes, settings.buffer_kb * 1024ULL);
	vitrine_uint_set(subbuf_bytes, settings.subbuf_kb * 1024ULL);
	vitrine_string_set(clock, vtr_clock_name(settings.clock));
	vitrine_string_set(mode, vtr_session_mode_name(settings.mode));
	vitrine_uint_set(refused, vtr_inspect_refused());
	refresh_trees();
	for_each_possible_cpu(cpu)
		refresh_ring(cpu);
}

static struct vtr_inspect_refresher refresher = {
	.refresh = self_refresh,
};

/**
 * vtr_self_init() - publish the tree "vitrine"
 *
 * Context: task, sleeps.
 * Return: 0, or -ENOMEM.
 */
int vtr_self_init(void)
{
	struct vitrine_node *root, *node;

	ring_nodes = kvcalloc(nr_cpu_ids, sizeof(*ring_nodes), GFP_KERNEL);
	if (!ring_nodes)
		return -ENOMEM;
	/* A tree or a CPU takes some 120 bytes here. */
	tree = vitrine_tree_create("vitrine", 256 * 1024 + nr_cpu_ids * 512UL);
	if (!tree) {
		kvfree(ring_nodes);
		return -ENOMEM;
	}
	root = vitrine_tree_root(tree);
	refused = vitrine_uint_create(root, "trees_refused", 0);
	trees_node = vitrine_node_create(root, "trees");
	node = vitrine_node_create(root, "trace");
	recording = vitrine_bool_create(node, "recording", false);
	session_number = vitrine_uint_create(node, "session", 0);
	clock = vitrine_string_create(node, "clock", "");
	mode = vitrine_string_create(node, "mode", "");
	buffer_bytes = vitrine_uint_create(node, "buffer_bytes", 0);
	subbuf_bytes = vitrine_uint_create(node, "subbuffer_bytes", 0);
	rings_node = vitrine_node_create(node, "cpus");
	vtr_inspect_add_refresher(tree, &refresher);
	return 0;
}

/**
 * vtr_self_deinit() - withdraw the tree "vitrine"
 *
 * Context: task, sleeps.
 */
void vtr_self_deinit(void)
{
	struct tree_node *node, *tmp;

	vitrine_tree_destroy(tree);
	list_for_each_entry_safe(node, tmp, &tree_nodes, list) {
		list_del(&node->list);
		kfree(node);
	}
	kvfree(ring_nodes);
}
