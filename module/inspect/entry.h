/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The entry of a tree in the directory of files, and refreshers, which update values of
 * a tree when its file is read. inspect.c owns the lists of both.
 */
#ifndef _VTR_ENTRY_H
#define _VTR_ENTRY_H

#include <linux/list.h>
#include <linux/types.h>

#include <vitrine/inspect.h>

struct dentry;

/**
 * enum vtr_inspect_kind - kind of tree behind a file
 * @VTR_INSPECT_TREE: edited by its publisher
 * @VTR_INSPECT_LAZY: created by each open() (lazy.c)
 * @VTR_INSPECT_RETAINED: left behind by its publisher (retained.c)
 */
enum vtr_inspect_kind {
	VTR_INSPECT_TREE,
	VTR_INSPECT_LAZY,
	VTR_INSPECT_RETAINED,
};

/**
 * struct vtr_inspect_entry - a name and its file
 * @list: in inspect.c's list of entries
 * @kind: kind of tree
 * @tree: the tree, or NULL for a lazy tree
 * @open: for a lazy tree: return the tree for one open file, with a reference, and 0, or
 *	a negative errno. Called in task context; may sleep
 * @file: return value of publish()
 * @name: name, unique among all entries; retained trees have a name space of their own
 *
 * Embedded in the object that it names, which exists until the entry is unregistered.
 */
struct vtr_inspect_entry {
	struct list_head	list;
	enum vtr_inspect_kind	kind;
	struct vitrine_tree	*tree;
	int			(*open)(struct vtr_inspect_entry *entry,
					struct vitrine_tree **ret);
	struct dentry		*file;
	char			name[VITRINE_TREE_NAME_MAX + 1];
};

/**
 * struct vtr_inspect_refresher - updates values of a tree
 * @list: in the tree's list of refreshers, which inspect.c owns
 * @refresh: called in task context before a copy is made, when the file of the tree is
 *	opened, and once a second while the tree is mapped; calls for one tree are
 *	serialised. Must not create or destroy a tree, nor add or remove a refresher
 *	of this tree
 */
struct vtr_inspect_refresher {
	struct list_head list;
	void (*refresh)(struct vtr_inspect_refresher *refresher);
};

#endif /* _VTR_ENTRY_H */
