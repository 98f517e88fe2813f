// SPDX-License-Identifier: GPL-2.0
/*
 * `vitrine diff': compare two Inspect trees, which inspect/diff.c does, or traces: which
 * threads ran and waited for longer, or less long, than before.
 *
 * The threads of one name have a group for each thing they did: turns on a CPU, waits for a
 * CPU, and blocked waits, all of them, by system call, and by kernel stack. A group has
 * changed if the rank-sum test finds that its times of both sides are not from one
 * distribution, at a level of TRACE_DIFF_LEVEL for all groups together, and if the change is
 * large enough to matter: of many times, the test finds changes of some nanoseconds, which
 * addresses and caches cause in any two runs.
 *
 * Memory use does not depend on the length of the traces: at most TRACE_DIFF_GROUPS groups
 * are compared, by a random sample of TRACE_DIFF_SAMPLES times of each side. Sums and
 * numbers are exact.
 */
#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base.h"
#include "command.h"
#include "input.h"
#include "inspect/diff.h"
#include "ui/fields.h"
#include "ui/label.h"
#include "vitrine.h"
#include "record_filter.h"
#include "trace_input.h"
#include "why.h"
#include "why_texts.h"

#define TRACE_DIFF_GROUPS	2048
#define TRACE_DIFF_SAMPLES	4096

/* With fewer times on a side, a group is not compared. */
#define TRACE_DIFF_LEAST	8

/* Probability that traces of one workload are said to differ. */
#define TRACE_DIFF_LEVEL	0.05

/* Smallest changes of a median, and of a mean, that are reported, relative to the old one. */
#define TRACE_DIFF_MEDIAN	0.01
#define TRACE_DIFF_MEAN		0.05

/* The change of a mean that is reported, at least, in standard errors of the difference. */
#define TRACE_DIFF_MEAN_ERRORS	4

/**
 * enum trace_diff_kind - what a thread did
 * @TRACE_DIFF_RAN: it ran, until it left the CPU
 * @TRACE_DIFF_RUNNABLE: it waited for a CPU
 * @TRACE_DIFF_BLOCKED: it was blocked
 * @TRACE_DIFF_SYSCALL: it was blocked in a system call
 * @TRACE_DIFF_STACK: it was blocked at a kernel stack
 * @TRACE_DIFF_NR_KINDS: number of kinds
 */
enum trace_diff_kind {
	TRACE_DIFF_RAN,
	TRACE_DIFF_RUNNABLE,
	TRACE_DIFF_BLOCKED,
	TRACE_DIFF_SYSCALL,
	TRACE_DIFF_STACK,
	TRACE_DIFF_NR_KINDS,
};

/**
 * struct trace_diff_side - times of a group before or after
 * @nr: how many
 * @sum_ns: their sum
 * @samples: some of them, sorted by find_changes()
 * @nr_samples: how many of them
 * @median_ns: median of @samples, set by find_changes()
 */
struct trace_diff_side {
	uint64_t nr;
	uint64_t sum_ns;
	uint64_t *samples;
	size_t nr_samples;
	uint64_t median_ns;
};

/**
 * struct trace_diff_group - times of the same kind of threads of one name
 * @process: text number of the name of the process
 * @thread: text number of the name of the thread
 * @cause: text number of the system call or stack
 * @kind: what the threads did
 * @sides: before, and after
 * @p: probability of the difference if nothing has changed
 * @cost_ns: what the change of the mean time costs in a trace, negative if it saves time
 */
struct trace_diff_group {
	uint32_t process;
	uint32_t thread;
	uint32_t cause;
	enum trace_diff_kind kind;
	struct trace_diff_side sides[2];
	double p;
	double cost_ns;
};

/**
 * struct trace_diff - a comparison
 * @texts: names, system calls and stacks
 * @groups: all groups; after find_changes() those that changed, what costs most first
 * @nr_groups: number of @groups in use
 * @nr_left_out: number of times for whose group there was no room
 * @nr_tested: number of groups that were compared; set by find_changes()
 * @nr_changed: number of groups that changed; set by find_changes()
 * @nr_files: number of traces on each side
 * @hash: hash table of their numbers, which count from 1
 * @random: state of the generator that selects samples
 */
