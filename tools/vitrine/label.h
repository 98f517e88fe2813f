/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads and durations as people read them, for tables and screens.
 */
#ifndef _VITRINE_LABEL_H
#define _VITRINE_LABEL_H

#include <stddef.h>
#include <stdint.h>

#include "vitrine.h"

#define LABEL_BYTES	192
#define LABEL_TIME_BYTES	32
#define LABEL_FILE_BYTES	256	/* a file's name has 255 at most */

/* "name:tid/pid", as `vitrine print' has it but for what cannot be printed. */
void label_thread(char label[LABEL_BYTES], const struct vitrine_archive *archive,
		  const struct vitrine_fxt_thread *thread);
/* A name alone. */
void label_name(char label[LABEL_BYTES], const struct vitrine_fxt_string *name);
/* "load.fxt", with "?" for what cannot be printed. */
void label_file(char label[LABEL_FILE_BYTES], const char *path);
/* Its columns on a terminal. */
unsigned int label_columns(const char *label);

/* "12.3us", with four digits. */
void label_duration(char label[LABEL_TIME_BYTES], uint64_t ns);
/* "12.5ms", exact where @step is what such figures are a multiple of. */
void label_ticks(char label[LABEL_TIME_BYTES], uint64_t ns, uint64_t step);
/* "1234.567890123", seconds as `vitrine print' has them. */
void label_time(char label[LABEL_TIME_BYTES], uint64_t ns);

#endif /* _VITRINE_LABEL_H */
