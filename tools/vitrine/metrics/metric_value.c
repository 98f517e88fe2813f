// SPDX-License-Identifier: GPL-2.0
/*
 * Format values for Prometheus: numbers as text without loss, histograms as cumulative
 * buckets. Only samples are added, to the series that metrics.c has begun.
 */
#include <math.h>
#include <string.h>

#include <vitrine/inspect.h>

#include "inspect/histogram.h"
#include "ui/double.h"
#include "metric_value.h"

/* ---- Numbers ----------------------------------------------------------- */

/* Format a number without loss: 1500000000 with 9 digits is "1.5". */
static void format_uint(char text[METRIC_NUMBER_BYTES], bool negative,
			uint64_t number, unsigned int digits)
{
	char reversed[METRIC_NUMBER_BYTES], *at = reversed;
	bool fraction = false;
	unsigned int i;

	for (i = 0; i < digits; i++, number /= 10) {
		fraction |= number % 10;
		if (fraction)
			*at++ = '0' + number % 10;
	}
	if (fraction)
		*at++ = '.';
	do {
		*at++ = '0' + number % 10;
		number /= 10;
	} while (number);
	if (negative)
		*at++ = '-';
	while (at > reversed)
		*text++ = *--at;
	*text = '\0';
}

static void format_double(char text[METRIC_NUMBER_BYTES], double number,
			  unsigned int digits)
{
	if (digits)
		number /= pow(10, digits);
	if (isnan(number))
		snprintf(text, METRIC_NUMBER_BYTES, "NaN");
	else if (isinf(number))
		snprintf(text, METRIC_NUMBER_BYTES, "%cInf", number > 0 ? '+' : '-');
	else
		double_format(number, text);
}

static void format_int(char text[METRIC_NUMBER_BYTES], int64_t number,
		       unsigned int digits)
{
	format_uint(text, number < 0,
		    number < 0 ? -(uint64_t)number : (uint64_t)number, digits);
}

/**
 * metric_format() - format a number or bool
 * @text: receives the text
 * @value: the value
 * @digits: decimal digits to divide it by
 */
void metric_format(char text[METRIC_NUMBER_BYTES],
		   const struct vitrine_value *value, unsigned int digits)
{
	switch (vitrine_value_type(value)) {
	case VITRINE_INT:
		format_int(text, vitrine_value_int(value), digits);
		break;
	case VITRINE_UINT:
		format_uint(text, false, vitrine_value_uint(value), digits);
		break;
	case VITRINE_DOUBLE:
		format_double(text, vitrine_value_double(value), digits);
		break;
	default:
		snprintf(text, METRIC_NUMBER_BYTES, "%d",
			 vitrine_value_bool(value));
		break;
	}
}

/**
 * metric_format_element() - format an element of an array of numbers
 * @text: receives the text
 * @value: the array
 * @i: index of the element
 * @digits: decimal digits to divide it by
 */
void metric_format_element(char text[METRIC_NUMBER_BYTES],
			   const struct vitrine_value *value, unsigned int i,
			   unsigned int digits)
{
	switch (vitrine_value_array(value).type) {
	case VITRINE_INT:
		format_int(text, vitrine_value_array_int(value, i), digits);
		break;
	case VITRINE_UINT:
		format_uint(text, false, vitrine_value_array_uint(value, i),
			    digits);
		break;
	default:
		format_double(text, vitrine_value_array_double(value, i),
			      digits);
		break;
	}
}

/* ---- Histograms -------------------------------------------------------- */

/* Return a parameter; a long double holds a 64-bit integer without loss on x86. */
static long double parameter(const struct vitrine_value *value, unsigned int i)
{
	switch (vitrine_value_array(value).type) {
	case VITRINE_INT:
		return vitrine_value_array_int(value, i);
	case VITRINE_UINT:
		return vitrine_value_array_uint(value, i);
	default:
		return vitrine_value_array_double(value, i);
	}
}

/* For integers, return the largest one below bucket @i's upper bound. */
static bool integer_bound(const struct vitrine_value *value, unsigned int i,
			  double *ret)
{
	struct vitrine_array array = vitrine_value_array(value);
	bool is_signed = array.type == VITRINE_INT;
	const __int128 max = is_signed ? INT64_MAX : (__int128)UINT64_MAX;
	const __int128 min = is_signed ? INT64_MIN : 0;
	__int128 p[3], bound;
	unsigned int j;

	for (j = 0; j < 3; j++)
		p[j] = is_signed ? (__int128)vitrine_value_array_int(value, j) :
				   vitrine_value_array_uint(value, j);
	if (array.format == INSPECT_ARRAY_LINEAR_HISTOGRAM) {
		bound = p[0] + p[1] * i;
	} else {
		bound = i ? p[1] : 0;
		for (j = 1; j < i; j++)
			if (__builtin_mul_overflow(bound, p[2], &bound))
				return false;
		if (__builtin_add_overflow(bound, p[0], &bound))
			return false;
	}
	if (bound <= min || bound > max)
		return false;
	*ret = bound - 1;
	return true;
}

