// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Split a trace file into streams of packets, in time order.
 *
 * The file is read twice. The first pass reads the packet headers of sub-buffers and
 * computes the losses between them. The second pass, in archive.c, reads the records. The
 * memory needed grows with the number of sub-buffers, not of records, except that the first
 * pass keeps the time of each record that began before its sub-buffer.
 */
#include <stdlib.h>

#include "error.h"
#include "feed.h"
#include "fxt.h"
#include "fxt_file.h"
#include "grow.h"
#include "hash.h"
#include "pairs.h"

#define NEVER	UINT64_MAX

/**
 * struct feed - a trace that is being read
 * @file: contents of the file, during the first pass
 * @archive: the records in time order
 * @pairs: splits complete durations of @archive
 * @streams: all streams, by index
 * @nr_streams: number of @streams
 * @by_cpu: hash table of @streams, by provider and CPU; number 1 is the first stream
 * @nr_cpus: highest CPU of a record, plus one
 * @due_ns: time at which the next packet of any stream begins or ends
 * @last_ns: time of the last item
 * @record: next record, or NULL
 * @record_ns: time of @record
 * @ended: there are no more records
 * @closed: the stream whose packet ended with the last item, or NULL
 * @realtime: @realtime_ns is known
 * @realtime_ns: CLOCK_REALTIME at time 0
 */
struct feed {
	struct fxt_file file;
	struct vitrine_archive *archive;
	struct pairs pairs;
	struct feed_stream **streams;
	unsigned int nr_streams;
	struct hash by_cpu;
	uint32_t nr_cpus;
	uint64_t due_ns;
	uint64_t last_ns;
	const struct vitrine_fxt_record *record;
	uint64_t record_ns;
	bool ended;
	struct feed_stream *closed;
	bool realtime;
	uint64_t realtime_ns;
};

static uint64_t to_ns(uint64_t ticks, uint64_t rate)
{
	uint64_t ns = vitrine_fxt_ns(ticks, rate);

	return ns < FEED_LAST_NS ? ns : FEED_LAST_NS;
}

/* ---- Streams ---- */

static uint32_t hash_stream(const struct feed_stream *stream)
{
	return (stream->provider * 0x9e3779b1U ^ stream->cpu * 0x85ebca6bU) >> 7;
}

static uint32_t hash_number(const void *owner, uint32_t number)
{
	const struct feed *feed = owner;

	return hash_stream(feed->streams[number - 1]);
}

static bool has_number(const void *owner, uint32_t number, const void *key)
{
	const struct feed_stream *stream, *sought = key;
	const struct feed *feed = owner;

	stream = feed->streams[number - 1];
	return stream->provider == sought->provider &&
	       stream->cpu == sought->cpu;
}

/* Look up a stream, and create it if necessary. Return NULL without memory. */
static struct feed_stream *stream_get(struct feed *feed, uint32_t provider,
				      uint32_t cpu)
{
	const struct feed_stream key = {
		.index = feed->nr_streams,
		.provider = provider,
		.cpu = cpu,
	};
	struct feed_stream *stream;
	uint32_t *slot;

	if (!hash_reserve(&feed->by_cpu, feed->nr_streams, hash_number, feed))
		return NULL;
	slot = hash_find(&feed->by_cpu, hash_stream(&key), has_number, feed,
			 &key);
	if (*slot)
		return feed->streams[*slot - 1];
	stream = GROW(feed->streams, feed->nr_streams) ?
		 malloc(sizeof(*stream)) : NULL;
	if (!stream)
		return NULL;
	*stream = key;
	feed->streams[feed->nr_streams++] = stream;
	*slot = feed->nr_streams;
	return stream;
}

/* ---- Packet headers ---- */

/* The last sub-buffer of a provider during the first pass. */
struct look {
	struct vitrine_packet packet;
	struct feed_stream *stream;
	uint64_t nr_timed;
	uint64_t begin;
};

static struct feed_packet *add_packet(struct feed_stream *stream)
{
	size_t nr = stream->nr_packets;

	if (!GROW(stream->packets, nr))
		return NULL;
	return &stream->packets[stream->nr_packets++];
}

