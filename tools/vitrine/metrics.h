/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trees as metrics; the rules are in Documentation/metrics.rst.
 */
#ifndef _VITRINE_METRICS_H
#define _VITRINE_METRICS_H

#include "metric_set.h"
#include "vitrine.h"

/*
 * Add all values of a tree to @set. Returns how many had to be left out: names
 * too long, or a histogram whose counts are none.
 */
size_t metrics_add_tree(struct metric_set *set, const char *tree,
			unsigned int ordinal,
			const struct vitrine_hierarchy *hierarchy);

#endif /* _VITRINE_METRICS_H */
