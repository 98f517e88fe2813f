// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetime of trees: pages, names, references, snapshots, retained trees, and trees that go
 * with their module.
 *
 * Concurrency: edit.h describes the access to the blocks of a tree. In addition:
 *
 *   entries_lock guards the list of entries: trees, lazy trees, retained trees
 *   files_lock	  guards which entries have a file; taken before entries_lock,
 *		  and never by code that open() may call, because debugfs_remove()
 *		  waits for open()
 *   refresh_lock per tree: serialises refreshes; taken before entries_lock
 *   copy_lock	  per tree: serialises snapshots for which writers save pages
 *
 * A page of a tree is freed together with the last reference to the tree, which
 * can be long after the publisher has destroyed the tree, because open files and
 * mappings hold references.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "compat.h"
#include "inspect.h"

#define LIMIT_DEFAULT_BYTES	(256U << 10)
/* Attempts to copy without help, after which writers save pages for the copy. */
#define COPY_TRIES		4

static DEFINE_MUTEX(files_lock);
static DEFINE_MUTEX(entries_lock);
static LIST_HEAD(entries);
static struct dentry *(*publish)(struct vtr_inspect_entry *entry);
static atomic_long_t refused;

#ifdef CONFIG_VITRINE_KUNIT
static void copy_observe(struct vitrine_tree *tree);
#else
static void copy_observe(struct vitrine_tree *tree)
{
}
#endif

/* Free what only edits need, and per-CPU values; no handle is valid any more. */
static void edits_free(struct vitrine_tree *tree)
{
	struct vtr_inspect_refresher *refresher, *next;
	u32 i;

	scoped_guard(mutex, &tree->refresh_lock)
		list_for_each_entry_safe(refresher, next, &tree->refreshers, list) {
			list_del(&refresher->list);
			if (refresher->release)
				refresher->release(refresher);
		}
	irq_work_sync(&tree->late);
	for (i = 0; i < tree->blocks.heap.nr_ready; i++) {
		set_page_private(virt_to_page(tree->area.pages[i]), 0);
		kfree(tree->blocks.notes[i]);
	}
	kvfree(tree->blocks.names);
}

static void tree_release(struct kref *kref)
{
	struct vitrine_tree *tree = container_of(kref, struct vitrine_tree, kref);

	cancel_delayed_work_sync(&tree->fold);
	if (!vtr_inspect_frozen(tree))
		edits_free(tree);
	vtr_area_drop(&tree->area, 0);
	/* No reader of a memory dump must find the freed pages. */
	if (tree->pages)
		WRITE_ONCE(tree->pages->magic, 0);
	kvfree(tree->pages);
	kvfree(tree->old_pages);
	lockdep_unregister_key(&tree->key);
	kfree(tree);
}

/* Refresh a tree for the readers of its mappings, and again in a second if there are any. */
static void fold(struct work_struct *work)
{
	struct vitrine_tree *tree = container_of(to_delayed_work(work),
						 struct vitrine_tree, fold);

	vtr_inspect_refresh(tree);
	if (vtr_area_is_mapped(&tree->area) && !vtr_inspect_frozen(tree))
		schedule_delayed_work(&tree->fold, HZ);
}

/**
 * vtr_inspect_create() - create a tree without a file
 * @name: name of the tree, which need not be unique before it is registered
 * @limit_bytes: maximum size in bytes, 0 for the default
 * @gfp: GFP_KERNEL, or GFP_KERNEL_ACCOUNT to charge the memory to the cgroup of the caller, or the
 *	one of set_active_memcg()
 *
 * Context: task; may sleep.
 * Return: the tree, to be released by vtr_inspect_put(), or NULL if memory is short.
 */
struct vitrine_tree *vtr_inspect_create(const char *name, size_t limit_bytes, gfp_t gfp)
{
	struct vitrine_tree *tree = kzalloc(sizeof(*tree), gfp);
	unsigned int max_pages;
	u64 generation = 0;

