// SPDX-License-Identifier: GPL-2.0
/*
 * A publisher that creates values with a lock of the page allocator held, for atomic.sh: a
 * probe of the tracepoint mm_page_alloc_zone_locked creates a value of the tree "locked" for
 * each page that leaves the free lists, until there are nr= values. The zone is then locked,
 * and interrupts are off.
 *
 * Concurrency: @nr_created is atomic; the tree serialises its editors.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <vitrine/inspect.h>

static int nr = 10000;
module_param(nr, int, 0444);

static atomic_t nr_created;

static int created_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%d\n", atomic_read(&nr_created));
}

static const struct kernel_param_ops created_ops = {
	.get = created_get,
};

module_param_cb(created, &created_ops, NULL, 0444);
MODULE_PARM_DESC(created, "Number of values that were to be created so far");

static struct vitrine_tree *tree;
static struct tracepoint *tracepoint;

static void probe(void *unused, struct page *page, unsigned int order,
		  int migratetype, int percpu_refill)
{
	if (atomic_add_unless(&nr_created, 1, nr))
		vitrine_uint_create(vitrine_tree_root(tree), "page", order);
}

static void find(struct tracepoint *other, void *unused)
{
	if (!strcmp(other->name, "mm_page_alloc_zone_locked"))
		tracepoint = other;
}

static int __init locked_init(void)
{
	int err;

	for_each_kernel_tracepoint(find, NULL);
	if (!tracepoint)
		return -ENOENT;
	tree = vitrine_tree_create("locked", 1 << 20);
	err = tracepoint_probe_register(tracepoint, probe, NULL);
	if (err)
		vitrine_tree_destroy(tree);
	return err;
}

static void __exit locked_exit(void)
{
	tracepoint_probe_unregister(tracepoint, probe, NULL);
	tracepoint_synchronize_unregister();
	vitrine_tree_destroy(tree);
}

module_init(locked_init);
module_exit(locked_exit);

MODULE_DESCRIPTION("Values that are created with a lock of the page allocator held");
MODULE_LICENSE("GPL");
VITRINE_IMPORT;
