/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A lane: the records of one provider in time order, wherever they are in the file; or
 * one run of the records that had to be sorted.
 *
 * The lanes of an archive share its decoder and are used by one thread at a time.
 */
#ifndef _VITRINE_LIB_ARCHIVE_LANE_H
#define _VITRINE_LIB_ARCHIVE_LANE_H

#include "archive_sort.h"
#include "fxt_packet.h"

/* A range of the file that holds only records of one provider. */
struct archive_extent {
	uint64_t begin;
	uint64_t end;
};

/* A time in ticks of a provider; @rate is 0 if there is none. */
struct archive_time {
	uint64_t ticks;
	uint64_t rate;
};

/**
 * struct archive_lane - the records of one provider, or of one sorted run
 * @provider: the provider, or NULL
 * @index: id of the provider, which orders records of equal time
 * @extents: where the records are in the file
 * @nr_extents: number of extents
 * @last: time of the last record, during the first pass over the file
 * @written: time at which the last record was written, likewise
 * @unsorted: time goes backwards somewhere in the file
 * @disordered: the records were written out of order, so that it is not only
 *	complete durations, written at their end, which are out of order
 * @top: latest @key so far
 * @top_ticks: the same in ticks
 * @late: @record is earlier than @top and therefore in struct archive_sort
 * @packed: @packet is valid
 * @packet: packet header of the last sub-buffer
 * @packet_begin: offset of that sub-buffer
 * @nr_timed: number of records with a timestamp in it so far, late ones included
 * @loss: what is missing before it
 * @run: run of struct archive_sort that this lane reads; NULL: it reads the file
 * @extent: index of the extent that holds @at
 * @at: offset of the next record
 * @released: offset of the first byte that is still in memory
 * @key: time of @record, comparable with the keys of other lanes
 * @record: the current record; without a timestamp, it gets the time @top
 */
struct archive_lane {
	struct fxt_provider *provider;
	unsigned int index;
	struct archive_extent *extents;
	size_t nr_extents;
	struct archive_time last;
	struct archive_time written;
	bool unsorted;
	bool disordered;
	uint64_t top;
	uint64_t top_ticks;
	bool late;
	bool packed;
	struct vitrine_packet packet;
	uint64_t packet_begin;
	uint64_t nr_timed;
	struct fxt_loss loss;
	struct archive_run *run;
	size_t extent;
	uint64_t at;
	uint64_t released;
	uint64_t key;
	struct vitrine_fxt_record record;
};

/**
 * struct archive_source - what all lanes of an archive share
 * @file: the bytes
 * @decoder: the decoder
 * @in_ns: providers differ in tick rate: keys are nanoseconds, not ticks
 * @sort: records that are out of order in their lane
 */
struct archive_source {
	struct fxt_file file;
	struct fxt_decoder *decoder;
	bool in_ns;
	struct archive_sort sort;
};

bool archive_lane_add(struct archive_lane *lane, uint64_t begin, uint64_t end);
void archive_lane_look(struct archive_lane *lane,
		       const struct vitrine_fxt_record *record);
enum fxt_result archive_lane_rewind(struct archive_lane *lane,
				    struct archive_source *source);
enum fxt_result archive_lane_next(struct archive_lane *lane,
				  struct archive_source *source);
void archive_lane_deinit(struct archive_lane *lane);

#endif /* _VITRINE_LIB_ARCHIVE_LANE_H */
