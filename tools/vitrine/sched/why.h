/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find out why threads waited, for `vitrine why', `vitrine flame' and `vitrine diff'.
 *
 * sched_state.c follows switches and wakeups. why.c adds which threads ran in the
 * meantime, and what woke a thread. A wait begins when a thread leaves its CPU and
 * ends when the thread gets a CPU again. It has up to two parts: the thread is blocked
 * until a wakeup, and then runnable.
 *
 *	blocked		The event "blocked" of the category "stacks" precedes the
 *			wakeup and contains the kernel stack. The event "user stack"
 *			follows later, when the thread returns to user space. The system
 *			call is taken from the event "blocked", or else from the events
 *			of the category "syscall".
 *			If the thread waited for I/O, its waker had completed a
 *			request to a disk shortly before, which the category "block"
 *			names.
 *	runnable	Each CPU has a short history of turns. When a thread gets a CPU, the
 *			history of this CPU tells which threads occupied it in the meantime.
 *
 * Memory use does not depend on the length of the trace. It is bounded by the number of
 * living threads (each has WHY_PENDING waits), of CPUs (each has a history), and of texts
 * (limited in why_texts.c).
 */
#ifndef _VITRINE_WHY_H
#define _VITRINE_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base.h"
#include "record_filter.h"
#include "sched_state.h"
#include "why_texts.h"

/* Maximum number of shares that are listed for one wait: of six threads, and of the idle CPU. */
#define WHY_SHARES	7

/**
 * struct why_share - CPU time of a thread within an interval
 * @number: koid of the thread, 0 for idle
 * @ns: the CPU time
 * @priority: priority of the thread as in a switch record, 0 if unknown
 */
struct why_share {
	uint64_t number;
	uint64_t ns;
	uint8_t priority;
};

/**
 * struct why_shares - threads that occupied a CPU during an interval
 * @shares: one share for each of them, largest first
 * @nr: number of @shares in use
 * @other_ns: time of those for which @shares has no room
 * @unknown_ns: part of the interval that the history of the CPU does not cover
 */
struct why_shares {
	struct why_share shares[WHY_SHARES];
	unsigned int nr;
	uint64_t other_ns;
	uint64_t unknown_ns;
};

/* Number of requests to disks in flight that are followed; a power of two. */
#define WHY_REQUESTS	256

/**
 * struct why_waker - the thread or interrupt that woke a thread
 * @known: the trace tells which thread ran on @cpu
 * @cpu: CPU of the waker
 * @thread: koid of the thread that ran there, or 0 if the CPU was idle
 * @interrupt: text number of the interrupt that was served, WHY_TEXT_NONE if none is known
 */
struct why_waker {
	bool known;
	uint32_t cpu;
	uint64_t thread;
	uint32_t interrupt;
};

/**
 * struct why_blocked - blocked part of a wait, which is complete except for the user stack
 * @ns: how long the thread was blocked
 * @end_ns: when it was woken, or the end of the trace
 * @is_still: it was still blocked at the end of the trace
 * @io_wait: the kernel counts the wait as waiting for I/O
 * @waker: what woke it
 * @syscall: text number of the system call
 * @stack: text number of the kernel stack
 * @disk: text number of the disk whose completed request woke it
 */
struct why_blocked {
	uint64_t ns;
	uint64_t end_ns;
	bool is_still;
	bool io_wait;
	struct why_waker waker;
	uint32_t syscall;
	uint32_t stack;
	uint32_t disk;
};

/**
 * struct why_wait - a wait that is over
 * @thread: thread that waited
 * @cpu: CPU that the thread got
 * @end_ns: when the thread got the CPU
 * @ready_ns: how long the thread was runnable
 * @is_preempted: the thread was preempted, not blocked
 * @blocked: what it was blocked for before it was runnable; all zero if it was not
 * @behind: threads that ran on the CPU while the thread was runnable
 */
struct why_wait {
	struct vitrine_fxt_thread thread;
	uint32_t cpu;
	uint64_t end_ns;
	uint64_t ready_ns;
	bool is_preempted;
	struct why_blocked blocked;
	struct why_shares behind;
};

/**
 * struct why_ops - callbacks for the waits of selected threads; each may be NULL
 * @begin: called when any thread gets a CPU, with its wait, which may have no length
 * @blocked: called with the blocked part of a wait, and the text number of the user stack
 * @runnable: called at the end of a wait during which the thread was runnable
 * @ran: called at the end of a turn, which is @turn of the thread
 * @is_whole: call also for what ends outside of the time range, or has begun before the trace
 *
 * Each returns false if there is no memory.
 */
struct why_ops {
	bool (*begin)(void *ctx, const struct sched_thread *thread, const struct why_wait *wait);
	bool (*blocked)(void *ctx, const struct sched_thread *thread,
			const struct why_blocked *blocked, uint32_t user_stack);
	bool (*runnable)(void *ctx, const struct sched_thread *thread,
			 const struct why_wait *wait);
	bool (*ran)(void *ctx, const struct sched_thread *thread);
	bool is_whole;
};

/* A request to a disk: text number of the disk, and when it was completed. */
struct why_request {
	uint64_t id;
	uint64_t end_ns;
	uint32_t disk;
};

/**
 * struct why - state while a trace is followed
 * @sched: states of the threads; the owner of each is a struct why_thread
 * @filter: selected threads and time range
 * @ops: callbacks, or NULL
 * @ctx: first argument of the callbacks
 * @texts: stacks, system calls, interrupts
 * @nr_left_out: number of long waits whose stack the recorder left out
 * @requests: requests to disks in flight, by a hash of their id
 * @cpus: history of each CPU, or NULL
 * @nr_cpus: size of @cpus
 * @nr_histories: number of @cpus that are not NULL
 * @record: record that is being processed
 * @begin_ns: begin of the time range; set by why_finish()
 * @end_ns: end of the time range; set by why_finish()
 * @failed: a memory allocation has failed
 */
struct why {
	struct sched sched;
	const struct record_filter *filter;
	const struct why_ops *ops;
	void *ctx;
	struct why_texts texts;
	uint64_t nr_left_out;
	struct why_request requests[WHY_REQUESTS];
	struct why_cpu **cpus;
	uint32_t nr_cpus;
	uint32_t nr_histories;
	const struct vitrine_fxt_record *record;
	uint64_t begin_ns;
	uint64_t end_ns;
	bool failed;
};

void why_init(struct why *why, const struct vitrine_archive *archive,
	      const struct record_filter *filter);
bool why_follow(struct why *why, const struct vitrine_fxt_record *record);
bool why_finish(struct why *why);
struct vitrine_error *why_read(struct why *why, struct vitrine_archive *archive);
void why_deinit(struct why *why);
bool why_wants(const struct sched_thread *thread);

#endif /* _VITRINE_WHY_H */
