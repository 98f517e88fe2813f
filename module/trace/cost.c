// SPDX-License-Identifier: GPL-2.0
/*
 * Measure what a record costs. The probes that are recording are called through
 * tracepoints of this file, so that the cost includes calling them, and they write into a
 * ring that nobody reads.
 *
 * Concurrency: cost_mutex serialises measurements. During a measurement interrupts are
 * off and the CPU records into the ring of the measurement. Probes on other CPUs may
 * access that ring then, and have returned before it is freed.
 */
#include <linux/irqflags.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>

#include "compat.h"
#include "cost.h"
#include "event.h"
#include "probe.h"
#include "ring.h"
#include "session.h"
#include "writer.h"

/* Minimum time in nanoseconds of several rounds of that many records. */
#define ROUNDS	8
#define RECORDS	256

#define SWITCH_PROTO							\
	TP_PROTO(bool preempt, struct task_struct *prev,		\
		 struct task_struct *next, unsigned int prev_state)
#define SWITCH_ARGS	TP_ARGS(preempt, prev, next, prev_state)
#define WAKEUP_PROTO	TP_PROTO(struct task_struct *task)
#define EVENT_PROTO	TP_PROTO(bool begins)

DECLARE_TRACE_EVENT(vtr_cost_switch, SWITCH_PROTO, SWITCH_ARGS);
DECLARE_TRACE_EVENT(vtr_cost_wakeup, WAKEUP_PROTO, TP_ARGS(task));
DECLARE_TRACE_EVENT(vtr_cost_event, EVENT_PROTO, TP_ARGS(begins));
DEFINE_TRACE(vtr_cost_switch, SWITCH_PROTO, SWITCH_ARGS);
DEFINE_TRACE(vtr_cost_wakeup, WAKEUP_PROTO, TP_ARGS(task));
DEFINE_TRACE(vtr_cost_event, EVENT_PROTO, TP_ARGS(begins));

static DEFINE_MUTEX(cost_mutex);

/* ---- probes that are measured ---------------------------------------------- */

static DEFINE_VITRINE_CATEGORY(cost);
static DEFINE_PER_CPU(u64, begun);

static const struct vitrine_site event_site = {
	VTR_SITE(cost, VITRINE_RECORD_COMPLETE | VITRINE_RECORD_BEGAN, "event"),
};

/* Like the probes of an interrupt in source_irq.c. */
static notrace void probe_event(void *unused, bool begins)
{
	if (begins)
		this_cpu_write(begun, vtr_event_ticks());
	else
		vitrine_trace_write0(&event_site, this_cpu_read(begun));
}

static void record_switches(struct task_struct *task)
{
	unsigned int i;

	for (i = 0; i < RECORDS; i++)
		trace_vtr_cost_switch(false, task, task, TASK_INTERRUPTIBLE);
}

static void record_wakeups(struct task_struct *task)
{
	unsigned int i;

	for (i = 0; i < RECORDS; i++)
		trace_vtr_cost_wakeup(task);
}

static void record_events(struct task_struct *task)
{
	unsigned int i;

	for (i = 0; i < RECORDS; i++) {
		trace_vtr_cost_event(true);
		trace_vtr_cost_event(false);
	}
}

/* ---- measurement ----------------------------------------------------------- */

/*
 * Find the probe of the tracepoint @name that records into the rings of the CPUs, which
 * its data tells. Return false if no such probe is registered.
 */
static bool find_recording(const char *name, struct vtr_probe *ret)
{
	void *rings = (void *)(unsigned long __force)&vtr_writer_ring;
	const struct tracepoint_func *func;

	*ret = (struct vtr_probe){ .name = name, .data = rings };
	if (!vtr_probe_find(ret, 1))
		return false;
	preempt_disable();
	func = rcu_dereference_raw(ret->tracepoint->funcs);
	for (; func && func->func; func++)
		if (func->data == rings)
			ret->function = func->func;
	preempt_enable();
	return ret->function;
}

static u64 fewest_ns(struct vtr_ring *ring, struct task_struct *task,
		     void (*record)(struct task_struct *task))
{
	u64 begin_ns, end_ns, least_ns = U64_MAX;
	struct vtr_ring *before;
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		local_irq_save(flags);
		before = this_cpu_read(vtr_writer_ring);
		this_cpu_write(vtr_writer_ring, ring);
		begin_ns = ktime_get_mono_fast_ns();
		record(task);
		end_ns = ktime_get_mono_fast_ns();
		this_cpu_write(vtr_writer_ring, before);
		local_irq_restore(flags);
		least_ns = min(least_ns, end_ns - begin_ns);
	}
	return least_ns;
}

static int measure(struct vtr_probe *probe, struct vtr_ring *ring,
		   struct task_struct *task,
		   void (*record)(struct task_struct *task), u64 *ret_ps)
{
	int err;

	err = vtr_probe_register(probe, 1);
	if (err < 0)
		return err;
	*ret_ps = div_u64(fewest_ns(ring, task, record) * 1000, RECORDS);
	vtr_probe_unregister(probe, 1);
	return 0;
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

/*
 * Create a task that switches and wakeups refer to, and which never runs. Code that looks
 * for the current thread of this CPU still finds the real one.
 */
static struct task_struct *create_task(void)
{
	struct task_struct *task = kzalloc(sizeof(*task), GFP_KERNEL);

	if (!task)
		return NULL;
	task->pid = current->pid;
	task->tgid = current->tgid;
	task->prio = current->prio;
	task->flags = PF_KTHREAD;
	return task;
}

static int measure_all(struct vtr_ring *ring, struct task_struct *task,
		       struct vtr_cost *ret)
{
	struct vtr_probe event = {
		.function = probe_event,
		.tracepoint = &__tracepoint_vtr_cost_event,
	};
	struct vtr_probe probe;
	int err;

	err = measure(&event, ring, task, record_events, &ret->event_ps);
	if (!err && find_recording("sched_switch", &probe)) {
		probe.tracepoint = &__tracepoint_vtr_cost_switch;
		err = measure(&probe, ring, task, record_switches,
			      &ret->switch_ps);
	}
	if (!err && find_recording("sched_waking", &probe)) {
		probe.tracepoint = &__tracepoint_vtr_cost_wakeup;
		err = measure(&probe, ring, task, record_wakeups,
			      &ret->wakeup_ps);
	}
	return err;
}

/**
 * vtr_cost_measure() - measure what a record costs on this CPU
 * @ret: the costs
 *
 * Interrupts are off while RECORDS records are written, several times. The trace does not
 * contain these records.
 *
 * Context: task; may sleep.
 * Return: 0, -ENOMEM, or the error of a tracepoint.
 */
int vtr_cost_measure(struct vtr_cost *ret)
{
	struct task_struct *task = create_task();
	struct vtr_ring *ring = create_ring();
	int err = -ENOMEM;

	*ret = (struct vtr_cost){ 0 };
	if (task && ring) {
		mutex_lock(&cost_mutex);
		err = measure_all(ring, task, ret);
		mutex_unlock(&cost_mutex);
	}
	/* vtr_probe_unregister() has waited for all probes that may access them. */
	vtr_ring_put(ring);
	kfree(task);
	return err;
}
