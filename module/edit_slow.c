// SPDX-License-Identifier: GPL-2.0
/*
 * What an edit needs now and then only: to wait for its turn, and pages.
 *
 * No page is allocated under a tree's lock, which on PREEMPT_RT would sleep:
 * vtr_edit_refill() allocates before it, into a reserve that the heap takes
 * pages from as it grows. edit.h says who may touch what.
 */
#include <linux/bug.h>
#include <linux/gfp.h>
#include <linux/slab.h>

#include "edit.h"

/**
 * vtr_edit_lock_slow() - make the generation odd when it is so already
 * @tree: the tree
 * @flags: interrupt flags from before vtr_edit_lock() turned them off
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
 * vtr_edit_block_slow() - begin an edit of a block while others are about
 * @tree: the tree
 * @block: the block
 * @flags: interrupt flags from before they were turned off
 * @is_ours: is the generation odd because of this caller?
 *
 * If a copy of the tree is being made, it gets the block's page first.
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
	/* Pairs with the fence after the copy, see the head of edit.h. */
	smp_wmb();
	return true;
}

/**
 * vtr_edit_refuse() - count a call that was refused
 * @tree: tree it was made on
 * @err: why; -EINVAL is the caller's bug, of which the log is told once
 *
 * Context: any.
 */
void vtr_edit_refuse(struct vitrine_tree *tree, int err)
{
	atomic_long_inc(&tree->failed);
	WARN_ON_ONCE(err == -EINVAL);
}

/**
 * vtr_edit_label() - let handles in a page find their tree
 * @tree: the tree
 * @page: the page
 * @nr: which of the tree's pages it is to be
 *
 * Context: the tree's lock, or nobody else has the tree yet.
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
 * vtr_edit_unlabel() - say in all pages that no handle is good any more
 * @tree: the tree, which nobody edits any more
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
/* For suites: no page is had by those who may do less than this. */
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
 * @gfp: how
 *
 * Context: as @gfp allows, without the tree's lock.
 * Return: false without memory, or if the tree is at its limit.
 */
bool vtr_edit_add_page(struct vitrine_tree *tree, gfp_t gfp)
{
	struct vtr_heap *heap = &tree->blocks.heap;
	unsigned long flags;
	struct page *page;
	bool room = false;
	u32 *notes;

	/* A hint: it is looked at again with the lock. */
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
 * vtr_edit_refill_slow() - put pages into the reserve
 * @tree: the tree
 * @nr_pages: how many the edit to come may need; more than there are
 *
 * Nothing is allocated inside a batch, in NMI, and on PREEMPT_RT in atomic
 * context. A caller that may not be preempted might hold the run queue's lock,
 * so it does not wake kswapd.
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
	if (preemptible())
		gfp = GFP_NOWAIT;
	else if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return false;
	while (vtr_edit_reserve(tree) < nr_pages && vtr_edit_add_page(tree, gfp))
		added = true;
	return added;
}
