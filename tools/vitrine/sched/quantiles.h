/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Percentiles of any number of durations in little memory: counts in buckets whose
 * width is 1/64 of their lower bound, or 1.
 */
#ifndef _VITRINE_QUANTILES_H
#define _VITRINE_QUANTILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUANTILES_COLUMNS	64
#define QUANTILES_ROWS		59

/**
 * struct quantiles - counts; all zero at first
 * @nr: number of values
 * @failed: memory was missing for one of them
 * @rows: counts, one row per power of two; a NULL row, or no rows, counts nothing
 */
struct quantiles {
	uint64_t nr;
	bool failed;
	uint32_t **rows;
};

void quantiles_add(struct quantiles *quantiles, uint64_t value,
		   size_t *memory_bytes);
bool quantiles_find(const struct quantiles *quantiles, unsigned int percent,
		    uint64_t *ret);
void quantiles_deinit(struct quantiles *quantiles);

#endif /* _VITRINE_QUANTILES_H */
