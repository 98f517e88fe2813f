/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Metrics of trees, by the rules in Documentation/metrics.rst.
 */
#ifndef _VITRINE_METRICS_H
#define _VITRINE_METRICS_H

#include "metric_set.h"
#include "vitrine.h"

/* Largest number of entries of a list; a large machine has as many CPUs. */
#define METRICS_MAX_ENTRIES	1024

/**
 * struct metrics_left_out - what is not exported
 * @nr_values: values whose names are too long, and histograms with invalid counts
 * @nr_entries: entries of lists beyond METRICS_MAX_ENTRIES
 */
struct metrics_left_out {
	size_t nr_values;
	size_t nr_entries;
};

/* Add all values of a tree to @set. */
struct metrics_left_out metrics_add_tree(struct metric_set *set, const char *tree,
					 unsigned int ordinal,
					 const struct vitrine_hierarchy *hierarchy);

#endif /* _VITRINE_METRICS_H */
