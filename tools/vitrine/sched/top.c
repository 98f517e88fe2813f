// SPDX-License-Identifier: GPL-2.0
/*
 * Show which threads run and wait and which used the CPUs, on a live screen or, with
 * --once, as text or JSON.
 *
 * At each refresh the whole flight recorder is read and followed from its beginning,
 * because the state of a thread may have been recorded long ago; only what is later
 * than the previous refresh is counted. top_report.c formats, ui/screen.c owns the
 * terminal.
 */
#define _GNU_SOURCE	/* wide characters of curses */
#include <stdlib.h>
#include <string.h>

#include <curses.h>

#include "archive.h"
#include "error.h"
#include "fxt_record.h"
#include "report.h"
#include "ui/screen.h"
#include "top.h"
#include "top_report.h"
#include "trace_input.h"

#define HEADER_LINES	1
#define ERROR_BYTES	256

/* Widths from the right; the thread has the rest, at least NAME_COLUMNS. */
#define NAME_COLUMNS	20
#define STATE_COLUMNS	10
#define NUMBER_COLUMNS	10

/**
 * struct top - the command at work
 * @args: the options
 * @screen: the terminal
 * @view: threads and CPUs that are shown
 * @error: why nothing could be read, or empty
 */
struct top {
	const struct top_args *args;
	struct screen screen;
	struct top_view view;
	char error[ERROR_BYTES];
};

/* ---- Following the trace ----------------------------------------------- */

/* A thread's owner is its longest wait, in nanoseconds. */
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

/* A thread that only slept has no row. */
static bool is_active(const struct sched_thread *thread)
{
	if (fxt_is_others(thread->id.thread))
		return false;
	return thread->nr_turns || thread->time_ns[SCHED_RUNNING] ||
	       sched_runnable_ns(thread) || thread->state == SCHED_RUNNING ||
	       thread->state == SCHED_WOKEN ||
	       thread->state == SCHED_PREEMPTED;
}

static void add_row(struct top_view *view, const struct sched *sched,
		    const struct sched_thread *thread)
{
	struct top_row *row = &view->rows[view->nr_rows++];

	row->id = thread->id;
	label_thread(row->label, sched->archive, &thread->id);
	row->state = thread->state;
	row->cpu = thread->cpu;
	row->since_ns = thread->state == SCHED_RUNNING ?
			thread->turn.begin_ns : thread->since_ns;
	row->running_ns = thread->time_ns[SCHED_RUNNING];
	row->ready_ns = sched_runnable_ns(thread);
	row->runs = thread->nr_turns;
	row->max_ns = (uintptr_t)thread->owner;
	if (top_is_waiting(row) &&
	    sched->now_ns - row->since_ns > row->max_ns)
		row->max_ns = sched->now_ns - row->since_ns;
}

static int compare_rows(const void *left, const void *right, void *ctx)
{
	const struct top_row *a = left, *b = right;
	const struct top_view *view = ctx;
	uint64_t a_key = a->running_ns, b_key = b->running_ns;

	if (view->order == TOP_BY_WAIT) {
		a_key = a->max_ns;
		b_key = b->max_ns;
	} else if (view->order == TOP_BY_RUNS) {
		a_key = a->runs;
		b_key = b->runs;
	}
	if (a_key != b_key)
		return a_key > b_key ? -1 : 1;
	return strcmp(a->label, b->label);
}

static void sort_rows(struct top_view *view)
{
	if (view->nr_rows)
		qsort_r(view->rows, view->nr_rows, sizeof(*view->rows),
			compare_rows, view);
}

static void forget(struct top_view *view)
{
	free(view->rows);
	free(view->cpus);
	view->rows = NULL;
	view->cpus = NULL;
	view->nr_rows = 0;
	view->nr_cpus = 0;
}

