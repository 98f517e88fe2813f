/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Layout of a ring as user space sees it through mmap().
 *
 * trace/cpu<N>, one file for each CPU that has ever been online:
 *
 *   page 0     struct vitrine_ring_consumer  the only page that may be mapped
 *                                            writable; not trusted by the kernel
 *   page 1     struct vitrine_ring_producer  read-only
 *   page 2...  nr_subbufs sub-buffers of subbuf_bytes each, read-only
 *
 * Sequence numbers count the sub-buffers of one ring from 0; sub-buffer s is in
 * slot s % nr_subbufs. Each sub-buffer begins with a preamble of valid FXT records:
 *
 *   offset  0  magic number record                       1 word
 *           8  provider info, id = cpu + 1, "vitrine"    2 words
 *          24  initialization, ticks per second          2 words
 *          40  BLOB, type DATA, name "vitrine"           2 words
 *          56  struct vitrine_packet, payload of that BLOB
 *         160  BLOB, type DATA, name "clock"             2 words
 *         176  struct vitrine_clock_pair, payload of that BLOB
 *         ...  records, up to committed_bytes
 *
 * so that bytes [0, committed_bytes) of any sub-buffer are an archive of their own.
 * samples/ring_reader.c is a complete reader.
 *
 * To make a consistent copy of sub-buffer s (pairs with module/trace/ring.c):
 *
 *   1. Load packet->generation with acquire semantics. If it is odd, the sub-buffer is
 *      being recycled: try again later.
 *   2. Load packet->committed_bytes with acquire semantics.
 *   3. Copy that number of bytes.
 *   4. Execute a read fence and load packet->generation again. If it has changed, or if
 *      packet->sequence of the copy is not s, sub-buffer s was overwritten: drop the copy.
 *   5. In the copy, set packet->committed_bytes to the number of bytes copied.
 */
#ifndef _UAPI_VITRINE_MAP_H
#define _UAPI_VITRINE_MAP_H

#include <linux/types.h>

#define VITRINE_MAP_VERSION		2
#define VITRINE_DEBUGFS_DIR		"vitrine"
#define VITRINE_INSPECT_DIR		"inspect"
#define VITRINE_INSPECT_SUFFIX		".inspect"
#define VITRINE_RETAINED_DIR		"retained"	/* in VITRINE_INSPECT_DIR */
#define VITRINE_DROP_FILE		"drop"		/* in VITRINE_INSPECT_DIR */
#define VITRINE_TRACE_DIR		"trace"
#define VITRINE_PROVIDER_NAME		"vitrine"

#define VITRINE_RING_CONSUMER_PAGE	0
#define VITRINE_RING_PRODUCER_PAGE	1
#define VITRINE_RING_FIRST_SUBBUF_PAGE	2

/* Byte offset of struct vitrine_packet in every sub-buffer. */
#define VITRINE_PACKET_OFFSET		56
#define VITRINE_PACKET_MAGIC		0x54454b4341505456ULL	/* "VTPACKET" */

/**
 * enum vitrine_clock - the clock of a session's timestamps
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
 * @VITRINE_MODE_CIRCULAR: the oldest sub-buffer is overwritten (flight recorder)
 * @VITRINE_MODE_ONESHOT: recording stops
 * @VITRINE_MODE_STREAMING: new records are dropped until the reader's position has
 *	passed the oldest sub-buffer
 */
enum vitrine_mode {
	VITRINE_MODE_CIRCULAR	= 0,
	VITRINE_MODE_ONESHOT	= 1,
	VITRINE_MODE_STREAMING	= 2,
};

/* Thread id, in process 0, under which the losses of a CPU are shown; no thread has it. */
#define VITRINE_LOSS_THREAD(cpu)	(0x7fff0000U + (cpu))

/**
 * struct vitrine_packet - the packet header of a sub-buffer
 * @magic: VITRINE_PACKET_MAGIC
 * @generation: odd while the sub-buffer is being recycled
 * @sequence: number of this sub-buffer in its ring, from 0
 * @committed_bytes: valid bytes, from the start of the sub-buffer
 * @begin_ticks: time at which the first record was written, in ticks; a complete event
 *	may have begun earlier
 * @end_ticks: time of the latest record so far, in ticks
 * @records_before: number of records with a timestamp that were written to this ring
 *	before this sub-buffer; a reader compares it with the number it has read
 * @bytes_before: committed bytes of all earlier sub-buffers of this ring
 * @lost_records: records that could not be written, up to the start of this
 *	sub-buffer
 * @session_ticks: clock reading when the session began
 * @session_realtime_ns: CLOCK_REALTIME at @session_ticks, in nanoseconds
 * @cpu: CPU that writes this ring
 * @session: number of the session, from 1
 * @clock: enum vitrine_clock
 * @subbuf_bytes: size of a sub-buffer in bytes
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
 * struct vitrine_clock_pair - two clocks, read together when a sub-buffer begins
 * @ticks: the session's clock, in ticks
 * @mono_ns: CLOCK_MONOTONIC, in nanoseconds
 *
 * Two pairs yield the true rate of the session's clock.
 */
