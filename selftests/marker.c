// SPDX-License-Identifier: GPL-2.0
/*
 * Markers through libvitrine.
 *
 *	marker write			one of each kind
 *	marker cost KIND N [FILE]	a thread of SCHED_FIFO on one CPU that writes N
 *					markers of a kind: instant, begin, end or counter;
 *					or "null", which is write() alone
 *
 * Without FILE, markers go to the module. "cost" prints "calls N ns T".
 */
#include "must.h"
#include "system.h"

/*
 * As long as the names of most functions. It is aligned, so that the C library reads it with
 * the same instructions wherever a build puts it.
 */
static const char name[] __attribute__((aligned(64))) = "handle_request";

static struct vitrine_marker *open_marker(const char *path)
{
	struct vitrine_marker *marker;

	must(vitrine_marker_create(path, &marker));
	return marker;
}

static void write_all(void)
{
	struct vitrine_marker *marker = open_marker(NULL);

	vitrine_marker_begin(marker, "outer");
	vitrine_marker_flow_begin(marker, "hop", 7);
	vitrine_marker_instant(marker, "caf\xc3\xa9");
	vitrine_marker_counter(marker, "least", INT64_MIN);
	vitrine_marker_counter(marker, "most", INT64_MAX);
	vitrine_marker_async_begin(marker, "request", UINT64_MAX);
	vitrine_marker_flow_step(marker, "hop", 7);
	vitrine_marker_async_end(marker, "request", UINT64_MAX);
	vitrine_marker_flow_end(marker, "hop", 7);
	vitrine_marker_end(marker);
	vitrine_marker_destroy(marker);
	/* Without an open marker nothing happens. */
	vitrine_marker_begin(NULL, "nowhere");
	vitrine_marker_counter(NULL, "nowhere", 1);
	vitrine_marker_end(NULL);
	vitrine_marker_destroy(NULL);
}

static void put(const struct vitrine_marker *marker, const char *kind, int fd, unsigned long i)
{
	if (fd >= 0 && write(fd, name, sizeof(name)) < 0)
		err(1, "write");
	else if (*kind == 'b')
		vitrine_marker_begin(marker, name);
	else if (*kind == 'e')
		vitrine_marker_end(marker);
	else if (*kind == 'c')
		vitrine_marker_counter(marker, name, i);
	else
		vitrine_marker_instant(marker, name);
}

static void cost(const char *kind, unsigned long nr_calls, const char *path)
{
	struct vitrine_marker *marker = NULL;
	unsigned long long start;
	unsigned long i;
	int fd = -1;

	pin(0);
	if (!strcmp(kind, "null"))
		fd = open("/dev/null", O_WRONLY);
	else
		marker = open_marker(path);
	for (i = 0; i < 100; i++)
		put(marker, kind, fd, 1000);
	start = now_ns();
	for (i = 0; i < nr_calls; i++)
		put(marker, kind, fd, 1000 + i % 1000);
	printf("calls %lu ns %llu\n", nr_calls, now_ns() - start);
	vitrine_marker_destroy(marker);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "write"))
		write_all();
	else if ((argc == 4 || argc == 5) && !strcmp(argv[1], "cost"))
		cost(argv[2], strtoul(argv[3], NULL, 0), argv[4]);
	else
		errx(2, "write | cost instant|begin|end|counter|null N [FILE]");
	return 0;
}
