/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a conversion says about its input: the first faults and their number, and counts of what
 * the other format cannot represent of it, to be printed at the end.
 */
#ifndef _VITRINE_CONVERT_LEFT_OUT_H
#define _VITRINE_CONVERT_LEFT_OUT_H

#include <stdio.h>

#include "vitrine.h"
#include "fxt_write.h"

/* The file, and its number of faults. */
struct faults {
	const char *path;
	uint64_t nr;
};

/* For struct vitrine_fxt_report: @ctx is a struct faults. */
void faults_print(void *ctx, uint64_t offset, const char *message);
/* Print how many faults were not printed. */
void faults_end(const struct faults *faults);

/**
 * enum left_out_kind - kinds of what was left out
 * @LEFT_OUT_BLOB: blobs, except for vitrine's own headers and padding
 * @LEFT_OUT_OBJECT: objects other than processes and threads
 * @LEFT_OUT_UNKNOWN: records of unknown types
 * @LEFT_OUT_EVENT: events and log messages
 * @LEFT_OUT_SCHEDULING: switches and wakeups
 * @LEFT_OUT_ARGUMENT: arguments of events
 * @LEFT_OUT_TEXT: strings that were truncated
 * @LEFT_OUT_KINDS: number of kinds
 */
enum left_out_kind {
	LEFT_OUT_BLOB,
	LEFT_OUT_OBJECT,
	LEFT_OUT_UNKNOWN,
	LEFT_OUT_EVENT,
	LEFT_OUT_SCHEDULING,
	LEFT_OUT_ARGUMENT,
	LEFT_OUT_TEXT,
	LEFT_OUT_KINDS,
};

struct left_out {
	uint64_t nr[LEFT_OUT_KINDS];
};

bool left_out_is_content(const struct vitrine_fxt_record *record);
void left_out_untimed(struct left_out *left_out,
		      const struct vitrine_fxt_record *record);
void left_out_record(struct left_out *left_out,
		     const struct vitrine_fxt_record *record);
void left_out_print(const struct left_out *left_out, const char *path,
		    const char *format, FILE *stream);
void left_out_note(const char *path, uint64_t nr, const char *what, FILE *stream);
void left_out_note_fxt(const struct fxt_out_counts *counts, const char *path, FILE *stream);
void left_out_print_fxt(struct left_out left_out,
			const struct fxt_out_counts *counts, const char *path,
			FILE *stream);

#endif /* _VITRINE_CONVERT_LEFT_OUT_H */
