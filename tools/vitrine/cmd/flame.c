// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine flame': draw running and waiting time as a flame graph. This file parses the
 * options; sched/flame_draw.c does the work.
 */
#include <argp.h>
#include <string.h>

#include "commands.h"
#include "operands.h"
#include "sched/flame.h"

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0,
	  "Write FILE.svg, .html or .folded", 0 },
	{ "folded", 'f', NULL, 0, "With -o -: write folded stacks, not SVG", 0 },
	{ "live", 'l', NULL, 0,
	  "Read the flight recorder instead of FILE", 0 },
	{ NULL, 0, NULL, 0, "Filters:", 1 },
	{ "thread", 't', "TID|NAME", 0, "Draw only this thread", 1 },
	{ "process", 'p', "PID|NAME", 0, "Draw only this process", 1 },
	{ "from", RECORD_FILTER_FROM, "TIME", 0,
	  "Start at TIME, such as 1234.5 (seconds) or 5ms", 1 },
	{ "to", RECORD_FILTER_TO, "TIME", 0, "End at TIME", 1 },
	{ 0 },
};

static const struct {
	const char *suffix;
	enum flame_format format;
} formats[] = {
	{ ".svg", FLAME_SVG },
	{ ".html", FLAME_HTML },
	{ ".folded", FLAME_FOLDED },
};

static void set_format(struct flame_args *args, struct argp_state *state)
{
	const char *output = args->output;
	size_t i, len, len_suffix;

	if (!output)
		argp_error(state, "no output given; use -o FILE");
	if (!output || !strcmp(output, "-"))
		return;
	len = strlen(output);
	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		len_suffix = strlen(formats[i].suffix);
		if (len > len_suffix &&
		    !strcmp(output + len - len_suffix, formats[i].suffix)) {
			args->format = formats[i].format;
			return;
		}
	}
	argp_error(state, "%s: the suffix must be .svg, .html or .folded",
		   output);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct flame_args *args = state->input;

	switch (key) {
	case 'o':
		args->output = arg;
		return 0;
	case 'f':
		args->format = FLAME_FOLDED;
		return 0;
	case 'l':
		args->live = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->nr_paths == 2)
			argp_error(state, "more than two FILEs given");
		else
			args->paths[args->nr_paths++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->nr_paths == !args->live)
			argp_error(state, "give either FILE or --live");
		set_format(args, state);
		operand_check_output(state, args->output, args->paths[0]);
		operand_check_output(state, args->output, args->paths[1]);
		return 0;
	default:
		return record_filter_parse(&args->filter, key, arg, state);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE -o OUTPUT\nOLD NEW -o OUTPUT\n--live -o OUTPUT",
	.doc = "Draw running and waiting time as flame graphs.\n"
	       "\013Blocked and runnable times are shown by stack, running times by thread. With\n"
	       "OLD and NEW, the picture shows NEW, coloured by the change since OLD. A\n"
	       "folded stack ends with its time in microseconds, or with its times in OLD and\n"
	       "in NEW.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine flame load.fxt -o load.html\n"
	       "  vitrine flame -p postgres before.fxt after.fxt -o change.svg",
};

int cmd_flame(int argc, char **argv)
{
	struct flame_args args = { 0 };

	record_filter_init(&args.filter);
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return flame_run(&args);
}
