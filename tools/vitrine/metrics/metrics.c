// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine metrics': make metrics of trees, and print them, or replace a file that the textfile
 * collector of node_exporter reads. Documentation/metrics.rst has the rules.
 *
 * There is one series for each number, bool and histogram, one for each
 * element of an array, and one with all strings of a node as labels. Byte vectors and
 * links are left out, and so are the entries of a list beyond METRICS_MAX_ENTRIES.
 * All rules about names look at names only, so that a metric keeps its name whatever else the
 * tree holds.
 *
 * All series are in a set before the first is printed. It guarantees, whatever
 * the names in trees: the lines of a family are contiguous, a family has one type, and
 * no line is repeated. One thread.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <regex.h>
#include <search.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vitrine/inspect.h>

#include "base.h"
#include "command.h"
#include "temporary.h"
#include "inspect/show.h"
#include "inspect/trees.h"
#include "ui/label.h"
#include "ui/line.h"
#include "value.h"
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
 * enum metric_part - part of a series, and index of its name in the family
 * @METRIC_VALUE: a number
 * @METRIC_SUFFIXED: a counter or text, whose names have a suffix
 * @METRIC_BUCKET: of a histogram, the count up to a bound
 * @METRIC_COUNT: of a histogram, the total count
 * @METRIC_SUM: of a histogram, the sum of all values, if it is known
 * @METRIC_NR_NAMES: most names of a family, and one for the end
 */
enum metric_part {
	METRIC_VALUE,
	METRIC_SUFFIXED,
	METRIC_BUCKET	= METRIC_SUFFIXED,
	METRIC_COUNT,
	METRIC_SUM,
	METRIC_NR_NAMES	= METRIC_SUM + 3,
};

/*
 * What is known of each type: its word for Prometheus, which has none for text, the begin of the
 * help text, and the suffixes of names that are reserved for it, used or not.
 */
static const struct metric_kind {
	const char *word;
	const char *help;
	const char *suffixes[METRIC_NR_NAMES];
} kinds[] = {
	[METRIC_UNKNOWN]	= { NULL, "Value of ", { "" } },
	[METRIC_GAUGE]		= { "gauge", "Value of ", { "" } },
	[METRIC_COUNTER]	= { "counter", "Number of ", { "", "_total", "_created" } },
	[METRIC_INFO]		= { "gauge", "Text of ", { "", "_info" } },
	[METRIC_HISTOGRAM]	= {
		"histogram", "Distribution of ", { "", "_bucket", "_count", "_sum", "_created" },
	},
};

/**
 * struct metric_name - a name that a family claims
 * @text: the name
 * @family: the family
 */
struct metric_name {
	const char *text;
	struct metric_family *family;
};

/**
 * struct metric_family - metrics of one name and type
 * @names: name of each part, and those that are reserved; the first one has no suffix
 * @help: help text: ASCII without a quote, backslash or newline
 * @type: type of the values
 * @clashes: another family has one of its names: both are printed without a type
 */
struct metric_family {
	struct metric_name names[METRIC_NR_NAMES];
	const char *help;
	enum metric_type type;
	bool clashes;
};

/**
 * struct metric_series - one value, or one histogram
 * @family: its family
 * @labels: "a=\"b\",c=\"d\""
 * @duplicate: number among series with equal labels, from 1
 * @nr_samples: number of its samples, which are contiguous in the set
 */
struct metric_series {
	struct metric_family *family;
	const char *labels;
	uint32_t duplicate;
	uint32_t nr_samples;
};

/**
 * struct metric_sample - one line
 * @series: index of its series
 * @last: of the first sample with an equal line, the number of the last series that has one
 * @line: that sample
 * @name: that of its part
 * @le: upper bound of a bucket, else ""
 * @value: number as text
 */
struct metric_sample {
	uint32_t series;
	uint32_t last;
	struct metric_sample *line;
	const struct metric_name *name;
	const char *le;
	const char *value;
};

/*
 * All metrics, in the order in which they were added; they are freed at the end of the command.
 * Trees of tsearch() have the families by name and type, the names of all families, and the
 * samples by their lines.
 */
static void *families, *names, *lines;
static struct metric_series *all_series;
static size_t nr_series;
static struct metric_sample *samples;
static size_t nr_samples;

#define METRIC_SUM_DISTANCE	8	/* most siblings from a histogram to its sum */

/* Largest number of entries of a list; a large machine has as many CPUs. */
#define METRICS_MAX_ENTRIES	1024

#define MAX_NAME	64	/* characters used of one name */
#define MAX_METRIC	255	/* bytes of a metric's name */
#define MAX_LABELS	2048	/* bytes of all labels of a series */
#define MAX_VALUE	128	/* bytes of a label's value before escaping */

/**
 * struct sums - siblings that are the sums of histograms before them
 * @values: the last ones of them; earlier ones have been passed
 * @nr: number of these siblings so far
 */
struct sums {
	const struct vitrine_value *values[METRIC_SUM_DISTANCE];
	unsigned int nr;
};

/* The walk through a tree: its name. */
static const char *tree_name;

/* Name and unit of the metric, up to the current node; length of the part for the tree. */
static struct text metric;
static struct metric_unit unit;
static size_t tree_len;

/* Labels up to the current node. */
static struct text labels;

/* Sums among the current siblings. */
static struct sums *sums;

/* Values left out, whose names are too long, and histograms with invalid counts. */
static size_t nr_left_out;

