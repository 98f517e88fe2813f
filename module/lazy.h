/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lazy trees as the later layers see them: their figures, and the queue that
 * fills them. Publishers use <vitrine/inspect.h>.
 */
#ifndef _VTR_LAZY_H
#define _VTR_LAZY_H

#include <linux/types.h>

struct vtr_inspect_entry;

/**
 * struct vtr_lazy_stats - the figures of one lazy tree
 * @filling: fill() is running, or about to
 * @fills: calls of fill() that have ended
 * @failures: of these, those that returned an error
 * @timeouts: openers who were told -ETIMEDOUT or -EBUSY
 * @failed: creations and updates refused or lost during all fills
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

#endif /* _VTR_LAZY_H */
