/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What archive.c and archive_lane.c share: a lane is the records of one
 * provider, in the order of the file, wherever in the file they are.
 */
#ifndef _VITRINE_LIB_ARCHIVE_H
#define _VITRINE_LIB_ARCHIVE_H

#include "fxt.h"

/* Records of one provider that follow each other in the file. */
struct archive_extent {
	uint64_t begin;
	uint64_t end;
};

/* A record of a lane that has to be sorted; its arguments may be cut off. */
struct archive_stored {
	uint64_t key;
	struct vitrine_fxt_record *record;
};

/**
 * struct archive_lane - one provider's records
 * @provider: whose
 * @index: order of first appearance; of equal times the lower is first
 * @extents: where its records are
 * @nr_extents: how many
 * @last_ticks: time of the last record, while the file is looked through
 * @last_rate: and its ticks per second, 0 before the first
 * @unsorted: its times go backwards somewhere
 * @stored: all records by time, if @unsorted
 * @nr_stored: how many
 * @extent: extent @at is in, or place in @stored
 * @at: offset of the next record
 * @released: where the bytes begin that are still in memory
 * @key: time of @record, comparable with other lanes'
 * @record: the record that is next in this lane
 */
struct archive_lane {
	struct fxt_provider *provider;
	unsigned int index;
	struct archive_extent *extents;
	size_t nr_extents;
	uint64_t last_ticks;
	uint64_t last_rate;
	bool unsorted;
	struct archive_stored *stored;
	size_t nr_stored;
	size_t extent;
	uint64_t at;
	uint64_t released;
	uint64_t key;
	struct vitrine_fxt_record record;
};

/**
 * struct archive_source - what all lanes read from
 * @file: the bytes
 * @decoder: decodes them
 * @in_ns: lanes count in different ticks: compare nanoseconds
 */
struct archive_source {
	struct fxt_file file;
	struct fxt_decoder *decoder;
	bool in_ns;
};

bool archive_lane_add(struct archive_lane *lane, uint64_t begin, uint64_t end);
void archive_lane_look(struct archive_lane *lane,
		       const struct vitrine_fxt_record *record);
enum fxt_result archive_lane_rewind(struct archive_lane *lane,
				    const struct archive_source *source);
enum fxt_result archive_lane_next(struct archive_lane *lane,
				  const struct archive_source *source);
void archive_lane_deinit(struct archive_lane *lane);

#endif /* _VITRINE_LIB_ARCHIVE_H */