static struct trace_diff {
	struct why_texts texts;
	struct trace_diff_group groups[TRACE_DIFF_GROUPS];
	size_t nr_groups;
	uint64_t nr_left_out;
	size_t nr_tested;
	size_t nr_changed;
	unsigned int nr_files[2];
	struct hash hash;
	uint64_t random;
} diff;

/**
 * struct trace_diff_args - the options of `vitrine diff' for traces
 * @json: print JSON
 * @paths: files
 * @nr_paths: number of @paths
 * @nr_old: number of files of the old side, which come first
 */
static struct trace_diff_args {
	bool json;
	char **paths;
	size_t nr_paths;
	size_t nr_old;
} args;

/* The thread that was met last of those whose ids have the same remainder. */
#define NR_NAMED	32768

struct named {
	struct vitrine_fxt_thread id;
	bool known;
	uint32_t process;
	uint32_t thread;
};

/**
 * struct reader - the trace that is being read
 * @side: its side
 * @named: text numbers of the names of NR_NAMED threads
 * @causes: by text number in struct why, that in @diff; 0: not known yet
 * @nr_causes: size of @causes
 */
static struct reader {
	unsigned int side;
	struct named named[NR_NAMED];
	uint32_t *causes;
	uint32_t nr_causes;
} reader;

/* Maximum number of frames of a stack in a line of text; JSON has all. */
#define MAX_FRAMES	3

/* As diff(1). */
#define EXIT_DIFFERENT	1

/* ---- The rank-sum test ------------------------------------------------- */

/*
 * The rank-sum test: whether the values of one sample tend to be larger than those of
 * another one. It assumes nothing about how the values are distributed.
 *
 * H. B. Mann, D. R. Whitney: "On a Test of Whether one of Two Random Variables is
 * Stochastically Larger than the Other", 1947. The normal approximation with the
 * correction for ties is good from eight values a sample on.
 */

static int compare(const void *left, const void *right)
{
	return number_order(*(const uint64_t *)left, *(const uint64_t *)right);
}

/* Return how many of the sorted values are equal to @value, and skip them. */
static size_t skip_equal(const uint64_t *sorted, size_t nr, size_t *at, uint64_t value)
{
	size_t begin = *at;

	while (*at < nr && sorted[*at] == value)
		(*at)++;
	return *at - begin;
}

/*
 * Compare two sorted samples. Returns probability that two samples of one distribution differ at
 * least as much.
 */
static double rank_sum_p(const uint64_t *a, size_t nr_a, const uint64_t *b, size_t nr_b)
{
	double nr = nr_a + nr_b, sum = 0, ties = 0, variance, distance;
	size_t i = 0, j = 0, equal_a, equal;
	uint64_t value;

	while (i < nr_a || j < nr_b) {
		value = j == nr_b || (i < nr_a && a[i] < b[j]) ? a[i] : b[j];
		equal = i + j;
		equal_a = skip_equal(a, nr_a, &i, value);
		skip_equal(b, nr_b, &j, value);
		/* Equal values share the mean of their ranks, which count from 1. */
		sum += equal_a * (equal + i + j + 1) / 2.0;
		equal = i + j - equal;
		ties += (double)equal * equal * equal - equal;
	}
	variance = (double)nr_a * nr_b / 12 * (nr + 1 - ties / (nr * (nr - 1)));
	if (variance <= 0)
		return 1;
	/* Half a rank corrects for the approximation by a continuous distribution. */
	distance = fabs(sum - nr_a * (nr + 1) / 2) - 0.5;
	return distance <= 0 ? 1 : erfc(distance / sqrt(2 * variance));
}

/* ---- Groups --------------------------------------------------------------- */

static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ULL;
	value = (value ^ value >> 27) * 0x94d049bb133111ebULL;
	return value ^ value >> 31;
}

static uint32_t hash_group(const struct trace_diff_group *group)
{
	return mix((uint64_t)group->process << 32 | group->thread) +
	       mix((uint64_t)group->cause << 32 | group->kind);
}

static bool has_key(const void *owner, uint32_t number, const void *key)
{
	const struct trace_diff_group *a = &diff.groups[number - 1], *b = key;

	return a->process == b->process && a->thread == b->thread &&
	       a->cause == b->cause && a->kind == b->kind;
}

/* Find or add a group; NULL if there is no room. */
static struct trace_diff_group *find_group(const struct trace_diff_group *key)
{
	uint32_t *slot;

