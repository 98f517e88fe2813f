/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the Linux kernel's words, as its tracepoints say them to any tracer, are said
 * in a Fuchsia trace.
 */
#ifndef _VITRINE_CONVERT_KERNEL_WORDS_H
#define _VITRINE_CONVERT_KERNEL_WORDS_H

#include <stdint.h>

/*
 * A thread, of process 0, that events in idle belong to, as the recorder has it: one
 * for each CPU, or what happens in them would be mixed up.
 */
#define KERNEL_IDLE_EVENTS(cpu)		(0x40000000ULL + (cpu))

/* Softirqs, by their vector, and what the module calls each. */
#define KERNEL_SOFTIRQS	10
extern const char * const kernel_softirqs[KERNEL_SOFTIRQS];

unsigned int kernel_priority(int64_t tid, int64_t prio);
unsigned int kernel_state(int64_t state);
const char *kernel_softirq(int64_t vector);

#endif /* _VITRINE_CONVERT_KERNEL_WORDS_H */
