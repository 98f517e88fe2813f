// SPDX-License-Identifier: GPL-2.0
/*
 * Retained trees: the last contents of destroyed trees, frozen, until dropped.
 *
 * Concurrency: @retained_lock guards all data in this file; it is taken before
 * the locks of inspect.c.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "compat.h"
#include "inspect.h"

/**
 * struct retained - a retained tree
 * @entry: name and file; holds a reference to the tree
 * @list: in @retained_trees
 * @bytes: memory that it takes
 */
struct retained {
	struct vtr_inspect_entry entry;
	struct list_head	list;
	size_t			bytes;
};

static DEFINE_MUTEX(retained_lock);
static LIST_HEAD(retained_trees);	/* oldest first */
static unsigned int nr_trees, max_trees;
static size_t nr_bytes, max_bytes;
static unsigned long nr_dropped;

/* Return the size of the pages and of the table that lists them. */
static size_t bytes_of(struct vitrine_tree *tree)
{
	struct vtr_inspect_stats stats;

	vtr_inspect_stats(tree, &stats);
	return stats.size_bytes +
	       stats.limit_bytes / PAGE_SIZE * sizeof(void *);
}

static void drop(struct retained *retained)
{
	list_del(&retained->list);
	nr_trees--;
	nr_bytes -= retained->bytes;
	vtr_inspect_unregister(&retained->entry);
	vtr_inspect_put(retained->entry.tree);
	kfree(retained);
}

static struct retained *find(const char *name)
{
	struct retained *retained;

	list_for_each_entry(retained, &retained_trees, list)
		if (!strcmp(retained->entry.name, name))
			return retained;
	return NULL;
}

/* Drop the tree that a new one replaces, and the oldest ones until the new one fits. */
static bool make_room(const struct retained *retained)
{
	struct retained *other = find(retained->entry.name);

	if (!max_trees || retained->bytes > max_bytes)
		return false;
	while (other || nr_trees >= max_trees ||
	       nr_bytes + retained->bytes > max_bytes) {
		drop(other ?: list_first_entry(&retained_trees,
					       struct retained, list));
		WRITE_ONCE(nr_dropped, nr_dropped + 1);
		other = NULL;
	}
	return true;
}

/* Retain a frozen tree, with a reference of its own. Return false if it does not fit. */
static bool retain(struct retained *retained, struct vitrine_tree *tree)
{
	bool room;

	retained->entry.kind = VTR_INSPECT_RETAINED;
	retained->entry.tree = tree;
	strscpy(retained->entry.name, tree->entry.name,
		sizeof(retained->entry.name));
	retained->bytes = bytes_of(tree);

	mutex_lock(&retained_lock);
	room = make_room(retained) && vtr_inspect_register(&retained->entry);
	if (room) {
		vtr_inspect_get(tree);
		list_add_tail(&retained->list, &retained_trees);
		nr_trees++;
		nr_bytes += retained->bytes;
	} else {
		WRITE_ONCE(nr_dropped, nr_dropped + 1);
	}
	mutex_unlock(&retained_lock);
	return room;
}

void vitrine_tree_retain(struct vitrine_tree *tree)
{
	struct retained *retained;

	if (!tree)
		return;
	vtr_inspect_refresh(tree);
	vtr_inspect_freeze(tree);
	retained = kzalloc(sizeof(*retained), GFP_KERNEL);
	if (retained && !retain(retained, tree))
		kfree(retained);
	vitrine_tree_destroy(tree);
}
VTR_EXPORT(vitrine_tree_retain);

/**
 * vtr_retained_drop() - drop a retained tree
 * @name: name of the tree, or "*" for all
 *
 * Files that are open or mapped keep the tree.
 *
 * Context: task; may sleep.
 * Return: 0, or -ENOENT if no retained tree has that name.
 */
int vtr_retained_drop(const char *name)
{
	struct retained *retained, *tmp;
	bool all = !strcmp(name, "*");
	int err = all ? 0 : -ENOENT;

	mutex_lock(&retained_lock);
	list_for_each_entry_safe(retained, tmp, &retained_trees, list) {
		if (!all && strcmp(retained->entry.name, name))
			continue;
		drop(retained);
		err = 0;
	}
	mutex_unlock(&retained_lock);
	return err;
}

/**
 * vtr_retained_dropped() - return how many trees were dropped because of the limits
 *
 * Context: any.
 * Return: number of trees since the module was loaded that were replaced by later ones or
 *	did not fit.
 */
unsigned long vtr_retained_dropped(void)
{
	return READ_ONCE(nr_dropped);
}

/**
 * vtr_retained_init() - set the limits of retained trees
 * @trees: maximum number of trees, 0 for none
 * @kb: maximum size of all retained trees together in KiB
 *
 * Context: task, before any tree is retained.
 */
void vtr_retained_init(unsigned int trees, unsigned int kb)
{
	max_trees = trees;
	max_bytes = kb * 1024UL;
}

/**
 * vtr_retained_deinit() - drop all retained trees
 *
 * Context: task; may sleep.
 */
void vtr_retained_deinit(void)
{
	vtr_retained_drop("*");
}
