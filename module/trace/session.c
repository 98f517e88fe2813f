// SPDX-License-Identifier: GPL-2.0
/*
 * The current session: its rings and clock, and switching recording on and off.
 *
 * Concurrency: session_mutex serialises changes of the session. The data shared with
 * the CPU hotplug callbacks (the session and its rings) is changed either
 * under session_mutex and cpus_read_lock(), or by a callback, which excludes
 * that lock; it may be read under either. The order is session_mutex, then
 * category_mutex or cpus_read_lock(); a callback takes none of them. Probes are
 * registered outside cpus_read_lock(), which patching code takes itself.
 *
 * vtr_session_freeze() can be called in any context and takes no lock: it claims
 * @frozen and accesses the rings under RCU. @frozen is not 0 while the rings are
 * frozen, and serialises changes of the rings' flags: they are frozen after @frozen
 * was claimed, and thawed before it becomes 0. Who thaws waits first for RCU readers, and
 * thereby for a freeze in progress.
 *
 * A setting that changes the rings begins a new session with new rings. Files that
 * have the old rings open keep them, closed and complete, until two more sessions are over.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/idr.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include <trace/events/power.h>

#include "compat.h"
#include "probe.h"
#include "category.h"
#include "clock.h"
#include "ring.h"
#include "session.h"
#include "source.h"

/* A sub-buffer is one allocation; the limit of a ring is arbitrary. */
#define MAX_SUBBUF_KB		1024U
#define MAX_BUFFER_KB		1048576U

/* Number of past sessions that open files keep; a file that is mapped keeps any. */
#define KEPT_SESSIONS		2U

static DEFINE_MUTEX(session_mutex);

static struct {
	struct vtr_ring_config	config;
	struct vtr_ring		**rings;
	bool			recording;
	u32			frozen;
} session;

/* Number of freezes, including failed attempts; numbers each freeze. */
static atomic_t nr_freezes;

/* Number of switches of each CPU in past sessions. */
static DEFINE_PER_CPU(u64, past_switches);

static void (*publish_ring)(unsigned int cpu);
static enum cpuhp_state hotplug_state;

/* The names of modes in trace/mode. */
const char * const vtr_session_modes[VTR_NR_MODES] = {
	[VITRINE_MODE_CIRCULAR]		= "circular",
	[VITRINE_MODE_ONESHOT]		= "oneshot",
	[VITRINE_MODE_STREAMING]	= "streaming",
};

/**
 * vtr_session_find_mode() - look up a mode by name
 * @name: one of vtr_session_modes[]
 *
 * Context: any.
 * Return: enum vitrine_mode, or -EINVAL.
 */
int vtr_session_find_mode(const char *name)
{
	return match_string(vtr_session_modes, VTR_NR_MODES, name);
}

/* For KUnit: called between two steps of replace_locked() and vtr_session_freeze(). */
#ifdef CONFIG_VITRINE_KUNIT
static void (*observer)(void);

static void observe(void)
{
	if (observer)
		observer();
}
#else
static void observe(void)
{
}
#endif

static int check_settings(const struct vtr_ring_config *settings)
{
	if (!vtr_clock_rate(settings->clock) || !is_power_of_2(settings->buffer_kb) ||
	    !is_power_of_2(settings->subbuf_kb) ||
	    settings->subbuf_kb < PAGE_SIZE / 1024 ||
	    settings->subbuf_kb > MAX_SUBBUF_KB ||
	    settings->buffer_kb / 2 < settings->subbuf_kb ||
	    settings->buffer_kb > MAX_BUFFER_KB)
		return -EINVAL;
	return 0;
}

/* Keep the session and its rings as they are. */
DEFINE_LOCK_GUARD_0(rings,
		    mutex_lock(&session_mutex); cpus_read_lock(),
		    cpus_read_unlock(); mutex_unlock(&session_mutex))

