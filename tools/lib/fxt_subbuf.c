// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Checks sub-buffers: that their packet headers say what is in them, and that
 * those of one CPU and session follow each other with nothing lost in silence.
 *
 * A sub-buffer begins with a magic record and ends where the next one begins,
 * or the file does. Provider events may stand in between, and sections in which
 * the recorder says what was lost: it puts them where that is.
 */
#include "fxt_check.h"

/* From the sub-buffer's first byte: where the record of the header stands. */
#define PACKET_RECORD_OFFSET	(VITRINE_PACKET_OFFSET - 2 * FXT_WORD_BYTES)

static __u64 packet_offset(const struct fxt_lane *lane)
{
	return lane->begin + VITRINE_PACKET_OFFSET;
}

static __u64 subbuf_end(const struct fxt_lane *lane)
{
	return lane->begin + lane->packet.committed_bytes;
}

static void check_place(struct fxt_check *check)
{
	const struct vitrine_fxt_record *record = &check->fxt.record;
	__u64 offset = record->offset - check->begin;

	if (offset != PACKET_RECORD_OFFSET || record->nr_words !=
	    2 + sizeof(struct vitrine_packet) / FXT_WORD_BYTES)
		fxt_fault(&check->fxt.decoder, record->offset,
			  "packet header is %llu bytes behind the magic record, not %u",
			  offset, (unsigned int)PACKET_RECORD_OFFSET);
}

static void check_fields(struct fxt_check *check, __u64 offset,
			 const struct vitrine_packet *packet)
{
	struct fxt_decoder *decoder = &check->fxt.decoder;

	if (packet->generation & 1)
		fxt_fault(decoder, offset,
			  "packet header: generation %llu is odd",
			  packet->generation);
	if (packet->committed_bytes < VITRINE_PREAMBLE_BYTES ||
	    packet->committed_bytes > packet->subbuf_bytes ||
	    packet->committed_bytes % FXT_WORD_BYTES)
		fxt_fault(decoder, offset,
			  "packet header: %llu bytes committed of a sub-buffer of %u",
			  packet->committed_bytes, packet->subbuf_bytes);
	if (packet->begin_ticks > packet->end_ticks)
		fxt_fault(decoder, offset,
			  "packet header: begins at %llu ticks and ends at %llu",
			  packet->begin_ticks, packet->end_ticks);
	if (check->fxt.provider->id != packet->cpu + 1)
		fxt_fault(decoder, offset,
			  "packet header: CPU %u in provider %u", packet->cpu,
			  check->fxt.provider->id);
	if (!packet->session)
		fxt_fault(decoder, offset, "packet header: session is 0");
	if (packet->clock > VITRINE_CLOCK_BOOT)
		fxt_fault(decoder, offset, "packet header: clock %u is unknown",
			  packet->clock);
}

static void count_lost(struct fxt_check *check, __u64 offset,
		       const struct fxt_lane *lane,
		       const struct vitrine_packet *packet, __u64 lost,
		       const char *how)
{
	check->summary.nr_lost += lost;
	fxt_check_note(check, offset,
		       "CPU %u: %llu records %s between sub-buffers %llu and %llu",
		       packet->cpu, lost, how, lane->packet.sequence,
		       packet->sequence);
}

/* Did the reader, or the ring, get all of what was written in between? */
static bool check_written(struct fxt_check *check, __u64 offset,
			  const struct fxt_lane *lane,
			  const struct vitrine_packet *packet)
{
	__u64 records = lane->packet.records_before + lane->nr_timed;
	__u64 bytes = lane->packet.bytes_before +
			 lane->packet.committed_bytes;
	bool adjacent = packet->sequence == lane->packet.sequence + 1;
	struct fxt_decoder *decoder = &check->fxt.decoder;

	if (packet->bytes_before < bytes ||
	    (adjacent && packet->bytes_before != bytes))
		fxt_fault(decoder, offset,
			  "packet header: %llu bytes before, %llu expected",
			  packet->bytes_before, bytes);
	/* A damaged sub-buffer has been reported; its count is of no use. */
	if (!lane->exact)
		return false;
	if (packet->records_before < records ||
	    (adjacent && packet->records_before != records)) {
		fxt_fault(decoder, offset,
			  "packet header: %llu records before, %llu expected",
			  packet->records_before, records);
		return false;
	}
	if (packet->records_before == records)
		return true;
	count_lost(check, offset, lane, packet,
		   packet->records_before - records, "not in this file");
	return false;
}

