// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine top': show which threads run and wait and which used the CPUs, on a live screen or, with
 * --once, as text or JSON (Documentation/json.rst).
 *
 * At each refresh the whole flight recorder is read and followed from its beginning,
 * because the state of a thread may have been recorded long ago; only what is later
 * than the previous refresh is counted. ui/screen.c owns the terminal.
 */
#define _GNU_SOURCE	/* wide characters of curses */
#include <argp.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <curses.h>

#include "archive.h"
#include "base.h"
#include "command.h"
#include "fxt_record.h"
#include "ui/fields.h"
#include "ui/label.h"
#include "ui/screen.h"
#include "print.h"
#include "sched_state.h"
#include "trace_input.h"

#define TOP_WAITING	16	/* most waiting threads named per CPU */
#define TOP_HEAD_BYTES	256
#define TOP_CPU_BYTES	((TOP_WAITING + 2) * LABEL_BYTES)

/* Numbers in a row. */
enum top_number {
	TOP_CPU,
	TOP_RUNNING,
	TOP_WAIT,
	TOP_RUNS,
	TOP_LONGEST,
	TOP_NR_NUMBERS,
};

/**
 * struct top_row - a thread
 * @id: its ids
 * @label: its name and ids
 * @state: current state
 * @cpu: CPU where it runs or ran last
 * @since_ns: begin of the current state
 * @running_ns: time it ran since the previous refresh
 * @ready_ns: time it waited for a CPU
 * @runs: number of time slices
 * @max_ns: its longest wait, including one that has not ended
 */
struct top_row {
	struct vitrine_fxt_thread id;
	char label[LABEL_BYTES];
	enum sched_state state;
	uint32_t cpu;
	uint64_t since_ns;
	uint64_t running_ns;
	uint64_t ready_ns;
	uint64_t runs;
	uint64_t max_ns;
};

/* Sort keys of the rows, in descending order, and the keys that select them. */
static const struct top_order {
	char key;
	const char *name;
	size_t at;
} orders[] = {
	{ 'c', "CPU", offsetof(struct top_row, running_ns) },
	{ 'w', "longest wait", offsetof(struct top_row, max_ns) },
	{ 'r', "runs", offsetof(struct top_row, runs) },
};

/**
 * struct top_cpu - a CPU
 * @number: its number
 * @busy_ns: time that threads ran since the previous refresh
 * @idle_ns: time that the CPU was idle since then
 * @nr_switches: number of context switches
 * @state: "running", "idle" or "unknown"
 * @running: the running thread, or NULL
 */
struct top_cpu {
	uint32_t number;
	uint64_t busy_ns;
	uint64_t idle_ns;
	uint64_t nr_switches;
	const char *state;
	const struct top_row *running;
};

/**
 * struct top_view - contents of the screen
 * @order: sort key of the rows, an index of orders[]
 * @rows: threads
 * @nr_rows: number of @rows
 * @cpus: CPUs
 * @nr_cpus: number of @cpus
 * @begin_ns: time of the previous refresh
 * @now_ns: time of the last record that was read
 * @length_ns: time since the previous refresh
 * @nr_gaps: gaps in the trace since then
 * @has_wakeups: the trace has wakeups
 */
struct top_view {
	size_t order;
	struct top_row *rows;
	size_t nr_rows;
	struct top_cpu *cpus;
	size_t nr_cpus;
	uint64_t begin_ns;
	uint64_t now_ns;
	uint64_t length_ns;
	uint64_t nr_gaps;
	bool has_wakeups;
};

#define STATE_COLUMNS	10
#define NUMBER_COLUMNS	10

#define HEADER_LINES	1
#define ERROR_BYTES	256

/* Widths from the right; the thread has the rest, at least NAME_COLUMNS. */
#define NAME_COLUMNS	20

/* The options: print one report and exit, in JSON. */
static bool is_once, is_json;

static struct top_view view;

/* The terminal, and why nothing could be read, or an empty text. */
static char error[ERROR_BYTES];

/* ---- Parts of the view as text ----------------------------------------- */

static const char * const top_heads[TOP_NR_NUMBERS] = {
	[TOP_CPU]	= "CPU",
	[TOP_RUNNING]	= "RUNNING",
	[TOP_WAIT]	= "WAITING",
	[TOP_RUNS]	= "RUNS/s",
	[TOP_LONGEST]	= "LONGEST",
};

