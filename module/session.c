// SPDX-License-Identifier: GPL-2.0
/*
 * One tracing run at a time: its rings, its clock, on and off.
 *
 * Concurrency: session_mutex serialises the people who change things. What the
 * CPU hotplug callbacks share with them (session, its rings) is changed either
 * under session_mutex and cpus_read_lock(), or by a callback, which excludes
 * that lock; it may be read under either. The order is session_mutex, then
 * category_mutex or cpus_read_lock(); a callback takes none of them. Probes are
 * registered outside cpus_read_lock(), which patching code takes itself.
 *
 * vtr_session_freeze() comes from anywhere and takes no lock: it claims @frozen and
 * finds the rings under RCU. @frozen, not 0 while they are frozen, says whose turn
 * it is with the rings' flags: freezing when it was 0, thawing before it becomes 0.
 *
 * A setting that changes the rings makes a new session with new rings. Who has
 * the old ones open keeps them, closed and complete.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "category.h"
#include "clock.h"
#include "fxt.h"
#include "ring.h"
#include "sched.h"
#include "session.h"

/* A sub-buffer is one allocation; a ring's size is a matter of taste. */
#define MAX_SUBBUF_KB		1024U
#define MAX_BUFFER_KB		1048576U

static DEFINE_MUTEX(session_mutex);

static struct {
	struct vtr_session_settings	settings;
	struct vtr_ring_config		config;
	struct vtr_ring			**rings;
	bool				recording;
	u32				frozen;
} session;

/* Times that rings were frozen, or nearly so: each time has its number. */
static atomic_t nr_freezes;

/* Switches of each CPU in sessions that are over. */
static u64 *past_switches;

static void (*publish_ring)(unsigned int cpu);
static enum cpuhp_state hotplug_state;

static const char * const mode_names[VTR_NR_MODES] = {
	[VITRINE_MODE_CIRCULAR]		= "circular",
	[VITRINE_MODE_ONESHOT]		= "oneshot",
	[VITRINE_MODE_STREAMING]	= "streaming",
};

/**
 * vtr_session_mode_name() - what a mode is called in trace/mode
 * @mode: the mode
 *
 * Context: any.
 * Return: its name.
 */
const char *vtr_session_mode_name(enum vitrine_mode mode)
{
	return mode_names[mode];
}

/**
 * vtr_session_find_mode() - the mode of a name
 * @name: as from vtr_session_mode_name()
 *
 * Context: any.
 * Return: enum vitrine_mode, or -EINVAL.
 */
int vtr_session_find_mode(const char *name)
{
	return match_string(mode_names, VTR_NR_MODES, name);
}

/* A test steps in between two steps of replace_locked(). */
#ifdef CONFIG_VITRINE_KUNIT
static void (*observer)(void);

static void observe_replace(void)
{
	if (observer)
		observer();
}
#else
static void observe_replace(void)
{
}
#endif

static int check_settings(const struct vtr_session_settings *settings)
{
	if (!vtr_clock_usable(settings->clock))
		return -EINVAL;
	if (!is_power_of_2(settings->buffer_kb) ||
	    !is_power_of_2(settings->subbuf_kb))
		return -EINVAL;
	if (settings->subbuf_kb < PAGE_SIZE / 1024 ||
	    settings->subbuf_kb > MAX_SUBBUF_KB ||
	    settings->buffer_kb / 2 < settings->subbuf_kb ||
	    settings->buffer_kb > MAX_BUFFER_KB)
		return -EINVAL;
	return 0;
}

static void configure(const struct vtr_session_settings *settings, u32 number,
		      struct vtr_ring_config *config)
{
	config->session = number;
	config->clock = settings->clock;
	config->mode = settings->mode;
	config->subbuf_order = ilog2(settings->subbuf_kb * 1024 / PAGE_SIZE);
	config->nr_subbufs = settings->buffer_kb / settings->subbuf_kb;
	config->ticks_per_second = vtr_clock_rate(settings->clock);
	config->session_ticks = vtr_clock_ticks(settings->clock);
	config->session_realtime_ns = ktime_get_real_ns();
}

