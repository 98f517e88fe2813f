// SPDX-License-Identifier: GPL-2.0
/*
 * Measure how long each thread waited for a CPU, and what it did the rest of the
 * time. The state machine of sched_state.c calls back at the begin and the end of
 * each time slice; latency_report.c and latency_map.c print.
 */
#define _GNU_SOURCE	/* qsort_r() */
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "error.h"
#include "grow.h"
#include "ui/label.h"
#include "latency.h"
#include "latency_map.h"
#include "latency_report.h"
#include "trace_input.h"

/**
 * struct latency - a trace being measured
 * @args: the options
 * @sched: state of all threads and CPUs
 * @nr_tags: threads that have a tag in the map
 * @json: writer for --switches --json, one line per time slice
 * @failed: out of memory
 */
struct latency {
	const struct latency_args *args;
	struct sched sched;
	unsigned int nr_tags;
	struct json_writer json;
	bool failed;
};

/* ---- Counting ---------------------------------------------------------- */

static struct latency_thread *owner_of(struct latency *latency,
				       struct sched_thread *thread)
{
	struct latency_thread *owner = thread->owner;

	if (owner)
		return owner;
	owner = calloc(1, sizeof(*owner));
	if (!owner) {
		latency->failed = true;
		return NULL;
	}
	owner->wanted = record_filter_match_thread(&latency->args->filter,
						   latency->sched.archive,
						   &thread->id);
	thread->owner = owner;
	return owner;
}

static void count_runnable(struct latency *latency, struct latency_runnable *runnable,
			   const struct sched_turn *turn)
{
	if (!quantiles_add(&runnable->spread, turn->ready_ns))
		latency->failed = true;
	runnable->sum_ns += turn->ready_ns;
	if (runnable->spread.nr > 1 && turn->ready_ns <= runnable->max_ns)
		return;
	runnable->max_ns = turn->ready_ns;
	runnable->max_end_ns = turn->begin_ns;
	runnable->max_is_still = turn->after != SCHED_RUNNING;
	runnable->max_cpu = turn->cpu;
	runnable->instead = turn->instead;
}

static void on_begin(void *ctx, struct sched_thread *thread)
{
	struct latency *latency = ctx;
	const struct sched_turn *turn = &thread->turn;
	struct latency_thread *owner = owner_of(latency, thread);

	if (!owner || !sched_counts(&latency->sched, turn->begin_ns))
		return;
	if (turn->waited == SCHED_WOKEN || turn->waited == SCHED_PREEMPTED)
		count_runnable(latency, &owner->runnable, turn);
}

static void on_end(void *ctx, struct sched_thread *thread)
{
	struct latency *latency = ctx;
	struct latency_thread *owner = owner_of(latency, thread);

	if (!owner || !owner->wanted ||
	    !sched_counts(&latency->sched, thread->turn.end_ns))
		return;
	if (latency->args->json)
		latency_turn_json(&latency->json, &latency->sched, thread);
	else
		latency_turn(&latency->sched, thread);
}

static void count_interrupt(struct latency_interrupts *interrupts, uint64_t ns)
{
	interrupts->nr++;
	interrupts->sum_ns += ns;
	if (ns > interrupts->max_ns)
		interrupts->max_ns = ns;
}

/* Return the counts of the interrupts called @name, or NULL without memory. */
static struct latency_interrupts *interrupts_of(struct latency_thread *owner,
						const char *name)
{
	struct latency_interrupts *by;
	size_t i;

	for (i = 0; i < owner->nr_by; i++)
		if (!strcmp(owner->by[i].name, name))
			return &owner->by[i];
	if (!GROW(owner->by, owner->nr_by))
		return NULL;
	by = &owner->by[owner->nr_by];
	*by = (struct latency_interrupts){ .name = strdup(name) };
	if (!by->name)
		return NULL;
	owner->nr_by++;
	return by;
}

