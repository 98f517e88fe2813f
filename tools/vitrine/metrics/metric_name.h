/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of metrics and labels, units and types, derived from names in trees. The rules
 * are in Documentation/metrics.rst.
 */
#ifndef _VITRINE_METRIC_NAME_H
#define _VITRINE_METRIC_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "ui/label.h"
#include "vitrine.h"

/**
 * struct metric_unit - unit of a value
 * @name: name of the unit in Prometheus, "" for none
 * @digits: the value is in 10^-digits of it
 */
struct metric_unit {
	const char *name;
	unsigned int digits;
};

/* Append "_" and the words of a node's name to a metric's name. */
void metric_name_add(struct text *metric, const char *name, size_t len);

/* Append a property's name; return its unit, and whether it ended in "_total". */
void metric_name_add_property(struct text *metric, const char *name, size_t len,
			      struct metric_unit *ret_unit, bool *ret_total);

/* Begin with a tree's name, without a number at its end. */
void metric_name_add_tree(struct text *metric, const char *tree);

/* Make a complete name acceptable for `promtool check metrics'. */
void metric_name_join(struct text *metric);

/* Return whether a value is one of many, so that its name becomes a label's value. */
bool metric_name_is_instance(const char *tree, const struct vitrine_value *value);

/* Derive a label for the value of a property; for the names of instances. */
void metric_name_label(struct text *label, const char *name, size_t len);
void metric_name_instance(struct text *label, const char *tree,
			  const struct vitrine_value *node);

/* As metric_name_add(), with the singular of the parent of instances. */
void metric_name_add_singular(struct text *metric,
			      const struct vitrine_value *node);

/* Return whether a property of a built-in tree is a counter. */
bool metric_name_is_counter(const char *tree,
			    const struct vitrine_value *property);

#endif /* _VITRINE_METRIC_NAME_H */
