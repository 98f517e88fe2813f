// SPDX-License-Identifier: GPL-2.0
/*
 * Open the trace of a command, print its faults on standard error, and check that the filters of
 * the command select something of it. If a filter selects nothing, say what was asked, what the
 * trace has, and which name is the nearest.
 *
 * To check the filters, the trace is read up to the first record that shows that all is well;
 * before an error, to its end and once more. Then it is read from its begin.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vitrine/map.h>

#include "archive.h"
#include "base.h"
#include "command.h"
#include "debugfs.h"
#include "fxt_names.h"
#include "ui/label.h"
#include "trace_input.h"
#include "why_texts.h"

/**
 * struct asked - one value of a filter
 * @filter: this value alone
 * @found: a record matches it
 */
struct asked {
	struct record_filter filter;
	bool found;
};

/**
 * struct look - a trace that is searched for what is selected
 * @selection: what the command asks
 * @archive: the trace
 * @any_time: its filters without the times
 * @from_ns: begin of the requested time
 * @to_ns: end of the requested time
 * @asked: all values of the filters, each by itself
 * @nr_asked: number of @asked
 * @began: a record with a time has been read
 * @base_ns: times are printed relative to this one
 * @matched: a record matches @any_time
 * @first_ns: time of the first record that does
 * @last_ns: time of the last one
 * @before_ns: time of the last one before the requested time
 * @after_ns: time of the first one after it, or 0
 * @within: something of the requested time is selected
 */
struct look {
	const struct selection *selection;
	struct vitrine_archive *archive;
	struct record_filter any_time;
	uint64_t from_ns, to_ns;
	struct asked *asked;
	unsigned int nr_asked;
	bool began;
	uint64_t base_ns;
	bool matched;
	uint64_t first_ns, last_ns;
	uint64_t before_ns, after_ns;
	bool within;
};

/**
 * struct census - what a trace has of the sort that a filter is about
 * @archive: the trace
 * @filter: the filter, which has one value
 * @nearest: search for the nearest name
 * @seen: threads, processes or CPUs that were seen
 * @nr: how many
 * @highest_cpu: of the CPUs, the highest
 * @texts: categories and names of events that were seen
 */
struct census {
	struct vitrine_archive *archive;
	const struct record_filter *filter;
	struct nearest nearest;
	struct fxt_names seen;
	uint64_t nr;
	uint32_t highest_cpu;
	struct why_texts texts;
};

/* ---- Search ------------------------------------------------------------ */

static struct record_filter *ask(struct look *look)
{
	struct asked *asked = &look->asked[look->nr_asked++];

	record_filter_init(&asked->filter);
	return &asked->filter;
}

/* Take the filters apart; false without memory. */
static bool ask_all(struct look *look)
{
	const struct record_filter *filter = look->selection->filter;
	struct record_filter *one;
	unsigned int i;

	look->asked = calloc(filter->nr_cpus + filter->nr_threads + filter->nr_processes +
			     filter->nr_events + 1, sizeof(*look->asked));
	if (!look->asked)
		return false;
	for (i = 0; i < filter->nr_cpus; i++) {
		one = ask(look);
		one->cpus[one->nr_cpus++] = filter->cpus[i];
	}
	for (i = 0; i < filter->nr_threads; i++)
		record_filter_add_thread(ask(look), filter->threads[i]);
	for (i = 0; i < filter->nr_processes; i++)
		record_filter_add_process(ask(look), filter->processes[i]);
	for (i = 0; i < filter->nr_events; i++)
		record_filter_add_event(ask(look), filter->events[i]);
	look->any_time = *filter;
	look->any_time.from_ns = 0;
	look->any_time.to_ns = UINT64_MAX;
	return true;
}

