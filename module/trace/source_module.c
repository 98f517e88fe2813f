// SPDX-License-Identifier: GPL-2.0
/*
 * Source "module": modules that are loaded and unloaded.
 *
 * Concurrency: as in event.c; nothing here is shared.
 */
#include <linux/module.h>
#include <trace/events/module.h>

#include "event.h"
#include "source.h"

static int module_switched(bool on);
static DEFINE_VITRINE_CATEGORY_SWITCHED(module, module_switched);

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

static struct vtr_probe probes[] = {
	VTR_PROBE(module_load, probe_load),
	VTR_PROBE(module_free, probe_free),
};

struct vtr_source vtr_source_module = VTR_SOURCE(module, probes);

static int module_switched(bool on)
{
	return vtr_source_switch(&vtr_source_module, on);
}
