/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring without a kernel: the same pages in a file that can be mapped, and a writer that
 * follows <vitrine/map.h> step by step. It records two threads that run in turn.
 */
#ifndef _SELFTESTS_FAKE_RING_H
#define _SELFTESTS_FAKE_RING_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vitrine/map.h>

#define FAKE_PAGE		4096
#define FAKE_WORKER		101
#define FAKE_PROCESS		100

struct fake_ring {
	int fd;
	size_t len;
	struct vitrine_ring_consumer *consumer;	/* page 0 */
	struct vitrine_ring_producer *producer;	/* page 1 */
	unsigned char *subbufs;
	struct vitrine_packet *packet;		/* header of the current sub-buffer */
	uint64_t *at;				/* where the next record begins */
	size_t room;				/* bytes left in the current sub-buffer */
	unsigned int running;			/* thread reference: 1 idle, 2 the worker */
	uint64_t ticks;				/* time of the last record */
	uint64_t records;			/* with a time */
	uint64_t bytes_before;			/* committed in earlier sub-buffers */
};

/* Create a ring in @fd, which is an empty file. */
static inline void fake_ring_init(struct fake_ring *ring, int fd, unsigned int cpu,
				  unsigned int nr_subbufs, size_t subbuf_bytes)
{
	size_t len = 2 * FAKE_PAGE + nr_subbufs * subbuf_bytes;
	unsigned char *bytes = MAP_FAILED;

	if (!ftruncate(fd, len))
		bytes = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED) {
		perror("fake ring");
		exit(1);
	}
	*ring = (struct fake_ring){
		.fd = fd,
		.len = len,
		.consumer = (void *)bytes,
		.producer = (void *)(bytes + FAKE_PAGE),
		.subbufs = bytes + 2 * FAKE_PAGE,
		.running = 1,
		.ticks = 1000,
	};
	*ring->producer = (struct vitrine_ring_producer){
		.length = sizeof(*ring->producer),
		.version = VITRINE_MAP_VERSION,
		.cpu = cpu,
		.session = 1,
		.nr_subbufs = nr_subbufs,
		.subbuf_bytes = subbuf_bytes,
		.ticks_per_second = 1000000000,
		.sequence = ~0ULL,
	};
}

static inline void fake_ring_deinit(struct fake_ring *ring)
{
	munmap(ring->consumer, ring->len);
	close(ring->fd);
}

/* Append words to the current sub-buffer. */
#define fake_put(ring, ...) \
	fake_put_bytes(ring, (uint64_t[]){ __VA_ARGS__ }, sizeof((uint64_t[]){ __VA_ARGS__ }))

/* Append bytes, and what pads them to a word. */
static inline void fake_put_bytes(struct fake_ring *ring, const void *bytes, size_t len)
{
	memset((char *)ring->at + len, 0, -len % 8);
	memcpy(ring->at, bytes, len);
	ring->at += (len + 7) / 8;
	ring->room -= (len + 7) / 8 * 8;
}

static inline void fake_put_text(struct fake_ring *ring, const char *text)
{
	fake_put_bytes(ring, text, strlen(text));
}

/* Return the reference to a text that is inline in a record. */
static inline uint64_t fake_ref(const char *text)
{
	return 0x8000 | strlen(text);
}

static inline void fake_commit(struct fake_ring *ring)
{
	unsigned char *begin = (unsigned char *)ring->packet -
			       VITRINE_PACKET_OFFSET;

	ring->packet->end_ticks = ring->ticks;
	__atomic_store_n(&ring->packet->committed_bytes,
			 (unsigned char *)ring->at - begin, __ATOMIC_RELEASE);
}

/* Write thread @ref with its names, which have at most eight bytes. */
static inline void fake_put_thread(struct fake_ring *ring, uint64_t ref, uint64_t process,
				   uint64_t thread, const char *name)
{
	fake_put(ring, 0x33 | ref << 16, process, thread);
	fake_put(ring, 0x37 | 1 << 16 | fake_ref(name) << 24, process);
	fake_put_text(ring, name);
	fake_put(ring, 0x67 | 2 << 16 | fake_ref(name) << 24 | 1ULL << 40, thread);
	fake_put_text(ring, name);
	fake_put(ring, 0x38 | fake_ref("process") << 16);
	fake_put_text(ring, "process");
	fake_put(ring, process);
}

static inline void fake_put_preamble(struct fake_ring *ring)
{
	fake_put(ring, 0x0016547846040010,
		 0x20 | 1 << 16 | (ring->producer->cpu + 1ULL) << 20 | 7ULL << 52);
	fake_put_text(ring, "vitrine");
	fake_put(ring, 0x21, ring->producer->ticks_per_second,
		 0xf5 | fake_ref("vitrine") << 16 | 104ULL << 32 | 1ULL << 48);
	fake_put_text(ring, "vitrine");
	ring->at += sizeof(struct vitrine_packet) / 8;
	ring->room -= sizeof(struct vitrine_packet);
}