	if (!tree)
		return NULL;
	raw_spin_lock_init(&tree->line);
	lockdep_register_key(&tree->key);
	lockdep_init_map_wait(&tree->dep_map, "vitrine_tree", &tree->key, 0,
			      LD_WAIT_SPIN);
	mutex_init(&tree->refresh_lock);
	mutex_init(&tree->copy_lock);
	INIT_LIST_HEAD(&tree->refreshers);
	INIT_DEFERRABLE_WORK(&tree->fold, fold);
	init_irq_work(&tree->late, vtr_edit_late);
	kref_init(&tree->kref);
	tree->account = gfp & __GFP_ACCOUNT;
	tree->entry.tree = tree;
	strscpy(tree->entry.name, name, sizeof(tree->entry.name));
	/* Until there is the first page, which contains the generation. */
	tree->generation = &generation;

	limit_bytes = limit_bytes ?: LIMIT_DEFAULT_BYTES;
	max_pages = DIV_ROUND_UP(limit_bytes, PAGE_SIZE);
	tree->area.max_pages = max_pages;
	/* Larger tables might not be available where the second page is needed. */
	if (!vtr_edit_add_tables(tree, limit_bytes > LIMIT_DEFAULT_BYTES ? max_pages : 1, gfp) ||
	    !vtr_edit_add_page(tree, gfp)) {
		vtr_inspect_put(tree);
		return NULL;
	}
	vtr_tree_init(&tree->blocks);
	tree->generation = vtr_tree_block(&tree->blocks, 0) + 1;
	vtr_edit_publish_pages(tree);
	return tree;
}

/**
 * vtr_inspect_name_fault() - check the name of a tree
 * @name: the name, or NULL
 *
 * Context: any.
 * Return: NULL if the name is valid, else the reason, for the end of a message.
 */
const char *vtr_inspect_name_fault(const char *name)
{
	size_t len = name ? strnlen(name, VITRINE_TREE_NAME_MAX + 1) : 0;
	size_t i;

	if (!len)
		return "a tree needs a name";
	if (len > VITRINE_TREE_NAME_MAX)
		return "the name is longer than 63 bytes";
	for (i = 0; i < len; i++)
		if (name[i] == '/' || iscntrl(name[i]))
			return "the name contains a slash or a control character";
	return NULL;
}

/**
 * vtr_inspect_refuse() - count a tree that cannot be published, and log the reason
 * @name: name of the tree, or NULL
 * @fault: reason; NULL if memory is short, which the page allocator has logged
 *
 * Context: any.
 */
void vtr_inspect_refuse(const char *name, const char *fault)
{
	atomic_long_inc(&refused);
	if (fault)
		pr_warn("tree \"%.64s\" not published: %s\n", name ?: "", fault);
}

/**
 * vtr_inspect_allowed() - check name and limit of a tree
 * @name: name, or NULL
 * @limit_bytes: limit in bytes
 *
 * Context: task.
 * Return: true if both are valid. If not, the tree is counted as refused and the reason
 *	logged.
 */
bool vtr_inspect_allowed(const char *name, size_t limit_bytes)
{
	const char *fault = vtr_inspect_name_fault(name);

	if (!fault && limit_bytes > INSPECT_MAX_FILE_BYTES)
		fault = "the limit exceeds 256 MiB, the maximum of the format";
	if (fault)
		vtr_inspect_refuse(name, fault);
	return !fault;
}

/* Find an entry among the retained trees, or among all others; any entry if @name is NULL. */
static struct vtr_inspect_entry *find(bool is_retained, const char *name)
{
	struct vtr_inspect_entry *entry;

	guard(mutex)(&entries_lock);
	list_for_each_entry(entry, &entries, list)
		if (entry->is_retained == is_retained && (!name || !strcmp(entry->name, name)))
			return entry;
	return NULL;
}

/* Create the file of an entry, unless an earlier one has its name. */
static void file_create(struct vtr_inspect_entry *entry)
{
	bool is_first = find(entry->is_retained, entry->name) == entry;

	entry->file = publish && is_first ? publish(entry) : NULL;
}

/**
 * vtr_inspect_register() - add an entry and create its file
 * @entry: the entry, with tree or open(), and name set
 *
 * Retained trees have a directory of their own. If the name is taken, this is counted and logged,
 * and the file is created when the entries of this name that were added before are removed.
 *
 * Context: task; may sleep.
 */
