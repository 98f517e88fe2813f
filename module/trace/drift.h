/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Check the counter that is a session's clock against CLOCK_MONOTONIC.
 *
 * CLOCK_MONOTONIC is slewed by at most 500 ppm, and a rate reported by a hypervisor may
 * deviate by somewhat more.
 */
#ifndef _VTR_DRIFT_H
#define _VTR_DRIFT_H

#include <linux/math64.h>
#include <linux/types.h>

/* Tolerated deviation: a constant, and a fraction of the elapsed time. */
#define VTR_DRIFT_NS	2000000
#define VTR_DRIFT_PART	500

/**
 * struct vtr_drift_reading - clocks, read at the same time
 * @ticks: the counter
 * @mono_ns: CLOCK_MONOTONIC
 * @asleep_ns: time for which the machine has been suspended since boot
 */
struct vtr_drift_reading {
	u64	ticks;
	u64	mono_ns;
	u64	asleep_ns;
};

/**
 * vtr_drift_steady() - check whether a counter has kept its rate
 * @then: a reading
 * @now: a later reading, whose ticks are not fewer
 * @rate: ticks per second, greater than 0
 *
 * While the machine is suspended, CLOCK_MONOTONIC stops; the counter may stop, too.
 *
 * Context: any.
 * Return: false if the counter was set forwards or ticked at another rate.
 */
static inline bool vtr_drift_steady(const struct vtr_drift_reading *then,
				    const struct vtr_drift_reading *now,
				    u64 rate)
{
	u64 wanted_ns = now->mono_ns - then->mono_ns, seconds, ns, part;

	if (now->asleep_ns != then->asleep_ns)
		return true;
	seconds = div64_u64_rem(now->ticks - then->ticks, rate, &part);
	/* No overflow below 2^34 Hz and 2^33 seconds. */
	ns = seconds * 1000000000 + div64_u64(part * 1000000000, rate);
	return (ns > wanted_ns ? ns - wanted_ns : wanted_ns - ns) <=
	       VTR_DRIFT_NS + wanted_ns / VTR_DRIFT_PART;
}

void vtr_drift_init(void);
void vtr_drift_deinit(void);

#endif /* _VTR_DRIFT_H */
