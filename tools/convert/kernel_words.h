/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conversion of values in the Linux kernel's tracepoints, which all tracers record, to those
 * of a Fuchsia trace.
 */
#ifndef _VITRINE_CONVERT_KERNEL_WORDS_H
#define _VITRINE_CONVERT_KERNEL_WORDS_H

#include <stdbool.h>
#include <stdint.h>

struct vitrine_fxt_string;

/*
 * Thread, in process 0, to which events in the idle task of a CPU belong, as in traces that
 * vitrine records. Each CPU has its own, so that events of different CPUs are not mixed up.
 */
#define KERNEL_IDLE_EVENTS(cpu)		(0x40000000ULL + (cpu))

/* Names of softirqs by vector, as the module records them. */
#define KERNEL_SOFTIRQS	10
extern const char * const kernel_softirqs[KERNEL_SOFTIRQS];

unsigned int kernel_priority(int64_t tid, int64_t prio);
unsigned int kernel_state(int64_t state);
const char *kernel_softirq(int64_t vector);
bool kernel_is_ipi(const struct vitrine_fxt_string *name);
const char *kernel_vector_category(const struct vitrine_fxt_string *name);
bool kernel_skip_prefix(const char *name, const char *prefix, const char **ret);

#endif /* _VITRINE_CONVERT_KERNEL_WORDS_H */
