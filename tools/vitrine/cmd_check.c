// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine check': name every fault of a file with its place, then sum up.
 */
#include <errno.h>
#include <inttypes.h>

#include <vitrine/inspect.h>

#include "commands.h"
#include "input.h"

static void print_fault(void *ctx, uint64_t offset, const char *message)
{
	const char *path = ctx;

	printf("%s: offset 0x%" PRIx64 ": %s\n", path, offset, message);
}

static void print_note(void *ctx, uint64_t offset, const char *message)
{
	const char *path = ctx;

	printf("%s: offset 0x%" PRIx64 ": note: %s\n", path, offset, message);
}

/* End of the summary line, and the exit code. */
static int print_verdict(uint64_t nr_faults)
{
	if (nr_faults)
		printf("%" PRIu64 " fault%s\n", nr_faults,
		       nr_faults == 1 ? "" : "s");
	else
		puts("no fault");
	return nr_faults ? EXIT_BAD_INPUT : EXIT_DONE;
}

static struct vitrine_error *check_inspect(const struct input *input,
					   int *status)
{
	struct vitrine_inspect_summary summary;
	struct vitrine_snapshot *snapshot = NULL;
	struct vitrine_source *source = NULL;
	struct vitrine_error *err;
	const void *bytes;
	size_t len;

	err = vitrine_source_create(input->path, 0, &source);
	if (!err)
		err = vitrine_snapshot_create(source, &snapshot);
	if (!err) {
		bytes = vitrine_snapshot_bytes(snapshot, &len);
		err = vitrine_inspect_check(bytes, len, input->path,
					    print_fault, (void *)input->name,
					    &summary);
	}
	vitrine_snapshot_destroy(snapshot);
	vitrine_source_destroy(source);
	if (err)
		return err;

	printf("%s: Inspect version %u, ", input->name, summary.version);
	if (summary.generation == INSPECT_GENERATION_FROZEN)
		fputs("frozen", stdout);
	else
		printf("generation %" PRIu64, summary.generation);
	printf(": %" PRIu64 " bytes, %" PRIu64 " blocks, %" PRIu64
	       " values, %" PRIu64 " bytes free", summary.size_bytes,
	       summary.nr_blocks, summary.nr_values, summary.free_bytes);
	if (summary.nr_stale)
		printf(", %" PRIu64 " blocks with stale bytes",
		       summary.nr_stale);
	fputs(": ", stdout);
	*status = print_verdict(summary.nr_faults);
	return NULL;
}

static struct vitrine_error *check_fxt(const struct input *input, int *status)
{
	struct vitrine_fxt_report report = {
		.fault = print_fault,
		.note = print_note,
		.ctx = (void *)input->name,
	};
	struct vitrine_fxt_summary summary;
	struct vitrine_error *err;

	err = vitrine_fxt_check(input->path, &report, &summary);
	if (err)
		return err;
	printf("%s: Fuchsia trace: %" PRIu64 " bytes, %" PRIu64
	       " records, %" PRIu64 " switches, %u CPUs, %u threads, %" PRIu64
	       " records lost: ", input->name, summary.len_bytes, summary.nr_records,
	       summary.nr_switches, summary.nr_cpus, summary.nr_threads,
	       summary.nr_lost);
	*status = print_verdict(summary.nr_faults);
	return NULL;
}

static struct vitrine_error *check_input(const struct input *input, int *status)
{
	enum vitrine_format format;
	struct vitrine_error *err;

	err = vitrine_format_of_file(input->path, &format);
	if (err)
		return err;
	switch (format) {
	case VITRINE_FORMAT_INSPECT:
		return check_inspect(input, status);
	case VITRINE_FORMAT_FXT:
		return check_fxt(input, status);
	default:
		return vitrine_error_create(EBADMSG, input->path, 0,
					    "vitrine checks .inspect and .fxt files",
					    "neither an Inspect file nor a Fuchsia trace");
	}
}

static int check_file(const char *name)
{
	struct vitrine_error *err;
	int status = EXIT_DONE;
	struct input input;

	err = input_open(&input, name);
	if (!err)
		err = input_blame(&input, check_input(&input, &status));
	input_close(&input);
	return err ? report_error(err) : status;
}

struct check {
	char **paths;
	int nr_paths;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct check *check = state->input;

	switch (key) {
	case ARGP_KEY_ARGS:
		check->paths = state->argv + state->next;
		check->nr_paths = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no FILE given");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.parser = parse_option,
	.args_doc = "FILE...",
	.doc = "Name every fault of Inspect files and Fuchsia traces.\n"
	       "\013FILE \"-\" is standard input. Exits with 0 if there is none, with 1 if there are faults.",
};

/**
 * cmd_check() - run `vitrine check'
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code, the worst of all files.
 */
int cmd_check(int argc, char **argv)
{
	struct check check = { 0 };
	int i, status = EXIT_DONE;

	argp_parse(&argp, argc, argv, 0, NULL, &check);
	for (i = 0; i < check.nr_paths; i++) {
		int code = check_file(check.paths[i]);

		if (code > status)
			status = code;
	}
	return status;
}
