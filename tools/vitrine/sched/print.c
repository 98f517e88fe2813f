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
#include <stddef.h>
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
static struct print_args {
	const char *path;
	bool all;
	bool relative;
	bool json;
	struct record_filter filter;
} args;

#define PRINT_LABELS		8192
#define PRINT_LABEL_BYTES	64

/* A cached label "name:tid/pid" of a thread. */
struct print_label {
	struct vitrine_fxt_thread thread;
	uint8_t known;
	uint8_t len_bytes;	/* 0: too long for the cache */
	char text[PRINT_LABEL_BYTES];
};

/**
 * struct printer - a trace being printed
 * @began: a record with a time has been read
 * @all: print the file offset of each record
 * @base_ns: base of printed times
 * @base_s: the same in seconds
 * @base_rest_ns: and the rest of it
 * @rate: ticks per second for which @second and @second_ticks are valid, or 0
 * @second: the current second
 * @second_ticks: its begin in ticks
 * @seconds: @shown_s as text, as wide as the first column, with the point
 * @len_seconds: length of that text, 0 before the first line
 * @shown_s: the second printed last
 * @labels: labels of recent threads, by koid
 * @out: writer of text
 */
static struct printer {
	bool began;
	bool all;
	uint64_t base_ns;
	uint64_t base_s;
	uint64_t base_rest_ns;
	uint64_t rate;
	uint64_t second;
	uint64_t second_ticks;
	char seconds[24];
	unsigned int len_seconds;
	uint64_t shown_s;
	struct print_label labels[PRINT_LABELS];
	struct line_output out;
} printer;

/* ---- JSON -------------------------------------------------------------- */

/* Relative to the first record, a time may be negative. */
static void member_time(const char *name, uint64_t ns)
{
	json_key(name);
	if (ns >= printer.base_ns)
		json_uint(ns - printer.base_ns);
	else
		json_int(-(int64_t)(printer.base_ns - ns));
}

static void member_text(const char *name, const struct vitrine_fxt_string *string)
{
	json_key(name);
	json_text(string->bytes, string->len_bytes);
}

/**
 * record_json_thread() - write a thread as an object
 * @thread: the thread
 */
void record_json_thread(const void *thread)
{
	const struct vitrine_fxt_thread *id = thread;
	struct vitrine_fxt_string name = { "idle", 4 };
	uint64_t process = record_process(id), unused;

	json_begin();
	json_key_uint("tid", id->thread);
	if (process != VITRINE_FXT_NO_PROCESS)
		json_key_uint("pid", process);
	if (fxt_is_others(id->thread))
		json_key_string("name", FXT_OTHERS_NAME);
	else if (vitrine_archive_thread(archive, id->thread, &name, &unused) || !id->thread)
		member_text("name", &name);
	json_end();
}

static void write_value(const struct vitrine_fxt_arg *arg)
{
	switch (fxt_arg_class(arg->type)) {
	case FXT_CLASS_SIGNED:
		json_int(arg->value.int64);
		break;
	case FXT_CLASS_UNSIGNED:
	case FXT_CLASS_ADDRESS:
		json_uint(arg->value.uint64);
		break;
	case FXT_CLASS_REAL:
		json_real(arg->value.real);
		break;
	case FXT_CLASS_TEXT:
		json_text(arg->value.string.bytes, arg->value.string.len_bytes);
		break;
	case FXT_CLASS_BOOL:
		json_boolean(arg->value.boolean);
		break;
	case FXT_CLASS_NONE:
		json_null();
		break;
	}
}

/* Return how many arguments before @i have its name. */
static unsigned int ordinal_of(const struct vitrine_fxt_record *record, unsigned int i)
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

static void write_args(const struct vitrine_fxt_record *record)
{
	unsigned int i;

	if (!record->nr_args)
		return;
	json_key("args");
	json_begin();
	for (i = 0; i < record->nr_args; i++) {
		json_member(record->args[i].name.bytes, record->args[i].name.len_bytes,
			    ordinal_of(record, i));
		write_value(&record->args[i]);
	}
	json_end();
}

static void write_number(const struct fxt_field *field, uint64_t number)
{
	const char *word = field->word ? field->word(number) : NULL;

	if (word)
		json_key_string(field->key, word);
	else
		json_key_uint(field->key, number);
}

