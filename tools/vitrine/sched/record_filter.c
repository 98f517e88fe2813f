// SPDX-License-Identifier: GPL-2.0
/*
 * Filter the records of a trace. A record must match all sorts of filters that were
 * given (CPUs, threads and so on), and any of the items of each.
 */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <vitrine/fxt.h>

#include "command.h"
#include "fxt_record.h"
#include "record_filter.h"

/* ---- Names of records -------------------------------------------------- */

/**
 * record_kind() - name the kind of a record
 * @record: record
 *
 * Return: the word for it in the output of `vitrine print'.
 */
const char *record_kind(const struct vitrine_fxt_record *record)
{
	const char *event = NULL;

	if (record->kind == VITRINE_FXT_EVENT)
		event = vitrine_fxt_event_name(record->event.type);
	return event ? event : fxt_row_of(record)->name;
}

static bool is_kind(const char *text)
{
	size_t i;

	for (i = 0; i < FXT_NR_PHASES; i++)
		if (!strcmp(text, fxt_phases[i].name))
			return true;
	for (i = 0; i < FXT_NR_ROWS; i++)
		if (!strcmp(text, fxt_rows[i].name))
			return true;
	return false;
}

struct vitrine_archive *archive;

/* ---- Parsing ----------------------------------------------------------- */

/**
 * record_filter_init() - begin with a filter that matches everything
 * @filter: filter
 */
void record_filter_init(struct record_filter *filter)
{
	*filter = (struct record_filter){ .to_ns = UINT64_MAX };
}

/* Parse digits, at most @max, and advance @text. */
static bool parse_number(const char **text, uint64_t max, uint64_t *ret)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	*ret = strtoull(*text, &end, 10);
	if (errno || *ret > max)
		return false;
	*text = end;
	return true;
}

/* Match these CPUs: numbers and ranges, separated by commas. */
static bool add_cpus(struct record_filter *filter, const char *text)
{
	uint64_t first, last;

	for (;; text++) {
		if (filter->nr_cpus == RECORD_FILTER_ITEMS ||
		    !parse_number(&text, VITRINE_FXT_NO_CPU - 1, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!parse_number(&text, VITRINE_FXT_NO_CPU - 1, &last))
				return false;
		}
		if (last < first)
			return false;
		filter->cpus[filter->nr_cpus].first = first;
		filter->cpus[filter->nr_cpus++].last = last;
		if (*text != ',')
			return !*text;
	}
}

static bool add(const char **items, unsigned int *nr, const char *text)
{
	if (*nr == RECORD_FILTER_ITEMS || !*text)
		return false;
	items[(*nr)++] = text;
	return true;
}

/**
 * record_filter_add() - add the argument of an option
 * @filter: filter
 * @key: the option: 'c' or 'C', CPUs such as "0,2-3"; 't' and 'p', the id or name of a thread or
 *	process; 'e', a kind, "event" for all events, or CATEGORY:NAME, either of them "*"; or
 *	RECORD_FILTER_FROM or RECORD_FILTER_TO, a time
 * @text: the argument
 *
 * Return: false if @text is invalid, or there are too many.
 */
bool record_filter_add(struct record_filter *filter, int key, const char *text)
{
	switch (key) {
	case 't':
		return add(filter->threads, &filter->nr_threads, text);
	case 'p':
		return add(filter->processes, &filter->nr_processes, text);
	case 'e':
		return (strchr(text, ':') || is_kind(text)) &&
		       add(filter->events, &filter->nr_events, text);
	case RECORD_FILTER_FROM:
		return units_parse_duration(text, &filter->from_ns);
	case RECORD_FILTER_TO:
		return units_parse_duration(text, &filter->to_ns);
	default:
		return add_cpus(filter, text);
	}
}

