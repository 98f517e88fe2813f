// SPDX-License-Identifier: GPL-2.0
/*
 * Percentiles in little memory: a logarithmic histogram. A quantile is the middle of
 * its bucket, with an error of at most 1/128, and exact below 128.
 */
#include <stdlib.h>

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

/* Allocate zeroed memory within the limit; NULL if there is none. */
static void *allocate(size_t bytes, size_t *memory_bytes)
{
	void *memory;

	if (*memory_bytes < bytes)
		return NULL;
	memory = calloc(1, bytes);
	if (memory)
		*memory_bytes -= bytes;
	return memory;
}

/**
 * quantiles_add() - count a value
 * @quantiles: counts
 * @value: value
 * @memory_bytes: memory that all counts together may still allocate
 */
void quantiles_add(struct quantiles *quantiles, uint64_t value,
		   size_t *memory_bytes)
{
	uint32_t **row;

	quantiles->nr++;
	if (!quantiles->rows)
		quantiles->rows = allocate(QUANTILES_ROWS * sizeof(*row),
					   memory_bytes);
	if (!quantiles->rows) {
		quantiles->failed = true;
		return;
	}
	row = &quantiles->rows[row_of(value)];
	if (!*row)
		*row = allocate(QUANTILES_COLUMNS * sizeof(**row), memory_bytes);
	if (*row)
		(*row)[(value >> shift_of(value)) % QUANTILES_COLUMNS]++;
	else
		quantiles->failed = true;
}

static uint64_t middle_of(unsigned int row, unsigned int column)
{
	uint64_t shift = row ? row - 1 : 0;
	uint64_t begin = (uint64_t)column + (row ? QUANTILES_COLUMNS : 0);

	return (begin << shift) + (shift ? 1ULL << (shift - 1) : 0);
}

/**
 * quantiles_find() - find a percentile
 * @quantiles: counts
 * @percent: 1 to 100
 * @ret: the least value that @percent of the values do not exceed
 *
 * Return: false if there are no values, or memory was missing.
 */
bool quantiles_find(const struct quantiles *quantiles, unsigned int percent,
		    uint64_t *ret)
{
	uint64_t rank = (quantiles->nr * percent + 99) / 100;
	unsigned int row, column;

	if (!quantiles->nr || quantiles->failed)
		return false;
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
