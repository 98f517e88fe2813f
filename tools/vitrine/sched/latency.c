// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine latency': measure how long each thread waited for a CPU, and what it did the rest of
 * the time. The state machine of sched_state.c calls back at the begin and the end of
 * each time slice. Documentation/json.rst has the schema of JSON.
 *
 * Percentiles need little memory: a few durations are kept themselves, more of them as the numbers
 * of buckets, and many as counts by bucket. The width of a bucket is 1/64 of its lower bound, or
 * 1. A quantile of more than a few durations is the middle of its bucket, with an error of at most
 * 1/128, and exact below 128.
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
#include "print.h"
#include "sched_state.h"
#include "trace_input.h"

/* Most rows that can be asked for. */
#define MAX_ROWS	1000

/* Buckets of each power of two, and of all. */
#define COLUMN_BITS		6
#define QUANTILES_COLUMNS	(1 << COLUMN_BITS)
#define QUANTILES_BUCKETS	(59 * QUANTILES_COLUMNS)

/* With at most so many values, quantiles are exact; with so many, counts are kept. */
#define QUANTILES_FEW		8
#define QUANTILES_MANY		4096

/**
 * struct quantiles - values; all zero at first
 * @nr: number of values
 * @values: the values, if they are few
 * @buckets: instead, the bucket of each value
 * @counts: instead, the number of values in each bucket
 */
struct quantiles {
	uint64_t nr;
	uint64_t *values;
	uint16_t *buckets;
	uint32_t *counts;
};

/**
 * struct waits - intervals for which threads were runnable before they ran
 * @spread: distribution of their durations; without any, the figures of one are not known
 * @nr_preempted: how many of them began with a preemption; set by complete()
 * @sum_ns: total
 * @average_ns: average; set by complete(), as the percentiles are
 * @p50_ns: median
 * @p99_ns: 99th percentile
 * @max_ns: the longest
 * @max_end_ns: end of the longest
 * @max_is_still: it was not over at the end of the trace, so the next members are not known
 * @max_is_over: it was; set by complete()
 * @max_cpu: CPU where it ended
 * @instead: thread that had that CPU until then; 0: idle
 */
