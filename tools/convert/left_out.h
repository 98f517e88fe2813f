/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What of a trace another format cannot say: counted, and told at the end.
 */
#ifndef _VITRINE_CONVERT_LEFT_OUT_H
#define _VITRINE_CONVERT_LEFT_OUT_H

#include <stdio.h>

#include "vitrine.h"

/**
 * enum left_out_kind - what was left out
 * @LEFT_OUT_BLOB: bytes, of vitrine's own headers and padding none
 * @LEFT_OUT_OBJECT: descriptions of objects that are no process or thread
 * @LEFT_OUT_UNKNOWN: records of kinds nobody knows
 * @LEFT_OUT_EVENT: events, log messages
 * @LEFT_OUT_SCHEDULING: switches and wakeups
 * @LEFT_OUT_ARGUMENT: arguments of events
 * @LEFT_OUT_TEXT: strings that were cut
 * @LEFT_OUT_KINDS: how many kinds
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

void left_out_untimed(struct left_out *left_out,
		      const struct vitrine_fxt_record *record);
void left_out_record(struct left_out *left_out,
		     const struct vitrine_fxt_record *record);
void left_out_print(const struct left_out *left_out, const char *path,
		    const char *format, FILE *stream);

#endif /* _VITRINE_CONVERT_LEFT_OUT_H */
