// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Report what is wrong with the input of a conversion, and count what its output leaves out, so
 * that nothing is dropped silently.
 */
#include <inttypes.h>

#include "fxt_field.h"
#include "left_out.h"

/* Further faults of a file are only counted. */
#define MAX_PRINTED	10

/* ---- Faults ------------------------------------------------------------ */

/**
 * faults_print() - print and count a fault
 * @ctx: struct faults
 * @offset: position in the file
 * @message: description of the fault
 */
void faults_print(void *ctx, uint64_t offset, const char *message)
{
	struct faults *faults = ctx;

	if (faults->nr++ < MAX_PRINTED)
		fprintf(stderr,
			"vitrine: %s: offset 0x%" PRIx64 ": %s; left out\n",
			faults->path, offset, message);
}

/**
 * faults_end() - print how many faults were not printed
 * @faults: faults of the file
 */
void faults_end(const struct faults *faults)
{
	if (faults->nr > MAX_PRINTED)
		fprintf(stderr, "vitrine: %s: %" PRIu64 " more left out\n",
			faults->path, faults->nr - MAX_PRINTED);
}

/* ---- What is left out -------------------------------------------------- */

static bool blob_is_ours(const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_string *name = &record->blob.name;

	return record->blob.type == FXT_BLOB_TYPE_DATA &&
	       (!name->len_bytes || fxt_string_is(name, VITRINE_PROVIDER_NAME) ||
		fxt_string_is(name, VITRINE_CLOCK_BLOB_NAME));
}

static bool object_is_name(const struct vitrine_fxt_record *record)
{
	return record->kernel_object.type == FXT_OBJECT_TYPE_PROCESS ||
	       record->kernel_object.type == FXT_OBJECT_TYPE_THREAD;
}

/**
 * left_out_is_content() - check whether a record without a time has contents of its own
 * @record: the record
 *
 * Return: true for a blob, an object or the event of a provider; false for names, tables and
 *	vitrine's own headers, whose contents are converted in other ways, and for records of
 *	unknown kinds.
 */
bool left_out_is_content(const struct vitrine_fxt_record *record)
{
	if (record->kind == VITRINE_FXT_BLOB)
		return !blob_is_ours(record);
	if (record->kind == VITRINE_FXT_KERNEL_OBJECT)
		return !object_is_name(record);
	return record->kind == VITRINE_FXT_LARGE_BLOB ||
	       record->kind == VITRINE_FXT_USERSPACE_OBJECT ||
	       record->kind == VITRINE_FXT_PROVIDER_EVENT;
}

/**
 * left_out_record() - count a record that could not be written
 * @left_out: counts
 * @record: the record, with a time or with contents of its own
 */
void left_out_record(struct left_out *left_out,
		     const struct vitrine_fxt_record *record)
{
	static const uint8_t sorts[] = {
		[VITRINE_FXT_UNKNOWN]		= LEFT_OUT_UNKNOWN,
		[VITRINE_FXT_EVENT]		= LEFT_OUT_EVENT,
		[VITRINE_FXT_BLOB]		= LEFT_OUT_BLOB,
		[VITRINE_FXT_USERSPACE_OBJECT]	= LEFT_OUT_OBJECT,
		[VITRINE_FXT_KERNEL_OBJECT]	= LEFT_OUT_OBJECT,
		[VITRINE_FXT_SWITCH]		= LEFT_OUT_SCHEDULING,
		[VITRINE_FXT_WAKEUP]		= LEFT_OUT_SCHEDULING,
		[VITRINE_FXT_LOG]		= LEFT_OUT_EVENT,
		[VITRINE_FXT_LARGE_BLOB]	= LEFT_OUT_BLOB,
	};

	left_out->nr[sorts[record->kind]]++;
}

/**
 * left_out_untimed() - count a record without a time that is left out
 * @left_out: counts
 * @record: the record. Losses, of which a provider event tells, are converted as counts.
 */
void left_out_untimed(struct left_out *left_out,
		      const struct vitrine_fxt_record *record)
{
	if (record->kind == VITRINE_FXT_UNKNOWN ||
	    (left_out_is_content(record) && record->kind != VITRINE_FXT_PROVIDER_EVENT))
		left_out_record(left_out, record);
}

/**
 * left_out_print() - print what was left out, if anything was
 * @left_out: counts
 * @path: name of the input file
 * @format: name of the output format
 * @stream: output stream
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
			fprintf(stream, "vitrine: %s: left out, %s cannot represent them: ",
				path, format);
		fprintf(stream, "%s%" PRIu64 " %s", comma, left_out->nr[i],
			what[i]);
		comma = ", ";
	}
	if (*comma)
		putc('\n', stream);
}

/**
 * left_out_note() - print a note on a file, if there is something to note
 * @path: name of the file
 * @nr: how often
 * @what: what was found, after a number
 * @stream: output stream
 */
void left_out_note(const char *path, uint64_t nr, const char *what, FILE *stream)
{
	if (nr)
		fprintf(stream, "vitrine: %s: %" PRIu64 " %s\n", path, nr, what);
}

/**
 * left_out_note_fxt() - print what the writer of a Fuchsia trace changed and assumed
 * @counts: counts of the writer
 * @path: name of the file
 * @stream: output stream
 */
void left_out_note_fxt(const struct fxt_out_counts *counts, const char *path, FILE *stream)
{
	left_out_note(path, counts->nr_null_args,
		      "arguments of unknown types, which have no value now", stream);
	left_out_note(path, counts->nr_truncated,
		      "names of more than 255 bytes, whose ends are left out", stream);
	left_out_note(path, counts->nr_breaks,
		      "switches from a thread that was not running; one lost record is counted for each",
		      stream);
}

/**
 * left_out_print_fxt() - print what a conversion to a Fuchsia trace left out and assumed
 * @left_out: counts of the reader
 * @counts: counts of the writer
 * @path: name of the input file
 * @stream: output stream
 */
void left_out_print_fxt(struct left_out left_out,
			const struct fxt_out_counts *counts, const char *path,
			FILE *stream)
{
	left_out.nr[LEFT_OUT_EVENT] += counts->nr_refused;
	left_out_print(&left_out, path, "a Fuchsia trace", stream);
	left_out_note_fxt(counts, path, stream);
}
