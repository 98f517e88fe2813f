/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of `vitrine watch': values of trees now, compared with the previous
 * refresh. Independent of the screen.
 */
#ifndef _VITRINE_WATCH_ROWS_H
#define _VITRINE_WATCH_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vitrine.h"

/**
 * struct watch_row - one property, or one error
 * @name: "TREE:NODE/NODE:PROPERTY", bytes of unknown origin; or an error message
 * @value: its value as text; empty for an error
 * @is_number: @number and @rate are valid
 * @is_new: the previous refresh did not have it
 * @has_changed: the previous refresh had another value
 * @is_error: @name is an error message
 * @number: the value; of a histogram, the sum of its counts
 * @bits: the same, exactly
 * @type: type of @bits: VITRINE_UINT, VITRINE_INT or VITRINE_DOUBLE
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
 * struct watch_rows - all rows; all zero at first
 * @rows: in the order of the trees
 * @nr: number of @rows
 * @taken_ns: monotonic time of the refresh
 * @before: rows of the previous refresh, by name
 * @nr_before: number of rows in @before
 * @before_ns: time of that refresh
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

/* A refresh: begin it, add trees and errors, end it. */
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
 * Return how many rows have names that contain @filter; @ret has them in order, is to
 * be freed, and may be NULL if there are none.
 */
size_t watch_rows_view(const struct watch_rows *rows, enum watch_order order,
		       const char *filter, const struct watch_row ***ret);

#endif /* _VITRINE_WATCH_ROWS_H */
