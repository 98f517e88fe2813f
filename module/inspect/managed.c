// SPDX-License-Identifier: GPL-2.0
/*
 * Trees that are destroyed together with their device or module, because they are
 * managed or because the module has forgotten them.
 *
 * Concurrency: the module of a tree does not change. It is read when that module is
 * unloaded or has failed to load, when none of its code runs any more. vitrine itself
 * cannot be unloaded before, because the module depends on its symbols.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/printk.h>

#include <vitrine/inspect.h>

#include "edit.h"
#include "inspect.h"
#include "managed.h"

static void tree_release(void *tree)
{
	vitrine_tree_destroy(tree);
}

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

/**
 * vtr_managed_module_goes() - destroy the trees that belong to a module
 * @module: module whose exit function has returned or whose init function has failed
 *
 * Context: task; may sleep.
 */
void vtr_managed_module_goes(const struct module *module)
{
	struct vitrine_tree *tree;

	while ((tree = tree_of(module))) {
		if (!tree->is_managed)
			pr_warn("module %s has not destroyed its tree \"%s\"; it is destroyed now\n",
				module->name, tree->entry.name);
		vitrine_tree_destroy(tree);
	}
}
