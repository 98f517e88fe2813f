// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Validate sub-buffers: a packet header must agree with the records behind it, and the
 * headers of one CPU and session with each other, so that no loss goes unreported.
 *
 * A sub-buffer begins with a magic record and ends at the next magic record or at the end
 * of the file. Where records are lost, the recorder writes provider events and sections
 * between two sub-buffers.
 */
#include "error.h"
#include "fxt_subbuf.h"

/* Offset of the packet header's record from the begin of the sub-buffer. */
#define PACKET_RECORD_OFFSET	(VITRINE_PACKET_OFFSET - 2 * FXT_WORD_BYTES)

static __u64 packet_offset(const struct fxt_lane *lane)
{
	return lane->begin + VITRINE_PACKET_OFFSET;
}

static __u64 subbuf_end(const struct fxt_lane *lane)
{
	return lane->begin + lane->packet.committed_bytes;
}

static void check_place(struct fxt_subbufs *subbufs)
{
	const struct vitrine_fxt_record *record = &subbufs->fxt.record;
	__u64 offset = record->offset - subbufs->begin;

	if (offset != PACKET_RECORD_OFFSET || record->nr_words !=
	    2 + sizeof(struct vitrine_packet) / FXT_WORD_BYTES)
		fxt_fault(&subbufs->fxt.decoder, record->offset,
			  "packet header is %llu bytes behind the magic record, not %u",
			  offset, (unsigned int)PACKET_RECORD_OFFSET);
}

static void check_fields(struct fxt_subbufs *subbufs, __u64 offset,
			 const struct vitrine_packet *packet)
{
	struct fxt_decoder *decoder = &subbufs->fxt.decoder;

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
	if (subbufs->fxt.provider->id != packet->cpu + 1 &&
	    subbufs->fxt.provider->id != FXT_TRACEFS_PROVIDER(packet->cpu))
		fxt_fault(decoder, offset,
			  "packet header: CPU %u in provider %u", packet->cpu,
			  subbufs->fxt.provider->id);
	if (!packet->session)
		fxt_fault(decoder, offset, "packet header: session is 0");
	if (packet->clock > VITRINE_CLOCK_BOOT)
		fxt_fault(decoder, offset, "packet header: clock %u is unknown",
			  packet->clock);
}

static void count_lost(struct fxt_subbufs *subbufs, __u64 offset,
		       const struct fxt_lane *lane,
		       const struct vitrine_packet *packet, __u64 lost,
		       const char *how)
{
	subbufs->nr_lost += lost;
	vtr_note(subbufs->report, offset,
		 "CPU %u: %llu records %s between sub-buffers %llu and %llu",
		 packet->cpu, lost, how, lane->packet.sequence,
		 packet->sequence);
}

/* Check that the file has all records that were written in between. */
static bool check_written(struct fxt_subbufs *subbufs, __u64 offset,
			  const struct fxt_lane *lane,
			  const struct vitrine_packet *packet, __u64 missing)
{
	__u64 records = lane->packet.records_before + lane->nr_timed;
	__u64 bytes = lane->packet.bytes_before +
			 lane->packet.committed_bytes;
	bool adjacent = packet->sequence == lane->packet.sequence + 1;
	struct fxt_decoder *decoder = &subbufs->fxt.decoder;

	if (packet->bytes_before < bytes ||
	    (adjacent && packet->bytes_before != bytes))
		fxt_fault(decoder, offset,
			  "packet header: %llu bytes before, %llu expected",
			  packet->bytes_before, bytes);
	/* The count of a damaged sub-buffer, which has been reported, is not usable. */
	if (!lane->exact)
		return false;
	if (packet->records_before < records ||
	    (adjacent && packet->records_before != records)) {
		fxt_fault(decoder, offset,
			  "packet header: %llu records before, %llu expected",
			  packet->records_before, records);
		return false;
	}
	if (missing)
		count_lost(subbufs, offset, lane, packet, missing,
			   "not in this file");
	return !missing;
}

/* Check that the kernel could write all records. */
static bool check_unwritten(struct fxt_subbufs *subbufs, __u64 offset,
			    const struct fxt_lane *lane,
			    const struct vitrine_packet *packet, __u64 lost)
{
	if (packet->lost_records < lane->packet.lost_records) {
		fxt_fault(&subbufs->fxt.decoder, offset,
			  "packet header: %llu lost records, %llu before",
			  packet->lost_records, lane->packet.lost_records);
		return false;
	}
	if (lost)
		count_lost(subbufs, offset, lane, packet, lost, "not written");
	return !lost;
}

