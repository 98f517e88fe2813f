// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine top': who runs, who waits and who used the CPUs, on a live screen.
 *
 * Each look reads all that the flight recorder holds and follows it from its
 * beginning, so that it is known what threads did that did nothing lately; only
 * what is later than the last look counts.
 */
#define _GNU_SOURCE	/* wide characters of curses */
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include <curses.h>

#include "commands.h"
#include "error.h"
#include "label.h"
#include "sched_state.h"
#include "screen.h"
#include "trace_input.h"

#define HEADER_LINES	1
#define ERROR_BYTES	256

/* Of a row, from the right; the thread has what is left, at least NAME_COLUMNS. */
#define NAME_COLUMNS	20
#define STATE_COLUMNS	10
#define NUMBER_COLUMNS	10
#define MOST_WAITING	16

/* The numbers of a row. */
enum top_number {
	CPU,
	RUNNING,
	WAITING,
	RUNS,
	LONGEST,
	NR_NUMBERS,
};

enum top_order {
	TOP_BY_CPU,
	TOP_BY_WAIT,
	TOP_BY_RUNS,
};

/**
 * struct top_row - a thread
 * @label: who
 * @state: what it does now
 * @cpu: where it ran last
 * @since_ns: since when it does that
 * @running_ns: how long it ran since the last look
 * @ready_ns: how long it waited for a CPU
 * @runs: how often it got one
 * @max_ns: its longest wait, the one that goes on included
 */
struct top_row {
	char label[LABEL_BYTES];
	enum sched_state state;
	uint32_t cpu;
	uint64_t since_ns;
	uint64_t running_ns;
	uint64_t ready_ns;
	uint64_t runs;
	uint64_t max_ns;
};

/**
 * struct top_cpu - a CPU
 * @number: which
 * @known: it is known who runs
 * @busy_ns: how long threads ran since the last look
 * @nr_switches: how many there were
 */
struct top_cpu {
	uint32_t number;
	bool known;
	uint64_t busy_ns;
	uint64_t nr_switches;
};

/**
 * struct top - all of the command
 * @screen: where it is shown
 * @order: of the rows
 * @rows: threads
 * @nr_rows: how many
 * @cpus: CPUs
 * @nr_cpus: how many
 * @now_ns: until when the last look went
 * @length_ns: since the look before
 * @nr_gaps: times that records were missing in between
 * @has_wakeups: the trace has some
 * @error: why there is nothing, or empty
 */
struct top {
	struct screen screen;
	enum top_order order;
	struct top_row *rows;
	size_t nr_rows;
	struct top_cpu *cpus;
	size_t nr_cpus;
	uint64_t now_ns;
	uint64_t length_ns;
	uint64_t nr_gaps;
	bool has_wakeups;
	char error[ERROR_BYTES];
};

/* ---- What there is ----------------------------------------------------- */

/* The longest wait is kept as the owner of a thread, in nanoseconds. */
static void on_begin(void *ctx, struct sched_thread *thread)
{
	const struct sched *sched = ctx;
	const struct sched_turn *turn = &thread->turn;

	if (sched_counts(sched, turn->begin_ns) &&
	    turn->ready_ns > (uintptr_t)thread->owner)
		thread->owner = (void *)(uintptr_t)turn->ready_ns;
}

static const struct sched_ops ops = {
	.begin = on_begin,
};

static uint64_t ready_ns(const struct sched_thread *thread)
{
	return thread->time_ns[SCHED_WOKEN] + thread->time_ns[SCHED_PREEMPTED];
}

static bool is_waiting(enum sched_state state)
{
	return state == SCHED_WOKEN || state == SCHED_PREEMPTED;
}

/* Who only slept is not worth a row. */
static bool is_active(const struct sched_thread *thread)
{
	return thread->nr_turns || thread->time_ns[SCHED_RUNNING] ||
	       ready_ns(thread) || thread->state == SCHED_RUNNING ||
	       is_waiting(thread->state);
}

static void add_row(struct top *top, const struct sched *sched,
		    const struct sched_thread *thread)
{
	struct top_row *row = &top->rows[top->nr_rows++];

	label_thread(row->label, sched->archive, &thread->id);
	row->state = thread->state;
	row->cpu = thread->cpu;
	row->since_ns = thread->state == SCHED_RUNNING ?
			thread->turn.begin_ns : thread->since_ns;
	row->running_ns = thread->time_ns[SCHED_RUNNING];
	row->ready_ns = ready_ns(thread);
	row->runs = thread->nr_turns;
	row->max_ns = (uintptr_t)thread->owner;
	if (is_waiting(row->state) &&
	    sched->now_ns - row->since_ns > row->max_ns)
		row->max_ns = sched->now_ns - row->since_ns;
}

