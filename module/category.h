/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Categories of events: switched by words, filtered by CPU, process and thread.
 */
#ifndef _VITRINE_CATEGORY_H
#define _VITRINE_CATEGORY_H

#include <linux/cpumask.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include <vitrine/trace.h>

struct seq_file;

/**
 * struct vtr_filter - which events of a category are recorded
 * @process: only those of this process, 0 for any
 * @thread: only those of this thread, 0 for any
 * @all_cpus: @cpus does not matter
 * @cpus: only those on these CPUs
 */
struct vtr_filter {
	pid_t		process;
	pid_t		thread;
	bool		all_cpus;
	struct cpumask	cpus;
};

bool vtr_filter_excludes(const struct vtr_filter *filter,
			 const struct task_struct *task);

/**
 * vtr_category_filtered() - whether a category's filter keeps an event out
 * @category: the category
 * @task: thread, besides the one that runs, that the event is about, or NULL
 *
 * Context: interrupts off.
 * Return: true if it is not to be recorded.
 */
static inline bool vtr_category_filtered(struct vitrine_category *category,
					 const struct task_struct *task)
{
	const struct vtr_filter *filter = rcu_dereference_sched(category->filter);

	return unlikely(filter) && vtr_filter_excludes(filter, task);
}

bool vtr_category_exists(const char *name);
void vtr_category_record(bool record);
int vtr_category_switch(char *words);
void vtr_category_show(struct seq_file *seq);

#endif /* _VITRINE_CATEGORY_H */
