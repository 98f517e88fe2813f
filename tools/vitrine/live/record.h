/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recording the rings to a file.
 */
#ifndef _VITRINE_RECORD_H
#define _VITRINE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "processes.h"

/**
 * struct record_choice - what of a recording is kept
 * @wants_cpu: tells whether to record a CPU
 * @write: write what is kept of the trace @raw to the trace @out; returns enum exit_code
 * @ctx: first argument of both
 */
struct record_choice {
	bool (*wants_cpu)(const void *ctx, unsigned int cpu);
	int (*write)(const void *ctx, const char *raw, const char *out,
		     const struct processes *processes);
	const void *ctx;
};

struct kernel_event_wish;

/**
 * struct record_args - the options of `vitrine record'
 * @output: file to write; "-": standard output; NULL: a name with the time
 * @duration_ns: when to stop; 0: no limit
 * @until: "CATEGORY:NAME" or "CATEGORY" of an event that ends the recording, or NULL
 * @delay_ns: when to begin
 * @zstd: compress the trace, whatever its name is
 * @rotate_bytes: when to begin the next file; 0: never
 * @nr_keep: with @rotate_bytes, how many files to keep; 0: all
 * @history: keep the sub-buffers in which the recording begins from their beginning
 * @window_bytes: how much to keep of the end of the recording; 0: all of it
 * @choice: what is kept, or NULL for everything
 * @processes: with @choice, ids or names of processes to keep with their children
 * @nr_processes: how many
 * @cgroup: with @choice, cgroup whose processes are kept, or NULL
 * @all: record all categories, and report the cost
 * @why: record the causes of long waits, too
 * @threshold_us: with @why, the shortest wait, blocked or runnable, that is recorded
 * @memory: with @why, record stack memory, too
 * @no_wakeups: do not enable the category sched
 * @events: events of ftrace that are recorded, too
 * @nr_events: number of @events
 * @command: command to run while recording, and its arguments; or NULL
 * @saved: called with the name of the trace when it is complete, or NULL
 */
struct record_args {
	const char *output;
	uint64_t duration_ns;
	const char *until;
	uint64_t delay_ns;
	bool zstd;
	uint64_t rotate_bytes;
	unsigned int nr_keep;
	bool history;
	uint64_t window_bytes;
	const struct record_choice *choice;
	const char * const *processes;
	unsigned int nr_processes;
	const char *cgroup;
	bool all;
	bool why;
	uint64_t threshold_us;
	bool memory;
	bool no_wakeups;
	struct kernel_event_wish *events;
	unsigned int nr_events;
	char **command;
	void (*saved)(const char *output);
};

int record_run(const struct record_args *args);

#endif /* _VITRINE_RECORD_H */
