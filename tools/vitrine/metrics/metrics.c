// SPDX-License-Identifier: GPL-2.0
/*
 * Make metrics of a tree: one series for each number, bool and histogram, one for each
 * element of an array, and one with all strings of a node as labels. Byte vectors and
 * links are left out, and so are the entries of a list beyond METRICS_MAX_ENTRIES.
 * metric_name.c has the names, metric_value.c the samples.
 */
#include <stdlib.h>
#include <string.h>

#include <vitrine/inspect.h>

#include "metric_name.h"
#include "metric_value.h"
#include "metrics.h"
#include "utf8.h"

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

/**
 * struct walk - a walk through a tree
 * @set: where metrics are added
 * @tree: name of the tree
 * @metric: name of the metric, up to the current node
 * @tree_len: length of the part of @metric for the tree
 * @labels: labels up to the current node
 * @sums: sums among the current siblings
 * @left_out: what is not exported
 */
struct walk {
	struct metric_set *set;
	const char *tree;
	struct text metric;
	size_t tree_len;
	struct text labels;
	struct sums *sums;
	struct metrics_left_out left_out;
};

/**
 * struct place - a place in the walk to return to
 * @metric: length of the metric's name
 * @labels: length of the labels
 */
struct place {
	size_t metric;
	size_t labels;
};

static struct place place_of(const struct walk *walk)
{
	return (struct place){
		.metric = walk->metric.len,
		.labels = walk->labels.len,
	};
}

static void go_back(struct walk *walk, struct place place)
{
	text_cut(&walk->metric, place.metric);
	text_cut(&walk->labels, place.labels);
}

/* ---- Labels ------------------------------------------------------------ */

/* Append text of unknown origin; bytes that are not UTF-8 become U+FFFD. */
static void add_utf8(struct text *text, const char *bytes, size_t len)
{
	const char *end = bytes + len, *from = bytes;
	uint32_t c;

	while (bytes < end) {
		size_t n = vtr_utf8_decode(bytes, end - bytes, &c);

		if (n && c) {
			bytes += n;
			continue;
		}
		text_add(text, from, bytes - from);
		text_add_string(text, "\xef\xbf\xbd");
		from = ++bytes;
	}
	text_add(text, from, end - from);
}

/* Append it in quotes. */
static void add_quoted(struct text *text, const char *bytes, size_t len)
{
	const char *end = bytes + len, *from = bytes, *at;

	text_add(text, "\"", 1);
	for (at = bytes; at < end; at++) {
		if (*at != '"' && *at != '\\' && *at != '\n')
			continue;
		add_utf8(text, from, at - from);
		text_add_string(text, *at == '"' ? "\\\"" : *at == '\n' ? "\\n" : "\\\\");
		from = at + 1;
	}
	add_utf8(text, from, end - from);
	text_add(text, "\"", 1);
}

/* Return the length to which a text is cut, at a character's end. */
static size_t cut_len(const char *bytes, size_t len, size_t max)
{
	if (len <= max)
		return len;
	while (max && ((uint8_t)bytes[max] & 0xc0) == 0x80)
		max--;
	return max;
}

static bool is_reserved(const char *name)
{
	return !strcmp(name, "le") || !strcmp(name, "quantile") ||
	       !strcmp(name, "duplicate");
}

/* Return the "," after a label, or the end of all labels. */
static const char *label_end(const char *label)
{
	bool quoted = false;

	for (; *label && (quoted || *label != ','); label++) {
		if (*label == '\\')
			label++;
		else if (*label == '"')
			quoted = !quoted;
	}
	return label;
}

static bool label_is_taken(const struct walk *walk, const char *name)
{
	const char *label = walk->labels.bytes;
	size_t len = strlen(name);

	if (is_reserved(name))
		return true;
	while (label && *label) {
		if (!strncmp(label, name, len) && label[len] == '=')
			return true;
		label = label_end(label);
		label += *label == ',';
	}
	return false;
}

