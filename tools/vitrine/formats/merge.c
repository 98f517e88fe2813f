// SPDX-License-Identifier: GPL-2.0
/*
 * Merge traces of several machines or boots into one.
 *
 * All times are moved to one clock by the wall-clock time that each trace has. CPUs
 * and threads get new numbers, so that those of different traces stay apart. The
 * files are read side by side, so memory does not grow with their length.
 */
#include <stdlib.h>

#include <vitrine/fxt.h>

#include "error.h"
#include "faults.h"
#include "feed.h"
#include "fxt_names.h"
#include "fxt_packet.h"
#include "fxt_write.h"
#include "heap.h"
#include "ids.h"
#include "input.h"
#include "left_out.h"
#include "report.h"
#include "merge.h"

#define NSEC_PER_SEC	1000000000ULL

/* Thread 1234 of the third file becomes 20001234, unless that id is taken. */
#define THREADS_APART	10000000ULL

/**
 * struct part - one of the traces being merged
 * @input: its file
 * @faults: name of the file in messages, and faults in it
 * @feed: its records
 * @item: the next record, not yet written
 * @delta_ns: added to its times
 * @first_cpu: added to its CPU numbers
 * @first_thread: added to its thread and process ids except 0 (idle)
 * @ids: new ids of its threads and processes
 * @told: threads and processes whose names have been written are "used"
 * @left_out: records that were left out
 */
struct part {
	struct input input;
	struct faults faults;
	struct feed *feed;
	struct feed_item item;
	uint64_t delta_ns;
	uint32_t first_cpu;
	uint64_t first_thread;
	struct ids_source ids;
	struct fxt_names told;
	struct left_out left_out;
};

/**
 * struct merge - a merge in progress
 * @args: the options
 * @parts: the traces
 * @nr_parts: number of @parts
 * @heap: the traces that have an item, as a heap with the earliest on top
 * @nr_heap: number of traces in @heap
 * @out: the merged trace
 * @ids: thread and process ids in it
 * @record: the record being written
 */
struct merge {
	const struct merge_args *args;
	struct part *parts;
	unsigned int nr_parts;
	void **heap;
	unsigned int nr_heap;
	struct fxt_out *out;
	struct ids ids;
	struct vitrine_fxt_record record;
};

/* ---- Opening ---- */

static struct vitrine_error *open_part(struct part *part, const char *path)
{
	const struct vitrine_fxt_report report = {
		.fault = faults_print,
		.ctx = &part->faults,
	};
	struct vitrine_error *err;

	err = input_open(&part->input, path);
	part->faults.path = part->input.name;
	if (!err)
		err = feed_create(part->input.path, &report, &part->feed);
	if (!err)
		faults_end(&part->faults);
	return input_blame(&part->input, err);
}

/* Return the earliest wall-clock time of a time 0; 0 if no trace has one. */
static uint64_t find_base(const struct merge *merge)
{
	uint64_t base_ns = UINT64_MAX, realtime_ns;
	unsigned int i;

	for (i = 0; i < merge->nr_parts; i++)
		if (feed_realtime(merge->parts[i].feed, &realtime_ns) &&
		    realtime_ns < base_ns)
			base_ns = realtime_ns;
	return base_ns == UINT64_MAX ? 0 : base_ns;
}

static void place_parts(struct merge *merge, uint64_t base_ns)
{
	struct part *part;
	uint64_t realtime_ns;
	unsigned int i;
	uint32_t cpu = 0;

	for (i = 0; i < merge->nr_parts; i++) {
		part = &merge->parts[i];
		part->first_cpu = cpu;
		part->first_thread = i * THREADS_APART;
		cpu += feed_nr_cpus(part->feed);
		if (feed_realtime(part->feed, &realtime_ns))
			part->delta_ns = realtime_ns - base_ns;
		else if (merge->nr_parts > 1)
			print_note(part->faults.path,
				   "has no wall-clock time; aligned with the start of the earliest trace");
	}
}

/* ---- Numbers and names ---- */

static uint64_t move_koid(struct merge *merge, struct part *part,
			  uint64_t koid)
{
	if (fxt_is_others(koid))
		return koid + part->first_cpu;
	return ids_get(&merge->ids, &part->ids, koid,
		       koid + part->first_thread);
}

static bool name_process(struct merge *merge, struct part *part,
			 uint64_t process)
{
	struct vitrine_fxt_string name;

	return process == VITRINE_FXT_NO_PROCESS ||
	       !vitrine_archive_process(feed_archive(part->feed), process,
					&name) ||
	       fxt_out_name_process(merge->out,
				    move_koid(merge, part, process), &name);
}

/* Give a thread its new ids, and name it the first time; false without memory. */
static bool move_thread(struct merge *merge, struct part *part,
			struct vitrine_fxt_thread *thread)
{
	const struct vitrine_archive *archive = feed_archive(part->feed);
	uint64_t process = thread->process, own = VITRINE_FXT_NO_PROCESS;
	struct vitrine_fxt_string name = { 0 };
	bool good;

