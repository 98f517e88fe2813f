/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the filters of a command select of a trace: nothing is an error.
 */
#ifndef _VITRINE_SELECTION_H
#define _VITRINE_SELECTION_H

#include "record_filter.h"

/**
 * struct selection - what a command asks of a trace
 * @filter: its filters
 * @by_record: it needs a record within the requested time; otherwise threads that run or
 *	wait throughout that time are enough
 * @untimed: records without a time count, too
 * @relative: the times of @filter count from the first record
 */
struct selection {
	const struct record_filter *filter;
	bool by_record;
	bool untimed;
	bool relative;
};

struct vitrine_error *selection_check(const struct selection *selection, const char *path,
				      const char *name, int *ret_status);

#endif /* _VITRINE_SELECTION_H */
