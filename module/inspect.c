// SPDX-License-Identifier: GPL-2.0
/*
 * Trees: their pages, their names, their copies.
 *
 * Concurrency: edit.h says who may touch a tree's blocks. Besides:
 *
 *   entries_lock guards the list of entries: trees, and what lazy.c adds
 *   files_lock	  guards which entries have a file; taken before entries_lock,
 *		  and never by what a file's open() may call, since withdraw()
 *		  waits for that
 *   refresh_lock one tree's; taken before entries_lock
 *   copy_lock	  one tree's: one copy at a time is saved while others edit
 *
 * A page, once in a tree, stays until the last reference to the tree is gone,
 * which may be long after its publisher: open files and mappings hold
 * references.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "edit.h"
#include "inspect.h"
#include "peek.h"

#define LIMIT_DEFAULT_BYTES	(256U << 10)
/* Copies tried without the lock before one is made that writers help with. */
#define COPY_TRIES		4

static DEFINE_MUTEX(files_lock);
static DEFINE_MUTEX(entries_lock);
static LIST_HEAD(entries);
static const struct vtr_inspect_files *files;
static atomic_long_t refused;

#ifdef CONFIG_VITRINE_KUNIT
static void copy_observe(struct vitrine_tree *tree);
#else
static void copy_observe(struct vitrine_tree *tree)
{
}
#endif

static void notes_free(struct vitrine_tree *tree)
{
	u32 i;

	if (!tree->blocks.notes) /* frozen */
		return;
	for (i = 0; i < tree->blocks.heap.nr_ready; i++)
		kfree(tree->blocks.notes[i]);
	kvfree(tree->blocks.notes);
	tree->blocks.notes = NULL;
}

static u32 names_for(size_t limit_bytes)
{
	return roundup_pow_of_two(clamp_t(size_t, limit_bytes / 256, 64,
					  64 << 10));
}

/* Nobody shall find it in a dump any more. */
static void pages_free(struct vitrine_tree *tree)
{
	if (tree->pages)
		WRITE_ONCE(tree->pages->magic, 0);
	kvfree(tree->pages);
}

static void tree_free(struct vitrine_tree *tree)
{
	vtr_edit_unlabel(tree);
	notes_free(tree);
	vtr_area_deinit(&tree->area);
	kvfree(tree->blocks.names);
	kvfree(tree->edit_pages);
	pages_free(tree);
	lockdep_unregister_key(&tree->key);
	kfree(tree);
}

static void tree_release(struct kref *kref)
{
	tree_free(container_of(kref, struct vitrine_tree, kref));
}

static struct vitrine_pages *pages_alloc(const char *name,
					 unsigned int max_pages)
{
	struct vitrine_pages *pages;

	pages = kvzalloc(struct_size(pages, numbers, max_pages), GFP_KERNEL);
	if (!pages)
		return NULL;
	strscpy(pages->name, name, sizeof(pages->name));
	pages->magic = VITRINE_PAGES_MAGIC;
	return pages;
}

static struct vitrine_tree *tree_alloc(const char *name, size_t limit_bytes)
{
	unsigned int max_pages = DIV_ROUND_UP(limit_bytes, PAGE_SIZE);
	u32 nr_names = names_for(limit_bytes);
	struct vtr_tree_name *names;
	struct vitrine_tree *tree;
	struct page *page;
	u32 **notes;

