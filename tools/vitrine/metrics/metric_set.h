/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of metrics, and the text that Prometheus reads. All series are collected before
 * the first is printed, because the lines of a family must be contiguous.
 */
#ifndef _VITRINE_METRIC_SET_H
#define _VITRINE_METRIC_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * enum metric_type - what kind of values a family has
 * @METRIC_UNKNOWN: numbers
 * @METRIC_GAUGE: numbers that go up and down
 * @METRIC_COUNTER: numbers that only grow
 * @METRIC_INFO: text in labels
 * @METRIC_HISTOGRAM: counts in buckets
 */
enum metric_type {
	METRIC_UNKNOWN,
	METRIC_GAUGE,
	METRIC_COUNTER,
	METRIC_INFO,
	METRIC_HISTOGRAM,
};

/**
 * enum metric_part - part of a series
 * @METRIC_VALUE: value of a number
 * @METRIC_BUCKET: of a histogram, the count up to a bound
 * @METRIC_COUNT: of a histogram, the total count
 * @METRIC_SUM: of a histogram, the sum of all values, if it is known
 * @METRIC_NR_PARTS: number of parts
 */
enum metric_part {
	METRIC_VALUE,
	METRIC_BUCKET,
	METRIC_COUNT,
	METRIC_SUM,
	METRIC_NR_PARTS,
};

/**
 * struct metric_family - metrics of one name and type
 * @name: without "_total", "_info", "_bucket", "_count", "_sum"
 * @help: help text: ASCII without a quote, backslash or newline
 * @unit: suffix of the name, or NULL
 * @type: type of the values
 * @clashes: another family has one of its names: both are printed without a type
 * @sample_names: name of each part
 * @ranks: rank of the header of each part
 */
struct metric_family {
	const char *name;
	const char *help;
	const char *unit;
	enum metric_type type;
	bool clashes;
	const char *sample_names[METRIC_NR_PARTS];
	uint32_t ranks[METRIC_NR_PARTS];
};

/**
 * struct metric_series - one value, or one histogram
 * @family: its family
 * @labels: "a=\"b\",c=\"d\""
 * @duplicate: number among series with equal labels, from 1
 * @nr_samples: number of its samples, which are contiguous in the set
 * @has_sum: one of them is its sum
 */
struct metric_series {
	struct metric_family *family;
	const char *labels;
	uint32_t duplicate;
	uint32_t nr_samples;
	bool has_sum;
};

/**
 * struct metric_sample - one line
 * @series: index of its series
 * @group: number shared by all samples with an equal line
 * @part: part of the series
 * @le: upper bound of a bucket, else ""
 * @value: number as text
 */
struct metric_sample {
	uint32_t series;
	uint32_t group;
	enum metric_part part;
	const char *le;
	const char *value;
};

/**
 * struct metric_key - what determines a family before its name is complete
 * @metric: name put together from nodes and property
 * @unit: unit of its values, or NULL
 * @type: type of its values
 */
struct metric_key {
	const char *metric;
	const char *unit;
	enum metric_type type;
};

struct metric_arena;

/**
 * struct metric_set - all metrics; all zero at first
 * @families: by name and type, a tree of tsearch()
 * @nr_families: number of @families
 * @keys: keys of families: thousands of values share one
 * @series: in the order they were added
 * @nr_series: number of @series
 * @samples: in the order they were added
 * @nr_samples: number of @samples
 * @arena: memory of all strings and families
 * @failed: out of memory: the set is incomplete
 */
struct metric_set {
	void *families;
	size_t nr_families;
	void *keys;
	struct metric_series *series;
	size_t nr_series;
	struct metric_sample *samples;
	size_t nr_samples;
	struct metric_arena *arena;
	bool failed;
};

/* Find the family of a key; add one, which may equal that of another key. */
struct metric_family *metric_set_find(const struct metric_set *set,
				      const struct metric_key *key);
struct metric_family *metric_set_add_family(struct metric_set *set,
					    const struct metric_key *key,
					    const struct metric_family *family);

/* Add a series, whose labels are copied; its samples come next. */
void metric_set_add_series(struct metric_set *set, struct metric_family *family,
			   const char *labels);
void metric_set_add_sample(struct metric_set *set, enum metric_part part,
			   const char *le, const char *value);

/* Print all, once. @strict: strict OpenMetrics. Return false without memory. */
bool metric_set_print(struct metric_set *set, bool strict, FILE *stream);

void metric_set_destroy(struct metric_set *set);

#endif /* _VITRINE_METRIC_SET_H */
