// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine diff': compare two Inspect trees, or traces. This file parses the options;
 * inspect/diff_print.c and sched/trace_diff.c do the work.
 */
#include <argp.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "commands.h"
#include "error.h"
#include "input.h"
#include "inspect/diff.h"
#include "report.h"
#include "sched/trace_diff.h"

static const struct argp_option options[] = {
	{ "with", 'w', NULL, 0, "Separate the old traces from the new ones", 0 },
	{ "json", 'j', NULL, 0, "Print the differences as JSON", 0 },
	{ 0 }
};

static void check_operands(struct trace_diff_args *args,
			   struct argp_state *state)
{
	if (args->nr_old) {
		if (args->nr_old == args->nr_paths)
			argp_error(state, "expected traces on both sides of --with");
		return;
	}
	if (args->nr_paths != 2)
		argp_error(state, "expected two trees or traces, A and B");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct trace_diff_args *args = state->input;

	switch (key) {
	case 'j':
		args->json = true;
		return 0;
	case 'w':
		if (args->nr_old || !args->nr_paths)
			argp_error(state, "expected traces on both sides of --with");
		args->nr_old = args->nr_paths;
		return 0;
	case ARGP_KEY_ARG:
		args->paths[args->nr_paths++] = arg;
		return 0;
	case ARGP_KEY_END:
		check_operands(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "A B\nOLD... --with NEW...",
	.doc = "Compare two Inspect trees, or traces.\n"
	       "\013A and B are two trees (files, tree names, or selectors as in `vitrine show')\n"
	       "or two traces in FXT format. For traces, the times for which each thread ran\n"
	       "and waited are compared. The exit status is 0 if A and B are equal, 1 if they\n"
	       "differ, and 2 or 3 on errors.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine diff before.inspect mydriver\n"
	       "  vitrine diff system:cpus/0 system:cpus/1\n"
	       "  vitrine diff good.fxt bad.fxt",
};

/* Detect a trace, perhaps compressed, by its content. A pipe could not be read again. */
static bool is_trace(const char *path)
{
	enum vitrine_format format;
	struct vitrine_error *err;
	struct input input = { 0 };
	struct stat status;
	bool found;

	if (stat(path, &status) || !S_ISREG(status.st_mode))
		return false;
	err = input_open(&input, path);
	if (!err)
		err = vitrine_format_of_file(input.path, &format);
	found = !err && format == VITRINE_FORMAT_FXT;
	vitrine_error_destroy(err);
	input_close(&input);
	return found;
}

int cmd_diff(int argc, char **argv)
{
	struct trace_diff_args args = { 0 };
	struct diff_args trees;
	int status;

	args.paths = calloc(argc + 1, sizeof(*args.paths));
	if (!args.paths)
		return report_error(vtr_error_no_memory());
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &args);
	if (!args.nr_old && is_trace(args.paths[0]))
		args.nr_old = 1;
	trees = (struct diff_args){ args.json, args.paths };
	status = args.nr_old ? trace_diff_run(&args) : diff_run(&trees);
	free(args.paths);
	return status;
}
