// SPDX-License-Identifier: GPL-2.0
/*
 * Page-backed memory and its mapping into a VMA.
 *
 * Concurrency: the owner fills @pages and publishes them by a release store of
 * @nr_pages; faults read both without a lock. Nothing is taken back before
 * vtr_area_deinit(), and a page that is still mapped then lives on by its own
 * reference count. The file that is mapped keeps the owner of the area alive.
 *
 * Every page is zeroed before it can be seen, so no stale kernel byte shows.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include "area.h"
#include "compat.h"

/**
 * vtr_area_init() - make an area without pages
 * @area: storage to set up
 * @max_pages: most pages it can ever hold
 *
 * Context: task, sleeps.
 * Return: 0, or -ENOMEM.
 */
int vtr_area_init(struct vtr_area *area, unsigned int max_pages)
{
	area->pages = kvcalloc(max_pages, sizeof(*area->pages), GFP_KERNEL);
	if (!area->pages)
		return -ENOMEM;
	area->nr_pages = 0;
	area->max_pages = max_pages;
	return 0;
}

/**
 * vtr_area_deinit() - drop all pages of an area
 * @area: area that nobody can fault on any more; zeroed storage is fine
 *
 * Context: task, sleeps.
 */
void vtr_area_deinit(struct vtr_area *area)
{
	unsigned int i;

	for (i = 0; i < area->max_pages; i++)
		if (area->pages[i])
			put_page(virt_to_page(area->pages[i]));
	kvfree(area->pages);
	area->pages = NULL;
	area->max_pages = 0;
	area->nr_pages = 0;
}

/**
 * vtr_area_fill() - put physically contiguous pages into an area
 * @area: area to fill; the caller publishes the pages through @area->nr_pages
 * @first: number of the first page, all of them still empty
 * @order: 1 << @order pages are added
 * @node: memory node to take them from, or NUMA_NO_NODE
 *
 * Each page gets a reference count of its own, so that each can stay mapped
 * alone.
 *
 * Context: task, sleeps.
 * Return: kernel address of the first page, or NULL without memory.
 */
void *vtr_area_fill(struct vtr_area *area, unsigned int first,
		    unsigned int order, int node)
{
	unsigned int i;
	struct page *page;

	/* Rather fail than have somebody killed for it. */
	page = alloc_pages_node(node, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN |
				__GFP_RETRY_MAYFAIL, order);
	if (!page)
		return NULL;
	split_page(page, order);
	for (i = 0; i < 1U << order; i++)
		area->pages[first + i] = page_address(page + i);
	return area->pages[first];
}

static vm_fault_t area_fault(struct vm_fault *vmf)
{
	struct vtr_area *area = vmf->vma->vm_private_data;
	struct page *page;
	/* Pairs with the owner's release: vtr_heap growth, ring creation. */
	unsigned int nr_pages = smp_load_acquire(&area->nr_pages);

	if (vmf->pgoff >= nr_pages)
		return VM_FAULT_SIGBUS;
	page = virt_to_page(area->pages[array_index_nospec(vmf->pgoff,
							   nr_pages)]);
	get_page(page);
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct area_vm_ops = {
	.fault = area_fault,
};

/**
 * vtr_area_mmap() - let user space map an area
 * @area: area to map; the mapped file must keep it alive
 * @vma: mapping being made, its offset counted from the area's first page
 * @nr_writable: a mapping that lies wholly within the area's first
 *	@nr_writable pages may be writable, no other
 *
 * Pages are found by the fault handler, so a mapping sees the area grow.
 *
 * Context: task, called with the mmap lock held.
 * Return: 0, -EPERM for a private, executable or forbidden writable mapping,
 *	-EINVAL for one that reaches past the area's limit.
 */
int vtr_area_mmap(struct vtr_area *area, struct vm_area_struct *vma,
		  unsigned int nr_writable)
{
	vm_flags_t forbidden = VM_MAYEXEC;
	unsigned long nr_pages = vma_pages(vma);

	/* VM_SHARED itself is gone when the file was opened read-only. */
	if (!(vma->vm_flags & VM_MAYSHARE) || (vma->vm_flags & VM_EXEC))
		return -EPERM;
	if (vma->vm_pgoff >= nr_writable ||
	    nr_pages > nr_writable - vma->vm_pgoff) {
		if (vma->vm_flags & VM_WRITE)
			return -EPERM;
		forbidden |= VM_MAYWRITE;
	}
	if (vma->vm_pgoff >= area->max_pages ||
	    nr_pages > area->max_pages - vma->vm_pgoff)
		return -EINVAL;

	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, forbidden);
	vma->vm_private_data = area;
	vma->vm_ops = &area_vm_ops;
	return 0;
}