/* First half of recycling: the sub-buffer becomes invalid. */
static inline void fake_recycle_begin(struct fake_ring *ring)
{
	struct vitrine_ring_producer *producer = ring->producer;
	uint64_t sequence = producer->sequence + 1;

	if (ring->packet)
		ring->bytes_before += ring->packet->committed_bytes;
	ring->at = (void *)(ring->subbufs + sequence % producer->nr_subbufs *
			    producer->subbuf_bytes);
	ring->room = producer->subbuf_bytes;
	ring->packet = (void *)((unsigned char *)ring->at + VITRINE_PACKET_OFFSET);
	__atomic_store_n(&ring->packet->generation, ring->packet->generation + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

/* Second half of recycling: the sub-buffer becomes the next one. */
static inline void fake_recycle_end(struct fake_ring *ring)
{
	struct vitrine_ring_producer *producer = ring->producer;
	uint64_t generation = ring->packet->generation;

	fake_put_preamble(ring);
	*ring->packet = (struct vitrine_packet){
		.magic = VITRINE_PACKET_MAGIC,
		.generation = generation,
		.sequence = producer->sequence + 1,
		.begin_ticks = ring->ticks,
		.records_before = ring->records,
		.bytes_before = ring->bytes_before,
		.lost_records = producer->lost_records,
		.cpu = producer->cpu,
		.session = producer->session,
		.subbuf_bytes = producer->subbuf_bytes,
	};
	fake_put_thread(ring, 1, 0, 0, "idle");
	fake_put_thread(ring, 2, FAKE_PROCESS, FAKE_WORKER, "worker");
	fake_commit(ring);
	__atomic_store_n(&ring->packet->generation, generation + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&producer->sequence, producer->sequence + 1, __ATOMIC_RELEASE);
}

static inline void fake_ring_advance(struct fake_ring *ring)
{
	fake_recycle_begin(ring);
	fake_recycle_end(ring);
}

/* Return how many words a text takes, which is inline in a record. */
static inline size_t fake_words(const char *text)
{
	return (strlen(text) + 7) / 8;
}

/* Make room for a record that has a time, and let time pass. */
static inline void fake_record_begin(struct fake_ring *ring, size_t nr_words)
{
	if (ring->room < nr_words * 8)
		fake_ring_advance(ring);
	ring->ticks += 10;
	ring->records++;
}

/* Write a switch between the two threads; on a CPU above 255, it is another record. */
static inline void fake_ring_switch(struct fake_ring *ring)
{
	uint64_t out = ring->running, in = 3 - out, cpu = ring->producer->cpu;
	uint64_t state = out == 2 ? 3 : 0;

	fake_record_begin(ring, 4);
	if (cpu > 255)
		fake_put(ring, 0x48 | cpu << 20 | state << 36 | 1ULL << 60, ring->ticks,
			 out == 2 ? FAKE_WORKER : 0, in == 2 ? FAKE_WORKER : 0);
	else
		fake_put(ring, 0x28 | cpu << 16 | state << 24 | out << 28 | in << 36 |
			 (out == 2 ? 120ULL : 0) << 44 | (in == 2 ? 120ULL : 0) << 52, ring->ticks);
	ring->running = in;
	fake_commit(ring);
}

/* Write a wakeup of the worker, as the module does: without arguments. */
static inline void fake_ring_wakeup(struct fake_ring *ring, unsigned int context)
{
	fake_record_begin(ring, 3);
	fake_put(ring, 0x38 | (uint64_t)ring->producer->cpu << 20 | (uint64_t)context << 36 |
		 2ULL << 60, ring->ticks, FAKE_WORKER);
	fake_commit(ring);
}

static inline void fake_put_arg(struct fake_ring *ring, const char *name, const char *value)
{
	fake_put(ring, 6 | (1 + fake_words(name) + fake_words(value)) << 4 |
		 fake_ref(name) << 16 | fake_ref(value) << 32);
	fake_put_text(ring, name);
	fake_put_text(ring, value);
}

/* Write a user stack of the worker. */
static inline void fake_ring_user_stack(struct fake_ring *ring, const char *stack,
					const char *files)
{
	size_t nr_words = 2 + 1 + 2 + 1 + 1 + fake_words(stack) + 1 + 1 + fake_words(files);

	fake_record_begin(ring, nr_words);
	fake_put(ring, 4 | nr_words << 4 | 2 << 20 | 2 << 24 | fake_ref("stacks") << 32 |
		 fake_ref("user stack") << 48, ring->ticks);
	fake_put_text(ring, "stacks");
	fake_put_text(ring, "user stack");
	fake_put_arg(ring, "stack", stack);
	fake_put_arg(ring, "files", files);
	fake_commit(ring);
}

/* Write switches until the current sub-buffer is @sequence and has a switch. */
static inline void fake_ring_fill(struct fake_ring *ring, uint64_t sequence)
{
	do
		fake_ring_switch(ring);
	while (ring->producer->sequence != sequence);
}

#endif /* _SELFTESTS_FAKE_RING_H */
