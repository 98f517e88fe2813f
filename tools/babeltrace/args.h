/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields of an event as arguments of a record.
 */
#ifndef _VITRINE_BABELTRACE_ARGS_H
#define _VITRINE_BABELTRACE_ARGS_H

#include <babeltrace2/babeltrace.h>

#include "fxt.h"

/* Longer names of elements are cut. */
#define ARGS_NAME_BYTES	64

/**
 * struct args - what arguments are made of
 * @record: gets them; they point into the fields, and into @names
 * @names: made here, of elements of arrays and structures, by argument
 * @nr_left_out: fields, and elements, that are no argument or have no room
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
