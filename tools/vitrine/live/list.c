// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine list': list Inspect trees, which inspect/list.c does, or the events that can be
 * recorded: the categories of the module, which are switched on in trace/events, and the events
 * of ftrace, which `vitrine record -e' records.
 */
#include <argp.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "command.h"
#include "debugfs.h"
#include "fxt_record.h"
#include "inspect/list.h"
#include "kernel_events.h"

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

/* The options: what inspect/list.c needs, or @events, and then the trees are patterns. */
struct options {
	struct list_args list;
	bool events;
};

/* ---- Events ------------------------------------------------------------ */

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
	const struct fxt_source *source =
		fxt_source_find(&(struct vitrine_fxt_string){ category, strlen(category) });

	if (source)
		return source->what;
	return strcmp(category, "marker") ? "events of another module" :
					    "what programs write to trace/marker";
}

static struct vitrine_error *list_categories(struct list *list)
{
	char *path = debugfs_path("trace/events", ""), *text = events_read(), *rest = text, *line;
	struct vitrine_error *err = text ? NULL : debugfs_explain(errno, path);

	while ((line = events_next(&rest)))
		if (is_wanted(list, line + 1))
			printf("%-16s %s\n", line + 1, help_of(line + 1));
	free(text);
	free(path);
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
	for (rest = text; (event = next_line(&rest));)
		if (is_wanted(list, event))
			puts(event);
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

/*
 * Print the categories of the module and the events of ftrace.
 *
 * If one of the two lists cannot be read, an error is reported and the other one is printed.
 *
 * Returns enum exit_code.
 */
static int list_events_run(char **patterns, int nr_patterns)
{
	struct list list = { .nr_patterns = nr_patterns };
	int i, status;

	list.patterns = calloc(nr_patterns + 1, sizeof(*list.patterns));
	must_have(list.patterns);
	for (i = 0; i < nr_patterns; i++) {
		list.patterns[i].text = patterns[i];
		nearest_init(&list.patterns[i].nearest, patterns[i], strlen(patterns[i]));
	}
	status = list_events(&list);
	free(list.patterns);
	return status;
}

/* ---- Options ----------------------------------------------------------- */

static struct options args;

static const struct command_option options[] = {
	{ "all", 'a', NULL, "Open lazy trees, too (runs their callbacks)", .flag = &args.list.all },
	{ "json", 'j', NULL, "Print the list as JSON", .flag = &args.list.json },
	{ "events", 0, NULL, "List events that can be recorded", .flag = &args.events },
	{ 0 }
};

static void check_args(struct argp_state *state)
{
	if (args.events && (args.list.all || args.list.json))
		argp_error(state, "--events excludes --all and --json");
}

static const struct command_line line = {
	.options = options,
	.check = check_args,
	.operands = &args.list.trees,
	.nr_operands = &args.list.nr_trees,
	.args_doc = "[TREE|FILE]...\n--events [EVENT...]",
	.doc = "List Inspect trees and their sizes.\n"
	       "\013TREE is the name of a tree; * matches any characters. The default is all\n"
	       "trees of the running module. EVENT is a category, or SYSTEM:NAME of ftrace.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine list\n"
	       "  vitrine list --events 'sched*'\n"
	       "  vitrine list 'my*' saved.inspect",
};

int cmd_list(int argc, char **argv)
{
	args = (struct options){ 0 };
	options_parse(&line, argc, argv);
	if (args.events)
		return list_events_run(args.list.trees, args.list.nr_trees);
	return list_run(&args.list);
}
