// SPDX-License-Identifier: GPL-2.0
/*
 * Detect a change of rate of the counter that is a session's clock.
 *
 * A virtual machine may migrate to a processor whose counter has another rate, and
 * the kernel may find that a counter is unstable. Timestamps would be wrong from then
 * on, so a new session begins with the clock "local". A counter that the user chose
 * although it is unstable is not watched.
 *
 * Concurrency: only the work item accesses the data in this file.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "clock.h"
#include "counter.h"
#include "drift.h"
#include "session.h"

#define INTERVAL	(10 * HZ)

/* Number of the session that is watched, 0 if none is, and its last reading. */
static u32 watched;
static struct vtr_drift_reading last;

/* Read both clocks at nearly the same time. Return false if the readings were interrupted. */
static bool read_clocks(struct vtr_drift_reading *ret)
{
	u64 end;

	preempt_disable();
	ret->ticks = vtr_counter_ticks_ordered();
	ret->mono_ns = ktime_get_mono_fast_ns();
	end = vtr_counter_ticks_ordered();
	preempt_enable();
	ret->asleep_ns = ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_BOOT));
	return end - ret->ticks < vtr_counter_rate() / MSEC_PER_SEC;
}

/* Check the counter against CLOCK_MONOTONIC; @steady is what the kernel knows of it. */
static void check_counter(bool steady, const struct vtr_drift_reading *now)
{
	struct vtr_session_settings settings;
	u32 session = vtr_session_number();

	/* A new session would discard the rings that a trigger has frozen. */
	if (vtr_session_frozen())
		return;
	vtr_session_settings(&settings);
	if (settings.clock != VITRINE_CLOCK_COUNTER ||
	    (!steady && session != watched)) {
		watched = 0;
		return;
	}
	if (session == watched &&
	    (!steady || !vtr_drift_steady(&last, now, vtr_counter_rate()))) {
		pr_warn("the counter of the CPU has changed its rate, as happens when a virtual machine is migrated; a new session begins with clock=local\n");
		vtr_session_leave_counter(session);
		watched = 0;
		return;
	}
	watched = session;
	last = *now;
}

static void watch(struct work_struct *work);
static DECLARE_DELAYED_WORK(watch_work, watch);

static void watch(struct work_struct *work)
{
	struct vtr_drift_reading now;

	if (read_clocks(&now))
		check_counter(vtr_counter_is_steady(), &now);
	schedule_delayed_work(&watch_work, INTERVAL);
}

/**
 * vtr_drift_init() - begin to watch the counter
 *
 * Context: task; a session exists.
 */
void vtr_drift_init(void)
{
	if (vtr_clock_usable(VITRINE_CLOCK_COUNTER))
		schedule_delayed_work(&watch_work, 0);
}

/**
 * vtr_drift_deinit() - stop watching the counter
 *
 * Context: task; may sleep.
 */
void vtr_drift_deinit(void)
{
	cancel_delayed_work_sync(&watch_work);
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/drift_kunit.c"
#endif
