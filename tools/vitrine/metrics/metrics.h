/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Metrics of trees, by the rules in Documentation/metrics.rst.
 */
#ifndef _VITRINE_METRICS_H
#define _VITRINE_METRICS_H

#include "metric_set.h"
#include "vitrine.h"

/*
 * Add all values of a tree to @set. Return how many were left out: their names are too
 * long, or the counts of a histogram are invalid.
 */
size_t metrics_add_tree(struct metric_set *set, const char *tree,
			unsigned int ordinal,
			const struct vitrine_hierarchy *hierarchy);

#endif /* _VITRINE_METRICS_H */
