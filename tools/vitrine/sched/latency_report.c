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

#define THREAD_COLUMNS	24
#define INSTEAD_COLUMNS	20
#define BY_COLUMNS	36

/* Most CPUs of which the text says until when they have no records; JSON has all. */
#define MAX_UNKNOWN	4

/**
 * latency_wait_of() - find the waits of a thread that a report is about
 * @report: report
 * @thread: one of its rows
 *
 * Return: waits after wakeups or, if the trace has none, after preemption.
 */
const struct latency_wait *latency_wait_of(const struct latency_report *report,
					   const struct sched_thread *thread)
{
	const struct latency_thread *latency = thread->owner;

	return report->by_preemption ? &latency->preempted : &latency->woken;
}

/* ---- Text -------------------------------------------------------------- */

static void print_label(const struct vitrine_archive *archive,
			const struct vitrine_fxt_thread *thread, int columns)
{
	char label[LABEL_BYTES];
	int used;

	label_thread(label, archive, thread);
	used = label_columns(label);
	printf("%s%*s", label, used < columns ? columns - used : 0, "");
}

static void print_duration(uint64_t ns)
{
	char label[LABEL_TIME_BYTES];

	label_duration(label, ns);
	printf(" %8s", label);
}

static void print_quantile(const struct latency_wait *wait,
			   unsigned int percent)
{
	uint64_t ns;

	if (!quantiles_find(&wait->spread, percent, &ns))
		printf(" %8s", "-");
	else
		print_duration(ns < wait->max_ns ? ns : wait->max_ns);
}

static void print_max(const struct latency_report *report,
		      const struct latency_wait *wait)
{
	char label[LABEL_TIME_BYTES];

	if (!wait->spread.nr) {
		printf(" %8s %18s %4s  %-*s", "-", "-", "-", INSTEAD_COLUMNS,
		       "-");
		return;
	}
	print_duration(wait->max_ns);
	label_time(label, wait->max_end_ns);
	printf(" %18s %4" PRIu32 "  ", label, wait->max_cpu);
	print_label(report->sched->archive, &wait->instead, INSTEAD_COLUMNS);
}

