// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine show': print Inspect trees, live or saved, as text or JSON. This file parses
 * the options; inspect/show.c does the work.
 */
#include <argp.h>

#include "commands.h"
#include "inspect/show.h"
#include "operands.h"

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "Print JSON; with --live, one object per line", 0 },
	{ "live", 'l', NULL, 0, "Print again on each change, until interrupted", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct show_args *args = state->input;

	switch (key) {
	case 'j':
		args->json = true;
		return 0;
	case 'l':
		args->live = true;
		return 0;
	case ARGP_KEY_ARGS:
		args->nr_selectors = operands_set(state, &args->selectors);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "[SELECTOR]...",
	.doc = "Print Inspect trees as text or JSON.\n"
	       "\013SELECTOR is TREE[:NODE[/NODE]...[:PROPERTY]]. TREE is the name of a tree of\n"
	       "the running module, a path with a slash, or \"-\" for standard input; NODEs\n"
	       "lead down from the root, and the last one may be a property. In names, *\n"
	       "matches any characters, and : / * and \\ are escaped with a backslash. The\n"
	       "default is all trees of the running module.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine show system\n"
	       "  vitrine show 'system:cpus/*:idle_ns'\n"
	       "  vitrine show --json ./saved.inspect | jq .root",
};

int cmd_show(int argc, char **argv)
{
	struct show_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return show_run(&args);
}