struct waits {
	struct quantiles spread;
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
 * struct interrupts - interrupts of a thread while it ran
 * @name: their name; NULL: all that are not nested in another one
 * @nr: number of interrupts
 * @sum_ns: total duration
 * @max_ns: the longest
 */
struct interrupts {
	char *name;
	uint64_t nr;
	uint64_t sum_ns;
	uint64_t max_ns;
};

/**
 * struct row - measurements of a thread, of those of a name, or of all
 * @waits: how long it was runnable, after a wakeup or a preemption
 * @is_wanted: the thread matches the filter
 * @sum: a thread, with the times and counts of all of them; set by collect(), as the next ones are
 * @nr_threads: number of threads
 * @name: name of the thread
 * @is_named: it has one
 * @runnable_ns: how long it was runnable; set by complete()
 * @blocked_ns: how long it was blocked; likewise
 * @interrupted: interrupts while it ran
 * @by: interrupts by name, nested ones included
 * @nr_by: number of names
 */
struct row {
	struct waits waits;
	bool is_wanted;
	struct sched_thread sum;
	size_t nr_threads;
	struct vitrine_fxt_string name;
	bool is_named;
	uint64_t runnable_ns;
	uint64_t blocked_ns;
	struct interrupts interrupted;
	struct interrupts *by;
	size_t nr_by;
};

/* Sort keys of a report, in descending order but for names. The first is the default. */
static const struct order {
	const char *name;
	size_t at;
} orders[] = {
	{ "max", offsetof(struct row, waits.max_ns) },
	{ "p99", offsetof(struct row, waits.p99_ns) },
	{ "p50", offsetof(struct row, waits.p50_ns) },
	{ "avg", offsetof(struct row, waits.average_ns) },
	{ "runs", offsetof(struct row, sum.nr_turns) },
	{ "running", offsetof(struct row, sum.time_ns[SCHED_RUNNING]) },
	{ "runnable", offsetof(struct row, runnable_ns) },
	{ "blocked", offsetof(struct row, blocked_ns) },
	{ "name", 0 },
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
 * @order: sort key of the report, if it was given
 * @filter: threads and time range
 */
static struct latency_args {
	const char *path;
	bool live;
	bool json;
	bool switches;
	bool why;
	bool by_name;
	unsigned int nr;
	const struct order *order;
	struct record_filter filter;
} args;

/**
 * struct report - what is printed of a trace, besides struct sched; the owners of its threads are
 *	struct row
 * @rows: threads, or names, sorted
 * @nr_rows: number of @rows
 * @nr_printed: number of @rows to print
 * @total: all threads
 * @interrupted: some threads were interrupted
 */
static struct report {
	struct row **rows;
	size_t nr_rows;
	size_t nr_printed;
	struct row total;
	bool interrupted;
} report;

/* Width of a thread with ids of six digits: the longest name of the kernel has 15 characters. */
#define THREAD_COLUMNS	29

#define BY_COLUMNS	23

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

/* Keep counts instead of buckets from now on. */
static void begin_counts(struct quantiles *quantiles)
{
	uint64_t i;

	if (quantiles->counts)
		return;
	quantiles->counts = calloc(QUANTILES_BUCKETS, sizeof(*quantiles->counts));
	must_have(quantiles->counts);
	for (i = 0; i < quantiles->nr; i++)
		quantiles->counts[quantiles->buckets[i]]++;
	free(quantiles->buckets);
	quantiles->buckets = NULL;
}

static void add_bucket(struct quantiles *quantiles, uint16_t bucket)
{
	if (quantiles->counts) {
		quantiles->counts[bucket]++;
	} else {
		must_have(GROW(quantiles->buckets, quantiles->nr));
		quantiles->buckets[quantiles->nr] = bucket;
	}
	if (++quantiles->nr == QUANTILES_MANY)
		begin_counts(quantiles);
}

/* Keep no values from now on. */
static void begin_buckets(struct quantiles *quantiles)
{
	uint64_t nr = quantiles->nr, i;

	if (!quantiles->values)
		return;
	quantiles->nr = 0;
	for (i = 0; i < nr; i++)
		add_bucket(quantiles, bucket_of(quantiles->values[i]));
	free(quantiles->values);
	quantiles->values = NULL;
}

static void quantiles_add(struct quantiles *quantiles, uint64_t value)
{
	if (quantiles->nr < QUANTILES_FEW && !quantiles->buckets && !quantiles->counts) {
		must_have(GROW(quantiles->values, quantiles->nr));
		quantiles->values[quantiles->nr++] = value;
		return;
	}
	begin_buckets(quantiles);
	add_bucket(quantiles, bucket_of(value));
}

/* Add the values of others, too. */
static void quantiles_merge(struct quantiles *quantiles, const struct quantiles *from)
{
	uint64_t i;

	for (i = 0; from->values && i < from->nr; i++)
		quantiles_add(quantiles, from->values[i]);
	if (from->values)
		return;
	begin_buckets(quantiles);
	for (i = 0; from->buckets && i < from->nr; i++)
		add_bucket(quantiles, from->buckets[i]);
	if (!from->counts)
		return;
	begin_counts(quantiles);
	for (i = 0; i < QUANTILES_BUCKETS; i++)
		quantiles->counts[i] += from->counts[i];
	quantiles->nr += from->nr;
}

static int compare_values(const void *left, const void *right)
{
	return number_order(*(const uint64_t *)left, *(const uint64_t *)right);
}

/* Sort the buckets by counting them, which takes less time than comparing them. */
static void sort_buckets(struct quantiles *quantiles)
{
	static uint32_t counts[QUANTILES_BUCKETS];
	unsigned int bucket;
	uint64_t i;

	for (i = 0; i < quantiles->nr; i++)
		counts[quantiles->buckets[i]]++;
	for (i = bucket = 0; i < quantiles->nr; bucket++)
		for (; counts[bucket]; counts[bucket]--)
			quantiles->buckets[i++] = bucket;
}

/* Make quantiles_find() possible; no value may be added afterwards. */
static void quantiles_sort(struct quantiles *quantiles)
{
	if (quantiles->values)
		SORT(quantiles->values, quantiles->nr, compare_values);
	if (quantiles->buckets)
		sort_buckets(quantiles);
}

/* Find a percentile; 0: there are no values. */
static uint64_t quantiles_find(const struct quantiles *quantiles, unsigned int percent)
{
	uint64_t rank = percentile_rank(quantiles->nr, percent);
	unsigned int bucket = 0;

	if (!quantiles->nr)
		return 0;
	if (quantiles->values)
		return quantiles->values[rank - 1];
	if (quantiles->buckets)
		return middle_of(quantiles->buckets[rank - 1]);
	for (; rank > quantiles->counts[bucket]; bucket++)
		rank -= quantiles->counts[bucket];
	return middle_of(bucket);
}

/* Free the values; their number stays known. */
static void quantiles_forget(struct quantiles *quantiles)
{
	free(quantiles->values);
	free(quantiles->buckets);
	free(quantiles->counts);
	*quantiles = (struct quantiles){ .nr = quantiles->nr };
}

/* ---- Text -------------------------------------------------------------- */

/* Return a figure of intervals, of which there may be none. */
static const char *figure(const struct waits *waits, uint64_t ns)
{
	return waits->spread.nr ? duration(ns) : "-";
}

/* Print a row, and when the longest interval ended, in microseconds. */
static void print_row(const struct row *row, const char *name)
{
	const struct waits *waits = &row->waits;
	const char *end = waits->spread.nr ? "still waits" : "-";
	int len = strlen(end);

	printf("%s %6" PRIu64, padded(name, THREAD_COLUMNS), row->sum.nr_turns);
	if (waits->max_is_over) {
		end = seconds(waits->max_end_ns);
		len = strlen(end) - 3;
	}
	printf(" %7s %7s %7s %7s %8s %7s %14.*s\n", figure(waits, waits->average_ns),
	       figure(waits, waits->p99_ns), figure(waits, waits->max_ns),
	       duration(row->sum.time_ns[SCHED_RUNNING]), duration(row->runnable_ns),
	       duration(row->blocked_ns), len, end);
}

/* Return the label of a thread, or the name of several and how many they are. */
static const char *row_label(const struct row *row)
{
	return row->nr_threads == 1 ? thread_label(archive, &row->sum.id) :
	       format_label("%s (%zu)", row->is_named ? name_label(&row->name) : "?",
			    row->nr_threads);
}

static void print_summary(void)
{
	uint64_t nr_cpus = 0;
	uint32_t i;

	for (i = 0; i < sched.nr_cpus; i++)
		if (sched.cpus[i])
			nr_cpus += sched.cpus[i]->busy_ns || sched.cpus[i]->idle_ns;
	printf("%s, %" PRIu64 " switches on %s",
	       duration(sched.span.end_ns - sched.span.begin_ns), sched.nr_switches,
	       count_label(nr_cpus, "CPU"));
	if (sched.busy_ns + sched.idle_ns)
		printf(", busy for %.1f %%",
		       100.0 * sched.busy_ns / (sched.busy_ns + sched.idle_ns));
	puts("; latency from wakeup or preemption to run");
	missing_put_without_wakeups();
	if (sched.nr_gaps)
		fputs(count_label(sched.nr_gaps, "gap"), stdout);
	if (sched.nr_lost)
		printf("%s%" PRIu64 " records lost", sched.nr_gaps ? ", " : "",
		       sched.nr_lost);
	if (sched.nr_gaps || sched.nr_lost)
		puts(": what threads did meanwhile is left out");
	missing_put_unknown();
	putchar('\n');
}

static void print_interrupts(const struct row *row, const struct interrupts *interrupts)
{
	const char *name = interrupts->name ? interrupts->name : "all";

	printf("%s %s %8" PRIu64 " %8s %8s", padded(row_label(row), THREAD_COLUMNS),
	       padded(name, BY_COLUMNS), interrupts->nr, duration(interrupts->sum_ns),
	       duration(interrupts->max_ns));
	if (!interrupts->name && row->sum.time_ns[SCHED_RUNNING])
		printf("  %.2f %% of RUNNING",
		       100.0 * interrupts->sum_ns /
		       row->sum.time_ns[SCHED_RUNNING]);
	putchar('\n');
}

/* Print a line for all interrupts of a row, and one per name, nested ones too. */
static void print_interrupted(void)
{
	const struct row *row;
	size_t i, j;

	printf("\n%-*s %-*s %8s %8s %8s\n", THREAD_COLUMNS, "THREAD", BY_COLUMNS,
	       "INTERRUPTED BY", "COUNT", "TOTAL", "MAX");
	for (i = 0; i < report.nr_printed; i++) {
		row = report.rows[i];
		if (row->nr_by)
			print_interrupts(row, &row->interrupted);
		for (j = 0; j < row->nr_by; j++)
			print_interrupts(row, &row->by[j]);
	}
}

static void print_text(void)
{
	size_t i;

	print_summary();
	printf("%-*s %6s %7s %7s %7s %7s %8s %7s %14s\n", THREAD_COLUMNS, "THREAD", "RUNS", "AVG",
	       "P99", "MAX", "RUNNING", "RUNNABLE", "BLOCKED", "UNTIL (s)");
	for (i = 0; i < report.nr_printed; i++)
		print_row(report.rows[i], row_label(report.rows[i]));
	if (report.total.nr_threads > 1)
		print_row(&report.total,
			  format_label("total of %zu threads", report.total.nr_threads));
	if (report.interrupted)
		print_interrupted();
}

/* Print the head of the lines of latency_turn(). */
static void latency_turns_head(void)
{
	printf("%16s %s %-*s %8s %8s %8s  %s\n", "UNTIL", "[CPU]",
	       THREAD_COLUMNS, "THREAD", "BLOCKED", "RUNNABLE", "RAN", "THEN");
}

/* Print a time slice as a line. */
static void latency_turn(const struct sched_thread *thread)
{
	const struct sched_turn *turn = &thread->turn;

	printf("%16s [%03" PRIu32 "] %s %8s %8s %8s  %s\n", seconds(turn->end_ns), turn->cpu,
	       padded(thread_label(archive, &thread->id), THREAD_COLUMNS),
	       duration(turn->blocked_ns), duration(turn->ready_ns),
	       duration(turn->end_ns - turn->begin_ns), sched_state_names[turn->after]);
}

/* ---- JSON -------------------------------------------------------------- */

#define ROW struct waits
static const struct field waits_fields[] = {
	FIELD_AS("count", spread.nr),
	FIELD_AS("after_preemption", nr_preempted),
	FIELD(sum_ns),
	FIELD_AS("average_ns", average_ns, FIELD_IF(spread.nr)),
	FIELD_AS("p50_ns", p50_ns, FIELD_IF(spread.nr)),
	FIELD_AS("p99_ns", p99_ns, FIELD_IF(spread.nr)),
	FIELD_AS("max_ns", max_ns, FIELD_IF(spread.nr)),
	FIELD_AS("max_until_ns", max_end_ns, FIELD_IF(spread.nr)),
	FIELD_AS("max_is_still", max_is_still, FIELD_IF(max_is_still)),
	FIELD_AS("max_cpu", max_cpu, FIELD_IF(max_is_over)),
	FIELD_BY("max_instead", instead, record_json_thread, FIELD_IF(max_is_over)),
	{ 0 }
};

#undef ROW
#define ROW struct interrupts
static const struct field interrupts_fields[] = {
	FIELD_AS("name", name, FIELD_IF(name)), FIELD_AS("count", nr), FIELD(sum_ns), FIELD(max_ns),
	{ 0 }
};

#undef ROW
#define ROW struct row
static const struct field row_fields[] = {
	FIELD_AS("runs", sum.nr_turns), FIELD_AS("migrations", sum.nr_migrations),
	FIELD_AS("unknown_ns", sum.time_ns[SCHED_UNKNOWN]),
	FIELD_AS("running_ns", sum.time_ns[SCHED_RUNNING]),
	FIELD_AS("woken_ns", sum.time_ns[SCHED_WOKEN]),
	FIELD_AS("preempted_ns", sum.time_ns[SCHED_PREEMPTED]),
	FIELD_AS("blocked_ns", sum.time_ns[SCHED_BLOCKED]),
	FIELD_AS("stopped_ns", sum.time_ns[SCHED_STOPPED]),
	FIELD_STRUCT("runnable", waits, waits_fields),
	{ 0 }
};

static const struct field interrupted_fields[] = {
	FIELD_STRUCT("interrupted", interrupted, interrupts_fields),
	FIELD_LIST("interrupted_by", by, nr_by, interrupts_fields),
	{ 0 }
};

static void write_row(const struct row *row)
{
	bool is_total = row == &report.total;

	json_begin();
	if (is_total || args.by_name) {
		if (row->is_named) {
			json_key("name");
			json_text(row->name.bytes, row->name.len_bytes);
		}
		json_key_uint("threads", row->nr_threads);
	} else {
		json_key("thread");
		record_json_thread(&row->sum.id);
	}
	fields_members(row_fields, row);
	if (!is_total)
		fields_members(interrupted_fields, row);
	json_end();
}

#undef ROW
#define ROW struct sched
static const struct field sched_fields[] = {
	FIELD_AS("begin_ns", span.begin_ns), FIELD_AS("end_ns", span.end_ns),
	FIELD_AS("switches", nr_switches), FIELD_AS("wakeups", nr_wakeups),
	FIELD_AS("gaps", nr_gaps), FIELD_AS("lost", nr_lost),
	{ 0 }
};

static void print_json(void)
{
	size_t i;

	json_init(true);
	json_begin();
	fields_members(sched_fields, &sched);
	missing_write_unknown();
	json_key("threads");
	json_begin_list();
	for (i = 0; i < report.nr_printed; i++) {
		json_item();
		write_row(report.rows[i]);
	}
	json_end_list();
	json_key("total");
	write_row(&report.total);
	json_end();
	json_finish();
}

/* Write a time slice as a line of JSON, without a table, since there are millions of them. */
static void latency_turn_json(const struct sched_thread *thread)
{
	const struct sched_turn *turn = &thread->turn;

	json_begin();
	json_key_uint("begin_ns", turn->begin_ns);
	json_key_uint("end_ns", turn->end_ns);
	json_key_uint("cpu", turn->cpu);
	json_key("thread");
	record_json_thread(&thread->id);
	json_key_string("waited", sched_state_names[turn->waited]);
	json_key_uint("runnable_ns", turn->ready_ns);
	json_key_uint("blocked_ns", turn->blocked_ns);
	json_key("instead");
	record_json_thread(&turn->instead);
	json_key_string("after", sched_state_names[turn->after]);
	json_end();
	json_newline();
}

/* ---- Counting ---------------------------------------------------------- */

static void on_added(struct sched_thread *thread)
{
	struct row *row = thread->owner;

	row->is_wanted = record_filter_match_thread(&args.filter, &thread->id);
}

/* Add an interval, or several, whose durations are added elsewhere; of equal ones, the first. */
static void add_waits(struct waits *to, const struct waits *from)
{
	to->sum_ns += from->sum_ns;
	if (to->spread.nr && from->max_ns <= to->max_ns)
		return;
	to->max_ns = from->max_ns;
	to->max_end_ns = from->max_end_ns;
	to->max_is_still = from->max_is_still;
	to->max_cpu = from->max_cpu;
	to->instead = from->instead;
}

static void count_wait(struct waits *waits, const struct sched_turn *turn)
{
	add_waits(waits, &(struct waits){
		.sum_ns = turn->ready_ns,
		.max_ns = turn->ready_ns,
		.max_end_ns = turn->begin_ns,
		.max_is_still = turn->after != SCHED_RUNNING,
		.max_cpu = turn->cpu,
		.instead = turn->instead,
	});
	quantiles_add(&waits->spread, turn->ready_ns);
}

static bool is_runnable(enum sched_state state)
{
	return state == SCHED_WOKEN || state == SCHED_PREEMPTED;
}

static void on_begin(struct sched_thread *thread, const struct vitrine_fxt_record *record)
{
	struct row *row = thread->owner;

	if (sched_counts(thread->turn.begin_ns) && is_runnable(thread->turn.waited))
		count_wait(&row->waits, &thread->turn);
}

static void on_end(struct sched_thread *thread)
{
	const struct row *row = thread->owner;

	if (!row->is_wanted || !sched_counts(thread->turn.end_ns))
		return;
	if (args.json)
		latency_turn_json(thread);
	else
		latency_turn(thread);
}

static void add_interrupts(struct interrupts *to, uint64_t nr, uint64_t sum_ns, uint64_t max_ns)
{
	to->nr += nr;
	to->sum_ns += sum_ns;
	if (max_ns > to->max_ns)
		to->max_ns = max_ns;
}

/* Return the counts of the interrupts called @name. */
static struct interrupts *interrupts_of(struct row *row, const char *name)
{
	size_t i;

	for (i = 0; i < row->nr_by; i++)
		if (!strcmp(row->by[i].name, name))
			return &row->by[i];
	if (i >= SCHED_MAX_INTERRUPTS && strcmp(name, SCHED_OTHER_INTERRUPTS))
		return interrupts_of(row, SCHED_OTHER_INTERRUPTS);
	must_have(GROW(row->by, row->nr_by));
	row->by[row->nr_by++] = (struct interrupts){ .name = must_format("%s", name) };
	return &row->by[i];
}

static void on_interrupt(const struct sched_interrupt *interrupt)
{
	uint64_t ns = interrupt->end_ns - interrupt->begin_ns;
	struct row *row;

	if (!interrupt->thread || !sched_counts(interrupt->begin_ns))
		return;
	row = interrupt->thread->owner;
	add_interrupts(&row->interrupted, !!interrupt->alone_ns, interrupt->alone_ns,
		       interrupt->alone_ns);
	add_interrupts(interrupts_of(row, event_label(interrupt->record)), 1, ns, ns);
}

static const struct sched_ops table_ops = {
	.owner_bytes = sizeof(struct row),
	.added = on_added,
	.begin = on_begin,
	.interrupt = on_interrupt,
};

static const struct sched_ops switches_ops = {
	.owner_bytes = sizeof(struct row),
	.added = on_added,
	.end = on_end,
};

/* ---- The report -------------------------------------------------------- */

/* Threads without a name come first. */
static int compare_names(const struct row *a, const struct row *b)
{
	size_t len = a->name.len_bytes < b->name.len_bytes ? a->name.len_bytes : b->name.len_bytes;

	return (len ? memcmp(a->name.bytes, b->name.bytes, len) : 0) ?:
	       number_order(a->name.len_bytes, b->name.len_bytes);
}

static int compare(const void *left, const void *right, void *ctx)
{
	const struct row *a = *(struct row * const *)left, *b = *(struct row * const *)right;
	const struct order *order = ctx;

	return (order->at ? number_order(*(const uint64_t *)((const char *)b + order->at),
					 *(const uint64_t *)((const char *)a + order->at)) :
			    compare_names(a, b)) ?:
	       number_order(a->sum.id.thread, b->sum.id.thread);
}

/* The name that took the most time comes first. */
static int compare_interrupts(const void *left, const void *right)
{
	const struct interrupts *a = left, *b = right;

	return number_order(b->sum_ns, a->sum_ns) ?: strcmp(a->name, b->name);
}

/* Add a row to another one. */
static void merge_row(struct row *to, const struct row *from)
{
	const struct interrupts *by;
	unsigned int i;

	to->nr_threads += from->nr_threads;
	to->sum.nr_turns += from->sum.nr_turns;
	to->sum.nr_migrations += from->sum.nr_migrations;
	to->sum.nr_preempted += from->sum.nr_preempted;
	for (i = 0; i < SCHED_NR_STATES; i++)
		to->sum.time_ns[i] += from->sum.time_ns[i];
	for (by = from->by; by < from->by + from->nr_by; by++)
		add_interrupts(interrupts_of(to, by->name), by->nr, by->sum_ns, by->max_ns);
	by = &from->interrupted;
	add_interrupts(&to->interrupted, by->nr, by->sum_ns, by->max_ns);
	add_waits(&to->waits, &from->waits);
	quantiles_merge(&to->waits.spread, &from->waits.spread);
}

/* Sort the rows by a key. */
static void sort_rows(const struct order *order)
{
	qsort_r(report.rows, report.nr_rows, sizeof(*report.rows), compare, (void *)order);
}

/* Merge the rows of each name; threads without one stay apart. */
static void merge_names(void)
{
	struct row **rows = report.rows;
	size_t i, nr = 0;

	sort_rows(&orders[ARRAY_LEN(orders) - 1]);
	for (i = 0; i < report.nr_rows; i++)
		if (nr && rows[i]->is_named && !compare_names(rows[nr - 1], rows[i]))
			merge_row(rows[nr - 1], rows[i]);
		else
			rows[nr++] = rows[i];
	report.nr_rows = nr;
}

/* A thread that is still runnable at the end of the trace was so for at least that long. */
static void count_still(const struct sched_thread *thread, struct row *row)
{
	const struct sched_turn turn = {
		.begin_ns = sched.now_ns,
		.ready_ns = sched.now_ns - thread->since_ns,
		.after = thread->state,
	};

	if (is_runnable(thread->state) && sched_counts(turn.begin_ns))
		count_wait(&row->waits, &turn);
}

/* Collect the threads that did anything in the requested time range. */
static void collect(void)
{
	struct sched_thread *thread;
	uint64_t process;
	struct row *row;
	size_t i = 0;

	report.rows = calloc(archive_threads(archive)->nr + 1, sizeof(*report.rows));
	must_have(report.rows);
	while ((thread = sched_thread_next(&i))) {
		row = thread->owner;
		if (!row->is_wanted)
			continue;
		count_still(thread, row);
		row->sum = *thread;
		row->nr_threads = 1;
		row->is_named = vitrine_archive_thread(archive, thread->id.thread,
						       &row->name, &process);
		report.rows[report.nr_rows++] = row;
		merge_row(&report.total, row);
	}
}

/* Compute what follows from the sums of a row. */
static void complete(struct row *row)
{
	struct waits *waits = &row->waits;
	uint64_t nr = waits->spread.nr;

	row->runnable_ns = sched_runnable_ns(&row->sum);
	row->blocked_ns = sched_blocked_ns(&row->sum);
	waits->nr_preempted = row->sum.nr_preempted;
	waits->average_ns = nr ? waits->sum_ns / nr : 0;
	quantiles_sort(&waits->spread);
	waits->p50_ns = quantiles_find(&waits->spread, 50);
	waits->p99_ns = quantiles_find(&waits->spread, 99);
	quantiles_forget(&waits->spread);
	waits->max_is_over = nr && !waits->max_is_still;
}

/* The middle of a bucket may be more than the longest time in it. */
static void bound(struct waits *waits)
{
	if (waits->p50_ns > waits->max_ns)
		waits->p50_ns = waits->max_ns;
	if (waits->p99_ns > waits->max_ns)
		waits->p99_ns = waits->max_ns;
}

/* Sort the rows, and choose those to be printed. */
static void arrange(void)
{
	struct row *row;
	size_t i;

	if (args.by_name)
		merge_names();
	for (i = 0; i < report.nr_rows; i++)
		complete(report.rows[i]);
	sort_rows(args.order ? args.order : orders);
	report.nr_printed = args.nr && args.nr < report.nr_rows ? args.nr : report.nr_rows;
	for (i = 0; i < report.nr_printed; i++) {
		row = report.rows[i];
		bound(&row->waits);
		report.interrupted |= row->nr_by;
		SORT(row->by, row->nr_by, compare_interrupts);
	}
	complete(&report.total);
	bound(&report.total.waits);
}

static void row_deinit(struct row *row)
{
	quantiles_forget(&row->waits.spread);
	while (row->nr_by)
		free(row->by[--row->nr_by].name);
	free(row->by);
}

static void print_report(void)
{
	collect();
	arrange();
	if (args.json)
		print_json();
	else
		print_text();
}

static void deinit(void)
{
	struct sched_thread *thread;
	size_t i = 0;

	while ((thread = sched_thread_next(&i)))
		row_deinit(thread->owner);
	row_deinit(&report.total);
	free(report.rows);
	sched_deinit();
}

static struct vitrine_error *print_latency(void)
{
	struct vitrine_error *err;

	json_init(false);
	if (args.switches && !args.json)
		latency_turns_head();
	err = sched_read(&args.filter, args.switches ? &switches_ops : &table_ops);
	json_flush();
	if (!err && !args.switches)
		print_report();
	deinit();
	return err;
}

static int latency_run(void)
{
	const struct selection selection = {
		.filter = &args.filter,
		.by_record = args.switches,
	};

	return trace_input_run(args.path, &selection, print_latency);
}

static int explain(void)
{
	const struct answer_args question = {
		.json = args.json, .file = args.path, .filter = args.filter,
	};

	return answer_run(args.path, &question);
}

/* ---- Options ----------------------------------------------------------- */

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
	RECORD_FILTER_OPTION_FROM,
	RECORD_FILTER_OPTION_TO,
	{ 0 }
};

static void parse_order(const char *arg, struct argp_state *state)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(orders); i++)
		if (!strcmp(arg, orders[i].name))
			args.order = &orders[i];
	if (!args.order)
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
	if (args.why && (args.switches || args.order || args.by_name || args.nr))
		argp_error(state, "--why excludes --switches, --sort, --by-name and --count");
	if (args.switches && (args.order || args.nr || args.by_name))
		argp_error(state, "--switches excludes --sort, --count and --by-name");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'n':
		parse_count(arg, state);
		return 0;
	case 's':
		parse_order(arg, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
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
	record_filter_options(&line, &args.filter, argc, argv);
	return args.why ? explain() : latency_run();
}
