// SPDX-License-Identifier: GPL-2.0
/*
 * A set of metrics, and the text that Prometheus reads. What must hold of the
 * text whatever the trees are called is seen to here: a family's lines stand
 * together, a family has one type, no line is there twice.
 *
 * One thread.
 */
#define _GNU_SOURCE	/* tdestroy(), qsort_r() */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "metric_set.h"

/* ---- Memory for strings ------------------------------------------------ */

#define ARENA_BYTES	(1UL << 16)
#define ARENA_ALIGN	16

/**
 * struct metric_arena - memory that is freed all at once
 * @before: the one filled before this one
 * @used: bytes given out
 * @size: of @bytes
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
	/* Whatever comes next may be a struct. */
	len = (len + ARENA_ALIGN - 1) & -(size_t)ARENA_ALIGN;
	arena->used = len < arena->size - arena->used ? arena->used + len : arena->size;
	return bytes;
}

/* @string and @suffix, joined. NULL without memory, or if @string is. */
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

/* The family like @wanted in the set; its help is the first one's. */
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

/* ---- Adding ------------------------------------------------------------ */

/* Room for one more: twice as much when @nr is a power of two. */
static void *grow(struct metric_set *set, void *array, size_t nr, size_t size)
{
	void *grown;

	if (nr & (nr - 1))
		return array;
	grown = reallocarray(array, nr ? 2 * nr : 1, size);
	if (!grown)
		set->failed = true;
	return grown;
}

/**
 * metric_set_add_series() - add a series
 * @set: set
 * @family: what it is: name, help, unit, type
 * @labels: its labels, as they are printed between braces
 */
void metric_set_add_series(struct metric_set *set,
			   const struct metric_family *family,
			   const char *labels)
{
	struct metric_series *series = set->failed ? NULL :
		grow(set, set->series, set->nr_series, sizeof(*series));

	if (!series)
		return;
	set->series = series;
	series[set->nr_series] = (struct metric_series){
		.family = family_get(set, family),
		.labels = copy(set, labels, ""),
		.duplicate = 1,
	};
	if (!set->failed)
		set->nr_series++;
}

/**
 * metric_set_add_sample() - add a sample to the series added last
 * @set: set
 * @part: what it is
 * @le: upper bound, of a bucket; else ""
 * @value: number
 */
void metric_set_add_sample(struct metric_set *set, enum metric_part part,
			   const char *le, const char *value)
{
	struct metric_sample *samples = set->failed ? NULL :
		grow(set, set->samples, set->nr_samples, sizeof(*samples));

	if (!samples)
		return;
	set->samples = samples;
	samples[set->nr_samples] = (struct metric_sample){
		.series = set->nr_series - 1,
		.part = part,
		.le = copy(set, le, ""),
		.value = copy(set, value, ""),
	};
	if (set->failed)
		return;
	set->nr_samples++;
	set->series[set->nr_series - 1].nr_samples++;
	set->series[set->nr_series - 1].has_sum |= part == METRIC_SUM;
}

/* ---- Families that claim the same name --------------------------------- */

struct claim {
	const char *name;
	struct metric_family *family;
};

/**
 * struct claims - all names that all families claim
 * @set: for memory
 * @claims: room for MAX_CLAIMS each
 * @nr: how many
 */
struct claims {
	struct metric_set *set;
	struct claim *claims;
	size_t nr;
};

#define MAX_CLAIMS	5	/* of one family */

/* What OpenMetrics keeps for a family of this type, used or not. */
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

/* ---- Series that would be the same ------------------------------------- */

static const char *sample_name(const struct metric_set *set,
			       const struct metric_sample *sample)
{
	return set->series[sample->series].family->sample_names[sample->part];
}

static int compare_lines(const struct metric_set *set,
			 const struct metric_sample *a,
			 const struct metric_sample *b)
{
	int order = strcmp(sample_name(set, a), sample_name(set, b));

	if (!order)
		order = strcmp(set->series[a->series].labels,
			       set->series[b->series].labels);
	return order ? order : strcmp(a->le, b->le);
}

static int compare_line_numbers(const void *a, const void *b, void *ctx)
{
	const struct metric_set *set = ctx;

	return compare_lines(set, &set->samples[*(const uint32_t *)a],
			     &set->samples[*(const uint32_t *)b]);
}

/* Give all samples that would be the same line the same group. */
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
 * Number series so that no two have a line in common: each gets more than any
 * had that has one in common with it.
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
 * Name of the family that a sample is printed in: without its type each name
 * is a family of its own. Prometheus has a counter's whole name there.
 */
