/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The mapping interface: what user space sees of a ring through mmap().
 *
 * trace/cpu<N>, one per CPU that ever came up:
 *
 *   page 0     struct vitrine_ring_consumer  the only page that may be mapped
 *                                            writable; the kernel distrusts it
 *   page 1     struct vitrine_ring_producer  read-only
 *   page 2...  nr_subbufs sub-buffers of subbuf_bytes each, read-only
 *
 * Sequence numbers count the sub-buffers of one ring from 0; number s lives in
 * slot s % nr_subbufs. Each opens with a preamble of legal FXT records:
 *
 *   offset  0  magic number record                       1 word
 *           8  provider info, id = cpu + 1, "vitrine"    2 words
 *          24  initialization, ticks per second          2 words
 *          40  BLOB, type DATA, name "vitrine"           2 words
 *          56  struct vitrine_packet, the BLOB's payload
 *         160  BLOB, type DATA, name "clock"            2 words
 *         176  struct vitrine_clock_pair, its payload
 *         ...  records, up to committed_bytes
 *
 * so that bytes [0, committed_bytes) of any one of them are an archive.
 *
 * Taking a consistent copy of sub-buffer s (pairs with module/ring.c):
 *
 *   1. generation = load-acquire(packet->generation); odd: being recycled
 *   2. committed = load-acquire(packet->committed_bytes)
 *   3. copy committed bytes
 *   4. read fence; load generation again; if it differs, or the copy's
 *      packet->sequence is not s, s was overwritten: drop the copy
 *   5. in the copy, set packet->committed_bytes to what was taken
 */
#ifndef _UAPI_VITRINE_MAP_H
#define _UAPI_VITRINE_MAP_H

#include <linux/types.h>

#define VITRINE_MAP_VERSION		2
#define VITRINE_DEBUGFS_DIR		"vitrine"
#define VITRINE_INSPECT_DIR		"inspect"
#define VITRINE_INSPECT_SUFFIX		".inspect"
#define VITRINE_RETAINED_DIR		"retained"	/* in the former */
#define VITRINE_DROP_FILE		"drop"		/* in the former */
#define VITRINE_TRACE_DIR		"trace"
#define VITRINE_PROVIDER_NAME		"vitrine"

#define VITRINE_RING_CONSUMER_PAGE	0
#define VITRINE_RING_PRODUCER_PAGE	1
#define VITRINE_RING_FIRST_SUBBUF_PAGE	2

/* Byte offset of struct vitrine_packet in every sub-buffer. */
#define VITRINE_PACKET_OFFSET		56
#define VITRINE_PACKET_MAGIC		0x54454b4341505456ULL	/* "VTPACKET" */

/**
 * enum vitrine_clock - what a tick of a session's timestamps is
 * @VITRINE_CLOCK_LOCAL: the scheduler's clock, nanoseconds
 * @VITRINE_CLOCK_COUNTER: the CPU's own counter: TSC, CNTVCT, ...
 * @VITRINE_CLOCK_MONO: CLOCK_MONOTONIC, nanoseconds
 * @VITRINE_CLOCK_BOOT: CLOCK_BOOTTIME, nanoseconds
 */
enum vitrine_clock {
	VITRINE_CLOCK_LOCAL	= 0,
	VITRINE_CLOCK_COUNTER	= 1,
	VITRINE_CLOCK_MONO	= 2,
	VITRINE_CLOCK_BOOT	= 3,
};

/**
 * enum vitrine_mode - what happens when a ring is full
 * @VITRINE_MODE_CIRCULAR: the oldest sub-buffer is overwritten
 * @VITRINE_MODE_ONESHOT: no more is written
 * @VITRINE_MODE_STREAMING: no more is written until the reader's position has
 *	passed the oldest sub-buffer
 */
enum vitrine_mode {
	VITRINE_MODE_CIRCULAR	= 0,
	VITRINE_MODE_ONESHOT	= 1,
	VITRINE_MODE_STREAMING	= 2,
};

/* Thread, of process 0, that a CPU's losses are shown on; nobody's id. */
#define VITRINE_LOSS_THREAD(cpu)	(0x7fff0000U + (cpu))

