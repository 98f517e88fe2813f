// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The records of one provider, in time order.
 *
 * Nearly all providers write in time order, and then reading is decoding. The
 * records of one that does not are decoded once more in the order of the file,
 * for that is what their references count on, kept in memory and sorted.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "archive.h"

/**
 * archive_lane_add() - a record belongs to this lane
 * @lane: lane
 * @begin: its first byte
 * @end: byte behind its last
 *
 * Return: false if there is no memory.
 */
bool archive_lane_add(struct archive_lane *lane, uint64_t begin, uint64_t end)
{
	size_t nr = lane->nr_extents;
	struct archive_extent *bigger;

	if (nr && lane->extents[nr - 1].end == begin) {
		lane->extents[nr - 1].end = end;
		return true;
	}
	/* Room for 1, 2, 4, 8, ... */
	if (!(nr & (nr - 1))) {
		bigger = reallocarray(lane->extents, nr ? 2 * nr : 1,
				      sizeof(*bigger));
		if (!bigger)
			return false;
		lane->extents = bigger;
	}
	lane->extents[nr].begin = begin;
	lane->extents[nr].end = end;
	lane->nr_extents++;
	return true;
}

/**
 * archive_lane_look() - see whether a lane is in time order
 * @lane: lane
 * @record: its next record with a timestamp
 */
void archive_lane_look(struct archive_lane *lane,
		       const struct vitrine_fxt_record *record)
{
	uint64_t rate = record->ticks_per_second;

	if (rate == lane->last_rate) {
		if (record->ticks < lane->last_ticks)
			lane->unsorted = true;
	} else if (lane->last_rate &&
		   vitrine_fxt_ns(record->ticks, rate) <
		   vitrine_fxt_ns(lane->last_ticks, lane->last_rate)) {
		lane->unsorted = true;
	}
	lane->last_ticks = record->ticks;
	lane->last_rate = rate;
}

static void release_passed(struct archive_lane *lane,
			   const struct archive_source *source, uint64_t least)
{
	if (lane->at - lane->released < least)
		return;
	fxt_file_release(&source->file, lane->released, lane->at);
	lane->released = lane->at;
}

/* True if there is a record at lane->at, which may be in the next extent. */
static bool find_record(struct archive_lane *lane,
			const struct archive_source *source)
{
	if (lane->extent == lane->nr_extents)
		return false;
	if (lane->at < lane->extents[lane->extent].end) {
		release_passed(lane, source, FXT_RELEASE_BYTES);
		return true;
	}
	release_passed(lane, source, 1);
	if (++lane->extent == lane->nr_extents)
		return false;
	lane->at = lane->extents[lane->extent].begin;
	lane->released = lane->at;
	return true;
}

static void follow(struct archive_lane *lane,
		   const struct archive_source *source)
{
	struct vitrine_fxt_record *record = &lane->record;
	struct vitrine_packet packet;

	if (record->timed)
		lane->key = source->in_ns ?
			vitrine_fxt_ns(record->ticks, record->ticks_per_second) :
			record->ticks;
	else if (record->kind == VITRINE_FXT_BLOB &&
		 fxt_packet_read(source->decoder, record, &packet))
		lane->provider->cpu = packet.cpu;
}

/* The next good record in the order of the file. */
static enum fxt_result decode_next(struct archive_lane *lane,
				   const struct archive_source *source)
{
	enum fxt_result result;

	while (find_record(lane, source)) {
		result = fxt_decode(source->decoder, lane->provider, lane->at,
				    &lane->record);
		if (result == FXT_STOP)
			return FXT_STOP;
		if (result == FXT_BAD_FRAME) {
			/* It was good before: somebody writes the file. */
			lane->at = lane->extents[lane->extent].end;
			continue;
		}
		lane->at += lane->record.nr_words * (uint64_t)FXT_WORD_BYTES;
		if (result == FXT_BAD_RECORD)
			continue;
		follow(lane, source);
		return FXT_OK;
	}
	return FXT_END;
}

static size_t record_bytes(const struct vitrine_fxt_record *record)
{
	return offsetof(struct vitrine_fxt_record, args) +
	       record->nr_args * sizeof(record->args[0]);
}

static bool store(struct archive_lane *lane)
{
	size_t nr = lane->nr_stored, len_bytes = record_bytes(&lane->record);
	struct archive_stored *bigger;
	void *copy;

	if (!(nr & (nr - 1))) {
		bigger = reallocarray(lane->stored, nr ? 2 * nr : 1,
				      sizeof(*bigger));
		if (!bigger)
			return false;
		lane->stored = bigger;
	}
	copy = malloc(len_bytes);
	if (!copy)
		return false;
	memcpy(copy, &lane->record, len_bytes);
	lane->stored[nr].key = lane->key;
	lane->stored[nr].record = copy;
	lane->nr_stored++;
	return true;
}

static int compare_stored(const void *left, const void *right)
{
	const struct archive_stored *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->record->offset < b->record->offset ? -1 : 1;
}

static enum fxt_result sort(struct archive_lane *lane,
			    const struct archive_source *source)
{
	enum fxt_result result;

	while ((result = decode_next(lane, source)) == FXT_OK) {
		if (!store(lane)) {
			source->decoder->stop = ENOMEM;
			return FXT_STOP;
		}
	}
	if (result == FXT_STOP)
		return FXT_STOP;
	qsort(lane->stored, lane->nr_stored, sizeof(*lane->stored),
	      compare_stored);
	lane->extent = 0;
	return FXT_OK;
}

/**
 * archive_lane_rewind() - go before the first record, once all is looked at
 * @lane: lane
 * @source: what it reads
 *
 * Return: FXT_OK or FXT_STOP.
 */
enum fxt_result archive_lane_rewind(struct archive_lane *lane,
				    const struct archive_source *source)
{
	fxt_provider_restart(lane->provider);
	lane->extent = 0;
	lane->at = lane->nr_extents ? lane->extents[0].begin : 0;
	lane->released = lane->at;
	lane->key = 0;
	return lane->unsorted ? sort(lane, source) : FXT_OK;
}

/**
 * archive_lane_next() - read the next record into lane->record
 * @lane: lane
 * @source: what it reads
 *
 * Return: FXT_OK, FXT_END or FXT_STOP.
 */
enum fxt_result archive_lane_next(struct archive_lane *lane,
				  const struct archive_source *source)
{
	const struct archive_stored *stored;

	if (!lane->unsorted)
		return decode_next(lane, source);
	if (lane->extent == lane->nr_stored)
		return FXT_END;
	stored = &lane->stored[lane->extent++];
	lane->key = stored->key;
	memcpy(&lane->record, stored->record, record_bytes(stored->record));
	return FXT_OK;
}

/**
 * archive_lane_deinit() - free what a lane holds
 * @lane: lane
 */
void archive_lane_deinit(struct archive_lane *lane)
{
	size_t i;

	for (i = 0; i < lane->nr_stored; i++)
		free(lane->stored[i].record);
	free(lane->stored);
	free(lane->extents);
}