	must_have(hash_reserve(&diff.hash, diff.nr_groups));
	slot = hash_find(&diff.hash, hash_group(key), has_key, NULL, key);
	if (!*slot && diff.nr_groups == TRACE_DIFF_GROUPS)
		return NULL;
	if (!*slot) {
		diff.groups[diff.nr_groups++] = *key;
		*slot = diff.nr_groups;
	}
	return &diff.groups[*slot - 1];
}

/* Return a random number below @limit, the same ones in each run. */
static uint64_t random_below(uint64_t limit)
{
	diff.random += 0x9e3779b97f4a7c15ULL;
	return mix(diff.random) % limit;
}

/* Add a time; each of all times has the same chance to be among the samples. */
static void add_time(struct trace_diff_side *side, uint64_t ns)
{
	uint64_t at;

	side->nr++;
	side->sum_ns += ns;
	if (side->nr_samples < TRACE_DIFF_SAMPLES) {
		must_have(GROW(side->samples, side->nr_samples));
		side->samples[side->nr_samples++] = ns;
		return;
	}
	at = random_below(side->nr);
	if (at < TRACE_DIFF_SAMPLES)
		side->samples[at] = ns;
}

static uint32_t intern(const char *text)
{
	return why_texts_add(&diff.texts, text, strlen(text));
}

/* Return the numbers of the names of a thread and of its process. */
static const struct named *names_of(const struct vitrine_fxt_thread *thread)
{
	struct vitrine_fxt_string process = { "?", 1 }, name = { "?", 1 };
	struct named *named = &reader.named[thread->thread % NR_NAMED];
	uint64_t unused;

	if (named->known && named->id.thread == thread->thread &&
	    named->id.process == thread->process)
		return named;
	vitrine_archive_process(archive, record_process(thread), &process);
	vitrine_archive_thread(archive, thread->thread, &name, &unused);
	*named = (struct named){
		.id = *thread,
		.known = true,
		.process = intern(name_label(&process)),
		.thread = intern(name_label(&name)),
	};
	return named;
}

/* Return the number that a text of the trace has in the comparison. */
static uint32_t cause_of(uint32_t text)
{
	if (!text)
		return WHY_TEXT_NONE;
	must_have(GROW_TO(reader.causes, reader.nr_causes, text));
	if (!reader.causes[text])
		reader.causes[text] = intern(why_text(&why.texts, text));
	return reader.causes[text];
}

static void add(const struct sched_thread *thread, enum trace_diff_kind kind, uint32_t cause,
		uint64_t ns)
{
	const struct named *named = names_of(&thread->id);
	const struct trace_diff_group key = {
		.process = named->process,
		.thread = named->thread,
		.cause = cause_of(cause),
		.kind = kind,
	};
	struct trace_diff_group *group = find_group(&key);

	if (group)
		add_time(&group->sides[reader.side], ns);
	else
		diff.nr_left_out++;
}

/* ---- Reading -------------------------------------------------------------- */

static void on_blocked(const struct sched_thread *thread, const struct why_blocked *blocked,
		       uint32_t user_stack)
{
	add(thread, TRACE_DIFF_BLOCKED, WHY_TEXT_NONE, blocked->ns);
	if (blocked->syscall)
		add(thread, TRACE_DIFF_SYSCALL, blocked->syscall, blocked->ns);
	if (blocked->stack)
		add(thread, TRACE_DIFF_STACK, blocked->stack, blocked->ns);
}

static void on_runnable(const struct why_wait *wait)
{
	add(wait->thread, TRACE_DIFF_RUNNABLE, WHY_TEXT_NONE, wait->ready_ns);
}

static void on_ran(const struct sched_thread *thread)
{
	add(thread, TRACE_DIFF_RAN, WHY_TEXT_NONE, thread->turn.end_ns - thread->turn.begin_ns);
}

static const struct why_ops ops = {
	.blocked = on_blocked,
	.runnable = on_runnable,
	.ran = on_ran,
};

/* Add a trace to the side of the reader. Returns NULL, or an error. */
static struct vitrine_error *read_trace(void)
{
	struct vitrine_error *err;
	struct record_filter filter;

