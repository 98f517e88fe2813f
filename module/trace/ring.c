// SPDX-License-Identifier: GPL-2.0
/*
 * Per-CPU rings of sub-buffers.
 *
 * The memory of a ring is an archive: each sub-buffer begins with a preamble of valid
 * FXT records, and can be copied, lost or found on its own. <uapi/vitrine/map.h> has the
 * layout and the steps of a reader.
 *
 * Concurrency: a ring has one writer: its CPU, with interrupts off; while that CPU is
 * offline, the owner of the ring. The writer uses no lock and no atomic
 * read-modify-write. Readers, here and in user space, never make the writer wait: they
 * copy, and then check whether the copied sub-buffer was recycled (a seqcount).
 *
 *   recycle: generation odd, smp_wmb(), new preamble, generation even (release)
 *   append:  record, then committed_bytes (release)
 *   advance: producer->sequence (release), after the new preamble
 *
 * Pairs with copy_subbuf() below and with tools/lib/ring.c.
 *
 * A ring that is full or frozen has no room: ring->limit is 0, which sends the writer to
 * the slow path at each record without a test of its own. The slow path counts records
 * that cannot be written, and checks whether there is room again. At the first loss it
 * closes the chain of switches with a switch to idle, and a sub-buffer that begins after a
 * loss reports the loss.
 *
 * Any CPU may freeze a ring, in any context, while the writer is giving itself room.
 * Therefore each of them stores first and then loads what the other one stores (the
 * store-buffering pattern of Documentation/memory-barriers.txt):
 *
 *   freeze:  VITRINE_RING_FROZEN, smp_mb(), limit = 0
 *   advance: limit = end of the sub-buffer, smp_mb(), is VITRINE_RING_FROZEN set?
 */
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "peek.h"
#include "ring.h"

#define NO_SEQUENCE	(~0ULL)

/* Closed rings, which their readers keep; guarded by closed_mutex. */
static LIST_HEAD(closed_rings);
static DEFINE_MUTEX(closed_mutex);

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

	scoped_guard(mutex, &closed_mutex)
		list_del(&ring->closed);
	irq_work_sync(&ring->wake);
	vtr_area_deinit(&ring->area);
	kvfree(ring->subbufs);
	kvfree(ring->threads.named);
	kvfree(ring);
}

/* Allocate the table of names: as many as fit into a sub-buffer if all have minimum length. */
static int create_names(struct vtr_ring *ring)
{
	size_t bytes = vtr_ring_subbuf_bytes(&ring->config) /
		       VTR_FXT_LEAST_NAME_WORDS;
	struct vtr_threads *threads = &ring->threads;

	threads->named = kvzalloc_node(bytes, GFP_KERNEL, cpu_to_node(ring->cpu));
	if (!threads->named)
		return -ENOMEM;
	threads->nr_pairs = bytes / sizeof(*threads->named);
	vtr_threads_forget(threads);
	return 0;
}

/**
 * vtr_ring_create() - create a ring without records
 * @cpu: CPU that will write to the ring
 * @config: properties shared by all rings of the session
 *
 * Context: task; may sleep.
 * Return: the ring, with one reference, or NULL if memory is short.
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
	init_rwsem(&ring->kept);
	INIT_LIST_HEAD(&ring->closed);
	init_waitqueue_head(&ring->wait);
	init_irq_work(&ring->wake, ring_wake);
	ring->cpu = cpu;
	ring->config = *config;
	ring->switch_base = FIELD_PREP(FXT_SWITCH_OUTGOING_STATE, FXT_THREAD_BLOCKED);
	if (!vtr_ring_is_wide(ring))
		ring->switch_base |= vtr_fxt_switch_base(cpu);
	ring->wakeup_base = vtr_fxt_wakeup_base(cpu);
	ring->subbufs = kvcalloc(config->nr_subbufs, sizeof(*ring->subbufs),
				 GFP_KERNEL);
	if (!ring->subbufs || create_names(ring) ||
	    vtr_area_init(&ring->area, nr_pages, GFP_KERNEL) || fill_area(ring)) {
		vtr_ring_put(ring);
		return NULL;
	}
	fill_producer(ring);

	/* The limit is 0: the first record begins the first sub-buffer. */
	ring->committed = &vtr_ring_packet(ring->subbufs[0])->committed_bytes;
	ring->running = ring->switch_base;
	return ring;
}

