// SPDX-License-Identifier: GPL-2.0
/*
 * Categories of events: the list, which of them are switched on, and their filters.
 *
 * Concurrency: category_mutex guards the list, @wanted and the filters. It is taken
 * after session_mutex, and static keys are patched while it is held. Writers of
 * events read a filter under RCU, with interrupts off.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cgroup.h>
#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/ratelimit.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "category.h"
#include "compat.h"
#include "writer.h"

static DEFINE_MUTEX(category_mutex);
static LIST_HEAD(categories);
static bool recording;

/* ---- words --------------------------------------------------------------- */

/* One hour. A longer time is taken for a typing error. */
#define MAX_US	3600000000ULL

/* Longest part of an invalid word that is logged. */
#define MAX_LOGGED_BYTES	64

/**
 * vtr_word_next() - split off the next word
 * @line: words, separated by white space; advanced
 *
 * Context: any.
 * Return: the word, or NULL after the last one.
 */
char *vtr_word_next(char **line)
{
	char *word;

	do
		word = strsep(line, " \t\n");
	while (word && !*word);
	return word;
}

/**
 * vtr_word_us() - parse a time in microseconds
 * @digits: the time, at most an hour
 * @ret_ns: the time in nanoseconds
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int vtr_word_us(const char *digits, s64 *ret_ns)
{
	u64 us;

	if (kstrtou64(digits, 0, &us) || us > MAX_US)
		return -EINVAL;
	*ret_ns = us * NSEC_PER_USEC;
	return 0;
}

/**
 * vtr_word_refuse() - name in the kernel log a word that was written and is invalid
 * @file: file in trace/
 * @word: the word, arbitrary bytes
 * @err: result of parsing it
 *
 * The writer gets an errno value only. A writer that does not stop is logged ten times a
 * minute at most.
 *
 * Context: task.
 */
void vtr_word_refuse(const char *file, const char *word, int err)
{
	static DEFINE_RATELIMIT_STATE(limit, 60 * HZ, 10);

	if ((err == -EINVAL || err == -ERANGE) && __ratelimit(&limit))
		pr_notice("trace/%s: \"%*pE\" is not valid; see Documentation/ABI/debugfs-vitrine\n",
			  file, (int)strnlen(word, MAX_LOGGED_BYTES), word);
}

/* ---- filters ------------------------------------------------------------- */

#ifdef CONFIG_CGROUPS
static int parse_cgroup(const char *path, struct cgroup **ret)
{
	struct cgroup *cgroup = *path ? cgroup_get_from_path(path) :
					ERR_PTR(-EINVAL);

	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	if (*ret)
		cgroup_put(*ret);
	*ret = cgroup;
	return 0;
}

static void put_cgroup(struct cgroup *cgroup)
{
	if (cgroup)
		cgroup_put(cgroup);
}

static void show_cgroup(struct seq_file *seq, struct cgroup *cgroup)
{
	char *path;
	int size = seq_get_buf(seq, &path), len = -1;

	if (size)
		len = cgroup_path_ns(cgroup, path, size,
				     current->nsproxy->cgroup_ns);
	/* Without room, seq_file repeats everything with a larger buffer. */
	seq_commit(seq, len < size ? len : -1);
}

static bool is_in(const struct task_struct *task, struct cgroup *cgroup)
{
	const struct css_set *set = rcu_dereference_sched(task->cgroups);

	return cgroup_is_descendant(set->dfl_cgrp, cgroup);
}
#else
static int parse_cgroup(const char *path, struct cgroup **ret)
{
	return -EOPNOTSUPP;
}

static void put_cgroup(struct cgroup *cgroup)
{
}

static void show_cgroup(struct seq_file *seq, struct cgroup *cgroup)
{
}

static bool is_in(const struct task_struct *task, struct cgroup *cgroup)
{
	return false;
}
#endif

/**
 * vtr_filter_free() - free a filter
 * @filter: the filter, which kzalloc() has allocated, or NULL
 *
 * Context: task.
 */