/* Make a label's name unique: "x", "x_name", "x_name_2" ... */
static void make_label_unique(const struct walk *walk, struct text *name)
{
	unsigned int number = 1;
	char suffix[16];
	size_t len;

	if (!label_is_taken(walk, name->bytes))
		return;
	text_add_string(name, "_name");
	for (len = name->len; !name->failed && label_is_taken(walk, name->bytes);) {
		text_cut(name, len);
		snprintf(suffix, sizeof(suffix), "_%u", ++number);
		text_add_string(name, suffix);
	}
}

/* Append a label, unless there are MAX_LABELS (see is_too_long()), and free @name. */
static void add_label(struct walk *walk, struct text *name, const char *value,
		      size_t len)
{
	if (!name->failed && walk->labels.len <= MAX_LABELS) {
		make_label_unique(walk, name);
		if (walk->labels.len)
			text_add(&walk->labels, ",", 1);
		text_add(&walk->labels, name->bytes, name->len);
		text_add(&walk->labels, "=", 1);
		add_quoted(&walk->labels, value,
			   cut_len(value, len, MAX_VALUE));
	}
	walk->labels.failed |= name->failed;
	text_destroy(name);
}

static void add_index(struct walk *walk, unsigned int i)
{
	struct text name = { 0 };
	char number[16];

	text_add_string(&name, "index");
	add_label(walk, &name, number,
		  snprintf(number, sizeof(number), "%u", i));
}

/* ---- Nodes and properties ---------------------------------------------- */

/* Return whether a node's name is part of the metric's name; the root's is not. */
static bool is_named(const struct walk *walk, const struct vitrine_value *node)
{
	return vitrine_value_parent(node) &&
	       !metric_name_is_instance(walk->tree, node);
}

/*
 * Enter one of many nodes: its name becomes a label, named by the singular of the parent.
 * After @stem, the metric's name has that singular, too.
 */
static void enter_instance(struct walk *walk, const struct vitrine_value *value,
			   size_t stem)
{
	const struct vitrine_value *node = vitrine_value_parent(value);
	struct text label = { 0 };
	const char *name;
	size_t len;

	if (is_named(walk, node)) {
		metric_name_instance(&label, walk->tree, node);
		text_cut(&walk->metric, stem);
		metric_name_add_singular(&walk->metric, node);
	} else {
		text_add_string(&label, "number");
	}
	name = vitrine_value_name(value, &len);
	add_label(walk, &label, name, len);
}

/* The name of the tree stands for the root. */
static void enter_node(struct walk *walk, const struct vitrine_value *node,
		       size_t stem)
{
	const char *name;
	size_t len;

	name = vitrine_value_name(node, &len);
	if (metric_name_is_instance(walk->tree, node)) {
		enter_instance(walk, node, stem);
	} else if (vitrine_value_parent(node) || len != 4 ||
		   memcmp(name, "root", len)) {
		metric_name_add(&walk->metric, name, len);
	}
}

/* Undo enter_instance() in the part of the metric's name for @node. */
static void leave_instance(struct walk *walk, const struct vitrine_value *node,
			   size_t stem)
{
	const char *name;
	size_t len;

	if (!is_named(walk, node))
		return;
	name = vitrine_value_name(node, &len);
	text_cut(&walk->metric, stem);
	metric_name_add(&walk->metric, name, len);
}

/* ---- Series ------------------------------------------------------------ */

static bool is_too_long(const struct walk *walk)
{
	return walk->metric.len > MAX_METRIC || walk->labels.len > MAX_LABELS;
}

static bool ends_in(const struct text *text, const char *suffix)
{
	size_t len = strlen(suffix);

	return text->len > len &&
	       !strcmp(text->bytes + text->len - len, suffix);
}

/*
 * Complete the name of a family, and its type: for Prometheus, the suffix "_total" is for
 * counters only, and some other suffixes are not for gauges.
 */
static void finish_name(struct text *name, enum metric_type *type)
{
	metric_name_join(name);
	if (*type == METRIC_GAUGE &&
	    (ends_in(name, "_total") || ends_in(name, "_bucket") ||
	     ends_in(name, "_count") || ends_in(name, "_sum")))
		*type = METRIC_UNKNOWN;
	while (*type != METRIC_UNKNOWN && ends_in(name, "_total"))
		text_cut(name, name->len - strlen("_total"));
}

