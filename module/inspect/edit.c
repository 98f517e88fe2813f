// SPDX-License-Identifier: GPL-2.0
/*
 * The slow paths of an edit: waiting for the lock of a tree, and adding pages to its
 * reserve. edit.h has the locking rules.
 *
 * No page is allocated while the lock of a tree is held: on PREEMPT_RT, the page
 * allocator may sleep. vtr_edit_refill() allocates beforehand, into a reserve from which
 * the heap takes pages as it grows. A caller may hold a lock of the page allocator or of
 * printk() itself; what needs these is left to an irq_work.
 */
#include <linux/container_of.h>
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
 * @err: reason; -EINVAL is a bug of the caller, which is logged once for each tree
 *
 * The message is printed by vtr_edit_late(), because the caller may hold a lock that printk()
 * takes, such as that of a run queue.
 *
 * Context: any.
 */
void vtr_edit_refuse(struct vitrine_tree *tree, int err)
{
	atomic_long_inc(&tree->failed);
	if (err == -EINVAL && !cmpxchg(&tree->misuse, 0, VTR_EDIT_MISUSED))
		irq_work_queue(&tree->late);
}

/**
 * vtr_edit_add_tables() - replace the tables of a tree by larger ones
 * @tree: the tree, which has at most one page, or none yet
 * @nr_pages: number of pages for which the new tables have room
 * @gfp: allocation flags
 *
 * Context: as @gfp allows, without the lock of the tree.
 * Return: false if memory is short.
 */
bool vtr_edit_add_tables(struct vitrine_tree *tree, unsigned int nr_pages, gfp_t gfp)
{
	u32 nr_names = roundup_pow_of_two(clamp(nr_pages * 16, 64U, 64U << 10));
	struct vtr_tree_name *names = kvcalloc(nr_names, sizeof(*names), gfp);
	struct vitrine_pages *old, *new;
	void **pages, **notes;
	unsigned long flags;
	bool is_whole;

	new = kvzalloc(struct_size(new, numbers, VTR_EDIT_SLOT_WORDS * nr_pages), gfp);
	is_whole = names && new;
	vtr_edit_lock(tree, &flags);
	if (is_whole && tree->area.nr_slots < nr_pages) {
		pages = (void **)new->numbers + nr_pages;
		notes = pages + nr_pages;
		old = tree->pages;
		strscpy(new->name, tree->entry.name, sizeof(new->name));
		if (old) {
			*new->numbers = *old->numbers;
			*pages = *tree->area.pages;
			*notes = *tree->blocks.notes;
			new->nr_pages = old->nr_pages;
			old->magic = 0;
		}
		new->magic = VITRINE_PAGES_MAGIC;
		names = vtr_tree_use_names(&tree->blocks, names, nr_names);
		tree->blocks.notes = (u32 **)notes;
		tree->edit_pages = (struct vtr_edit_page *)(notes + nr_pages);
		tree->blocks.heap.pages = pages;
		/* Pairs with the address dependency of area_fault() and vtr_edit_handle(). */
		smp_store_release(&tree->area.pages, pages);
		tree->area.nr_slots = nr_pages;
		tree->old_pages = old;
		tree->pages = new;
		new = NULL;
	}
	vtr_edit_unlock(tree, flags);
	kvfree(names);
	kvfree(new);
	return is_whole;
}

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
	u32 *notes, nr;

	/* Only a hint; checked again under the lock. */
	if (vtr_peek(heap->nr_ready) >= tree->area.max_pages)
		return false;
	if (IS_ENABLED(CONFIG_VITRINE_KUNIT) && ~gfp & vtr_edit_gfp_needed)
		return false;
	gfp |= tree->account | __GFP_NOWARN;
	if (vtr_peek(heap->nr_ready) == vtr_peek(tree->area.nr_slots) &&
	    !vtr_edit_add_tables(tree, tree->area.max_pages, gfp))
		return false;
	page = alloc_page(gfp | __GFP_ZERO);
	notes = kmalloc(VTR_EDIT_NOTES_BYTES, gfp);
	if (!page || !notes)
		goto out_free;

	vtr_edit_lock(tree, &flags);
	nr = heap->nr_ready;
	room = nr < tree->area.nr_slots;
	if (room) {
		/* The page leads to its tree, so that handles find the tree. */
		tree->edit_pages[nr].tree = tree;
		tree->edit_pages[nr].first = nr * VTR_HEAP_BLOCKS_PER_PAGE;
		set_page_private(page, (unsigned long)&tree->edit_pages[nr]);
		tree->pages->numbers[nr] = page_to_pfn(page);
		tree->pages->nr_pages = nr + 1;
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
 * vtr_edit_late() - do what the caller of an edit could not do in its context
 * @work: the tree's irq_work
 *
 * Context: interrupt, with no lock held that the page allocator or printk() takes; on
 *	PREEMPT_RT a thread.
 */
void vtr_edit_late(struct irq_work *work)
{
	struct vitrine_tree *tree = container_of(work, struct vitrine_tree,
						 late);

	while (vtr_edit_reserve(tree) < VTR_EDIT_RESERVE_PAGES &&
	       vtr_edit_add_page(tree, GFP_NOWAIT))
		;
	if (cmpxchg(&tree->misuse, VTR_EDIT_MISUSED, VTR_EDIT_MISUSE_LOGGED) == VTR_EDIT_MISUSED)
		pr_warn("vitrine: tree \"%s\": a call had invalid arguments, or was for another type or a deleted value\n",
			tree->entry.name);
}

/* Let vtr_edit_late() refill the reserve: at once if interrupts are on. */
static bool refill_later(struct vitrine_tree *tree)
{
	struct vtr_heap *heap = &tree->blocks.heap;
	u32 nr_ready = vtr_peek(heap->nr_ready);

	if (nr_ready >= tree->area.max_pages)
		return false;
	irq_work_queue(&tree->late);
	return vtr_peek(heap->nr_ready) != nr_ready;
}

/**
 * vtr_edit_refill_slow() - allocate pages until VTR_EDIT_RESERVE_PAGES are in the reserve
 * @tree: the tree
 *
 * A caller that cannot be preempted might hold the lock of a run queue, or one of the page
 * allocator: it takes pages of the reserve, and an irq_work refills the reserve. Other
 * callers allocate, and wait for memory only in trees for which vitrine_tree_may_sleep()
 * was called.
 *
 * Context: any.
 * Return: true if at least one page was added, so that an edit that has found the heap full may
 *	succeed if repeated.
 */
bool vtr_edit_refill_slow(struct vitrine_tree *tree)
{
	bool added = false;
	gfp_t gfp = tree->may_sleep ? VTR_EDIT_GFP_WAIT : GFP_NOWAIT;

	/* preemptible() is always false if the kernel does not count. */
	if (!preemptible() && (!tree->may_sleep || vtr_edit_in_batch(tree)))
		return refill_later(tree);
	while (vtr_edit_reserve(tree) < VTR_EDIT_RESERVE_PAGES && vtr_edit_add_page(tree, gfp))
		added = true;
	return added;
}
