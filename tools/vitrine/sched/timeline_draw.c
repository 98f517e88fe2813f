// SPDX-License-Identifier: GPL-2.0
/*
 * Draw the timeline of a trace into a file: choose how fine it is, by the format
 * of the file. timeline.c follows the trace, timeline_svg.c and timeline_html.c
 * write.
 */
#include "output.h"
#include "ui/label.h"
#include "timeline.h"
#include "trace_input.h"

/* Number of items that a browser draws without a pause; the file has a few megabytes. */
#define MAX_ITEMS_HTML	60000

/* On paper, more bars cannot be told apart. A column of cells has two bars. */
#define MAX_ITEMS_SVG	20000
#define MAX_CELLS_SVG	1600

static struct vitrine_error *draw(const struct timeline_args *args,
				  const struct timeline *timeline)
{
	char title[LABEL_FILE_BYTES] = "flight recorder";
	struct vitrine_error *err;
	struct output output;

	err = output_open(&output, args->output);
	if (err)
		return err;
	if (!args->live)
		label_file(title, args->path);
	if (args->html)
		timeline_html(output.stream, timeline, title);
	else
		timeline_svg(output.stream, timeline, title);
	return output_close(&output, true);
}

static struct vitrine_error *draw_archive(const void *ctx,
					  struct vitrine_archive *archive)
{
	const struct timeline_args *args = ctx;
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
 * timeline_run() - draw a timeline
 * @args: the options
 *
 * Return: enum exit_code.
 */
int timeline_run(const struct timeline_args *args)
{
	const struct selection selection = { .filter = &args->filter };

	return trace_input_run(args->path, &selection, draw_archive, args);
}
