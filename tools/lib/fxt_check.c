// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Validate an FXT file.
 *
 * The decoder finds the faults within a record. This file compares records with each other
 * (time, the chain of switches, names), and with the packet headers of their sub-buffers. In a
 * sub-buffer of vitrine's a contradiction is a fault. In records of other writers it is
 * a note, since they do not tell what they lost.
 *
 * This is done in the order of the file, while the trace is opened as an archive. Which thread
 * runs on which CPU is only known in time order over all CPUs, so the archive is then read, to
 * find wakeups of threads that run and threads that run on two CPUs at once.
 *
 * A check is used by one thread at a time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "archive.h"
#include "base.h"
#include "fxt_file.h"
#include "fxt_names.h"
#include "vitrine.h"

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

/* Less than that is too little to measure a clock by. */
#define RATE_MIN_NS	1000000000ULL

/**
 * struct doubt - wakeups of the thread that runs on a CPU
 * @nr: number of wakeups of this thread since it was switched in
 * @first_offset: offset of the first of them
 * @twice_offset: offset of a switch of another CPU to this thread since then, or 0
 */
struct doubt {
	uint64_t nr;
	uint64_t first_offset;
	uint64_t twice_offset;
};

/**
 * struct wakeups - the running threads, and what contradicts that they run
 * @archive: the trace, which knows the running threads
 * @cpus: doubts about each CPU
 * @threads: for each thread the CPU that ran it last
 * @nr_running: wakeups of running threads
 * @first: koid of the thread that was woken first
 * @first_offset: offset of its wakeup
 * @nr_twice: switches to a thread that runs on another CPU
 * @first_twice: koid of the first such thread
 * @twice_offset: offset of the switch
 *
 * A thread is known to have run until the next switch of its CPU. The records of one CPU may
 * end before those of another one, if the trace was read while it was recorded; who runs
 * on that CPU afterwards is not known.
 */
struct wakeups {
	struct vitrine_archive *archive;
	struct doubt cpus[FXT_MAX_CPUS];
	struct fxt_names threads;
	uint64_t nr_running;
	uint64_t first;
	uint64_t first_offset;
	uint64_t nr_twice;
	uint64_t first_twice;
	uint64_t twice_offset;
};

/* Clocks count nanoseconds in 63 bits; a later time is a damaged one. */
#define MAX_NS		((uint64_t)INT64_MAX)

/* Recent threads of switches, which need no look-up. */
#define RECENT_THREADS	256

/**
 * struct check - a check in progress
 * @archive: the trace
 * @fxt: reader of the records, which belongs to @archive
 * @decoder: its decoder, which receives faults
 * @record: its record
 * @report: receives notes
 * @summary: counts
 * @begin: offset of the last magic record
 * @lane: lane of the open sub-buffer, or NULL
 * @rate: rate of the clock of the session
 * @broken: the end of the open sub-buffer could not be found
 * @headless: a provider record of vitrine's was read, but no packet header yet
 * @processes: names of processes
 * @threads: names of threads
 * @recent: koid plus one of threads that are marked as used
 * @cpus: a bit for each CPU that switched
 * @begin_ticks: earliest time at the current tick rate
 * @end_ticks: latest time at that rate
 * @ticks_per_second: that rate
 */
struct check {
	struct vitrine_archive *archive;
	struct vitrine_fxt *fxt;
	struct fxt_decoder *decoder;
	const struct vitrine_fxt_record *record;
	const struct vitrine_fxt_report *report;
	struct vitrine_fxt_summary summary;
	uint64_t begin;
	struct fxt_lane *lane;
	struct fxt_rate rate;
	bool broken;
	bool headless;
	struct fxt_names processes;
	struct fxt_names threads;
	uint64_t recent[RECENT_THREADS];
	uint64_t cpus[FXT_MAX_CPUS / 64];
	uint64_t begin_ticks;
	uint64_t end_ticks;
	uint64_t ticks_per_second;
};

/* ---- Sub-buffers ------------------------------------------------------- */

/*
 * A packet header must agree with the records behind it, and the headers of one CPU and
 * session with each other, so that no loss goes unreported.
 *
 * A sub-buffer begins with a magic record and ends at the next magic record or at the end
 * of the file. Where records are lost, the recorder writes provider events and sections
 * between two sub-buffers.
 */

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

