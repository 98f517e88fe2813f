/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only place that knows kernel versions. Each entry says which release
 * changed what, and goes away with the last supported kernel before it.
 */
#ifndef _VITRINE_COMPAT_H
#define _VITRINE_COMPAT_H

#include <linux/mm.h>
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

#endif /* _VITRINE_COMPAT_H */
