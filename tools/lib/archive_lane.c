// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read the records of one provider in time order.
 *
 * Nearly all providers write in time order; then reading is decoding. If a provider does
 * not, a pass over its records moves those that are out of order to struct archive_sort.
 */
#include <stddef.h>
#include <stdlib.h>

#include "archive_lane.h"
#include "grow.h"

/* Offset in a sub-buffer of the record that holds the packet header. */
#define PACKET_RECORD_OFFSET	(VITRINE_PACKET_OFFSET - 2 * FXT_WORD_BYTES)

/**
 * archive_lane_add() - add a record to a lane
 * @lane: lane
 * @begin: first byte of the record
 * @end: byte behind its last
 *
 * Return: false if there is no memory.
 */
bool archive_lane_add(struct archive_lane *lane, uint64_t begin, uint64_t end)
{
	size_t nr = lane->nr_extents;

	if (nr && lane->extents[nr - 1].end == begin) {
		lane->extents[nr - 1].end = end;
		return true;
	}
	if (!GROW(lane->extents, nr))
		return false;
	lane->extents[nr].begin = begin;
	lane->extents[nr].end = end;
	lane->nr_extents++;
	return true;
}

/* Set @last to a new time. Return true if time goes backwards. */
static bool follow_time(struct archive_time *last, uint64_t ticks, uint64_t rate)
{
	bool back = ticks < last->ticks;

	if (rate != last->rate)
		back = last->rate && vitrine_fxt_ns(ticks, rate) <
				     vitrine_fxt_ns(last->ticks, last->rate);
	*last = (struct archive_time){ ticks, rate };
	return back;
}

/**
 * archive_lane_look() - check the time order of a lane during the first pass
 * @lane: lane
 * @record: the next record of the lane, which has a timestamp
 */
void archive_lane_look(struct archive_lane *lane,
		       const struct vitrine_fxt_record *record)
{
	uint64_t rate = record->ticks_per_second;

	if (follow_time(&lane->last, record->ticks, rate))
		lane->unsorted = true;
	if (!fxt_may_be_late(record) &&
	    follow_time(&lane->written, fxt_written_ticks(record), rate))
		lane->disordered = true;
}

static void release_passed(struct archive_lane *lane,
			   const struct archive_source *source, uint64_t least)
{
	if (lane->at - lane->released < least)
		return;
	fxt_file_release(&source->file, lane->released, lane->at);
	lane->released = lane->at;
}

/* Move lane->at into the next extent if needed. Return false at the end. */
static bool find_record(struct archive_lane *lane,
			const struct archive_source *source)
{
	uint64_t begin;

	if (lane->extent == lane->nr_extents)
		return false;
	if (lane->at < lane->extents[lane->extent].end) {
		release_passed(lane, source, FXT_RELEASE_BYTES);
		return true;
	}
	if (++lane->extent == lane->nr_extents) {
		release_passed(lane, source, 1);
		return false;
	}
	begin = lane->extents[lane->extent].begin;
	/* Short extents that are close together are released together. */
	if (begin - lane->at >= FXT_RELEASE_BYTES) {
		release_passed(lane, source, 1);
		lane->released = begin;
	}
	lane->at = begin;
	return true;
}

/* Begin a sub-buffer; all records of the one before have been counted. */
static void follow_packet(struct archive_lane *lane, const struct archive_source *source)
{
	struct vitrine_packet packet;

	if (!fxt_packet_read(source->decoder, &lane->record, &packet))
		return;
	lane->loss = (struct fxt_loss){ 0 };
	if (lane->packed && lane->packet.cpu == packet.cpu &&
	    lane->packet.session == packet.session)
		lane->loss = fxt_packet_loss(&lane->packet, lane->nr_timed, &packet);
	lane->packed = true;
	lane->packet = packet;
	lane->packet_begin = lane->record.offset - PACKET_RECORD_OFFSET;
	lane->nr_timed = 0;
	fxt_provider_begin_subbuf(lane->provider, packet.cpu);
}

/* Follow a record, in the order of the file. */
static void follow(struct archive_lane *lane,
		   const struct archive_source *source)
{
	struct vitrine_fxt_record *record = &lane->record;

	lane->late = false;
	if (!record->timed) {
		lane->key = lane->top;
		record->ticks = lane->top_ticks;
		follow_packet(lane, source);
		return;
	}
	lane->nr_timed += lane->packed && record->offset - lane->packet_begin <
					  lane->packet.committed_bytes;
	lane->key = source->in_ns ?
		vitrine_fxt_ns(record->ticks, record->ticks_per_second) :
		record->ticks;
	if (lane->key < lane->top) {
		lane->late = true;
		return;
	}
	lane->top = lane->key;
	lane->top_ticks = record->ticks;
}

/* Read the next valid record in file order. */
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
			/* It was valid in the first pass: the file has changed. */
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
	lane->top_ticks = 0;
	lane->late = false;
	lane->packed = false;
}

/* Move the records that are out of order to the sort. */
static enum fxt_result extract_late(struct archive_lane *lane,
				    struct archive_source *source)
{
	enum fxt_result result;

	while ((result = decode_next(lane, source)) == FXT_OK) {
		if (!lane->late)
			continue;
		source->decoder->stop = archive_sort_add(&source->sort, lane->key,
							 lane->index,
							 &lane->record);
		if (source->decoder->stop)
			return FXT_STOP;
	}
	restart(lane);
	return result == FXT_STOP ? FXT_STOP : FXT_OK;
}

/**
 * archive_lane_rewind() - go before the first record, after the first pass
 * @lane: lane
 * @source: source of all lanes
 *
 * Return: FXT_OK or FXT_STOP.
 */
enum fxt_result archive_lane_rewind(struct archive_lane *lane,
				    struct archive_source *source)
{
	restart(lane);
	return lane->unsorted ? extract_late(lane, source) : FXT_OK;
}

/* Read the next record of a sorted run. */
static enum fxt_result sorted_next(struct archive_lane *lane,
				   struct archive_source *source)
{
	const struct archive_sorted *sorted;

	sorted = archive_sort_next(&source->sort, lane->run, &source->file,
				   &source->decoder->stop);
	if (!sorted)
		return source->decoder->stop ? FXT_STOP : FXT_END;
	lane->key = sorted->key;
	lane->index = sorted->lane;
	memcpy(&lane->record, &sorted->record,
	       sorted->len_bytes - offsetof(struct archive_sorted, record));
	return FXT_OK;
}

/**
 * archive_lane_next() - read the next record into lane->record
 * @lane: lane
 * @source: source of all lanes
 *
 * Return: FXT_OK, FXT_END or FXT_STOP.
 */
enum fxt_result archive_lane_next(struct archive_lane *lane,
				  struct archive_source *source)
{
	enum fxt_result result;

	if (lane->run)
		return sorted_next(lane, source);
	do
		result = decode_next(lane, source);
	while (result == FXT_OK && lane->late);
	return result;
}

/**
 * archive_lane_deinit() - free the extents of a lane
 * @lane: lane
 */
void archive_lane_deinit(struct archive_lane *lane)
{
	free(lane->extents);
}
