/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measure the cost of a call, in a guest whose clock counts instructions.
 */
#ifndef _VITRINE_BENCH_MEASURE_H
#define _VITRINE_BENCH_MEASURE_H

#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/printk.h>

#define CALLS		200
#define ROUNDS		7

/* Define a function that makes its call @nr times. */
#define BENCH(name, call)						\
	static noinline void bench_##name(unsigned int nr)		\
	{								\
		unsigned int i;						\
									\
		for (i = 0; i < nr; i++) {				\
			call;						\
			barrier();					\
		}							\
	}

/* Return the minimum of several rounds, in instructions per call times 100. */
static u64 measure(void (*bench)(unsigned int nr))
{
	u64 best = U64_MAX;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		unsigned long flags;
		u64 start;

		local_irq_save(flags);
		start = ktime_get_mono_fast_ns();
		bench(CALLS);
		best = min(best, ktime_get_mono_fast_ns() - start);
		local_irq_restore(flags);
	}
	return div_u64(best * 100, CALLS);
}

/* Print what a call costs, without @loop around it. */
static inline void report(const char *name, void (*bench)(unsigned int nr),
			  void (*loop)(unsigned int nr))
{
	u64 cost = measure(bench) - measure(loop);

	pr_info("bench: %s %llu.%02llu\n", name, cost / 100, cost % 100);
}

#define REPORT(name, loop)	report(#name, bench_##name, bench_##loop)

#endif /* _VITRINE_BENCH_MEASURE_H */