/* Derive what are no settings. */
static void configure(struct vtr_ring_config *config)
{
	config->session = session.config.session + 1;
	config->subbuf_order = ilog2(config->subbuf_kb * 1024 / PAGE_SIZE);
	config->nr_subbufs = config->buffer_kb / config->subbuf_kb;
	config->ticks_per_second = vtr_clock_rate(config->clock);
	config->session_ticks = vtr_clock_ticks(config->clock);
	config->session_realtime_ns = ktime_get_real_ns();
}

static void on_each_ring(struct vtr_ring **rings, void (*function)(struct vtr_ring *ring))
{
	struct vtr_ring *ring;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		ring = READ_ONCE(rings[cpu]);
		if (ring)
			function(ring);
	}
}

/**
 * vtr_session_put_rings() - drop references to rings
 * @rings: by CPU, or NULL
 *
 * Context: task; may sleep.
 */
void vtr_session_put_rings(struct vtr_ring **rings)
{
	if (rings)
		on_each_ring(rings, vtr_ring_put);
	kvfree(rings);
}

/* Refuse rings that would use up all memory before allocating any. */
static bool fits_into_memory(const struct vtr_ring_config *settings)
{
	u64 nr_pages = (u64)settings->buffer_kb * 1024 / PAGE_SIZE *
		       num_online_cpus();

	return nr_pages < max(si_mem_available(), 0L);
}

/* Create rings for the online CPUs; others get theirs when they come online. */
static struct vtr_ring **create_rings(const struct vtr_ring_config *config)
{
	struct vtr_ring **rings;
	unsigned int cpu;

	rings = kvcalloc(nr_cpu_ids, sizeof(*rings), GFP_KERNEL);
	if (!rings)
		return NULL;
	for_each_online_cpu(cpu) {
		rings[cpu] = vtr_ring_create(cpu, config);
		if (!rings[cpu]) {
			vtr_session_put_rings(rings);
			return NULL;
		}
	}
	return rings;
}

static void attach_this_cpu(void *unused)
{
	struct vtr_ring *ring = session.rings[smp_processor_id()];

	if (ring)
		vtr_sched_attach(ring);
}

static void detach_this_cpu(void *unused)
{
	vtr_sched_detach();
}

/* Runs on the CPU itself, before it runs anything but its own kernel threads. */
static int cpu_online_callback(unsigned int cpu)
{
	struct vtr_ring *ring;

	if (!session.rings[cpu]) {
		ring = vtr_ring_create(cpu, &session.config);
		if (!ring) {
			pr_warn("no memory for the ring of CPU %u; take the CPU offline and online again to retry\n",
				cpu);
			return 0;
		}
		/* Pairs with the load in vtr_session_freeze(). */
		smp_store_release(&session.rings[cpu], ring);
	}
	smp_mb();	/* Pairs with cmpxchg() in vtr_session_freeze(). */
	if (vtr_session_frozen())
		vtr_ring_freeze(session.rings[cpu]);
	if (publish_ring)
		publish_ring(cpu);
	guard(irqsave)();
	if (session.recording)
		attach_this_cpu(NULL);
	return 0;
}

static int cpu_offline_callback(unsigned int cpu)
{
	guard(irqsave)();
	detach_this_cpu(NULL);
	return 0;
}

static int start_locked(void)
{
	int err;

	lockdep_assert_held(&session_mutex);
	err = vtr_sched_register(session.config.clock);
	if (err)
		return err;
	cpus_read_lock();
	WRITE_ONCE(session.recording, true);
	on_each_cpu(attach_this_cpu, NULL, 1);
	cpus_read_unlock();
	vtr_category_record(true);
	return 0;
}

static void stop_locked(void)
{
	lockdep_assert_held(&session_mutex);
	vtr_category_record(false);
	cpus_read_lock();
	WRITE_ONCE(session.recording, false);
	on_each_cpu(detach_this_cpu, NULL, 1);
	cpus_read_unlock();
	vtr_sched_unregister();
}

/**
 * vtr_session_enable() - start or stop recording
 * @enable: true to start
 *
 * The rings keep their contents. All CPUs have started or stopped on return.
 *
 * Context: task; may sleep.
 * Return: 0, also if nothing changed, or the error of the tracepoints.
 */
