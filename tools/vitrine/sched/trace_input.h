/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trace that a command reads: a file, or the contents of the flight recorder; and what the
 * filters of the command select of it: nothing is an error. Reports say what is not in it.
 */
#ifndef _VITRINE_TRACE_INPUT_H
#define _VITRINE_TRACE_INPUT_H

#include "input.h"
#include "left_out.h"
#include "ui/json.h"
#include "vitrine.h"
#include "record_filter.h"
#include "sched_state.h"

/**
 * struct selection - what a command asks of a trace
 * @filter: its filters
 * @by_record: it needs a record within the requested time; otherwise threads that run or
 *	wait throughout that time are enough
 * @untimed: records without a time count, too
 * @relative: the times of @filter count from the first record
 * @weights: it reads the records with vitrine_archive_next()
 */
struct selection {
	const struct record_filter *filter;
	bool by_record;
	bool untimed;
	bool relative;
	bool weights;
};

struct vitrine_error *selection_check(const struct selection *selection, const char *name,
				      int *ret_status);

struct vitrine_error *trace_input_open_live(void);
int trace_input_close(struct vitrine_error *err);
int trace_input_run(const char *path, const struct selection *selection,
		    struct vitrine_error *(*run)(void));

/* What is not in the trace, as lines and members of reports. */
void missing_put_without_wakeups(void);
void missing_put_unknown(void);
void missing_write_unknown(void);

#endif /* _VITRINE_TRACE_INPUT_H */
