// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine merge': merge traces of several machines or boots. This file parses the
 * options; formats/merge.c does the work.
 */
#include <argp.h>
#include <errno.h>

#include "commands.h"
#include "formats/merge.h"
#include "operands.h"

static const struct argp_option options[] = {
	{ "output", 'o', "OUT", 0, "Write the merged trace to OUT", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct merge_args *args = state->input;

	switch (key) {
	case 'o':
		args->out = arg;
		return 0;
	case ARGP_KEY_ARGS:
		args->nr_paths = operands_set(state, &args->paths);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no FILE given");
		return EINVAL;
	case ARGP_KEY_SUCCESS:
		if (!args->out)
			argp_error(state, "no output given; use -o OUT");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE... -o OUT",
	.doc = "Merge traces of several machines or boots.\n"
	       "\013\"-\" as FILE is standard input, and as OUT standard output.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine merge server.fxt client.fxt -o both.fxt\n"
	       "  ssh host vitrine snapshot -o - | vitrine merge - local.fxt -o both.fxt",
};

int cmd_merge(int argc, char **argv)
{
	struct merge_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return merge_run(&args);
}
