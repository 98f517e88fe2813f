// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine diff' of traces: read them, and report what changed as text or JSON.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "nearest.h"
#include "report.h"
#include "trace_diff.h"
#include "trace_input.h"
#include "ui/json.h"
#include "ui/label.h"

/* Maximum number of frames of a stack in a line of text; JSON has all. */
#define MAX_FRAMES	3

/* As diff(1). */
#define EXIT_DIFFERENT	1

static const char * const kind_names[TRACE_DIFF_NR_KINDS] = {
	[TRACE_DIFF_RAN]	= "ran",
	[TRACE_DIFF_RUNNABLE]	= "runnable",
	[TRACE_DIFF_BLOCKED]	= "blocked",
	[TRACE_DIFF_SYSCALL]	= "blocked in",
	[TRACE_DIFF_STACK]	= "blocked at",
};

/* ---- Text ----------------------------------------------------------------- */

/* Print the innermost frames of a stack, or the name of a system call. */
static void put_cause(const char *cause)
{
	const char *end = cause + strlen(cause), *frame;
	unsigned int nr = 0;
	size_t len;

	while (nr < MAX_FRAMES && why_frame_before(cause, &end, &frame, &len)) {
		if (!nr && end > cause && why_frame_is_scheduler(frame, len))
			continue;
		printf("%s%.*s", nr++ ? " < " : " ", (int)len, frame);
	}
	if (end > cause)
		fputs(" < ...", stdout);
}

static void put_group(const struct trace_diff *diff,
		      const struct trace_diff_group *group)
{
	const struct trace_diff_side *old = &group->sides[0], *new = old + 1;
	char cost[LABEL_TIME_BYTES], before[LABEL_TIME_BYTES];
	char after[LABEL_TIME_BYTES];

	label_duration(cost, fabs(group->cost_ns));
	label_duration(before, old->median_ns);
	label_duration(after, new->median_ns);
	printf("%c%-9s %8s -> %-8s %7" PRIu64 " -> %-7" PRIu64 " %7.1e  ",
	       group->cost_ns < 0 ? '-' : '+', cost, before, after,
	       old->nr / diff->nr_files[0], new->nr / diff->nr_files[1],
	       group->p);
	printf("%s/%s %s", why_text(&diff->texts, group->process),
	       why_text(&diff->texts, group->thread), kind_names[group->kind]);
	put_cause(why_text(&diff->texts, group->cause));
	putchar('\n');
}

/* Count the threads by name: all that ran, and those of them that ran on both sides. */
static void count_threads(const struct trace_diff *diff, size_t *ret_all, size_t *ret_common)
{
	const struct trace_diff_group *group;
	size_t i;

	*ret_all = 0;
	*ret_common = 0;
	for (i = 0; i < diff->nr_groups; i++) {
		group = &diff->groups[i];
		*ret_all += group->kind == TRACE_DIFF_RAN;
		*ret_common += group->kind == TRACE_DIFF_RAN && group->sides[0].nr &&
			       group->sides[1].nr;
	}
}

/* Say what was compared, and what would have been a difference. */
static void print_alike(const struct trace_diff *diff)
{
	size_t nr_threads, nr_common;

	count_threads(diff, &nr_threads, &nr_common);
	printf("No difference: %zu groups of times were compared; ", diff->nr_tested);
	printf("%zu of %zu threads, by name, ran on both sides.\n", nr_common, nr_threads);
	printf("A difference is a change of a median by %g %%, or of a mean by %g %%, ",
	       100 * TRACE_DIFF_MEDIAN, 100 * TRACE_DIFF_MEAN);
	printf("that is significant (p <= %g for all groups together).\n", TRACE_DIFF_LEVEL);
}

static void print_text(const struct trace_diff *diff)
{
	size_t i;

	if (!diff->nr_changed)
		print_alike(diff);
	else
		puts("COST             MEDIAN                TIMES             P  PROCESS/THREAD");
	for (i = 0; i < diff->nr_changed; i++)
		put_group(diff, &diff->groups[i]);
	if (diff->nr_left_out)
		printf("%" PRIu64 " times were not compared: they belong to more than %d groups\n",
		       diff->nr_left_out, TRACE_DIFF_GROUPS);
}

