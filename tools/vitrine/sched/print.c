// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine print': print a trace as text or JSON, one line per record, in time order over all
 * CPUs. record_filter.c selects the records. Documentation/json.rst has the schema of JSON. A line
 * of text is
 *
 *	  SECONDS.NANOSECONDS [CPU] what  details
 *
 * Context switches are frequent, so the parts of their lines are cached: labels of
 * threads, and the text of the current second.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vitrine/fxt.h>

#include "archive.h"
#include "base.h"
#include "command.h"
#include "fxt_record.h"
#include "print.h"
#include "record_filter.h"
#include "trace_input.h"

#define NSEC_PER_SEC	1000000000ULL

/**
 * struct print_args - the options of `vitrine print'
 * @path: trace to read
 * @all: include records without a time, and file offsets
 * @relative: print times relative to the first record
 * @json: print JSON
 * @filter: records to print
 */
struct print_args {
	const char *path;
	bool all;
	bool relative;
	bool json;
	struct record_filter filter;
};

/**
 * struct printer - a trace being printed
 * @args: the options
 * @archive: the trace
 * @filter: that of @args; with --relative, its times are made absolute
 * @began: a record with a time has been read
 * @base_ns: with --relative, the time of that record
 * @text: writer of text
 * @json: writer of JSON
 */
struct printer {
	const struct print_args *args;
	struct vitrine_archive *archive;
	struct record_filter filter;
	bool began;
	uint64_t base_ns;
	struct print_state text;
	struct json_writer json;
};

/* ---- JSON -------------------------------------------------------------- */

/* Relative to the first record, a time may be negative. */
static void member_time(struct json_writer *json, const char *name,
			uint64_t ns, uint64_t base_ns)
{
	json_key(json, name);
	if (ns >= base_ns)
		json_uint(json, ns - base_ns);
	else
		json_int(json, -(int64_t)(base_ns - ns));
}

static void member_text(struct json_writer *json, const char *name,
			const struct vitrine_fxt_string *string)
{
	json_key(json, name);
	json_text(json, string->bytes, string->len_bytes);
}

/**
 * record_json_thread() - write a thread as an object
 * @json: writer
 * @archive: trace that has the names
 * @thread: the thread
 */
void record_json_thread(struct json_writer *json,
			const struct vitrine_archive *archive,
			const struct vitrine_fxt_thread *thread)
{
	struct vitrine_fxt_string name = { "idle", 4 };
	uint64_t process = record_process(archive, thread), unused;

	json_begin(json);
	json_key_uint(json, "tid", thread->thread);
	if (process != VITRINE_FXT_NO_PROCESS)
		json_key_uint(json, "pid", process);
	if (fxt_is_others(thread->thread))
		json_key_string(json, "name", FXT_OTHERS_NAME);
	else if (vitrine_archive_thread(archive, thread->thread, &name, &unused) ||
		 !thread->thread)
		member_text(json, "name", &name);
	json_end(json);
}

static void write_value(struct json_writer *json,
			const struct vitrine_fxt_arg *arg)
{
	switch (fxt_arg_class(arg->type)) {
	case FXT_CLASS_SIGNED:
		json_int(json, arg->value.int64);
		break;
	case FXT_CLASS_UNSIGNED:
	case FXT_CLASS_ADDRESS:
		json_uint(json, arg->value.uint64);
		break;
	case FXT_CLASS_REAL:
		json_real(json, arg->value.real);
		break;
	case FXT_CLASS_TEXT:
		json_text(json, arg->value.string.bytes,
			  arg->value.string.len_bytes);
		break;
	case FXT_CLASS_BOOL:
		json_boolean(json, arg->value.boolean);
		break;
	case FXT_CLASS_NONE:
		json_null(json);
		break;
	}
}

/* Return how many arguments before @i have its name. */
static unsigned int ordinal_of(const struct vitrine_fxt_record *record,
			       unsigned int i)
{
	const struct vitrine_fxt_string *name = &record->args[i].name, *other;
	unsigned int j, ordinal = 0;

	for (j = 0; j < i; j++) {
		other = &record->args[j].name;
		ordinal += other->len_bytes == name->len_bytes &&
			   !memcmp(other->bytes, name->bytes, name->len_bytes);
	}
	return ordinal;
}

