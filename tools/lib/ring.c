// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Consume the ring of one CPU through its mapping.
 *
 * The kernel never waits for the reader and may recycle a sub-buffer while it is copied.
 * A copy is valid only if the generation of the sub-buffer was even before and is the same
 * afterwards, as <vitrine/map.h> specifies:
 *
 *   producer->sequence   load-acquire; all sub-buffers before it are complete
 *   packet->generation   load-acquire, before the copy
 *   packet->committed_bytes  load-acquire; the number of bytes to copy
 *   packet->generation   again, after a read fence
 *
 * Pairs with vtr_ring_advance() and vtr_ring_commit() in the module. In streaming mode
 * consumer->sequence tells the kernel which sub-buffers may be overwritten, and poll()
 * when to wake the reader; it does not decide which sub-buffers this reader copies.
 *
 * A ring is used by one thread at a time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base.h"
#include "fxt_file.h"
#include "fxt_field.h"
#include "ring.h"

#define NO_SEQUENCE	VTR_RING_NO_SEQUENCE

/* Number of attempts to copy a sub-buffer before control returns to the caller. */
#define MAX_ATTEMPTS	16

/* Larger than any ring that a kernel can map, and small enough not to overflow. */
#define MAX_RING_BYTES	(1ULL << 40)

/**
 * struct vitrine_ring - one mapped ring
 * @path: path of the file
 * @fd: open file
 * @consumer: page 0, or NULL
 * @producer: page 1, or NULL
 * @subbufs: the sub-buffers, or NULL
 * @page_bytes: size of a page
 * @nr_subbufs: number of sub-buffers, from the producer page at the time of mapping
 * @subbuf_bytes: size of a sub-buffer, likewise
 * @cpu: number of the CPU, likewise
 * @session: number of the session, likewise
 * @next: sequence number of the next sub-buffer to copy
 * @end: last sequence number to copy, NO_SEQUENCE before vitrine_ring_stop()
 * @spare: memory for the next copy, while the caller may still use @last
 * @packet: header of the last copy; before the first, the counts to start from;
 *	@packet.lost_records is the number of lost records that are accounted for
 * @last: the last copy
 * @observe: called after each step of a copy, or NULL
 * @ctx: first argument of @observe
 */
struct vitrine_ring {
	char *path;
	int fd;
	struct vitrine_ring_consumer *consumer;
	const struct vitrine_ring_producer *producer;
	const unsigned char *subbufs;
	size_t page_bytes;
	uint64_t nr_subbufs;
	uint64_t subbuf_bytes;
	unsigned int cpu;
	unsigned int session;
	uint64_t next;
	uint64_t end;
	unsigned char *spare;
	struct vitrine_packet packet;
	struct vitrine_subbuf last;
	vitrine_observe_fn *observe;
	void *ctx;
};

static struct vitrine_error *malformed(const struct vitrine_ring *ring,
				       const char *what)
{
	return vitrine_error_create(EBADMSG, ring->path, VITRINE_NO_OFFSET,
				    NULL, "%s", what);
}

static void reached(struct vitrine_ring *ring, enum vitrine_step step)
{
	if (ring->observe)
		ring->observe(ring->ctx, step);
}

/* Map a part of the ring, unless there is an error already. */
static void *map_pages(struct vitrine_ring *ring, int prot, uint64_t page, size_t len_bytes,
		       struct vitrine_error **err)
{
	void *bytes;

	if (*err)
		return NULL;
	bytes = mmap(NULL, len_bytes, prot, MAP_SHARED, ring->fd, page * ring->page_bytes);
	if (bytes != MAP_FAILED)
		return bytes;
	*err = vtr_error_os(errno, ring->path, "cannot map");
	return NULL;
}

static struct vitrine_error *read_producer(struct vitrine_ring *ring)
{
	const struct vitrine_ring_producer *producer = ring->producer;

