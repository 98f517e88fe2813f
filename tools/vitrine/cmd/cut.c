// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine cut': write a part of a trace. The options; formats/cut.c does the work.
 */
#include <argp.h>

#include "commands.h"
#include "formats/cut.h"
#include "operands.h"

#define OPT_ANONYMISE	512

static const struct argp_option options[] = {
	{ "output", 'o', "OUT", 0, "Write the part to OUT", 0 },
	{ "anonymise", OPT_ANONYMISE, NULL, 0,
	  "Replace names and texts by tokens", 0 },
	{ NULL, 0, NULL, 0, "Filters:", 1 },
	{ "from", RECORD_FILTER_FROM, "TIME", 0,
	  "Start at TIME, such as 1234.5 (seconds) or 5ms", 1 },
	{ "to", RECORD_FILTER_TO, "TIME", 0, "End at TIME", 1 },
	{ "cpu", 'c', "LIST", 0, "Keep CPUs, such as 0,2-3", 1 },
	{ NULL, 'C', NULL, OPTION_ALIAS, NULL, 1 },
	{ "process", 'p', "PID|NAME", 0,
	  "Keep the threads of a process and its children", 1 },
	{ "thread", 't', "TID|NAME", 0, "Keep a thread, on either side of a switch", 1 },
	{ 0 },
};

static void check_args(const struct cut_args *args, struct argp_state *state)
{
	const struct record_filter *filter = &args->filter;

	if (!args->path)
		argp_error(state, "no FILE given");
	if (!args->out)
		argp_error(state, "no output given; use -o OUT");
	if (!filter->from_ns && filter->to_ns == UINT64_MAX && !filter->nr_cpus &&
	    !filter->nr_processes && !filter->nr_threads && !args->anonymise)
		argp_error(state, "nothing to leave out; give a filter or --anonymise");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct cut_args *args = state->input;

	switch (key) {
	case 'o':
		args->out = arg;
		return 0;
	case OPT_ANONYMISE:
		args->anonymise = true;
		return 0;
	case ARGP_KEY_ARG:
		operand_set(state, &args->path, "FILE", arg);
		return 0;
	case ARGP_KEY_END:
		check_args(args, state);
		return 0;
	default:
		return record_filter_parse(&args->filter, key, arg, state);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE -o OUT",
	.doc = "Write a part of a trace, perhaps anonymised.\n"
	       "\013A record is kept if it matches all filters. If a filter is given several\n"
	       "times, one of its values must match. \"-\" as FILE is standard input, and as\n"
	       "OUT standard output.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine cut load.fxt --from 1234.50 --to 1234.52 -o spike.fxt\n"
	       "  vitrine cut load.fxt -p postgres -o postgres.fxt.zst\n"
	       "  vitrine cut spike.fxt --anonymise -o report.fxt",
};

int cmd_cut(int argc, char **argv)
{
	struct cut_args args = { .must_select = true };

	record_filter_init(&args.filter);
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return cut_run(&args);
}
