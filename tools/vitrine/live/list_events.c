// SPDX-License-Identifier: GPL-2.0
/*
 * List the categories of the module, which are switched on in trace/events, and the events
 * of ftrace, which `vitrine record -e' records.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debugfs.h"
#include "error.h"
#include "list_events.h"
#include "report.h"
#include "tracefs.h"

/* Descriptions of the module's own categories; those of other modules have none. */
static const struct {
	const char *category;
	const char *what;
} helps[] = {
	{ "sched", "wakeups, migrations, fork, exec, exit" },
	{ "irq", "interrupt handlers and softirqs, as durations" },
	{ "ipi", "interrupts from other CPUs, as durations" },
	{ "fault", "page faults and other exceptions" },
	{ "syscall", "system calls, as durations" },
	{ "block", "requests of block devices, from issue to completion" },
	{ "timer", "expired timers and hrtimers, with their function" },
	{ "power", "idle states and frequency of CPUs" },
	{ "module", "loading and unloading of modules" },
	{ "printk", "kernel messages" },
	{ "marker", "what programs write to trace/marker" },
};

/**
 * struct list - a list being printed
 * @patterns: names to print; none: all
 * @nr_patterns: how many
 * @nr_printed: number of names printed so far
 */
struct list {
	char **patterns;
	int nr_patterns;
	unsigned int nr_printed;
};

static bool is_wanted(const struct list *list, const char *name)
{
	int i;

	for (i = 0; i < list->nr_patterns; i++)
		if (!fnmatch(list->patterns[i], name, 0))
			return true;
	return !list->nr_patterns;
}

static const char *help_of(const char *category)
{
	size_t i;

	for (i = 0; i < sizeof(helps) / sizeof(helps[0]); i++)
		if (!strcmp(helps[i].category, category))
			return helps[i].what;
	return "events of another module";
}

static void print_categories(struct list *list, char *text)
{
	char *line, *rest;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		/* "+CATEGORY" or "-CATEGORY", with or without a filter */
		line++;
		line[strcspn(line, ":")] = '\0';
		if (!is_wanted(list, line))
			continue;
		printf("%-16s %s\n", line, help_of(line));
		list->nr_printed++;
	}
}

static struct vitrine_error *list_categories(struct list *list)
{
	char *directory = debugfs_path("trace", ""), *path = debugfs_path("trace/events", "");
	char *text = directory ? tracefs_read(directory, "events") : NULL;
	struct vitrine_error *err = NULL;

	if (!directory || !path)
		err = vtr_error_no_memory();
	else if (!text)
		err = debugfs_explain(errno, path);
	else
		print_categories(list, text);
	free(text);
	free(path);
	free(directory);
	return err;
}

static struct vitrine_error *list_ftrace(struct list *list)
{
	struct tracefs tracefs = { 0 };
	char *text, *event, *rest;
	struct vitrine_error *err;

	err = tracefs_open(&tracefs);
	if (err)
		return err;
	text = tracefs_read(tracefs.mount, "available_events");
	if (!text)
		err = tracefs_explain(errno, tracefs.mount);
	for (event = text ? strtok_r(text, "\n", &rest) : NULL; event;
	     event = strtok_r(NULL, "\n", &rest)) {
		if (!is_wanted(list, event))
			continue;
		puts(event);
		list->nr_printed++;
	}
	free(text);
	tracefs_close(&tracefs);
	return err;
}

/**
 * list_events_run() - print the categories of the module and the events of ftrace
 * @patterns: print only names that match one of these
 * @nr_patterns: how many; 0: print all
 *
 * If one of the two lists cannot be read, an error is reported and the other one is printed.
 *
 * Return: enum exit_code.
 */
int list_events_run(char **patterns, int nr_patterns)
{
	struct list list = { .patterns = patterns, .nr_patterns = nr_patterns };
	struct vitrine_error *categories, *ftrace;

	categories = list_categories(&list);
	ftrace = list_ftrace(&list);
	if (categories)
		report_error(categories);
	if (ftrace)
		report_error(ftrace);
	if (categories || ftrace)
		return EXIT_ENVIRONMENT;
	if (list.nr_printed)
		return EXIT_DONE;
	report_error(vitrine_error_create(ENOENT, NULL, VITRINE_NO_OFFSET, NULL,
					  "no event matches"));
	return EXIT_BAD_INPUT;
}