void vtr_filter_free(struct vtr_filter *filter)
{
	if (filter)
		put_cgroup(filter->cgroup);
	kfree(filter);
}

/**
 * vtr_filter_admits() - check whether a filter admits a thread on this CPU
 * @filter: the filter
 * @task: the thread
 *
 * Context: preemption disabled.
 * Return: true if this CPU and the thread match the filter.
 */
bool vtr_filter_admits(const struct vtr_filter *filter,
		       const struct task_struct *task)
{
	return (filter->all_cpus || cpumask_test_cpu(smp_processor_id(), &filter->cpus)) &&
	       (!filter->process || task->tgid == filter->process) &&
	       (!filter->thread || task->pid == filter->thread) &&
	       (!filter->cgroup || is_in(task, filter->cgroup));
}

/**
 * vtr_filter_excludes() - check whether a filter rejects an event
 * @filter: the filter
 * @task: as for vtr_category_filtered()
 *
 * Context: interrupts off.
 * Return: true if the event must not be recorded.
 */
bool vtr_filter_excludes(const struct vtr_filter *filter,
			 const struct task_struct *task)
{
	return !vtr_filter_admits(filter, current) &&
	       !(task && vtr_filter_admits(filter, task));
}

/* The last condition of a category, because the path of a cgroup may contain colons. */
#define CGROUP	"cgroup="

static int parse_id(const char *digits, pid_t *ret)
{
	int err = kstrtoint(digits, 10, ret);

	return err || *ret >= 0 ? err : -EINVAL;
}

static int parse_condition(const char *word, struct vtr_filter *filter)
{
	if (!strncmp(word, "cpus=", 5)) {
		filter->all_cpus = false;
		return cpulist_parse(word + 5, &filter->cpus);
	}
	if (!strncmp(word, "process=", 8))
		return parse_id(word + 8, &filter->process);
	if (!strncmp(word, "thread=", 7))
		return parse_id(word + 7, &filter->thread);
	if (str_has_prefix(word, CGROUP))
		return parse_cgroup(word + strlen(CGROUP), &filter->cgroup);
	return -EINVAL;
}

/**
 * vtr_filter_parse() - parse a condition and add it to a filter
 * @word: "cpus=0-3", "process=17", "thread=18" or "cgroup=/user.slice"
 * @filter: the filter; if it is NULL, a filter is allocated
 *
 * Context: task; may sleep.
 * Return: 0; -EINVAL or -ERANGE if @word is not a condition; -ENOENT or -ENOTDIR if there
 *	is no such cgroup; -EOPNOTSUPP if the kernel has no cgroups; -ENOMEM.
 */
int vtr_filter_parse(const char *word, struct vtr_filter **filter)
{
	if (!*filter) {
		*filter = kzalloc(sizeof(**filter), GFP_KERNEL);
		if (!*filter)
			return -ENOMEM;
		(*filter)->all_cpus = true;
	}
	return parse_condition(word, *filter);
}

/**
 * vtr_filter_show() - write the conditions of a filter
 * @seq: receives the conditions, in the syntax of vtr_filter_parse()
 * @separator: character before each condition
 * @filter: the filter
 *
 * Context: task.
 */
void vtr_filter_show(struct seq_file *seq, char separator,
		     const struct vtr_filter *filter)
{
	if (!filter->all_cpus)
		seq_printf(seq, "%ccpus=%*pbl", separator,
			   cpumask_pr_args(&filter->cpus));
	if (filter->process)
		seq_printf(seq, "%cprocess=%d", separator, filter->process);
	if (filter->thread)
		seq_printf(seq, "%cthread=%d", separator, filter->thread);
	if (filter->cgroup) {
		seq_printf(seq, "%c" CGROUP, separator);
		show_cgroup(seq, filter->cgroup);
	}
}

/* ---- switches ------------------------------------------------------------ */