/**
 * vtr_ring_get() - take a reference
 * @ring: ring to which another reference is held, or NULL
 *
 * Context: any.
 * Return: @ring.
 */
struct vtr_ring *vtr_ring_get(struct vtr_ring *ring)
{
	if (ring)
		kref_get(&ring->kref);
	return ring;
}

/**
 * vtr_ring_put() - drop a reference
 * @ring: the ring, or NULL; freed with the last reference, except for mapped pages, which
 *	are freed when they are unmapped
 *
 * Context: task; may sleep.
 */
void vtr_ring_put(struct vtr_ring *ring)
{
	if (ring)
		kref_put(&ring->kref, ring_free);
}

/**
 * vtr_ring_close() - tell readers that no records follow
 * @ring: ring that has no writer any more
 *
 * Context: task.
 */
void vtr_ring_close(struct vtr_ring *ring)
{
	/* Pairs with the load-acquire of flags in tools/lib/ring.c. */
	smp_store_release(&ring->producer->flags,
			  ring->producer->flags | VITRINE_RING_CLOSED);
	wake_up_all(&ring->wait);
	guard(mutex)(&closed_mutex);
	list_add(&ring->closed, &closed_rings);
}

/**
 * vtr_ring_expire() - free the sub-buffers of closed rings of old sessions
 * @oldest: first session whose rings keep them
 *
 * A ring that is mapped keeps its sub-buffers until a later call. Its consumer and producer
 * pages stay in any case.
 *
 * Context: task; may sleep.
 */
void vtr_ring_expire(u32 oldest)
{
	struct vtr_ring *ring;

	guard(mutex)(&closed_mutex);
	list_for_each_entry(ring, &closed_rings, closed) {
		if ((s32)(ring->config.session - oldest) >= 0)
			continue;
		guard(rwsem_write)(&ring->kept);
		if (vtr_area_is_mapped(&ring->area))
			continue;
		vtr_area_drop(&ring->area, VITRINE_RING_FIRST_SUBBUF_PAGE);
		ring->is_expired = true;
	}
}

/**
 * vtr_ring_mmap() - map a ring into user space
 * @ring: the ring, to which the mapped file holds a reference
 * @vma: the mapping
 *
 * Context: task, with the mmap lock held.
 * Return: as vtr_area_mmap(), or -ESTALE if the ring has expired.
 */
int vtr_ring_mmap(struct vtr_ring *ring, struct vm_area_struct *vma)
{
	guard(rwsem_read)(&ring->kept);
	if (ring->is_expired)
		return -ESTALE;
	return vtr_area_mmap(&ring->area, vma, VITRINE_RING_PRODUCER_PAGE);
}

/**
 * vtr_ring_freeze() - preserve the contents of a ring
 * @ring: any ring
 *
 * The writer may finish its current record. All later records are lost, and counted,
 * until vtr_ring_thaw().
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
 * vtr_ring_thaw() - let a frozen ring continue, in a new sub-buffer
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
 * vtr_ring_frozen() - check whether a ring is frozen
 * @ring: any ring
 *
 * Context: any.
 * Return: true if it is frozen.
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

/* Check whether sub-buffer @sequence may overwrite the oldest one. */
static bool may_begin(const struct vtr_ring *ring, u64 sequence)
{
	unsigned int nr = ring->config.nr_subbufs;

	if (vtr_ring_frozen(ring))
		return false;
	if (sequence < nr || ring->config.mode == VITRINE_MODE_CIRCULAR)
		return true;
	if (ring->config.mode == VITRINE_MODE_ONESHOT)
		return false;
	/* Any value is safe: at worst, the reader that wrote it loses records. */
	/* Pairs with the store-release in want() in tools/lib/ring.c. */
	return smp_load_acquire(&consumer_of(ring)->sequence) > sequence - nr;
}

