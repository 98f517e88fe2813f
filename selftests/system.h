/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What test programs ask of the system: the time, a CPU of their own, whether a thread
 * sleeps, random numbers, and words that files of the kernel take. They use nothing but the
 * C library.
 */
#ifndef _SELFTESTS_SYSTEM_H
#define _SELFTESTS_SYSTEM_H

#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static inline unsigned long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static inline void move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
}

/* Run on one CPU, and before all threads there that are not of SCHED_FIFO. */
static inline void pin(int cpu)
{
	const struct sched_param param = { .sched_priority = 1 };

	move_to(cpu);
	if (!getenv("NOT_REAL_TIME") && sched_setscheduler(0, SCHED_FIFO, &param))
		err(1, "SCHED_FIFO");
}

/* Read a character of a file of a thread in /proc. */
static inline char read_char(pid_t tid, const char *name, const char *format)
{
	char path[32], found;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	file = fopen(path, "re");
	if (!file || fscanf(file, format, &found) != 1)
		err(1, "%s", path);
	fclose(file);
	return found;
}

/*
 * Whether a thread sleeps. Its state says so before the thread has left its CPU; its wchan names
 * the function in which it sleeps only afterwards.
 */
static inline bool is_asleep(pid_t tid)
{
	return read_char(tid, "stat", "%*d (%*[^)]) %c") == 'S' &&
	       read_char(tid, "wchan", "%c") != '0';
}

/* Wait until a thread sleeps, which sets its id when it is about to. */
static inline void await_sleep(const atomic_int *tid)
{
	while (!*tid || !is_asleep(*tid))
		usleep(1000);
}

static inline uint64_t next_random(uint64_t *random)
{
	*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
	return *random ^ *random >> 29;
}

static inline void write_word(const char *path, const char *word)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, word, strlen(word)) < 0)
		err(1, "%s: %s", path, word);
	close(fd);
}

static inline void write_number(const char *path, unsigned int number)
{
	char word[16];

	snprintf(word, sizeof(word), "%u", number);
	write_word(path, word);
}

#endif /* _SELFTESTS_SYSTEM_H */
