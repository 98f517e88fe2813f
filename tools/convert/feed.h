/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace in time order as other formats want it: streams of packets, with
 * what was lost between them.
 *
 * A stream is what one provider says of one CPU; what belongs to no CPU is one
 * stream a provider. Sub-buffers of vitrine's are packets as they are. Records
 * of other producers get packets made for them, none of them long.
 */
#ifndef _VITRINE_CONVERT_FEED_H
#define _VITRINE_CONVERT_FEED_H

#include "vitrine.h"

/* Later than this is this late: other formats count from 1970 in 63 bits. */
#define FEED_LAST_NS	(1ULL << 62)

/* Records in a packet that no sub-buffer gave. */
#define FEED_PACKET_RECORDS	16384

/**
 * struct feed_packet - what a packet says of itself
 * @begin_ns: time of its first record, or earlier
 * @end_ns: time of its last record, or later
 * @sequence: number of the sub-buffer
 * @nr_lost: records lost since the packet before
 * @nr_lost_packets: packets missing since then
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
 * @index: counts from 0, in the order in which streams were found
 * @provider: whose
 * @cpu: of which CPU, or VITRINE_FXT_NO_CPU
 * @packets: of sub-buffers, by time
 * @nr_packets: how many
 * @next: of them, the first that was not begun
 * @open: a packet is open
 * @made: it is no sub-buffer
 * @packet: the packet that is open, or was the last
 * @nr_records: records in it
 * @user: the reader's own, of malloc(); freed with the stream
 */
struct feed_stream {
	unsigned int index;
	uint32_t provider;
	uint32_t cpu;
	struct feed_packet *packets;
	size_t nr_packets;
	size_t next;
	bool open;
	bool made;
	struct feed_packet packet;
	uint64_t nr_records;
	void *user;
};

/**
 * enum feed_kind - what comes next
 * @FEED_END: nothing
 * @FEED_PACKET_BEGIN: a packet of @stream begins
 * @FEED_PACKET_END: it ends
 * @FEED_LOST: between the packet that ended and the next one of @stream
 *	something is missing
 * @FEED_RECORD: a record of @stream
 * @FEED_UNTIMED: a record without a time; it belongs to no stream
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
 * struct feed_item - what comes next
 * @kind: what it is
 * @stream: whose, NULL of FEED_END and FEED_UNTIMED
 * @ns: its time, never earlier than that of the item before
 * @record: of FEED_RECORD and FEED_UNTIMED; its strings are valid until the
 *	feed is asked for more
 * @lost: of FEED_LOST, the packet that follows
 * @last: of FEED_PACKET_END, no sub-buffer follows, or nothing at all
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
struct vitrine_error *feed_next(struct feed *feed, struct feed_item *ret);
const struct vitrine_archive *feed_archive(const struct feed *feed);
uint32_t feed_nr_cpus(const struct feed *feed);
bool feed_realtime(const struct feed *feed, uint64_t *ret_ns);

#endif /* _VITRINE_CONVERT_FEED_H */