	tree = kzalloc(sizeof(*tree), GFP_KERNEL);
	names = kvcalloc(nr_names, sizeof(*names), GFP_KERNEL);
	notes = kvcalloc(max_pages, sizeof(*notes), GFP_KERNEL);
	page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!tree || !names || !notes || !page)
		goto err_memory;
	notes[0] = kmalloc(VTR_EDIT_NOTES_BYTES, GFP_KERNEL);
	tree->edit_pages = kvcalloc(max_pages, sizeof(*tree->edit_pages),
				    GFP_KERNEL);
	tree->pages = pages_alloc(name, max_pages);
	if (!notes[0] || !tree->edit_pages || !tree->pages ||
	    vtr_area_init(&tree->area, max_pages))
		goto err_edit_pages;

	raw_spin_lock_init(&tree->line);
	lockdep_register_key(&tree->key);
	lockdep_init_map_wait(&tree->dep_map, "vitrine_tree", &tree->key, 0,
			      LD_WAIT_SPIN);
	mutex_init(&tree->refresh_lock);
	mutex_init(&tree->copy_lock);
	INIT_LIST_HEAD(&tree->refreshers);
	kref_init(&tree->kref);
	tree->entry.tree = tree;
	strscpy(tree->entry.name, name, sizeof(tree->entry.name));
	vtr_edit_label(tree, page, 0);
	vtr_tree_init(&tree->blocks, tree->area.pages, page_address(page),
		      notes, names, nr_names);
	tree->generation = vtr_tree_block(&tree->blocks, 0) + 1;
	vtr_edit_publish_pages(tree);
	while (vtr_edit_reserve(tree) < VTR_EDIT_RESERVE_PAGES &&
	       vtr_edit_add_page(tree, GFP_KERNEL))
		;
	return tree;

err_edit_pages:
	pages_free(tree);
	kvfree(tree->edit_pages);
	kfree(notes[0]);
err_memory:
	if (page)
		__free_page(page);
	kvfree(notes);
	kvfree(names);
	kfree(tree);
	return NULL;
}

/**
 * vtr_inspect_name_fault() - what is wrong with the name of a tree?
 * @name: the name, or NULL
 *
 * Context: any.
 * Return: that, as the end of a sentence, or NULL if nothing is.
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
			return "the name has a slash or a control character";
	return NULL;
}

/**
 * vtr_inspect_refuse() - count a tree that is not made, and say why
 * @name: its name, or NULL
 * @fault: why, or NULL for lack of memory, of which the log knows already
 *
 * Context: any.
 */
void vtr_inspect_refuse(const char *name, const char *fault)
{
	atomic_long_inc(&refused);
	if (fault)
		pr_warn("tree \"%.64s\" not made: %s\n", name ?: "", fault);
}

/**
 * vtr_inspect_allowed() - may a tree be called so and be so large?
 * @name: name of a tree to be, or NULL
 * @limit_bytes: its limit
 *
 * Context: task.
 * Return: true, or false: counted, and the log says why.
 */
bool vtr_inspect_allowed(const char *name, size_t limit_bytes)
{
	const char *fault = vtr_inspect_name_fault(name);

	if (!fault && limit_bytes > INSPECT_MAX_FILE_BYTES)
		fault = "the limit is above the format's 256 MiB";
	if (fault)
		vtr_inspect_refuse(name, fault);
	return !fault;
}

/* Retained trees have a directory of their own. */
static bool same_name(const struct vtr_inspect_entry *a,
		      const struct vtr_inspect_entry *b)
{
	return (a->kind == VTR_INSPECT_RETAINED) ==
	       (b->kind == VTR_INSPECT_RETAINED) && !strcmp(a->name, b->name);
}

/**
 * vtr_inspect_register() - give something a name and a file
 * @entry: it; kind, tree or open(), and name are filled in
 *
 * All files of a directory have different names, whatever kind they are.
 *
 * Context: task, sleeps.
 * Return: true, or false if the name is taken: counted, and the log says so.
 */
bool vtr_inspect_register(struct vtr_inspect_entry *entry)
{
	struct vtr_inspect_entry *other;
	bool taken = false;

	mutex_lock(&files_lock);
	mutex_lock(&entries_lock);
	list_for_each_entry(other, &entries, list)
		taken = taken || same_name(other, entry);
	if (!taken)
		list_add_tail(&entry->list, &entries);
	mutex_unlock(&entries_lock);
	if (!taken && files)
		entry->file = files->publish(entry);
	mutex_unlock(&files_lock);
	if (taken)
		vtr_inspect_refuse(entry->name, "another tree has this name");
	return !taken;
}

/**
 * vtr_inspect_unregister() - take name and file away again
 * @entry: what vtr_inspect_register() returned true for
 *
 * Nobody is opening the file any more when this returns.
 *
 * Context: task, sleeps.
 */
void vtr_inspect_unregister(struct vtr_inspect_entry *entry)
{
	mutex_lock(&files_lock);
	if (files)
		files->withdraw(entry->file);
	mutex_lock(&entries_lock);
	list_del(&entry->list);
	mutex_unlock(&entries_lock);
	mutex_unlock(&files_lock);
}

