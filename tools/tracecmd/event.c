// SPDX-License-Identifier: GPL-2.0
/*
 * Read the fields of an event of ftrace, and write the record that foreign.c makes of it.
 *
 * ftrace does not tell to which process a thread belongs. In files each thread gets a process
 * of its own.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "helpers.h"
#include "event.h"

/* Bytes of a field within a record. */
struct span {
	unsigned int offset;
	unsigned int len;
};

static bool is_within(const struct tep_record *from, const struct span *span)
{
	return from->size >= 0 && span->offset <= (unsigned int)from->size &&
	       span->len <= (unsigned int)from->size - span->offset;
}

/* Read the number at @span. Return false if no number has this size. */
static bool number_at(const struct tep_format_field *field,
		      const struct tep_record *from, const struct span *span,
		      int64_t *ret)
{
	unsigned int shift = 64 - 8 * span->len;
	uint64_t value;

	if ((span->len != 1 && span->len != 2 && span->len != 4 &&
	     span->len != 8) || !is_within(from, span))
		return false;
	value = tep_read_number(field->event->tep,
				(const char *)from->data + span->offset,
				span->len);
	*ret = field->flags & TEP_FIELD_IS_SIGNED ?
		       (int64_t)(value << shift) >> shift : (int64_t)value;
	return true;
}

/*
 * Find a field in a record. A field of variable length either extends to the end of the
 * record or contains its position and length.
 */
static bool find_span(const struct tep_format_field *field,
		      const struct tep_record *from, struct span *ret)
{
	const struct span place = { field->offset, field->size };
	int64_t where;

	if (field->offset < 0 || field->size < 0)
		return false;
	*ret = place;
	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		if (place.len != 4 || !number_at(field, from, &place, &where))
			return false;
		ret->offset = where & 0xffff;
		ret->len = where >> 16 & 0xffff;
		if (field->flags & TEP_FIELD_IS_RELATIVE)
			ret->offset += place.offset + place.len;
	} else if (!place.len && field->offset < from->size) {
		ret->len = from->size - field->offset;
	}
	return is_within(from, ret);
}

static bool text_of(const struct tep_format_field *field,
		    const struct tep_record *from,
		    struct vitrine_fxt_string *ret)
{
	struct span span;

	if (!(field->flags & TEP_FIELD_IS_STRING) ||
	    !find_span(field, from, &span))
		return false;
	ret->bytes = (const char *)from->data + span.offset;
	ret->len_bytes = strnlen(ret->bytes, span.len);
	return true;
}

static const struct tep_event *type_of(const struct foreign_event *event)
{
	return event->class->type;
}

static bool get_number(const struct foreign_event *event, const char *name, int64_t *ret)
{
	const struct tep_format_field *field;
	struct span span;

	field = tep_find_any_field((struct tep_event *)type_of(event), name);
	if (!field || field->flags & TEP_FIELD_IS_ARRAY || field->offset < 0)
		return false;
	span = (struct span){ field->offset, field->size };
	return number_at(field, event->from, &span, ret);
}

static bool get_text(const struct foreign_event *event, const char *name,
		     struct vitrine_fxt_string *ret)
{
	const struct tep_format_field *field;

	field = tep_find_field((struct tep_event *)type_of(event), name);
	return field && text_of(field, event->from, ret);
}

/* ---- Arguments ---- */

/* Negative error numbers look like the highest addresses, which the kernel does not use. */
static bool is_kernel_address(uint64_t value)
{
	return value >= 0xffff000000000000ULL && value < (uint64_t)-4096;
}

static bool has_room(const struct reader *reader)
{
	return reader->foreign.record.nr_args < FXT_MAX_ARGS;
}

/* ---- Symbolic values ---- */

/* Check whether an argument of a print format is a field itself, possibly with a cast. */
static bool is_field(const struct tep_print_arg *arg, const char *name)
{
	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	return arg && arg->type == TEP_PRINT_FIELD && arg->field.name &&
	       !strcmp(arg->field.name, name);
}

/* Print the flags of a value like the kernel; return false if the text is too long. */
static bool put_flags(const struct tep_print_arg_flags *flags, uint64_t value,
		      char text[ARG_TEXT_BYTES])
{
	const struct tep_print_flag_sym *flag;
	const char *between = "";
	uint64_t mask;
	int len = 0;

	for (flag = flags->flags; flag; flag = flag->next) {
		mask = strtoull(flag->value, NULL, 0);
		if ((value & mask) != mask || (!mask && value))
			continue;
		len += snprintf(text + len, ARG_TEXT_BYTES - len, "%s%s", between, flag->str);
		if (len >= ARG_TEXT_BYTES)
			return false;
		between = flags->delim && *flags->delim ? flags->delim : "|";
		value &= ~mask;
		if (!value)
			return true;
	}
	if (value)
		len += snprintf(text + len, ARG_TEXT_BYTES - len, "%s0x%" PRIx64, between, value);
	return len && len < ARG_TEXT_BYTES;
}