/* The last word of an event is its end, its id, or not there. */
static void write_last_word(const struct fxt_field *field, const struct vitrine_fxt_record *record)
{
	if (record->event.type == FXT_EVENT_DURATION_COMPLETE)
		member_time("end_ns", vitrine_fxt_ns(record->event.id, record->ticks_per_second));
	else if (vitrine_fxt_event_has_id(record->event.type))
		json_key_uint(field->key, record->event.id);
}

static void write_field(const struct fxt_field *field, const struct vitrine_fxt_record *record)
{
	const void *from = (const char *)record + field->at;
	const struct vitrine_fxt_string *text = from;

	switch (field->op) {
	case FXT_BITS:
		write_number(field, *(const uint32_t *)from);
		break;
	case FXT_BYTE:
		write_number(field, *(const uint8_t *)from);
		break;
	case FXT_CONTEXT:
		if (*(const uint8_t *)from)
			write_number(field, *(const uint8_t *)from);
		break;
	case FXT_WORD:
	case FXT_ADDRESS:
	case FXT_PROCESS:
		json_key_uint(field->key, *(const uint64_t *)from);
		break;
	case FXT_THREAD:
	case FXT_KOID:
		json_key(field->key);
		record_json_thread(from);
		break;
	case FXT_BYTES:
	case FXT_PAYLOAD:
		json_key_uint(field->key, text->len_bytes);
		break;
	case FXT_LAST_WORD:
		write_last_word(field, record);
		break;
	default:
		member_text(field->key, text);
		break;
	}
}

/**
 * record_json() - write a record as an object on a line
 * @record: the record
 */
void record_json(const struct vitrine_fxt_record *record)
{
	const struct fxt_field *field;

	json_begin();
	member_time("time_ns", vitrine_fxt_ns(record->ticks, record->ticks_per_second));
	json_key_uint("offset", record->offset);
	json_key_uint("provider", record->provider);
	if (record->cpu != VITRINE_FXT_NO_CPU)
		json_key_uint("cpu", record->cpu);
	json_key_string("kind", record_kind(record));
	for (field = fxt_row_of(record)->fields; field->op; field++)
		if (field->key)
			write_field(field, record);
	write_args(record);
	json_end();
	json_newline();
}

/* ---- Text -------------------------------------------------------------- */

static void split_time(const struct vitrine_fxt_record *record, uint64_t ticks, uint64_t *ret_s,
		       uint64_t *ret_ns)
{
	uint64_t rate = record->ticks_per_second, rest;

	/* Unsigned arithmetic: a time before the second is far beyond it, too. */
	if (rate != printer.rate || ticks - printer.second_ticks >= rate) {
		printer.rate = rate;
		printer.second = ticks / rate;
		printer.second_ticks = printer.second * rate;
	}
	rest = ticks - printer.second_ticks;
	*ret_s = printer.second;
	if (rate == NSEC_PER_SEC)
		*ret_ns = rest;
	else if (rest < UINT64_MAX / NSEC_PER_SEC)
		*ret_ns = rest * NSEC_PER_SEC / rate;
	else
		*ret_ns = (__uint128_t)rest * NSEC_PER_SEC / rate;
}

static void find_time(const struct vitrine_fxt_record *record, uint64_t ticks, uint64_t *ret_s,
		      uint64_t *ret_ns)
{
	split_time(record, ticks, ret_s, ret_ns);
	*ret_s -= printer.base_s;
	if (*ret_ns < printer.base_rest_ns) {
		*ret_ns += NSEC_PER_SEC;
		--*ret_s;
	}
	*ret_ns -= printer.base_rest_ns;
}

static void put_time(const struct vitrine_fxt_record *record, uint64_t ticks)
{
	uint64_t s, ns;

	find_time(record, ticks, &s, &ns);
	line_put_number(&printer.out, s, 0, ' ');
	line_put_char(&printer.out, '.');
	line_put_nine(&printer.out, ns);
}

/* Put the first column; its seconds rarely change from line to line. */
static void put_time_column(const struct vitrine_fxt_record *record)
{
	uint64_t s, ns;
	int len;

	find_time(record, record->ticks, &s, &ns);
	if (s != printer.shown_s || !printer.len_seconds) {
		len = snprintf(printer.seconds, sizeof(printer.seconds),
			       "%6llu.", (unsigned long long)s);
		printer.len_seconds = len;
		printer.shown_s = s;
	}
	line_put_array(&printer.out, printer.seconds, printer.len_seconds);
	line_put_nine(&printer.out, ns);
}

