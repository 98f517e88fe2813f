/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Edits of a tree: a seqcount-like write section on the tree's generation.
 *
 * Only inspect.c, which owns the trees, and publish.c, whose functions edit them,
 * include this header. The fast path of an edit is inline here; the slow
 * paths are in edit.c.
 *
 * The lock of a tree is the lowest bit of its generation. An odd generation excludes
 * other writers and warns readers. Unlike with seqlock_t, sequence number and lock
 * are one word, so that entering the write section takes one atomic instruction,
 * which makes a counter cheap enough for hot paths; and the word is in a page that
 * user space maps. Writers that find the bit set queue on a raw_spinlock_t, so that
 * only the first of them polls the cache line of the header, which readers use, too.
 *
 * The blocks, the heap and the reserve of a tree belong to the writer that made the
 * generation odd. Interrupts are off in the write section, because a preempted
 * writer would leave the generation odd for a scheduling quantum. Readers of the
 * pages, in the kernel and in user space, take no lock:
 *
 *   begin: generation odd, then smp_wmb()
 *   end:   smp_store_release(even)
 *
 * Pairs with snapshot_copy() in tools/lib/snapshot.c and with copy_try() in
 * inspect.c, which load the generation (acquire), copy, smp_rmb(), and load the
 * generation again. A copy between two equal even generations contains no part of
 * an edit.
 *
 * Writers help a reader in the kernel whose attempts failed too often (heap.h) by
 * copy-on-write: while the heap has a copy, writers save each page before they change
 * it, in vtr_heap_block() or, for a single block, in vtr_edit_begin_block(). No lock is
 * held for longer than it takes to copy a page.
 */
#ifndef _VTR_EDIT_H
#define _VTR_EDIT_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/irq_work.h>
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
#include <linux/workqueue.h>

#include <uapi/vitrine/map.h>

#include "area.h"
#include "tree.h"
#include "peek.h"

struct dentry;

/*
 * The entry of a tree in the directory of files, and refreshers, which update values of
 * a tree when its file is read. inspect.c owns the lists of both.
 */

/**
 * struct vtr_inspect_entry - a name and its file
 * @list: in inspect.c's list of entries
 * @is_retained: the tree was left behind by its publisher
 * @tree: the tree, or NULL for a lazy tree, which each open() creates (lazy.c)
 * @open: for a lazy tree: return the tree for one open file, with a reference, or an error
 *	pointer. Called in task context; may sleep
 * @destroy: destroy the object that the entry is of
 * @owner: address in the module with which the object is destroyed at the latest, or 0
 * @is_managed: the module need not destroy it
 * @file: the file; an error pointer; or NULL, as long as an earlier entry has this name
 * @name: name; retained trees have a name space of their own
 *
 * Embedded in the object that it names, which exists until the entry is unregistered.
 */
struct vtr_inspect_entry {
	struct list_head	list;
	bool			is_retained;
	struct vitrine_tree	*tree;
	struct vitrine_tree	*(*open)(struct vtr_inspect_entry *entry);
	void			(*destroy)(struct vtr_inspect_entry *entry);
	unsigned long		owner;
	bool			is_managed;
	struct dentry		*file;
	char			name[VITRINE_TREE_NAME_MAX + 1];
};

/**
 * struct vtr_inspect_refresher - updates values of a tree
 * @list: in the tree's list of refreshers, which inspect.c owns
 * @refresh: called in task context before a copy is made, when the file of the tree is
 *	opened, and once a second while the tree is mapped; calls for one tree are
 *	serialised. Must not create or destroy a tree, nor add or remove a refresher
 *	of this tree
 * @release: free the value together with the tree; may be NULL
 */
struct vtr_inspect_refresher {
	struct list_head list;
	void (*refresh)(struct vtr_inspect_refresher *refresher);
	void (*release)(struct vtr_inspect_refresher *refresher);
};

#ifndef CONFIG_64BIT
#error "the generation must be stored in one go"
#endif

