// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine watch': watch Inspect trees on a live screen. This file parses the options;
 * inspect/watch.c does the work.
 */
#include <argp.h>

#include "commands.h"
#include "inspect/watch.h"
#include "operands.h"
#include "ui/screen.h"

static const struct argp_option options[] = {
	{ "interval", 'i', "DURATION", 0, "Refresh interval (default: 1s)", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct watch_args *args = state->input;

	switch (key) {
	case 'i':
		args->interval = screen_parse_interval(arg, state);
		return 0;
	case ARGP_KEY_ARGS:
		args->nr_selectors = operands_set(state, &args->selectors);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "[SELECTOR]...",
	.doc = "Watch Inspect trees on a live screen.\n"
	       "\013Changes are highlighted, and numbers are shown with their rate per second.\n"
	       SELECTORS_HELP
	       "\n"
	       "Examples:\n"
	       "  vitrine watch\n"
	       "  vitrine watch -i 0.5 'system:cpus/*'",
};

int cmd_watch(int argc, char **argv)
{
	struct watch_args args = { .interval = 1 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return watch_run(&args);
}
