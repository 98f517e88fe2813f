// SPDX-License-Identifier: GPL-2.0
/*
 * Per-CPU rings of sub-buffers.
 *
 * A ring's memory is its archive: each sub-buffer opens with a preamble of
 * legal FXT records and can be copied, lost or found alone. The layout and the
 * reader's steps are in <uapi/vitrine/map.h>.
 *
 * Concurrency: one writer, the ring's CPU with interrupts off; before that CPU
 * runs and after it went, whoever owns the ring. No lock and no atomic
 * read-modify-write. Readers, here and in user space, never make the writer
 * wait: they copy and then look whether what they copied was recycled.
 *
 *   recycle: generation odd, smp_wmb(), new preamble, generation even (release)
 *   append:  record, then committed_bytes (release)
 *   advance: producer->sequence (release), after the new preamble
 *
 * Pairs with vtr_ring_copy() below and with tools/lib/ring.c.
 *
 * A ring that is full or frozen has no room: ring->limit is 0, which sends the
 * writer the slow way at each record without a test of its own. There what
 * cannot be written is counted, and whether there is room again is found out.
 * The row of switches is closed to idle at the first loss, and a sub-buffer
 * that begins after a loss tells of it.
 *
 * Any CPU, in any context, may freeze a ring. The writer might just be giving
 * itself room, so both store and then look at what the other stores:
 *
 *   freeze:  VITRINE_RING_FROZEN, smp_mb(), limit = 0
 *   advance: limit = end of the sub-buffer, smp_mb(), is VITRINE_RING_FROZEN set?
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "fxt.h"
#include "marks.h"
#include "peek.h"
#include "ring.h"

#define NO_SEQUENCE	(~0ULL)

/* Sub-buffers a reader can count on: the one being written and those before. */
static u64 oldest_sequence(const struct vtr_ring *ring, u64 sequence)
{
	unsigned int nr = ring->config.nr_subbufs;

	return sequence < nr ? 0 : sequence - nr + 1;
}

static void *subbuf_of(const struct vtr_ring *ring, u64 sequence)
{
	return ring->subbufs[sequence & (ring->config.nr_subbufs - 1)];
}

static void ring_wake(struct irq_work *work)
{
	struct vtr_ring *ring = container_of(work, struct vtr_ring, wake);

	wake_up_all(&ring->wait);
}

static void fill_producer(struct vtr_ring *ring)
{
	struct vitrine_ring_producer *producer = ring->producer;
	const struct vtr_ring_config *config = &ring->config;

	producer->length = sizeof(*producer);
	producer->version = VITRINE_MAP_VERSION;
	producer->cpu = ring->cpu;
	producer->session = config->session;
	producer->clock = config->clock;
	producer->nr_subbufs = config->nr_subbufs;
	producer->subbuf_bytes = vtr_ring_subbuf_bytes(config);
	producer->ticks_per_second = config->ticks_per_second;
	producer->sequence = NO_SEQUENCE;
	producer->mode = config->mode;
}

static int fill_area(struct vtr_ring *ring)
{
	const struct vtr_ring_config *config = &ring->config;
	int node = cpu_to_node(ring->cpu);
	unsigned int i, page = VITRINE_RING_FIRST_SUBBUF_PAGE;

	if (!vtr_area_fill(&ring->area, VITRINE_RING_CONSUMER_PAGE, 0, node))
		return -ENOMEM;
	ring->producer = vtr_area_fill(&ring->area, VITRINE_RING_PRODUCER_PAGE,
				       0, node);
	if (!ring->producer)
		return -ENOMEM;
	for (i = 0; i < config->nr_subbufs; i++) {
		ring->subbufs[i] = vtr_area_fill(&ring->area, page,
						 config->subbuf_order, node);
		if (!ring->subbufs[i])
			return -ENOMEM;
		page += 1U << config->subbuf_order;
	}
	ring->area.nr_pages = page;
	return 0;
}

static void ring_free(struct kref *kref)
{
	struct vtr_ring *ring = container_of(kref, struct vtr_ring, kref);

	irq_work_sync(&ring->wake);
	vtr_area_deinit(&ring->area);
	kfree(ring->subbufs);
	kvfree(ring);
}

