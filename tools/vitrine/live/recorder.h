/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Draining the rings of all CPUs into the files of a recording: one, or several of limited size,
 * of which the last are kept.
 */
#ifndef _VITRINE_RECORDER_H
#define _VITRINE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "fxt_file.h"
#include "sched/record_filter.h"
#include "vitrine.h"

const char *trace_name(const char *name);

/**
 * struct rotation - the files of a recording
 * @output: name of the file; with @limit_bytes, a number is put before its suffix
 * @zstd: compress, whatever @output is
 * @limit_bytes: when to begin the next file; 0: never
 * @nr_keep: complete files to keep; 0: all
 * @writer: the current file, or NULL
 * @nr_files: number of the current file
 * @bytes_before: length of all files before
 */
struct rotation {
	const char *output;
	bool zstd;
	uint64_t limit_bytes;
	unsigned int nr_keep;
	struct vitrine_writer *writer;
	unsigned int nr_files;
	uint64_t bytes_before;
};

struct vitrine_error *rotation_open(struct rotation *rotation);
struct vitrine_error *rotation_append(struct rotation *rotation,
				      const struct vitrine_subbuf *subbuf);
struct vitrine_error *rotation_commit(struct rotation *rotation);
uint64_t rotation_len(const struct rotation *rotation);

/* A CPU, with its file trace/cpu<N>. */
struct recorder_cpu {
	char *path;
	unsigned int number;
	struct vitrine_ring *ring;	/* NULL: not open now */
	uint64_t sequence;		/* sub-buffer that was written when recording began */
	struct fxt_wakers wakers;	/* what was added to its sub-buffers */
	bool seen;			/* has delivered a record */
	uint64_t nr_switches;
	uint64_t nr_wakeups;
	uint64_t nr_events;		/* all other records with a timestamp */
};

/**
 * struct recorder - a recording
 * @files: the trace
 * @epoll_fd: epoll set of the rings; data.u64 is the index in @cpus
 * @filter: with the CPUs to record; NULL: all of them
 * @started: recording has begun; rings found from now on are read from their start
 * @is_over: the rings are frozen because the recording is to end; what the kernel does not
 *	write for this reason is not lost
 * @cpus: all CPUs that have a file
 * @nr_cpus: number of @cpus
 * @nr_switches: context switches recorded so far
 * @nr_lost: records lost, overwritten before they were read or never written
 * @nr_unwritten: others that were lost after the last sub-buffer of a ring began
 * @nr_seen: CPUs that have delivered records
 */
struct recorder {
	struct rotation files;
	int epoll_fd;
	const struct record_filter *filter;
	bool started;
	bool is_over;
	struct recorder_cpu *cpus;
	unsigned int nr_cpus;
	uint64_t nr_switches;
	uint64_t nr_lost;
	uint64_t nr_unwritten;
	unsigned int nr_seen;
};

struct vitrine_error *recorder_scan(struct recorder *recorder);
struct vitrine_error *recorder_begin(struct recorder *recorder, bool (*flush)(void *ctx),
				     void *ctx);
struct vitrine_error *recorder_drain(struct recorder *recorder,
				     unsigned int index);
struct vitrine_error *recorder_drain_all(struct recorder *recorder);
struct vitrine_error *recorder_finish(struct recorder *recorder, bool (*flush)(void *ctx),
				      void *ctx);
void recorder_close(struct recorder *recorder);
void recorder_deinit(struct recorder *recorder);

#endif /* _VITRINE_RECORDER_H */
