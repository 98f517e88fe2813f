/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last long turns of a CPU, to find out which thread had the CPU while another thread
 * waited for it.
 */
#ifndef _VITRINE_HOLDERS_H
#define _VITRINE_HOLDERS_H

#include <linux/types.h>

/* Maximum number of turns that are remembered. */
#define VTR_HOLDERS_TURNS	16

/**
 * struct vtr_turn - time during which a thread had a CPU
 * @begin_ns: when it got the CPU
 * @end_ns: when it lost the CPU
 * @thread: id of the thread
 * @priority: priority field of a switch record
 */
struct vtr_turn {
	u64	begin_ns;
	u64	end_ns;
	pid_t	thread;
	u8	priority;
};

/**
 * struct vtr_holders - the last long turns of a CPU
 * @turns: the turns, a circular buffer
 * @nr: number of turns that were added so far
 *
 * Zeroed, it has no turns.
 */
struct vtr_holders {
	struct vtr_turn	turns[VTR_HOLDERS_TURNS];
	unsigned int	nr;
};

/**
 * struct vtr_holder - a thread that had the CPU during a wait
 * @thread: id of the thread
 * @priority: priority field of a switch record, at its last turn
 * @held_ns: for how much of the wait it had the CPU
 */
struct vtr_holder {
	pid_t	thread;
	u8	priority;
	u64	held_ns;
};

void vtr_holders_add(struct vtr_holders *holders, const struct vtr_turn *turn);
struct vtr_holder vtr_holders_find(const struct vtr_holders *holders,
				   const struct vtr_turn *last, u64 wait_ns);

#endif /* _VITRINE_HOLDERS_H */
