// SPDX-License-Identifier: GPL-2.0
/*
 * Detect that ids of threads are used again.
 *
 * A CPU forgets a thread that dies there. In the sub-buffers of other CPUs, a thread that gets
 * the same ids would have the name of the old one. The kernel assigns ids in ascending order, so
 * none is used again before the next one to be assigned is lower than before. From then on,
 * all CPUs record into new sub-buffers.
 *
 * Concurrency: the probe runs on several CPUs at a time; each of them may store an id that is
 * older than the stored one.
 */
#include <linux/cpumask.h>
#include <linux/idr.h>
#include <linux/pid_namespace.h>
#include <linux/workqueue.h>
#include <trace/events/task.h>

#include "compat.h"
#include "probe.h"
#include "ring.h"
#include "session.h"

/* The next id to be assigned, when the last thread was created. */
static unsigned int last_id;

static void begin_subbufs(struct work_struct *work)
{
	vtr_session_flush();
}

static DECLARE_WORK(reuse_work, begin_subbufs);

/* Called before the thread runs; the source "sched" has another tracepoint for new threads. */
static void probe_new(void *unused, struct task_struct *task, VTR_CLONE_FLAGS flags)
{
	unsigned int last = READ_ONCE(last_id), id = idr_get_cursor(&init_pid_ns.idr);

	WRITE_ONCE(last_id, id);
	/* @last may be another CPU's, and later; each CPU creates one thread at a time. */
	if (id + nr_cpu_ids < last)
		schedule_work(&reuse_work);
}

static struct vtr_probe probe = VTR_PROBE(task_newtask, probe_new);

/**
 * vtr_reuse_init() - begin to watch the ids of threads
 *
 * Also while nothing is recorded: the rings keep the names of threads.
 *
 * Context: task; may sleep.
 * Return: 0, -ENOENT if this kernel lacks the tracepoint, or its error.
 */
int vtr_reuse_init(void)
{
	vtr_probe_find(&probe, 1);
	return vtr_probe_register(&probe, 1);
}

/**
 * vtr_reuse_deinit() - undo vtr_reuse_init()
 *
 * Context: task; may sleep.
 */
void vtr_reuse_deinit(void)
{
	vtr_probe_unregister(&probe, 1);
	cancel_work_sync(&reuse_work);
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/reuse_kunit.c"
#endif