static uint64_t add_times(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/**
 * record_filter_shift() - let a time range count from a time
 * @from_ns: its begin; 0: that of the trace
 * @to_ns: its end; UINT64_MAX: that of the trace
 * @ns: the time
 */
void record_filter_shift(uint64_t *from_ns, uint64_t *to_ns, uint64_t ns)
{
	if (*from_ns)
		*from_ns = add_times(*from_ns, ns);
	*to_ns = add_times(*to_ns, ns);
}

static bool is_full(const struct record_filter *filter)
{
	return filter->nr_cpus == RECORD_FILTER_ITEMS ||
	       filter->nr_threads == RECORD_FILTER_ITEMS ||
	       filter->nr_processes == RECORD_FILTER_ITEMS ||
	       filter->nr_events == RECORD_FILTER_ITEMS;
}

/* Return what an option of a filter takes; NULL: it is another one. */
static const char *expected(int key)
{
	switch (key) {
	case 'c':
	case 'C':
		return "a list of CPUs, such as 0,2-3";
	case 't':
	case 'p':
		return "a name or a number";
	case 'e':
		return "a kind of record, such as switch, or CATEGORY:NAME";
	case RECORD_FILTER_FROM:
	case RECORD_FILTER_TO:
		return "a time, such as 1234.5 (seconds) or 5ms";
	default:
		return NULL;
	}
}

/* Parse an option of a filter; ARGP_ERR_UNKNOWN: it is another one. */
static error_t parse_filter(struct record_filter *filter, int key, char *arg,
			    struct argp_state *state)
{
	if (!expected(key))
		return ARGP_ERR_UNKNOWN;
	if (!record_filter_add(filter, key, arg)) {
		if (is_full(filter))
			argp_error(state, "`%s': more than %d values of one filter", arg,
				   RECORD_FILTER_ITEMS);
		else
			argp_error(state, "`%s' is not %s", arg, expected(key));
	} else if (filter->from_ns > filter->to_ns) {
		argp_error(state, "--from is later than --to");
	}
	return 0;
}

/* What is being parsed. */
static struct {
	const struct command_line *line;
	struct record_filter *filter;
} given;

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	error_t err = given.line->parse ? given.line->parse(key, arg, state) : ARGP_ERR_UNKNOWN;

	return err == ARGP_ERR_UNKNOWN ? parse_filter(given.filter, key, arg, state) : err;
}

/**
 * record_filter_options() - parse the arguments of a command with a filter
 * @line: its options and operands; what it does not parse may be an option of the filter
 * @filter: filter, which matches everything without such options
 * @argc: number of arguments
 * @argv: arguments, which must stay valid; an invalid one ends the program with a message
 */
void record_filter_options(const struct command_line *line, struct record_filter *filter, int argc,
			   char **argv)
{
	struct command_line both = *line;

	record_filter_init(filter);
	given.line = line;
	given.filter = filter;
	both.parse = parse_option;
	options_parse(&both, argc, argv);
}

/* ---- Matching ---------------------------------------------------------- */

/**
 * record_filter_match_cpu() - match a CPU
 * @filter: filter
 * @cpu: CPU, or VITRINE_FXT_NO_CPU
 *
 * Return: true if it matches.
 */
bool record_filter_match_cpu(const struct record_filter *filter, uint32_t cpu)
{
	unsigned int i;

	for (i = 0; i < filter->nr_cpus; i++)
		if (cpu != VITRINE_FXT_NO_CPU && cpu >= filter->cpus[i].first &&
		    cpu <= filter->cpus[i].last)
			return true;
	return !filter->nr_cpus;
}

static bool string_is(const struct vitrine_fxt_string *string, const char *text, size_t len)
{
	return string->len_bytes == len && !memcmp(string->bytes, text, len);
}

/* Return whether any item is the name, or the digits of the id. */
static bool match_items(const char * const *items, unsigned int nr, uint64_t koid,
			const struct vitrine_fxt_string *name)
{
	unsigned int i;
	uint64_t number;

	for (i = 0; i < nr; i++) {
		const char *at = items[i];

		if (parse_number(&at, UINT64_MAX, &number) && !*at) {
			if (number == koid)
				return true;
		} else if (name && string_is(name, items[i], strlen(items[i]))) {
			return true;
		}
	}
	return false;
}

/**
 * record_process() - find the process of a thread
 * @thread: thread, as in a record
 *
 * Return: koid of its process, or VITRINE_FXT_NO_PROCESS.
 */
uint64_t record_process(const struct vitrine_fxt_thread *thread)
{
	uint64_t process = VITRINE_FXT_NO_PROCESS;
	struct vitrine_fxt_string name;

	if (thread->process != VITRINE_FXT_NO_PROCESS)
		return thread->process;
	vitrine_archive_thread(archive, thread->thread, &name, &process);
	return process;
}

static bool match_thread(const struct record_filter *filter,
			 const struct vitrine_fxt_thread *thread)
{
	struct vitrine_fxt_string name = { "idle", 4 };
	uint64_t process;
	bool named;

	named = vitrine_archive_thread(archive, thread->thread, &name, &process) || !thread->thread;
	return match_items(filter->threads, filter->nr_threads, thread->thread,
			   named ? &name : NULL);
}

static bool match_process(const struct record_filter *filter, uint64_t process)
{
	struct vitrine_fxt_string name;
	bool named;

	if (process == VITRINE_FXT_NO_PROCESS)
		return false;
	named = vitrine_archive_process(archive, process, &name);
	return match_items(filter->processes, filter->nr_processes, process, named ? &name : NULL);
}

/**
 * record_filter_match_thread() - match a thread
 * @filter: filter
 * @thread: the thread
 *
 * Return: true if the thread and its process match. A stand-in for threads that were not
 * recorded matches no filter.
 */