/* Entries of lists beyond METRICS_MAX_ENTRIES. */
static size_t nr_entries;

/* The tree had values of other trees, too. */
static bool is_linked;

static const struct metric_unit no_unit = { "", 0 };

/**
 * struct place - a place in the walk to return to
 * @metric: length of the metric's name
 * @labels: length of the labels
 */
struct place {
	size_t metric;
	size_t labels;
};

/**
 * struct metrics_args - the options of `vitrine metrics'
 * @textfile: file to replace, or NULL to print
 * @selectors: trees, or parts of them; none: all live trees
 */
static struct metrics_args {
	const char *textfile;
	char **selectors;
} args;

/* ---- Words ------------------------------------------------------------- */

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Append the words of a name in snake case: "rxBytes.0" becomes "rx_bytes_0". */
static void add_words(struct text *text, const char *name, size_t len)
{
	char words[MAX_NAME + 1];
	size_t i, nr = 0;
	bool apart = false;

	for (i = 0; i < len && nr < MAX_NAME; i++) {
		char c = name[i];

		if (!is_lower(c) && !is_upper(c) && !is_digit(c)) {
			apart = true;
			continue;
		}
		if (is_upper(c)) {
			apart |= i && is_lower(name[i - 1]);
			c += 'a' - 'A';
		}
		if (apart && nr)
			words[nr++] = '_';
		apart = false;
		words[nr++] = c;
	}
	text_add(text, words, nr);
}

/*
 * Words to which `promtool check metrics' objects: types, abbreviated and unusual units, and units
 * with prefixes.
 */
#define TYPES		"counter|gauge|histogram|summary|"
#define SHORT_UNITS	"s|ms|us|ns|sec|b|kb|mb|gb|tb|pb|m|h|d|"
#define ODD_UNITS	"bits|calories|days|hours|kelvins|minutes|weeks|" \
			"fahrenheit|inches|miles|ounces|pounds|rankine|yards"
#define USUAL_UNITS	"amperes|bytes|celsius|grams|joules|kelvin|meters|metres|seconds|volts|"
#define SMALL		"pico|nano|micro|milli|centi|deci|"
#define LARGE		"deca|hecto|kilo|kibi|mega|mibi|giga|gibi|tera|tebi|peta|pebi"
#define OBJECTIONABLE	"_(" TYPES SHORT_UNITS ODD_UNITS \
			"|(" SMALL LARGE ")(" USUAL_UNITS ODD_UNITS "))(_|$)"

/* Join words of a complete name that promtool objects to with the words before. */
static void join_words(struct text *name)
{
	static regex_t words;
	regmatch_t match;
	char *at;

	if (!words.re_nsub)
		must_have(!regcomp(&words, OBJECTIONABLE, REG_EXTENDED));
	/* promtool may object to the joined word, too. */
	while (!regexec(&words, name->bytes, 1, &match, 0)) {
		at = name->bytes + match.rm_so;
		memmove(at, at + 1, name->len-- - match.rm_so);
	}
}

/* Append "_" and the words of a node's name; without words, nothing. */
static void add_name(const char *name, size_t len)
{
	size_t begin = metric.len;

	text_add(&metric, "_", 1);
	add_words(&metric, name, len);
	if (metric.len == begin + 1)
		text_cut(&metric, begin);
}

/* Remove "_@suffix" from the end of the name, if it begins at @begin or later. */
static bool take_suffix(size_t begin, const char *suffix)
{
	size_t len = strlen(suffix) + 1;

	if (metric.len < begin + len || metric.bytes[metric.len - len] != '_' ||
	    !ends_in(metric.bytes, metric.len, suffix))
		return false;
	text_cut(&metric, metric.len - len);
	return true;
}

/*
 * Append the name of a property, without "_total" at its end, of which it returns whether it was
 * there. The unit is derived from it; the metric's name ends in that now.
 */
static bool add_property_name(const struct vitrine_value *property)
{
	static const struct {
		const char *suffix;
		struct metric_unit unit;
	} units[] = {
		{ "ns", { "seconds", 9 } },
		{ "us", { "seconds", 6 } },
		{ "ms", { "seconds", 3 } },
		{ "s", { "seconds", 0 } },
		{ "seconds", { "seconds", 0 } },
		{ "bytes", { "bytes", 0 } },
	};
	size_t i, begin = metric.len;
	bool is_total;

	add_name(property->name->bytes, property->name->len);
	is_total = take_suffix(begin, "total");
	for (i = 0; i < ARRAY_LEN(units); i++) {
		if (!take_suffix(begin, units[i].suffix))
			continue;
		unit = units[i].unit;
		text_add(&metric, "_", 1);
		text_add_string(&metric, unit.name);
		break;
	}
	return is_total;
}

/*
 * Begin a name with that of the tree. All metrics begin with "vitrine". Drivers name the trees of
 * their devices "driver.0", "driver.1": these share their metrics, so the number is dropped.
 */
static void add_tree_name(void)
{
	const char *slash = strrchr(tree_name, '/');
	const char *name = slash ? slash + 1 : tree_name;
	size_t len = strlen(name), end = len;

	while (end && is_digit(name[end - 1]))
		end--;
	while (end && !is_lower(name[end - 1]) && !is_upper(name[end - 1]))
		end--;
	text_add_string(&metric, "vitrine");
	if (strcmp(name, "vitrine"))
		add_name(name, end ? end : len);
}

/* ---- Instances --------------------------------------------------------- */

static bool is_number(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!is_digit(name[i]))
			return false;
	return len;
}

