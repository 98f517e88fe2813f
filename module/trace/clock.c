// SPDX-License-Identifier: GPL-2.0
/*
 * The clocks that a session can use: names, rates, readings.
 *
 * Concurrency: none; nothing here changes after boot.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/sched/clock.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "compat.h"
#include "clock.h"

/* The names of clocks in trace/clock. */
const char * const vtr_clock_names[VTR_NR_CLOCKS] = {
	[VITRINE_CLOCK_LOCAL]	= "local",
	[VITRINE_CLOCK_COUNTER]	= "counter",
	[VITRINE_CLOCK_MONO]	= "mono",
	[VITRINE_CLOCK_BOOT]	= "boot",
};

/* Check whether the kernel's clock source is the counter: its value is between two readings. */
static bool counter_is_clocksource(void)
{
	u64 before = vtr_counter_ticks_ordered();
	u64 cycles = vtr_clocksource_cycles();
	u64 after = vtr_counter_ticks_ordered();

	return cycles - before <= after - before;
}

/**
 * vtr_clock_find() - look up a clock by name
 * @name: one of vtr_clock_names[]; on x86 "tsc" is the counter, too
 *
 * Context: any.
 * Return: enum vitrine_clock, or -EINVAL if no usable clock has that name.
 */
int vtr_clock_find(const char *name)
{
	int clock;

	if (IS_ENABLED(CONFIG_X86) && !strcmp(name, "tsc"))
		name = vtr_clock_names[VITRINE_CLOCK_COUNTER];
	clock = match_string(vtr_clock_names, VTR_NR_CLOCKS, name);
	return clock >= 0 && vtr_clock_rate(clock) ? clock : -EINVAL;
}

/**
 * vtr_clock_default() - return the default clock of this machine
 *
 * Context: task.
 * Return: as vtr_clock_choose().
 */
enum vitrine_clock vtr_clock_default(void)
{
	return vtr_clock_choose(vtr_counter_is_steady(),
				vtr_counter_rate_is_known(),
				counter_is_clocksource());
}

/**
 * vtr_clock_rate() - return the rate of a clock
 * @clock: the clock
 *
 * Context: any.
 * Return: ticks per second, 0 if this machine does not have the clock.
 */
u64 vtr_clock_rate(enum vitrine_clock clock)
{
	return clock == VITRINE_CLOCK_COUNTER ? vtr_counter_rate() :
						NSEC_PER_SEC;
}

/**
 * vtr_clock_ticks() - read a clock
 * @clock: a usable clock
 *
 * Context: any; with interrupts off if the clock of this CPU must be read.
 * Return: ticks.
 */
u64 vtr_clock_ticks(enum vitrine_clock clock)
{
	switch (clock) {
	case VITRINE_CLOCK_COUNTER:
		return vtr_counter_ticks();
	case VITRINE_CLOCK_MONO:
		return ktime_get_mono_fast_ns();
	case VITRINE_CLOCK_BOOT:
		return ktime_get_boot_fast_ns();
	default:
		return local_clock();
	}
}

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
