// SPDX-License-Identifier: GPL-2.0
/*
 * Lazy trees: filled when their file is opened, for that open file only.
 *
 * open() waits for its turn, queues a work item that calls fill(), and waits until
 * fill() has returned. If open() times out or its task is killed, fill() cannot be
 * stopped: it continues, and its result is discarded. No other open() gets a turn
 * meanwhile. A lazy tree therefore needs one work item, which is embedded in it, and has
 * at most one tree besides those of open files. The memory of the tree is charged to the
 * cgroup of the opener, although a worker of the kernel allocates it.
 *
 * Concurrency: @lock guards the fields after it in struct vitrine_lazy. @state changes as
 * follows:
 *
 *   IDLE -> FILLING	open() gets its turn and queues the work
 *   FILLING -> FILLED	fill() has returned: fill_work()
 *   FILLED -> IDLE	open() has taken the tree, or the error
 *   FILLING -> LEFT	open() gives up
 *   LEFT -> IDLE	fill() has returned nevertheless: fill_work()
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "compat.h"
#include "inspect.h"

#define TIMEOUT_DEFAULT_MS	1000

enum lazy_state {
	LAZY_IDLE,
	LAZY_FILLING,
	LAZY_FILLED,
	LAZY_LEFT,
};

/**
 * struct vitrine_lazy - a lazy tree
 * @entry: name and file
 * @limit_bytes: maximum size of each filled tree
 * @timeout: longest wait of open(), in jiffies
 * @fill: function of the publisher
 * @ctx: argument of @fill
 * @work: work item that calls @fill
 * @payer: memory cgroup of the opener, with a reference; owned by the one that has the
 *	turn until it queues @work, then by @work
 * @wait: wait queue of open() calls, for their turn and for the end of their fill
 * @lock: guards all following fields
 * @state: see the head of this file
 * @gone: the lazy tree is being destroyed: open() fails
 * @filler: task that runs fill(), or NULL
 * @late: time after which the running fill() has taken too long, in jiffies
 * @tree: filled tree, or the error of fill() as a pointer, in state FILLED
 * @stats: statistics, except @filling
 */
struct vitrine_lazy {
	struct vtr_inspect_entry entry;
	size_t			limit_bytes;
	unsigned long		timeout;
	int			(*fill)(struct vitrine_node *root, void *ctx);
	void			*ctx;
	struct work_struct	work;
	struct mem_cgroup	*payer;
	wait_queue_head_t	wait;
	spinlock_t		lock; /* guards all following fields */
	enum lazy_state		state;
	bool			gone;
	struct task_struct	*filler;
	unsigned long		late;
	struct vitrine_tree	*tree;
	struct vtr_lazy_stats	stats;
};

/* A workqueue of our own: a fill() that never returns occupies a worker. */
static struct workqueue_struct *fills;

static struct vitrine_lazy *lazy_of(struct vtr_inspect_entry *entry)
{
	return container_of(entry, struct vitrine_lazy, entry);
}

/* Create and fill a tree, or return an error pointer. */
static struct vitrine_tree *fill_tree(struct vitrine_lazy *lazy)
{
	struct vitrine_tree *tree = vtr_inspect_create(lazy->entry.name, lazy->limit_bytes,
						       GFP_KERNEL_ACCOUNT);
	struct vitrine_node *root = vitrine_tree_root(tree);
	int err;

	if (!tree)
		return ERR_PTR(-ENOMEM);
	err = lazy->fill(root, lazy->ctx);
	/* open() must not return errnos that are internal to the kernel. */
	if (err > 0 || err <= -ERESTARTSYS)
		err = -EIO;
	scoped_guard(spinlock, &lazy->lock)
		lazy->stats.failed += vitrine_tree_nr_failed(root);
	if (err) {
		vtr_inspect_put(tree);
		return ERR_PTR(err);
	}
	vtr_inspect_freeze(tree);
	return tree;
}

/* Note that fill() begins. Return false if open() has given up already. */
static bool fill_begin(struct vitrine_lazy *lazy)
{
	guard(spinlock)(&lazy->lock);
	if (lazy->state == LAZY_FILLING) {
		lazy->filler = current;
		return true;
	}
	lazy->state = LAZY_IDLE;
	return false;
}

/* Pass the result to open(). Return false if it has given up. */
static bool fill_end(struct vitrine_lazy *lazy, struct vitrine_tree *tree)
{
	guard(spinlock)(&lazy->lock);
	lazy->filler = NULL;
	lazy->stats.fills++;
	lazy->stats.failures += IS_ERR(tree);
	if (lazy->state == LAZY_FILLING) {
		lazy->state = LAZY_FILLED;
		lazy->tree = tree;
		return true;
	}
	lazy->state = LAZY_IDLE;
	return false;
}

static void fill_work(struct work_struct *work)
{
	struct vitrine_lazy *lazy = container_of(work, struct vitrine_lazy,
						 work);
	/* The next opener sets another one as soon as this fill has ended. */
	struct mem_cgroup *old, *payer = lazy->payer;
	struct vitrine_tree *tree;

	if (fill_begin(lazy)) {
		old = set_active_memcg(payer);
		tree = fill_tree(lazy);
		set_active_memcg(old);
		if (!fill_end(lazy, tree) && !IS_ERR(tree))
			vtr_inspect_put(tree);
	}
	mem_cgroup_put(payer);
	wake_up_all(&lazy->wait);
}

