// SPDX-License-Identifier: GPL-2.0
/*
 * The table of built-in trees, and which of them are switched on.
 *
 * Concurrency: all data in this file is written only while the module is loaded and
 * unloaded.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/printk.h>
#include <linux/sizes.h>

#include "builtin.h"

/* Filling takes milliseconds; this bounds the wait on a machine in trouble. */
#define FILL_TIMEOUT_MS	10000

/**
 * struct builtin - a built-in tree
 * @name: name of the tree, and of its word in the module parameter trees
 * @limit_bytes: maximum size, in addition to @cpu_bytes
 * @cpu_bytes: additional size for each possible CPU
 * @fill: creates the values. Returns the number of nodes that it left out, not counting
 *	values that could not be recorded, or a negative errno
 * @start: called before the tree is created, or NULL. Returns 0 or a negative errno
 * @stop: undoes @start after the tree is destroyed, or NULL
 */
struct builtin {
	const char	*name;
	size_t		limit_bytes;
	size_t		cpu_bytes;
	int		(*fill)(struct vitrine_node *root);
	int		(*start)(void);
	void		(*stop)(void);
};

static const struct builtin builtins[] = {
	/* Each tree and each CPU takes about 250 bytes. */
	{ "vitrine",	SZ_256K,	512,	vtr_self_fill },
	{ "system",	SZ_64K,		SZ_1K,	vtr_system_fill },
	/* About 25,000 threads. */
	{ "tasks",	SZ_16M,		0,	vtr_tasks_fill },
	{ "memory",	SZ_1M,		0,	vtr_memory_fill },
	/* More than a thousand lines. */
	{ "interrupts",	SZ_512K,	SZ_32K,	vtr_interrupts_fill },
	{ "modules",	SZ_1M,		0,	vtr_modules_fill },
	{ "devices",	SZ_4M,		0,	vtr_devices_fill, vtr_devices_start },
	{ "sched",	SZ_64K,		SZ_2K,	vtr_sched_fill,
	  vtr_sched_start, vtr_sched_stop },
};

static unsigned long selected;
static struct vitrine_lazy *lazies[ARRAY_SIZE(builtins)];

/**
 * vtr_trees_select() - switch trees on
 * @names: names of trees, separated by spaces; "all"; or empty for none; modified by this call
 *
 * Context: task, before vtr_trees_init().
 * Return: 0, or -EINVAL if there is no tree of a name, which is logged.
 */
int vtr_trees_select(char *names)
{
	unsigned int i;
	char *name;

	if (!strcmp(names, "all")) {
		selected = GENMASK(ARRAY_SIZE(builtins) - 1, 0);
		return 0;
	}
	while (names && *names) {
		name = strsep(&names, " ");
		for (i = 0; strcmp(name, builtins[i].name); i++)
			if (i + 1 == ARRAY_SIZE(builtins)) {
				pr_err("trees=: there is no tree \"%.*s\"; use all, or some of %s,sched\n",
				       VITRINE_TREE_NAME_MAX, name, VTR_TREES_DEFAULT);
				return -EINVAL;
			}
		selected |= BIT(i);
	}
	return 0;
}

/* Fill a tree, and show in it how many nodes are missing. */
static int fill(struct vitrine_node *root, void *ctx)
{
	const struct builtin *builtin = ctx;
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
	const struct builtin *builtin = &builtins[nr];
	int err = builtin->start ? builtin->start() : 0;

	if (err)
		return err;
	lazies[nr] = vitrine_lazy_create(builtin->name,
					 builtin->limit_bytes +
					 builtin->cpu_bytes * nr_cpu_ids,
					 FILL_TIMEOUT_MS, fill, (void *)builtin);
	if (lazies[nr])
		return 0;
	if (builtin->stop)
		builtin->stop();
	return -ENOMEM;
}

/**
 * vtr_trees_deinit() - withdraw the trees, in reverse order
 *
 * Context: task; may sleep.
 */
void vtr_trees_deinit(void)
{
	unsigned int i = ARRAY_SIZE(builtins);

	while (i--) {
		if (!lazies[i])
			continue;
		vitrine_lazy_destroy(lazies[i]);
		if (builtins[i].stop)
			builtins[i].stop();
	}
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

	for (i = 0; i < ARRAY_SIZE(builtins); i++) {
		err = selected & BIT(i) ? start(i) : 0;
		if (err) {
			pr_err("tree \"%s\" cannot be created: error %d\n",
			       builtins[i].name, err);
			vtr_trees_deinit();
			return err;
		}
	}
	return 0;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/trees_kunit.c"
#endif
