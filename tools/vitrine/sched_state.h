/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What threads did, from the switches and wakeups of a trace in time order: who
 * ran when, where and how long, and what it waited for before. The commands
 * latency, timeline and top are made of this.
 *
 * Nothing is guessed: what a thread did before it is first heard of, and what one
 * that was not running did while records were lost, is unknown.
 */
#ifndef _VITRINE_SCHED_STATE_H
#define _VITRINE_SCHED_STATE_H

#include <vitrine/map.h>

#include "vitrine.h"

/**
 * enum sched_state - what a thread does
 * @SCHED_UNKNOWN: nobody knows
 * @SCHED_RUNNING: it has a CPU
 * @SCHED_WOKEN: it waits for a CPU since it was woken
 * @SCHED_PREEMPTED: it waits for a CPU since another thread got its own
 * @SCHED_BLOCKED: it sleeps
 * @SCHED_STOPPED: it is stopped, traced or parked
 * @SCHED_DEAD: it is no more
 * @SCHED_NR_STATES: how many states there are
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
 * struct sched_turn - a thread on a CPU, from when it comes in until it leaves
 * @cpu: which
 * @begin_ns: when it came in
 * @end_ns: when it left
 * @waited: SCHED_WOKEN or SCHED_PREEMPTED if it waited @ready_ns for a CPU; else
 *	what it came from, with no wakeup seen
 * @ready_ns: how long it waited for a CPU
 * @blocked_ns: how long it slept or was stopped before that
 * @instead: thread that had the CPU before; 0: idle, or nobody knows
 * @after: what it does when it has left
 */
struct sched_turn {
	uint32_t cpu;
	uint64_t begin_ns;
	uint64_t end_ns;
	enum sched_state waited;
	uint64_t ready_ns;
	uint64_t blocked_ns;
	struct vitrine_fxt_thread instead;
	enum sched_state after;
};

/**
 * struct sched_thread - a thread
 * @id: who; its process as last heard
 * @state: what it does
 * @cpu: where it runs or ran last
 * @since_ns: since when
 * @blocked_ns: how long it was blocked before it was woken
 * @time_ns: how long it did what, within the time that counts
 * @nr_turns: times it came in
 * @nr_woken: of these, from SCHED_WOKEN
 * @nr_preempted: of these, from SCHED_PREEMPTED
 * @turn: the last one, complete or not
 * @owner: what the user of this keeps about it
 */
struct sched_thread {
	struct vitrine_fxt_thread id;
	enum sched_state state;
	uint32_t cpu;
	uint64_t since_ns;
	uint64_t blocked_ns;
	uint64_t time_ns[SCHED_NR_STATES];
	uint64_t nr_turns;
	uint64_t nr_woken;
	uint64_t nr_preempted;
	struct sched_turn turn;
	void *owner;
};

/**
 * struct sched_cpu - a CPU
 * @known: it is known who runs
 * @running: who; NULL: idle
 * @since_ns: since when
 * @last_ns: when it was last heard of
 * @gap_end_ns: where the last gap ends
 * @busy_ns: how long threads ran, idle not included
 * @idle_ns: how long none did
 * @nr_switches: how many
 * @packed: @packet is set
 * @packet: header of its last sub-buffer
 * @packet_begin: where in the file that one begins
 * @nr_timed: records in it so far
 */
struct sched_cpu {
	bool known;
	struct sched_thread *running;
	uint64_t since_ns;
	uint64_t last_ns;
	uint64_t gap_end_ns;
	uint64_t busy_ns;
	uint64_t idle_ns;
	uint64_t nr_switches;
	bool packed;
	struct vitrine_packet packet;
	uint64_t packet_begin;
	uint64_t nr_timed;
};

/* Of a gap that no CPU can be told of. */
#define SCHED_ALL_CPUS	(~0U)

/**
 * struct sched_ops - what is told while records are followed; NULL: nothing
 * @begin: a thread has come in; its turn has no end yet
 * @end: it has left
 * @gap: records are missing
 */
struct sched_ops {
	void (*begin)(void *ctx, struct sched_thread *thread);
	void (*end)(void *ctx, struct sched_thread *thread);
	void (*gap)(void *ctx, uint32_t cpu, uint64_t begin_ns,
		    uint64_t end_ns);
};

/**
 * struct sched - all threads and CPUs
 * @ops: who is told
 * @ctx: its context
 * @archive: where records come from
 * @from_ns: what was before does not count
 * @to_ns: nor does what was after
 * @began: a record with a time has been seen
 * @begin_ns: time of the first one
 * @now_ns: time of the last one
 * @gap_end_ns: who did not run until then may have run unseen
 * @nr_switches: context switches within the time that counts
 * @nr_wakeups: wakeups, too
 * @nr_gaps: times that records are missing there
 * @nr_lost: how many, as far as known
 * @threads: hash table of @size, a power of two
 * @nr_threads: how many
 * @size: of the table
 * @cpus: by number; NULL: nothing was heard of it
 * @nr_cpus: how many there is room for
 */
struct sched {
	const struct sched_ops *ops;
	void *ctx;
	const struct vitrine_archive *archive;
	uint64_t from_ns;
	uint64_t to_ns;
	bool began;
	uint64_t begin_ns;
	uint64_t now_ns;
	uint64_t gap_end_ns;
	uint64_t nr_switches;
	uint64_t nr_wakeups;
	uint64_t nr_gaps;
	uint64_t nr_lost;
	struct sched_thread **threads;
	size_t nr_threads;
	size_t size;
	struct sched_cpu **cpus;
	uint32_t nr_cpus;
};

bool sched_follow(struct sched *sched, const struct vitrine_fxt_record *record);
void sched_finish(struct sched *sched);
bool sched_counts(const struct sched *sched, uint64_t ns);
void sched_deinit(struct sched *sched);

#endif /* _VITRINE_SCHED_STATE_H */
