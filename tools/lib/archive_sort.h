/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * External merge sort of decoded records.
 *
 * A sort belongs to one archive and is used by one thread at a time.
 */
#ifndef _VITRINE_LIB_ARCHIVE_SORT_H
#define _VITRINE_LIB_ARCHIVE_SORT_H

#include <stdio.h>

#include "fxt_file.h"

/**
 * struct archive_sorted - a record to be sorted
 * @key: its time
 * @lane: index of its lane, which orders records of equal time
 * @len_bytes: length of this structure as stored, a multiple of 8
 * @record: the record, cut off behind its last argument
 */
struct archive_sorted {
	uint64_t key;
	uint32_t lane;
	uint32_t len_bytes;
	struct vitrine_fxt_record record;
};

/**
 * struct archive_run - sorted records
 * @begin: offset of the first record in the bytes of all runs
 * @end: offset behind the last record
 * @at: offset of the next record
 */
struct archive_run {
	uint64_t begin;
	uint64_t end;
	uint64_t at;
};

/**
 * struct archive_sort - records being sorted; all zero before the first
 * @kept: records in memory, one after the other
 * @kept_bytes: their length
 * @kept_size: size of @kept
 * @order: offset of each record in @kept
 * @nr_kept: number of records in @kept
 * @file: receives the sorted runs, or NULL: memory, or a temporary file if there are many records
 * @bytes: the bytes of all runs; mapped if they are in a temporary file
 * @runs: sorted runs
 * @nr_runs: number of runs
 * @nr_touched: records read since the bytes of the trace were released
 */
struct archive_sort {
	unsigned char *kept;
	size_t kept_bytes;
	size_t kept_size;
	uint32_t *order;
	size_t nr_kept;
	FILE *file;
	struct fxt_file bytes;
	struct archive_run *runs;
	unsigned int nr_runs;
	unsigned int nr_touched;
};

int archive_sort_add(struct archive_sort *sort, uint64_t key, uint32_t lane,
		     const struct vitrine_fxt_record *record);
int archive_sort_finish(struct archive_sort *sort);
void archive_sort_rewind(struct archive_sort *sort);
const struct archive_sorted *archive_sort_next(struct archive_sort *sort,
					       struct archive_run *run,
					       const struct fxt_file *file);
void archive_sort_deinit(struct archive_sort *sort);

#endif /* _VITRINE_LIB_ARCHIVE_SORT_H */