	memset(reader.named, 0, sizeof(reader.named));
	reader.causes = NULL;
	reader.nr_causes = 0;
	record_filter_init(&filter);
	diff.nr_files[reader.side]++;
	err = why_read(&filter, &ops);
	why_deinit();
	free(reader.causes);
	return err;
}

/* ---- Comparison ----------------------------------------------------------- */

static double mean_ns(const struct trace_diff_side *side)
{
	return (double)side->sum_ns / side->nr;
}

static bool is_comparable(const struct trace_diff_group *group)
{
	return group->sides[0].nr >= TRACE_DIFF_LEAST &&
	       group->sides[1].nr >= TRACE_DIFF_LEAST;
}

/* Sort the samples and find their median. */
static void sort_samples(struct trace_diff_side *side)
{
	SORT(side->samples, side->nr_samples, compare);
	side->median_ns = side->samples[percentile_rank(side->nr_samples, 50) - 1];
}

static void compare_sides(struct trace_diff_group *group)
{
	struct trace_diff_side *old = &group->sides[0], *new = old + 1;

	sort_samples(old);
	sort_samples(new);
	group->p = rank_sum_p(old->samples, old->nr_samples, new->samples, new->nr_samples);
	group->cost_ns = (mean_ns(new) - mean_ns(old)) * new->nr / diff.nr_files[1];
}

/* Return the square of the standard error of a mean. */
static double mean_variance(const struct trace_diff_side *side)
{
	double difference, squares = 0;
	size_t i;

	for (i = 0; i < side->nr_samples; i++) {
		difference = side->samples[i] - mean_ns(side);
		squares += difference * difference;
	}
	return squares / side->nr_samples / side->nr;
}

/*
 * Check whether the means differ by enough to matter. A mean depends on a few long times,
 * so the difference must also exceed what the times of two equal runs would cause.
 */
static bool is_mean_changed(const struct trace_diff_side *old, const struct trace_diff_side *new)
{
	const double change = fabs(mean_ns(new) - mean_ns(old));

	return change >= TRACE_DIFF_MEAN * mean_ns(old) &&
	       change >= TRACE_DIFF_MEAN_ERRORS * sqrt(mean_variance(old) + mean_variance(new));
}

static bool is_large(const struct trace_diff_group *group)
{
	const struct trace_diff_side *old = &group->sides[0], *new = old + 1;
	const double median = old->median_ns;

	return fabs(new->median_ns - median) >= TRACE_DIFF_MEDIAN * median ||
	       is_mean_changed(old, new);
}

/* Order by cost or saving; of groups with the same, the more general one comes first. */
static int compare_groups(const void *left, const void *right)
{
	const struct trace_diff_group *a = left, *b = right;
	double a_ns = fabs(a->cost_ns), b_ns = fabs(b->cost_ns);

	if (a_ns != b_ns)
		return a_ns > b_ns ? -1 : 1;
	return (int)a->kind - (int)b->kind;
}

/* Find the groups that changed. */
static void find_changes(void)
{
	struct trace_diff_group group;
	size_t i;

	for (i = 0; i < diff.nr_groups; i++) {
		if (!is_comparable(&diff.groups[i]))
			continue;
		compare_sides(&diff.groups[i]);
		diff.nr_tested++;
	}
	for (i = 0; i < diff.nr_groups; i++) {
		group = diff.groups[i];
		/* Bonferroni's correction: many groups are compared. */
		if (!is_comparable(&group) || group.p * diff.nr_tested > TRACE_DIFF_LEVEL ||
		    !is_large(&group))
			continue;
		diff.groups[i] = diff.groups[diff.nr_changed];
		diff.groups[diff.nr_changed++] = group;
	}
	SORT(diff.groups, diff.nr_changed, compare_groups);
}

/* Free all samples and texts. */
static void deinit(void)
{
	size_t i;

	for (i = 0; i < diff.nr_groups; i++) {
		free(diff.groups[i].sides[0].samples);
		free(diff.groups[i].sides[1].samples);
	}
	why_texts_deinit(&diff.texts);
	free(diff.hash.slots);
}

static const char * const kind_names[TRACE_DIFF_NR_KINDS] = {
	[TRACE_DIFF_RAN]	= "ran",
	[TRACE_DIFF_RUNNABLE]	= "runnable",
	[TRACE_DIFF_BLOCKED]	= "blocked",
	[TRACE_DIFF_SYSCALL]	= "blocked in",
	[TRACE_DIFF_STACK]	= "blocked at",
};