static bool is_plural(const char *name, size_t len)
{
	return len > 2 && ends_in(name, len, "s") && !ends_in(name, len, "ss") &&
	       !ends_in(name, len, "is") &&
	       (!ends_in(name, len, "us") || ends_in(name, len, "pus"));
}

/*
 * Return the label for the children of @node in a built-in tree, or NULL: two of their top nodes
 * have instances, although no plural is their name.
 */
static const char *builtin_label(const struct vitrine_value *node)
{
	const struct vitrine_value *root = node->parent;

	return root && !root->parent && !strcmp(tree_name, "devices") &&
	       (vtr_value_is_named(node, "block") || vtr_value_is_named(node, "net")) ?
	       "device" : NULL;
}

/*
 * Find out whether a value is one of many. The names of instances become labels: "0" of
 * "cpus/0/user_ns". Instances are nodes whose names are numbers, and nodes below a node whose name
 * is a plural.
 */
static bool is_instance(const struct vitrine_value *value)
{
	const struct vitrine_value *node = value->parent;

	if (!node)
		return false;
	if (is_number(value->name->bytes, value->name->len))
		return true;
	return value->name->len && node->parent && value->type == VITRINE_NODE &&
	       (is_plural(node->name->bytes, node->name->len) || builtin_label(node));
}

/* Append the singular of a plural, by simple rules. */
static void add_singular(struct text *word, const char *name, size_t len)
{
	if (!is_plural(name, len)) {
		add_words(word, name, len);
	} else if (len > 4 && ends_in(name, len, "ies")) {
		add_words(word, name, len - 3);
		text_add(word, "y", 1);
	} else if (ends_in(name, len, "sses") || ends_in(name, len, "xes") ||
		   ends_in(name, len, "shes") || ends_in(name, len, "tches")) {
		add_words(word, name, len - 2);
	} else {
		add_words(word, name, len - 1);
	}
}

/* ---- Counters ---------------------------------------------------------- */

/* Properties that are counters by Documentation/trees.rst. */
static const struct {
	const char *tree;
	const char *node;		/* all properties of this node, or */
	const char *properties[26];	/* these properties of any node */
} counters[] = {
	{ "devices", .properties = {
		"busy_ns", "collisions", "discard_merges", "discard_ns", "discarded_bytes",
		"discards", "flush_ns", "flushes", "read_bytes", "read_merges", "read_ns",
		"reads", "receive_drops", "receive_errors", "received_bytes",
		"received_multicast", "received_packets", "send_drops", "send_errors",
		"sent_bytes", "sent_packets", "write_merges", "write_ns", "writes",
		"written_bytes",
	} },
	{ "interrupts", .node = "cpus" },
	{ "interrupts", .properties = { "total" } },
	{ "memory", .node = "events" },
	{ "sched", .properties = { "migrations", "switches", "wakeups" } },
	{ "system", .properties = {
		"context_switches", "guest_nice_ns", "guest_ns", "idle_ns", "interrupts",
		"iowait_ns", "irq_ns", "nice_ns", "softirq_ns", "steal_ns", "system_ns",
		"user_ns",
	} },
	{ "tasks", .properties = {
		"involuntary_switches", "major_faults", "minor_faults", "run_delay_ns", "run_ns",
		"runs", "system_ns", "user_ns", "voluntary_switches",
	} },
	{ "vitrine", .properties = {
		"bytes", "failed", "lost_records", "overwritten_records", "records", "subbuffers",
		"trees_refused",
	} },
};

/* Return whether a property of a built-in tree only grows, except for resets to 0. */
static bool is_counter(const struct vitrine_value *property)
{
	const struct vitrine_value *node = property->parent;
	const char * const *name;
	size_t i;

	for (i = 0; i < ARRAY_LEN(counters); i++) {
		if (strcmp(counters[i].tree, tree_name))
			continue;
		if (counters[i].node && node && vtr_value_is_named(node, counters[i].node))
			return true;
		for (name = counters[i].properties; *name; name++)
			if (vtr_value_is_named(property, *name))
				return true;
	}
	return false;
}

/* ---- Adding ------------------------------------------------------------ */

static int compare_families(const void *a, const void *b)
{
	const struct metric_family *a_family = a, *b_family = b;

	return strcmp(a_family->names[0].text, b_family->names[0].text) ?:
	       (int)a_family->type - (int)b_family->type;
}

static int compare_names(const void *a, const void *b)
{
	const struct metric_name *a_name = a, *b_name = b;

	return a == b ? 0 : strcmp(a_name->text, b_name->text);
}

/* Claim a name for a family, which another one may have claimed, too. */
static void claim(struct metric_family *family, struct metric_name *name, const char *text,
		  const char *suffix)
{
	struct metric_name **claimed;

	*name = (struct metric_name){ must_format("%s%s", text, suffix), family };
	claimed = tsearch(name, &names, compare_names);
	must_have(claimed);
	if (*claimed != name)
		(*claimed)->family->clashes = family->clashes = true;
}

/* Find or add a family; a new one has no help text yet. */
static struct metric_family *family_get(const char *name, enum metric_type type)
{
	struct metric_family wanted = { .names = { { name } }, .type = type }, **found, *family;
	const char * const *suffixes = kinds[type].suffixes;
	unsigned int i;

