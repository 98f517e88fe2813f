/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What archive*.c share: a lane is the records of one provider, in the order of the
 * file, wherever in the file they are.
 */
#ifndef _VITRINE_LIB_ARCHIVE_H
#define _VITRINE_LIB_ARCHIVE_H

#include <stdio.h>

#include "fxt.h"

/* Records of one provider that follow each other in the file. */
struct archive_extent {
	uint64_t begin;
	uint64_t end;
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
 * @top: the latest @key so far
 * @late: @record is before that: struct archive_late has it, too
 * @run: of these it has some, and nothing else; NULL: it is a provider's lane
 * @extent: extent @at is in
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
	uint64_t top;
	bool late;
	struct archive_run *run;
	size_t extent;
	uint64_t at;
	uint64_t released;
	uint64_t key;
	struct vitrine_fxt_record record;
};

/**
 * struct archive_late - records that come too late in their lane
 * @kept: those in memory, one after the other
 * @kept_bytes: how much of it
 * @kept_size: what there is room for
 * @order: where each of them begins
 * @order_size: how many there is room for
 * @nr_kept: how many
 * @file: the others, or NULL
 * @file_bytes: its length
 * @runs: each by time; all but the last are in @file
 * @nr_runs: how many
 * @nr_touched: records read since the trace's bytes were released
 */
struct archive_late {
	unsigned char *kept;
	size_t kept_bytes;
	size_t kept_size;
	uint32_t *order;
	size_t order_size;
	size_t nr_kept;
	FILE *file;
	uint64_t file_bytes;
	struct archive_run **runs;
	unsigned int nr_runs;
	unsigned int nr_touched;
};

/**
 * struct archive_source - what all lanes read from
 * @file: the bytes
 * @decoder: decodes them
 * @in_ns: lanes count in different ticks: compare nanoseconds
 * @late: records that lanes have too late
 */
struct archive_source {
	struct fxt_file file;
	struct fxt_decoder *decoder;
	bool in_ns;
	struct archive_late late;
};

bool archive_lane_add(struct archive_lane *lane, uint64_t begin, uint64_t end);
void archive_lane_look(struct archive_lane *lane,
		       const struct vitrine_fxt_record *record);
enum fxt_result archive_lane_rewind(struct archive_lane *lane,
				    struct archive_source *source);
enum fxt_result archive_lane_next(struct archive_lane *lane,
				  struct archive_source *source);
void archive_lane_deinit(struct archive_lane *lane);

int archive_late_add(struct archive_late *late,
		     const struct archive_lane *lane);
int archive_late_finish(struct archive_late *late);
struct archive_lane *archive_late_lane(struct archive_late *late,
				       unsigned int nr);
enum fxt_result archive_late_next(struct archive_late *late,
				  struct archive_lane *lane,
				  const struct archive_source *source);
void archive_late_deinit(struct archive_late *late);

#endif /* _VITRINE_LIB_ARCHIVE_H */
