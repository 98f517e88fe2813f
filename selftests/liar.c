// SPDX-License-Identifier: GPL-2.0
/*
 *	liar SEED FILE...
 *
 * A hostile reader: map the consumer page of each FILE, a ring, and overwrite it with
 * random words continuously. In between, make the kernel interpret them by poll(). SIGTERM
 * ends the program: its last lie is that it has not read any sub-buffer, so the rings become full.
 */
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>

#include <vitrine/map.h>

#include "system.h"

#define MAX_RINGS	64

/* Upper bound of plausible sequence numbers. */
#define PLAUSIBLE	4096

struct lie {
	uint64_t		*page;
	struct pollfd		poll;
};

static int ended;

static void end(int signal)
{
	__atomic_store_n(&ended, signal, __ATOMIC_RELAXED);
}

/* Write a word at once: the kernel may read it at any time. */
static void put(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static void tell(struct lie *lie, unsigned int nr_words, uint64_t *random)
{
	const struct vitrine_ring_consumer *consumer = (const void *)lie->page;
	unsigned int i;

	for (i = 0; i < nr_words; i++)
		put(&lie->page[i], next_random(random));
	/* Half of the values are plausible. */
	for (i = 0; i < 64; i++) {
		put(&lie->page[0], next_random(random) % PLAUSIBLE);
		put(&lie->page[1], next_random(random) % 16);
		poll(&lie->poll, 1, 0);
		put(&lie->page[0], next_random(random));
		put(&lie->page[1], __atomic_load_n(&consumer->sequence, __ATOMIC_RELAXED) << i);
		poll(&lie->poll, 1, 0);
	}
}

static void begin(struct lie *lie, const char *path, long page)
{
	int fd = open(path, O_RDWR);

	if (fd < 0)
		err(1, "%s", path);
	lie->page = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (lie->page == MAP_FAILED)
		err(1, "%s", path);
	lie->poll.fd = fd;
	lie->poll.events = POLLIN | POLLPRI;
}

int main(int argc, char **argv)
{
	struct lie lies[MAX_RINGS];
	long page = sysconf(_SC_PAGESIZE);
	uint64_t random;
	int i, nr = argc - 2;

	if (nr < 1 || nr > MAX_RINGS)
		errx(1, "usage: liar SEED FILE...");
	random = strtoull(argv[1], NULL, 0);
	for (i = 0; i < nr; i++)
		begin(&lies[i], argv[i + 2], page);
	if (signal(SIGTERM, end) == SIG_ERR)
		err(1, "signal");
	while (!__atomic_load_n(&ended, __ATOMIC_RELAXED))
		for (i = 0; i < nr; i++)
			tell(&lies[i], page / sizeof(uint64_t), &random);
	for (i = 0; i < nr; i++)
		put(&lies[i].page[0], 0);
	return 0;
}
