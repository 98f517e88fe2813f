/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clocks that a session can use. All CPUs of a session use the same clock.
 */
#ifndef _VTR_CLOCK_H
#define _VTR_CLOCK_H

#include <linux/types.h>

#include <uapi/vitrine/map.h>

#define VTR_NR_CLOCKS	4

/**
 * vtr_clock_choose() - choose the default clock
 * @steady: the counter ticks at a constant rate and never stops
 * @rate_known: the processor or the hypervisor reports the rate of the counter
 * @tells_time: the counter is the kernel's clock source
 *
 * The CPU's counter is by far the cheapest clock. It is good enough if its rate is known:
 * if the rate is reported, as in many virtual machines whose kernel uses a clock of the
 * hypervisor, or if it was measured precisely enough for the kernel.
 *
 * Context: any.
 * Return: VITRINE_CLOCK_COUNTER or VITRINE_CLOCK_LOCAL.
 */
static inline enum vitrine_clock vtr_clock_choose(bool steady, bool rate_known,
						  bool tells_time)
{
	return steady && (rate_known || tells_time) ? VITRINE_CLOCK_COUNTER :
						      VITRINE_CLOCK_LOCAL;
}

const char *vtr_clock_name(enum vitrine_clock clock);
int vtr_clock_find(const char *name);
bool vtr_clock_usable(enum vitrine_clock clock);
enum vitrine_clock vtr_clock_default(void);
u64 vtr_clock_rate(enum vitrine_clock clock);
u64 vtr_clock_ticks(enum vitrine_clock clock);

#endif /* _VTR_CLOCK_H */