int vtr_session_enable(bool enable)
{
	guard(mutex)(&session_mutex);
	if (enable && !session.recording)
		return start_locked();
	if (!enable && session.recording)
		stop_locked();
	return 0;
}

/**
 * vtr_session_enabled() - check whether recording is on
 *
 * Context: any.
 * Return: true if it is on.
 */
bool vtr_session_enabled(void)
{
	return READ_ONCE(session.recording);
}

static void remember_switches(struct vtr_ring **rings)
{
	struct vtr_ring_stats stats;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (!rings[cpu])
			continue;
		vtr_ring_stats(rings[cpu], &stats);
		per_cpu(past_switches, cpu) += stats.switches;
	}
}

static void close_rings(struct vtr_ring **rings)
{
	on_each_ring(rings, vtr_ring_close);
	vtr_session_put_rings(rings);
}

/*
 * Clear a freeze of the old rings, so that the new session records, unless its own rings
 * were frozen. After the first wait, every new freeze finds the new rings. If a freeze
 * began before that, the second wait ends when it is complete, and the flags of the new
 * rings tell whether it was theirs.
 *
 * Context: CPU hotplug is locked; otherwise a CPU could get a ring that is frozen because
 * the old ones are.
 */
static void end_old_freeze(struct vtr_ring **rings)
{
	unsigned int cpu;

	synchronize_rcu();
	observe();
	if (!vtr_session_frozen())
		return;
	synchronize_rcu();
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (rings[cpu] && vtr_ring_frozen(rings[cpu]))
			return;
	/* Pairs with cmpxchg() in vtr_session_freeze(). */
	smp_store_release(&session.frozen, 0);
}

/* Replace the rings. Recording is off. */
static int replace_locked(const struct vtr_ring_config *settings)
{
	struct vtr_ring **old = session.rings, **rings;
	struct vtr_ring_config config = *settings;

	lockdep_assert_held(&session_mutex);
	if (!fits_into_memory(settings))
		return -ENOMEM;
	configure(&config);
	cpus_read_lock();
	rings = create_rings(&config);
	if (rings) {
		if (old)
			remember_switches(old);
		session.config = config;
		observe();
		/* Pairs with the load in vtr_session_freeze(). */
		smp_store_release(&session.rings, rings);
		observe();
		if (old)
			end_old_freeze(rings);
	}
	cpus_read_unlock();
	if (!rings)
		return -ENOMEM;
	if (old)
		close_rings(old);
	vtr_ring_expire(config.session - KEPT_SESSIONS);
	return 0;
}

/* Replace the rings. If recording was on, it continues in the new rings. */
static int replace_running_locked(const struct vtr_ring_config *settings)
{
	bool was_recording = session.recording;
	int err, start_err = 0;

	if (was_recording)
		stop_locked();
	err = replace_locked(settings);
	if (was_recording)
		start_err = start_locked();
	return err ?: start_err;
}

/**
 * vtr_session_replace() - begin a new session
 * @settings: clock, mode and sizes of the session; the rest is ignored
 *
 * If recording was on, it continues in the new rings. Open files can still read the
 * old rings.
 *
 * Context: task; may sleep.
 * Return: 0; -EINVAL for invalid settings or -ENOMEM, both of which leave the old
 *	session unchanged; or the error of the tracepoints.
 */
int vtr_session_replace(const struct vtr_ring_config *settings)
{
	int err = check_settings(settings);

	if (err)
		return err;
	guard(mutex)(&session_mutex);
	return replace_running_locked(settings);
}

/**
 * vtr_session_config() - return the configuration of the current session's rings
 * @ret: the configuration; sessions are counted from 1 since the module was loaded
 *
 * Context: task; may sleep.
 */
void vtr_session_config(struct vtr_ring_config *ret)
{
	guard(mutex)(&session_mutex);
	*ret = session.config;
}

/**
 * vtr_session_frozen() - check whether the rings are frozen
 *
 * Context: any.
 * Return: number of the freeze, as returned by vtr_session_freeze(); 0 if the rings are
 *	not frozen. Has acquire semantics.
 */
