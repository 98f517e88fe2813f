// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read a trace file in time order over all its providers.
 *
 * A first pass over the file learns the names and finds the extents of each provider's
 * records. Then the lanes of the providers are merged with a heap. The file may be larger
 * than memory: memory grows with the number of threads and extents, not with the number
 * of records. Records that are out of order are sorted, on disk if there are many.
 *
 * An archive is used by one thread at a time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "archive.h"
#include "archive_lane.h"
#include "error.h"
#include "fxt.h"
#include "fxt_names.h"
#include "grow.h"
#include "heap.h"

/*
 * The record that gives a name has no time; the module writes it right before the switch
 * that needs it. CPUs write independently of each other, so an older name may stand
 * behind a newer one in the file. Names wait here until the next time of their provider
 * is known.
 */
#define MAX_WAITING	64

struct waiting_names {
	const struct fxt_provider *provider;
	uint64_t ticks, rate;	/* last time of @provider, or 0 */
	unsigned int nr;
	struct vitrine_fxt_record records[MAX_WAITING];
};

struct vitrine_archive {
	struct archive_source source;
	const char *path;
	const struct vitrine_fxt_report *report;
	struct vitrine_fxt fxt;
	struct fxt_names processes;
	struct fxt_names threads;
	struct waiting_names waiting;
	struct archive_lane **lanes;
	unsigned int nr_lanes;
	struct archive_lane *run_lanes;	/* one for each run of source.sort */
	uint64_t rate;			/* 0: none yet */
	bool has_wakeups;

	/* Lanes with a record, the earliest first. */
	void **heap;
	unsigned int nr_heap;
	bool started;
};

static struct archive_lane *lane_create(struct vitrine_archive *archive,
					struct fxt_provider *provider)
{
	unsigned int nr = archive->nr_lanes;
	struct archive_lane *lane;

	if (!GROW(archive->lanes, nr))
		return NULL;
	lane = calloc(1, sizeof(*lane));
	if (!lane)
		return NULL;
	lane->provider = provider;
	lane->index = provider->id;
	archive->lanes[nr] = lane;
	archive->nr_lanes++;
	provider->owner = lane;
	return lane;
}

/* Return the lane of the record. A provider event may stand among other records. */
static struct archive_lane *lane_of(struct vitrine_archive *archive)
{
	struct fxt_provider *provider = archive->fxt.provider;

	if (archive->fxt.record.kind == VITRINE_FXT_PROVIDER_EVENT)
		provider = fxt_providers_get(&archive->fxt.providers,
					     archive->fxt.record.provider,
					     &archive->fxt.decoder.stop);
	if (!provider)
		return NULL;
	return provider->owner ? provider->owner :
				 lane_create(archive, provider);
}

static bool learn_waiting(struct vitrine_archive *archive)
{
	struct waiting_names *waiting = &archive->waiting;
	unsigned int i, nr = waiting->nr;
	uint64_t given_ns = 0;

	if (nr && waiting->rate)
		given_ns = vitrine_fxt_ns(waiting->ticks, waiting->rate);
	waiting->nr = 0;
	for (i = 0; i < nr; i++)
		if (!fxt_names_learn(&archive->processes, &archive->threads,
				     &waiting->records[i], given_ns))
			return false;
	return true;
}

static bool follow_name(struct vitrine_archive *archive)
{
	const struct vitrine_fxt_record *record = &archive->fxt.record;
	struct waiting_names *waiting = &archive->waiting;

	if (waiting->provider != archive->fxt.provider) {
		if (!learn_waiting(archive))
			return false;
		waiting->provider = archive->fxt.provider;
		waiting->rate = 0;
	}
	if (record->timed) {
		waiting->ticks = record->ticks;
		waiting->rate = record->ticks_per_second;
		return learn_waiting(archive);
	}
	if (record->kind != VITRINE_FXT_KERNEL_OBJECT)
		return true;
	if (waiting->nr == MAX_WAITING && !learn_waiting(archive))
		return false;
	waiting->records[waiting->nr++] = *record;
	return true;
}

