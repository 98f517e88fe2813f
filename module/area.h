/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page-backed memory that user space may map: a row of zeroed pages with a
 * growing part that is visible.
 */
#ifndef _VITRINE_AREA_H
#define _VITRINE_AREA_H

#include <linux/types.h>

struct vm_area_struct;

/**
 * struct vtr_area - a row of pages
 * @pages: kernel address of each page, NULL where there is none yet
 * @nr_pages: pages a mapping may touch; only grows. The owner stores it with
 *	smp_store_release() once the pages before it are filled in, the fault
 *	handler loads it with smp_load_acquire().
 * @max_pages: length of @pages, and the longest mapping allowed
 */
struct vtr_area {
	void		**pages;
	unsigned int	nr_pages;
	unsigned int	max_pages;
};

int vtr_area_init(struct vtr_area *area, unsigned int max_pages);
void vtr_area_deinit(struct vtr_area *area);
void *vtr_area_fill(struct vtr_area *area, unsigned int first,
		    unsigned int order, int node);
int vtr_area_mmap(struct vtr_area *area, struct vm_area_struct *vma,
		  unsigned int nr_writable);

#endif /* _VITRINE_AREA_H */