/**
 * struct vitrine_packet - what a sub-buffer says of itself
 * @magic: VITRINE_PACKET_MAGIC
 * @generation: odd while the sub-buffer is being recycled
 * @sequence: number of this sub-buffer in its ring, from 0
 * @committed_bytes: valid bytes, from the start of the sub-buffer
 * @begin_ticks: time of the first record
 * @end_ticks: time of the last record so far
 * @records_before: records with a timestamp written to this ring before this
 *	sub-buffer; what a reader did not get in between is lost to that reader
 * @bytes_before: committed bytes of all earlier sub-buffers of this ring
 * @lost_records: records that could not be written, up to the start of this
 *	sub-buffer
 * @session_ticks: clock reading when the session began
 * @session_realtime_ns: CLOCK_REALTIME at @session_ticks
 * @cpu: CPU that writes this ring
 * @session: number of the session, from 1
 * @clock: enum vitrine_clock
 * @subbuf_bytes: size of a sub-buffer
 */
struct vitrine_packet {
	__u64	magic;
	__u64	generation;
	__u64	sequence;
	__u64	committed_bytes;
	__u64	begin_ticks;
	__u64	end_ticks;
	__u64	records_before;
	__u64	bytes_before;
	__u64	lost_records;
	__u64	session_ticks;
	__u64	session_realtime_ns;
	__u32	cpu;
	__u32	session;
	__u32	clock;
	__u32	subbuf_bytes;
};

#define VITRINE_PREAMBLE_BYTES \
	(VITRINE_PACKET_OFFSET + sizeof(struct vitrine_packet))

#define VITRINE_CLOCK_BLOB_NAME		"clock"

/**
 * struct vitrine_clock_pair - two clocks read at once, when a sub-buffer begins
 * @ticks: the session's clock
 * @mono_ns: CLOCK_MONOTONIC
 *
 * Two of them measure how fast the session's clock really ran.
 */
struct vitrine_clock_pair {
	__u64	ticks;
	__u64	mono_ns;
};

/**
 * struct vitrine_ring_consumer - page 0, the reader's
 * @sequence: first sub-buffer the reader still wants; in streaming mode, that
 *	one and all later ones are kept
 * @watermark: how many complete sub-buffers, from @sequence on, make the ring
 *	readable for poll(); 0 is as good as 1, more than the ring can hold as
 *	good as all it can hold
 *
 * Any value is harmless to the kernel.
 */
struct vitrine_ring_consumer {
	__u64	sequence;
	__u64	watermark;
};

#define VITRINE_RING_CLOSED	1U	/* its session is over; nothing follows */
#define VITRINE_RING_FROZEN	2U	/* a trigger fired; see trace/trigger */

/**
 * struct vitrine_ring_producer - page 1, the kernel's
 * @length: bytes of this structure that the kernel fills
 * @version: VITRINE_MAP_VERSION
 * @cpu: CPU that writes this ring
 * @session: number of the session, as in the packets
 * @clock: enum vitrine_clock
 * @flags: VITRINE_RING_CLOSED, VITRINE_RING_FROZEN
 * @nr_subbufs: sub-buffers in the ring
 * @subbuf_bytes: size of each, a multiple of the page size
 * @ticks_per_second: of the session's clock
 * @sequence: of the sub-buffer being written; load-acquire it. All before it
 *	are complete, and the last @nr_subbufs - 1 of them are still there.
 *	~0 before the first record.
 * @lost_records: records that could not be written so far
 * @mode: enum vitrine_mode
 * @reserved: 0
 */
struct vitrine_ring_producer {
	__u32	length;
	__u32	version;
	__u32	cpu;
	__u32	session;
	__u32	clock;
	__u32	flags;
	__u32	nr_subbufs;
	__u32	subbuf_bytes;
	__u64	ticks_per_second;
	__u64	sequence;
	__u64	lost_records;
	__u32	mode;
	__u32	reserved;
};

/*
 * For whoever reads a dump of the machine's memory, and nobody else: a tree's
 * pages are anywhere, and this, which no mapping shows, tells where. Sub-buffers
 * need no such thing: each is in one piece and says what it is.
 */
#define VITRINE_PAGES_MAGIC	0x5345474150545656ULL	/* "VVTPAGES" */
#define VITRINE_PAGES_NAME_BYTES	64

/**
 * struct vitrine_pages - where the pages of a tree are
 * @magic: VITRINE_PAGES_MAGIC while the tree is there
 * @nr_pages: how many it has
 * @name: of the tree, ended by 0
 * @numbers: of each page its physical address divided by its size
 */
struct vitrine_pages {
	__u64	magic;
	__u64	nr_pages;
	char	name[VITRINE_PAGES_NAME_BYTES];
	__u64	numbers[];
};

#endif /* _UAPI_VITRINE_MAP_H */