void vtr_inspect_register(struct vtr_inspect_entry *entry)
{
	guard(mutex)(&files_lock);
	if (find(entry->is_retained, entry->name))
		vtr_inspect_refuse(entry->name, "another tree has this name");
	scoped_guard(mutex, &entries_lock)
		list_add_tail(&entry->list, &entries);
	file_create(entry);
}

/**
 * vtr_inspect_unregister() - remove an entry and its file
 * @entry: entry that vtr_inspect_register() has added
 *
 * Waits for open() calls on the file. The next entry of this name gets a file.
 *
 * Context: task; may sleep.
 */
void vtr_inspect_unregister(struct vtr_inspect_entry *entry)
{
	struct vtr_inspect_entry *next;

	guard(mutex)(&files_lock);
	debugfs_remove(entry->file);
	scoped_guard(mutex, &entries_lock)
		list_del(&entry->list);
	next = find(entry->is_retained, entry->name);
	if (next && !next->file)
		file_create(next);
}

/**
 * vtr_inspect_freeze() - end the edits of a tree forever
 * @tree: the tree, of which no handle is in use any more
 *
 * Waits for a refresh in progress. The generation tells readers that the contents are
 * final. Per-CPU values, and memory that only edits need, are freed.
 *
 * Context: task; may sleep.
 */
void vtr_inspect_freeze(struct vitrine_tree *tree)
{
	struct vtr_heap *heap = &tree->blocks.heap;
	unsigned long flags;

	edits_free(tree);
	/* No copy takes the lock of the tree any more after this one is released. */
	guard(mutex)(&tree->copy_lock);
	vtr_edit_lock(tree, &flags);
	spin_release(&tree->dep_map, _RET_IP_);
	/* Pairs with the readers' acquire loads, as in vtr_edit_end(). */
	smp_store_release(tree->generation, INSPECT_GENERATION_FROZEN);
	local_irq_restore(flags);
	vtr_area_drop(&tree->area, heap->nr_pages);
	heap->nr_ready = heap->nr_pages;
}

void vitrine_tree_destroy(struct vitrine_tree *tree)
{
	if (!tree)
		return;
	vtr_inspect_unregister(&tree->entry);
	vtr_inspect_freeze(tree);
	vtr_inspect_put(tree);
}
VTR_EXPORT(vitrine_tree_destroy);

static void tree_forget(struct vtr_inspect_entry *entry)
{
	vitrine_tree_destroy(entry->tree);
}

struct vitrine_tree *vitrine_tree_create_for(struct module *owner,
					     const char *name,
					     size_t limit_bytes, bool managed)
{
	struct vitrine_tree *tree;

	if (!vtr_inspect_allowed(name, limit_bytes))
		return NULL;
	tree = vtr_inspect_create(name, limit_bytes, GFP_KERNEL);
	if (!tree) {
		vtr_inspect_refuse(name, NULL);
		return NULL;
	}
	/* A module contains its own description. */
	tree->entry.owner = (unsigned long)owner;
	tree->entry.is_managed = managed;
	tree->entry.destroy = tree_forget;
	vtr_inspect_register(&tree->entry);
	/* Pairs with the READ_ONCE() of VITRINE_UPDATE(): the tree before its handle. */
	smp_wmb();
	return tree;
}
VTR_EXPORT(vitrine_tree_create_for);

struct vitrine_node *vitrine_tree_root(struct vitrine_tree *tree)
{
	return tree ? vtr_edit_handle(tree, INSPECT_ROOT) : NULL;
}
VTR_EXPORT(vitrine_tree_root);

/*
 * For the later layers
 */

/**
 * vtr_inspect_set_publish() - set the function that creates files
 * @new_publish: creates the file of an entry and returns it, or an error pointer; NULL to remove
 *	all files. The entry is valid until the file is removed, so open() of the file may call
 *	vtr_inspect_open(). May sleep; must not create or destroy a tree
 *
 * Files of existing entries are created at once.
 *
 * Context: task; may sleep.
 */