	if (producer->version != VITRINE_MAP_VERSION)
		return vitrine_error_create(EPROTONOSUPPORT, ring->path,
					    VITRINE_NO_OFFSET,
					    "use the vitrine command that came with the module",
					    "mapping is of version %u, not %u",
					    producer->version,
					    VITRINE_MAP_VERSION);
	if (producer->length < sizeof(*producer))
		return malformed(ring, "producer page is too short");
	ring->cpu = producer->cpu;
	ring->session = producer->session;
	ring->nr_subbufs = producer->nr_subbufs;
	ring->subbuf_bytes = producer->subbuf_bytes;
	if (ring->nr_subbufs < 2 || !ring->subbuf_bytes ||
	    ring->subbuf_bytes % ring->page_bytes ||
	    ring->nr_subbufs > MAX_RING_BYTES / ring->subbuf_bytes)
		return malformed(ring, "producer page has impossible sizes");
	return NULL;
}

static struct vitrine_error *map_ring(struct vitrine_ring *ring)
{
	struct vitrine_error *err = NULL;

	ring->page_bytes = sysconf(_SC_PAGESIZE);
	ring->consumer = map_pages(ring, PROT_READ | PROT_WRITE, VITRINE_RING_CONSUMER_PAGE,
				   ring->page_bytes, &err);
	ring->producer = map_pages(ring, PROT_READ, VITRINE_RING_PRODUCER_PAGE,
				   ring->page_bytes, &err);
	if (!err)
		err = read_producer(ring);
	ring->subbufs = map_pages(ring, PROT_READ, VITRINE_RING_FIRST_SUBBUF_PAGE,
				  ring->nr_subbufs * ring->subbuf_bytes, &err);
	return err;
}

static struct vitrine_error *ring_open(struct vitrine_ring *ring)
{
	ring->fd = open(ring->path, O_RDWR | O_CLOEXEC);
	if (ring->fd < 0)
		return vtr_error_open(errno, ring->path);
	return map_ring(ring);
}

/* Return the oldest sub-buffer that certainly has not been recycled. */
static uint64_t oldest(const struct vitrine_ring *ring, uint64_t sequence)
{
	return sequence < ring->nr_subbufs ? 0 :
	       sequence - ring->nr_subbufs + 1;
}

static uint64_t written_sequence(const struct vitrine_ring *ring)
{
	/* Pairs with the release in vtr_ring_advance(). */
	return vtr_load_acquire(&ring->producer->sequence);
}

static void want(struct vitrine_ring *ring, uint64_t sequence)
{
	ring->next = sequence;
	/* Orders all copies before; pairs with may_begin() in the module. */
	vtr_store_release(&ring->consumer->sequence, sequence);
}

static const unsigned char *subbuf_of(const struct vitrine_ring *ring,
				      uint64_t sequence)
{
	return ring->subbufs + sequence % ring->nr_subbufs * ring->subbuf_bytes;
}

/* Copy the packet header of a sub-buffer. Return false if it is being recycled. */
static bool read_packet(const struct vitrine_ring *ring, uint64_t sequence,
			struct vitrine_packet *ret)
{
	const struct vitrine_packet *packet =
		(const void *)(subbuf_of(ring, sequence) +
			       VITRINE_PACKET_OFFSET);
	uint64_t generation = vtr_load_acquire(&packet->generation);

	memcpy(ret, packet, sizeof(*ret));
	/* Pairs with smp_wmb() in vtr_ring_advance(). */
	vtr_read_fence();
	return !(generation & 1) && ret->sequence == sequence &&
	       vtr_load_once(&packet->generation) == generation;
}

/* Begin with the sub-buffer being written; what was lost before it began does not count. */
static struct vitrine_error *begin_here(struct vitrine_ring *ring)
{
	uint64_t sequence;
	unsigned int i;

	ring->packet.lost_records = vtr_load_once(&ring->producer->lost_records);
	for (i = 0; i < MAX_ATTEMPTS; i++) {
		sequence = written_sequence(ring);
		if (sequence == NO_SEQUENCE) {
			want(ring, 0);
			return NULL;
		}
		if (read_packet(ring, sequence, &ring->packet)) {
			want(ring, sequence);
			return NULL;
		}
		vtr_cpu_relax();
	}
	return vitrine_error_create(EAGAIN, ring->path, VITRINE_NO_OFFSET, NULL,
				    "the ring is written too fast to be read");
}

