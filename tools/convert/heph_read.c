// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Convert a file in Heph's trace format, written by vitrine or by others, to a Fuchsia trace.
 * This file follows the streams; heph_packet.c reads packets, and heph_event.c converts
 * events.
 *
 * A first pass finds the streams and checks whether they are in time order. If not, a list
 * of all events is sorted in memory.
 */
#define _GNU_SOURCE	/* tdestroy() */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "error.h"
#include "fxt_file.h"
#include "fxt_record.h"
#include "heph.h"
#include "heph_event.h"
#include "registry.h"

/* Number of CPUs that FXT can represent. */
#define MAX_CPUS	0x10000

/**
 * struct heph_stream - a stream
 * @id: id of the stream
 * @cpu: the stream is a CPU, because it has switches or wakeups
 * @last: start of the last event
 * @next: expected counter of the next event
 * @begun: the stream has had an event
 */
struct heph_stream {
	uint32_t id;
	bool cpu;
	uint64_t last;
	uint32_t next;
	bool begun;
};

/* Start time of an event, and its position in the file. */
struct heph_place {
	uint64_t start;
	uint64_t offset;
};

/* ---- Streams ---- */

static int compare_streams(const void *left, const void *right)
{
	const struct heph_stream *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

static struct heph_stream *stream_of(struct heph *heph, uint32_t id)
{
	struct heph_stream wanted = { .id = id };

	return registry_get(&heph->streams, &wanted, sizeof(wanted),
			    compare_streams, NULL);
}

/* Report a gap in the counter of a stream as lost records. */
static struct vitrine_error *follow_counter(const struct heph *heph,
					    struct heph_stream *stream,
					    struct fxt_lane_out *lane,
					    const struct heph_packet *packet)
{
	uint32_t gap = packet->counter - stream->next;
	bool lost = stream->begun && stream->cpu && !heph->unsorted &&
		    gap && gap < 1U << 31;

	stream->begun = true;
	stream->next = packet->counter + 1;
	return lost ? fxt_lane_out_lost(lane, gap) : NULL;
}

static struct vitrine_error *write_event(struct heph *heph,
					 const struct heph_packet *packet)
{
	struct heph_stream *stream = stream_of(heph, packet->stream);
	struct vitrine_fxt_record record;
	struct fxt_lane_out *lane;
	struct vitrine_error *err;
	struct heph_found found;

	record.cpu = stream->cpu ? packet->stream : VITRINE_FXT_NO_CPU;
	err = fxt_lane_out_get(heph->out, record.cpu, &lane);
	if (!err)
		err = follow_counter(heph, stream, lane, packet);
	if (!err)
		err = heph_take_attributes(heph, packet, &record, &found);
	if (err)
		return err;
	if (found.kind == KIND_NAME)
		return heph_learn_name(heph, packet, &found) ? NULL :
						vtr_error_no_memory();
	if (!stream->cpu && (found.kind == KIND_SWITCH ||
			     found.kind == KIND_WAKEUP)) {
		heph->left_out.nr[LEFT_OUT_SCHEDULING]++;
		return NULL;
	}
	heph_make_record(heph, packet, &found, &record);
	return fxt_lane_out_put(lane, &record);
}

/* ---- The file ---- */

static void look_at_option(struct heph *heph, const struct heph_packet *packet)
{
	uint64_t at = packet->at;

	if (fxt_string_is(&packet->name, HEPH_EPOCH) && packet->end - at == 8)
		heph->epoch_ns = heph_take(heph, &at, 8);
	else
		heph->nr_options++;
}

/* All events of streams that are not CPUs go to one lane, and must be in time order there. */
static struct vitrine_error *look_at_event(struct heph *heph,
					   const struct heph_packet *packet,
					   uint64_t *last_other)
{
	struct heph_stream *stream = stream_of(heph, packet->stream);
	struct vitrine_fxt_record record;
	struct vitrine_error *err;
	struct heph_found found;

	if (!stream)
		return vtr_error_no_memory();
	err = heph_take_attributes(heph, packet, &record, &found);
	if (err)
		return err;
	if ((found.kind == KIND_SWITCH || found.kind == KIND_WAKEUP) &&
	    stream->id < MAX_CPUS)
		stream->cpu = true;
	if (packet->start < stream->last ||
	    (!stream->cpu && packet->start < *last_other))
		heph->unsorted = true;
	stream->last = packet->start;
	if (!stream->cpu)
		*last_other = packet->start;
	heph->nr_places++;
	return NULL;
}

static struct vitrine_error *look_through(struct heph *heph)
{
	uint64_t offset = 0, last_other = 0;
	uint64_t limit = FXT_RELEASE_BYTES;
	struct vitrine_error *err = NULL;
	struct heph_packet packet;

	for (; !err && offset < heph->file->len_bytes; offset = packet.end) {
		err = heph_take_packet(heph, offset, &packet);
		if (err)
			break;
		limit = fxt_file_pass(heph->file, limit, offset);
		if (packet.event)
			err = look_at_event(heph, &packet, &last_other);
		else
			look_at_option(heph, &packet);
	}
	/* The second pass counts what is left out. */
	heph->left_out = (struct left_out){ 0 };
	return err;
}

static struct vitrine_error *write_in_order(struct heph *heph)
{
	uint64_t limit = FXT_RELEASE_BYTES, offset = 0;
	struct vitrine_error *err = NULL;
	struct heph_packet packet;

	for (; !err && offset < heph->file->len_bytes; offset = packet.end) {
		err = heph_take_packet(heph, offset, &packet);
		if (!err && packet.event)
			err = write_event(heph, &packet);
		if (err)
			break;
		limit = fxt_file_pass(heph->file, limit, offset);
	}
	return err;
}

static int compare_places(const void *left, const void *right)
{
	const struct heph_place *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

static struct vitrine_error *write_sorted(struct heph *heph)
{
	struct vitrine_error *err = NULL;
	struct heph_packet packet;
	uint64_t offset = 0;
	size_t i, nr = 0;

	heph->places = calloc(heph->nr_places, sizeof(*heph->places));
	if (!heph->places)
		return vtr_error_no_memory();
	for (; !err && offset < heph->file->len_bytes; offset = packet.end) {
		err = heph_take_packet(heph, offset, &packet);
		if (err)
			break;
		if (packet.event)
			heph->places[nr++] = (struct heph_place){
				packet.start, offset };
	}
	qsort(heph->places, nr, sizeof(*heph->places), compare_places);
	for (i = 0; !err && i < nr; i++) {
		err = heph_take_packet(heph, heph->places[i].offset, &packet);
		if (!err)
			err = write_event(heph, &packet);
	}
	return err;
}

static void print_counts(const struct heph *heph, FILE *notes)
{
	struct fxt_out_counts counts = fxt_out_counts(heph->out);

	left_out_print_fxt(heph->left_out, &counts, heph->path, notes);
	left_out_note(heph->path, heph->nr_options, "options are not known", notes);
	if (heph->unsorted)
		fprintf(notes,
			"vitrine: %s: not in time order: sorted in memory; packet counters are not checked for gaps\n",
			heph->path);
}

/**
 * heph_detect() - check whether a file is in Heph's format
 * @bytes: first bytes of the file
 * @len_bytes: number of @bytes
 *
 * Return: true if the file begins with the magic number of a packet.
 */
bool heph_detect(const void *bytes, size_t len_bytes)
{
	const unsigned char *at = bytes;
	uint32_t magic;

	if (len_bytes < 4)
		return false;
	magic = (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
	return magic == HEPH_METADATA_MAGIC || magic == HEPH_EVENT_MAGIC;
}

/**
 * heph_read_file() - convert an open file in Heph's format to a Fuchsia trace
 * @file: contents of the file
 * @from: name of the file
 * @to: file to write
 * @notes: stream for notes on what was left out, or NULL
 *
 * Return: NULL, or an error; after an error @to is not written.
 */
struct vitrine_error *heph_read_file(const struct fxt_file *file,
				     const char *from, const char *to,
				     FILE *notes)
{
	struct heph heph = { .file = file, .path = from };
	struct vitrine_error *err;

	err = look_through(&heph);
	if (!err)
		err = fxt_out_create(to, heph.epoch_ns < HEPH_LAST_NS ?
				     heph.epoch_ns : 0, &heph.out);
	if (!err)
		err = heph.unsorted ? write_sorted(&heph) :
				      write_in_order(&heph);
	if (!err)
		err = fxt_out_commit(heph.out);
	if (!err && notes)
		print_counts(&heph, notes);
	fxt_out_destroy(heph.out);
	tdestroy(heph.streams, free);
	free(heph.places);
	return err;
}

/**
 * heph_read() - convert a file in Heph's format to a Fuchsia trace
 * @from: name of the file
 * @to: file to write
 *
 * Return: NULL, or an error; after an error @to is not written.
 */
struct vitrine_error *heph_read(const char *from, const char *to)
{
	struct vitrine_error *err;
	struct fxt_file file;

	err = fxt_file_open(from, &file);
	if (err)
		return err;
	err = heph_read_file(&file, from, to, stderr);
	fxt_file_close(&file);
	return err;
}