/**
 * vtr_ring_end_subbuf() - let the next record begin a new sub-buffer
 * @ring: any ring
 *
 * If no other sub-buffer can begin, because the ring is frozen or full, the current one goes
 * on while it has room.
 *
 * Context: the ring's CPU, interrupts off; or task, while the ring has no writer.
 * Return: true if the next record begins a sub-buffer.
 */
bool vtr_ring_end_subbuf(struct vtr_ring *ring)
{
	if (!may_begin(ring, ring->producer->sequence + 1))
		return false;
	WRITE_ONCE(ring->limit, 0);
	return true;
}

/*
 * Derive the number of switches: they are all of @bytes that other records do not take,
 * so the hot path need not count them. While the writer is running the result is slightly
 * inaccurate.
 */
static u64 switches_of(const struct vtr_ring *ring, u64 bytes)
{
	u64 others = vtr_peek(ring->other_bytes) + vtr_peek(ring->nr_wakeups) *
		     VTR_FXT_WAKEUP_WORDS * FXT_WORD_BYTES;

	return div_u64(max(bytes, others) - others,
		       vtr_ring_switch_words(ring) * FXT_WORD_BYTES);
}

/* Return the number of records with a timestamp, of which @switches are switches. */
static u64 records_of(const struct vtr_ring *ring, u64 switches)
{
	return switches + vtr_peek(ring->nr_wakeups) +
	       vtr_peek(ring->other_records);
}

static u64 *put_clock_pair(u64 *next, u64 now)
{
	struct vitrine_clock_pair pair = {
		.ticks = now,
		.mono_ns = ktime_get_mono_fast_ns(),
	};

	next += vtr_fxt_put_blob(next, VITRINE_CLOCK_BLOB_NAME, sizeof(pair));
	memcpy(next, &pair, sizeof(pair));
	return next + sizeof(pair) / FXT_WORD_BYTES;
}

/* Return the end of the preamble, which has room for the packet header. */
static u64 *put_preamble(const struct vtr_ring *ring, u64 *next, u64 now)
{
	static const char * const strings[] = {
		[VTR_FXT_STRING_PROCESS - 1]		= "process",
		[VTR_FXT_STRING_OUTGOING_WEIGHT - 1]	= "outgoing_weight",
		[VTR_FXT_STRING_INCOMING_WEIGHT - 1]	= "incoming_weight",
	};
	unsigned int i;

	*next++ = FXT_MAGIC_RECORD;
	next += vtr_fxt_put_provider(next, ring->cpu + 1, VITRINE_PROVIDER_NAME);
	next += vtr_fxt_put_initialization(next, ring->config.ticks_per_second);
	next += vtr_fxt_put_blob(next, VITRINE_PROVIDER_NAME, sizeof(struct vitrine_packet));
	next = put_clock_pair(next + sizeof(struct vitrine_packet) / FXT_WORD_BYTES, now);
	next += vtr_fxt_put_section(next, ring->cpu + 1);
	for (i = 0; i < ARRAY_SIZE(strings); i++)
		next += vtr_fxt_put_string(next, i + 1, strings[i], strlen(strings[i]));
	return next;
}