/* From here on nothing refreshes the tree, and no call is under way. */
static void refreshers_drop(struct vitrine_tree *tree)
{
	mutex_lock(&tree->refresh_lock);
	while (!list_empty(&tree->refreshers))
		list_del_init(tree->refreshers.next);
	mutex_unlock(&tree->refresh_lock);
}

/**
 * vtr_inspect_freeze() - end a tree's edits for good
 * @tree: the tree, of which nobody has a handle any more
 *
 * Nothing refreshes it any more, and no refresh is under way. The generation
 * says to readers that nothing more will come. What only edits need is freed.
 *
 * Context: task, sleeps.
 */
void vtr_inspect_freeze(struct vitrine_tree *tree)
{
	struct vtr_heap *heap = &tree->blocks.heap;
	unsigned long flags;
	u32 i;

	refreshers_drop(tree);
	vtr_edit_unlabel(tree);
	vtr_edit_lock(tree, &flags);
	spin_release(&tree->dep_map, _RET_IP_);
	/* Pairs with the readers' loads, as vtr_edit_end() does. */
	smp_store_release(tree->generation, INSPECT_GENERATION_FROZEN);
	local_irq_restore(flags);

	notes_free(tree);
	for (i = heap->nr_pages; i < heap->nr_ready; i++) {
		put_page(virt_to_page(tree->area.pages[i]));
		tree->area.pages[i] = NULL;
	}
	heap->nr_ready = heap->nr_pages;
	kvfree(tree->blocks.names);
	tree->blocks.names = NULL;
	kvfree(tree->edit_pages);
	tree->edit_pages = NULL;
}

/**
 * vtr_inspect_create_private() - make a tree without a file
 * @name: its name, which need not be unlike others'
 * @limit_bytes: how large it may grow, 0 for the default
 *
 * Context: task, sleeps.
 * Return: the tree, which goes with vtr_inspect_put(), or NULL without memory.
 */
struct vitrine_tree *vtr_inspect_create_private(const char *name,
						size_t limit_bytes)
{
	return tree_alloc(name, limit_bytes ?: LIMIT_DEFAULT_BYTES);
}

/**
 * vitrine_tree_create() - make a tree, which is one Inspect file
 * @name: its name; the file is <name>.inspect
 * @limit_bytes: how large it may grow, rounded up to pages; 0 for 256 KiB
 *
 * The tree starts with a page and grows as it is filled. A name may be used
 * by one tree at a time, has at most 63 bytes and neither a slash nor control
 * characters.
 *
 * Context: task, sleeps.
 * Return: the tree, or NULL: the log says why, unless memory ran out.
 */
struct vitrine_tree *vitrine_tree_create(const char *name, size_t limit_bytes)
{
	struct vitrine_tree *tree;

	if (!vtr_inspect_allowed(name, limit_bytes))
		return NULL;
	tree = vtr_inspect_create_private(name, limit_bytes);
	if (!tree) {
		vtr_inspect_refuse(name, NULL);
		return NULL;
	}
	if (!vtr_inspect_register(&tree->entry)) {
		tree_free(tree);
		return NULL;
	}
	return tree;
}
EXPORT_SYMBOL_GPL(vitrine_tree_create);

/**
 * vitrine_tree_destroy() - remove a tree and its file
 * @tree: the tree, or NULL
 *
 * All its handles are dead from here on. Who has the file open or mapped
 * keeps what the tree held last.
 *
 * Context: task, sleeps.
 */
void vitrine_tree_destroy(struct vitrine_tree *tree)
{
	if (!tree)
		return;
	vtr_inspect_unregister(&tree->entry);
	vtr_inspect_freeze(tree);
	vtr_inspect_put(tree);
}
EXPORT_SYMBOL_GPL(vitrine_tree_destroy);

/**
 * vitrine_tree_root() - the node that everything else goes below
 * @tree: the tree, or NULL
 *
 * Context: any.
 * Return: its handle, NULL for NULL. The root cannot be deleted.
 */
struct vitrine_node *vitrine_tree_root(struct vitrine_tree *tree)
{
	return tree ? vtr_edit_handle(tree, INSPECT_ROOT) : NULL;
}
EXPORT_SYMBOL_GPL(vitrine_tree_root);

