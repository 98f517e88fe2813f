/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One CPU's ring of sub-buffers: reserve and commit for its writer, consistent
 * copies for everybody else. The layout is in <uapi/vitrine/map.h>.
 */
#ifndef _VITRINE_RING_H
#define _VITRINE_RING_H

#include <linux/irq_work.h>
#include <linux/kconfig.h>
#include <linux/kref.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <asm/local64.h>

#include <uapi/vitrine/map.h>

#include "area.h"
#include "fxt.h"
#include "marks.h"
#include "strings.h"
#include "threads.h"

/**
 * struct vtr_ring_config - what all rings of a session have in common
 * @session: number of the session
 * @clock: its clock
 * @mode: what happens when a ring is full
 * @subbuf_order: a sub-buffer is 1 << @subbuf_order pages
 * @nr_subbufs: sub-buffers in a ring, a power of two, at least 2
 * @ticks_per_second: rate of @clock
 * @session_ticks: reading of @clock when the session began
 * @session_realtime_ns: CLOCK_REALTIME at that moment
 */
struct vtr_ring_config {
	u32			session;
	enum vitrine_clock	clock;
	enum vitrine_mode	mode;
	unsigned int		subbuf_order;
	unsigned int		nr_subbufs;
	u64			ticks_per_second;
	u64			session_ticks;
	u64			session_realtime_ns;
};

/*
 * Kept free at the end of each sub-buffer, so that the row of switches can
 * always be closed, and a full ring say so: a switch to idle, of any CPU, and a
 * provider event.
 */
#define VTR_RING_CLOSE_WORDS	(VTR_FXT_WIDE_SWITCH_WORDS + 1)

/* Room below a ring's limit: for a switch or a wakeup, whichever is longer. */
#define VTR_RING_HOT_WORDS	VTR_FXT_WAKEUP_WORDS

/*
 * Most that stands before the first record of a sub-buffer: packet header, clocks,
 * section, strings, and what tells of a loss.
 */
#define VTR_RING_HEAD_WORDS	((VITRINE_PREAMBLE_BYTES / FXT_WORD_BYTES) + \
				 4 + 1 + 8 + 1 + VTR_MARKS_GAP_WORDS)

/**
 * struct vtr_ring_gap - what has been said of losses
 * @told_records: of the records lost, those a mark tells of
 * @told_bytes: their length
 * @begin: since when there has been no room, 0 if there is
 * @told_full: the sub-buffer being written says that the ring is full
 */
struct vtr_ring_gap {
	u64			told_records;
	u64			told_bytes;
	u64			begin;
	bool			told_full;
};

/**
 * struct vtr_ring - one CPU's ring
 * @subbuf: start of the sub-buffer being written; the next record goes to its
 *	end, which is committed_bytes of its packet header
 * @limit: committed_bytes from which on neither a switch nor a wakeup fits; 0
 *	while there is no room at all: before the first record, when full, when
 *	frozen
 * @running: outgoing fields of the next switch record, and its base: the
 *	thread that came in last; without one, @switch_base, the row of switches
 *	is closed
 * @switch_base: what all switch records of this CPU share; 0 in a wide ring
 * @nr_wakeups: wakeups, of VTR_FXT_WAKEUP_WORDS each
 * @other_records: records with a timestamp that are neither a wakeup nor a
 *	switch, or close a row
 * @other_bytes: committed bytes that are not those of wakeups and switches
 * @bytes_before: committed bytes of all earlier sub-buffers
 * @lost_bytes: length of the records that could not be written
 * @gap: what has been said of them
 * @strings: its string table
 * @wakeup_base: first word of all wakeup records of this CPU
 * @cpu: CPU that writes
 * @threads: thread table of the sub-buffer being written
 * @config: copy of the session's
 * @producer: page 1 of the mapping
 * @area: consumer page, producer page, sub-buffers
 * @subbufs: start of each sub-buffer
 * @wait: readers in poll()
 * @wake: wakes @wait from where the run queue is locked
 * @kref: held by the session and by each open file
 *
 * @subbuf to @wakeup_base belong to the writer: the ring's CPU with interrupts
 * off. Only @limit is also taken away, by whoever freezes the ring.
 * The first four fields and the head of @threads are all that a recorded
 * switch touches, besides the record and the packet.
 *
 * The ring of a CPU that the 16-byte switch record cannot name is wide: its
 * switches are records of subtype 1. No thread is given a reference in it, so
 * each of its switches goes the slow way, and the fast one need not ask.
 */
struct vtr_ring {
	void			*subbuf;
	u64			limit;
	u64			running;
	u64			switch_base;
	u64			nr_wakeups;
	u64			other_records;
	u64			other_bytes;
	u64			bytes_before;
	local64_t		lost_bytes;
	struct vtr_ring_gap	gap;
	struct vtr_threads	threads;
	struct vtr_strings	strings;
	u64			wakeup_base;

	unsigned int		cpu;
	struct vtr_ring_config	config;
	struct vitrine_ring_producer *producer;
	struct vtr_area		area;
	void			**subbufs;
	wait_queue_head_t	wait;
	struct irq_work		wake;
	struct kref		kref;
};