/* Find out whether a thread waits for a CPU now. */
static bool is_waiting(enum sched_state state)
{
	return state == SCHED_WOKEN || state == SCHED_PREEMPTED;
}

/* Return how busy CPUs were while it is known what they did. */
static double busy_percent(uint64_t busy_ns, uint64_t idle_ns)
{
	return busy_ns ? 100.0 * busy_ns / (busy_ns + idle_ns) : 0;
}

static double percent(uint64_t ns)
{
	return view.length_ns ? 100.0 * ns / view.length_ns : 0;
}

static double per_second(uint64_t nr)
{
	return view.length_ns ? nr * 1e9 / view.length_ns : 0;
}

/* Return the summary of the machine. */
static const char *head_text(void)
{
	uint64_t busy_ns = 0, idle_ns = 0, nr = 0;
	static char text[TOP_HEAD_BYTES];
	size_t i;

	for (i = 0; i < view.nr_cpus; i++) {
		busy_ns += view.cpus[i].busy_ns;
		idle_ns += view.cpus[i].idle_ns;
		nr += view.cpus[i].nr_switches;
	}
	snprintf(text, sizeof(text),
		 "%s busy for %.0f %%, %.0f switches/s, %zu threads, last %s, by %s%s%s",
		 count_label(view.nr_cpus, "CPU"), busy_percent(busy_ns, idle_ns), per_second(nr),
		 view.nr_rows, duration(view.length_ns), orders[view.order].name,
		 view.has_wakeups ? "" : "; no wakeups recorded",
		 view.nr_gaps ? "; records lost" : "");
	return text;
}

/* Return the line of a CPU, and the number of threads that wait where they ran last. */
static const char *cpu_text(const struct top_cpu *cpu, size_t *ret_waiting)
{
	const struct top_row *row = cpu->running;
	static char text[TOP_CPU_BYTES];
	size_t i, nr = 0, len;

	for (i = 0; i < view.nr_rows; i++)
		nr += view.rows[i].cpu == cpu->number && is_waiting(view.rows[i].state);
	*ret_waiting = nr;
	len = snprintf(text, sizeof(text), "CPU %-4" PRIu32 " %3.0f %% %8.0f/s  %s%s%s",
		       cpu->number, busy_percent(cpu->busy_ns, cpu->idle_ns),
		       per_second(cpu->nr_switches),
		       row ? row->label : *cpu->state == 'i' ? cpu->state : "?",
		       row ? " for " : "", row ? duration(view.now_ns - row->since_ns) : "");
	if (nr)
		len += snprintf(text + len, sizeof(text) - len, "; %zu wait%s: ", nr,
				nr == 1 ? "s" : "");
	for (i = 0, nr = 0; i < view.nr_rows && nr < TOP_WAITING; i++)
		if (view.rows[i].cpu == cpu->number && is_waiting(view.rows[i].state))
			len += snprintf(text + len, sizeof(text) - len, "%s%s",
					nr++ ? ", " : "", view.rows[i].label);
	return text;
}

static const char *state_text(const struct top_row *row)
{
	return row->state == SCHED_UNKNOWN ? "?" : sched_state_names[row->state];
}

/* Format the numbers of a thread. */
static void row_texts(const struct top_row *row, const char *texts[TOP_NR_NUMBERS])
{
	texts[TOP_CPU] = format_label("%" PRIu32, row->cpu);
	texts[TOP_RUNNING] = format_label("%.1f %%", percent(row->running_ns));
	texts[TOP_WAIT] = format_label("%.1f %%", percent(row->ready_ns));
	texts[TOP_RUNS] = format_label("%.0f", per_second(row->runs));
	texts[TOP_LONGEST] = duration(row->max_ns);
}

/* ---- Once -------------------------------------------------------------- */

static unsigned int widest_label(void)
{
	unsigned int columns, widest = sizeof("THREAD") - 1;
	size_t i;

	for (i = 0; i < view.nr_rows; i++) {
		columns = label_columns(view.rows[i].label);
		widest = columns > widest ? columns : widest;
	}
	return widest;
}

static void print_line(unsigned int columns, const char *label, const char *state,
		       const char * const numbers[TOP_NR_NUMBERS])
{
	unsigned int i;

	printf("%s  %-*s", padded(label, columns), STATE_COLUMNS, state);
	for (i = 0; i < TOP_NR_NUMBERS; i++)
		printf("%*s", NUMBER_COLUMNS, numbers[i]);
	putchar('\n');
}

