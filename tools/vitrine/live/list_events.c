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
#include "nearest.h"
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
 * struct pattern - a pattern for names to print
 * @text: the pattern
 * @found: a name matches it
 * @nearest: search for the nearest name if none does
 */
struct pattern {
	const char *text;
	bool found;
	struct nearest nearest;
};

/**
 * struct list - a list being printed
 * @patterns: print names that match one of these
 * @nr_patterns: how many; 0: print all
 * @nr_names: number of names read so far
 */
struct list {
	struct pattern *patterns;
	int nr_patterns;
	unsigned int nr_names;
};

static bool is_wanted(struct list *list, const char *name)
{
	struct pattern *pattern;
	bool wanted = !list->nr_patterns;
	int i;

	list->nr_names++;
	for (i = 0; i < list->nr_patterns; i++) {
		pattern = &list->patterns[i];
		if (!fnmatch(pattern->text, name, 0)) {
			pattern->found = true;
			wanted = true;
		} else if (!pattern->found) {
			nearest_offer(&pattern->nearest, name, strlen(name));
		}
	}
	return wanted;
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
		if (is_wanted(list, line))
			printf("%-16s %s\n", line, help_of(line));
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
		if (is_wanted(list, event))
			puts(event);
	}
	free(text);
	tracefs_close(&tracefs);
	return err;
}

/* Report the patterns that match no name. */
static int report_unmatched(const struct list *list)
{
	const struct pattern *pattern;
	int i, status = EXIT_DONE;

	for (i = 0; i < list->nr_patterns; i++) {
		pattern = &list->patterns[i];
		if (!pattern->found)
			status = report_error(nothing_selected(pattern->text, &pattern->nearest,
							       NULL,
							       "matches none of %u categories and events",
							       list->nr_names));
	}
	return status;
}

static int list_events(struct list *list)
{
	struct vitrine_error *categories = list_categories(list), *ftrace = list_ftrace(list);

	if (categories)
		report_error(categories);
	if (ftrace)
		report_error(ftrace);
	return categories || ftrace ? EXIT_ENVIRONMENT : report_unmatched(list);
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
	struct list list = { .nr_patterns = nr_patterns };
	int i, status;

	list.patterns = calloc(nr_patterns + 1, sizeof(*list.patterns));
	if (!list.patterns)
		return report_error(vtr_error_no_memory());
	for (i = 0; i < nr_patterns; i++) {
		list.patterns[i].text = patterns[i];
		nearest_init(&list.patterns[i].nearest, patterns[i], strlen(patterns[i]));
	}
	status = list_events(&list);
	free(list.patterns);
	return status;
}