static __u64 packet_offset(const struct fxt_lane *lane)
{
	return lane->begin + VITRINE_PACKET_OFFSET;
}

static __u64 subbuf_end(const struct fxt_lane *lane)
{
	return lane->begin + lane->packet.committed_bytes;
}

static void check_place(struct check *check)
{
	const struct vitrine_fxt_record *record = check->record;
	__u64 offset = record->offset - check->begin;

	if (offset != FXT_PACKET_RECORD_OFFSET || record->nr_words !=
	    2 + sizeof(struct vitrine_packet) / FXT_WORD_BYTES)
		fxt_fault(check->decoder, record->offset,
			  "packet header is %llu bytes behind the magic record, not %u",
			  offset, (unsigned int)FXT_PACKET_RECORD_OFFSET);
}

static void check_fields(struct check *check, __u64 offset,
			 const struct vitrine_packet *packet)
{
	if (packet->generation & 1)
		fxt_fault(check->decoder, offset,
			  "packet header: generation %llu is odd",
			  packet->generation);
	if (packet->committed_bytes < VITRINE_PREAMBLE_BYTES ||
	    packet->committed_bytes > packet->subbuf_bytes ||
	    packet->committed_bytes % FXT_WORD_BYTES)
		fxt_fault(check->decoder, offset,
			  "packet header: %llu bytes committed of a sub-buffer of %u",
			  packet->committed_bytes, packet->subbuf_bytes);
	if (packet->begin_ticks > packet->end_ticks)
		fxt_fault(check->decoder, offset,
			  "packet header: begins at %llu ticks and ends at %llu",
			  packet->begin_ticks, packet->end_ticks);
	if (check->fxt->provider->id != packet->cpu + 1 &&
	    check->fxt->provider->id != FXT_TRACEFS_PROVIDER(packet->cpu))
		fxt_fault(check->decoder, offset,
			  "packet header: CPU %u in provider %u", packet->cpu,
			  check->fxt->provider->id);
	if (!packet->session)
		fxt_fault(check->decoder, offset, "packet header: session is 0");
	if (packet->clock > VITRINE_CLOCK_BOOT)
		fxt_fault(check->decoder, offset, "packet header: clock %u is unknown",
			  packet->clock);
}

static void count_lost(struct check *check, __u64 offset,
		       const struct fxt_lane *lane,
		       const struct vitrine_packet *packet, __u64 lost,
		       const char *how)
{
	check->summary.nr_lost += lost;
	vtr_note(check->report, offset,
		 "CPU %u: %llu records %s between sub-buffers %llu and %llu",
		 packet->cpu, lost, how, lane->packet.sequence,
		 packet->sequence);
}

/* Check that the file has all records that were written in between. */
static bool check_written(struct check *check, __u64 offset,
			  const struct fxt_lane *lane,
			  const struct vitrine_packet *packet, __u64 missing)
{
	__u64 records = lane->packet.records_before + lane->nr_timed;
	__u64 bytes = lane->packet.bytes_before +
			 lane->packet.committed_bytes;
	bool adjacent = packet->sequence == lane->packet.sequence + 1;

	if (packet->bytes_before < bytes ||
	    (adjacent && packet->bytes_before != bytes))
		fxt_fault(check->decoder, offset,
			  "packet header: %llu bytes before, %llu expected",
			  packet->bytes_before, bytes);
	/* The count of a damaged sub-buffer, which has been reported, is not usable. */
	if (!lane->exact)
		return false;
	if (packet->records_before < records ||
	    (adjacent && packet->records_before != records)) {
		fxt_fault(check->decoder, offset,
			  "packet header: %llu records before, %llu expected",
			  packet->records_before, records);
		return false;
	}
	if (missing)
		count_lost(check, offset, lane, packet, missing,
			   "not in this file");
	return !missing;
}