static void write_args(struct json_writer *json,
		       const struct vitrine_fxt_record *record)
{
	unsigned int i;

	if (!record->nr_args)
		return;
	json_key(json, "args");
	json_begin(json);
	for (i = 0; i < record->nr_args; i++) {
		json_member(json, record->args[i].name.bytes,
			    record->args[i].name.len_bytes,
			    ordinal_of(record, i));
		write_value(json, &record->args[i]);
	}
	json_end(json);
}

static void write_number(struct json_writer *json, const struct fxt_field *field,
			 uint64_t number)
{
	const char *word = field->word ? field->word(number) : NULL;

	if (word)
		json_key_string(json, field->key, word);
	else
		json_key_uint(json, field->key, number);
}

/* The last word of an event is its end, its id, or not there. */
static void write_last_word(struct json_writer *json, const struct fxt_field *field,
			    const struct vitrine_fxt_record *record, uint64_t base_ns)
{
	if (record->event.type == FXT_EVENT_DURATION_COMPLETE)
		member_time(json, "end_ns",
			    vitrine_fxt_ns(record->event.id, record->ticks_per_second), base_ns);
	else if (vitrine_fxt_event_has_id(record->event.type))
		json_key_uint(json, field->key, record->event.id);
}

static void write_field(struct json_writer *json, const struct vitrine_archive *archive,
			const struct fxt_field *field,
			const struct vitrine_fxt_record *record, uint64_t base_ns)
{
	const void *from = (const char *)record + field->at;
	const struct vitrine_fxt_string *text = from;

	switch (field->op) {
	case FXT_BITS:
		write_number(json, field, *(const uint32_t *)from);
		break;
	case FXT_BYTE:
		write_number(json, field, *(const uint8_t *)from);
		break;
	case FXT_WORD:
	case FXT_ADDRESS:
	case FXT_PROCESS:
		json_key_uint(json, field->key, *(const uint64_t *)from);
		break;
	case FXT_THREAD:
	case FXT_KOID:
		json_key(json, field->key);
		record_json_thread(json, archive, from);
		break;
	case FXT_BYTES:
	case FXT_PAYLOAD:
		json_key_uint(json, field->key, text->len_bytes);
		break;
	case FXT_LAST_WORD:
		write_last_word(json, field, record, base_ns);
		break;
	default:
		member_text(json, field->key, text);
		break;
	}
}

/**
 * record_json() - write a record as an object on a line
 * @json: writer, not pretty
 * @archive: trace
 * @record: the record
 * @base_ns: base of its times
 */
void record_json(struct json_writer *json,
		 const struct vitrine_archive *archive,
		 const struct vitrine_fxt_record *record, uint64_t base_ns)
{
	const struct fxt_field *field;

	json_begin(json);
	member_time(json, "time_ns",
		    vitrine_fxt_ns(record->ticks, record->ticks_per_second),
		    base_ns);
	json_key_uint(json, "offset", record->offset);
	json_key_uint(json, "provider", record->provider);
	if (record->cpu != VITRINE_FXT_NO_CPU)
		json_key_uint(json, "cpu", record->cpu);
	json_key_string(json, "kind", record_kind(record));
	for (field = fxt_row_of(record)->fields; field->op; field++)
		if (field->key)
			write_field(json, archive, field, record, base_ns);
	write_args(json, record);
	json_end(json);
	json_newline(json);
}

/* ---- Text -------------------------------------------------------------- */

