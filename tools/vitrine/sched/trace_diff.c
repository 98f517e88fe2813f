// SPDX-License-Identifier: GPL-2.0
/*
 * Group the waits and turns of traces, and compare the groups. trace_diff.h describes how.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "grow.h"
#include "rank_sum.h"
#include "record_filter.h"
#include "trace_diff.h"
#include "ui/label.h"
#include "why.h"

#define NR_SLOTS	(2 * TRACE_DIFF_GROUPS)

/* A trace that is being read; follows @why by its callbacks. */
struct reader {
	struct trace_diff *diff;
	unsigned int side;
	const struct vitrine_archive *archive;
	struct why why;
};

/* ---- Groups --------------------------------------------------------------- */

static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ULL;
	value = (value ^ value >> 27) * 0x94d049bb133111ebULL;
	return value ^ value >> 31;
}

static bool is_same(const struct trace_diff_group *a,
		    const struct trace_diff_group *b)
{
	return a->process == b->process && a->thread == b->thread &&
	       a->cause == b->cause && a->kind == b->kind;
}

/* Find or add a group; NULL if there is no room. */
static struct trace_diff_group *find_group(struct trace_diff *diff,
					   const struct trace_diff_group *key)
{
	uint64_t hash = mix((uint64_t)key->process << 32 | key->thread) +
			key->cause;
	uint32_t slot = mix(hash * TRACE_DIFF_NR_KINDS + key->kind) % NR_SLOTS;

	while (diff->slots[slot] &&
	       !is_same(&diff->groups[diff->slots[slot] - 1], key))
		slot = (slot + 1) % NR_SLOTS;
	if (diff->slots[slot])
		return &diff->groups[diff->slots[slot] - 1];
	if (diff->nr_groups == TRACE_DIFF_GROUPS)
		return NULL;
	diff->groups[diff->nr_groups++] = *key;
	diff->slots[slot] = diff->nr_groups;
	return &diff->groups[diff->nr_groups - 1];
}

/* Return a random number below @limit, the same ones in each run. */
static uint64_t random_below(struct trace_diff *diff, uint64_t limit)
{
	diff->random += 0x9e3779b97f4a7c15ULL;
	return mix(diff->random) % limit;
}

/* Add a time; each of all times has the same chance to be among the samples. */
static bool add_time(struct trace_diff *diff, struct trace_diff_side *side,
		     uint64_t ns)
{
	uint64_t at;

	side->nr++;
	side->sum_ns += ns;
	if (side->nr_samples < TRACE_DIFF_SAMPLES) {
		if (!GROW(side->samples, side->nr_samples))
			return false;
		side->samples[side->nr_samples++] = ns;
		return true;
	}
	at = random_below(diff, side->nr);
	if (at < TRACE_DIFF_SAMPLES)
		side->samples[at] = ns;
	return true;
}

static bool add(struct reader *reader, const struct sched_thread *thread,
		enum trace_diff_kind kind, const char *cause, uint64_t ns)
{
	uint64_t process = record_process(reader->archive, &thread->id), unused;
	struct trace_diff *diff = reader->diff;
	struct trace_diff_group key = { .kind = kind }, *group;
	struct vitrine_fxt_string name = { "?", 1 };
	char label[LABEL_BYTES];

	vitrine_archive_process(reader->archive, process, &name);
	label_name(label, &name);
	if (!why_texts_add(&diff->texts, label, strlen(label), &key.process))
		return false;
	name = (struct vitrine_fxt_string){ "?", 1 };
	vitrine_archive_thread(reader->archive, thread->id.thread, &name,
			       &unused);
	label_name(label, &name);
	if (!why_texts_add(&diff->texts, label, strlen(label), &key.thread) ||
	    !why_texts_add(&diff->texts, cause, strlen(cause), &key.cause))
		return false;
	group = find_group(diff, &key);
	if (!group) {
		diff->nr_left_out++;
		return true;
	}
	return add_time(diff, &group->sides[reader->side], ns);
}

/* ---- Reading -------------------------------------------------------------- */

