// SPDX-License-Identifier: GPL-2.0
/*
 * Sources of events: their probes are registered only while their category
 * records. The sources "power", "module" and "printk", with one or two probes each, are here.
 *
 * Concurrency: probes are registered and unregistered under category_mutex, which
 * calls the categories; nothing else changes after vtr_source_init().
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <trace/events/module.h>
#include <trace/events/power.h>
#include <trace/events/printk.h>

#include <vitrine/inspect.h>

#include "event.h"
#include "source.h"

/* ---- power: idle states and frequencies of the CPUs ------------------------ */

VTR_SOURCE_CATEGORY(power);

static notrace void probe_idle(void *unused, unsigned int state, unsigned int cpu)
{
	if (state == PWR_EVENT_EXIT)
		vitrine_trace_end(power, "sleep");
	else
		vitrine_trace_begin(power, "sleep",
				    VITRINE_ARG("state", state));
}

static void probe_frequency(void *unused, unsigned int frequency,
			    unsigned int cpu)
{
	vitrine_trace_counter(power, "cpu_frequency", cpu,
			      VITRINE_ARG("khz", frequency));
}

static struct vtr_probe power_probes[] = {
	VTR_PROBE(cpu_idle, probe_idle),
	VTR_PROBE(cpu_frequency, probe_frequency),
};

VTR_SOURCE_DEFINE(power, power_probes)

/* ---- module: modules that are loaded and unloaded -------------------------- */

VTR_SOURCE_CATEGORY(module);

static void probe_load(void *unused, struct module *module)
{
	vitrine_trace_instant(module, "load",
			      VITRINE_ARG("module", module->name));
}

static void probe_free(void *unused, struct module *module)
{
	vitrine_trace_instant(module, "free",
			      VITRINE_ARG("module", module->name));
}

static struct vtr_probe module_probes[] = {
	VTR_PROBE(module_load, probe_load),
	VTR_PROBE(module_free, probe_free),
};

VTR_SOURCE_DEFINE(module, module_probes)

/*
 * ---- printk: messages of the kernel, as log records -------------------------
 *
 * Messages come from any context. A writer prints nothing itself, so there is no recursion.
 */

VTR_SOURCE_CATEGORY(printk);

static const struct vitrine_site message_site = {
	VTR_SITE(printk, VITRINE_RECORD_LOG, NULL),
};

static notrace void probe_console(void *unused, const char *text, size_t len_bytes)
{
	if (len_bytes && text[len_bytes - 1] == '\n')
		len_bytes--;
	vtr_prepared_write_log(&message_site, text, len_bytes);
}

static struct vtr_probe printk_probes[] = {
	VTR_PROBE(console, probe_console),
};

VTR_SOURCE_DEFINE(printk, printk_probes)

/* ---- all sources ----------------------------------------------------------- */

static struct vtr_source * const sources[] = { VITRINE_SOURCES(VTR_SOURCE_ADDRESS) };

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
	int cpu;

	if (!on) {
		vtr_probe_unregister(source->probes, source->nr_probes);
		return 0;
	}
	if (source->begun)
		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(source->begun, cpu), 0,
			       source->begun_bytes);
	return vtr_probe_register(source->probes, source->nr_probes);
}

/**
 * vtr_source_record_missing() - record in a tree which events this kernel does not have
 * @events: node to record them in
 *
 * Context: task; may sleep. After vtr_source_init().
 */
void vtr_source_record_missing(struct vitrine_node *events)
{
	const struct vtr_source *source;
	unsigned int i, k;
	char name[64];

	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		source = sources[i];
		if (!source->nr_found) {
			vitrine_record_string(events, source->category->name,
					      "this kernel has no tracepoint for it");
			continue;
		}
		for (k = 0; k < source->nr_probes; k++) {
			if (source->probes[k].tracepoint)
				continue;
			snprintf(name, sizeof(name), "%s:%s", source->category->name,
				 source->probes[k].name);
			vitrine_record_string(events, name,
					      "this kernel has no such tracepoint");
		}
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
	struct vtr_source *source;
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		source = sources[i];
		source->nr_found = vtr_probe_find(source->probes, source->nr_probes);
		source->category->takes_args = source->takes_args;
		err = vitrine_category_register(source->category);
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