/**
 * vtr_session_put_rings() - drop rings
 * @rings: by CPU, or NULL
 *
 * Context: task, sleeps.
 */
void vtr_session_put_rings(struct vtr_ring **rings)
{
	unsigned int cpu;

	if (!rings)
		return;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		vtr_ring_put(rings[cpu]);
	kvfree(rings);
}

/* A ring set that would eat all memory is refused before it starts to. */
static bool fits_into_memory(const struct vtr_session_settings *settings)
{
	u64 nr_pages = (u64)settings->buffer_kb * 1024 / PAGE_SIZE *
		       num_online_cpus();

	return nr_pages < max(si_mem_available(), 0L);
}

/* Rings for the CPUs that are online; the others get theirs when they come. */
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

/* On the CPU itself, before it runs anything but kernel threads of its own. */
static int cpu_online_callback(unsigned int cpu)
{
	struct vtr_ring *ring;
	unsigned long flags;

	if (!session.rings[cpu]) {
		ring = vtr_ring_create(cpu, &session.config);
		if (!ring) {
			pr_warn("vitrine: no memory to record CPU %u; take it offline and online again to retry\n",
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
	if (session.recording) {
		local_irq_save(flags);
		attach_this_cpu(NULL);
		local_irq_restore(flags);
	}
	return 0;
}

static int cpu_offline_callback(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	detach_this_cpu(NULL);
	local_irq_restore(flags);
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
 * @enable: what is wanted
 *
 * The rings keep what they hold. Returns when all CPUs do as told.
 *
 * Context: task, sleeps.
 * Return: 0, also if nothing changed, or the error of the tracepoints.
 */
int vtr_session_enable(bool enable)
{
	int err = 0;

	mutex_lock(&session_mutex);
	if (enable && !session.recording)
		err = start_locked();
	else if (!enable && session.recording)
		stop_locked();
	mutex_unlock(&session_mutex);
	return err;
}

/**
 * vtr_session_enabled() - whether recording is on
 *
 * Context: any.
 * Return: true if it is.
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
		past_switches[cpu] += stats.switches;
	}
}

static void close_rings(struct vtr_ring **rings)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (rings[cpu])
			vtr_ring_close(rings[cpu]);
	vtr_session_put_rings(rings);
}

static bool any_is_frozen(struct vtr_ring **rings)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (rings[cpu] && vtr_ring_frozen(rings[cpu]))
			return true;
	return false;
}

/*
 * A new session goes on unless its own rings are frozen. After the first wait,
 * whoever freezes finds these rings. If they were frozen before that, or are being
 * frozen, the second wait ends when it is done: then their flags tell.
 *
 * Context: CPU hotplug is locked, or a CPU could get a ring that is frozen for the
 * sake of the old ones.
 */
static void end_old_freeze(struct vtr_ring **rings)
{
	synchronize_rcu();
	observe_replace();
	if (!vtr_session_frozen())
		return;
	synchronize_rcu();
	if (!any_is_frozen(rings))
		/* Pairs with cmpxchg() in vtr_session_freeze(). */
		smp_store_release(&session.frozen, 0);
}

/* Recording is off. */
static int replace_locked(const struct vtr_session_settings *settings)
{
	struct vtr_ring **old = session.rings, **rings;
	struct vtr_ring_config config;

	lockdep_assert_held(&session_mutex);
	if (!fits_into_memory(settings))
		return -ENOMEM;
	configure(settings, session.config.session + 1, &config);
	cpus_read_lock();
	rings = create_rings(&config);
	if (rings) {
		if (old)
			remember_switches(old);
		session.settings = *settings;
		session.config = config;
		observe_replace();
		/* Pairs with the load in vtr_session_freeze(). */
		smp_store_release(&session.rings, rings);
		observe_replace();
		if (old)
			end_old_freeze(rings);
	}
	cpus_read_unlock();
	if (!rings)
		return -ENOMEM;
	if (old)
		close_rings(old);
	return 0;
}

/**
 * vtr_session_replace() - begin a new session
 * @settings: its settings
 *
 * Recording goes on in the new rings if it was on. Old rings stay readable
 * for those who have them open.
 *
 * Context: task, sleeps.
 * Return: 0; -EINVAL for settings that make no sense and -ENOMEM, both of
 *	which leave the old session as it was; or the error of the tracepoints.
 */
int vtr_session_replace(const struct vtr_session_settings *settings)
{
	bool was_recording;
	int err, start_err = 0;

	err = check_settings(settings);
	if (err)
		return err;
	mutex_lock(&session_mutex);
	was_recording = session.recording;
	if (was_recording)
		stop_locked();
	err = replace_locked(settings);
	if (was_recording)
		start_err = start_locked();
	mutex_unlock(&session_mutex);
	return err ?: start_err;
}

/**
 * vtr_session_settings() - the settings in force
 * @ret: where they go
 *
 * Context: task, sleeps.
 */
void vtr_session_settings(struct vtr_session_settings *ret)
{
	mutex_lock(&session_mutex);
	*ret = session.settings;
	mutex_unlock(&session_mutex);
}

/**
 * vtr_session_number() - which session this is
 *
 * Context: task, sleeps.
 * Return: its number, counted from 1 since the module was loaded.
 */
u32 vtr_session_number(void)
{
	u32 number;

	mutex_lock(&session_mutex);
	number = session.config.session;
	mutex_unlock(&session_mutex);
	return number;
}

/**
 * vtr_session_frozen() - whether the rings are frozen
 *
 * Context: any.
 * Return: what vtr_session_freeze() returned when it froze them, 0 if they are
 *	not frozen. Nothing that comes later is read before this.
 */
u32 vtr_session_frozen(void)
{
	/* Pairs with cmpxchg() in vtr_session_freeze(). */
	return smp_load_acquire(&session.frozen);
}

/**
 * vtr_session_freeze() - have all rings keep what they hold
 *
 * Context: any, NMI included.
 * Return: a number that no other freeze has, 0 if they were frozen already.
 */
u32 vtr_session_freeze(void)
{
	u32 number = atomic_inc_return(&nr_freezes) ?: 1, ret = 0;
	struct vtr_ring **rings, *ring;
	unsigned int cpu;

	rcu_read_lock();
	/* A full barrier: pairs with smp_mb() in cpu_online_callback(). */
	if (cmpxchg(&session.frozen, 0, number))
		goto out;
	ret = number;
	/* What hangs off either is there: they were stored with release. */
	rings = READ_ONCE(session.rings);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		ring = READ_ONCE(rings[cpu]);
		if (ring)
			vtr_ring_freeze(ring);
	}
out:
	rcu_read_unlock();
	return ret;
}

/**
 * vtr_session_thaw() - let frozen rings go on
 *
 * Context: task, sleeps.
 */
void vtr_session_thaw(void)
{
	unsigned int cpu;

	mutex_lock(&session_mutex);
	cpus_read_lock();
	for (cpu = 0; vtr_session_frozen() && cpu < nr_cpu_ids; cpu++)
		if (session.rings[cpu])
			vtr_ring_thaw(session.rings[cpu]);
	/*
	 * Pairs with cmpxchg() in vtr_session_freeze(): who freezes next does so
	 * to rings that are thawed.
	 */
	smp_store_release(&session.frozen, 0);
	cpus_read_unlock();
	mutex_unlock(&session_mutex);
}

/**
 * vtr_session_ring() - the ring of a CPU
 * @cpu: any number below nr_cpu_ids
 *
 * Context: task, sleeps.
 * Return: the ring with a reference for the caller, NULL if the CPU has none.
 */
struct vtr_ring *vtr_session_ring(unsigned int cpu)
{
	struct vtr_ring *ring;

	mutex_lock(&session_mutex);
	cpus_read_lock();
	ring = session.rings[cpu];
	if (ring)
		vtr_ring_get(ring);
	cpus_read_unlock();
	mutex_unlock(&session_mutex);
	return ring;
}

/**
 * vtr_session_stats() - what a CPU's ring counted in this session
 * @cpu: any number below nr_cpu_ids
 * @ret: the counts
 *
 * Context: task, sleeps.
 * Return: false if the CPU has no ring; @ret is then unchanged.
 */
bool vtr_session_stats(unsigned int cpu, struct vtr_ring_stats *ret)
{
	struct vtr_ring *ring = vtr_session_ring(cpu);

	if (!ring)
		return false;
	vtr_ring_stats(ring, ret);
	vtr_ring_put(ring);
	return true;
}

/**
 * vtr_session_switches() - context switches recorded since the module came
 * @cpu: any number below nr_cpu_ids
 *
 * Context: task, sleeps.
 * Return: their number, over all sessions.
 */
u64 vtr_session_switches(unsigned int cpu)
{
	struct vtr_ring_stats stats;
	u64 switches;

	mutex_lock(&session_mutex);
	cpus_read_lock();
	switches = past_switches[cpu];
	if (session.rings[cpu]) {
		vtr_ring_stats(session.rings[cpu], &stats);
		switches += stats.switches;
	}
	cpus_read_unlock();
	mutex_unlock(&session_mutex);
	return switches;
}

/**
 * vtr_session_get_rings() - all rings there are, which can be used without a lock
 *
 * Context: task, sleeps.
 * Return: by CPU, each with a reference or NULL, for vtr_session_put_rings(); NULL
 *	without memory.
 */
struct vtr_ring **vtr_session_get_rings(void)
{
	struct vtr_ring **rings;
	unsigned int cpu;

	rings = kvcalloc(nr_cpu_ids, sizeof(*rings), GFP_KERNEL);
	if (!rings)
		return NULL;
	mutex_lock(&session_mutex);
	cpus_read_lock();
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		rings[cpu] = session.rings[cpu];
		if (rings[cpu])
			vtr_ring_get(rings[cpu]);
	}
	cpus_read_unlock();
	mutex_unlock(&session_mutex);
	return rings;
}

/**
 * vtr_session_set_publish() - be told of CPUs that have a ring
 * @publish: called at once for those that have one and, from CPU hotplug,
 *	for those that get one, perhaps again; NULL to hear no more
 *
 * Context: task, sleeps.
 */
void vtr_session_set_publish(void (*publish)(unsigned int cpu))
{
	unsigned int cpu;

	mutex_lock(&session_mutex);
	cpus_read_lock();
	publish_ring = publish;
	for (cpu = 0; publish && cpu < nr_cpu_ids; cpu++)
		if (session.rings[cpu])
			publish(cpu);
	cpus_read_unlock();
	mutex_unlock(&session_mutex);
}

/**
 * vtr_session_init() - make the first session; recording is off
 * @settings: its settings
 *
 * Context: task, sleeps.
 * Return: 0, -EINVAL for settings that make no sense, -ENOMEM, or the error
 *	of CPU hotplug.
 */
int vtr_session_init(const struct vtr_session_settings *settings)
{
	int err;

	err = check_settings(settings);
	if (err)
		return err;
	past_switches = kvcalloc(nr_cpu_ids, sizeof(*past_switches),
				 GFP_KERNEL);
	if (!past_switches)
		return -ENOMEM;
	mutex_lock(&session_mutex);
	err = replace_locked(settings);
	mutex_unlock(&session_mutex);
	if (err)
		goto err_switches;
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "vitrine:online",
				cpu_online_callback, cpu_offline_callback);
	if (err < 0)
		goto err_rings;
	hotplug_state = err;
	return 0;

err_rings:
	vtr_session_put_rings(session.rings);
err_switches:
	kvfree(past_switches);
	return err;
}

/**
 * vtr_session_deinit() - stop recording and drop the rings
 *
 * Context: task, sleeps; no file of ours is open or can be opened.
 */
void vtr_session_deinit(void)
{
	vtr_session_enable(false);
	cpuhp_remove_state(hotplug_state);
	close_rings(session.rings);
	kvfree(past_switches);
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/session_kunit.c"
#endif