/*
 * Write the help text of the current metric: the words after the tree's name, or that name if
 * there are none, and the unit.
 */
static void add_help(const struct walk *walk, const struct metric_key *key,
		     struct text *help)
{
	static const char * const kinds[] = {
		[METRIC_UNKNOWN]	= "Value of ",
		[METRIC_GAUGE]		= "Value of ",
		[METRIC_COUNTER]	= "Number of ",
		[METRIC_INFO]		= "Text of ",
		[METRIC_HISTOGRAM]	= "Distribution of ",
	};
	const struct text *metric = &walk->metric;
	bool has_unit = key->unit && ends_in(metric, key->unit);
	size_t end = metric->len - (has_unit ? strlen(key->unit) + 1 : 0);
	size_t at = end > walk->tree_len ? walk->tree_len + 1 :
		    end > strlen("vitrine") ? strlen("vitrine_") : 0;

	text_add_string(help, has_unit && key->type == METRIC_COUNTER ?
			"Total of " : kinds[key->type]);
	for (; at < end; at++)
		text_add(help, metric->bytes[at] == '_' ? " " : metric->bytes + at, 1);
	if (has_unit) {
		text_add_string(help, ", in ");
		text_add_string(help, key->unit);
	}
}

/* Add a family for the current metric; NULL without memory. */
static struct metric_family *make_family(struct walk *walk,
					 const struct metric_key *key)
{
	struct metric_family family = { .type = key->type }, *added = NULL;
	struct text name = { 0 }, help = { 0 };

	add_help(walk, key, &help);
	text_add(&name, walk->metric.bytes, walk->metric.len);
	if (!name.failed)
		finish_name(&name, &family.type);
	/* A "_total" after the unit, of unknown meaning, hides the unit. */
	if (key->unit && !name.failed && ends_in(&name, key->unit))
		family.unit = key->unit;
	family.name = name.bytes;
	family.help = help.bytes;
	if (!name.failed && !help.failed)
		added = metric_set_add_family(walk->set, key, &family);
	text_destroy(&help);
	text_destroy(&name);
	return added;
}

/* Add a series of the current metric and labels. */
static void add_series(struct walk *walk, enum metric_type type,
		       const struct metric_unit *unit)
{
	const struct metric_key key = {
		.metric = walk->metric.bytes,
		.unit = unit ? unit->name : NULL,
		.type = type,
	};
	struct metric_family *family = NULL;

	if (!walk->metric.failed && !walk->labels.failed) {
		family = metric_set_find(walk->set, &key);
		if (!family)
			family = make_family(walk, &key);
	}
	if (family)
		metric_set_add_series(walk->set, family, walk->labels.bytes);
	else
		walk->set->failed = true;
}

static void add_value(struct walk *walk, enum metric_type type,
		      const struct metric_unit *unit, const char *value)
{
	if (is_too_long(walk)) {
		walk->left_out.nr_values++;
		return;
	}
	add_series(walk, type, unit);
	metric_set_add_sample(walk->set, METRIC_VALUE, "", value);
}

static void add_histogram(struct walk *walk, const struct vitrine_value *value,
			  const struct metric_unit *unit)
{
	const struct vitrine_value *sum;

	if (is_too_long(walk) || !metric_histogram_is_good(value)) {
		walk->left_out.nr_values++;
		return;
	}
	add_series(walk, METRIC_HISTOGRAM, unit);
	sum = metric_histogram_add(walk->set, value, unit);
	if (sum)
		walk->sums->values[walk->sums->nr++ % METRIC_SUM_DISTANCE] = sum;
}

/* ---- Properties -------------------------------------------------------- */

