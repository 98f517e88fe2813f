/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One edit of one tree: from handle to tree, the lock, the generation.
 *
 * Only inspect.c, which owns the trees, publish*.c and percpu.c, whose calls
 * edit them, and edit_slow.c include this.
 *
 * The lock is the generation's lowest bit: an odd generation means that
 * somebody is editing, to other writers as to readers. Setting it is one
 * atomic instruction that both needed anyway, which is what makes a counter
 * cheap enough for hot paths. Those who find it set wait in line on a
 * raw_spinlock_t, so that only the first of them looks at the header's cache
 * line, which readers look at too.
 *
 * Who may touch what: the tree's blocks, heap and reserve belong to whoever
 * made the generation odd. Interrupts are off meanwhile, since a writer that
 * was preempted would leave it odd for a scheduling quantum. Readers of the
 * pages, in the kernel and beyond, take no lock:
 *
 *   begin: generation odd, then smp_wmb()
 *   end:   smp_store_release(even)
 *
 * Pairs with snapshot_copy() in tools/lib/snapshot.c and with copy_try() in
 * inspect.c, which load the generation (acquire), copy, smp_rmb(), and load it
 * again: what they saw of an edit, they saw between an odd and an even one.
 *
 * A reader in the kernel that is disturbed too often has editors help it
 * (heap.h): while the heap has a copy, they save each page before they change
 * it. vtr_heap_block() sees to that, and vtr_edit_begin_block() for those who
 * have a block at hand. So no lock is held for longer than a page takes.
 */
#ifndef _VTR_EDIT_H
#define _VTR_EDIT_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/irqflags.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include <uapi/vitrine/map.h>
#include <vitrine/inspect.h>

#include "area.h"
#include "inspect.h"
#include "peek.h"
#include "tree.h"

#ifndef CONFIG_64BIT
#error "the generation must be stored in one go"
#endif

/*
 * Pages a tree keeps ready for those who cannot allocate: every call that may
 * use them first brings them back to this number, if it can.
 */
#define VTR_EDIT_RESERVE_PAGES	2

/* The heap's notes of one page. */
#define VTR_EDIT_NOTES_BYTES	(VTR_HEAP_BLOCKS_PER_PAGE * sizeof(u32))

/**
 * struct vtr_edit_page - what a page of a tree says about the handles in it
 * @tree: the tree
 * @first: index of the page's first block
 *
 * page_private() of a tree's page points to its own. A handle is the address
 * of its block, so it finds both without any memory of its own.
 */
struct vtr_edit_page {
	struct vitrine_tree	*tree;
	u32			first;
};

/**
 * struct vtr_edit_stats - the figures of a tree that the tree shows
 * @refresher: brings them up to date; without a function while not shown
 * @current_size: and so on: publish_stats.c says what each is
 * @maximum_size: see there
 * @used_size: see there
 * @values: see there
 * @failed: see there
 */
struct vtr_edit_stats {
	struct vtr_inspect_refresher refresher;
	struct vitrine_uint	*current_size, *maximum_size, *used_size;
	struct vitrine_uint	*values, *failed;
};

/**
 * struct vitrine_tree - a tree
 * @generation: where it stands, in the header block; odd is locked
 * @owner: task whose batch has made it odd, else NULL; see vtr_edit_in_batch()
 * @depth: batches begun within that batch, itself included
 * @dep_map: shows the lock to lockdep
 * @key: each tree is a lock class of its own: batches of two trees may nest
 * @line: where writers wait that found it odd
 * @blocks: the hierarchy and its heap
 * @area: the heap's pages, as far as they are in use, for mappings
 * @edit_pages: one for each page there may ever be
 * @pages: where they are, for who reads a dump of the memory
 * @failed: creations and updates refused or lost
 * @kref: held by the publisher, open files and mappings
 * @entry: its name and file
 * @refresh_lock: serialises refreshes and guards @refreshers
 * @refreshers: what brings values up to date, in the order it was added
 * @copy_lock: serialises the copies that @blocks' heap points to
 * @stats: figures it shows of itself
 * @module: whose tree it is, if it goes with that, else NULL; see managed.c
 */
struct vitrine_tree {
	u64			*generation;
	struct task_struct	*owner;
	unsigned int		depth;
	struct lockdep_map	dep_map;
	struct lock_class_key	key;
	raw_spinlock_t		line;
	struct vtr_tree		blocks;
	struct vtr_area		area;
	struct vtr_edit_page	*edit_pages;
	struct vitrine_pages	*pages;
	atomic_long_t		failed;
	struct kref		kref;
	struct vtr_inspect_entry entry;
	struct mutex		refresh_lock; /* of @refreshers */
	struct list_head	refreshers;
	struct mutex		copy_lock; /* of what saves a copy */
	struct vtr_edit_stats	stats;
	const struct module	*module;
};

static inline struct vtr_edit_page *vtr_edit_page(const void *handle)
{
	return (struct vtr_edit_page *)page_private(virt_to_page(handle));
}

static inline struct vitrine_tree *vtr_edit_tree(const void *handle)
{
	return vtr_edit_page(handle)->tree;
}

