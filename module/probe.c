// SPDX-License-Identifier: GPL-2.0
/*
 * Find what the kernel does not export: tracepoints by name, with their probes, and all
 * threads, by id.
 *
 * Concurrency: none of its own; the owner of an array of probes serialises calls on it.
 */
#include <linux/cleanup.h>
#include <linux/idr.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "probe.h"

static void find_tracepoint(struct tracepoint *tp, void *ctx)
{
	struct vtr_probe *probe = ctx;

	if (!strcmp(probe->name, tp->name))
		probe->tracepoint = tp;
}

/**
 * vtr_probe_find() - look up the tracepoints of probes
 * @probes: the probes
 * @nr: number of @probes
 *
 * Context: task; may sleep.
 * Return: number of probes whose tracepoint exists in this kernel.
 */
unsigned int vtr_probe_find(struct vtr_probe *probes, unsigned int nr)
{
	unsigned int nr_found = 0;

	for (; nr--; probes++) {
		for_each_kernel_tracepoint(find_tracepoint, probes);
		nr_found += !!probes->tracepoint;
	}
	return nr_found;
}

/**
 * vtr_probe_register() - register probes
 * @probes: probes that vtr_probe_find() has looked up
 * @nr: number of @probes
 *
 * Probes without a tracepoint are skipped.
 *
 * Context: task; may sleep. The caller serialises.
 * Return: 0; -ENOENT if all were skipped; or the error of a tracepoint, in which case none
 *	is registered.
 */
int vtr_probe_register(const struct vtr_probe *probes, unsigned int nr)
{
	int err = -ENOENT;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!probes[i].tracepoint)
			continue;
		err = tracepoint_probe_register(probes[i].tracepoint, probes[i].function,
						probes[i].data);
		if (err) {
			vtr_probe_unregister(probes, i);
			break;
		}
	}
	return err;
}

/**
 * vtr_probe_unregister() - unregister probes
 * @probes: probes that vtr_probe_register() has registered
 * @nr: number of @probes
 *
 * Waits until none of the probes runs any more.
 *
 * Context: task; may sleep. The caller serialises.
 */
void vtr_probe_unregister(const struct vtr_probe *probes, unsigned int nr)
{
	while (nr--)
		if (probes[nr].tracepoint)
			tracepoint_probe_unregister(probes[nr].tracepoint,
						    probes[nr].function,
						    probes[nr].data);
	tracepoint_synchronize_unregister();
}

/**
 * vtr_thread_next() - return the next thread by id
 * @id: first id to consider; set to the id after the one that was found
 *
 * Context: task.
 * Return: a thread, to be released by put_task_struct(), or NULL after the last one.
 */
struct task_struct *vtr_thread_next(int *id)
{
	struct task_struct *task = NULL;
	struct pid *pid;

	guard(rcu)();
	/* An id may belong to a process group or session only. */
	for (; !task && (pid = idr_get_next(&init_pid_ns.idr, id)); ++*id)
		task = get_pid_task(pid, PIDTYPE_PID);
	return task;
}
