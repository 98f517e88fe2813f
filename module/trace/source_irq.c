// SPDX-License-Identifier: GPL-2.0
/*
 * Sources "irq" and "ipi": interrupt handlers, softirqs and interrupts from other CPUs, as
 * durations on the thread they interrupt; on x86 also the interrupt of the local timer, which
 * has no handler.
 *
 * Each is one complete record, written at its end, because none is ever switched out.
 * On PREEMPT_RT softirqs run in threads and can be switched out: their begins and ends are
 * separate records. For interrupts from other CPUs, x86 has a tracepoint for each kind; arm
 * and arm64 have one, which passes the kind as an argument.
 *
 * Concurrency: as in event.c. The begin is per CPU: a CPU runs one interrupt handler,
 * and one softirq below it, at a time; interrupts from other CPUs do not interrupt each other.
 */
#include <linux/hardirq.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <trace/events/irq.h>
#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/trace/irq_vectors.h>
#elif defined(CONFIG_ARM) || defined(CONFIG_ARM64)
#include <trace/events/ipi.h>
#endif

#include "event.h"
#include "source.h"

VTR_SOURCE_CATEGORY(irq);
VTR_SOURCE_CATEGORY(ipi);

static DEFINE_PER_CPU(struct {
	u64	handler;
	u64	softirq;
	u64	vector;
}, begun);

static DEFINE_PER_CPU(u64, ipi_begun);

#ifdef CONFIG_X86_LOCAL_APIC
static const struct vitrine_arg vector_args[] = {
	{ "vector", FXT_ARG_INT32 },
};

