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

const char *vtr_inspect_name_fault(const char *name);

void vtr_inspect_set_publish(struct dentry *(*publish)(struct vtr_inspect_entry *entry));

void vtr_inspect_refuse(const char *name, const char *fault);
bool vtr_inspect_allowed(const char *name, size_t limit_bytes);
void vtr_inspect_register(struct vtr_inspect_entry *entry);
void vtr_inspect_unregister(struct vtr_inspect_entry *entry);
struct vitrine_tree *vtr_inspect_open(struct vtr_inspect_entry *entry);

struct vitrine_tree *vtr_inspect_create(const char *name, size_t limit_bytes, gfp_t gfp);
void vtr_inspect_freeze(struct vitrine_tree *tree);
bool vtr_inspect_frozen(const struct vitrine_tree *tree);

struct vitrine_tree *vtr_inspect_get(struct vitrine_tree *tree);
void vtr_inspect_put(struct vitrine_tree *tree);
unsigned long vtr_inspect_refused(void);
void vtr_inspect_visit(void (*fn)(struct vtr_inspect_entry *entry, void *ctx), void *ctx);

void vtr_inspect_add_refresher(struct vitrine_tree *tree,
			       struct vtr_inspect_refresher *refresher);
void vtr_inspect_remove_refresher(struct vitrine_tree *tree,
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
