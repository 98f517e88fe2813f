// SPDX-License-Identifier: GPL-2.0
/*
 * A set of metrics, and the text that Prometheus reads. The set guarantees, whatever
 * the names in trees: the lines of a family are contiguous, a family has one type, and
 * no line is repeated.
 *
 * One thread.
 */
#define _GNU_SOURCE	/* tdestroy(), qsort_r() */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "ui/line.h"
#include "metric_set.h"

/* ---- Memory for strings ------------------------------------------------ */

#define ARENA_BYTES	(1UL << 16)
#define ARENA_ALIGN	16

/**
 * struct metric_arena - memory that is freed all at once
 * @before: the arena filled before this one
 * @used: bytes allocated
 * @size: size of @bytes
 * @bytes: memory
 */
struct metric_arena {
	struct metric_arena *before;
	size_t used;
	size_t size;
	char bytes[] __attribute__((aligned(ARENA_ALIGN)));
};

static void *arena_alloc(struct metric_set *set, size_t len)
{
	struct metric_arena *arena = set->arena;
	size_t size = len > ARENA_BYTES ? len : ARENA_BYTES;
	void *bytes;

	if (!arena || arena->size - arena->used < len) {
		arena = malloc(sizeof(*arena) + size);
		if (!arena) {
			set->failed = true;
			return NULL;
		}
		*arena = (struct metric_arena){ .before = set->arena, .size = size };
		set->arena = arena;
	}
	bytes = arena->bytes + arena->used;
	/* Keep the next allocation aligned for a struct. */
	len = (len + ARENA_ALIGN - 1) & -(size_t)ARENA_ALIGN;
	arena->used = len < arena->size - arena->used ? arena->used + len : arena->size;
	return bytes;
}

/* Copy @string and @suffix, joined; NULL without memory, or if @string is NULL. */
static const char *copy(struct metric_set *set, const char *string,
			const char *suffix)
{
	size_t len;
	char *bytes;

	if (!string)
		return NULL;
	len = strlen(string);
	bytes = arena_alloc(set, len + strlen(suffix) + 1);
	if (bytes) {
		memcpy(bytes, string, len);
		memcpy(bytes + len, suffix, strlen(suffix) + 1);
	}
	return bytes;
}

/* ---- Families ---------------------------------------------------------- */

static const char *part_suffix(enum metric_type type, enum metric_part part)
{
	switch (part) {
	case METRIC_BUCKET:
		return "_bucket";
	case METRIC_COUNT:
		return "_count";
	case METRIC_SUM:
		return "_sum";
	default:
		return type == METRIC_COUNTER ? "_total" :
		       type == METRIC_INFO ? "_info" : "";
	}
}

static int compare_families(const void *a, const void *b)
{
	const struct metric_family *a_family = a, *b_family = b;
	int order = strcmp(a_family->name, b_family->name);

	return order ? order : (int)a_family->type - (int)b_family->type;
}

/* Find or add a family like @wanted; the help text is that of the first one. */
static struct metric_family *family_get(struct metric_set *set,
					const struct metric_family *wanted)
{
	struct metric_family **found = tfind(wanted, &set->families,
					     compare_families);
	struct metric_family *family;
	int part;

	if (found)
		return *found;
	family = arena_alloc(set, sizeof(*family));
	if (!family)
		return NULL;
	*family = *wanted;
	family->name = copy(set, wanted->name, "");
	family->help = copy(set, wanted->help, "");
	family->clashes = false;
	for (part = 0; part < METRIC_NR_PARTS; part++)
		family->sample_names[part] = copy(set, wanted->name,
						  part_suffix(wanted->type, part));
	if (set->failed)
		return NULL;
	if (!tsearch(family, &set->families, compare_families)) {
		set->failed = true;
		return NULL;
	}
	set->nr_families++;
	return family;
}

/* ---- Keys -------------------------------------------------------------- */

struct keyed {
	struct metric_key key;
	struct metric_family *family;
};

static int compare_keys(const void *a, const void *b)
{
	const struct metric_key *a_key = a, *b_key = b;
	int order = strcmp(a_key->metric, b_key->metric);

	if (!order)
		order = (int)a_key->type - (int)b_key->type;
	if (!order)
		order = strcmp(a_key->unit ? a_key->unit : "",
			       b_key->unit ? b_key->unit : "");
	return order;
}

/**
 * metric_set_find() - look up the family of a key
 * @set: set
 * @key: key
 *
 * Return: the family, or NULL if there is none.
 */
struct metric_family *metric_set_find(const struct metric_set *set,
				      const struct metric_key *key)
{
	struct keyed **found = tfind(key, &set->keys, compare_keys);

	return found ? (*found)->family : NULL;
}

