// SPDX-License-Identifier: GPL-2.0
/*
 * Host replacement of module/area.c: the same pages, from the C library, without
 * mappings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <asm/page.h>

#include "../../module/area.h"

/* Allocates all pages at once; the element after the array is their start. */
int vtr_area_init(struct vtr_area *area, unsigned int max_pages, gfp_t gfp)
{
	size_t len = max_pages * PAGE_SIZE;
	void *bytes = aligned_alloc(PAGE_SIZE, len);

	(void)gfp;
	area->pages = calloc(max_pages + 1, sizeof(*area->pages));
	area->nr_pages = 0;
	area->nr_mappings.counter = 0;
	area->max_pages = max_pages;
	if (!area->pages || !bytes) {
		free(area->pages);
		free(bytes);
		area->pages = NULL;
		return -ENOMEM;
	}
	area->pages[max_pages] = memset(bytes, 0, len);
	return 0;
}

void vtr_area_deinit(struct vtr_area *area)
{
	if (area->pages)
		free(area->pages[area->max_pages]);
	free(area->pages);
}

void vtr_area_drop(struct vtr_area *area, unsigned int first)
{
	while (area->nr_pages > first)
		area->pages[--area->nr_pages] = NULL;
}

bool vtr_area_is_mapped(const struct vtr_area *area)
{
	return area->nr_mappings.counter;
}

int vtr_area_mmap(struct vtr_area *area, struct vm_area_struct *vma, unsigned int nr_writable)
{
	(void)vma;
	(void)nr_writable;
	area->nr_mappings.counter++;
	return 0;
}

void *vtr_area_fill(struct vtr_area *area, unsigned int first, unsigned int order, int node)
{
	char *bytes = area->pages[area->max_pages];
	unsigned int i;

	(void)node;
	for (i = first; i < first + (1U << order); i++)
		area->pages[i] = bytes + i * PAGE_SIZE;
	return area->pages[first];
}
