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

/**
 * struct fake_ring - a ring and its writer
 * @fd: the file
 * @len: length of the file
 * @consumer: page 0
 * @producer: page 1
 * @subbufs: the sub-buffers
 * @packet: header of the current sub-buffer
 * @at: position of the next record
 * @room: bytes left in the current sub-buffer
 * @running: thread reference of the running thread, 1 idle, 2 the worker
 * @ticks: time of the last record
 * @records: number of records with a timestamp
 * @bytes_before: bytes committed in earlier sub-buffers
 */
struct fake_ring {
	int fd;
	size_t len;
	struct vitrine_ring_consumer *consumer;
	struct vitrine_ring_producer *producer;
	unsigned char *subbufs;
	struct vitrine_packet *packet;
	uint64_t *at;
	size_t room;
	unsigned int running;
	uint64_t ticks;
	uint64_t records;
	uint64_t bytes_before;
};

/* Create a ring in @fd, which is an empty file. */
__attribute__((unused))
static void fake_ring_init(struct fake_ring *ring, int fd, unsigned int cpu,
			   unsigned int nr_subbufs, size_t subbuf_bytes)
{
	size_t len = 2 * FAKE_PAGE + nr_subbufs * subbuf_bytes;
	unsigned char *bytes;

	memset(ring, 0, sizeof(*ring));
	if (ftruncate(fd, len)) {
		perror("ftruncate");
		exit(1);
	}
	bytes = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	ring->fd = fd;
	ring->len = len;
	ring->consumer = (void *)bytes;
	ring->producer = (void *)(bytes + FAKE_PAGE);
	ring->subbufs = bytes + 2 * FAKE_PAGE;
	ring->running = 1;
	ring->ticks = 1000;
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

__attribute__((unused))
static void fake_ring_deinit(struct fake_ring *ring)
{
	munmap(ring->consumer, ring->len);
	close(ring->fd);
}

static void fake_put(struct fake_ring *ring, const void *bytes, size_t len)
{
	memcpy(ring->at, bytes, len);
	ring->at += (len + 7) / 8;
	ring->room -= (len + 7) / 8 * 8;
}

static void fake_put_word(struct fake_ring *ring, uint64_t word)
{
	fake_put(ring, &word, sizeof(word));
}

static void fake_commit(struct fake_ring *ring)
{
	unsigned char *begin = (unsigned char *)ring->packet -
			       VITRINE_PACKET_OFFSET;

	ring->packet->end_ticks = ring->ticks;
	__atomic_store_n(&ring->packet->committed_bytes,
			 (unsigned char *)ring->at - begin, __ATOMIC_RELEASE);
}

/* Write thread @ref with its names, which have at most eight bytes. */
static void fake_put_thread(struct fake_ring *ring, unsigned int ref, uint64_t process,
			    uint64_t thread, const char name[8])
{
	uint64_t text;

	memcpy(&text, name, sizeof(text));
	fake_put_word(ring, 0x33 | (uint64_t)ref << 16);
	fake_put_word(ring, process);
	fake_put_word(ring, thread);
	fake_put_word(ring, 0x37 | 1 << 16 | (0x8000ULL | strlen(name)) << 24);
	fake_put_word(ring, process);
	fake_put_word(ring, text);
	fake_put_word(ring, 0x67 | 2 << 16 | (0x8000ULL | strlen(name)) << 24 | 1ULL << 40);
	fake_put_word(ring, thread);
	fake_put_word(ring, text);
	fake_put_word(ring, 0x38 | 0x8007ULL << 16);
	fake_put(ring, "process", 8);
	fake_put_word(ring, process);
}

static void fake_put_preamble(struct fake_ring *ring)
{
	fake_put_word(ring, 0x0016547846040010ULL);
	fake_put_word(ring, 0x20 | 1 << 16 | (ring->producer->cpu + 1ULL) << 20 | 7ULL << 52);
	fake_put(ring, "vitrine", 8);
	fake_put_word(ring, 0x21);
	fake_put_word(ring, ring->producer->ticks_per_second);
	fake_put_word(ring, 0xf5 | 0x8007ULL << 16 | 104ULL << 32 | 1ULL << 48);
	fake_put(ring, "vitrine", 8);
	ring->at += sizeof(struct vitrine_packet) / 8;
	ring->room -= sizeof(struct vitrine_packet);
}

/* First half of recycling: the sub-buffer becomes invalid. */
static void fake_recycle_begin(struct fake_ring *ring)
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
static void fake_recycle_end(struct fake_ring *ring)
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
	fake_put_thread(ring, 1, 0, 0, "idle\0\0\0");
	fake_put_thread(ring, 2, FAKE_PROCESS, FAKE_WORKER, "worker\0");
	fake_commit(ring);
	__atomic_store_n(&ring->packet->generation, generation + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&producer->sequence, producer->sequence + 1, __ATOMIC_RELEASE);
}

