// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records that come too late in their lane, by time.
 *
 * The rest of a lane is in time order and is read from the file; these are decoded
 * beforehand, in the order of the file, for that is what their references count on.
 * They are kept in memory up to a limit. Full, it is sorted and goes to a file of its
 * own as a run. Each run is a lane to the merge. So memory does not grow with their
 * number, but for a window of each run.
 *
 * What a kept record points at is in the trace's bytes or in a provider, and both stay
 * as long as the archive: pointers go to the file and come back as they are.
 */
#define _GNU_SOURCE	/* qsort_r() */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "archive.h"
#include "temporary.h"

/* What is kept of records in memory. */
#define MAX_KEPT_BYTES		(8U << 20)
#define LEAST_KEPT_BYTES	(64U << 10)
#define LEAST_ORDER		512

/* Of a run that is in the file; any record fits several times. */
#define WINDOW_BYTES		4096

/* Each of these may have touched a place in the trace of its own. */
#define MAX_TOUCHED		256

/* A kept record, whose arguments are cut off where they end. */
struct kept {
	uint64_t key;
	uint32_t lane;
	uint32_t len_bytes;	/* of all of this, a multiple of 8 */
	struct vitrine_fxt_record record;
};

/**
 * struct archive_run - records by time
 * @lane: as the merge sees it
 * @at: where its next bytes are in the file, or its next place in @order
 * @end: and its end
 * @from: what has been read of @window
 * @to: what there is in it
 * @window: bytes before @at; NULL: it is in memory
 */
struct archive_run {
	struct archive_lane lane;
	uint64_t at;
	uint64_t end;
	unsigned int from;
	unsigned int to;
	unsigned char *window;
};

static const struct kept *kept_at(const struct archive_late *late, size_t nr)
{
	return (const struct kept *)(late->kept + late->order[nr]);
}

/* Room for one more of @len_bytes. */
static bool make_room(struct archive_late *late, size_t len_bytes)
{
	unsigned char *kept;
	uint32_t *order;
	size_t size;

	if (late->kept_bytes + len_bytes > late->kept_size) {
		size = late->kept_size ? 2 * late->kept_size : LEAST_KEPT_BYTES;
		kept = realloc(late->kept, size);
		if (!kept)
			return false;
		late->kept = kept;
		late->kept_size = size;
	}
	if (late->nr_kept == late->order_size) {
		size = late->order_size ? 2 * late->order_size : LEAST_ORDER;
		order = reallocarray(late->order, size, sizeof(*order));
		if (!order)
			return false;
		late->order = order;
		late->order_size = size;
	}
	return true;
}

/* ---- Runs -------------------------------------------------------------- */

/* By time; at the same time by lane, and there by place in the trace. */
static int compare(const void *left, const void *right, void *ctx)
{
	const struct archive_late *late = ctx;
	const struct kept *a, *b;

	a = (const struct kept *)(late->kept + *(const uint32_t *)left);
	b = (const struct kept *)(late->kept + *(const uint32_t *)right);
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return a->record.offset < b->record.offset ? -1 : 1;
}

/* All that is kept, sorted: a run that is in memory; NULL: no memory. */
static struct archive_run *run_create(struct archive_late *late)
{
	unsigned int nr = late->nr_runs;
	struct archive_run *run;
	void *bigger;

	if (!(nr & (nr - 1))) {
		bigger = reallocarray(late->runs, nr ? 2 * nr : 1,
				      sizeof(*late->runs));
		if (!bigger)
			return NULL;
		late->runs = bigger;
	}
	run = calloc(1, sizeof(*run));
	if (!run)
		return NULL;
	qsort_r(late->order, late->nr_kept, sizeof(*late->order), compare,
		late);
	run->lane.run = run;
	run->end = late->nr_kept;
	late->runs[late->nr_runs++] = run;
	return run;
}

/* 0, or errno. */
static int open_file(struct archive_late *late)
{
	int fd = vtr_temporary_anonymous();

	if (fd < 0)
		return errno;
	late->file = fdopen(fd, "w+");
	if (late->file)
		return 0;
	close(fd);
	return ENOMEM;
}

static bool write_kept(const struct archive_late *late)
{
	const struct kept *kept;
	size_t i;

	for (i = 0; i < late->nr_kept; i++) {
		kept = kept_at(late, i);
		if (fwrite(kept, kept->len_bytes, 1, late->file) != 1)
			return false;
	}
	return !fflush(late->file);
}

/* All that is kept goes to the file: 0, or errno. */
static int spill(struct archive_late *late)
{
	struct archive_run *run;
	int code = late->file ? 0 : open_file(late);

	if (code)
		return code;
	run = run_create(late);
	if (!run)
		return ENOMEM;
	run->window = malloc(WINDOW_BYTES);
	if (!run->window)
		return ENOMEM;
	if (!write_kept(late))
		return errno;
	run->at = late->file_bytes;
	late->file_bytes += late->kept_bytes;
	run->end = late->file_bytes;
	late->nr_kept = 0;
	late->kept_bytes = 0;
	return 0;
}

