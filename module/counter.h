/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CPU's own counter, the cheapest clock there is: the TSC on x86, CNTVCT on
 * arm64, time on riscv. Where it is steady it counts alike on all CPUs, whatever
 * they do.
 *
 * For each architecture
 *
 *   vtr_counter_ticks()	is the counter; any context, hot. Of two readings
 *				on one CPU the later one is not less
 *   vtr_counter_switch_ticks()	is the same in a probe of sched_switch, the hottest
 *				path
 *   vtr_counter_ticks_ordered() is in program order with all else, too
 *   vtr_counter_rate()		is how many ticks there are in a second, 0 if there
 *				is no counter that can be used
 *   vtr_counter_is_steady()	is whether it never stops nor changes its rate and
 *				is the same on all CPUs
 *
 * An arm64 CPU may read the counter as early as it executes other instructions,
 * so that readings come out of order; the barrier against this is an ISB, which
 * discards what the CPU has begun. A switch does without: the scheduler itself
 * has read its clock behind an ISB before it (update_rq_clock()), in the same
 * switch or in the wakeup that led to it.
 */
#ifndef _VITRINE_COUNTER_H
#define _VITRINE_COUNTER_H

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

static inline u64 vtr_counter_ticks_ordered(void)
{
	return __arch_counter_get_cntvct();
}

/* On some CPUs a reading can be wrong: the kernel corrects it, we do without. */
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
#endif

#endif /* _VITRINE_COUNTER_H */
