// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Split complete durations into a begin and an end.
 *
 * An archive returns a complete duration at the time of its begin. The end is a copy of the
 * record, kept in a heap by time; its strings remain valid as long as the archive.
 */
#include <stddef.h>
#include <stdlib.h>

#include "error.h"
#include "fxt_record.h"
#include "grow.h"
#include "heap.h"
#include "pairs.h"

/* An end that is kept for later; allocated without the unused arguments of the record. */
struct pairs_end {
	uint64_t ns;
	struct vitrine_fxt_record record;
};

static uint64_t ns_of(const struct vitrine_fxt_record *record)
{
	return vitrine_fxt_ns(record->ticks, record->ticks_per_second);
}

/* Order by time; at the same time, by position in the file. */
static bool end_before(const void *left, const void *right)
{
	const struct pairs_end *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns;
	return a->record.offset < b->record.offset;
}

/* ---- Splitting a record ---- */

/* Whether an argument is a result of the duration, which its begin cannot have. */
static bool is_result(const struct vitrine_fxt_arg *arg)
{
	return fxt_string_is(&arg->name, "ret") ||
	       fxt_string_is(&arg->name, "handled");
}

static size_t record_bytes(const struct vitrine_fxt_record *record)
{
	return offsetof(struct vitrine_fxt_record, args) +
	       record->nr_args * sizeof(record->args[0]);
}

static void make_begin(struct vitrine_fxt_record *begin,
		       const struct vitrine_fxt_record *whole)
{
	unsigned int i;

	memcpy(begin, whole, offsetof(struct vitrine_fxt_record, args));
	begin->event.type = FXT_EVENT_DURATION_BEGIN;
	begin->nr_args = 0;
	for (i = 0; i < whole->nr_args; i++)
		if (!is_result(&whole->args[i]))
			begin->args[begin->nr_args++] = whole->args[i];
}

static struct pairs_end *create_end(const struct vitrine_fxt_record *whole)
{
	struct pairs_end *end;

	end = malloc(offsetof(struct pairs_end, record) + record_bytes(whole));
	if (!end)
		return NULL;
	memcpy(&end->record, whole, record_bytes(whole));
	end->record.event.type = FXT_EVENT_DURATION_END;
	/* In a malformed file the end may precede the begin. */
	if (whole->event.id > whole->ticks)
		end->record.ticks = whole->event.id;
	end->ns = ns_of(&end->record);
	return end;
}

/* Replace the next record by its begin, and keep its end. Return false without memory. */
static bool part(struct pairs *pairs)
{
	struct pairs_end *end;

	if (!GROW(pairs->ends, pairs->nr_ends))
		return false;
	end = create_end(pairs->next);
	if (!end)
		return false;
	make_begin(&pairs->begin, pairs->next);
	pairs->ends[pairs->nr_ends] = end;
	heap_rise(pairs->ends, pairs->nr_ends++, end_before);
	return true;
}

/* ---- Reading ---- */

/*
 * Whether an end precedes the next record. At the same time, it does unless the next record
 * is from the same provider and comes first in the file.
 */
static bool end_is_due(const struct pairs *pairs)
{
	const struct vitrine_fxt_record *next = pairs->next;
	const struct pairs_end *end;
	uint64_t ns;

	if (!pairs->nr_ends)
		return false;
	if (!next)
		return true;
	if (!next->timed)
		return false;
	end = pairs->ends[0];
	ns = ns_of(next);
	if (end->ns != ns)
		return end->ns < ns;
	return next->provider != end->record.provider ||
	       next->offset > end->record.offset;
}

static const struct vitrine_fxt_record *take_end(struct pairs *pairs)
{
	pairs->last = pairs->ends[0];
	pairs->ends[0] = pairs->ends[--pairs->nr_ends];
	if (pairs->nr_ends)
		heap_sink(pairs->ends, pairs->nr_ends, 0, end_before);
	return &pairs->last->record;
}

/**
 * pairs_next() - read the next record in time order
 * @pairs: pairs; initialised to zero except for @wanted
 * @archive: archive to read from, which has no other reader
 * @ret: the record, valid until the next call; NULL at the end
 *
 * Return: NULL, or an error as vitrine_archive_next() does.
 */
struct vitrine_error *pairs_next(struct pairs *pairs,
				 struct vitrine_archive *archive,
				 const struct vitrine_fxt_record **ret)
{
	struct vitrine_error *err;

	free(pairs->last);
	pairs->last = NULL;
	if (!pairs->next) {
		err = vitrine_archive_next(archive, &pairs->next);
		if (err)
			return err;
	}
	if (end_is_due(pairs)) {
		*ret = take_end(pairs);
		return NULL;
	}
	*ret = pairs->next;
	if (pairs->next && pairs->wanted && pairs->wanted(pairs->next) &&
	    pairs->nr_ends < PAIRS_MAX_WAITING) {
		if (!part(pairs))
			return vtr_error_no_memory();
		*ret = &pairs->begin;
	}
	pairs->next = NULL;
	return NULL;
}

/**
 * pairs_deinit() - free the ends that are kept
 * @pairs: pairs
 */
void pairs_deinit(struct pairs *pairs)
{
	unsigned int i;

	for (i = 0; i < pairs->nr_ends; i++)
		free(pairs->ends[i]);
	free(pairs->ends);
	free(pairs->last);
}
