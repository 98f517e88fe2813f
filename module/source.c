// SPDX-License-Identifier: GPL-2.0
/*
 * Sources of events: their probes are registered only while their category
 * records.
 *
 * Concurrency: probes are registered and unregistered under category_mutex, which
 * calls the categories; nothing else changes after vtr_source_init().
 */
#include <linux/errno.h>

#include "event.h"
#include "source.h"

static struct vtr_source * const sources[] = {
	&vtr_source_sched,
	&vtr_source_irq,
	&vtr_source_syscall,
	&vtr_source_block,
	&vtr_source_timer,
	&vtr_source_power,
	&vtr_source_module,
	&vtr_source_printk,
};

/**
 * vtr_source_switch() - register or unregister the probes of a source
 * @source: the source
 * @on: whether they are to be called
 *
 * Probes that this kernel has no tracepoint for are done without. When
 * unregistered, none runs any more on return.
 *
 * Context: task, sleeps; serialised by the categories' switch.
 * Return: 0, the error of a tracepoint, or -ENOENT if there is none at all.
 */
int vtr_source_switch(struct vtr_source *source, bool on)
{
	int nr;

	if (!on) {
		vtr_probe_unregister(source->probes, source->nr_probes);
		return 0;
	}
	nr = vtr_probe_register(source->probes, source->nr_probes);
	if (nr < 0)
		return nr;
	return nr ? 0 : -ENOENT;
}

/**
 * vtr_source_init() - list the sources in trace/events, switched off
 *
 * Context: task, sleeps.
 * Return: 0, or the error of a category.
 */
int vtr_source_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		vtr_probe_find(sources[i]->probes, sources[i]->nr_probes);
		err = vitrine_category_register(sources[i]->category);
		if (err) {
			vtr_source_deinit();
			return err;
		}
	}
	return 0;
}

/**
 * vtr_source_deinit() - undo vtr_source_init()
 *
 * Context: task, sleeps; recording is off.
 */
void vtr_source_deinit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sources); i++)
		vitrine_category_unregister(sources[i]->category);
}