static void check_order(struct fxt_subbufs *subbufs, __u64 offset,
			struct fxt_lane *lane,
			const struct vitrine_packet *packet)
{
	struct fxt_loss loss;
	bool written, unwritten;

	if (packet->sequence <= lane->packet.sequence) {
		fxt_fault(&subbufs->fxt.decoder, offset,
			  "packet header: sub-buffer %llu after %llu",
			  packet->sequence, lane->packet.sequence);
		lane->chained = false;
		return;
	}
	if (packet->begin_ticks < lane->packet.end_ticks)
		fxt_fault(&subbufs->fxt.decoder, offset,
			  "packet header: begins at %llu ticks, the one before ends at %llu",
			  packet->begin_ticks, lane->packet.end_ticks);
	loss = fxt_packet_loss(&lane->packet, lane->nr_timed, packet);
	written = check_written(subbufs, offset, lane, packet, loss.nr_missing);
	unwritten = check_unwritten(subbufs, offset, lane, packet,
				    loss.nr_unwritten);
	if ((!written && !lane->bridged) || !unwritten)
		lane->chained = false;
}

/* An instance of tracefs is empty when a recording begins: what it lost, the file lacks. */
static void count_first(struct fxt_subbufs *subbufs, __u64 offset,
			const struct vitrine_packet *packet)
{
	if (!packet->lost_records || !fxt_is_tracefs(subbufs->fxt.provider->id))
		return;
	subbufs->nr_lost += packet->lost_records;
	vtr_note(subbufs->report, offset,
		 "CPU %u: %llu records not written before the first sub-buffer",
		 packet->cpu, packet->lost_records);
}

static void open_subbuf(struct fxt_subbufs *subbufs, struct fxt_lane *lane,
			const struct vitrine_packet *packet)
{
	__u64 offset = subbufs->begin + VITRINE_PACKET_OFFSET;

	subbufs->nr_subbufs++;
	check_place(subbufs);
	check_fields(subbufs, offset, packet);
	if (lane->packed && lane->packet.session == packet->session) {
		check_order(subbufs, offset, lane, packet);
	} else {
		/* A new session has a new clock. */
		lane->chained = false;
		lane->timed = false;
		lane->switched_ticks = 0;
		count_first(subbufs, offset, packet);
	}
	lane->packet = *packet;
	lane->packed = true;
	lane->exact = true;
	lane->begin = subbufs->begin;
	lane->nr_timed = 0;
	lane->section = false;
	lane->bridged = false;
	subbufs->lane = lane;
	subbufs->headless = false;
	subbufs->broken = false;
}

static void check_timed(struct fxt_subbufs *subbufs, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = &subbufs->fxt.record;
	const struct vitrine_packet *packet = &lane->packet;
	__u64 ticks = fxt_written_ticks(record), slack = fxt_lane_slack(lane);

	lane->nr_timed++;
	if ((ticks < packet->begin_ticks && packet->begin_ticks - ticks > slack &&
	     !fxt_lane_may_be_late(lane, record)) ||
	    (ticks > packet->end_ticks && ticks - packet->end_ticks > slack))
		fxt_fault(&subbufs->fxt.decoder, record->offset,
			  "record at %llu ticks in a sub-buffer from %llu to %llu",
			  ticks, packet->begin_ticks,
			  packet->end_ticks);
}

/* Less than that is too little to measure a clock by. */
#define RATE_MIN_NS	1000000000ULL

/**
 * fxt_subbuf_note_rate() - report the measured rate of a session's clock
 * @subbufs: the check, at the session's last sub-buffer
 */
void fxt_subbuf_note_rate(struct fxt_subbufs *subbufs)
{
	struct fxt_rate *rate = &subbufs->rate;
	double ns = rate->last.mono_ns - rate->first.mono_ns;
	double ticks = rate->last.ticks - rate->first.ticks;

	if (ns >= RATE_MIN_NS)
		vtr_note(subbufs->report, 0,
			 "session %u: clock: %llu ticks a second declared, %.0f measured over %.3f s",
			 rate->session,
			 (unsigned long long)rate->ticks_per_second,
			 ticks / ns * 1e9, ns / 1e9);
	memset(rate, 0, sizeof(*rate));
}