/* Copy the contents of the screen to @view, because @sched is freed before it is drawn. */
static bool collect(struct top_view *view, const struct sched *sched)
{
	const struct sched_thread *thread;
	size_t i = 0;

	forget(view);
	view->rows = calloc(sched->threads.nr + 1, sizeof(*view->rows));
	view->cpus = calloc(sched->nr_cpus + 1, sizeof(*view->cpus));
	if (!view->rows || !view->cpus)
		return false;
	while ((thread = sched_thread_next(sched, &i)))
		if (is_active(thread))
			add_row(view, sched, thread);
	for (i = 0; i < sched->nr_cpus; i++) {
		const struct sched_cpu *cpu = sched->cpus[i];

		if (!cpu)
			continue;
		view->cpus[view->nr_cpus++] = (struct top_cpu){
			.number = i,
			.known = cpu->known,
			.busy_ns = cpu->busy_ns,
			.idle_ns = cpu->idle_ns,
			.nr_switches = cpu->nr_switches,
		};
	}
	view->length_ns = sched->now_ns - (sched->from_ns > sched->begin_ns ?
					   sched->from_ns : sched->begin_ns);
	view->now_ns = sched->now_ns;
	view->nr_gaps = sched->nr_gaps;
	sort_rows(view);
	return true;
}

/**
 * struct follower - one pass over the trace
 * @sched: state of all threads and CPUs
 * @view: what is shown
 */
struct follower {
	struct sched sched;
	struct top_view *view;
};

static enum archive_step follow(void *ctx, const struct vitrine_fxt_record *record)
{
	struct follower *follower = ctx;

	if (record->kind == VITRINE_FXT_WAKEUP)
		follower->view->has_wakeups = true;
	return sched_follow(&follower->sched, record) ? ARCHIVE_NEXT :
							ARCHIVE_NO_MEMORY;
}

static struct vitrine_error *follow_all(struct top_view *view,
					struct vitrine_archive *archive)
{
	struct follower follower = {
		.sched = {
			.ops = &ops,
			.archive = archive,
			.from_ns = view->now_ns,
			.to_ns = UINT64_MAX,
		},
		.view = view,
	};
	struct sched *sched = &follower.sched;
	struct vitrine_error *err;

	sched->ctx = sched;
	view->has_wakeups = false;
	err = archive_for_each(archive, follow, &follower);
	/* The clock went back: another session began, and all of it is new. */
	if (sched->now_ns < sched->from_ns)
		view->now_ns = 0;
	sched_finish(sched);
	if (!err && sched->now_ns >= sched->from_ns && !collect(view, sched))
		err = vtr_error_no_memory();
	sched_deinit(sched);
	return err;
}

static struct vitrine_error *look_now(struct top *top)
{
	struct trace_input input = { 0 };
	struct vitrine_error *err;

