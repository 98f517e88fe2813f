// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine record': record context switches and wakeups to a file. The options;
 * live/record.c does the work.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "formats/cut.h"
#include "formats/symbolize.h"
#include "grow.h"
#include "live/kernel_events.h"
#include "live/record.h"
#include "operands.h"
#include "report.h"
#include "units.h"

#define OPT_NO_WAKEUPS	256
#define OPT_ALL		257
#define OPT_WHY		258
#define OPT_DELAY	259
#define OPT_ZSTD	260
#define OPT_ROTATE	261
#define OPT_KEEP	262
#define OPT_OVERWRITE	263
#define OPT_CGROUP	264
#define OPT_FILTER	265
#define OPT_UNTIL	266
#define OPT_MEMORY	267
#define OPT_HISTORY	268

#define MIN_ROTATE_BYTES	(64U << 10)
#define MAX_KEEP	999999U

/* Threshold of --why; the largest is that of trace/stacks. */
#define DEFAULT_WHY_US	1000
#define MAX_WHY_NS	(3600 * NSEC_PER_SEC)

#define MAX_NS		(1000 * 3600 * NSEC_PER_SEC)

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0,
	  "Write FILE; \"-\" is standard output", 0 },
	{ "for", 't', "DURATION", 0, "Stop after DURATION: 10 (s), 500ms, 2min", 0 },
	{ "time", 't', "DURATION", OPTION_ALIAS | OPTION_HIDDEN, NULL, 0 },
	{ "until", OPT_UNTIL, "EVENT", 0,
	  "Stop when CATEGORY:NAME of trace/events occurs", 0 },
	{ "delay", OPT_DELAY, "DURATION", 0,
	  "Begin DURATION after COMMAND was started", 0 },
	{ "history", OPT_HISTORY, NULL, 0,
	  "Keep what the current sub-buffers have already", 0 },
	{ "zstd", OPT_ZSTD, NULL, 0,
	  "Compress the trace, as if FILE ended in .zst", 0 },
	{ "rotate", OPT_ROTATE, "SIZE", 0,
	  "Begin another file after SIZE, such as 100M", 0 },
	{ "keep", OPT_KEEP, "N", 0, "Keep the last N files (with --rotate)", 0 },
	{ "overwrite", OPT_OVERWRITE, "SIZE", 0,
	  "Keep the last SIZE of the recording", 0 },
	{ "process", 'p', "PID|NAME", 0,
	  "Keep a process and its children", 0 },
	{ "cpu", 'C', "LIST", 0, "Record CPUs, such as 0,2-3", 0 },
	{ NULL, 'c', NULL, OPTION_ALIAS, NULL, 0 },
	{ "cgroup", OPT_CGROUP, "PATH", 0,
	  "Keep the processes of a cgroup", 0 },
	{ "all", OPT_ALL, NULL, 0,
	  "Record all categories, and report the cost", 0 },
	{ "why", OPT_WHY, "THRESHOLD", OPTION_ARG_OPTIONAL,
	  "Record the causes of long waits (default: 1ms)", 0 },
	{ "stack-memory", OPT_MEMORY, NULL, 0,
	  "With --why, unwind code without frame pointers", 0 },
	{ "event", 'e', "EVENT", 0,
	  "Also record SYSTEM:NAME, an event of ftrace", 0 },
	{ "filter", OPT_FILTER, "CONDITION", 0,
	  "Record the preceding EVENT if CONDITION is true", 0 },
	{ "no-wakeups", OPT_NO_WAKEUPS, NULL, 0,
	  "Do not record wakeups (category sched)", 0 },
	{ 0 },
};

/**
 * struct wish - the options, and what is kept of the recording
 * @args: the options
 * @choice: if something is left out, passed with @args
 * @cut: filters
 */
struct wish {
	struct record_args args;
	struct record_choice choice;
	struct cut_args cut;
};

static bool wants_cpu(const void *ctx, unsigned int cpu)
{
	const struct cut_args *cut = ctx;

	return record_filter_match_cpu(&cut->filter, cpu);
}

static int write_choice(const void *ctx, const char *raw, const char *out,
			const struct processes *processes)
{
	struct cut_args cut = *(const struct cut_args *)ctx;

	cut.path = raw;
	cut.out = out;
	cut.pids = processes->pids;
	cut.nr_pids = processes->nr;
	return cut_run(&cut);
}

/* Pass the choice on if there is any. */
static void set_choice(struct wish *wish, struct argp_state *state)
{
	struct record_args *args = &wish->args;
	const struct record_filter *filter = &wish->cut.filter;
	bool by_process = filter->nr_processes || wish->cut.cgroup;

	if (!by_process && !filter->nr_cpus)
		return;
	if (args->rotate_bytes)
		argp_error(state, "--rotate excludes -p, -C and --cgroup");
	if (args->zstd)
		argp_error(state, "--zstd excludes -p, -C and --cgroup; use -o FILE.fxt.zst");
	if (by_process && args->no_wakeups)
		argp_error(state, "--no-wakeups excludes -p and --cgroup: they follow forks");
	wish->choice = (struct record_choice){
		.wants_cpu = wants_cpu,
		.write = write_choice,
		.ctx = &wish->cut,
	};
	args->choice = &wish->choice;
	args->processes = filter->processes;
	args->nr_processes = filter->nr_processes;
	args->cgroup = wish->cut.cgroup;
}

static unsigned int parse_count(struct argp_state *state, const char *arg)
{
	char *end;
	unsigned long nr = strtoul(arg, &end, 10);

	if (end == arg || *end || *arg == '-' || !nr || nr > MAX_KEEP)
		argp_error(state, "%s is not a number from 1 to %u", arg, MAX_KEEP);
	return nr;
}