static void follow_rate(struct fxt_subbufs *subbufs, const struct fxt_lane *lane,
			const struct vitrine_clock_pair *pair)
{
	struct fxt_rate *rate = &subbufs->rate;

	if (rate->session != lane->packet.session) {
		fxt_subbuf_note_rate(subbufs);
		rate->session = lane->packet.session;
		rate->ticks_per_second = subbufs->fxt.record.ticks_per_second;
		rate->first = *pair;
		rate->last = *pair;
	}
	if (pair->mono_ns < rate->first.mono_ns)
		rate->first = *pair;
	if (pair->mono_ns > rate->last.mono_ns)
		rate->last = *pair;
}

/* Follow a record outside a sub-buffer. */
static void outside(struct fxt_subbufs *subbufs, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = &subbufs->fxt.record;
	struct vitrine_packet packet;

	if (fxt_packet_read(&subbufs->fxt.decoder, record, &packet))
		open_subbuf(subbufs, lane, &packet);
	else if (record->kind == VITRINE_FXT_PROVIDER_INFO &&
		 fxt_string_is(&record->provider_info.name,
			       VITRINE_PROVIDER_NAME))
		subbufs->headless = true;
}

static void inside(struct fxt_subbufs *subbufs, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = &subbufs->fxt.record;
	struct vitrine_clock_pair pair;
	struct vitrine_packet packet;

	if (record->timed)
		check_timed(subbufs, lane);
	else if (fxt_clock_pair_read(&subbufs->fxt.decoder, record, &pair))
		follow_rate(subbufs, lane, &pair);
	else if (record->kind == VITRINE_FXT_BLOB &&
		 fxt_packet_read(&subbufs->fxt.decoder, record, &packet))
		fxt_fault(&subbufs->fxt.decoder, record->offset,
			  "second packet header in the sub-buffer at 0x%llx",
			  lane->begin);
}

/**
 * fxt_subbuf_follow() - check the place of a valid record
 * @subbufs: the check, whose reader has read the record
 * @lane: of the provider it belongs to
 */
void fxt_subbuf_follow(struct fxt_subbufs *subbufs, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = &subbufs->fxt.record;

	if (record->kind == VITRINE_FXT_MAGIC) {
		fxt_subbuf_end(subbufs, record->offset);
		subbufs->begin = record->offset;
	} else if (record->kind == VITRINE_FXT_PROVIDER_SECTION &&
		   (!subbufs->lane || record->offset >= subbuf_end(subbufs->lane))) {
		fxt_subbuf_end(subbufs, record->offset);
		lane->section = lane->packed;
	} else if (!subbufs->lane) {
		outside(subbufs, lane);
	} else if (record->offset < subbuf_end(subbufs->lane)) {
		inside(subbufs, subbufs->lane);
	} else if (record->kind != VITRINE_FXT_PROVIDER_EVENT) {
		fxt_subbuf_end(subbufs, record->offset);
	}
}

/**
 * fxt_subbuf_end() - check the end of the open sub-buffer, if there is one
 * @subbufs: the check
 * @offset: offset of the first byte behind it: a magic record, the end of the file,
 *	or a record that should not be there
 */
void fxt_subbuf_end(struct fxt_subbufs *subbufs, uint64_t offset)
{
	struct fxt_lane *lane = subbufs->lane;

	if (subbufs->headless)
		fxt_fault(&subbufs->fxt.decoder, subbufs->begin,
			  "sub-buffer without a packet header");
	subbufs->headless = false;
	subbufs->lane = NULL;
	if (!lane || subbufs->broken)
		return;
	if (offset < subbuf_end(lane)) {
		fxt_fault(&subbufs->fxt.decoder, packet_offset(lane),
			  "packet header: %llu bytes committed, but the sub-buffer ends after %llu",
			  lane->packet.committed_bytes,
			  (__u64)offset - lane->begin);
		return;
	}
	if (offset != subbufs->fxt.decoder.len_bytes &&
	    subbufs->fxt.record.kind != VITRINE_FXT_MAGIC &&
	    subbufs->fxt.record.kind != VITRINE_FXT_PROVIDER_SECTION)
		fxt_fault(&subbufs->fxt.decoder, offset,
			  "record behind the %llu committed bytes of the sub-buffer at 0x%llx",
			  lane->packet.committed_bytes, lane->begin);
}