/* Print everything as text. */
static void print_text(void)
{
	const char *texts[TOP_NR_NUMBERS];
	unsigned int columns = widest_label();
	size_t i, nr_waiting;

	puts(head_text());
	for (i = 0; i < view.nr_cpus; i++)
		puts(cpu_text(&view.cpus[i], &nr_waiting));
	print_line(columns, "THREAD", "STATE", top_heads);
	for (i = 0; i < view.nr_rows; i++) {
		row_texts(&view.rows[i], texts);
		print_line(columns, view.rows[i].label, state_text(&view.rows[i]), texts);
	}
}

static void write_running(const void *value)
{
	const struct top_row * const *row = value;

	record_json_thread(&(*row)->id);
}

static void write_since(const void *value)
{
	const struct top_row * const *row = value;

	json_uint((*row)->since_ns);
}

#define ROW struct top_cpu
static const struct field cpu_fields[] = {
	FIELD_AS("cpu", number),
	FIELD(busy_ns),
	FIELD_AS("switches", nr_switches),
	FIELD(state),
	FIELD_BY("thread", running, write_running, FIELD_IF(running)),
	FIELD_BY("since_ns", running, write_since, FIELD_IF(running)),
	{ 0 }
};

#undef ROW
#define ROW struct top_row
static const struct field row_fields[] = {
	FIELD_BY("thread", id, record_json_thread),
	FIELD_WORD("state", state, sched_state_names),
	FIELD(since_ns),
	FIELD(cpu),
	FIELD(running_ns),
	FIELD_AS("waiting_ns", ready_ns),
	FIELD_AS("longest_ns", max_ns),
	FIELD(runs),
	{ 0 }
};

#undef ROW
#define ROW struct top_view
static const struct field view_fields[] = {
	FIELD(begin_ns),
	FIELD_AS("end_ns", now_ns),
	FIELD_AS("gaps", nr_gaps),
	FIELD(has_wakeups),
	FIELD_LIST("cpus", cpus, nr_cpus, cpu_fields),
	FIELD_LIST("threads", rows, nr_rows, row_fields),
	{ 0 }
};

/* ---- Following the trace ----------------------------------------------- */

/* A thread's owner is its longest wait, in nanoseconds. */
static void on_begin(struct sched_thread *thread, const struct vitrine_fxt_record *record)
{
	const struct sched_turn *turn = &thread->turn;

	if (sched_counts(turn->begin_ns) &&
	    turn->ready_ns > (uintptr_t)thread->owner)
		thread->owner = (void *)(uintptr_t)turn->ready_ns;
}

static const struct sched_ops ops = {
	.begin = on_begin,
};

/* A thread that only slept has no row. */
static bool is_active(const struct sched_thread *thread)
{
	if (fxt_is_others(thread->id.thread))
		return false;
	return thread->nr_turns || thread->time_ns[SCHED_RUNNING] ||
	       sched_runnable_ns(thread) || thread->state == SCHED_RUNNING ||
	       is_waiting(thread->state);
}

static void add_row(const struct sched_thread *thread)
{
	struct top_row *row = &view.rows[view.nr_rows++];

	row->id = thread->id;
	snprintf(row->label, sizeof(row->label), "%s", thread_label(archive, &thread->id));
	row->state = thread->state;
	row->cpu = thread->cpu;
	row->since_ns = thread->state == SCHED_RUNNING ?
			thread->turn.begin_ns : thread->since_ns;
	row->running_ns = thread->time_ns[SCHED_RUNNING];
	row->ready_ns = sched_runnable_ns(thread);
	row->runs = thread->nr_turns;
	row->max_ns = (uintptr_t)thread->owner;
	if (is_waiting(row->state) && sched.now_ns - row->since_ns > row->max_ns)
		row->max_ns = sched.now_ns - row->since_ns;
}

static int compare_rows(const void *left, const void *right)
{
	const struct top_row *a = left, *b = right;
	size_t at = orders[view.order].at;

	return number_order(*(const uint64_t *)((const char *)b + at),
			    *(const uint64_t *)((const char *)a + at)) ?:
	       strcmp(a->label, b->label);
}

