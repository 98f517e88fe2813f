// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The records of one provider, in time order.
 *
 * Nearly all providers write in time order, and then reading is decoding. Of one
 * that does not, the records that come too late are taken out beforehand: see
 * archive_late.c.
 */
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

	if (record->timed) {
		lane->key = source->in_ns ?
			vitrine_fxt_ns(record->ticks, record->ticks_per_second) :
			record->ticks;
		lane->late = lane->key < lane->top;
		if (!lane->late)
			lane->top = lane->key;
	} else if (record->kind == VITRINE_FXT_BLOB &&
		   fxt_packet_read(source->decoder, record, &packet)) {
		fxt_provider_begin_subbuf(lane->provider, packet.cpu);
	}
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

static void restart(struct archive_lane *lane)
{
	fxt_provider_restart(lane->provider);
	lane->extent = 0;
	lane->at = lane->nr_extents ? lane->extents[0].begin : 0;
	lane->released = lane->at;
	lane->key = 0;
	lane->top = 0;
	lane->late = false;
}

/* Take out what comes too late. */
static enum fxt_result take_late(struct archive_lane *lane,
				 struct archive_source *source)
{
	enum fxt_result result;

	while ((result = decode_next(lane, source)) == FXT_OK) {
		if (!lane->late)
			continue;
		source->decoder->stop = archive_late_add(&source->late, lane);
		if (source->decoder->stop)
			return FXT_STOP;
	}
	restart(lane);
	return result == FXT_STOP ? FXT_STOP : FXT_OK;
}

/**
 * archive_lane_rewind() - go before the first record, once all is looked at
 * @lane: lane
 * @source: what it reads
 *
 * Return: FXT_OK or FXT_STOP.
 */
enum fxt_result archive_lane_rewind(struct archive_lane *lane,
				    struct archive_source *source)
{
	restart(lane);
	return lane->unsorted ? take_late(lane, source) : FXT_OK;
}

/**
 * archive_lane_next() - read the next record into lane->record
 * @lane: lane
 * @source: what it reads
 *
 * Return: FXT_OK, FXT_END or FXT_STOP.
 */
enum fxt_result archive_lane_next(struct archive_lane *lane,
				  struct archive_source *source)
{
	enum fxt_result result;

	if (lane->run)
		return archive_late_next(&source->late, lane, source);
	do
		result = decode_next(lane, source);
	while (result == FXT_OK && lane->late);
	return result;
}

/**
 * archive_lane_deinit() - free what a lane holds
 * @lane: lane
 */
void archive_lane_deinit(struct archive_lane *lane)
{
	free(lane->extents);
}
