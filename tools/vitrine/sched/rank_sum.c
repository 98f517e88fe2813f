// SPDX-License-Identifier: GPL-2.0
/*
 * The rank-sum test: whether the values of one sample tend to be larger than those of
 * another one. It assumes nothing about how the values are distributed.
 *
 * H. B. Mann, D. R. Whitney: "On a Test of Whether one of Two Random Variables is
 * Stochastically Larger than the Other", 1947. The normal approximation with the
 * correction for ties is good from eight values a sample on.
 */
#include <math.h>
#include <stdlib.h>

#include "rank_sum.h"

static int compare(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left;
	const uint64_t b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* Return how many of the sorted values are equal to @value, and skip them. */
static size_t skip_equal(const uint64_t *sorted, size_t nr, size_t *at,
			 uint64_t value)
{
	size_t begin = *at;

	while (*at < nr && sorted[*at] == value)
		(*at)++;
	return *at - begin;
}

/**
 * rank_sum_p() - compare two samples
 * @a: one sample, which is sorted by this call
 * @nr_a: its size, not 0
 * @b: the other one, which is sorted by this call
 * @nr_b: its size, not 0
 *
 * Return: probability that two samples of one distribution differ at least as much.
 */
double rank_sum_p(uint64_t *a, size_t nr_a, uint64_t *b, size_t nr_b)
{
	double nr = nr_a + nr_b, sum = 0, ties = 0, variance, distance;
	size_t i = 0, j = 0, equal_a, equal;
	uint64_t value;

	qsort(a, nr_a, sizeof(*a), compare);
	qsort(b, nr_b, sizeof(*b), compare);
	while (i < nr_a || j < nr_b) {
		value = j == nr_b || (i < nr_a && a[i] < b[j]) ? a[i] : b[j];
		equal = i + j;
		equal_a = skip_equal(a, nr_a, &i, value);
		skip_equal(b, nr_b, &j, value);
		/* Equal values share the mean of their ranks, which count from 1. */
		sum += equal_a * (equal + i + j + 1) / 2.0;
		equal = i + j - equal;
		ties += (double)equal * equal * equal - equal;
	}
	variance = (double)nr_a * nr_b / 12 * (nr + 1 - ties / (nr * (nr - 1)));
	if (variance <= 0)
		return 1;
	/* Half a rank corrects for the approximation by a continuous distribution. */
	distance = fabs(sum - nr_a * (nr + 1) / 2) - 0.5;
	return distance <= 0 ? 1 : erfc(distance / sqrt(2 * variance));
}

/**
 * rank_sum_median() - return the median of a sample
 * @sorted: the sample, after rank_sum_p()
 * @nr: its size, not 0
 *
 * Return: the middle value; of two, the smaller one.
 */
uint64_t rank_sum_median(const uint64_t *sorted, size_t nr)
{
	return sorted[(nr - 1) / 2];
}
