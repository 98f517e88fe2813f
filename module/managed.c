// SPDX-License-Identifier: GPL-2.0
/*
 * Trees that are destroyed when their device or module goes.
 *
 * Concurrency: a tree's module is set before the call that makes the tree
 * returns, and read when that module goes, or has failed to come: none of its
 * code runs any more. vitrine itself stays, since the module's calls to it
 * hold it.
 */
#include <linux/device.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/notifier.h>

#include <vitrine/inspect.h>

#include "edit.h"
#include "inspect.h"
#include "managed.h"

static void tree_release(void *tree)
{
	vitrine_tree_destroy(tree);
}

/**
 * devm_vitrine_tree_create() - make a tree that goes with its device
 * @dev: the device, bound to its driver or about to be
 * @name: its name, as for vitrine_tree_create()
 * @limit_bytes: how large it may grow; 0 for 256 KiB
 *
 * The tree is destroyed when the driver is unbound, or fails to bind; nobody
 * else destroys it.
 *
 * Context: task, sleeps.
 * Return: the tree, or NULL: the log says why, unless memory ran out.
 */
struct vitrine_tree *devm_vitrine_tree_create(struct device *dev,
					      const char *name,
					      size_t limit_bytes)
{
	struct vitrine_tree *tree = vitrine_tree_create(name, limit_bytes);

	if (!tree || devm_add_action_or_reset(dev, tree_release, tree))
		return NULL;
	return tree;
}
EXPORT_SYMBOL_GPL(devm_vitrine_tree_create);

/**
 * vitrine_tree_create_for() - make a tree that goes with a module
 * @owner: the module; vitrine_module_tree_create() passes the caller's
 * @name: its name, as for vitrine_tree_create()
 * @limit_bytes: how large it may grow; 0 for 256 KiB
 *
 * The tree is destroyed after the module's exit function, or when its init
 * function has failed, unless it has been by then.
 *
 * Context: task, sleeps.
 * Return: the tree, or NULL: the log says why, unless memory ran out.
 */
struct vitrine_tree *vitrine_tree_create_for(struct module *owner,
					     const char *name,
					     size_t limit_bytes)
{
	struct vitrine_tree *tree = vitrine_tree_create(name, limit_bytes);

	if (tree)
		tree->module = owner;
	return tree;
}
EXPORT_SYMBOL_GPL(vitrine_tree_create_for);

struct search {
	const struct module	*module;
	struct vitrine_tree	*found;
};

static void match(struct vtr_inspect_entry *entry, void *ctx)
{
	struct search *search = ctx;

	if (entry->tree->module == search->module)
		search->found = entry->tree;
}

static struct vitrine_tree *tree_of(const struct module *module)
{
	struct search search = { .module = module };

	vtr_inspect_for_each(VTR_INSPECT_TREE, match, &search);
	return search.found;
}

static int module_notify(struct notifier_block *block, unsigned long state,
			 void *module)
{
	struct vitrine_tree *tree;

	if (state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	while ((tree = tree_of(module)))
		vitrine_tree_destroy(tree);
	return NOTIFY_OK;
}

static struct notifier_block module_block = {
	.notifier_call = module_notify,
};

/**
 * vtr_managed_init() - begin to look after modules' trees
 *
 * Context: task, sleeps.
 * Return: 0 or an error.
 */
int vtr_managed_init(void)
{
	return register_module_notifier(&module_block);
}

/**
 * vtr_managed_deinit() - no module that could have a tree is left
 *
 * Context: task, sleeps.
 */
void vtr_managed_deinit(void)
{
	unregister_module_notifier(&module_block);
}
