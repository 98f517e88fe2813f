// SPDX-License-Identifier: GPL-2.0
/*
 * Source "power": idle states and frequencies of the CPUs.
 *
 * Concurrency: as in event.c; nothing here is shared.
 */
#include <trace/events/power.h>

#include "event.h"
#include "source.h"

static int power_switched(bool on);
static DEFINE_VITRINE_CATEGORY_SWITCHED(power, power_switched);

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

static struct vtr_probe probes[] = {
	VTR_PROBE(cpu_idle, probe_idle),
	VTR_PROBE(cpu_frequency, probe_frequency),
};

struct vtr_source vtr_source_power = VTR_SOURCE(power, probes);

static int power_switched(bool on)
{
	return vtr_source_switch(&vtr_source_power, on);
}