	found = tsearch(&wanted, &families, compare_families);
	must_have(found);
	if (*found != &wanted)
		return *found;
	family = calloc(1, sizeof(*family));
	must_have(family);
	family->type = type;
	for (i = 0; suffixes[i]; i++)
		claim(family, &family->names[i], name, suffixes[i]);
	*found = family;
	return family;
}

/* Add a series. */
static void metric_set_add_series(struct metric_family *family)
{
	const char *last = nr_series ? all_series[nr_series - 1].labels : "";

	must_have(GROW(all_series, nr_series));
	all_series[nr_series++] = (struct metric_series){
		.family = family,
		/* The properties of a node share their labels. */
		.labels = !strcmp(last, labels.bytes) ? last : must_format("%s", labels.bytes),
		.duplicate = 1,
	};
}

/* Add a sample to the series added last. */
static void metric_set_add_sample(enum metric_part part, const char *le, const char *value)
{
	struct metric_series *series = &all_series[nr_series - 1];

	must_have(GROW(samples, nr_samples));
	samples[nr_samples++] = (struct metric_sample){
		.series = nr_series - 1,
		.name = &series->family->names[part],
		.le = *le ? must_format("%s", le) : "",
		.value = must_format("%s", value),
	};
	series->nr_samples++;
}

/* ---- Lines that are equal ------------------------------------ */

static const struct metric_series *series_of(const struct metric_sample *sample)
{
	return &all_series[sample->series];
}

static int compare_lines(const void *a, const void *b)
{
	const struct metric_sample *a_sample = a, *b_sample = b;
	const char *a_labels = series_of(a)->labels, *b_labels = series_of(b)->labels;
	int order = compare_names(a_sample->name, b_sample->name);

	/* The properties of a node share their labels. */
	if (!order && a_labels != b_labels)
		order = strcmp(a_labels, b_labels);
	return order ? order : strcmp(a_sample->le, b_sample->le);
}

/* Return the first sample with the same line. */
static struct metric_sample *first_like(const struct metric_sample *sample)
{
	struct metric_sample **first = tsearch(sample, &lines, compare_lines);

	must_have(first);
	return *first;
}

/*
 * Number the series so that no two have a line in common: the number of each is above
 * those of all series that share a line with it.
 */
static void number_series(void)
{
	struct metric_sample *sample = samples;
	size_t i, j;

	for (i = 0; i < nr_series; i++) {
		struct metric_series *series = &all_series[i];

		for (j = 0; j < series->nr_samples; j++) {
			sample[j].line = first_like(&sample[j]);
			if (sample[j].line->last >= series->duplicate)
				series->duplicate = sample[j].line->last + 1;
		}
		for (; j; j--, sample++)
			sample->line->last = series->duplicate;
	}
}

/* ---- Printing ---------------------------------------------------------- */

/*
 * Return the name in the header of a sample: that of the sample, except for the parts of a
 * histogram. Without a type, each name is a family of its own.
 */
static const struct metric_name *header_of(const struct metric_sample *sample)
{
	const struct metric_family *family = sample->name->family;
	bool shared = family->type == METRIC_HISTOGRAM && !family->clashes;

	return shared ? &family->names[METRIC_VALUE] : sample->name;
}

static void put_header(FILE *stream, const struct metric_name *header)
{
	const struct metric_family *family = header->family;
	const char *word = kinds[family->type].word;

	if (word && !family->clashes)
		fprintf(stream, "# TYPE %s %s\n", header->text, word);
	fprintf(stream, "# HELP %s %s\n", header->text, family->help);
}

static void put_sample(FILE *stream, const struct metric_sample *sample)
{
	const struct metric_series *series = series_of(sample);

	fprintf(stream, "%s{%s", sample->name->text, series->labels);
	if (series->duplicate > 1)
		fprintf(stream, ",duplicate=\"%" PRIu32 "\"", series->duplicate);
	if (*sample->le)
		fprintf(stream, ",le=\"%s\"", sample->le);
	fprintf(stream, "} %s\n", sample->value);
}

/* Sort by header; under a header, samples keep their order. */
static int compare_headers(const void *left, const void *right)
{
	const struct metric_sample *a = *(struct metric_sample * const *)left;
	const struct metric_sample *b = *(struct metric_sample * const *)right;

	return compare_names(header_of(a), header_of(b)) ?: (a > b) - (a < b);
}

/* Print all metrics by header, in the order of names. */
static void metric_set_print(FILE *stream)
{
	struct metric_sample **sorted = calloc(nr_samples + 1, sizeof(*sorted));
	const struct metric_name *header;
	size_t i;

	must_have(sorted);
	number_series();
	for (i = 0; i < nr_samples; i++)
		sorted[i] = &samples[i];
	SORT(sorted, nr_samples, compare_headers);
	for (i = 0; i < nr_samples; i++) {
		header = header_of(sorted[i]);
		if (!i || compare_names(header, header_of(sorted[i - 1])))
			put_header(stream, header);
		put_sample(stream, sorted[i]);
	}
	fputs("# EOF\n", stream);
	free(sorted);
}

/* ---- Samples ----------------------------------------------------------- */

/*
 * Numbers are text without loss, histograms are cumulative buckets. Samples are added to a series
 * that has been begun.
 */

/* ---- Numbers ----------------------------------------------------------- */

static void format_double(char text[DECIMAL_TEXT_BYTES], double number,
			  unsigned int digits)
{
	if (digits)
		number /= pow(10, digits);
	if (isnan(number))
		snprintf(text, DECIMAL_TEXT_BYTES, "NaN");
	else if (isinf(number))
		snprintf(text, DECIMAL_TEXT_BYTES, "%cInf", number > 0 ? '+' : '-');
	else
		double_format(number, text);
}

