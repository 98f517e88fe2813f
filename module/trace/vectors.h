/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes of the x86 interrupts that have a vector of their own: durations, each one
 * complete record, written at its end. None of them interrupts another.
 */
#ifndef _VTR_VECTORS_H
#define _VTR_VECTORS_H

#include <linux/percpu.h>
#include <asm/trace/irq_vectors.h>

#include "event.h"
#include "probe.h"

/* Define the probes of a category's vectors; @begun is a per-CPU u64. */
#define VTR_VECTOR_ENTRY(begun)						\
static notrace void probe_vector_entry(void *unused, int nr)		\
{									\
	this_cpu_write(begun, vtr_event_ticks());			\
}

#define VTR_VECTOR_EXIT(category, vector, begun)			\
static notrace void probe_##vector(void *unused, int nr)		\
{									\
	vitrine_trace_complete(category, #vector, this_cpu_read(begun),	\
			       VITRINE_ARG("vector", nr));		\
}

#define VTR_VECTOR_PROBES(vector)					\
	VTR_PROBE(vector##_entry, probe_vector_entry),			\
	VTR_PROBE(vector##_exit, probe_##vector)

#endif /* _VTR_VECTORS_H */
