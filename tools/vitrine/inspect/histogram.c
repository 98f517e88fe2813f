// SPDX-License-Identifier: GPL-2.0
/*
 * Elements and buckets of arrays. The parameters of a histogram come from the writer
 * and are not trusted: integers wrap, and doubles may have any value.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <vitrine/inspect.h>

#include "histogram.h"

/**
 * number_format() - format an element of an array of numbers in decimal
 * @array: array, not of strings
 * @i: index of the element
 * @text: receives the text
 */
void number_format(const struct vitrine_value *array, unsigned int i,
		   char text[DOUBLE_TEXT_BYTES])
{
	switch (vitrine_value_array(array).type) {
	case VITRINE_INT:
		snprintf(text, DOUBLE_TEXT_BYTES, "%" PRId64,
			 vitrine_value_array_int(array, i));
		break;
	case VITRINE_UINT:
		snprintf(text, DOUBLE_TEXT_BYTES, "%" PRIu64,
			 vitrine_value_array_uint(array, i));
		break;
	default:
		double_format(vitrine_value_array_double(array, i), text);
		break;
	}
}

/**
 * histogram_is_linear() - find out the kind of a histogram
 * @histogram: histogram
 *
 * Return: true if its buckets are linear, false if they are exponential.
 */
bool histogram_is_linear(const struct vitrine_value *histogram)
{
	return vitrine_value_array(histogram).format ==
	       INSPECT_ARRAY_LINEAR_HISTOGRAM;
}

/**
 * histogram_nr_parameters() - count the elements before the buckets
 * @histogram: histogram
 *
 * Return: 2 for floor and step, 3 for floor, initial step and multiplier.
 */
unsigned int histogram_nr_parameters(const struct vitrine_value *histogram)
{
	return histogram_is_linear(histogram) ? 2 : 3;
}

/**
 * histogram_nr_buckets() - count the buckets
 * @histogram: histogram
 *
 * Return: how many, underflow and overflow included.
 */
unsigned int histogram_nr_buckets(const struct vitrine_value *histogram)
{
	unsigned int nr = vitrine_value_array(histogram).count;
	unsigned int nr_parameters = histogram_nr_parameters(histogram);

	return nr > nr_parameters ? nr - nr_parameters : 0;
}

/* ---- Bounds ------------------------------------------------------------ */

/**
 * histogram_bound() - compute the upper bound of a bucket in doubles
 * @histogram: histogram
 * @i: bucket, as for histogram_format_bound()
 *
 * Return: the bound, which may be infinite or NaN.
 */
double histogram_bound(const struct vitrine_value *histogram, unsigned int i)
{
	double step = vitrine_value_array_double(histogram, 1);

	if (histogram_is_linear(histogram))
		step *= i;
	else if (!i)
		step = 0;
	else
		step *= pow(vitrine_value_array_double(histogram, 2), i - 1);
	return vitrine_value_array_double(histogram, 0) + step;
}

static uint64_t integer_bound(const struct vitrine_value *histogram,
			      unsigned int i, bool is_signed)
{
	bool linear = histogram_is_linear(histogram);
	uint64_t parameter[3], step;
	unsigned int n;

	for (n = 0; n < 3; n++)
		parameter[n] = is_signed ?
			(uint64_t)vitrine_value_array_int(histogram, n) :
			vitrine_value_array_uint(histogram, n);
	step = parameter[1] * (linear ? i : !!i);
	for (n = 1; !linear && n < i; n++)
		step *= parameter[2];
	return parameter[0] + step;
}

/**
 * histogram_format_bound() - format the upper bound of a bucket in decimal
 * @histogram: histogram
 * @i: bucket; its bound is floor + step * i or, if exponential, floor for the first
 *	and floor + initial_step * step_multiplier^(i - 1) for the others
 * @text: receives the text
 */
void histogram_format_bound(const struct vitrine_value *histogram,
			    unsigned int i, char text[DOUBLE_TEXT_BYTES])
{
	switch (vitrine_value_array(histogram).type) {
	case VITRINE_INT:
		snprintf(text, DOUBLE_TEXT_BYTES, "%" PRId64,
			 (int64_t)integer_bound(histogram, i, true));
		break;
	case VITRINE_UINT:
		snprintf(text, DOUBLE_TEXT_BYTES, "%" PRIu64,
			 integer_bound(histogram, i, false));
		break;
	default:
		double_format(histogram_bound(histogram, i), text);
		break;
	}
}

/* ---- Counts ------------------------------------------------------------ */

static uint64_t integer_count(const struct vitrine_value *histogram,
			      unsigned int element)
{
	int64_t count;

	if (vitrine_value_array(histogram).type == VITRINE_UINT)
		return vitrine_value_array_uint(histogram, element);
	count = vitrine_value_array_int(histogram, element);
	return count > 0 ? count : 0;
}

/**
 * histogram_count() - return the count of a bucket
 * @histogram: histogram
 * @bucket: bucket
 *
 * Return: the count; 0 if it is invalid: negative or not finite.
 */
double histogram_count(const struct vitrine_value *histogram,
		       unsigned int bucket)
{
	unsigned int element = bucket + histogram_nr_parameters(histogram);
	double count;

	if (vitrine_value_array(histogram).type != VITRINE_DOUBLE)
		return integer_count(histogram, element);
	count = vitrine_value_array_double(histogram, element);
	return isfinite(count) && count > 0 ? count : 0;
}

/**
 * histogram_format_total() - format the sum of all counts in decimal
 * @histogram: histogram
 * @text: where to; integers are exact, and saturate
 *
 * Return: the sum as a double.
 */
double histogram_format_total(const struct vitrine_value *histogram,
			      char text[DOUBLE_TEXT_BYTES])
{
	unsigned int i, nr = histogram_nr_buckets(histogram);
	unsigned int first = histogram_nr_parameters(histogram);
	uint64_t exact = 0;
	double total = 0;

	for (i = 0; i < nr; i++)
		total += histogram_count(histogram, i);
	if (vitrine_value_array(histogram).type == VITRINE_DOUBLE) {
		double_format(total, text);
		return total;
	}
	for (i = 0; i < nr; i++)
		if (__builtin_add_overflow(exact,
					   integer_count(histogram, first + i),
					   &exact))
			exact = UINT64_MAX;
	snprintf(text, DOUBLE_TEXT_BYTES, "%" PRIu64, exact);
	return total;
}

/**
 * histogram_quantile() - find a quantile
 * @histogram: histogram that is not empty
 * @share: more than 0, at most 1
 * @total: sum of all counts
 *
 * Return: the first bucket at whose end @share of @total is reached.
 */
unsigned int histogram_quantile(const struct vitrine_value *histogram,
				double share, double total)
{
	unsigned int i, last = 0, nr = histogram_nr_buckets(histogram);
	double sum = 0;

	for (i = 0; i < nr; i++) {
		double count = histogram_count(histogram, i);

		sum += count;
		if (count > 0)
			last = i;
		if (count > 0 && sum >= share * total)
			break;
	}
	return last;
}