static void split_time(struct print_state *state,
		       const struct vitrine_fxt_record *record, uint64_t ticks,
		       uint64_t *ret_s, uint64_t *ret_ns)
{
	uint64_t rate = record->ticks_per_second, rest;

	/* Unsigned arithmetic: a time before the second is far beyond it, too. */
	if (rate != state->rate || ticks - state->second_ticks >= rate) {
		state->rate = rate;
		state->second = ticks / rate;
		state->second_ticks = state->second * rate;
	}
	rest = ticks - state->second_ticks;
	*ret_s = state->second;
	if (rate == NSEC_PER_SEC)
		*ret_ns = rest;
	else if (rest < UINT64_MAX / NSEC_PER_SEC)
		*ret_ns = rest * NSEC_PER_SEC / rate;
	else
		*ret_ns = (__uint128_t)rest * NSEC_PER_SEC / rate;
}

static void find_time(struct print_state *state,
		      const struct vitrine_fxt_record *record, uint64_t ticks,
		      uint64_t *ret_s, uint64_t *ret_ns)
{
	split_time(state, record, ticks, ret_s, ret_ns);
	*ret_s -= state->base_s;
	if (*ret_ns < state->base_ns) {
		*ret_ns += NSEC_PER_SEC;
		--*ret_s;
	}
	*ret_ns -= state->base_ns;
}

static void put_time(struct print_state *state,
		     const struct vitrine_fxt_record *record, uint64_t ticks)
{
	uint64_t s, ns;

	find_time(state, record, ticks, &s, &ns);
	line_put_number(&state->out, s, 0, ' ');
	line_put_char(&state->out, '.');
	line_put_nine(&state->out, ns);
}

/* Put the first column; its seconds rarely change from line to line. */
static void put_time_column(struct print_state *state,
			    const struct vitrine_fxt_record *record)
{
	uint64_t s, ns;
	int len;

	find_time(state, record, record->ticks, &s, &ns);
	if (s != state->shown_s || !state->len_seconds) {
		len = snprintf(state->seconds, sizeof(state->seconds),
			       "%6llu.", (unsigned long long)s);
		state->len_seconds = len;
		state->shown_s = s;
	}
	line_put_array(&state->out, state->seconds, state->len_seconds);
	line_put_nine(&state->out, ns);
}

static struct vitrine_fxt_string find_name(struct print_state *state,
					   const struct vitrine_fxt_thread *thread,
					   uint64_t *ret_process)
{
	struct vitrine_fxt_string name = { "?", 1 };
	uint64_t process = VITRINE_FXT_NO_PROCESS;

	if (!vitrine_archive_thread(state->archive, thread->thread, &name,
				    &process) && !thread->thread)
		name = (struct vitrine_fxt_string){ "idle", 4 };
	*ret_process = thread->process == VITRINE_FXT_NO_PROCESS ?
		       process : thread->process;
	return name;
}

/* Put the label of a thread, and cache it if it is contiguous in the buffer. */
static void put_new_label(struct print_state *state, struct print_label *label,
			  const struct vitrine_fxt_thread *thread)
{
	struct line_output *out = &state->out;
	struct vitrine_fxt_string name;
	uint64_t process;
	const char *from;
	ptrdiff_t len;

	line_room(out);
	from = out->at;
	name = find_name(state, thread, &process);
	line_put_text(out, name.bytes, name.len_bytes);
	line_put_char(out, ':');
	line_put_number(out, thread->thread, 0, ' ');
	if (process != VITRINE_FXT_NO_PROCESS) {
		line_put_char(out, '/');
		line_put_number(out, process, 0, ' ');
	}
	len = out->at - from;
	label->thread = *thread;
	label->known = true;
	label->len_bytes = 0;
	/* A long name, or a flush in between: @from is not the begin of the label. */
	if (name.len_bytes > PRINT_LABEL_BYTES || len <= 0 ||
	    len > PRINT_LABEL_BYTES)
		return;
	memcpy(label->text, from, len);
	label->len_bytes = len;
}

static void put_thread(struct print_state *state,
		       const struct vitrine_fxt_thread *thread)
{
	/* Switches have the process of a thread, and wakeups do not. */
	uint64_t slot = 2 * thread->thread + (thread->process == VITRINE_FXT_NO_PROCESS);
	struct print_label *label = &state->labels[slot % PRINT_LABELS];

	if (!label->known || label->thread.thread != thread->thread ||
	    label->thread.process != thread->process || !label->len_bytes)
		put_new_label(state, label, thread);
	else
		line_put_array(&state->out, label->text, label->len_bytes);
}

