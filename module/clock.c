// SPDX-License-Identifier: GPL-2.0
/*
 * The clocks a session can use: names, rates, readings. Nothing here changes
 * after boot, so nothing is locked.
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

/* Whether the kernel's own clock counts the same ticks: it reads them in between. */
static bool counter_is_clocksource(void)
{
	u64 before = vtr_counter_ticks_ordered();
	u64 cycles = vtr_clocksource_cycles();
	u64 after = vtr_counter_ticks_ordered();

	return cycles - before <= after - before;
}

/**
 * vtr_clock_name() - what a clock is called in trace/clock
 * @clock: the clock
 *
 * Context: any.
 * Return: its name.
 */
const char *vtr_clock_name(enum vitrine_clock clock)
{
	return clock_names[clock];
}

/**
 * vtr_clock_find() - the clock of a name
 * @name: as from vtr_clock_name(); on x86, "tsc" is the counter, too
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
 * vtr_clock_usable() - whether this machine has a clock
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
 * vtr_clock_default() - the clock to use unless told otherwise
 *
 * The CPU's counter is by far the cheapest, and good where it ticks at a constant
 * rate, never stops and is what the kernel itself tells time by.
 *
 * Context: task.
 * Return: VITRINE_CLOCK_COUNTER or VITRINE_CLOCK_LOCAL.
 */
enum vitrine_clock vtr_clock_default(void)
{
	return vtr_counter_is_steady() && counter_is_clocksource() ?
	       VITRINE_CLOCK_COUNTER : VITRINE_CLOCK_LOCAL;
}

/**
 * vtr_clock_rate() - how fast a clock ticks
 * @clock: the clock
 *
 * Context: any.
 * Return: ticks per second, 0 if this machine has no such clock.
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
 * Context: any, with interrupts off if the reading must be this CPU's.
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
