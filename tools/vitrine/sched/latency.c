// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine latency': measure how long each thread waited for a CPU, and what it did the rest of
 * the time. The state machine of sched_state.c calls back at the begin and the end of
 * each time slice. Documentation/json.rst has the schema of JSON.
 *
 * Percentiles need little memory: the durations themselves are kept while they are few, then
 * the numbers of buckets whose width is 1/64 of their lower bound, or 1, and if there are many,
 * counts by bucket. A quantile is the middle of its bucket, with an error of at most 1/128, and
 * exact below 128.
 */
#define _GNU_SOURCE	/* qsort_r() */
#include <argp.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "base.h"
#include "command.h"
#include "ui/fields.h"
#include "ui/json.h"
#include "ui/label.h"
#include "answer.h"
#include "missing.h"
#include "print.h"
#include "sched_state.h"
#include "trace_input.h"

/* Sort key of a report, in descending order except for names. */
enum latency_order {
	LATENCY_BY_MAX,
	LATENCY_BY_P99,
	LATENCY_BY_P50,
	LATENCY_BY_AVERAGE,
	LATENCY_BY_RUNS,
	LATENCY_BY_RUNNING,
	LATENCY_BY_RUNNABLE,
	LATENCY_BY_BLOCKED,
	LATENCY_BY_NAME,
	LATENCY_NR_ORDERS,
};

/**
 * struct latency_args - the options of `vitrine latency'
 * @path: trace to read; NULL with @live
 * @live: read the flight recorder
 * @json: print JSON
 * @switches: print one line per time slice instead of the report
 * @why: answer as `vitrine why' instead of the report
 * @by_name: put the threads of one name into one row of the report
 * @nr: number of rows of the report; 0: all
 * @sorted: @order was given
 * @order: sort key of the report
 * @filter: threads and time range
 */
struct latency_args {
	const char *path;
	bool live;
	bool json;
	bool switches;
	bool why;
	bool by_name;
	bool sorted;
	unsigned int nr;
	enum latency_order order;
	struct record_filter filter;
};

/* Most rows that can be asked for. */
#define MAX_ROWS	1000

/* Buckets of each power of two, and of all. */
#define QUANTILES_COLUMNS	64
#define QUANTILES_BUCKETS	(59 * QUANTILES_COLUMNS)

/* With at most so many values, they are kept; with more than so many, counts. */
#define QUANTILES_FEW		8
#define QUANTILES_MANY		4096

/**
 * struct quantiles - values; all zero at first
 * @nr: number of values
 * @few: the values, as long as there are neither @buckets nor @counts
 * @buckets: the bucket of each value, or NULL; the room is a power of two
 * @counts: number of values in each bucket, or NULL
 */
struct quantiles {
	uint64_t nr;
	uint64_t few[QUANTILES_FEW];
	uint16_t *buckets;
	uint32_t *counts;
};

#define COLUMN_BITS	6

/**
 * struct latency_runnable - intervals for which threads were runnable before they ran
 * @spread: distribution of their durations
 * @sum_ns: total
 * @max_ns: the longest
 * @max_end_ns: end of the longest
 * @max_is_still: it was not over at the end of the trace, so the next members are not known
 * @max_cpu: CPU where it ended
 * @instead: thread that had that CPU until then; 0: idle
 */
struct latency_runnable {
	struct quantiles spread;
	uint64_t sum_ns;
	uint64_t max_ns;
	uint64_t max_end_ns;
	bool max_is_still;
	uint32_t max_cpu;
	struct vitrine_fxt_thread instead;
};

/**
 * struct latency_interrupts - interrupts of a thread while it ran
 * @name: their name; NULL: all that are not nested in another one
 * @nr: number of interrupts
 * @sum_ns: total duration
 * @max_ns: the longest
 */
struct latency_interrupts {
	char *name;
	uint64_t nr;
	uint64_t sum_ns;
	uint64_t max_ns;
};

/**
 * struct latency_thread - measurements of a thread
 * @wanted: it matches the filter
 * @runnable: how long it was runnable, after a wakeup or a preemption
 * @interrupted: interrupts while it ran
 * @by: interrupts by name, nested ones included
 * @nr_by: number of names
 */
struct latency_thread {
	bool wanted;
	struct latency_runnable runnable;
	struct latency_interrupts interrupted;
	struct latency_interrupts *by;
	size_t nr_by;
};

