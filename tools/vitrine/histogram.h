/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers of arrays, and what they mean in a histogram.
 *
 * A histogram of @nr buckets has bucket 0 for what was less than its floor and
 * bucket @nr - 1 for what was beyond the others. Bound i is where bucket i ends
 * and bucket i + 1 begins.
 */
#ifndef _VITRINE_HISTOGRAM_H
#define _VITRINE_HISTOGRAM_H

#include "double.h"
#include "vitrine.h"

/* Element @i of an array of numbers, in decimal. */
void number_format(const struct vitrine_value *array, unsigned int i,
		   char text[DOUBLE_TEXT_BYTES]);

bool histogram_is_linear(const struct vitrine_value *histogram);
/* Elements before the buckets: floor, step, multiplier. */
unsigned int histogram_nr_parameters(const struct vitrine_value *histogram);
unsigned int histogram_nr_buckets(const struct vitrine_value *histogram);

/* Bound @i, in decimal; @i is less than the number of buckets - 1. */
void histogram_format_bound(const struct vitrine_value *histogram,
			    unsigned int i, char text[DOUBLE_TEXT_BYTES]);

/* What bucket @bucket holds; 0 for what no count can be. */
double histogram_count(const struct vitrine_value *histogram,
		       unsigned int bucket);
/* What all hold, in decimal. */
double histogram_format_total(const struct vitrine_value *histogram,
			      char text[DOUBLE_TEXT_BYTES]);
/* The first bucket at whose end @share of @total has been counted. */
unsigned int histogram_quantile(const struct vitrine_value *histogram,
				double share, double total);

#endif /* _VITRINE_HISTOGRAM_H */
