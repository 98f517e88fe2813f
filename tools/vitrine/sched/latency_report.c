// SPDX-License-Identifier: GPL-2.0
/*
 * Print the report of `vitrine latency' as a table or as JSON, by the schema in
 * Documentation/json.rst.
 */
#include <inttypes.h>

#include "ui/json.h"
#include "ui/label.h"
#include "latency_report.h"
#include "record_json.h"

/* Width of a thread with ids of six digits: the longest name of the kernel has 15 characters. */
#define THREAD_COLUMNS	29

#define BY_COLUMNS	36

/* Most CPUs of which the text says until when they have no records; JSON has all. */
#define MAX_UNKNOWN	4

/* ---- Text -------------------------------------------------------------- */

static void print_padded(const char *label, int columns)
{
	int used = label_columns(label);

	printf("%s%*s", label, used < columns ? columns - used : 0, "");
}

static void print_label(const struct vitrine_archive *archive,
			const struct vitrine_fxt_thread *thread, int columns)
{
	char label[LABEL_BYTES];

	label_thread(label, archive, thread);
	print_padded(label, columns);
}

static void print_duration(uint64_t ns)
{
	char label[LABEL_TIME_BYTES];

	label_duration(label, ns);
	printf(" %8s", label);
}

static void print_quantile(const struct latency_runnable *runnable, unsigned int percent)
{
	uint64_t ns;

	if (!quantiles_find(&runnable->spread, percent, &ns))
		printf(" %8s", "-");
	else
		print_duration(ns < runnable->max_ns ? ns : runnable->max_ns);
}

/* Print when and where the longest interval ended, and which thread had the CPU until then. */
static void print_max_end(const struct latency_report *report,
			  const struct latency_runnable *runnable)
{
	char label[LABEL_TIME_BYTES];

	if (!runnable->spread.nr) {
		printf(" %18s %4s  -\n", "-", "-");
		return;
	}
	label_time(label, runnable->max_end_ns);
	if (runnable->max_is_still) {
		printf(" %18s %4s  (still runnable)\n", label, "-");
		return;
	}
	printf(" %18s %4" PRIu32 "  ", label, runnable->max_cpu);
	print_label(report->sched->archive, &runnable->instead, 0);
	putchar('\n');
}

/* Print a figure of intervals, of which there may be none. */
static void print_figure(const struct latency_runnable *runnable, uint64_t ns)
{
	if (runnable->spread.nr)
		print_duration(ns);
	else
		printf(" %8s", "-");
}

static void print_columns(const struct latency_report *report, const struct latency_row *row)
{
	const struct latency_runnable *runnable = &row->latency->runnable;

	printf(" %8" PRIu64, row->sum.nr_turns);
	print_figure(runnable, latency_average_ns(runnable));
	print_quantile(runnable, 50);
	print_quantile(runnable, 99);
	print_figure(runnable, runnable->max_ns);
	print_duration(row->sum.time_ns[SCHED_RUNNING]);
	print_duration(sched_runnable_ns(&row->sum));
	print_duration(sched_blocked_ns(&row->sum));
	print_max_end(report, runnable);
}

/* Print a thread, or the name of several and how many they are. */
static void print_who(const struct latency_report *report, const struct latency_row *row,
		      int columns)
{
	char label[LABEL_BYTES], text[LABEL_BYTES + 32];
	struct vitrine_fxt_string string = { "?", 1 };
	uint64_t process;

	if (row->nr_threads == 1) {
		print_label(report->sched->archive, &row->sum.id, columns);
		return;
	}
	vitrine_archive_thread(report->sched->archive, row->sum.id.thread, &string, &process);
	label_name(label, &string);
	snprintf(text, sizeof(text), "%s (%zu)", label, row->nr_threads);
	print_padded(text, columns);
}

/* Find the next CPU whose records begin after @begin_ns only; NULL: there is none. */
static const struct sched_cpu *next_unknown(const struct sched *sched, uint64_t begin_ns,
					    uint32_t *number)
{
	for (; *number < sched->nr_cpus; ++*number)
		if (sched->cpus[*number] && sched->cpus[*number]->begin_ns > begin_ns)
			return sched->cpus[(*number)++];
	return NULL;
}

/**
 * latency_put_without_wakeups() - say that only preemptions are known, if that is so, as a line
 * @stream: output stream
 * @sched: all threads
 */
void latency_put_without_wakeups(FILE *stream, const struct sched *sched)
{
	if (!sched->has_wakeups)
		fputs("No wakeups of these threads in the trace: only preemptions are known\n",
		      stream);
}

/**
 * latency_put_unknown() - print until when CPUs have no records, as a line
 * @stream: output stream
 * @sched: all CPUs
 * @begin_ns: begin of the reported time range
 */