u32 vtr_session_frozen(void)
{
	/* Pairs with cmpxchg() in vtr_session_freeze(). */
	return smp_load_acquire(&session.frozen);
}

/**
 * vtr_session_freeze() - preserve the contents of all rings
 *
 * Context: any, NMI included.
 * Return: a unique number of the freeze, 0 if the rings were frozen already.
 */
u32 vtr_session_freeze(void)
{
	u32 number = atomic_inc_return(&nr_freezes) ?: 1;

	guard(rcu)();
	/* A full barrier: pairs with smp_mb() in cpu_online_callback(). */
	if (cmpxchg(&session.frozen, 0, number))
		return 0;
	observe();
	/* Rings and arrays were stored with release; dependencies order the loads. */
	on_each_ring(READ_ONCE(session.rings), vtr_ring_freeze);
	return number;
}

/**
 * vtr_session_thaw() - let frozen rings continue
 *
 * A freeze in progress, such as that of an oops on another CPU, has claimed the session
 * and has not frozen all rings yet. If it froze a ring after the thaw, the ring would
 * never be thawed.
 *
 * Context: task; may sleep.
 */
void vtr_session_thaw(void)
{
	guard(rings)();
	if (!vtr_session_frozen())
		return;
	/* Wait for a freeze in progress, which is an RCU reader: then all rings are frozen. */
	synchronize_rcu();
	on_each_ring(session.rings, vtr_ring_thaw);
	/*
	 * Pairs with cmpxchg() in vtr_session_freeze(): the next freeze sees rings that
	 * are thawed.
	 */
	smp_store_release(&session.frozen, 0);
}

static void flush_this_cpu(void *unused)
{
	struct vtr_ring *ring = session.rings[smp_processor_id()];

	if (ring)
		vtr_sched_flush(ring);
}

/**
 * vtr_session_flush() - begin a new sub-buffer on each CPU
 *
 * For a recording that begins or ends now, and for what a sub-buffer says of threads and is
 * no longer true. The ring of a CPU that does not record begins a sub-buffer with its next
 * record. A ring that is frozen or full goes on as it is.
 *
 * Context: task; may sleep.
 * Return: 0, or -EBUSY in oneshot mode, in which a ring has no sub-buffers to spare.
 */
int vtr_session_flush(void)
{
	unsigned int cpu;

	guard(rings)();
	if (session.config.mode == VITRINE_MODE_ONESHOT)
		return -EBUSY;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (session.rings[cpu] && !cpu_online(cpu))
			vtr_ring_end_subbuf(session.rings[cpu]);
	on_each_cpu(flush_this_cpu, NULL, 1);
	return 0;
}

/**
 * vtr_session_ring() - return the ring of a CPU
 * @cpu: CPU number below nr_cpu_ids
 *
 * Context: task; may sleep.
 * Return: the ring with a reference for the caller, NULL if the CPU has none.
 */
struct vtr_ring *vtr_session_ring(unsigned int cpu)
{
	guard(rings)();
	return vtr_ring_get(session.rings[cpu]);
}

/**
 * vtr_session_stats() - read the statistics of a CPU's ring in this session
 * @cpu: CPU number below nr_cpu_ids
 * @ret: the statistics
 *
 * Context: task; may sleep.
 * Return: false if the CPU has no ring; @ret is then unchanged.
 */
bool vtr_session_stats(unsigned int cpu, struct vtr_ring_stats *ret)
{
	struct vtr_ring *ring = vtr_session_ring(cpu);

	if (ring)
		vtr_ring_stats(ring, ret);
	vtr_ring_put(ring);
	return ring;
}

u64 vitrine_trace_switches(unsigned int cpu)
{
	struct vtr_ring_stats stats = {};

	if (!cpu_possible(cpu))
		return 0;
	guard(rings)();
	if (session.rings[cpu])
		vtr_ring_stats(session.rings[cpu], &stats);
	return per_cpu(past_switches, cpu) + stats.switches;
}
VTR_EXPORT(vitrine_trace_switches);

