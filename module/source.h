/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sources of events: categories whose events come from the kernel's tracepoints.
 */
#ifndef _VITRINE_SOURCE_H
#define _VITRINE_SOURCE_H

#include <linux/kernel.h>

#include "probe.h"

struct vitrine_category;

/**
 * struct vtr_source - a category and its probes
 * @category: the category
 * @probes: its probes
 * @nr_probes: how many
 */
struct vtr_source {
	struct vitrine_category	*category;
	struct vtr_probe	*probes;
	unsigned int		nr_probes;
};

#define VTR_SOURCE(source_category, source_probes) {			\
	.category = &vitrine_category_##source_category,		\
	.probes = (source_probes),					\
	.nr_probes = ARRAY_SIZE(source_probes),				\
}

extern struct vtr_source vtr_source_sched, vtr_source_irq, vtr_source_syscall,
	vtr_source_block, vtr_source_timer, vtr_source_power, vtr_source_module,
	vtr_source_printk;

int vtr_source_init(void);
void vtr_source_deinit(void);
int vtr_source_switch(struct vtr_source *source, bool on);

#endif /* _VITRINE_SOURCE_H */