static const struct top_row *running_on(uint32_t cpu)
{
	size_t i;

	for (i = 0; i < view.nr_rows; i++)
		if (view.rows[i].cpu == cpu && view.rows[i].state == SCHED_RUNNING)
			return &view.rows[i];
	return NULL;
}

static void sort_rows(void)
{
	size_t i;

	SORT(view.rows, view.nr_rows, compare_rows);
	for (i = 0; i < view.nr_cpus; i++)
		view.cpus[i].running = running_on(view.cpus[i].number);
}

static void forget(void)
{
	free(view.rows);
	free(view.cpus);
	view.rows = NULL;
	view.cpus = NULL;
	view.nr_rows = 0;
	view.nr_cpus = 0;
}

static void add_cpu(uint32_t number, const struct sched_cpu *cpu)
{
	view.cpus[view.nr_cpus++] = (struct top_cpu){
		.number = number,
		.busy_ns = cpu->busy_ns,
		.idle_ns = cpu->idle_ns,
		.nr_switches = cpu->nr_switches,
		.state = running_on(number) ? "running" : cpu->known ? "idle" : "unknown",
	};
}

/* Copy the contents of the screen to the view: the trace is closed before it is drawn. */
static void collect(void)
{
	const struct sched_thread *thread;
	size_t i = 0;

	forget();
	view.rows = calloc(archive_threads(archive)->nr + 1, sizeof(*view.rows));
	view.cpus = calloc(sched.nr_cpus + 1, sizeof(*view.cpus));
	must_have(view.rows && view.cpus);
	while ((thread = sched_thread_next(&i)))
		if (is_active(thread))
			add_row(thread);
	for (i = 0; i < sched.nr_cpus; i++)
		if (sched.cpus[i])
			add_cpu(i, sched.cpus[i]);
	view.begin_ns = sched.span.begin_ns;
	view.now_ns = sched.now_ns;
	view.length_ns = view.now_ns - view.begin_ns;
	view.nr_gaps = sched.nr_gaps;
	sort_rows();
}

/* Open the flight recorder and look at all of it. */
static struct vitrine_error *look_now(void)
{
	struct vitrine_error *err = trace_input_open_live();
	struct record_filter filter;

	if (err)
		return err;
	record_filter_init(&filter);
	filter.from_ns = view.now_ns;
	err = sched_read(&filter, &ops);
	view.has_wakeups = sched.has_wakeups;
	/* The clock went back: another session began, and all of it is new. */
	if (sched.now_ns < filter.from_ns)
		view.now_ns = 0;
	else if (!err)
		collect();
	sched_deinit();
	return err;
}

/* ---- The screen -------------------------------------------------------- */

static void add_error(const char *text)
{
	snprintf(error, sizeof(error), "%s", text);
}

static void look(void)
{
	struct vitrine_error *err = look_now();

	trace_input_close(NULL);
	*error = '\0';
	if (err)
		report_error(err);
	screen_errors(add_error);
}

static void draw_cpu(const struct top_cpu *cpu, int line)
{
	size_t nr_waiting;
	const char *text = cpu_text(cpu, &nr_waiting);

	attrset(nr_waiting ? A_BOLD | COLOR_PAIR(SCREEN_CHANGED) : A_NORMAL);
	screen_text(line, 0, COLS, false, text);
	attrset(A_NORMAL);
}

/* Return how many number columns fit beside the thread and its state. */
static int nr_numbers(void)
{
	int nr = (COLS - NAME_COLUMNS - STATE_COLUMNS) / NUMBER_COLUMNS;

	return nr < 0 ? 0 : nr > TOP_NR_NUMBERS ? TOP_NR_NUMBERS : nr;
}

/*
 * Draw a row or the head from left to right. On a narrow screen, the columns of the
 * highest rank are left out.
 */
static void draw_columns(int line, const char *label, const char *state,
			 const char * const numbers[TOP_NR_NUMBERS])
{
	static const int rank[TOP_NR_NUMBERS] = {
		[TOP_CPU] = 4, [TOP_RUNNING] = 0, [TOP_WAIT] = 1, [TOP_RUNS] = 3,
		[TOP_LONGEST] = 2,
	};
	int nr = nr_numbers(), i, column;
	int state_columns = NAME_COLUMNS + STATE_COLUMNS > COLS ? 0 :
			    STATE_COLUMNS;

	column = COLS - state_columns - nr * NUMBER_COLUMNS;
	screen_text(line, 0, column - !!state_columns, false, label);
	screen_text(line, column, state_columns, false, state);
	column += state_columns;
	for (i = 0; i < TOP_NR_NUMBERS; i++) {
		if (rank[i] >= nr)
			continue;
		screen_text(line, column, NUMBER_COLUMNS, true, numbers[i]);
		column += NUMBER_COLUMNS;
	}
}