/*
 * For the later layers
 */

/**
 * vtr_inspect_set_files() - say how trees get their files
 * @new_files: the way, or NULL to remove the files there are
 *
 * Trees that exist get their file at once.
 *
 * Context: task, sleeps.
 */
void vtr_inspect_set_files(const struct vtr_inspect_files *new_files)
{
	struct vtr_inspect_entry *entry;

	/* The list only changes with files_lock held. */
	mutex_lock(&files_lock);
	list_for_each_entry(entry, &entries, list) {
		if (files)
			files->withdraw(entry->file);
		entry->file = new_files ? new_files->publish(entry) : NULL;
	}
	files = new_files;
	mutex_unlock(&files_lock);
}

/**
 * vtr_inspect_get() - take a reference to a tree
 * @tree: the tree; it cannot go away meanwhile
 *
 * Its pages and what they hold stay until vtr_inspect_put().
 *
 * Context: any.
 * Return: the tree.
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
 * Context: task, sleeps.
 */
void vtr_inspect_put(struct vitrine_tree *tree)
{
	kref_put(&tree->kref, tree_release);
}

/**
 * vtr_inspect_open() - the tree that somebody who opens a file is to see
 * @entry: what the file is of; its file is not withdrawn yet
 * @ret: the tree, with a reference for the caller
 *
 * Context: task, sleeps.
 * Return: 0, or why a lazy tree could not be had: see lazy_open().
 */
int vtr_inspect_open(struct vtr_inspect_entry *entry,
		     struct vitrine_tree **ret)
{
	if (!entry->tree)
		return entry->open(entry, ret);
	*ret = vtr_inspect_get(entry->tree);
	return 0;
}

/**
 * vtr_inspect_frozen() - is a tree frozen?
 * @tree: the tree
 *
 * Context: any.
 * Return: true after vtr_inspect_freeze().
 */
bool vtr_inspect_frozen(const struct vitrine_tree *tree)
{
	/* A copy may be holding the lock for a moment. */
	return (READ_ONCE(*tree->generation) & ~1ULL) ==
	       INSPECT_GENERATION_FROZEN;
}

/**
 * vtr_inspect_name() - name of a tree
 * @tree: the tree
 *
 * Context: any.
 * Return: its name, which lives as long as the tree.
 */
const char *vtr_inspect_name(const struct vitrine_tree *tree)
{
	return tree->entry.name;
}

/**
 * vtr_inspect_area() - pages of a tree, to be mapped
 * @tree: the tree; whoever maps keeps a reference to it
 *
 * Context: any.
 * Return: the area.
 */
struct vtr_area *vtr_inspect_area(struct vitrine_tree *tree)
{
	return &tree->area;
}

/**
 * vtr_inspect_stats() - figures of a tree
 * @tree: the tree
 * @ret: the figures, each as of some moment during the call
 *
 * Context: any.
 */
void vtr_inspect_stats(struct vitrine_tree *tree, struct vtr_inspect_stats *ret)
{
	const struct vtr_tree *blocks = &tree->blocks;

	ret->size_bytes = vtr_peek(blocks->heap.nr_pages) * PAGE_SIZE;
	ret->used_bytes = vtr_peek(blocks->heap.used_bytes);
	ret->limit_bytes = tree->area.max_pages * PAGE_SIZE;
	ret->failed = atomic_long_read(&tree->failed);
	ret->nr_values = vtr_peek(blocks->nr_values);
	ret->nr_tombstones = vtr_peek(blocks->nr_tombstones);
}

/* Bytes that are there and in no block yet; may be next to each other or not. */
static size_t bytes_ready(const struct vtr_heap *heap)
{
	return vtr_peek(heap->nr_ready) * PAGE_SIZE -
	       vtr_peek(heap->used_bytes);
}

/**
 * vtr_inspect_reserve() - let a tree grow by what is to be recorded next
 * @node: node of the tree
 * @bytes: what is needed, in small blocks
 *
 * A call that records may be made anywhere, so it does not wait for memory. One
 * who can wait does it here, and nothing is lost for want of memory.
 *
 * Context: task, sleeps; one writer at a time.
 * Return: false without memory, or if it is more than the tree's limit allows.
 */
