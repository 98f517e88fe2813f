/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only place that knows kernel versions. Each entry says which release
 * changed what, and goes away with the last supported kernel before it.
 */
#ifndef _VITRINE_COMPAT_H
#define _VITRINE_COMPAT_H

#include <linux/mm.h>
#include <linux/module.h>
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

#endif /* _VITRINE_COMPAT_H */
