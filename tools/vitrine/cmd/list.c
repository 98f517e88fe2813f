// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine list': list Inspect trees and their sizes, or events. This file parses the
 * options; inspect/list.c and live/list_events.c do the work.
 */
#include <argp.h>

#include "commands.h"
#include "inspect/list.h"
#include "live/list_events.h"
#include "operands.h"

#define OPT_EVENTS	256

/* The options: what inspect/list.c needs, or @events, and then the trees are patterns. */
struct options {
	struct list_args list;
	bool events;
};

static const struct argp_option options[] = {
	{ "all", 'a', NULL, 0, "Open lazy trees, too (runs their callbacks)", 0 },
	{ "json", 'j', NULL, 0, "Print the list as JSON", 0 },
	{ "events", OPT_EVENTS, NULL, 0, "List events that can be recorded", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *chosen = state->input;
	struct list_args *args = &chosen->list;

	switch (key) {
	case 'a':
		args->all = true;
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case OPT_EVENTS:
		chosen->events = true;
		return 0;
	case ARGP_KEY_ARGS:
		args->nr_trees = operands_set(state, &args->trees);
		return 0;
	case ARGP_KEY_END:
		if (chosen->events && (args->all || args->json))
			argp_error(state, "--events excludes --all and --json");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
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
	struct options chosen = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &chosen);
	if (chosen.events)
		return list_events_run(chosen.list.trees, chosen.list.nr_trees);
	return list_run(&chosen.list);
}