/* Derive the type of a number from its name; complete the name of the metric. */
static enum metric_type number_type(struct walk *walk,
				    const struct vitrine_value *value,
				    bool is_uint, bool total)
{
	size_t len;

	vitrine_value_name(value, &len);
	/* A property called just "total" may be a gauge. */
	if (is_uint && ((total && len > strlen("total")) ||
			metric_name_is_counter(walk->tree, value)))
		return METRIC_COUNTER;
	if (total)
		text_add_string(&walk->metric, "_total");
	return METRIC_GAUGE;
}

static void add_number(struct walk *walk, const struct vitrine_value *value,
		       const struct metric_unit *unit, bool total)
{
	bool is_uint = vitrine_value_type(value) == VITRINE_UINT;
	char text[METRIC_NUMBER_BYTES];

	metric_format(text, value, unit->digits);
	add_value(walk, number_type(walk, value, is_uint, total), unit, text);
}

static void add_strings_of_array(struct walk *walk,
				 const struct vitrine_value *value)
{
	unsigned int i, count = vitrine_value_array(value).count;
	struct place place = place_of(walk);

	for (i = 0; i < count; i++, go_back(walk, place)) {
		struct text label = { 0 };
		const char *string;
		size_t len;

		add_index(walk, i);
		text_add_string(&label, "value");
		string = vitrine_value_array_string(value, i, &len);
		add_label(walk, &label, string, len);
		add_value(walk, METRIC_INFO, NULL, "1");
	}
}

static void add_array(struct walk *walk, const struct vitrine_value *value,
		      const struct metric_unit *unit, bool total)
{
	struct vitrine_array array = vitrine_value_array(value);
	enum metric_type type = number_type(walk, value,
					    array.type == VITRINE_UINT, total);
	struct place place = place_of(walk);
	char text[METRIC_NUMBER_BYTES];
	unsigned int i;

	for (i = 0; i < array.count; i++, go_back(walk, place)) {
		add_index(walk, i);
		metric_format_element(text, value, i, unit->digits);
		add_value(walk, type, unit, text);
	}
}

static void add_property(struct walk *walk, const struct vitrine_value *value,
			 size_t stem)
{
	struct vitrine_array array = vitrine_value_array(value);
	struct metric_unit unit = { NULL, 0 };
	bool total = false;
	const char *name;
	size_t len;

	name = vitrine_value_name(value, &len);
	if (metric_name_is_instance(walk->tree, value)) {
		enter_instance(walk, value, stem);
	} else {
		metric_name_add_property(&walk->metric, name, len, &unit,
					 &total);
	}
	if (vitrine_value_type(value) != VITRINE_ARRAY)
		add_number(walk, value, &unit, total);
	else if (array.type == VITRINE_STRING)
		add_strings_of_array(walk, value);
	else if (array.format == INSPECT_ARRAY_FLAT)
		add_array(walk, value, &unit, total);
	else
		add_histogram(walk, value, &unit);
}

/* Add all strings of a node as labels of one series. */
static void add_strings(struct walk *walk, const struct vitrine_value *value)
{
	struct place place = place_of(walk);
	bool any = false;

	for (; value; value = vitrine_value_next(value)) {
		struct text label = { 0 };
		const char *bytes;
		size_t len;

		if (vitrine_value_type(value) != VITRINE_STRING)
			continue;
		any = true;
		bytes = vitrine_value_name(value, &len);
		metric_name_label(&label, bytes, len);
		bytes = vitrine_value_bytes(value, &len);
		add_label(walk, &label, bytes, len);
	}
	if (any)
		add_value(walk, METRIC_INFO, NULL, "1");
	go_back(walk, place);
}

/* ---- Trees ------------------------------------------------------------- */

static void add_siblings(struct walk *walk, const struct vitrine_value *value,
			 size_t stem);

static bool is_sum(const struct sums *sums, const struct vitrine_value *value)
{
	unsigned int i;

	for (i = 0; i < METRIC_SUM_DISTANCE; i++)
		if (sums->values[i] == value)
			return true;
	return false;
}