static inline u32 vtr_edit_index(const void *handle)
{
	return vtr_edit_page(handle)->first +
	       offset_in_page(handle) / INSPECT_MIN_BLOCK_BYTES;
}

static inline void *vtr_edit_handle(const struct vitrine_tree *tree, u32 index)
{
	return vtr_tree_address(&tree->blocks, index);
}

/**
 * vtr_edit_in_batch() - is the lock already ours?
 * @tree: the tree
 *
 * The owner of a batch has interrupts off until its end, so nothing but an NMI
 * runs on top of it: a task that finds itself here, in a context that is not
 * NMI, is inside its own batch. The task is compared rather than the CPU
 * because a task that may still migrate cannot be mistaken for another.
 *
 * Context: any but NMI.
 * Return: true inside a batch of this very context.
 */
static inline bool vtr_edit_in_batch(const struct vitrine_tree *tree)
{
	return READ_ONCE(tree->owner) == current;
}

static __always_inline bool vtr_edit_trylock(struct vitrine_tree *tree)
{
	return !test_and_set_bit_lock(0, (unsigned long *)tree->generation);
}

bool vtr_edit_lock_slow(struct vitrine_tree *tree, unsigned long flags);
bool vtr_edit_block_slow(struct vitrine_tree *tree, const void *block,
			 unsigned long flags, bool is_ours);

/**
 * vtr_edit_lock() - make the generation odd, unless this context's batch did
 * @tree: the tree
 * @flags: for vtr_edit_unlock() or vtr_edit_end()
 *
 * Context: any.
 * Return: true if the tree is the caller's now; false from NMI, if somebody is
 *	editing: counted.
 */
static __always_inline bool vtr_edit_lock(struct vitrine_tree *tree,
					  unsigned long *flags)
{
	local_irq_save(*flags);
	if (unlikely(!vtr_edit_trylock(tree)))
		return vtr_edit_lock_slow(tree, *flags);
	spin_acquire(&tree->dep_map, 0, in_nmi(), _RET_IP_);
	return true;
}

/**
 * vtr_edit_unlock() - give the tree back as it was
 * @tree: the tree; nothing in its file was changed, and no batch is open
 * @flags: from vtr_edit_lock()
 *
 * The generation is again what it was, so readers who copied meanwhile are
 * not disturbed.
 *
 * Context: any.
 */
static inline void vtr_edit_unlock(struct vitrine_tree *tree,
				   unsigned long flags)
{
	spin_release(&tree->dep_map, _RET_IP_);
	clear_bit_unlock(0, (unsigned long *)tree->generation);
	local_irq_restore(flags);
}

/**
 * vtr_edit_begin() - begin an edit
 * @tree: tree to edit
 * @flags: for vtr_edit_end()
 *
 * Context: any.
 * Return: as vtr_edit_lock(); after false the edit must not take place.
 */
static __always_inline bool vtr_edit_begin(struct vitrine_tree *tree,
					   unsigned long *flags)
{
	if (!vtr_edit_lock(tree, flags))
		return false;
	/* Pairs with the fence after the copy, see the head of this file. */
	smp_wmb();
	return true;
}

/**
 * vtr_edit_begin_block() - begin an edit of one block that is at hand
 * @tree: tree to edit
 * @block: the block, no other is changed
 * @flags: for vtr_edit_end()
 *
 * Context: any.
 * Return: as vtr_edit_begin().
 */
static __always_inline bool vtr_edit_begin_block(struct vitrine_tree *tree,
						 const void *block,
						 unsigned long *flags)
{
	local_irq_save(*flags);
	if (unlikely(!vtr_edit_trylock(tree)))
		return vtr_edit_block_slow(tree, block, *flags, false);
	if (unlikely(tree->blocks.heap.copy))
		return vtr_edit_block_slow(tree, block, *flags, true);
	spin_acquire(&tree->dep_map, 0, in_nmi(), _RET_IP_);
	/* Pairs with the fence after the copy, see the head of this file. */
	smp_wmb();
	return true;
}

/**
 * vtr_edit_end() - end an edit: the next even generation
 * @tree: the tree
 * @flags: from vtr_edit_begin()
 *
 * Inside a batch nothing happens; the batch's end does it.
 *
 * Context: any.
 */
static __always_inline void vtr_edit_end(struct vitrine_tree *tree,
					 unsigned long flags)
{
	if (tree->owner)
		return;
	spin_release(&tree->dep_map, _RET_IP_);
	/*
	 * Pairs with the load before the copy, see the head of this file. Others
	 * do not change it, but try to set the bit that is set.
	 */
	smp_store_release(tree->generation, READ_ONCE(*tree->generation) + 1);
	local_irq_restore(flags);
}

/**
 * vtr_edit_publish_pages() - let mappings see the pages the heap has grown by
 * @tree: tree being edited, by something that may have allocated blocks
 *
 * Context: any, between vtr_edit_begin() and vtr_edit_end().
 */
static inline void vtr_edit_publish_pages(struct vitrine_tree *tree)
{
	/* Pairs with area_fault() in area.c. */
	smp_store_release(&tree->area.nr_pages, tree->blocks.heap.nr_pages);
}