/* Report the records lost before this sub-buffer that have not been reported yet. */
static u64 *put_gap(struct vtr_ring *ring, u64 *next, u64 now)
{
	u64 records = READ_ONCE(ring->producer->lost_records);
	u64 bytes = local64_read(&ring->lost_bytes);
	struct vtr_ring_gap *gap = &ring->gap;

	if (records != gap->told_records) {
		/* The ring was not full: records were lost in a freeze, in an NMI, or too large. */
		if (!gap->told_full)
			next += vtr_fxt_put_full(next, ring->cpu + 1);
		next += vtr_marks_put_gap(next, ring->cpu, gap->begin ?: now, now,
					  records - gap->told_records,
					  bytes - gap->told_bytes);
		ring->other_records++;
		gap->told_records = records;
		gap->told_bytes = bytes;
	}
	gap->begin = 0;
	gap->told_full = false;
	return next;
}

static void fill_packet(const struct vtr_ring *ring, u64 sequence, u64 begin,
			struct vitrine_packet *packet)
{
	const struct vtr_ring_config *config = &ring->config;

	packet->magic = VITRINE_PACKET_MAGIC;
	packet->sequence = sequence;
	packet->begin_ticks = begin;
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

/* From here to recycle_end() the odd generation makes readers discard their copies. */
static void recycle_begin(struct vitrine_packet *packet)
{
	WRITE_ONCE(packet->generation, packet->generation + 1);
	smp_wmb();	/* Pairs with smp_rmb() in copy_subbuf(). */
}

static void recycle_end(struct vitrine_packet *packet)
{
	/* Pairs with the load-acquire in copy_subbuf(). */
	smp_store_release(&packet->generation, packet->generation + 1);
}

/* Compose an argument of a record that has weights; @priority is as in other switches. */
static u64 weight(unsigned int name, u8 priority)
{
	return VTR_FXT_ARG(FXT_ARG_INT32, 1, name) |
	       FIELD_PREP(FXT_ARG_VALUE32, priority ?: VTR_FXT_WEIGHT_IDLE);
}

/**
 * vtr_ring_put_wide_switch() - compose the switch record of a wide ring
 * @ring: ring of this CPU
 * @words: destination
 * @now: timestamp in ticks
 * @state: state of the outgoing thread, as a field of a 16-byte record
 * @incoming: koid of the incoming thread
 * @priority: priority of the incoming thread
 *
 * The outgoing thread is the incoming thread of the previous switch.
 *
 * Context: the ring's CPU, interrupts off. Format: "Context switch record", subtype 1 in
 * Documentation/fxt.rst.
 * Return: words written.
 */
unsigned int vtr_ring_put_wide_switch(const struct vtr_ring *ring, u64 *words,
				      u64 now, u64 state, u64 incoming,
				      u8 priority)
{
	state = FIELD_GET(FXT_SWITCH_OUTGOING_STATE, state);
	words[0] = vtr_fxt_header(FXT_RECORD_SCHEDULING, VTR_FXT_WIDE_SWITCH_WORDS) |
		   FIELD_PREP(FXT_SCHEDULING_NR_ARGS, 2) |
		   FIELD_PREP(FXT_SCHEDULING_CPU, ring->cpu) |
		   FIELD_PREP(FXT_SCHEDULING_OUTGOING_STATE, state) |
		   FIELD_PREP(FXT_SCHEDULING_SUBTYPE, FXT_SCHEDULING_CONTEXT_SWITCH);
	words[1] = now;
	words[2] = (u32)ring->threads.keys[0];
	words[3] = incoming;
	words[4] = weight(VTR_FXT_STRING_OUTGOING_WEIGHT,
			  FIELD_GET(FXT_SWITCH_OUTGOING_PRIORITY, ring->running));
	words[5] = weight(VTR_FXT_STRING_INCOMING_WEIGHT, priority);
	return VTR_FXT_WIDE_SWITCH_WORDS;
}

/* Compose a switch to the idle thread, which is thread 0 of process 0. */
static unsigned int put_close(const struct vtr_ring *ring, u64 *words, u64 now, u64 state)
{
	if (vtr_ring_is_wide(ring))
		return vtr_ring_put_wide_switch(ring, words, now, state, 0, 0);
	words[0] = vtr_ring_running(ring, state) + FIELD_PREP(FXT_HEADER_WORDS, 2);
	words[1] = now;
	words[2] = 0;
	words[3] = 0;
	return VTR_FXT_SWITCH_WORDS + 2;
}

/**
 * vtr_ring_close_chain() - close the chain of switches with a switch to idle
 * @ring: ring of this CPU
 * @now: timestamp in ticks
 * @state: state of the thread that was running, as returned by vtr_writer_state()
 *
 * Needs only the room that each sub-buffer reserves for this. A closed chain is left
 * unchanged. Code that opens a chain makes sure that there is room to close it again.
 *
 * Context: the ring's CPU, interrupts off.
 */
void vtr_ring_close_chain(struct vtr_ring *ring, u64 now, u64 state)
{
	u64 *next = vtr_ring_next(ring);

	/* Priority 0 means the idle thread or a closed chain. */
	if (FIELD_GET(FXT_SWITCH_OUTGOING_PRIORITY, ring->running)) {
		next += put_close(ring, next, now, state);
		ring->other_records++;
	}
	ring->running = ring->switch_base;
	ring->threads.keys[0] = VTR_THREADS_NOBODY;
	if (next > vtr_ring_next(ring))
		vtr_ring_commit_untimed(ring, next, now);
}

/*
 * Begin a gap, because there is no room. Unless the ring is frozen it is full, and says so
 * at its end: a oneshot ring has no later sub-buffer that could.
 */
static void begin_gap(struct vtr_ring *ring, u64 now)
{
	struct vtr_ring_gap *gap = &ring->gap;
	u64 *next;

	vtr_ring_close_chain(ring, now, 0);
	WRITE_ONCE(ring->limit, 0);
	if (!gap->begin)
		gap->begin = now;
	if (gap->told_full || vtr_ring_frozen(ring))
		return;
	gap->told_full = true;
	next = vtr_ring_next(ring);
	next += vtr_fxt_put_full(next, ring->cpu + 1);
	vtr_ring_commit_untimed(ring, next, now);
}

/* Set the limit, so that the writer has room, unless the ring is being frozen. */
static void give_room(struct vtr_ring *ring)
{
	WRITE_ONCE(ring->limit, vtr_ring_subbuf_bytes(&ring->config) -
		   (VTR_RING_CLOSE_WORDS + VTR_RING_HOT_WORDS - 1) *
		   FXT_WORD_BYTES);
	smp_mb();	/* Pairs with smp_mb() in vtr_ring_freeze(). */
	if (vtr_ring_frozen(ring))
		WRITE_ONCE(ring->limit, 0);
}

/*
 * Wake readers from an irq_work, because the run queue may be locked. Queueing it calls the
 * tracepoint ipi_send_cpu, whose probes may record events.
 */
static void wake_readers(struct vtr_ring *ring)
{
	if (wq_has_sleeper(&ring->wait) && vtr_ring_readable(ring))
		irq_work_queue(&ring->wake);
}

/**
 * vtr_ring_advance() - begin the next sub-buffer, if possible
 * @ring: ring of this CPU
 * @now: time of the record that did not fit, or of the first record
 *
 * In circular mode this recycles the oldest sub-buffer. If records were lost before, the
 * new sub-buffer reports it. The thread table is empty afterwards: the caller must
 * register the running thread before the next switch, or open the chain of switches if it
 * is closed.
 *
 * Context: the ring's CPU, interrupts off, possibly with the run queue locked.
 * Return: false if the ring is full or frozen. The chain of switches is then closed, and
 *	the caller counts its record with vtr_ring_lose().
 */
bool vtr_ring_advance(struct vtr_ring *ring, u64 now)
{
	u64 sequence = ring->producer->sequence + 1;
	void *subbuf = subbuf_of(ring, sequence);
	struct vitrine_packet *packet = vtr_ring_packet(subbuf);
	u64 *next;

	if (!may_begin(ring, sequence)) {
		begin_gap(ring, now);
		return false;
	}
	/* Until the end, an event that is recorded inside this function is lost. */
	WRITE_ONCE(ring->limit, 0);
	ring->bytes_before += *ring->committed;
	recycle_begin(packet);
	next = put_preamble(ring, subbuf, now);
	fill_packet(ring, sequence, ring->gap.begin ?: now, packet);
	next = put_gap(ring, next, now);
	ring->other_bytes += (void *)next - subbuf;
	ring->committed = &packet->committed_bytes;
	vtr_ring_commit(ring, next, now);
	vtr_threads_forget(&ring->threads);
	vtr_strings_forget(&ring->strings);

	recycle_end(packet);
	/* Pairs with the load-acquire in vtr_ring_range(). */
	smp_store_release(&ring->producer->sequence, sequence);
	wake_readers(ring);
	give_room(ring);
	return true;
}

/**
 * vtr_ring_range() - return the range of sub-buffers in a ring
 * @ring: any ring
 * @ret_first: sequence number of the oldest sub-buffer
 * @ret_end: sequence number after the one being written; equal to @ret_first if there is
 *	no sub-buffer
 *
 * Context: any. The writer may continue meanwhile.
 */
void vtr_ring_range(const struct vtr_ring *ring, u64 *ret_first, u64 *ret_end)
{
	unsigned int nr = ring->config.nr_subbufs;
	/* Pairs with the release in vtr_ring_advance(). NO_SEQUENCE wraps to 0. */
	u64 end = smp_load_acquire(&ring->producer->sequence) + 1;

	*ret_first = end > nr ? end - nr : 0;
	*ret_end = end;
}

/* Copy a sub-buffer, by the steps in <uapi/vitrine/map.h>. */
static size_t copy_subbuf(const struct vtr_ring *ring, u64 sequence, void *bytes)
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
	/* The race with the writer is intended: the generation detects it. */
	data_race(memcpy(bytes, subbuf, committed));
	smp_rmb();	/* Pairs with smp_wmb() in recycle_begin(). */
	if (READ_ONCE(packet->generation) != generation ||
	    copy->sequence != sequence)
		return 0;
	copy->committed_bytes = committed;
	return committed;
}