/* Count the records and packets lost between two sub-buffers of a CPU and session. */
static void count_lost(const struct look *look,
		       const struct vitrine_packet *packet,
		       struct feed_packet *ret)
{
	struct fxt_loss loss;

	if (!look->stream || look->packet.session != packet->session)
		return;
	loss = fxt_packet_loss(&look->packet, look->nr_timed, packet);
	ret->nr_lost = loss.nr_missing + loss.nr_unwritten;
	ret->nr_lost_packets = loss.nr_subbufs;
}

static bool look_at_packet(struct feed *feed, struct look *look,
			   const struct vitrine_packet *packet,
			   const struct vitrine_fxt_record *record)
{
	uint64_t rate = record->ticks_per_second, session_ns;
	struct feed_stream *stream;
	struct feed_packet *entry;

	stream = stream_get(feed, record->provider, packet->cpu);
	entry = stream ? add_packet(stream) : NULL;
	if (!entry)
		return false;
	if (stream->nr_packets == 1) {
		stream->nr_before = packet->records_before;
		stream->begin_ns = to_ns(packet->begin_ticks, rate);
	}
	*entry = (struct feed_packet){
		.begin_ns = to_ns(packet->begin_ticks, rate),
		.end_ns = to_ns(packet->end_ticks, rate),
		.sequence = packet->sequence,
	};
	count_lost(look, packet, entry);
	look->packet = *packet;
	look->stream = stream;
	look->nr_timed = 0;
	look->begin = record->offset - (VITRINE_PACKET_OFFSET -
					2 * FXT_WORD_BYTES);
	if (!feed->realtime && packet->session_realtime_ns &&
	    packet->session_realtime_ns < FEED_LAST_NS) {
		feed->realtime = true;
		session_ns = to_ns(packet->session_ticks, rate);
		if (packet->session_realtime_ns > session_ns)
			feed->realtime_ns = packet->session_realtime_ns - session_ns;
	}
	return true;
}

static bool add_stray(struct feed_stream *stream, uint64_t ns)
{
	size_t nr = stream->nr_strays;

	if (!GROW(stream->strays, nr))
		return false;
	stream->strays[stream->nr_strays++] = ns;
	return true;
}

/*
 * Records that the recorder wrote after a sub-buffer belong to the packet of the sub-buffer.
 * A record whose time is outside of its sub-buffer, such as a duration that began earlier,
 * is placed by its time, which may be between two packets.
 */
static bool look_at_timed(struct feed *feed, struct look *look,
			  const struct vitrine_fxt_record *record)
{
	bool inside = record->offset - look->begin <
		      look->packet.committed_bytes;
	uint64_t written = fxt_written_ticks(record), ns;
	struct feed_stream *stream = look->stream;
	struct feed_packet *packet;

	look->nr_timed += inside;
	if (inside && record->ticks >= look->packet.begin_ticks &&
	    written <= look->packet.end_ticks && record->cpu == stream->cpu)
		return true;
	ns = to_ns(record->ticks, record->ticks_per_second);
	if (!inside) {
		packet = &stream->packets[stream->nr_packets - 1];
		if (ns > packet->end_ns)
			packet->end_ns = ns;
	}
	stream = stream_get(feed, record->provider, record->cpu);
	return stream && add_stray(stream, ns) &&
	       (written == record->ticks ||
		add_stray(stream, to_ns(written, record->ticks_per_second)));
}

static bool look_at_record(struct feed *feed, struct vitrine_fxt *fxt)
{
	struct look *look = fxt->provider->owner;
	struct vitrine_packet packet;

	if (fxt_packet_read(&fxt->decoder, &fxt->record, &packet)) {
		if (!look) {
			look = calloc(1, sizeof(*look));
			fxt->provider->owner = look;
		}
		return look && look_at_packet(feed, look, &packet,
					      &fxt->record);
	}
	if (!fxt->record.timed)
		return true;
	if (fxt->record.cpu != VITRINE_FXT_NO_CPU &&
	    fxt->record.cpu >= feed->nr_cpus)
		feed->nr_cpus = fxt->record.cpu + 1;
	return !look || look_at_timed(feed, look, &fxt->record);
}

