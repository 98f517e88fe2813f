// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Consumes the ring of one CPU through its mapping.
 *
 * The kernel never waits: while we copy a sub-buffer it may be recycled. So we
 * keep a copy only if the sub-buffer's generation was even before and is the
 * same afterwards, as <vitrine/map.h> lays down:
 *
 *   producer->sequence   load-acquire; all sub-buffers before it are complete
 *   packet->generation   load-acquire, before the copy
 *   packet->committed_bytes  load-acquire; so much may be copied
 *   packet->generation   again, behind a read fence
 *
 * Pairs with vtr_ring_advance() and vtr_ring_commit() in the module.
 * consumer->sequence tells the kernel what may be overwritten in streaming mode,
 * and poll() when to wake us: what this reader takes is decided here.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "barrier.h"
#include "error.h"
#include "fxt.h"

#define NO_SEQUENCE	UINT64_MAX

/* How often a sub-buffer may be overtaken before we let the caller rest. */
#define MAX_ATTEMPTS	16

/* More than a kernel would map, less than would overflow. */
#define MAX_RING_BYTES	(1ULL << 40)

/**
 * struct vitrine_ring - one mapped ring
 * @path: its file
 * @fd: open file
 * @consumer: page 0, or NULL
 * @producer: page 1, or NULL
 * @subbufs: the sub-buffers, or NULL
 * @page_bytes: size of a page
 * @nr_subbufs: what the producer page said when it was mapped
 * @subbuf_bytes: likewise
 * @cpu: likewise
 * @session: likewise
 * @next: sequence number of the sub-buffer we want
 * @end: last one we want, NO_SEQUENCE before vitrine_ring_stop()
 * @spare: room for the next copy; @last.bytes may be in use still
 * @packet: header of the last copy; before the first, what to count from
 * @nr_unwritten: records lost in the kernel that are accounted for
 * @last: the last copy
 * @observe: called between the steps, or NULL
 * @ctx: its context
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
	uint64_t nr_unwritten;
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

static struct vitrine_error *map_pages(struct vitrine_ring *ring, int prot,
				       uint64_t page, size_t len_bytes,
				       void **ret)
{
	void *bytes = mmap(NULL, len_bytes, prot, MAP_SHARED, ring->fd,
			   page * ring->page_bytes);

	if (bytes == MAP_FAILED)
		return vtr_error_os(errno, ring->path, "cannot map");
	*ret = bytes;
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
	struct vitrine_error *err;
	void *bytes = NULL;

	ring->page_bytes = sysconf(_SC_PAGESIZE);
	err = map_pages(ring, PROT_READ | PROT_WRITE,
			VITRINE_RING_CONSUMER_PAGE, ring->page_bytes, &bytes);
	if (err)
		return err;
	ring->consumer = bytes;
	err = map_pages(ring, PROT_READ, VITRINE_RING_PRODUCER_PAGE,
			ring->page_bytes, &bytes);
	if (err)
		return err;
	ring->producer = bytes;
	err = read_producer(ring);
	if (err)
		return err;
	err = map_pages(ring, PROT_READ, VITRINE_RING_FIRST_SUBBUF_PAGE,
			ring->nr_subbufs * ring->subbuf_bytes, &bytes);
	if (err)
		return err;
	ring->subbufs = bytes;
	return NULL;
}

static struct vitrine_error *ring_open(struct vitrine_ring *ring)
{
	ring->fd = open(ring->path, O_RDWR | O_CLOEXEC);
	if (ring->fd < 0)
		return vtr_error_open(errno, ring->path);
	return map_ring(ring);
}

/* Of the sub-buffers that are certainly there, the oldest. */
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
	/* All copies before; pairs with may_begin() in the module. */
	vtr_store_release(&ring->consumer->sequence, sequence);
}

static const unsigned char *subbuf_of(const struct vitrine_ring *ring,
				      uint64_t sequence)
{
	return ring->subbufs + sequence % ring->nr_subbufs * ring->subbuf_bytes;
}

/* The packet header of sub-buffer @sequence; false if it is being recycled. */
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

/* Begin with the sub-buffer being written: what was before is not lost. */
static struct vitrine_error *begin_here(struct vitrine_ring *ring)
{
	uint64_t sequence;
	unsigned int i;

