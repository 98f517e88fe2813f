// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine snapshot': save the flight recorder's contents to a file. This file parses the
 * options; live/snapshot.c does the work.
 */
#include <argp.h>

#include "commands.h"
#include "live/snapshot.h"

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Write the trace to FILE", 0 },
	{ "wait", 'w', NULL, 0, "Wait until a trigger freezes the rings", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct snapshot_args *args = state->input;

	switch (key) {
	case 'o':
		args->output = arg;
		return 0;
	case 'w':
		args->wait = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.doc = "Save the flight recorder's contents to a file.\n"
	       "\013\"-\" as FILE is standard output. Recording continues. Without -o, the file is\n"
	       "vitrine-YYYYmmdd-HHMMSS.fxt.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine snapshot -o now.fxt\n"
	       "  vitrine snapshot --wait -o late.fxt",
};

int cmd_snapshot(int argc, char **argv)
{
	struct snapshot_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return snapshot_run(&args);
}