/* Format a number or bool. */
static void metric_format(char text[DECIMAL_TEXT_BYTES], struct vtr_number number,
			  unsigned int digits)
{
	if (number.type == VITRINE_DOUBLE)
		format_double(text, number.real, digits);
	else if (number.type == VITRINE_BOOL)
		decimal_format(number.u, 0, text);
	else
		decimal_format(number_integer(number), digits, text);
}

/* ---- Histograms -------------------------------------------------------- */

/* Return a parameter; a long double holds a 64-bit integer without loss on x86. */
static long double parameter(const struct vitrine_value *value, unsigned int i)
{
	struct vtr_number number = vtr_value_number(value, i);

	return number.type == VITRINE_DOUBLE ? number.real :
	       (long double)number_integer(number);
}

/*
 * Return the upper bound of bucket @i, where 0 is the underflow. Bounds are inclusive in
 * Prometheus and exclusive in Inspect, so integer bounds are one less. False: no number
 * of the type is above the bound, or none is below.
 */
static bool upper_bound(const struct vitrine_value *value, unsigned int i, double *ret)
{
	const enum vitrine_type type = vitrine_value_array(value).type;
	const __int128 max = type == VITRINE_INT ? INT64_MAX : (__int128)UINT64_MAX;
	const __int128 min = type == VITRINE_INT ? INT64_MIN : 0;
	__int128 bound;

	if (type == VITRINE_DOUBLE) {
		*ret = histogram_bound(value, i).real;
		return isfinite(*ret);
	}
	if (!histogram_integer_bound(value, i, &bound) || bound <= min || bound > max)
		return false;
	*ret = bound - 1;
	return true;
}

/*
 * Find out whether a histogram can be a metric. Returns true if its counts are valid, and it
 * has an underflow and an overflow bucket.
 */
static bool metric_histogram_is_good(const struct vitrine_value *value)
{
	struct vitrine_array array = vitrine_value_array(value);
	unsigned int i, first = histogram_nr_parameters(value);

	if (array.count < first + 2)
		return false;
	for (i = first; i < array.count; i++) {
		long double number = parameter(value, i);

		if (!(number >= 0) || isinf(number) || floorl(number) != number)
			return false;
	}
	return true;
}

/* Format an integer up to 2^64 without loss. */
static void format_count(char text[DECIMAL_TEXT_BYTES], long double count)
{
	if (count < 0x1p64L && count == (uint64_t)count)
		snprintf(text, DECIMAL_TEXT_BYTES, "%.0Lf", count);
	else
		format_double(text, count, 0);
}

/* Return whether @sum is named like @value, with "_sum" before its unit or at its end. */
static bool is_name_of_sum(const struct vitrine_value *value,
			   const struct vitrine_value *sum)
{
	const size_t len = value->name->len, extra = strlen("_sum");
	const char *name = value->name->bytes, *longer = sum->name->bytes;
	size_t at = 0;

	if (sum->name->len != len + extra)
		return false;
	while (at < len && name[at] == longer[at]) {
		at++;
		if (!memcmp(longer + at, "_sum", extra) &&
		    !memcmp(longer + at + extra, name + at, len - at))
			return true;
	}
	return false;
}

/* Return the sum of a histogram of uints, if a sibling has it. */
static const struct vitrine_value *find_sum(const struct vitrine_value *value)
{
	const struct vitrine_value *sum = value->next;
	unsigned int i;

	if (vitrine_value_array(value).type != VITRINE_UINT)
		return NULL;
	for (i = 0; sum && i < METRIC_SUM_DISTANCE; i++, sum = sum->next)
		if (sum->type == VITRINE_UINT &&
		    is_name_of_sum(value, sum))
			return sum;
	return NULL;
}

/* Add cumulative buckets, without those that no value of the type can fall into. */
static void add_buckets(const struct vitrine_value *value)
{
	long double total = 0;
	unsigned int count = vitrine_value_array(value).count;
	unsigned int i, first = histogram_nr_parameters(value);
	char text[DECIMAL_TEXT_BYTES], le[DECIMAL_TEXT_BYTES];
	double bound, last = -INFINITY;

	for (i = first; i < count; i++) {
		total += parameter(value, i);
		if (i == count - 1 || !upper_bound(value, i - first, &bound))
			continue;
		bound /= pow(10, unit.digits);
		if (bound <= last)
			continue;
		last = bound;
		format_double(le, bound, 0);
		format_count(text, total);
		metric_set_add_sample(METRIC_BUCKET, le, text);
	}
	format_count(text, total);
	metric_set_add_sample(METRIC_BUCKET, "+Inf", text);
	metric_set_add_sample(METRIC_COUNT, "", text);
}

static struct place place_of(void)
{
	return (struct place){
		.metric = metric.len,
		.labels = labels.len,
	};
}

static void go_back(struct place place)
{
	text_cut(&metric, place.metric);
	text_cut(&labels, place.labels);
}

/* ---- Labels ------------------------------------------------------------ */

/* Append text of unknown origin in quotes; bytes that are not UTF-8 become U+FFFD. */
static void add_quoted(struct text *text, const char *bytes, size_t len)
{
	uint32_t c;
	size_t n;

	text_add(text, "\"", 1);
	for (; len; bytes += n, len -= n) {
		n = vtr_utf8_decode(bytes, len, &c);
		if (!n || !c) {
			n = 1;
			text_add_string(text, "\xef\xbf\xbd");
		} else if (c == '\n') {
			text_add_string(text, "\\n");
		} else {
			if (c == '"' || c == '\\')
				text_add(text, "\\", 1);
			text_add(text, bytes, n);
		}
	}
	text_add(text, "\"", 1);
}