static void draw_row(const struct top_row *row, int line)
{
	const char *texts[TOP_NR_NUMBERS];

	row_texts(row, texts);
	attrset(is_waiting(row->state) ? A_BOLD | COLOR_PAIR(SCREEN_CHANGED) :
		row->state == SCHED_RUNNING ? A_BOLD : A_NORMAL);
	draw_columns(line, row->label, state_text(row), texts);
	attrset(A_NORMAL);
}

/* Return how many lines the CPUs have: at most half of the screen. */
static size_t cpu_lines(void)
{
	size_t most = (LINES - HEADER_LINES) / 2;

	return view.nr_cpus < most ? view.nr_cpus : most;
}

/* Return how many lines the threads have, below their heading. */
static size_t page_lines(void)
{
	return screen_lines(HEADER_LINES + cpu_lines() + 1);
}

static void draw(void)
{
	size_t i, lines = page_lines();
	int line = HEADER_LINES;

	screen_fit(lines, view.nr_rows);
	for (i = 0; i < cpu_lines(); i++)
		draw_cpu(&view.cpus[i], line++);
	screen_bar(line);
	draw_columns(line++, "THREAD", "STATE", top_heads);
	attrset(A_NORMAL);
	for (i = 0; i < lines && screen.top + i < view.nr_rows; i++)
		draw_row(&view.rows[screen.top + i], line++);
	screen_text(0, 0, COLS, false, head_text());
	if (*error) {
		attrset(A_BOLD | COLOR_PAIR(SCREEN_ERROR));
		screen_text(0, 0, COLS, false, error);
		clrtoeol();
	}
	screen_footer("q quit  c w r by CPU, longest wait, runs  arrows, Page, Home, End scroll");
}

static void press_key(int key)
{
	size_t i;

	if (screen_key(key, page_lines(), view.nr_rows))
		return;
	for (i = 0; i < ARRAY_LEN(orders); i++) {
		if (key != orders[i].key)
			continue;
		view.order = i;
		screen.top = 0;
		sort_rows();
	}
}

static const struct screen_ops screen_ops = {
	.look		= look,
	.draw		= draw,
	.key		= press_key,
	.instead	= "use `vitrine top --once' for other output",
};

/* ---- The command ------------------------------------------------------- */

/* Return: enum exit_code. */
static int print_once(void)
{
	struct vitrine_error *err = look_now();

	if (!err && is_json)
		fields_print(view_fields, &view);
	else if (!err)
		print_text();
	return trace_input_close(err);
}

/* Return: enum exit_code. */
static int run_screen(void)
{
	struct vitrine_error *err = trace_input_open_live();

	/* Without a trace there is nothing to show on a screen. */
	trace_input_close(NULL);
	must(err);
	screen_run();
	return EXIT_DONE;
}

static const struct command_option options[] = {
	{ "interval", 'i', "DURATION", .help = "Refresh interval (default: 1s)" },
	{ "once", 0, NULL, "Print one report and exit", .flag = &is_once },
	{ "json", 'j', NULL, "Print JSON (with --once)", .flag = &is_json },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	if (key != 'i')
		return ARGP_ERR_UNKNOWN;
	screen.interval = screen_parse_interval(arg, state);
	return 0;
}

static void check_args(struct argp_state *state)
{
	if (is_json && !is_once)
		argp_error(state, "--json requires --once");
}

static const struct command_line line = {
	.options = options,
	.parse = parse_option,
	.check = check_args,
	.doc = "Show running and waiting threads live.\n"
	       "\013All figures are from the flight recorder.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine top\n"
	       "  vitrine top --once --json | jq .",
};

int cmd_top(int argc, char **argv)
{
	int status;

	screen = (struct screen){ .interval = 1, .ops = &screen_ops };
	options_parse(&line, argc, argv);
	status = is_once ? print_once() : run_screen();
	forget();
	return status;
}
