// SPDX-License-Identifier: GPL-2.0
/*
 * Source "ipi": interrupts from other CPUs, as durations on the thread they interrupt.
 *
 * Each is one complete record, written at its end: such an interrupt is never switched
 * out, and does not interrupt another one. x86 has a tracepoint for each kind; arm and
 * arm64 have one, which passes the kind as an argument.
 *
 * Concurrency: as in event.c. The begin time of the current interrupt is a per-CPU
 * variable.
 */
#include <linux/hardirq.h>
#include <linux/percpu.h>
#ifdef CONFIG_X86_LOCAL_APIC
#include "vectors.h"
#elif defined(CONFIG_ARM) || defined(CONFIG_ARM64)
#include <trace/events/ipi.h>
#endif

#include "event.h"
#include "source.h"

static int ipi_switched(bool on);
static DEFINE_VITRINE_CATEGORY_SWITCHED(ipi, ipi_switched);

static DEFINE_PER_CPU(u64, ipi_begun);

#ifdef CONFIG_X86_LOCAL_APIC
VTR_VECTOR_ENTRY(ipi_begun)
#ifdef CONFIG_SMP
VTR_VECTOR_EXIT(ipi, reschedule, ipi_begun)
VTR_VECTOR_EXIT(ipi, call_function, ipi_begun)
VTR_VECTOR_EXIT(ipi, call_function_single, ipi_begun)
#endif
#ifdef CONFIG_IRQ_WORK
VTR_VECTOR_EXIT(ipi, irq_work, ipi_begun)
#endif
VTR_VECTOR_EXIT(ipi, x86_platform_ipi, ipi_begun)

static struct vtr_probe probes[] = {
#ifdef CONFIG_SMP
	VTR_VECTOR_PROBES(reschedule),
	VTR_VECTOR_PROBES(call_function),
	VTR_VECTOR_PROBES(call_function_single),
#endif
#ifdef CONFIG_IRQ_WORK
	VTR_VECTOR_PROBES(irq_work),
#endif
	VTR_VECTOR_PROBES(x86_platform_ipi),
};
#elif defined(CONFIG_ARM) || defined(CONFIG_ARM64)
static const struct vitrine_site ipi_site = {
	VTR_SITE(ipi, VITRINE_RECORD_COMPLETE | VITRINE_RECORD_BEGAN |
		      VITRINE_RECORD_NAMED, NULL),
};

/* An IPI in NMI context may interrupt another IPI, whose begin time must not change. */
static notrace void probe_entry(void *unused, const char *reason)
{
	if (!in_nmi())
		this_cpu_write(ipi_begun, vtr_event_ticks());
}

static notrace void probe_exit(void *unused, const char *reason)
{
	vtr_event_write_named0(&ipi_site, reason, this_cpu_read(ipi_begun));
}

static struct vtr_probe probes[] = {
	VTR_PROBE(ipi_entry, probe_entry),
	VTR_PROBE(ipi_exit, probe_exit),
};
#else
#pragma message "the source \"ipi\" has no events: this architecture has no tracepoints for them"

static struct vtr_probe probes[] = {};
#endif

struct vtr_source vtr_source_ipi = VTR_SOURCE(ipi, probes);

static int ipi_switched(bool on)
{
	int cpu;

	/* Begins from the previous recording are invalid. */
	if (on)
		for_each_possible_cpu(cpu)
			per_cpu(ipi_begun, cpu) = 0;
	return vtr_source_switch(&vtr_source_ipi, on);
}
