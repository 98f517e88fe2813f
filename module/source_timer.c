// SPDX-License-Identifier: GPL-2.0
/*
 * Source "timer": timers that expire, as durations of their functions.
 *
 * Concurrency: as event.c has it; nothing here is shared.
 */
#include <linux/hrtimer.h>
#include <linux/timer.h>
#include <trace/events/timer.h>

#include "compat.h"
#include "event.h"
#include "source.h"

static int timer_switched(bool on);
static DEFINE_VITRINE_CATEGORY_SWITCHED(timer, timer_switched);

static void probe_timer_entry(void *unused, struct timer_list *timer,
			      unsigned long base)
{
	vitrine_trace_begin(timer, "timer",
			    VTR_ARG_SYMBOL("function", timer->function));
}

static void probe_timer_exit(void *unused, struct timer_list *timer)
{
	vitrine_trace_end(timer, "timer");
}

static void probe_hrtimer_entry(void *unused, struct hrtimer *timer,
				VTR_HRTIMER_NOW now)
{
	vitrine_trace_begin(timer, "hrtimer",
			    VTR_ARG_SYMBOL("function", timer->function));
}

static void probe_hrtimer_exit(void *unused, struct hrtimer *timer)
{
	vitrine_trace_end(timer, "hrtimer");
}

static struct vtr_probe probes[] = {
	VTR_PROBE(timer_expire_entry, probe_timer_entry),
	VTR_PROBE(timer_expire_exit, probe_timer_exit),
	VTR_PROBE(hrtimer_expire_entry, probe_hrtimer_entry),
	VTR_PROBE(hrtimer_expire_exit, probe_hrtimer_exit),
};

struct vtr_source vtr_source_timer = VTR_SOURCE(timer, probes);

static int timer_switched(bool on)
{
	return vtr_source_switch(&vtr_source_timer, on);
}