/**
 * archive_late_add() - keep the record of a lane that comes too late
 * @late: where
 * @lane: the lane; its record and key are kept
 *
 * Return: 0, or errno: ENOMEM; ENOSPC and what else may be wrong with a file.
 */
int archive_late_add(struct archive_late *late, const struct archive_lane *lane)
{
	const struct vitrine_fxt_record *record = &lane->record;
	size_t record_bytes = offsetof(struct vitrine_fxt_record, args) +
			      record->nr_args * sizeof(record->args[0]);
	struct kept *kept;
	size_t len_bytes;
	int code;

	len_bytes = (offsetof(struct kept, record) + record_bytes + 7) & ~7UL;
	if (late->kept_bytes + len_bytes > MAX_KEPT_BYTES) {
		code = spill(late);
		if (code)
			return code;
	}
	if (!make_room(late, len_bytes))
		return ENOMEM;
	kept = (struct kept *)(late->kept + late->kept_bytes);
	kept->key = lane->key;
	kept->lane = lane->index;
	kept->len_bytes = len_bytes;
	memcpy(&kept->record, record, record_bytes);
	late->order[late->nr_kept++] = late->kept_bytes;
	late->kept_bytes += len_bytes;
	return 0;
}

/**
 * archive_late_finish() - no record is added any more: runs may be read
 * @late: records
 *
 * Return: 0, or ENOMEM.
 */
int archive_late_finish(struct archive_late *late)
{
	if (late->nr_kept && !run_create(late))
		return ENOMEM;
	return 0;
}

/**
 * archive_late_lane() - a run as a lane
 * @late: records, complete
 * @nr: which run
 *
 * Return: the lane, with no record yet.
 */
struct archive_lane *archive_late_lane(struct archive_late *late,
				       unsigned int nr)
{
	return &late->runs[nr]->lane;
}

/* ---- Reading ----------------------------------------------------------- */

/* The window begins with what has not been read yet: 0, or errno. */
static int read_on(const struct archive_late *late, struct archive_run *run)
{
	unsigned int left = run->to - run->from, room = WINDOW_BYTES - left;
	ssize_t len;

	memmove(run->window, run->window + run->from, left);
	run->from = 0;
	run->to = left;
	if (room > run->end - run->at)
		room = run->end - run->at;
	while (room) {
		len = pread(fileno(late->file), run->window + run->to, room,
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

/* The next one of a run in the file; @ret NULL at its end. 0, or errno. */
static int take_from_file(const struct archive_late *late,
			  struct archive_run *run, const struct kept **ret)
{
	int code;

	if (run->to - run->from < sizeof(struct kept) && run->at < run->end) {
		code = read_on(late, run);
		if (code)
			return code;
	}
	*ret = NULL;
	if (run->from == run->to)
		return 0;
	*ret = (const struct kept *)(run->window + run->from);
	run->from += (*ret)->len_bytes;
	return 0;
}

/*
 * Names and arguments of a record are where it is in the trace: whoever looks at it
 * brings these bytes into memory, from all over the file.
 */
static void release_touched(struct archive_late *late,
			    const struct fxt_file *file)
{
	if (++late->nr_touched < MAX_TOUCHED)
		return;
	late->nr_touched = 0;
	fxt_file_release(file, 0, file->len_bytes);
}

/**
 * archive_late_next() - read the next record of a run into its lane
 * @late: records, complete
 * @lane: lane of the run
 * @source: what lanes read from
 *
 * Return: FXT_OK, FXT_END or FXT_STOP.
 */
enum fxt_result archive_late_next(struct archive_late *late,
				  struct archive_lane *lane,
				  const struct archive_source *source)
{
	struct archive_run *run = lane->run;
	const struct kept *kept = NULL;

	if (run->window)
		source->decoder->stop = take_from_file(late, run, &kept);
	else if (run->at < run->end)
		kept = kept_at(late, run->at++);
	if (source->decoder->stop)
		return FXT_STOP;
	if (!kept)
		return FXT_END;
	release_touched(late, &source->file);
	lane->key = kept->key;
	lane->index = kept->lane;
	memcpy(&lane->record, &kept->record,
	       kept->len_bytes - offsetof(struct kept, record));
	return FXT_OK;
}

/**
 * archive_late_deinit() - forget all
 * @late: records
 */
void archive_late_deinit(struct archive_late *late)
{
	unsigned int i;

	for (i = 0; i < late->nr_runs; i++) {
		free(late->runs[i]->window);
		free(late->runs[i]);
	}
	free(late->runs);
	free(late->kept);
	free(late->order);
	if (late->file)
		fclose(late->file);
}