static bool put_symbol(const struct tep_print_arg_symbol *symbols, uint64_t value,
		       char text[ARG_TEXT_BYTES])
{
	const struct tep_print_flag_sym *symbol;

	for (symbol = symbols->symbols; symbol; symbol = symbol->next)
		if (strtoull(symbol->value, NULL, 0) == value)
			return snprintf(text, ARG_TEXT_BYTES, "%s", symbol->str) <
			       ARG_TEXT_BYTES;
	return false;
}

/* Find __print_symbolic() or __print_flags() of a field in an argument of a print format. */
static const struct tep_print_arg *find_print(const struct tep_print_arg *arg, const char *name)
{
	const struct tep_print_arg *found;

	if (!arg)
		return NULL;
	if (arg->type == TEP_PRINT_SYMBOL)
		return is_field(arg->symbol.field, name) ? arg : NULL;
	if (arg->type == TEP_PRINT_FLAGS)
		return is_field(arg->flags.field, name) ? arg : NULL;
	if (arg->type != TEP_PRINT_OP)
		return NULL;
	/* FIELD ? __print_flags(FIELD) : "none" */
	found = find_print(arg->op.left, name);
	return found ? found : find_print(arg->op.right, name);
}

/* Find the text that the print format of the event has for the value of a field. */
static bool find_text(const struct tep_format_field *field, uint64_t value,
		      char text[ARG_TEXT_BYTES])
{
	const struct tep_print_arg *arg, *found = NULL;

	for (arg = field->event->print_fmt.args; arg && !found; arg = arg->next)
		found = find_print(arg, field->name);
	if (!found)
		return false;
	if (found->type == TEP_PRINT_SYMBOL)
		return put_symbol(&found->symbol, value, text);
	return put_flags(&found->flags, value, text);
}

/* Add the text of a value, if there is one. */
static bool add_symbolic(struct reader *reader, const struct tep_format_field *field,
			 const struct tep_record *from, const struct span *span)
{
	int64_t value;
	char *text;

	if (!has_room(reader) || !number_at(field, from, span, &value))
		return false;
	text = reader->texts[reader->foreign.record.nr_args];
	if (!find_text(field, value, text))
		return false;
	fxt_add_arg(&reader->foreign.record, FXT_ARG_STRING_REF, field->name)->value.string =
		(struct vitrine_fxt_string){ text, strlen(text) };
	return true;
}

/* ---- All fields ---- */

/* Add a number as an argument. Return false if there is no room, or it is not a number. */
static bool add_number(struct reader *reader, const char *name,
		       const struct tep_format_field *field,
		       const struct tep_record *from, const struct span *span)
{
	bool is_signed = field->flags & TEP_FIELD_IS_SIGNED, is_long = span->len > 4;
	unsigned int type = is_signed ? (is_long ? FXT_ARG_INT64 : FXT_ARG_INT32) :
			    field->flags & TEP_FIELD_IS_POINTER ? FXT_ARG_POINTER :
			    is_long ? FXT_ARG_UINT64 : FXT_ARG_UINT32;
	int64_t value;

	if (!has_room(reader) || !number_at(field, from, span, &value))
		return false;
	if (reader->beside && !is_signed && is_kernel_address(value))
		value = 0;
	fxt_add_arg(&reader->foreign.record, type, name)->value.int64 = value;
	return true;
}

static void add_array(struct reader *reader,
		      const struct tep_format_field *field,
		      const struct tep_record *from)
{
	struct span span, element = { .len = field->elementsize };
	unsigned int i, nr;
	char *name;

	if (!element.len || !find_span(field, from, &span)) {
		reader->foreign.left_out.nr[LEFT_OUT_ARGUMENT]++;
		return;
	}
	nr = span.len / element.len;
	for (i = 0; i < nr && has_room(reader); i++) {
		name = reader->foreign.names[reader->foreign.record.nr_args];
		snprintf(name, FOREIGN_NAME_BYTES, "%.40s[%u]", field->name, i);
		element.offset = span.offset + i * element.len;
		if (!add_number(reader, name, field, from, &element))
			break;
	}
	reader->foreign.left_out.nr[LEFT_OUT_ARGUMENT] += nr - i;
}

/* Return whether a field is an address that the kernel adds to the events of each probe. */
static bool is_probe_address(const char *name)
{
	return !strcmp(name, "__probe_ip") || !strcmp(name, "__probe_func") ||
	       !strcmp(name, "__probe_ret_ip");
}

