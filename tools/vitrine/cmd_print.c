// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine print FILE': a trace as text or JSON, one line a record, in time
 * order over all CPUs.
 */
#include <errno.h>
#include <stdlib.h>

#include "commands.h"
#include "error.h"
#include "json.h"
#include "print_record.h"
#include "record_filter.h"
#include "record_json.h"
#include "trace_input.h"

#define NSEC_PER_SEC	1000000000ULL

struct print_args {
	const char *path;
	bool all;
	bool relative;
	bool json;
	struct record_filter filter;
};

static const struct argp_option options[] = {
	{ "all", 'a', NULL, 0,
	  "Print every record and where it is, those without a time too", 0 },
	{ "relative", 'r', NULL, 0,
	  "Count time from the first record on", 0 },
	{ "json", 'j', NULL, 0, "Print one JSON object a line", 0 },
	{ NULL, 0, NULL, 0, "Which records:", 1 },
	{ "cpu", 'c', "LIST", 0, "Of these CPUs: 0,2-3", 1 },
	{ "thread", 't', "TID|NAME", 0, "Of this thread, on either side", 1 },
	{ "process", 'p', "PID|NAME", 0, "Of threads of this process", 1 },
	{ "event", 'e', "KIND|CATEGORY:NAME", 0,
	  "Of this kind, such as switch, or events so called; * for any", 1 },
	{ "from", RECORD_FILTER_FROM, "TIME", 0,
	  "Not earlier: seconds as printed, or 123ns", 1 },
	{ "to", RECORD_FILTER_TO, "TIME", 0, "Not later", 1 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct print_args *args = state->input;

	if (record_filter_parse(&args->filter, key, arg, state))
		return 0;
	switch (key) {
	case 'a':
		args->all = true;
		return 0;
	case 'j':
		args->json = true;
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
	.doc = "Print a Fuchsia trace as text, one line a record, in time order.\n"
	       "\013An option may be given several times: a record of any of them is\n"
	       "printed. Of different options all must hold.",
};

/* What lasts from record to record. */
struct printer {
	const struct print_args *args;
	struct vitrine_archive *archive;
	struct record_filter filter;
	bool began;
	uint64_t base_ns;
	struct print_state text;
	struct json_writer json;
};

static uint64_t add_times(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* The first record with a time: there relative times begin. */
static void begin(struct printer *printer,
		  const struct vitrine_fxt_record *record)
{
	struct record_filter *filter = &printer->filter;
	uint64_t base_ns;

	printer->began = true;
	if (!printer->args->relative)
		return;
	base_ns = vitrine_fxt_ns(record->ticks, record->ticks_per_second);
	printer->base_ns = base_ns;
	printer->text.base_s = base_ns / NSEC_PER_SEC;
	printer->text.base_ns = base_ns % NSEC_PER_SEC;
	if (filter->from_ns)
		filter->from_ns = add_times(filter->from_ns, base_ns);
	filter->to_ns = add_times(filter->to_ns, base_ns);
}

static bool wanted(const struct printer *printer,
		   const struct vitrine_fxt_record *record)
{
	if (!printer->args->all && !record->timed &&
	    record->kind != VITRINE_FXT_PROVIDER_EVENT)
		return false;
	return record_filter_match(&printer->filter, printer->archive, record);
}

/* What comes is later still, but for what was written after its time. */
static bool is_over(const struct printer *printer,
		    const struct vitrine_fxt_record *record)
{
	return record->timed && printer->filter.to_ns != UINT64_MAX &&
	       vitrine_fxt_ns(record->ticks, record->ticks_per_second) >
	       printer->filter.to_ns;
}

static struct vitrine_error *print_all(struct printer *printer)
{
	const struct vitrine_fxt_record *record;
	struct vitrine_error *err;

	for (;;) {
		err = vitrine_archive_next(printer->archive, &record);
		if (err || !record || ferror(stdout))
			break;
		if (!printer->began && record->timed)
			begin(printer, record);
		if (is_over(printer, record))
			break;
		if (!wanted(printer, record))
			continue;
		if (printer->args->json)
			record_json(&printer->json, printer->archive, record,
				    printer->base_ns);
		else
			print_record(&printer->text, record);
	}
	return err;
}

static struct vitrine_error *print_archive(const struct print_args *args,
					   struct vitrine_archive *archive)
{
	struct printer *printer = calloc(1, sizeof(*printer));
	struct vitrine_error *err;

	if (!printer)
		return vtr_error_no_memory();
	printer->args = args;
	printer->archive = archive;
	printer->filter = args->filter;
	printer->text.archive = archive;
	printer->text.all = args->all;
	line_init(&printer->text.out, stdout);
	json_init(&printer->json, stdout, false);
	err = print_all(printer);
	line_flush(&printer->text.out);
	json_flush(&printer->json);
	free(printer);
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
	struct trace_input input = { 0 };
	struct print_args args = { 0 };
	struct vitrine_error *err;

	record_filter_init(&args.filter);
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	err = trace_input_open(&input, args.path);
	if (!err)
		err = print_archive(&args, input.archive);
	return trace_input_close(&input, err);
}