/* Try to get a turn. Return true to end the wait, with an error in *@err if there is one. */
static bool turn_try(struct vitrine_lazy *lazy, int *err)
{
	guard(spinlock)(&lazy->lock);
	if (lazy->gone) {
		*err = -ENOENT;
	} else if (lazy->state == LAZY_IDLE) {
		lazy->state = LAZY_FILLING;
		lazy->late = jiffies + lazy->timeout;
	} else if (lazy->filler == current) {
		*err = -ELOOP;
	} else if (time_after_eq(jiffies, lazy->late)) {
		*err = -EBUSY;
	} else {
		return false;
	}
	return true;
}

/* Return true if fill() has returned or the lazy tree is being destroyed. */
static bool fill_over(struct vitrine_lazy *lazy)
{
	guard(spinlock)(&lazy->lock);
	return lazy->state == LAZY_FILLED || lazy->gone;
}

/* Return the error of a wait that returned @left and ended too early. */
static int wait_errno(long left)
{
	return left ? -EINTR : -ETIMEDOUT;
}

/* Queue the fill and wait for it; the caller has the turn. */
static struct vitrine_tree *fill_take(struct vitrine_lazy *lazy, long left)
{
	struct vitrine_tree *tree;

	lazy->payer = get_mem_cgroup_from_mm(current->mm);
	queue_work(fills, &lazy->work);
	left = wait_event_killable_timeout(lazy->wait, fill_over(lazy), left);
	scoped_guard(spinlock, &lazy->lock) {
		if (lazy->state == LAZY_FILLED) {
			lazy->state = LAZY_IDLE;
			tree = lazy->tree;
		} else {
			lazy->state = LAZY_LEFT;
			tree = ERR_PTR(lazy->gone ? -ENOENT : wait_errno(left));
		}
	}
	wake_up_all(&lazy->wait);
	return tree;
}

/*
 * Open the file of a lazy tree: fill a tree for it. The time limit includes the wait for
 * other openers.
 *
 * Return: the tree, the error of fill(), or -ETIMEDOUT; -EBUSY if a running fill() has
 * exceeded its time limit; -ELOOP if called from fill(); -EINTR if killed; -ENOENT if
 * the lazy tree is being destroyed; -ENOMEM.
 */
static struct vitrine_tree *lazy_open(struct vtr_inspect_entry *entry)
{
	struct vitrine_lazy *lazy = lazy_of(entry);
	struct vitrine_tree *tree;
	int err = 0;
	long left = wait_event_killable_timeout(lazy->wait, turn_try(lazy, &err),
						lazy->timeout);

	if (left <= 0)
		err = wait_errno(left);
	tree = err ? ERR_PTR(err) : fill_take(lazy, left);
	if (tree == ERR_PTR(-ETIMEDOUT) || tree == ERR_PTR(-EBUSY)) {
		guard(spinlock)(&lazy->lock);
		lazy->stats.timeouts++;
	}
	return tree;
}

void vitrine_lazy_destroy(struct vitrine_lazy *lazy)
{
	if (!lazy)
		return;
	scoped_guard(spinlock, &lazy->lock)
		lazy->gone = true;
	wake_up_all(&lazy->wait);
	vtr_inspect_unregister(&lazy->entry);
	flush_work(&lazy->work);
	kfree(lazy);
}
VTR_EXPORT(vitrine_lazy_destroy);

static void lazy_forget(struct vtr_inspect_entry *entry)
{
	vitrine_lazy_destroy(lazy_of(entry));
}

struct vitrine_lazy *
vitrine_lazy_create(const char *name, size_t limit_bytes,
		    unsigned int timeout_ms,
		    int (*fill)(struct vitrine_node *root, void *ctx),
		    void *ctx)
{
	struct vitrine_lazy *lazy;

	if (!vtr_inspect_allowed(name, limit_bytes))
		return NULL;
	lazy = kzalloc(sizeof(*lazy), GFP_KERNEL);
	if (!lazy) {
		vtr_inspect_refuse(name, NULL);
		return NULL;
	}
	lazy->entry.open = lazy_open;
	lazy->entry.destroy = lazy_forget;
	lazy->entry.owner = (unsigned long)fill;
	strscpy(lazy->entry.name, name, sizeof(lazy->entry.name));
	lazy->limit_bytes = limit_bytes;
	lazy->timeout = msecs_to_jiffies(timeout_ms ?: TIMEOUT_DEFAULT_MS);
	lazy->fill = fill;
	lazy->ctx = ctx;
	INIT_WORK(&lazy->work, fill_work);
	init_waitqueue_head(&lazy->wait);
	spin_lock_init(&lazy->lock);
	vtr_inspect_register(&lazy->entry);
	return lazy;
}
VTR_EXPORT(vitrine_lazy_create);

/**
 * vtr_lazy_stats() - read the statistics of a lazy tree
 * @entry: entry of the lazy tree
 * @ret: the figures, each read at some moment during the call
 *
 * Context: task.
 */
void vtr_lazy_stats(struct vtr_inspect_entry *entry, struct vtr_lazy_stats *ret)
{
	struct vitrine_lazy *lazy = lazy_of(entry);

	guard(spinlock)(&lazy->lock);
	*ret = lazy->stats;
	ret->filling = lazy->state == LAZY_FILLING || lazy->state == LAZY_LEFT;
}

/**
 * vtr_lazy_init() - create the workqueue that fills lazy trees
 *
 * Context: task; may sleep.
 * Return: 0, or -ENOMEM.
 */
int vtr_lazy_init(void)
{
	fills = alloc_workqueue("vitrine_lazy", WQ_UNBOUND, WQ_MAX_ACTIVE);
	return fills ? 0 : -ENOMEM;
}

/**
 * vtr_lazy_deinit() - destroy the workqueue; all lazy trees are destroyed already
 *
 * Context: task; may sleep.
 */
void vtr_lazy_deinit(void)
{
	destroy_workqueue(fills);
}
