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

/* Memory for the percentiles of all threads; once it is used up, no more are computed. */
#define SPREADS_BYTES	(24U << 20)

/**
 * struct latency - a trace being measured
 * @args: the options
 * @sched: state of all threads and CPUs
 * @memory_bytes: left for percentiles
 * @nr_tags: threads that have a tag in the map
 * @json: writer for --switches --json, one line per time slice
 * @failed: out of memory
 */
struct latency {
	const struct latency_args *args;
	struct sched sched;
	size_t memory_bytes;
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

static void count_wait(struct latency *latency, struct latency_wait *wait,
		       const struct sched_turn *turn)
{
	quantiles_add(&wait->spread, turn->ready_ns, &latency->memory_bytes);
	wait->sum_ns += turn->ready_ns;
	if (wait->spread.nr > 1 && turn->ready_ns <= wait->max_ns)
		return;
	wait->max_ns = turn->ready_ns;
	wait->max_end_ns = turn->begin_ns;
	wait->max_cpu = turn->cpu;
	wait->instead = turn->instead;
}

static void on_begin(void *ctx, struct sched_thread *thread)
{
	struct latency *latency = ctx;
	const struct sched_turn *turn = &thread->turn;
	struct latency_thread *owner = owner_of(latency, thread);

	if (!owner || !sched_counts(&latency->sched, turn->begin_ns))
		return;
	if (turn->waited == SCHED_WOKEN)
		count_wait(latency, &owner->woken, turn);
	else if (turn->waited == SCHED_PREEMPTED)
		count_wait(latency, &owner->preempted, turn);
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

static uint64_t quantile_of(const struct latency_wait *wait,
			    unsigned int percent)
{
	uint64_t ns;

	return quantiles_find(&wait->spread, percent, &ns) ? ns : 0;
}

static uint64_t key_of(const struct latency_report *report,
		       const struct sched_thread *thread,
		       enum latency_order order)
{
	const struct latency_wait *wait = latency_wait_of(report, thread);

	switch (order) {
	case LATENCY_BY_P99:
		return quantile_of(wait, 99);
	case LATENCY_BY_P50:
		return quantile_of(wait, 50);
	case LATENCY_BY_RUNS:
		return thread->nr_turns;
	case LATENCY_BY_RUNNING:
		return thread->time_ns[SCHED_RUNNING];
	case LATENCY_BY_RUNNABLE:
		return sched_runnable_ns(thread);
	case LATENCY_BY_BLOCKED:
		return sched_blocked_ns(thread);
	default:
		return wait->max_ns;
	}
}

struct sorting {
	const struct latency_report *report;
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
	const struct sched_thread *a = *(const struct sched_thread **)left;
	const struct sched_thread *b = *(const struct sched_thread **)right;
	const struct sorting *sorting = ctx;
	uint64_t a_key, b_key;
	int order;

	if (sorting->order == LATENCY_BY_NAME) {
		order = compare_names(sorting->report->sched->archive, a, b);
		if (order)
			return order;
	} else {
		a_key = key_of(sorting->report, a, sorting->order);
		b_key = key_of(sorting->report, b, sorting->order);
		if (a_key != b_key)
			return a_key > b_key ? -1 : 1;
	}
	return a->id.thread < b->id.thread ? -1 : a->id.thread > b->id.thread;
}

/* The name that took the most time comes first. */
static int compare_interrupts(const void *left, const void *right)
{
	const struct latency_interrupts *a = left, *b = right;

	if (a->sum_ns != b->sum_ns)
		return a->sum_ns > b->sum_ns ? -1 : 1;
	return strcmp(a->name, b->name);
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
		report->rows[report->nr_rows++] = thread;
		report->interrupted |= owner->nr_by;
		if (owner->nr_by)
			qsort(owner->by, owner->nr_by, sizeof(*owner->by),
			      compare_interrupts);
	}
	return true;
}

static struct vitrine_error *print_report(struct latency *latency)
{
	const struct sched *sched = &latency->sched;
	struct latency_report report = {
		.sched = sched,
		.by_preemption = !sched->nr_wakeups,
		.begin_ns = sched->from_ns > sched->begin_ns ? sched->from_ns :
							       sched->begin_ns,
		.end_ns = sched->to_ns < sched->now_ns ? sched->to_ns :
							 sched->now_ns,
	};
	struct sorting sorting = { &report, latency->args->order };
	bool good = collect(latency, &report);

	if (report.end_ns < report.begin_ns)
		report.end_ns = report.begin_ns;
	if (good) {
		qsort_r(report.rows, report.nr_rows, sizeof(*report.rows),
			compare, &sorting);
		if (latency->args->json)
			latency_json(&report);
		else
			latency_table(&report);
	}
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
		quantiles_deinit(&owner->woken.spread);
		quantiles_deinit(&owner->preempted.spread);
		while (owner->nr_by)
			free(owner->by[--owner->nr_by].name);
		free(owner->by);
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
		.memory_bytes = SPREADS_BYTES,
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
