// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine metrics': export Inspect trees as Prometheus metrics. This file parses the
 * options; metrics/export.c does the work.
 */
#include <argp.h>

#include "commands.h"
#include "metrics/export.h"
#include "operands.h"

enum { OPTION_OPENMETRICS = 0x100 };

static const struct argp_option options[] = {
	{ "textfile", 't', "FILE", 0, "Write FILE for node_exporter's textfile collector", 0 },
	{ "openmetrics", OPTION_OPENMETRICS, NULL, 0,
	  "Print strict OpenMetrics 1.0 (not for promtool)", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct metrics_args *args = state->input;

	switch (key) {
	case 't':
		args->textfile = arg;
		return 0;
	case OPTION_OPENMETRICS:
		args->strict = true;
		return 0;
	case ARGP_KEY_ARGS:
		args->nr_selectors = operands_set(state, &args->selectors);
		return 0;
	case ARGP_KEY_SUCCESS:
		if (args->strict && args->textfile)
			argp_error(state,
				   "--openmetrics excludes --textfile: node_exporter cannot read it");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "[SELECTOR]...",
	.doc = "Export Inspect trees as Prometheus metrics.\n"
	       "\013" SELECTORS_HELP
	       "\n"
	       "Examples:\n"
	       "  vitrine metrics | promtool check metrics\n"
	       "  vitrine metrics --textfile=/var/lib/prometheus/node-exporter/vitrine.prom",
};

int cmd_metrics(int argc, char **argv)
{
	struct metrics_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return metrics_run(&args);
}