/* ---- Text ----------------------------------------------------------------- */

/* Print the innermost frames of a stack, or the name of a system call. */
static void put_cause(const char *cause)
{
	const char *end = cause + strlen(cause), *frame;
	unsigned int nr = 0;
	size_t len;

	while (nr < MAX_FRAMES && why_frame_before(cause, &end, &frame, &len)) {
		if (!nr && end > cause && why_frame_is_scheduler(frame, len))
			continue;
		printf("%s%.*s", nr++ ? " < " : " ", (int)len, frame);
	}
	if (end > cause)
		fputs(" < ...", stdout);
}

static void put_group(const struct trace_diff_group *group)
{
	const struct trace_diff_side *old = &group->sides[0], *new = old + 1;

	printf("%c%-9s %8s -> %-8s %7" PRIu64 " -> %-7" PRIu64 " %7.1e  ",
	       group->cost_ns < 0 ? '-' : '+', duration(fabs(group->cost_ns)),
	       duration(old->median_ns), duration(new->median_ns),
	       old->nr / diff.nr_files[0], new->nr / diff.nr_files[1],
	       group->p);
	printf("%s/%s %s", why_text(&diff.texts, group->process),
	       why_text(&diff.texts, group->thread), kind_names[group->kind]);
	put_cause(why_text(&diff.texts, group->cause));
	putchar('\n');
}

/* Count the threads by name: all that ran, and those of them that ran on both sides. */
static void count_threads(size_t *ret_all, size_t *ret_common)
{
	const struct trace_diff_group *group;
	size_t i;

	*ret_all = 0;
	*ret_common = 0;
	for (i = 0; i < diff.nr_groups; i++) {
		group = &diff.groups[i];
		*ret_all += group->kind == TRACE_DIFF_RAN;
		*ret_common += group->kind == TRACE_DIFF_RAN && group->sides[0].nr &&
			       group->sides[1].nr;
	}
}

/* Say what was compared, and what would have been a difference. */
static void print_alike(void)
{
	size_t nr_threads, nr_common;

	count_threads(&nr_threads, &nr_common);
	printf("No difference: %zu groups of times were compared; ", diff.nr_tested);
	printf("%zu of %zu threads, by name, ran on both sides.\n", nr_common, nr_threads);
	printf("A difference is a change of a median by %g %%, or of a mean by %g %%, ",
	       100 * TRACE_DIFF_MEDIAN, 100 * TRACE_DIFF_MEAN);
	printf("that is significant (p <= %g for all groups together).\n", TRACE_DIFF_LEVEL);
}

static void print_text(void)
{
	size_t i;

	if (!diff.nr_changed)
		print_alike();
	else
		puts("COST             MEDIAN                TIMES             P  PROCESS/THREAD");
	for (i = 0; i < diff.nr_changed; i++)
		put_group(&diff.groups[i]);
	if (diff.nr_left_out)
		printf("%" PRIu64 " times were not compared: they belong to more than %d groups\n",
		       diff.nr_left_out, TRACE_DIFF_GROUPS);
}

/* ---- JSON ----------------------------------------------------------------- */

static void write_text(const void *number)
{
	json_string(why_text(&diff.texts, *(const uint32_t *)number));
}

static void write_rounded(const void *number)
{
	json_int(llround(*(const double *)number));
}

#define ROW struct trace_diff_side
static const struct field side_fields[] = {
	FIELD_AS("count", nr), FIELD(sum_ns), FIELD(median_ns), { 0 }
};

#undef ROW
#define ROW struct trace_diff_group
static const struct field group_fields[] = {
	FIELD_BY("process", process, write_text),
	FIELD_BY("thread", thread, write_text),
	FIELD_WORD("what", kind, kind_names),
	FIELD_BY("cause", cause, write_text, FIELD_IF(cause)),
	FIELD_BY("cost_ns", cost_ns, write_rounded),
	FIELD(p),
	FIELD_STRUCT("before", sides[0], side_fields),
	FIELD_STRUCT("after", sides[1], side_fields),
	{ 0 }
};

#undef ROW
#define ROW struct trace_diff
static const struct field diff_fields[] = {
	FIELD_AS("compared", nr_tested),
	FIELD_AS("left_out", nr_left_out),
	FIELD_LIST("changed", groups, nr_changed, group_fields),
	{ 0 }
};