void vtr_inspect_set_publish(struct dentry *(*new_publish)(struct vtr_inspect_entry *entry))
{
	struct vtr_inspect_entry *entry;

	/* Entries are added and removed only with files_lock held. */
	guard(mutex)(&files_lock);
	publish = new_publish;
	list_for_each_entry(entry, &entries, list) {
		debugfs_remove(entry->file);
		file_create(entry);
	}
}

/**
 * vtr_inspect_get() - take a reference to a tree
 * @tree: the tree, which another reference keeps alive
 *
 * The pages of the tree and their contents stay until vtr_inspect_put().
 *
 * Context: any.
 * Return: @tree.
 */
struct vitrine_tree *vtr_inspect_get(struct vitrine_tree *tree)
{
	kref_get(&tree->kref);
	return tree;
}

/**
 * vtr_inspect_put() - drop a reference to a tree
 * @tree: the tree
 *
 * Context: task; may sleep.
 */
void vtr_inspect_put(struct vitrine_tree *tree)
{
	kref_put(&tree->kref, tree_release);
}

/**
 * vtr_inspect_open() - return the tree for an open file
 * @entry: entry of the file, which is not removed yet
 *
 * Context: task; may sleep.
 * Return: the tree, with a reference for the caller; for a lazy tree, also the error of
 *	lazy_open().
 */
struct vitrine_tree *vtr_inspect_open(struct vtr_inspect_entry *entry)
{
	return entry->tree ? vtr_inspect_get(entry->tree) : entry->open(entry);
}

/**
 * vtr_inspect_frozen() - check whether a tree is frozen
 * @tree: the tree
 *
 * Context: any.
 * Return: true after vtr_inspect_freeze().
 */
bool vtr_inspect_frozen(const struct vitrine_tree *tree)
{
	/* Pairs with vtr_inspect_freeze(): the contents are final. */
	return smp_load_acquire(tree->generation) == INSPECT_GENERATION_FROZEN;
}

void vitrine_tree_may_sleep(struct vitrine_node *node)
{
	if (node)
		vtr_edit_tree(node)->may_sleep = true;
}
VTR_EXPORT(vitrine_tree_may_sleep);

unsigned long vitrine_tree_nr_failed(struct vitrine_node *node)
{
	return node ? atomic_long_read(&vtr_edit_tree(node)->failed) : 0;
}
VTR_EXPORT(vitrine_tree_nr_failed);

bool vitrine_tree_reserve(struct vitrine_node *node, size_t len_bytes)
{
	struct vitrine_tree *tree;
	struct vtr_heap *heap;

	if (!node)
		return false;
	tree = vtr_edit_tree(node);
	heap = &tree->blocks.heap;
	/* Free bytes include the reserve, and need not be contiguous. */
	while (vtr_peek(heap->nr_ready) * PAGE_SIZE - vtr_peek(heap->used_bytes) < len_bytes)
		if (!vtr_edit_add_page(tree, VTR_EDIT_GFP_WAIT)) {
			vtr_edit_refuse(tree, -ENOSPC);
			return false;
		}
	return true;
}
VTR_EXPORT(vitrine_tree_reserve);

/**
 * vtr_inspect_refused() - return the number of trees that could not be published
 *
 * Context: any.
 * Return: their number since the module was loaded.
 */
unsigned long vtr_inspect_refused(void)
{
	return atomic_long_read(&refused);
}

/**
 * vtr_inspect_visit() - call a function for all entries
 * @fn: the function; must not create or destroy an entry
 * @ctx: last argument of @fn
 *
 * Context: task; may sleep.
 */
void vtr_inspect_visit(void (*fn)(struct vtr_inspect_entry *entry, void *ctx), void *ctx)
{
	struct vtr_inspect_entry *entry;

	guard(mutex)(&entries_lock);
	list_for_each_entry(entry, &entries, list)
		fn(entry, ctx);
}

/**
 * vtr_inspect_add_refresher() - add a function that updates values of a tree
 * @tree: the tree
 * @refresher: refresher with @refresh set; runs after those that were added before
 *
 * The refreshers of a tree no longer run once the tree is destroyed.
 *
 * Context: task; may sleep.
 */
