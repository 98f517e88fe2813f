/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What threads did, derived from the switches and wakeups of a trace in time order:
 * when, where and how long each ran, and what it waited for before. The commands
 * latency, timeline and top are built on this.
 *
 * Nothing is guessed: the state of a thread is unknown before it is first seen and,
 * if it was not running, while records were lost, or until the oldest record of each CPU that
 * is in the trace. A CPU that had no older ones, as it was idle or not online, misses none.
 *
 * In a part of a trace, one thread of each CPU may stand for those that were left out; see
 * fxt_is_others(). It occupies the CPU, but no filter selects it, and it is not reported.
 */
#ifndef _VITRINE_SCHED_STATE_H
#define _VITRINE_SCHED_STATE_H

#include <vitrine/map.h>

#include "archive.h"
#include "fxt_names.h"
#include "record_filter.h"
#include "vitrine.h"

/**
 * enum sched_state - state of a thread
 * @SCHED_UNKNOWN: unknown
 * @SCHED_RUNNING: on a CPU
 * @SCHED_WOKEN: runnable since it was woken
 * @SCHED_PREEMPTED: runnable since it was preempted
 * @SCHED_BLOCKED: sleeping
 * @SCHED_STOPPED: stopped, traced or parked
 * @SCHED_DEAD: exited
 * @SCHED_NR_STATES: number of states
 */
enum sched_state {
	SCHED_UNKNOWN,
	SCHED_RUNNING,
	SCHED_WOKEN,
	SCHED_PREEMPTED,
	SCHED_BLOCKED,
	SCHED_STOPPED,
	SCHED_DEAD,
	SCHED_NR_STATES,
};

extern const char * const sched_state_names[SCHED_NR_STATES];

/**
 * struct sched_turn - a time slice: a thread on a CPU, from switch-in to switch-out
 * @begin_ns: time of the switch-in
 * @end_ns: time of the switch-out
 * @ready_ns: how long it was runnable before
 * @blocked_ns: how long it was blocked or stopped before that
 * @instead: thread that had the CPU before; 0: idle, or unknown
 * @cpu: the CPU
 * @waited: SCHED_WOKEN or SCHED_PREEMPTED if it was runnable for @ready_ns; else the
 *	state before, without a wakeup in the trace
 * @after: state after the switch-out
 */
struct sched_turn {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t ready_ns;
	uint64_t blocked_ns;
	struct vitrine_fxt_thread instead;
	uint32_t cpu;
	enum sched_state waited;
	enum sched_state after;
};

/* Reports have so many names of interrupts, and one for all others: no machine has as many. */
#define SCHED_MAX_INTERRUPTS	1024
#define SCHED_OTHER_INTERRUPTS	"(others)"

/**
 * struct sched_interrupt - an interrupt, a softirq, or a timer function
 * @record: its record
 * @cpu: the CPU
 * @begin_ns: begin
 * @end_ns: end
 * @thread: thread that was interrupted; NULL: idle, or unknown
 * @alone_ns: duration that is not part of an earlier interrupt: 0 if it is nested in
 *	that one
 */
struct sched_interrupt {
	const struct vitrine_fxt_record *record;
	uint32_t cpu;
	uint64_t begin_ns;
	uint64_t end_ns;
	struct sched_thread *thread;
	uint64_t alone_ns;
};

/**
 * struct sched_thread - a thread, or a stand-in for those that were not recorded
 * @id: its ids; the process as last seen
 * @owner: data of the caller, of sched_ops.owner_bytes, or a pointer of its own
 * @number: number that the caller gives it, plus one; 0: none
 * @cpu: the CPU where it runs or ran last
 * @since_ns: begin of the current state
 * @blocked_ns: how long it was blocked before the last wakeup
 * @state: current state
 * @turn: the last time slice, complete or not
 * @time_ns: time in each state, within the requested range
 * @nr_turns: number of time slices
 * @nr_migrations: of these, on another CPU than the one before
 * @nr_woken: of these, after SCHED_WOKEN
 * @nr_preempted: of these, after SCHED_PREEMPTED
 */
struct sched_thread {
	struct vitrine_fxt_thread id;
	void *owner;
	uint32_t number;
	uint32_t cpu;
	uint64_t since_ns;
	uint64_t blocked_ns;
	enum sched_state state;
	struct sched_turn turn;
	uint64_t time_ns[SCHED_NR_STATES];
	uint64_t nr_turns;
	uint64_t nr_migrations;
	uint64_t nr_woken;
	uint64_t nr_preempted;
};

/* Return how long a thread waited for a CPU. */
static inline uint64_t sched_runnable_ns(const struct sched_thread *thread)
{
	return thread->time_ns[SCHED_WOKEN] + thread->time_ns[SCHED_PREEMPTED];
}