/* Switch a category on if it is wanted while its events are recorded, else off. */
static int apply(struct vitrine_category *category)
{
	bool on = recording && category->wanted;
	int err = 0;

	lockdep_assert_held(&category_mutex);
	if (on == static_key_enabled(&category->key))
		return 0;
	if (on)
		static_branch_enable(&category->key);
	if (category->switched)
		err = category->switched(on);
	if (!on || err)
		static_branch_disable(&category->key);
	if (err)
		category->wanted = false;
	return err;
}

static void switch_off(struct vitrine_category *category)
{
	category->wanted = false;
	apply(category);
}

static void set_filter(struct vitrine_category *category,
		       struct vtr_filter *filter)
{
	struct vtr_filter *old;

	old = rcu_replace_pointer(category->filter, filter,
				  lockdep_is_held(&category_mutex));
	/* Prepared records bypass the filter, so drop them. */
	if (filter)
		vtr_writer_forget_strings();
	if (!old)
		return;
	synchronize_rcu();
	vtr_filter_free(old);
}

/* Stands for every category in place of a name. */
#define ALL	"all"

static struct vitrine_category *find(const char *name)
{
	struct vitrine_category *category;

	lockdep_assert_held(&category_mutex);
	list_for_each_entry(category, &categories, list)
		if (!strcmp(category->name, name))
			return category;
	return NULL;
}

/**
 * struct options - options after the name of a category
 * @filter: selects events, NULL for all
 * @with_args: record the arguments of system calls
 */
struct options {
	struct vtr_filter	*filter;
	bool			with_args;
};

static int parse_option(const struct vitrine_category *category,
			const char *word, struct options *options)
{
	if (category->takes_args && !strcmp(word, "args")) {
		options->with_args = true;
		return 0;
	}
	return vtr_filter_parse(word, &options->filter);
}

/* Split off the next option, or return NULL. */
static char *next_option(char **words)
{
	char *word = *words;

	if (!word || !str_has_prefix(word, CGROUP))
		return strsep(words, ":");
	*words = NULL;
	return word;
}

/* Parse "args:cpus=0-3:process=17" and so on; without a condition there is no filter. */
static int parse_options(const struct vitrine_category *category, char *words,
			 struct options *ret)
{
	char *word;
	int err = 0;

	*ret = (struct options){};
	while (!err && (word = next_option(&words)))
		err = parse_option(category, word, ret);
	if (err)
		vtr_filter_free(ret->filter);
	return err;
}

/* Switch a category. Takes over the filter of @options. */
static int switch_category(struct vitrine_category *category, bool wanted,
			   const struct options *options)
{
	int err;

	/* Switch off and on: with a filter or with arguments, a source may use other probes. */
	if (options->filter || rcu_access_pointer(category->filter) ||
	    options->with_args != category->with_args)
		switch_off(category);
	category->with_args = options->with_args;
	set_filter(category, options->filter);
	category->wanted = wanted;
	err = apply(category);
	if (err)
		set_filter(category, NULL);
	return err;
}

/* Switch all categories, except those for which this kernel has no tracepoint. */
static int switch_all(bool wanted, const char *conditions)
{
	struct vitrine_category *category;
	struct options options;
	int err;

	list_for_each_entry(category, &categories, list) {
		char *copy __free(kfree) = kstrdup(conditions, GFP_KERNEL);

		if (conditions && !copy)
			return -ENOMEM;
		err = parse_options(category, copy, &options);
		if (err)
			return err;
		err = switch_category(category, wanted, &options);
		if (err && err != -ENOENT)
			return err;
	}
	return 0;
}

/* Parse and switch "irq", "+irq", "-irq", "+irq:cpus=0-3:process=17" or "+all". */
static int switch_word(char *word)
{
	struct vitrine_category *category;
	bool wanted = *word != '-';
	struct options options;
	const char *name;
	int err;

	if (*word == '+' || *word == '-')
		word++;
	name = strsep(&word, ":");
	if (!strcmp(name, ALL))
		return switch_all(wanted, word);
	category = find(name);
	if (!category)
		return -EINVAL;
	err = parse_options(category, word, &options);
	return err ?: switch_category(category, wanted, &options);
}

