// SPDX-License-Identifier: GPL-2.0
/*
 * Load switch.bpf.o, read its ring continuously until a signal, and print the number of
 * records that were read and lost. Prints "ready" when it records.
 *
 *	bpf_switch OBJECT [READ]	READ 0: load it, but do not read
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <bpf/libbpf.h>

static unsigned long nr_records, nr_bytes;

static int take(void *ctx, void *record, size_t len)
{
	(void)ctx;
	(void)record;
	nr_records++;
	nr_bytes += len + 8; /* including the header of the BPF ring buffer */
	return 0;
}

static unsigned long long dropped(struct bpf_object *object)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".bss");
	size_t len;

	if (!map)
		errx(1, "no .bss");
	return *(const unsigned long long *)bpf_map__initial_value(map, &len);
}

int main(int argc, char **argv)
{
	const struct timespec now = { 0 };
	struct bpf_program *program;
	struct ring_buffer *ring;
	struct bpf_object *object;
	sigset_t stop;

	if (argc < 2)
		errx(2, "usage: bpf_switch OBJECT [READ]");
	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	object = bpf_object__open_file(argv[1], NULL);
	if (!object || bpf_object__load(object))
		err(1, "%s", argv[1]);
	program = bpf_object__find_program_by_name(object, "on_switch");
	if (!program || !bpf_program__attach(program))
		err(1, "attach");
	ring = ring_buffer__new(bpf_object__find_map_fd_by_name(object, "ring"), take, NULL, NULL);
	if (!ring)
		err(1, "ring");
	puts("ready");
	fflush(stdout);
	if (argc > 2 && atoi(argv[2]) == 0)
		sigwaitinfo(&stop, NULL);
	else
		while (sigtimedwait(&stop, NULL, &now) < 0)
			ring_buffer__poll(ring, 10);
	ring_buffer__consume(ring);
	printf("records %lu bytes %lu lost %llu\n", nr_records, nr_bytes, dropped(object));
	return 0;
}