static void fake_ring_advance(struct fake_ring *ring)
{
	fake_recycle_begin(ring);
	fake_recycle_end(ring);
}

static void fake_put_switch(struct fake_ring *ring, unsigned int out, unsigned int in)
{
	fake_put_word(ring, 0x28 | (uint64_t)ring->producer->cpu << 16 |
				    (out == 2 ? 3ULL : 0) << 24 | (uint64_t)out << 28 |
				    (uint64_t)in << 36 | (out == 2 ? 120ULL : 0) << 44 |
				    (in == 2 ? 120ULL : 0) << 52);
	fake_put_word(ring, ring->ticks);
}

/* Write a switch on a CPU above 255. */
static void fake_put_wide_switch(struct fake_ring *ring, unsigned int out, unsigned int in)
{
	fake_put_word(ring, 0x48 | (uint64_t)ring->producer->cpu << 20 |
		      (out == 2 ? 3ULL : 0) << 36 | 1ULL << 60);
	fake_put_word(ring, ring->ticks);
	fake_put_word(ring, out == 2 ? FAKE_WORKER : 0);
	fake_put_word(ring, in == 2 ? FAKE_WORKER : 0);
}

/* Write a switch between the two threads. */
__attribute__((unused))
static void fake_ring_switch(struct fake_ring *ring)
{
	unsigned int out = ring->running, in = 3 - out;

	if (ring->room < 32)
		fake_ring_advance(ring);
	ring->ticks += 10;
	if (ring->producer->cpu > 255)
		fake_put_wide_switch(ring, out, in);
	else
		fake_put_switch(ring, out, in);
	ring->running = in;
	ring->records++;
	fake_commit(ring);
}

/* Write a wakeup of the worker, as the module does: without arguments. */
__attribute__((unused))
static void fake_ring_wakeup(struct fake_ring *ring)
{
	if (ring->room < 24)
		fake_ring_advance(ring);
	ring->ticks += 10;
	fake_put_word(ring, 0x38 | (uint64_t)ring->producer->cpu << 20 | 2ULL << 60);
	fake_put_word(ring, ring->ticks);
	fake_put_word(ring, FAKE_WORKER);
	ring->records++;
	fake_commit(ring);
}

/* Write a text and its padding, which is inline in a record. */
static void fake_put_text(struct fake_ring *ring, const char *text)
{
	size_t len = strlen(text);

	memset((char *)ring->at + len, 0, -len % 8);
	fake_put(ring, text, len);
}

static size_t fake_text_words(const char *text)
{
	return (strlen(text) + 7) / 8;
}

static void fake_put_arg(struct fake_ring *ring, const char *name, const char *value)
{
	fake_put_word(ring, 6 | (1 + fake_text_words(name) + fake_text_words(value)) << 4 |
		      (0x8000ULL | strlen(name)) << 16 |
		      (0x8000ULL | strlen(value)) << 32);
	fake_put_text(ring, name);
	fake_put_text(ring, value);
}

/* Write a user stack of the worker. */
__attribute__((unused))
static void fake_ring_user_stack(struct fake_ring *ring, const char *stack,
				 const char *files)
{
	size_t nr_words = 2 + fake_text_words("stacks") + fake_text_words("user stack") +
			  1 + fake_text_words("stack") + fake_text_words(stack) +
			  1 + fake_text_words("files") + fake_text_words(files);

	if (ring->room < nr_words * 8)
		fake_ring_advance(ring);
	ring->ticks += 10;
	fake_put_word(ring, 4 | nr_words << 4 | 2 << 20 | 2 << 24 |
		      (0x8000ULL | strlen("stacks")) << 32 |
		      (0x8000ULL | strlen("user stack")) << 48);
	fake_put_word(ring, ring->ticks);
	fake_put_text(ring, "stacks");
	fake_put_text(ring, "user stack");
	fake_put_arg(ring, "stack", stack);
	fake_put_arg(ring, "files", files);
	ring->records++;
	fake_commit(ring);
}

/* Write switches until the current sub-buffer is @sequence and has a switch. */
__attribute__((unused))
static void fake_ring_fill(struct fake_ring *ring, uint64_t sequence)
{
	do
		fake_ring_switch(ring);
	while (ring->producer->sequence != sequence);
}

#endif /* _SELFTESTS_FAKE_RING_H */