/*
 * References to a thread have its process. Scheduling records of the newer form have none, and a
 * thread may have no name. A kernel object record overrides what is learnt here.
 */
static bool learn_processes(struct vitrine_archive *archive)
{
	struct vitrine_fxt_thread threads[2];
	unsigned int i, nr = fxt_threads(&archive->fxt.record, threads);
	struct fxt_name *name;

	for (i = 0; i < nr; i++) {
		if (threads[i].process == VITRINE_FXT_NO_PROCESS)
			continue;
		name = fxt_names_get(&archive->threads, threads[i].thread);
		if (!name)
			return false;
		if (name->owned)
			continue;
		name->process = threads[i].process;
		name->owned = true;
	}
	return true;
}

/*
 * The module does not write the priority of a woken thread. It is the priority in the
 * last switch of that thread, or in its first switch if that is later.
 */
static bool learn_weight(struct vitrine_archive *archive)
{
	const struct vitrine_fxt_record *record = &archive->fxt.record;
	struct fxt_name *name;

	if (record->kind == VITRINE_FXT_WAKEUP)
		archive->has_wakeups = true;
	if (!archive->has_wakeups || record->kind != VITRINE_FXT_SWITCH)
		return true;
	name = fxt_names_get(&archive->threads,
			     record->context_switch.incoming.thread);
	if (name && !name->weight)
		name->weight = fxt_incoming_weight(record);
	return name;
}

static void follow_weight(const struct vitrine_archive *archive,
			  const struct vitrine_fxt_record *record)
{
	struct fxt_name *name;

	if (!archive->has_wakeups)
		return;
	name = fxt_names_find(&archive->threads,
			      record->context_switch.outgoing.thread);
	if (name)
		name->weight = fxt_outgoing_weight(record);
}

static void add_weight(const struct vitrine_archive *archive,
		       const struct fxt_provider *provider,
		       struct vitrine_fxt_record *record)
{
	const struct fxt_name *name;
	struct vitrine_fxt_arg *args = record->args;

	if (!provider || provider->cpu == VITRINE_FXT_NO_CPU ||
	    record->nr_args != 1 ||
	    !fxt_string_is(&args[0].name, "waker"))
		return;
	name = fxt_names_find(&archive->threads, record->wakeup.thread);
	if (!name || !name->weight)
		return;
	fxt_add_weight(record, "weight", name->weight);
	/* The weight precedes the waker, as in records that have both. */
	args[2] = args[0];
	args[0] = args[1];
	args[1] = args[2];
}

static bool first_pass_record(struct vitrine_archive *archive)
{
	const struct vitrine_fxt_record *record = &archive->fxt.record;
	struct archive_lane *lane = lane_of(archive);

	if (!lane)
		return false;
	if (record->timed) {
		archive_lane_look(lane, record);
		if (!archive->rate)
			archive->rate = record->ticks_per_second;
		else if (archive->rate != record->ticks_per_second)
			archive->source.in_ns = true;
	}
	return archive_lane_add(lane, record->offset, archive->fxt.offset) &&
	       follow_name(archive) && learn_processes(archive) && learn_weight(archive);
}

static struct vitrine_error *first_pass(struct vitrine_archive *archive)
{
	struct vitrine_fxt *fxt = &archive->fxt;
	uint64_t limit = FXT_RELEASE_BYTES;

	for (;;) {
		switch (fxt_next(fxt)) {
		case FXT_OK:
			if (first_pass_record(archive))
				break;
			if (!fxt->decoder.stop)
				return vtr_error_no_memory();
			return fxt_stop_error(fxt, archive->path);
		case FXT_BAD_RECORD:
		case FXT_BAD_FRAME:
			break;
		case FXT_END:
			fxt_file_release(&archive->source.file,
					 limit - FXT_RELEASE_BYTES, fxt->offset);
			return NULL;
		case FXT_STOP:
			return fxt_stop_error(fxt, archive->path);
		}
		limit = fxt_file_pass(&archive->source.file, limit, fxt->offset);
	}
}

static bool lane_before(const void *left, const void *right)
{
	const struct archive_lane *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key;
	if (a->index != b->index)
		return a->index < b->index;
	return a->record.offset < b->record.offset;
}