/**
 * vtr_ring_create() - make a ring without records
 * @cpu: CPU that will write it
 * @config: what it shares with the other rings of its session
 *
 * Context: task, sleeps.
 * Return: the ring, with one reference, or NULL without memory.
 */
struct vtr_ring *vtr_ring_create(unsigned int cpu,
				 const struct vtr_ring_config *config)
{
	unsigned int nr_pages = VITRINE_RING_FIRST_SUBBUF_PAGE +
				(config->nr_subbufs << config->subbuf_order);
	struct vtr_ring *ring;

	ring = kvzalloc_node(sizeof(*ring), GFP_KERNEL, cpu_to_node(cpu));
	if (!ring)
		return NULL;
	kref_init(&ring->kref);
	init_waitqueue_head(&ring->wait);
	init_irq_work(&ring->wake, ring_wake);
	ring->cpu = cpu;
	ring->config = *config;
	ring->switch_base = vtr_ring_is_wide(ring) ? 0 :
						     vtr_fxt_switch_base(cpu);
	ring->wakeup_base = vtr_fxt_wakeup_base(cpu);
	vtr_threads_forget(&ring->threads);

	ring->subbufs = kcalloc(config->nr_subbufs, sizeof(*ring->subbufs),
				GFP_KERNEL);
	if (!ring->subbufs)
		goto err_ring;
	if (vtr_area_init(&ring->area, nr_pages))
		goto err_ring;
	if (fill_area(ring))
		goto err_ring;
	fill_producer(ring);

	/* No room: the first record begins the first sub-buffer. */
	ring->subbuf = ring->subbufs[0];
	ring->running = ring->switch_base;
	return ring;

err_ring:
	vtr_ring_put(ring);
	return NULL;
}

/**
 * vtr_ring_get() - take a reference
 * @ring: a ring the caller knows to be alive
 *
 * Context: any.
 */
void vtr_ring_get(struct vtr_ring *ring)
{
	kref_get(&ring->kref);
}

/**
 * vtr_ring_put() - drop a reference
 * @ring: ring or NULL; freed with the last one, its mapped pages when unmapped
 *
 * Context: task, sleeps.
 */
void vtr_ring_put(struct vtr_ring *ring)
{
	if (ring)
		kref_put(&ring->kref, ring_free);
}

/**
 * vtr_ring_close() - tell readers that nothing follows
 * @ring: ring that nobody writes any more
 *
 * Context: task.
 */
void vtr_ring_close(struct vtr_ring *ring)
{
	/* Pairs with the load-acquire of flags in tools/lib/ring.c. */
	smp_store_release(&ring->producer->flags,
			  ring->producer->flags | VITRINE_RING_CLOSED);
	wake_up_all(&ring->wait);
}

/**
 * vtr_ring_freeze() - have a ring keep what it holds
 * @ring: any ring
 *
 * Its writer may finish the record it is at; from then on all are lost, and
 * counted, until vtr_ring_thaw().
 *
 * Context: any, NMI included; the caller serialises with thawing and closing.
 */
void vtr_ring_freeze(struct vtr_ring *ring)
{
	WRITE_ONCE(ring->producer->flags,
		   ring->producer->flags | VITRINE_RING_FROZEN);
	smp_mb();	/* Pairs with smp_mb() in give_room(). */
	WRITE_ONCE(ring->limit, 0);
	irq_work_queue(&ring->wake);
}

/**
 * vtr_ring_thaw() - let a frozen ring go on, in a new sub-buffer
 * @ring: any ring
 *
 * Context: task; the caller serialises with freezing and closing.
 */
void vtr_ring_thaw(struct vtr_ring *ring)
{
	WRITE_ONCE(ring->producer->flags,
		   ring->producer->flags & ~VITRINE_RING_FROZEN);
}

/**
 * vtr_ring_frozen() - whether a ring is frozen
 * @ring: any ring
 *
 * Context: any.
 * Return: true if it is.
 */
bool vtr_ring_frozen(const struct vtr_ring *ring)
{
	return READ_ONCE(ring->producer->flags) & VITRINE_RING_FROZEN;
}

static const struct vitrine_ring_consumer *
consumer_of(const struct vtr_ring *ring)
{
	return ring->area.pages[VITRINE_RING_CONSUMER_PAGE];
}