/* The probes of an interrupt that has a vector of its own; the data of @exit is the site. */
#define VECTOR_PROBES(category, vector, entry, exit)			\
	VTR_PROBE(vector##_entry, entry),				\
	{ #vector "_exit", VTR_CHECKED_PROBE(vector##_exit, exit),	\
	  (void *)&(const struct vitrine_site){				\
		VTR_SITE(category, FXT_EVENT_DURATION_COMPLETE |	\
				   VITRINE_RECORD_BEGAN, #vector),	\
		VTR_SITE_ARGS(vector_args),				\
	} }
#endif

/* ---- irq ------------------------------------------------------------------- */

static notrace void probe_irq_entry(void *unused, int irq,
				    struct irqaction *action)
{
	this_cpu_write(begun.handler, vtr_event_ticks());
}

#define HANDLER_SITE(arg)						\
	{								\
		VTR_SITE(irq, FXT_EVENT_DURATION_COMPLETE |		\
			      VITRINE_RECORD_BEGAN |			\
			      VITRINE_RECORD_NAMED, NULL),		\
		.args = &(const struct vitrine_arg){ arg, FXT_ARG_INT32 }, \
		.nr_args = 1,						\
	}

static const struct vitrine_site handled_site = HANDLER_SITE("irq");

/* A handler that did not handle the interrupt, which is a shared one. */
static const struct vitrine_site unhandled_site = HANDLER_SITE("irq_unhandled");

/* The name belongs to the driver that requested the interrupt, and may be freed with it. */
static notrace void probe_irq_exit(void *unused, int irq,
				   struct irqaction *action, int ret)
{
	/* A driver may request an interrupt without a name. */
	const char *name = action->name ?: "";

	vtr_prepared_write_key(ret == IRQ_HANDLED ? &handled_site : &unhandled_site,
			       vtr_strings_key(name), name, this_cpu_read(begun.handler), irq);
}

/* The kernel lists its softirqs with these macros. */
#undef softirq_name
#undef softirq_name_end
#define softirq_name(name)						\
	[name##_SOFTIRQ] = {						\
		.begin = {						\
			VTR_SITE(irq, FXT_EVENT_DURATION_BEGIN, "softirq " #name), \
		},							\
		.end = {						\
			VTR_SITE(irq, SOFTIRQ_END, "softirq " #name),	\
		},							\
	},
#define softirq_name_end	softirq_name

#define SOFTIRQ_END							\
	(IS_ENABLED(CONFIG_PREEMPT_RT) ? FXT_EVENT_DURATION_END :	\
	 FXT_EVENT_DURATION_COMPLETE | VITRINE_RECORD_BEGAN)

static const struct {
	struct vitrine_site	begin;
	struct vitrine_site	end;
} softirqs[NR_SOFTIRQS] = { SOFTIRQ_NAME_LIST };

static notrace void probe_softirq_entry(void *unused, unsigned int vec)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		this_cpu_write(begun.softirq, vtr_event_ticks());
	else if (vec < NR_SOFTIRQS)
		vitrine_trace_write0(&softirqs[vec].begin, 0);
}

static notrace void probe_softirq_exit(void *unused, unsigned int vec)
{
	if (vec < NR_SOFTIRQS)
		vitrine_trace_write0(&softirqs[vec].end, this_cpu_read(begun.softirq));
}

#ifdef CONFIG_X86_LOCAL_APIC
static notrace void probe_vector_entry(void *unused, int nr)
{
	this_cpu_write(begun.vector, vtr_event_ticks());
}

static notrace void probe_vector_exit(void *site, int nr)
{
	vitrine_trace_write1(site, this_cpu_read(begun.vector), nr);
}
#endif

static struct vtr_probe irq_probes[] = {
	VTR_PROBE(irq_handler_entry, probe_irq_entry),
	VTR_PROBE(irq_handler_exit, probe_irq_exit),
	VTR_PROBE(softirq_entry, probe_softirq_entry),
	VTR_PROBE(softirq_exit, probe_softirq_exit),
#ifdef CONFIG_X86_LOCAL_APIC
	VECTOR_PROBES(irq, local_timer, probe_vector_entry, probe_vector_exit),
#endif
};

VTR_SOURCE_DEFINE(irq, irq_probes, .begun = &begun, .begun_bytes = sizeof(begun))

/* ---- ipi ------------------------------------------------------------------- */

#ifdef CONFIG_X86_LOCAL_APIC
static notrace void probe_ipi_entry(void *unused, int nr)
{
	this_cpu_write(ipi_begun, vtr_event_ticks());
}

static notrace void probe_ipi_exit(void *site, int nr)
{
	vitrine_trace_write1(site, this_cpu_read(ipi_begun), nr);
}

#define IPI_PROBES(vector)	VECTOR_PROBES(ipi, vector, probe_ipi_entry, probe_ipi_exit)

static struct vtr_probe ipi_probes[] = {
#ifdef CONFIG_SMP
	IPI_PROBES(reschedule),
	IPI_PROBES(call_function),
	IPI_PROBES(call_function_single),
#endif
#ifdef CONFIG_IRQ_WORK
	IPI_PROBES(irq_work),
#endif
	IPI_PROBES(x86_platform_ipi),
};
#elif defined(CONFIG_ARM) || defined(CONFIG_ARM64)
static const struct vitrine_site ipi_site = {
	VTR_SITE(ipi, FXT_EVENT_DURATION_COMPLETE | VITRINE_RECORD_BEGAN |
		      VITRINE_RECORD_NAMED, NULL),
};

/* An IPI in NMI context may interrupt another IPI, whose begin time must not change. */
static notrace void probe_ipi_entry(void *unused, const char *reason)
{
	if (!in_nmi())
		this_cpu_write(ipi_begun, vtr_event_ticks());
}

static notrace void probe_ipi_exit(void *unused, const char *reason)
{
	vtr_prepared_write_key(&ipi_site, vtr_strings_key(reason), reason,
			       this_cpu_read(ipi_begun), 0);
}

static struct vtr_probe ipi_probes[] = {
	VTR_PROBE(ipi_entry, probe_ipi_entry),
	VTR_PROBE(ipi_exit, probe_ipi_exit),
};
#else
static struct vtr_probe ipi_probes[] = {};
#endif

VTR_SOURCE_DEFINE(ipi, ipi_probes, .begun = &ipi_begun, .begun_bytes = sizeof(ipi_begun))