/* Make an error from FXT_STOP. */
static struct vitrine_error *stop_error(const struct vitrine_archive *archive)
{
	int code = archive->fxt.decoder.stop;

	if (code == ENOMEM || code == E2BIG)
		return fxt_stop_error(&archive->fxt, archive->path);
	return vitrine_error_create(code, archive->path, VITRINE_NO_OFFSET,
				    "set TMPDIR to a directory with room for several times the trace",
				    "cannot sort the records that are not in time order: %s",
				    strerror(code));
}

/* Read the first record of a lane and add the lane to the merge if it has one. */
static struct vitrine_error *begin_lane(struct vitrine_archive *archive,
					struct archive_lane *lane)
{
	switch (archive_lane_next(lane, &archive->source)) {
	case FXT_OK:
		archive->heap[archive->nr_heap++] = lane;
		return NULL;
	case FXT_STOP:
		return stop_error(archive);
	default:
		return NULL;
	}
}

static struct vitrine_error *begin_lanes(struct vitrine_archive *archive)
{
	const struct archive_sort *sort = &archive->source.sort;
	struct vitrine_error *err = NULL;
	unsigned int i;

	archive->heap = calloc(archive->nr_lanes + sort->nr_runs + 1,
			       sizeof(*archive->heap));
	archive->run_lanes = calloc(sort->nr_runs + 1,
				    sizeof(*archive->run_lanes));
	if (!archive->heap || !archive->run_lanes)
		return vtr_error_no_memory();
	for (i = 0; !err && i < archive->nr_lanes; i++)
		err = begin_lane(archive, archive->lanes[i]);
	for (i = 0; !err && i < sort->nr_runs; i++) {
		archive->run_lanes[i].run = sort->runs[i];
		err = begin_lane(archive, &archive->run_lanes[i]);
	}
	return err;
}

static struct vitrine_error *begin_merge(struct vitrine_archive *archive)
{
	struct archive_lane *lane;
	struct vitrine_error *err;
	unsigned int i;

	for (i = 0; i < archive->nr_lanes; i++) {
		lane = archive->lanes[i];
		if (lane->disordered)
			vtr_note(archive->report, lane->extents[0].begin,
				 "provider %" PRIu32 " is not in time order: sorted",
				 lane->provider->id);
		if (archive_lane_rewind(lane, &archive->source) == FXT_STOP)
			return stop_error(archive);
	}
	if (archive_sort_finish(&archive->source.sort))
		return vtr_error_no_memory();
	err = begin_lanes(archive);
	if (err)
		return err;
	for (i = archive->nr_heap / 2; i-- > 0;)
		heap_sink(archive->heap, archive->nr_heap, i, lane_before);
	return NULL;
}

static struct vitrine_error *archive_load(struct vitrine_archive *archive)
{
	struct vitrine_error *err;

	err = fxt_init(&archive->fxt, archive->source.file.bytes,
		       archive->source.file.len_bytes, archive->path);
	if (err)
		return err;
	archive->source.decoder = &archive->fxt.decoder;
	archive->fxt.decoder.fault = archive->report ? archive->report->fault : NULL;
	archive->fxt.decoder.ctx = archive->report ? archive->report->ctx : NULL;
	err = first_pass(archive);
	if (err)
		return err;
	if (!learn_waiting(archive) ||
	    !fxt_names_keep(&archive->processes) ||
	    !fxt_names_keep(&archive->threads))
		return vtr_error_no_memory();
	/* The first pass has reported all faults. */
	archive->fxt.decoder.fault = NULL;
	return begin_merge(archive);
}

/* Open an archive that owns @file from then on. */
static struct vitrine_error *
archive_create(const struct fxt_file *file, const char *path,
	       const struct vitrine_fxt_report *report,
	       struct vitrine_archive **ret)
{
	struct vitrine_archive *archive = calloc(1, sizeof(*archive));
	struct vitrine_error *err;

