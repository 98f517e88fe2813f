// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sort the records that are out of order in their lane, by an external merge sort.
 *
 * References of a record can only be resolved in file order, so the records are decoded
 * before they are sorted. They are kept in memory up to a limit; then they are sorted
 * and written to a temporary file as a run. The archive merges the runs as it merges
 * lanes. Memory is bounded by the limit: the file is mapped, and what has been read is released.
 *
 * A kept record points into the bytes of the trace and into its provider, which both
 * live as long as the archive: pointers are written to the file and read as they are.
 */
#define _GNU_SOURCE	/* qsort_r() */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "archive_sort.h"
#include "base.h"
#include "temporary.h"

/* Limits of the records that are kept in memory. */
#define MAX_KEPT_BYTES		(8U << 20)
#define LEAST_KEPT_BYTES	(64U << 10)

/* Records to read before the bytes of the trace are released: one page each. */
#define MAX_TOUCHED		256

static const struct archive_sorted *kept_at(const struct archive_sort *sort, size_t nr)
{
	return (const struct archive_sorted *)(sort->kept + sort->order[nr]);
}

/* Make room for one more record of @len_bytes. */
static bool make_room(struct archive_sort *sort, size_t len_bytes)
{
	size_t needed = sort->kept_bytes + len_bytes;

	if (needed < LEAST_KEPT_BYTES)
		needed = LEAST_KEPT_BYTES;
	return GROW_BYTES(sort->kept, sort->kept_size, needed) &&
	       GROW(sort->order, sort->nr_kept);
}

/* ---- Runs -------------------------------------------------------------- */

/* Compare by time, then by lane, then by offset in the trace. */
static int compare(const void *left, const void *right, void *ctx)
{
	const struct archive_sort *sort = ctx;
	const struct archive_sorted *a, *b;

	a = (const struct archive_sorted *)(sort->kept + *(const uint32_t *)left);
	b = (const struct archive_sorted *)(sort->kept + *(const uint32_t *)right);
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return a->record.offset < b->record.offset ? -1 : 1;
}

/* Open a temporary file for the runs. Return 0, or an errno value. */
static int open_file(struct archive_sort *sort)
{
	int fd = vtr_temporary_anonymous();

	if (fd < 0)
		return errno;
	sort->file = fdopen(fd, "w+");
	if (sort->file)
		return 0;
	close(fd);
	return ENOMEM;
}

/* Sort the kept records, and write them as a run. Return 0, or an errno value. */
static int spill(struct archive_sort *sort)
{
	const uint64_t begin = sort->nr_runs ? sort->runs[sort->nr_runs - 1].end : 0;
	const struct archive_sorted *kept;
	size_t i;

	if (!GROW(sort->runs, sort->nr_runs))
		return ENOMEM;
	qsort_r(sort->order, sort->nr_kept, sizeof(*sort->order), compare, sort);
	for (i = 0; i < sort->nr_kept; i++) {
		kept = kept_at(sort, i);
		if (fwrite(kept, kept->len_bytes, 1, sort->file) != 1)
			return errno;
	}
	if (fflush(sort->file))
		return errno;
	sort->runs[sort->nr_runs++] = (struct archive_run){
		.begin = begin,
		.end = begin + sort->kept_bytes,
	};
	sort->nr_kept = 0;
	sort->kept_bytes = 0;
	return 0;
}

/**
 * archive_sort_add() - add a record
 * @sort: the sort
 * @key: time of the record
 * @lane: index of its lane
 * @record: the record
 *
 * Return: 0, or an errno value: ENOMEM, or ENOSPC and others from the file.
 */
int archive_sort_add(struct archive_sort *sort, uint64_t key, uint32_t lane,
		     const struct vitrine_fxt_record *record)
{
	size_t record_bytes = fxt_record_bytes(record);
	struct archive_sorted *kept;
	size_t len_bytes;
	int code;

	len_bytes = (offsetof(struct archive_sorted, record) + record_bytes + 7) & ~7UL;
	if (sort->kept_bytes + len_bytes > MAX_KEPT_BYTES) {
		code = sort->file ? 0 : open_file(sort);
		if (!code)
			code = spill(sort);
		if (code)
			return code;
	}
	if (!make_room(sort, len_bytes))
		return ENOMEM;
	kept = (struct archive_sorted *)(sort->kept + sort->kept_bytes);
	kept->key = key;
	kept->lane = lane;
	kept->len_bytes = len_bytes;
	memcpy(&kept->record, record, record_bytes);
	sort->order[sort->nr_kept++] = sort->kept_bytes;
	sort->kept_bytes += len_bytes;
	return 0;
}

/**
 * archive_sort_finish() - end adding records, so that the runs can be read
 * @sort: the sort
 *
 * Return: 0, or an errno value, as archive_sort_add().
 */
int archive_sort_finish(struct archive_sort *sort)
{
	struct fxt_file *bytes = &sort->bytes;
	int code = 0;

	bytes->mapped = sort->file;
	if (sort->nr_kept && !sort->file)
		sort->file = open_memstream((char **)&bytes->bytes, &bytes->len_bytes);
	if (sort->nr_kept)
		code = sort->file ? spill(sort) : ENOMEM;
	free(sort->kept);
	free(sort->order);
	sort->kept = NULL;
	sort->order = NULL;
	if (code || !bytes->mapped)
		return code;
	bytes->len_bytes = sort->runs[sort->nr_runs - 1].end;
	bytes->bytes = mmap(NULL, bytes->len_bytes, PROT_READ, MAP_SHARED, fileno(sort->file), 0);
	if (bytes->bytes != MAP_FAILED)
		return 0;
	bytes->bytes = NULL;
	return errno;
}

/**
 * archive_sort_rewind() - go before the first record of each run
 * @sort: the sort, finished
 */
void archive_sort_rewind(struct archive_sort *sort)
{
	unsigned int i;

	for (i = 0; i < sort->nr_runs; i++)
		sort->runs[i].at = sort->runs[i].begin;
}

/* ---- Reading ----------------------------------------------------------- */

/*
 * The strings of a sorted record are in the bytes of the trace, so each record that is
 * read brings another page of the trace into memory.
 */
static void release_touched(struct archive_sort *sort, const struct fxt_file *file)
{
	if (++sort->nr_touched < MAX_TOUCHED)
		return;
	sort->nr_touched = 0;
	fxt_file_release(file, 0, file->len_bytes);
	fxt_file_release(&sort->bytes, 0, sort->bytes.len_bytes);
}

/**
 * archive_sort_next() - read the next record of a run
 * @sort: the sort, finished
 * @run: one of its runs
 * @file: the bytes of the trace
 *
 * Return: the record, valid until the next call for @run; NULL at the end.
 */
const struct archive_sorted *archive_sort_next(struct archive_sort *sort,
					       struct archive_run *run,
					       const struct fxt_file *file)
{
	const struct archive_sorted *sorted;

	if (run->at == run->end)
		return NULL;
	sorted = (const struct archive_sorted *)(sort->bytes.bytes + run->at);
	run->at += sorted->len_bytes;
	release_touched(sort, file);
	return sorted;
}

/**
 * archive_sort_deinit() - free all records
 * @sort: the sort
 */
void archive_sort_deinit(struct archive_sort *sort)
{
	free(sort->runs);
	free(sort->kept);
	free(sort->order);
	if (sort->file)
		fclose(sort->file);
	fxt_file_close(&sort->bytes);
}