bool record_filter_match_thread(const struct record_filter *filter,
				const struct vitrine_fxt_thread *thread)
{
	if (fxt_is_others(thread->thread) ||
	    (filter->nr_threads && !match_thread(filter, thread)))
		return false;
	return !filter->nr_processes ||
	       match_process(filter, record_process(thread));
}

/* Idle is a thread only for those who ask for it. */
static bool match_side(const struct record_filter *filter, const struct vitrine_fxt_record *record,
		       const struct vitrine_fxt_thread *thread, const char *weight)
{
	if (!filter->nr_threads && !filter->nr_processes && fxt_is_idle(record, thread, weight))
		return false;
	return record_filter_match_thread(filter, thread);
}

/**
 * record_filter_match_scheduling() - match a switch or a wakeup by its threads
 * @filter: filter
 * @record: the record
 *
 * Return: true if the woken thread matches, or one of the threads of a switch.
 */
bool record_filter_match_scheduling(const struct record_filter *filter,
				    const struct vitrine_fxt_record *record)
{
	if (record->kind == VITRINE_FXT_WAKEUP)
		return record_filter_match_thread(filter, &record->wakeup);
	return record->kind == VITRINE_FXT_SWITCH &&
	       (match_side(filter, record, &record->context_switch.outgoing,
			   "outgoing_weight") ||
		match_side(filter, record, &record->context_switch.incoming,
			   "incoming_weight"));
}

/* An object is a thread, or of a process. */
static bool match_object(const struct record_filter *filter,
			 const struct vitrine_fxt_record *record)
{
	struct vitrine_fxt_thread thread = { .process = VITRINE_FXT_NO_PROCESS };

	if (record->kind == VITRINE_FXT_KERNEL_OBJECT) {
		thread.thread = record->kernel_object.koid;
		if (record->kernel_object.type == FXT_OBJECT_TYPE_THREAD)
			return record_filter_match_thread(filter, &thread);
		return record->kernel_object.type == FXT_OBJECT_TYPE_PROCESS &&
		       !filter->nr_threads &&
		       match_process(filter, record->kernel_object.koid);
	}
	return record->kind == VITRINE_FXT_USERSPACE_OBJECT && !filter->nr_threads &&
	       match_process(filter, record->userspace_object.process);
}

/* One thread of the record must match both as a thread and by its process. */
static bool match_threads(const struct record_filter *filter,
			  const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_thread *thread;
	unsigned int i = 0;

	if (!filter->nr_threads && !filter->nr_processes)
		return true;
	while ((thread = fxt_thread_of(record, i++)))
		if (record_filter_match_thread(filter, thread))
			return true;
	return match_object(filter, record);
}

static bool match_part(const struct vitrine_fxt_string *string, const char *text, size_t len)
{
	return (len == 1 && *text == '*') || string_is(string, text, len);
}

static bool match_subject(const char *text, const struct vitrine_fxt_string *category,
			  const struct vitrine_fxt_string *name)
{
	const char *colon = strchr(text, ':');

	return match_part(category, text, colon - text) &&
	       match_part(name, colon + 1, strlen(colon + 1));
}

static bool match_event(const char *text, const struct vitrine_fxt_record *record)
{
	if (strchr(text, ':')) {
		if (record->kind == VITRINE_FXT_EVENT)
			return match_subject(text, &record->event.category, &record->event.name);
		return record->kind == VITRINE_FXT_LARGE_BLOB &&
		       match_subject(text, &record->large_blob.category,
				     &record->large_blob.name);
	}
	return !strcmp(text, record_kind(record)) ||
	       (record->kind == VITRINE_FXT_EVENT && !strcmp(text, "event"));
}

static bool match_events(const struct record_filter *filter,
			 const struct vitrine_fxt_record *record)
{
	unsigned int i;

	for (i = 0; i < filter->nr_events; i++)
		if (match_event(filter->events[i], record))
			return true;
	return !filter->nr_events;
}

static bool match_time(const struct record_filter *filter, const struct vitrine_fxt_record *record)
{
	uint64_t ns;

	if (!filter->from_ns && filter->to_ns == UINT64_MAX)
		return true;
	ns = vitrine_fxt_ns(record->ticks, record->ticks_per_second);
	return ns >= filter->from_ns && ns <= filter->to_ns;
}

/**
 * record_filter_match() - match a record
 * @filter: filter
 * @record: the record
 *
 * A record without a time has the time of the record before.
 *
 * Return: true if it matches.
 */
bool record_filter_match(const struct record_filter *filter,
			 const struct vitrine_fxt_record *record)
{
	return record_filter_match_cpu(filter, record->cpu) &&
	       match_time(filter, record) && match_events(filter, record) &&
	       match_threads(filter, record);
}
