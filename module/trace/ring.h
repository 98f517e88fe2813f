/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring of one CPU: reserve and commit for its writer, consistent copies for all
 * readers. <uapi/vitrine/map.h> has the layout, ring.c the locking rules.
 */
#ifndef _VTR_RING_H
#define _VTR_RING_H

#include <linux/container_of.h>
#include <linux/irq_work.h>
#include <linux/kconfig.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/rwsem.h>
#include <linux/wait.h>
#include <asm/local64.h>

#include <uapi/vitrine/map.h>

#include "area.h"
#include "strings.h"
#include "threads.h"

struct vm_area_struct;

/**
 * struct vtr_ring_config - properties shared by all rings of a session
 * @clock: clock of the session
 * @mode: what happens when a ring is full
 * @buffer_kb: size of all sub-buffers of a CPU in KiB, a power of two
 * @subbuf_kb: size of a sub-buffer in KiB, a power of two, at most half of @buffer_kb
 * @session: number of the session
 * @subbuf_order: a sub-buffer has 1 << @subbuf_order pages
 * @nr_subbufs: number of sub-buffers in a ring, a power of two, at least 2
 * @ticks_per_second: rate of @clock
 * @session_ticks: reading of @clock when the session began
 * @session_realtime_ns: CLOCK_REALTIME at that moment, in nanoseconds
 *
 * The first four are the settings of the session, from which session.c derives the rest.
 */
struct vtr_ring_config {
	enum vitrine_clock	clock;
	enum vitrine_mode	mode;
	unsigned int		buffer_kb;
	unsigned int		subbuf_kb;
	u32			session;
	unsigned int		subbuf_order;
	unsigned int		nr_subbufs;
	u64			ticks_per_second;
	u64			session_ticks;
	u64			session_realtime_ns;
};

/*
 * Words reserved at the end of each sub-buffer, so that the chain of switches can always be
 * closed, and a full ring reported: a switch to idle, of any CPU, and a provider event.
 */
#define VTR_RING_CLOSE_WORDS	(VTR_FXT_WIDE_SWITCH_WORDS + 1)

/* Room that a ring has below its limit: for the longer of a switch and a wakeup. */
#define VTR_RING_HOT_WORDS	VTR_FXT_WAKEUP_WORDS

/*
 * Maximum length of the head of a sub-buffer, before its first record: packet header,
 * clocks, section, strings, and the report of a loss.
 */
#define VTR_RING_HEAD_WORDS	((VITRINE_PREAMBLE_BYTES / FXT_WORD_BYTES) + \
				 4 + 1 + 8 + 1 + VTR_MARKS_GAP_WORDS)

/**
 * struct vtr_ring_gap - what has been reported of losses
 * @told_records: number of lost records that have been reported
 * @told_bytes: length of these records
 * @begin: time since when the ring has had no room, 0 if it has
 * @told_full: the current sub-buffer contains a record that the ring is full
 */
struct vtr_ring_gap {
	u64			told_records;
	u64			told_bytes;
	u64			begin;
	bool			told_full;
};

