/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads, durations and times as text for people, in tables and on screens.
 */
#ifndef _VITRINE_LABEL_H
#define _VITRINE_LABEL_H

#include <stddef.h>
#include <stdint.h>

#include "vitrine.h"

#define LABEL_BYTES	192
#define LABEL_EVENT_BYTES	320
#define LABEL_TIME_BYTES	32
#define LABEL_FILE_BYTES	256	/* a file name has at most 255 */

/* "name:tid/pid" as in `vitrine print', with unprintable characters replaced. */
void label_thread(char label[LABEL_BYTES], const struct vitrine_archive *archive,
		  const struct vitrine_fxt_thread *thread);
/* The name alone. */
void label_name(char label[LABEL_BYTES], const struct vitrine_fxt_string *name);
/* "hrtimer tick_nohz_handler": the name of an event, and its text if it has one. */
void label_event(char label[LABEL_EVENT_BYTES],
		 const struct vitrine_fxt_record *record);
/* "load.fxt", with "?" for unprintable characters. */
void label_file(char label[LABEL_FILE_BYTES], const char *path);
/* Width of a label on a terminal. */
unsigned int label_columns(const char *label);

/* "12.3us", with four digits. */
void label_duration(char label[LABEL_TIME_BYTES], uint64_t ns);
/* "12.5ms": exact if @ns is a multiple of @step. */
void label_ticks(char label[LABEL_TIME_BYTES], uint64_t ns, uint64_t step);
/* "1234.567890123": seconds as in `vitrine print'. */
void label_time(char label[LABEL_TIME_BYTES], uint64_t ns);

#endif /* _VITRINE_LABEL_H */