static uint64_t add_times(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void begin(struct look *look, uint64_t ns)
{
	look->began = true;
	if (!look->selection->relative)
		return;
	look->base_ns = ns;
	if (look->from_ns)
		look->from_ns = add_times(look->from_ns, ns);
	look->to_ns = add_times(look->to_ns, ns);
}

/* Follow a record that matches all filters but the times. */
static void follow_match(struct look *look, uint64_t ns)
{
	if (!look->matched)
		look->first_ns = ns;
	look->matched = true;
	look->last_ns = ns;
	if (ns < look->from_ns)
		look->before_ns = ns;
	else if (ns > look->to_ns && !look->after_ns)
		look->after_ns = ns;
	if (look->selection->by_record)
		look->within |= ns >= look->from_ns && ns <= look->to_ns;
	else
		look->within = look->last_ns >= look->from_ns && look->first_ns <= look->to_ns;
}

static bool is_counted(const struct look *look, const struct vitrine_fxt_record *record)
{
	return record->timed || look->selection->untimed ||
	       record->kind == VITRINE_FXT_PROVIDER_EVENT;
}

static enum archive_step look_at(void *ctx, const struct vitrine_fxt_record *record)
{
	struct look *look = ctx;
	uint64_t ns = vitrine_fxt_ns(record->ticks, record->ticks_per_second);
	bool all = true;
	unsigned int i;

	if (record->timed && !look->began)
		begin(look, ns);
	if (!is_counted(look, record))
		return ARCHIVE_NEXT;
	for (i = 0; i < look->nr_asked; i++) {
		if (!look->asked[i].found)
			look->asked[i].found = record_filter_match(&look->asked[i].filter,
								   look->archive, record);
		all &= look->asked[i].found;
	}
	if (record_filter_match(&look->any_time, look->archive, record))
		follow_match(look, ns);
	return all && look->within ? ARCHIVE_STOP : ARCHIVE_NEXT;
}

/* ---- What there is ----------------------------------------------------- */

static bool count_koid(struct census *census, const struct vitrine_fxt_thread *thread)
{
	bool by_process = census->filter->nr_processes, named, good;
	uint64_t process = record_process(census->archive, thread);
	uint64_t koid = by_process ? process : thread->thread;
	struct vitrine_fxt_string name;
	const char *label;

	/* Idle, and what stands for no thread, is in process 0. */
	if (!process || koid == VITRINE_FXT_NO_PROCESS ||
	    !fxt_names_first(&census->seen, koid, &good))
		return true;
	census->nr++;
	named = by_process ? vitrine_archive_process(census->archive, koid, &name) :
			     vitrine_archive_thread(census->archive, koid, &name, &process);
	if (named) {
		label = name_label(&name);
		nearest_offer(&census->nearest, label, strlen(label));
	}
	return good;
}

static bool count_event(struct census *census, const struct vitrine_fxt_string *category,
			const struct vitrine_fxt_string *name)
{
	const char *asked = census->filter->events[0], *colon = strchr(asked, ':');
	const char *first = name_label(category), *second = name_label(name);
	char label[2 * LABEL_BYTES + 1];
	uint32_t number;
	int len;

	len = snprintf(label, sizeof(label), "%s:%s", first, second);
	if (!why_texts_add(&census->texts, label, len, &number))
		return false;
	if (!colon)
		return true;
	len = snprintf(label, sizeof(label), "%s:%s", !strncmp(asked, "*:", 2) ? "*" : first,
		       strcmp(colon, ":*") ? second : "*");
	nearest_offer(&census->nearest, label, len);
	return true;
}

static bool count_cpu(struct census *census, uint32_t cpu)
{
	bool good = true;

	if (cpu == VITRINE_FXT_NO_CPU || !fxt_names_first(&census->seen, cpu, &good))
		return good;
	census->nr++;
	if (cpu > census->highest_cpu)
		census->highest_cpu = cpu;
	return good;
}

static enum archive_step count_record(void *ctx, const struct vitrine_fxt_record *record)
{
	struct census *census = ctx;
	const struct vitrine_fxt_thread *thread;
	unsigned int i = 0;
	bool good = true;

	if (!record->timed)
		return ARCHIVE_NEXT;
	if (census->filter->nr_cpus) {
		good = count_cpu(census, record->cpu);
	} else if (!census->filter->nr_events) {
		while (good && (thread = fxt_thread_of(record, i++)))
			good = count_koid(census, thread);
	} else if (record->kind == VITRINE_FXT_EVENT) {
		good = count_event(census, &record->event.category, &record->event.name);
	} else if (record->kind == VITRINE_FXT_LARGE_BLOB) {
		good = count_event(census, &record->large_blob.category,
				   &record->large_blob.name);
	}
	return good ? ARCHIVE_NEXT : ARCHIVE_NO_MEMORY;
}

/* ---- Errors ------------------------------------------------------------ */

static struct vitrine_error *unmatched_cpus(const struct census *census, const char *name)
{
	const uint32_t first = census->filter->cpus[0].first, last = census->filter->cpus[0].last;
	char range[32];

	snprintf(range, sizeof(range), first == last ? "%u" : "%u-%u", first, last);
	return nothing_selected(name, NULL, NULL,
				census->nr ?
				"no record is from CPU %s; the trace has %" PRIu64
				" CPUs, up to CPU %u" :
				"no record is from CPU %s; the trace has %" PRIu64 " CPUs",
				range, census->nr, census->highest_cpu);
}

/* Say that a value of a filter matches nothing, and what there is. */
static struct vitrine_error *unmatched(const struct census *census, const char *name)
{
	const struct record_filter *filter = census->filter;
	const uint32_t nr_texts = census->texts.nr;

	if (filter->nr_cpus)
		return unmatched_cpus(census, name);
	if (filter->nr_threads)
		return nothing_selected(name, &census->nearest, NULL,
					"no thread has the name or number `%s'; the trace has %"
					PRIu64 " thread%s", filter->threads[0], census->nr,
					census->nr == 1 ? "" : "s");
	if (filter->nr_processes)
		return nothing_selected(name, &census->nearest, NULL,
					"no process has the name or number `%s'; the trace has %"
					PRIu64 " process%s", filter->processes[0], census->nr,
					census->nr == 1 ? "" : "es");
	/* The first two numbers stand for no text. */
	return nothing_selected(name, &census->nearest, NULL,
				"no record matches `%s'; the trace has %u kinds of events",
				filter->events[0],
				nr_texts > WHY_TEXT_OTHER ? nr_texts - WHY_TEXT_OTHER - 1 : 0);
}

static struct vitrine_error *explain_value(const struct record_filter *filter,
					   struct vitrine_archive *archive, const char *name)
{
	struct census census = { .filter = filter, .archive = archive };
	const char *asked = filter->nr_threads ? filter->threads[0] :
			    filter->nr_processes ? filter->processes[0] :
			    filter->nr_events ? filter->events[0] : "";
	struct vitrine_error *err;

	nearest_init(&census.nearest, asked, strlen(asked));
	err = archive_search(archive, count_record, &census);
	if (!err)
		err = unmatched(&census, name);
	fxt_names_deinit(&census.seen);
	why_texts_deinit(&census.texts);
	return err;
}

/* Return seconds without the zeros at the end. */
static const char *brief(const struct look *look, uint64_t ns)
{
	const char *label = seconds(ns - look->base_ns);
	size_t len = strlen(label);

	while (label[len - 1] == '0')
		len--;
	if (label[len - 1] == '.')
		len--;
	return format_label("%.*s", (int)len, label);
}

static const char *range_of(const struct look *look)
{
	if (look->to_ns == UINT64_MAX)
		return format_label("from %s s on", brief(look, look->from_ns));
	if (!look->selection->filter->from_ns)
		return format_label("up to %s s", brief(look, look->to_ns));
	return format_label("from %s s to %s s", brief(look, look->from_ns),
			    brief(look, look->to_ns));
}

/* Say that nothing is selected of the requested time, and where the nearest records are. */
static struct vitrine_error *explain_range(const struct look *look, const char *name)
{
	const char *what = look->nr_asked ? "none of the records that the filters select is" :
					    "no record is";
	bool is_between = look->first_ns < look->from_ns && look->last_ns > look->to_ns;
	const char *range = range_of(look);

	if (is_between)
		return nothing_selected(name, NULL, NULL, "%s %s; the nearest are at %s s and %s s",
					what, range, brief(look, look->before_ns),
					brief(look, look->after_ns));
	return nothing_selected(name, NULL, NULL, "%s %s; %s %s s to %s s", what, range,
				look->nr_asked ? "they cover" : "the trace covers",
				brief(look, look->first_ns), brief(look, look->last_ns));
}

/* Make the error if nothing is selected; report values that match nothing otherwise. */
static struct vitrine_error *judge(struct look *look, const char *name, int *ret_status)
{
	struct vitrine_error *err = NULL;
	unsigned int i;

	for (i = 0; i < look->nr_asked; i++) {
		if (look->asked[i].found)
			continue;
		if (err)
			report_error(err);
		err = explain_value(&look->asked[i].filter, look->archive, name);
	}
	if (err && look->within) {
		*ret_status = report_error(err);
		return NULL;
	}
	if (err || look->within)
		return err;
	if (!look->began)
		return nothing_selected(name, NULL, NULL, "the trace has no record with a time");
	if (look->matched)
		return explain_range(look, name);
	return nothing_selected(name, NULL, NULL, "no record matches all filters");
}

static bool is_everything(const struct record_filter *filter)
{
	return !filter->nr_cpus && !filter->nr_threads && !filter->nr_processes &&
	       !filter->nr_events && !filter->from_ns && filter->to_ns == UINT64_MAX;
}

/**
 * selection_check() - check that filters select something of a trace
 * @selection: what the command asks
 * @archive: the trace, from which nothing has been read
 * @name: its name in messages
 * @ret_status: set to EXIT_BAD_INPUT if a part of the filters selects nothing, which has
 *	been reported
 *
 * Return: NULL; ENODATA if nothing is selected; or an error of reading the trace.
 */
struct vitrine_error *selection_check(const struct selection *selection,
				      struct vitrine_archive *archive, const char *name,
				      int *ret_status)
{
	struct look look = {
		.selection = selection,
		.archive = archive,
		.from_ns = selection->filter->from_ns,
		.to_ns = selection->filter->to_ns,
	};
	struct vitrine_error *err = NULL;

	if (is_everything(selection->filter))
		return NULL;
	if (!ask_all(&look))
		return vtr_error_no_memory();
	err = archive_search(archive, look_at, &look);
	if (!err)
		err = judge(&look, name, ret_status);
	free(look.asked);
	return err;
}

/* ---- Opening ----------------------------------------------------------- */

static void on_note(void *ctx, uint64_t offset, const char *message)
{
	const struct faults *faults = ctx;

	print_note(faults->path, "%s", message);
}

/* Open the trace in @path; "-": standard input; NULL: the flight recorder. */
static struct vitrine_error *trace_open(struct trace_input *input,
					const char *path)
{
	const struct vitrine_fxt_report report = {
		.fault = faults_print,
		.note = on_note,
		.ctx = &input->faults,
	};
	struct vitrine_error *err;

	if (!path)
		return trace_input_open_live(input);
	err = input_open(&input->input, path);
	input->faults.path = input->input.name;
	if (err)
		return err;
	return vitrine_archive_create(input->input.path, &report,
				      &input->archive);
}

/**
 * trace_input_open_live() - open the contents of the flight recorder
 * @input: all zero
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *trace_input_open_live(struct trace_input *input)
{
	input->own_path = debugfs_path(VITRINE_TRACE_DIR "/trace.fxt", "");
	if (access(input->own_path, R_OK))
		return debugfs_explain(errno, input->own_path);
	return trace_open(input, input->own_path);
}

/**
 * trace_input_close() - close a trace and report an error
 * @input: trace; opened or failed to open
 * @err: error, which is reported and destroyed, or NULL
 *
 * Return: enum exit_code of @err, or EXIT_BAD_INPUT if the trace has faults or a filter
 * selects nothing.
 */
int trace_input_close(struct trace_input *input, struct vitrine_error *err)
{
	faults_end(&input->faults);
	vitrine_archive_destroy(input->archive);
	err = input_blame(&input->input, err);
	input_close(&input->input);
	free(input->own_path);
	if (err)
		return report_error(err);
	return input->faults.nr ? EXIT_BAD_INPUT : input->status;
}

/**
 * trace_input_run() - open a trace, process it, close it, and report an error
 * @path: its file; "-": standard input; NULL: the contents of the flight recorder
 * @selection: what the command asks of it, or NULL for everything
 * @run: processes the records
 * @ctx: passed to @run
 *
 * Return: enum exit_code.
 */
int trace_input_run(const char *path, const struct selection *selection,
		    struct vitrine_error *(*run)(const void *ctx,
						 struct vitrine_archive *archive),
		    const void *ctx)
{
	struct trace_input input = { 0 };
	struct vitrine_error *err;

	err = trace_open(&input, path);
	if (!err && selection)
		err = selection_check(selection, input.archive, input.faults.path, &input.status);
	if (!err)
		err = run(ctx, input.archive);
	return trace_input_close(&input, err);
}
