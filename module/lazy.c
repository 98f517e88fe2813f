// SPDX-License-Identifier: GPL-2.0
/*
 * Lazy trees: made when somebody opens their file, for that opener alone.
 *
 * An opener waits for its turn, has a work item call fill(), and waits for the
 * end of that. One who has waited too long, or is killed, leaves; fill() is
 * not to be stopped, so it goes on, and what it made is thrown away when it
 * ends. Meanwhile nobody else gets a turn. So a lazy tree has one work item,
 * which is part of it, and besides the trees of open files at most one tree.
 *
 * Concurrency: @lock guards what stands below it in struct vitrine_lazy. Whose
 * turn it is goes round as @state:
 *
 *   IDLE -> FILLING	an opener takes its turn and queues the work
 *   FILLING -> FILLED	fill() has ended: fill_work()
 *   FILLED -> IDLE	the opener has taken the tree, or the error
 *   FILLING -> LEFT	the opener leaves
 *   LEFT -> IDLE	fill() has ended after all: fill_work()
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <vitrine/inspect.h>

#include "inspect.h"
#include "lazy.h"

#define TIMEOUT_DEFAULT_MS	1000

enum lazy_state {
	LAZY_IDLE,
	LAZY_FILLING,
	LAZY_FILLED,
	LAZY_LEFT,
};

/**
 * struct vitrine_lazy - a lazy tree
 * @entry: its name and file
 * @limit_bytes: limit of each tree that is filled
 * @timeout: how long an opener waits at most, in jiffies
 * @fill: the publisher's
 * @ctx: for @fill
 * @work: calls @fill
 * @wait: where openers wait, for their turn and for the end of their fill
 * @lock: guards the rest
 * @state: see above
 * @gone: it is being destroyed: all openers leave
 * @filler: the task that runs fill(), or NULL
 * @late: when the running fill has taken too long for anybody, in jiffies
 * @tree: what was filled, in state FILLED
 * @err: why it was not, in state FILLED
 * @stats: figures, @filling left out
 */
struct vitrine_lazy {
	struct vtr_inspect_entry entry;
	size_t			limit_bytes;
	unsigned long		timeout;
	int			(*fill)(struct vitrine_node *root, void *ctx);
	void			*ctx;
	struct work_struct	work;
	wait_queue_head_t	wait;
	spinlock_t		lock; /* of what follows */
	enum lazy_state		state;
	bool			gone;
	struct task_struct	*filler;
	unsigned long		late;
	struct vitrine_tree	*tree;
	int			err;
	struct vtr_lazy_stats	stats;
};

/* A fill that never ends keeps a worker: not one that others wait for. */
static struct workqueue_struct *fills;

static struct vitrine_lazy *lazy_of(struct vtr_inspect_entry *entry)
{
	return container_of(entry, struct vitrine_lazy, entry);
}

/* An errno that open() can return: some are the kernel's own affair. */
static int open_errno(int err)
{
	return err > 0 || err <= -ERESTARTSYS ? -EIO : err;
}

/* Fill a tree; an error leaves none. */
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

/* Say that the fill begins; false if the opener has left already. */
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

/* Give the opener what there is; false if it has left. */
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
	struct vitrine_tree *tree;
	int err;

	if (fill_begin(lazy)) {
		tree = fill_tree(lazy, &err);
		if (!fill_end(lazy, tree, err) && tree)
			vtr_inspect_put(tree);
	}
	wake_up_all(&lazy->wait);
}

/* Look once whether it is our turn. True ends the wait, *@err says how. */
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

/* Wait until it is our turn. On success the state is ours to move on. */
static int turn_take(struct vitrine_lazy *lazy, long *left)
{
	int err = 0;

	*left = wait_event_killable_timeout(lazy->wait, turn_try(lazy, &err),
					    *left);
	if (*left < 0)
		return -EINTR;
	return *left ? err : -ETIMEDOUT;
}

/* Has our fill ended, or is it no use waiting for it? */
static bool fill_over(struct vitrine_lazy *lazy)
{
	bool over;

	spin_lock(&lazy->lock);
	over = lazy->state == LAZY_FILLED || lazy->gone;
	spin_unlock(&lazy->lock);
	return over;
}

/* Have the tree filled, our turn having come, and wait for it. */
static int fill_take(struct vitrine_lazy *lazy, long left,
		     struct vitrine_tree **ret)
{
	int err;

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
 * Open a lazy tree's file: fill it. The time limit is for all of it, waiting
 * for others included.
 *
 * Return: 0, what fill() returned, -ETIMEDOUT; -EBUSY if a fill is running
 * that has taken too long already; -ELOOP from within fill(); -EINTR if
 * killed; -ENOENT if the tree is being destroyed, -ENOMEM.
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

/**
 * vitrine_lazy_create() - make a tree that is filled when it is read
 * @name: its name; the file is <name>.inspect
 * @limit_bytes: how large each filling may grow, as for vitrine_tree_create()
 * @timeout_ms: how long an opener waits at most; 0 for a second
 * @fill: makes what goes below @root; called in task context, one call at a
 *	time; may sleep, but must not destroy the lazy tree. Returns 0, or a
 *	negative errno that open() then returns
 * @ctx: for @fill
 *
 * Each open file has a filling of its own, made by its open() and frozen then;
 * all handles in it are dead when @fill returns: values per CPU and lists do
 * not belong there. An opener that finds another's
 * fill running waits for its turn. If @fill takes longer than @timeout_ms, the
 * opener is told -ETIMEDOUT, and who comes later -EBUSY until @fill ends. If
 * @fill opens its own file, it is told -ELOOP.
 *
 * Context: task, sleeps.
 * Return: the lazy tree, or NULL: the log says why, unless memory ran out.
 */
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
EXPORT_SYMBOL_GPL(vitrine_lazy_create);

/**
 * vitrine_lazy_destroy() - remove a lazy tree and its file
 * @lazy: the lazy tree, or NULL
 *
 * Who is opening the file is told -ENOENT; who has it open keeps its filling.
 * A fill() that is running is waited for, however long it takes: it is the
 * publisher's code, and must not be there any more when that is unloaded.
 *
 * Context: task, sleeps; not from fill(), nor with a lock that fill() takes.
 */
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
EXPORT_SYMBOL_GPL(vitrine_lazy_destroy);

/**
 * vtr_lazy_stats() - figures of a lazy tree
 * @entry: its entry
 * @ret: the figures, each as of some moment during the call
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
 * vtr_lazy_init() - have lazy trees filled
 *
 * Context: task, sleeps.
 * Return: 0, or -ENOMEM.
 */
int vtr_lazy_init(void)
{
	fills = alloc_workqueue("vitrine_lazy", WQ_UNBOUND, WQ_MAX_ACTIVE);
	return fills ? 0 : -ENOMEM;
}

/**
 * vtr_lazy_deinit() - end that; all lazy trees have been destroyed
 *
 * Context: task, sleeps.
 */
void vtr_lazy_deinit(void)
{
	destroy_workqueue(fills);
}