/**
 * vtr_session_get_rings() - return all rings, for use without a lock
 *
 * The list of them is charged to the cgroup of the caller.
 *
 * Context: task; may sleep.
 * Return: by CPU, a ring with a reference or NULL, to be dropped by
 *	vtr_session_put_rings(); NULL if memory is short.
 */
struct vtr_ring **vtr_session_get_rings(void)
{
	struct vtr_ring **rings;
	unsigned int cpu;

	rings = kvcalloc(nr_cpu_ids, sizeof(*rings), GFP_KERNEL_ACCOUNT);
	if (!rings)
		return NULL;
	guard(rings)();
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		rings[cpu] = vtr_ring_get(session.rings[cpu]);
	return rings;
}

/**
 * vtr_session_set_publish() - set a callback for CPUs that have a ring
 * @publish: called at once for each CPU that has a ring, and from CPU hotplug for each
 *	CPU that gets one, possibly several times; NULL for none
 *
 * Context: task; may sleep.
 */
void vtr_session_set_publish(void (*publish)(unsigned int cpu))
{
	unsigned int cpu;

	guard(rings)();
	publish_ring = publish;
	for (cpu = 0; publish && cpu < nr_cpu_ids; cpu++)
		if (session.rings[cpu])
			publish(cpu);
}

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
 * Concurrency: the work item accesses the data below, and so does the probe, while no
 * other CPU is online.
 */

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

/*
 * Begin a new session with the settings of @old but the clock, unless @old is over, or the
 * rings are not frozen as they were: @freeze is the number of the freeze, or 0.
 */
static void renew(const struct vtr_ring_config *old, u32 freeze,
		  enum vitrine_clock clock, const char *why)
{
	struct vtr_ring_config settings = *old;

	pr_warn("the counter of the CPU %s; a new session begins with clock=%s\n",
		why, vtr_clock_names[clock]);
	settings.clock = clock;
	scoped_guard(mutex, &session_mutex)
		if (session.config.session == old->session && vtr_session_frozen() == freeze)
			replace_running_locked(&settings);
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
	struct drift_reading now;

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

/* Begin to watch the counter and the ids of threads. A kernel may not be able to suspend. */
static int drift_init(void)
{
	int err = 0;

	if (vtr_clock_rate(VITRINE_CLOCK_COUNTER) && vtr_probe_find(&suspend, 1))
		err = vtr_probe_register(&suspend, 1);
	if (!err)
		schedule_delayed_work(&watch_work, 0);
	return err;
}

static void drift_deinit(void)
{
	vtr_probe_unregister(&suspend, 1);
	cancel_delayed_work_sync(&watch_work);
}

/**
 * vtr_session_init() - create the first session, with recording off
 * @settings: clock, mode and sizes of the session; the rest is ignored
 *
 * Context: task; may sleep.
 * Return: 0, -EINVAL for invalid settings, -ENOMEM, or the error of CPU hotplug or of a
 *	tracepoint.
 */
int vtr_session_init(const struct vtr_ring_config *settings)
{
	int err;

	err = check_settings(settings);
	if (err)
		return err;
	scoped_guard(mutex, &session_mutex)
		err = replace_locked(settings);
	if (err)
		return err;
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "vitrine:online",
				cpu_online_callback, cpu_offline_callback);
	if (err < 0)
		goto err_rings;
	hotplug_state = err;
	err = drift_init();
	if (err)
		goto err_hotplug;
	return 0;

err_hotplug:
	cpuhp_remove_state(hotplug_state);
err_rings:
	vtr_session_put_rings(session.rings);
	return err;
}

/**
 * vtr_session_deinit() - stop recording and drop the rings
 *
 * Context: task; may sleep. No file of the module is open or can be opened.
 */
void vtr_session_deinit(void)
{
	drift_deinit();
	vtr_session_enable(false);
	cpuhp_remove_state(hotplug_state);
	close_rings(session.rings);
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/session_kunit.c"
#include "tests/drift_kunit.c"
#endif
