/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clocks that a session can use. All CPUs of a session use the same clock.
 */
#ifndef _VTR_CLOCK_H
#define _VTR_CLOCK_H

#include <linux/math64.h>
#include <linux/percpu.h>

#include <uapi/vitrine/map.h>

#define VTR_NR_CLOCKS	4

/**
 * vtr_clock_choose() - choose the default clock
 * @steady: the counter ticks at a constant rate and never stops
 * @rate_known: the processor or the hypervisor reports the rate of the counter
 * @tells_time: the counter is the kernel's clock source
 *
 * The CPU's counter is by far the cheapest clock. It is good enough if its rate is known:
 * if the rate is reported, as in many virtual machines whose kernel uses a clock of the
 * hypervisor, or if it was measured precisely enough for the kernel.
 *
 * Context: any.
 * Return: VITRINE_CLOCK_COUNTER or VITRINE_CLOCK_LOCAL.
 */
static inline enum vitrine_clock vtr_clock_choose(bool steady, bool rate_known,
						  bool tells_time)
{
	return steady && (rate_known || tells_time) ? VITRINE_CLOCK_COUNTER :
						      VITRINE_CLOCK_LOCAL;
}

extern const char * const vtr_clock_names[VTR_NR_CLOCKS];

int vtr_clock_find(const char *name);
enum vitrine_clock vtr_clock_default(void);
u64 vtr_clock_rate(enum vitrine_clock clock);
u64 vtr_clock_ticks(enum vitrine_clock clock);

/*
 * The CPU's own counter, the cheapest clock: the TSC on x86, CNTVCT on arm64, time on
 * riscv. A steady counter has the same value on all CPUs, whatever they do.
 *
 * Each architecture defines:
 *
 *   vtr_counter_ticks()	read the counter; any context, hot. Of two readings
 *				on one CPU the later one is not less
 *   vtr_counter_switch_ticks()	the same in a probe of sched_switch, the hottest path
 *   vtr_counter_after_branch()	order the next reading of this or another clock of the
 *				kernel after the loads that decided the preceding
 *				branch
 *   vtr_counter_ticks_ordered() the same, ordered with all other instructions
 *   vtr_counter_rate()		return the ticks per second, 0 if there is no usable
 *				counter
 *   vtr_counter_rate_is_known() return true if the processor or the hypervisor reports
 *				the rate, so that it was not measured
 *   vtr_counter_is_steady()	return true if the counter never stops, never changes
 *				its rate and is the same on all CPUs
 *
 * An arm64 CPU may read the counter before earlier instructions, so that readings would
 * be out of order. The barrier against this is an ISB, which flushes the pipeline and
 * therefore also waits for branches; all clocks of the kernel have one. A switch needs
 * none: the scheduler has read its clock, after an ISB, in the same switch or in the
 * wakeup that led to it (update_rq_clock()).
 */

#if defined(CONFIG_X86)
#include <asm/cpufeature.h>
#include <asm/tsc.h>

static __always_inline u64 vtr_counter_ticks(void)
{
	return rdtsc();
}

static __always_inline void vtr_counter_after_branch(void)
{
	barrier_nospec();	/* A CPU may read the counter before earlier loads complete. */
}

static inline u64 vtr_counter_ticks_ordered(void)
{
	return rdtsc_ordered();
}

static inline u64 vtr_counter_rate(void)
{
	return boot_cpu_has(X86_FEATURE_TSC) ? tsc_khz * 1000ULL : 0;
}

static inline bool vtr_counter_rate_is_known(void)
{
	return boot_cpu_has(X86_FEATURE_TSC_KNOWN_FREQ);
}

static inline bool vtr_counter_is_steady(void)
{
	return boot_cpu_has(X86_FEATURE_CONSTANT_TSC) &&
	       boot_cpu_has(X86_FEATURE_NONSTOP_TSC) && !check_tsc_unstable();
}

#elif defined(CONFIG_ARM64)
#include <linux/cpumask.h>
#include <asm/arch_timer.h>
#include <asm/sysreg.h>

static __always_inline u64 vtr_counter_switch_ticks(void)
{
	return read_sysreg(cntvct_el0);
}

static __always_inline u64 vtr_counter_ticks(void)
{
	isb();
	return read_sysreg(cntvct_el0);
}

static __always_inline void vtr_counter_after_branch(void) { }

static inline u64 vtr_counter_ticks_ordered(void)
{
	return __arch_counter_get_cntvct();
}

/* Some CPUs need an erratum workaround for readings; their counter is not used. */
static inline u64 vtr_counter_rate(void)
{
#if IS_ENABLED(CONFIG_ARM_ARCH_TIMER_OOL_WORKAROUND)
	int cpu;

	for_each_possible_cpu(cpu)
		if (per_cpu(timer_unstable_counter_workaround, cpu))
			return 0;
#endif
	return arch_timer_get_cntfrq();
}

#elif defined(CONFIG_RISCV) && defined(CONFIG_64BIT)
#include <asm/delay.h>
#include <asm/timex.h>

static __always_inline u64 vtr_counter_ticks(void)
{
	return get_cycles();
}

static __always_inline void vtr_counter_after_branch(void)
{
	mb();	/* Reading the counter is input to a fence. */
}

static inline u64 vtr_counter_ticks_ordered(void)
{
	mb();	/* As above. */
	return get_cycles();
}

static inline u64 vtr_counter_rate(void)
{
	return riscv_timebase;
}

#else
static __always_inline u64 vtr_counter_ticks(void) { return 0; }
static __always_inline void vtr_counter_after_branch(void)
{
	smp_rmb();	/* The clock that is used instead reads memory. */
}

static inline u64 vtr_counter_ticks_ordered(void) { return 0; }
static inline u64 vtr_counter_rate(void) { return 0; }
#endif

#ifndef CONFIG_ARM64
static __always_inline u64 vtr_counter_switch_ticks(void)
{
	return vtr_counter_ticks();
}
#endif

/* Elsewhere, a counter that is usable at all is steady. */
#ifndef CONFIG_X86
static inline bool vtr_counter_rate_is_known(void) { return false; }
static inline bool vtr_counter_is_steady(void) { return vtr_counter_rate(); }
#endif

/*
 * An upper bound of the scheduler's clock, computed from the session's clock, which the
 * probe has read already. A call of local_clock() takes longer than the rest of a probe.
 */

/**
 * struct vtr_bound - how the session's clock relates to the scheduler's
 * @scale: upper bound of the nanoseconds per tick, times 1 << 32
 * @clock: the session's clock
 */
struct vtr_bound {
	u64			scale;
	enum vitrine_clock	clock;
};

extern struct vtr_bound vtr_bound;

/* Scaled ticks plus this offset are equal to local_clock() or later. */
DECLARE_PER_CPU(u64, vtr_bound_ahead);

/**
 * vtr_bound_ns() - compute an upper bound of local_clock()
 * @now: ticks of the session's clock, just read
 *
 * The error grows until vtr_bound_sync() reads the scheduler's clock.
 *
 * Context: interrupts off. Hot.
 * Return: nanoseconds of the scheduler's clock.
 */
static __always_inline u64 vtr_bound_ns(u64 now)
{
	return mul_u64_u64_shr(now, vtr_bound.scale, 32) +
	       this_cpu_read(vtr_bound_ahead);
}

u64 vtr_bound_sync(u64 now);
void vtr_bound_clock(enum vitrine_clock clock);
void vtr_bound_forget(void);

#endif /* _VTR_CLOCK_H */
