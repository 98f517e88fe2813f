/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Categories of events: switched on and off by name, filtered by CPU, process, thread and
 * cgroup; and the words that are written to the files of trace/. The locking rules are in
 * category.c.
 */
#ifndef _VTR_CATEGORY_H
#define _VTR_CATEGORY_H

#include <linux/cpumask.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include <vitrine/trace.h>

struct cgroup;
struct module;
struct seq_file;

char *vtr_word_next(char **line);
int vtr_word_us(const char *digits, s64 *ret_ns);
void vtr_word_refuse(const char *file, const char *word, int err);

/**
 * struct vtr_filter - selects the events of a category that are recorded
 * @process: only events of this process, 0 for any
 * @thread: only events of this thread, 0 for any
 * @cgroup: only events of threads in this cgroup and its descendants, NULL for any; with a
 *	reference
 * @all_cpus: events of any CPU; @cpus is not used
 * @cpus: only events on these CPUs
 */
struct vtr_filter {
	pid_t		process;
	pid_t		thread;
	struct cgroup	*cgroup;
	bool		all_cpus;
	struct cpumask	cpus;
};

void vtr_filter_free(struct vtr_filter *filter);
bool vtr_filter_admits(const struct vtr_filter *filter,
		       const struct task_struct *task);
int vtr_filter_parse(const char *word, struct vtr_filter **filter);
void vtr_filter_show(struct seq_file *seq, char separator,
		     const struct vtr_filter *filter);
bool vtr_filter_excludes(const struct vtr_filter *filter,
			 const struct task_struct *task);

/**
 * vtr_category_filtered() - check whether the filter of a category rejects an event
 * @category: the category
 * @task: thread that the event is about, in addition to the current thread, or NULL
 *
 * Context: interrupts off.
 * Return: true if the event must not be recorded.
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
int vtr_category_show(struct seq_file *seq);
void vtr_category_module_goes(const struct module *module);

#endif /* _VTR_CATEGORY_H */
