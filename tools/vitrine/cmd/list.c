// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine list': list Inspect trees and their sizes. This file parses the options;
 * inspect/list.c does the work.
 */
#include <argp.h>

#include "commands.h"
#include "inspect/list.h"
#include "operands.h"

static const struct argp_option options[] = {
	{ "all", 'a', NULL, 0, "Open lazy trees, too (runs their callbacks)", 0 },
	{ "json", 'j', NULL, 0, "Print the list as JSON", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct list_args *args = state->input;

	switch (key) {
	case 'a':
		args->all = true;
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_ARGS:
		args->nr_trees = operands_set(state, &args->trees);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "[TREE|FILE]...",
	.doc = "List Inspect trees and their sizes.\n"
	       "\013TREE is the name of a tree; * matches any characters. The default is all\n"
	       "trees of the running module.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine list\n"
	       "  vitrine list 'my*' saved.inspect",
};

/**
 * cmd_list() - run `vitrine list'
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code.
 */
int cmd_list(int argc, char **argv)
{
	struct list_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return list_run(&args);
}
