// SPDX-License-Identifier: GPL-2.0
/*
 * The list of built-in trees, and which of them are switched on.
 *
 * Concurrency: all data in this file is written only while the module is loaded and
 * unloaded.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <vitrine/inspect.h>

#include "builtin.h"
#include "proc.h"
#include "trees.h"

/* Filling takes milliseconds; this bounds the wait on a machine in trouble. */
#define FILL_TIMEOUT_MS	10000

static const struct vtr_builtin * const builtins[] = {
	&vtr_builtin_self,
	&vtr_builtin_system,
	&vtr_builtin_tasks,
	&vtr_builtin_memory,
	&vtr_builtin_interrupts,
	&vtr_builtin_modules,
	&vtr_builtin_devices,
	&vtr_builtin_sched,
};

static unsigned long selected;
static struct vitrine_lazy *lazies[ARRAY_SIZE(builtins)];

/* Return the index of the tree whose name is @name, @len bytes long; -1 if none is. */
static int find(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(builtins); i++)
		if (strlen(builtins[i]->name) == len &&
		    !strncmp(builtins[i]->name, name, len))
			return i;
	return -1;
}

static void log_unknown(const char *name, size_t len)
{
	char known[ARRAY_SIZE(builtins) * (VITRINE_TREE_NAME_MAX + 1)];
	unsigned int i;
	int used = 0;

	for (i = 0; i < ARRAY_SIZE(builtins); i++)
		used += scnprintf(known + used, sizeof(known) - used, "%s%s",
				  i ? "," : "", builtins[i]->name);
	pr_err("trees=: there is no tree \"%.*s\"; use all, or some of %s\n",
	       (int)min_t(size_t, len, VITRINE_TREE_NAME_MAX), name, known);
}

/**
 * vtr_trees_select() - switch trees on
 * @names: names of trees, separated by commas; "all"; or empty for none
 *
 * Context: task, before vtr_trees_init().
 * Return: 0, or -EINVAL if there is no tree of a name, which is logged.
 */
int vtr_trees_select(const char *names)
{
	unsigned long trees = 0;
	size_t len;
	int nr;

	if (!strcmp(names, "all")) {
		selected = GENMASK(ARRAY_SIZE(builtins) - 1, 0);
		return 0;
	}
	for (; *names; names += len + (names[len] == ',')) {
		len = strcspn(names, ",");
		nr = find(names, len);
		if (nr < 0) {
			log_unknown(names, len);
			return -EINVAL;
		}
		trees |= BIT(nr);
	}
	selected = trees;
	return 0;
}

static void stop(unsigned int nr)
{
	vitrine_lazy_destroy(lazies[nr]);
	if (builtins[nr]->stop)
		builtins[nr]->stop();
}

/* Fill a tree, and show in it how many nodes are missing. */
static int fill(struct vitrine_node *root, void *ctx)
{
	const struct vtr_builtin *builtin = ctx;
	struct vitrine_uint *nr_missing;
	int ret;

	/* Created first, while the tree certainly has room. */
	nr_missing = vitrine_uint_create(root, "nr_missing", 0);
	vitrine_tree_may_sleep(root);
	ret = builtin->fill(root);
	vitrine_uint_set(nr_missing, vitrine_tree_nr_failed(root) + max(ret, 0));
	return min(ret, 0);
}

static int start(unsigned int nr)
{
	const struct vtr_builtin *builtin = builtins[nr];
	int err = builtin->start ? builtin->start() : 0;

	if (err)
		return err;
	lazies[nr] = vitrine_lazy_create(builtin->name,
					 builtin->limit_bytes +
					 builtin->cpu_bytes * nr_cpu_ids,
					 FILL_TIMEOUT_MS, fill, (void *)builtin);
	if (lazies[nr])
		return 0;
	stop(nr);
	return -ENOMEM;
}

/* Stop the trees below @end that are switched on, in reverse order. */
static void stop_before(unsigned int end)
{
	while (end--)
		if (selected & BIT(end))
			stop(end);
}

/**
 * vtr_trees_init() - publish the trees that are switched on
 *
 * Context: task; may sleep.
 * Return: 0, or the error of a tree, in which case none is published.
 */
int vtr_trees_init(void)
{
	unsigned int i;
	int err;

	vtr_proc_init();
	for (i = 0; i < ARRAY_SIZE(builtins); i++) {
		if (!(selected & BIT(i)))
			continue;
		err = start(i);
		if (err) {
			pr_err("tree \"%s\" cannot be created: error %d\n",
			       builtins[i]->name, err);
			stop_before(i);
			vtr_proc_deinit();
			return err;
		}
	}
	return 0;
}

/**
 * vtr_trees_deinit() - withdraw the trees
 *
 * Context: task; may sleep.
 */
void vtr_trees_deinit(void)
{
	stop_before(ARRAY_SIZE(builtins));
	vtr_proc_deinit();
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/trees_kunit.c"
#endif
