// SPDX-License-Identifier: GPL-2.0
/*
 * Categories of events: their list, what is wanted, their filters.
 *
 * Concurrency: category_mutex keeps the list, what is wanted, and filters. It
 * is taken after session_mutex, and static keys are patched under it. Writers
 * read a filter as RCU data, with interrupts off.
 */
#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "category.h"

static DEFINE_MUTEX(category_mutex);
static LIST_HEAD(categories);
static bool recording;

/* ---- filters ------------------------------------------------------------- */

static bool is_of(const struct vtr_filter *filter,
		  const struct task_struct *task)
{
	return (!filter->process || task->tgid == filter->process) &&
	       (!filter->thread || task->pid == filter->thread);
}

/**
 * vtr_filter_excludes() - whether a filter keeps an event out
 * @filter: the filter
 * @task: as for vtr_category_filtered()
 *
 * Context: interrupts off.
 * Return: true if it is not to be recorded.
 */
bool vtr_filter_excludes(const struct vtr_filter *filter,
			 const struct task_struct *task)
{
	if (!filter->all_cpus &&
	    !cpumask_test_cpu(smp_processor_id(), &filter->cpus))
		return true;
	return !is_of(filter, current) && !(task && is_of(filter, task));
}

/* ---- switches ------------------------------------------------------------ */

static int switch_on(struct vitrine_category *category)
{
	int err = 0;

	if (static_key_enabled(&category->key))
		return 0;
	static_branch_enable(&category->key);
	if (category->switched)
		err = category->switched(true);
	if (err)
		static_branch_disable(&category->key);
	return err;
}

static void switch_off(struct vitrine_category *category)
{
	if (!static_key_enabled(&category->key))
		return;
	if (category->switched)
		category->switched(false);
	static_branch_disable(&category->key);
}

static int want(struct vitrine_category *category, bool wanted)
{
	int err = 0;

	lockdep_assert_held(&category_mutex);
	if (!recording)
		;
	else if (wanted)
		err = switch_on(category);
	else
		switch_off(category);
	category->wanted = wanted && !err;
	return err;
}

static void set_filter(struct vitrine_category *category,
		       struct vtr_filter *filter)
{
	struct vtr_filter *old;

	old = rcu_replace_pointer(category->filter, filter,
				  lockdep_is_held(&category_mutex));
	if (!old)
		return;
	synchronize_rcu();
	kfree(old);
}

static struct vitrine_category *find(const char *name)
{
	struct vitrine_category *category;

	lockdep_assert_held(&category_mutex);
	list_for_each_entry(category, &categories, list)
		if (!strcmp(category->name, name))
			return category;
	return NULL;
}

/* "cpus=0-3", "process=17" or "thread=18" */
static int parse_condition(const char *word, struct vtr_filter *filter)
{
	if (!strncmp(word, "cpus=", 5)) {
		filter->all_cpus = false;
		return cpulist_parse(word + 5, &filter->cpus);
	}
	if (!strncmp(word, "process=", 8))
		return kstrtoint(word + 8, 10, &filter->process);
	if (!strncmp(word, "thread=", 7))
		return kstrtoint(word + 7, 10, &filter->thread);
	return -EINVAL;
}

/* "cpus=0-3:process=17", and so on; none at all is no filter. */
static int parse_filter(char *conditions, struct vtr_filter **ret)
{
	struct vtr_filter *filter;
	char *word;
	int err = 0;

	*ret = NULL;
	if (!conditions)
		return 0;
	filter = kzalloc(sizeof(*filter), GFP_KERNEL);
	if (!filter)
		return -ENOMEM;
	filter->all_cpus = true;
	while (!err && (word = strsep(&conditions, ":")))
		err = parse_condition(word, filter);
	if (!err && (filter->process < 0 || filter->thread < 0))
		err = -EINVAL;
	if (err) {
		kfree(filter);
		return err;
	}
	*ret = filter;
	return 0;
}

/* "irq", "+irq", "-irq" or "+irq:cpus=0-3:process=17" */
static int switch_word(char *word)
{
	struct vitrine_category *category;
	struct vtr_filter *filter;
	bool wanted = *word != '-';
	int err;

	if (*word == '+' || *word == '-')
		word++;
	category = find(strsep(&word, ":"));
	if (!category)
		return -EINVAL;
	err = parse_filter(word, &filter);
	if (err)
		return err;
	/* A source may have probes of its own for events that are filtered. */
	if (filter || rcu_access_pointer(category->filter))
		switch_off(category);
	set_filter(category, filter);
	return want(category, wanted);
}

