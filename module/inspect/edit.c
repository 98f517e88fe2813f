// SPDX-License-Identifier: GPL-2.0
/*
 * The slow paths of an edit: waiting for the lock of a tree, and adding pages to its
 * reserve. edit.h has the locking rules.
 *
 * No page is allocated while the lock of a tree is held: on PREEMPT_RT, the page
 * allocator may sleep. vtr_edit_refill() allocates beforehand, into a reserve from which
 * the heap takes pages as it grows.
 */
#include <linux/bug.h>
#include <linux/gfp.h>
#include <linux/slab.h>

#include "edit.h"

/**
 * vtr_edit_lock_slow() - make the generation odd after the first attempt failed
 * @tree: the tree
 * @flags: interrupt flags from before vtr_edit_lock() disabled interrupts
 *
 * Context: any, interrupts off.
 * Return: as vtr_edit_lock().
 */
bool vtr_edit_lock_slow(struct vitrine_tree *tree, unsigned long flags)
{
	if (in_nmi()) {
		atomic_long_inc(&tree->failed);
		local_irq_restore(flags);
		return false;
	}
	if (vtr_edit_in_batch(tree))
		return true;

	raw_spin_lock(&tree->line);
	while (!vtr_edit_trylock(tree))
		while (READ_ONCE(*tree->generation) & 1)
			cpu_relax();
	raw_spin_unlock(&tree->line);
	spin_acquire(&tree->dep_map, 0, 0, _RET_IP_);
	return true;
}

/**
 * vtr_edit_block_slow() - begin an edit of a block despite contention or a copy
 * @tree: the tree
 * @block: the block
 * @flags: interrupt flags from before interrupts were disabled
 * @is_ours: this caller has made the generation odd already
 *
 * If a copy of the tree is in progress, the page of the block is saved for it first.
 *
 * Context: any, interrupts off.
 * Return: as vtr_edit_lock().
 */
bool vtr_edit_block_slow(struct vitrine_tree *tree, const void *block,
			 unsigned long flags, bool is_ours)
{
	struct vtr_heap *heap = &tree->blocks.heap;

	if (is_ours)
		spin_acquire(&tree->dep_map, 0, in_nmi(), _RET_IP_);
	else if (!vtr_edit_lock_slow(tree, flags))
		return false;
	vtr_heap_save(heap, vtr_edit_index(block));
	/* Pairs with smp_rmb() in copy_try(); see the head of edit.h. */
	smp_wmb();
	return true;
}

/**
 * vtr_edit_refuse() - count a call that failed
 * @tree: the tree
 * @err: reason; -EINVAL is a bug of the caller and warns once
 *
 * Context: any.
 */
void vtr_edit_refuse(struct vitrine_tree *tree, int err)
{
	atomic_long_inc(&tree->failed);
	WARN_ON_ONCE(err == -EINVAL);
}

/**
 * vtr_edit_label() - connect a page with its tree, so that handles find the tree
 * @tree: the tree
 * @page: the page
 * @nr: number of the page in the tree
 *
 * Context: with the lock of the tree held, or before the tree is visible to others.
 */
void vtr_edit_label(struct vitrine_tree *tree, struct page *page, u32 nr)
{
	struct vtr_edit_page *edit_page = &tree->edit_pages[nr];

	edit_page->tree = tree;
	edit_page->first = nr * VTR_HEAP_BLOCKS_PER_PAGE;
	tree->pages->numbers[nr] = page_to_pfn(page);
	tree->pages->nr_pages = nr + 1;
	set_page_private(page, (unsigned long)edit_page);
}

/**
 * vtr_edit_unlabel() - disconnect all pages from a tree, so that handles are invalid
 * @tree: the tree, which is no longer edited
 *
 * Context: task.
 */
void vtr_edit_unlabel(struct vitrine_tree *tree)
{
	u32 i;

	for (i = 0; i < tree->blocks.heap.nr_ready; i++)
		set_page_private(virt_to_page(tree->area.pages[i]), 0);
}

#ifdef CONFIG_VITRINE_KUNIT
/* For KUnit: allocations fail unless their gfp flags include these. */
gfp_t vtr_edit_gfp_needed;

static bool is_denied(gfp_t gfp)
{
	return ~gfp & vtr_edit_gfp_needed;
}
#else
static bool is_denied(gfp_t gfp)
{
	return false;
}
#endif

/**
 * vtr_edit_add_page() - allocate one page into the reserve
 * @tree: the tree
 * @gfp: allocation flags
 *
 * Context: as @gfp allows, without the lock of the tree.
 * Return: false if memory is short or the tree is at its limit.
 */
bool vtr_edit_add_page(struct vitrine_tree *tree, gfp_t gfp)
{
	struct vtr_heap *heap = &tree->blocks.heap;
	unsigned long flags;
	struct page *page;
	bool room = false;
	u32 *notes;

	/* Only a hint; checked again under the lock. */
	if (vtr_peek(heap->nr_ready) >= tree->area.max_pages || is_denied(gfp))
		return false;
	page = alloc_page(gfp | __GFP_NOWARN | __GFP_ZERO);
	notes = kmalloc(VTR_EDIT_NOTES_BYTES, gfp | __GFP_NOWARN);
	if (!page || !notes)
		goto out_free;

	vtr_edit_lock(tree, &flags);
	room = heap->nr_ready < tree->area.max_pages;
	if (room) {
		vtr_edit_label(tree, page, heap->nr_ready);
		vtr_tree_add_page(&tree->blocks, page_address(page), notes);
	}
	vtr_edit_unlock(tree, flags);

out_free:
	if (!room) {
		kfree(notes);
		if (page)
			__free_page(page);
	}
	return room;
}

/**
 * vtr_edit_refill_slow() - allocate pages into the reserve
 * @tree: the tree
 * @nr_pages: pages that the next edit may need; more than the reserve has
 *
 * Allocates nothing in a batch, in NMI context, and in atomic context on PREEMPT_RT. A
 * caller with preemption disabled might hold the lock of a run queue, so the allocation
 * must not wake kswapd. Allocations wait for memory only in trees for which
 * vitrine_tree_may_sleep() was called.
 *
 * Context: any.
 * Return: as vtr_edit_refill().
 */
bool vtr_edit_refill_slow(struct vitrine_tree *tree, unsigned int nr_pages)
{
	bool added = false;
	gfp_t gfp = 0;

	if (in_nmi() || vtr_edit_in_batch(tree))
		return false;
	if (tree->may_sleep)
		gfp = VTR_EDIT_GFP_WAIT;
	else if (preemptible())
		gfp = GFP_NOWAIT;
	else if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return false;
	while (vtr_edit_reserve(tree) < nr_pages && vtr_edit_add_page(tree, gfp))
		added = true;
	return added;
}
