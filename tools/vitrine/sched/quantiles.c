// SPDX-License-Identifier: GPL-2.0
/*
 * Percentiles in little memory: the values, or a logarithmic histogram. There, a quantile is
 * the middle of its bucket, with an error of at most 1/128, and exact below 128.
 */
#include <stdlib.h>
#include <string.h>

#include "quantiles.h"

#define COLUMN_BITS	6

/* Return how many low bits of a value are dropped. */
static unsigned int shift_of(uint64_t value)
{
	unsigned int bits = 64 - __builtin_clzll(value | 1);

	return bits > COLUMN_BITS + 1 ? bits - COLUMN_BITS - 1 : 0;
}

/* Row 0 begins at 0, row 1 at 64, row 2 at 128; each one ends at the next. */
static unsigned int row_of(uint64_t value)
{
	return value < QUANTILES_COLUMNS ? 0 : shift_of(value) + 1;
}

/* Return the counts of a power of two, or NULL without memory. */
static uint32_t *row_get(struct quantiles *quantiles, unsigned int number)
{
	uint32_t **row = &quantiles->rows[number];

	if (!*row)
		*row = calloc(QUANTILES_COLUMNS, sizeof(**row));
	return *row;
}

static bool count(struct quantiles *quantiles, uint64_t value)
{
	uint32_t *row = row_get(quantiles, row_of(value));

	if (row)
		row[(value >> shift_of(value)) % QUANTILES_COLUMNS]++;
	return row;
}

/* Count in buckets from now on; false without memory. */
static bool begin_rows(struct quantiles *quantiles)
{
	unsigned int i;

	if (quantiles->rows)
		return true;
	quantiles->rows = calloc(QUANTILES_ROWS, sizeof(*quantiles->rows));
	for (i = 0; quantiles->rows && i < quantiles->nr; i++)
		if (!count(quantiles, quantiles->few[i]))
			return false;
	return quantiles->rows;
}

/**
 * quantiles_add() - count a value
 * @quantiles: counts
 * @value: value
 *
 * Return: false if there is no memory.
 */
bool quantiles_add(struct quantiles *quantiles, uint64_t value)
{
	if (!quantiles->rows && quantiles->nr < QUANTILES_FEW) {
		quantiles->few[quantiles->nr++] = value;
		return true;
	}
	if (!begin_rows(quantiles))
		return false;
	quantiles->nr++;
	return count(quantiles, value);
}

/**
 * quantiles_merge() - count the values of other counts, too
 * @quantiles: counts
 * @from: other counts
 *
 * Return: false if there is no memory.
 */
bool quantiles_merge(struct quantiles *quantiles, const struct quantiles *from)
{
	unsigned int number, column;
	uint32_t *row;
	uint64_t i;

	if (!from->rows) {
		for (i = 0; i < from->nr; i++)
			if (!quantiles_add(quantiles, from->few[i]))
				return false;
		return true;
	}
	if (!begin_rows(quantiles))
		return false;
	for (number = 0; number < QUANTILES_ROWS; number++) {
		if (!from->rows[number])
			continue;
		row = row_get(quantiles, number);
		if (!row)
			return false;
		for (column = 0; column < QUANTILES_COLUMNS; column++)
			row[column] += from->rows[number][column];
	}
	quantiles->nr += from->nr;
	return true;
}

static uint64_t middle_of(unsigned int row, unsigned int column)
{
	uint64_t shift = row ? row - 1 : 0;
	uint64_t begin = (uint64_t)column + (row ? QUANTILES_COLUMNS : 0);

	return (begin << shift) + (shift ? 1ULL << (shift - 1) : 0);
}

static int compare(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

static uint64_t find_few(const struct quantiles *quantiles, uint64_t rank)
{
	uint64_t few[QUANTILES_FEW];

	memcpy(few, quantiles->few, sizeof(few));
	qsort(few, quantiles->nr, sizeof(*few), compare);
	return few[rank - 1];
}

/**
 * quantiles_find() - find a percentile
 * @quantiles: counts
 * @percent: 1 to 100
 * @ret: the least value that @percent of the values do not exceed
 *
 * Return: false if there are no values.
 */
bool quantiles_find(const struct quantiles *quantiles, unsigned int percent,
		    uint64_t *ret)
{
	uint64_t rank = (quantiles->nr * percent + 99) / 100;
	unsigned int row, column;

	if (!quantiles->nr)
		return false;
	if (!quantiles->rows) {
		*ret = find_few(quantiles, rank);
		return true;
	}
	for (row = 0; row < QUANTILES_ROWS; row++) {
		if (!quantiles->rows[row])
			continue;
		for (column = 0; column < QUANTILES_COLUMNS; column++) {
			if (rank <= quantiles->rows[row][column]) {
				*ret = middle_of(row, column);
				return true;
			}
			rank -= quantiles->rows[row][column];
		}
	}
	return false;
}

/**
 * quantiles_deinit() - free all counts
 * @quantiles: counts
 */
void quantiles_deinit(struct quantiles *quantiles)
{
	unsigned int row;

	for (row = 0; quantiles->rows && row < QUANTILES_ROWS; row++)
		free(quantiles->rows[row]);
	free(quantiles->rows);
}
