// SPDX-License-Identifier: GPL-2.0
/*
 * Which built-in trees there are, and which are switched on.
 *
 * Concurrency: written while the module is loaded and unloaded only.
 */
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <vitrine/inspect.h>

#include "builtin.h"
#include "proc.h"
#include "trees.h"

/* Filling takes milliseconds; this is for machines in trouble. */
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

/* The number of the tree whose name is these @len bytes, -1 if there is none. */
static int find(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(builtins); i++)
		if (strlen(builtins[i]->name) == len &&
		    !strncmp(builtins[i]->name, name, len))
			return i;
	return -1;
}

/**
 * vtr_trees_select() - switch trees on
 * @names: names of trees, with commas between; "all"; or nothing
 *
 * Context: task, before vtr_trees_init().
 * Return: 0, or -EINVAL if a name is no tree's; the log says which.
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
			pr_err("vitrine: trees=: there is no tree \"%.*s\"; try all, or some of vitrine,system,tasks,memory,interrupts,modules,devices,sched\n",
			       (int)min_t(size_t, len, VITRINE_TREE_NAME_MAX),
			       names);
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

static int start(unsigned int nr)
{
	const struct vtr_builtin *builtin = builtins[nr];
	int err = builtin->start ? builtin->start() : 0;

	if (err || !builtin->fill)
		return err;
	lazies[nr] = vitrine_lazy_create(builtin->name,
					 builtin->limit_bytes +
					 builtin->cpu_bytes * nr_cpu_ids,
					 FILL_TIMEOUT_MS, builtin->fill, NULL);
	if (lazies[nr])
		return 0;
	stop(nr);
	return -ENOMEM;
}

/* Stop those of the first @end trees that are switched on, the last first. */
static void stop_before(unsigned int end)
{
	while (end--)
		if (selected & BIT(end))
			stop(end);
}

/**
 * vtr_trees_init() - publish the trees that are switched on
 *
 * Context: task, sleeps.
 * Return: 0, or why one of them cannot be; then there is none.
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
			pr_err("vitrine: tree \"%s\" cannot be made: error %d\n",
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
 * Context: task, sleeps.
 */
void vtr_trees_deinit(void)
{
	stop_before(ARRAY_SIZE(builtins));
	vtr_proc_deinit();
}
