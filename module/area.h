/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page-backed memory that user space may map: an array of zeroed pages, of which a
 * growing part is visible. The locking rules are in area.c.
 */
#ifndef _VTR_AREA_H
#define _VTR_AREA_H

#include <linux/compiler.h>
#include <linux/types.h>

struct vm_area_struct;

/**
 * struct vtr_area - an array of pages
 * @pages: kernel address of each page, NULL if the page does not exist yet
 * @nr_pages: number of pages that a mapping may access; never decreases while there is one.
 *	The owner stores
 *	it with smp_store_release() after filling in @pages, and the fault handler loads
 *	it with smp_load_acquire()
 * @nr_slots: length of @pages
 * @max_pages: maximum length of @pages, and of the longest mapping
 * @nr_mappings: number of mappings
 */
struct vtr_area {
	void		**pages;
	unsigned int	nr_pages;
	unsigned int	nr_slots;
	unsigned int	max_pages;
	atomic_t	nr_mappings;
};

int vtr_area_init(struct vtr_area *area, unsigned int max_pages, gfp_t gfp);
void vtr_area_deinit(struct vtr_area *area);
void vtr_area_drop(struct vtr_area *area, unsigned int first);
void *vtr_area_fill(struct vtr_area *area, unsigned int first,
		    unsigned int order, int node);
ssize_t vtr_area_read(const struct vtr_area *area, char __user *buf,
		      size_t count, loff_t *pos);
bool vtr_area_is_mapped(const struct vtr_area *area);
int vtr_area_mmap(struct vtr_area *area, struct vm_area_struct *vma,
		  unsigned int nr_writable);

#endif /* _VTR_AREA_H */