static int compare_rows(const void *left, const void *right, void *ctx)
{
	const struct top_row *a = left, *b = right;
	const struct top *top = ctx;
	uint64_t a_key = a->running_ns, b_key = b->running_ns;

	if (top->order == TOP_BY_WAIT) {
		a_key = a->max_ns;
		b_key = b->max_ns;
	} else if (top->order == TOP_BY_RUNS) {
		a_key = a->runs;
		b_key = b->runs;
	}
	if (a_key != b_key)
		return a_key > b_key ? -1 : 1;
	return strcmp(a->label, b->label);
}

static void sort_rows(struct top *top)
{
	if (top->nr_rows)
		qsort_r(top->rows, top->nr_rows, sizeof(*top->rows),
			compare_rows, top);
}

static void forget(struct top *top)
{
	free(top->rows);
	free(top->cpus);
	top->rows = NULL;
	top->cpus = NULL;
	top->nr_rows = 0;
	top->nr_cpus = 0;
}

/* What is drawn, out of what was followed; the latter's times end with @sched. */
static bool collect(struct top *top, const struct sched *sched)
{
	size_t i;

	forget(top);
	top->rows = calloc(sched->nr_threads + 1, sizeof(*top->rows));
	top->cpus = calloc(sched->nr_cpus + 1, sizeof(*top->cpus));
	if (!top->rows || !top->cpus)
		return false;
	for (i = 0; i < sched->size; i++)
		if (sched->threads[i] && is_active(sched->threads[i]))
			add_row(top, sched, sched->threads[i]);
	for (i = 0; i < sched->nr_cpus; i++) {
		const struct sched_cpu *cpu = sched->cpus[i];

		if (!cpu)
			continue;
		top->cpus[top->nr_cpus++] = (struct top_cpu){
			.number = i,
			.known = cpu->known,
			.busy_ns = cpu->busy_ns,
			.nr_switches = cpu->nr_switches,
		};
	}
	top->length_ns = sched->now_ns - (sched->from_ns > sched->begin_ns ?
					  sched->from_ns : sched->begin_ns);
	top->now_ns = sched->now_ns;
	top->nr_gaps = sched->nr_gaps;
	sort_rows(top);
	return true;
}

static struct vitrine_error *follow(struct top *top,
				    struct vitrine_archive *archive)
{
	struct sched sched = {
		.ops = &ops,
		.ctx = &sched,
		.archive = archive,
		.from_ns = top->now_ns,
		.to_ns = UINT64_MAX,
	};
	const struct vitrine_fxt_record *record;
	struct vitrine_error *err;

	for (;;) {
		err = vitrine_archive_next(archive, &record);
		if (err || !record)
			break;
		if (record->kind == VITRINE_FXT_WAKEUP)
			top->has_wakeups = true;
		if (!sched_follow(&sched, record)) {
			err = vtr_error_no_memory();
			break;
		}
	}
	/* Another session began, whose clock is behind: all of it is new. */
	if (sched.now_ns < sched.from_ns)
		top->now_ns = 0;
	sched_finish(&sched);
	if (!err && sched.now_ns >= sched.from_ns && !collect(top, &sched))
		err = vtr_error_no_memory();
	sched_deinit(&sched);
	return err;
}

static struct vitrine_error *look_now(struct top *top)
{
	struct trace_input input = { 0 };
	struct vitrine_error *err;

	top->has_wakeups = false;
	err = trace_input_open_live(&input);
	if (!err)
		err = follow(top, input.archive);
	trace_input_close(&input, NULL);
	return err;
}

static void add_error(void *ctx, const char *text)
{
	struct top *top = ctx;

	snprintf(top->error, sizeof(top->error), "%s", text);
}

static void look(void *ctx)
{
	struct top *top = ctx;
	struct vitrine_error *err = look_now(top);

	*top->error = '\0';
	if (err)
		report_error(err);
	screen_errors(&top->screen, add_error, top);
}

/* ---- The screen -------------------------------------------------------- */

static double percent(const struct top *top, uint64_t ns)
{
	return top->length_ns ? 100.0 * ns / top->length_ns : 0;
}

static double per_second(const struct top *top, uint64_t nr)
{
	return top->length_ns ? nr * 1e9 / top->length_ns : 0;
}

