// SPDX-License-Identifier: GPL-2.0
/*
 * Collect the causes of waits in a hash table while the trace is read, and sort them for
 * the report.
 */
#include <stdlib.h>

#include "grow.h"
#include "why_causes.h"

/* Five megabytes. */
#define MAX_CAUSES	(1U << 17)

static bool has_key(const void *owner, uint32_t number, const void *key)
{
	const struct why_causes *causes = owner;
	const struct why_cause *a = &causes->causes[number - 1], *b = key;

	return a->thread == b->thread && a->number == b->number &&
	       a->kind == b->kind;
}

static uint32_t hash_cause(const struct why_cause *cause)
{
	uint64_t key = cause->thread * 0x9e3779b97f4a7c15ULL;

	key = (key ^ key >> 29 ^ cause->number) * 0xbf58476d1ce4e5b9ULL;
	return (key >> 32) + cause->kind;
}

static uint32_t hash_number(const void *owner, uint32_t number)
{
	const struct why_causes *causes = owner;

	return hash_cause(&causes->causes[number - 1]);
}

/**
 * why_causes_add() - add the time and number of waits of a cause
 * @causes: all causes
 * @cause: the cause, with the time and number to be added
 *
 * Return: false if there is no memory.
 */
bool why_causes_add(struct why_causes *causes, const struct why_cause *cause)
{
	struct why_cause *found;
	uint32_t *slot;

	if (causes->nr < MAX_CAUSES &&
	    !hash_reserve(&causes->hash, causes->nr, hash_number, causes))
		return false;
	slot = hash_find(&causes->hash, hash_cause(cause), has_key, causes,
			 cause);
	if (*slot) {
		found = &causes->causes[*slot - 1];
		found->sum_ns += cause->sum_ns;
		found->nr += cause->nr;
		if (cause->priority)
			found->priority = cause->priority;
	} else if (causes->nr < MAX_CAUSES) {
		if (!GROW(causes->causes, causes->nr))
			return false;
		causes->causes[causes->nr++] = *cause;
		*slot = causes->nr;
	} else {
		causes->nr_left_out++;
	}
	return true;
}

static int compare_keys(const struct why_cause *a, const struct why_cause *b)
{
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

/* Order by thread, by kind, and from the largest sum to the smallest. */
static int compare(const void *left, const void *right)
{
	const struct why_cause *a = left, *b = right;
	int order = compare_keys(a, b);

	if (order)
		return order;
	if (a->sum_ns != b->sum_ns)
		return a->sum_ns > b->sum_ns ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/**
 * why_causes_sort() - sort the causes
 * @causes: all causes, to which none are added afterwards
 */
void why_causes_sort(struct why_causes *causes)
{
	if (causes->nr)
		qsort(causes->causes, causes->nr, sizeof(*causes->causes),
		      compare);
}

/**
 * why_causes_of() - find the causes of a thread
 * @causes: all causes, sorted
 * @thread: koid of the thread
 * @kind: kind of the causes
 * @ret: first of these causes, which has the largest sum
 *
 * Return: number of causes.
 */
size_t why_causes_of(const struct why_causes *causes, uint64_t thread,
		     enum why_cause_kind kind, const struct why_cause **ret)
{
	const struct why_cause wanted = { .thread = thread, .kind = kind };
	size_t low = 0, high = causes->nr, nr = 0, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (compare_keys(&causes->causes[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + nr < causes->nr &&
	       !compare_keys(&causes->causes[low + nr], &wanted))
		nr++;
	*ret = nr ? &causes->causes[low] : NULL;
	return nr;
}

/**
 * why_causes_deinit() - free all causes
 * @causes: all causes
 */
void why_causes_deinit(struct why_causes *causes)
{
	free(causes->causes);
	free(causes->hash.slots);
}
