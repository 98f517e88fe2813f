/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An upper bound of the scheduler's clock, computed from the session's clock, which the
 * probe has read already. A call of local_clock() takes longer than the rest of a probe.
 */
#ifndef _VITRINE_BOUND_H
#define _VITRINE_BOUND_H

#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <uapi/vitrine/map.h>

/**
 * struct vtr_bound - how the session's clock relates to the scheduler's
 * @scale: upper bound of the nanoseconds per tick, times 1 << 32
 * @clock: the session's clock
 */
struct vtr_bound {
	u64			scale;
	enum vitrine_clock	clock;
};

extern struct vtr_bound vtr_bound;

/* Scaled ticks plus this offset are equal to local_clock() or later. */
DECLARE_PER_CPU(u64, vtr_bound_ahead);

/**
 * vtr_bound_ns() - compute an upper bound of local_clock()
 * @now: ticks of the session's clock, just read
 *
 * The error grows until vtr_bound_sync() reads the scheduler's clock.
 *
 * Context: interrupts off. Hot.
 * Return: nanoseconds of the scheduler's clock.
 */
static __always_inline u64 vtr_bound_ns(u64 now)
{
	return mul_u64_u64_shr(now, vtr_bound.scale, 32) +
	       this_cpu_read(vtr_bound_ahead);
}

u64 vtr_bound_sync(u64 now);
void vtr_bound_clock(enum vitrine_clock clock);
void vtr_bound_forget(void);

#endif /* _VITRINE_BOUND_H */
