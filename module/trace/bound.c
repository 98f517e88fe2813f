// SPDX-License-Identifier: GPL-2.0
/*
 * An upper bound of the scheduler's clock.
 *
 * The conversion makes each tick of the counter about a thousandth too long, so that the
 * bound runs ahead of the scheduler's clock and never falls behind it. If a wait is
 * long by the bound, the caller calls vtr_bound_sync(), which reads the scheduler's clock
 * and sets the bound to it.
 *
 * Concurrency: vtr_bound changes only while no switch is recorded. vtr_bound_ahead is
 * per CPU and accessed with interrupts off. As an exception, vtr_bound_forget() writes
 * it from any CPU: a value so large that the CPU soon calls vtr_bound_sync().
 */
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/sched/clock.h>
#include <linux/time64.h>

#include "bound.h"
#include "clock.h"

/* Makes every wait long by the bound; half of the largest s64. */
#define FAR_AHEAD_NS	(U64_MAX / 4)

struct vtr_bound vtr_bound;
DEFINE_PER_CPU(u64, vtr_bound_ahead);

/**
 * vtr_bound_sync() - read the scheduler's clock and set the bound to it
 * @now: ticks of the session's clock, just read
 *
 * Session clocks other than "counter" and "local" are slewed and may be slower than the
 * scheduler's clock. With these clocks the bound stays far ahead.
 *
 * Context: interrupts off.
 * Return: local_clock().
 */
u64 vtr_bound_sync(u64 now)
{
	u64 now_ns = local_clock();

	if (vtr_bound.clock == VITRINE_CLOCK_COUNTER ||
	    vtr_bound.clock == VITRINE_CLOCK_LOCAL)
		this_cpu_write(vtr_bound_ahead,
			       now_ns - mul_u64_u64_shr(now, vtr_bound.scale,
							32));
	return now_ns;
}

/**
 * vtr_bound_forget() - make each CPU read the scheduler's clock at its next check
 *
 * Context: any.
 */
void vtr_bound_forget(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu(vtr_bound_ahead, cpu), FAR_AHEAD_NS);
}

/**
 * vtr_bound_clock() - set the conversion from the clock of a new session
 * @clock: clock of the session
 *
 * Context: task, while no switch is recorded.
 */
void vtr_bound_clock(enum vitrine_clock clock)
{
	u64 scale = div64_u64((u64)NSEC_PER_SEC << 32, vtr_clock_rate(clock));

	if (clock == VITRINE_CLOCK_COUNTER)
		scale += scale >> 10;
	vtr_bound.clock = clock;
	vtr_bound.scale = scale;
	vtr_bound_forget();
}