void vtr_inspect_add_refresher(struct vitrine_tree *tree,
			       struct vtr_inspect_refresher *refresher)
{
	guard(mutex)(&tree->refresh_lock);
	list_add_tail(&refresher->list, &tree->refreshers);
}

/**
 * vtr_inspect_remove_refresher() - remove a refresher
 * @tree: the tree
 * @refresher: the refresher; no call is in progress after return
 *
 * Context: task; may sleep. Not from a refresher of this tree.
 */
void vtr_inspect_remove_refresher(struct vitrine_tree *tree,
				  struct vtr_inspect_refresher *refresher)
{
	guard(mutex)(&tree->refresh_lock);
	list_del(&refresher->list);
}

/**
 * vtr_inspect_refresh() - run the refreshers of a tree
 * @tree: the tree
 *
 * Context: task; may sleep.
 */
void vtr_inspect_refresh(struct vitrine_tree *tree)
{
	struct vtr_inspect_refresher *refresher;

	guard(mutex)(&tree->refresh_lock);
	list_for_each_entry(refresher, &tree->refreshers, list)
		refresher->refresh(refresher);
}

/**
 * vtr_inspect_mmap() - map a tree into user space
 * @tree: the tree, to which the mapped file holds a reference
 * @vma: the mapping
 *
 * However many mappings a tree has, its refreshers run once a second for all of them.
 *
 * Context: task, with the mmap lock held.
 * Return: as vtr_area_mmap().
 */
int vtr_inspect_mmap(struct vitrine_tree *tree, struct vm_area_struct *vma)
{
	int err = vtr_area_mmap(&tree->area, vma, 0);

	if (!err)
		schedule_delayed_work(&tree->fold, HZ);
	return err;
}

/*
 * Copies, into a buffer with room for the @nr pages that the tree had when the buffer was
 * allocated. If the tree has grown since, the functions fail, and the caller tries again.
 */

static void copy_page_to(void *bytes, const struct vitrine_tree *tree, u32 nr)
{
	memcpy(bytes + nr * PAGE_SIZE, tree->area.pages[nr], PAGE_SIZE);
}

/* Copy without the lock. Return false if an edit took place meanwhile, or the tree has grown. */
static bool copy_try(const struct vitrine_tree *tree, void *bytes, u32 nr)
{
	/* Pairs with vtr_edit_end(): all stores of the last edit are visible. */
	u64 generation = smp_load_acquire(tree->generation);
	u32 i;

	/* Pairs with vtr_edit_publish_pages(). */
	if (generation & 1 || smp_load_acquire(&tree->area.nr_pages) != nr)
		return false;
	for (i = 0; i < nr; i++) {
		/* The race is intended: a copy during an edit is discarded below. */
		data_race((copy_page_to(bytes, tree, i), 0));
		/* Pairs with vtr_edit_begin(): a copy that has stores of an edit sees it odd. */
		smp_rmb();
		if (READ_ONCE(*tree->generation) != generation)
			return false;
		cond_resched();
	}
	return true;
}

/*
 * From here on all writers save pages before they change them. Return false if the tree has
 * grown.
 */
static bool copy_begin(struct vitrine_tree *tree, struct vtr_heap_copy *copy,
		       u64 *generation)
{
	struct vtr_heap *heap = &tree->blocks.heap;
	unsigned long flags;

	vtr_edit_lock(tree, &flags);
	*generation = *tree->generation & ~1ULL;
	if (heap->nr_pages == copy->nr_pages)
		heap->copy = copy;
	vtr_edit_unlock(tree, flags);
	return heap->copy;
}

/*
 * Save the pages that no writer has saved, holding the lock for one page at a time. With the
 * last page the copy is complete.
 */
static void copy_rest(struct vitrine_tree *tree, u32 nr)
{
	struct vtr_heap *heap = &tree->blocks.heap;
	unsigned long flags;
	u32 i;

	for (i = 0; i < nr; i++) {
		vtr_edit_lock(tree, &flags);
		vtr_heap_save(heap, i * VTR_HEAP_BLOCKS_PER_PAGE);
		if (i == nr - 1)
			heap->copy = NULL;
		vtr_edit_unlock(tree, flags);
		copy_observe(tree);
		cond_resched();
	}
}

