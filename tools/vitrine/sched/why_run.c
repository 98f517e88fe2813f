// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine latency --why': read a trace and report why its threads waited.
 */
#include "error.h"
#include "latency.h"
#include "trace_input.h"
#include "why.h"

/* Default number of longest waits: about two pages of text. */
#define DEFAULT_WORST	10

static struct vitrine_error *explain(const void *ctx,
				     struct vitrine_archive *archive)
{
	const struct latency_args *args = ctx;
	size_t nr = args->nr ? args->nr : DEFAULT_WORST;
	struct vitrine_error *err = NULL;
	struct why why = { 0 };

	if (!why_init(&why, archive, &args->filter, nr))
		err = vtr_error_no_memory();
	if (!err)
		err = why_read(&why, archive);
	if (!err && !(args->json ? why_json_report(stdout, &why) :
				   why_text_report(stdout, &why, nr)))
		err = vtr_error_no_memory();
	why_deinit(&why);
	return err;
}

/**
 * why_run() - explain the longest waits of a trace
 * @args: command line options
 *
 * Return: enum exit_code.
 */
int why_run(const struct latency_args *args)
{
	const struct selection selection = { .filter = &args->filter };

	return trace_input_run(args->path, &selection, explain, args);
}
