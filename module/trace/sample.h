/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupt the running threads at a fixed rate, for stacks.c. sample.c explains the method
 * and the locking rules.
 */
#ifndef _VTR_SAMPLE_H
#define _VTR_SAMPLE_H

#include <linux/jump_label.h>

#include "writer.h"

struct pt_regs;

/* Called in the interrupt of a timer, with the registers of the running thread. */
typedef void (*vtr_sample_fn)(struct pt_regs *regs);

/* Threads are sampled. */
DECLARE_STATIC_KEY_FALSE(vtr_sample_armed);

/* The timer of this CPU waits for vtr_sample_wake(). */
DECLARE_PER_CPU(bool, vtr_sample_asleep);

/**
 * vtr_sample_is_due() - check whether the timer of this CPU has to be started again
 * @next: incoming thread, or the current one
 *
 * Context: interrupts off. Hot.
 * Return: true if vtr_sample_wake() is to be called.
 */
static __always_inline bool vtr_sample_is_due(const struct task_struct *next)
{
	return static_branch_unlikely(&vtr_sample_armed) &&
	       this_cpu_read(vtr_sample_asleep) && !vtr_writer_is_idle(next);
}

void vtr_sample_wake(void);
int vtr_sample_start(unsigned int hz, vtr_sample_fn sample);
void vtr_sample_stop(void);

#endif /* _VTR_SAMPLE_H */