	if (!archive)
		return vtr_error_no_memory();
	archive->source.file = *file;
	archive->path = path;
	archive->report = report;
	err = archive_load(archive);
	/* They belong to the caller and are valid for this call only. */
	archive->path = NULL;
	archive->report = NULL;
	if (err) {
		archive->source.file = (struct fxt_file){ 0 };
		vitrine_archive_destroy(archive);
		return err;
	}
	*ret = archive;
	return NULL;
}

/**
 * archive_borrow() - open the trace of a file that stays open
 * @file: the file, which must not be closed before the archive is destroyed
 * @report: as for vitrine_archive_from_bytes()
 * @ret: the archive
 *
 * Return: as vitrine_archive_from_bytes().
 */
struct vitrine_error *archive_borrow(const struct fxt_file *file,
				     const struct vitrine_fxt_report *report,
				     struct vitrine_archive **ret)
{
	struct fxt_file borrowed = *file;

	borrowed.borrowed = true;
	return archive_create(&borrowed, NULL, report, ret);
}

/**
 * vitrine_archive_from_bytes() - open a trace in memory
 * @bytes: the trace; must stay valid until the archive is destroyed
 * @len_bytes: its length
 * @report: receives, during this call, a fault for each malformed record, which the
 *	archive leaves out, and notes; or NULL
 * @ret: the archive
 *
 * Return: NULL, or an error: EPROTONOSUPPORT if @bytes is not a trace, E2BIG with
 * too many providers, ENOMEM.
 */
struct vitrine_error *
vitrine_archive_from_bytes(const void *bytes, size_t len_bytes,
			   const struct vitrine_fxt_report *report,
			   struct vitrine_archive **ret)
{
	const struct fxt_file file = {
		.bytes = (unsigned char *)bytes,
		.len_bytes = len_bytes,
	};

	return archive_borrow(&file, report, ret);
}

/**
 * vitrine_archive_create() - open a trace file
 * @path: the file
 * @report: as for vitrine_archive_from_bytes()
 * @ret: the archive
 *
 * Return: as vitrine_archive_from_bytes(), or an error from reading the file.
 */
struct vitrine_error *
vitrine_archive_create(const char *path,
		       const struct vitrine_fxt_report *report,
		       struct vitrine_archive **ret)
{
	struct vitrine_error *err;
	struct fxt_file file;

	err = fxt_file_open(path, &file);
	if (err)
		return err;
	err = archive_create(&file, path, report, ret);
	if (err)
		fxt_file_close(&file);
	return err;
}

/**
 * vitrine_archive_destroy() - close a trace
 * @archive: archive, or NULL
 */
void vitrine_archive_destroy(struct vitrine_archive *archive)
{
	unsigned int i;

	if (!archive)
		return;
	for (i = 0; i < archive->nr_lanes; i++) {
		archive_lane_deinit(archive->lanes[i]);
		free(archive->lanes[i]);
	}
	archive_sort_deinit(&archive->source.sort);
	free(archive->lanes);
	free(archive->run_lanes);
	free(archive->heap);
	fxt_names_deinit(&archive->processes);
	fxt_names_deinit(&archive->threads);
	fxt_deinit(&archive->fxt);
	fxt_file_close(&archive->source.file);
	free(archive);
}

/**
 * vitrine_archive_next() - read the next record in time order
 * @archive: archive
 * @ret: the record, valid until the next call; NULL at the end
 *
 * A record without a timestamp follows the latest record before it in its provider.
 * Records of equal time are ordered by the ids of their providers. A wakeup
 * in a sub-buffer of vitrine's gets the arguments that the module does not write:
 * "weight" and "waker".
 *
 * Return: NULL, or an error: ENOMEM.
 */
struct vitrine_error *
vitrine_archive_next(struct vitrine_archive *archive,
		     const struct vitrine_fxt_record **ret)
{
	struct archive_lane *lane;

	if (archive->started && archive->nr_heap) {
		switch (archive_lane_next(archive->heap[0], &archive->source)) {
		case FXT_OK:
			break;
		case FXT_STOP:
			return stop_error(archive);
		default:
			archive->heap[0] = archive->heap[--archive->nr_heap];
			break;
		}
		if (archive->nr_heap)
			heap_sink(archive->heap, archive->nr_heap, 0,
				  lane_before);
	}
	archive->started = true;
	*ret = NULL;
	if (!archive->nr_heap)
		return NULL;
	lane = archive->heap[0];
	if (lane->record.kind == VITRINE_FXT_SWITCH)
		follow_weight(archive, &lane->record);
	else if (lane->record.kind == VITRINE_FXT_WAKEUP)
		add_weight(archive, lane->provider, &lane->record);
	*ret = &lane->record;
	return NULL;
}