static void draw_head(const struct top *top)
{
	static const char * const orders[] = {
		[TOP_BY_CPU]	= "CPU",
		[TOP_BY_WAIT]	= "longest wait",
		[TOP_BY_RUNS]	= "runs",
	};
	char length[LABEL_TIME_BYTES], text[256];
	uint64_t busy_ns = 0, nr = 0;
	size_t i;

	for (i = 0; i < top->nr_cpus; i++) {
		busy_ns += top->cpus[i].busy_ns;
		nr += top->cpus[i].nr_switches;
	}
	label_duration(length, top->length_ns);
	snprintf(text, sizeof(text),
		 "%zu CPU%s busy for %.0f %%, %.0f switches/s, %zu threads, last %s, by %s%s%s",
		 top->nr_cpus, top->nr_cpus == 1 ? "" : "s",
		 top->nr_cpus ? percent(top, busy_ns) / top->nr_cpus : 0,
		 per_second(top, nr), top->nr_rows, length, orders[top->order],
		 top->has_wakeups ? "" : "; no wakeups recorded",
		 top->nr_gaps ? "; records lost" : "");
	screen_text((struct cell){ 0, 0, COLS, false }, text);
}

static const struct top_row *running_on(const struct top *top, uint32_t cpu)
{
	size_t i;

	for (i = 0; i < top->nr_rows; i++)
		if (top->rows[i].cpu == cpu &&
		    top->rows[i].state == SCHED_RUNNING)
			return &top->rows[i];
	return NULL;
}

/* "WHO, WHO", the first few who wait where they ran last. */
static size_t put_waiting(const struct top *top, uint32_t cpu, char *text,
			  size_t size)
{
	size_t i, nr = 0, len = 0;

	*text = '\0';
	for (i = 0; i < top->nr_rows; i++) {
		if (top->rows[i].cpu != cpu || !is_waiting(top->rows[i].state))
			continue;
		if (nr++ < MOST_WAITING && len < size)
			len += snprintf(text + len, size - len, "%s%s",
					nr == 1 ? "" : ", ", top->rows[i].label);
	}
	return nr;
}

static void draw_cpu(const struct top *top, const struct top_cpu *cpu, int line)
{
	const struct top_row *row = running_on(top, cpu->number);
	char waiting[MOST_WAITING * LABEL_BYTES];
	char since[LABEL_TIME_BYTES] = "";
	char text[sizeof(waiting) + 2 * LABEL_BYTES];
	size_t nr = put_waiting(top, cpu->number, waiting, sizeof(waiting));
	int len;

	if (row)
		label_duration(since, top->now_ns - row->since_ns);
	len = snprintf(text, sizeof(text),
		       "CPU %-4" PRIu32 " %3.0f %% %8.0f/s  %s%s%s",
		       cpu->number, percent(top, cpu->busy_ns),
		       per_second(top, cpu->nr_switches),
		       row ? row->label : cpu->known ? "idle" : "?",
		       row ? " for " : "", since);
	if (nr)
		snprintf(text + len, sizeof(text) - len, "; %zu wait%s: %s", nr,
			 nr == 1 ? "s" : "", waiting);
	attrset(nr ? A_BOLD | COLOR_PAIR(SCREEN_CHANGED) : A_NORMAL);
	screen_text((struct cell){ line, 0, COLS, false }, text);
	attrset(A_NORMAL);
}

/* How many of the numbers there is room for, beside a thread and its state. */
static int nr_numbers(void)
{
	int nr = (COLS - NAME_COLUMNS - STATE_COLUMNS) / NUMBER_COLUMNS;

	return nr < 0 ? 0 : nr > NR_NUMBERS ? NR_NUMBERS : nr;
}

/*
 * The texts of a row or of the head, from left to right. What is worth least is not
 * on a narrow screen.
 */
static void draw_columns(int line, const char *label, const char *state,
			 const char * const numbers[NR_NUMBERS])
{
	static const int rank[NR_NUMBERS] = {
		[CPU] = 4, [RUNNING] = 0, [WAITING] = 1, [RUNS] = 3, [LONGEST] = 2,
	};
	int nr = nr_numbers(), i, column;
	int state_columns = NAME_COLUMNS + STATE_COLUMNS > COLS ? 0 :
			    STATE_COLUMNS;

	column = COLS - state_columns - nr * NUMBER_COLUMNS;
	screen_text((struct cell){ line, 0, column - !!state_columns, false },
		    label);
	screen_text((struct cell){ line, column, state_columns, false }, state);
	column += state_columns;
	for (i = 0; i < NR_NUMBERS; i++) {
		if (rank[i] >= nr)
			continue;
		screen_text((struct cell){ line, column, NUMBER_COLUMNS, true },
			    numbers[i]);
		column += NUMBER_COLUMNS;
	}
}