/* Could the kernel write all that it had to? */
static bool check_unwritten(struct fxt_check *check, __u64 offset,
			    const struct fxt_lane *lane,
			    const struct vitrine_packet *packet)
{
	__u64 lost = packet->lost_records - lane->packet.lost_records;

	if (packet->lost_records < lane->packet.lost_records) {
		fxt_fault(&check->fxt.decoder, offset,
			  "packet header: %llu lost records, %llu before",
			  packet->lost_records, lane->packet.lost_records);
		return false;
	}
	if (lost)
		count_lost(check, offset, lane, packet, lost, "not written");
	return !lost;
}

static void check_order(struct fxt_check *check, __u64 offset,
			struct fxt_lane *lane,
			const struct vitrine_packet *packet)
{
	bool written, unwritten;

	if (packet->sequence <= lane->packet.sequence) {
		fxt_fault(&check->fxt.decoder, offset,
			  "packet header: sub-buffer %llu after %llu",
			  packet->sequence, lane->packet.sequence);
		lane->chained = false;
		return;
	}
	if (packet->begin_ticks < lane->packet.end_ticks)
		fxt_fault(&check->fxt.decoder, offset,
			  "packet header: begins at %llu ticks, the one before ends at %llu",
			  packet->begin_ticks, lane->packet.end_ticks);
	written = check_written(check, offset, lane, packet);
	unwritten = check_unwritten(check, offset, lane, packet);
	if ((!written && !lane->bridged) || !unwritten)
		lane->chained = false;
}

static void open_subbuf(struct fxt_check *check, struct fxt_lane *lane,
			const struct vitrine_packet *packet)
{
	__u64 offset = check->begin + VITRINE_PACKET_OFFSET;

	check->summary.nr_subbufs++;
	check_place(check);
	check_fields(check, offset, packet);
	if (lane->packed && lane->packet.session == packet->session) {
		check_order(check, offset, lane, packet);
	} else {
		/* A session of its own, with a clock of its own. */
		lane->chained = false;
		lane->timed = false;
	}
	lane->packet = *packet;
	lane->packed = true;
	lane->exact = true;
	lane->begin = check->begin;
	lane->nr_timed = 0;
	lane->section = false;
	lane->bridged = false;
	check->lane = lane;
	check->headless = false;
	check->broken = false;
}

static void check_timed(struct fxt_check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = &check->fxt.record;
	const struct vitrine_packet *packet = &lane->packet;
	__u64 ticks = fxt_written_ticks(record);

	lane->nr_timed++;
	if (ticks < packet->begin_ticks || ticks > packet->end_ticks)
		fxt_fault(&check->fxt.decoder, record->offset,
			  "record at %llu ticks in a sub-buffer from %llu to %llu",
			  ticks, packet->begin_ticks,
			  packet->end_ticks);
}

/* Less than that is too little to measure a clock by. */
#define RATE_MIN_NS	1000000000ULL

/**
 * fxt_subbuf_note_rate() - say how fast a session's clock ran
 * @check: check, at the session's last sub-buffer
 */
void fxt_subbuf_note_rate(struct fxt_check *check)
{
	struct fxt_rate *rate = &check->rate;
	double ns = rate->last.mono_ns - rate->first.mono_ns;
	double ticks = rate->last.ticks - rate->first.ticks;

	if (ns >= RATE_MIN_NS)
		fxt_check_note(check, 0,
			       "session %u: clock: %llu ticks a second declared, %.0f measured over %.3f s",
			       rate->session,
			       (unsigned long long)rate->ticks_per_second,
			       ticks / ns * 1e9, ns / 1e9);
	memset(rate, 0, sizeof(*rate));
}

