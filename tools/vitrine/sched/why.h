/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find out why threads waited. `vitrine latency --why' and `vitrine flame' use this.
 *
 * sched_state.c follows switches and wakeups. why.c adds which threads ran in the
 * meantime, and which thread woke which. A wait begins when a thread leaves its CPU and
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
 *	runnable	Each CPU has a short history of turns and of interrupts. When a
 *			thread gets a CPU, the history of this CPU tells which threads
 *			and interrupts occupied it in the meantime.
 *	chain		At a wakeup, the woken thread gets a link for its own wait,
 *			followed by a copy of the links of its waker, that is, of the
 *			waits that preceded the wakeup. The links that overlap the wait
 *			are its critical path.
 *
 * Memory use does not depend on the length of the trace. It is bounded by the number of
 * living threads (each has totals, WHY_LINKS links and WHY_PENDING waits), of CPUs (each
 * has a history), of texts and causes (limited in why_texts.c and why_causes.c), and of
 * longest waits that are requested. Items beyond a limit count as other or as unknown.
 */
#ifndef _VITRINE_WHY_H
#define _VITRINE_WHY_H

#include "record_filter.h"
#include "sched_state.h"
#include "why_causes.h"
#include "why_shares.h"
#include "why_texts.h"

/* Maximum number of links of a chain, and of waits whose user stack may still follow. */
#define WHY_LINKS	8
#define WHY_PENDING	8

/* Number of requests to disks in flight that are followed; a power of two. */
#define WHY_REQUESTS	256

/* Maximum number of longest waits that can be requested. */
#define WHY_MAX_WORST	1000

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
 * struct why_request - a request to a disk
 * @disk: text number of the name of the disk, WHY_TEXT_NONE if there is no request
 * @operation: text number of "read", "write" and so on
 * @bytes: length
 * @begin_ns: when it was issued
 * @end_ns: when it was completed
 */
struct why_request {
	uint32_t disk;
	uint32_t operation;
	uint64_t bytes;
	uint64_t begin_ns;
	uint64_t end_ns;
};

/**
 * struct why_link - a wait of a thread that was blocked and then woken
 * @thread: koid of the thread
 * @begin_ns: when the thread became blocked
 * @end_ns: when the thread was woken
 * @ready_ns: how long the thread was runnable afterwards
 * @waker: what woke the thread
 * @syscall: text number of the system call in which the thread was blocked
 * @stack: text number of the kernel stack
 * @io_wait: the kernel counts the wait as waiting for I/O
 * @request: with @io_wait, the request whose completion woke the thread
 */
struct why_link {
	uint64_t thread;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t ready_ns;
	struct why_waker waker;
	uint32_t syscall;
	uint32_t stack;
	bool io_wait;
	struct why_request request;
};

/**
 * struct why_wait - a wait that is over
 * @id: number of the wait
 * @thread: thread that waited
 * @cpu: CPU that the thread got
 * @end_ns: when the thread got the CPU
 * @blocked_ns: how long the thread was blocked
 * @ready_ns: how long the thread was runnable
 * @user_stack: text number of the user stack
 * @is_preempted: the thread was preempted, not blocked
 * @is_still: the thread was still blocked at the end of the trace; @cpu is not known
 * @is_recorded: the trace has an event "blocked" of the category "stacks" for the wait
 * @priority: priority of the thread as in a switch record, 0 if unknown
 * @behind: threads that ran on the CPU while the thread was runnable
 * @interrupts: interrupts in that time, which is included in @behind
 * @before: previous wakeup of the thread; end_ns is 0 if it is unknown
 * @links: if the thread was blocked, its own link, followed by those of the wakers
 * @nr_links: number of @links in use
 * @is_cut: the chain is longer than @links
 */
struct why_wait {
	uint64_t id;
	struct vitrine_fxt_thread thread;
	uint32_t cpu;
	uint64_t end_ns;
	uint64_t blocked_ns;
	uint64_t ready_ns;
	uint32_t user_stack;
	bool is_preempted;
	bool is_still;
	bool is_recorded;
	uint8_t priority;
	struct why_shares behind;
	struct why_shares interrupts;
	struct why_link before;
	struct why_link links[WHY_LINKS];
	unsigned int nr_links;
	bool is_cut;
};

