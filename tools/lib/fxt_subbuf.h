/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Validation of sub-buffers, which fxt_check.c calls for each record.
 *
 * A check is used by one thread at a time.
 */
#ifndef _VITRINE_LIB_FXT_SUBBUF_H
#define _VITRINE_LIB_FXT_SUBBUF_H

#include "fxt.h"

/**
 * struct fxt_lane - check of the records of one provider
 * @nr_backwards: records outside sub-buffers that are earlier than the one before
 * @last_ticks: time of the last record
 * @switched_ticks: time of the last switch
 * @running: incoming thread of the last switch
 * @timed: @last_ticks is set
 * @chained: @running is set
 * @packed: @packet is set
 * @exact: every record of the last sub-buffer was decoded
 * @packet: packet header of the last sub-buffer
 * @begin: offset of the last sub-buffer
 * @nr_timed: records with a timestamp in it
 * @section: a section of this provider has begun behind its last sub-buffer
 * @bridged: the switches in that section bridge the lost records
 */
struct fxt_lane {
	uint64_t nr_backwards;
	uint64_t last_ticks;
	uint64_t switched_ticks;
	uint64_t running;
	bool timed;
	bool chained;
	bool packed;
	bool exact;
	struct vitrine_packet packet;
	__u64 begin;
	__u64 nr_timed;
	bool section;
	bool bridged;
};

/* Test for a sub-buffer of @lane, or a section in which the recorder reports loss. */
static inline bool fxt_lane_strict(const struct fxt_lane *current,
				   const struct fxt_lane *lane)
{
	return current == lane || (!current && lane->section);
}

/* Return by how many ticks time may step back: by what the kernel adjusts mono and boot. */
static inline uint64_t fxt_lane_slack(const struct fxt_lane *lane)
{
	return lane->packet.clock == VITRINE_CLOCK_MONO ||
	       lane->packet.clock == VITRINE_CLOCK_BOOT ? 1000 : 0;
}

/* The begin of a call may be written late, but not later than the next switch. */
static inline bool fxt_lane_may_be_late(const struct fxt_lane *lane,
					const struct vitrine_fxt_record *record)
{
	return fxt_may_be_late(record) && record->ticks >= lane->switched_ticks;
}

/**
 * struct fxt_rate - measured rate of a session's clock against CLOCK_MONOTONIC
 * @session: session id, 0: none yet
 * @ticks_per_second: declared rate
 * @first: earliest clock pair
 * @last: latest clock pair
 */
struct fxt_rate {
	uint32_t session;
	uint64_t ticks_per_second;
	struct vitrine_clock_pair first;
	struct vitrine_clock_pair last;
};

/**
 * struct fxt_subbufs - check of the sub-buffers of a file
 * @fxt: reader of the records
 * @report: receives notes
 * @nr_subbufs: sub-buffers with a packet header
 * @nr_lost: records that were lost between sub-buffers
 * @begin: offset of the last magic record
 * @lane: lane of the open sub-buffer, or NULL
 * @rate: rate of the clock of the session
 * @broken: the end of the open sub-buffer could not be found
 * @headless: a provider record of vitrine's was read, but no packet header yet
 */
struct fxt_subbufs {
	struct vitrine_fxt fxt;
	const struct vitrine_fxt_report *report;
	uint64_t nr_subbufs;
	uint64_t nr_lost;
	uint64_t begin;
	struct fxt_lane *lane;
	struct fxt_rate rate;
	bool broken;
	bool headless;
};

void fxt_subbuf_follow(struct fxt_subbufs *subbufs, struct fxt_lane *lane);
void fxt_subbuf_end(struct fxt_subbufs *subbufs, uint64_t offset);
void fxt_subbuf_note_rate(struct fxt_subbufs *subbufs);

#endif /* _VITRINE_LIB_FXT_SUBBUF_H */
