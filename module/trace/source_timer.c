// SPDX-License-Identifier: GPL-2.0
/*
 * Source "timer": functions of timers that expire, as durations.
 *
 * Each is one complete record, written at its end. On PREEMPT_RT most of them run in
 * threads and can be switched out: their begins and ends are separate records.
 *
 * Concurrency: as in event.c. The begin is per CPU and context: a CPU runs one function
 * of each context at a time.
 */
#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/timer.h>
#include <trace/events/timer.h>

#include "compat.h"
#include "event.h"
#include "source.h"

static int timer_switched(bool on);
static DEFINE_VITRINE_CATEGORY_SWITCHED(timer, timer_switched);

/**
 * struct expiry - function of an expired timer that a CPU is running
 * @function: the function; the timer may be freed when it returns
 * @begin: time of the call, in ticks
 */
struct expiry {
	const void	*function;
	u64		begin;
};

/* An hrtimer may interrupt the function of another one, which runs in softirq. */
static DEFINE_PER_CPU(struct expiry, timer_expiry);
static DEFINE_PER_CPU(struct expiry, soft_expiry);
static DEFINE_PER_CPU(struct expiry, hard_expiry);

static const struct vitrine_arg function_args[] = {
	{ "function", VITRINE_ARG_TYPE_SYMBOL },
};

#define TIMER_SITE(record, name)					\
	{								\
		VTR_SITE(timer, record, name),				\
		.args = function_args,					\
		.nr_args = ARRAY_SIZE(function_args),			\
	}

/* Sites of a timer that expires: as one record, and as begin and end. */
struct expiry_sites {
	struct vitrine_site	complete;
	struct vitrine_site	begin;
};

static const struct expiry_sites timer_sites = {
	TIMER_SITE(VITRINE_RECORD_COMPLETE | VITRINE_RECORD_BEGAN, "timer"),
	TIMER_SITE(VITRINE_RECORD_BEGIN, "timer")
};

static const struct expiry_sites hrtimer_sites = {
	TIMER_SITE(VITRINE_RECORD_COMPLETE | VITRINE_RECORD_BEGAN, "hrtimer"),
	TIMER_SITE(VITRINE_RECORD_BEGIN, "hrtimer")
};

static __always_inline void write_expiry(const struct vitrine_site *site,
					 struct expiry __percpu *expiry)
{
	vtr_event_write_symbol(site, this_cpu_read(expiry->begin),
			       this_cpu_read(expiry->function));
}

static __always_inline void begin_expiry(struct expiry __percpu *expiry,
					 const void *function)
{
	this_cpu_write(expiry->function, function);
	this_cpu_write(expiry->begin, vtr_event_ticks());
}

static notrace void probe_timer_entry(void *unused, struct timer_list *timer,
				      unsigned long base)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		vtr_event_write_symbol(&timer_sites.begin, 0, timer->function);
	else
		begin_expiry(&timer_expiry, timer->function);
}

static notrace void probe_timer_exit(void *unused, struct timer_list *timer)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		vitrine_trace_end(timer, "timer");
	else
		write_expiry(&timer_sites.complete, &timer_expiry);
}

static notrace void probe_hrtimer_entry(void *unused, struct hrtimer *timer,
					VTR_HRTIMER_NOW now)
{
	if (in_hardirq())
		begin_expiry(&hard_expiry, timer->function);
	else if (IS_ENABLED(CONFIG_PREEMPT_RT))
		vtr_event_write_symbol(&hrtimer_sites.begin, 0,
				       timer->function);
	else
		begin_expiry(&soft_expiry, timer->function);
}

static notrace void probe_hrtimer_exit(void *unused, struct hrtimer *timer)
{
	if (in_hardirq())
		write_expiry(&hrtimer_sites.complete, &hard_expiry);
	else if (IS_ENABLED(CONFIG_PREEMPT_RT))
		vitrine_trace_end(timer, "hrtimer");
	else
		write_expiry(&hrtimer_sites.complete, &soft_expiry);
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
	int cpu;

	/* Functions from the previous recording have returned. */
	if (on) {
		for_each_possible_cpu(cpu) {
			per_cpu(timer_expiry, cpu).begin = 0;
			per_cpu(soft_expiry, cpu).begin = 0;
			per_cpu(hard_expiry, cpu).begin = 0;
		}
	}
	return vtr_source_switch(&vtr_source_timer, on);
}