/* May sub-buffer @sequence be begun, and what is in its place given up? */
static bool may_begin(const struct vtr_ring *ring, u64 sequence)
{
	unsigned int nr = ring->config.nr_subbufs;

	if (vtr_ring_frozen(ring))
		return false;
	if (sequence < nr || ring->config.mode == VITRINE_MODE_CIRCULAR)
		return true;
	if (ring->config.mode == VITRINE_MODE_ONESHOT)
		return false;
	/* Any value: at worst a reader loses what it could have had. */
	/* Pairs with the store-release in want() in tools/lib/ring.c. */
	return smp_load_acquire(&consumer_of(ring)->sequence) > sequence - nr;
}

/* Bytes committed since the session began, by the writer's own account. */
static u64 bytes_so_far(const struct vtr_ring *ring)
{
	if (ring->producer->sequence == NO_SEQUENCE)
		return 0;
	return ring->bytes_before +
	       vtr_ring_packet(ring->subbuf)->committed_bytes;
}

/*
 * Switches are what other records leave of @bytes. Whoever asks while the writer
 * is at work gets counts that are a bit off: the writer does not pay for that.
 */
static u64 switches_of(const struct vtr_ring *ring, u64 bytes)
{
	u64 others = vtr_peek(ring->other_bytes) + vtr_peek(ring->nr_wakeups) *
		     VTR_FXT_WAKEUP_WORDS * FXT_WORD_BYTES;

	return div_u64(max(bytes, others) - others,
		       vtr_ring_switch_words(ring) * FXT_WORD_BYTES);
}

/* All records with a timestamp, @switches of which are switches. */
static u64 records_of(const struct vtr_ring *ring, u64 switches)
{
	return switches + vtr_peek(ring->nr_wakeups) +
	       vtr_peek(ring->other_records);
}

static unsigned int put_clock_pair(u64 *words, u64 now)
{
	struct vitrine_clock_pair pair = {
		.ticks = now,
		.mono_ns = ktime_get_mono_fast_ns(),
	};
	unsigned int nr_words;

	nr_words = vtr_fxt_put_blob(words, VITRINE_CLOCK_BLOB_NAME,
				    sizeof(pair));
	memcpy(words + nr_words, &pair, sizeof(pair));
	return nr_words + sizeof(pair) / FXT_WORD_BYTES;
}

static unsigned int put_preamble(struct vtr_ring *ring, void *subbuf, u64 now)
{
	static const char * const strings[] = {
		[VTR_FXT_STRING_PROCESS - 1]		= "process",
		[VTR_FXT_STRING_OUTGOING_WEIGHT - 1]	= "outgoing_weight",
		[VTR_FXT_STRING_INCOMING_WEIGHT - 1]	= "incoming_weight",
	};
	unsigned int i, nr_words = 1;
	u64 *words = subbuf;

	words[0] = FXT_MAGIC_RECORD;
	nr_words += vtr_fxt_put_provider(words + nr_words, ring->cpu + 1,
					 VITRINE_PROVIDER_NAME);
	nr_words += vtr_fxt_put_initialization(words + nr_words,
					ring->config.ticks_per_second);
	nr_words += vtr_fxt_put_blob(words + nr_words, VITRINE_PROVIDER_NAME,
				     sizeof(struct vitrine_packet));
	nr_words += sizeof(struct vitrine_packet) / FXT_WORD_BYTES;
	nr_words += put_clock_pair(words + nr_words, now);
	nr_words += vtr_fxt_put_section(words + nr_words, ring->cpu + 1);
	for (i = 0; i < ARRAY_SIZE(strings); i++)
		nr_words += vtr_fxt_put_string(words + nr_words, i + 1,
					       strings[i], strlen(strings[i]));
	return nr_words;
}

/* What every viewer takes for a loss. Format: "Provider event metadata". */
static unsigned int put_full(const struct vtr_ring *ring, u64 *words)
{
	return vtr_fxt_put_provider_event(words, ring->cpu + 1,
					  FXT_PROVIDER_EVENT_BUFFER_FULL);
}