bool vtr_inspect_reserve(const struct vitrine_node *node, size_t bytes)
{
	struct vitrine_tree *tree = vtr_edit_tree(node);

	while (bytes_ready(&tree->blocks.heap) < bytes)
		if (!vtr_edit_add_page(tree, GFP_KERNEL | __GFP_RETRY_MAYFAIL))
			return false;
	return true;
}

/**
 * vtr_inspect_refused() - trees that could not be made
 *
 * Context: any.
 * Return: how many, since the module was loaded.
 */
unsigned long vtr_inspect_refused(void)
{
	return atomic_long_read(&refused);
}

/**
 * vtr_inspect_for_each() - visit all entries of one kind
 * @kind: the kind
 * @fn: called for each; must not create or destroy one
 * @ctx: passed on
 *
 * Context: task, sleeps.
 */
void vtr_inspect_for_each(enum vtr_inspect_kind kind,
			  void (*fn)(struct vtr_inspect_entry *entry,
				     void *ctx),
			  void *ctx)
{
	struct vtr_inspect_entry *entry;

	mutex_lock(&entries_lock);
	list_for_each_entry(entry, &entries, list)
		if (entry->kind == kind)
			fn(entry, ctx);
	mutex_unlock(&entries_lock);
}

/**
 * vtr_inspect_add_refresher() - have values brought up to date when read
 * @tree: the tree
 * @refresher: what does it, behind those added before; its @refresh is set
 *
 * A tree that is destroyed runs none any more.
 *
 * Context: task, sleeps.
 */
void vtr_inspect_add_refresher(struct vitrine_tree *tree,
			       struct vtr_inspect_refresher *refresher)
{
	mutex_lock(&tree->refresh_lock);
	list_add_tail(&refresher->list, &tree->refreshers);
	mutex_unlock(&tree->refresh_lock);
}

/**
 * vtr_inspect_remove_refresher() - undo vtr_inspect_add_refresher()
 * @tree: the tree; destroyed or not, as long as a reference keeps it
 * @refresher: what was added; no call is under way afterwards
 *
 * Context: task, sleeps; not from a refresh of this tree.
 * Return: true if it still refreshed the tree, which is not destroyed then.
 */
bool vtr_inspect_remove_refresher(struct vitrine_tree *tree,
				  struct vtr_inspect_refresher *refresher)
{
	bool active;

	mutex_lock(&tree->refresh_lock);
	active = !list_empty(&refresher->list);
	list_del_init(&refresher->list);
	mutex_unlock(&tree->refresh_lock);
	return active;
}

/**
 * vtr_inspect_refresh() - bring a tree up to date
 * @tree: the tree; nothing happens unless it has refreshers
 *
 * Context: task, sleeps.
 */
void vtr_inspect_refresh(struct vitrine_tree *tree)
{
	struct vtr_inspect_refresher *refresher;

	mutex_lock(&tree->refresh_lock);
	list_for_each_entry(refresher, &tree->refreshers, list)
		refresher->refresh(refresher);
	mutex_unlock(&tree->refresh_lock);
}

/*
 * Copies. A tree that has more pages than fit has grown since the copy was
 * allocated: the caller, told the length it takes, comes again.
 */

static u64 *copy_generation(void *bytes)
{
	return (u64 *)bytes + 1;
}

static void copy_page_to(void *bytes, const struct vitrine_tree *tree, u32 nr)
{
	memcpy(bytes + nr * PAGE_SIZE, tree->area.pages[nr], PAGE_SIZE);
}

/* Copy without the lock; false if an edit came in between. */
static bool copy_try(const struct vitrine_tree *tree, void *bytes, u32 max,
		     u32 *nr)
{
	/* Pairs with vtr_edit_end(): the last edit is there in full. */
	u64 generation = smp_load_acquire(tree->generation);
	u32 i;

	if (generation & 1)
		return false;
	/* Pairs with vtr_edit_publish_pages(). */
	*nr = smp_load_acquire(&tree->area.nr_pages);
	for (i = 0; *nr <= max && i < *nr; i++) {
		/* Meant to race; what comes of it is thrown away. */
		data_race((copy_page_to(bytes, tree, i), 0));
		/* Pairs with vtr_edit_begin(): its edit seen, it is seen odd. */
		smp_rmb();
		if (READ_ONCE(*tree->generation) != generation)
			return false;
		cond_resched();
	}
	return true;
}