static void on_interrupt(void *ctx, const struct sched_interrupt *interrupt)
{
	struct latency *latency = ctx;
	struct latency_interrupts *by;
	struct latency_thread *owner;
	char label[LABEL_EVENT_BYTES];

	if (!interrupt->thread ||
	    !sched_counts(&latency->sched, interrupt->begin_ns))
		return;
	owner = owner_of(latency, interrupt->thread);
	if (!owner)
		return;
	if (interrupt->alone_ns)
		count_interrupt(&owner->interrupted, interrupt->alone_ns);
	label_event(label, interrupt->record);
	by = interrupts_of(owner, label);
	if (by)
		count_interrupt(by, interrupt->end_ns - interrupt->begin_ns);
	else
		latency->failed = true;
}

static const struct sched_ops table_ops = {
	.begin = on_begin,
	.interrupt = on_interrupt,
};

static const struct sched_ops switches_ops = {
	.end = on_end,
};

/* The map needs to know only whether a thread matches the filter. */
static void on_begin_in_map(void *ctx, struct sched_thread *thread)
{
	owner_of(ctx, thread);
}

static const struct sched_ops map_ops = {
	.begin = on_begin_in_map,
};

/* Print a line if the outgoing or the incoming thread matches the filter. */
static void map_switch(struct latency *latency,
		       const struct vitrine_fxt_record *record)
{
	const struct sched *sched = &latency->sched;

	if (sched_counts(sched, sched->now_ns) &&
	    record_filter_match_scheduling(sched->filter, sched->archive, record))
		latency_map_switch(sched, record->cpu, &latency->nr_tags);
}

static enum archive_step follow(void *ctx, const struct vitrine_fxt_record *record)
{
	struct latency *latency = ctx;

	if (ferror(stdout))
		return ARCHIVE_STOP;
	if (!sched_follow(&latency->sched, record) || latency->failed)
		return ARCHIVE_NO_MEMORY;
	if (latency->args->map && record->kind == VITRINE_FXT_SWITCH)
		map_switch(latency, record);
	return ARCHIVE_NEXT;
}

/* ---- The report -------------------------------------------------------- */

static uint64_t quantile_of(const struct latency_runnable *runnable,
			    unsigned int percent)
{
	uint64_t ns;

	return quantiles_find(&runnable->spread, percent, &ns) ? ns : 0;
}

static uint64_t key_of(const struct latency_row *row, enum latency_order order)
{
	const struct latency_runnable *runnable = &row->latency->runnable;
	const struct sched_thread *thread = &row->sum;

	switch (order) {
	case LATENCY_BY_P99:
		return quantile_of(runnable, 99);
	case LATENCY_BY_P50:
		return quantile_of(runnable, 50);
	case LATENCY_BY_AVERAGE:
		return latency_average_ns(runnable);
	case LATENCY_BY_RUNS:
		return thread->nr_turns;
	case LATENCY_BY_RUNNING:
		return thread->time_ns[SCHED_RUNNING];
	case LATENCY_BY_RUNNABLE:
		return sched_runnable_ns(thread);
	case LATENCY_BY_BLOCKED:
		return sched_blocked_ns(thread);
	default:
		return runnable->max_ns;
	}
}

struct sorting {
	const struct vitrine_archive *archive;
	enum latency_order order;
};

static int compare_names(const struct vitrine_archive *archive,
			 const struct sched_thread *a,
			 const struct sched_thread *b)
{
	struct vitrine_fxt_string a_name = { 0 }, b_name = { 0 };
	uint64_t process;
	size_t len;
	int order;

	vitrine_archive_thread(archive, a->id.thread, &a_name, &process);
	vitrine_archive_thread(archive, b->id.thread, &b_name, &process);
	len = a_name.len_bytes < b_name.len_bytes ? a_name.len_bytes :
						    b_name.len_bytes;
	order = len ? memcmp(a_name.bytes, b_name.bytes, len) : 0;
	if (order)
		return order;
	return a_name.len_bytes < b_name.len_bytes ? -1 :
	       a_name.len_bytes > b_name.len_bytes;
}

static int compare(const void *left, const void *right, void *ctx)
{
	const struct latency_row *a = left, *b = right;
	const struct sorting *sorting = ctx;
	uint64_t a_key, b_key;
	int order;

	if (sorting->order == LATENCY_BY_NAME) {
		order = compare_names(sorting->archive, &a->sum, &b->sum);
		if (order)
			return order;
	} else {
		a_key = key_of(a, sorting->order);
		b_key = key_of(b, sorting->order);
		if (a_key != b_key)
			return a_key > b_key ? -1 : 1;
	}
	a_key = a->sum.id.thread;
	b_key = b->sum.id.thread;
	return a_key < b_key ? -1 : a_key > b_key;
}