static struct vitrine_error *ring_begin(struct vitrine_ring *ring,
					unsigned int flags)
{
	ring->end = NO_SEQUENCE;
	ring->spare = malloc(ring->subbuf_bytes);
	ring->last.bytes = malloc(ring->subbuf_bytes);
	if (!ring->spare || !ring->last.bytes)
		return vtr_error_no_memory();
	if (!(flags & VITRINE_RING_FROM_START))
		return begin_here(ring);
	want(ring, 0);
	return NULL;
}

/**
 * vitrine_ring_create() - open and map the ring of a CPU
 * @path: the file trace/cpu<N> of debugfs
 * @flags: 0 to begin with the sub-buffer being written, or VITRINE_RING_FROM_START to
 *	begin with the session, in which case records already overwritten count as lost
 * @ret: the ring
 *
 * Return: NULL, or an error: EPROTONOSUPPORT for a kernel module of another version,
 * EBADMSG if the file is not a ring, ENOMEM, else as from open() and mmap().
 */
struct vitrine_error *vitrine_ring_create(const char *path, unsigned int flags,
					  struct vitrine_ring **ret)
{
	struct vitrine_ring *ring = calloc(1, sizeof(*ring));
	struct vitrine_error *err = NULL;

	if (!ring)
		return vtr_error_no_memory();
	ring->fd = -1;
	ring->path = strdup(path);
	if (!ring->path)
		err = vtr_error_no_memory();
	if (!err)
		err = ring_open(ring);
	if (!err)
		err = ring_begin(ring, flags);
	if (err) {
		vitrine_ring_destroy(ring);
		return err;
	}
	*ret = ring;
	return NULL;
}

/**
 * vitrine_ring_destroy() - unmap and close a ring
 * @ring: ring, or NULL
 */
void vitrine_ring_destroy(struct vitrine_ring *ring)
{
	if (!ring)
		return;
	if (ring->subbufs)
		munmap((void *)ring->subbufs,
		       ring->nr_subbufs * ring->subbuf_bytes);
	if (ring->producer)
		munmap((void *)ring->producer, ring->page_bytes);
	if (ring->consumer)
		munmap(ring->consumer, ring->page_bytes);
	if (ring->fd >= 0)
		close(ring->fd);
	free((void *)ring->last.bytes);
	free(ring->spare);
	free(ring->path);
	free(ring);
}

/**
 * vitrine_ring_fd() - return a file descriptor for poll()
 * @ring: ring
 *
 * Return: a descriptor that becomes readable when vitrine_ring_next() can return a copy.
 */
int vitrine_ring_fd(const struct vitrine_ring *ring)
{
	return ring->fd;
}

/**
 * vitrine_ring_cpu() - return the CPU of a ring
 * @ring: ring
 *
 * Return: number of the CPU.
 */
unsigned int vitrine_ring_cpu(const struct vitrine_ring *ring)
{
	return ring->cpu;
}

/**
 * vitrine_ring_session() - return the session of a ring
 * @ring: ring
 *
 * Return: number of the session.
 */
unsigned int vitrine_ring_session(const struct vitrine_ring *ring)
{
	return ring->session;
}

/**
 * vtr_ring_clock() - return the clock of a ring
 * @ring: ring
 * @ret_ticks_per_second: its rate
 *
 * Return: enum vitrine_clock.
 */
unsigned int vtr_ring_clock(const struct vitrine_ring *ring,
			    uint64_t *ret_ticks_per_second)
{
	*ret_ticks_per_second = vtr_load_once(&ring->producer->ticks_per_second);
	return vtr_load_once(&ring->producer->clock);
}

/**
 * vtr_ring_begin_ticks() - return when the last sub-buffer begins that was copied or, before the
 *	first copy, the one to begin with
 * @ring: ring
 *
 * Return: its time, 0 if there is none yet.
 */
uint64_t vtr_ring_begin_ticks(const struct vitrine_ring *ring)
{
	return ring->packet.begin_ticks;
}

/**
 * vitrine_ring_closed() - check whether the session of a ring has ended
 * @ring: ring
 *
 * Return: true if no more records will be written. The remaining records can be read;
 * for the next session, @ring must be destroyed and its path opened again.
 */
