// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine flame': read one or two traces, and write a flame graph or folded stacks.
 */
#include "error.h"
#include "flame.h"
#include "output.h"
#include "report.h"
#include "trace_input.h"
#include "ui/label.h"

/**
 * struct flame_request - options and progress of one run
 * @args: command line options
 * @flame: the tree
 * @nr_read: number of traces that have been added to @flame
 */
struct flame_request {
	const struct flame_args *args;
	struct flame *flame;
	unsigned int *nr_read;
};

static struct vitrine_error *read_archive(const void *ctx,
					  struct vitrine_archive *archive)
{
	const struct flame_request *request = ctx;
	struct vitrine_error *err;

	err = flame_read(request->flame, archive, &request->args->filter);
	if (!err)
		++*request->nr_read;
	return err;
}

static void put_title(char *title, size_t size, const struct flame_args *args)
{
	char first[LABEL_FILE_BYTES] = "flight recorder";
	char second[LABEL_FILE_BYTES];

	if (!args->live)
		label_file(first, args->paths[0]);
	if (args->nr_paths == 2) {
		label_file(second, args->paths[1]);
		snprintf(title, size, "%s, compared with %s", second, first);
	} else {
		snprintf(title, size, "%s", first);
	}
}

static bool put(FILE *stream, const struct flame_args *args,
		const struct flame *flame)
{
	char title[2 * LABEL_FILE_BYTES + 32];

	put_title(title, sizeof(title), args);
	switch (args->format) {
	case FLAME_FOLDED:
		flame_folded(stream, flame);
		return true;
	case FLAME_HTML:
		return flame_html(stream, flame, title);
	default:
		return flame_svg(stream, flame, title);
	}
}

static struct vitrine_error *draw(const struct flame_args *args,
				  const struct flame *flame)
{
	struct vitrine_error *err;
	struct output output;

	err = output_open(&output, args->output);
	if (err)
		return err;
	return output_close(&output, put(output.stream, args, flame));
}

/**
 * flame_run() - draw a flame graph
 * @args: command line options
 *
 * Return: enum exit_code.
 */
int flame_run(const struct flame_args *args)
{
	unsigned int i, nr_read = 0, nr = args->live ? 1 : args->nr_paths;
	struct flame flame = { 0 };
	const struct flame_request request = { args, &flame, &nr_read };
	const struct selection selection = { .filter = &args->filter };
	struct vitrine_error *err;
	int status = EXIT_DONE;

	for (i = 0; i < nr && nr_read == i; i++)
		status = worse(status,
			       trace_input_run(args->paths[i], &selection,
					       read_archive, &request));
	if (nr_read == nr) {
		err = flame_finish(&flame) ? draw(args, &flame) :
					     vtr_error_no_memory();
		if (err)
			status = worse(status, report_error(err));
	}
	flame_deinit(&flame);
	return status;
}
