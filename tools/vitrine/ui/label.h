/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Texts for people, in tables and on screens: threads, durations and times; growing strings; and
 * characters on a terminal.
 */
#ifndef _VITRINE_LABEL_H
#define _VITRINE_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vitrine.h"

/**
 * struct text - a growing string
 * @bytes: terminated, once something has been appended
 * @len: length without the NUL
 * @size: size of the memory
 *
 * Without memory for it, the command ends.
 */
struct text {
	char *bytes;
	size_t len;
	size_t size;
};

void text_add(struct text *text, const char *bytes, size_t len);
void text_add_string(struct text *text, const char *string);
void text_cut(struct text *text, size_t len);
void text_destroy(struct text *text);

/* Return the columns that the character takes. */
unsigned int character_columns(uint32_t c);

#define LABEL_BYTES	192
#define LABEL_EVENT_BYTES	320
#define LABEL_FILE_BYTES	256	/* a file name has at most 255 */

/*
 * Labels are in eight buffers, which are used in turn: each is valid until the eighth call after
 * its own, so that one printf() can print several. Unprintable characters are replaced.
 */

/* "name:tid/pid" as in `vitrine print'; at most LABEL_BYTES, as the name alone. */
const char *thread_label(const struct vitrine_archive *archive,
			 const struct vitrine_fxt_thread *thread);
const char *name_label(const struct vitrine_fxt_string *name);
/* "hrtimer tick_nohz_handler": the name of an event, and its text if it has one. */
const char *event_label(const struct vitrine_fxt_record *record);
/* "12.3us", with four digits. */
const char *duration(uint64_t ns);
/* "12.5ms": exact if @ns is a multiple of @step. */
const char *ticks_label(uint64_t ns, uint64_t step);
/* "1234.567890123": seconds as in `vitrine print'. */
const char *seconds(uint64_t ns);
/* "1 gap", "2 gaps". */
const char *count_label(uint64_t nr, const char *what);
/* Any text. */
__attribute__((format(printf, 1, 2)))
const char *format_label(const char *format, ...);
/* A text with spaces behind it, as wide as a column of a table. */
const char *padded(const char *text, int columns);

/* "load.fxt", for as long as the caller needs it. */
void label_file(char label[LABEL_FILE_BYTES], const char *path);
/* Width of a label on a terminal. */
unsigned int label_columns(const char *label);

#endif /* _VITRINE_LABEL_H */
