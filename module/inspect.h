/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trees as the later layers see them: names, references, copies, figures.
 *
 * The file operations (debugfs.c) and the built-in trees (self.c, system.c)
 * use this; publishers use <vitrine/inspect.h>. All of it is called in task
 * context and may sleep, unless its kernel-doc in inspect.c says otherwise.
 * The trees live in static lists: there is nothing to set up or take down.
 */
#ifndef _VTR_INSPECT_H
#define _VTR_INSPECT_H

#include <linux/list.h>
#include <linux/types.h>

#include <vitrine/inspect.h>

struct dentry;
struct vtr_area;

/**
 * enum vtr_inspect_kind - what stands behind a file
 * @VTR_INSPECT_TREE: a tree that its publisher edits
 * @VTR_INSPECT_LAZY: a tree to be, made for each who opens it (lazy.c)
 * @VTR_INSPECT_RETAINED: a tree that its publisher left behind (retained.c)
 */
enum vtr_inspect_kind {
	VTR_INSPECT_TREE,
	VTR_INSPECT_LAZY,
	VTR_INSPECT_RETAINED,
};

/**
 * struct vtr_inspect_entry - a name and its file
 * @list: in inspect.c's list of entries
 * @kind: what it is
 * @tree: the tree, or NULL if it is lazy
 * @open: of a lazy one: get the tree that one opened file shows, with a
 *	reference; 0 or why there is none. Called in task context, may sleep
 * @file: what publish() returned
 * @name: the name, unlike any other's; retained trees are among themselves
 *
 * Part of what it names, which stays until the entry is unregistered.
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
 * struct vtr_inspect_files - how an entry gets its file
 * @publish: make the file of an entry and return it; the entry is alive until
 *	@withdraw returns, so the file's open() may call the entry's
 * @withdraw: remove what @publish returned, error pointers included, and wait
 *	for those who are opening it; debugfs_remove() will do
 *
 * Both may sleep and must not create or destroy a tree.
 */
struct vtr_inspect_files {
	struct dentry *(*publish)(struct vtr_inspect_entry *entry);
	void (*withdraw)(struct dentry *file);
};

/**
 * struct vtr_inspect_stats - the figures of one tree
 * @size_bytes: length of its file now
 * @used_bytes: bytes in blocks that are not free, header included
 * @limit_bytes: the length at which it is full
 * @failed: creations and updates that were refused or lost
 * @nr_values: nodes and properties
 * @nr_tombstones: deleted nodes that wait for what is below them
 */
struct vtr_inspect_stats {
	size_t size_bytes;
	size_t used_bytes;
	size_t limit_bytes;
	unsigned long failed;
	u32 nr_values;
	u32 nr_tombstones;
};

/**
 * struct vtr_inspect_refresher - brings values of a tree up to date
 * @list: among the tree's refreshers; inspect.c's
 * @refresh: called in task context before a copy is made, when the tree's file
 *	is opened and once a second while it is open; one call at a time in one
 *	tree. Must not create or destroy a tree, nor add or remove a refresher
 *	of this one
 */
struct vtr_inspect_refresher {
	struct list_head list;
	void (*refresh)(struct vtr_inspect_refresher *refresher);
};

const char *vtr_inspect_name_fault(const char *name);

void vtr_inspect_set_files(const struct vtr_inspect_files *files);

void vtr_inspect_refuse(const char *name, const char *fault);
bool vtr_inspect_allowed(const char *name, size_t limit_bytes);
bool vtr_inspect_register(struct vtr_inspect_entry *entry);
void vtr_inspect_unregister(struct vtr_inspect_entry *entry);
int vtr_inspect_open(struct vtr_inspect_entry *entry,
		     struct vitrine_tree **ret);

struct vitrine_tree *vtr_inspect_create_private(const char *name,
						size_t limit_bytes);
void vtr_inspect_freeze(struct vitrine_tree *tree);
bool vtr_inspect_frozen(const struct vitrine_tree *tree);

struct vitrine_tree *vtr_inspect_get(struct vitrine_tree *tree);
void vtr_inspect_put(struct vitrine_tree *tree);
const char *vtr_inspect_name(const struct vitrine_tree *tree);
struct vtr_area *vtr_inspect_area(struct vitrine_tree *tree);
bool vtr_inspect_reserve(const struct vitrine_node *node, size_t bytes);
void vtr_inspect_stats(struct vitrine_tree *tree,
		       struct vtr_inspect_stats *ret);
unsigned long vtr_inspect_refused(void);
void vtr_inspect_for_each(enum vtr_inspect_kind kind,
			  void (*fn)(struct vtr_inspect_entry *entry,
				     void *ctx),
			  void *ctx);

void vtr_inspect_add_refresher(struct vitrine_tree *tree,
			       struct vtr_inspect_refresher *refresher);
bool vtr_inspect_remove_refresher(struct vitrine_tree *tree,
				  struct vtr_inspect_refresher *refresher);
void vtr_inspect_refresh(struct vitrine_tree *tree);
int vtr_inspect_snapshot(struct vitrine_tree *tree, void **ret,
			 size_t *ret_len);

#endif /* _VTR_INSPECT_H */
