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
#include "fxt_names.h"
#include "ui/label.h"
#include "trace_input.h"
#include "why_texts.h"

/**
 * struct asked - one value of a filter
 * @filter: this value alone
 * @text: the value as the user gave it; empty if it is a range of CPUs
 * @found: a record matches it
 */
struct asked {
	struct record_filter filter;
	const char *text;
	bool found;
};

/**
 * struct look - a trace that is searched for what is selected
 * @selection: what the command asks
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
static struct look {
	const struct selection *selection;
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
} look;

/**
 * struct census - what a trace has of the sort that a filter is about
 * @asked: the value that was asked
 * @filter: its filter
 * @nearest: search for the nearest name
 * @seen: threads, processes or CPUs that were seen
 * @nr: how many
 * @highest_cpu: of the CPUs, the highest
 * @texts: categories and names of events that were seen
 */
static struct census {
	const struct asked *asked;
	const struct record_filter *filter;
	struct nearest nearest;
	struct fxt_names seen;
	uint64_t nr;
	uint32_t highest_cpu;
	struct why_texts texts;
} census;

/* ---- Search ------------------------------------------------------------ */

static struct record_filter *ask(const char *text)
{
	struct asked *asked;

	must_have(GROW(look.asked, look.nr_asked));
	asked = &look.asked[look.nr_asked++];
	*asked = (struct asked){ .text = text };
	record_filter_init(&asked->filter);
	return &asked->filter;
}

static void ask_texts(int key, const char * const *texts, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		record_filter_add(ask(texts[i]), key, texts[i]);
}

/* Take the filters apart. */
static void ask_all(void)
{
	const struct record_filter *filter = look.selection->filter;
	struct record_filter *one;
	unsigned int i;

	for (i = 0; i < filter->nr_cpus; i++) {
		one = ask("");
		one->cpus[one->nr_cpus++] = filter->cpus[i];
	}
	ask_texts('t', filter->threads, filter->nr_threads);
	ask_texts('p', filter->processes, filter->nr_processes);
	ask_texts('e', filter->events, filter->nr_events);
	look.any_time = *filter;
	look.any_time.from_ns = 0;
	look.any_time.to_ns = UINT64_MAX;
}

static void begin(uint64_t ns)
{
	look.began = true;
	if (!look.selection->relative)
		return;
	look.base_ns = ns;
	record_filter_shift(&look.from_ns, &look.to_ns, ns);
}

/* Follow a record that matches all filters but the times. */
static void follow_match(uint64_t ns)
{
	if (!look.matched)
		look.first_ns = ns;
	look.matched = true;
	look.last_ns = ns;
	if (ns < look.from_ns)
		look.before_ns = ns;
	else if (ns > look.to_ns && !look.after_ns)
		look.after_ns = ns;
	if (look.selection->by_record)
		look.within |= ns >= look.from_ns && ns <= look.to_ns;
	else
		look.within = look.last_ns >= look.from_ns && look.first_ns <= look.to_ns;
}

static bool is_counted(const struct vitrine_fxt_record *record)
{
	return record->timed || look.selection->untimed ||
	       record->kind == VITRINE_FXT_PROVIDER_EVENT;
}

static enum archive_step look_at(void *ctx, const struct vitrine_fxt_record *record)
{
	uint64_t ns = vitrine_fxt_ns(record->ticks, record->ticks_per_second);
	struct asked *asked;
	bool all = true;
	unsigned int i;

	if (record->timed && !look.began)
		begin(ns);
	if (!is_counted(record))
		return ARCHIVE_NEXT;
	for (i = 0; i < look.nr_asked; i++) {
		asked = &look.asked[i];
		if (!asked->found)
			asked->found = record_filter_match(&asked->filter, record);
		all &= asked->found;
	}
	if (record_filter_match(&look.any_time, record))
		follow_match(ns);
	return all && look.within ? ARCHIVE_STOP : ARCHIVE_NEXT;
}

/* ---- What there is ----------------------------------------------------- */

