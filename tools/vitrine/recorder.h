/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Takes what all CPUs' rings bring and appends it to one file.
 */
#ifndef _VITRINE_RECORDER_H
#define _VITRINE_RECORDER_H

#include "vitrine.h"

/* One file trace/cpu<N>. */
struct recorder_cpu {
	char *path;
	unsigned int number;
	struct vitrine_ring *ring;	/* NULL: not open at the moment */
	bool seen;			/* has brought a record */
};

/**
 * struct recorder - a recording
 * @writer: where it goes
 * @epoll_fd: rings are added to it; data.u64 is the index in @cpus
 * @started: rings found from now on are wanted from their start
 * @cpus: all CPUs that have a file
 * @nr_cpus: how many
 * @nr_switches: recorded so far
 * @nr_records: records with a timestamp
 * @nr_lost: records lost, overwritten before we came or never written
 * @nr_seen: CPUs that brought records
 */
struct recorder {
	struct vitrine_writer *writer;
	int epoll_fd;
	bool started;
	struct recorder_cpu *cpus;
	unsigned int nr_cpus;
	uint64_t nr_switches;
	uint64_t nr_records;
	uint64_t nr_lost;
	unsigned int nr_seen;
};

struct vitrine_error *recorder_scan(struct recorder *recorder);
struct vitrine_error *recorder_drain(struct recorder *recorder,
				     unsigned int index);
struct vitrine_error *recorder_drain_all(struct recorder *recorder);
struct vitrine_error *recorder_finish(struct recorder *recorder);
void recorder_deinit(struct recorder *recorder);

#endif /* _VITRINE_RECORDER_H */