void latency_put_unknown(FILE *stream, const struct sched *sched, uint64_t begin_ns)
{
	uint64_t last_ns = 0, nr = 0;
	const struct sched_cpu *cpu;
	char label[LABEL_TIME_BYTES];
	uint32_t number = 0;

	while ((cpu = next_unknown(sched, begin_ns, &number))) {
		if (cpu->begin_ns > last_ns)
			last_ns = cpu->begin_ns;
		if (nr++ >= MAX_UNKNOWN)
			continue;
		label_time(label, cpu->begin_ns);
		fprintf(stream, "%sof CPU %" PRIu32 " before %s",
			nr == 1 ? "No records " : ", ", number - 1, label);
	}
	label_time(label, last_ns);
	if (nr > MAX_UNKNOWN)
		fprintf(stream, " and of %" PRIu64 " more CPUs, the last one before %s",
			nr - MAX_UNKNOWN, label);
	if (nr)
		fputs(": what threads waited for until then is left out\n", stream);
}

/**
 * latency_write_unknown() - write until when CPUs have no records, as JSON
 * @json: writer
 * @sched: all CPUs
 * @begin_ns: begin of the reported time range
 */
void latency_write_unknown(struct json_writer *json, const struct sched *sched, uint64_t begin_ns)
{
	const struct sched_cpu *cpu;
	uint32_t number = 0;

	json_key(json, "unknown");
	json_begin_list(json);
	while ((cpu = next_unknown(sched, begin_ns, &number))) {
		json_item(json);
		json_begin(json);
		json_key_uint(json, "cpu", number - 1);
		json_key_uint(json, "before_ns", cpu->begin_ns);
		json_end(json);
	}
	json_end_list(json);
}

static void print_summary(const struct latency_report *report)
{
	const struct sched *sched = report->sched;
	uint64_t busy_ns = 0, idle_ns = 0;
	unsigned int nr_cpus = 0;
	char label[LABEL_TIME_BYTES];
	uint32_t i;

	for (i = 0; i < sched->nr_cpus; i++) {
		if (!sched->cpus[i])
			continue;
		nr_cpus += sched->cpus[i]->busy_ns || sched->cpus[i]->idle_ns;
		busy_ns += sched->cpus[i]->busy_ns;
		idle_ns += sched->cpus[i]->idle_ns;
	}
	label_duration(label, report->end_ns - report->begin_ns);
	printf("%s, %" PRIu64 " switches on %u CPU%s", label,
	       sched->nr_switches, nr_cpus, nr_cpus == 1 ? "" : "s");
	if (busy_ns + idle_ns)
		printf(", busy for %.1f %%",
		       100.0 * busy_ns / (busy_ns + idle_ns));
	puts("; latency from wakeup or preemption to run; percentiles within 1 %");
	latency_put_without_wakeups(stdout, sched);
	if (sched->nr_gaps)
		printf("%" PRIu64 " gap%s", sched->nr_gaps,
		       sched->nr_gaps == 1 ? "" : "s");
	if (sched->nr_lost)
		printf(", %" PRIu64 " records lost", sched->nr_lost);
	if (sched->nr_gaps)
		puts(": what threads did meanwhile is left out");
	latency_put_unknown(stdout, sched, report->begin_ns);
	putchar('\n');
}

