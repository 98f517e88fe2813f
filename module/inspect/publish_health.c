// SPDX-License-Identifier: GPL-2.0
/*
 * Public interface: the health of a publisher, in the node that Fuchsia's
 * tools expect, "fuchsia.inspect.Health":
 *
 *	start_timestamp_nanos	int, CLOCK_MONOTONIC
 *	status			"STARTING_UP", "OK" or "UNHEALTHY"
 *	message			string, optional
 *
 * Concurrency: as in publish.c; status and message change in one batch. The
 * caller serialises calls with the same struct vitrine_health.
 */
#include <linux/export.h>
#include <linux/ktime.h>

#include <vitrine/inspect.h>

#include "edit.h"

static void message_set(struct vitrine_health *health, const char *message)
{
	if (!message) {
		vitrine_string_delete(health->message);
		health->message = NULL;
	} else if (health->message) {
		vitrine_string_set(health->message, message);
	} else {
		health->message = vitrine_string_create(health->node,
							"message", message);
	}
}

static void health_set(struct vitrine_health *health, const char *status,
		       const char *message)
{
	struct vitrine_tree *tree;
	unsigned long flags;

	if (!health || !health->node)
		return;
	tree = vtr_edit_tree(health->node);
	flags = vitrine_batch_begin(tree);
	vitrine_string_set(health->status, status);
	message_set(health, message);
	vitrine_batch_end(tree, flags);
}

void vitrine_health_init(struct vitrine_health *health,
			 struct vitrine_node *parent)
{
	struct vitrine_tree *tree;
	unsigned long flags;

	if (!health)
		return;
	*health = (struct vitrine_health){ 0 };
	if (!parent)
		return;
	tree = vtr_edit_tree(parent);
	flags = vitrine_batch_begin(tree);
	health->node = vitrine_node_create(parent, "fuchsia.inspect.Health");
	vitrine_record_int(health->node, "start_timestamp_nanos",
			   ktime_get_mono_fast_ns());
	health->status = vitrine_string_create(health->node, "status",
					       "STARTING_UP");
	vitrine_batch_end(tree, flags);
}
EXPORT_SYMBOL_GPL(vitrine_health_init);

void vitrine_health_starting_up(struct vitrine_health *health,
				const char *message)
{
	health_set(health, "STARTING_UP", message);
}
EXPORT_SYMBOL_GPL(vitrine_health_starting_up);

void vitrine_health_ok(struct vitrine_health *health)
{
	health_set(health, "OK", NULL);
}
EXPORT_SYMBOL_GPL(vitrine_health_ok);

void vitrine_health_unhealthy(struct vitrine_health *health,
			      const char *message)
{
	health_set(health, "UNHEALTHY", message);
}
EXPORT_SYMBOL_GPL(vitrine_health_unhealthy);

void vitrine_health_deinit(struct vitrine_health *health)
{
	if (!health)
		return;
	vitrine_node_delete(health->node);
	vitrine_string_delete(health->status);
	vitrine_string_delete(health->message);
	*health = (struct vitrine_health){ 0 };
}
EXPORT_SYMBOL_GPL(vitrine_health_deinit);