/**
 * vtr_category_exists() - whether there is a category
 * @name: its name
 *
 * Context: task, sleeps.
 * Return: true if it is registered.
 */
bool vtr_category_exists(const char *name)
{
	bool exists;

	mutex_lock(&category_mutex);
	exists = find(name);
	mutex_unlock(&category_mutex);
	return exists;
}

/**
 * vtr_category_switch() - switch categories
 * @words: "+irq", "-irq" or "+irq:cpus=0-3:process=17:thread=18", separated by
 *	white space; changed by this call
 *
 * Goes from word to word, up to the first that is wrong.
 *
 * Context: task, sleeps.
 * Return: 0, -EINVAL for what is no category or no condition, -ENOENT if this
 *	kernel has nothing to record, -ENOMEM.
 */
int vtr_category_switch(char *words)
{
	char *word;
	int err = 0;

	mutex_lock(&category_mutex);
	while (!err && (word = strsep(&words, " \t\n")))
		if (*word)
			err = switch_word(word);
	mutex_unlock(&category_mutex);
	return err;
}

static void show_filter(struct seq_file *seq, const struct vtr_filter *filter)
{
	if (!filter)
		return;
	if (!filter->all_cpus)
		seq_printf(seq, ":cpus=%*pbl", cpumask_pr_args(&filter->cpus));
	if (filter->process)
		seq_printf(seq, ":process=%d", filter->process);
	if (filter->thread)
		seq_printf(seq, ":thread=%d", filter->thread);
}

/**
 * vtr_category_show() - list categories
 * @seq: where to; one a line, as vtr_category_switch() takes them
 *
 * Context: task, sleeps.
 */
void vtr_category_show(struct seq_file *seq)
{
	struct vitrine_category *category;
	const struct vtr_filter *filter;

	mutex_lock(&category_mutex);
	list_for_each_entry(category, &categories, list) {
		seq_printf(seq, "%c%s", category->wanted ? '+' : '-',
			   category->name);
		filter = rcu_dereference_protected(category->filter,
						   lockdep_is_held(&category_mutex));
		show_filter(seq, filter);
		seq_putc(seq, '\n');
	}
	mutex_unlock(&category_mutex);
}

/**
 * vtr_category_record() - record what is wanted, or nothing
 * @record: what is to be done
 *
 * Context: task, sleeps; CPU hotplug is not locked.
 */
void vtr_category_record(bool record)
{
	struct vitrine_category *category;

	mutex_lock(&category_mutex);
	recording = record;
	list_for_each_entry(category, &categories, list) {
		if (!category->wanted)
			continue;
		if (!record)
			switch_off(category);
		else if (switch_on(category))
			category->wanted = false;
	}
	mutex_unlock(&category_mutex);
}

static bool is_name(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (!isalnum(*c) && *c != '_')
			return false;
	return c > name;
}

/**
 * vitrine_category_register() - list a category in trace/events, switched off
 * @category: made by DEFINE_VITRINE_CATEGORY()
 *
 * Context: task, sleeps.
 * Return: 0, -EEXIST if there is one of that name, -EINVAL if it is no name.
 */
int vitrine_category_register(struct vitrine_category *category)
{
	int err = 0;

	if (WARN_ON_ONCE(!is_name(category->name)))
		return -EINVAL;
	mutex_lock(&category_mutex);
	if (find(category->name))
		err = -EEXIST;
	else
		list_add_tail(&category->list, &categories);
	mutex_unlock(&category_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(vitrine_category_register);

/**
 * vitrine_category_unregister() - switch a category off and forget it
 * @category: the category; nothing happens if it is not registered
 *
 * No event of it may be on its way, as none may when a module goes.
 *
 * Context: task, sleeps.
 */
void vitrine_category_unregister(struct vitrine_category *category)
{
	mutex_lock(&category_mutex);
	if (!list_empty(&category->list)) {
		switch_off(category);
		category->wanted = false;
		set_filter(category, NULL);
		list_del_init(&category->list);
	}
	mutex_unlock(&category_mutex);
}
EXPORT_SYMBOL_GPL(vitrine_category_unregister);
