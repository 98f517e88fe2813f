/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace in time order, as streams of packets with the losses between them, for converters
 * to other formats.
 *
 * A stream has the records of one provider for one CPU. Each provider has one more stream
 * for records without a CPU. A sub-buffer written by vitrine is a packet. For records of
 * other producers packets of limited length are made.
 */
#ifndef _VITRINE_CONVERT_FEED_H
#define _VITRINE_CONVERT_FEED_H

#include "pairs.h"
#include "vitrine.h"

/* Later times are clipped to this one: other formats count from 1970 in 63 bits. */
#define FEED_LAST_NS	(1ULL << 62)

/* Maximum number of records in a made packet. */
#define FEED_PACKET_RECORDS	16384

/**
 * struct feed_packet - a packet
 * @begin_ns: time of its first record, or earlier
 * @end_ns: time of its last record, or later
 * @sequence: number of the sub-buffer
 * @nr_lost: number of records lost since the previous packet
 * @nr_lost_packets: number of packets lost since the previous packet
 */
struct feed_packet {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t sequence;
	uint64_t nr_lost;
	uint64_t nr_lost_packets;
};

/**
 * struct feed_stream - a stream
 * @index: number of the stream, from 0 in the order in which streams were found
 * @provider: id of the provider
 * @cpu: CPU, or VITRINE_FXT_NO_CPU
 * @nr_before: number of records before the first sub-buffer, which are not in the trace
 * @begin_ns: time at which the first record of the first sub-buffer was written
 * @packets: packets of sub-buffers, by time
 * @nr_packets: number of @packets
 * @strays: times of records outside of their sub-buffer's time, during the first pass
 * @nr_strays: number of @strays
 * @next: index in @packets of the first packet that has not begun
 * @open: a packet is open
 * @made: @packet is not a sub-buffer
 * @packet: the packet that is open, or was open last
 * @nr_records: number of records in @packet
 * @user: data of the caller, allocated with malloc(); freed with the stream
 */
struct feed_stream {
	unsigned int index;
	uint32_t provider;
	uint32_t cpu;
	uint64_t nr_before;
	uint64_t begin_ns;
	struct feed_packet *packets;
	size_t nr_packets;
	uint64_t *strays;
	size_t nr_strays;
	size_t next;
	bool open;
	bool made;
	struct feed_packet packet;
	uint64_t nr_records;
	void *user;
};

/**
 * enum feed_kind - kind of an item
 * @FEED_END: end of the trace
 * @FEED_PACKET_BEGIN: a packet of @stream begins
 * @FEED_PACKET_END: the packet of @stream ends
 * @FEED_LOST: records or packets are lost between the packet of @stream that ended and the
 *	next one
 * @FEED_RECORD: a record of @stream
 * @FEED_UNTIMED: a record without a time, which belongs to no stream
 */
enum feed_kind {
	FEED_END,
	FEED_PACKET_BEGIN,
	FEED_PACKET_END,
	FEED_LOST,
	FEED_RECORD,
	FEED_UNTIMED,
};

/**
 * struct feed_item - an item read from a feed
 * @kind: kind of the item
 * @stream: the stream, or NULL for FEED_END and FEED_UNTIMED
 * @ns: time of the item, not earlier than that of the previous item
 * @record: for FEED_RECORD and FEED_UNTIMED, the record; its strings are valid until the
 *	next call of feed_next()
 * @lost: for FEED_LOST, the next packet
 * @last: for FEED_PACKET_END, no packet of a sub-buffer follows in @stream
 */
struct feed_item {
	enum feed_kind kind;
	struct feed_stream *stream;
	uint64_t ns;
	const struct vitrine_fxt_record *record;
	const struct feed_packet *lost;
	bool last;
};

struct feed;

struct vitrine_error *feed_create(const char *path,
				  const struct vitrine_fxt_report *report,
				  struct feed **ret);
void feed_destroy(struct feed *feed);
void feed_part(struct feed *feed, pairs_wanted_fn *wanted);
struct vitrine_error *feed_next(struct feed *feed, struct feed_item *ret);
const struct vitrine_archive *feed_archive(const struct feed *feed);
uint32_t feed_nr_cpus(const struct feed *feed);
bool feed_realtime(const struct feed *feed, uint64_t *ret_ns);

#endif /* _VITRINE_CONVERT_FEED_H */
