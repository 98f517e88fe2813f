// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine symbolize': name the functions of user stacks. This file parses the options;
 * formats/symbolize.c does the work.
 */
#include <argp.h>

#include "commands.h"
#include "formats/symbolize.h"
#include "operands.h"

struct arguments {
	const char *path;
	const char *out;
};

static const struct argp_option options[] = {
	{ "output", 'o', "OUT", 0, "Write the trace to OUT", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case 'o':
		args->out = arg;
		return 0;
	case ARGP_KEY_ARG:
		operand_set(state, &args->path, "FILE", arg);
		return 0;
	case ARGP_KEY_END:
		if (!args->path)
			argp_error(state, "no FILE given");
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
	.args_doc = "FILE -o OUT",
	.doc = "Name the functions of user stacks.\n"
	       "\013Programs and libraries are read from the paths in the trace. A file is not\n"
	       "used if its build id differs from that in the trace.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine symbolize load.fxt -o named.fxt\n"
	       "  vitrine symbolize load.fxt -o - | vitrine flame - -o load.html",
};

int cmd_symbolize(int argc, char **argv)
{
	struct arguments args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return symbolize_run(args.path, args.out);
}
