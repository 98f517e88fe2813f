// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine timeline': draw a scheduling timeline as SVG or HTML. This file parses the
 * options; sched/timeline_draw.c does the work.
 */
#include <argp.h>
#include <string.h>

#include "commands.h"
#include "operands.h"
#include "sched/timeline.h"

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0,
	  "Write FILE.svg or FILE.html, or SVG to \"-\"", 0 },
	{ "live", 'l', NULL, 0,
	  "Read the flight recorder instead of FILE", 0 },
	{ NULL, 0, NULL, 0, "Filters:", 1 },
	{ "cpu", 'c', "LIST", 0, "Draw only these CPUs, such as 0,2-3", 1 },
	{ "thread", 't', "TID|NAME", 0, "Colour this thread; draw others grey", 1 },
	{ "process", 'p', "PID|NAME", 0,
	  "Colour this process; draw others grey", 1 },
	{ "from", RECORD_FILTER_FROM, "TIME", 0,
	  "Start at TIME, such as 1234.5 (seconds) or 5ms", 1 },
	{ "to", RECORD_FILTER_TO, "TIME", 0, "End at TIME", 1 },
	{ 0 },
};

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), len_end = strlen(end);

	return len > len_end && !strcmp(text + len - len_end, end);
}

static void check_args(struct timeline_args *args, struct argp_state *state)
{
	if (!args->path == !args->live)
		argp_error(state, "give either FILE or --live");
	if (!args->output)
		argp_error(state, "no output given; use -o FILE");
	args->html = ends_with(args->output, ".html");
	if (!args->html && strcmp(args->output, "-") &&
	    !ends_with(args->output, ".svg"))
		argp_error(state, "%s: the suffix must be .svg or .html",
			   args->output);
	operand_check_output(state, args->output, args->path);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct timeline_args *args = state->input;

	switch (key) {
	case 'o':
		args->output = arg;
		return 0;
	case 'l':
		args->live = true;
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
	.args_doc = "FILE -o OUTPUT\n--live -o OUTPUT",
	.doc = "Draw a scheduling timeline as SVG or HTML.\n"
	       "\013The picture has a row for each CPU, which shows when each thread ran on it.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine timeline load.fxt -o load.html\n"
	       "  vitrine timeline --live -c 0-3 -t postgres -o now.svg",
};

int cmd_timeline(int argc, char **argv)
{
	struct timeline_args args = { 0 };

	record_filter_init(&args.filter);
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return timeline_run(&args);
}