/* ---- The command ---------------------------------------------------------- */

static int read_all(void)
{
	int status = EXIT_DONE;
	size_t i;

	for (i = 0; i < args.nr_paths; i++) {
		reader.side = i >= args.nr_old;
		status = worse(status, trace_input_run(args.paths[i], NULL, read_trace));
	}
	return status;
}

/* Report that no group has enough times on both sides. */
static void report_incomparable(void)
{
	size_t nr_threads, nr_common;

	count_threads(&nr_threads, &nr_common);
	report_error(nothing_selected(NULL, NULL,
				      "record for longer, or compare recordings of one workload",
				      "the traces cannot be compared: %zu of %zu threads, by name, ran on both sides, and none of them ran or waited at least %d times on each",
				      nr_common, nr_threads, TRACE_DIFF_LEAST));
}

/*
 * Compare traces and print what changed. Returns 0, EXIT_DIFFERENT, or EXIT_ENVIRONMENT, also
 * for bad input and if nothing can be compared.
 */
static int trace_diff_run(void)
{
	int status = EXIT_ENVIRONMENT;

	diff = (struct trace_diff){ 0 };
	if (!read_all()) {
		find_changes();
		if (args.json)
			fields_print(diff_fields, &diff);
		else if (diff.nr_tested)
			print_text();
		if (diff.nr_tested)
			status = diff.nr_changed ? EXIT_DIFFERENT : EXIT_DONE;
		else
			report_incomparable();
	}
	deinit();
	return status;
}

/* ---- Options ----------------------------------------------------------- */

static const struct command_option options[] = {
	{ "with", 'w', NULL, .help = "Separate the old traces from the new ones" },
	{ "json", 'j', NULL, "Print the differences as JSON", .flag = &args.json },
	{ 0 }
};

static void check_args(struct argp_state *state)
{
	if (args.nr_old) {
		if (args.nr_old == args.nr_paths)
			argp_error(state, "expected traces on both sides of --with");
		return;
	}
	if (args.nr_paths != 2)
		argp_error(state, "expected two trees or traces, A and B");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'w':
		if (args.nr_old || !args.nr_paths)
			argp_error(state, "expected traces on both sides of --with");
		args.nr_old = args.nr_paths;
		return 0;
	case ARGP_KEY_ARG:
		args.paths[args.nr_paths++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct command_line line = {
	.options = options,
	.parse = parse_option,
	.check = check_args,
	.flags = ARGP_IN_ORDER,
	.args_doc = "A B\nOLD... --with NEW...",
	.doc = "Compare two Inspect trees, or traces.\n"
	       "\013A and B are two trees (files, tree names, or selectors as in `vitrine show')\n"
	       "or two traces in FXT format. For traces, the times for which each thread ran\n"
	       "and waited are compared. The exit status is 0 if A and B are equal, 1 if they\n"
	       "differ, and 2 or 3 on errors.\n"
	       "\n"
	       "Examples:\n"
	       "  vitrine diff before.inspect mydriver\n"
	       "  vitrine diff system:cpus/0 system:cpus/1\n"
	       "  vitrine diff good.fxt bad.fxt",
};

/* Detect a trace, perhaps compressed, by its content. A pipe could not be read again. */
static bool is_trace(const char *path)
{
	enum vitrine_format format;
	struct vitrine_error *err;
	struct input input = { 0 };
	struct stat status;
	bool found;

	if (stat(path, &status) || !S_ISREG(status.st_mode))
		return false;
	err = input_open(&input, path);
	if (!err)
		err = vitrine_format_of_file(input.path, &format);
	found = !err && format == VITRINE_FORMAT_FXT;
	vitrine_error_destroy(err);
	input_close(&input);
	return found;
}

int cmd_diff(int argc, char **argv)
{
	int status;

	args = (struct trace_diff_args){ 0 };
	args.paths = calloc(argc + 1, sizeof(*args.paths));
	must_have(args.paths);
	options_parse(&line, argc, argv);
	if (!args.nr_old && is_trace(args.paths[0]))
		args.nr_old = 1;
	status = args.nr_old ? trace_diff_run() : diff_run(args.json, args.paths);
	free(args.paths);
	return status;
}