struct vitrine_clock_pair {
	__u64	ticks;
	__u64	mono_ns;
};

/**
 * struct vitrine_ring_consumer - page 0, written by the reader
 * @sequence: first sub-buffer that the reader still needs; in streaming mode, this
 *	sub-buffer and all later ones are not overwritten
 * @watermark: number of complete sub-buffers, from @sequence on, that make the ring
 *	readable for poll(); 0 is equivalent to 1, and values beyond the capacity of
 *	the ring are equivalent to that capacity
 *
 * The kernel does not trust this page: any values are safe.
 */
struct vitrine_ring_consumer {
	__u64	sequence;
	__u64	watermark;
};

#define VITRINE_RING_CLOSED	1U	/* the session has ended; no records follow */
#define VITRINE_RING_FROZEN	2U	/* a trigger fired; see trace/trigger */

/**
 * struct vitrine_ring_producer - page 1, written by the kernel
 * @length: bytes of this structure that the kernel fills
 * @version: VITRINE_MAP_VERSION
 * @cpu: CPU that writes this ring
 * @session: number of the session, as in the packets
 * @clock: enum vitrine_clock
 * @flags: VITRINE_RING_CLOSED, VITRINE_RING_FROZEN
 * @nr_subbufs: number of sub-buffers in the ring
 * @subbuf_bytes: size of a sub-buffer in bytes, a multiple of the page size
 * @ticks_per_second: rate of the session's clock
 * @sequence: sequence number of the sub-buffer being written, ~0 before the first
 *	record. After a load with acquire semantics all earlier sub-buffers are complete,
 *	and the last @nr_subbufs - 1 of them are still in the ring
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
 * For readers of memory dumps only: the pages of a tree are scattered, and this
 * table, which is not part of any mapping, tells where they are. Sub-buffers need
 * no table, because each is contiguous and begins with its packet header.
 */
#define VITRINE_PAGES_MAGIC	0x5345474150545656ULL	/* "VVTPAGES" */
#define VITRINE_PAGES_NAME_BYTES	64

/**
 * struct vitrine_pages - physical pages of a tree
 * @magic: VITRINE_PAGES_MAGIC while the tree exists
 * @nr_pages: number of pages of the tree
 * @name: name of the tree, terminated by 0
 * @numbers: page frame number of each page: the physical address divided by the page size
 */
struct vitrine_pages {
	__u64	magic;
	__u64	nr_pages;
	char	name[VITRINE_PAGES_NAME_BYTES];
	__u64	numbers[];
};

/**
 * struct vitrine_marker_number - a marker with a number, as written to trace/marker
 * @letter: kind of marker: 'C' a counter; 'S' and 'F' the begin and the end of a duration
 *	that may end on another thread; 's', 't' and 'f' the begin, a step and the end of a
 *	flow
 * @nul: 0, which distinguishes it from text
 * @number: value of the counter; id of the duration or of the flow
 *
 * The name follows, which is at least one byte and need not be terminated. The whole
 * marker has at most 255 bytes. The same can be written as text: "C||NAME|NUMBER".
 */
struct vitrine_marker_number {
	__u8	letter;
	__u8	nul;
	__s64	number;
} __attribute__((packed));

/*
 * The module's sources of events, in the order of trace/events: X(category, takes_cpu, what).
 * The complete events of a source with @takes_cpu are the times in which something else ran
 * on the CPU than its thread.
 */
#define VITRINE_SOURCES(X)						\
	X(sched, 0, "wakeups, migrations, fork, exec, exit")		\
	X(irq, 1, "interrupt handlers and softirqs, as durations")	\
	X(ipi, 1, "interrupts from other CPUs, as durations")		\
	X(fault, 0, "page faults and other exceptions")			\
	X(syscall, 0, "system calls, as durations")			\
	X(block, 0, "requests of block devices, from issue to completion") \
	X(timer, 1, "expired timers and hrtimers, with their function")	\
	X(power, 0, "idle states and frequency of CPUs")		\
	X(module, 0, "loading and unloading of modules")		\
	X(printk, 0, "kernel messages")

#endif /* _UAPI_VITRINE_MAP_H */