	if (fxt_names_first(&part->told, thread->thread, &good)) {
		vitrine_archive_thread(archive, thread->thread, &name, &own);
		if (process == VITRINE_FXT_NO_PROCESS)
			process = own;
		good = name_process(merge, part, process) &&
		       fxt_out_name_thread(merge->out,
					   move_koid(merge, part, thread->thread),
					   move_koid(merge, part, process),
					   &name);
	}
	thread->thread = move_koid(merge, part, thread->thread);
	thread->process = move_koid(merge, part, thread->process);
	return good && !merge->ids.no_memory;
}

static bool move_threads(struct merge *merge, struct part *part)
{
	struct vitrine_fxt_record *record = &merge->record;

	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		return move_thread(merge, part,
				   &record->context_switch.outgoing) &&
		       move_thread(merge, part,
				   &record->context_switch.incoming);
	case VITRINE_FXT_WAKEUP:
		return move_thread(merge, part, &record->wakeup);
	case VITRINE_FXT_EVENT:
		return move_thread(merge, part, &record->event.thread);
	case VITRINE_FXT_LOG:
		return move_thread(merge, part, &record->log.thread);
	case VITRINE_FXT_LARGE_BLOB:
		return move_thread(merge, part, &record->large_blob.thread);
	default:
		return true;
	}
}

static void move_args(struct merge *merge, struct part *part)
{
	struct vitrine_fxt_record *record = &merge->record;
	unsigned int i;

	for (i = 0; i < record->nr_args; i++)
		if (record->args[i].type == FXT_ARG_KOID)
			record->args[i].value.uint64 =
				move_koid(merge, part,
					  record->args[i].value.uint64);
}

static void move_time(const struct part *part,
		      struct vitrine_fxt_record *record)
{
	uint64_t end;

	if (record->kind == VITRINE_FXT_EVENT &&
	    record->event.type == FXT_EVENT_DURATION_COMPLETE) {
		end = vitrine_fxt_ns(record->event.id,
				     record->ticks_per_second);
		record->event.id = (end < FEED_LAST_NS ? end : FEED_LAST_NS) +
				   part->delta_ns;
	}
	record->ticks = part->item.ns + part->delta_ns;
	record->ticks_per_second = NSEC_PER_SEC;
}

/* ---- Merging ---- */

static struct vitrine_error *lane_of(struct merge *merge,
				     const struct part *part, uint32_t provider,
				     uint32_t cpu, struct fxt_lane_out **ret)
{
	if (cpu != VITRINE_FXT_NO_CPU)
		cpu += part->first_cpu;
	return fxt_lane_out_of(merge->out, provider, cpu, ret);
}

static bool is_known(const struct vitrine_fxt_record *record)
{
	return record->kind != VITRINE_FXT_UNKNOWN &&
	       (record->kind != VITRINE_FXT_EVENT ||
		record->event.type <= FXT_EVENT_FLOW_END);
}

static struct vitrine_error *put_record(struct merge *merge,
					struct part *part)
{
	struct fxt_lane_out *lane;
	struct vitrine_error *err;

	if (!is_known(part->item.record)) {
		left_out_record(&part->left_out, part->item.record);
		return NULL;
	}
	err = lane_of(merge, part, part->item.stream->provider, part->item.stream->cpu, &lane);
	if (err)
		return err;
	merge->record = *part->item.record;
	if (merge->record.cpu != VITRINE_FXT_NO_CPU)
		merge->record.cpu += part->first_cpu;
	move_time(part, &merge->record);
	move_args(merge, part);
	if (merge->args->edit &&
	    !merge->args->edit(merge->args->ctx, &merge->record))
		return NULL;
	if (!move_threads(merge, part))
		return vtr_error_no_memory();
	if (!fxt_is_tracefs(part->item.stream->provider))
		fxt_lane_out_before(lane, part->item.stream->nr_before,
				    part->item.stream->begin_ns + part->delta_ns);
	return fxt_lane_out_put(lane, &merge->record);
}

static struct vitrine_error *put_lost(struct merge *merge, struct part *part)
{
	const struct feed_stream *stream = part->item.stream;
	struct fxt_lane_out *lane;
	struct vitrine_error *err;

	err = lane_of(merge, part, stream->provider, stream->cpu, &lane);
	return err ? err : fxt_lane_out_lost(lane, part->item.lost->nr_lost);
}

/* Write a record without a time, if it has contents of its own. */
static struct vitrine_error *put_untimed(struct merge *merge, struct part *part)
{
	struct vitrine_fxt_record *record = &merge->record;
	struct fxt_lane_out *lane;
	struct vitrine_error *err;

