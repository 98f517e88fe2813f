// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine check': validate Inspect and FXT files. This file parses the options;
 * formats/check.c does the work.
 */
#include <argp.h>
#include <errno.h>

#include "commands.h"
#include "formats/check.h"
#include "operands.h"

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "Print the findings as JSON", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct check_args *args = state->input;

	switch (key) {
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_ARGS:
		args->nr_paths = operands_set(state, &args->paths);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no FILE given");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE...",
	.doc = "Validate Inspect and FXT files.\n"
	       "\013\"-\" as FILE is standard input. The exit status is 1 if a file has faults.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine check load.fxt\n"
	       "  vitrine check --json *.inspect | jq '.[].faults'",
};

int cmd_check(int argc, char **argv)
{
	struct check_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return check_run(&args);
}