/* Count what is seen for the first time, and tell whether it is. */
static bool count_new(uint64_t koid)
{
	bool good, is_new = fxt_names_first(&census.seen, koid, &good);

	must_have(good);
	census.nr += is_new;
	return is_new;
}

static void count_koid(const struct vitrine_fxt_thread *thread)
{
	bool by_process = census.filter->nr_processes, named;
	uint64_t process = record_process(thread);
	uint64_t koid = by_process ? process : thread->thread;
	struct vitrine_fxt_string name;
	const char *label;

	/* Idle, and what stands for no thread, is in process 0. */
	if (!process || koid == VITRINE_FXT_NO_PROCESS || !count_new(koid))
		return;
	named = by_process ? vitrine_archive_process(archive, koid, &name) :
			     vitrine_archive_thread(archive, koid, &name, &process);
	if (named) {
		label = name_label(&name);
		nearest_offer(&census.nearest, label, strlen(label));
	}
}

static void count_event(const struct vitrine_fxt_string *category,
			const struct vitrine_fxt_string *name)
{
	const char *asked = census.asked->text, *colon = strchr(asked, ':');
	const char *first = name_label(category), *second = name_label(name);
	char label[2 * LABEL_BYTES + 1];
	int len;

	len = snprintf(label, sizeof(label), "%s:%s", first, second);
	why_texts_add(&census.texts, label, len);
	if (!colon)
		return;
	len = snprintf(label, sizeof(label), "%s:%s", !strncmp(asked, "*:", 2) ? "*" : first,
		       strcmp(colon, ":*") ? second : "*");
	nearest_offer(&census.nearest, label, len);
}

static void count_cpu(uint32_t cpu)
{
	if (cpu != VITRINE_FXT_NO_CPU && count_new(cpu) && cpu > census.highest_cpu)
		census.highest_cpu = cpu;
}

static enum archive_step count_record(void *ctx, const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_thread *thread;
	unsigned int i = 0;

	if (!record->timed)
		return ARCHIVE_NEXT;
	if (census.filter->nr_cpus) {
		count_cpu(record->cpu);
	} else if (!census.filter->nr_events) {
		while ((thread = fxt_thread_of(record, i++)))
			count_koid(thread);
	} else if (record->kind == VITRINE_FXT_EVENT) {
		count_event(&record->event.category, &record->event.name);
	} else if (record->kind == VITRINE_FXT_LARGE_BLOB) {
		count_event(&record->large_blob.category, &record->large_blob.name);
	}
	return ARCHIVE_NEXT;
}

/* ---- Errors ------------------------------------------------------------ */

static struct vitrine_error *unmatched_cpus(const char *name)
{
	const uint32_t first = census.filter->cpus[0].first, last = census.filter->cpus[0].last;
	char range[32];

	snprintf(range, sizeof(range), first == last ? "%u" : "%u-%u", first, last);
	return nothing_selected(name, NULL, NULL,
				census.nr ?
				"no record is from CPU %s; the trace has %" PRIu64
				" CPUs, up to CPU %u" :
				"no record is from CPU %s; the trace has %" PRIu64 " CPUs",
				range, census.nr, census.highest_cpu);
}

/* Say that a value of a filter matches nothing, and what there is. */
static struct vitrine_error *unmatched(const char *name)
{
	const struct record_filter *filter = census.filter;
	const uint32_t nr_texts = census.texts.nr;

	if (filter->nr_cpus)
		return unmatched_cpus(name);
	if (filter->nr_threads)
		return nothing_selected(name, &census.nearest, NULL,
					"no thread has the name or number `%s'; the trace has %s",
					census.asked->text, count_label(census.nr, "thread"));
	if (filter->nr_processes)
		return nothing_selected(name, &census.nearest, NULL,
					"no process has the name or number `%s'; the trace has %"
					PRIu64 " process%s", census.asked->text, census.nr,
					census.nr == 1 ? "" : "es");
	/* The first two numbers stand for no text. */
	return nothing_selected(name, &census.nearest, NULL,
				"no record matches `%s'; the trace has %u kinds of events",
				census.asked->text,
				nr_texts > WHY_TEXT_OTHER ? nr_texts - WHY_TEXT_OTHER - 1 : 0);
}