/* Return how long a thread slept or was stopped. */
static inline uint64_t sched_blocked_ns(const struct sched_thread *thread)
{
	return thread->time_ns[SCHED_BLOCKED] + thread->time_ns[SCHED_STOPPED];
}

/**
 * struct sched_cpu - a CPU
 * @known: @running is known
 * @running: the running thread; NULL: idle
 * @renamed: the thread as which @running was switched in, if it has another id since; or NULL
 * @since_ns: begin of its time slice
 * @begin_ns: records from before this time existed, and are not in the trace; 0: none did
 * @last_ns: time of the last record
 * @gap_end_ns: end of the last gap
 * @busy_ns: time that threads ran, without idle
 * @idle_ns: time in idle
 * @nr_switches: number of context switches
 * @interrupt_end_ns: end of the interrupts that have begun
 */
struct sched_cpu {
	bool known;
	struct sched_thread *running;
	struct sched_thread *renamed;
	uint64_t since_ns;
	uint64_t begin_ns;
	uint64_t last_ns;
	uint64_t gap_end_ns;
	uint64_t busy_ns;
	uint64_t idle_ns;
	uint64_t nr_switches;
	uint64_t interrupt_end_ns;
};

/* A gap that may concern any CPU. */
#define SCHED_ALL_CPUS	(~0U)

/**
 * struct sched_ops - callbacks, each of which may be NULL
 * @owner_bytes: size of what the caller keeps of each thread, zeroed at first
 * @added: a thread is seen for the first time
 * @begin: a time slice has begun, with a switch or with the event that gives a thread a new id
 * @end: a time slice has ended
 * @wakeup: a record woke a thread that was not running; its @blocked_ns is set
 * @gap: records are missing; of the begin of the trace, before all that ends meanwhile
 * @interrupt: an interrupt was read; they come in the order in which they began
 */
struct sched_ops {
	size_t owner_bytes;
	void (*added)(struct sched_thread *thread);
	void (*begin)(struct sched_thread *thread, const struct vitrine_fxt_record *record);
	void (*end)(struct sched_thread *thread);
	void (*wakeup)(struct sched_thread *thread, const struct vitrine_fxt_record *record);
	void (*gap)(uint32_t cpu, uint64_t begin_ns,
		    uint64_t end_ns);
	void (*interrupt)(const struct sched_interrupt *interrupt);
};

/* The part of a trace that is in the requested time range. */
struct sched_span {
	uint64_t begin_ns;
	uint64_t end_ns;
};

/**
 * struct sched - all threads and CPUs of the trace that is followed, one at a time
 * @ops: callbacks
 * @filter: selects the threads whose switches and wakeups are counted, and the time range
 * @began: a record with a time has been read
 * @begin_ns: time of the first one
 * @now_ns: time of the last one
 * @gap_end_ns: threads that were not running may have run unseen until then
 * @nr_switches: context switches of selected threads in the requested range
 * @nr_wakeups: wakeups of selected threads in it
 * @has_wakeups: selected threads have wakeups, at any time
 * @nr_gaps: gaps in it
 * @nr_lost: records lost in them, as far as known
 * @cpus: by number; NULL: not seen
 * @nr_cpus: size of @cpus
 * @busy_ns: time that threads ran, without idle, on all of them
 * @idle_ns: time in idle, likewise
 * @span: the part of the trace that is reported; set by sched_finish()
 */
extern struct sched {
	const struct sched_ops *ops;
	const struct record_filter *filter;
	bool began;
	uint64_t begin_ns;
	uint64_t now_ns;
	uint64_t gap_end_ns;
	uint64_t nr_switches;
	uint64_t nr_wakeups;
	bool has_wakeups;
	uint64_t nr_gaps;
	uint64_t nr_lost;
	struct sched_cpu **cpus;
	uint32_t nr_cpus;
	uint64_t busy_ns;
	uint64_t idle_ns;
	struct sched_span span;
} sched;

void sched_begin(const struct record_filter *filter, const struct sched_ops *ops);
void sched_follow(const struct archive_item *item);
void sched_finish(void);
struct vitrine_error *sched_read(const struct record_filter *filter, const struct sched_ops *ops);
bool sched_counts(uint64_t ns);
bool sched_is_interrupt(const struct vitrine_fxt_record *record);
struct sched_thread *sched_thread_get(const struct vitrine_fxt_thread *id);
struct sched_thread *sched_thread_find(uint64_t koid);
struct sched_thread *sched_thread_next(size_t *place);
void sched_deinit(void);

#endif /* _VITRINE_SCHED_STATE_H */