/**
 * struct vtr_ring_stats - what a ring counted since its session began
 * @records: records with a timestamp written
 * @switches: of @records, context switches
 * @bytes: bytes committed, everything counted
 * @overwritten_records: of @records, those no longer in the ring
 * @lost_records: records that could not be written
 * @subbufs: sub-buffers begun
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
void vtr_ring_get(struct vtr_ring *ring);
void vtr_ring_put(struct vtr_ring *ring);
void vtr_ring_close(struct vtr_ring *ring);
void vtr_ring_freeze(struct vtr_ring *ring);
void vtr_ring_thaw(struct vtr_ring *ring);
bool vtr_ring_advance(struct vtr_ring *ring, u64 now);
unsigned int vtr_ring_put_wide_switch(const struct vtr_ring *ring, u64 *words,
				      u64 now, u64 state, u64 incoming,
				      u8 priority);
void vtr_ring_close_row(struct vtr_ring *ring, u64 now);
size_t vtr_ring_copy(struct vtr_ring *ring, u64 sequence, void *bytes);
void vtr_ring_range(const struct vtr_ring *ring, u64 *ret_first, u64 *ret_end);
void vtr_ring_stats(const struct vtr_ring *ring, struct vtr_ring_stats *ret);
bool vtr_ring_readable(const struct vtr_ring *ring);
bool vtr_ring_frozen(const struct vtr_ring *ring);

/**
 * vtr_ring_subbuf_bytes() - size of a sub-buffer
 * @config: of the ring
 *
 * Context: any.
 * Return: bytes.
 */
static inline size_t vtr_ring_subbuf_bytes(const struct vtr_ring_config *config)
{
	return PAGE_SIZE << config->subbuf_order;
}

/**
 * vtr_ring_max_words() - what an empty sub-buffer has room for, whatever its head
 * @ring: any ring
 *
 * Context: any.
 * Return: words.
 */
static inline unsigned int vtr_ring_max_words(const struct vtr_ring *ring)
{
	return vtr_ring_subbuf_bytes(&ring->config) / FXT_WORD_BYTES -
	       VTR_RING_HEAD_WORDS - VTR_RING_CLOSE_WORDS;
}

/**
 * vtr_ring_is_wide() - whether a ring's switches are records of subtype 1
 * @ring: any ring
 *
 * Context: any.
 * Return: true if its CPU's number is too large for the 16-byte record.
 */
static inline bool vtr_ring_is_wide(const struct vtr_ring *ring)
{
	return ring->cpu > VTR_FXT_SWITCH_MAX_CPU;
}

/**
 * vtr_ring_switch_words() - length of a switch record
 * @ring: the ring it is in
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
 * vtr_ring_next() - where the next record goes
 * @ring: this CPU's ring, which has room
 *
 * Context: the ring's CPU, interrupts off.
 * Return: end of what is committed.
 */
static inline u64 *vtr_ring_next(const struct vtr_ring *ring)
{
	return ring->subbuf + vtr_ring_packet(ring->subbuf)->committed_bytes;
}

/**
 * vtr_ring_commit() - make everything up to a point visible to readers
 * @ring: this CPU's ring
 * @next: end of the last record, all words before it written
 * @now: that record's time
 *
 * Context: the ring's CPU, interrupts off.
 */
static inline void vtr_ring_commit(struct vtr_ring *ring, u64 *next, u64 now)
{
	void *subbuf = ring->subbuf;
	struct vitrine_packet *packet = vtr_ring_packet(subbuf);

	WRITE_ONCE(packet->end_ticks, now);
	/* Pairs with load-acquire in vtr_ring_copy() and tools/lib/ring.c. */
	smp_store_release(&packet->committed_bytes, (void *)next - subbuf);
}

/**
 * vtr_ring_commit_hot() - make a switch or a wakeup visible to readers
 * @packet: of the sub-buffer being written
 * @nr_words: length of the record, a constant
 * @now: its time
 *
 * On x86 a barrier for the compiler and a plain add to memory are a release;
 * elsewhere such an add would be an atomic instruction, which nothing here needs.
 *
 * Context: the ring's CPU, interrupts off. Hot.
 */
static __always_inline void vtr_ring_commit_hot(struct vitrine_packet *packet,
						unsigned int nr_words, u64 now)
{
	WRITE_ONCE(packet->end_ticks, now);
	if (IS_ENABLED(CONFIG_X86)) {
		/* Pairs with load-acquire in vtr_ring_copy() and tools/lib/ring.c. */
		smp_wmb();
		local64_add(nr_words * FXT_WORD_BYTES,
			    (local64_t *)&packet->committed_bytes);
	} else {
		/* As above. */
		smp_store_release(&packet->committed_bytes,
				  packet->committed_bytes +
				  nr_words * FXT_WORD_BYTES);
	}
}

/**
 * vtr_ring_lose() - count a record that could not be written
 * @ring: this CPU's ring
 * @nr_words: length of the record, 0 if it is not known
 *
 * Context: the ring's CPU, interrupts off or NMI: the increments are not torn
 *	apart by an NMI that loses a record itself.
 */
static inline void vtr_ring_lose(struct vtr_ring *ring, unsigned int nr_words)
{
	local64_inc((local64_t *)&ring->producer->lost_records);
	local64_add(nr_words * FXT_WORD_BYTES, &ring->lost_bytes);
}

/**
 * vtr_ring_has() - whether a record fits into the sub-buffer being written
 * @ring: this CPU's ring
 * @nr_words: length of the record
 *
 * Context: the ring's CPU, interrupts off.
 * Return: true if it does; if not, vtr_ring_advance() first.
 */
static inline bool vtr_ring_has(const struct vtr_ring *ring,
				unsigned int nr_words)
{
	u64 committed = vtr_ring_packet(ring->subbuf)->committed_bytes;

	if (nr_words > VTR_RING_HOT_WORDS)
		committed += (nr_words - VTR_RING_HOT_WORDS) * FXT_WORD_BYTES;
	/* Whoever freezes the ring meanwhile lets this record pass. */
	return committed < data_race(ring->limit);
}

#endif /* _VITRINE_RING_H */