static bool is_reserved(const char *name)
{
	return !strcmp(name, "le") || !strcmp(name, "quantile") ||
	       !strcmp(name, "duplicate");
}

static bool label_is_taken(const char *name)
{
	const char *label = labels.bytes;
	size_t len = strlen(name);

	if (is_reserved(name))
		return true;
	while (label && *label) {
		if (!strncmp(label, name, len) && label[len] == '=')
			return true;
		/* To the end of its value, in which quotes are escaped. */
		for (label = strchr(label, '"') + 1; *label != '"'; label++)
			label += *label == '\\';
		label += label[1] ? 2 : 1;
	}
	return false;
}

/* Make a label's name unique: "x", "x_name", "x_name_2" ... */
static void make_label_unique(struct text *name)
{
	unsigned int number = 1;
	size_t len;

	if (!label_is_taken(name->bytes))
		return;
	text_add_string(name, "_name");
	for (len = name->len; label_is_taken(name->bytes);) {
		text_cut(name, len);
		text_add_string(name, format_label("_%u", ++number));
	}
}

/* Append a label, unless there are MAX_LABELS (see is_too_long()). */
static void add_label(const char *label, const char *value, size_t len)
{
	struct text name = { 0 };

	if (labels.len > MAX_LABELS)
		return;
	/* A label must not begin with a digit. */
	if (is_digit(*label))
		text_add(&name, "_", 1);
	text_add_string(&name, *label ? label : "name");
	make_label_unique(&name);
	if (labels.len)
		text_add(&labels, ",", 1);
	text_add(&labels, name.bytes, name.len);
	text_add(&labels, "=", 1);
	add_quoted(&labels, value, vtr_utf8_cut(value, len, MAX_VALUE));
	text_destroy(&name);
}

static void add_index(unsigned int i)
{
	const char *number = format_label("%u", i);

	add_label("index", number, strlen(number));
}

/* ---- Nodes and properties ---------------------------------------------- */

/* Return whether a node's name is part of the metric's name; the root's is not. */
static bool is_named(const struct vitrine_value *node)
{
	return node->parent &&
	       !is_instance(node);
}

/*
 * Enter one of many nodes: its name becomes a label, named by the singular of the parent.
 * After @stem, the metric's name has that singular, too.
 */
static void enter_instance(const struct vitrine_value *value,
			   size_t stem)
{
	const struct vitrine_value *node = value->parent;
	const char *label = "number";
	struct text words = { 0 };

	if (is_named(node)) {
		add_singular(&words, node->name->bytes, node->name->len);
		text_cut(&metric, stem);
		add_name(words.bytes, words.len);
		label = builtin_label(node);
	}
	add_label(label ? label : words.bytes, value->name->bytes, value->name->len);
	text_destroy(&words);
}

/* The name of the tree stands for the root. */
static void enter_node(const struct vitrine_value *node,
		       size_t stem)
{
	if (is_instance(node))
		enter_instance(node, stem);
	else if (node->parent || !vtr_value_is_named(node, "root"))
		add_name(node->name->bytes, node->name->len);
}

/* Undo enter_instance() in the part of the metric's name for @node. */
static void leave_instance(const struct vitrine_value *node,
			   size_t stem)
{
	if (!is_named(node))
		return;
	text_cut(&metric, stem);
	add_name(node->name->bytes, node->name->len);
}

/* ---- Series ------------------------------------------------------------ */

static bool is_too_long(void)
{
	return metric.len > MAX_METRIC || labels.len > MAX_LABELS;
}

static bool name_ends_in(const struct text *name, const char *suffix)
{
	return ends_in(name->bytes, name->len, suffix);
}

/*
 * Complete the name of a family, and its type: for Prometheus, the suffix "_total" is for
 * counters only, and some other suffixes are not for gauges.
 */
static void finish_name(struct text *name, enum metric_type *type)
{
	join_words(name);
	if (*type == METRIC_GAUGE &&
	    (name_ends_in(name, "_total") || name_ends_in(name, "_bucket") ||
	     name_ends_in(name, "_count") || name_ends_in(name, "_sum")))
		*type = METRIC_UNKNOWN;
	while (*type != METRIC_UNKNOWN && name_ends_in(name, "_total"))
		text_cut(name, name->len - strlen("_total"));
}

/*
 * Return the help text of the current metric: the words after the tree's name, or that name if
 * there are none, and the unit.
 */
static const char *help_of(enum metric_type type)
{
	bool has_unit = *unit.name && name_ends_in(&metric, unit.name);
	size_t end = metric.len - (has_unit ? strlen(unit.name) + 1 : 0);
	size_t at = end > tree_len ? tree_len + 1 :
		    end > strlen("vitrine") ? strlen("vitrine_") : 0;
	struct text help = { 0 };

	text_add_string(&help, has_unit && type == METRIC_COUNTER ?
			"Total of " : kinds[type].help);
	for (; at < end; at++)
		text_add(&help, metric.bytes[at] == '_' ? " " : metric.bytes + at, 1);
	if (has_unit) {
		text_add_string(&help, ", in ");
		text_add_string(&help, unit.name);
	}
	return help.bytes;
}