/**
 * struct latency_figures - what is printed of the intervals of a row
 * @nr: their number; 0: the figures of one interval are not known
 * @nr_preempted: of these, after a preemption
 * @sum_ns: total
 * @average_ns: average
 * @p50_ns: median
 * @p99_ns: 99th percentile
 * @max_ns: the longest
 * @max_end_ns: its end
 * @max_is_still: it was not over at the end of the trace
 * @max_is_over: it was
 * @max_cpu: CPU where it ended
 * @instead: thread that had that CPU until then
 */
struct latency_figures {
	uint64_t nr;
	uint64_t nr_preempted;
	uint64_t sum_ns;
	uint64_t average_ns;
	uint64_t p50_ns;
	uint64_t p99_ns;
	uint64_t max_ns;
	uint64_t max_end_ns;
	bool max_is_still;
	bool max_is_over;
	uint32_t max_cpu;
	struct vitrine_fxt_thread instead;
};

/**
 * struct latency_row - a thread, or several
 * @sum: a thread, with the times and counts of all of them
 * @nr_threads: number of threads
 * @latency: measurements of all of them
 */
struct latency_row {
	struct sched_thread sum;
	size_t nr_threads;
	struct latency_thread *latency;
};

/**
 * struct latency_report - contents of a report
 * @sched: all threads, whose owners are struct latency_thread
 * @rows: threads, or names, sorted
 * @nr_rows: number of @rows
 * @nr_printed: number of @rows to print
 * @total: all threads
 * @by_name: each row has the threads of a name
 * @interrupted: some threads were interrupted
 * @begin_ns: begin of the reported time range
 * @end_ns: its end
 */
