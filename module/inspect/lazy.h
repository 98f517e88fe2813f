/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lazy trees as main.c and the tree "vitrine" see them: the workqueue and the
 * statistics. Publishers use <vitrine/inspect.h>.
 */
#ifndef _VTR_LAZY_H
#define _VTR_LAZY_H

#include <linux/types.h>

struct module;
struct vtr_inspect_entry;

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
void vtr_lazy_module_goes(const struct module *module);
void vtr_lazy_stats(struct vtr_inspect_entry *entry,
		    struct vtr_lazy_stats *ret);

#endif /* _VTR_LAZY_H */