/* Say what was lost before this sub-buffer, unless it has been said. */
static unsigned int put_gap(struct vtr_ring *ring, u64 *words, u64 now)
{
	u64 records = READ_ONCE(ring->producer->lost_records);
	u64 bytes = local64_read(&ring->lost_bytes);
	struct vtr_ring_gap *gap = &ring->gap;
	unsigned int nr_words = 0;

	if (records != gap->told_records) {
		/* Lost although it was not full: frozen, in an NMI, too large. */
		if (!gap->told_full)
			nr_words += put_full(ring, words);
		nr_words += vtr_marks_put_gap(words + nr_words, ring->cpu,
					      gap->begin ?: now, now,
					      records - gap->told_records,
					      bytes - gap->told_bytes);
		ring->other_records++;
		gap->told_records = records;
		gap->told_bytes = bytes;
	}
	gap->begin = 0;
	gap->told_full = false;
	return nr_words;
}

static void fill_packet(const struct vtr_ring *ring, u64 sequence, u64 begin,
			struct vitrine_packet *packet)
{
	const struct vtr_ring_config *config = &ring->config;

	packet->magic = VITRINE_PACKET_MAGIC;
	packet->sequence = sequence;
	packet->begin_ticks = begin;
	packet->end_ticks = begin;
	packet->records_before =
		records_of(ring, switches_of(ring, ring->bytes_before));
	packet->bytes_before = ring->bytes_before;
	packet->lost_records = ring->producer->lost_records;
	packet->session_ticks = config->session_ticks;
	packet->session_realtime_ns = config->session_realtime_ns;
	packet->cpu = ring->cpu;
	packet->session = config->session;
	packet->clock = config->clock;
	packet->subbuf_bytes = vtr_ring_subbuf_bytes(config);
}

/* From here to recycle_end() a reader knows that its copy is worth nothing. */
static void recycle_begin(struct vitrine_packet *packet)
{
	WRITE_ONCE(packet->generation, packet->generation + 1);
	smp_wmb();	/* Pairs with smp_rmb() in vtr_ring_copy(). */
}

static void recycle_end(struct vitrine_packet *packet)
{
	/* Pairs with the load-acquire in vtr_ring_copy(). */
	smp_store_release(&packet->generation, packet->generation + 1);
}

/**
 * vtr_ring_put_wide_switch() - compose the switch record of a wide ring
 * @ring: this CPU's ring
 * @words: where to
 * @now: when
 * @state: outgoing thread's state, in its place in a 16-byte record
 * @incoming: koid of the incoming thread
 * @priority: its priority
 *
 * The outgoing thread is the one that came in last.
 *
 * Context: the ring's CPU, interrupts off. Format: "Scheduling", subtype 1.
 * Return: words written.
 */
unsigned int vtr_ring_put_wide_switch(const struct vtr_ring *ring, u64 *words,
				      u64 now, u64 state, u64 incoming,
				      u8 priority)
{
	u8 outgoing_priority = FIELD_GET(FXT_SWITCH_OUTGOING_PRIORITY,
					 ring->running);

	return vtr_fxt_put_wide_switch(words, ring->cpu,
				       FIELD_GET(FXT_SWITCH_OUTGOING_STATE,
						 state),
				       now, (u32)ring->threads.keys[0],
				       vtr_fxt_weight(outgoing_priority),
				       incoming, vtr_fxt_weight(priority));
}

/* The idle thread is thread 0 of process 0, here and for viewers. */
static unsigned int put_close(const struct vtr_ring *ring, u64 *words, u64 now)
{
	if (vtr_ring_is_wide(ring))
		return vtr_ring_put_wide_switch(ring, words, now, 0, 0, 0);
	words[0] = ring->running + FIELD_PREP(FXT_HEADER_WORDS, 2);
	words[1] = now;
	words[2] = 0;
	words[3] = 0;
	return VTR_FXT_SWITCH_WORDS + 2;
}

/**
 * vtr_ring_close_row() - end the row of switches with one to idle
 * @ring: this CPU's ring
 * @now: when
 *
 * Needs no room but what each sub-buffer keeps for it. A row that is closed
 * stays so; who opens one sees to it that there is room to close it again.
 *
 * Context: the ring's CPU, interrupts off.
 */