static const char *header_name(const struct metric_set *set,
			       const struct metric_sample *sample, bool strict)
{
	const struct metric_family *family = set->series[sample->series].family;

	if (family->clashes ||
	    (!strict && family->type != METRIC_HISTOGRAM))
		return family->sample_names[sample->part];
	return family->name;
}

struct printing {
	const struct metric_set *set;
	bool strict;
};

static int compare_headers(const void *a, const void *b, void *ctx)
{
	const struct printing *printing = ctx;
	uint32_t a_number = *(const uint32_t *)a, b_number = *(const uint32_t *)b;
	const struct metric_set *set = printing->set;
	int order;

	order = strcmp(header_name(set, &set->samples[a_number],
				   printing->strict),
		       header_name(set, &set->samples[b_number],
				   printing->strict));
	return order ? order : (a_number > b_number) - (a_number < b_number);
}

static void print_help(const char *name, const char *help, bool strict,
		       FILE *stream)
{
	fprintf(stream, "# HELP %s ", name);
	for (; *help; help++) {
		if (*help == '\n')
			fputs("\\n", stream);
		else if (*help == '\\' || (strict && *help == '"'))
			fprintf(stream, "\\%c", *help);
		else
			putc(*help, stream);
	}
	putc('\n', stream);
}

static void print_header(const struct metric_family *family, const char *name,
			 bool strict, FILE *stream)
{
	static const char * const types[] = {
		[METRIC_UNKNOWN]	= "unknown",
		[METRIC_GAUGE]		= "gauge",
		[METRIC_COUNTER]	= "counter",
		[METRIC_INFO]		= "info",
		[METRIC_HISTOGRAM]	= "histogram",
	};
	enum metric_type type = family->clashes ? METRIC_UNKNOWN : family->type;

	/* Prometheus says nothing of what it knows nothing of. */
	if (!strict && type == METRIC_INFO)
		type = METRIC_GAUGE;
	if (strict || type != METRIC_UNKNOWN)
		fprintf(stream, "# TYPE %s %s\n", name, types[type]);
	if (strict && family->unit && !family->clashes)
		fprintf(stream, "# UNIT %s %s\n", name, family->unit);
	print_help(name, family->help, strict, stream);
}

static void print_sample(const struct metric_set *set,
			 const struct metric_sample *sample, FILE *stream)
{
	const struct metric_series *series = &set->series[sample->series];

	fprintf(stream, "%s{%s", sample_name(set, sample), series->labels);
	if (series->duplicate > 1)
		fprintf(stream, ",duplicate=\"%u\"", series->duplicate);
	if (*sample->le)
		fprintf(stream, ",le=\"%s\"", sample->le);
	fprintf(stream, "} %s\n", sample->value);
}

static void print_sorted(const struct metric_set *set, const uint32_t *numbers,
			 bool strict, FILE *stream)
{
	const char *header = "";
	size_t i;

	for (i = 0; i < set->nr_samples; i++) {
		const struct metric_sample *sample = &set->samples[numbers[i]];
		const struct metric_family *family = set->series[sample->series].family;
		const char *name = header_name(set, sample, strict);

		/* OpenMetrics has the count only together with the sum. */
		if (strict && sample->part == METRIC_COUNT && !family->clashes &&
		    !set->series[sample->series].has_sum)
			continue;
		if (strcmp(header, name))
			print_header(family, name, strict, stream);
		header = name;
		print_sample(set, sample, stream);
	}
	fputs("# EOF\n", stream);
}

/**
 * metric_set_print() - print all metrics
 * @set: set; nothing may be added to it any more
 * @strict: OpenMetrics to the letter, else what Prometheus' own tools read
 * @stream: where
 *
 * Return: false without memory.
 */
bool metric_set_print(struct metric_set *set, bool strict, FILE *stream)
{
	struct printing printing = { .set = set, .strict = strict };
	uint32_t *numbers;
	size_t i;

	if (!set->failed)
		find_clashes(set);
	if (!set->failed)
		group_samples(set);
	if (!set->failed)
		number_series(set);
	numbers = set->failed ? NULL :
		calloc(set->nr_samples + 1, sizeof(*numbers));
	if (!numbers)
		return false;
	for (i = 0; i < set->nr_samples; i++)
		numbers[i] = i;
	qsort_r(numbers, set->nr_samples, sizeof(*numbers), compare_headers,
		&printing);
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
	for (arena = set->arena; arena; arena = before) {
		before = arena->before;
		free(arena);
	}
	free(set->series);
	free(set->samples);
	*set = (struct metric_set){ 0 };
}