/**
 * struct vtr_ring - the ring of a CPU
 * @committed: address of committed_bytes in the packet header of the current sub-buffer;
 *	its value is the offset of the next record
 * @limit: value of committed_bytes from which on neither a switch nor a wakeup fits; 0
 *	while there is no room at all: before the first record, when full, when
 *	frozen
 * @running: outgoing fields and base of the next switch record, that is, the incoming
 *	thread of the previous one, as if it were blocked, which is most frequent; equal
 *	to @switch_base if the chain of switches is closed
 * @switch_base: constant fields of all switch records of this CPU, unless it is wide, and
 *	the state of a blocked thread
 * @nr_wakeups: number of wakeups, of VTR_FXT_WAKEUP_WORDS each
 * @wakeup_base: first word of the wakeup records of this CPU
 * @other_records: number of records with a timestamp that are neither a wakeup nor a
 *	switch, or that close a chain
 * @other_bytes: committed bytes of all records but wakeups and switches
 * @bytes_before: committed bytes of all earlier sub-buffers
 * @lost_bytes: length of the records that could not be written
 * @gap: what has been reported of losses
 * @strings: string table
 * @cpu: CPU that writes
 * @threads: thread table of the current sub-buffer
 * @config: copy of the session's configuration
 * @producer: page 1 of the mapping
 * @area: consumer page, producer page, sub-buffers
 * @subbufs: start of each sub-buffer
 * @kept: held to read, and to map, the sub-buffers, and to take them away
 * @is_expired: the sub-buffers were taken away
 * @closed: in the list of closed rings
 * @wait: readers in poll()
 * @wake: irq_work that wakes @wait, because the run queue may be locked
 * @kref: held by the session and by each open file
 *
 * The fields from @committed to @strings belong to the writer: the ring's CPU with
 * interrupts off. Only @limit is also cleared by a CPU that freezes the ring.
 * To record a switch or a wakeup, the hot path accesses only the first six fields, for a
 * switch also the head of @threads, besides the record and the packet header.
 *
 * The ring of a CPU whose number does not fit into the 16-byte switch record is wide: its
 * switches are records of subtype 1. No thread gets a reference in a wide ring, so each
 * switch takes the slow path, and the fast path needs no check for wide rings.
 */
struct vtr_ring {
	u64			*committed;
	u64			limit;
	u64			running;
	u64			switch_base;
	u64			nr_wakeups;
	u64			wakeup_base;
	u64			other_records;
	u64			other_bytes;
	u64			bytes_before;
	local64_t		lost_bytes;
	struct vtr_ring_gap	gap;
	struct vtr_threads	threads;
	struct vtr_strings	strings;

	unsigned int		cpu;
	struct vtr_ring_config	config;
	struct vitrine_ring_producer *producer;
	struct vtr_area		area;
	void			**subbufs;
	struct rw_semaphore	kept;
	bool			is_expired;
	struct list_head	closed;
	wait_queue_head_t	wait;
	struct irq_work		wake;
	struct kref		kref;
};

/**
 * struct vtr_ring_stats - statistics of a ring since its session began
 * @records: number of records with a timestamp
 * @switches: of @records, context switches
 * @bytes: committed bytes of all records
 * @overwritten_records: of @records, those no longer in the ring
 * @lost_records: number of records that could not be written
 * @subbufs: number of sub-buffers begun
 */
struct vtr_ring_stats {
	u64	records;
	u64	switches;
	u64	bytes;
	u64	overwritten_records;
	u64	lost_records;
	u64	subbufs;
};

struct vtr_ring *vtr_ring_create(unsigned int cpu,
				 const struct vtr_ring_config *config);
struct vtr_ring *vtr_ring_get(struct vtr_ring *ring);
void vtr_ring_put(struct vtr_ring *ring);
void vtr_ring_close(struct vtr_ring *ring);
void vtr_ring_freeze(struct vtr_ring *ring);
bool vtr_ring_end_subbuf(struct vtr_ring *ring);
void vtr_ring_thaw(struct vtr_ring *ring);
bool vtr_ring_advance(struct vtr_ring *ring, u64 now);
unsigned int vtr_ring_put_wide_switch(const struct vtr_ring *ring, u64 *words,
				      u64 now, u64 state, u64 incoming,
				      u8 priority);
void vtr_ring_close_chain(struct vtr_ring *ring, u64 now, u64 state);
void vtr_ring_expire(u32 oldest);
int vtr_ring_mmap(struct vtr_ring *ring, struct vm_area_struct *vma);
ssize_t vtr_ring_copy(struct vtr_ring *ring, u64 sequence, void *bytes);
void vtr_ring_range(const struct vtr_ring *ring, u64 *ret_first, u64 *ret_end);
void vtr_ring_stats(const struct vtr_ring *ring, struct vtr_ring_stats *ret);
bool vtr_ring_readable(const struct vtr_ring *ring);
bool vtr_ring_frozen(const struct vtr_ring *ring);

