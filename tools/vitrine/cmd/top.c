// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine top': show running and waiting threads live. This file parses the options;
 * sched/top.c does the work.
 */
#include <argp.h>

#include "commands.h"
#include "sched/top.h"
#include "ui/screen.h"

enum {
	OPT_ONCE = 256,
};

static const struct argp_option options[] = {
	{ "interval", 'i', "DURATION", 0, "Refresh interval (default: 1s)", 0 },
	{ "once", OPT_ONCE, NULL, 0, "Print one report and exit", 0 },
	{ "json", 'j', NULL, 0, "Print JSON (with --once)", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct top_args *args = state->input;

	switch (key) {
	case 'i':
		args->interval = screen_parse_interval(arg, state);
		return 0;
	case OPT_ONCE:
		args->once = true;
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_END:
		if (args->json && !args->once)
			argp_error(state, "--json requires --once");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.doc = "Show running and waiting threads live.\n"
	       "\013All figures are from the flight recorder.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine top\n"
	       "  vitrine top --once --json | jq .",
};

int cmd_top(int argc, char **argv)
{
	struct top_args args = { .interval = 1 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return top_run(&args);
}
