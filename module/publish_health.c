// SPDX-License-Identifier: GPL-2.0
/*
 * What publishers call: their health, as Fuchsia's tools look for it, in a
 * node "fuchsia.inspect.Health":
 *
 *	start_timestamp_nanos	int, CLOCK_MONOTONIC
 *	status			"STARTING_UP", "OK" or "UNHEALTHY"
 *	message			string, if there is one
 *
 * Concurrency: as in publish.c; status and message change in one batch. One
 * caller at a time for one struct vitrine_health.
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

/**
 * vitrine_health_init() - publish a health, which is "STARTING_UP"
 * @health: where its handles go, or NULL
 * @parent: node it goes below, the root for tools to find it, or NULL
 *
 * The time of the call is the start time.
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
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

/**
 * vitrine_health_starting_up() - say that it is starting up
 * @health: the health, or NULL
 * @message: with what, UTF-8; copied. NULL for no message
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_health_starting_up(struct vitrine_health *health,
				const char *message)
{
	health_set(health, "STARTING_UP", message);
}
EXPORT_SYMBOL_GPL(vitrine_health_starting_up);

/**
 * vitrine_health_ok() - say that all is well
 * @health: the health, or NULL
 *
 * A message there was goes.
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_health_ok(struct vitrine_health *health)
{
	health_set(health, "OK", NULL);
}
EXPORT_SYMBOL_GPL(vitrine_health_ok);

/**
 * vitrine_health_unhealthy() - say that something is wrong
 * @health: the health, or NULL
 * @message: what, UTF-8; copied. NULL for no message
 *
 * Context: any; from NMI it is lost if the tree is being edited.
 */
void vitrine_health_unhealthy(struct vitrine_health *health,
			      const char *message)
{
	health_set(health, "UNHEALTHY", message);
}
EXPORT_SYMBOL_GPL(vitrine_health_unhealthy);

/**
 * vitrine_health_deinit() - withdraw a health
 * @health: the health, or NULL; it can be published anew
 *
 * Context: any; from NMI it fails if the tree is being edited.
 */
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