/* ---- JSON ----------------------------------------------------------------- */

static void write_side(struct json_writer *json, const char *key,
		       const struct trace_diff_side *side)
{
	json_key(json, key);
	json_begin(json);
	json_key_uint(json, "count", side->nr);
	json_key_uint(json, "sum_ns", side->sum_ns);
	json_key_uint(json, "median_ns", side->median_ns);
	json_end(json);
}

static void write_group(struct json_writer *json, const struct trace_diff *diff,
			const struct trace_diff_group *group)
{
	json_begin(json);
	json_key_string(json, "process",
			why_text(&diff->texts, group->process));
	json_key_string(json, "thread", why_text(&diff->texts, group->thread));
	json_key_string(json, "what", kind_names[group->kind]);
	if (group->cause)
		json_key_string(json, "cause",
				why_text(&diff->texts, group->cause));
	json_key(json, "cost_ns");
	json_int(json, llround(group->cost_ns));
	json_key(json, "p");
	json_real(json, group->p);
	write_side(json, "before", &group->sides[0]);
	write_side(json, "after", &group->sides[1]);
	json_end(json);
}

static void print_json(const struct trace_diff *diff)
{
	struct json_writer json;
	size_t i;

	json_init(&json, stdout, true);
	json_begin(&json);
	json_key_uint(&json, "compared", diff->nr_tested);
	json_key_uint(&json, "left_out", diff->nr_left_out);
	json_key(&json, "changed");
	json_begin_list(&json);
	for (i = 0; i < diff->nr_changed; i++) {
		json_item(&json);
		write_group(&json, diff, &diff->groups[i]);
	}
	json_end_list(&json);
	json_end(&json);
	json_finish(&json);
}

/* ---- The command ---------------------------------------------------------- */

struct side {
	struct trace_diff *diff;
	unsigned int side;
};

static struct vitrine_error *read_side(const void *ctx,
				       struct vitrine_archive *archive)
{
	const struct side *side = ctx;

	return trace_diff_read(side->diff, side->side, archive);
}

static int read_all(const struct trace_diff_args *args, struct trace_diff *diff)
{
	struct side side = { .diff = diff };
	int status = EXIT_DONE;
	size_t i;

	for (i = 0; i < args->nr_paths; i++) {
		side.side = i >= args->nr_old;
		status = worse(status, trace_input_run(args->paths[i], NULL,
						       read_side, &side));
	}
	return status;
}

/* Report that no group has enough times on both sides. */
static void report_incomparable(const struct trace_diff *diff)
{
	size_t nr_threads, nr_common;

	count_threads(diff, &nr_threads, &nr_common);
	report_error(nothing_selected(NULL, NULL,
				      "record for longer, or compare recordings of one workload",
				      "the traces cannot be compared: %zu of %zu threads, by name, ran on both sides, and none of them ran or waited at least %d times on each",
				      nr_common, nr_threads, TRACE_DIFF_LEAST));
}

/**
 * trace_diff_run() - compare traces and print what changed
 * @args: the options
 *
 * Return: 0, EXIT_DIFFERENT, or EXIT_ENVIRONMENT, also for bad input and if nothing can be
 * compared.
 */
int trace_diff_run(const struct trace_diff_args *args)
{
	struct trace_diff *diff = calloc(1, sizeof(*diff));
	int status;

	if (!diff) {
		report_error(vtr_error_no_memory());
		return EXIT_ENVIRONMENT;
	}
	status = read_all(args, diff) ? EXIT_ENVIRONMENT : EXIT_DONE;
	if (!status) {
		trace_diff_finish(diff);
		if (args->json)
			print_json(diff);
		else if (diff->nr_tested)
			print_text(diff);
		status = diff->nr_changed ? EXIT_DIFFERENT : EXIT_DONE;
		if (!diff->nr_tested) {
			report_incomparable(diff);
			status = EXIT_ENVIRONMENT;
		}
	}
	trace_diff_deinit(diff);
	free(diff);
	return status;
}
