// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine check': validate files: print each fault with its offset, then a summary, as text or as
 * JSON (Documentation/json.rst). The library finds the faults.
 */
#include <inttypes.h>
#include <stdbool.h>

#include <vitrine/inspect.h>

#include "command.h"
#include "escape.h"
#include "input.h"
#include "ui/fields.h"

/**
 * struct check_args - the options of `vitrine check'
 * @json: print JSON
 * @paths: files; "-": standard input
 * @nr_paths: number of @paths
 */
static struct check_args {
	bool json;
	char **paths;
	int nr_paths;
} args;

/* Writer of JSON, and name of the current file in messages. */
static const char *file_name;

/* ---- Findings ---------------------------------------------------------- */

static void print_finding(bool is_fault, uint64_t offset, const char *message)
{
	if (!args.json) {
		print_escaped(file_name, stdout);
		printf(": offset 0x%" PRIx64 ": %s", offset, is_fault ? "" : "note: ");
		print_escaped(message, stdout);
		putchar('\n');
		return;
	}
	json_item();
	json_begin();
	json_key_string("kind", is_fault ? "fault" : "note");
	json_key_uint("offset", offset);
	json_key_string("message", message);
	json_end();
}

static void on_fault(void *ctx, uint64_t offset, const char *message)
{
	print_finding(true, offset, message);
}

static void on_note(void *ctx, uint64_t offset, const char *message)
{
	print_finding(false, offset, message);
}

static void begin_findings(const char *format)
{
	if (!args.json)
		return;
	json_key_string("format", format);
	json_key("findings");
	json_begin_list();
}

static void end_findings(void)
{
	if (args.json)
		json_end_list();
}

/* ---- Summaries --------------------------------------------------------- */

/* End of the summary line. */
static void print_verdict(uint64_t nr_faults)
{
	if (nr_faults)
		printf("%" PRIu64 " fault%s\n", nr_faults,
		       nr_faults == 1 ? "" : "s");
	else
		puts("no fault");
}

static void inspect_text(const struct vitrine_inspect_summary *summary)
{
	print_escaped(file_name, stdout);
	printf(": Inspect version %u, ", summary->version);
	if (summary->generation == INSPECT_GENERATION_FROZEN)
		fputs("frozen", stdout);
	else
		printf("generation %" PRIu64, summary->generation);
	printf(": %" PRIu64 " bytes, %" PRIu64 " blocks, %" PRIu64
	       " values, %" PRIu64 " bytes free", summary->size_bytes,
	       summary->nr_blocks, summary->nr_values, summary->free_bytes);
	if (summary->nr_stale)
		printf(", %" PRIu64 " blocks with stale bytes",
		       summary->nr_stale);
	fputs(": ", stdout);
	print_verdict(summary->nr_faults);
}

#define ROW struct vitrine_inspect_summary
static const struct field inspect_fields[] = {
	FIELD(version),
	FIELD(generation),
	FIELD(size_bytes),
	FIELD(free_bytes),
	FIELD_AS("blocks", nr_blocks),
	FIELD_AS("stale_blocks", nr_stale),
	FIELD_AS("values", nr_values),
	FIELD_AS("faults", nr_faults),
	{ 0 }
};

static void fxt_text(const struct vitrine_fxt_summary *summary)
{
	print_escaped(file_name, stdout);
	printf(": Fuchsia trace: %" PRIu64 " bytes, %" PRIu64
	       " records, %" PRIu64 " switches, %u CPUs, %u threads, %" PRIu64
	       " records lost: ", summary->len_bytes, summary->nr_records,
	       summary->nr_switches, summary->nr_cpus, summary->nr_threads,
	       summary->nr_lost);
	print_verdict(summary->nr_faults);
}

#undef ROW
#define ROW struct vitrine_fxt_summary
static const struct field fxt_fields[] = {
	FIELD_AS("size_bytes", len_bytes),
	FIELD_AS("records", nr_records),
	FIELD_AS("switches", nr_switches),
	FIELD_AS("cpus", nr_cpus),
	FIELD_AS("threads", nr_threads),
	FIELD_AS("lost", nr_lost),
	FIELD_AS("faults", nr_faults),
	{ 0 }
};