static struct vitrine_error *look_at_all(struct feed *feed,
					 struct vitrine_fxt *fxt,
					 const struct fxt_file *file,
					 const char *path)
{
	uint64_t limit = FXT_RELEASE_BYTES;

	for (;;) {
		switch (fxt_next(fxt)) {
		case FXT_OK:
			if (!look_at_record(feed, fxt))
				return vtr_error_no_memory();
			break;
		case FXT_STOP:
			return fxt_stop_error(fxt, path);
		case FXT_END:
			return NULL;
		default:
			break;
		}
		limit = fxt_file_pass(file, limit, fxt->offset);
	}
}

static int compare_packets(const void *left, const void *right)
{
	const struct feed_packet *a = left, *b = right;

	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

/* Sort the packets, and remove overlaps that malformed headers may cause. */
static void order_packets(struct feed_stream *stream)
{
	struct feed_packet *packet;
	uint64_t ns = 0;
	size_t i;

	if (stream->nr_packets)
		qsort(stream->packets, stream->nr_packets,
		      sizeof(*stream->packets), compare_packets);
	for (i = 0; i < stream->nr_packets; i++) {
		packet = &stream->packets[i];
		if (packet->begin_ns < ns)
			packet->begin_ns = ns;
		if (packet->end_ns < packet->begin_ns)
			packet->end_ns = packet->begin_ns;
		ns = packet->end_ns;
	}
}

/*
 * Extend packets backwards to the records before them. This must be done before packets are
 * returned: an item of a loss contains the begin of the next packet.
 */
static void place_strays(struct feed_stream *stream)
{
	size_t i, first, end, middle;

	for (i = 0; i < stream->nr_strays; i++) {
		first = 0;
		end = stream->nr_packets;
		while (first < end) {
			middle = first + (end - first) / 2;
			if (stream->packets[middle].end_ns < stream->strays[i])
				first = middle + 1;
			else
				end = middle;
		}
		if (first < stream->nr_packets &&
		    stream->strays[i] < stream->packets[first].begin_ns)
			stream->packets[first].begin_ns = stream->strays[i];
	}
	free(stream->strays);
	stream->strays = NULL;
	stream->nr_strays = 0;
}

static void free_looks(struct vitrine_fxt *fxt)
{
	struct fxt_provider *provider;

	for (provider = fxt_providers_next(&fxt->providers, NULL); provider;
	     provider = fxt_providers_next(&fxt->providers, provider))
		free(provider->owner);
}

static struct vitrine_error *find_packets(struct feed *feed, const char *path)
{
	const struct fxt_file *file = &feed->file;
	struct vitrine_fxt fxt;
	struct vitrine_error *err;
	unsigned int i;

	err = fxt_init(&fxt, file->bytes, file->len_bytes, path);
	if (err)
		return err;
	/* The archive reports the faults of the file. */
	fxt.decoder.fault = NULL;
	err = look_at_all(feed, &fxt, file, path);
	free_looks(&fxt);
	fxt_deinit(&fxt);
	for (i = 0; i < feed->nr_streams; i++) {
		order_packets(feed->streams[i]);
		place_strays(feed->streams[i]);
	}
	return err;
}

/* If the file could not be mapped, use the bytes that were read: a second read may differ. */
static struct vitrine_error *open_archive(struct feed *feed, const char *path,
					  const struct vitrine_fxt_report *report)
{
	if (!feed->file.mapped)
		return vitrine_archive_from_bytes(feed->file.bytes,
						  feed->file.len_bytes, report,
						  &feed->archive);
	fxt_file_close(&feed->file);
	return vitrine_archive_create(path, report, &feed->archive);
}

/**
 * feed_create() - open a trace file
 * @path: the file; a pipe, or one of debugfs, is read into memory
 * @report: callbacks for faults and notes, called before this function returns
 * @ret: the feed
 *
 * Return: NULL, or an error as vitrine_archive_create() does.
 */
struct vitrine_error *feed_create(const char *path,
				  const struct vitrine_fxt_report *report,
				  struct feed **ret)
{
	struct feed *feed = calloc(1, sizeof(*feed));
	struct vitrine_error *err;

	if (!feed)
		return vtr_error_no_memory();
	err = fxt_file_open(path, &feed->file);
	if (!err)
		err = find_packets(feed, path);
	if (!err)
		err = open_archive(feed, path, report);
	if (err) {
		feed_destroy(feed);
		return err;
	}
	*ret = feed;
	return NULL;
}

/**
 * feed_destroy() - close a trace
 * @feed: feed, or NULL
 */
void feed_destroy(struct feed *feed)
{
	unsigned int i;

	if (!feed)
		return;
	for (i = 0; i < feed->nr_streams; i++) {
		free(feed->streams[i]->packets);
		free(feed->streams[i]->user);
		free(feed->streams[i]);
	}
	free(feed->streams);
	free(feed->by_cpu.slots);
	pairs_deinit(&feed->pairs);
	vitrine_archive_destroy(feed->archive);
	fxt_file_close(&feed->file);
	free(feed);
}

/**
 * feed_part() - split complete durations into a begin and an end
 * @feed: feed from which nothing has been read yet
 * @wanted: selects the durations to split
 */
void feed_part(struct feed *feed, pairs_wanted_fn *wanted)
{
	feed->pairs.wanted = wanted;
}

/**
 * feed_archive() - return the archive, to look up names
 * @feed: feed
 *
 * Return: the archive from which the feed reads its records.
 */
const struct vitrine_archive *feed_archive(const struct feed *feed)
{
	return feed->archive;
}

/**
 * feed_nr_cpus() - return the number of CPUs
 * @feed: feed
 *
 * Return: the highest CPU of a record, plus one.
 */
uint32_t feed_nr_cpus(const struct feed *feed)
{
	return feed->nr_cpus;
}

/**
 * feed_realtime() - return the wall-clock time of time 0
 * @feed: feed
 * @ret_ns: CLOCK_REALTIME at time 0, according to the first session in the file
 *
 * Return: false if the trace has no wall-clock time; @ret_ns is unchanged then.
 */
bool feed_realtime(const struct feed *feed, uint64_t *ret_ns)
{
	if (feed->realtime)
		*ret_ns = feed->realtime_ns;
	return feed->realtime;
}

/* ---- One item after the other ---- */

/*
 * Return the time at which the packet of a stream ends or its next packet begins. A packet
 * ends after all records of its last nanosecond.
 */
static uint64_t due_of(const struct feed_stream *stream)
{
	if (stream->open && !stream->made)
		return stream->packet.end_ns + 1;
	return stream->next < stream->nr_packets ?
		       stream->packets[stream->next].begin_ns : NEVER;
}

/* Return the stream that is due first. At the same time, ends precede begins. */
static struct feed_stream *earliest(struct feed *feed)
{
	struct feed_stream *first = NULL, *stream;
	uint64_t due;
	unsigned int i;

	feed->due_ns = NEVER;
	for (i = 0; i < feed->nr_streams; i++) {
		stream = feed->streams[i];
		due = due_of(stream);
		if (due < feed->due_ns ||
		    (first && due == feed->due_ns && stream->open &&
		     !first->open)) {
			feed->due_ns = due;
			first = stream;
		}
	}
	return first;
}

static void put_item(struct feed *feed, enum feed_kind kind,
		     struct feed_stream *stream, uint64_t ns,
		     struct feed_item *ret)
{
	if (ns < feed->last_ns)
		ns = feed->last_ns;
	feed->last_ns = ns;
	*ret = (struct feed_item){
		.kind = kind,
		.stream = stream,
		.ns = ns,
	};
}

/* Return a loss as an item, once, directly after the end of the preceding packet. */
static bool take_lost(struct feed *feed, struct feed_item *ret)
{
	struct feed_stream *stream = feed->closed;
	const struct feed_packet *next;

	feed->closed = NULL;
	if (!stream || stream->next == stream->nr_packets)
		return false;
	next = &stream->packets[stream->next];
	if (!next->nr_lost && !next->nr_lost_packets)
		return false;
	put_item(feed, FEED_LOST, stream, stream->packet.end_ns, ret);
	ret->lost = next;
	return true;
}

static void end_packet(struct feed *feed, struct feed_stream *stream,
		       uint64_t ns, struct feed_item *ret)
{
	stream->open = false;
	feed->closed = stream;
	put_item(feed, FEED_PACKET_END, stream, ns, ret);
	stream->packet.end_ns = ret->ns;
}

static void end_sub_buffer(struct feed *feed, struct feed_stream *stream,
			   struct feed_item *ret)
{
	end_packet(feed, stream, stream->packet.end_ns, ret);
	ret->last = stream->next == stream->nr_packets;
}

/* Begin the packet of the next sub-buffer at @ns, or a made one if there is no sub-buffer. */
static void begin_packet(struct feed *feed, struct feed_stream *stream,
			 uint64_t ns, struct feed_item *ret)
{
	stream->made = stream->next == stream->nr_packets;
	stream->packet = (struct feed_packet){ .end_ns = FEED_LAST_NS };
	if (!stream->made)
		stream->packet = stream->packets[stream->next++];
	stream->open = true;
	stream->nr_records = 0;
	put_item(feed, FEED_PACKET_BEGIN, stream, ns, ret);
	stream->packet.begin_ns = ret->ns;
	if (stream->packet.end_ns < ret->ns)
		stream->packet.end_ns = ret->ns;
	if (due_of(stream) < feed->due_ns)
		feed->due_ns = due_of(stream);
}

static void serve(struct feed *feed, struct feed_stream *stream,
		  struct feed_item *ret)
{
	if (!stream->open)
		begin_packet(feed, stream,
			     stream->packets[stream->next].begin_ns, ret);
	else if (stream->made)
		end_packet(feed, stream, feed->last_ns, ret);
	else
		end_sub_buffer(feed, stream, ret);
}

static struct vitrine_error *fetch(struct feed *feed)
{
	struct vitrine_error *err;

	err = pairs_next(&feed->pairs, feed->archive, &feed->record);
	if (err)
		return err;
	if (!feed->record)
		feed->ended = true;
	else if (feed->record->timed)
		feed->record_ns = to_ns(feed->record->ticks,
					feed->record->ticks_per_second);
	return NULL;
}

/* End a made packet, which has no end time, at the end of the trace. */
static bool end_made(struct feed *feed, struct feed_item *ret)
{
	unsigned int i;

	for (i = 0; i < feed->nr_streams; i++) {
		if (feed->streams[i]->open) {
			end_packet(feed, feed->streams[i], feed->last_ns, ret);
			ret->last = true;
			return true;
		}
	}
	return false;
}

/* Return the next record, or first the begin or end of a packet in its stream. */
static struct vitrine_error *take_record(struct feed *feed,
					 struct feed_item *ret)
{
	struct feed_stream *stream;

	stream = stream_get(feed, feed->record->provider, feed->record->cpu);
	if (!stream)
		return vtr_error_no_memory();
	if (!stream->open) {
		begin_packet(feed, stream, feed->record_ns, ret);
		return NULL;
	}
	if (stream->made && stream->nr_records == FEED_PACKET_RECORDS) {
		end_packet(feed, stream, feed->last_ns, ret);
		return NULL;
	}
	stream->nr_records++;
	put_item(feed, FEED_RECORD, stream, feed->record_ns, ret);
	ret->record = feed->record;
	feed->record = NULL;
	return NULL;
}

/**
 * feed_next() - read the next item
 * @feed: feed
 * @ret: the item
 *
 * Return: NULL, or an error: ENOMEM.
 */
struct vitrine_error *feed_next(struct feed *feed, struct feed_item *ret)
{
	struct feed_stream *stream;
	struct vitrine_error *err;

	if (take_lost(feed, ret))
		return NULL;
	if (!feed->record && !feed->ended) {
		err = fetch(feed);
		if (err)
			return err;
	}
	if (feed->record && !feed->record->timed) {
		put_item(feed, FEED_UNTIMED, NULL, feed->last_ns, ret);
		ret->record = feed->record;
		feed->record = NULL;
		return NULL;
	}
	if (feed->ended || feed->due_ns <= feed->record_ns) {
		stream = earliest(feed);
		if (stream && (feed->ended ||
			       feed->due_ns <= feed->record_ns)) {
			serve(feed, stream, ret);
			return NULL;
		}
	}
	if (feed->record)
		return take_record(feed, ret);
	if (!end_made(feed, ret))
		put_item(feed, FEED_END, NULL, feed->last_ns, ret);
	return NULL;
}
