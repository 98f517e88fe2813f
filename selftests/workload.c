// SPDX-License-Identifier: GPL-2.0
/*
 * Workloads whose context switches can be counted.
 *
 *	workload pingpong ROUNDS [CPU]	two processes of SCHED_FIFO on one CPU
 *					pass a byte through two pipes
 *	workload wander MOVES		a thread that goes from CPU to CPU
 *	workload crowd THREADS HOPS	a ring of threads named crowd-0, ... on all
 *					CPUs passes four bytes on, HOPS times each
 *
 * Prints "switches N ns T": voluntary switches of all its threads, and the
 * time by CLOCK_MONOTONIC. For pingpong that is the last two thirds: the first
 * third warms up and does not count.
 */
#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NR_TOKENS	4

static unsigned long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void put_byte(int fd)
{
	if (write(fd, "x", 1) != 1)
		err(1, "write");
}

static void get_byte(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		err(1, "read");
}

static void pin(int cpu)
{
	const struct sched_param param = { .sched_priority = 1 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		err(1, "SCHED_FIFO");
}

static void pingpong(unsigned long rounds, int cpu)
{
	unsigned long i, warm = rounds / 3;
	unsigned long long start = 0;
	int ping[2], pong[2];

	pin(cpu);
	if (pipe(ping) || pipe(pong))
		err(1, "pipe");
	if (!fork()) {
		for (i = 0; i < rounds; i++) {
			get_byte(ping[0]);
			put_byte(pong[1]);
		}
		exit(0);
	}
	for (i = 0; i < rounds; i++) {
		if (i == warm)
			start = now_ns();
		put_byte(ping[1]);
		get_byte(pong[0]);
	}
	printf("switches %lu ns %llu\n", 2 * (rounds - warm),
	       now_ns() - start);
	wait(NULL);
}

static void wander(unsigned long moves)
{
	long cpu, nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned long long start = now_ns();
	struct rusage usage;
	cpu_set_t set;

	pthread_setname_np(pthread_self(), "wander");
	for (cpu = 0; moves--; cpu = (cpu + 1) % nr_cpus) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			err(1, "CPU %ld", cpu);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("switches %ld ns %llu\n", usage.ru_nvcsw, now_ns() - start);
}

struct link {
	int		from, to;
	unsigned long	bytes;
};

static void *pass_on(void *arg)
{
	struct link *link = arg;
	unsigned long i;

	for (i = 0; i < link->bytes; i++) {
		get_byte(link->from);
		put_byte(link->to);
	}
	return NULL;
}

static void crowd(unsigned long nr_threads, unsigned long hops)
{
	struct link *links = calloc(nr_threads, sizeof(*links));
	pthread_t *threads = calloc(nr_threads, sizeof(*threads));
	int (*pipes)[2] = calloc(nr_threads, sizeof(*pipes));
	unsigned long long start = now_ns();
	struct rusage usage;
	unsigned long i;
	char name[16];

	if (!links || !threads || !pipes)
		err(1, "%lu threads", nr_threads);
	for (i = 0; i < nr_threads; i++)
		if (pipe(pipes[i]))
			err(1, "pipe");
	for (i = 0; i < nr_threads; i++) {
		links[i].from = pipes[i][0];
		links[i].to = pipes[(i + 1) % nr_threads][1];
		links[i].bytes = hops / nr_threads * NR_TOKENS;
		if (pthread_create(&threads[i], NULL, pass_on, &links[i]))
			errx(1, "thread %lu", i);
		snprintf(name, sizeof(name), "crowd-%hu", (unsigned short)i);
		pthread_setname_np(threads[i], name);
	}
	for (i = 0; i < NR_TOKENS; i++)
		put_byte(pipes[i * nr_threads / NR_TOKENS][1]);
	for (i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	getrusage(RUSAGE_SELF, &usage);
	printf("switches %ld ns %llu\n", usage.ru_nvcsw, now_ns() - start);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc >= 3 && !strcmp(argv[1], "pingpong"))
		pingpong(strtoul(argv[2], NULL, 0),
			 argc > 3 ? atoi(argv[3]) : 0);
	else if (argc == 3 && !strcmp(argv[1], "wander"))
		wander(strtoul(argv[2], NULL, 0));
	else if (argc == 4 && !strcmp(argv[1], "crowd"))
		crowd(strtoul(argv[2], NULL, 0), strtoul(argv[3], NULL, 0));
	else
		errx(2, "usage: pingpong ROUNDS [CPU] | wander MOVES | crowd THREADS HOPS");
	return 0;
}
