// SPDX-License-Identifier: GPL-2.0
/*
 * Format the contents of `vitrine top': the parts of its screen and, with --once, all
 * of it as text or as JSON (Documentation/json.rst).
 */
#include <inttypes.h>

#include "ui/json.h"
#include "record_json.h"
#include "top_report.h"

#define STATE_COLUMNS	10
#define NUMBER_COLUMNS	10

const char * const top_heads[TOP_NR_NUMBERS] = {
	[TOP_CPU]	= "CPU",
	[TOP_RUNNING]	= "RUNNING",
	[TOP_WAIT]	= "WAITING",
	[TOP_RUNS]	= "RUNS/s",
	[TOP_LONGEST]	= "LONGEST",
};

/**
 * top_is_waiting() - find out whether a thread waits for a CPU now
 * @row: the thread
 *
 * Return: true if it does.
 */
bool top_is_waiting(const struct top_row *row)
{
	return row->state == SCHED_WOKEN || row->state == SCHED_PREEMPTED;
}

/* Return how busy CPUs were while it is known what they did. */
static double busy_percent(uint64_t busy_ns, uint64_t idle_ns)
{
	return busy_ns ? 100.0 * busy_ns / (busy_ns + idle_ns) : 0;
}

static double percent(const struct top_view *view, uint64_t ns)
{
	return view->length_ns ? 100.0 * ns / view->length_ns : 0;
}

static double per_second(const struct top_view *view, uint64_t nr)
{
	return view->length_ns ? nr * 1e9 / view->length_ns : 0;
}

/**
 * top_head_text() - format the summary of the machine
 * @view: contents of the screen
 * @text: receives the text
 */
void top_head_text(const struct top_view *view, char text[TOP_HEAD_BYTES])
{
	static const char * const orders[] = {
		[TOP_BY_CPU]	= "CPU",
		[TOP_BY_WAIT]	= "longest wait",
		[TOP_BY_RUNS]	= "runs",
	};
	char length[LABEL_TIME_BYTES];
	uint64_t busy_ns = 0, idle_ns = 0, nr = 0;
	size_t i;

	for (i = 0; i < view->nr_cpus; i++) {
		busy_ns += view->cpus[i].busy_ns;
		idle_ns += view->cpus[i].idle_ns;
		nr += view->cpus[i].nr_switches;
	}
	label_duration(length, view->length_ns);
	snprintf(text, TOP_HEAD_BYTES,
		 "%zu CPU%s busy for %.0f %%, %.0f switches/s, %zu threads, last %s, by %s%s%s",
		 view->nr_cpus, view->nr_cpus == 1 ? "" : "s",
		 busy_percent(busy_ns, idle_ns),
		 per_second(view, nr), view->nr_rows, length, orders[view->order],
		 view->has_wakeups ? "" : "; no wakeups recorded",
		 view->nr_gaps ? "; records lost" : "");
}

static const struct top_row *running_on(const struct top_view *view,
					uint32_t cpu)
{
	size_t i;

	for (i = 0; i < view->nr_rows; i++)
		if (view->rows[i].cpu == cpu &&
		    view->rows[i].state == SCHED_RUNNING)
			return &view->rows[i];
	return NULL;
}

/* Format a list of the first few threads that wait where they ran last. */
static size_t put_waiting(const struct top_view *view, uint32_t cpu, char *text,
			  size_t size)
{
	size_t i, nr = 0, len = 0;

	*text = '\0';
	for (i = 0; i < view->nr_rows; i++) {
		if (view->rows[i].cpu != cpu || !top_is_waiting(&view->rows[i]))
			continue;
		if (nr++ < TOP_WAITING && len < size)
			len += snprintf(text + len, size - len, "%s%s",
					nr == 1 ? "" : ", ", view->rows[i].label);
	}
	return nr;
}

/**
 * top_cpu_text() - format the line of a CPU
 * @view: contents of the screen
 * @cpu: one of its CPUs
 * @text: receives the text
 *
 * Return: number of threads that wait there.
 */
size_t top_cpu_text(const struct top_view *view, const struct top_cpu *cpu,
		    char text[TOP_CPU_BYTES])
{
	const struct top_row *row = running_on(view, cpu->number);
	char waiting[TOP_WAITING * LABEL_BYTES];
	char since[LABEL_TIME_BYTES] = "";
	size_t nr = put_waiting(view, cpu->number, waiting, sizeof(waiting));
	int len;

	if (row)
		label_duration(since, view->now_ns - row->since_ns);
	len = snprintf(text, TOP_CPU_BYTES,
		       "CPU %-4" PRIu32 " %3.0f %% %8.0f/s  %s%s%s",
		       cpu->number, busy_percent(cpu->busy_ns, cpu->idle_ns),
		       per_second(view, cpu->nr_switches),
		       row ? row->label : cpu->known ? "idle" : "?",
		       row ? " for " : "", since);
	if (nr)
		snprintf(text + len, TOP_CPU_BYTES - len, "; %zu wait%s: %s", nr,
			 nr == 1 ? "s" : "", waiting);
	return nr;
}

/**
 * top_state_text() - name the state of a thread
 * @row: the thread
 *
 * Return: a word.
 */