/**
 * vtr_ring_subbuf_bytes() - return the size of a sub-buffer
 * @config: configuration of the ring
 *
 * Context: any.
 * Return: size in bytes.
 */
static inline size_t vtr_ring_subbuf_bytes(const struct vtr_ring_config *config)
{
	return PAGE_SIZE << config->subbuf_order;
}

/**
 * vtr_ring_max_words() - return the guaranteed room in an empty sub-buffer
 * @ring: any ring
 *
 * Context: any.
 * Return: words, if the head of the sub-buffer has maximum length.
 */
static inline unsigned int vtr_ring_max_words(const struct vtr_ring *ring)
{
	return vtr_ring_subbuf_bytes(&ring->config) / FXT_WORD_BYTES -
	       VTR_RING_HEAD_WORDS - VTR_RING_CLOSE_WORDS;
}

/**
 * vtr_ring_is_wide() - check whether the switches of a ring are records of subtype 1
 * @ring: any ring
 *
 * Context: any.
 * Return: true if the number of its CPU does not fit into the 16-byte record.
 */
static inline bool vtr_ring_is_wide(const struct vtr_ring *ring)
{
	return ring->cpu > VTR_FXT_SWITCH_MAX_CPU;
}

/**
 * vtr_ring_running() - return the outgoing fields and base of the next switch record
 * @ring: the ring
 * @state: state of the outgoing thread as returned by vtr_writer_state()
 *
 * Context: the ring's CPU, interrupts off.
 * Return: the first word of the record, without the incoming thread.
 */
static inline u64 vtr_ring_running(const struct vtr_ring *ring, u64 state)
{
	return (ring->running & ~FXT_SWITCH_OUTGOING_STATE) | state;
}

/**
 * vtr_ring_switch_words() - return the length of a switch record
 * @ring: ring of the record
 *
 * Context: any.
 * Return: words.
 */
static inline unsigned int vtr_ring_switch_words(const struct vtr_ring *ring)
{
	return vtr_ring_is_wide(ring) ? VTR_FXT_WIDE_SWITCH_WORDS :
					VTR_FXT_SWITCH_WORDS;
}

static __always_inline struct vitrine_packet *vtr_ring_packet(void *subbuf)
{
	return subbuf + VITRINE_PACKET_OFFSET;
}

/**
 * vtr_ring_at() - return an address in the current sub-buffer
 * @committed: field of this CPU's ring
 * @offset: offset from the start of the sub-buffer in bytes
 *
 * Context: the ring's CPU, interrupts off. Hot.
 * Return: address of the word.
 */
static __always_inline u64 *vtr_ring_at(u64 *committed, u64 offset)
{
	void *place = (void *)committed + offset;

	/* Makes the compiler fold the constants into the stores, which saves an addition. */
	OPTIMIZER_HIDE_VAR(place);
	return place - VITRINE_PACKET_OFFSET -
	       offsetof(struct vitrine_packet, committed_bytes);
}

/**
 * vtr_ring_next() - return the address of the next record
 * @ring: ring of this CPU, which has room
 *
 * Context: the ring's CPU, interrupts off.
 * Return: end of the committed records.
 */
static inline u64 *vtr_ring_next(const struct vtr_ring *ring)
{
	return vtr_ring_at(ring->committed, *ring->committed);
}

/**
 * vtr_ring_commit() - make records visible to readers
 * @ring: ring of this CPU
 * @next: end of the last record; all words before it are written
 * @now: time of that record, in ticks
 *
 * Context: the ring's CPU, interrupts off.
 */
