// SPDX-License-Identifier: GPL-2.0
/*
 * Open the trace of a command, and print its faults on standard error.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <vitrine/map.h>

#include "error.h"
#include "live/debugfs.h"
#include "report.h"
#include "trace_input.h"

static void on_note(void *ctx, uint64_t offset, const char *message)
{
	const struct faults *faults = ctx;

	print_note(faults->path, "%s", message);
}

/* Open the trace in @path; "-": standard input; NULL: the flight recorder. */
static struct vitrine_error *trace_open(struct trace_input *input,
					const char *path)
{
	const struct vitrine_fxt_report report = {
		.fault = faults_print,
		.note = on_note,
		.ctx = &input->faults,
	};
	struct vitrine_error *err;

	if (!path)
		return trace_input_open_live(input);
	err = input_open(&input->input, path);
	input->faults.path = input->input.name;
	if (err)
		return err;
	return vitrine_archive_create(input->input.path, &report,
				      &input->archive);
}

/**
 * trace_input_open_live() - open the contents of the flight recorder
 * @input: all zero
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *trace_input_open_live(struct trace_input *input)
{
	input->own_path = debugfs_path(VITRINE_TRACE_DIR "/trace.fxt", "");
	if (!input->own_path)
		return vtr_error_no_memory();
	if (access(input->own_path, R_OK))
		return debugfs_explain(errno, input->own_path);
	return trace_open(input, input->own_path);
}

/**
 * trace_input_close() - close a trace and report an error
 * @input: trace; opened or failed to open
 * @err: error, which is reported and destroyed, or NULL
 *
 * Return: enum exit_code of @err, or EXIT_BAD_INPUT if the trace has faults or a filter
 * selects nothing.
 */
int trace_input_close(struct trace_input *input, struct vitrine_error *err)
{
	faults_end(&input->faults);
	vitrine_archive_destroy(input->archive);
	err = input_blame(&input->input, err);
	input_close(&input->input);
	free(input->own_path);
	if (err)
		return report_error(err);
	return input->faults.nr ? EXIT_BAD_INPUT : input->status;
}

/**
 * trace_input_run() - open a trace, process it, close it, and report an error
 * @path: its file; "-": standard input; NULL: the contents of the flight recorder
 * @selection: what the command asks of it, or NULL for everything
 * @run: processes the records
 * @ctx: passed to @run
 *
 * Return: enum exit_code.
 */
int trace_input_run(const char *path, const struct selection *selection,
		    struct vitrine_error *(*run)(const void *ctx,
						 struct vitrine_archive *archive),
		    const void *ctx)
{
	struct trace_input input = { 0 };
	struct vitrine_error *err;

	err = trace_open(&input, path);
	if (!err && selection)
		err = selection_check(selection, input.input.path, input.faults.path,
				      &input.status);
	if (!err)
		err = run(ctx, input.archive);
	return trace_input_close(&input, err);
}
