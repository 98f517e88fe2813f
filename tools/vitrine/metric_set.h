/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of metrics, and the text that Prometheus reads: collect all series,
 * then print, as a family's lines have to stand together.
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
 * enum metric_part - what of a series a sample is
 * @METRIC_VALUE: its value
 * @METRIC_BUCKET: of a histogram, what is not above a bound
 * @METRIC_COUNT: of a histogram, all
 * @METRIC_SUM: of a histogram, the sum of all, if it is known
 * @METRIC_NR_PARTS: how many there are
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
 * @help: what it is, or NULL
 * @unit: suffix of the name, or NULL
 * @type: kind of values
 * @clashes: another family has one of its names: neither says its type
 * @sample_names: of each part
 * @ranks: of each part: order of what it is printed under
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
 * @family: it is of
 * @labels: "a=\"b\",c=\"d\""
 * @duplicate: which of several with the same labels, from 1
 * @nr_samples: following each other in the set
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
 * @series: number of its series
 * @group: the same for samples that would be the same line
 * @part: what it is
 * @le: upper bound of a bucket, else ""
 * @value: as text
 */
struct metric_sample {
	uint32_t series;
	uint32_t group;
	enum metric_part part;
	const char *le;
	const char *value;
};

/**
 * struct metric_key - what is known of a family before its name is
 * @metric: its name as nodes and property have put it together
 * @unit: of its values, or NULL
 * @type: kind of values
 */
struct metric_key {
	const char *metric;
	const char *unit;
	enum metric_type type;
};

struct metric_arena;

/**
 * struct metric_set - all of them; begin with all zero
 * @families: by name and type, a tree of tsearch()
 * @nr_families: in there
 * @keys: of families: thousands of values share one
 * @series: in the order they came in
 * @nr_series: how many
 * @samples: in the order they came in
 * @nr_samples: how many
 * @arena: all strings and families
 * @failed: out of memory: not all is there
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

/* The family of a key; what is added for it may be another key's family, too. */
struct metric_family *metric_set_find(const struct metric_set *set,
				      const struct metric_key *key);
struct metric_family *metric_set_add_family(struct metric_set *set,
					    const struct metric_key *key,
					    const struct metric_family *family);

/* Copies its labels. Then come the samples of the series. */
void metric_set_add_series(struct metric_set *set, struct metric_family *family,
			   const char *labels);
void metric_set_add_sample(struct metric_set *set, enum metric_part part,
			   const char *le, const char *value);

/* Print all; once. @strict: OpenMetrics to the letter. false: no memory. */
bool metric_set_print(struct metric_set *set, bool strict, FILE *stream);

void metric_set_destroy(struct metric_set *set);

#endif /* _VITRINE_METRIC_SET_H */
