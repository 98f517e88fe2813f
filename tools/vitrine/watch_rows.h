/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of `vitrine watch': what trees hold now against what they held the
 * time before. Nothing here knows of a screen.
 */
#ifndef _VITRINE_WATCH_ROWS_H
#define _VITRINE_WATCH_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vitrine.h"

/**
 * struct watch_row - one property, or one error
 * @name: "TREE:NODE/NODE:PROPERTY", bytes of unknown origin
 * @value: the same; of an error nothing
 * @is_number: @number and @rate mean something
 * @is_new: it was not there the time before
 * @has_changed: it was, with another value
 * @is_error: @name is what is wrong
 * @number: the value; of a histogram how many values it has counted
 * @bits: the same, exactly
 * @type: what @bits are: VITRINE_UINT, VITRINE_INT or VITRINE_DOUBLE
 * @rate: change of the number per second; 0 if it is new
 */
struct watch_row {
	char *name;
	char *value;
	bool is_number;
	bool is_new;
	bool has_changed;
	bool is_error;
	enum vitrine_type type;
	uint64_t bits;
	double number;
	double rate;
};

/**
 * struct watch_rows - all rows; begin with all zero
 * @rows: in the order of the trees
 * @nr: how many
 * @taken_ns: when, monotonic
 * @before: the rows of the time before, by name
 * @nr_before: how many
 * @before_ns: when that was
 * @failed: out of memory: rows are missing
 */
struct watch_rows {
	struct watch_row *rows;
	size_t nr;
	uint64_t taken_ns;
	struct watch_row *before;
	size_t nr_before;
	uint64_t before_ns;
	bool failed;
};

/* All of one time: begin, what there is, end. */
void watch_rows_begin(struct watch_rows *rows, uint64_t now_ns);
void watch_rows_add_tree(struct watch_rows *rows, const char *tree,
			 unsigned int ordinal,
			 const struct vitrine_hierarchy *hierarchy);
void watch_rows_add_error(struct watch_rows *rows, const char *message);
void watch_rows_end(struct watch_rows *rows);
void watch_rows_destroy(struct watch_rows *rows);

enum watch_order {
	WATCH_BY_NAME,
	WATCH_BY_VALUE,
	WATCH_BY_RATE,
};

/*
 * Rows whose names contain @filter, in order, at @ret, to be freed. Returns how
 * many; with 0, @ret may be NULL.
 */
size_t watch_rows_view(const struct watch_rows *rows, enum watch_order order,
		       const char *filter, const struct watch_row ***ret);

#endif /* _VITRINE_WATCH_ROWS_H */
