// SPDX-License-Identifier: GPL-2.0
/*
 * The tree "tasks": every process and its threads, as seen from the initial namespaces.
 *
 * Concurrency: threads are created and exit while the tree is filled. They are visited
 * in order of their id, each with a reference, and RCU is held for one look-up at a
 * time. A thread that exists during the whole fill is in the tree; each of its figures
 * is read at some moment of the fill. Name and memory of a thread are read under its
 * task_lock().
 */
#include <linux/cred.h>
#include <linux/nospec.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/cputime.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/xarray.h>

#include "builtin.h"
#include "compat.h"
#include "peek.h"
#include "probe.h"

/* A process with a thread takes less than 2 KiB. */
#define TASK_ROOM_BYTES	4096

/* The tree being filled; one fill runs at a time. */
static struct vitrine_node *processes;
/* For each process in the tree, by id, the node of its threads. */
static DEFINE_XARRAY(threads_of);
/* Threads are left out if the tree is full or memory short. */
static u64 nr_processes, nr_threads, nr_truncated;
/* Error that ends the fill, or 0. */
static int fill_err;

/* States by task_state_index(), named as in /proc/<pid>/status. */
static const char * const states[] = {
	"running", "sleeping", "disk sleep", "stopped", "tracing stop", "dead",
	"zombie", "parked", "idle",
};

static const char * const policies[] = {
	[SCHED_NORMAL]		= "other",
	[SCHED_FIFO]		= "fifo",
	[SCHED_RR]		= "rr",
	[SCHED_BATCH]		= "batch",
	[SCHED_IDLE]		= "idle",
	[SCHED_DEADLINE]	= "deadline",
};

static const char *word(const char * const *words, size_t nr_words,
			unsigned int nr)
{
	/* User space chooses the policy: an index that speculation must not follow. */
	if (nr >= nr_words)
		return "unknown";
	return words[array_index_nospec(nr, nr_words)] ?: "unknown";
}

static void record_comm(struct vitrine_node *node, struct task_struct *task)
{
	char comm[TASK_COMM_LEN];

	get_task_comm(comm, task);
	vtr_builtin_text(node, "name", comm);
}

static void record_memory(struct vitrine_node *node, struct task_struct *task)
{
	u64 anon = 0, file = 0, shmem = 0, swap = 0, tables = 0;
	u64 resident, peak = 0, vm = 0, locked = 0;
	struct mm_struct *mm;

	/* The thread drops its mm under this lock. */
	task_lock(task);
	mm = task->mm;
	if (mm) {
		anon = vtr_mm_pages(mm, MM_ANONPAGES);
		file = vtr_mm_pages(mm, MM_FILEPAGES);
		shmem = vtr_mm_pages(mm, MM_SHMEMPAGES);
		swap = vtr_mm_pages(mm, MM_SWAPENTS);
		tables = mm_pgtables_bytes(mm);
		vm = vtr_peek(mm->total_vm);
		locked = vtr_peek(mm->locked_vm);
		peak = vtr_peek(mm->hiwater_rss);
	}
	task_unlock(task);
	resident = anon + file + shmem;

	VTR_RECORD(vitrine_record_node(node, "memory"),
		   { "virtual_bytes", vm * PAGE_SIZE },
		   { "resident_bytes", resident * PAGE_SIZE },
		   { "resident_peak_bytes", max(resident, peak) * PAGE_SIZE },
		   { "anonymous_bytes", anon * PAGE_SIZE },
		   { "file_bytes", file * PAGE_SIZE },
		   { "shared_bytes", shmem * PAGE_SIZE },
		   { "swapped_bytes", swap * PAGE_SIZE },
		   { "locked_bytes", locked * PAGE_SIZE },
		   { "page_table_bytes", tables });
}

static void record_ids(struct vitrine_node *node, struct task_struct *task)
{
	const struct cred *cred;
	u32 uid, gid;
	pid_t parent;

	rcu_read_lock();
	/* The thread may be reaped at the same time. RCU keeps its parent and its leader. */
	parent = data_race(pid_alive(task)) ?
		 task_tgid_nr(rcu_dereference(task->real_parent)) : 0;
	cred = __task_cred(task);
	uid = __kuid_val(cred->uid);
	gid = __kgid_val(cred->gid);
	rcu_read_unlock();

	VTR_RECORD(node,
		   { "parent", parent },
		   { "group", task_pgrp_nr_ns(task, &init_pid_ns) },
		   { "session", task_session_nr_ns(task, &init_pid_ns) },
		   { "uid", uid },
		   { "gid", gid });
}

/* Record the sums that exited threads have left to their process. */
static void record_exited(struct vitrine_node *node,
			  const struct signal_struct *signal)
{
	VTR_RECORD(vitrine_record_node(node, "exited_threads"),
		   { "user_ns", vtr_peek(signal->utime) },
		   { "system_ns", vtr_peek(signal->stime) },
		   { "minor_faults", vtr_peek(signal->min_flt) },
		   { "major_faults", vtr_peek(signal->maj_flt) },
		   { "voluntary_switches", vtr_peek(signal->nvcsw) },
		   { "involuntary_switches", vtr_peek(signal->nivcsw) });
}

