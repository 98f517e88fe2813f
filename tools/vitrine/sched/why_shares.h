/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The use of a CPU: which threads, or interrupts, occupied the CPU during an interval. A
 * history remembers the last spans of a CPU; shares sum them up. One thread.
 */
#ifndef _VITRINE_WHY_SHARES_H
#define _VITRINE_WHY_SHARES_H

#include <stdint.h>

/* Length of a history. */
#define WHY_SPANS		128

/* Maximum number of threads or interrupts that are listed for one wait. */
#define WHY_SHARES	6

/**
 * struct why_span - a turn of a thread, or an interrupt
 * @begin_ns: begin; of an interrupt, that of the part that is not nested in an earlier one
 * @end_ns: end
 * @number: koid of the thread, or text number of the interrupt
 * @priority: priority of the thread as in a switch record, 0 if unknown
 */
struct why_span {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t number;
	uint8_t priority;
};

/**
 * struct why_history - the last spans of a CPU, ordered by their end; empty if zeroed
 * @spans: a circular buffer
 * @nr: number of all spans so far
 */
struct why_history {
	struct why_span spans[WHY_SPANS];
	uint64_t nr;
};

/**
 * struct why_share - CPU time of a thread or an interrupt within an interval
 * @number: koid of the thread, 0 for idle; or text number of the interrupt
 * @ns: the CPU time
 * @priority: priority of the thread as in a switch record, 0 if unknown
 */
struct why_share {
	uint64_t number;
	uint64_t ns;
	uint8_t priority;
};

/**
 * struct why_shares - threads or interrupts that occupied a CPU during an interval
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

void why_history_add(struct why_history *history, const struct why_span *span);

/* Fill zeroed shares, largest first. */
void why_shares_find(struct why_shares *shares,
		     const struct why_history *history, uint64_t begin_ns,
		     uint64_t end_ns);
/* The same, for turns: the rest of the interval is idle, or unknown. */
void why_shares_find_turns(struct why_shares *shares,
			   const struct why_history *history, uint64_t since_ns,
			   uint64_t begin_ns, uint64_t end_ns);

#endif /* _VITRINE_WHY_SHARES_H */
