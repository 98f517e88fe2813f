// SPDX-License-Identifier: GPL-2.0
/*
 * Rings for `vitrine record' without a kernel.
 *	fake_rings DIR
 *
 * Writes switches into DIR/vitrine/trace/cpu0 and, after a second, cpu1, until a signal. After
 * two seconds the session of cpu0 ends and another one begins. Time stands still while the file
 * DIR/hold exists. If DIR/stack exists, an event with the user stack in its first line and the
 * list of files in its second is written, and the file removed. Prints what was written to each
 * ring, and once what the second session has got.
 */
#include <fcntl.h>
#include <signal.h>
#include <time.h>

#include "fake_ring.h"

/* Create the file of a ring. It is renamed when complete, so that no reader sees half of it. */
static void make_ring(struct fake_ring *ring, const char *dir,
		      unsigned int cpu, unsigned int session)
{
	char path[4096], temporary[4096 + 8];
	int fd;

	snprintf(path, sizeof(path), "%s/vitrine/trace/cpu%u", dir, cpu);
	snprintf(temporary, sizeof(temporary), "%s.new", path);
	fd = open(temporary, O_RDWR | O_CREAT | O_TRUNC, 0600);
	/* Minutes of switches: a recorder that gets no CPU loses none. */
	fake_ring_init(ring, fd, cpu, 2048, 4096);
	ring->producer->session = session;
	rename(temporary, path);
}

static void put_stack(struct fake_ring *ring, const char *path)
{
	char stack[1024] = "", files[1024] = "";
	FILE *file = fopen(path, "r");

	if (!file)
		return;
	if (fgets(stack, sizeof(stack), file) && fgets(files, sizeof(files), file)) {
		stack[strcspn(stack, "\n")] = '\0';
		files[strcspn(files, "\n")] = '\0';
		fake_ring_user_stack(ring, stack, files);
	}
	fclose(file);
	unlink(path);
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
	char hold[4096], stack[4096];
	sigset_t mask;

	if (argc != 2)
		return 2;
	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	snprintf(hold, sizeof(hold), "%s/hold", argv[1]);
	snprintf(stack, sizeof(stack), "%s/stack", argv[1]);
	make_ring(&rings[0], argv[1], 0, 1);
	while (sigtimedwait(&mask, NULL, &pause) != SIGTERM) {
		if (!access(hold, F_OK))
			continue;
		put_stack(&rings[0], stack);
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
		ms += 10;
		if (ms == 2500)
			print_ring(&rings[0]);
	}
	print_ring(&rings[0]);
	if (ms > 1000)
		print_ring(&rings[1]);
	return 0;
}
