// SPDX-License-Identifier: GPL-2.0
/*
 * Rings for `vitrine record' without a kernel.
 *
 *	fake_rings DIR
 *
 * Makes DIR/vitrine/trace/cpu0 and, after a second, cpu1, and writes switches
 * into them, until it is told to end by a signal. After two seconds cpu0's
 * session ends and another one begins. Prints what each ring was given.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include "fake_ring.h"

/* Complete before it has its name: nobody may see half a ring. */
static void make_ring(struct fake_ring *ring, const char *dir,
		      unsigned int cpu, unsigned int session)
{
	char path[4096], temporary[4096 + 8];
	int fd;

	snprintf(path, sizeof(path), "%s/vitrine/trace/cpu%u", dir, cpu);
	snprintf(temporary, sizeof(temporary), "%s.new", path);
	fd = open(temporary, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0) {
		perror(temporary);
		exit(1);
	}
	fake_ring_init(ring, fd, cpu, 64, 4096);
	ring->producer->session = session;
	rename(temporary, path);
}

static void print_ring(const struct fake_ring *ring)
{
	printf("cpu%u session %u: %llu\n", ring->producer->cpu,
	       ring->producer->session, (unsigned long long)ring->records);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const struct timespec pause = { 0, 10000000 };
	struct fake_ring rings[3];
	unsigned int ms = 0, i;
	sigset_t mask;

	if (argc != 2)
		return 2;
	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	make_ring(&rings[0], argv[1], 0, 1);
	for (; sigtimedwait(&mask, NULL, &pause) != SIGTERM; ms += 10) {
		if (ms == 1000)
			make_ring(&rings[1], argv[1], 1, 1);
		if (ms == 2000) {
			print_ring(&rings[0]);
			rings[2] = rings[0];
			make_ring(&rings[0], argv[1], 0, 2);
			rings[0].ticks = rings[2].ticks;
			__atomic_store_n(&rings[2].producer->flags,
					 VITRINE_RING_CLOSED, __ATOMIC_RELEASE);
		}
		for (i = 0; i < 20; i++) {
			fake_ring_switch(&rings[0]);
			if (ms >= 1000)
				fake_ring_switch(&rings[1]);
		}
	}
	print_ring(&rings[0]);
	if (ms > 1000)
		print_ring(&rings[1]);
	return 0;
}