static void draw_row(const struct top *top, const struct top_row *row, int line)
{
	char texts[NR_NUMBERS][LABEL_TIME_BYTES];
	const char *numbers[NR_NUMBERS];
	int i;

	snprintf(texts[CPU], LABEL_TIME_BYTES, "%" PRIu32, row->cpu);
	snprintf(texts[RUNNING], LABEL_TIME_BYTES, "%.1f %%",
		 percent(top, row->running_ns));
	snprintf(texts[WAITING], LABEL_TIME_BYTES, "%.1f %%",
		 percent(top, row->ready_ns));
	snprintf(texts[RUNS], LABEL_TIME_BYTES, "%.0f",
		 per_second(top, row->runs));
	label_duration(texts[LONGEST], row->max_ns);
	for (i = 0; i < NR_NUMBERS; i++)
		numbers[i] = texts[i];
	attrset(is_waiting(row->state) ? A_BOLD | COLOR_PAIR(SCREEN_CHANGED) :
		row->state == SCHED_RUNNING ? A_BOLD : A_NORMAL);
	draw_columns(line, row->label, row->state == SCHED_UNKNOWN ? "?" :
		     sched_state_names[row->state], numbers);
	attrset(A_NORMAL);
}

/* CPUs get at most half of the screen. */
static int cpu_lines(const struct top *top)
{
	int most = (LINES - HEADER_LINES) / 2;

	return top->nr_cpus < (size_t)most ? (int)top->nr_cpus : most;
}

/* Lines that threads have. */
static size_t page_lines(const struct top *top)
{
	int lines = LINES - HEADER_LINES - cpu_lines(top) - 2;

	return lines > 0 ? lines : 0;
}

static void draw(void *ctx)
{
	static const char * const heads[NR_NUMBERS] = {
		"CPU", "RUNNING", "WAITING", "RUNS/s", "LONGEST",
	};
	struct top *top = ctx;
	size_t i, lines = page_lines(top);
	int line = HEADER_LINES;

	if (top->screen.top + lines > top->nr_rows)
		top->screen.top = top->nr_rows > lines ?
				  top->nr_rows - lines : 0;
	for (i = 0; i < (size_t)cpu_lines(top); i++)
		draw_cpu(top, &top->cpus[i], line++);
	screen_bar(line);
	draw_columns(line++, "THREAD", "STATE", heads);
	attrset(A_NORMAL);
	for (i = 0; i < lines && top->screen.top + i < top->nr_rows; i++)
		draw_row(top, &top->rows[top->screen.top + i], line++);
	draw_head(top);
	if (*top->error) {
		attrset(A_BOLD | COLOR_PAIR(SCREEN_ERROR));
		screen_text((struct cell){ 0, 0, COLS, false }, top->error);
		clrtoeol();
	}
	screen_bar(LINES - 1);
	screen_text((struct cell){ LINES - 1, 0, COLS, false },
		    "q quit  c w r by CPU, longest wait, runs  arrows, Page, Home, End scroll");
	attrset(A_NORMAL);
}

static void press_key(void *ctx, int key)
{
	struct top *top = ctx;

	if (screen_scroll(&top->screen, key, page_lines(top), top->nr_rows))
		return;
	switch (key) {
	case 'q':
	case 'Q':
		top->screen.done = true;
		return;
	case 'c':
		top->order = TOP_BY_CPU;
		break;
	case 'w':
		top->order = TOP_BY_WAIT;
		break;
	case 'r':
		top->order = TOP_BY_RUNS;
		break;
	case SCREEN_CONTROL('L'):
		clearok(curscr, TRUE);
		return;
	default:
		return;
	}
	top->screen.top = 0;
	sort_rows(top);
}

/* ---- Command line ------------------------------------------------------ */

static const struct argp_option options[] = {
	{ "interval", 'i', "SECONDS", 0, "From one look to the next; 1 if not given", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct top *top = state->input;

	if (key != 'i')
		return ARGP_ERR_UNKNOWN;
	top->screen.interval = screen_parse_interval(arg, state);
	return 0;
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.doc = "Watch who runs, who waits for a CPU and who used the CPUs, on a live screen.",
};

/* Whether there is a trace to look at. */
static struct vitrine_error *try_trace(void)
{
	struct trace_input input = { 0 };
	struct vitrine_error *err = trace_input_open_live(&input);

	trace_input_close(&input, NULL);
	return err;
}

/**
 * cmd_top() - run `vitrine top'
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code.
 */
int cmd_top(int argc, char **argv)
{
	struct top top = {
		.screen = {
			.interval = 1,
			.look = look,
			.draw = draw,
			.key = press_key,
			.ctx = &top,
		},
	};
	struct vitrine_error *err;

	argp_parse(&argp, argc, argv, 0, NULL, &top);
	setlocale(LC_CTYPE, "");
	err = try_trace();
	if (!err)
		err = screen_run(&top.screen,
				 "`vitrine latency --live' prints to anything");
	forget(&top);
	return err ? report_error(err) : EXIT_DONE;
}