/**
 * archive_for_each() - call a function for each record in time order
 * @archive: archive; reading goes on behind the last record that was read
 * @visit: processes a record and tells how to go on
 * @ctx: passed to @visit
 *
 * Return: NULL at the end or after ARCHIVE_STOP, or an error: ENOMEM.
 */
struct vitrine_error *archive_for_each(struct vitrine_archive *archive,
				       archive_visit *visit, void *ctx)
{
	enum archive_step step = ARCHIVE_NEXT;
	const struct vitrine_fxt_record *record;
	struct vitrine_error *err;

	while (step == ARCHIVE_NEXT) {
		err = vitrine_archive_next(archive, &record);
		if (err || !record)
			return err;
		step = visit(ctx, record);
	}
	return step == ARCHIVE_STOP ? NULL : vtr_error_no_memory();
}

/**
 * archive_visit_file() - call a function for each record of a file in time order
 * @path: the file
 * @visit: processes a record and tells how to go on
 * @ctx: passed to @visit
 *
 * Return: NULL, or an error as vitrine_archive_create() does.
 */
struct vitrine_error *archive_visit_file(const char *path,
					 archive_visit *visit, void *ctx)
{
	struct vitrine_archive *archive;
	struct vitrine_error *err;

	err = vitrine_archive_create(path, NULL, &archive);
	if (err)
		return err;
	err = archive_for_each(archive, visit, ctx);
	vitrine_archive_destroy(archive);
	return err;
}

/**
 * vitrine_archive_thread() - look up the name and the process of a thread
 * @archive: archive
 * @koid: the thread
 * @ret_name: its name, unchanged if it has none; valid as long as the archive
 * @ret_process: koid of its process, or VITRINE_FXT_NO_PROCESS
 *
 * Return: false if it has no name.
 */
bool vitrine_archive_thread(const struct vitrine_archive *archive,
			    uint64_t koid, struct vitrine_fxt_string *ret_name,
			    uint64_t *ret_process)
{
	const struct fxt_name *name = fxt_names_find(&archive->threads, koid);

	*ret_process = name && name->owned ? name->process : VITRINE_FXT_NO_PROCESS;
	if (!name || !name->named)
		return false;
	*ret_name = name->name;
	return true;
}

/**
 * vitrine_archive_process() - look up the name of a process
 * @archive: archive
 * @koid: the process
 * @ret_name: its name; valid as long as the archive
 *
 * Return: false if it has no name; nothing is written then.
 */
bool vitrine_archive_process(const struct vitrine_archive *archive,
			     uint64_t koid, struct vitrine_fxt_string *ret_name)
{
	const struct fxt_name *name = fxt_names_find(&archive->processes, koid);

	if (!name || !name->named)
		return false;
	*ret_name = name->name;
	return true;
}

/**
 * vitrine_archive_packet() - read the packet header in a record
 * @archive: archive
 * @record: a record of the archive
 * @ret: the header, in our byte order
 *
 * Return: false if the record is not a packet header; @ret is unchanged then.
 */
bool vitrine_archive_packet(const struct vitrine_archive *archive,
			    const struct vitrine_fxt_record *record,
			    struct vitrine_packet *ret)
{
	return fxt_packet_read(&archive->fxt.decoder, record, ret);
}

/**
 * archive_loss() - count what is missing before a sub-buffer
 * @archive: archive, whose last record was the packet header of the sub-buffer
 *
 * Return: the loss since the previous sub-buffer of the same CPU and session.
 */
struct fxt_loss archive_loss(const struct vitrine_archive *archive)
{
	const struct archive_lane *lane = archive->heap[0];

	return lane->loss;
}