/**
 * metric_set_add_family() - add a family, or a key for an equal one
 * @set: set
 * @key: a new key for it
 * @family: name, help, unit and type; the strings are copied
 *
 * Return: the family in the set, or NULL without memory.
 */
struct metric_family *metric_set_add_family(struct metric_set *set,
					    const struct metric_key *key,
					    const struct metric_family *family)
{
	struct keyed *keyed = arena_alloc(set, sizeof(*keyed));

	if (!keyed)
		return NULL;
	keyed->key = *key;
	keyed->key.metric = copy(set, key->metric, "");
	keyed->family = family_get(set, family);
	if (set->failed)
		return NULL;
	if (!tsearch(keyed, &set->keys, compare_keys)) {
		set->failed = true;
		return NULL;
	}
	return keyed->family;
}

/* ---- Adding ------------------------------------------------------------ */

/**
 * metric_set_add_series() - add a series
 * @set: set
 * @family: its family in the set
 * @labels: its labels, as printed between braces
 */
void metric_set_add_series(struct metric_set *set, struct metric_family *family,
			   const char *labels)
{
	const struct metric_series *last;
	const char *shared = NULL;

	if (set->failed || !GROW(set->series, set->nr_series)) {
		set->failed = true;
		return;
	}
	last = set->nr_series ? &set->series[set->nr_series - 1] : NULL;
	/* The properties of a node share their labels. */
	if (last && !strcmp(last->labels, labels))
		shared = last->labels;
	set->series[set->nr_series] = (struct metric_series){
		.family = family,
		.labels = shared ? shared : copy(set, labels, ""),
		.duplicate = 1,
	};
	if (!set->failed)
		set->nr_series++;
}

/**
 * metric_set_add_sample() - add a sample to the series added last
 * @set: set
 * @part: part of the series
 * @le: upper bound of a bucket; else ""
 * @value: number
 */
void metric_set_add_sample(struct metric_set *set, enum metric_part part,
			   const char *le, const char *value)
{
	if (set->failed || !GROW(set->samples, set->nr_samples)) {
		set->failed = true;
		return;
	}
	set->samples[set->nr_samples] = (struct metric_sample){
		.series = set->nr_series - 1,
		.part = part,
		.le = *le ? copy(set, le, "") : "",
		.value = copy(set, value, ""),
	};
	if (set->failed)
		return;
	set->nr_samples++;
	set->series[set->nr_series - 1].nr_samples++;
	set->series[set->nr_series - 1].has_sum |= part == METRIC_SUM;
}

/* ---- Families with conflicting names ----------------------------------- */

struct claim {
	const char *name;
	struct metric_family *family;
};

/**
 * struct claims - names that families claim
 * @set: for memory
 * @claims: room for MAX_CLAIMS per family
 * @nr: number of @claims
 */
struct claims {
	struct metric_set *set;
	struct claim *claims;
	size_t nr;
};

#define MAX_CLAIMS	5	/* per family */

/* Return the suffixes that OpenMetrics reserves for a type, used or not. */
static const char * const *reserved_suffixes(enum metric_type type)
{
	static const char * const plain[] = { "", NULL };
	static const char * const counter[] = { "", "_total", "_created", NULL };
	static const char * const info[] = { "", "_info", NULL };
	static const char * const histogram[] = {
		"", "_bucket", "_count", "_sum", "_created", NULL,
	};

	switch (type) {
	case METRIC_COUNTER:
		return counter;
	case METRIC_INFO:
		return info;
	case METRIC_HISTOGRAM:
		return histogram;
	default:
		return plain;
	}
}

static void claim(const void *node, VISIT visit, void *ctx)
{
	struct metric_family *family = *(struct metric_family *const *)node;
	const char * const *suffix = reserved_suffixes(family->type);
	struct claims *claims = ctx;

	if (visit != postorder && visit != leaf)
		return;
	for (; *suffix; suffix++)
		claims->claims[claims->nr++] = (struct claim){
			.name = copy(claims->set, family->name, *suffix),
			.family = family,
		};
}

static int compare_claims(const void *a, const void *b)
{
	const struct claim *a_claim = a, *b_claim = b;

	return strcmp(a_claim->name, b_claim->name);
}

static void find_clashes(struct metric_set *set)
{
	struct claims claims = {
		.set = set,
		.claims = calloc(set->nr_families + 1,
				 MAX_CLAIMS * sizeof(struct claim)),
	};
	size_t i;

	if (!claims.claims) {
		set->failed = true;
		return;
	}
	twalk_r(set->families, claim, &claims);
	if (!set->failed)
		qsort(claims.claims, claims.nr, sizeof(struct claim),
		      compare_claims);
	for (i = 1; !set->failed && i < claims.nr; i++) {
		if (strcmp(claims.claims[i - 1].name, claims.claims[i].name))
			continue;
		claims.claims[i - 1].family->clashes = true;
		claims.claims[i].family->clashes = true;
	}
	free(claims.claims);
}