static void print_row(const struct latency_report *report,
		      const struct sched_thread *thread)
{
	const struct latency_wait *wait = latency_wait_of(report, thread);

	print_label(report->sched->archive, &thread->id, THREAD_COLUMNS);
	printf(" %8" PRIu64 " %8" PRIu64, thread->nr_turns, wait->spread.nr);
	print_quantile(wait, 50);
	print_quantile(wait, 99);
	print_max(report, wait);
	print_duration(thread->time_ns[SCHED_RUNNING]);
	print_duration(sched_runnable_ns(thread));
	print_duration(sched_blocked_ns(thread));
	putchar('\n');
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
	printf("; waits %s; p50 and p99 within 1 %%\n",
	       report->by_preemption ?
	       "after preemption only, as there are no wakeups in the trace" :
	       "from wakeup to run");
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

static void print_interrupts(const struct vitrine_archive *archive,
			     const struct sched_thread *thread,
			     const struct latency_interrupts *interrupts)
{
	const char *name = interrupts->name ? interrupts->name : "all";
	int used = label_columns(name);

	print_label(archive, &thread->id, THREAD_COLUMNS);
	printf(" %s%*s %8" PRIu64, name,
	       used < BY_COLUMNS ? BY_COLUMNS - used : 0, "", interrupts->nr);
	print_duration(interrupts->sum_ns);
	print_duration(interrupts->max_ns);
	if (!interrupts->name && thread->time_ns[SCHED_RUNNING])
		printf("  %.2f %% of RUNNING",
		       100.0 * interrupts->sum_ns /
		       thread->time_ns[SCHED_RUNNING]);
	putchar('\n');
}

/* Print a line for all interrupts of a thread, and one per name, nested ones too. */
static void print_interrupted(const struct latency_report *report)
{
	const struct vitrine_archive *archive = report->sched->archive;
	const struct latency_thread *latency;
	size_t i, j;

	printf("\n%-*s %-*s %8s %8s %8s\n", THREAD_COLUMNS, "THREAD", BY_COLUMNS,
	       "INTERRUPTED BY", "COUNT", "TOTAL", "MAX");
	for (i = 0; i < report->nr_rows; i++) {
		latency = report->rows[i]->owner;
		if (!latency->nr_by)
			continue;
		print_interrupts(archive, report->rows[i],
				 &latency->interrupted);
		for (j = 0; j < latency->nr_by; j++)
			print_interrupts(archive, report->rows[i],
					 &latency->by[j]);
	}
}

/**
 * latency_table() - print a report as text
 * @report: report
 */
void latency_table(const struct latency_report *report)
{
	size_t i;

	print_summary(report);
	printf("%-*s %8s %8s %8s %8s %8s %18s %4s  %-*s %8s %8s %8s\n",
	       THREAD_COLUMNS, "THREAD", "RUNS", "WAITS", "P50", "P99", "MAX",
	       "UNTIL", "CPU", INSTEAD_COLUMNS, "INSTEAD", "RUNNING",
	       "RUNNABLE", "BLOCKED");
	for (i = 0; i < report->nr_rows; i++)
		print_row(report, report->rows[i]);
	if (report->interrupted)
		print_interrupted(report);
}

/**
 * latency_turns_head() - print the head of the lines of latency_turn()
 */
void latency_turns_head(void)
{
	printf("%16s %s %-*s %8s %8s %8s  %s\n", "UNTIL", "[CPU]",
	       THREAD_COLUMNS, "THREAD", "BLOCKED", "WAITED", "RAN", "THEN");
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

static void write_wait(struct json_writer *json, const struct sched *sched,
		       const char *name, const struct latency_wait *wait)
{
	uint64_t ns;

	json_key(json, name);
	json_begin(json);
	json_key_uint(json, "count", wait->spread.nr);
	json_key_uint(json, "sum_ns", wait->sum_ns);
	if (quantiles_find(&wait->spread, 50, &ns))
		json_key_uint(json, "p50_ns",
			      ns < wait->max_ns ? ns : wait->max_ns);
	if (quantiles_find(&wait->spread, 99, &ns))
		json_key_uint(json, "p99_ns",
			      ns < wait->max_ns ? ns : wait->max_ns);
	if (wait->spread.nr) {
		json_key_uint(json, "max_ns", wait->max_ns);
		json_key_uint(json, "max_until_ns", wait->max_end_ns);
		json_key_uint(json, "max_cpu", wait->max_cpu);
		json_key(json, "max_instead");
		record_json_thread(json, sched->archive, &wait->instead);
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

static void write_thread(struct json_writer *json, const struct sched *sched,
			 const struct sched_thread *thread)
{
	const struct latency_thread *latency = thread->owner;
	char name[32];
	unsigned int i;

	json_begin(json);
	json_key(json, "thread");
	record_json_thread(json, sched->archive, &thread->id);
	json_key_uint(json, "runs", thread->nr_turns);
	for (i = 0; i < SCHED_DEAD; i++) {
		snprintf(name, sizeof(name), "%s_ns", sched_state_names[i]);
		json_key_uint(json, name, thread->time_ns[i]);
	}
	write_wait(json, sched, "after_wakeup", &latency->woken);
	write_wait(json, sched, "after_preemption", &latency->preempted);
	write_interrupted(json, latency);
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
	for (i = 0; i < report->nr_rows; i++) {
		json_item(&json);
		write_thread(&json, sched, report->rows[i]);
	}
	json_end_list(&json);
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
	json_key_uint(json, "ready_ns", turn->ready_ns);
	json_key_uint(json, "blocked_ns", turn->blocked_ns);
	json_key(json, "instead");
	record_json_thread(json, sched->archive, &turn->instead);
	json_key_string(json, "after", sched_state_names[turn->after]);
	json_end(json);
	json_newline(json);
}