/*
 * Copy by copy-on-write while writers edit the tree: the copy is the tree at the moment
 * this function began. Each page is saved by the next writer that changes it or by this
 * reader, whichever is first.
 */
static int copy_saved(struct vitrine_tree *tree, void *bytes, u32 nr)
{
	struct vtr_heap_copy copy = { .bytes = bytes, .nr_pages = nr };
	int err = -EAGAIN;
	u64 generation;

	copy.is_saved = kvcalloc(nr, sizeof(*copy.is_saved), GFP_KERNEL_ACCOUNT);
	if (!copy.is_saved)
		return -ENOMEM;
	mutex_lock(&tree->copy_lock);
	/* Nobody takes the lock of a tree that is frozen, and the next attempt succeeds. */
	if (!vtr_inspect_frozen(tree) && copy_begin(tree, &copy, &generation)) {
		copy_observe(tree);
		copy_rest(tree, nr);
		((u64 *)bytes)[1] = generation;
		err = 0;
	}
	mutex_unlock(&tree->copy_lock);
	kvfree(copy.is_saved);
	return err;
}

static int copy_tree(struct vitrine_tree *tree, void *bytes, u32 nr)
{
	u32 i;

	for (i = 0; i < COPY_TRIES; i++) {
		if (copy_try(tree, bytes, nr))
			return 0;
		cpu_relax();
	}
	return copy_saved(tree, bytes, nr);
}

/**
 * vtr_inspect_snapshot() - make a consistent copy of a tree
 * @tree: the tree, whose refreshers run first
 * @ret: the copy, a valid file with an even generation, to be freed by kvfree()
 * @ret_len: length of the copy in bytes
 *
 * Only the first few attempts can fail because of writers; after that writers save pages
 * for the copy. No writer waits, and no interrupt is off, for longer than it takes to copy
 * a page.
 *
 * Context: task; may sleep.
 * Return: 0, -ENOMEM.
 */
int vtr_inspect_snapshot(struct vitrine_tree *tree, void **ret,
			 size_t *ret_len)
{
	void *copied;
	int err;
	u32 nr;

	vtr_inspect_refresh(tree);
	do {
		/* Pairs with vtr_edit_publish_pages(). A guess; each attempt reads it again. */
		nr = smp_load_acquire(&tree->area.nr_pages);
		copied = kvmalloc_array(nr, PAGE_SIZE, GFP_KERNEL_ACCOUNT);
		if (!copied)
			return -ENOMEM;
		err = copy_tree(tree, copied, nr);
		if (err)
			kvfree(copied);
	} while (err == -EAGAIN);
	if (err)
		return err;
	*ret = copied;
	*ret_len = nr * PAGE_SIZE;
	return 0;
}

/*
 * Retained trees: the last contents of destroyed trees, frozen, until dropped.
 *
 * Concurrency: @retained_lock guards all data of this section, and which trees are retained.
 */

static unsigned int retained_max = 16;
module_param(retained_max, uint, 0444);
MODULE_PARM_DESC(retained_max, "Maximum number of retained trees, 0 for none (default: 16)");

static unsigned int retained_kb = 4096;
module_param(retained_kb, uint, 0444);
MODULE_PARM_DESC(retained_kb, "Maximum size of all retained trees together in KiB (default: 4096)");

static DEFINE_MUTEX(retained_lock);
static unsigned int nr_trees;
static size_t nr_bytes;
static unsigned long nr_dropped;

/* Return the size of the pages and of their tables. */
static size_t bytes_of(const struct vitrine_tree *tree)
{
	return tree->area.nr_pages * PAGE_SIZE +
	       struct_size(tree->pages, numbers, VTR_EDIT_SLOT_WORDS * tree->area.nr_slots);
}

static void drop(struct vtr_inspect_entry *entry)
{
	nr_trees--;
	nr_bytes -= bytes_of(entry->tree);
	vtr_inspect_unregister(entry);
	vtr_inspect_put(entry->tree);
}