/* Check that the kernel could write all records. */
static bool check_unwritten(struct check *check, __u64 offset,
			    const struct fxt_lane *lane,
			    const struct vitrine_packet *packet, __u64 lost)
{
	if (packet->lost_records < lane->packet.lost_records) {
		fxt_fault(check->decoder, offset,
			  "packet header: %llu lost records, %llu before",
			  packet->lost_records, lane->packet.lost_records);
		return false;
	}
	if (lost)
		count_lost(check, offset, lane, packet, lost, "not written");
	return !lost;
}

static void check_header_order(struct check *check, __u64 offset,
			       struct fxt_lane *lane,
			       const struct vitrine_packet *packet)
{
	struct fxt_loss loss;
	bool written, unwritten;

	if (packet->sequence <= lane->packet.sequence) {
		fxt_fault(check->decoder, offset,
			  "packet header: sub-buffer %llu after %llu",
			  packet->sequence, lane->packet.sequence);
		lane->chained = false;
		return;
	}
	if (packet->begin_ticks < lane->packet.end_ticks)
		fxt_fault(check->decoder, offset,
			  "packet header: begins at %llu ticks, the one before ends at %llu",
			  packet->begin_ticks, lane->packet.end_ticks);
	loss = fxt_packet_loss(&lane->packet, lane->nr_timed, packet);
	written = check_written(check, offset, lane, packet, loss.nr_missing);
	unwritten = check_unwritten(check, offset, lane, packet,
				    loss.nr_unwritten);
	if ((!written && !lane->bridged) || !unwritten)
		lane->chained = false;
}

/* An instance of tracefs is empty when a recording begins: what it lost, the file lacks. */
static void count_first(struct check *check, __u64 offset,
			const struct vitrine_packet *packet)
{
	if (!packet->lost_records || !fxt_is_tracefs(check->fxt->provider->id))
		return;
	check->summary.nr_lost += packet->lost_records;
	vtr_note(check->report, offset,
		 "CPU %u: %llu records not written before the first sub-buffer",
		 packet->cpu, packet->lost_records);
}

