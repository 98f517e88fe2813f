/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only place that knows kernel versions. Each entry says which release
 * changed what, and goes away with the last supported kernel before it.
 */
#ifndef _VITRINE_COMPAT_H
#define _VITRINE_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/timekeeping.h>
#include <linux/version.h>

/* 6.3 (bc292ab00f6c) made vm_flags read-only and added its accessors. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set,
				vm_flags_t clear)
{
	vma->vm_flags |= set;
	vma->vm_flags &= ~clear;
}
#endif

/*
 * 6.2 (f1a7941243c1) made the counts of a process's pages sums over CPUs, of
 * which get_mm_counter() returns what has been folded.
 */
static inline u64 vtr_mm_pages(struct mm_struct *mm, int kind)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	return get_mm_counter(mm, kind);
#else
	return percpu_counter_sum_positive(&mm->rss_stat[kind]);
#endif
}

/* 6.4 (ac3b43283923) replaced a module's two layouts by an array. */
static inline u64 vtr_module_bytes(const struct module *module)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
	return module->core_layout.size + module->init_layout.size;
#else
	u64 bytes = 0;

	for_each_mod_mem_type(type)
		bytes += module->mem[type].size;
	return bytes;
#endif
}

/* 6.9 (74fa8f9c553f) passes limits. For files that include <linux/blkdev.h>. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
#define VTR_BLK_ALLOC_DISK()	blk_alloc_disk(NUMA_NO_NODE)
#else
#define VTR_BLK_ALLOC_DISK()	blk_alloc_disk(NULL, NUMA_NO_NODE)
#endif

/*
 * 6.13 (908a1d775422) added hrtimer_setup(); 6.15 (9779489a31d7) removed
 * hrtimer_init().
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* 6.16 tells the probes of sched_process_exit who is the last of a process. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define VTR_SCHED_PROCESS_EXIT_PROTO	\
	void *unused, struct task_struct *task
#else
#define VTR_SCHED_PROCESS_EXIT_PROTO	\
	void *unused, struct task_struct *task, bool is_last
#endif

/*
 * By 7.2 the tracepoint hrtimer_expire_entry had come to pass the time by value,
 * not by reference: of which kind it is, the tracepoint says itself. For files
 * that include <trace/events/timer.h>.
 */
#define VTR_HRTIMER_NOW							\
	typeof(__builtin_choose_expr(					\
		__same_type(check_trace_callback_type_hrtimer_expire_entry, \
			    void (void (*)(void *, struct hrtimer *, ktime_t *))), \
		(ktime_t *)NULL, (ktime_t)0))

/*
 * 7.2 (eba302268a01, b21d442c9aeb) replaced ktime_get_snapshot() by
 * ktime_get_snapshot_id().
 */
static inline u64 vtr_clocksource_cycles(void)
{
	struct system_time_snapshot snapshot;

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
	ktime_get_snapshot(&snapshot);
#else
	ktime_get_snapshot_id(CLOCK_MONOTONIC, &snapshot);
#endif
	return snapshot.cycles;
}

#endif /* _VITRINE_COMPAT_H */
