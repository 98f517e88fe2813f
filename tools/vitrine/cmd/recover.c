// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine recover': extract the trace and the trees from a memory dump. This file parses
 * the options; live/recover.c does the work.
 */
#include <argp.h>
#include <string.h>

#include "commands.h"
#include "live/recover.h"
#include "operands.h"

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Write the trace to FILE", 0 },
	{ "directory", 'd', "DIR", 0, "Write each tree to DIR/NAME.inspect", 0 },
	{ "json", 'j', NULL, 0, "Print a summary as JSON", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct recover_args *args = state->input;

	switch (key) {
	case 'o':
		args->output = arg;
		return 0;
	case 'd':
		args->directory = arg;
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_ARG:
		operand_set(state, &args->dump, "DUMP", arg);
		return 0;
	case ARGP_KEY_END:
		if (!args->dump)
			argp_error(state, "no DUMP given");
		if (!args->output)
			argp_error(state, "no output given; use -o FILE");
		if (args->json && !strcmp(args->output, "-"))
			argp_error(state, "the trace and JSON cannot both go to standard output");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "DUMP",
	.doc = "Extract the trace and the trees from a memory dump.\n"
	       "\013DUMP is raw memory from address 0 on, an ELF core, or a compressed dump of\n"
	       "makedumpfile; \"-\" is standard input.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine recover /proc/vmcore -o last.fxt\n"
	       "  vitrine recover dump.elf -o last.fxt -d trees",
};

int cmd_recover(int argc, char **argv)
{
	struct recover_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return recover_run(&args);
}