/* Record a process when its first thread is found: the one with the lowest id. */
static struct vitrine_node *record_process(struct task_struct *leader)
{
	/* PF_KTHREAD never changes, but the thread may be setting other flags. */
	bool is_kernel = vtr_peek(leader->flags) & PF_KTHREAD;
	struct vitrine_node *node;

	node = vtr_builtin_number(processes, leader->tgid);
	record_comm(node, leader);
	record_ids(node, leader);
	vitrine_record_bool(node, "kernel", is_kernel);
	/* execve() of another thread changes the leader's start time. */
	vitrine_record_uint(node, "start_ns", vtr_peek(leader->start_boottime));
	if (!is_kernel) {
		record_memory(node, leader);
		record_exited(node, leader->signal);
	}
	node = vitrine_record_node(node, "threads");
	fill_err = xa_err(xa_store(&threads_of, leader->tgid, node, GFP_KERNEL));
	nr_processes++;
	return node;
}

/* Return the node of the threads of @task's process; NULL if the process has exited. */
static struct vitrine_node *threads_node(struct task_struct *task)
{
	struct vitrine_node *node = xa_load(&threads_of, task->tgid);
	struct task_struct *leader = NULL;

	if (node)
		return node;
	rcu_read_lock();
	/* As in record_ids(). */
	if (data_race(pid_alive(task))) {
		leader = READ_ONCE(task->group_leader);
		get_task_struct(leader);
	}
	rcu_read_unlock();
	if (!leader)
		return NULL;
	node = record_process(leader);
	put_task_struct(leader);
	return node;
}

static void record_sched(struct vitrine_node *node, struct task_struct *task)
{
	/* The kernel's helpers read fields that the thread may be changing. */
	unsigned int state = data_race(task_state_index(task));
	int nice = data_race(task_nice(task)); /* likewise */

	vitrine_record_string(node, "state",
			      word(states, ARRAY_SIZE(states), state));
	vitrine_record_string(node, "policy",
			      word(policies, ARRAY_SIZE(policies),
				   vtr_peek(task->policy)));
	vitrine_record_uint(node, "priority", vtr_peek(task->prio));
	vitrine_record_int(node, "nice", nice);
	VTR_RECORD(node,
		   { "realtime_priority", vtr_peek(task->rt_priority) },
		   { "cpu", task_cpu(task) });
#ifdef CONFIG_SCHED_INFO
	VTR_RECORD(node,
		   { "runs", vtr_peek(task->sched_info.pcount) },
		   { "run_delay_ns", vtr_peek(task->sched_info.run_delay) });
#endif
}

static void record_thread(struct vitrine_node *threads,
			  struct task_struct *task)
{
	/* execve() gives the calling thread the leader's id. */
	struct vitrine_node *node = vtr_builtin_number(threads,
						       vtr_peek(task->pid));
	u64 user, system;

	task_cputime_adjusted(task, &user, &system);
	record_comm(node, task);
	record_sched(node, task);
	VTR_RECORD(node,
		   { "run_ns", vtr_peek(task->se.sum_exec_runtime) },
		   { "user_ns", user },
		   { "system_ns", system },
		   { "minor_faults", vtr_peek(task->min_flt) },
		   { "major_faults", vtr_peek(task->maj_flt) },
		   { "voluntary_switches", vtr_peek(task->nvcsw) },
		   { "involuntary_switches", vtr_peek(task->nivcsw) });
}

static void visit(struct task_struct *task)
{
	struct vitrine_node *threads;

	if (!vitrine_tree_reserve(processes, TASK_ROOM_BYTES)) {
		nr_truncated++;
		return;
	}
	threads = threads_node(task);
	if (!threads)
		return;
	record_thread(threads, task);
	nr_threads++;
}

/**
 * vtr_tasks_fill() - fill the tree "tasks"
 * @root: root of the tree
 *
 * Context: task; may sleep.
 * Return: 0 or -ENOMEM.
 */
int vtr_tasks_fill(struct vitrine_node *root)
{
	struct task_struct *task;
	int id = 1;

	processes = vitrine_record_node(root, "processes");
	if (!processes)
		return -ENOMEM;
	nr_processes = 0;
	nr_threads = 0;
	nr_truncated = 0;
	fill_err = 0;
	/* Terminates: ids are bounded, and each step increases the id. */
	while (!fill_err && (task = vtr_thread_next(&id))) {
		visit(task);
		put_task_struct(task);
		cond_resched();
	}
	xa_destroy(&threads_of);
	VTR_RECORD(root,
		   { "nr_processes", nr_processes },
		   { "nr_threads", nr_threads },
		   { "nr_truncated", nr_truncated });
	return fill_err;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/tasks_kunit.c"
#endif
