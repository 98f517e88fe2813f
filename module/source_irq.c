// SPDX-License-Identifier: GPL-2.0
/*
 * Source "irq": interrupt handlers and softirqs, as durations on the thread
 * they interrupt.
 *
 * Concurrency: as event.c has it; nothing here is shared.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <trace/events/irq.h>
#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/trace/irq_vectors.h>
#endif

#include "event.h"
#include "source.h"

static int irq_switched(bool on);
static DEFINE_VITRINE_CATEGORY_SWITCHED(irq, irq_switched);

/* The name belongs to who requested the interrupt, and may go with it. */
static void probe_irq_entry(void *unused, int irq, struct irqaction *action)
{
	VITRINE_TRACE(irq, VITRINE_RECORD_BEGIN | VITRINE_RECORD_NAME_VARIES,
		      action->name, 0, VITRINE_ARG("irq", irq));
}

static void probe_irq_exit(void *unused, int irq, struct irqaction *action,
			   int ret)
{
	VITRINE_TRACE(irq, VITRINE_RECORD_END | VITRINE_RECORD_NAME_VARIES,
		      action->name, 0,
		      VITRINE_ARG("handled", ret == IRQ_HANDLED));
}

static const char *vector_name(unsigned int vec)
{
	static const char * const names[NR_SOFTIRQS] = {
		[HI_SOFTIRQ]		= "softirq HI",
		[TIMER_SOFTIRQ]		= "softirq TIMER",
		[NET_TX_SOFTIRQ]	= "softirq NET_TX",
		[NET_RX_SOFTIRQ]	= "softirq NET_RX",
		[BLOCK_SOFTIRQ]		= "softirq BLOCK",
		[IRQ_POLL_SOFTIRQ]	= "softirq IRQ_POLL",
		[TASKLET_SOFTIRQ]	= "softirq TASKLET",
		[SCHED_SOFTIRQ]		= "softirq SCHED",
		[HRTIMER_SOFTIRQ]	= "softirq HRTIMER",
		[RCU_SOFTIRQ]		= "softirq RCU",
	};

	return vec < NR_SOFTIRQS ? names[vec] : "softirq";
}

static void probe_softirq_entry(void *unused, unsigned int vec)
{
	VITRINE_TRACE(irq, VITRINE_RECORD_BEGIN, vector_name(vec), 0);
}

static void probe_softirq_exit(void *unused, unsigned int vec)
{
	VITRINE_TRACE(irq, VITRINE_RECORD_END, vector_name(vec), 0);
}

#ifdef CONFIG_X86_LOCAL_APIC
#define VECTOR_PROBES(vector)						\
static void probe_##vector##_entry(void *unused, int nr)		\
{									\
	vitrine_trace_begin(irq, #vector, VITRINE_ARG("vector", nr));	\
}									\
									\
static void probe_##vector##_exit(void *unused, int nr)			\
{									\
	vitrine_trace_end(irq, #vector);				\
}

VECTOR_PROBES(local_timer)
VECTOR_PROBES(reschedule)
VECTOR_PROBES(call_function)
VECTOR_PROBES(call_function_single)

#define VECTOR(vector)							\
	VTR_PROBE(vector##_entry, probe_##vector##_entry),		\
	VTR_PROBE(vector##_exit, probe_##vector##_exit)
#endif

static struct vtr_probe probes[] = {
	VTR_PROBE(irq_handler_entry, probe_irq_entry),
	VTR_PROBE(irq_handler_exit, probe_irq_exit),
	VTR_PROBE(softirq_entry, probe_softirq_entry),
	VTR_PROBE(softirq_exit, probe_softirq_exit),
#ifdef CONFIG_X86_LOCAL_APIC
	VECTOR(local_timer),
	VECTOR(reschedule),
	VECTOR(call_function),
	VECTOR(call_function_single),
#endif
};

struct vtr_source vtr_source_irq = VTR_SOURCE(irq, probes);

static int irq_switched(bool on)
{
	return vtr_source_switch(&vtr_source_irq, on);
}
