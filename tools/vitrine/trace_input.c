// SPDX-License-Identifier: GPL-2.0
/*
 * Opens a trace, and tells on standard error what is wrong with it.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <vitrine/map.h>

#include "commands.h"
#include "debugfs.h"
#include "error.h"
#include "trace_input.h"

static void print_note(void *ctx, uint64_t offset, const char *message)
{
	const struct faults *faults = ctx;

	fprintf(stderr, "vitrine: %s: %s\n", faults->path, message);
}

/**
 * trace_input_open() - open a trace
 * @input: all zero
 * @path: its file; must stay. "-": standard input; NULL: what the flight
 *	recorder holds now
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *trace_input_open(struct trace_input *input,
				       const char *path)
{
	const struct vitrine_fxt_report report = {
		.fault = faults_print,
		.note = print_note,
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
 * trace_input_open_live() - read what the flight recorder holds now
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
	return trace_input_open(input, input->own_path);
}

/**
 * trace_input_close() - the trace is not needed any more
 * @input: trace; opened or failed to open
 * @err: what went wrong with it, which is reported, or NULL
 *
 * Return: enum exit_code: of the error, or whether all of it could be understood.
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
	return input->faults.nr ? EXIT_BAD_INPUT : EXIT_DONE;
}
