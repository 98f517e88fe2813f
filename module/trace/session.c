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
 * @frozen and accesses the rings with interrupts off, as an RCU reader. @frozen is not 0 while
 * the rings are frozen, and serialises changes of the rings' flags: they are frozen after
 * @frozen was claimed, and thawed before it becomes 0. Code that thaws them waits first for RCU
 * readers, and thereby for a freeze in progress.
 *
 * A setting that changes the rings begins a new session with new rings. Files that
 * have the old rings open keep them, closed and complete, until two more sessions are over.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "compat.h"
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

/* Number of freezes, including attempts that failed; numbers each freeze. */
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

/* For KUnit: called between two steps of some functions. */
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

static void lock_rings(void)
{
	mutex_lock(&session_mutex);
	cpus_read_lock();
}

static void unlock_rings(void)
{
	cpus_read_unlock();
	mutex_unlock(&session_mutex);
}

/* guard(rings)() keeps the session and its rings as they are until the end of the block. */
DEFINE_LOCK_GUARD_0(rings, lock_rings(), unlock_rings())

/* Compute the fields that follow from the settings. */
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

#ifdef CONFIG_VITRINE_KUNIT
bool vtr_session_no_memory;
#else
#define vtr_session_no_memory	false
#endif

/* Refuse rings that would use up all memory before allocating any. */
static bool fits_into_memory(const struct vtr_ring_config *settings)
{
	u64 nr_pages = (u64)settings->buffer_kb * 1024 / PAGE_SIZE *
		       num_online_cpus();

	return !vtr_session_no_memory && nr_pages < max(si_mem_available(), 0L);
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
	unsigned int cpu = smp_processor_id();

	if (session.rings[cpu])
		vtr_sched_attach(session.rings[cpu], cpu, current);
}

static void detach_this_cpu(void *unused)
{
	vtr_sched_detach(smp_processor_id(), FXT_THREAD_NEW);
}

/* Runs before the CPU starts, so that all its switches are recorded. */
static int cpu_prepare_callback(unsigned int cpu)
{
	struct vtr_ring *ring;

	if (!session.rings[cpu]) {
		ring = vtr_ring_create(cpu, &session.config);
		if (!ring) {
			pr_warn("no memory for the ring of CPU %u; take the CPU offline and online again to retry\n",
				cpu);
			return 0;
		}
		/* Pairs with the load in vtr_session_freeze_end(). */
		smp_store_release(&session.rings[cpu], ring);
	}
	smp_mb();	/* Pairs with cmpxchg() in vtr_session_freeze_begin(). */
	if (vtr_session_frozen())
		vtr_ring_freeze(session.rings[cpu]);
	if (publish_ring)
		publish_ring(cpu);
	guard(irqsave)();
	if (session.recording)
		vtr_sched_attach(session.rings[cpu], cpu, &init_task);
	return 0;
}

/* The thread that took the CPU offline waits there until the CPU comes online again. */
static int cpu_dead_callback(unsigned int cpu)
{
	guard(irqsave)();
	vtr_sched_detach(cpu, FXT_THREAD_BLOCKED);
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
	/* Pairs with cmpxchg() in vtr_session_freeze_begin(). */
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
		/* Pairs with the load in vtr_session_freeze_end(). */
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
 * vtr_session_set() - change a setting, which begins a new session
 * @offset: position of the setting, an unsigned int, in &struct vtr_ring_config
 * @value: its new value
 *
 * If recording was on, it continues in the new rings. Open files can still read the
 * old rings.
 *
 * Context: task; may sleep.
 * Return: 0; -EINVAL for an invalid setting or -ENOMEM, both of which leave the old
 *	session unchanged; or the error of the tracepoints.
 */
int vtr_session_set(size_t offset, unsigned int value)
{
	struct vtr_ring_config settings;

	guard(mutex)(&session_mutex);
	settings = session.config;
	*(unsigned int *)((void *)&settings + offset) = value;
	return check_settings(&settings) ?: replace_running_locked(&settings);
}

/**
 * vtr_session_renew() - begin a new session, because the clock of another one was wrong
 * @number: number of that session
 * @freeze: number of the freeze that may be discarded, 0 for none
 * @clock: clock of the new session, whose other settings stay
 *
 * Context: task; may sleep.
 * Return: 0; -ESTALE if session @number is over or the rings are frozen otherwise; or as
 *	vtr_session_set().
 */
int vtr_session_renew(u32 number, u32 freeze, enum vitrine_clock clock)
{
	struct vtr_ring_config settings;

	guard(mutex)(&session_mutex);
	settings = session.config;
	settings.clock = clock;
	if (settings.session != number || vtr_session_frozen() != freeze)
		return -ESTALE;
	return replace_running_locked(&settings);
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
	/* Pairs with cmpxchg() in vtr_session_freeze_begin(). */
	return smp_load_acquire(&session.frozen);
}

/**
 * vtr_session_freeze_begin() - claim the session, to freeze it
 *
 * Context: any, NMI included, with interrupts off until vtr_session_freeze_end(), which makes
 *	the caller an RCU reader.
 * Return: a unique number of the freeze; 0 if the rings are frozen already, or by another CPU
 *	at this moment.
 */
u32 vtr_session_freeze_begin(void)
{
	u32 number;

	/* Without writing to a cache line that all CPUs share. */
	if (READ_ONCE(session.frozen))
		return 0;
	number = atomic_inc_return(&nr_freezes) ?: 1;
	/* A full barrier: pairs with smp_mb() in cpu_prepare_callback(). */
	return cmpxchg(&session.frozen, 0, number) ? 0 : number;
}

/**
 * vtr_session_freeze_end() - preserve the contents of all rings
 *
 * Context: as vtr_session_freeze_begin(), which has claimed the session.
 */
void vtr_session_freeze_end(void)
{
	observe();
	/* Rings and arrays were stored with release; dependencies order the loads. */
	on_each_ring(READ_ONCE(session.rings), vtr_ring_freeze);
}

/**
 * vtr_session_freeze() - preserve the contents of all rings
 *
 * Context: any, NMI included.
 * Return: as vtr_session_freeze_begin().
 */
u32 vtr_session_freeze(void)
{
	u32 number;

	guard(irqsave)();
	number = vtr_session_freeze_begin();
	if (number)
		vtr_session_freeze_end();
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
	 * Pairs with cmpxchg() in vtr_session_freeze_begin(): the next freeze sees rings that
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
	/* A ring that is not of the current session may lose its sub-buffers. */
	guard(rings)();
	observe();
	if (session.rings[cpu])
		vtr_ring_stats(session.rings[cpu], ret);
	return session.rings[cpu];
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

/**
 * vtr_session_init() - create the first session, with recording off
 * @settings: clock, mode and sizes of the session; the rest is ignored
 *
 * Context: task; may sleep.
 * Return: 0, -EINVAL for invalid settings, -ENOMEM, or the error of CPU hotplug.
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
	err = cpuhp_setup_state(CPUHP_BP_PREPARE_DYN, "vitrine:prepare",
				cpu_prepare_callback, cpu_dead_callback);
	if (err < 0) {
		vtr_session_put_rings(session.rings);
		return err;
	}
	hotplug_state = err;
	return 0;
}

/**
 * vtr_session_deinit() - stop recording and drop the rings
 *
 * Context: task; may sleep. No file of the module is open or can be opened.
 */
void vtr_session_deinit(void)
{
	vtr_session_enable(false);
	cpuhp_remove_state(hotplug_state);
	close_rings(session.rings);
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/session_kunit.c"
#endif
