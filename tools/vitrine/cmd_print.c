// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine print FILE': a trace as text, one line a record, in time order over
 * all CPUs.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "commands.h"
#include "print_record.h"

/* More of what is wrong with a file is counted, not printed. */
#define MAX_FAULTS	10

struct print_args {
	const char *path;
	bool all;
	bool relative;
};

static const struct argp_option options[] = {
	{ "all", 'a', NULL, 0,
	  "Print every record and where it is, those without a time too", 0 },
	{ "relative", 'r', NULL, 0,
	  "Count time from the first record on", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct print_args *args = state->input;

	switch (key) {
	case 'a':
		args->all = true;
		return 0;
	case 'r':
		args->relative = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->path)
			argp_error(state, "one FILE only");
		args->path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "FILE is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE",
	.doc = "Print a Fuchsia trace as text, one line a record, in time order.",
};

struct faults {
	const char *path;
	uint64_t nr;
};

static void print_fault(void *ctx, uint64_t offset, const char *message)
{
	struct faults *faults = ctx;

	if (faults->nr++ < MAX_FAULTS)
		fprintf(stderr,
			"vitrine: %s: offset 0x%" PRIx64 ": %s; left out\n",
			faults->path, offset, message);
}

static void print_note(void *ctx, uint64_t offset, const char *message)
{
	const struct faults *faults = ctx;

	fprintf(stderr, "vitrine: %s: %s\n", faults->path, message);
}

static bool wanted(const struct print_args *args,
		   const struct vitrine_fxt_record *record)
{
	return args->all || record->timed ||
	       record->kind == VITRINE_FXT_PROVIDER_EVENT;
}

static struct vitrine_error *print_all(const struct print_args *args,
				       struct print_state *state,
				       struct vitrine_archive *archive)
{
	const struct vitrine_fxt_record *record;
	struct vitrine_error *err;

	for (;;) {
		err = vitrine_archive_next(archive, &record);
		if (err || !record || state->out.failed)
			break;
		if (wanted(args, record))
			print_record(state, record);
	}
	line_flush(&state->out);
	if (err || !state->out.failed || state->out.failed == EPIPE)
		return err;
	return vitrine_error_create(state->out.failed, NULL, VITRINE_NO_OFFSET,
				    NULL, "cannot write output: %s",
				    strerror(state->out.failed));
}

static struct vitrine_error *print_archive(const struct print_args *args,
					   struct vitrine_archive *archive)
{
	struct print_state *state = calloc(1, sizeof(*state));
	struct vitrine_error *err;

	if (!state)
		return vitrine_error_create(ENOMEM, NULL, VITRINE_NO_OFFSET,
					    NULL, "out of memory");
	state->archive = archive;
	state->all = args->all;
	state->relative = args->relative;
	line_init(&state->out);
	err = print_all(args, state, archive);
	free(state);
	return err;
}

/**
 * cmd_print() - `vitrine print'
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code.
 */
int cmd_print(int argc, char **argv)
{
	struct vitrine_archive *archive = NULL;
	struct print_args args = { 0 };
	struct vitrine_error *err;
	struct faults faults = { 0 };
	const struct vitrine_fxt_report report = {
		.fault = print_fault,
		.note = print_note,
		.ctx = &faults,
	};

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	faults.path = args.path;
	err = vitrine_archive_create(args.path, &report, &archive);
	if (!err)
		err = print_archive(&args, archive);
	vitrine_archive_destroy(archive);
	if (err)
		return report_error(err);
	if (faults.nr > MAX_FAULTS)
		fprintf(stderr, "vitrine: %s: %" PRIu64 " more left out\n",
			args.path, faults.nr - MAX_FAULTS);
	return faults.nr ? EXIT_BAD_INPUT : EXIT_DONE;
}
