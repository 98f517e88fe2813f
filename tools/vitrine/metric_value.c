// SPDX-License-Identifier: GPL-2.0
/*
 * Values of trees as Prometheus has them: numbers as text, exactly, and histograms
 * as buckets that each count those before them, too. Of a set only samples are
 * touched, those of the series that metrics.c has begun.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <vitrine/inspect.h>

#include "double.h"
#include "metric_value.h"

/* ---- Numbers ----------------------------------------------------------- */

/* Exactly: 1500000000 of 9 digits is "1.5". */
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
 * metric_format() - a number or bool as text
 * @text: the text
 * @value: the number
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
 * metric_format_element() - a number of an array as text
 * @text: the text
 * @value: the array
 * @i: which of its numbers
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

/* All 64 bits of an integer, where long double has as many. */
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

/* Of integers: the largest that is less than bucket @i's upper bound. */
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

static bool double_bound(const struct vitrine_value *value, unsigned int i,
			 double *ret)
{
	double step = vitrine_value_array_double(value, 1);

	if (vitrine_value_array(value).format == INSPECT_ARRAY_LINEAR_HISTOGRAM)
		step *= i;
	else
		step = i ? step * pow(vitrine_value_array_double(value, 2),
				     i - 1.0) : 0;
	*ret = vitrine_value_array_double(value, 0) + step;
	return isfinite(*ret);
}

/*
 * The upper bound of bucket @i, counted from the underflow bucket. Prometheus'
 * bounds belong to the bucket, those of Inspect to the next: of integers that is
 * one less. false: no number of the type can be above it, or none below.
 */
static bool upper_bound(const struct vitrine_value *value, unsigned int i,
			double *ret)
{
	if (vitrine_value_array(value).type == VITRINE_DOUBLE)
		return double_bound(value, i, ret);
	return integer_bound(value, i, ret);
}

/* Parameters come first. */
static unsigned int first_bucket(struct vitrine_array array)
{
	return array.format == INSPECT_ARRAY_LINEAR_HISTOGRAM ? 2 : 3;
}

/**
 * metric_histogram_is_good() - whether a histogram can be a metric
 * @value: the histogram
 *
 * Return: whether its counts are counts, and there are an underflow and an
 * overflow bucket.
 */
bool metric_histogram_is_good(const struct vitrine_value *value)
{
	struct vitrine_array array = vitrine_value_array(value);
	unsigned int i, first = first_bucket(array);

	if (array.count < first + 2)
		return false;
	for (i = first; i < array.count; i++) {
		long double number = parameter(value, i);

		if (!(number >= 0) || isinf(number) || floorl(number) != number)
			return false;
	}
	return true;
}

/* Any integer up to 2^64 exactly. */
static void format_count(char text[METRIC_NUMBER_BYTES], long double count)
{
	if (count < 0x1p64L && count == (uint64_t)count)
		snprintf(text, METRIC_NUMBER_BYTES, "%.0Lf", count);
	else
		format_double(text, count, 0);
}

/* Whether @sum is called as @name is, "_sum" before its unit or at its end. */
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
	/* Where they differ is up to what begins like "_sum", too. */
	while (same && memcmp(sum_name + same, "_sum", strlen("_sum")))
		same--;
	return same && !memcmp(sum_name + same + strlen("_sum"), name + same,
			       len - same);
}

/* The sum of a histogram of uints, if a property beside it has it. */
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

/* Each bucket with those before it, but for those that are empty by bounds. */
static void add_buckets(struct metric_set *set,
			const struct vitrine_value *value,
			const struct metric_unit *unit)
{
	long double total = 0;
	struct vitrine_array array = vitrine_value_array(value);
	unsigned int i, first = first_bucket(array), count = array.count;
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
 * @set: set, whose last series is the histogram's
 * @value: the histogram, which is good
 * @unit: of its bounds, and of its sum
 *
 * Return: the property beside it that has been taken as its sum, or NULL.
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