static void follow_rate(struct fxt_check *check, const struct fxt_lane *lane,
			const struct vitrine_clock_pair *pair)
{
	struct fxt_rate *rate = &check->rate;

	if (rate->session != lane->packet.session) {
		fxt_subbuf_note_rate(check);
		rate->session = lane->packet.session;
		rate->ticks_per_second = check->fxt.record.ticks_per_second;
		rate->first = *pair;
		rate->last = *pair;
	}
	if (pair->mono_ns < rate->first.mono_ns)
		rate->first = *pair;
	if (pair->mono_ns > rate->last.mono_ns)
		rate->last = *pair;
}

/* What vitrine writes needs a packet header to be judged by. */
static void outside(struct fxt_check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = &check->fxt.record;
	struct vitrine_packet packet;

	if (fxt_packet_read(&check->fxt.decoder, record, &packet))
		open_subbuf(check, lane, &packet);
	else if (record->kind == VITRINE_FXT_PROVIDER_INFO &&
		 fxt_string_is(&record->provider_info.name,
			       VITRINE_PROVIDER_NAME))
		check->headless = true;
}

static void inside(struct fxt_check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = &check->fxt.record;
	struct vitrine_clock_pair pair;
	struct vitrine_packet packet;

	if (record->timed)
		check_timed(check, lane);
	else if (fxt_clock_pair_read(&check->fxt.decoder, record, &pair))
		follow_rate(check, lane, &pair);
	else if (record->kind == VITRINE_FXT_BLOB &&
		 fxt_packet_read(&check->fxt.decoder, record, &packet))
		fxt_fault(&check->fxt.decoder, record->offset,
			  "second packet header in the sub-buffer at 0x%llx",
			  lane->begin);
}

/**
 * fxt_subbuf_follow() - look at where a good record stands
 * @check: check, whose reader has just read the record
 * @lane: of the provider it belongs to
 */
void fxt_subbuf_follow(struct fxt_check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = &check->fxt.record;

	if (record->kind == VITRINE_FXT_MAGIC) {
		fxt_subbuf_end(check, record->offset);
		check->begin = record->offset;
	} else if (record->kind == VITRINE_FXT_PROVIDER_SECTION &&
		   (!check->lane || record->offset >= subbuf_end(check->lane))) {
		fxt_subbuf_end(check, record->offset);
		lane->section = lane->packed;
	} else if (!check->lane) {
		outside(check, lane);
	} else if (record->offset < subbuf_end(check->lane)) {
		inside(check, check->lane);
	} else if (record->kind != VITRINE_FXT_PROVIDER_EVENT) {
		fxt_subbuf_end(check, record->offset);
	}
}

/**
 * fxt_subbuf_end() - look at where a sub-buffer ends, if one is open
 * @check: check
 * @offset: of what does not belong to it any more: a magic record, the end of
 *	the file, or a record that should not be there
 */
void fxt_subbuf_end(struct fxt_check *check, uint64_t offset)
{
	struct fxt_lane *lane = check->lane;

	if (check->headless)
		fxt_fault(&check->fxt.decoder, check->begin,
			  "sub-buffer without a packet header");
	check->headless = false;
	check->lane = NULL;
	if (!lane || check->broken)
		return;
	if (offset < subbuf_end(lane)) {
		fxt_fault(&check->fxt.decoder, packet_offset(lane),
			  "packet header: %llu bytes committed, but the sub-buffer ends after %llu",
			  lane->packet.committed_bytes,
			  (__u64)offset - lane->begin);
		return;
	}
	if (offset != check->fxt.decoder.len_bytes &&
	    check->fxt.record.kind != VITRINE_FXT_MAGIC &&
	    check->fxt.record.kind != VITRINE_FXT_PROVIDER_SECTION)
		fxt_fault(&check->fxt.decoder, offset,
			  "record behind the %llu committed bytes of the sub-buffer at 0x%llx",
			  lane->packet.committed_bytes, lane->begin);
}