static void put_value(struct print_state *state,
		      const struct vitrine_fxt_arg *arg)
{
	struct line_output *out = &state->out;

	switch (fxt_arg_class(arg->type)) {
	case FXT_CLASS_SIGNED:
		line_put_signed(out, arg->value.int64);
		break;
	case FXT_CLASS_UNSIGNED:
		line_put_number(out, arg->value.uint64, 0, ' ');
		break;
	case FXT_CLASS_REAL:
		line_put_real(out, arg->value.real);
		break;
	case FXT_CLASS_TEXT:
		line_put_char(out, '"');
		line_put_text(out, arg->value.string.bytes, arg->value.string.len_bytes);
		line_put_char(out, '"');
		break;
	case FXT_CLASS_ADDRESS:
		line_put_hex(out, arg->value.uint64, 0);
		break;
	case FXT_CLASS_BOOL:
		line_put_string(out, arg->value.boolean ? "true" : "false");
		break;
	case FXT_CLASS_NONE:
		if (arg->type == FXT_ARG_NULL) {
			line_put_string(out, "null");
			break;
		}
		line_put_string(out, "(type ");
		line_put_number(out, arg->type, 0, ' ');
		line_put_char(out, ')');
		break;
	}
}

static void put_args(struct print_state *state,
		     const struct vitrine_fxt_record *record)
{
	unsigned int i;

	for (i = 0; i < record->nr_args; i++) {
		line_room(&state->out);
		line_put_char(&state->out, ' ');
		line_put_text(&state->out, record->args[i].name.bytes,
			      record->args[i].name.len_bytes);
		line_put_char(&state->out, '=');
		put_value(state, &record->args[i]);
	}
}

/* Put a number, or the word for it. */
static void put_number(struct line_output *out, const struct fxt_field *field, uint64_t number)
{
	const char *word = field->word ? field->word(number) : NULL;

	if (word) {
		line_put_string(out, word);
		return;
	}
	if (field->word) {
		line_put_string(out, field->key);
		line_put_char(out, ' ');
	}
	line_put_number(out, number, 0, ' ');
}

/* Put the type of an event, as wide as the words for other kinds. */
static void put_phase(struct line_output *out, unsigned int type)
{
	static const char spaces[] = "       ";
	const char *name = vitrine_fxt_event_name(type) ?: "event";
	size_t len = strlen(name);

	line_put_string(out, name);
	line_put_string(out, spaces + (len < 7 ? len : 7));
}

static void put_last_word(struct print_state *state, const struct vitrine_fxt_record *record)
{
	if (record->event.type == FXT_EVENT_DURATION_COMPLETE) {
		line_put_string(&state->out, " until ");
		put_time(state, record, record->event.id);
	} else if (vitrine_fxt_event_has_id(record->event.type)) {
		line_put_string(&state->out, " id ");
		line_put_number(&state->out, record->event.id, 0, ' ');
	}
}

static void put_field(struct print_state *state, const struct fxt_field *field,
		      const struct vitrine_fxt_record *record)
{
	const void *from = (const char *)record + field->at;
	const struct vitrine_fxt_string *text = from;
	struct line_output *out = &state->out;

	switch (field->op) {
	case FXT_BITS:
		put_number(out, field, *(const uint32_t *)from);
		break;
	case FXT_BYTE:
		put_number(out, field, *(const uint8_t *)from);
		break;
	case FXT_PHASE:
		put_phase(out, record->event.type);
		break;
	case FXT_WORD:
	case FXT_PROCESS:
		line_put_number(out, *(const uint64_t *)from, 0, ' ');
		break;
	case FXT_ADDRESS:
		line_put_hex(out, *(const uint64_t *)from, 0);
		break;
	case FXT_THREAD:
	case FXT_KOID:
		put_thread(state, from);
		break;
	case FXT_BYTES:
	case FXT_PAYLOAD:
		line_put_number(out, text->len_bytes, 0, ' ');
		break;
	case FXT_LAST_WORD:
		put_last_word(state, record);
		break;
	default:
		line_put_text(out, text->bytes, text->len_bytes);
		break;
	}
}

