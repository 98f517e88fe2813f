// SPDX-License-Identifier: GPL-2.0
/*
 * The last long turns of a CPU.
 *
 * The thread that a waiting thread replaces may have had the CPU only for a moment, after
 * another thread kept both from running. Of the threads whose turns are remembered, the
 * one that had the CPU for the largest part of the wait is the holder.
 *
 * Concurrency: the caller serialises; stacks.c calls this on the CPU that the turns are of.
 */
#include <linux/minmax.h>

#include "holders.h"

/**
 * vtr_holders_add() - remember a turn
 * @holders: turns of the CPU
 * @turn: the turn, which is later than those that were added before
 *
 * Context: any; the caller serialises.
 */
void vtr_holders_add(struct vtr_holders *holders, const struct vtr_turn *turn)
{
	holders->turns[holders->nr++ % VTR_HOLDERS_TURNS] = *turn;
}

/* Return for how long a turn overlaps with the time since @since_ns. */
static u64 overlap_ns(const struct vtr_turn *turn, u64 since_ns)
{
	u64 begin_ns = max(turn->begin_ns, since_ns);

	return turn->end_ns > begin_ns ? turn->end_ns - begin_ns : 0;
}

/* Return for how long a thread had the CPU since @since_ns. */
static u64 held_ns(const struct vtr_holders *holders, pid_t thread,
		   u64 since_ns)
{
	u64 sum_ns = 0;
	unsigned int i;

	for (i = 0; i < VTR_HOLDERS_TURNS; i++)
		if (holders->turns[i].thread == thread)
			sum_ns += overlap_ns(&holders->turns[i], since_ns);
	return sum_ns;
}

/**
 * vtr_holders_find() - find the thread that had the CPU longest during a wait
 * @holders: turns of the CPU
 * @last: the turn that ends with the wait, and may be in @holders
 * @wait_ns: length of the wait
 *
 * Context: any; the caller serialises.
 * Return: the thread of @last, unless one of @holders had the CPU for longer.
 */
struct vtr_holder vtr_holders_find(const struct vtr_holders *holders,
				   const struct vtr_turn *last, u64 wait_ns)
{
	u64 since_ns = last->end_ns - wait_ns, sum_ns;
	struct vtr_holder holder = {
		.thread = last->thread,
		.priority = last->priority,
	};
	const struct vtr_turn *turn;
	unsigned int i;

	holder.held_ns = max(overlap_ns(last, since_ns),
			     held_ns(holders, last->thread, since_ns));
	for (i = 0; i < VTR_HOLDERS_TURNS; i++) {
		turn = &holders->turns[i];
		sum_ns = held_ns(holders, turn->thread, since_ns);
		if (sum_ns <= holder.held_ns)
			continue;
		holder.thread = turn->thread;
		holder.priority = turn->priority;
		holder.held_ns = sum_ns;
	}
	return holder;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/holders_kunit.c"
#endif
