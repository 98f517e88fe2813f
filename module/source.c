// SPDX-License-Identifier: GPL-2.0
/*
 * Sources of events: finds their tracepoints, registers their probes.
 *
 * The tracepoints are not exported, so they are looked up by name; each source
 * has the compiler check its probes against the tracepoints' prototypes. Probes
 * are registered only while their category records.
 *
 * Concurrency: probes are registered and unregistered under category_mutex, which
 * calls the categories; nothing else changes after vtr_source_init().
 */
#include <linux/string.h>
#include <linux/tracepoint.h>

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

static void find_probe(struct vtr_source *source, struct tracepoint *tp)
{
	unsigned int i;

	for (i = 0; i < source->nr_probes; i++)
		if (!strcmp(source->probes[i].name, tp->name))
			source->probes[i].tracepoint = tp;
}

static void find_tracepoint(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sources); i++)
		find_probe(sources[i], tp);
}

static void unregister(struct vtr_source *source, unsigned int nr)
{
	while (nr--)
		if (source->probes[nr].tracepoint)
			tracepoint_probe_unregister(source->probes[nr].tracepoint,
						    source->probes[nr].function,
						    NULL);
	tracepoint_synchronize_unregister();
}

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
	unsigned int i, nr_found = 0;
	int err;

	if (!on) {
		unregister(source, source->nr_probes);
		return 0;
	}
	for (i = 0; i < source->nr_probes; i++) {
		if (!source->probes[i].tracepoint)
			continue;
		err = tracepoint_probe_register(source->probes[i].tracepoint,
						source->probes[i].function,
						NULL);
		if (err) {
			unregister(source, i);
			return err;
		}
		nr_found++;
	}
	return nr_found ? 0 : -ENOENT;
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

	for_each_kernel_tracepoint(find_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(sources); i++) {
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