bool vitrine_ring_closed(const struct vitrine_ring *ring)
{
	/* Pairs with the release in vtr_ring_close(). */
	return vtr_load_acquire(&ring->producer->flags) & VITRINE_RING_CLOSED;
}

/**
 * vitrine_ring_unwritten() - count the lost records that no copy has counted yet
 * @ring: ring
 *
 * Return: number of records that could not be written since the sub-buffer of the last
 * copy was begun.
 */
uint64_t vitrine_ring_unwritten(const struct vitrine_ring *ring)
{
	return vtr_load_once(&ring->producer->lost_records) -
	       ring->packet.lost_records;
}

/**
 * vitrine_ring_observe() - set a callback for the steps of a copy
 * @ring: ring
 * @observe: function to call after each step, or NULL
 * @ctx: first argument of @observe
 */
void vitrine_ring_observe(struct vitrine_ring *ring,
			  vitrine_observe_fn *observe, void *ctx)
{
	ring->observe = observe;
	ring->ctx = ctx;
}

/**
 * vitrine_ring_stop() - stop after the sub-buffer that is being written now
 * @ring: ring
 *
 * Afterwards vitrine_ring_next() also copies this sub-buffer, although it is incomplete.
 */
void vitrine_ring_stop(struct vitrine_ring *ring)
{
	uint64_t sequence = written_sequence(ring);

	if (sequence == NO_SEQUENCE)
		want(ring, NO_SEQUENCE);
	ring->end = sequence;
}

/* Check whether sub-buffer ring->next can be copied now; skip those already recycled. */
static bool find_subbuf(struct vitrine_ring *ring)
{
	uint64_t sequence = written_sequence(ring);

	if (sequence == NO_SEQUENCE)
		return false;
	if (ring->next < oldest(ring, sequence)) {
		want(ring, oldest(ring, sequence));
		/* The first sub-buffer after a gap is needed to tell how much was lost. */
		if (ring->end < ring->next)
			ring->end = ring->next;
	}
	if (ring->end != NO_SEQUENCE)
		return ring->next <= ring->end;
	return ring->next < sequence;
}

/* Copy sub-buffer ring->next to ring->spare; 0 bytes if the kernel has recycled it. */
static struct vitrine_error *copy_subbuf(struct vitrine_ring *ring,
					 size_t *ret_len)
{
	const unsigned char *subbuf = subbuf_of(ring, ring->next);
	const struct vitrine_packet *packet =
		(const void *)(subbuf + VITRINE_PACKET_OFFSET);
	struct vitrine_packet *copy =
		(void *)(ring->spare + VITRINE_PACKET_OFFSET);
	uint64_t generation, committed, len_bytes;

	*ret_len = 0;
	generation = vtr_load_acquire(&packet->generation);
	reached(ring, VITRINE_STEP_GENERATION);
	if (generation & 1)
		return NULL;
	committed = vtr_load_acquire(&packet->committed_bytes);
	reached(ring, VITRINE_STEP_SIZE);
	len_bytes = committed < ring->subbuf_bytes ? committed :
						     ring->subbuf_bytes;
	memcpy(ring->spare, subbuf, len_bytes);
	reached(ring, VITRINE_STEP_COPY);
	/* Pairs with smp_wmb() in vtr_ring_advance(). */
	vtr_read_fence();
	if (vtr_load_once(&packet->generation) != generation)
		return NULL;
	if (committed != len_bytes || committed < VITRINE_PREAMBLE_BYTES ||
	    committed % FXT_WORD_BYTES || copy->magic != VITRINE_PACKET_MAGIC)
		return malformed(ring, "sub-buffer without a packet header");
	if (copy->sequence != ring->next)
		return NULL;
	copy->committed_bytes = committed;
	*ret_len = committed;
	return NULL;
}

/* Describe the records overwritten between the last copy and the copy in ring->spare. */
static void describe_loss(const struct vitrine_ring *ring,
			  const struct vitrine_packet *packet, size_t len_bytes,
			  const struct fxt_loss *missing,
			  struct vitrine_loss *loss)
{
	struct vitrine_fxt_thread unused;

