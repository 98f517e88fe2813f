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

#include <linux/errno.h>
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
 * @tree: filled tree, in state FILLED
 * @err: error of fill(), in state FILLED
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
	int			err;
	struct vtr_lazy_stats	stats;
};

/* A workqueue of our own: a fill() that never returns occupies a worker. */
static struct workqueue_struct *fills;

static struct vitrine_lazy *lazy_of(struct vtr_inspect_entry *entry)
{
	return container_of(entry, struct vitrine_lazy, entry);
}

/* Replace errnos that are internal to the kernel, so that open() never returns one. */
static int open_errno(int err)
{
	return err > 0 || err <= -ERESTARTSYS ? -EIO : err;
}

/* Create and fill a tree. On error there is no tree. */
static struct vitrine_tree *fill_tree(struct vitrine_lazy *lazy, int *err)
{
	struct vtr_inspect_stats stats;
	struct vitrine_tree *tree;

	tree = vtr_inspect_create_private(lazy->entry.name, lazy->limit_bytes);
	if (!tree) {
		*err = -ENOMEM;
		return NULL;
	}
	*err = open_errno(lazy->fill(vitrine_tree_root(tree), lazy->ctx));
	vtr_inspect_stats(tree, &stats);
	spin_lock(&lazy->lock);
	lazy->stats.failed += stats.failed;
	spin_unlock(&lazy->lock);
	if (*err) {
		vtr_inspect_put(tree);
		return NULL;
	}
	vtr_inspect_freeze(tree);
	return tree;
}

/* Note that fill() begins. Return false if open() has given up already. */
static bool fill_begin(struct vitrine_lazy *lazy)
{
	bool wanted;

	spin_lock(&lazy->lock);
	wanted = lazy->state == LAZY_FILLING;
	if (wanted)
		lazy->filler = current;
	else
		lazy->state = LAZY_IDLE;
	spin_unlock(&lazy->lock);
	return wanted;
}

/* Pass the result to open(). Return false if it has given up. */
static bool fill_end(struct vitrine_lazy *lazy, struct vitrine_tree *tree,
		     int err)
{
	bool wanted;

	spin_lock(&lazy->lock);
	lazy->filler = NULL;
	lazy->stats.fills++;
	lazy->stats.failures += err != 0;
	wanted = lazy->state == LAZY_FILLING;
	if (wanted) {
		lazy->tree = tree;
		lazy->err = err;
	}
	lazy->state = wanted ? LAZY_FILLED : LAZY_IDLE;
	spin_unlock(&lazy->lock);
	return wanted;
}

static void fill_work(struct work_struct *work)
{
	struct vitrine_lazy *lazy = container_of(work, struct vitrine_lazy,
						 work);
	/* The next opener sets another one as soon as this fill has ended. */
	struct mem_cgroup *old, *payer = lazy->payer;
	struct vitrine_tree *tree;
	int err;

	if (fill_begin(lazy)) {
		old = set_active_memcg(payer);
		tree = fill_tree(lazy, &err);
		set_active_memcg(old);
		if (!fill_end(lazy, tree, err) && tree)
			vtr_inspect_put(tree);
	}
	mem_cgroup_put(payer);
	wake_up_all(&lazy->wait);
}

/* Try to get a turn. Return true to end the wait, with the result in *@err. */
static bool turn_try(struct vitrine_lazy *lazy, int *err)
{
	bool end = true;

	spin_lock(&lazy->lock);
	if (lazy->gone) {
		*err = -ENOENT;
	} else if (lazy->state == LAZY_IDLE) {
		*err = 0;
		lazy->state = LAZY_FILLING;
		lazy->late = jiffies + lazy->timeout;
	} else if (lazy->filler == current) {
		*err = -ELOOP;
	} else if (time_after_eq(jiffies, lazy->late)) {
		*err = -EBUSY;
	} else {
		end = false;
	}
	spin_unlock(&lazy->lock);
	return end;
}

/* Wait for a turn. On success the caller must change @state next. */
static int turn_take(struct vitrine_lazy *lazy, long *left)
{
	int err = 0;

	*left = wait_event_killable_timeout(lazy->wait, turn_try(lazy, &err),
					    *left);
	if (*left < 0)
		return -EINTR;
	return *left ? err : -ETIMEDOUT;
}

/* Return true if fill() has returned or the lazy tree is being destroyed. */
static bool fill_over(struct vitrine_lazy *lazy)
{
	bool over;

	spin_lock(&lazy->lock);
	over = lazy->state == LAZY_FILLED || lazy->gone;
	spin_unlock(&lazy->lock);
	return over;
}

/* Queue the fill and wait for it; the caller has the turn. */
static int fill_take(struct vitrine_lazy *lazy, long left,
		     struct vitrine_tree **ret)
{
	int err;

	lazy->payer = get_mem_cgroup_from_mm(current->mm);
	queue_work(fills, &lazy->work);
	left = wait_event_killable_timeout(lazy->wait, fill_over(lazy), left);
	spin_lock(&lazy->lock);
	if (lazy->state == LAZY_FILLED) {
		lazy->state = LAZY_IDLE;
		*ret = lazy->tree;
		lazy->tree = NULL;
		err = lazy->err;
	} else {
		lazy->state = LAZY_LEFT;
		err = lazy->gone ? -ENOENT : left ? -EINTR : -ETIMEDOUT;
	}
	spin_unlock(&lazy->lock);
	wake_up_all(&lazy->wait);
	return err;
}

/*
 * Open the file of a lazy tree: fill a tree for it. The time limit includes the wait for
 * other openers.
 *
 * Return: 0, the error of fill(), or -ETIMEDOUT; -EBUSY if a running fill() has
 * exceeded its time limit; -ELOOP if called from fill(); -EINTR if killed; -ENOENT if
 * the lazy tree is being destroyed; -ENOMEM.
 */
static int lazy_open(struct vtr_inspect_entry *entry, struct vitrine_tree **ret)
{
	struct vitrine_lazy *lazy = lazy_of(entry);
	long left = lazy->timeout;
	int err;

	err = turn_take(lazy, &left);
	if (!err)
		err = fill_take(lazy, left, ret);
	if (err == -ETIMEDOUT || err == -EBUSY) {
		spin_lock(&lazy->lock);
		lazy->stats.timeouts++;
		spin_unlock(&lazy->lock);
	}
	return err;
}

void vitrine_lazy_destroy(struct vitrine_lazy *lazy)
{
	if (!lazy)
		return;
	spin_lock(&lazy->lock);
	lazy->gone = true;
	spin_unlock(&lazy->lock);
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
	lazy->entry.kind = VTR_INSPECT_LAZY;
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
	if (!vtr_inspect_register(&lazy->entry)) {
		kfree(lazy);
		return NULL;
	}
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

	spin_lock(&lazy->lock);
	*ret = lazy->stats;
	ret->filling = lazy->state == LAZY_FILLING || lazy->state == LAZY_LEFT;
	spin_unlock(&lazy->lock);
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