static void add_event(struct record_args *args, const char *event,
		      struct argp_state *state)
{
	if (!GROW(args->events, args->nr_events))
		argp_failure(state, EXIT_ENVIRONMENT, 0, "out of memory");
	if (!strchr(event, ':'))
		argp_error(state,
			   "-e %s: an event is SYSTEM:NAME, such as block:block_rq_issue; categories are switched on in trace/events",
			   event);
	args->events[args->nr_events++] = (struct kernel_event_wish){ .event = event };
}

static void add_filter(struct record_args *args, const char *filter,
		       struct argp_state *state)
{
	struct kernel_event_wish *event;

	if (!args->nr_events)
		argp_error(state, "--filter requires -e EVENT before it");
	event = &args->events[args->nr_events - 1];
	if (event->filter)
		argp_error(state, "-e %s has two filters; combine them with &&", event->event);
	event->filter = filter;
}

/* The words of a trigger are separated by spaces. */
static const char *parse_until(struct argp_state *state, const char *arg)
{
	if (!*arg || strpbrk(arg, " \t\n"))
		argp_error(state, "--until %s: an event is CATEGORY:NAME, such as sched:exec",
			   arg);
	return arg;
}

static void check_args(const struct record_args *args, struct argp_state *state)
{
	bool is_standard = args->output && !strcmp(args->output, "-");

	if (is_standard && isatty(STDOUT_FILENO))
		argp_error(state,
			   "standard output is a terminal; redirect it or use -o FILE");
	if (is_standard && args->rotate_bytes)
		argp_error(state, "--rotate needs a FILE");
	if (args->nr_keep && !args->rotate_bytes)
		argp_error(state, "--keep requires --rotate");
	if (args->window_bytes && args->rotate_bytes)
		argp_error(state, "--overwrite excludes --rotate");
	if (args->no_wakeups && (args->all || args->why))
		argp_error(state, "--no-wakeups excludes --all and --why");
	if (args->memory && !args->why)
		argp_error(state, "--stack-memory requires --why");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct wish *wish = state->input;
	struct record_args *args = &wish->args;

	switch (key) {
	case OPT_CGROUP:
		if (*arg != '/')
			argp_error(state, "%s is not the path of a cgroup, such as /user.slice",
				   arg);
		wish->cut.cgroup = arg;
		return 0;
	case 'o':
		args->output = arg;
		return 0;
	case 't':
		args->duration_ns = units_duration(arg, NSEC_PER_SEC / 1000,
						   MAX_NS, state);
		return 0;
	case OPT_UNTIL:
		args->until = parse_until(state, arg);
		return 0;
	case OPT_DELAY:
		args->delay_ns = units_duration(arg, 0, MAX_NS, state);
		return 0;
	case OPT_HISTORY:
		args->history = true;
		return 0;
	case OPT_ZSTD:
		args->zstd = true;
		return 0;
	case OPT_ROTATE:
		args->rotate_bytes = units_size(arg, MIN_ROTATE_BYTES, state);
		return 0;
	case OPT_KEEP:
		args->nr_keep = parse_count(state, arg);
		return 0;
	case OPT_OVERWRITE:
		args->window_bytes = units_size(arg, MIN_ROTATE_BYTES, state);
		return 0;
	case OPT_ALL:
		args->all = true;
		return 0;
	case OPT_WHY:
		args->why = true;
		args->threshold_us =
			arg ? units_duration(arg, 0, MAX_WHY_NS, state) / 1000 :
			      DEFAULT_WHY_US;
		return 0;
	case OPT_MEMORY:
		args->memory = true;
		return 0;
	case 'e':
		add_event(args, arg, state);
		return 0;
	case OPT_FILTER:
		add_filter(args, arg, state);
		return 0;
	case OPT_NO_WAKEUPS:
		args->no_wakeups = true;
		return 0;
	case ARGP_KEY_ARGS:
		operands_set(state, &args->command);
		return 0;
	case ARGP_KEY_END:
		check_args(args, state);
		set_choice(wish, state);
		return 0;
	default:
		return record_filter_parse(&wish->cut.filter, key, arg, state);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "[-- COMMAND [ARGUMENT...]]",
	.doc = "Record context switches and wakeups to a file.\n"
	       "\013Recording ends when COMMAND exits, after DURATION, or with ^C.\n"
	       "EVENT of -e can also be kprobe:FUNCTION or uprobe:FILE:FUNCTION.\n"
	       "Without -o, the file is vitrine-YYYYmmdd-HHMMSS.fxt.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine record -o load.fxt -- make -j8\n"
	       "  vitrine record -e 'sched:*fork' -e kprobe:vfs_unlink -- make clean\n"
	       "  vitrine record --why -o slow.fxt -- make; vitrine latency --why slow.fxt",
};

/* Only --why records user stacks. A trace is read and written again to name functions. */
static bool can_be_named(const struct record_args *args)
{
	bool is_standard = args->output && !strcmp(args->output, "-");

	return args->why && !is_standard && !args->zstd && !args->rotate_bytes;
}

/**
 * cmd_record() - run `vitrine record'
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code, or the status of the command that was run.
 */
int cmd_record(int argc, char **argv)
{
	struct wish wish = { 0 };
	int status;

	record_filter_init(&wish.cut.filter);
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &wish);
	if (can_be_named(&wish.args))
		wish.args.saved = symbolize_recording;
	status = record_run(&wish.args);
	free(wish.args.events);
	return status;
}