static void print_interrupts(const struct latency_report *report,
			     const struct latency_row *row,
			     const struct latency_interrupts *interrupts)
{
	const char *name = interrupts->name ? interrupts->name : "all";

	print_who(report, row, THREAD_COLUMNS);
	putchar(' ');
	print_padded(name, BY_COLUMNS);
	printf(" %8" PRIu64, interrupts->nr);
	print_duration(interrupts->sum_ns);
	print_duration(interrupts->max_ns);
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

/**
 * latency_table() - print a report as text
 * @report: report
 */
void latency_table(const struct latency_report *report)
{
	char label[LABEL_BYTES];
	size_t i;

	print_summary(report);
	printf("%-*s %8s %8s %8s %8s %8s %8s %8s %8s %18s %4s  %s\n",
	       THREAD_COLUMNS, "THREAD", "RUNS", "AVG", "P50", "P99", "MAX", "RUNNING",
	       "RUNNABLE", "BLOCKED", "UNTIL", "CPU", "INSTEAD");
	for (i = 0; i < report->nr_printed; i++) {
		print_who(report, &report->rows[i], THREAD_COLUMNS);
		print_columns(report, &report->rows[i]);
	}
	if (report->total.nr_threads > 1) {
		snprintf(label, sizeof(label), "total of %zu threads", report->total.nr_threads);
		print_padded(label, THREAD_COLUMNS);
		print_columns(report, &report->total);
	}
	if (report->interrupted)
		print_interrupted(report);
}

/**
 * latency_turns_head() - print the head of the lines of latency_turn()
 */
void latency_turns_head(void)
{
	printf("%16s %s %-*s %8s %8s %8s  %s\n", "UNTIL", "[CPU]",
	       THREAD_COLUMNS, "THREAD", "BLOCKED", "RUNNABLE", "RAN", "THEN");
}

/**
 * latency_turn() - print a time slice as a line
 * @sched: all threads
 * @thread: the thread, whose time slice has ended
 */
void latency_turn(const struct sched *sched, const struct sched_thread *thread)
{
	const struct sched_turn *turn = &thread->turn;
	char label[LABEL_TIME_BYTES];

	label_time(label, turn->end_ns);
	printf("%16s [%03" PRIu32 "] ", label, turn->cpu);
	print_label(sched->archive, &thread->id, THREAD_COLUMNS);
	print_duration(turn->blocked_ns);
	print_duration(turn->ready_ns);
	print_duration(turn->end_ns - turn->begin_ns);
	printf("  %s\n", sched_state_names[turn->after]);
}

/* ---- JSON -------------------------------------------------------------- */

static void write_runnable(struct json_writer *json, const struct sched *sched,
			   const struct latency_row *row)
{
	const struct latency_runnable *runnable = &row->latency->runnable;
	uint64_t ns;

	json_key(json, "runnable");
	json_begin(json);
	json_key_uint(json, "count", runnable->spread.nr);
	json_key_uint(json, "after_preemption", row->sum.nr_preempted);
	json_key_uint(json, "sum_ns", runnable->sum_ns);
	if (runnable->spread.nr) {
		json_key_uint(json, "average_ns", latency_average_ns(runnable));
		quantiles_find(&runnable->spread, 50, &ns);
		json_key_uint(json, "p50_ns", ns < runnable->max_ns ? ns : runnable->max_ns);
		quantiles_find(&runnable->spread, 99, &ns);
		json_key_uint(json, "p99_ns", ns < runnable->max_ns ? ns : runnable->max_ns);
		json_key_uint(json, "max_ns", runnable->max_ns);
		json_key_uint(json, "max_until_ns", runnable->max_end_ns);
	}
	if (runnable->max_is_still) {
		json_key(json, "max_is_still");
		json_boolean(json, true);
	} else if (runnable->spread.nr) {
		json_key_uint(json, "max_cpu", runnable->max_cpu);
		json_key(json, "max_instead");
		record_json_thread(json, sched->archive, &runnable->instead);
	}
	json_end(json);
}

static void write_interrupts(struct json_writer *json,
			     const struct latency_interrupts *interrupts)
{
	json_begin(json);
	if (interrupts->name)
		json_key_string(json, "name", interrupts->name);
	json_key_uint(json, "count", interrupts->nr);
	json_key_uint(json, "sum_ns", interrupts->sum_ns);
	json_key_uint(json, "max_ns", interrupts->max_ns);
	json_end(json);
}

static void write_interrupted(struct json_writer *json,
			      const struct latency_thread *latency)
{
	size_t i;

	json_key(json, "interrupted");
	write_interrupts(json, &latency->interrupted);
	json_key(json, "interrupted_by");
	json_begin_list(json);
	for (i = 0; i < latency->nr_by; i++) {
		json_item(json);
		write_interrupts(json, &latency->by[i]);
	}
	json_end_list(json);
}

static void write_figures(struct json_writer *json, const struct sched *sched,
			  const struct latency_row *row)
{
	char name[32];
	unsigned int i;

	json_key_uint(json, "runs", row->sum.nr_turns);
	for (i = 0; i < SCHED_DEAD; i++) {
		snprintf(name, sizeof(name), "%s_ns", sched_state_names[i]);
		json_key_uint(json, name, row->sum.time_ns[i]);
	}
	write_runnable(json, sched, row);
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
	write_interrupted(json, row->latency);
	json_end(json);
}

/**
 * latency_json() - print a report as JSON
 * @report: report
 */
void latency_json(const struct latency_report *report)
{
	const struct sched *sched = report->sched;
	struct json_writer json;
	size_t i;

	json_init(&json, stdout, true);
	json_begin(&json);
	json_key_uint(&json, "begin_ns", report->begin_ns);
	json_key_uint(&json, "end_ns", report->end_ns);
	json_key_uint(&json, "switches", sched->nr_switches);
	json_key_uint(&json, "wakeups", sched->nr_wakeups);
	json_key_uint(&json, "gaps", sched->nr_gaps);
	json_key_uint(&json, "lost", sched->nr_lost);
	latency_write_unknown(&json, sched, report->begin_ns);
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

/**
 * latency_turn_json() - write a time slice as a line of JSON
 * @json: writer
 * @sched: all threads
 * @thread: the thread, whose time slice has ended
 */
void latency_turn_json(struct json_writer *json, const struct sched *sched,
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
