// SPDX-License-Identifier: GPL-2.0
/*
 * Format threads, durations and times for people, in tables and on screens. Characters
 * that cannot be printed are replaced. Also growing strings, and the width of characters on a
 * terminal, by libutf8proc.
 */
#define _GNU_SOURCE	/* mempcpy() */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>
#include <vitrine/fxt.h>

#include "base.h"
#include "command.h"
#include "escape.h"
#include "fxt_record.h"
#include "label.h"

/* Longest name, in characters; the kernel's have at most 15. */
#define MAX_CHARACTERS	32

/* ---- Growing strings --------------------------------------------------- */

/**
 * text_add() - append bytes
 * @text: text
 * @bytes: bytes
 * @len: length of @bytes in bytes
 */
void text_add(struct text *text, const char *bytes, size_t len)
{
	must_have(GROW_BYTES(text->bytes, text->size, text->len + len + 1));
	memcpy(text->bytes + text->len, bytes, len);
	text->len += len;
	text->bytes[text->len] = '\0';
}

/**
 * text_add_string() - append a string
 * @text: text
 * @string: string
 */
void text_add_string(struct text *text, const char *string)
{
	text_add(text, string, strlen(string));
}

/**
 * text_cut() - truncate a text
 * @text: text
 * @len: new length
 */
void text_cut(struct text *text, size_t len)
{
	if (len < text->len) {
		text->len = len;
		text->bytes[len] = '\0';
	}
}

/**
 * text_destroy() - free and empty a text
 * @text: text
 */
void text_destroy(struct text *text)
{
	free(text->bytes);
	*text = (struct text){ 0 };
}

/* ---- Characters -------------------------------------------------------- */

/**
 * character_columns() - find out the width of a character on a terminal
 * @c: printable character
 *
 * Return: columns: 0 for a combining character, 2 for a wide one, else 1.
 */
unsigned int character_columns(uint32_t c)
{
	return utf8proc_charwidth(c);
}

/* ---- Labels ------------------------------------------------------------ */

#define NR_LABELS	8

static char *next_label(void)
{
	static char labels[NR_LABELS][LABEL_EVENT_BYTES];
	static unsigned int nr;

	return labels[nr++ % NR_LABELS];
}

/**
 * format_label() - format a label
 * @format: as for printf()
 *
 * Return: the label.
 */
const char *format_label(const char *format, ...)
{
	char *label = next_label();
	va_list args;

	va_start(args, format);
	vsnprintf(label, LABEL_EVENT_BYTES, format, args);
	va_end(args);
	return label;
}

static char *put_name(char *at, const struct vitrine_fxt_string *name,
		      unsigned int max_characters)
{
	const char *from = name->bytes, *end = from + name->len_bytes;
	unsigned int nr;
	size_t len;

	for (nr = 0; from < end; nr++) {
		if (nr == max_characters) {
			*at++ = '~';
			break;
		}
		len = printable_len(from, end - from);
		if (len) {
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
 * thread_label() - format a thread as "name:tid/pid", or say that it was not recorded
 * @archive: trace that has the names
 * @thread: the thread
 *
 * Return: the label.
 */
const char *thread_label(const struct vitrine_archive *archive,
			 const struct vitrine_fxt_thread *thread)
{
	struct vitrine_fxt_string name = { "?", 1 };
	uint64_t process = VITRINE_FXT_NO_PROCESS;
	char *label = next_label(), *at;

	if (fxt_is_others(thread->thread))
		return FXT_OTHERS_NAME;
	if (!vitrine_archive_thread(archive, thread->thread, &name, &process) &&
	    !thread->thread)
		name = (struct vitrine_fxt_string){ "idle", 4 };
	if (thread->process != VITRINE_FXT_NO_PROCESS)
		process = thread->process;
	at = put_name(label, &name, MAX_CHARACTERS);
	at += sprintf(at, ":%" PRIu64, thread->thread);
	if (process != VITRINE_FXT_NO_PROCESS)
		sprintf(at, "/%" PRIu64, process);
	return label;
}

/**
 * name_label() - format the name of a thread or process
 * @name: its name
 *
 * Return: the label.
 */
const char *name_label(const struct vitrine_fxt_string *name)
{
	char *label = next_label();

	*put_name(label, name, MAX_CHARACTERS) = '\0';
	return label;
}

/**
 * event_label() - format the name of an event, and its text if it has one
 * @record: the event's record
 *
 * Return: the label.
 */
const char *event_label(const struct vitrine_fxt_record *record)
{
	char *label = next_label(), *at;
	unsigned int i;

	at = put_name(label, &record->event.name, MAX_CHARACTERS);
	for (i = 0; i < record->nr_args; i++)
		if (record->args[i].type == FXT_ARG_STRING_REF)
			break;
	if (i < record->nr_args) {
		*at++ = ' ';
		at = put_name(at, &record->args[i].value.string, MAX_CHARACTERS);
	}
	*at = '\0';
	return label;
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

/**
 * padded() - put spaces behind a text
 * @text: text
 * @columns: width on a terminal; a wider text stays as it is
 *
 * Return: the label.
 */
const char *padded(const char *text, int columns)
{
	int used = label_columns(text);

	return format_label("%s%*s", text, used < columns ? columns - used : 0, "");
}

static const struct {
	uint64_t ns;
	const char *unit;
} units[] = {
	{ NSEC_PER_SEC, "s" },
	{ 1000000, "ms" },
	{ 1000, "us" },
};

/**
 * duration() - format a duration with four digits
 * @ns: nanoseconds
 *
 * Return: the label.
 */
const char *duration(uint64_t ns)
{
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(units); i++) {
		uint64_t whole = ns / units[i].ns;

		if (whole)
			return format_label("%.*f%s", whole >= 1000 ? 0 : whole >= 100 ? 1 :
					    whole >= 10 ? 2 : 3,
					    (double)ns / units[i].ns, units[i].unit);
	}
	return format_label("%" PRIu64 "ns", ns);
}

/**
 * ticks_label() - format a duration on an axis
 * @ns: nanoseconds
 * @step: distance of two ticks, which selects the unit
 *
 * Return: the label.
 */
const char *ticks_label(uint64_t ns, uint64_t step)
{
	unsigned int i;

	/* At most one digit after the point. */
	for (i = 0; i < ARRAY_LEN(units); i++)
		if (!(step % (units[i].ns / 10)))
			return format_label("%.*f%s", step % units[i].ns ? 1 : 0,
					    (double)ns / units[i].ns, units[i].unit);
	return format_label("%" PRIu64 "ns", ns);
}

/**
 * seconds() - format a time in seconds
 * @ns: nanoseconds of the trace's clock
 *
 * Return: the label.
 */
const char *seconds(uint64_t ns)
{
	return format_label("%llu.%09llu", ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

/**
 * count_label() - format a number of things
 * @nr: the number
 * @what: name of one, with "s" in the plural
 *
 * Return: the label.
 */
const char *count_label(uint64_t nr, const char *what)
{
	return format_label("%" PRIu64 " %s%s", nr, what, nr == 1 ? "" : "s");
}