static struct vitrine_fxt_string find_name(const struct vitrine_fxt_thread *thread,
					   uint64_t *ret_process)
{
	struct vitrine_fxt_string name = { "?", 1 };
	uint64_t process = VITRINE_FXT_NO_PROCESS;

	if (!vitrine_archive_thread(archive, thread->thread, &name, &process) && !thread->thread)
		name = (struct vitrine_fxt_string){ "idle", 4 };
	*ret_process = thread->process == VITRINE_FXT_NO_PROCESS ?
		       process : thread->process;
	return name;
}

/* Put the label of a thread, and cache it if it is contiguous in the buffer. */
static void put_new_label(struct print_label *label, const struct vitrine_fxt_thread *thread)
{
	struct line_output *out = &printer.out;
	struct vitrine_fxt_string name;
	uint64_t process;
	const char *from;
	ptrdiff_t len;

	line_room(out);
	from = out->at;
	name = find_name(thread, &process);
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

static void put_thread(const struct vitrine_fxt_thread *thread)
{
	/* Switches have the process of a thread, and wakeups do not. */
	uint64_t slot = 2 * thread->thread + (thread->process == VITRINE_FXT_NO_PROCESS);
	struct print_label *label = &printer.labels[slot % PRINT_LABELS];

	if (!label->known || label->thread.thread != thread->thread ||
	    label->thread.process != thread->process || !label->len_bytes)
		put_new_label(label, thread);
	else
		line_put_array(&printer.out, label->text, label->len_bytes);
}

static void put_value(const struct vitrine_fxt_arg *arg)
{
	struct line_output *out = &printer.out;

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

static void put_args(const struct vitrine_fxt_record *record)
{
	unsigned int i;

	for (i = 0; i < record->nr_args; i++) {
		line_room(&printer.out);
		line_put_char(&printer.out, ' ');
		line_put_text(&printer.out, record->args[i].name.bytes,
			      record->args[i].name.len_bytes);
		line_put_char(&printer.out, '=');
		put_value(&record->args[i]);
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

/* Put what made a wakeup, unless it was the waker itself. */
static void put_context(struct line_output *out, const struct fxt_field *field,
			unsigned int context)
{
	if (context <= FXT_WAKEUP_THREAD)
		return;
	line_put_string(out, " by ");
	put_number(out, field, context);
}

static void put_last_word(const struct vitrine_fxt_record *record)
{
	if (record->event.type == FXT_EVENT_DURATION_COMPLETE) {
		line_put_string(&printer.out, " until ");
		put_time(record, record->event.id);
	} else if (vitrine_fxt_event_has_id(record->event.type)) {
		line_put_string(&printer.out, " id ");
		line_put_number(&printer.out, record->event.id, 0, ' ');
	}
}

static void put_field(const struct fxt_field *field, const struct vitrine_fxt_record *record)
{
	const void *from = (const char *)record + field->at;
	const struct vitrine_fxt_string *text = from;
	struct line_output *out = &printer.out;

	switch (field->op) {
	case FXT_BITS:
		put_number(out, field, *(const uint32_t *)from);
		break;
	case FXT_BYTE:
		put_number(out, field, *(const uint8_t *)from);
		break;
	case FXT_CONTEXT:
		put_context(out, field, *(const uint8_t *)from);
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
		put_thread(from);
		break;
	case FXT_BYTES:
	case FXT_PAYLOAD:
		line_put_number(out, text->len_bytes, 0, ' ');
		break;
	case FXT_LAST_WORD:
		put_last_word(record);
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

/* Fast path: put the details of a switch. */
static void put_switch(const struct vitrine_fxt_record *record, const char *outgoing_state)
{
	struct line_output *out = &printer.out;

	line_put_string(out, "switch  ");
	put_thread(&record->context_switch.outgoing);
	if (record->context_switch.legacy)
		put_priority(out, record->context_switch.outgoing_priority);
	line_put_char(out, ' ');
	line_put_string(out, outgoing_state);
	line_put_string(out, " ==> ");
	put_thread(&record->context_switch.incoming);
	if (record->context_switch.legacy)
		put_priority(out, record->context_switch.incoming_priority);
	put_args(record);
}

/* Put the text of the record's kind, with its fields in the place of %1 to %9. */
static void put_details(const struct vitrine_fxt_record *record)
{
	const struct fxt_row *row = fxt_row_of(record);
	const char *text, *outgoing_state;

	if (record->kind == VITRINE_FXT_SWITCH) {
		outgoing_state = vitrine_fxt_state_name(record->context_switch.outgoing_state);
		if (outgoing_state) {
			put_switch(record, outgoing_state);
			return;
		}
	}
	for (text = row->text; *text; text++) {
		if (*text == '%')
			put_field(&row->fields[*++text - '1'], record);
		else
			line_put_char(&printer.out, *text);
	}
	put_args(record);
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
 * @record: record
 */
void print_record(const struct vitrine_fxt_record *record)
{
	struct line_output *out = &printer.out;

	line_room(out);
	if (printer.all) {
		line_put_hex(out, record->offset, 8);
		line_put_char(out, ' ');
	}
	put_time_column(record);
	if (record->cpu == VITRINE_FXT_NO_CPU) {
		line_put(out, " [---] ", 7);
	} else {
		line_put(out, " [", 2);
		put_cpu(out, record->cpu);
		line_put(out, "] ", 2);
	}
	put_details(record);
	line_room(out);
	line_put_char(out, '\n');
}

/* ---- The trace --------------------------------------------------------- */

/**
 * print_begin() - begin to print a trace
 * @stream: output stream
 * @all: print the file offset of each line of text
 */
void print_begin(FILE *stream, bool all)
{
	memset(&printer, 0, offsetof(struct printer, out));
	printer.all = all;
	line_init(&printer.out, stream);
	json_init(false);
}

/**
 * print_base() - set the base of printed times
 * @ns: a time, 0 at first
 */
void print_base(uint64_t ns)
{
	printer.base_ns = ns;
	printer.base_s = ns / NSEC_PER_SEC;
	printer.base_rest_ns = ns % NSEC_PER_SEC;
}

/* With --relative, times count from the first record that has one. */
static void begin(uint64_t ns)
{
	printer.began = true;
	if (!args.relative)
		return;
	print_base(ns);
	record_filter_shift(&args.filter.from_ns, &args.filter.to_ns, ns);
}

static bool wanted(const struct vitrine_fxt_record *record)
{
	if (!args.all && !record->timed && record->kind != VITRINE_FXT_PROVIDER_EVENT)
		return false;
	return record_filter_match(&args.filter, record);
}

/*
 * Print a record if it is wanted. Return false if no more are: records are in time order, so all
 * later ones are out of range, too. Printing does not continue for the few that were written long
 * after their time.
 */
static bool print_one(const struct vitrine_fxt_record *record)
{
	if (ferror(stdout))
		return false;
	if (!printer.began && record->timed)
		begin(vitrine_fxt_ns(record->ticks, record->ticks_per_second));
	if (record->timed && args.filter.to_ns != UINT64_MAX &&
	    vitrine_fxt_ns(record->ticks, record->ticks_per_second) > args.filter.to_ns)
		return false;
	if (!wanted(record))
		return true;
	if (args.json)
		record_json(record);
	else
		print_record(record);
	return true;
}

static struct vitrine_error *print_archive(void)
{
	const struct vitrine_fxt_record *record;
	struct vitrine_error *err;

	print_begin(stdout, args.all);
	do
		err = vitrine_archive_next(archive, &record);
	while (!err && record && print_one(record));
	line_flush(&printer.out);
	json_flush();
	return err;
}

/* ---- Options ----------------------------------------------------------- */

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
	RECORD_FILTER_OPTION_FROM,
	RECORD_FILTER_OPTION_TO,
	{ 0 }
};

static const struct command_line line = {
	.options = options,
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
	struct selection selection = { .filter = &args.filter, .by_record = true, .weights = true };

	args = (struct print_args){ 0 };
	record_filter_options(&line, &args.filter, argc, argv);
	selection.untimed = args.all;
	selection.relative = args.relative;
	return trace_input_run(args.path, &selection, print_archive);
}
