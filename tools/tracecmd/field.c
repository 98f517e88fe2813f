// SPDX-License-Identifier: GPL-2.0
/*
 * Read the fields of an event: one field by name, or all of them as arguments, as far as the
 * record has room.
 *
 * Numbers, texts and the elements of arrays become arguments; the name of an element has
 * its index. The file tells the position of each field, which may be outside the record;
 * no byte outside the record is read.
 */
#include <stdio.h>

#include "reader.h"

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

/**
 * get_number() - read a field that is a number
 * @kind: kind of the event
 * @from: the event
 * @name: name of the field, possibly one that all events have
 * @ret: receives the value
 *
 * Return: false if the event has no such field, or the field is not a number.
 */
bool get_number(const struct kind *kind, const struct tep_record *from,
		const char *name, int64_t *ret)
{
	const struct tep_format_field *field;
	struct span span;

	field = tep_find_any_field(kind->event, name);
	if (!field || field->flags & TEP_FIELD_IS_ARRAY || field->offset < 0)
		return false;
	span = (struct span){ field->offset, field->size };
	return number_at(field, from, &span, ret);
}

/**
 * get_text() - read a field that is a text
 * @kind: kind of the event
 * @from: the event
 * @name: name of the field
 * @ret: receives the text, which points into the event
 *
 * Return: false if the event has no such field, or the field is not a text.
 */
bool get_text(const struct kind *kind, const struct tep_record *from,
	      const char *name, struct vitrine_fxt_string *ret)
{
	const struct tep_format_field *field;

	field = tep_find_field(kind->event, name);
	return field && text_of(field, from, ret);
}

/* ---- Arguments ---- */

static struct vitrine_fxt_arg *next_arg(struct reader *reader)
{
	struct vitrine_fxt_record *record = &reader->record;

	return record->nr_args < FXT_MAX_ARGS ?
		       &record->args[record->nr_args] : NULL;
}

/* Add a number as an argument. Return false if there is no room, or it is not a number. */
static bool add_number(struct reader *reader, const char *name,
		       const struct tep_format_field *field,
		       const struct tep_record *from, const struct span *span)
{
	struct vitrine_fxt_arg *arg = next_arg(reader);
	bool is_signed = field->flags & TEP_FIELD_IS_SIGNED;
	int64_t value;

	if (!arg || !number_at(field, from, span, &value))
		return false;
	if (is_signed)
		arg = fxt_add_arg(&reader->record, span->len > 4 ?
				  FXT_ARG_INT64 : FXT_ARG_INT32, name);
	else if (field->flags & TEP_FIELD_IS_POINTER)
		arg = fxt_add_arg(&reader->record, FXT_ARG_POINTER, name);
	else
		arg = fxt_add_arg(&reader->record, span->len > 4 ?
				  FXT_ARG_UINT64 : FXT_ARG_UINT32, name);
	arg->value.int64 = value;
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
		reader->left_out.nr[LEFT_OUT_ARGUMENT]++;
		return;
	}
	nr = span.len / element.len;
	for (i = 0; i < nr && next_arg(reader); i++) {
		name = reader->names[reader->record.nr_args];
		snprintf(name, ARG_NAME_BYTES, "%.40s[%u]", field->name, i);
		element.offset = span.offset + i * element.len;
		if (!add_number(reader, name, field, from, &element))
			break;
	}
	reader->left_out.nr[LEFT_OUT_ARGUMENT] += nr - i;
}

static void add_argument(struct reader *reader,
			 const struct tep_format_field *field,
			 const struct tep_record *from)
{
	const struct span span = { field->offset, field->size };
	struct vitrine_fxt_string text;

	if (field->flags & TEP_FIELD_IS_STRING) {
		if (next_arg(reader) && text_of(field, from, &text))
			fxt_add_arg(&reader->record, FXT_ARG_STRING_REF,
				    field->name)->value.string = text;
		else
			reader->left_out.nr[LEFT_OUT_ARGUMENT]++;
	} else if (field->flags & TEP_FIELD_IS_ARRAY) {
		add_array(reader, field, from);
	} else if (field->offset < 0 ||
		   !add_number(reader, field->name, field, from, &span)) {
		reader->left_out.nr[LEFT_OUT_ARGUMENT]++;
	}
}

/**
 * add_arguments() - add all fields of an event as arguments
 * @reader: the file; its @record receives the arguments
 * @kind: kind of the event
 * @from: the event
 * @skip: name of a field to leave out, because the name of the record has it, or NULL
 *
 * Fields that all events have are left out: they are in other parts of the record or, like
 * the kernel's flags, are not converted. See trace-cmd.rst.
 */
void add_arguments(struct reader *reader, const struct kind *kind,
		   const struct tep_record *from, const char *skip)
{
	const struct tep_format_field *field;

	for (field = kind->event->format.fields; field; field = field->next)
		if (!skip || strcmp(field->name, skip))
			add_argument(reader, field, from);
}
