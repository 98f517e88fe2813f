/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sources of events: categories whose events come from the kernel's tracepoints. A source
 * is in source_<category>.c, "sched" in sched.c; sources[] in source.c lists them all.
 */
#ifndef _VTR_SOURCE_H
#define _VTR_SOURCE_H

#include <linux/kernel.h>

#include "probe.h"

struct vitrine_category;

/**
 * struct vtr_source - a category and its probes
 * @category: the category
 * @probes: the probes
 * @nr_probes: number of @probes
 * @takes_args: the source can record arguments; see &vitrine_category.with_args
 */
struct vtr_source {
	struct vitrine_category	*category;
	struct vtr_probe	*probes;
	unsigned int		nr_probes;
	bool			takes_args;
};

#define VTR_SOURCE(source_category, source_probes, ...) {		\
	.category = &vitrine_category_##source_category,		\
	.probes = (source_probes),					\
	.nr_probes = ARRAY_SIZE(source_probes),				\
	__VA_ARGS__							\
}

extern struct vtr_source vtr_source_sched, vtr_source_irq, vtr_source_syscall,
	vtr_source_block, vtr_source_timer, vtr_source_power, vtr_source_module,
	vtr_source_printk, vtr_source_ipi, vtr_source_fault;

/* Called with a category and a missing tracepoint of it, or NULL if all are missing. */
typedef void (*vtr_source_missing_fn)(const char *category,
				      const char *tracepoint, void *ctx);

int vtr_source_init(void);
void vtr_source_deinit(void);
int vtr_source_switch(struct vtr_source *source, bool on);
void vtr_source_report_missing(vtr_source_missing_fn say, void *ctx);

#endif /* _VTR_SOURCE_H */
