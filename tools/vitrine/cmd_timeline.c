// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine timeline FILE -o out.svg|out.html': who ran where when, to look at.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "label.h"
#include "timeline.h"
#include "trace_input.h"

/* What a browser draws without a pause, and a few megabytes. */
#define MAX_ITEMS_HTML	60000

/* More bars than that nobody tells apart on paper; two to a column. */
#define MAX_ITEMS_SVG	20000
#define MAX_CELLS_SVG	1600

struct timeline_args {
	const char *path;
	const char *output;
	bool live;
	bool html;
	struct record_filter filter;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Write FILE.svg or FILE.html", 0 },
	{ "live", 'l', NULL, 0,
	  "Instead of FILE: what the flight recorder holds now", 0 },
	{ NULL, 0, NULL, 0, "Of what:", 1 },
	{ "cpu", 'c', "LIST", 0, "These CPUs: 0,2-3", 1 },
	{ "thread", 't', "TID|NAME", 0, "This thread; others are grey", 1 },
	{ "process", 'p', "PID|NAME", 0,
	  "Threads of this process; others are grey", 1 },
	{ "from", RECORD_FILTER_FROM, "TIME", 0,
	  "Not earlier: seconds as printed, or 123ns", 1 },
	{ "to", RECORD_FILTER_TO, "TIME", 0, "Not later", 1 },
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
		argp_error(state, "either FILE or --live");
	if (!args->output)
		argp_error(state, "no output given, use -o");
	args->html = ends_with(args->output, ".html");
	if (!args->html && !ends_with(args->output, ".svg"))
		argp_error(state, "%s is neither .svg nor .html",
			   args->output);
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
		if (args->path)
			argp_error(state, "one FILE only");
		args->path = arg;
		return 0;
	case ARGP_KEY_END:
		check_args(args, state);
		return 0;
	default:
		return record_filter_parse(&args->filter, key, arg, state) ?
		       0 : ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE -o OUTPUT\n--live -o OUTPUT",
	.doc = "Draw which thread ran on which CPU when: as a picture, or as a page for a browser.",
};

static struct vitrine_error *cannot_write(const char *path)
{
	return vitrine_error_create(errno, path, VITRINE_NO_OFFSET, NULL,
				    "cannot write: %s", strerror(errno));
}

static struct vitrine_error *draw(const struct timeline_args *args,
				  const struct timeline *timeline)
{
	char title[LABEL_FILE_BYTES] = "flight recorder";
	FILE *stream = fopen(args->output, "we");
	bool failed;

	if (!stream)
		return cannot_write(args->output);
	if (!args->live)
		label_file(title, args->path);
	if (args->html)
		timeline_html(stream, timeline, title);
	else
		timeline_svg(stream, timeline, title);
	failed = ferror(stream);
	failed |= fclose(stream);
	return failed ? cannot_write(args->output) : NULL;
}

static struct vitrine_error *run(const struct timeline_args *args,
				 struct vitrine_archive *archive)
{
	struct timeline timeline = {
		.filter = &args->filter,
		.max_items = args->html ? MAX_ITEMS_HTML : MAX_ITEMS_SVG,
		.max_cells = args->html ? 0 : MAX_CELLS_SVG,
	};
	struct vitrine_error *err;

	err = timeline_fill(&timeline, archive);
	if (!err)
		err = draw(args, &timeline);
	timeline_deinit(&timeline);
	return err;
}

/**
 * cmd_timeline() - run `vitrine timeline'
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code.
 */
int cmd_timeline(int argc, char **argv)
{
	struct timeline_args args = { 0 };
	struct trace_input input = { 0 };
	struct vitrine_error *err;

	record_filter_init(&args.filter);
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	err = trace_input_open(&input, args.path);
	if (!err)
		err = run(&args, input.archive);
	return trace_input_close(&input, err);
}
