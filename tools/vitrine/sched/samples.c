// SPDX-License-Identifier: GPL-2.0
/*
 * Collect the samples of running threads. why.h describes them.
 */
#include <stdlib.h>

#include <vitrine/fxt.h>

#include "base.h"
#include "command.h"
#include "fxt_record.h"
#include "why.h"

/*
 * So many samples are kept: those of 44 minutes of four busy CPUs, in 40 MiB. Of more, every second
 * one is left out, or three of four, and so on.
 */
#define MAX_SAMPLES	(1U << 20)

struct samples samples;

/* Leave out every second sample. User stacks that are still to follow go with them. */
static void thin_out(void)
{
	uint32_t i;

	samples.nr /= 2;
	for (i = 0; i < samples.nr; i++)
		samples.samples[i] = samples.samples[2 * i];
	for (i = 0; i < samples.lasts.nr; i++)
		samples.lasts.entries[i].owner = NULL;
	samples.skip = 2 * samples.skip + 1;
}

static void follow_running(const struct vitrine_fxt_record *record, uint64_t ns, uint64_t thread)
{
	struct fxt_name *last = fxt_names_get(&samples.lasts, thread);
	struct sample *sample;

	must_have(last);
	if (samples.nr_seen++ & samples.skip)
		return;
	if (samples.nr == MAX_SAMPLES)
		thin_out();
	must_have(GROW(samples.samples, samples.nr));
	sample = &samples.samples[samples.nr++];
	*sample = (struct sample){ .thread = thread, .ns = ns };
	sample->kernel = why_texts_add_stack(&samples.texts, record, WHY_KERNEL_STACK);
	/* In user space, the thread would have recorded the stack of its samples before. */
	if (sample->kernel)
		sample->before = (uintptr_t)last->owner;
	last->owner = (void *)(uintptr_t)samples.nr;
}

static void follow_user_stack(const struct vitrine_fxt_record *record, uint64_t thread)
{
	struct fxt_name *last = fxt_names_find(&samples.lasts, thread);
	uint32_t user, number;

	if (!last || !last->owner)
		return;
	user = why_texts_add_stack(&samples.texts, record, WHY_USER_STACK);
	for (number = (uintptr_t)last->owner; number;
	     number = samples.samples[number - 1].before)
		samples.samples[number - 1].user = user;
	last->owner = NULL;
}

/**
 * samples_follow() - process a record of the time range that is of interest
 * @record: a record of any kind, in order of time
 * @ns: its time
 * @thread: number of its thread, one of the caller's
 */
void samples_follow(const struct vitrine_fxt_record *record, uint64_t ns, uint64_t thread)
{
	if (record->kind != VITRINE_FXT_EVENT || record->event.type != FXT_EVENT_INSTANT ||
	    !fxt_string_is(&record->event.category, "stacks"))
		return;
	if (fxt_string_is(&record->event.name, "running"))
		follow_running(record, ns, thread);
	else if (fxt_string_is(&record->event.name, "user stack"))
		follow_user_stack(record, thread);
}

static int compare(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	return number_order(a->thread, b->thread) ?: number_order(a->ns, b->ns);
}

/**
 * samples_finish() - sort the samples by thread and time
 */
void samples_finish(void)
{
	SORT(samples.samples, samples.nr, compare);
}

/* Return how many samples are before those of a thread from a time on. */
static size_t lower_bound(uint64_t thread, uint64_t ns)
{
	const struct sample key = { .thread = thread, .ns = ns };
	size_t low = 0, high = samples.nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (compare(&samples.samples[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * samples_of() - return the samples of a thread within a time
 * @thread: number of the thread
 * @begin_ns: begin of the time
 * @end_ns: its end, which is not part of it
 * @ret: the first one
 *
 * Return: their number.
 */
size_t samples_of(uint64_t thread, uint64_t begin_ns, uint64_t end_ns, struct sample **ret)
{
	size_t first = lower_bound(thread, begin_ns);

	*ret = samples.nr ? samples.samples + first : NULL;
	return lower_bound(thread, end_ns) - first;
}

/**
 * samples_deinit() - free all data
 */
void samples_deinit(void)
{
	why_texts_deinit(&samples.texts);
	free(samples.samples);
	fxt_names_deinit(&samples.lasts);
	samples = (struct samples){ 0 };
}