static bool on_blocked(void *ctx, const struct sched_thread *thread,
		       const struct why_blocked *blocked, uint32_t user_stack)
{
	struct reader *reader = ctx;
	const struct why_texts *texts = &reader->why.texts;

	if (!add(reader, thread, TRACE_DIFF_BLOCKED, "", blocked->ns))
		return false;
	if (blocked->syscall &&
	    !add(reader, thread, TRACE_DIFF_SYSCALL,
		 why_text(texts, blocked->syscall), blocked->ns))
		return false;
	return !blocked->stack ||
	       add(reader, thread, TRACE_DIFF_STACK,
		   why_text(texts, blocked->stack), blocked->ns);
}

static bool on_runnable(void *ctx, const struct sched_thread *thread,
			const struct why_wait *wait)
{
	return add(ctx, thread, TRACE_DIFF_RUNNABLE, "", wait->ready_ns);
}

static bool on_ran(void *ctx, const struct sched_thread *thread)
{
	return add(ctx, thread, TRACE_DIFF_RAN, "",
		   thread->turn.end_ns - thread->turn.begin_ns);
}

static const struct why_ops ops = {
	.blocked = on_blocked,
	.runnable = on_runnable,
	.ran = on_ran,
};

/**
 * trace_diff_read() - add a trace to one side of a comparison
 * @diff: the comparison
 * @side: 0: before, 1: after
 * @archive: the trace
 *
 * Return: NULL, or an error.
 */
struct vitrine_error *trace_diff_read(struct trace_diff *diff,
				      unsigned int side,
				      struct vitrine_archive *archive)
{
	struct reader reader = {
		.diff = diff,
		.side = side,
		.archive = archive,
		.why = { .ops = &ops, .ctx = &reader },
	};
	struct vitrine_error *err = NULL;
	struct record_filter filter;

	record_filter_init(&filter);
	diff->nr_files[side]++;
	if (!why_init(&reader.why, archive, &filter, 0))
		err = vtr_error_no_memory();
	if (!err)
		err = why_read(&reader.why, archive);
	why_deinit(&reader.why);
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

static void compare_sides(const struct trace_diff *diff,
			  struct trace_diff_group *group)
{
	struct trace_diff_side *old = &group->sides[0], *new = old + 1;

	group->p = rank_sum_p(old->samples, old->nr_samples, new->samples,
			      new->nr_samples);
	old->median_ns = rank_sum_median(old->samples, old->nr_samples);
	new->median_ns = rank_sum_median(new->samples, new->nr_samples);
	group->cost_ns = (mean_ns(new) - mean_ns(old)) * new->nr /
			 diff->nr_files[1];
}

static bool is_significant(const struct trace_diff *diff, const struct trace_diff_group *group)
{
	/* Bonferroni's correction: many groups are compared. */
	return group->p * diff->nr_tested <= TRACE_DIFF_LEVEL;
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
static bool is_mean_changed(const struct trace_diff_side *old,
			    const struct trace_diff_side *new)
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

/**
 * trace_diff_finish() - find the groups that changed
 * @diff: the comparison, after the last trace_diff_read()
 */
void trace_diff_finish(struct trace_diff *diff)
{
	struct trace_diff_group group;
	size_t i;

	for (i = 0; i < diff->nr_groups; i++) {
		if (!is_comparable(&diff->groups[i]))
			continue;
		compare_sides(diff, &diff->groups[i]);
		diff->nr_tested++;
	}
	for (i = 0; i < diff->nr_groups; i++) {
		group = diff->groups[i];
		if (!is_comparable(&group) || !is_significant(diff, &group) ||
		    !is_large(&group))
			continue;
		diff->groups[i] = diff->groups[diff->nr_changed];
		diff->groups[diff->nr_changed++] = group;
	}
	qsort(diff->groups, diff->nr_changed, sizeof(*diff->groups),
	      compare_groups);
}

/**
 * trace_diff_deinit() - free all samples and texts
 * @diff: the comparison
 */
void trace_diff_deinit(struct trace_diff *diff)
{
	size_t i;

	for (i = 0; i < diff->nr_groups; i++) {
		free(diff->groups[i].sides[0].samples);
		free(diff->groups[i].sides[1].samples);
	}
	why_texts_deinit(&diff->texts);
}