/* @stem: begin of the parent's name in the metric's name */
static void add_one(struct walk *walk, const struct vitrine_value *value,
		    size_t stem)
{
	size_t own = walk->metric.len;

	if (is_sum(walk->sums, value))
		return;
	switch (vitrine_value_type(value)) {
	case VITRINE_NODE:
		enter_node(walk, value, stem);
		add_siblings(walk, vitrine_value_first_child(value), own);
		break;
	case VITRINE_STRING:
	case VITRINE_BYTES:
	case VITRINE_LINK:
		break;
	default:
		add_property(walk, value, stem);
		break;
	}
}

/*
 * Return whether a value is an entry of a list, with series of its own: the strings of a node
 * share one, byte vectors and links have none.
 */
static bool is_entry(const struct walk *walk, const struct vitrine_value *value)
{
	enum vitrine_type type = vitrine_value_type(value);

	return type != VITRINE_STRING && type != VITRINE_BYTES &&
	       type != VITRINE_LINK && metric_name_is_instance(walk->tree, value);
}

/* Return how many entries are too many among @value and its siblings. */
static size_t nr_excess_entries(const struct walk *walk,
				const struct vitrine_value *value)
{
	size_t nr = 0;

	for (; value; value = vitrine_value_next(value))
		nr += is_entry(walk, value);
	return nr > METRICS_MAX_ENTRIES ? nr - METRICS_MAX_ENTRIES : 0;
}

/*
 * Add @value, its siblings and all below them, without the first entries of a long list, which
 * are the oldest. Depth: VITRINE_MAX_DEPTH at most.
 */
static void add_siblings(struct walk *walk, const struct vitrine_value *value,
			 size_t stem)
{
	struct place place = place_of(walk);
	struct sums sums = { 0 }, *above = walk->sums;
	size_t excess = nr_excess_entries(walk, value);

	walk->left_out.nr_entries += excess;
	walk->sums = &sums;
	add_strings(walk, value);
	for (; value; value = vitrine_value_next(value)) {
		if (excess && is_entry(walk, value)) {
			excess--;
			continue;
		}
		add_one(walk, value, stem);
		if (metric_name_is_instance(walk->tree, value))
			leave_instance(walk, vitrine_value_parent(value), stem);
		go_back(walk, place);
	}
	walk->sums = above;
}

/* Add the number of missing entries of lists, as a metric of its own, if there are any. */
static void add_missing(struct walk *walk)
{
	char number[METRIC_NUMBER_BYTES];

	if (!walk->left_out.nr_entries)
		return;
	text_cut(&walk->metric, 0);
	text_add_string(&walk->metric, "vitrine_metrics");
	walk->tree_len = walk->metric.len;
	text_add_string(&walk->metric, "_entries_left_out");
	snprintf(number, sizeof(number), "%zu", walk->left_out.nr_entries);
	add_value(walk, METRIC_GAUGE, NULL, number);
}

/**
 * metrics_add_tree() - add all values of a tree to a set
 * @set: set
 * @tree: name of the tree
 * @ordinal: number of trees before it with that name
 * @hierarchy: the tree
 *
 * Return: what was left out.
 */
struct metrics_left_out metrics_add_tree(struct metric_set *set, const char *tree,
					 unsigned int ordinal,
					 const struct vitrine_hierarchy *hierarchy)
{
	struct walk walk = { .set = set, .tree = tree };
	struct text label = { 0 }, value = { 0 };
	char number[16];

	metric_name_add_tree(&walk.metric, tree);
	walk.tree_len = walk.metric.len;
	text_add_string(&label, "tree");
	text_add_string(&value, tree);
	if (ordinal) {
		snprintf(number, sizeof(number), "#%u", ordinal + 1);
		text_add_string(&value, number);
	}
	add_label(&walk, &label, value.failed ? "" : value.bytes, value.len);
	add_siblings(&walk, vitrine_hierarchy_first(hierarchy), walk.metric.len);
	add_missing(&walk);
	set->failed |= value.failed || walk.metric.failed || walk.labels.failed;
	text_destroy(&value);
	text_destroy(&walk.metric);
	text_destroy(&walk.labels);
	return walk.left_out;
}