	ring->nr_unwritten = vtr_load_once(&ring->producer->lost_records);
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
 * vitrine_ring_create() - open and map a CPU's ring
 * @path: the file trace/cpu<N> of debugfs
 * @flags: 0 to begin with the sub-buffer being written, or
 *	VITRINE_RING_FROM_START to want all of the session, and to count as lost
 *	what is not there any more
 * @ret: the ring
 *
 * Return: NULL, or an error: of opening or mapping; EPROTONOSUPPORT for a
 * kernel module of another version; EBADMSG if it is no ring; ENOMEM.
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
 * vitrine_ring_fd() - what to poll
 * @ring: ring
 *
 * Return: a descriptor that is readable once vitrine_ring_next() has something.
 */
int vitrine_ring_fd(const struct vitrine_ring *ring)
{
	return ring->fd;
}

/**
 * vitrine_ring_cpu() - whose ring it is
 * @ring: ring
 *
 * Return: number of the CPU.
 */
unsigned int vitrine_ring_cpu(const struct vitrine_ring *ring)
{
	return ring->cpu;
}

/**
 * vitrine_ring_session() - which session the ring is of
 * @ring: ring
 *
 * Return: number of the session.
 */
unsigned int vitrine_ring_session(const struct vitrine_ring *ring)
{
	return ring->session;
}

/**
 * vitrine_ring_closed() - whether the ring's session is over
 * @ring: ring
 *
 * Return: true if nothing more will be written; what is there can be read, and
 * then the same path is another ring.
 */
bool vitrine_ring_closed(const struct vitrine_ring *ring)
{
	/* Pairs with the release in vtr_ring_close(). */
	return vtr_load_acquire(&ring->producer->flags) & VITRINE_RING_CLOSED;
}

/**
 * vitrine_ring_unwritten() - records lost since the last sub-buffer was begun
 * @ring: ring
 *
 * Return: how many could not be written and are in no copy's account yet.
 */
uint64_t vitrine_ring_unwritten(const struct vitrine_ring *ring)
{
	return vtr_load_once(&ring->producer->lost_records) -
	       ring->nr_unwritten;
}

/**
 * vitrine_ring_observe() - be called between the steps of taking a copy
 * @ring: ring
 * @observe: function, or NULL
 * @ctx: its context
 */
void vitrine_ring_observe(struct vitrine_ring *ring,
			  vitrine_observe_fn *observe, void *ctx)
{
	ring->observe = observe;
	ring->ctx = ctx;
}

/**
 * vitrine_ring_stop() - want nothing that begins later than now
 * @ring: ring
 *
 * vitrine_ring_next() then takes the sub-buffer being written, too, as it is.
 */
void vitrine_ring_stop(struct vitrine_ring *ring)
{
	uint64_t sequence = written_sequence(ring);

	if (sequence == NO_SEQUENCE)
		want(ring, NO_SEQUENCE);
	ring->end = sequence;
}

/* The sub-buffer that is ring->next's, if it is to be taken now. */
static bool find_subbuf(struct vitrine_ring *ring)
{
	uint64_t sequence = written_sequence(ring);

	if (sequence == NO_SEQUENCE)
		return false;
	if (ring->next < oldest(ring, sequence)) {
		want(ring, oldest(ring, sequence));
		/* The first one behind a gap tells how much was in it. */
		if (ring->end < ring->next)
			ring->end = ring->next;
	}
	if (ring->end != NO_SEQUENCE)
		return ring->next <= ring->end;
	return ring->next < sequence;
}

/* Copy to ring->spare; 0 bytes if the kernel got ahead of us. */
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

/* Not written since then, as far as this sub-buffer knows. */
static uint64_t unwritten_before(struct vitrine_ring *ring,
				 const struct vitrine_packet *packet)
{
	uint64_t nr = packet->lost_records - ring->nr_unwritten;

	/* What was lost before we came is older than the first we get. */
	if (packet->lost_records < ring->nr_unwritten)
		return 0;
	ring->nr_unwritten = packet->lost_records;
	return nr;
}

static uint64_t overwritten_before(const struct vitrine_ring *ring,
				   const struct vitrine_packet *packet)
{
	return packet->records_before - ring->packet.records_before -
	       ring->last.nr_records;
}

/* What was overwritten between the last copy and the one in ring->spare. */
static void describe_loss(const struct vitrine_ring *ring,
			  const struct vitrine_packet *packet, size_t len_bytes,
			  struct vitrine_loss *loss)
{
	const struct vitrine_packet *before = &ring->packet;
	struct vitrine_fxt_thread unused;

	*loss = (struct vitrine_loss){ .cpu = ring->cpu };
	loss->nr_records = overwritten_before(ring, packet);
	if (!loss->nr_records || !ring->last.len_bytes)
		return;
	loss->begin_ticks = before->end_ticks;
	loss->end_ticks = packet->begin_ticks;
	loss->nr_bytes = packet->bytes_before - before->bytes_before -
			 ring->last.len_bytes;
	loss->bridged = fxt_row_ends(ring->last.bytes, ring->last.len_bytes,
				     &unused, &loss->before) &&
			fxt_row_ends(ring->spare, len_bytes, &loss->after,
				     &unused);
}

/* What has been copied to ring->spare is now the last copy. */
static void keep_copy(struct vitrine_ring *ring, size_t len_bytes)
{
	unsigned char *bytes = ring->spare;
	struct vitrine_packet packet;
	struct vitrine_loss loss;
	struct fxt_counts counts;
	uint64_t nr_lost;

	memcpy(&packet, bytes + VITRINE_PACKET_OFFSET, sizeof(packet));
	describe_loss(ring, &packet, len_bytes, &loss);
	nr_lost = loss.nr_records + unwritten_before(ring, &packet);
	fxt_count(bytes, len_bytes, &counts);
	ring->spare = (void *)ring->last.bytes;
	ring->packet = packet;
	ring->last = (struct vitrine_subbuf){
		.bytes = bytes,
		.len_bytes = len_bytes,
		.sequence = packet.sequence,
		.nr_records = counts.timed,
		.nr_switches = counts.switches,
		.nr_lost = nr_lost,
		.loss = loss,
	};
	want(ring, packet.sequence + 1);
}

/**
 * vitrine_ring_next() - take a copy of the next sub-buffer
 * @ring: ring
 * @ret: the copy, valid until the next call; NULL if there is none now
 *
 * Sub-buffers come in order, complete ones only until vitrine_ring_stop().
 * Those that were recycled before they could be copied are left out, and what
 * was in them is counted in the next one's @nr_lost.
 *
 * Return: NULL, or an error: EBADMSG if the ring makes no sense.
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
