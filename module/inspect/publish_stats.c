// SPDX-License-Identifier: GPL-2.0
/*
 * Public interface: the size and usage of a tree, in its node
 * "fuchsia.inspect.Stats":
 *
 *	current_size	current size of the file in bytes
 *	maximum_size	maximum size of the file in bytes
 *	used_size	bytes in blocks that are not free
 *	values		number of nodes and properties, including these
 *	failed		number of creations and updates that failed
 *
 * Concurrency: the values are written by the tree's refresher, whose calls are
 * serialised.
 */
#include <linux/container_of.h>
#include <linux/export.h>

#include <vitrine/inspect.h>

#include "edit.h"
#include "inspect.h"

static void stats_refresh(struct vtr_inspect_refresher *refresher)
{
	struct vtr_edit_stats *show =
		container_of(refresher, struct vtr_edit_stats, refresher);
	struct vitrine_tree *tree = container_of(show, struct vitrine_tree,
						 stats);
	struct vtr_inspect_stats stats;
	unsigned long flags = vitrine_batch_begin(tree);

	vtr_inspect_stats(tree, &stats);
	vitrine_uint_set(show->current_size, stats.size_bytes);
	vitrine_uint_set(show->maximum_size, stats.limit_bytes);
	vitrine_uint_set(show->used_size, stats.used_bytes);
	vitrine_uint_set(show->values, stats.nr_values);
	vitrine_uint_set(show->failed, stats.failed);
	vitrine_batch_end(tree, flags);
}

void vitrine_tree_show_stats(struct vitrine_tree *tree)
{
	struct vtr_edit_stats *show;
	struct vitrine_node *node;

	if (!tree || tree->stats.refresher.refresh)
		return;
	show = &tree->stats;
	node = vitrine_node_create(vitrine_tree_root(tree),
				   "fuchsia.inspect.Stats");
	show->current_size = vitrine_uint_create(node, "current_size", 0);
	show->maximum_size = vitrine_uint_create(node, "maximum_size", 0);
	show->used_size = vitrine_uint_create(node, "used_size", 0);
	show->values = vitrine_uint_create(node, "values", 0);
	show->failed = vitrine_uint_create(node, "failed", 0);
	show->refresher.refresh = stats_refresh;
	vtr_inspect_add_refresher(tree, &show->refresher);
}
EXPORT_SYMBOL_GPL(vitrine_tree_show_stats);
