/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What metrics and their labels are called, and what a value is by its name.
 * The rules are in Documentation/metrics.rst.
 */
#ifndef _VITRINE_METRIC_NAME_H
#define _VITRINE_METRIC_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "vitrine.h"

/**
 * struct text - a string that grows
 * @bytes: terminated, once something has been added
 * @len: without the NUL
 * @size: of the memory
 * @failed: out of memory: what has been added is not whole
 */
struct text {
	char *bytes;
	size_t len;
	size_t size;
	bool failed;
};

void text_add(struct text *text, const char *bytes, size_t len);
void text_add_string(struct text *text, const char *string);
void text_cut(struct text *text, size_t len);
void text_destroy(struct text *text);

/**
 * struct metric_unit - what a value is counted in
 * @name: Prometheus' name of the unit, NULL for none
 * @digits: the value is in 10^-digits of that
 */
struct metric_unit {
	const char *name;
	unsigned int digits;
};

/* "_" and the words of a node's or property's name, for a metric's name. */
void metric_name_add(struct text *metric, const char *name, size_t len);

/* The same of a property; its unit and "_total" go into the last two. */
void metric_name_add_property(struct text *metric, const char *name, size_t len,
			      struct metric_unit *ret_unit, bool *ret_total);

/* A tree's name: without the number that tells it from others of its kind. */
void metric_name_add_tree(struct text *metric, const char *tree);

/* Make the whole name one that `promtool check metrics' has nothing against. */
void metric_name_join(struct text *metric);

/* Whether a value is one of many of a kind: its name is a label's value. */
bool metric_name_is_instance(const char *tree, const struct vitrine_value *value);

/* A label's name: of a property's value; of the name of one of many. */
void metric_name_label(struct text *label, const char *name, size_t len);
void metric_name_instance(struct text *label, const char *tree,
			  const struct vitrine_value *node);

/* As metric_name_add(), of a node above many: what one of them is called. */
void metric_name_add_singular(struct text *metric,
			      const struct vitrine_value *node);

/* Whether a property of a built-in tree only ever grows. */
bool metric_name_is_counter(const char *tree,
			    const struct vitrine_value *property);

#endif /* _VITRINE_METRIC_NAME_H */
