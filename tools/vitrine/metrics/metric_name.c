// SPDX-License-Identifier: GPL-2.0
/*
 * Derive names of metrics and labels, units and types. All rules look at names only,
 * so that a metric keeps its name whatever else the tree holds.
 */
#include <string.h>

#include "base.h"
#include "value.h"
#include "metric_name.h"

#define MAX_NAME	64	/* characters used of one name */

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

static bool word_is(const char *word, size_t len, const char *other)
{
	return strlen(other) == len && !memcmp(word, other, len);
}

static bool is_scaled_unit(const char *word, size_t len)
{
	static const char * const prefixes[] = {
		"pico", "nano", "micro", "milli", "centi", "deci", "deca",
		"hecto", "kilo", "kibi", "mega", "mibi", "giga", "gibi",
		"tera", "tebi", "peta", "pebi",
	};
	static const char * const units[] = {
		"amperes", "bits", "bytes", "calories", "celsius", "days",
		"fahrenheit", "grams", "hours", "inches", "joules", "kelvin",
		"kelvins", "meters", "metres", "miles", "minutes", "ounces",
		"pounds", "rankine", "seconds", "volts", "weeks", "yards",
	};
	size_t i, j, skip;

	for (i = 0; i < ARRAY_LEN(prefixes); i++) {
		skip = strlen(prefixes[i]);
		if (len <= skip || memcmp(word, prefixes[i], skip))
			continue;
		for (j = 0; j < ARRAY_LEN(units); j++)
			if (word_is(word + skip, len - skip, units[j]))
				return true;
	}
	return false;
}

/* Return whether `promtool check metrics' objects to a word of a name. */
static bool is_objectionable(const char *word, size_t len)
{
	static const char * const words[] = {
		"counter", "gauge", "histogram", "summary",
		"s", "ms", "us", "ns", "sec", "b", "kb", "mb", "gb", "tb", "pb",
		"m", "h", "d", "bits", "calories", "days", "fahrenheit", "hours",
		"inches", "kelvins", "miles", "minutes", "ounces", "pounds",
		"rankine", "weeks", "yards",
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(words); i++)
		if (word_is(word, len, words[i]))
			return true;
	return is_scaled_unit(word, len);
}

/**
 * metric_name_join() - join words that promtool objects to with the words before
 * @metric: complete name, made by the functions below
 */
void metric_name_join(struct text *metric)
{
	size_t at = strcspn(metric->bytes, "_"), end;

	while (at < metric->len) {
		end = at + 1 + strcspn(metric->bytes + at + 1, "_");
		while (at && is_objectionable(metric->bytes + at + 1, end - at - 1)) {
			memmove(metric->bytes + at, metric->bytes + at + 1,
				metric->len - at);
			metric->len--;
			end--;
			/* promtool may object to the joined word, too. */
			while (at && metric->bytes[at] != '_')
				at--;
		}
		at = end;
	}
}

/**
 * metric_name_add() - append "_" and the words of a node's name
 * @metric: name of the metric so far
 * @name: name of the node; without words, nothing is appended
 * @len: its length
 */
void metric_name_add(struct text *metric, const char *name, size_t len)
{
	size_t begin = metric->len;

	text_add(metric, "_", 1);
	add_words(metric, name, len);
	if (metric->len == begin + 1)
		text_cut(metric, begin);
}

/* Remove "_@suffix" from the end of the name, if it begins at @begin or later. */
static bool take_suffix(struct text *metric, size_t begin, const char *suffix)
{
	size_t len = strlen(suffix) + 1;

	if (metric->len < begin + len || metric->bytes[metric->len - len] != '_' ||
	    !ends_in(metric->bytes, metric->len, suffix))
		return false;
	text_cut(metric, metric->len - len);
	return true;
}

/**
 * metric_name_add_property() - append the name of a property
 * @metric: name of the metric so far
 * @name: name of the property
 * @len: its length
 * @ret_unit: unit derived from the name, which @metric ends in now
 * @ret_total: the name ended in "_total", which is dropped
 */
void metric_name_add_property(struct text *metric, const char *name, size_t len,
			      struct metric_unit *ret_unit, bool *ret_total)
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
	size_t i, begin = metric->len;

	metric_name_add(metric, name, len);
	*ret_unit = (struct metric_unit){ "", 0 };
	*ret_total = take_suffix(metric, begin, "total");
	for (i = 0; i < ARRAY_LEN(units) && !*ret_unit->name; i++)
		if (take_suffix(metric, begin, units[i].suffix))
			*ret_unit = units[i].unit;
	if (*ret_unit->name) {
		text_add(metric, "_", 1);
		text_add_string(metric, ret_unit->name);
	}
}