/* Let all editors save what they are about to change, from here on. */
static u32 copy_begin(struct vitrine_tree *tree, struct vtr_heap_copy *copy,
		      u64 *generation)
{
	struct vtr_heap *heap = &tree->blocks.heap;
	unsigned long flags;
	u32 nr;

	vtr_edit_lock(tree, &flags);
	nr = heap->nr_pages;
	*generation = *tree->generation & ~1ULL;
	if (nr <= copy->nr_pages) {
		copy->nr_pages = nr;
		heap->copy = copy;
	}
	vtr_edit_unlock(tree, flags);
	return nr;
}

/* Save what no editor has. The lock is held for a page at a time. */
static void copy_rest(struct vitrine_tree *tree, u32 nr)
{
	unsigned long flags;
	u32 i;

	for (i = 0; i < nr; i++) {
		vtr_edit_lock(tree, &flags);
		vtr_heap_save(&tree->blocks.heap, i * VTR_HEAP_BLOCKS_PER_PAGE);
		vtr_edit_unlock(tree, flags);
		copy_observe(tree);
		cond_resched();
	}
}

static void copy_end(struct vitrine_tree *tree)
{
	unsigned long flags;

	vtr_edit_lock(tree, &flags);
	tree->blocks.heap.copy = NULL;
	vtr_edit_unlock(tree, flags);
}

/*
 * Copy while others edit: the tree as it was when this began, each page saved
 * by whoever comes first, the next to change it or this reader.
 */
static int copy_saved(struct vitrine_tree *tree, void *bytes, u32 max, u32 *nr)
{
	struct vtr_heap_copy copy = { .bytes = bytes, .nr_pages = max };
	u64 generation;

	copy.is_saved = kvcalloc(max, sizeof(*copy.is_saved), GFP_KERNEL);
	if (!copy.is_saved)
		return -ENOMEM;
	mutex_lock(&tree->copy_lock);
	*nr = copy_begin(tree, &copy, &generation);
	if (*nr <= max) {
		copy_observe(tree);
		copy_rest(tree, *nr);
		copy_end(tree);
		*copy_generation(bytes) = generation;
	}
	mutex_unlock(&tree->copy_lock);
	kvfree(copy.is_saved);
	return 0;
}

/* Copy up to @max pages; @nr is how many there are. */
static int copy_tree(struct vitrine_tree *tree, void *bytes, u32 max, u32 *nr)
{
	u32 i;

	for (i = 0; i < COPY_TRIES; i++) {
		if (copy_try(tree, bytes, max, nr))
			return 0;
		cpu_relax();
	}
	return copy_saved(tree, bytes, max, nr);
}

/**
 * vtr_inspect_snapshot() - copy a tree, consistently
 * @tree: the tree, refreshed first if it asked for it
 * @ret: the copy, a valid file with an even generation; for kvfree()
 * @ret_len: its length
 *
 * Writers are in the way of the first few tries only. No writer waits for
 * longer than a page takes to copy, nor has this reader interrupts off for
 * longer.
 *
 * Context: task, sleeps.
 * Return: 0, -ENOMEM.
 */
int vtr_inspect_snapshot(struct vitrine_tree *tree, void **ret,
			 size_t *ret_len)
{
	u32 max, nr;
	void *copied;
	int err;

	vtr_inspect_refresh(tree);
	/* Pairs with vtr_edit_publish_pages(); a guess, the copy looks again. */
	nr = smp_load_acquire(&tree->area.nr_pages);
	do {
		max = nr;
		copied = kvmalloc_array(max, PAGE_SIZE, GFP_KERNEL);
		if (!copied)
			return -ENOMEM;
		err = copy_tree(tree, copied, max, &nr);
		if (err || nr > max)
			kvfree(copied);
		if (err)
			return err;
	} while (nr > max);

	*ret = copied;
	*ret_len = nr * PAGE_SIZE;
	return 0;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/inspect_kunit.c"
#endif
