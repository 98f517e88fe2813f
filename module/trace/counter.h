/* SPDX-License-Identifier: GPL-2.0 */
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
#ifndef _VTR_COUNTER_H
#define _VTR_COUNTER_H

#include <linux/types.h>

#if defined(CONFIG_X86)
#include <asm/cpufeature.h>
#include <asm/tsc.h>

static __always_inline u64 vtr_counter_ticks(void)
{
	return rdtsc();
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
static inline bool vtr_counter_is_sound(void)
{
#if IS_ENABLED(CONFIG_ARM_ARCH_TIMER_OOL_WORKAROUND)
	int cpu;

	for_each_possible_cpu(cpu)
		if (per_cpu(timer_unstable_counter_workaround, cpu))
			return false;
#endif
	return true;
}

static inline u64 vtr_counter_rate(void)
{
	return vtr_counter_is_sound() ? arch_timer_get_cntfrq() : 0;
}

static inline bool vtr_counter_is_steady(void)
{
	return vtr_counter_is_sound();
}

#elif defined(CONFIG_RISCV) && defined(CONFIG_64BIT)
#include <asm/delay.h>
#include <asm/timex.h>

static __always_inline u64 vtr_counter_ticks(void)
{
	return get_cycles();
}

static inline u64 vtr_counter_ticks_ordered(void)
{
	mb();	/* Reading the counter is input to a fence. */
	return get_cycles();
}

static inline u64 vtr_counter_rate(void)
{
	return riscv_timebase;
}

static inline bool vtr_counter_is_steady(void)
{
	return true;
}

#else
static __always_inline u64 vtr_counter_ticks(void) { return 0; }
static inline u64 vtr_counter_ticks_ordered(void) { return 0; }
static inline u64 vtr_counter_rate(void) { return 0; }
static inline bool vtr_counter_is_steady(void) { return false; }
#endif

#ifndef CONFIG_ARM64
static __always_inline u64 vtr_counter_switch_ticks(void)
{
	return vtr_counter_ticks();
}

static __always_inline void vtr_counter_after_branch(void)
{
	smp_rmb();	/* Pairs with the release that the caller names. */
}
#endif

#ifndef CONFIG_X86
static inline bool vtr_counter_rate_is_known(void) { return false; }
#endif

#endif /* _VTR_COUNTER_H */