/* Pages in reserve. Read without the lock, so a hint; both counts only grow. */
static inline unsigned int vtr_edit_reserve(const struct vitrine_tree *tree)
{
	unsigned int nr_pages = vtr_peek(tree->blocks.heap.nr_pages);

	return vtr_peek(tree->blocks.heap.nr_ready) - nr_pages;
}

void vtr_edit_label(struct vitrine_tree *tree, struct page *page, u32 nr);
void vtr_edit_unlabel(struct vitrine_tree *tree);
bool vtr_edit_add_page(struct vitrine_tree *tree, gfp_t gfp);
#ifdef CONFIG_VITRINE_KUNIT
extern gfp_t vtr_edit_gfp_needed;
#endif
bool vtr_edit_refill_slow(struct vitrine_tree *tree, unsigned int nr_pages);

/**
 * vtr_edit_refill() - see to it that a number of pages are in reserve
 * @tree: the tree
 * @nr_pages: how many the edit to come may need
 *
 * Context: any.
 * Return: true if at least one page was added, so that an edit that found the
 *	heap full may fare better now.
 */
static inline bool vtr_edit_refill(struct vitrine_tree *tree,
				   unsigned int nr_pages)
{
	return unlikely(vtr_edit_reserve(tree) < nr_pages) &&
	       vtr_edit_refill_slow(tree, nr_pages);
}

void vtr_edit_refuse(struct vitrine_tree *tree, int err);

/**
 * vtr_edit_call() - make one call an edit
 * @tree: tree it edits
 * @call: the call, an expression; 0 or a negative errno
 *
 * Context: any.
 * Return: what @call returned, or -EBUSY if it was not made: counted.
 */
#define vtr_edit_call(tree, call)					\
({									\
	struct vitrine_tree *call_tree = (tree);			\
	unsigned long call_flags;					\
	int call_err = -EBUSY;						\
									\
	if (vtr_edit_begin(call_tree, &call_flags)) {			\
		call_err = (call);					\
		vtr_edit_end(call_tree, call_flags);			\
	}								\
	call_err;							\
})

/**
 * vtr_edit_grow() - make one call that may take blocks an edit
 * @tree: tree it edits
 * @nr_pages: how many it may need
 * @call: the call, an expression; 0 or a negative errno
 *
 * If it finds the heap full, and pages can be had, @call is made again.
 *
 * Context: any.
 * Return: as vtr_edit_call().
 */
#define vtr_edit_grow(tree, nr_pages, call)				\
({									\
	struct vitrine_tree *grow_tree = (tree);			\
	unsigned long grow_flags;					\
	int grow_err;							\
									\
	vtr_edit_refill(grow_tree, VTR_EDIT_RESERVE_PAGES);		\
	do {								\
		grow_err = -EBUSY;					\
		if (!vtr_edit_begin(grow_tree, &grow_flags))		\
			break;						\
		grow_err = (call);					\
		vtr_edit_publish_pages(grow_tree);			\
		vtr_edit_end(grow_tree, grow_flags);			\
	} while (grow_err == -ENOSPC &&					\
		 vtr_edit_refill(grow_tree, nr_pages));			\
	grow_err;							\
})

/* Pages that a string or byte vector and its name take at worst. */
static inline unsigned int vtr_edit_buffer_pages(size_t len_bytes)
{
	return len_bytes / (PAGE_SIZE - 2 * INSPECT_EXTENT_PAYLOAD_OFFSET) + 2;
}

/* Bytes of a string up to where it is too long anyway; NULL has none. */
static inline size_t vtr_edit_string_bytes(const char *value)
{
	return value ? strnlen(value, VITRINE_VALUE_MAX + 1) : 0;
}

/**
 * vtr_edit_slice() - values that go in one edit, of many that nobody can see
 * @blocks: hierarchy they are in
 *
 * All of them in NMI, where the next edit might not take place; one while a copy
 * is being made, since each may take some pages to save.
 *
 * Context: any.
 * Return: how many.
 */
static inline unsigned int vtr_edit_slice(const struct vtr_tree *blocks)
{
	if (in_nmi())
		return UINT_MAX;
	return vtr_peek(blocks->heap.copy) ? 1 : 32;
}

/**
 * vtr_edit_done() - count a call that did not do what it should
 * @tree: tree it was made on
 * @err: how it went, from vtr_edit_call() or vtr_edit_grow()
 *
 * Context: any.
 */
static inline void vtr_edit_done(struct vitrine_tree *tree, int err)
{
	if (err && err != -EBUSY)
		vtr_edit_refuse(tree, err);
}

/**
 * vtr_edit_created() - what a creation returns to the publisher
 * @tree: the tree
 * @err: how it went
 * @index: what was made, if @err is 0
 *
 * Context: any.
 * Return: the handle, or NULL: counted.
 */
static inline void *vtr_edit_created(struct vitrine_tree *tree, int err,
				     u32 index)
{
	if (!err)
		return vtr_edit_handle(tree, index);
	vtr_edit_done(tree, err);
	return NULL;
}

#endif /* _VTR_EDIT_H */
