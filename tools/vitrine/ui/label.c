// SPDX-License-Identifier: GPL-2.0
/*
 * Format threads, durations and times for people, in tables and on screens. Characters
 * that cannot be printed are replaced.
 */
#define _GNU_SOURCE	/* mempcpy() */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <vitrine/fxt.h>

#include "character.h"
#include "fxt_record.h"
#include "label.h"
#include "utf8.h"

#define NSEC_PER_SEC	((uint64_t)1000000000)

/* Longest name, in characters; the kernel's have at most 15. */
#define MAX_CHARACTERS	32

static char *put_name(char *at, const struct vitrine_fxt_string *name,
		      unsigned int max_characters)
{
	const char *from = name->bytes, *end = from + name->len_bytes;
	unsigned int nr;
	uint32_t c;
	size_t len;

	for (nr = 0; from < end; nr++) {
		if (nr == max_characters) {
			*at++ = '~';
			break;
		}
		len = vtr_utf8_decode(from, end - from, &c);
		if (len && character_is_printable(c)) {
			at = mempcpy(at, from, len);
			from += len;
		} else {
			*at++ = '?';
			from++;
		}
	}
	return at;
}

/**
 * label_thread() - format a thread as "name:tid/pid", or say that it was not recorded
 * @label: receives the label
 * @archive: trace that has the names
 * @thread: the thread
 */
void label_thread(char label[LABEL_BYTES], const struct vitrine_archive *archive,
		  const struct vitrine_fxt_thread *thread)
{
	struct vitrine_fxt_string name = { "?", 1 };
	uint64_t process = VITRINE_FXT_NO_PROCESS;
	char *at;

	if (fxt_is_others(thread->thread)) {
		memcpy(label, FXT_OTHERS_NAME, sizeof(FXT_OTHERS_NAME));
		return;
	}
	if (!vitrine_archive_thread(archive, thread->thread, &name, &process) &&
	    !thread->thread)
		name = (struct vitrine_fxt_string){ "idle", 4 };
	if (thread->process != VITRINE_FXT_NO_PROCESS)
		process = thread->process;
	at = put_name(label, &name, MAX_CHARACTERS);
	at += sprintf(at, ":%" PRIu64, thread->thread);
	if (process != VITRINE_FXT_NO_PROCESS)
		sprintf(at, "/%" PRIu64, process);
}

/**
 * label_name() - format the name of a thread or process
 * @label: receives the label
 * @name: its name
 */
void label_name(char label[LABEL_BYTES], const struct vitrine_fxt_string *name)
{
	*put_name(label, name, MAX_CHARACTERS) = '\0';
}

/**
 * label_event() - format the name of an event, and its text if it has one
 * @label: receives the label
 * @record: the event's record
 */
void label_event(char label[LABEL_EVENT_BYTES],
		 const struct vitrine_fxt_record *record)
{
	char *at = put_name(label, &record->event.name, MAX_CHARACTERS);
	unsigned int i;

	for (i = 0; i < record->nr_args; i++)
		if (record->args[i].type == FXT_ARG_STRING_REF)
			break;
	if (i < record->nr_args) {
		*at++ = ' ';
		at = put_name(at, &record->args[i].value.string, MAX_CHARACTERS);
	}
	*at = '\0';
}

/**
 * label_file() - format the name of a file without its directories
 * @label: receives the label
 * @path: path of the file
 */
void label_file(char label[LABEL_FILE_BYTES], const char *path)
{
	const char *slash = strrchr(path, '/');
	struct vitrine_fxt_string name = { .bytes = slash ? slash + 1 : path };

	/* Each replaced byte becomes one character, so the name does not grow. */
	name.len_bytes = strnlen(name.bytes, LABEL_FILE_BYTES - 1);
	*put_name(label, &name, LABEL_FILE_BYTES) = '\0';
}

/**
 * label_columns() - measure the width of a label on a terminal
 * @label: label
 *
 * Return: columns.
 */
unsigned int label_columns(const char *label)
{
	size_t len = strlen(label), n;
	unsigned int columns = 0;
	uint32_t c;

	for (; len; label += n, len -= n) {
		n = vtr_utf8_decode(label, len, &c);
		columns += character_columns(c);
	}
	return columns;
}

static const struct {
	uint64_t ns;
	const char *unit;
} units[] = {
	{ NSEC_PER_SEC, "s" },
	{ 1000000, "ms" },
	{ 1000, "us" },
};

#define NR_UNITS	(sizeof(units) / sizeof(units[0]))

/**
 * label_duration() - format a duration with four digits
 * @label: receives the label
 * @ns: nanoseconds
 */
void label_duration(char label[LABEL_TIME_BYTES], uint64_t ns)
{
	unsigned int i;

	for (i = 0; i < NR_UNITS; i++) {
		uint64_t whole = ns / units[i].ns;

		if (!whole)
			continue;
		snprintf(label, LABEL_TIME_BYTES, "%.*f%s",
			 whole >= 1000 ? 0 : whole >= 100 ? 1 :
			 whole >= 10 ? 2 : 3,
			 (double)ns / units[i].ns, units[i].unit);
		return;
	}
	snprintf(label, LABEL_TIME_BYTES, "%" PRIu64 "ns", ns);
}

/**
 * label_ticks() - format a duration on an axis
 * @label: receives the label
 * @ns: nanoseconds
 * @step: distance of two ticks, which selects the unit
 */
void label_ticks(char label[LABEL_TIME_BYTES], uint64_t ns, uint64_t step)
{
	unsigned int i;

	for (i = 0; i < NR_UNITS; i++) {
		/* At most one digit after the point. */
		if (step % (units[i].ns / 10))
			continue;
		snprintf(label, LABEL_TIME_BYTES, "%.*f%s",
			 step % units[i].ns ? 1 : 0, (double)ns / units[i].ns,
			 units[i].unit);
		return;
	}
	snprintf(label, LABEL_TIME_BYTES, "%" PRIu64 "ns", ns);
}

/**
 * label_time() - format a time in seconds
 * @label: receives the label
 * @ns: nanoseconds of the trace's clock
 */
void label_time(char label[LABEL_TIME_BYTES], uint64_t ns)
{
	snprintf(label, LABEL_TIME_BYTES, "%" PRIu64 ".%09" PRIu64,
		 ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}