/*
 * Number of pages in the reserve of a tree, for callers that cannot allocate. Every call
 * that may have used a page refills the reserve, if it can, or else has it refilled by an
 * irq_work. A tree that uses less than half of a page needs none: the rest of the page serves
 * as the reserve.
 */
#define VTR_EDIT_RESERVE_PAGES	2

/* States of struct vitrine_tree::misuse. */
#define VTR_EDIT_MISUSED	1
#define VTR_EDIT_MISUSE_LOGGED	2

/* Size of the notes that belong to one page; see tree.h. */
#define VTR_EDIT_NOTES_BYTES	(VTR_HEAP_BLOCKS_PER_PAGE * sizeof(u32))

/**
 * struct vtr_edit_page - tree and position of a page
 * @tree: the tree
 * @first: index of the first block of the page
 *
 * page_private() of a tree's page points to this structure. A handle is the address of
 * its block, so this is how a handle finds its tree and the index of the block.
 */
struct vtr_edit_page {
	struct vitrine_tree	*tree;
	u32			first;
};

/*
 * The tables with a slot for each page are one allocation: the physical addresses, in struct
 * vitrine_pages, the addresses, the notes, and struct vtr_edit_page. By default, a tree begins
 * with tables for one page. With the second page it gets those for all pages that it can have.
 * The first ones are kept, because handles lead to them.
 */
#define VTR_EDIT_SLOT_WORDS	5

/**
 * struct vitrine_tree - a tree
 * @generation: address of the generation in the header block; odd means locked
 * @owner: task whose batch has made the generation odd, else NULL; see
 *	vtr_edit_in_batch()
 * @depth: nesting depth of the owner's batches
 * @dep_map: represents the lock to lockdep
 * @key: lock class of this tree; one per tree, because batches of two trees may nest
 * @line: queue of writers that found the generation odd
 * @blocks: the hierarchy and its heap
 * @area: pages of the heap that are in use, for mappings
 * @edit_pages: one for each page that the tree can have
 * @pages: the tables, which begin with the physical addresses for readers of memory dumps
 * @old_pages: the tables that these have replaced, or NULL
 * @failed: number of creations and updates that failed
 * @kref: held by the publisher, open files and mappings
 * @entry: name and file
 * @refresh_lock: serialises refreshes and guards @refreshers
 * @refreshers: functions that update values, in the order in which they were added
 * @fold: refreshes the tree once a second while it is mapped
 * @copy_lock: serialises copies for which writers save pages
 * @stats: updates @figures; has no function while they are not shown
 * @figures: properties in which the tree shows its own usage, in the order in which publish.c
 *	describes them
 * @late: vtr_edit_late()
 * @misuse: 0, VTR_EDIT_MISUSED if a call had invalid arguments, or VTR_EDIT_MISUSE_LOGGED
 * @account: __GFP_ACCOUNT if the memory is charged to the cgroup of a reader, else 0
 * @may_sleep: all editors may sleep, so allocations wait for memory
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
	struct vitrine_pages	*pages, *old_pages;
	atomic_long_t		failed;
	struct kref		kref;
	struct vtr_inspect_entry entry;
	struct mutex		refresh_lock; /* guards @refreshers */
	struct list_head	refreshers;
	struct delayed_work	fold;
	struct mutex		copy_lock; /* guards the copy of @blocks' heap */
	struct vtr_inspect_refresher stats;
	struct vitrine_uint	*figures[5];
	struct irq_work		late;
	unsigned int		misuse;
	gfp_t			account;
	bool			may_sleep;
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
	/* Without the lock: the array may be replaced by a longer one. */
	return vtr_peek(tree->area.pages)[index / VTR_HEAP_BLOCKS_PER_PAGE] +
	       index % VTR_HEAP_BLOCKS_PER_PAGE * INSPECT_MIN_BLOCK_BYTES;
}