/**
 * vtr_ring_copy() - make a consistent copy of a sub-buffer
 * @ring: any ring
 * @sequence: number of the sub-buffer, within vtr_ring_range()
 * @bytes: destination, with room for a whole sub-buffer
 *
 * Context: task; may sleep. Neither the writer nor the caller waits for the other.
 * Return: number of valid bytes in @bytes, 0 if the sub-buffer was recycled meanwhile, or
 *	-ESTALE if the ring has expired.
 */
ssize_t vtr_ring_copy(struct vtr_ring *ring, u64 sequence, void *bytes)
{
	guard(rwsem_read)(&ring->kept);
	if (ring->is_expired)
		return -ESTALE;
	return copy_subbuf(ring, sequence, bytes);
}

/**
 * vtr_ring_stats() - read the statistics of a ring
 * @ring: ring of the current session
 * @ret: the statistics, exact if the ring has no writer, else approximate
 *
 * Context: any.
 */
void vtr_ring_stats(const struct vtr_ring *ring, struct vtr_ring_stats *ret)
{
	const struct vitrine_packet *packet;
	u64 first, end;

	vtr_ring_range(ring, &first, &end);
	memset(ret, 0, sizeof(*ret));
	/* If the ring is frozen at once, records are lost before the first one is written. */
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
 * vtr_ring_readable() - check whether the reader's watermark is reached
 * @ring: any ring
 *
 * The consumer page may contain any values. A wrong value yields a wrong result for the
 * reader that wrote it, and harms nobody else.
 *
 * Context: any.
 * Return: true if it is reached, or if no records follow.
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