const char *top_state_text(const struct top_row *row)
{
	return row->state == SCHED_UNKNOWN ? "?" : sched_state_names[row->state];
}

/**
 * top_row_texts() - format the numbers of a thread
 * @view: contents of the screen
 * @row: the thread
 * @texts: receives the texts
 */
void top_row_texts(const struct top_view *view, const struct top_row *row,
		   char texts[TOP_NR_NUMBERS][LABEL_TIME_BYTES])
{
	snprintf(texts[TOP_CPU], LABEL_TIME_BYTES, "%" PRIu32, row->cpu);
	snprintf(texts[TOP_RUNNING], LABEL_TIME_BYTES, "%.1f %%",
		 percent(view, row->running_ns));
	snprintf(texts[TOP_WAIT], LABEL_TIME_BYTES, "%.1f %%",
		 percent(view, row->ready_ns));
	snprintf(texts[TOP_RUNS], LABEL_TIME_BYTES, "%.0f",
		 per_second(view, row->runs));
	label_duration(texts[TOP_LONGEST], row->max_ns);
}

/* ---- Once -------------------------------------------------------------- */

static unsigned int widest_label(const struct top_view *view)
{
	unsigned int columns, widest = sizeof("THREAD") - 1;
	size_t i;

	for (i = 0; i < view->nr_rows; i++) {
		columns = label_columns(view->rows[i].label);
		widest = columns > widest ? columns : widest;
	}
	return widest;
}

static void print_start(const char *label, unsigned int columns,
			const char *state)
{
	printf("%s%*s  %-*s", label, columns - label_columns(label), "",
	       STATE_COLUMNS, state);
}

/**
 * top_print() - print everything as text
 * @view: contents of the screen, not limited to its size
 */
void top_print(const struct top_view *view)
{
	char texts[TOP_NR_NUMBERS][LABEL_TIME_BYTES];
	unsigned int number, columns = widest_label(view);
	char text[TOP_CPU_BYTES];
	size_t i;

	top_head_text(view, text);
	puts(text);
	for (i = 0; i < view->nr_cpus; i++) {
		top_cpu_text(view, &view->cpus[i], text);
		puts(text);
	}
	print_start("THREAD", columns, "STATE");
	for (number = 0; number < TOP_NR_NUMBERS; number++)
		printf("%*s", NUMBER_COLUMNS, top_heads[number]);
	putchar('\n');
	for (i = 0; i < view->nr_rows; i++) {
		top_row_texts(view, &view->rows[i], texts);
		print_start(view->rows[i].label, columns,
			    top_state_text(&view->rows[i]));
		for (number = 0; number < TOP_NR_NUMBERS; number++)
			printf("%*s", NUMBER_COLUMNS, texts[number]);
		putchar('\n');
	}
}

static void write_cpu(struct json_writer *json, const struct top_view *view,
		      const struct top_cpu *cpu,
		      const struct vitrine_archive *archive)
{
	const struct top_row *row = running_on(view, cpu->number);

	json_item(json);
	json_begin(json);
	json_key_uint(json, "cpu", cpu->number);
	json_key_uint(json, "busy_ns", cpu->busy_ns);
	json_key_uint(json, "switches", cpu->nr_switches);
	json_key_string(json, "state", row ? "running" :
					     cpu->known ? "idle" : "unknown");
	if (row) {
		json_key(json, "thread");
		record_json_thread(json, archive, &row->id);
		json_key_uint(json, "since_ns", row->since_ns);
	}
	json_end(json);
}

static void write_row(struct json_writer *json, const struct top_row *row,
		      const struct vitrine_archive *archive)
{
	json_item(json);
	json_begin(json);
	json_key(json, "thread");
	record_json_thread(json, archive, &row->id);
	json_key_string(json, "state", sched_state_names[row->state]);
	json_key_uint(json, "since_ns", row->since_ns);
	json_key_uint(json, "cpu", row->cpu);
	json_key_uint(json, "running_ns", row->running_ns);
	json_key_uint(json, "waiting_ns", row->ready_ns);
	json_key_uint(json, "longest_ns", row->max_ns);
	json_key_uint(json, "runs", row->runs);
	json_end(json);
}

/**
 * top_json() - print everything as JSON
 * @view: contents of the screen
 * @archive: the trace, which has the names
 */
void top_json(const struct top_view *view, const struct vitrine_archive *archive)
{
	struct json_writer json;
	size_t i;

	json_init(&json, stdout, true);
	json_begin(&json);
	json_key_uint(&json, "begin_ns", view->now_ns - view->length_ns);
	json_key_uint(&json, "end_ns", view->now_ns);
	json_key_uint(&json, "gaps", view->nr_gaps);
	json_key(&json, "has_wakeups");
	json_boolean(&json, view->has_wakeups);
	json_key(&json, "cpus");
	json_begin_list(&json);
	for (i = 0; i < view->nr_cpus; i++)
		write_cpu(&json, view, &view->cpus[i], archive);
	json_end_list(&json);
	json_key(&json, "threads");
	json_begin_list(&json);
	for (i = 0; i < view->nr_rows; i++)
		write_row(&json, &view->rows[i], archive);
	json_end_list(&json);
	json_end(&json);
	json_finish(&json);
}
