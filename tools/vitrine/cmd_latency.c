// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine latency FILE|--live': how long each thread waited for a CPU, and what
 * it did the rest of the time.
 */
#define _GNU_SOURCE	/* qsort_r() */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "error.h"
#include "latency.h"
#include "record_filter.h"
#include "trace_input.h"

/* What may be kept to find percentiles; beyond that, some have none. */
#define SPREADS_BYTES	(24U << 20)

struct latency_args {
	const char *path;
	bool live;
	bool json;
	bool switches;
	bool map;
	enum latency_order order;
	struct record_filter filter;
};

/**
 * struct latency - the command at work
 * @args: what is asked for
 * @sched: what threads did
 * @memory_bytes: may still be used for percentiles
 * @nr_tags: threads that have been in the map
 * @json: of --switches --json, a line each
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

/* ---- Command line ------------------------------------------------------ */

static const struct argp_option options[] = {
	{ "live", 'l', NULL, 0,
	  "Instead of FILE: what the flight recorder holds now", 0 },
	{ "sort", 's', "KEY", 0,
	  "By max (the default), p99, p50, runs, running, runnable, blocked or name", 0 },
	{ "switches", 'w', NULL, 0,
	  "Print each time a thread ran: how long it was blocked, waited, ran", 0 },
	{ "map", 'm', NULL, 0,
	  "Print who runs on each CPU, each time one switches", 0 },
	{ "json", 'j', NULL, 0, "Print JSON", 0 },
	{ NULL, 0, NULL, 0, "Of what:", 1 },
	{ "thread", 't', "TID|NAME", 0, "This thread", 1 },
	{ "process", 'p', "PID|NAME", 0, "Threads of this process", 1 },
	{ "from", RECORD_FILTER_FROM, "TIME", 0,
	  "Not earlier: seconds as printed, or 123ns", 1 },
	{ "to", RECORD_FILTER_TO, "TIME", 0, "Not later", 1 },
	{ 0 },
};

static void parse_order(struct latency_args *args, const char *arg,
			struct argp_state *state)
{
	static const char * const names[LATENCY_NR_ORDERS] = {
		[LATENCY_BY_MAX]	= "max",
		[LATENCY_BY_P99]	= "p99",
		[LATENCY_BY_P50]	= "p50",
		[LATENCY_BY_RUNS]	= "runs",
		[LATENCY_BY_RUNNING]	= "running",
		[LATENCY_BY_RUNNABLE]	= "runnable",
		[LATENCY_BY_BLOCKED]	= "blocked",
		[LATENCY_BY_NAME]	= "name",
	};
	unsigned int i;

	for (i = 0; i < LATENCY_NR_ORDERS; i++) {
		if (!strcmp(arg, names[i])) {
			args->order = i;
			return;
		}
	}
	argp_error(state, "nothing is sorted by `%s'", arg);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct latency_args *args = state->input;

	if (record_filter_parse(&args->filter, key, arg, state))
		return 0;
	switch (key) {
	case 'l':
		args->live = true;
		return 0;
	case 's':
		parse_order(args, arg, state);
		return 0;
	case 'w':
		args->switches = true;
		return 0;
	case 'm':
		args->map = true;
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->path)
			argp_error(state, "one FILE only");
		args->path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->path == !args->live)
			argp_error(state, "either FILE or --live");
		if (args->map && (args->switches || args->json))
			argp_error(state, "--map is neither --switches nor JSON");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE\n--live",
	.doc = "Say how long each thread of a trace waited for a CPU, and what else it did.",
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

static const struct sched_ops table_ops = {
	.begin = on_begin,
};

static const struct sched_ops switches_ops = {
	.end = on_end,
};

static void on_begin_in_map(void *ctx, struct sched_thread *thread)
{
	owner_of(ctx, thread);
}

static const struct sched_ops map_ops = {
	.begin = on_begin_in_map,
};

/* Of a filter, one of both threads is wanted. */
static void map_switch(struct latency *latency,
		       const struct vitrine_fxt_record *record)
{
	const struct record_filter *filter = &latency->args->filter;
	const struct sched *sched = &latency->sched;

	if (!sched_counts(sched, sched->now_ns))
		return;
	if (record_filter_match_thread(filter, sched->archive,
				       &record->context_switch.outgoing) ||
	    record_filter_match_thread(filter, sched->archive,
				       &record->context_switch.incoming))
		latency_map_switch(sched, record->cpu, &latency->nr_tags);
}

static struct vitrine_error *follow(struct latency *latency,
				    struct vitrine_archive *archive)
{
	const struct vitrine_fxt_record *record;
	struct sched *sched = &latency->sched;
	struct vitrine_error *err;

	for (;;) {
		err = vitrine_archive_next(archive, &record);
		if (err)
			return err;
		if (!record || ferror(stdout))
			break;
		if (!sched_follow(sched, record) || latency->failed)
			return vtr_error_no_memory();
		if (latency->args->map && record->kind == VITRINE_FXT_SWITCH)
			map_switch(latency, record);
	}
	sched_finish(sched);
	return NULL;
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
		return latency_runnable_ns(thread);
	case LATENCY_BY_BLOCKED:
		return latency_blocked_ns(thread);
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

/* Threads that did anything in the time that counts. */
static bool collect(struct latency *latency, struct latency_report *report)
{
	const struct sched *sched = &latency->sched;
	struct latency_thread *owner;
	size_t i;

	report->rows = calloc(sched->nr_threads + 1, sizeof(*report->rows));
	if (!report->rows)
		return false;
	for (i = 0; i < sched->size; i++) {
		struct sched_thread *thread = sched->threads[i];

		if (!thread)
			continue;
		owner = owner_of(latency, thread);
		if (!owner)
			return false;
		if (owner->wanted)
			report->rows[report->nr_rows++] = thread;
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
	size_t i;

	for (i = 0; i < latency->sched.size; i++) {
		if (!latency->sched.threads[i])
			continue;
		owner = latency->sched.threads[i]->owner;
		if (!owner)
			continue;
		quantiles_deinit(&owner->woken.spread);
		quantiles_deinit(&owner->preempted.spread);
		free(owner);
	}
	sched_deinit(&latency->sched);
}

static struct vitrine_error *run(const struct latency_args *args,
				 struct vitrine_archive *archive)
{
	const struct sched_ops *ops = args->switches ? &switches_ops :
				      args->map ? &map_ops : &table_ops;
	struct latency latency = {
		.args = args,
		.sched = {
			.ops = ops,
			.archive = archive,
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
	err = follow(&latency, archive);
	json_flush(&latency.json);
	if (!err && !args->switches && !args->map)
		err = print_report(&latency);
	destroy(&latency);
	return err;
}

/**
 * cmd_latency() - run `vitrine latency'
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code.
 */
int cmd_latency(int argc, char **argv)
{
	struct latency_args args = { 0 };
	struct trace_input input = { 0 };
	struct vitrine_error *err;

	record_filter_init(&args.filter);
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	err = trace_input_open(&input, args.path);
	if (!err)
		err = run(&args, input.archive);
	return trace_input_close(&input, err);
}
