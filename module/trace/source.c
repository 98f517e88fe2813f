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
	&vtr_source_ipi,
	&vtr_source_fault,
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
 * @on: true to register
 *
 * Probes whose tracepoint this kernel lacks are skipped. After unregistering, no probe
 * runs any more.
 *
 * Context: task; may sleep. The categories serialise.
 * Return: 0, the error of a tracepoint, or -ENOENT if this kernel has none of them.
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

static unsigned int nr_found(const struct vtr_source *source)
{
	unsigned int i, nr = 0;

	for (i = 0; i < source->nr_probes; i++)
		nr += !!source->probes[i].tracepoint;
	return nr;
}

/**
 * vtr_source_report_missing() - report what this kernel cannot record
 * @say: called for each missing tracepoint
 * @ctx: last argument of @say
 *
 * Context: task; may sleep. After vtr_source_init().
 */
void vtr_source_report_missing(vtr_source_missing_fn say, void *ctx)
{
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		const struct vtr_source *source = sources[i];

		if (!nr_found(source)) {
			say(source->category->name, NULL, ctx);
			continue;
		}
		for (k = 0; k < source->nr_probes; k++)
			if (!source->probes[k].tracepoint)
				say(source->category->name,
				    source->probes[k].name, ctx);
	}
}

/**
 * vtr_source_init() - add the sources to trace/events, switched off
 *
 * Context: task; may sleep.
 * Return: 0, or the error of a category.
 */
int vtr_source_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		vtr_probe_find(sources[i]->probes, sources[i]->nr_probes);
		sources[i]->category->takes_args = sources[i]->takes_args;
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
 * Context: task; may sleep. Recording is off.
 */
void vtr_source_deinit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sources); i++)
		vitrine_category_unregister(sources[i]->category);
}