static struct vitrine_error *explain_value(const struct asked *asked, const char *name)
{
	struct vitrine_error *err;

	census = (struct census){ .asked = asked, .filter = &asked->filter };
	nearest_init(&census.nearest, asked->text, strlen(asked->text));
	err = archive_search(archive, count_record, NULL);
	if (!err)
		err = unmatched(name);
	fxt_names_deinit(&census.seen);
	why_texts_deinit(&census.texts);
	return err;
}

/* Return seconds without the zeros at the end. */
static const char *brief(uint64_t ns)
{
	const char *label = seconds(ns - look.base_ns);
	size_t len = strlen(label);

	while (label[len - 1] == '0')
		len--;
	if (label[len - 1] == '.')
		len--;
	return format_label("%.*s", (int)len, label);
}

static const char *range_of(void)
{
	if (look.to_ns == UINT64_MAX)
		return format_label("from %s s on", brief(look.from_ns));
	if (!look.selection->filter->from_ns)
		return format_label("up to %s s", brief(look.to_ns));
	return format_label("from %s s to %s s", brief(look.from_ns), brief(look.to_ns));
}

/* Say that nothing is selected of the requested time, and where the nearest records are. */
static struct vitrine_error *explain_range(const char *name)
{
	const char *what = look.nr_asked ? "none of the records that the filters select is" :
					   "no record is";
	bool is_between = look.first_ns < look.from_ns && look.last_ns > look.to_ns;
	const char *range = range_of();

	if (is_between)
		return nothing_selected(name, NULL, NULL, "%s %s; the nearest are at %s s and %s s",
					what, range, brief(look.before_ns),
					brief(look.after_ns));
	return nothing_selected(name, NULL, NULL, "%s %s; %s %s s to %s s", what, range,
				look.nr_asked ? "they cover" : "the trace covers",
				brief(look.first_ns), brief(look.last_ns));
}

/* Make the error if nothing is selected; report values that match nothing otherwise. */
static struct vitrine_error *judge(const char *name, int *ret_status)
{
	struct vitrine_error *err = NULL;
	unsigned int i;

	for (i = 0; i < look.nr_asked; i++) {
		if (look.asked[i].found)
			continue;
		if (err)
			report_error(err);
		err = explain_value(&look.asked[i], name);
	}
	if (err && look.within) {
		*ret_status = report_error(err);
		return NULL;
	}
	if (err || look.within)
		return err;
	if (!look.began)
		return nothing_selected(name, NULL, NULL, "the trace has no record with a time");
	if (look.matched)
		return explain_range(name);
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
 * @name: its name in messages
 * @ret_status: set to EXIT_BAD_INPUT if a part of the filters selects nothing, which has
 *	been reported
 *
 * Return: NULL; ENODATA if nothing is selected; or an error of reading the trace.
 */
struct vitrine_error *selection_check(const struct selection *selection, const char *name,
				      int *ret_status)
{
	struct vitrine_error *err;

	if (is_everything(selection->filter))
		return NULL;
	look = (struct look){
		.selection = selection,
		.from_ns = selection->filter->from_ns,
		.to_ns = selection->filter->to_ns,
	};
	ask_all();
	err = archive_search(archive, look_at, NULL);
	if (!err)
		err = judge(name, ret_status);
	free(look.asked);
	return err;
}

/* ---- Opening ----------------------------------------------------------- */

/**
 * struct trace_input - the file of the trace
 * @faults: its name in messages, and faults in it
 * @own_path: path of the live trace, to be freed, or NULL
 * @input: the file
 * @status: EXIT_BAD_INPUT if a filter selects nothing, though others do
 */
static struct trace_input {
	struct faults faults;
	char *own_path;
	struct input input;
	int status;
} input;

static void on_note(void *ctx, uint64_t offset, const char *message)
{
	const struct faults *faults = ctx;

	print_note(faults->path, "%s", message);
}

/* Open the trace in @path; "-": standard input. */
static struct vitrine_error *trace_open(const char *path, const struct archive_look *reading)
{
	const struct vitrine_fxt_report report = {
		.fault = faults_print,
		.note = on_note,
		.ctx = &input.faults,
	};
	struct vitrine_error *err;

