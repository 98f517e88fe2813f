/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only file with kernel version checks. Each entry names the release that changed
 * the interface, and is removed together with the last supported kernel before it.
 */
#ifndef _VTR_COMPAT_H
#define _VTR_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/version.h>

/* Export a function to the modules that say VITRINE_IMPORT. 6.13 made namespaces strings. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define VTR_EXPORT(function)	EXPORT_SYMBOL_NS_GPL(function, VITRINE)
#else
#define VTR_EXPORT(function)	EXPORT_SYMBOL_NS_GPL(function, "VITRINE")
#endif

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
 * 6.2 (f1a7941243c1) turned the page counts of a process into per-CPU counters, for which
 * get_mm_counter() returns the sum that has been folded so far.
 */
static inline u64 vtr_mm_pages(struct mm_struct *mm, int kind)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	return get_mm_counter(mm, kind);
#else
	return percpu_counter_sum_positive(&mm->rss_stat[kind]);
#endif
}

/* 6.4 (ac3b43283923) replaced the two layouts of a module by an array. */
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

/* 7.1 moved the counters of reclaim from the events of CPUs to those of nodes. */
#define VTR_RECLAIM_OF_NODES	(LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0))

/* 6.9 (74fa8f9c553f) added queue limits. Needs <linux/blkdev.h> at the place of use. */
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

/*
 * 6.16 added an argument to sched_process_exit: is this the last thread of its process?
 * All probes of this tracepoint have these parameters.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define VTR_SCHED_PROCESS_EXIT_PROTO	\
	void *unused, struct task_struct *task
#else
#define VTR_SCHED_PROCESS_EXIT_PROTO	\
	void *unused, struct task_struct *task, bool is_last
#endif

/*
 * 7.3 has the flags of a clone as u64, 6.12 as unsigned long. As below, the type is taken from the
 * tracepoint. Needs <trace/events/task.h> at the place of use.
 */
#define VTR_CLONE_FLAGS							\
	typeof(__builtin_choose_expr(					\
		__same_type(check_trace_callback_type_task_newtask,	\
			    void (void (*)(void *, struct task_struct *, u64))), \
		(u64)0, 0UL))

/*
 * 7.2 passes the time to probes of hrtimer_expire_entry by value instead of by reference.
 * The type is taken from the tracepoint, not from the version. Needs
 * <trace/events/timer.h> at the place of use.
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

/*
 * 6.12 exports stack_trace_save_tsk(); 6.1 does not. On x86 nothing needs it.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define VTR_HAS_STACK_TRACE_SAVE_TSK
#endif

/* 6.4 (54e6842d0775) has user workers besides those of io_uring. */
#ifdef PF_USER_WORKER
#define VTR_PF_USER_WORKER	PF_USER_WORKER
#else
#define VTR_PF_USER_WORKER	0
#endif

/*
 * Whether a thread on no CPU waits to run. 6.12 (152e11f6df29) leaves a thread that is
 * blocked on its run queue for a while.
 */
static inline bool vtr_task_is_queued(const struct task_struct *task)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
	return READ_ONCE(task->on_rq);
#else
	return READ_ONCE(task->on_rq) && !READ_ONCE(task->se.sched_delayed);
#endif
}

/* On 6.12 and 6.13 a caller that must not allocate has to say so, because of KASAN. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0) && \
	LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define VTR_TWA_RESUME	(TWA_RESUME | TWAF_NO_ALLOC)
#else
#define VTR_TWA_RESUME	TWA_RESUME
#endif

/*
 * Since 6.7 the path of a file that overlayfs has mapped is that of the layer; the path in
 * the overlay is separate. Needs <linux/fs.h> at the place of use.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define VTR_FILE_USER_PATH(file)	(&(file)->f_path)
#else
#define VTR_FILE_USER_PATH(file)	file_user_path(file)
#endif

/* 6.16 made DECLARE_TRACE() append "_tp" to the name; DECLARE_TRACE_EVENT() does not. */
#ifndef DECLARE_TRACE_EVENT
#define DECLARE_TRACE_EVENT	DECLARE_TRACE
#endif

/*
 * The header of the tracepoints of page faults, if this kernel has them. It was specific to
 * x86 before other architectures got these tracepoints. User-mode Linux finds the headers of
 * x86 but does not have its tracepoints. Some versions of sparse lack __has_include().
 */
#if defined(CONFIG_UML)
#elif defined(__CHECKER__) && defined(CONFIG_X86)
#define VTR_PAGE_FAULTS		<asm/trace/exceptions.h>
#elif __has_include(<asm/trace/exceptions.h>)
#define VTR_PAGE_FAULTS		<asm/trace/exceptions.h>
#elif __has_include(<trace/events/exceptions.h>)
#define VTR_PAGE_FAULTS		<trace/events/exceptions.h>
#endif

#endif /* _VTR_COMPAT_H */
