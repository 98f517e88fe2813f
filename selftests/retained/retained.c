// SPDX-License-Identifier: GPL-2.0
/*
 * A publisher whose trees are retained, for retained.sh: trees= of them, called <name>0,
 * <name>1 and so on, each of at least kb= KiB, with a limit of limit_kb= KiB more. A thread
 * updates the first tree continuously until the module is unloaded; "steps" is the number of
 * updates, and "twice" two times that.
 *
 * Concurrency: the thread ends before the trees are retained.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

#include <vitrine/inspect.h>

#define MAX_TREES	64
/* Size of the block of a value; all have the same name. */
#define VALUE_BYTES	16

static char *name = "retained";
module_param(name, charp, 0444);

static unsigned int trees = 1;
module_param(trees, uint, 0444);

static unsigned int kb;
module_param(kb, uint, 0444);

static unsigned int limit_kb = 64;
module_param(limit_kb, uint, 0444);

static struct vitrine_tree *tree[MAX_TREES];
static struct vitrine_uint *steps, *twice;
static struct task_struct *task;

static struct vitrine_tree *publish(unsigned int nr)
{
	struct vitrine_tree *new_tree;
	char title[32];
	unsigned int i;

	snprintf(title, sizeof(title), "%s%u", name, nr);
	new_tree = vitrine_tree_create(title, (kb + limit_kb) * 1024UL);
	for (i = 0; i < kb * 1024 / VALUE_BYTES; i++)
		vitrine_uint_create(vitrine_tree_root(new_tree), "value", i);
	return new_tree;
}

static int update(void *unused)
{
	unsigned long flags;

	while (!kthread_should_stop()) {
		flags = vitrine_batch_begin(tree[0]);
		vitrine_uint_add(steps, 1);
		vitrine_uint_add(twice, 2);
		vitrine_batch_end(tree[0], flags);
		cond_resched();
	}
	return 0;
}

static int __init retained_init(void)
{
	struct vitrine_node *root;
	unsigned int i;

	for (i = 0; i < min_t(unsigned int, trees, MAX_TREES); i++)
		tree[i] = publish(i);
	root = vitrine_tree_root(tree[0]);
	steps = vitrine_uint_create(root, "steps", 0);
	twice = vitrine_uint_create(root, "twice", 0);
	task = kthread_run(update, NULL, "retained");
	if (!IS_ERR(task))
		return 0;
	for (i = 0; i < MAX_TREES; i++)
		vitrine_tree_destroy(tree[i]);
	return PTR_ERR(task);
}

static void __exit retained_exit(void)
{
	unsigned int i;

	kthread_stop(task);
	for (i = 0; i < MAX_TREES; i++)
		vitrine_tree_retain(tree[i]);
}

module_init(retained_init);
module_exit(retained_exit);

MODULE_DESCRIPTION("A publisher that leaves its trees behind");
MODULE_LICENSE("GPL");
VITRINE_IMPORT;