	err = input_open(&input.input, path);
	input.faults.path = input.input.name;
	if (err)
		return err;
	return archive_open(input.input.path, &report, reading, &archive);
}

/**
 * trace_input_open_live() - open the contents of the flight recorder
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *trace_input_open_live(void)
{
	input.own_path = debugfs_path(VITRINE_TRACE_DIR "/trace.fxt");
	if (access(input.own_path, R_OK))
		return debugfs_explain(errno, input.own_path);
	return trace_open(input.own_path, &(struct archive_look){ 0 });
}

/**
 * trace_input_close() - close a trace and report an error
 * @err: error, which is reported and destroyed, or NULL
 *
 * Return: enum exit_code of @err, or EXIT_BAD_INPUT if the trace has faults or a filter
 * selects nothing.
 */
int trace_input_close(struct vitrine_error *err)
{
	int status;

	faults_end(&input.faults);
	vitrine_archive_destroy(archive);
	err = input_blame(&input.input, err);
	input_close(&input.input);
	free(input.own_path);
	status = err ? report_error(err) : input.faults.nr ? EXIT_BAD_INPUT : input.status;
	archive = NULL;
	input = (struct trace_input){ 0 };
	return status;
}

/**
 * trace_input_run() - open a trace, process it, close it, and report an error
 * @path: its file; "-": standard input; NULL: the contents of the flight recorder
 * @selection: what the command asks of it, or NULL for everything
 * @run: processes the records
 *
 * Return: enum exit_code.
 */
int trace_input_run(const char *path, const struct selection *selection,
		    struct vitrine_error *(*run)(void))
{
	const struct archive_look reading = { .weights = selection && selection->weights };
	struct vitrine_error *err;

	err = path ? trace_open(path, &reading) : trace_input_open_live();
	if (!err && selection)
		err = selection_check(selection, input.faults.path, &input.status);
	if (!err)
		err = run();
	return trace_input_close(err);
}

/* ---- What is not in the trace ------------------------------------------ */

/* Find the next CPU whose records begin after the reported time only; NULL: there is none. */
static const struct sched_cpu *next_unknown(uint32_t *number)
{
	for (; *number < sched.nr_cpus; ++*number)
		if (sched.cpus[*number] && sched.cpus[*number]->begin_ns > sched.span.begin_ns)
			return sched.cpus[(*number)++];
	return NULL;
}

/**
 * missing_put_without_wakeups() - say that only preemptions are known, if that is so, as a line
 */
void missing_put_without_wakeups(void)
{
	if (!sched.has_wakeups)
		puts("No wakeups of these threads in the trace: only preemptions are known");
}

/**
 * missing_put_unknown() - print until when CPUs have no records, as a line; JSON has each CPU
 */
void missing_put_unknown(void)
{
	uint64_t last_ns = 0, nr = 0;
	const struct sched_cpu *cpu;
	uint32_t number = 0, first = 0;

	while ((cpu = next_unknown(&number))) {
		if (cpu->begin_ns > last_ns)
			last_ns = cpu->begin_ns;
		if (!nr++)
			first = number - 1;
	}
	if (!nr)
		return;
	if (nr == 1)
		printf("No records of CPU %" PRIu32, first);
	else
		printf("Not all records of %" PRIu64 " CPUs", nr);
	printf(" before %s: what threads waited for until then is left out\n", seconds(last_ns));
}

/**
 * missing_write_unknown() - write until when CPUs have no records, as JSON
 */
void missing_write_unknown(void)
{
	const struct sched_cpu *cpu;
	uint32_t number = 0;

	json_key("unknown");
	json_begin_list();
	while ((cpu = next_unknown(&number))) {
		json_item();
		json_begin();
		json_key_uint("cpu", number - 1);
		json_key_uint("before_ns", cpu->begin_ns);
		json_end();
	}
	json_end_list();
}