/**
 * vtr_category_exists() - check whether a category is registered
 * @name: name of the category
 *
 * Context: task; may sleep.
 * Return: true if it is registered.
 */
bool vtr_category_exists(const char *name)
{
	guard(mutex)(&category_mutex);
	return find(name);
}

/**
 * vtr_category_switch() - switch categories on and off
 * @words: "+irq", "-irq", "+irq:cpus=0-3:process=17:thread=18", "+syscall:args" or
 *	"+all", separated by white space; modified by this call
 *
 * Stops at the first invalid word; the words before it have taken effect.
 *
 * Context: task; may sleep.
 * Return: 0, -EINVAL for an unknown category or condition, -ENOENT if this
 *	kernel has no tracepoint for a category, the errors of vtr_filter_parse(), -ENOMEM.
 */
int vtr_category_switch(char *words)
{
	char whole[MAX_LOGGED_BYTES + 1], *word;
	int err = 0;

	guard(mutex)(&category_mutex);
	while (!err && (word = vtr_word_next(&words))) {
		strscpy(whole, word, sizeof(whole));
		err = switch_word(word);
		vtr_word_refuse("events", whole, err);
	}
	return err;
}

/**
 * vtr_category_show() - list the categories
 * @seq: receives one line per category, in the syntax of vtr_category_switch()
 *
 * Context: task; may sleep.
 * Return: 0.
 */
int vtr_category_show(struct seq_file *seq)
{
	struct vitrine_category *category;
	const struct vtr_filter *filter;

	guard(mutex)(&category_mutex);
	list_for_each_entry(category, &categories, list) {
		seq_printf(seq, "%c%s", category->wanted ? '+' : '-',
			   category->name);
		if (category->with_args)
			seq_puts(seq, ":args");
		filter = rcu_dereference_protected(category->filter,
						   lockdep_is_held(&category_mutex));
		if (filter)
			vtr_filter_show(seq, ':', filter);
		seq_putc(seq, '\n');
	}
	return 0;
}

/**
 * vtr_category_record() - begin or stop recording the categories that are switched on
 * @record: true to begin, false to stop
 *
 * Context: task; may sleep. CPU hotplug is not locked.
 */
void vtr_category_record(bool record)
{
	struct vitrine_category *category;

	guard(mutex)(&category_mutex);
	recording = record;
	list_for_each_entry(category, &categories, list)
		apply(category);
}

static bool is_name(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (!isalnum(*c) && *c != '_')
			return false;
	return c > name && strcmp(name, ALL);
}

int vitrine_category_register(struct vitrine_category *category)
{
	if (!is_name(category->name)) {
		pr_warn("category \"%s\" not registered: want letters, digits and \"_\", and not \"all\"\n",
			category->name);
		return -EINVAL;
	}
	guard(mutex)(&category_mutex);
	if (find(category->name))
		return -EEXIST;
	list_add_tail(&category->list, &categories);
	return 0;
}
VTR_EXPORT(vitrine_category_register);

static void remove(struct vitrine_category *category)
{
	lockdep_assert_held(&category_mutex);
	switch_off(category);
	set_filter(category, NULL);
	list_del_init(&category->list);
}

void vitrine_category_unregister(struct vitrine_category *category)
{
	guard(mutex)(&category_mutex);
	if (!list_empty(&category->list))
		remove(category);
}
VTR_EXPORT(vitrine_category_unregister);

/**
 * vtr_category_module_goes() - remove the categories that a module has left
 * @module: module whose exit function has returned or whose init function has failed
 *
 * Context: task; may sleep.
 */
void vtr_category_module_goes(const struct module *module)
{
	struct vitrine_category *category, *next;

	guard(mutex)(&category_mutex);
	list_for_each_entry_safe(category, next, &categories, list) {
		if (!within_module((unsigned long)category, module))
			continue;
		pr_warn("module %s has not unregistered its category \"%s\"; it is unregistered now\n",
			module->name, category->name);
		remove(category);
	}
}
