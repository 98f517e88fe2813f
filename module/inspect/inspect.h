/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trees as the files see them: names, references, copies, statistics.
 *
 * The file operations (debugfs.c) and the tree "vitrine" (self.c) use this; publishers
 * use <vitrine/inspect.h>. All functions are called in task context and may sleep, unless
 * their kernel-doc in inspect.c says otherwise. The trees are in static lists, so there
 * is nothing to initialise.
 */
#ifndef _VTR_INSPECT_H
#define _VTR_INSPECT_H

#include "edit.h"

struct module;
struct vm_area_struct;
struct vtr_inspect_entry;

/**
 * struct vtr_inspect_stats - usage of a tree
 * @size_bytes: current length of the file
 * @used_bytes: bytes in blocks that are not free, including the header
 * @limit_bytes: maximum length of the file
 * @failed: number of creations and updates that failed
 * @nr_values: number of nodes and properties
 * @nr_tombstones: number of deleted nodes below which values are left
 */
struct vtr_inspect_stats {
	size_t size_bytes;
	size_t used_bytes;
	size_t limit_bytes;
	unsigned long failed;
	u32 nr_values;
	u32 nr_tombstones;
};

const char *vtr_inspect_name_fault(const char *name);

void vtr_inspect_set_publish(struct dentry *(*publish)(struct vtr_inspect_entry *entry));

void vtr_inspect_refuse(const char *name, const char *fault);
bool vtr_inspect_allowed(const char *name, size_t limit_bytes);
bool vtr_inspect_register(struct vtr_inspect_entry *entry);
void vtr_inspect_unregister(struct vtr_inspect_entry *entry);
struct vitrine_tree *vtr_inspect_open(struct vtr_inspect_entry *entry);

struct vitrine_tree *vtr_inspect_create(const char *name, size_t limit_bytes, gfp_t gfp);
void vtr_inspect_freeze(struct vitrine_tree *tree);
bool vtr_inspect_frozen(const struct vitrine_tree *tree);

struct vitrine_tree *vtr_inspect_get(struct vitrine_tree *tree);
void vtr_inspect_put(struct vitrine_tree *tree);
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
int vtr_inspect_mmap(struct vitrine_tree *tree, struct vm_area_struct *vma);
int vtr_inspect_snapshot(struct vitrine_tree *tree, void **ret,
			 size_t *ret_len);

/**
 * struct vtr_lazy_stats - statistics of a lazy tree
 * @filling: fill() is running or queued
 * @fills: number of calls of fill() that have returned
 * @failures: of these, calls that returned an error
 * @timeouts: number of open() calls that failed with -ETIMEDOUT or -EBUSY
 * @failed: number of creations and updates that failed during all fills
 */
struct vtr_lazy_stats {
	bool filling;
	unsigned long fills;
	unsigned long failures;
	unsigned long timeouts;
	unsigned long failed;
};

int vtr_lazy_init(void);
void vtr_lazy_deinit(void);
void vtr_lazy_stats(struct vtr_inspect_entry *entry,
		    struct vtr_lazy_stats *ret);

int vtr_retained_drop(char *name);
unsigned long vtr_retained_dropped(void);

void vtr_inspect_module_goes(const struct module *module, bool is_expected);

#endif /* _VTR_INSPECT_H */
