// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counts what a conversion leaves out, so that nothing is dropped in silence.
 */
#include <inttypes.h>

#include "fxt.h"
#include "left_out.h"

static bool blob_is_ours(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_string *name = &record->blob.name;

	return record->blob.type == FXT_BLOB_TYPE_DATA &&
	       (!name->len_bytes || fxt_string_is(name, VITRINE_PROVIDER_NAME) ||
		fxt_string_is(name, VITRINE_CLOCK_BLOB_NAME));
}

/**
 * left_out_untimed() - a record without a time is not written by itself
 * @left_out: counts
 * @record: the record; names, tables and vitrine's own headers are said in
 *	another way, and not counted
 */
void left_out_untimed(struct left_out *left_out,
		      const struct vitrine_fxt_record *record)
{
	switch (record->kind) {
	case VITRINE_FXT_UNKNOWN:
		left_out->nr[LEFT_OUT_UNKNOWN]++;
		break;
	case VITRINE_FXT_BLOB:
		left_out->nr[LEFT_OUT_BLOB] += !blob_is_ours(record);
		break;
	case VITRINE_FXT_LARGE_BLOB:
		left_out->nr[LEFT_OUT_BLOB]++;
		break;
	case VITRINE_FXT_USERSPACE_OBJECT:
		left_out->nr[LEFT_OUT_OBJECT]++;
		break;
	case VITRINE_FXT_KERNEL_OBJECT:
		left_out->nr[LEFT_OUT_OBJECT] +=
			record->kernel_object.type != FXT_OBJECT_TYPE_PROCESS &&
			record->kernel_object.type != FXT_OBJECT_TYPE_THREAD;
		break;
	default:
		break;
	}
}

/**
 * left_out_record() - a record with a time could not be written
 * @left_out: counts
 * @record: the record
 */
void left_out_record(struct left_out *left_out,
		     const struct vitrine_fxt_record *record)
{
	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
	case VITRINE_FXT_WAKEUP:
		left_out->nr[LEFT_OUT_SCHEDULING]++;
		break;
	case VITRINE_FXT_LARGE_BLOB:
		left_out->nr[LEFT_OUT_BLOB]++;
		break;
	case VITRINE_FXT_UNKNOWN:
		left_out->nr[LEFT_OUT_UNKNOWN]++;
		break;
	default:
		left_out->nr[LEFT_OUT_EVENT]++;
		break;
	}
}

/**
 * left_out_print() - tell what was left out, if anything was
 * @left_out: counts
 * @path: file it was in
 * @format: what cannot say it
 * @stream: where to
 */
void left_out_print(const struct left_out *left_out, const char *path,
		    const char *format, FILE *stream)
{
	static const char * const what[] = {
		[LEFT_OUT_BLOB]		= "blobs",
		[LEFT_OUT_OBJECT]	= "objects",
		[LEFT_OUT_UNKNOWN]	= "records of unknown kinds",
		[LEFT_OUT_EVENT]	= "events",
		[LEFT_OUT_SCHEDULING]	= "switches and wakeups",
		[LEFT_OUT_ARGUMENT]	= "arguments",
		[LEFT_OUT_TEXT]		= "ends of long texts",
	};
	const char *comma = "";
	unsigned int i;

	for (i = 0; i < LEFT_OUT_KINDS; i++) {
		if (!left_out->nr[i])
			continue;
		if (!*comma)
			fprintf(stream, "vitrine: %s: left out, %s cannot say it: ",
				path, format);
		fprintf(stream, "%s%" PRIu64 " %s", comma, left_out->nr[i],
			what[i]);
		comma = ", ";
	}
	if (*comma)
		putc('\n', stream);
}