/**
 * struct why_totals - totals of the waits of a thread
 * @nr: number of waits
 * @blocked_ns: total time blocked
 * @ready_ns: total time runnable
 * @max_ns: length of the longest wait, without the idle time of kernel threads
 */
struct why_totals {
	uint64_t nr;
	uint64_t blocked_ns;
	uint64_t ready_ns;
	uint64_t max_ns;
};

/**
 * struct why_blocked - blocked part of a wait, which is complete except for the user stack
 * @id: number of the wait
 * @ns: how long the thread was blocked
 * @is_still: it was still blocked at the end of the trace
 * @syscall: text number of the system call
 * @stack: text number of the kernel stack
 */
struct why_blocked {
	uint64_t id;
	uint64_t ns;
	bool is_still;
	uint32_t syscall;
	uint32_t stack;
};

/**
 * struct why_ops - callbacks for the waits of selected threads; each may be NULL
 * @blocked: called with the blocked part of a wait, and the text number of the user stack
 * @runnable: called at the end of a wait during which the thread was runnable
 * @ran: called at the end of a turn, which is @turn of the thread
 *
 * Each returns false if there is no memory.
 */
struct why_ops {
	bool (*blocked)(void *ctx, const struct sched_thread *thread,
			const struct why_blocked *blocked, uint32_t user_stack);
	bool (*runnable)(void *ctx, const struct sched_thread *thread,
			 const struct why_wait *wait);
	bool (*ran)(void *ctx, const struct sched_thread *thread);
};

/**
 * struct why - state while a trace is followed, and the result
 * @sched: states of the threads; the owner of each is a struct why_thread
 * @filter: selected threads and time range
 * @ops: callbacks, or NULL
 * @ctx: first argument of the callbacks
 * @texts: stacks, system calls, interrupts
 * @causes: causes of the waits of the selected threads
 * @worst: longest waits of these threads; a heap until why_finish() sorts it
 * @nr_worst: number of @worst in use
 * @max_worst: maximum of @nr_worst
 * @nr_waits: number of waits that were counted
 * @nr_stacks: number of these waits with a kernel stack
 * @nr_left_out: number of long waits whose stack the recorder left out
 * @nr_ids: number of waits so far, counted or not
 * @requests: requests to disks in flight, by a hash of their id
 * @request_ids: their ids
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
	struct why_causes causes;
	struct why_wait *worst;
	size_t nr_worst;
	size_t max_worst;
	uint64_t nr_waits;
	uint64_t nr_stacks;
	uint64_t nr_left_out;
	uint64_t nr_ids;
	struct why_request requests[WHY_REQUESTS];
	uint64_t request_ids[WHY_REQUESTS];
	struct why_cpu **cpus;
	uint32_t nr_cpus;
	uint32_t nr_histories;
	const struct vitrine_fxt_record *record;
	uint64_t begin_ns;
	uint64_t end_ns;
	bool failed;
};

bool why_init(struct why *why, const struct vitrine_archive *archive,
	      const struct record_filter *filter, size_t max_worst);
bool why_follow(struct why *why, const struct vitrine_fxt_record *record);
bool why_finish(struct why *why);
struct vitrine_error *why_read(struct why *why, struct vitrine_archive *archive);
void why_deinit(struct why *why);

bool why_wants(const struct sched_thread *thread);
const struct why_totals *why_totals_of(const struct sched_thread *thread);
unsigned int why_chain(const struct why_wait *wait);
const struct sched_thread **why_rows(const struct why *why, size_t *ret_nr);

/* why_run.c */
struct latency_args;
int why_run(const struct latency_args *args);

/* why_report.c */
bool why_text_report(FILE *stream, struct why *why, size_t max_threads);

/* why_json.c */
bool why_json_report(FILE *stream, struct why *why);

#endif /* _VITRINE_WHY_H */