void vtr_ring_close_row(struct vtr_ring *ring, u64 now)
{
	unsigned int nr_words = 0;

	/* Only idle, and nobody, has no priority. */
	if (FIELD_GET(FXT_SWITCH_OUTGOING_PRIORITY, ring->running))
		nr_words = put_close(ring, vtr_ring_next(ring), now);
	ring->running = ring->switch_base;
	ring->threads.keys[0] = VTR_THREADS_NOBODY;
	if (!nr_words)
		return;
	ring->other_records++;
	ring->other_bytes += nr_words * FXT_WORD_BYTES;
	vtr_ring_commit(ring, vtr_ring_next(ring) + nr_words, now);
}

/*
 * There is no room. Unless the ring is frozen, it is full, and says so where it
 * ends: of a oneshot ring no later sub-buffer will.
 */
static void begin_gap(struct vtr_ring *ring, u64 now)
{
	struct vtr_ring_gap *gap = &ring->gap;
	unsigned int nr_words;

	vtr_ring_close_row(ring, now);
	WRITE_ONCE(ring->limit, 0);
	if (!gap->begin)
		gap->begin = now;
	if (gap->told_full || vtr_ring_frozen(ring))
		return;
	gap->told_full = true;
	nr_words = put_full(ring, vtr_ring_next(ring));
	ring->other_bytes += nr_words * FXT_WORD_BYTES;
	vtr_ring_commit(ring, vtr_ring_next(ring) + nr_words, now);
}

/* Let the writer into the sub-buffer, unless the ring is being frozen. */
static void give_room(struct vtr_ring *ring)
{
	WRITE_ONCE(ring->limit, vtr_ring_subbuf_bytes(&ring->config) -
		   (VTR_RING_CLOSE_WORDS + VTR_RING_HOT_WORDS - 1) *
		   FXT_WORD_BYTES);
	smp_mb();	/* Pairs with smp_mb() in vtr_ring_freeze(). */
	if (vtr_ring_frozen(ring))
		WRITE_ONCE(ring->limit, 0);
}

/* The run queue may be locked: wake from an interrupt of our own. */
static void wake_readers(struct vtr_ring *ring)
{
	if (wq_has_sleeper(&ring->wait) && vtr_ring_readable(ring))
		irq_work_queue(&ring->wake);
}

/**
 * vtr_ring_advance() - begin the next sub-buffer, if there may be one
 * @ring: this CPU's ring
 * @now: time of the record that did not fit, or of the first
 *
 * In circular mode recycles the oldest sub-buffer. If records were lost before,
 * the new one tells. The thread table is empty afterwards: the caller must
 * register the running thread anew before the next switch, or open the row of
 * switches if it is closed.
 *
 * Context: the ring's CPU, interrupts off, the run queue's lock may be held.
 * Return: false if the ring is full or frozen; the row of switches is closed
 *	then, and the caller counts its record with vtr_ring_lose().
 */
bool vtr_ring_advance(struct vtr_ring *ring, u64 now)
{
	u64 sequence = ring->producer->sequence + 1;
	void *subbuf = subbuf_of(ring, sequence);
	struct vitrine_packet *packet = vtr_ring_packet(subbuf);
	unsigned int nr_words;

	if (!may_begin(ring, sequence)) {
		begin_gap(ring, now);
		return false;
	}
	ring->bytes_before = bytes_so_far(ring);
	recycle_begin(packet);
	/* The packet lies inside what put_preamble() skips. */
	nr_words = put_preamble(ring, subbuf, now);
	fill_packet(ring, sequence, ring->gap.begin ?: now, packet);
	nr_words += put_gap(ring, (u64 *)subbuf + nr_words, now);
	ring->other_bytes += nr_words * FXT_WORD_BYTES;
	ring->subbuf = subbuf;
	vtr_ring_commit(ring, (u64 *)subbuf + nr_words, now);
	vtr_threads_forget(&ring->threads);
	vtr_strings_forget(&ring->strings);
	give_room(ring);

	recycle_end(packet);
	/* Pairs with the load-acquire in vtr_ring_range(). */
	smp_store_release(&ring->producer->sequence, sequence);
	wake_readers(ring);
	return true;
}

