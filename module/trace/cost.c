// SPDX-License-Identifier: GPL-2.0
/*
 * Measure what a record costs: write records of the running thread, as the probes do, into
 * a ring that nobody reads.
 *
 * The measurement includes neither the call of a probe by its tracepoint, nor filters, nor
 * checks of limits while a trigger or trace/stacks is armed: these could act on what is
 * measured as if it had happened.
 *
 * Concurrency: each measurement has its own ring. During a round, interrupts are off and the
 * CPU records into that ring. Probes on other CPUs may look up the running thread of this
 * CPU in it, and have returned before it is freed.
 */
#include <linux/irqflags.h>
#include <linux/jump_label.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>

#include "clock.h"
#include "cost.h"
#include "event.h"
#include "ring.h"
#include "sched.h"
#include "session.h"
#include "writer.h"

/* Minimum time in nanoseconds of several rounds of that many records. */
#define ROUNDS	8
#define RECORDS	256

static DEFINE_VITRINE_CATEGORY(cost);

static const struct vitrine_site event_site = {
	VTR_SITE(cost, VITRINE_RECORD_COMPLETE | VITRINE_RECORD_BEGAN, "event"),
};

/* Like the probes of an interrupt in source_irq.c. */
static void record_events(unsigned int nr)
{
	while (nr--)
		vitrine_trace_write0(&event_site, vtr_event_ticks());
}

static u64 fewest_ps(struct vtr_ring *ring, void (*record)(unsigned int nr))
{
	u64 begin_ns, end_ns, least_ns = U64_MAX;
	struct vtr_ring *before;
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		local_irq_save(flags);
		before = this_cpu_read(vtr_writer_ring);
		/* Opens the row of switches, without which no event is recorded. */
		vtr_sched_attach(ring);
		record(1);
		begin_ns = ktime_get_mono_fast_ns();
		record(RECORDS);
		end_ns = ktime_get_mono_fast_ns();
		this_cpu_write(vtr_writer_ring, before);
		local_irq_restore(flags);
		least_ns = min(least_ns, end_ns - begin_ns);
	}
	return div_u64(least_ns * 1000, RECORDS);
}

static struct vtr_ring *create_ring(void)
{
	struct vtr_session_settings settings;
	struct vtr_ring_config config = {
		.mode = VITRINE_MODE_CIRCULAR,
		.nr_subbufs = 2,
	};

	vtr_session_settings(&settings);
	config.clock = settings.clock;
	config.subbuf_order = ilog2(settings.subbuf_kb * 1024 / PAGE_SIZE);
	config.ticks_per_second = vtr_clock_rate(settings.clock);
	config.session_ticks = vtr_clock_ticks(settings.clock);
	return vtr_ring_create(raw_smp_processor_id(), &config);
}

/**
 * vtr_cost_measure() - measure what a record costs on this CPU
 * @ret: the costs
 *
 * Interrupts are off while RECORDS records are written, several times. The trace does not
 * contain these records.
 *
 * Context: task; may sleep.
 * Return: 0 or -ENOMEM.
 */
int vtr_cost_measure(struct vtr_cost *ret)
{
	struct vtr_ring *ring = create_ring();

	*ret = (struct vtr_cost){ 0 };
	if (!ring)
		return -ENOMEM;
	ret->event_ps = fewest_ps(ring, record_events);
	if (vtr_session_enabled()) {
		ret->switch_ps = fewest_ps(ring, vtr_sched_repeat_switch);
		if (vtr_sched_records_wakeups())
			ret->wakeup_ps = fewest_ps(ring, vtr_sched_repeat_wakeup);
	}
	/* Wait for probes on other CPUs that have found the ring. */
	tracepoint_synchronize_unregister();
	vtr_ring_put(ring);
	return 0;
}
