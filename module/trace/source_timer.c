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
#include <linux/timer.h>
#include <trace/events/timer.h>

#include "compat.h"
#include "event.h"
#include "source.h"

VTR_SOURCE_CATEGORY(timer);

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
static DEFINE_PER_CPU(struct {
	struct expiry	timer;
	struct expiry	soft;
	struct expiry	hard;
}, begun);

static const struct vitrine_arg function_args[] = {
	{ "function", VITRINE_ARG_TYPE_SYMBOL },
};

#define EXPIRY_SITE(record, name)					\
	{ VTR_SITE(timer, record, name), VTR_SITE_ARGS(function_args) }

#define EXPIRY_SITES(name)						\
	{								\
		EXPIRY_SITE(FXT_EVENT_DURATION_COMPLETE |		\
			    VITRINE_RECORD_BEGAN, name),		\
		EXPIRY_SITE(FXT_EVENT_DURATION_BEGIN, name),		\
		{ VTR_SITE(timer, FXT_EVENT_DURATION_END, name) },	\
	}

/* Sites of a timer that expires: as one record, and as begin and end. */
struct expiry_sites {
	struct vitrine_site	complete;
	struct vitrine_site	begin;
	struct vitrine_site	end;
};

static const struct expiry_sites timer_sites = EXPIRY_SITES("timer");
static const struct expiry_sites hrtimer_sites = EXPIRY_SITES("hrtimer");

/* Whether a function runs in a thread, unless it runs in an interrupt. */
#define IS_THREADED	IS_ENABLED(CONFIG_PREEMPT_RT)

static __always_inline void write_function(const struct vitrine_site *site, u64 begin,
					   const void *function)
{
	vtr_prepared_write_key(site, function, NULL, begin, (unsigned long)function);
}

static __always_inline void enter(const struct expiry_sites *sites, bool threaded,
				  struct expiry __percpu *expiry, const void *function)
{
	if (threaded)
		return write_function(&sites->begin, 0, function);
	this_cpu_write(expiry->function, function);
	this_cpu_write(expiry->begin, vtr_event_ticks());
}

static __always_inline void leave(const struct expiry_sites *sites, bool threaded,
				  struct expiry __percpu *expiry)
{
	if (threaded)
		vitrine_trace_write0(&sites->end, 0);
	else
		write_function(&sites->complete, this_cpu_read(expiry->begin),
			       this_cpu_read(expiry->function));
}

static notrace void probe_timer_entry(void *unused, struct timer_list *timer,
				      unsigned long base)
{
	enter(&timer_sites, IS_THREADED, &begun.timer, timer->function);
}

static notrace void probe_timer_exit(void *unused, struct timer_list *timer)
{
	leave(&timer_sites, IS_THREADED, &begun.timer);
}

static notrace void probe_hrtimer_entry(void *unused, struct hrtimer *timer,
					VTR_HRTIMER_NOW now)
{
	if (in_hardirq())
		enter(&hrtimer_sites, false, &begun.hard, timer->function);
	else
		enter(&hrtimer_sites, IS_THREADED, &begun.soft, timer->function);
}

static notrace void probe_hrtimer_exit(void *unused, struct hrtimer *timer)
{
	if (in_hardirq())
		leave(&hrtimer_sites, false, &begun.hard);
	else
		leave(&hrtimer_sites, IS_THREADED, &begun.soft);
}

static struct vtr_probe probes[] = {
	VTR_PROBE(timer_expire_entry, probe_timer_entry),
	VTR_PROBE(timer_expire_exit, probe_timer_exit),
	VTR_PROBE(hrtimer_expire_entry, probe_hrtimer_entry),
	VTR_PROBE(hrtimer_expire_exit, probe_hrtimer_exit),
};

VTR_SOURCE_DEFINE(timer, probes, .begun = &begun, .begun_bytes = sizeof(begun))
