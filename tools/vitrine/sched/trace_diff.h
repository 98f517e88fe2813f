/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compare traces: which threads ran and waited for longer, or less long, than before.
 *
 * The threads of one name have a group for each thing they did: turns on a CPU, waits for a
 * CPU, and blocked waits, all of them, by system call, and by kernel stack. A group has
 * changed if the rank-sum test finds that its times of both sides are not from one
 * distribution, at a level of TRACE_DIFF_LEVEL for all groups together, and if the change is
 * large enough to matter: of many times, the test finds changes of some nanoseconds, which
 * addresses and caches cause in any two runs.
 *
 * Memory use does not depend on the length of the traces: at most TRACE_DIFF_GROUPS groups
 * are compared, by a random sample of TRACE_DIFF_SAMPLES times of each side. Sums and
 * numbers are exact.
 */
#ifndef _VITRINE_TRACE_DIFF_H
#define _VITRINE_TRACE_DIFF_H

#include <stdbool.h>
#include <stdio.h>

#include "vitrine.h"
#include "why_texts.h"

#define TRACE_DIFF_GROUPS	2048
#define TRACE_DIFF_SAMPLES	4096

/* With fewer times on a side, a group is not compared. */
#define TRACE_DIFF_LEAST	8

/* Probability that traces of one workload are said to differ. */
#define TRACE_DIFF_LEVEL	0.05

/* Smallest changes of a median, and of a mean, that are reported, relative to the old one. */
#define TRACE_DIFF_MEDIAN	0.01
#define TRACE_DIFF_MEAN		0.05

/* The change of a mean that is reported, at least, in standard errors of the difference. */
#define TRACE_DIFF_MEAN_ERRORS	4

/**
 * enum trace_diff_kind - what a thread did
 * @TRACE_DIFF_RAN: it ran, until it left the CPU
 * @TRACE_DIFF_RUNNABLE: it waited for a CPU
 * @TRACE_DIFF_BLOCKED: it was blocked
 * @TRACE_DIFF_SYSCALL: it was blocked in a system call
 * @TRACE_DIFF_STACK: it was blocked at a kernel stack
 * @TRACE_DIFF_NR_KINDS: number of kinds
 */
enum trace_diff_kind {
	TRACE_DIFF_RAN,
	TRACE_DIFF_RUNNABLE,
	TRACE_DIFF_BLOCKED,
	TRACE_DIFF_SYSCALL,
	TRACE_DIFF_STACK,
	TRACE_DIFF_NR_KINDS,
};

/**
 * struct trace_diff_side - times of a group before or after
 * @nr: how many
 * @sum_ns: their sum
 * @samples: some of them, sorted by trace_diff_finish()
 * @nr_samples: how many of them
 * @median_ns: median of @samples, set by trace_diff_finish()
 */
struct trace_diff_side {
	uint64_t nr;
	uint64_t sum_ns;
	uint64_t *samples;
	size_t nr_samples;
	uint64_t median_ns;
};

/**
 * struct trace_diff_group - times of the same kind of threads of one name
 * @process: text number of the name of the process
 * @thread: text number of the name of the thread
 * @cause: text number of the system call or stack
 * @kind: what the threads did
 * @sides: before, and after
 * @p: probability of the difference if nothing has changed
 * @cost_ns: what the change of the mean time costs in a trace, negative if it saves time
 */
struct trace_diff_group {
	uint32_t process;
	uint32_t thread;
	uint32_t cause;
	enum trace_diff_kind kind;
	struct trace_diff_side sides[2];
	double p;
	double cost_ns;
};

/**
 * struct trace_diff - a comparison; empty if zeroed
 * @texts: names, system calls and stacks
 * @groups: all groups; after trace_diff_finish() those that changed, what costs most first
 * @nr_groups: number of @groups in use
 * @nr_left_out: number of times for whose group there was no room
 * @nr_tested: number of groups that were compared; set by trace_diff_finish()
 * @nr_changed: number of groups that changed; set by trace_diff_finish()
 * @nr_files: number of traces on each side
 * @slots: hash table of indices plus one
 * @random: state of the generator that selects samples
 */
struct trace_diff {
	struct why_texts texts;
	struct trace_diff_group groups[TRACE_DIFF_GROUPS];
	size_t nr_groups;
	uint64_t nr_left_out;
	size_t nr_tested;
	size_t nr_changed;
	unsigned int nr_files[2];
	uint16_t slots[2 * TRACE_DIFF_GROUPS];
	uint64_t random;
};

struct vitrine_error *trace_diff_read(struct trace_diff *diff,
				      unsigned int side,
				      struct vitrine_archive *archive);
void trace_diff_finish(struct trace_diff *diff);
void trace_diff_deinit(struct trace_diff *diff);

/**
 * struct trace_diff_args - the options of `vitrine diff' for traces
 * @json: print JSON
 * @paths: files
 * @nr_paths: number of @paths
 * @nr_old: number of files of the old side, which come first
 */
struct trace_diff_args {
	bool json;
	char **paths;
	size_t nr_paths;
	size_t nr_old;
};

/* trace_diff_report.c */
int trace_diff_run(const struct trace_diff_args *args);

#endif /* _VITRINE_TRACE_DIFF_H */