/* Add a series of the current metric and labels; the first one of a family describes it. */
static void add_series(enum metric_type type)
{
	enum metric_type finished = type;
	struct metric_family *family;
	struct text name = { 0 };

	text_add(&name, metric.bytes, metric.len);
	finish_name(&name, &finished);
	family = family_get(name.bytes, finished);
	if (!family->help)
		family->help = help_of(type);
	metric_set_add_series(family);
	text_destroy(&name);
}

static void add_value(enum metric_type type, const char *value)
{
	if (is_too_long()) {
		nr_left_out++;
		return;
	}
	add_series(type);
	metric_set_add_sample(type == METRIC_COUNTER || type == METRIC_INFO ?
			      METRIC_SUFFIXED : METRIC_VALUE, "", value);
}

/* Add the samples of a histogram, and pass over the sibling that is its sum. */
static void add_histogram(const struct vitrine_value *value)
{
	const struct vitrine_value *sum = find_sum(value);
	char text[DECIMAL_TEXT_BYTES];

	if (is_too_long() || !metric_histogram_is_good(value)) {
		nr_left_out++;
		return;
	}
	add_series(METRIC_HISTOGRAM);
	add_buckets(value);
	if (!sum)
		return;
	decimal_format(vitrine_value_uint(sum), unit.digits, text);
	metric_set_add_sample(METRIC_SUM, "", text);
	sums->values[sums->nr++ % METRIC_SUM_DISTANCE] = sum;
}

/* ---- Properties -------------------------------------------------------- */

/* Derive the type of numbers from their name; complete the name of the metric. */
static enum metric_type number_type(const struct vitrine_value *value, bool total)
{
	bool is_uint = vtr_value_number(value, 0).type == VITRINE_UINT;

	/* A property called just "total" may be a gauge. */
	if (is_uint && ((total && value->name->len > strlen("total")) ||
			is_counter(value)))
		return METRIC_COUNTER;
	if (total)
		text_add_string(&metric, "_total");
	return METRIC_GAUGE;
}

static void add_strings_of_array(const struct vitrine_value *value)
{
	unsigned int i, count = vitrine_value_array(value).count;
	struct place place = place_of();

	unit = no_unit;
	for (i = 0; i < count; i++, go_back(place)) {
		const char *string;
		size_t len;

		add_index(i);
		string = vitrine_value_array_string(value, i, &len);
		add_label("value", string, len);
		add_value(METRIC_INFO, "1");
	}
}

/* Add a number, or the elements of an array. */
static void add_numbers(const struct vitrine_value *value, bool total)
{
	bool is_array = value->type == VITRINE_ARRAY;
	unsigned int i, count = is_array ? vitrine_value_array(value).count : 1;
	enum metric_type type = number_type(value, total);
	struct place place = place_of();
	char text[DECIMAL_TEXT_BYTES];

	for (i = 0; i < count; i++, go_back(place)) {
		if (is_array)
			add_index(i);
		metric_format(text, vtr_value_number(value, i), unit.digits);
		add_value(type, text);
	}
}

static void add_property(const struct vitrine_value *value,
			 size_t stem)
{
	struct vitrine_array array = vitrine_value_array(value);
	bool total = false;

	unit = no_unit;
	if (is_instance(value))
		enter_instance(value, stem);
	else
		total = add_property_name(value);
	if (array.type == VITRINE_STRING)
		add_strings_of_array(value);
	else if (array.format == INSPECT_ARRAY_FLAT)
		add_numbers(value, total);
	else
		add_histogram(value);
}

/* Add all strings of a node as labels of one series. */
static void add_strings(const struct vitrine_value *value)
{
	struct place place = place_of();
	bool any = false;

	unit = no_unit;
	for (; value; value = value->next) {
		struct text label = { 0 };

		if (value->type != VITRINE_STRING)
			continue;
		any = true;
		add_words(&label, value->name->bytes, value->name->len);
		add_label(label.bytes, value->bytes, value->len);
		text_destroy(&label);
	}
	if (any)
		add_value(METRIC_INFO, "1");
	go_back(place);
}

/* ---- Trees ------------------------------------------------------------- */

static void add_siblings(const struct vitrine_value *value,
			 size_t stem);

static bool is_sum(const struct vitrine_value *value)
{
	unsigned int i;

	for (i = 0; i < METRIC_SUM_DISTANCE; i++)
		if (sums->values[i] == value)
			return true;
	return false;
}

/* @stem: begin of the parent's name in the metric's name */
static void add_one(const struct vitrine_value *value,
		    size_t stem)
{
	size_t own = metric.len;

	if (is_sum(value))
		return;
	switch (value->type) {
	case VITRINE_NODE:
		enter_node(value, stem);
		add_siblings(value->first_child, own);
		break;
	case VITRINE_STRING:
	case VITRINE_BYTES:
	case VITRINE_LINK:
		break;
	default:
		add_property(value, stem);
		break;
	}
}

/*
 * Return whether a value is an entry of a list, with series of its own: the strings of a node
 * share one, byte vectors and links have none.
 */
static bool is_entry(const struct vitrine_value *value)
{
	enum vitrine_type type = value->type;

	return type != VITRINE_STRING && type != VITRINE_BYTES &&
	       type != VITRINE_LINK && is_instance(value);
}

/* Return how many entries are too many among @value and its siblings. */
static size_t nr_excess_entries(const struct vitrine_value *value)
{
	size_t nr = 0;

	for (; value; value = value->next)
		nr += is_entry(value);
	return nr > METRICS_MAX_ENTRIES ? nr - METRICS_MAX_ENTRIES : 0;
}

