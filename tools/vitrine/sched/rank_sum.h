/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rank-sum test of Mann, Whitney and Wilcoxon.
 */
#ifndef _VITRINE_RANK_SUM_H
#define _VITRINE_RANK_SUM_H

#include <stddef.h>
#include <stdint.h>

double rank_sum_p(uint64_t *a, size_t nr_a, uint64_t *b, size_t nr_b);
uint64_t rank_sum_median(const uint64_t *sorted, size_t nr);

#endif /* _VITRINE_RANK_SUM_H */
