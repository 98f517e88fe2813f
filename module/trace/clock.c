// SPDX-License-Identifier: GPL-2.0
/*
 * The clocks that a session can use: names, rates, readings.
 *
 * Concurrency: none; nothing here changes after boot.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/sched/clock.h>
#include <linux/string.h>

#include "clock.h"
#include "compat.h"
#include "counter.h"

static const char * const clock_names[VTR_NR_CLOCKS] = {
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
 * vtr_clock_name() - return the name of a clock in trace/clock
 * @clock: the clock
 *
 * Context: any.
 * Return: the name.
 */
const char *vtr_clock_name(enum vitrine_clock clock)
{
	return clock_names[clock];
}

/**
 * vtr_clock_find() - look up a clock by name
 * @name: a name as returned by vtr_clock_name(); on x86 "tsc" is the counter, too
 *
 * Context: any.
 * Return: enum vitrine_clock, or -EINVAL if no usable clock has that name.
 */
int vtr_clock_find(const char *name)
{
	unsigned int clock;

	if (IS_ENABLED(CONFIG_X86) && !strcmp(name, "tsc"))
		name = clock_names[VITRINE_CLOCK_COUNTER];
	for (clock = 0; clock < VTR_NR_CLOCKS; clock++)
		if (!strcmp(name, clock_names[clock]))
			return vtr_clock_usable(clock) ? clock : -EINVAL;
	return -EINVAL;
}

/**
 * vtr_clock_usable() - check whether this machine has a clock
 * @clock: the clock
 *
 * Context: any.
 * Return: true if a session can use it.
 */
bool vtr_clock_usable(enum vitrine_clock clock)
{
	return vtr_clock_rate(clock);
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
