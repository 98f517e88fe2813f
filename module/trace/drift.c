// SPDX-License-Identifier: GPL-2.0
/*
 * Detect that the counter that is a session's clock was set back or changed its rate.
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
 * While nothing is recorded, no timer runs. What has changed meanwhile is found when recording
 * begins.
 *
 * Concurrency: the work item accesses the data below, and so does the probe, while no
 * other CPU is online.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cleanup.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/workqueue.h>
#include <trace/events/power.h>

#include "compat.h"
#include "clock.h"
#include "probe.h"
#include "ring.h"
#include "session.h"

/* Tolerated deviation: a constant, and a fraction of the elapsed time. */
#define DRIFT_NS	2000000
#define DRIFT_PART	500

/**
 * struct drift_reading - clocks, read at the same time
 * @ticks: the counter
 * @mono_ns: CLOCK_MONOTONIC
 * @asleep_ns: time for which the machine has been suspended since boot
 */
struct drift_reading {
	u64	ticks;
	u64	mono_ns;
	u64	asleep_ns;
};

/**
 * drift_steady() - check whether a counter has kept its rate
 * @then: a reading
 * @now: a later reading, whose ticks are not fewer
 * @rate: ticks per second, greater than 0
 *
 * While the machine is suspended, CLOCK_MONOTONIC stops; the counter may stop, too.
 *
 * Context: any.
 * Return: false if the counter was set forwards or ticked at another rate.
 */
static bool drift_steady(const struct drift_reading *then,
			 const struct drift_reading *now, u64 rate)
{
	u64 wanted_ns = now->mono_ns - then->mono_ns, seconds, ns, part;

	if (now->asleep_ns != then->asleep_ns)
		return true;
	seconds = div64_u64_rem(now->ticks - then->ticks, rate, &part);
	/* No overflow below 2^34 Hz and 2^33 seconds. */
	ns = seconds * 1000000000 + div64_u64(part * 1000000000, rate);
	return (ns > wanted_ns ? ns - wanted_ns : wanted_ns - ns) <=
	       DRIFT_NS + wanted_ns / DRIFT_PART;
}

#define INTERVAL	(10 * HZ)

/* Number of the session that is watched, 0 if none is, and its last reading. */
static u32 watched;
static struct drift_reading last;

/* The counter when the machine was suspended, and the last freeze because it was set back. */
static u64 suspended_ticks;
static u32 set_back;

/* Read both clocks at nearly the same time. Return false if the readings were interrupted. */
static bool read_clocks(struct drift_reading *ret)
{
	u64 end;

	scoped_guard(preempt) {
		ret->ticks = vtr_counter_ticks_ordered();
		ret->mono_ns = ktime_get_mono_fast_ns();
		end = vtr_counter_ticks_ordered();
	}
	ret->asleep_ns = ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_BOOT));
	return end - ret->ticks < vtr_counter_rate() / MSEC_PER_SEC;
}

/* Replace the session @old, whose clock was wrong. If that fails, the next check tries again. */
static void renew(const struct vtr_ring_config *old, u32 freeze, enum vitrine_clock clock,
		  const char *why)
{
	int err = vtr_session_renew(old->session, freeze, clock);

	if (err && err != -ESTALE) {
		pr_warn("the counter of the CPU %s, but a new session failed with error %d: the times of new records are wrong\n",
			why, err);
		return;
	}
	if (!err)
		pr_warn("the counter of the CPU %s; a new session begins with clock=%s\n",
			why, vtr_clock_names[clock]);
	watched = 0;
}

/* Check the counter against CLOCK_MONOTONIC; the kernel knows its rate, and if it is steady. */
static void check_counter(bool steady, u64 rate,
			  const struct drift_reading *now)
{
	u32 freeze = vtr_session_frozen();
	struct vtr_ring_config config;
	bool is_watched;

	/* A new session would discard the rings that a trigger has frozen. */
	if (freeze && freeze != set_back)
		return;
	vtr_session_config(&config);
	is_watched = config.session == watched;
	if (freeze || (is_watched && now->ticks < last.ticks)) {
		renew(&config, freeze, config.clock,
		      "was set back, as happens when a machine is suspended");
	} else if (config.clock != VITRINE_CLOCK_COUNTER || (!steady && !is_watched)) {
		watched = 0;
	} else if (is_watched && config.ticks_per_second != rate) {
		renew(&config, 0, VITRINE_CLOCK_COUNTER,
		      "was measured again by the kernel");
	} else if (is_watched && (!steady || !drift_steady(&last, now, rate))) {
		renew(&config, 0, VITRINE_CLOCK_LOCAL,
		      "has changed its rate, as happens when a virtual machine is migrated");
	} else {
		watched = config.session;
		last = *now;
	}
}

static void watch(struct work_struct *work);
static DECLARE_DELAYED_WORK(watch_work, watch);

static void watch(struct work_struct *work)
{
	struct drift_reading now;

	if (read_clocks(&now))
		check_counter(vtr_counter_is_steady(), vtr_counter_rate(), &now);
	if (vtr_session_enabled())
		schedule_delayed_work(&watch_work, INTERVAL);
}

/**
 * vtr_drift_watch() - check the counter now, and regularly while recording is on
 *
 * To be called after recording was switched on.
 *
 * Context: any.
 */
void vtr_drift_watch(void)
{
	schedule_delayed_work(&watch_work, 0);
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
 * vtr_drift_init() - be told when the machine is suspended
 *
 * A kernel may not be able to suspend.
 *
 * Context: task; may sleep.
 * Return: 0, or the error of the tracepoint.
 */
int vtr_drift_init(void)
{
	if (!vtr_clock_rate(VITRINE_CLOCK_COUNTER) || !vtr_probe_find(&suspend, 1))
		return 0;
	return vtr_probe_register(&suspend, 1);
}

/**
 * vtr_drift_deinit() - undo vtr_drift_init()
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
