/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recording the rings to a file.
 */
#ifndef _VITRINE_RECORD_H
#define _VITRINE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct record_args - the options of `vitrine record'
 * @output: file to write; "-": standard output; NULL: a name with the time
 * @duration_ns: when to stop; 0: no limit
 * @delay_ns: when to begin
 * @zstd: compress the trace, whatever its name is
 * @rotate_bytes: when to begin the next file; 0: never
 * @nr_keep: with @rotate_bytes, how many files to keep; 0: all
 * @window_bytes: how much to keep of the end of the recording; 0: all of it
 * @all: record all categories, and report the cost
 * @why: record what explains waits, too
 * @threshold_us: with @why, the shortest wait, blocked or runnable, that is recorded
 * @no_wakeups: do not enable the category sched
 * @command: command to run while recording, and its arguments; or NULL
 * @saved: called with the name of the trace when it is complete, or NULL
 */
struct record_args {
	const char *output;
	uint64_t duration_ns;
	uint64_t delay_ns;
	bool zstd;
	uint64_t rotate_bytes;
	unsigned int nr_keep;
	uint64_t window_bytes;
	bool all;
	bool why;
	uint64_t threshold_us;
	bool no_wakeups;
	char **command;
	void (*saved)(const char *output);
};

int record_run(const struct record_args *args);

#endif /* _VITRINE_RECORD_H */