struct latency_report {
	const struct sched *sched;
	struct latency_row *rows;
	size_t nr_rows;
	size_t nr_printed;
	struct latency_row total;
	bool by_name;
	bool interrupted;
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* Width of a thread with ids of six digits: the longest name of the kernel has 15 characters. */
#define THREAD_COLUMNS	29

#define BY_COLUMNS	23

/**
 * struct latency - a trace being measured
 * @args: the options
 * @sched: state of all threads and CPUs
 * @json: writer for --switches --json, one line per time slice
 */
struct latency {
	const struct latency_args *args;
	struct sched sched;
	struct json_writer json;
};

struct sorting {
	const struct vitrine_archive *archive;
	enum latency_order order;
};

/* ---- Percentiles ------------------------------------------------------- */

/* Return how many low bits of a value are dropped. */
static unsigned int shift_of(uint64_t value)
{
	unsigned int bits = 64 - __builtin_clzll(value | 1);

	return bits > COLUMN_BITS + 1 ? bits - COLUMN_BITS - 1 : 0;
}

/* The buckets of row 0 begin at 0, of row 1 at 64, of row 2 at 128; each row ends at the next. */
static uint16_t bucket_of(uint64_t value)
{
	unsigned int shift = shift_of(value), row = value < QUANTILES_COLUMNS ? 0 : shift + 1;

	return row * QUANTILES_COLUMNS + (value >> shift) % QUANTILES_COLUMNS;
}

static uint64_t middle_of(unsigned int bucket)
{
	unsigned int row = bucket / QUANTILES_COLUMNS, shift = row ? row - 1 : 0;
	uint64_t begin = bucket % QUANTILES_COLUMNS + (row ? QUANTILES_COLUMNS : 0);

	return (begin << shift) + (shift ? 1ULL << (shift - 1) : 0);
}

/* Keep buckets from now on. */
static void begin_buckets(struct quantiles *quantiles)
{
	unsigned int i;

	if (quantiles->buckets || quantiles->counts)
		return;
	quantiles->buckets = calloc(2 * QUANTILES_FEW, sizeof(*quantiles->buckets));
	must_have(quantiles->buckets);
	for (i = 0; i < quantiles->nr; i++)
		quantiles->buckets[i] = bucket_of(quantiles->few[i]);
}

static void count(const struct quantiles *quantiles, uint32_t *counts)
{
	uint64_t i;

	for (i = 0; i < quantiles->nr; i++)
		counts[quantiles->buckets[i]]++;
}

/* Keep counts from now on. */
static void begin_counts(struct quantiles *quantiles)
{
	if (quantiles->counts)
		return;
	begin_buckets(quantiles);
	quantiles->counts = calloc(QUANTILES_BUCKETS, sizeof(*quantiles->counts));
	must_have(quantiles->counts);
	count(quantiles, quantiles->counts);
	free(quantiles->buckets);
	quantiles->buckets = NULL;
}

static void add_bucket(struct quantiles *quantiles, uint16_t bucket)
{
	uint64_t nr = quantiles->nr++;

	if (quantiles->counts) {
		quantiles->counts[bucket]++;
		return;
	}
	if (nr >= 2 * QUANTILES_FEW && !(nr & (nr - 1))) {
		quantiles->buckets = realloc(quantiles->buckets,
					     2 * nr * sizeof(*quantiles->buckets));
		must_have(quantiles->buckets);
	}
	quantiles->buckets[nr] = bucket;
	if (nr + 1 == QUANTILES_MANY)
		begin_counts(quantiles);
}

static void quantiles_add(struct quantiles *quantiles, uint64_t value)
{
	if (quantiles->nr < QUANTILES_FEW && !quantiles->buckets && !quantiles->counts) {
		quantiles->few[quantiles->nr++] = value;
		return;
	}
	begin_buckets(quantiles);
	add_bucket(quantiles, bucket_of(value));
}

/* Add the values of others, too. */
static void quantiles_merge(struct quantiles *quantiles, const struct quantiles *from)
{
	uint64_t i;

	if (from->counts) {
		begin_counts(quantiles);
		for (i = 0; i < QUANTILES_BUCKETS; i++)
			quantiles->counts[i] += from->counts[i];
		quantiles->nr += from->nr;
	} else if (from->buckets) {
		begin_buckets(quantiles);
		for (i = 0; i < from->nr; i++)
			add_bucket(quantiles, from->buckets[i]);
	} else {
		for (i = 0; i < from->nr; i++)
			quantiles_add(quantiles, from->few[i]);
	}
}

static int compare_values(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

static uint64_t find_few(const struct quantiles *quantiles, uint64_t rank)
{
	uint64_t few[QUANTILES_FEW];

	memcpy(few, quantiles->few, sizeof(few));
	qsort(few, quantiles->nr, sizeof(*few), compare_values);
	return few[rank - 1];
}

/* Find a percentile. Returns false if there are no values. */
static bool quantiles_find(const struct quantiles *quantiles, unsigned int percent,
			   uint64_t *ret)
{
	uint64_t rank = (quantiles->nr * percent + 99) / 100;
	uint32_t counted[QUANTILES_BUCKETS] = {};
	const uint32_t *counts = quantiles->counts;
	unsigned int bucket = 0;

	if (!quantiles->nr)
		return false;
	if (!quantiles->buckets && !counts) {
		*ret = find_few(quantiles, rank);
		return true;
	}
	if (!counts) {
		count(quantiles, counted);
		counts = counted;
	}
	for (; rank > counts[bucket]; bucket++)
		rank -= counts[bucket];
	*ret = middle_of(bucket);
	return true;
}

static void quantiles_deinit(struct quantiles *quantiles)
{
	free(quantiles->buckets);
	free(quantiles->counts);
}

static inline uint64_t latency_average_ns(const struct latency_runnable *runnable)
{
	return runnable->spread.nr ? runnable->sum_ns / runnable->spread.nr : 0;
}

/* ---- The figures of a row ---------------------------------------------- */

static uint64_t quantile_of(const struct latency_runnable *runnable, unsigned int percent)
{
	uint64_t ns;

	return quantiles_find(&runnable->spread, percent, &ns) ? ns : 0;
}

/* The middle of a bucket may be more than the longest time in it. */
static uint64_t bounded(uint64_t ns, uint64_t max_ns)
{
	return ns < max_ns ? ns : max_ns;
}

static struct latency_figures figures_of(const struct latency_row *row)
{
	const struct latency_runnable *runnable = &row->latency->runnable;

	return (struct latency_figures){
		.nr = runnable->spread.nr,
		.nr_preempted = row->sum.nr_preempted,
		.sum_ns = runnable->sum_ns,
		.average_ns = latency_average_ns(runnable),
		.p50_ns = bounded(quantile_of(runnable, 50), runnable->max_ns),
		.p99_ns = bounded(quantile_of(runnable, 99), runnable->max_ns),
		.max_ns = runnable->max_ns,
		.max_end_ns = runnable->max_end_ns,
		.max_is_still = runnable->max_is_still,
		.max_is_over = runnable->spread.nr && !runnable->max_is_still,
		.max_cpu = runnable->max_cpu,
		.instead = runnable->instead,
	};
}

/* ---- Text -------------------------------------------------------------- */

/* Return a figure of intervals, of which there may be none. */
static const char *figure(const struct latency_figures *figures, uint64_t ns)
{
	return figures->nr ? duration(ns) : "-";
}

/* Print a row, and when the longest interval ended, in microseconds. */
static void print_row(const struct latency_row *row, const char *name)
{
	const struct latency_figures figures = figures_of(row);
	const char *end = figures.nr ? "still waits" : "-";
	int len = strlen(end);

	printf("%s %6" PRIu64, padded(name, THREAD_COLUMNS), row->sum.nr_turns);
	if (figures.max_is_over) {
		end = seconds(figures.max_end_ns);
		len = strlen(end) - 3;
	}
	printf(" %7s %7s %7s %7s %8s %7s %14.*s\n", figure(&figures, figures.average_ns),
	       figure(&figures, figures.p99_ns), figure(&figures, figures.max_ns),
	       duration(row->sum.time_ns[SCHED_RUNNING]), duration(sched_runnable_ns(&row->sum)),
	       duration(sched_blocked_ns(&row->sum)), len, end);
}

/* Return the label of a thread, or the name of several and how many they are. */
static const char *row_label(const struct latency_report *report, const struct latency_row *row)
{
	const struct vitrine_archive *archive = report->sched->archive;
	struct vitrine_fxt_string string = { "?", 1 };
	uint64_t process;

	if (row->nr_threads == 1)
		return thread_label(archive, &row->sum.id);
	vitrine_archive_thread(archive, row->sum.id.thread, &string, &process);
	return format_label("%s (%zu)", name_label(&string), row->nr_threads);
}

static void print_summary(const struct latency_report *report)
{
	const struct sched *sched = report->sched;
	uint64_t busy_ns = 0, idle_ns = 0;
	unsigned int nr_cpus = 0;
	uint32_t i;

	for (i = 0; i < sched->nr_cpus; i++) {
		if (!sched->cpus[i])
			continue;
		nr_cpus += sched->cpus[i]->busy_ns || sched->cpus[i]->idle_ns;
		busy_ns += sched->cpus[i]->busy_ns;
		idle_ns += sched->cpus[i]->idle_ns;
	}
	printf("%s, %" PRIu64 " switches on %u CPU%s", duration(report->end_ns - report->begin_ns),
	       sched->nr_switches, nr_cpus, nr_cpus == 1 ? "" : "s");
	if (busy_ns + idle_ns)
		printf(", busy for %.1f %%",
		       100.0 * busy_ns / (busy_ns + idle_ns));
	puts("; latency from wakeup or preemption to run");
	missing_put_without_wakeups(stdout, sched);
	if (sched->nr_gaps)
		printf("%" PRIu64 " gap%s", sched->nr_gaps,
		       sched->nr_gaps == 1 ? "" : "s");
	if (sched->nr_lost)
		printf("%s%" PRIu64 " records lost", sched->nr_gaps ? ", " : "",
		       sched->nr_lost);
	if (sched->nr_gaps || sched->nr_lost)
		puts(": what threads did meanwhile is left out");
	missing_put_unknown(stdout, sched, report->begin_ns);
	putchar('\n');
}

static void print_interrupts(const struct latency_report *report,
			     const struct latency_row *row,
			     const struct latency_interrupts *interrupts)
{
	const char *name = interrupts->name ? interrupts->name : "all";

	printf("%s %s %8" PRIu64 " %8s %8s", padded(row_label(report, row), THREAD_COLUMNS),
	       padded(name, BY_COLUMNS), interrupts->nr, duration(interrupts->sum_ns),
	       duration(interrupts->max_ns));
	if (!interrupts->name && row->sum.time_ns[SCHED_RUNNING])
		printf("  %.2f %% of RUNNING",
		       100.0 * interrupts->sum_ns /
		       row->sum.time_ns[SCHED_RUNNING]);
	putchar('\n');
}

/* Print a line for all interrupts of a row, and one per name, nested ones too. */
static void print_interrupted(const struct latency_report *report)
{
	const struct latency_thread *latency;
	size_t i, j;

	printf("\n%-*s %-*s %8s %8s %8s\n", THREAD_COLUMNS, "THREAD", BY_COLUMNS,
	       "INTERRUPTED BY", "COUNT", "TOTAL", "MAX");
	for (i = 0; i < report->nr_printed; i++) {
		latency = report->rows[i].latency;
		if (!latency->nr_by)
			continue;
		print_interrupts(report, &report->rows[i], &latency->interrupted);
		for (j = 0; j < latency->nr_by; j++)
			print_interrupts(report, &report->rows[i], &latency->by[j]);
	}
}

/* Print a report as text. */
static void latency_table(const struct latency_report *report)
{
	size_t i;

	print_summary(report);
	printf("%-*s %6s %7s %7s %7s %7s %8s %7s %14s\n", THREAD_COLUMNS, "THREAD", "RUNS", "AVG",
	       "P99", "MAX", "RUNNING", "RUNNABLE", "BLOCKED", "UNTIL (s)");
	for (i = 0; i < report->nr_printed; i++)
		print_row(&report->rows[i], row_label(report, &report->rows[i]));
	if (report->total.nr_threads > 1)
		print_row(&report->total,
			  format_label("total of %zu threads", report->total.nr_threads));
	if (report->interrupted)
		print_interrupted(report);
}

/* Print the head of the lines of latency_turn(). */
static void latency_turns_head(void)
{
	printf("%16s %s %-*s %8s %8s %8s  %s\n", "UNTIL", "[CPU]",
	       THREAD_COLUMNS, "THREAD", "BLOCKED", "RUNNABLE", "RAN", "THEN");
}

/* Print a time slice as a line. */
static void latency_turn(const struct sched *sched, const struct sched_thread *thread)
{
	const struct sched_turn *turn = &thread->turn;

	printf("%16s [%03" PRIu32 "] %s %8s %8s %8s  %s\n", seconds(turn->end_ns), turn->cpu,
	       padded(thread_label(sched->archive, &thread->id), THREAD_COLUMNS),
	       duration(turn->blocked_ns), duration(turn->ready_ns),
	       duration(turn->end_ns - turn->begin_ns), sched_state_names[turn->after]);
}

/* ---- JSON -------------------------------------------------------------- */

static void write_thread(struct json_writer *json, const void *ctx, const void *thread)
{
	record_json_thread(json, ctx, thread);
}

#define ROW struct latency_figures
static const struct field figures_fields[] = {
	FIELD_AS("count", nr),
	FIELD_AS("after_preemption", nr_preempted),
	FIELD(sum_ns),
	FIELD_AS("average_ns", average_ns, FIELD_IF(nr)),
	FIELD_AS("p50_ns", p50_ns, FIELD_IF(nr)),
	FIELD_AS("p99_ns", p99_ns, FIELD_IF(nr)),
	FIELD_AS("max_ns", max_ns, FIELD_IF(nr)),
	FIELD_AS("max_until_ns", max_end_ns, FIELD_IF(nr)),
	FIELD_AS("max_is_still", max_is_still, FIELD_IF(max_is_still)),
	FIELD_AS("max_cpu", max_cpu, FIELD_IF(max_is_over)),
	FIELD_BY("max_instead", instead, write_thread, FIELD_IF(max_is_over)),
	{ 0 }
};

#undef ROW
#define ROW struct latency_interrupts
static const struct field interrupts_fields[] = {
	FIELD_AS("name", name, FIELD_IF(name)), FIELD_AS("count", nr), FIELD(sum_ns), FIELD(max_ns),
	{ 0 }
};

#undef ROW
#define ROW struct latency_thread
static const struct field interrupted_fields[] = {
	FIELD_STRUCT("interrupted", interrupted, interrupts_fields),
	FIELD_LIST("interrupted_by", by, nr_by, interrupts_fields),
	{ 0 }
};

#undef ROW
#define ROW struct sched_thread
static const struct field sum_fields[] = {
	FIELD_AS("runs", nr_turns),
	FIELD_AS("unknown_ns", time_ns[SCHED_UNKNOWN]),
	FIELD_AS("running_ns", time_ns[SCHED_RUNNING]),
	FIELD_AS("woken_ns", time_ns[SCHED_WOKEN]),
	FIELD_AS("preempted_ns", time_ns[SCHED_PREEMPTED]),
	FIELD_AS("blocked_ns", time_ns[SCHED_BLOCKED]),
	FIELD_AS("stopped_ns", time_ns[SCHED_STOPPED]),
	{ 0 }
};

static void write_figures(struct json_writer *json, const struct sched *sched,
			  const struct latency_row *row)
{
	const struct latency_figures figures = figures_of(row);

	fields_members(json, sum_fields, &row->sum, NULL);
	json_key(json, "runnable");
	fields_put(json, figures_fields, &figures, sched->archive);
}

static void write_row(struct json_writer *json, const struct latency_report *report,
		      const struct latency_row *row)
{
	const struct sched *sched = report->sched;
	struct vitrine_fxt_string name;
	uint64_t process;

	json_begin(json);
	if (!report->by_name) {
		json_key(json, "thread");
		record_json_thread(json, sched->archive, &row->sum.id);
	} else {
		if (vitrine_archive_thread(sched->archive, row->sum.id.thread, &name, &process)) {
			json_key(json, "name");
			json_text(json, name.bytes, name.len_bytes);
		}
		json_key_uint(json, "threads", row->nr_threads);
	}
	write_figures(json, sched, row);
	fields_members(json, interrupted_fields, row->latency, NULL);
	json_end(json);
}

#undef ROW
#define ROW struct sched
static const struct field sched_fields[] = {
	FIELD_AS("switches", nr_switches), FIELD_AS("wakeups", nr_wakeups),
	FIELD_AS("gaps", nr_gaps), FIELD_AS("lost", nr_lost),
	{ 0 }
};

/* Print a report as JSON. */
static void latency_json(const struct latency_report *report)
{
	const struct sched *sched = report->sched;
	struct json_writer json;
	size_t i;

	json_init(&json, stdout, true);
	json_begin(&json);
	json_key_uint(&json, "begin_ns", report->begin_ns);
	json_key_uint(&json, "end_ns", report->end_ns);
	fields_members(&json, sched_fields, sched, NULL);
	missing_write_unknown(&json, sched, report->begin_ns);
	json_key(&json, "threads");
	json_begin_list(&json);
	for (i = 0; i < report->nr_printed; i++) {
		json_item(&json);
		write_row(&json, report, &report->rows[i]);
	}
	json_end_list(&json);
	json_key(&json, "total");
	json_begin(&json);
	json_key_uint(&json, "threads", report->total.nr_threads);
	write_figures(&json, sched, &report->total);
	json_end(&json);
	json_end(&json);
	json_finish(&json);
}

/* Write a time slice as a line of JSON, without a table, since there are millions of them. */
static void latency_turn_json(struct json_writer *json, const struct sched *sched,
			      const struct sched_thread *thread)
{
	const struct sched_turn *turn = &thread->turn;

	json_begin(json);
	json_key_uint(json, "begin_ns", turn->begin_ns);
	json_key_uint(json, "end_ns", turn->end_ns);
	json_key_uint(json, "cpu", turn->cpu);
	json_key(json, "thread");
	record_json_thread(json, sched->archive, &thread->id);
	json_key_string(json, "waited", sched_state_names[turn->waited]);
	json_key_uint(json, "runnable_ns", turn->ready_ns);
	json_key_uint(json, "blocked_ns", turn->blocked_ns);
	json_key(json, "instead");
	record_json_thread(json, sched->archive, &turn->instead);
	json_key_string(json, "after", sched_state_names[turn->after]);
	json_end(json);
	json_newline(json);
}

/* ---- Counting ---------------------------------------------------------- */

static struct latency_thread *owner_of(struct latency *latency,
				       struct sched_thread *thread)
{
	struct latency_thread *owner = thread->owner;

	if (owner)
		return owner;
	owner = calloc(1, sizeof(*owner));
	must_have(owner);
	owner->wanted = record_filter_match_thread(&latency->args->filter,
						   latency->sched.archive,
						   &thread->id);
	thread->owner = owner;
	return owner;
}

static void count_runnable(struct latency_runnable *runnable, const struct sched_turn *turn)
{
	quantiles_add(&runnable->spread, turn->ready_ns);
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

	if (!sched_counts(&latency->sched, turn->begin_ns))
		return;
	if (turn->waited == SCHED_WOKEN || turn->waited == SCHED_PREEMPTED)
		count_runnable(&owner->runnable, turn);
}

static void on_end(void *ctx, struct sched_thread *thread)
{
	struct latency *latency = ctx;
	struct latency_thread *owner = owner_of(latency, thread);

	if (!owner->wanted || !sched_counts(&latency->sched, thread->turn.end_ns))
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

/* Return the counts of the interrupts called @name. */
static struct latency_interrupts *interrupts_of(struct latency_thread *owner,
						const char *name)
{
	struct latency_interrupts *by;
	size_t i;

	for (i = 0; i < owner->nr_by; i++)
		if (!strcmp(owner->by[i].name, name))
			return &owner->by[i];
	if (i >= SCHED_MAX_INTERRUPTS && strcmp(name, SCHED_OTHER_INTERRUPTS))
		return interrupts_of(owner, SCHED_OTHER_INTERRUPTS);
	must_have(GROW(owner->by, owner->nr_by));
	by = &owner->by[owner->nr_by++];
	*by = (struct latency_interrupts){ .name = strdup(name) };
	must_have(by->name);
	return by;
}

static void on_interrupt(void *ctx, const struct sched_interrupt *interrupt)
{
	struct latency *latency = ctx;
	struct latency_thread *owner;

	if (!interrupt->thread ||
	    !sched_counts(&latency->sched, interrupt->begin_ns))
		return;
	owner = owner_of(latency, interrupt->thread);
	if (interrupt->alone_ns)
		count_interrupt(&owner->interrupted, interrupt->alone_ns);
	count_interrupt(interrupts_of(owner, event_label(interrupt->record)),
			interrupt->end_ns - interrupt->begin_ns);
}

static const struct sched_ops table_ops = {
	.begin = on_begin,
	.interrupt = on_interrupt,
};

static const struct sched_ops switches_ops = {
	.end = on_end,
};

static enum archive_step follow(void *ctx, const struct vitrine_fxt_record *record)
{
	struct latency *latency = ctx;

	if (ferror(stdout))
		return ARCHIVE_STOP;
	if (!sched_follow(&latency->sched, record))
		return ARCHIVE_NO_MEMORY;
	return ARCHIVE_NEXT;
}

/* ---- The report -------------------------------------------------------- */

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

static void merge_interrupts(struct latency_interrupts *into,
			     const struct latency_interrupts *from)
{
	into->nr += from->nr;
	into->sum_ns += from->sum_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
}

static void merge_runnable(struct latency_runnable *to, const struct latency_runnable *from)
{
	quantiles_merge(&to->spread, &from->spread);
	to->sum_ns += from->sum_ns;
	if (from->max_ns < to->max_ns || (to->max_end_ns && from->max_ns == to->max_ns))
		return;
	to->max_ns = from->max_ns;
	to->max_end_ns = from->max_end_ns;
	to->max_is_still = from->max_is_still;
	to->max_cpu = from->max_cpu;
	to->instead = from->instead;
}

/* Add a row to another one. */
static void merge_row(struct latency_row *to, const struct latency_row *from)
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
		merge_interrupts(interrupts_of(to->latency, from->latency->by[j].name),
				 &from->latency->by[j]);
	merge_interrupts(&to->latency->interrupted, &from->latency->interrupted);
	merge_runnable(&to->latency->runnable, &from->latency->runnable);
}

static bool has_name(const struct vitrine_archive *archive, const struct sched_thread *thread)
{
	struct vitrine_fxt_string name;
	uint64_t process;

	return vitrine_archive_thread(archive, thread->id.thread, &name, &process);
}

/* Merge the rows of each name; threads without one stay apart. */
static void merge_names(struct latency_report *report)
{
	const struct vitrine_archive *archive = report->sched->archive;
	struct sorting sorting = { archive, LATENCY_BY_NAME };
	struct latency_row *rows = report->rows;
	size_t i, nr = 0;

	qsort_r(rows, report->nr_rows, sizeof(*rows), compare, &sorting);
	for (i = 0; i < report->nr_rows; i++) {
		if (nr && has_name(archive, &rows[i].sum) &&
		    !compare_names(archive, &rows[nr - 1].sum, &rows[i].sum)) {
			merge_row(&rows[nr - 1], &rows[i]);
		} else {
			rows[nr++] = rows[i];
		}
	}
	report->nr_rows = nr;
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
		count_runnable(&owner->runnable, &turn);
}

/* Collect the threads that did anything in the requested time range. */
static void collect(struct latency *latency, struct latency_report *report)
{
	const struct sched *sched = &latency->sched;
	struct latency_thread *owner;
	struct sched_thread *thread;
	size_t i = 0;

	report->rows = calloc(sched->threads.nr + 1, sizeof(*report->rows));
	must_have(report->rows);
	while ((thread = sched_thread_next(sched, &i))) {
		owner = owner_of(latency, thread);
		if (!owner->wanted)
			continue;
		count_still(latency, thread, owner);
		report->rows[report->nr_rows++] = (struct latency_row){
			.sum = *thread,
			.nr_threads = 1,
			.latency = owner,
		};
		merge_row(&report->total, &report->rows[report->nr_rows - 1]);
	}
}

/* Sort the rows, and choose those to be printed. */
static void arrange(const struct latency *latency, struct latency_report *report)
{
	struct sorting sorting = { report->sched->archive, latency->args->order };
	struct latency_thread *owner;
	size_t i;

	if (report->by_name)
		merge_names(report);
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
}

static void latency_thread_deinit(struct latency_thread *latency)
{
	quantiles_deinit(&latency->runnable.spread);
	while (latency->nr_by)
		free(latency->by[--latency->nr_by].name);
	free(latency->by);
}

static void print_report(struct latency *latency)
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

	collect(latency, &report);
	arrange(latency, &report);
	if (report.end_ns < report.begin_ns)
		report.end_ns = report.begin_ns;
	if (latency->args->json)
		latency_json(&report);
	else
		latency_table(&report);
	latency_thread_deinit(&total);
	free(report.rows);
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
	struct latency latency = {
		.args = args,
		.sched = {
			.ops = args->switches ? &switches_ops : &table_ops,
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
	if (!err && !args->switches)
		print_report(&latency);
	destroy(&latency);
	return err;
}

/* Measure and print the latency of threads. Returns enum exit_code. */
static int latency_run(const struct latency_args *args)
{
	const struct selection selection = {
		.filter = &args->filter,
		.by_record = args->switches,
	};

	return trace_input_run(args->path, &selection, print_latency, args);
}

static int explain(const struct latency_args *args)
{
	const struct answer_args answer = {
		.json = args->json, .file = args->path, .filter = args->filter,
	};

	return answer_run(args->path, &answer);
}

/* ---- Options ----------------------------------------------------------- */

static struct latency_args args;

static const struct command_option options[] = {
	{ "live", 'l', NULL, "Read the flight recorder instead of FILE", .flag = &args.live },
	{ "sort", 's', "KEY", .help = "Sort by KEY (default: max); see below" },
	{ "switches", 'w', NULL, "Print one line per time slice of a thread",
	  .flag = &args.switches },
	{ "why", 0, NULL, "The same as `vitrine why'; it will be removed", .flag = &args.why },
	{ "count", 'n', "N", .help = "Number of rows (default: all)" },
	{ "by-name", 'g', NULL, "One row for all threads of a name", .flag = &args.by_name },
	{ "json", 'j', NULL, "Print JSON", .flag = &args.json },
	{ .help = "Filters:" },
	{ "thread", 't', "TID|NAME", .help = "Report only this thread" },
	{ "process", 'p', "PID|NAME", .help = "Report only the threads of this process" },
	{ "from", RECORD_FILTER_FROM, "TIME",
	  .help = "Start at TIME, such as 1234.5 (seconds) or 5ms" },
	{ "to", RECORD_FILTER_TO, "TIME", .help = "End at TIME" },
	{ 0 }
};

static void parse_order(const char *arg, struct argp_state *state)
{
	static const char * const names[LATENCY_NR_ORDERS] = {
		[LATENCY_BY_MAX]	= "max",
		[LATENCY_BY_P99]	= "p99",
		[LATENCY_BY_P50]	= "p50",
		[LATENCY_BY_AVERAGE]	= "avg",
		[LATENCY_BY_RUNS]	= "runs",
		[LATENCY_BY_RUNNING]	= "running",
		[LATENCY_BY_RUNNABLE]	= "runnable",
		[LATENCY_BY_BLOCKED]	= "blocked",
		[LATENCY_BY_NAME]	= "name",
	};
	unsigned int i;

	for (i = 0; i < LATENCY_NR_ORDERS; i++) {
		if (!strcmp(arg, names[i])) {
			args.order = i;
			return;
		}
	}
	argp_error(state, "unknown sort key `%s'; see --help", arg);
}

static void parse_count(const char *arg, struct argp_state *state)
{
	char *end;
	unsigned long nr = strtoul(arg, &end, 10);

	if (!isdigit((unsigned char)arg[0]) || *end || !nr || nr > MAX_ROWS)
		argp_error(state, "`%s' is not a number from 1 to %d", arg, MAX_ROWS);
	args.nr = nr;
}

static void check_args(struct argp_state *state)
{
	if (!args.path == !args.live)
		argp_error(state, "give either FILE or --live");
	if (args.why && (args.switches || args.sorted || args.by_name || args.nr))
		argp_error(state, "--why excludes --switches, --sort, --by-name and --count");
	if (args.switches && (args.nr || args.by_name))
		argp_error(state, "--switches excludes --count and --by-name");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'n':
		parse_count(arg, state);
		return 0;
	case 's':
		args.sorted = true;
		parse_order(arg, state);
		return 0;
	default:
		return record_filter_parse(&args.filter, key, arg, state);
	}
}

static const struct command_line line = {
	.options = options,
	.parse = parse_option,
	.check = check_args,
	.operand = &args.path,
	.operand_name = "FILE",
	.args_doc = "FILE\n--live",
	.doc = "Report the scheduling latency of each thread.\n"
	       "\013KEY is max, p99, p50, avg, runs, running, runnable, blocked or name. The\n"
	       "latency is the time from a wakeup or a preemption of a thread until it runs.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine latency -n 10 load.fxt\n"
	       "  vitrine latency --sort=p99 --process=postgres load.fxt",
};

int cmd_latency(int argc, char **argv)
{
	args = (struct latency_args){ 0 };
	record_filter_init(&args.filter);
	options_parse(&line, argc, argv);
	return args.why ? explain(&args) : latency_run(&args);
}