/*
 * Add @value, its siblings and all below them, without the first entries of a long list, which
 * are the oldest. Depth: VITRINE_MAX_DEPTH at most.
 */
static void add_siblings(const struct vitrine_value *value,
			 size_t stem)
{
	struct place place = place_of();
	struct sums own = { 0 }, *above = sums;
	size_t excess = nr_excess_entries(value);

	nr_entries += excess;
	sums = &own;
	add_strings(value);
	for (; value; value = value->next) {
		if (excess && is_entry(value)) {
			excess--;
			continue;
		}
		add_one(value, stem);
		if (is_instance(value))
			leave_instance(value->parent, stem);
		go_back(place);
	}
	sums = above;
}

/* Add the number of missing entries of lists, as a metric of its own, if there are any. */
static void add_missing(void)
{
	if (!nr_entries)
		return;
	text_cut(&metric, 0);
	text_add_string(&metric, "vitrine_metrics");
	tree_len = metric.len;
	text_add_string(&metric, "_entries_left_out");
	unit = no_unit;
	add_value(METRIC_GAUGE, format_label("%zu", nr_entries));
}

/* Add all values of a tree. */
static void metrics_add_tree(const struct tree *tree)
{
	const char *value = tree->ordinal ? format_label("%s#%u", tree->name, tree->ordinal + 1) :
					    tree->name;

	tree_name = tree->name;
	nr_left_out = 0;
	nr_entries = 0;
	text_cut(&metric, 0);
	text_cut(&labels, 0);
	add_tree_name();
	tree_len = metric.len;
	add_label("tree", value, strlen(value));
	add_siblings(vitrine_hierarchy_first(tree->hierarchy), metric.len);
	add_missing();
}

/* ---- The command ------------------------------------------------------- */

/*
 * Replace @path atomically, once the file is on the disk: a reader finds the old file or the new
 * one. The collector is not root: the file is readable by all, as far as umask allows. It reads
 * *.prom only, so it ignores the temporary file.
 */
static void replace_file(const char *path)
{
	struct vtr_temporary temporary = { 0 };
	int fd = vtr_temporary_create(&temporary, path);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");

	if (!stream)
		must(vtr_error_os(errno, path,
				  "cannot create a temporary file in its directory"));
	errno = 0;
	metric_set_print(stream);
	if (fflush(stream) || ferror(stream) || fsync(fd) || fclose(stream))
		must(vtr_error_os(errno ?: EIO, path, "cannot write"));
	if (vtr_temporary_rename(&temporary, path))
		must(vtr_error_os(errno, path, "cannot replace"));
}

static enum vitrine_verdict judge_own(void *ctx, const struct vitrine_value *value)
{
	if (value->hierarchy != ctx) {
		is_linked = true;
		return VITRINE_DROP;
	}
	return value->type == VITRINE_NODE ? VITRINE_DESCEND : VITRINE_KEEP;
}

/*
 * Drop the values that links have brought into a tree: they are exported with their own tree,
 * which is exported, too, if no trees are selected.
 */
static void drop_linked(const struct tree *tree, bool is_selected)
{
	is_linked = false;
	vitrine_hierarchy_filter(tree->hierarchy, judge_own, tree->hierarchy);
	if (is_linked && is_selected)
		print_note(tree->path,
			   "links are not followed: the trees that they lead to have metrics under their own names, if they are selected");
}

/* Add the values of all trees, and say what is left out. */
static void add_trees(const struct trees *trees)
{
	const struct tree *tree;
	size_t i;

	for (i = 0; i < trees->nr; i++) {
		tree = &trees->trees[i];
		if (!tree->hierarchy)
			continue;
		drop_linked(tree, trees->nr_selectors);
		metrics_add_tree(tree);
		if (nr_left_out)
			print_note(tree->path,
				   "%zu values left out: name too long, or invalid histogram counts",
				   nr_left_out);
		if (nr_entries)
			print_note(tree->path,
				   "%zu entries left out: a list has more than %d; select the entries that are needed",
				   nr_entries, METRICS_MAX_ENTRIES);
	}
}

/* ---- Options ----------------------------------------------------------- */

static const struct command_option options[] = {
	{ "textfile", 't', "FILE", "Write FILE for node_exporter's textfile collector",
	  .text = &args.textfile },
	{ 0 }
};

static const struct command_line line = {
	.options = options,
	.operands = &args.selectors,
	.args_doc = "[SELECTOR]...",
	.doc = "Export Inspect trees as Prometheus metrics.\n"
	       "\013" SELECTORS_HELP
	       "\n"
	       "Examples:\n"
	       "  vitrine metrics | promtool check metrics\n"
	       "  vitrine metrics --textfile=/var/lib/prometheus/node-exporter/vitrine.prom",
};

int cmd_metrics(int argc, char **argv)
{
	struct trees trees = { 0 };
	int status;

	args = (struct metrics_args){ 0 };
	options_parse(&line, argc, argv);
	status = trees_find(&trees, args.selectors);
	/* Without a tree and without an error, an empty file is written. */
	if (trees.nr || status == EXIT_DONE) {
		status = worse(status, trees_read(&trees));
		add_trees(&trees);
		if (args.textfile)
			replace_file(args.textfile);
		else
			metric_set_print(stdout);
	}
	trees_destroy(&trees);
	return status;
}