	if (!left_out_is_content(part->item.record)) {
		left_out_untimed(&part->left_out, part->item.record);
		return NULL;
	}
	*record = *part->item.record;
	err = lane_of(merge, part, record->provider, record->cpu, &lane);
	if (err)
		return err;
	move_args(merge, part);
	if (record->kind == VITRINE_FXT_USERSPACE_OBJECT)
		record->userspace_object.process =
			move_koid(merge, part, record->userspace_object.process);
	else if (record->kind == VITRINE_FXT_KERNEL_OBJECT)
		record->kernel_object.koid =
			move_koid(merge, part, record->kernel_object.koid);
	return merge->ids.no_memory ? vtr_error_no_memory() : fxt_lane_out_put(lane, record);
}

static struct vitrine_error *put_item(struct merge *merge, struct part *part)
{
	switch (part->item.kind) {
	case FEED_RECORD:
		return put_record(merge, part);
	case FEED_LOST:
		return put_lost(merge, part);
	case FEED_UNTIMED:
		return put_untimed(merge, part);
	default:
		return NULL;
	}
}

/* Of two records at the same time, that of the trace named first comes first. */
static bool part_before(const void *left, const void *right)
{
	const struct part *a = left, *b = right;
	uint64_t a_ns = a->item.ns + a->delta_ns, b_ns = b->item.ns + b->delta_ns;

	return a_ns != b_ns ? a_ns < b_ns : a < b;
}

/* Read the first item of each trace. */
static struct vitrine_error *begin_all(struct merge *merge)
{
	struct vitrine_error *err = NULL;
	struct part *part;
	unsigned int i;

	for (i = 0; !err && i < merge->nr_parts; i++) {
		part = &merge->parts[i];
		err = feed_next(part->feed, &part->item);
		if (err || part->item.kind == FEED_END)
			continue;
		merge->heap[merge->nr_heap] = part;
		heap_rise(merge->heap, merge->nr_heap++, part_before);
	}
	return err;
}

static struct vitrine_error *merge_all(struct merge *merge)
{
	struct vitrine_error *err = begin_all(merge);
	struct part *part;

	while (!err && merge->nr_heap) {
		part = merge->heap[0];
		err = put_item(merge, part);
		if (!err)
			err = feed_next(part->feed, &part->item);
		if (part->item.kind == FEED_END)
			merge->heap[0] = merge->heap[--merge->nr_heap];
		heap_sink(merge->heap, merge->nr_heap, 0, part_before);
	}
	return err ? err : fxt_out_commit(merge->out);
}

/* ---- All of it ---- */

static struct vitrine_error *open_all(struct merge *merge,
				      const struct merge_args *args)
{
	struct vitrine_error *err = NULL;
	uint64_t base_ns;
	unsigned int i;

	merge->parts = calloc(args->nr_paths, sizeof(*merge->parts));
	merge->heap = calloc(args->nr_paths, sizeof(*merge->heap));
	if (!merge->parts || !merge->heap)
		return vtr_error_no_memory();
	merge->nr_parts = args->nr_paths;
	for (i = 0; !err && i < args->nr_paths; i++)
		err = open_part(&merge->parts[i], args->paths[i]);
	if (err)
		return err;
	base_ns = find_base(merge);
	place_parts(merge, base_ns);
	return fxt_out_create(args->out, base_ns, &merge->out);
}

static void print_counts(const struct merge *merge, const char *path)
{
	struct fxt_out_counts counts = fxt_out_counts(merge->out);
	const struct part *part;
	unsigned int i;

	for (i = 0; i < merge->nr_parts; i++) {
		part = &merge->parts[i];
		left_out_print(&part->left_out, part->faults.path, "a merged trace",
			       stderr);
	}
	left_out_note(path, counts.nr_refused, "records are too long", stderr);
	left_out_note_fxt(&counts, path, stderr);
}

static bool has_faults(const struct merge *merge)
{
	unsigned int i;

	for (i = 0; i < merge->nr_parts; i++)
		if (merge->parts[i].faults.nr)
			return true;
	return false;
}

static void deinit(struct merge *merge)
{
	unsigned int i;

	free(merge->heap);
	for (i = 0; i < merge->nr_parts; i++) {
		feed_destroy(merge->parts[i].feed);
		input_close(&merge->parts[i].input);
		fxt_names_deinit(&merge->parts[i].told);
		ids_source_deinit(&merge->parts[i].ids);
	}
	free(merge->parts);
	ids_deinit(&merge->ids);
	fxt_out_destroy(merge->out);
}

/**
 * merge_run() - merge traces
 * @args: the options
 *
 * Return: enum exit_code.
 */
int merge_run(const struct merge_args *args)
{
	struct merge merge = { .args = args };
	struct vitrine_error *err;
	int status;

	err = open_all(&merge, args);
	if (!err)
		err = merge_all(&merge);
	if (!err)
		print_counts(&merge, args->out);
	status = has_faults(&merge) ? EXIT_BAD_INPUT : EXIT_DONE;
	deinit(&merge);
	return err ? report_error(err) : status;
}