/* Put a priority, which is at most 255. */
static void put_priority(struct line_output *out, unsigned int priority)
{
	line_put(out, " [", 2);
	if (priority >= 100)
		line_put_char(out, '0' + priority / 100);
	if (priority >= 10)
		line_put_char(out, '0' + priority / 10 % 10);
	line_put_char(out, '0' + priority % 10);
	line_put_char(out, ']');
}

/* Fast path: put the details of a legacy switch. */
static void put_switch(struct print_state *state,
		       const struct vitrine_fxt_record *record, const char *outgoing_state)
{
	struct line_output *out = &state->out;

	line_put_string(out, "switch  ");
	put_thread(state, &record->context_switch.outgoing);
	put_priority(out, record->context_switch.outgoing_priority);
	line_put_char(out, ' ');
	line_put_string(out, outgoing_state);
	line_put_string(out, " ==> ");
	put_thread(state, &record->context_switch.incoming);
	put_priority(out, record->context_switch.incoming_priority);
}

/* Put the text of the record's kind, with its fields in the place of %1 to %9. */
static void put_details(struct print_state *state,
			const struct vitrine_fxt_record *record)
{
	const struct fxt_row *row = fxt_row_of(record);
	const char *text, *outgoing_state;

	if (record->kind == VITRINE_FXT_SWITCH && record->context_switch.legacy) {
		outgoing_state = vitrine_fxt_state_name(record->context_switch.outgoing_state);
		if (outgoing_state) {
			put_switch(state, record, outgoing_state);
			return;
		}
	}
	for (text = row->text; *text; text++) {
		if (*text == '%')
			put_field(state, &row->fields[*++text - '1'], record);
		else
			line_put_char(&state->out, *text);
	}
	put_args(state, record);
}

static void put_cpu(struct line_output *out, unsigned int cpu)
{
	if (cpu >= 1000) {
		line_put_number(out, cpu, 0, ' ');
		return;
	}
	line_put_char(out, '0' + cpu / 100);
	line_put_char(out, '0' + cpu / 10 % 10);
	line_put_char(out, '0' + cpu % 10);
}

/**
 * print_record() - print one record
 * @state: state kept from line to line
 * @record: record
 */
void print_record(struct print_state *state,
		  const struct vitrine_fxt_record *record)
{
	struct line_output *out = &state->out;

	line_room(out);
	if (state->all) {
		line_put_hex(out, record->offset, 8);
		line_put_char(out, ' ');
	}
	put_time_column(state, record);
	if (record->cpu == VITRINE_FXT_NO_CPU) {
		line_put(out, " [---] ", 7);
	} else {
		line_put(out, " [", 2);
		put_cpu(out, record->cpu);
		line_put(out, "] ", 2);
	}
	put_details(state, record);
	line_room(out);
	line_put_char(out, '\n');
}

/* ---- The trace --------------------------------------------------------- */

