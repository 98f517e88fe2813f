// SPDX-License-Identifier: GPL-2.0
/*
 * Page-backed memory and its mapping into a VMA.
 *
 * Concurrency: the owner of an area fills @pages and publishes them with a release store
 * of @nr_pages; the fault handler reads both without a lock, and the owner may replace @pages
 * by a longer copy. No page of a mapped area is
 * removed before vtr_area_deinit(); a page that is still mapped then is freed with its last
 * reference. The mapped file keeps the owner of the area alive.
 *
 * Every page is zeroed before it becomes visible, so that no stale kernel data leaks.
 */
#include <linux/gfp.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "area.h"
#include "compat.h"

/**
 * vtr_area_init() - create an area without pages
 * @area: storage to set up
 * @max_pages: maximum number of pages
 * @gfp: allocation flags of the table of pages
 *
 * Context: task; may sleep.
 * Return: 0, or -ENOMEM.
 */
int vtr_area_init(struct vtr_area *area, unsigned int max_pages, gfp_t gfp)
{
	area->pages = kvcalloc(max_pages, sizeof(*area->pages), gfp);
	if (!area->pages)
		return -ENOMEM;
	area->nr_pages = 0;
	area->nr_slots = max_pages;
	area->max_pages = max_pages;
	atomic_set(&area->nr_mappings, 0);
	return 0;
}

/**
 * vtr_area_drop() - drop the pages at the end of an area
 * @area: the area, of which no page from @first on is mapped or read
 * @first: number of the first page to drop
 *
 * Context: task.
 */
void vtr_area_drop(struct vtr_area *area, unsigned int first)
{
	unsigned int i;

	WRITE_ONCE(area->nr_pages, first);
	for (i = first; i < area->nr_slots; i++) {
		if (area->pages[i])
			put_page(virt_to_page(area->pages[i]));
		area->pages[i] = NULL;
	}
}

/**
 * vtr_area_deinit() - drop all pages of an area
 * @area: the area, on which no fault can occur any more; may be zeroed storage
 *
 * Context: task; may sleep.
 */
void vtr_area_deinit(struct vtr_area *area)
{
	vtr_area_drop(area, 0);
	kvfree(area->pages);
}

/**
 * vtr_area_fill() - add physically contiguous pages to an area
 * @area: the area; the caller publishes the pages through @area->nr_pages
 * @first: number of the first page; the area has none of the pages yet
 * @order: 1 << @order pages are added
 * @node: NUMA node to allocate from, or NUMA_NO_NODE
 *
 * The pages are split, so that each has its own reference count and can stay mapped
 * without the others.
 *
 * Context: task; may sleep.
 * Return: kernel address of the first page, or NULL if memory is short.
 */
void *vtr_area_fill(struct vtr_area *area, unsigned int first,
		    unsigned int order, int node)
{
	unsigned int i;
	struct page *page;

	/* Fail rather than invoke the OOM killer. */
	page = alloc_pages_node(node, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN |
				__GFP_RETRY_MAYFAIL, order);
	if (!page)
		return NULL;
	split_page(page, order);
	for (i = 0; i < 1U << order; i++)
		area->pages[first + i] = page_address(page + i);
	return area->pages[first];
}

/**
 * vtr_area_read() - copy from an area to user space
 * @area: the area, whose pages no longer change
 * @buf: destination
 * @count: maximum number of bytes
 * @pos: position; advanced
 *
 * Context: task; may sleep.
 * Return: bytes copied, 0 at the end, or -EFAULT.
 */
ssize_t vtr_area_read(const struct vtr_area *area, char __user *buf,
		      size_t count, loff_t *pos)
{
	loff_t end = (loff_t)area->nr_pages * PAGE_SIZE;
	size_t done = 0, len;

	while (done < count && *pos < end) {
		len = min_t(size_t, count - done,
			    PAGE_SIZE - offset_in_page(*pos));
		if (copy_to_user(buf + done, area->pages[*pos >> PAGE_SHIFT] +
				 offset_in_page(*pos), len))
			return done ?: -EFAULT;
		*pos += len;
		done += len;
	}
	return done;
}

static vm_fault_t area_fault(struct vm_fault *vmf)
{
	struct vtr_area *area = vmf->vma->vm_private_data;
	struct page *page;
	/* Pairs with vtr_edit_publish_pages() and with the creation of a ring in ring.c. */
	unsigned int nr_pages = smp_load_acquire(&area->nr_pages);

	if (vmf->pgoff >= nr_pages)
		return VM_FAULT_SIGBUS;
	page = virt_to_page(READ_ONCE(area->pages)[array_index_nospec(vmf->pgoff, nr_pages)]);
	get_page(page);
	vmf->page = page;
	return 0;
}

/* A mapping is split or inherited. */
static void area_open(struct vm_area_struct *vma)
{
	struct vtr_area *area = vma->vm_private_data;

	atomic_inc(&area->nr_mappings);
}

static void area_close(struct vm_area_struct *vma)
{
	struct vtr_area *area = vma->vm_private_data;

	atomic_dec(&area->nr_mappings);
}

static const struct vm_operations_struct area_vm_ops = {
	.open = area_open,
	.close = area_close,
	.fault = area_fault,
};

/**
 * vtr_area_is_mapped() - check whether an area is mapped
 * @area: the area
 *
 * Context: any.
 * Return: true if there is a mapping at this moment.
 */
bool vtr_area_is_mapped(const struct vtr_area *area)
{
	return atomic_read(&area->nr_mappings);
}

/**
 * vtr_area_mmap() - map an area into user space
 * @area: the area; the mapped file must keep it alive
 * @vma: the mapping; its offset counts from the first page of the area
 * @nr_writable: only a mapping that lies within the first @nr_writable pages may be
 *	writable
 *
 * The fault handler looks pages up, so a mapping sees pages that are added later.
 *
 * Context: task, with the mmap lock held.
 * Return: 0, -EPERM for a private, executable or forbidden writable mapping,
 *	-EINVAL if the mapping extends beyond the maximum size of the area.
 */
int vtr_area_mmap(struct vtr_area *area, struct vm_area_struct *vma,
		  unsigned int nr_writable)
{
	vm_flags_t forbidden = VM_MAYEXEC;
	unsigned long nr_pages = vma_pages(vma);

	/* VM_SHARED is cleared if the file was opened read-only; VM_MAYSHARE is not. */
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
	area_open(vma);
	return 0;
}