/**
 * vtr_edit_in_batch() - check whether the current context holds the lock
 * @tree: the tree
 *
 * The owner of a batch has interrupts off until its end, so only an NMI can interrupt
 * it. If @owner is the current task and the context is not NMI, the caller is therefore
 * inside its own batch. The task is compared rather than the CPU, because a task that
 * can still migrate could be mistaken for the owner by its CPU, but not by its identity.
 *
 * Context: any but NMI.
 * Return: true inside a batch of the current context.
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
 * vtr_edit_lock() - make the generation odd, unless a batch of this context did
 * @tree: the tree
 * @flags: for vtr_edit_unlock() or vtr_edit_end()
 *
 * Context: any.
 * Return: true if the caller holds the lock; false in NMI context if the tree is being
 *	edited, which is counted.
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
 * vtr_edit_unlock() - release the lock without a new generation
 * @tree: the tree; no byte of its file was changed, and no batch is open
 * @flags: from vtr_edit_lock()
 *
 * The generation gets its old value, so that copies made meanwhile remain valid.
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
 * Return: as vtr_edit_lock(); if false, the edit must not take place.
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
 * vtr_edit_begin_block() - begin an edit of one block
 * @tree: tree to edit
 * @block: the only block that the edit changes
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
 * vtr_edit_end() - end an edit: store the next even generation
 * @tree: the tree
 * @flags: from vtr_edit_begin()
 *
 * Inside a batch this has no effect; vitrine_batch_end() stores the generation.
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
	 * Pairs with the acquire load in copy_try(); see the head of this file. A plain load
	 * suffices: other writers only try to set the lowest bit, which is set.
	 */
	smp_store_release(tree->generation, READ_ONCE(*tree->generation) + 1);
	local_irq_restore(flags);
}

/**
 * vtr_edit_publish_pages() - make pages by which the heap has grown visible to mappings
 * @tree: tree whose blocks may have been allocated by the current edit
 *
 * Context: any, between vtr_edit_begin() and vtr_edit_end().
 */
static inline void vtr_edit_publish_pages(struct vitrine_tree *tree)
{
	/* Pairs with area_fault() in area.c. */
	smp_store_release(&tree->area.nr_pages, tree->blocks.heap.nr_pages);
}

/* Return the size of the reserve: a hint, read without the lock; both counts only grow. */
static inline unsigned int vtr_edit_reserve(const struct vitrine_tree *tree)
{
	unsigned int nr_pages = vtr_peek(tree->blocks.heap.nr_pages);

	return vtr_peek(tree->blocks.heap.nr_ready) - nr_pages;
}

/* For editors that may sleep: wait for memory, but do not invoke the OOM killer. */
#define VTR_EDIT_GFP_WAIT	(GFP_KERNEL | __GFP_RETRY_MAYFAIL)

/* For KUnit, which defines it: allocations fail unless their gfp flags include these. */
extern gfp_t vtr_edit_gfp_needed;

bool vtr_edit_add_tables(struct vitrine_tree *tree, unsigned int nr_pages, gfp_t gfp);
bool vtr_edit_add_page(struct vitrine_tree *tree, gfp_t gfp);
void vtr_edit_late(struct irq_work *work);
bool vtr_edit_refill_slow(struct vitrine_tree *tree);

/**
 * vtr_edit_refill() - make sure that VTR_EDIT_RESERVE_PAGES pages are in the reserve, if the tree
 *	needs one
 * @tree: the tree
 *
 * Context: any.
 */
static inline void vtr_edit_refill(struct vitrine_tree *tree)
{
	if (unlikely(vtr_edit_reserve(tree) < VTR_EDIT_RESERVE_PAGES) &&
	    vtr_peek(tree->blocks.heap.used_bytes) >= PAGE_SIZE / 2)
		vtr_edit_refill_slow(tree);
}

void vtr_edit_refuse(struct vitrine_tree *tree, int err);

#endif /* _VTR_EDIT_H */