/* Drop the tree that a new one replaces, and the oldest ones until the new one fits. */
static bool make_room(const struct vitrine_tree *tree)
{
	struct vtr_inspect_entry *other = find(true, tree->entry.name);
	size_t max_bytes = retained_kb * 1024UL;

	if (!retained_max || bytes_of(tree) > max_bytes)
		return false;
	while (other || nr_trees >= retained_max ||
	       nr_bytes + bytes_of(tree) > max_bytes) {
		drop(other ?: find(true, NULL));
		WRITE_ONCE(nr_dropped, nr_dropped + 1);
		other = NULL;
	}
	return true;
}

void vitrine_tree_retain(struct vitrine_tree *tree)
{
	if (!tree)
		return;
	vtr_inspect_unregister(&tree->entry);
	vtr_inspect_refresh(tree);
	vtr_inspect_freeze(tree);
	guard(mutex)(&retained_lock);
	if (make_room(tree)) {
		nr_trees++;
		nr_bytes += bytes_of(tree);
		tree->entry.is_retained = true;
		tree->entry.owner = 0;
		vtr_inspect_register(&tree->entry);
	} else {
		WRITE_ONCE(nr_dropped, nr_dropped + 1);
		vtr_inspect_put(tree);
	}
}
VTR_EXPORT(vitrine_tree_retain);

/**
 * vtr_retained_drop() - drop a retained tree
 * @name: name of the tree, or "*" for all
 *
 * Files that are open or mapped keep the tree.
 *
 * Context: task; may sleep.
 * Return: 0, or -ENOENT if no retained tree has that name.
 */
int vtr_retained_drop(char *name)
{
	bool all = !strcmp(name, "*");
	struct vtr_inspect_entry *entry;
	int err = all ? 0 : -ENOENT;

	guard(mutex)(&retained_lock);
	while ((entry = find(true, all ? NULL : name))) {
		drop(entry);
		err = 0;
	}
	return err;
}

/**
 * vtr_retained_dropped() - return how many trees were dropped because of the limits
 *
 * Context: any.
 * Return: number of trees since the module was loaded that were replaced by later ones or
 *	did not fit.
 */
unsigned long vtr_retained_dropped(void)
{
	return READ_ONCE(nr_dropped);
}

/*
 * Trees that are destroyed together with their device or module, because they are
 * managed or because the module has forgotten them.
 *
 * Concurrency: the owner of an entry does not change; a retained tree has none. The owner is read
 * when that module is unloaded or has failed to load, when none of its code runs any more, or
 * when its publisher has left. vitrine itself cannot be unloaded before, because the module
 * depends on its symbols or vitrine makes its publisher leave.
 */

static void tree_release_managed(void *tree)
{
	vitrine_tree_destroy(tree);
}

struct vitrine_tree *devm_vitrine_tree_create(struct device *dev,
					      const char *name,
					      size_t limit_bytes)
{
	struct vitrine_tree *tree = vitrine_tree_create(name, limit_bytes);

	if (!tree || devm_add_action_or_reset(dev, tree_release_managed, tree))
		return NULL;
	return tree;
}
VTR_EXPORT(devm_vitrine_tree_create);

/* Return what a module has left, lazy trees first, or NULL. */
static struct vtr_inspect_entry *entry_of(const struct module *module)
{
	struct vtr_inspect_entry *entry, *found = NULL;

	guard(mutex)(&entries_lock);
	list_for_each_entry(entry, &entries, list)
		if (within_module(entry->owner, module) && (!found || !entry->tree))
			found = entry;
	return found;
}

/**
 * vtr_inspect_module_goes() - destroy the trees and lazy trees that belong to a module
 * @module: module whose exit function has returned or whose init function has failed, or
 *	whose publisher vitrine has told to forget its handles
 * @is_expected: the module need not have destroyed them
 *
 * Context: task; may sleep.
 */
void vtr_inspect_module_goes(const struct module *module, bool is_expected)
{
	struct vtr_inspect_entry *entry;

	while ((entry = entry_of(module))) {
		if (!entry->is_managed && !is_expected)
			pr_warn("module %s has not destroyed its %stree \"%s\"; it is destroyed now\n",
				module->name, entry->tree ? "" : "lazy ", entry->name);
		entry->destroy(entry);
	}
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/inspect_kunit.c"
#endif
