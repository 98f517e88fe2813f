// SPDX-License-Identifier: GPL-2.0
/*
 * Source "irq": interrupt handlers and softirqs, as durations on the thread
 * they interrupt; on x86 also the interrupt of the local timer, which has no handler.
 *
 * Each is one complete record, written at its end, because neither is ever switched out.
 * On PREEMPT_RT softirqs run in threads and can be switched out: their begins and ends are
 * separate records.
 *
 * Concurrency: as in event.c. The begin is per CPU: a CPU runs one interrupt handler,
 * and one softirq below it, at a time.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <trace/events/irq.h>

#include "event.h"
#include "source.h"
#ifdef CONFIG_X86_LOCAL_APIC
#include "vectors.h"
#endif

static int irq_switched(bool on);
static DEFINE_VITRINE_CATEGORY_SWITCHED(irq, irq_switched);

static DEFINE_PER_CPU(struct {
	u64	handler;
	u64	softirq;
	u64	vector;
}, begun);

static notrace void probe_irq_entry(void *unused, int irq,
				    struct irqaction *action)
{
	this_cpu_write(begun.handler, vtr_event_ticks());
}

static const struct vitrine_arg irq_args[] = {
	{ "irq", FXT_ARG_INT32 },
};

/* Arguments of a handler that did not handle the interrupt, which is a shared one. */
static const struct vitrine_arg unhandled_args[] = {
	{ "irq_unhandled", FXT_ARG_INT32 },
};

static const struct vitrine_site handled_site = {
	VTR_SITE(irq, VITRINE_RECORD_COMPLETE | VITRINE_RECORD_BEGAN |
		      VITRINE_RECORD_NAMED, NULL),
	.args = irq_args,
	.nr_args = ARRAY_SIZE(irq_args),
};

static const struct vitrine_site unhandled_site = {
	VTR_SITE(irq, VITRINE_RECORD_COMPLETE | VITRINE_RECORD_BEGAN |
		      VITRINE_RECORD_NAMED, NULL),
	.args = unhandled_args,
	.nr_args = ARRAY_SIZE(unhandled_args),
};

/* The name belongs to the driver that requested the interrupt, and may be freed with it. */
static notrace void probe_irq_exit(void *unused, int irq,
				   struct irqaction *action, int ret)
{
	vtr_event_write_named(ret == IRQ_HANDLED ? &handled_site : &unhandled_site,
			      action->name, this_cpu_read(begun.handler), irq);
}

#define SOFTIRQ_SITES(name)						\
	{								\
		.complete = {						\
			VTR_SITE(irq, VITRINE_RECORD_COMPLETE |		\
				      VITRINE_RECORD_BEGAN, "softirq " name), \
		},							\
		.begin = {						\
			VTR_SITE(irq, VITRINE_RECORD_BEGIN, "softirq " name), \
		},							\
		.end = {						\
			VTR_SITE(irq, VITRINE_RECORD_END, "softirq " name), \
		},							\
	}

static const struct {
	struct vitrine_site	complete;
	struct vitrine_site	begin;
	struct vitrine_site	end;
} softirqs[NR_SOFTIRQS] = {
	[HI_SOFTIRQ]		= SOFTIRQ_SITES("HI"),
	[TIMER_SOFTIRQ]		= SOFTIRQ_SITES("TIMER"),
	[NET_TX_SOFTIRQ]	= SOFTIRQ_SITES("NET_TX"),
	[NET_RX_SOFTIRQ]	= SOFTIRQ_SITES("NET_RX"),
	[BLOCK_SOFTIRQ]		= SOFTIRQ_SITES("BLOCK"),
	[IRQ_POLL_SOFTIRQ]	= SOFTIRQ_SITES("IRQ_POLL"),
	[TASKLET_SOFTIRQ]	= SOFTIRQ_SITES("TASKLET"),
	[SCHED_SOFTIRQ]		= SOFTIRQ_SITES("SCHED"),
	[HRTIMER_SOFTIRQ]	= SOFTIRQ_SITES("HRTIMER"),
	[RCU_SOFTIRQ]		= SOFTIRQ_SITES("RCU"),
};

static notrace void probe_softirq_entry(void *unused, unsigned int vec)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		this_cpu_write(begun.softirq, vtr_event_ticks());
	else if (vec < NR_SOFTIRQS)
		vitrine_trace_write0(&softirqs[vec].begin, 0);
}

static notrace void probe_softirq_exit(void *unused, unsigned int vec)
{
	if (vec >= NR_SOFTIRQS)
		return;
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		vitrine_trace_write0(&softirqs[vec].end, 0);
	else
		vitrine_trace_write0(&softirqs[vec].complete,
				     this_cpu_read(begun.softirq));
}

#ifdef CONFIG_X86_LOCAL_APIC
VTR_VECTOR_ENTRY(begun.vector)
VTR_VECTOR_EXIT(irq, local_timer, begun.vector)
#endif

static struct vtr_probe probes[] = {
	VTR_PROBE(irq_handler_entry, probe_irq_entry),
	VTR_PROBE(irq_handler_exit, probe_irq_exit),
	VTR_PROBE(softirq_entry, probe_softirq_entry),
	VTR_PROBE(softirq_exit, probe_softirq_exit),
#ifdef CONFIG_X86_LOCAL_APIC
	VTR_VECTOR_PROBES(local_timer),
#endif
};

struct vtr_source vtr_source_irq = VTR_SOURCE(irq, probes);

static int irq_switched(bool on)
{
	int cpu;

	/* Begins from the previous recording are invalid. */
	if (on)
		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(&begun, cpu), 0, sizeof(begun));
	return vtr_source_switch(&vtr_source_irq, on);
}