	err = trace_input_open_live(&input);
	if (!err)
		err = follow_all(&top->view, input.archive);
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

static void draw_head(const struct top *top)
{
	char text[TOP_HEAD_BYTES];

	top_head_text(&top->view, text);
	screen_text((struct cell){ 0, 0, COLS, false }, text);
}

static void draw_cpu(const struct top *top, const struct top_cpu *cpu, int line)
{
	char text[TOP_CPU_BYTES];
	size_t nr = top_cpu_text(&top->view, cpu, text);

	attrset(nr ? A_BOLD | COLOR_PAIR(SCREEN_CHANGED) : A_NORMAL);
	screen_text((struct cell){ line, 0, COLS, false }, text);
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
	screen_text((struct cell){ line, 0, column - !!state_columns, false },
		    label);
	screen_text((struct cell){ line, column, state_columns, false }, state);
	column += state_columns;
	for (i = 0; i < TOP_NR_NUMBERS; i++) {
		if (rank[i] >= nr)
			continue;
		screen_text((struct cell){ line, column, NUMBER_COLUMNS, true },
			    numbers[i]);
		column += NUMBER_COLUMNS;
	}
}

static void draw_row(const struct top *top, const struct top_row *row, int line)
{
	char texts[TOP_NR_NUMBERS][LABEL_TIME_BYTES];
	const char *numbers[TOP_NR_NUMBERS];
	int i;

	top_row_texts(&top->view, row, texts);
	for (i = 0; i < TOP_NR_NUMBERS; i++)
		numbers[i] = texts[i];
	attrset(top_is_waiting(row) ? A_BOLD | COLOR_PAIR(SCREEN_CHANGED) :
		row->state == SCHED_RUNNING ? A_BOLD : A_NORMAL);
	draw_columns(line, row->label, top_state_text(row), numbers);
	attrset(A_NORMAL);
}

/* Return how many lines the CPUs have: at most half of the screen. */
static int cpu_lines(const struct top *top)
{
	int most = (LINES - HEADER_LINES) / 2;

	return top->view.nr_cpus < (size_t)most ? (int)top->view.nr_cpus : most;
}

/* Return how many lines the threads have, below their heading. */
static size_t page_lines(const struct top *top)
{
	return screen_lines(HEADER_LINES + cpu_lines(top) + 1);
}

static void draw(void *ctx)
{
	struct top *top = ctx;
	size_t i, lines = page_lines(top);
	int line = HEADER_LINES;

	screen_fit(&top->screen, lines, top->view.nr_rows);
	for (i = 0; i < (size_t)cpu_lines(top); i++)
		draw_cpu(top, &top->view.cpus[i], line++);
	screen_bar(line);
	draw_columns(line++, "THREAD", "STATE", top_heads);
	attrset(A_NORMAL);
	for (i = 0; i < lines && top->screen.top + i < top->view.nr_rows; i++)
		draw_row(top, &top->view.rows[top->screen.top + i], line++);
	draw_head(top);
	if (*top->error) {
		attrset(A_BOLD | COLOR_PAIR(SCREEN_ERROR));
		screen_text((struct cell){ 0, 0, COLS, false }, top->error);
		clrtoeol();
	}
	screen_footer("q quit  c w r by CPU, longest wait, runs  arrows, Page, Home, End scroll");
}

static void press_key(void *ctx, int key)
{
	struct top *top = ctx;

	if (screen_key(&top->screen, key, page_lines(top), top->view.nr_rows))
		return;
	switch (key) {
	case 'c':
		top->view.order = TOP_BY_CPU;
		break;
	case 'w':
		top->view.order = TOP_BY_WAIT;
		break;
	case 'r':
		top->view.order = TOP_BY_RUNS;
		break;
	default:
		return;
	}
	top->screen.top = 0;
	sort_rows(&top->view);
}

static const struct screen_ops screen_ops = {
	.look		= look,
	.draw		= draw,
	.key		= press_key,
	.instead	= "use `vitrine top --once' for other output",
};

/* ---- Once, or on a screen ---------------------------------------------- */

/* Return: enum exit_code. */
static int print_once(struct top *top)
{
	struct trace_input input = { 0 };
	struct vitrine_error *err;

	err = trace_input_open_live(&input);
	if (!err)
		err = follow_all(&top->view, input.archive);
	if (!err && top->args->json)
		top_json(&top->view, input.archive);
	else if (!err)
		top_print(&top->view);
	return trace_input_close(&input, err);
}

/* Return an error if there is no trace to read. */
static struct vitrine_error *try_trace(void)
{
	struct trace_input input = { 0 };
	struct vitrine_error *err = trace_input_open_live(&input);

	trace_input_close(&input, NULL);
	return err;
}

static int run_screen(struct top *top)
{
	struct vitrine_error *err = try_trace();

	if (!err)
		err = screen_run(&top->screen);
	return err ? report_error(err) : EXIT_DONE;
}

/**
 * top_run() - show running and waiting threads
 * @args: the options
 *
 * Return: enum exit_code.
 */
int top_run(const struct top_args *args)
{
	struct top top = {
		.args = args,
		.screen = {
			.interval = args->interval,
			.ops = &screen_ops,
			.ctx = &top,
		},
	};
	int status;

	status = args->once ? print_once(&top) : run_screen(&top);
	forget(&top.view);
	return status;
}
