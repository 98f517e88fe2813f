// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sort the records that are out of order in their lane, by an external merge sort.
 *
 * References of a record can only be resolved in file order, so the records are decoded
 * before they are sorted. They are kept in memory up to a limit; then they are sorted
 * and written to a temporary file as a run. The archive merges the runs as it merges
 * lanes. Memory is bounded by the limit and one window for each run.
 *
 * A kept record points into the bytes of the trace and into its provider, which both
 * live as long as the archive: pointers are written to the file and read back as they are.
 */
#define _GNU_SOURCE	/* qsort_r() */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive_sort.h"
#include "base.h"
#include "temporary.h"

/* Limits of the records that are kept in memory. */
#define MAX_KEPT_BYTES		(8U << 20)
#define LEAST_KEPT_BYTES	(64U << 10)

/* Window of a run in the file; it holds several of the largest records. */
#define WINDOW_BYTES		4096

/* Records to read before the bytes of the trace are released: one page each. */
#define MAX_TOUCHED		256

/**
 * struct archive_run - sorted records
 * @begin: @at of the first record
 * @at: offset of the next bytes in the file, or the next index of @order
 * @end: end of the run, likewise
 * @from: offset of the next record in @window
 * @to: end of the records in @window
 * @window: bytes before @at; NULL: the run is in memory
 */
struct archive_run {
	uint64_t begin;
	uint64_t at;
	uint64_t end;
	unsigned int from;
	unsigned int to;
	unsigned char *window;
};

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

/* Sort the kept records into a run in memory. Return NULL without memory. */
static struct archive_run *run_create(struct archive_sort *sort)
{
	unsigned int nr = sort->nr_runs;
	struct archive_run *run;

	if (!GROW(sort->runs, nr))
		return NULL;
	run = calloc(1, sizeof(*run));
	if (!run)
		return NULL;
	qsort_r(sort->order, sort->nr_kept, sizeof(*sort->order), compare,
		sort);
	run->end = sort->nr_kept;
	sort->runs[sort->nr_runs++] = run;
	return run;
}

/* Return 0, or an errno value. */
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

static bool write_kept(const struct archive_sort *sort)
{
	const struct archive_sorted *kept;
	size_t i;

	for (i = 0; i < sort->nr_kept; i++) {
		kept = kept_at(sort, i);
		if (fwrite(kept, kept->len_bytes, 1, sort->file) != 1)
			return false;
	}
	return !fflush(sort->file);
}

/* Write the kept records to the file as a run. Return 0, or an errno value. */
static int spill(struct archive_sort *sort)
{
	struct archive_run *run;
	int code = sort->file ? 0 : open_file(sort);

	if (code)
		return code;
	run = run_create(sort);
	if (!run)
		return ENOMEM;
	run->window = malloc(WINDOW_BYTES);
	if (!run->window)
		return ENOMEM;
	if (!write_kept(sort))
		return errno;
	run->begin = sort->file_bytes;
	sort->file_bytes += sort->kept_bytes;
	run->end = sort->file_bytes;
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
 * Return: 0, or ENOMEM.
 */
int archive_sort_finish(struct archive_sort *sort)
{
	if (sort->nr_kept && !run_create(sort))
		return ENOMEM;
	return 0;
}

/**
 * archive_sort_rewind() - go before the first record of each run
 * @sort: the sort, finished
 */
void archive_sort_rewind(struct archive_sort *sort)
{
	struct archive_run *run;
	unsigned int i;

	for (i = 0; i < sort->nr_runs; i++) {
		run = sort->runs[i];
		run->at = run->begin;
		run->from = 0;
		run->to = 0;
	}
}

/* ---- Reading ----------------------------------------------------------- */

/* Refill the window behind its unread bytes. Return 0, or an errno value. */
static int fill_window(const struct archive_sort *sort, struct archive_run *run)
{
	unsigned int left = run->to - run->from, room = WINDOW_BYTES - left;
	ssize_t len;

	memmove(run->window, run->window + run->from, left);
	run->from = 0;
	run->to = left;
	if (room > run->end - run->at)
		room = run->end - run->at;
	while (room) {
		len = pread(fileno(sort->file), run->window + run->to, room,
			    run->at);
		if (len < 0 && errno == EINTR)
			continue;
		if (len <= 0)
			return len ? errno : EIO;
		run->at += len;
		run->to += len;
		room -= len;
	}
	return 0;
}

/* Read the next record of a run in the file. Set @ret_code to 0, or an errno value. */
static const struct archive_sorted *read_window(const struct archive_sort *sort,
						struct archive_run *run,
						int *ret_code)
{
	const struct archive_sorted *sorted;

	*ret_code = 0;
	if (run->to - run->from < sizeof(*sorted) && run->at < run->end)
		*ret_code = fill_window(sort, run);
	if (*ret_code || run->from == run->to)
		return NULL;
	sorted = (const struct archive_sorted *)(run->window + run->from);
	run->from += sorted->len_bytes;
	return sorted;
}

/*
 * The strings of a sorted record are in the bytes of the trace, so each record that is
 * read brings another page of the trace into memory.
 */
static void release_touched(struct archive_sort *sort,
			    const struct fxt_file *file)
{
	if (++sort->nr_touched < MAX_TOUCHED)
		return;
	sort->nr_touched = 0;
	fxt_file_release(file, 0, file->len_bytes);
}

/**
 * archive_sort_next() - read the next record of a run
 * @sort: the sort, finished
 * @run: one of its runs
 * @file: the bytes of the trace
 * @ret_code: 0, or an errno value from reading
 *
 * Return: the record, valid until the next call for @run; NULL at the end, or if
 * @ret_code is not 0.
 */
const struct archive_sorted *
archive_sort_next(struct archive_sort *sort, struct archive_run *run,
		  const struct fxt_file *file, int *ret_code)
{
	const struct archive_sorted *sorted = NULL;

	*ret_code = 0;
	if (run->window)
		sorted = read_window(sort, run, ret_code);
	else if (run->at < run->end)
		sorted = kept_at(sort, run->at++);
	if (sorted)
		release_touched(sort, file);
	return sorted;
}

/**
 * archive_sort_deinit() - free all records
 * @sort: the sort
 */
void archive_sort_deinit(struct archive_sort *sort)
{
	unsigned int i;

	for (i = 0; i < sort->nr_runs; i++) {
		free(sort->runs[i]->window);
		free(sort->runs[i]);
	}
	free(sort->runs);
	free(sort->kept);
	free(sort->order);
	if (sort->file)
		fclose(sort->file);
}
