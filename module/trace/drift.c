// SPDX-License-Identifier: GPL-2.0
/*
 * Detect what makes a recording wrong from outside: the counter that is a session's clock was
 * set back or changed its rate, and ids of threads are used again.
 *
 * A virtual machine may migrate to a processor whose counter has another rate, and
 * the kernel may find that a counter is unstable. Timestamps would be wrong from then
 * on, so a new session begins with the clock "local". A counter that the user chose
 * although it is unstable is not watched.
 *
 * A counter that is set back, as hibernation and some firmware do, is good after that, and
 * so is one whose rate the kernel has measured again, which it does shortly after boot:
 * the new session has the same clock.
 *
 * A CPU forgets a thread that dies there. In the sub-buffers of other CPUs, a thread that gets
 * the same ids would have the name of the old one. Ids are assigned in ascending order, so
 * none is used again before the next one to be assigned is lower than before. From then on,
 * all CPUs record into new sub-buffers.
 *
 * Concurrency: the work item accesses the data in this file, and so does the probe, while no
 * other CPU is online.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/idr.h>
#include <linux/ktime.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <trace/events/power.h>

#include "bound.h"
#include "clock.h"
#include "counter.h"
#include "drift.h"
#include "probe.h"
#include "ring.h"
#include "session.h"

#define INTERVAL	(10 * HZ)

/* Number of the session that is watched, 0 if none is, and its last reading. */
static u32 watched;
static struct vtr_drift_reading last;

/* The counter when the machine was suspended, and the last freeze because it was set back. */
static u64 suspended_ticks;
static u32 set_back;

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

static void renew(const struct vtr_ring_config *config, u32 freeze,
		  enum vitrine_clock clock, const char *why)
{
	pr_warn("the counter of the CPU %s; a new session begins with clock=%s\n",
		why, vtr_clock_name(clock));
	vtr_session_renew(config->session, freeze, clock);
	watched = 0;
}

/* Check the counter against CLOCK_MONOTONIC; the kernel knows its rate, and if it is steady. */
static void check_counter(bool steady, u64 rate,
			  const struct vtr_drift_reading *now)
{
	u32 freeze = vtr_session_frozen();
	struct vtr_ring_config config;

	/* A new session would discard the rings that a trigger has frozen. */
	if (freeze && freeze != set_back)
		return;
	vtr_session_config(&config);
	if (freeze ||
	    (config.session == watched && now->ticks < last.ticks)) {
		renew(&config, freeze, config.clock,
		      "was set back, as happens when a machine is suspended");
		return;
	}
	if (config.clock != VITRINE_CLOCK_COUNTER ||
	    (!steady && config.session != watched)) {
		watched = 0;
		return;
	}
	if (config.session == watched && config.ticks_per_second != rate) {
		renew(&config, 0, VITRINE_CLOCK_COUNTER,
		      "was measured again by the kernel");
		return;
	}
	if (config.session == watched &&
	    (!steady || !vtr_drift_steady(&last, now, rate))) {
		renew(&config, 0, VITRINE_CLOCK_LOCAL,
		      "has changed its rate, as happens when a virtual machine is migrated");
		return;
	}
	watched = config.session;
	last = *now;
}

/* Check whether ids have been assigned from the lowest one on since the last call. */
static bool ids_have_wrapped(void)
{
	static unsigned int last_id;
	unsigned int id = idr_get_cursor(&init_pid_ns.idr);
	bool wrapped = id < last_id;

	last_id = id;
	return wrapped;
}

static void watch(struct work_struct *work);
static DECLARE_DELAYED_WORK(watch_work, watch);

static void watch(struct work_struct *work)
{
	struct vtr_drift_reading now;

	if (ids_have_wrapped())
		vtr_session_flush();
	if (read_clocks(&now))
		check_counter(vtr_counter_is_steady(), vtr_counter_rate(), &now);
	schedule_delayed_work(&watch_work, INTERVAL);
}

/*
 * Called immediately before the machine is suspended and after it is resumed, with
 * interrupts off on the only CPU that is online. (If all CPUs are merely idle meanwhile,
 * none of this holds, but the counter goes on.) If the counter was set back, the rings are
 * frozen before the first record with a time that is too early, until the work item begins
 * a new session.
 */
static void probe_suspend(void *unused, const char *action, int value, bool start)
{
	if (strcmp(action, "machine_suspend"))
		return;
	if (start) {
		suspended_ticks = vtr_counter_ticks_ordered();
		return;
	}
	vtr_bound_forget();
	if (READ_ONCE(watched) && vtr_counter_ticks_ordered() < suspended_ticks)
		set_back = vtr_session_freeze();
	cancel_delayed_work(&watch_work);
	schedule_delayed_work(&watch_work, 0);
}

static struct vtr_probe suspend = VTR_PROBE(suspend_resume, probe_suspend);

/**
 * vtr_drift_init() - begin to watch the counter and the ids of threads
 *
 * Context: task; a session exists.
 */
void vtr_drift_init(void)
{
	if (vtr_clock_usable(VITRINE_CLOCK_COUNTER)) {
		vtr_probe_find(&suspend, 1);
		vtr_probe_register(&suspend, 1);
	}
	schedule_delayed_work(&watch_work, 0);
}

/**
 * vtr_drift_deinit() - stop watching
 *
 * Context: task; may sleep.
 */
void vtr_drift_deinit(void)
{
	vtr_probe_unregister(&suspend, 1);
	cancel_delayed_work_sync(&watch_work);
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/drift_kunit.c"
#endif
