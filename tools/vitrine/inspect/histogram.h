/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Elements of arrays of numbers, and buckets of histograms.
 *
 * Bucket 0 is the underflow, for values below the floor; the last one is the
 * overflow. Bound i is the end of bucket i and the begin of bucket i + 1.
 */
#ifndef _VITRINE_HISTOGRAM_H
#define _VITRINE_HISTOGRAM_H

#include "ui/double.h"
#include "vitrine.h"

/* Format element @i of an array of numbers in decimal. */
void number_format(const struct vitrine_value *array, unsigned int i,
		   char text[DOUBLE_TEXT_BYTES]);

bool histogram_is_linear(const struct vitrine_value *histogram);
/* Count the elements before the buckets: floor, step, multiplier. */
unsigned int histogram_nr_parameters(const struct vitrine_value *histogram);
unsigned int histogram_nr_buckets(const struct vitrine_value *histogram);

/* Format bound @i in decimal; @i is less than the number of buckets - 1. */
void histogram_format_bound(const struct vitrine_value *histogram,
			    unsigned int i, char text[DOUBLE_TEXT_BYTES]);

/* Compute bound @i in doubles. */
double histogram_bound(const struct vitrine_value *histogram, unsigned int i);

/* Return the count of a bucket; 0 if it is invalid. */
double histogram_count(const struct vitrine_value *histogram,
		       unsigned int bucket);
/* Format the sum of all counts in decimal. */
double histogram_format_total(const struct vitrine_value *histogram,
			      char text[DOUBLE_TEXT_BYTES]);
/* Return the first bucket at whose end @share of @total is reached. */
unsigned int histogram_quantile(const struct vitrine_value *histogram,
				double share, double total);

#endif /* _VITRINE_HISTOGRAM_H */