/* The name that took the most time comes first. */
static int compare_interrupts(const void *left, const void *right)
{
	const struct latency_interrupts *a = left, *b = right;

	if (a->sum_ns != b->sum_ns)
		return a->sum_ns > b->sum_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static bool merge_interrupts(struct latency_thread *to, const struct latency_interrupts *from,
			     struct latency_interrupts *into)
{
	if (!into)
		into = interrupts_of(to, from->name);
	if (!into)
		return false;
	into->nr += from->nr;
	into->sum_ns += from->sum_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	return true;
}

static bool merge_runnable(struct latency_runnable *to, const struct latency_runnable *from)
{
	if (!quantiles_merge(&to->spread, &from->spread))
		return false;
	to->sum_ns += from->sum_ns;
	if (from->max_ns < to->max_ns || (to->max_end_ns && from->max_ns == to->max_ns))
		return true;
	to->max_ns = from->max_ns;
	to->max_end_ns = from->max_end_ns;
	to->max_is_still = from->max_is_still;
	to->max_cpu = from->max_cpu;
	to->instead = from->instead;
	return true;
}

/* Add a row to another one; false without memory. */
static bool merge_row(struct latency_row *to, const struct latency_row *from)
{
	unsigned int i;
	size_t j;

	to->nr_threads += from->nr_threads;
	to->sum.nr_turns += from->sum.nr_turns;
	to->sum.nr_woken += from->sum.nr_woken;
	to->sum.nr_preempted += from->sum.nr_preempted;
	for (i = 0; i < SCHED_NR_STATES; i++)
		to->sum.time_ns[i] += from->sum.time_ns[i];
	for (j = 0; j < from->latency->nr_by; j++)
		if (!merge_interrupts(to->latency, &from->latency->by[j], NULL))
			return false;
	return merge_interrupts(to->latency, &from->latency->interrupted,
				&to->latency->interrupted) &&
	       merge_runnable(&to->latency->runnable, &from->latency->runnable);
}

static bool has_name(const struct vitrine_archive *archive, const struct sched_thread *thread)
{
	struct vitrine_fxt_string name;
	uint64_t process;

	return vitrine_archive_thread(archive, thread->id.thread, &name, &process);
}

/* Merge the rows of each name; threads without one stay apart. */
static bool merge_names(struct latency_report *report)
{
	const struct vitrine_archive *archive = report->sched->archive;
	struct sorting sorting = { archive, LATENCY_BY_NAME };
	struct latency_row *rows = report->rows;
	size_t i, nr = 0;

	qsort_r(rows, report->nr_rows, sizeof(*rows), compare, &sorting);
	for (i = 0; i < report->nr_rows; i++) {
		if (nr && has_name(archive, &rows[i].sum) &&
		    !compare_names(archive, &rows[nr - 1].sum, &rows[i].sum)) {
			if (!merge_row(&rows[nr - 1], &rows[i]))
				return false;
		} else {
			rows[nr++] = rows[i];
		}
	}
	report->nr_rows = nr;
	return true;
}

/* A thread that is still runnable at the end of the trace was so for at least that long. */
static void count_still(struct latency *latency, const struct sched_thread *thread,
			struct latency_thread *owner)
{
	const struct sched_turn turn = {
		.begin_ns = latency->sched.now_ns,
		.ready_ns = latency->sched.now_ns - thread->since_ns,
		.after = thread->state,
	};

	if ((thread->state == SCHED_WOKEN || thread->state == SCHED_PREEMPTED) &&
	    sched_counts(&latency->sched, turn.begin_ns))
		count_runnable(latency, &owner->runnable, &turn);
}

/* Collect the threads that did anything in the requested time range. */
static bool collect(struct latency *latency, struct latency_report *report)
{
	const struct sched *sched = &latency->sched;
	struct latency_thread *owner;
	struct sched_thread *thread;
	size_t i = 0;

	report->rows = calloc(sched->threads.nr + 1, sizeof(*report->rows));
	if (!report->rows)
		return false;
	while ((thread = sched_thread_next(sched, &i))) {
		owner = owner_of(latency, thread);
		if (!owner)
			return false;
		if (!owner->wanted)
			continue;
		count_still(latency, thread, owner);
		report->rows[report->nr_rows++] = (struct latency_row){
			.sum = *thread,
			.nr_threads = 1,
			.latency = owner,
		};
		if (!merge_row(&report->total, &report->rows[report->nr_rows - 1]))
			return false;
	}
	return true;
}

/* Sort the rows, and choose those to be printed; false without memory. */
static bool arrange(const struct latency *latency, struct latency_report *report)
{
	struct sorting sorting = { report->sched->archive, latency->args->order };
	struct latency_thread *owner;
	size_t i;

	if (report->by_name && !merge_names(report))
		return false;
	qsort_r(report->rows, report->nr_rows, sizeof(*report->rows), compare, &sorting);
	report->nr_printed = report->nr_rows;
	if (latency->args->nr && latency->args->nr < report->nr_rows)
		report->nr_printed = latency->args->nr;
	for (i = 0; i < report->nr_printed; i++) {
		owner = report->rows[i].latency;
		report->interrupted |= owner->nr_by;
		if (owner->nr_by)
			qsort(owner->by, owner->nr_by, sizeof(*owner->by),
			      compare_interrupts);
	}
	return true;
}

static void latency_thread_deinit(struct latency_thread *latency)
{
	quantiles_deinit(&latency->runnable.spread);
	while (latency->nr_by)
		free(latency->by[--latency->nr_by].name);
	free(latency->by);
}

static struct vitrine_error *print_report(struct latency *latency)
{
	const struct sched *sched = &latency->sched;
	struct latency_thread total = { 0 };
	struct latency_report report = {
		.sched = sched,
		.total.latency = &total,
		.by_name = latency->args->by_name,
		.begin_ns = sched->from_ns > sched->begin_ns ? sched->from_ns :
							       sched->begin_ns,
		.end_ns = sched->to_ns < sched->now_ns ? sched->to_ns :
							 sched->now_ns,
	};
	bool good = collect(latency, &report) && arrange(latency, &report);

	if (report.end_ns < report.begin_ns)
		report.end_ns = report.begin_ns;
	if (good && latency->args->json)
		latency_json(&report);
	else if (good)
		latency_table(&report);
	latency_thread_deinit(&total);
	free(report.rows);
	return good ? NULL : vtr_error_no_memory();
}

static void destroy(struct latency *latency)
{
	struct latency_thread *owner;
	struct sched_thread *thread;
	size_t i = 0;

	while ((thread = sched_thread_next(&latency->sched, &i))) {
		owner = thread->owner;
		if (!owner)
			continue;
		latency_thread_deinit(owner);
		free(owner);
	}
	sched_deinit(&latency->sched);
}

static struct vitrine_error *print_latency(const void *ctx,
					   struct vitrine_archive *archive)
{
	const struct latency_args *args = ctx;
	const struct sched_ops *ops = args->switches ? &switches_ops :
				      args->map ? &map_ops : &table_ops;
	struct latency latency = {
		.args = args,
		.sched = {
			.ops = ops,
			.archive = archive,
			.filter = &args->filter,
			.from_ns = args->filter.from_ns,
			.to_ns = args->filter.to_ns,
		},
	};
	struct vitrine_error *err;

	latency.sched.ctx = &latency;
	json_init(&latency.json, stdout, false);
	if (args->switches && !args->json)
		latency_turns_head();
	err = archive_for_each(archive, follow, &latency);
	if (!err)
		sched_finish(&latency.sched);
	json_flush(&latency.json);
	if (!err && !args->switches && !args->map)
		err = print_report(&latency);
	destroy(&latency);
	return err;
}

/**
 * latency_run() - measure and print the latency of threads
 * @args: the options
 *
 * Return: enum exit_code.
 */
int latency_run(const struct latency_args *args)
{
	const struct selection selection = {
		.filter = &args->filter,
		.by_record = args->switches || args->map,
	};

	return trace_input_run(args->path, &selection, print_latency, args);
}
