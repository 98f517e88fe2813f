// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupt the running threads at a fixed rate.
 *
 * Each CPU has a timer. A timer that finds its CPU idle, or not recording, is not started
 * again until a thread is switched in or recording begins, so an idle CPU is woken up once and
 * then left alone.
 * Timers expire at multiples of the period, never one period after something happened: a
 * thread that always runs for less than a period is then sampled as often as others, for the
 * time that it runs. Where a sample takes longer than half a period, the next ones are left
 * out, so that threads keep at least half of the CPU. A timer cannot interrupt code that has
 * disabled interrupts; such code is sampled where it enables them.
 *
 * Concurrency: vtr_sample_start() and vtr_sample_stop() are serialised by the caller. The
 * timer of a CPU and vtr_sample_asleep are accessed on that CPU only, with interrupts off.
 * A CPU that goes offline cancels its timer before, so that it does not migrate.
 */
#include <linux/cleanup.h>
#include <linux/cpuhotplug.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/time64.h>
#include <asm/irq_regs.h>

#include "compat.h"
#include "waits.h"

DEFINE_STATIC_KEY_FALSE(vtr_sample_armed);
DEFINE_PER_CPU(bool, vtr_sample_asleep);

static DEFINE_PER_CPU(struct hrtimer, timer_here);

/* Constant while a timer may expire. */
static ktime_t period;
static vtr_sample_fn take;

static enum cpuhp_state hotplug_state;

static enum hrtimer_restart expire(struct hrtimer *timer)
{
	struct pt_regs *regs = get_irq_regs();
	ktime_t begin, end;

	if (vtr_writer_is_idle(current) ||
	    this_cpu_read(vtr_writer_ring) == &vtr_writer_none) {
		this_cpu_write(vtr_sample_asleep, true);
		return HRTIMER_NORESTART;
	}
	begin = ktime_get();
	if (regs)
		take(regs);
	end = ktime_get();
	/* Leave the thread at least as much time as the sample took. */
	hrtimer_forward(timer, ktime_add(end, ktime_sub(end, begin)), period);
	return HRTIMER_RESTART;
}

/**
 * vtr_sample_wake() - start the timer of this CPU again
 *
 * Context: interrupts off. In sched_switch, after the switch was recorded: the run queue is
 *	locked, as where the scheduler starts its own timers.
 */
void vtr_sample_wake(void)
{
	struct hrtimer *timer = this_cpu_ptr(&timer_here);

	this_cpu_write(vtr_sample_asleep, false);
	hrtimer_forward_now(timer, period);
	hrtimer_start_expires(timer, HRTIMER_MODE_ABS_PINNED_HARD);
}

/* Whatever runs next may do so for long without a switch, so the timer is started here. */
static int come_online(unsigned int cpu)
{
	guard(irqsave)();
	hrtimer_setup(this_cpu_ptr(&timer_here), expire, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_HARD);
	vtr_sample_wake();
	return 0;
}

/* With interrupts off, neither the timer nor a switch of this CPU can intervene. */
static int go_offline(unsigned int cpu)
{
	guard(irqsave)();
	this_cpu_write(vtr_sample_asleep, false);
	hrtimer_cancel(this_cpu_ptr(&timer_here));
	return 0;
}

/**
 * vtr_sample_start() - begin to interrupt the running threads
 * @hz: how often a second, at least 1
 * @sample: called for each thread, except for idle threads
 *
 * Context: task; may sleep. The caller serialises; not started yet.
 * Return: 0, or the error of cpuhp_setup_state().
 */
int vtr_sample_start(unsigned int hz, vtr_sample_fn sample)
{
	int err;

	period = ns_to_ktime(NSEC_PER_SEC / hz);
	take = sample;
	/* First, so that no switch is missed after which a timer is to be started again. */
	static_branch_enable(&vtr_sample_armed);
	static_branch_inc(&vtr_switch_watched);
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "vitrine:sample", come_online,
				go_offline);
	if (err < 0) {
		static_branch_dec(&vtr_switch_watched);
		static_branch_disable(&vtr_sample_armed);
		return err;
	}
	hotplug_state = err;
	return 0;
}

/**
 * vtr_sample_stop() - undo vtr_sample_start()
 *
 * No call is in progress on return.
 *
 * Context: task; may sleep. The caller serialises.
 */
void vtr_sample_stop(void)
{
	static_branch_dec(&vtr_switch_watched);
	static_branch_disable(&vtr_sample_armed);
	cpuhp_remove_state(hotplug_state);
}
