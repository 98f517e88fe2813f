/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Percentiles of any number of durations in little memory: the durations themselves while they
 * are few, then counts in buckets whose width is 1/64 of their lower bound, or 1.
 */
#ifndef _VITRINE_QUANTILES_H
#define _VITRINE_QUANTILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUANTILES_COLUMNS	64
#define QUANTILES_ROWS		59
#define QUANTILES_FEW		8

/**
 * struct quantiles - counts; all zero at first
 * @nr: number of values
 * @few: the values, as long as there are no @rows
 * @rows: counts, one row per power of two; a NULL row counts nothing
 */
struct quantiles {
	uint64_t nr;
	uint64_t few[QUANTILES_FEW];
	uint32_t **rows;
};

bool quantiles_add(struct quantiles *quantiles, uint64_t value);
bool quantiles_merge(struct quantiles *quantiles, const struct quantiles *from);
bool quantiles_find(const struct quantiles *quantiles, unsigned int percent,
		    uint64_t *ret);
void quantiles_deinit(struct quantiles *quantiles);

#endif /* _VITRINE_QUANTILES_H */
