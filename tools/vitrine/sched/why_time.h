/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the time of threads went: for each thread its life, how long it ran, and sums of its waits
 * by kind, place and other thread; its samples; and its turns, for critical paths. This is a fold
 * over the records of a trace, by way of why.c.
 *
 * If the trace has a command that `vitrine record' ran, the time is that from its first exec to its
 * exit, and the threads of its process and of all that descend from it are selected.
 *
 * Memory is bounded by the number of threads, TIME_MAX_SUMS, PATH_MAX_TURNS and the limits of
 * samples.c.
 */
#ifndef _VITRINE_WHY_TIME_H
#define _VITRINE_WHY_TIME_H

#include "samples.h"
#include "why.h"
#include "why_path.h"
#include "why_rules.h"

#define TIME_MAX_SUMS	(1U << 17)

/* The process in which `vitrine record' runs, and its command until exec. */
#define RECORDER	"vitrine"

/**
 * struct time_thread - a thread
 * @id: its ids
 * @begin_ns: begin of its life within the time
 * @end_ns: its end; UINT64_MAX: it has not ended
 * @running_ns: how long it ran
 * @is_selected: the question is about it
 * @is_candidate: it was forked by the recorder, and is the command if it executes a program
 * @is_kernel: it is a kernel thread
 */
struct time_thread {
	struct vitrine_fxt_thread id;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t running_ns;
	bool is_selected;
	bool is_candidate;
	bool is_kernel;
};

/**
 * struct time_sum - like waits of a thread
 * @thread: number of the thread
 * @other: number of the thread that ended the waits or, of WHY_CPU, had the CPU; or PATH_NONE
 * @place: text number: what it waited for, in words
 * @kind: what kind of wait
 * @priority: of WHY_CPU, the priority of @other, 0 if it is not known
 * @cpu: of WHY_CPU, the CPU that the threads got, PATH_NONE if there are several
 * @nr: number of waits
 * @sum_ns: their sum
 * @max_ns: the longest one
 * @max_end_ns: its end
 * @stack: text number of its kernel stack
 * @user_stack: text number of its user stack
 */
struct time_sum {
	uint32_t thread;
	uint32_t other;
	uint32_t place;
	uint8_t kind;
	uint8_t priority;
	uint32_t cpu;
	uint64_t nr;
	uint64_t sum_ns;
	uint64_t max_ns;
	uint64_t max_end_ns;
	uint32_t stack;
	uint32_t user_stack;
};

/**
 * struct time_limit - a limit of the CPU time of a cgroup
 * @cgroup: text number of its path
 * @place: text number of the limit in words
 * @first_us: how long it had been throttled when the recording began
 * @last_us: how long when it was last looked at
 */
struct time_limit {
	uint32_t cgroup;
	uint32_t place;
	uint64_t first_us;
	uint64_t last_us;
};

#define TIME_MAX_LIMITS	1024
#define TIME_CACHE	1024

/* A rule that was found. */
struct time_cached {
	uint32_t stack;
	uint32_t user_stack;
	uint32_t syscall;
	uint8_t end;
	bool io;
	const struct why_rule *rule;
};

/**
 * struct times - the fold
 * @why: follows the trace
 * @selected: processes that were asked for; NULL: the command or, without one, all
 * @threads: all threads
 * @nr_threads: their number
 * @numbers: their numbers by koid, plus one, as owners
 * @sums: all sums
 * @nr_sums: their number
 * @hash: hash table of @sums; number 1 is the first one
 * @samples: samples of the threads
 * @path: turns of the threads
 * @root: number of the main thread of the command, or PATH_NONE
 * @begin_ns: begin of the time
 * @end_ns: its end, or what was asked for until it is known
 * @idle: text number of what a thread waited for that did not run on an idle CPU
 * @beside_idle: text number of the same while other threads had the CPU
 * @others_beside_idle: text number of the same while threads had it that are not told apart
 * @limits: limits of cgroups
 * @nr_limits: their number
 * @limited: processes in these cgroups, with the number of the limit plus one as owner
 * @cache: rules, by a hash of what they were found for
 */
struct times {
	struct why why;
	const struct record_filter *selected;
	struct time_thread *threads;
	uint32_t nr_threads;
	struct fxt_names numbers;
	struct time_sum *sums;
	uint32_t nr_sums;
	struct hash hash;
	struct samples samples;
	struct path path;
	uint32_t root;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint32_t idle;
	uint32_t beside_idle;
	uint32_t others_beside_idle;
	struct time_limit *limits;
	uint32_t nr_limits;
	struct fxt_names limited;
	struct time_cached cache[TIME_CACHE];
};

uint32_t times_text(struct times *times, const char *text);
struct vitrine_error *times_read(struct times *times, struct vitrine_archive *archive,
				 const struct record_filter *filter);
uint64_t times_clip(const struct times *times, uint64_t begin_ns, uint64_t end_ns);
const struct time_limit *times_limit(const struct times *times, uint32_t thread);
bool times_is_throttled(const struct times *times, const struct time_sum *sum);
void times_deinit(struct times *times);

#endif /* _VITRINE_WHY_TIME_H */
