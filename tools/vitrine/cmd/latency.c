// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine latency': report the scheduling latency of each thread. This file parses the
 * options; sched/latency.c does the work.
 */
#include <argp.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "operands.h"
#include "sched/latency.h"
#include "sched/why.h"

#define LATENCY_WHY	(RECORD_FILTER_TO + 1)

static const struct argp_option options[] = {
	{ "live", 'l', NULL, 0, "Read the flight recorder instead of FILE", 0 },
	{ "sort", 's', "KEY", 0,
	  "Sort by KEY (default: max); see below", 0 },
	{ "switches", 'w', NULL, 0,
	  "Print one line per time slice of a thread", 0 },
	{ "map", 'm', NULL, 0,
	  "Print the threads of all CPUs at each switch", 0 },
	{ "why", LATENCY_WHY, NULL, 0,
	  "Explain the longest waits and their causes", 0 },
	{ "count", 'n', "N", 0, "Number of rows (default: all), or of waits (10)", 0 },
	{ "by-name", 'g', NULL, 0, "One row for all threads of a name", 0 },
	{ "json", 'j', NULL, 0, "Print JSON", 0 },
	{ NULL, 0, NULL, 0, "Filters:", 1 },
	{ "thread", 't', "TID|NAME", 0, "Report only this thread", 1 },
	{ "process", 'p', "PID|NAME", 0, "Report only the threads of this process", 1 },
	{ "from", RECORD_FILTER_FROM, "TIME", 0,
	  "Start at TIME, such as 1234.5 (seconds) or 5ms", 1 },
	{ "to", RECORD_FILTER_TO, "TIME", 0, "End at TIME", 1 },
	{ 0 },
};

static void parse_order(struct latency_args *args, const char *arg,
			struct argp_state *state)
{
	static const char * const names[LATENCY_NR_ORDERS] = {
		[LATENCY_BY_MAX]	= "max",
		[LATENCY_BY_P99]	= "p99",
		[LATENCY_BY_P50]	= "p50",
		[LATENCY_BY_AVERAGE]	= "avg",
		[LATENCY_BY_RUNS]	= "runs",
		[LATENCY_BY_RUNNING]	= "running",
		[LATENCY_BY_RUNNABLE]	= "runnable",
		[LATENCY_BY_BLOCKED]	= "blocked",
		[LATENCY_BY_NAME]	= "name",
	};
	unsigned int i;

	for (i = 0; i < LATENCY_NR_ORDERS; i++) {
		if (!strcmp(arg, names[i])) {
			args->order = i;
			return;
		}
	}
	argp_error(state, "unknown sort key `%s'; see --help", arg);
}

static void parse_count(struct latency_args *args, const char *arg,
			struct argp_state *state)
{
	char *end;
	unsigned long nr = strtoul(arg, &end, 10);

	if (!isdigit((unsigned char)arg[0]) || *end || !nr ||
	    nr > WHY_MAX_WORST)
		argp_error(state, "`%s' is not a number from 1 to %d", arg,
			   WHY_MAX_WORST);
	args->nr = nr;
}

static void check_args(const struct latency_args *args,
		       struct argp_state *state)
{
	if (!args->path == !args->live)
		argp_error(state, "give either FILE or --live");
	if (args->map && (args->switches || args->json))
		argp_error(state, "--map excludes --switches and --json");
	if (args->why && (args->switches || args->map || args->sorted || args->by_name))
		argp_error(state, "--why excludes --switches, --map, --sort and --by-name");
	if ((args->switches || args->map) && (args->nr || args->by_name))
		argp_error(state, "--switches and --map exclude --count and --by-name");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct latency_args *args = state->input;

	switch (key) {
	case 'l':
		args->live = true;
		return 0;
	case LATENCY_WHY:
		args->why = true;
		return 0;
	case 'n':
		parse_count(args, arg, state);
		return 0;
	case 'g':
		args->by_name = true;
		return 0;
	case 's':
		args->sorted = true;
		parse_order(args, arg, state);
		return 0;
	case 'w':
		args->switches = true;
		return 0;
	case 'm':
		args->map = true;
		return 0;
	case 'j':
		args->json = true;
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
	.args_doc = "FILE\n--live",
	.doc = "Report the scheduling latency of each thread.\n"
	       "\013KEY is max, p99, p50, avg, runs, running, runnable, blocked or name. The\n"
	       "latency is the time from a wakeup or a preemption of a thread until it runs.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine latency -n 10 load.fxt\n"
	       "  vitrine latency --sort=p99 --process=postgres load.fxt\n"
	       "  vitrine latency --why --thread=worker load.fxt",
};

int cmd_latency(int argc, char **argv)
{
	struct latency_args args = { 0 };

	record_filter_init(&args.filter);
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return args.why ? why_run(&args) : latency_run(&args);
}