	*loss = (struct vitrine_loss){
		.cpu = ring->cpu,
		.nr_records = missing->nr_missing,
	};
	if (!loss->nr_records || !ring->last.len_bytes)
		return;
	loss->begin_ticks = ring->packet.end_ticks;
	loss->end_ticks = packet->begin_ticks;
	loss->nr_bytes = missing->nr_bytes;
	loss->bridged = fxt_scan_row_ends(ring->last.bytes, ring->last.len_bytes,
					  &unused, &loss->before) &&
			fxt_scan_row_ends(ring->spare, len_bytes, &loss->after,
					  &unused);
}

/* Make the copy in ring->spare the last copy. */
static void keep_copy(struct vitrine_ring *ring, size_t len_bytes)
{
	unsigned char *bytes = ring->spare;
	struct vitrine_packet packet;
	struct vitrine_loss loss;
	struct fxt_counts counts;
	struct fxt_loss missing;

	memcpy(&packet, bytes + VITRINE_PACKET_OFFSET, sizeof(packet));
	missing = fxt_packet_loss(&ring->packet, ring->last.nr_records, &packet);
	describe_loss(ring, &packet, len_bytes, &missing, &loss);
	fxt_scan_counts(bytes, len_bytes, &counts);
	ring->spare = (void *)ring->last.bytes;
	ring->packet = packet;
	ring->last = (struct vitrine_subbuf){
		.bytes = bytes,
		.len_bytes = len_bytes,
		.sequence = packet.sequence,
		.nr_records = counts.timed,
		.nr_switches = counts.switches,
		.nr_lost = missing.nr_missing + missing.nr_unwritten,
		.loss = loss,
		.nr_wakeups = counts.wakeups,
	};
	want(ring, packet.sequence + 1);
}

/**
 * vitrine_ring_next() - copy the next sub-buffer
 * @ring: ring
 * @ret: the copy, valid until the next call; NULL if there is none yet
 *
 * Sub-buffers are returned in order, and only when complete until vitrine_ring_stop() is
 * called. Sub-buffers that were recycled before they could be copied are skipped; their
 * records are counted in @nr_lost of the next copy.
 *
 * Return: NULL, or an error: EBADMSG if the ring is malformed.
 */
struct vitrine_error *vitrine_ring_next(struct vitrine_ring *ring,
					const struct vitrine_subbuf **ret)
{
	struct vitrine_error *err;
	unsigned int i;
	size_t len;

	for (i = 0; i < MAX_ATTEMPTS && find_subbuf(ring); i++) {
		err = copy_subbuf(ring, &len);
		if (err)
			return err;
		if (len) {
			keep_copy(ring, len);
			*ret = &ring->last;
			return NULL;
		}
		reached(ring, VITRINE_STEP_RETRY);
		vtr_cpu_relax();
	}
	*ret = NULL;
	return NULL;
}

/**
 * vtr_ring_begin() - begin again with the sub-buffer being written
 * @ring: ring
 * @sequence: number of a sub-buffer to leave out, or VTR_RING_NO_SEQUENCE; then the number
 *	of the sub-buffer being written, which is VTR_RING_NO_SEQUENCE if there is none yet
 *
 * If the sub-buffer that is left out is still being written, although the kernel was asked
 * to begin another one, the ring is full or frozen, and the next sub-buffer is the first.
 *
 * Return: NULL, or an error, as vitrine_ring_create().
 */
struct vitrine_error *vtr_ring_begin(struct vitrine_ring *ring, uint64_t *sequence)
{
	const uint64_t left_out = *sequence;
	struct vitrine_error *err = begin_here(ring);
	size_t len = 0;

	ring->last.len_bytes = 0;
	ring->last.nr_records = 0;
	if (err)
		return err;
	*sequence = written_sequence(ring) == NO_SEQUENCE ? NO_SEQUENCE : ring->next;
	if (*sequence == NO_SEQUENCE || *sequence != left_out)
		return NULL;
	/* Its records count as read. */
	err = copy_subbuf(ring, &len);
	if (!err && len)
		keep_copy(ring, len);
	return err;
}