static void open_subbuf(struct check *check, struct fxt_lane *lane,
			const struct vitrine_packet *packet)
{
	__u64 offset = check->begin + VITRINE_PACKET_OFFSET;

	check->summary.nr_subbufs++;
	check_place(check);
	check_fields(check, offset, packet);
	if (lane->packed && lane->packet.session == packet->session) {
		check_header_order(check, offset, lane, packet);
	} else {
		/* A new session has a new clock. */
		lane->chained = false;
		lane->timed = false;
		lane->switched_ticks = 0;
		count_first(check, offset, packet);
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

static void check_timed(struct check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = check->record;
	const struct vitrine_packet *packet = &lane->packet;
	__u64 ticks = fxt_written_ticks(record), slack = fxt_lane_slack(lane);

	lane->nr_timed++;
	if ((ticks < packet->begin_ticks && packet->begin_ticks - ticks > slack &&
	     !fxt_lane_may_be_late(lane, record)) ||
	    (ticks > packet->end_ticks && ticks - packet->end_ticks > slack))
		fxt_fault(check->decoder, record->offset,
			  "record at %llu ticks in a sub-buffer from %llu to %llu",
			  ticks, packet->begin_ticks,
			  packet->end_ticks);
}

/* Report the measured rate of a session's clock. */
static void fxt_subbuf_note_rate(struct check *check)
{
	struct fxt_rate *rate = &check->rate;
	double ns = rate->last.mono_ns - rate->first.mono_ns;
	double ticks = rate->last.ticks - rate->first.ticks;

	if (ns >= RATE_MIN_NS)
		vtr_note(check->report, 0,
			 "session %u: clock: %llu ticks a second declared, %.0f measured over %.3f s",
			 rate->session,
			 (unsigned long long)rate->ticks_per_second,
			 ticks / ns * 1e9, ns / 1e9);
	memset(rate, 0, sizeof(*rate));
}

static void follow_rate(struct check *check, const struct fxt_lane *lane,
			const struct vitrine_clock_pair *pair)
{
	struct fxt_rate *rate = &check->rate;

	if (rate->session != lane->packet.session) {
		fxt_subbuf_note_rate(check);
		rate->session = lane->packet.session;
		rate->ticks_per_second = check->record->ticks_per_second;
		rate->first = *pair;
		rate->last = *pair;
	}
	if (pair->mono_ns < rate->first.mono_ns)
		rate->first = *pair;
	if (pair->mono_ns > rate->last.mono_ns)
		rate->last = *pair;
}

/* Follow a record outside a sub-buffer. */
static void outside(struct check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = check->record;
	struct vitrine_packet packet;

	if (fxt_packet_read(check->decoder, record, &packet))
		open_subbuf(check, lane, &packet);
	else if (record->kind == VITRINE_FXT_PROVIDER_INFO &&
		 fxt_string_is(&record->provider_info.name,
			       VITRINE_PROVIDER_NAME))
		check->headless = true;
}

static void inside(struct check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = check->record;
	struct vitrine_clock_pair pair;
	struct vitrine_packet packet;

	if (record->timed)
		check_timed(check, lane);
	else if (fxt_clock_pair_read(check->decoder, record, &pair))
		follow_rate(check, lane, &pair);
	else if (record->kind == VITRINE_FXT_BLOB &&
		 fxt_packet_read(check->decoder, record, &packet))
		fxt_fault(check->decoder, record->offset,
			  "second packet header in the sub-buffer at 0x%llx",
			  lane->begin);
}

/*
 * Check the end of the open sub-buffer, if there is one. The first byte behind it, at @offset, is
 * a magic record, the end of the file, or a record that should not be there.
 */
static void fxt_subbuf_end(struct check *check, uint64_t offset)
{
	struct fxt_lane *lane = check->lane;

	if (check->headless)
		fxt_fault(check->decoder, check->begin,
			  "sub-buffer without a packet header");
	check->headless = false;
	check->lane = NULL;
	if (!lane || check->broken)
		return;
	if (offset < subbuf_end(lane)) {
		fxt_fault(check->decoder, packet_offset(lane),
			  "packet header: %llu bytes committed, but the sub-buffer ends after %llu",
			  lane->packet.committed_bytes,
			  (__u64)offset - lane->begin);
		return;
	}
	if (offset != check->decoder->len_bytes &&
	    check->record->kind != VITRINE_FXT_MAGIC &&
	    check->record->kind != VITRINE_FXT_PROVIDER_SECTION)
		fxt_fault(check->decoder, offset,
			  "record behind the %llu committed bytes of the sub-buffer at 0x%llx",
			  lane->packet.committed_bytes, lane->begin);
}

/* Check the place of a valid record. */
static void fxt_subbuf_follow(struct check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = check->record;

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

/* ---- Wakeups of threads that run --------------------------------------- */

/*
 * The thread has run until now: its wakeups were those of a running thread. Nor could another CPU
 * have switched to it, if it is the one that goes out.
 */
static void count(struct wakeups *wakeups, const struct archive_item *item)
{
	const struct doubt *doubt = &wakeups->cpus[item->record->cpu];
	const uint64_t running = item->cpu->running.thread;

	if (doubt->nr && (!wakeups->nr_running || doubt->first_offset < wakeups->first_offset)) {
		wakeups->first = running;
		wakeups->first_offset = doubt->first_offset;
	}
	wakeups->nr_running += doubt->nr;
	if (doubt->twice_offset && item->cpu->known && !item->breaks && !wakeups->nr_twice++) {
		wakeups->first_twice = running;
		wakeups->twice_offset = doubt->twice_offset;
	}
}

static bool is_running(const struct wakeups *wakeups, uint32_t cpu, uint64_t thread)
{
	const struct archive_cpu *on = archive_cpu(wakeups->archive, cpu);

	return thread && on->known && on->running.thread == thread;
}

static bool follow_switch(struct wakeups *wakeups, const struct archive_item *item)
{
	const struct vitrine_fxt_record *record = item->record;
	uint64_t incoming = record->context_switch.incoming.thread;
	struct fxt_name *thread = fxt_names_get(&wakeups->threads, incoming);

	if (!thread)
		return false;
	count(wakeups, item);
	wakeups->cpus[record->cpu] = (struct doubt){ 0 };
	if (thread->cpu != record->cpu && is_running(wakeups, thread->cpu, incoming))
		wakeups->cpus[thread->cpu].twice_offset = record->offset;
	thread->cpu = record->cpu;
	return true;
}

static void follow_wakeup(struct wakeups *wakeups,
			  const struct vitrine_fxt_record *record)
{
	uint64_t woken = record->wakeup.thread;
	const struct fxt_name *thread = fxt_names_find(&wakeups->threads, woken);
	struct doubt *doubt;

	if (!thread || !is_running(wakeups, thread->cpu, woken))
		return;
	doubt = &wakeups->cpus[thread->cpu];
	if (!doubt->nr++)
		doubt->first_offset = record->offset;
}

static struct vitrine_error *follow(struct wakeups *wakeups)
{
	struct vitrine_error *err;
	struct archive_item item;

	while (!(err = archive_read(wakeups->archive, &item)) && item.record) {
		if (!item.cpu)
			continue;
		if (item.record->kind == VITRINE_FXT_SWITCH && !follow_switch(wakeups, &item))
			return vtr_error_no_memory();
		if (item.record->kind == VITRINE_FXT_WAKEUP)
			follow_wakeup(wakeups, item.record);
		else if (item.record->kind == VITRINE_FXT_PROVIDER_EVENT)
			wakeups->cpus[item.record->cpu] = (struct doubt){ 0 };
	}
	return err;
}

/*
 * Report wakeups of threads that run, and threads that run twice. Returns NULL, or an error
 * from reading the trace.
 */
static struct vitrine_error *fxt_wakeups_check(struct vitrine_archive *archive,
					       const struct vitrine_fxt_report *report)
{
	struct wakeups *wakeups = calloc(1, sizeof(*wakeups));
	struct vitrine_error *err;

	if (!wakeups)
		return vtr_error_no_memory();
	wakeups->archive = archive;
	err = archive_begin(archive, NULL);
	if (!err)
		err = follow(wakeups);
	if (!err && wakeups->nr_running)
		vtr_note(report, wakeups->first_offset,
			 "%" PRIu64 " wakeups of running threads, the first of thread %"
			 PRIu64 "; viewers cut the running slice there",
			 wakeups->nr_running, wakeups->first);
	if (!err && wakeups->nr_twice)
		vtr_note(report, wakeups->twice_offset,
			 "%" PRIu64
			 " switches to a thread that runs elsewhere, the first to thread %"
			 PRIu64, wakeups->nr_twice, wakeups->first_twice);
	fxt_names_deinit(&wakeups->threads);
	free(wakeups);
	return err;
}

/* ---- Records ----------------------------------------------------------- */

static void count_fault(void *ctx, uint64_t offset, const char *message)
{
	struct check *check = ctx;

	check->summary.nr_faults++;
	if (check->report && check->report->fault)
		check->report->fault(check->report->ctx, offset, message);
}

/* Extend the time span of the trace by the times at one tick rate. */
static void end_span(struct check *check)
{
	uint64_t begin_ns, end_ns;

	if (check->begin_ticks > check->end_ticks)
		return;
	begin_ns = vitrine_fxt_ns(check->begin_ticks, check->ticks_per_second);
	end_ns = vitrine_fxt_ns(check->end_ticks, check->ticks_per_second);
	if (begin_ns < check->summary.begin_ns)
		check->summary.begin_ns = begin_ns;
	if (end_ns > check->summary.end_ns)
		check->summary.end_ns = end_ns;
}

static void begin_span(struct check *check)
{
	end_span(check);
	check->ticks_per_second = check->record->ticks_per_second;
	check->begin_ticks = UINT64_MAX;
	check->end_ticks = 0;
}

static void check_order(struct check *check, struct fxt_lane *lane,
			uint64_t ticks)
{
	if (!lane->timed || ticks >= lane->last_ticks ||
	    lane->last_ticks - ticks <= fxt_lane_slack(lane))
		return;
	if (fxt_lane_strict(check->lane, lane))
		fxt_fault(check->decoder, check->record->offset,
			  "time goes backwards from %" PRIu64 " to %" PRIu64 " ticks",
			  lane->last_ticks, ticks);
	else
		lane->nr_backwards++;
}

static void check_time(struct check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = check->record;
	uint64_t ticks = fxt_written_ticks(record);

	if (vitrine_fxt_ns(record->ticks, record->ticks_per_second) > MAX_NS)
		fxt_fault(check->decoder, record->offset,
			  "time of %" PRIu64 " ticks, 292 years or more after time 0",
			  ticks);
	if (!lane->timed || ticks >= lane->last_ticks ||
	    !fxt_lane_may_be_late(lane, record)) {
		check_order(check, lane, ticks);
		lane->last_ticks = ticks;
		lane->timed = true;
	}

	if (record->ticks_per_second != check->ticks_per_second)
		begin_span(check);
	if (record->ticks < check->begin_ticks)
		check->begin_ticks = record->ticks;
	if (record->ticks > check->end_ticks)
		check->end_ticks = record->ticks;
}

static bool use_thread(struct check *check, uint64_t koid, bool ours)
{
	uint64_t *recent = &check->recent[koid % RECENT_THREADS];
	struct fxt_name *name;

	if (*recent == koid + 1)
		return true;
	name = fxt_names_get(&check->threads, koid);
	if (!name)
		return false;
	if (!name->used) {
		name->used = true;
		name->ours = ours;
		name->number = check->record->offset;
		check->summary.nr_threads++;
	}
	*recent = koid + 1;
	return true;
}

static bool check_switch(struct check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = check->record;
	uint64_t outgoing = record->context_switch.outgoing.thread;
	uint64_t incoming = record->context_switch.incoming.thread;
	uint64_t *cpus = &check->cpus[record->cpu / 64 % 1024];
	bool ours = fxt_lane_strict(check->lane, lane);

	check->summary.nr_switches++;
	if (!(*cpus >> record->cpu % 64 & 1)) {
		*cpus |= 1ULL << record->cpu % 64;
		check->summary.nr_cpus++;
	}
	if (ours && record->cpu != lane->packet.cpu)
		fxt_fault(check->decoder, record->offset,
			  "switch of CPU %u in a sub-buffer of CPU %u",
			  record->cpu, lane->packet.cpu);
	if (ours && lane->chained && lane->running != outgoing)
		fxt_fault(check->decoder, record->offset,
			  "CPU %u switches from thread %" PRIu64 ", but %" PRIu64 " was running",
			  record->cpu, outgoing, lane->running);
	lane->running = incoming;
	lane->switched_ticks = record->ticks;
	lane->chained = ours;
	lane->bridged = lane->section;
	return use_thread(check, outgoing, ours) &&
	       use_thread(check, incoming, ours);
}

static void check_duration(struct check *check)
{
	const struct vitrine_fxt_record *record = check->record;

	if (record->event.type == FXT_EVENT_DURATION_COMPLETE &&
	    record->event.id < record->ticks)
		fxt_fault(check->decoder, record->offset,
			  "duration begins at %" PRIu64 " ticks and ends before, at %" PRIu64,
			  record->ticks, record->event.id);
}

/* Note what `vitrine cut' says of the trace that it has written. */
static void note_left_out(const struct check *check,
			  const struct vitrine_fxt_record *record)
{
	const struct vitrine_fxt_arg *arg;
	char text[512] = "";
	size_t len = 0;
	unsigned int i;

	if (!fxt_string_is(&record->event.category, VITRINE_PROVIDER_NAME) ||
	    !fxt_string_is(&record->event.name, "left_out"))
		return;
	for (i = 0; i < record->nr_args && len < sizeof(text); i++) {
		arg = &record->args[i];
		len += snprintf(text + len, sizeof(text) - len, " %.*s",
				(int)arg->name.len_bytes, arg->name.bytes);
		if (len >= sizeof(text))
			break;
		if (arg->type == FXT_ARG_STRING_REF)
			len += snprintf(text + len, sizeof(text) - len, "=%.*s",
					(int)arg->value.string.len_bytes,
					arg->value.string.bytes);
		else if (arg->type == FXT_ARG_UINT64)
			len += snprintf(text + len, sizeof(text) - len, "=%" PRIu64,
					arg->value.uint64);
	}
	vtr_note(check->report, record->offset,
		 "records were left out on purpose:%s", text);
}

static bool check_contents(struct check *check, struct fxt_lane *lane)
{
	const struct vitrine_fxt_record *record = check->record;

	switch (record->kind) {
	case VITRINE_FXT_SWITCH:
		return check_switch(check, lane);
	case VITRINE_FXT_WAKEUP:
		check->summary.nr_wakeups++;
		return true;
	case VITRINE_FXT_EVENT:
		if (record->event.type > FXT_EVENT_FLOW_END)
			check->summary.nr_unknown++;
		check->summary.nr_events++;
		check_duration(check);
		note_left_out(check, record);
		return true;
	case VITRINE_FXT_LOG:
		check->summary.nr_events++;
		return true;
	case VITRINE_FXT_UNKNOWN:
		check->summary.nr_unknown++;
		return true;
	case VITRINE_FXT_KERNEL_OBJECT:
		return fxt_names_learn(&check->processes, &check->threads,
				       record, 0);
	case VITRINE_FXT_PROVIDER_SECTION:
		if (!check->fxt->provider->introduced)
			vtr_note(check->report, record->offset,
				 "section of provider %u, which has no provider info record: viewers ignore it",
				 record->provider);
		return true;
	case VITRINE_FXT_PROVIDER_EVENT:
		vtr_note(check->report, record->offset,
			 "provider %u: event %u%s", record->provider,
			 record->provider_info.event,
			 record->provider_info.event ? "" :
			 ", a buffer filled up");
		return true;
	default:
		return true;
	}
}

static struct fxt_lane *lane_of(struct check *check)
{
	struct fxt_provider *provider = check->fxt->provider;

	if (!provider->owner)
		provider->owner = calloc(1, sizeof(struct fxt_lane));
	return provider->owner;
}

static bool check_record(struct check *check)
{
	struct fxt_lane *lane = lane_of(check);

	if (!lane)
		return false;
	check->summary.nr_records++;
	fxt_subbuf_follow(check, lane);
	if (check->record->timed)
		check_time(check, lane);
	return check_contents(check, lane);
}

static void check_bad_frame(struct check *check)
{
	uint64_t skipped = check->fxt->offset - check->record->offset;

	check->broken = true;
	check->headless = false;
	if (check->lane)
		check->lane->exact = false;
	if (check->fxt->offset < check->decoder->len_bytes)
		vtr_note(check->report, check->record->offset,
			 "%" PRIu64 " bytes passed over, up to the next magic record",
			 skipped);
}

static bool check_next(void *ctx, struct vitrine_fxt *fxt, enum fxt_result result)
{
	struct check *check = ctx;

	check->fxt = fxt;
	check->decoder = &fxt->decoder;
	check->record = &fxt->record;
	if (result == FXT_OK)
		return check_record(check);
	if (result == FXT_BAD_FRAME)
		check_bad_frame(check);
	else if (check->lane)
		check->lane->exact = false;
	return true;
}

static bool is_named(const struct fxt_name *thread, const struct fxt_name *process)
{
	return thread->named && thread->owned && process && process->named;
}

/*
 * Each thread of a switch, apart from idle, must have a name and a named process. A sub-buffer of
 * vitrine's introduces them by records; the names in these are empty if they have none. Process 0
 * needs none: it is idle, or stands for no process.
 */
static void check_names(struct check *check)
{
	const struct fxt_name *thread, *process;
	uint64_t nr_nameless = 0;
	const char *lack;
	size_t i;

	for (i = 0; i < check->threads.nr; i++) {
		thread = &check->threads.entries[i];
		if (!thread->used || !thread->koid)
			continue;
		process = fxt_names_find(&check->processes, thread->process);
		lack = !thread->ours ? NULL : !thread->introduced ? "name" :
		       !thread->owned ? "process" : !thread->process ? NULL :
		       !process || !process->introduced ? "process with a name" : NULL;
		if (lack)
			fxt_fault(check->decoder, thread->number,
				  "thread %" PRIu64 " has no %s", thread->koid,
				  lack);
		else if (!is_named(thread, process))
			nr_nameless++;
	}
	if (nr_nameless)
		vtr_note(check->report, 0,
			 "%" PRIu64 " threads lack a name or a process with a name",
			 nr_nameless);
}

static void note_backwards(struct check *check,
			   const struct fxt_provider *provider)
{
	const struct fxt_lane *lane = provider->owner;

	if (lane && lane->nr_backwards)
		vtr_note(check->report, 0,
			 "provider %u: %" PRIu64 " records earlier than the one before",
			 provider->id, lane->nr_backwards);
}

static void check_lanes(struct check *check)
{
	const struct fxt_names *providers = &check->fxt->providers.by_id;
	unsigned int i;

	for (i = 0; i < providers->nr; i++)
		note_backwards(check, providers->entries[i].owner);
}

static void check_deinit(struct check *check)
{
	fxt_names_deinit(&check->processes);
	fxt_names_deinit(&check->threads);
	vitrine_archive_destroy(check->archive);
	free(check);
}

static struct vitrine_error *check_all(struct check *check, struct fxt_file *file,
				       const char *path)
{
	const struct vitrine_fxt_report report = { .fault = count_fault, .ctx = check };
	const struct archive_look look = {
		.follow = check_next,
		.ctx = check,
		.thorough = true,
	};
	const uint64_t len_bytes = file->len_bytes;
	struct vitrine_error *err;

	check->summary.len_bytes = len_bytes;
	check->summary.begin_ns = UINT64_MAX;
	check->begin_ticks = UINT64_MAX;
	err = archive_index(file, path, &report, &look, &check->archive);
	if (err)
		return err;
	fxt_subbuf_end(check, len_bytes);
	end_span(check);
	check_names(check);
	check_lanes(check);
	if (check->summary.nr_wakeups || check->summary.nr_cpus > 1) {
		err = fxt_wakeups_check(check->archive, check->report);
		if (err && err->code == ENOMEM)
			return err;
		/* The file itself was checked: sorting it may need room on a disk. */
		if (err)
			vtr_note(check->report, 0,
				 "CPUs not compared with each other: %s",
				 err->message);
		vitrine_error_destroy(err);
	}
	fxt_subbuf_note_rate(check);
	if (check->summary.nr_unknown)
		vtr_note(check->report, 0,
			 "%" PRIu64 " records of unknown kinds",
			 check->summary.nr_unknown);
	check->summary.nr_providers = check->fxt->providers.by_id.nr;
	if (check->summary.begin_ns > check->summary.end_ns)
		check->summary.begin_ns = 0;
	return NULL;
}

/* Check a file, and close it. */
static struct vitrine_error *check_file(struct fxt_file *file, const char *path,
					const struct vitrine_fxt_report *report,
					struct vitrine_fxt_summary *ret)
{
	struct check *check = calloc(1, sizeof(*check));
	struct vitrine_error *err;

	if (!check) {
		fxt_file_close(file);
		return vtr_error_no_memory();
	}
	check->report = report;
	err = check_all(check, file, path);
	if (!err)
		*ret = check->summary;
	check_deinit(check);
	return err;
}

/**
 * vitrine_fxt_check_bytes() - validate a trace in memory
 * @bytes: the trace
 * @len_bytes: its length
 * @report: receives each fault and each note, in file order except for those that are
 *	only known at the end; or NULL
 * @ret: contents of the trace
 *
 * Return: NULL if the whole trace was read, however many faults it has; EPROTONOSUPPORT
 * if @bytes is not a trace, E2BIG with too many providers, ENOMEM.
 */
struct vitrine_error *
vitrine_fxt_check_bytes(const void *bytes, size_t len_bytes,
			const struct vitrine_fxt_report *report,
			struct vitrine_fxt_summary *ret)
{
	struct fxt_file file = {
		.bytes = (unsigned char *)bytes,
		.len_bytes = len_bytes,
		.borrowed = true,
	};

	return check_file(&file, NULL, report, ret);
}

/**
 * vitrine_fxt_check() - validate a trace file
 * @path: the file
 * @report: receives each fault and each note, or NULL
 * @ret: contents of the trace
 *
 * Return: as vitrine_fxt_check_bytes(), or an error from reading the file.
 */
struct vitrine_error *vitrine_fxt_check(const char *path,
					const struct vitrine_fxt_report *report,
					struct vitrine_fxt_summary *ret)
{
	struct vitrine_error *err;
	struct fxt_file file;

	err = fxt_file_open(path, &file);
	return err ? err : check_file(&file, path, report, ret);
}