/**
 * vtr_ring_range() - which sub-buffers a ring holds now
 * @ring: any ring
 * @ret_first: sequence number of the oldest
 * @ret_end: one past the one being written; equal to @ret_first if there is none
 *
 * Context: any. The writer goes on meanwhile.
 */
void vtr_ring_range(const struct vtr_ring *ring, u64 *ret_first, u64 *ret_end)
{
	/* Pairs with the release in vtr_ring_advance(). */
	u64 sequence = smp_load_acquire(&ring->producer->sequence);

	*ret_first = sequence == NO_SEQUENCE ? 0 :
		     oldest_sequence(ring, sequence);
	*ret_end = sequence + 1;
}

/**
 * vtr_ring_copy() - take a consistent copy of one sub-buffer
 * @ring: any ring
 * @sequence: number of the sub-buffer, as from vtr_ring_range()
 * @bytes: room for a whole sub-buffer
 *
 * The steps are those of <uapi/vitrine/map.h>.
 *
 * Context: any; never waits for the writer nor it for us.
 * Return: bytes that are valid in @bytes, 0 if it was recycled meanwhile.
 */
size_t vtr_ring_copy(struct vtr_ring *ring, u64 sequence, void *bytes)
{
	void *subbuf = subbuf_of(ring, sequence);
	const struct vitrine_packet *packet = vtr_ring_packet(subbuf);
	struct vitrine_packet *copy = vtr_ring_packet(bytes);
	u64 generation, committed;

	/* Pairs with the release in recycle_end(). */
	generation = smp_load_acquire(&packet->generation);
	/* Pairs with the release in vtr_ring_commit(). */
	committed = smp_load_acquire(&packet->committed_bytes);
	if (generation & 1 || committed > vtr_ring_subbuf_bytes(&ring->config))
		return 0;
	/* Racing with the writer is what the generation is for. */
	data_race(memcpy(bytes, subbuf, committed));
	smp_rmb();	/* Pairs with smp_wmb() in recycle_begin(). */
	if (READ_ONCE(packet->generation) != generation ||
	    copy->sequence != sequence)
		return 0;
	copy->committed_bytes = committed;
	return committed;
}

/**
 * vtr_ring_stats() - count what a ring has written
 * @ring: any ring; exact while nobody writes, else as of about now
 * @ret: the counts
 *
 * Context: any.
 */
void vtr_ring_stats(const struct vtr_ring *ring, struct vtr_ring_stats *ret)
{
	const struct vitrine_packet *packet;
	u64 first, end;

	vtr_ring_range(ring, &first, &end);
	memset(ret, 0, sizeof(*ret));
	/* Some are lost before any is kept if the ring is frozen at once. */
	ret->lost_records = READ_ONCE(ring->producer->lost_records);
	if (first == end)
		return;
	packet = vtr_ring_packet(subbuf_of(ring, end - 1));
	ret->bytes = vtr_peek(packet->bytes_before) +
		     READ_ONCE(packet->committed_bytes);
	ret->switches = switches_of(ring, ret->bytes);
	ret->records = records_of(ring, ret->switches);
	packet = vtr_ring_packet(subbuf_of(ring, first));
	ret->overwritten_records = vtr_peek(packet->records_before);
	ret->subbufs = end;
}

/**
 * vtr_ring_readable() - whether as much is complete as the reader waits for
 * @ring: any ring
 *
 * The consumer page may say anything: the answer then helps nobody, but it
 * harms only who wrote it.
 *
 * Context: any.
 * Return: true if it is, or if nothing will follow.
 */
bool vtr_ring_readable(const struct vtr_ring *ring)
{
	const struct vitrine_ring_consumer *consumer = consumer_of(ring);
	u64 watermark = READ_ONCE(consumer->watermark);
	u64 position = READ_ONCE(consumer->sequence);
	/* Pairs with the release in vtr_ring_advance(). */
	u64 sequence = smp_load_acquire(&ring->producer->sequence);

	if (READ_ONCE(ring->producer->flags) & VITRINE_RING_CLOSED)
		return true;
	if (sequence == NO_SEQUENCE || position >= sequence)
		return false;
	watermark = clamp(watermark, 1ULL,
			  ring->config.nr_subbufs - 1ULL);
	return sequence - position >= watermark;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/ring_kunit.c"
#endif