/* ---- Files ------------------------------------------------------------- */

static struct vitrine_error *check_inspect(const struct input *input, uint64_t *ret_nr_faults)
{
	struct vitrine_inspect_summary summary;
	struct vitrine_snapshot *snapshot = NULL;
	struct vitrine_source *source = NULL;
	struct vitrine_error *err;
	const void *bytes;
	size_t len;

	begin_findings("inspect");
	err = vitrine_source_create(input->path, 0, &source);
	if (!err)
		err = vitrine_snapshot_create(source, &snapshot);
	if (!err) {
		bytes = vitrine_snapshot_bytes(snapshot, &len);
		err = vitrine_inspect_check(bytes, len, input->path,
					    on_fault, NULL, &summary);
	}
	vitrine_snapshot_destroy(snapshot);
	vitrine_source_destroy(source);
	end_findings();
	if (err)
		return err;
	if (args.json)
		fields_members(inspect_fields, &summary);
	else
		inspect_text(&summary);
	*ret_nr_faults = summary.nr_faults;
	return NULL;
}

static struct vitrine_error *check_fxt(const struct input *input, uint64_t *ret_nr_faults)
{
	const struct vitrine_fxt_report report = {
		.fault = on_fault,
		.note = on_note,
	};
	struct vitrine_fxt_summary summary;
	struct vitrine_error *err;

	begin_findings("fxt");
	err = vitrine_fxt_check(input->path, &report, &summary);
	end_findings();
	if (err)
		return err;
	if (args.json)
		fields_members(fxt_fields, &summary);
	else
		fxt_text(&summary);
	*ret_nr_faults = summary.nr_faults;
	return NULL;
}

static struct vitrine_error *check_input(const struct input *input, uint64_t *ret_nr_faults)
{
	enum vitrine_format format;
	struct vitrine_error *err;

	err = vitrine_format_of_file(input->path, &format);
	if (err)
		return err;
	switch (format) {
	case VITRINE_FORMAT_INSPECT:
		return check_inspect(input, ret_nr_faults);
	case VITRINE_FORMAT_FXT:
		return check_fxt(input, ret_nr_faults);
	default:
		return vitrine_error_create(EBADMSG, input->path, 0,
					    "vitrine checks .inspect and .fxt files",
					    "neither an Inspect file nor a Fuchsia trace");
	}
}

static int check_named(const char *name)
{
	struct vitrine_error *err;
	uint64_t nr_faults = 0;
	struct input input;

	err = input_open(&input, name);
	file_name = input.name;
	if (args.json) {
		json_item();
		json_begin();
		json_key_string("file", name);
	}
	if (!err)
		err = input_blame(&input, check_input(&input, &nr_faults));
	if (args.json) {
		if (err)
			json_key_string("error", err->message);
		json_end();
	}
	input_close(&input);
	if (err)
		return report_error(err);
	return nr_faults ? EXIT_BAD_INPUT : EXIT_DONE;
}

/* Validate files. Returns enum exit_code, the worst of all files. */
static int check_run(void)
{
	int i, status = EXIT_DONE;

	json_init(true);
	if (args.json)
		json_begin_list();
	for (i = 0; i < args.nr_paths; i++)
		status = worse(status, check_named(args.paths[i]));
	if (args.json) {
		json_end_list();
		json_finish();
	}
	return status;
}

/* ---- Options ----------------------------------------------------------- */

static const struct command_option options[] = {
	{ "json", 'j', NULL, "Print the findings as JSON", .flag = &args.json },
	{ 0 }
};

static const struct command_line line = {
	.options = options,
	.operands = &args.paths,
	.nr_operands = &args.nr_paths,
	.operand_name = "FILE",
	.is_needed = true,
	.args_doc = "FILE...",
	.doc = "Validate Inspect and FXT files.\n"
	       "\013\"-\" as FILE is standard input. The exit status is 1 if a file has faults.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine check load.fxt\n"
	       "  vitrine check --json *.inspect | jq '.[].faults'",
};

int cmd_check(int argc, char **argv)
{
	args = (struct check_args){ 0 };
	options_parse(&line, argc, argv);
	return check_run();
}