/*
 * Return the upper bound of bucket @i, where 0 is the underflow. Bounds are inclusive in
 * Prometheus and exclusive in Inspect, so integer bounds are one less. False: no number
 * of the type is above the bound, or none is below.
 */
static bool upper_bound(const struct vitrine_value *value, unsigned int i,
			double *ret)
{
	if (vitrine_value_array(value).type != VITRINE_DOUBLE)
		return integer_bound(value, i, ret);
	*ret = histogram_bound(value, i);
	return isfinite(*ret);
}

/**
 * metric_histogram_is_good() - find out whether a histogram can be a metric
 * @value: the histogram
 *
 * Return: true if its counts are valid, and it has an underflow and an overflow bucket.
 */
bool metric_histogram_is_good(const struct vitrine_value *value)
{
	struct vitrine_array array = vitrine_value_array(value);
	unsigned int i, first = histogram_nr_parameters(value);

	if (array.count < first + 2)
		return false;
	for (i = first; i < array.count; i++) {
		long double number = parameter(value, i);

		if (!(number >= 0) || isinf(number) || floorl(number) != number)
			return false;
	}
	return true;
}

/* Format an integer up to 2^64 without loss. */
static void format_count(char text[METRIC_NUMBER_BYTES], long double count)
{
	if (count < 0x1p64L && count == (uint64_t)count)
		snprintf(text, METRIC_NUMBER_BYTES, "%.0Lf", count);
	else
		format_double(text, count, 0);
}

/* Return whether @sum is named like @value, with "_sum" before its unit or at its end. */
static bool is_name_of_sum(const struct vitrine_value *value,
			   const struct vitrine_value *sum)
{
	const char *name, *sum_name;
	size_t len, sum_len, same = 0;

	name = vitrine_value_name(value, &len);
	sum_name = vitrine_value_name(sum, &sum_len);
	if (sum_len != len + strlen("_sum"))
		return false;
	while (same < len && name[same] == sum_name[same])
		same++;
	/* The names differ before any characters that "_sum" begins with, too. */
	while (same && memcmp(sum_name + same, "_sum", strlen("_sum")))
		same--;
	return same && !memcmp(sum_name + same + strlen("_sum"), name + same,
			       len - same);
}

/* Return the sum of a histogram of uints, if a sibling has it. */
static const struct vitrine_value *find_sum(const struct vitrine_value *value)
{
	const struct vitrine_value *sum = vitrine_value_next(value);
	unsigned int i;

	if (vitrine_value_array(value).type != VITRINE_UINT)
		return NULL;
	for (i = 0; sum && i < METRIC_SUM_DISTANCE; i++, sum = vitrine_value_next(sum))
		if (vitrine_value_type(sum) == VITRINE_UINT &&
		    is_name_of_sum(value, sum))
			return sum;
	return NULL;
}

/* Add cumulative buckets, without those that no value of the type can fall into. */
static void add_buckets(struct metric_set *set,
			const struct vitrine_value *value,
			const struct metric_unit *unit)
{
	long double total = 0;
	unsigned int count = vitrine_value_array(value).count;
	unsigned int i, first = histogram_nr_parameters(value);
	char text[METRIC_NUMBER_BYTES], le[METRIC_NUMBER_BYTES];
	double bound, last = -INFINITY;

	for (i = first; i < count; i++) {
		total += parameter(value, i);
		if (i == count - 1 || !upper_bound(value, i - first, &bound))
			continue;
		bound /= pow(10, unit->digits);
		if (bound <= last)
			continue;
		last = bound;
		format_double(le, bound, 0);
		format_count(text, total);
		metric_set_add_sample(set, METRIC_BUCKET, le, text);
	}
	format_count(text, total);
	metric_set_add_sample(set, METRIC_BUCKET, "+Inf", text);
	metric_set_add_sample(set, METRIC_COUNT, "", text);
}

/**
 * metric_histogram_add() - add the samples of a histogram
 * @set: set, whose last series is that of the histogram
 * @value: a valid histogram
 * @unit: unit of its bounds and of its sum
 *
 * Return: the sibling that is used as its sum, or NULL.
 */
const struct vitrine_value *
metric_histogram_add(struct metric_set *set, const struct vitrine_value *value,
		     const struct metric_unit *unit)
{
	const struct vitrine_value *sum = find_sum(value);
	char text[METRIC_NUMBER_BYTES];

	add_buckets(set, value, unit);
	if (!sum)
		return NULL;
	format_uint(text, false, vitrine_value_uint(sum), unit->digits);
	metric_set_add_sample(set, METRIC_SUM, "", text);
	return sum;
}
