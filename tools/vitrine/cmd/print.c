// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine print': print a trace as text or JSON. This file parses the options;
 * sched/print.c does the work.
 */
#include <argp.h>

#include "commands.h"
#include "operands.h"
#include "sched/print.h"

static const struct argp_option options[] = {
	{ "all", 'a', NULL, 0,
	  "Include records without a time; print offsets", 0 },
	{ "relative", 'r', NULL, 0,
	  "Print times relative to the first record", 0 },
	{ "json", 'j', NULL, 0, "Print one JSON object per line", 0 },
	{ NULL, 0, NULL, 0, "Filters:", 1 },
	{ "cpu", 'c', "LIST", 0, "Match CPUs, such as 0,2-3", 1 },
	{ "thread", 't', "TID|NAME", 0, "Match a thread, on either side of a switch", 1 },
	{ "process", 'p', "PID|NAME", 0, "Match the threads of a process", 1 },
	{ "event", 'e', "EVENT", 0,
	  "Match a kind, such as switch, or CATEGORY:NAME", 1 },
	{ "from", RECORD_FILTER_FROM, "TIME", 0,
	  "Start at TIME, such as 1234.5 (seconds) or 5ms", 1 },
	{ "to", RECORD_FILTER_TO, "TIME", 0, "End at TIME", 1 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct print_args *args = state->input;

	switch (key) {
	case 'a':
		args->all = true;
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case 'r':
		args->relative = true;
		return 0;
	case ARGP_KEY_ARG:
		operand_set(state, &args->path, "FILE", arg);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no FILE given");
		return 0;
	default:
		return record_filter_parse(&args->filter, key, arg, state);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE",
	.doc = "Print a trace as text or JSON, one line per record, in time order.\n"
	       "\013A record is printed if it matches all filters. If a filter is given several\n"
	       "times, one of its values must match. CATEGORY or NAME may be *, which matches\n"
	       "any.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine print load.fxt | tail\n"
	       "  vitrine print -c 3 --from 1234.50 --to 1234.52 load.fxt\n"
	       "  vitrine print -j -e switch -t postgres load.fxt",
};

int cmd_print(int argc, char **argv)
{
	struct print_args args = { 0 };

	record_filter_init(&args.filter);
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return print_run(&args);
}