/**
 * metric_name_add_tree() - begin a name with that of the tree
 * @metric: empty
 * @tree: name of the tree
 *
 * All metrics begin with "vitrine". Drivers name the trees of their devices
 * "driver.0", "driver.1": these share their metrics, so the number is dropped.
 */
void metric_name_add_tree(struct text *metric, const char *tree)
{
	const char *slash = strrchr(tree, '/');
	const char *name = slash ? slash + 1 : tree;
	size_t len = strlen(name), end = len;

	while (end && is_digit(name[end - 1]))
		end--;
	while (end && !is_lower(name[end - 1]) && !is_upper(name[end - 1]))
		end--;
	text_cut(metric, 0);
	text_add_string(metric, "vitrine");
	if (strcmp(name, "vitrine"))
		metric_name_add(metric, name, end ? end : len);
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

/* Top nodes of built-in trees that have instances, although no plural is their name. */
static const struct {
	const char *tree;
	const char *node;
	const char *label;
} kinds[] = {
	{ "devices", "block", "device" },
	{ "devices", "net", "device" },
};

/* Return the label for the children of @node in a built-in tree, or NULL. */
static const char *builtin_label(const char *tree,
				 const struct vitrine_value *node)
{
	const struct vitrine_value *root = vitrine_value_parent(node);
	size_t i;

	if (!root || vitrine_value_parent(root))
		return NULL;
	for (i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(kinds[i].tree, tree) && vtr_value_is_named(node, kinds[i].node))
			return kinds[i].label;
	return NULL;
}

/**
 * metric_name_is_instance() - find out whether a value is one of many
 * @tree: name of the tree
 * @value: value
 *
 * The names of instances become labels: "0" of "cpus/0/user_ns". Instances are nodes
 * whose names are numbers, and nodes below a node whose name is a plural.
 *
 * Return: true if it is.
 */
bool metric_name_is_instance(const char *tree, const struct vitrine_value *value)
{
	const struct vitrine_value *node = vitrine_value_parent(value);
	const char *name;
	size_t len;

	if (!node)
		return false;
	name = vitrine_value_name(value, &len);
	if (is_number(name, len))
		return true;
	if (!len || !vitrine_value_parent(node) ||
	    vitrine_value_type(value) != VITRINE_NODE)
		return false;
	name = vitrine_value_name(node, &len);
	return is_plural(name, len) || builtin_label(tree, node);
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

/* Append words to a label, and free them. */
static void add_label_words(struct text *label, struct text *words)
{
	if (!words->len)
		text_add_string(words, "name");
	/* A label must not begin with a digit. */
	if (is_digit(*words->bytes))
		text_add(label, "_", 1);
	text_add(label, words->bytes, words->len);
	text_destroy(words);
}

/**
 * metric_name_label() - derive the label for the value of a property
 * @label: empty; receives the name of the label, which is never empty
 * @name: name of the property
 * @len: its length
 */
void metric_name_label(struct text *label, const char *name, size_t len)
{
	struct text words = { 0 };

	add_words(&words, name, len);
	add_label_words(label, &words);
}

/**
 * metric_name_instance() - derive the label for the names of instances
 * @label: empty; receives the name of the label, which is never empty
 * @tree: name of the tree
 * @node: parent of the instances, whose singular is the label
 */
void metric_name_instance(struct text *label, const char *tree,
			  const struct vitrine_value *node)
{
	const char *builtin = builtin_label(tree, node);
	struct text words = { 0 };

	if (builtin)
		text_add_string(&words, builtin);
	else
		add_singular(&words, node->name->bytes, node->name->len);
	add_label_words(label, &words);
}

/**
 * metric_name_add_singular() - append "_" and the singular of a node's name
 * @metric: name of the metric so far
 * @node: parent of the instances
 */
void metric_name_add_singular(struct text *metric,
			      const struct vitrine_value *node)
{
	struct text words = { 0 };

	add_singular(&words, node->name->bytes, node->name->len);
	if (words.len)
		metric_name_add(metric, words.bytes, words.len);
	text_destroy(&words);
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

/**
 * metric_name_is_counter() - find out whether a property of a built-in tree is a counter
 * @tree: name of the tree
 * @property: property
 *
 * Return: true if it only grows, except for resets to 0.
 */
bool metric_name_is_counter(const char *tree,
			    const struct vitrine_value *property)
{
	const struct vitrine_value *node = vitrine_value_parent(property);
	const char * const *name;
	size_t i;

	for (i = 0; i < ARRAY_LEN(counters); i++) {
		if (strcmp(counters[i].tree, tree))
			continue;
		if (counters[i].node && node && vtr_value_is_named(node, counters[i].node))
			return true;
		for (name = counters[i].properties; *name; name++)
			if (vtr_value_is_named(property, *name))
				return true;
	}
	return false;
}