static uint64_t add_times(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* With --relative, times count from @record, the first one that has a time. */
static void begin(struct printer *printer,
		  const struct vitrine_fxt_record *record)
{
	struct record_filter *filter = &printer->filter;
	uint64_t base_ns;

	printer->began = true;
	if (!printer->args->relative)
		return;
	base_ns = vitrine_fxt_ns(record->ticks, record->ticks_per_second);
	printer->base_ns = base_ns;
	printer->text.base_s = base_ns / NSEC_PER_SEC;
	printer->text.base_ns = base_ns % NSEC_PER_SEC;
	if (filter->from_ns)
		filter->from_ns = add_times(filter->from_ns, base_ns);
	filter->to_ns = add_times(filter->to_ns, base_ns);
}

static bool wanted(const struct printer *printer,
		   const struct vitrine_fxt_record *record)
{
	if (!printer->args->all && !record->timed &&
	    record->kind != VITRINE_FXT_PROVIDER_EVENT)
		return false;
	return record_filter_match(&printer->filter, printer->archive, record);
}

/*
 * Records are in time order, so all later ones are out of range, too. Printing does not
 * continue for the few that were written long after their time.
 */
static bool is_over(const struct printer *printer,
		    const struct vitrine_fxt_record *record)
{
	return record->timed && printer->filter.to_ns != UINT64_MAX &&
	       vitrine_fxt_ns(record->ticks, record->ticks_per_second) >
	       printer->filter.to_ns;
}

/* Print a record if it is wanted. Return false if no more are. */
static bool print_one(struct printer *printer, const struct vitrine_fxt_record *record)
{
	if (ferror(stdout))
		return false;
	if (!printer->began && record->timed)
		begin(printer, record);
	if (is_over(printer, record))
		return false;
	if (!wanted(printer, record))
		return true;
	if (printer->args->json)
		record_json(&printer->json, printer->archive, record,
			    printer->base_ns);
	else
		print_record(&printer->text, record);
	return true;
}

static struct vitrine_error *print_archive(const void *ctx,
					   struct vitrine_archive *archive)
{
	const struct print_args *args = ctx;
	struct printer *printer = calloc(1, sizeof(*printer));
	const struct vitrine_fxt_record *record;
	struct vitrine_error *err;

	if (!printer)
		return vtr_error_no_memory();
	printer->args = args;
	printer->archive = archive;
	printer->filter = args->filter;
	printer->text.archive = archive;
	printer->text.all = args->all;
	line_init(&printer->text.out, stdout);
	json_init(&printer->json, stdout, false);
	do
		err = vitrine_archive_next(archive, &record);
	while (!err && record && print_one(printer, record));
	line_flush(&printer->text.out);
	json_flush(&printer->json);
	free(printer);
	return err;
}

/* Print a trace. Returns enum exit_code. */
static int print_run(const struct print_args *args)
{
	const struct selection selection = {
		.filter = &args->filter,
		.by_record = true,
		.untimed = args->all,
		.relative = args->relative,
	};

	return trace_input_run(args->path, &selection, print_archive, args);
}

/* ---- Options ----------------------------------------------------------- */

static struct print_args args;

static const struct command_option options[] = {
	{ "all", 'a', NULL, "Include records without a time; print offsets", .flag = &args.all },
	{ "relative", 'r', NULL, "Print times relative to the first record",
	  .flag = &args.relative },
	{ "json", 'j', NULL, "Print one JSON object per line", .flag = &args.json },
	{ .help = "Filters:" },
	{ "cpu", 'c', "LIST", .help = "Match CPUs, such as 0,2-3" },
	{ "thread", 't', "TID|NAME", .help = "Match a thread, on either side of a switch" },
	{ "process", 'p', "PID|NAME", .help = "Match the threads of a process" },
	{ "event", 'e', "EVENT", .help = "Match a kind, such as switch, or CATEGORY:NAME" },
	{ "from", RECORD_FILTER_FROM, "TIME",
	  .help = "Start at TIME, such as 1234.5 (seconds) or 5ms" },
	{ "to", RECORD_FILTER_TO, "TIME", .help = "End at TIME" },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	return record_filter_parse(&args.filter, key, arg, state);
}

static const struct command_line line = {
	.options = options,
	.parse = parse_option,
	.operand = &args.path,
	.operand_name = "FILE",
	.is_needed = true,
	.args_doc = "FILE",
	.doc = "Print a trace as text or JSON, one line per record, in time order.\n"
	       "\013A record is printed if it matches all filters. If a filter is given several\n"
	       "times, one of its values must match. CATEGORY or NAME may be *, which matches\n"
	       "any.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine print load.fxt | tail\n"
	       "  vitrine print -c 3 --from 1234.50 --to 1234.52 load.fxt\n"
	       "  vitrine print -j -e switch -t postgres load.fxt",
};

int cmd_print(int argc, char **argv)
{
	args = (struct print_args){ 0 };
	record_filter_init(&args.filter);
	options_parse(&line, argc, argv);
	return print_run(&args);
}
