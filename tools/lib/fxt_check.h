/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the two halves of the checker share: fxt_check.c looks at records and
 * what they refer to, fxt_subbuf.c at the sub-buffers they are packed in.
 */
#ifndef _VITRINE_LIB_FXT_CHECK_H
#define _VITRINE_LIB_FXT_CHECK_H

#include "fxt.h"

/**
 * struct fxt_lane - what is known of one provider's records
 * @nr_backwards: of those outside sub-buffers, records earlier than the one
 *	before
 * @last_ticks: time of the last record
 * @running: thread the last switch brought in
 * @timed: @last_ticks is set
 * @chained: @running is set
 * @packed: @packet is set
 * @exact: every record of the last sub-buffer was understood
 * @packet: header of its last sub-buffer
 * @begin: where that one begins
 * @nr_timed: records with a timestamp in it
 * @section: a section of this provider has begun behind its last sub-buffer
 * @bridged: in it, switches bridge what is missing
 */
struct fxt_lane {
	uint64_t nr_backwards;
	uint64_t last_ticks;
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

/* In a sub-buffer of this lane, or where the recorder says what is missing. */
static inline bool fxt_lane_strict(const struct fxt_lane *current,
				   const struct fxt_lane *lane)
{
	return current == lane || (!current && lane->section);
}

/**
 * struct fxt_rate - how fast a session's clock ran, by CLOCK_MONOTONIC
 * @session: which session, 0: none yet
 * @ticks_per_second: what it says of itself
 * @first: where it has been seen first
 * @last: and last
 */
struct fxt_rate {
	uint32_t session;
	uint64_t ticks_per_second;
	struct vitrine_clock_pair first;
	struct vitrine_clock_pair last;
};

/* Threads just seen in a switch, so that most need not be looked up. */
#define FXT_RECENT_THREADS	256

/**
 * struct fxt_check - a check under way
 * @fxt: reads the records
 * @report: told faults and notes
 * @summary: what has been counted
 * @processes: names of processes
 * @threads: names of threads
 * @recent: koids of threads known to be marked as used, plus one
 * @cpus: bit set of CPUs that switched
 * @begin_ticks: earliest time at the present tick rate
 * @end_ticks: latest
 * @ticks_per_second: that rate
 * @begin: where the last magic record is
 * @lane: whose sub-buffer is open, or NULL
 * @rate: of the session's clock
 * @broken: the open sub-buffer's end could not be found
 * @headless: vitrine introduced itself there, but no packet header followed yet
 */
struct fxt_check {
	struct vitrine_fxt fxt;
	const struct vitrine_fxt_report *report;
	struct vitrine_fxt_summary summary;
	struct fxt_names processes;
	struct fxt_names threads;
	uint64_t recent[FXT_RECENT_THREADS];
	uint64_t cpus[FXT_MAX_CPUS / 64];
	uint64_t begin_ticks;
	uint64_t end_ticks;
	uint64_t ticks_per_second;
	uint64_t begin;
	struct fxt_lane *lane;
	struct fxt_rate rate;
	bool broken;
	bool headless;
};

void fxt_check_note(struct fxt_check *check, uint64_t offset,
		    const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* fxt_subbuf.c */
void fxt_subbuf_follow(struct fxt_check *check, struct fxt_lane *lane);
void fxt_subbuf_end(struct fxt_check *check, uint64_t offset);
void fxt_subbuf_note_rate(struct fxt_check *check);

/* fxt_wakeups.c */
struct vitrine_error *fxt_wakeups_check(struct fxt_check *check);

#endif /* _VITRINE_LIB_FXT_CHECK_H */