static void add_argument(struct reader *reader,
			 const struct tep_format_field *field,
			 const struct tep_record *from)
{
	const struct span span = { field->offset, field->size };
	struct vitrine_fxt_string text;

	if (field->flags & TEP_FIELD_IS_STRING) {
		if (has_room(reader) && text_of(field, from, &text))
			fxt_add_arg(&reader->foreign.record, FXT_ARG_STRING_REF,
				    field->name)->value.string = text;
		else
			reader->foreign.left_out.nr[LEFT_OUT_ARGUMENT]++;
	} else if (field->flags & TEP_FIELD_IS_ARRAY) {
		add_array(reader, field, from);
	} else if (field->offset < 0 ||
		   (!(reader->beside && add_symbolic(reader, field, from, &span)) &&
		    !add_number(reader, field->name, field, from, &span))) {
		reader->foreign.left_out.nr[LEFT_OUT_ARGUMENT]++;
	}
}

/*
 * Fields that all events have are left out: they are in other parts of the record or, like the
 * kernel's flags, are not converted. See trace-cmd.rst.
 */
static void add_arguments(struct foreign *foreign, const struct foreign_event *event,
			  const char *skip)
{
	struct reader *reader = (struct reader *)foreign;
	const struct tep_format_field *field;

	for (field = type_of(event)->format.fields; field; field = field->next) {
		if ((skip && !strcmp(field->name, skip)) ||
		    (reader->beside && is_probe_address(field->name)))
			continue;
		add_argument(reader, field, event->from);
	}
}

/* ---- Threads ---- */

/* Look up the name of a thread in the list of the file if no event has given it so far. */
static void learn_listed(struct reader *reader, uint64_t tid)
{
	struct vitrine_fxt_string name;

	if (fxt_out_is_named(reader->foreign.out, tid) ||
	    !tep_is_pid_registered(reader->tep, tid))
		return;
	name.bytes = tep_data_comm_from_pid(reader->tep, tid);
	name.len_bytes = strlen(name.bytes);
	foreign_learn(&reader->foreign, tid, -1, &name);
}

/* The thread of an event is the one that runs. */
static bool find_thread(struct foreign *foreign, const struct foreign_event *event,
			struct foreign_who *ret)
{
	struct reader *reader = (struct reader *)foreign;

	if (ret->tid) {
		learn_listed(reader, ret->tid);
		if (reader->process_of)
			ret->process = reader->process_of(reader, ret->tid);
	}
	return true;
}

/* ---- Events ---- */

const struct foreign_ops event_ops = {
	.number = get_number,
	.text = get_text,
	.who = find_thread,
	.add_args = add_arguments,
};

/* The category of our own probes is "kprobe" or "uprobe", not their group. */
static const char *category_of(const struct reader *reader, const struct tep_event *type)
{
	const char *own = reader->beside ? text_after(type->system, TRACEFS_PREFIX) : NULL;
	const char *end = own ? strchr(own, '_') : NULL;

	return end ? end + 1 : type->system;
}

/* Return how events of a type are converted, NULL if there is no memory. */
static const struct foreign_class *class_of(struct reader *reader, const struct tep_event *type)
{
	struct foreign_class *class = foreign_class(&reader->foreign, type);
	const char *category;

	if (!class || class->words)
		return class;
	category = category_of(reader, type);
	class->words = &foreign_ftrace;
	class->category = (struct vitrine_fxt_string){ category, strlen(category) };
	class->name = (struct vitrine_fxt_string){ type->name, strlen(type->name) };
	if (!reader->beside)
		foreign_classify(class, reader->waking);
	return class;
}

/**
 * fail() - end the program with an error, which the command that started it reports
 * @err: the error
 */
void fail(struct vitrine_error *err)
{
	helper_fail(err->code, err->message, err->advice ?: "");
}

/**
 * put_event() - convert an event to a record, and write the record
 * @reader: the file, or the session
 * @cpu: CPU of the event; its @last_ns is the time of the event
 * @from: the event
 */
void put_event(struct reader *reader, struct cpu *cpu, struct tep_record *from)
{
	struct foreign *foreign = &reader->foreign;
	struct foreign_event event = { .cpu = &cpu->foreign, .from = from };
	const struct tep_event *type = tep_find_event_by_record(reader->tep, from);
	int64_t running = 0;

	if (!type) {
		foreign->left_out.nr[LEFT_OUT_UNKNOWN]++;
		return;
	}
	event.class = class_of(reader, type);
	if (!event.class)
		must(vtr_error_no_memory());
	get_number(&event, "common_pid", &running);
	cpu->foreign.running = running;
	cpu->foreign.is_known = true;
	foreign->record.ticks = cpu->last_ns;
	if (foreign_record(foreign, &event))
		fxt_out_put(foreign->out, &foreign->record);
	must(fxt_out_error(foreign->out));
}