static inline void vtr_ring_commit(struct vtr_ring *ring, u64 *next, u64 now)
{
	void *subbuf = vtr_ring_at(ring->committed, 0);

	WRITE_ONCE(vtr_ring_packet(subbuf)->end_ticks, now);
	/* Pairs with load-acquire in copy_subbuf() and tools/lib/ring.c. */
	smp_store_release(ring->committed, (void *)next - subbuf);
}

/**
 * vtr_ring_commit_untimed() - commit records that are neither a switch nor a wakeup
 * @ring: ring of this CPU
 * @next: end of the last record; the first one begins at vtr_ring_next()
 * @now: time in ticks
 *
 * The caller counts records that have a timestamp.
 *
 * Context: the ring's CPU, interrupts off.
 */
static inline void vtr_ring_commit_untimed(struct vtr_ring *ring, u64 *next, u64 now)
{
	ring->other_bytes += (next - vtr_ring_next(ring)) * FXT_WORD_BYTES;
	vtr_ring_commit(ring, next, now);
}

/**
 * vtr_ring_commit_hot() - make a switch or a wakeup visible to readers
 * @committed: field of this CPU's ring
 * @offset: offset of the record, which is the old value of *@committed
 * @nr_words: length of the record, a constant
 * @now: time of the record, in ticks
 *
 * On x86 a compiler barrier and a plain add to memory have release semantics. Elsewhere
 * such an add would be an atomic instruction, which is not needed here.
 *
 * Context: the ring's CPU, interrupts off. Hot.
 */
static __always_inline void vtr_ring_commit_hot(u64 *committed, u64 offset,
						unsigned int nr_words, u64 now)
{
	struct vitrine_packet *packet;

	packet = container_of(committed, struct vitrine_packet, committed_bytes);
	WRITE_ONCE(packet->end_ticks, now);
	if (IS_ENABLED(CONFIG_X86)) {
		/* Pairs with load-acquire in copy_subbuf() and tools/lib/ring.c. */
		smp_wmb();
		local64_add(nr_words * FXT_WORD_BYTES,
			    (local64_t *)committed);
	} else {
		/* As above. */
		smp_store_release(committed, offset + nr_words * FXT_WORD_BYTES);
	}
}

/**
 * vtr_ring_lose() - count a record that could not be written
 * @ring: ring of this CPU
 * @nr_words: length of the record, 0 if it is not known
 *
 * Context: the ring's CPU, interrupts off or NMI: each increment is one instruction, so
 *	an NMI that loses a record cannot interfere.
 */
static inline void vtr_ring_lose(struct vtr_ring *ring, unsigned int nr_words)
{
	local64_inc((local64_t *)&ring->producer->lost_records);
	local64_add(nr_words * FXT_WORD_BYTES, &ring->lost_bytes);
}

/**
 * vtr_ring_has_hot() - check whether there is room for a switch or a wakeup
 * @ring: ring of this CPU
 * @offset: current value of committed_bytes
 *
 * Context: the ring's CPU, interrupts off. Hot.
 * Return: true if there is room.
 */
static __always_inline bool vtr_ring_has_hot(const struct vtr_ring *ring,
					     u64 offset)
{
	/* A concurrent freeze permits this record. */
	return offset < data_race(ring->limit);
}

/**
 * vtr_ring_has() - check whether a record fits into the current sub-buffer
 * @ring: ring of this CPU
 * @nr_words: length of the record
 *
 * Context: the ring's CPU, interrupts off.
 * Return: true if it fits; if not, the caller calls vtr_ring_advance() first.
 */
static inline bool vtr_ring_has(const struct vtr_ring *ring,
				unsigned int nr_words)
{
	u64 offset = *ring->committed;

	if (nr_words > VTR_RING_HOT_WORDS)
		offset += (nr_words - VTR_RING_HOT_WORDS) * FXT_WORD_BYTES;
	return vtr_ring_has_hot(ring, offset);
}

#endif /* _VTR_RING_H */
