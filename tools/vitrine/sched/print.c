// SPDX-License-Identifier: GPL-2.0
/*
 * Print a trace as text or JSON, one line per record, in time order over all CPUs.
 * record_filter.c selects the records, print_record.c and record_json.c write the
 * lines.
 */
#include <stdlib.h>

#include "archive.h"
#include "error.h"
#include "ui/json.h"
#include "print.h"
#include "print_record.h"
#include "record_json.h"
#include "trace_input.h"

#define NSEC_PER_SEC	1000000000ULL

/**
 * struct printer - a trace being printed
 * @args: the options
 * @archive: the trace
 * @filter: that of @args; with --relative, its times are made absolute
 * @began: a record with a time has been read
 * @base_ns: with --relative, the time of that record
 * @text: writer of text
 * @json: writer of JSON
 */
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

/* With --relative, times count from @record, the first one that has a time. */
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

/*
 * Records are in time order, so all later ones are out of range, too. Printing does not
 * continue for the few that were written long after their time.
 */
static bool is_over(const struct printer *printer,
		    const struct vitrine_fxt_record *record)
{
	return record->timed && printer->filter.to_ns != UINT64_MAX &&
	       vitrine_fxt_ns(record->ticks, record->ticks_per_second) >
	       printer->filter.to_ns;
}

static enum archive_step print_one(void *ctx, const struct vitrine_fxt_record *record)
{
	struct printer *printer = ctx;

	if (ferror(stdout))
		return ARCHIVE_STOP;
	if (!printer->began && record->timed)
		begin(printer, record);
	if (is_over(printer, record))
		return ARCHIVE_STOP;
	if (!wanted(printer, record))
		return ARCHIVE_NEXT;
	if (printer->args->json)
		record_json(&printer->json, printer->archive, record,
			    printer->base_ns);
	else
		print_record(&printer->text, record);
	return ARCHIVE_NEXT;
}

static struct vitrine_error *print_archive(const void *ctx,
					   struct vitrine_archive *archive)
{
	const struct print_args *args = ctx;
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
	err = archive_for_each(archive, print_one, printer);
	line_flush(&printer->text.out);
	json_flush(&printer->json);
	free(printer);
	return err;
}

/**
 * print_run() - print a trace
 * @args: the options
 *
 * Return: enum exit_code.
 */
int print_run(const struct print_args *args)
{
	const struct selection selection = {
		.filter = &args->filter,
		.by_record = true,
		.untimed = args->all,
		.relative = args->relative,
	};

	return trace_input_run(args->path, &selection, print_archive, args);
}
