// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Copy the rings of CPUs to standard output, as one FXT file: a complete reader, to port to other
 * languages. With -f, follow the rings until their session is over. <vitrine/map.h> draws a ring.
 * The kernel never waits, and may recycle a sub-buffer while it is copied.
 */
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vitrine/map.h>

#define LOAD(word)	__atomic_load_n(&(word), __ATOMIC_ACQUIRE)

/* @next is the first sub-buffer not copied yet, and @packet the header of the last one copied. */
struct ring {
	const char *path, *subbufs;
	struct vitrine_ring_consumer *consumer;
	const struct vitrine_ring_producer *producer;
	__u64 nr_subbufs, subbuf_bytes, next;
	struct vitrine_packet packet;
	char *copy;
};

static void *map(int fd, int prot, size_t offset, size_t bytes)
{
	void *mapping = mmap(NULL, bytes, prot, MAP_SHARED, fd, offset);

	if (mapping == MAP_FAILED)
		err(1, "mmap");
	return mapping;
}

static void open_ring(struct ring *ring, const char *path, int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);

	if (fd < 0)
		err(1, "%s", path);
	ring->path = path;
	ring->consumer = map(fd, PROT_READ | PROT_WRITE, VITRINE_RING_CONSUMER_PAGE * page, page);
	ring->producer = map(fd, PROT_READ, VITRINE_RING_PRODUCER_PAGE * page, page);
	ring->nr_subbufs = ring->producer->nr_subbufs;
	ring->subbuf_bytes = ring->producer->subbuf_bytes;
	if (ring->producer->version != VITRINE_MAP_VERSION || !ring->nr_subbufs ||
	    !ring->subbuf_bytes || ring->subbuf_bytes % page)
		errx(1, "%s: not a ring of version %u", path, VITRINE_MAP_VERSION);
	ring->subbufs = map(fd, PROT_READ, VITRINE_RING_FIRST_SUBBUF_PAGE * page,
			    ring->nr_subbufs * ring->subbuf_bytes);
	ring->copy = malloc(ring->subbuf_bytes);
	if (!ring->copy)
		err(1, "%llu bytes", ring->subbuf_bytes);
}

/* Say what the file lacks between the last copy and this one. */
static void report_loss(struct ring *ring, const struct vitrine_packet *packet)
{
	const struct vitrine_packet *last = &ring->packet;
	__u64 recycled = packet->bytes_before - last->bytes_before - last->committed_bytes;
	__u64 unwritten = packet->lost_records - last->lost_records;

	if (last->magic && recycled)
		warnx("%s: %llu bytes were recycled before they were copied", ring->path, recycled);
	if (unwritten)
		warnx("%s: %llu records could not be written", ring->path, unwritten);
	ring->packet = *packet;
}

/* Copy sub-buffer @sequence. It is gone if it is recycled before the copy is complete. */
static void copy_subbuf(struct ring *ring, __u64 sequence)
{
	const char *subbuf = ring->subbufs + sequence % ring->nr_subbufs * ring->subbuf_bytes;
	const struct vitrine_packet *packet = (const void *)(subbuf + VITRINE_PACKET_OFFSET);
	struct vitrine_packet *copy = (void *)(ring->copy + VITRINE_PACKET_OFFSET);
	__u64 generation = LOAD(packet->generation), committed = LOAD(packet->committed_bytes);

	if (generation & 1 || committed < VITRINE_PREAMBLE_BYTES || committed > ring->subbuf_bytes)
		return;
	memcpy(ring->copy, subbuf, committed);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (LOAD(packet->generation) != generation || copy->sequence != sequence)
		return;
	copy->committed_bytes = committed;	/* more may have been committed since */
	report_loss(ring, copy);
	if (!fwrite(ring->copy, committed, 1, stdout))
		err(1, "standard output");
}

/* Copy the complete sub-buffers that are new, and if @all, the one that is being written. */
static void copy_ring(struct ring *ring, bool all)
{
	__u64 nr_begun = LOAD(ring->producer->sequence) + 1, nr = ring->nr_subbufs;
	__u64 end = all || !nr_begun ? nr_begun : nr_begun - 1;

	if (nr_begun > nr && ring->next < nr_begun - nr)
		ring->next = nr_begun - nr;
	for (; ring->next < end; ring->next++)
		copy_subbuf(ring, ring->next);
	/* The position: poll() waits for what follows; streaming may overwrite what is before. */
	if (!all)
		__atomic_store_n(&ring->consumer->sequence, end, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
	bool follow = argc > 1 && !strcmp(argv[1], "-f"), is_over;
	int i, nr = argc - 1 - follow, nr_left;
	char **paths = argv + 1 + follow;
	struct ring *rings = calloc(nr, sizeof(*rings));
	struct pollfd *files = calloc(nr, sizeof(*files));

	if (nr < 1 || !rings || !files)
		errx(2, "usage: ring_reader [-f] /sys/kernel/debug/vitrine/trace/cpu* >FILE");
	for (i = 0; i < nr; i++) {
		files[i].fd = open(paths[i], O_RDWR);
		files[i].events = POLLIN;
		open_ring(&rings[i], paths[i], files[i].fd);
	}
	do {
		for (i = nr_left = 0; i < nr; i++) {
			is_over = !follow || LOAD(rings[i].producer->flags) & VITRINE_RING_CLOSED;
			if (files[i].fd >= 0)
				copy_ring(&rings[i], is_over);
			if (is_over)
				files[i].fd = -1;	/* which poll() ignores */
			nr_left += !is_over;
		}
	} while (nr_left && poll(files, nr, -1) >= 0);
	if (fflush(stdout))
		err(1, "standard output");
	return 0;
}
