/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields of an event as arguments of a record.
 */
#ifndef _VITRINE_BABELTRACE_ARGS_H
#define _VITRINE_BABELTRACE_ARGS_H

#include <babeltrace2/babeltrace.h>

#include "fxt_record.h"

/* Maximum length of a generated name; longer ones are truncated. */
#define ARGS_NAME_BYTES	64

/**
 * struct args - arguments of a record
 * @record: receives the arguments, which point into the fields and into @names
 * @names: generated names of array elements and structure members, by argument
 * @nr_left_out: number of fields and elements that could not be converted
 */
struct args {
	struct vitrine_fxt_record *record;
	char names[FXT_MAX_ARGS][ARGS_NAME_BYTES];
	uint64_t nr_left_out;
};

void args_add_members(struct args *args, const bt_field *structure,
		      const char * const *skip);
void args_leave_members(struct args *args, const bt_field *structure,
			const char * const *skip);

#endif /* _VITRINE_BABELTRACE_ARGS_H */
