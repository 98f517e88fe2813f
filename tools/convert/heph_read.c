// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Makes a Fuchsia trace of one in Heph's trace format: ours, or of any other
 * writer. Here are packets, streams and the file; for events see heph_event.c.
 *
 * The file is looked through once, for its streams and for their order; if one
 * of them is not in order, a list of all events is sorted in memory.
 */
#define _GNU_SOURCE	/* tdestroy() */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "error.h"
#include "fxt.h"
#include "heph_read.h"

/* FXT counts CPUs to this. */
#define MAX_CPUS	0x10000

/**
 * struct heph_stream - a stream
 * @id: of the stream
 * @cpu: it has switches or wakeups: it is a CPU
 * @last: start of its last event
 * @next: counter its next event should have
 * @begun: there was an event
 */
struct heph_stream {
	uint32_t id;
	bool cpu;
	uint64_t last;
	uint32_t next;
	bool begun;
};

/* Where an event is, and when it began. */
struct heph_place {
	uint64_t start;
	uint64_t offset;
};

/* ---- Packets ---- */

/**
 * heph_malformed() - the file is not what it should be
 * @heph: the file
 * @offset: where
 * @what: what is wrong
 *
 * Return: the error, EBADMSG.
 */
struct vitrine_error *heph_malformed(const struct heph *heph, uint64_t offset,
				     const char *what)
{
	return vitrine_error_create(EBADMSG, heph->path, offset, NULL, "%s",
				    what);
}

static struct vitrine_error *take_packet(const struct heph *heph,
					 uint64_t offset,
					 struct heph_packet *ret)
{
	uint64_t at = offset, left = heph->file->len_bytes - offset, magic;
	uint64_t size, least;

	if (left < 8)
		return heph_malformed(heph, offset, "packet is cut short");
	magic = heph_take(heph, &at, 4);
	size = heph_take(heph, &at, 4);
	if (magic != HEPH_EVENT_MAGIC && magic != HEPH_METADATA_MAGIC)
		return heph_malformed(heph, offset,
				      "neither event nor metadata");
	ret->event = magic == HEPH_EVENT_MAGIC;
	least = ret->event ? HEPH_EVENT_BYTES : HEPH_METADATA_BYTES;
	if (size < least || size > left)
		return heph_malformed(heph, offset, size < least ?
				      "packet is shorter than its fields" :
				      "packet is longer than the file");
	ret->offset = offset;
	ret->end = offset + size;
	if (ret->event) {
		ret->stream = heph_take(heph, &at, 4);
		ret->counter = heph_take(heph, &at, 4);
		ret->substream = heph_take(heph, &at, 8);
		ret->start = heph_take(heph, &at, 8);
		ret->finish = heph_take(heph, &at, 8);
	}
	if (!heph_take_text(heph, &at, ret->end, &ret->name))
		return heph_malformed(heph, offset, ret->event ?
				      "description is longer than its packet" :
				      "option's name is longer than its packet");
	ret->at = at;
	return NULL;
}

/* ---- Streams ---- */

static int compare_streams(const void *left, const void *right)
{
	const struct heph_stream *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

static struct heph_stream *stream_of(struct heph *heph, uint32_t id)
{
	struct heph_stream wanted = { .id = id }, *made, **found;

	found = tfind(&wanted, &heph->streams, compare_streams);
	if (found)
		return *found;
	made = calloc(1, sizeof(*made));
	if (!made)
		return NULL;
	made->id = id;
	if (!tsearch(made, &heph->streams, compare_streams)) {
		free(made);
		return NULL;
	}
	return made;
}

/* A gap in the counter: so many are missing. */
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

/* All that belongs to no CPU goes into one lane. */
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

/* Now and then, what was read is given back. */
static void release(const struct heph *heph, uint64_t offset,
		    uint64_t *released)
{
	if (offset - *released < FXT_RELEASE_BYTES)
		return;
	fxt_file_release(heph->file, *released, offset);
	*released = offset;
}

static struct vitrine_error *look_through(struct heph *heph)
{
	uint64_t offset = 0, last_other = 0, released = 0;
	struct vitrine_error *err = NULL;
	struct heph_packet packet;

	for (; !err && offset < heph->file->len_bytes; offset = packet.end) {
		err = take_packet(heph, offset, &packet);
		if (err)
			break;
		release(heph, offset, &released);
		if (packet.event)
			err = look_at_event(heph, &packet, &last_other);
		else
			look_at_option(heph, &packet);
	}
	/* What is left out is counted when it is. */
	heph->left_out = (struct left_out){ 0 };
	return err;
}

static struct vitrine_error *write_in_order(struct heph *heph)
{
	uint64_t offset = 0, released = 0;
	struct vitrine_error *err = NULL;
	struct heph_packet packet;

	for (; !err && offset < heph->file->len_bytes; offset = packet.end) {
		err = take_packet(heph, offset, &packet);
		if (!err && packet.event)
			err = write_event(heph, &packet);
		if (err)
			break;
		release(heph, offset, &released);
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
		err = take_packet(heph, offset, &packet);
		if (err)
			break;
		if (packet.event)
			heph->places[nr++] = (struct heph_place){
				packet.start, offset };
	}
	qsort(heph->places, nr, sizeof(*heph->places), compare_places);
	for (i = 0; !err && i < nr; i++) {
		err = take_packet(heph, heph->places[i].offset, &packet);
		if (!err)
			err = write_event(heph, &packet);
	}
	return err;
}

static void print_counts(const struct heph *heph, FILE *notes)
{
	struct fxt_out_counts counts = fxt_out_counts(heph->out);
	struct left_out left_out = heph->left_out;

	left_out.nr[LEFT_OUT_EVENT] += counts.nr_refused;
	left_out_print(&left_out, heph->path, "a Fuchsia trace", notes);
	if (counts.nr_breaks)
		fprintf(notes,
			"vitrine: %s: %llu switches from a thread that was not running: for each, one record before it is counted as lost\n",
			heph->path, (unsigned long long)counts.nr_breaks);
	if (heph->nr_options)
		fprintf(notes,
			"vitrine: %s: %" PRIu64 " options are not known\n",
			heph->path, heph->nr_options);
	if (heph->unsorted)
		fprintf(notes,
			"vitrine: %s: not in time order: sorted in memory; gaps in counters are not looked at\n",
			heph->path);
}

/**
 * heph_detect() - is this a trace in Heph's format?
 * @bytes: its first bytes
 * @len_bytes: how many
 *
 * Return: true if it begins as one does.
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
 * heph_read_file() - make a Fuchsia trace of a file that is open
 * @file: its bytes
 * @from: its name
 * @to: file to make
 * @notes: told what was left out, or NULL
 *
 * Return: NULL, or an error; then there is no such file.
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
 * heph_read() - make a Fuchsia trace of one in Heph's format
 * @from: the file
 * @to: file to make
 *
 * Return: NULL, or an error; then there is no such file.
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