/* ---- Series with equal labels ------------------------------------------ */

static const char *sample_name(const struct metric_set *set,
			       const struct metric_sample *sample)
{
	return set->series[sample->series].family->sample_names[sample->part];
}

/* As strcmp(), quicker for strings that are shared. */
static int compare_names(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

static int compare_lines(const struct metric_set *set,
			 const struct metric_sample *a,
			 const struct metric_sample *b)
{
	int order = compare_names(sample_name(set, a), sample_name(set, b));

	if (!order)
		order = compare_names(set->series[a->series].labels,
				      set->series[b->series].labels);
	return order ? order : strcmp(a->le, b->le);
}

static int compare_line_numbers(const void *a, const void *b, void *ctx)
{
	const struct metric_set *set = ctx;

	return compare_lines(set, &set->samples[*(const uint32_t *)a],
			     &set->samples[*(const uint32_t *)b]);
}

/* Give samples with equal lines the same group. */
static void group_samples(struct metric_set *set)
{
	uint32_t *numbers = calloc(set->nr_samples + 1, sizeof(*numbers));
	struct metric_sample *samples = set->samples;
	size_t i;

	if (!numbers) {
		set->failed = true;
		return;
	}
	for (i = 0; i < set->nr_samples; i++)
		numbers[i] = i;
	qsort_r(numbers, set->nr_samples, sizeof(*numbers),
		compare_line_numbers, set);
	for (i = 0; i < set->nr_samples; i++) {
		bool same = i && !compare_lines(set, &samples[numbers[i - 1]],
						&samples[numbers[i]]);

		samples[numbers[i]].group = same ?
			samples[numbers[i - 1]].group : numbers[i];
	}
	free(numbers);
}

/*
 * Number the series so that no two have a line in common: the number of each is above
 * those of all series that share a line with it.
 */
static void number_series(struct metric_set *set)
{
	uint32_t *last = calloc(set->nr_samples + 1, sizeof(*last));
	struct metric_sample *sample = set->samples;
	size_t i, j;

	if (!last) {
		set->failed = true;
		return;
	}
	for (i = 0; i < set->nr_series; i++) {
		struct metric_series *series = &set->series[i];

		for (j = 0; j < series->nr_samples; j++)
			if (last[sample[j].group] >= series->duplicate)
				series->duplicate = last[sample[j].group] + 1;
		for (j = 0; j < series->nr_samples; j++)
			last[sample[j].group] = series->duplicate;
		sample += series->nr_samples;
	}
	free(last);
}

/* ---- Printing ---------------------------------------------------------- */

/*
 * Return the name of the family in the header of a sample: without a type, each name
 * is a family of its own. For a counter, Prometheus wants the whole name there.
 */
static const char *header_name(const struct metric_family *family,
			       enum metric_part part, bool strict)
{
	if (family->clashes ||
	    (!strict && family->type != METRIC_HISTOGRAM))
		return family->sample_names[part];
	return family->name;
}

struct header {
	const char *name;
	uint32_t *rank;
};

struct headers {
	struct header *headers;
	size_t nr;
	bool strict;
};

static void add_headers(const void *node, VISIT visit, void *ctx)
{
	struct metric_family *family = *(struct metric_family *const *)node;
	struct headers *headers = ctx;
	int part;

	if (visit != postorder && visit != leaf)
		return;
	for (part = 0; part < METRIC_NR_PARTS; part++)
		headers->headers[headers->nr++] = (struct header){
			.name = header_name(family, part, headers->strict),
			.rank = &family->ranks[part],
		};
}

static int compare_headers(const void *a, const void *b)
{
	const struct header *a_header = a, *b_header = b;

	return compare_names(a_header->name, b_header->name);
}

/* Number the headers by name, because there are few headers but many samples. */
static bool rank_headers(struct metric_set *set, bool strict)
{
	struct headers headers = {
		.headers = calloc(set->nr_families + 1,
				  METRIC_NR_PARTS * sizeof(struct header)),
		.strict = strict,
	};
	uint32_t rank = 0;
	size_t i;

	if (!headers.headers)
		return false;
	twalk_r(set->families, add_headers, &headers);
	qsort(headers.headers, headers.nr, sizeof(struct header),
	      compare_headers);
	for (i = 0; i < headers.nr; i++) {
		rank += i && compare_headers(&headers.headers[i - 1],
					     &headers.headers[i]);
		*headers.headers[i].rank = rank;
	}
	free(headers.headers);
	return true;
}

static uint32_t rank_of(const struct metric_set *set, size_t sample)
{
	const struct metric_sample *at = &set->samples[sample];

	return set->series[at->series].family->ranks[at->part];
}

/* Sort the samples by header; under one header they keep their order. */
static uint32_t *sort_samples(const struct metric_set *set)
{
	size_t nr_ranks = set->nr_families * METRIC_NR_PARTS, i;
	uint32_t *numbers = calloc(set->nr_samples + 1, sizeof(*numbers));
	uint32_t *ends = calloc(nr_ranks + 1, sizeof(*ends));

	if (numbers && ends) {
		for (i = 0; i < set->nr_samples; i++)
			ends[rank_of(set, i)]++;
		for (i = 1; i < nr_ranks; i++)
			ends[i] += ends[i - 1];
		for (i = set->nr_samples; i-- > 0;)
			numbers[--ends[rank_of(set, i)]] = i;
	} else {
		free(numbers);
		numbers = NULL;
	}
	free(ends);
	return numbers;
}

static void put_string(struct line_output *out, const char *string)
{
	line_put_bytes(out, string, strlen(string));
}

/* Put a line that begins with "# ". */
static void put_remark(struct line_output *out, const char *what,
		       const char *name, const char *value)
{
	put_string(out, what);
	put_string(out, name);
	put_string(out, " ");
	put_string(out, value);
	put_string(out, "\n");
}

static void put_header(struct line_output *out,
		       const struct metric_family *family, const char *name,
		       bool strict)
{
	static const char * const types[] = {
		[METRIC_UNKNOWN]	= "unknown",
		[METRIC_GAUGE]		= "gauge",
		[METRIC_COUNTER]	= "counter",
		[METRIC_INFO]		= "info",
		[METRIC_HISTOGRAM]	= "histogram",
	};
	enum metric_type type = family->clashes ? METRIC_UNKNOWN : family->type;

	/* The format of Prometheus has no type info. */
	if (!strict && type == METRIC_INFO)
		type = METRIC_GAUGE;
	if (strict || type != METRIC_UNKNOWN)
		put_remark(out, "# TYPE ", name, types[type]);
	if (strict && family->unit && !family->clashes)
		put_remark(out, "# UNIT ", name, family->unit);
	put_remark(out, "# HELP ", name, family->help);
}

static void put_sample(struct line_output *out, const struct metric_set *set,
		       const struct metric_sample *sample)
{
	const struct metric_series *series = &set->series[sample->series];

	put_string(out, sample_name(set, sample));
	put_string(out, "{");
	put_string(out, series->labels);
	if (series->duplicate > 1) {
		put_string(out, ",duplicate=\"");
		line_put_uint(out, series->duplicate);
		put_string(out, "\"");
	}
	if (*sample->le) {
		put_string(out, ",le=\"");
		put_string(out, sample->le);
		put_string(out, "\"");
	}
	put_string(out, "} ");
	put_string(out, sample->value);
	put_string(out, "\n");
}

static void print_sorted(const struct metric_set *set, const uint32_t *numbers,
			 bool strict, FILE *stream)
{
	struct line_output out;
	const char *header = "";
	size_t i;

	line_init(&out, stream);
	for (i = 0; i < set->nr_samples; i++) {
		const struct metric_sample *sample = &set->samples[numbers[i]];
		const struct metric_family *family = set->series[sample->series].family;
		const char *name = header_name(family, sample->part, strict);

		/* In OpenMetrics, a count requires a sum. */
		if (strict && sample->part == METRIC_COUNT && !family->clashes &&
		    !set->series[sample->series].has_sum)
			continue;
		if (compare_names(header, name))
			put_header(&out, family, name, strict);
		header = name;
		put_sample(&out, set, sample);
	}
	put_string(&out, "# EOF\n");
	line_flush(&out);
}

/**
 * metric_set_print() - print all metrics
 * @set: set, which is complete
 * @strict: print strict OpenMetrics; else the text format of Prometheus
 * @stream: output stream
 *
 * Return: false without memory.
 */
bool metric_set_print(struct metric_set *set, bool strict, FILE *stream)
{
	uint32_t *numbers = NULL;

	if (!set->failed)
		find_clashes(set);
	if (!set->failed)
		group_samples(set);
	if (!set->failed)
		number_series(set);
	if (!set->failed && rank_headers(set, strict))
		numbers = sort_samples(set);
	if (!numbers)
		return false;
	print_sorted(set, numbers, strict, stream);
	free(numbers);
	return true;
}

static void keep(void *node)
{
}

/**
 * metric_set_destroy() - free and empty a set
 * @set: set
 */
void metric_set_destroy(struct metric_set *set)
{
	struct metric_arena *arena, *before;

	tdestroy(set->families, keep);
	tdestroy(set->keys, keep);
	for (arena = set->arena; arena; arena = before) {
		before = arena->before;
		free(arena);
	}
	free(set->series);
	free(set->samples);
	*set = (struct metric_set){ 0 };
}
