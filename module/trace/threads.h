/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The thread table of a sub-buffer: a set-associative cache that maps a thread to one of
 * 255 thread references, and the table of names that the sub-buffer contains. Pure; owned
 * by the ring's CPU, interrupts off. Probes inline all that a thread without a reference
 * needs, because with more threads than references most switches are to such threads.
 *
 * References form sets of four: a thread may get any reference of the set that its id
 * selects. The look-up begins with the highest reference of a set, because reference 0
 * means "inline", so set 0 lacks it. In a wide ring, where no record has a reference, the
 * key of reference 0 is that of the last incoming thread, and the rest of the table is
 * empty.
 *
 * With each key, the table has the fields of a switch to that thread, composed, and the
 * priority of the task for which they are right. The hot path compares that priority, and
 * leaves a thread whose priority has changed to the slow path, which composes the fields
 * again. Keys that are looked at first are adjacent, so that few threads with adjacent ids
 * take few cache lines.
 *
 * If more threads take turns than the table has references, least-recently-used
 * replacement would evict each thread just before it runs, and none would be found. So a
 * new thread replaces the most recently assigned reference of a full set, and the other
 * threads of the set keep theirs; one new thread in sixteen replaces one of the others,
 * because threads end.
 *
 * There are many more names than references. They have a table of their own, as
 * large as the number of names that fit into a sub-buffer. It is not cleared when a
 * sub-buffer begins: each entry contains the epoch, that is, the sub-buffer in which it
 * was made. Ids have 22 bits, which leaves room for the epoch in a key.
 */
#ifndef _VTR_THREADS_H
#define _VTR_THREADS_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/threads.h>
#include <asm/page.h>

#include "fxt.h"

#define VTR_THREADS_WAYS	4
#define VTR_THREADS_SETS	64
#define VTR_THREADS_REFS	(VTR_THREADS_WAYS * VTR_THREADS_SETS)

/* Key of no thread: thread and process ids are positive. */
#define VTR_THREADS_NOBODY	(~0ULL)

/* Priority of no task: those are -1 to 140. */
#define VTR_THREADS_NO_PRIO	(-2)

/* Position of the composed fields in a switch record. */
#define VTR_THREADS_SHIFT	28

/* One new thread in that many replaces a thread that is not the last one. */
#define VTR_THREADS_TURNS	16

/* Bits that no key uses: ids take 22 of 32 bits each, and the mark of a process one. */
#define VTR_THREADS_EPOCH	0x7fc00000ffc00000ULL
#define VTR_THREADS_ID_BITS	22

/* Key of the name of a process; keys of real threads do not have bit 63. */
#define VTR_THREADS_PROCESS(process)	(1ULL << 63 | (u32)(process))

/* Key of the pseudo thread of an idle CPU. */
#define VTR_THREADS_IDLE(cpu)		(1ULL << 63 | 1ULL << 32 | (u32)(cpu))

/**
 * struct vtr_threads - thread table
 * @keys: process id << 32 | thread id, or VTR_THREADS_NOBODY; see vtr_threads_key()
 * @incoming: for each key, vtr_fxt_incoming() >> VTR_THREADS_SHIFT, and in the lowest byte
 *	the priority of the task, or VTR_THREADS_NO_PRIO
 * @named: pairs of keys of threads and processes whose names are in the sub-buffer, each
 *	with the epoch in which it was named. Of three keys that share a pair, the one
 *	that was named first is dropped, and named again
 * @nr_pairs: number of pairs, a power of two
 * @epoch: epoch of the sub-buffer, in the bits VTR_THREADS_EPOCH; never 0
 * @turn: number of new threads in full sets so far
 */
struct vtr_threads {
	u64		keys[VTR_THREADS_REFS];
	u32		incoming[VTR_THREADS_REFS];
	u64		(*named)[2];
	unsigned int	nr_pairs;
	unsigned int	turn;
	u64		epoch;
};

/* Return the index of a reference in @keys and @incoming: by way, and then by set. */
static __always_inline unsigned int vtr_threads_index(unsigned int ref)
{
	return ref % VTR_THREADS_WAYS * VTR_THREADS_SETS + ref / VTR_THREADS_WAYS;
}

/**
 * vtr_threads_key() - return where the key of a reference is
 * @threads: the table
 * @ref: thread reference
 *
 * Context: any.
 * Return: address of the key.
 */
static __always_inline u64 *vtr_threads_key(struct vtr_threads *threads, unsigned int ref)
{
	return &threads->keys[vtr_threads_index(ref)];
}

/**
 * vtr_threads_look_up() - look up a thread
 * @threads: the table
 * @key: key of the thread
 * @ret: receives its element of @incoming
 *
 * Some kernels check the index of each array, which would take more than the rest.
 *
 * Context: the ring's CPU, interrupts off. Hot.
 * Return: false if the thread has no reference.
 */
static __always_inline __no_sanitize_undefined bool
vtr_threads_look_up(const struct vtr_threads *threads, u64 key, u64 *ret)
{
	const long last = VTR_THREADS_REFS - VTR_THREADS_SETS;
	long i = key % VTR_THREADS_SETS;

	/* Each makes the compiler add constants to an address, at no cost, and not to this. */
	OPTIMIZER_HIDE_VAR(i);
	if (unlikely(threads->keys[last + i] != key)) {
		OPTIMIZER_HIDE_VAR(i);
		if (threads->keys[last + i - VTR_THREADS_SETS] == key)
			i -= VTR_THREADS_SETS;
		else if (threads->keys[last + i - 2 * VTR_THREADS_SETS] == key)
			i -= 2 * VTR_THREADS_SETS;
		else if (threads->keys[last + i - 3 * VTR_THREADS_SETS] == key)
			i -= 3 * VTR_THREADS_SETS;
		else
			return false;
	}
	OPTIMIZER_HIDE_VAR(i);
	*ret = threads->incoming[last + i];
	return true;
}

/**
 * vtr_threads_find() - look up the reference of a thread
 * @threads: the table
 * @key: key of the thread
 *
 * Context: the ring's CPU, interrupts off. Hot.
 * Return: thread reference, 0 if the thread has none.
 */
static __always_inline unsigned int
vtr_threads_find(const struct vtr_threads *threads, u64 key)
{
	u64 incoming;

	if (!vtr_threads_look_up(threads, key, &incoming))
		return 0;
	return FIELD_GET(FXT_SWITCH_INCOMING_THREAD >> VTR_THREADS_SHIFT, incoming);
}

/* Compose the fields of switches to a thread. */
static __always_inline u32 vtr_threads_composed(unsigned int ref, int prio, u8 priority)
{
	return vtr_fxt_incoming(ref, priority) >> VTR_THREADS_SHIFT | (u8)prio;
}

/**
 * vtr_threads_compose() - compose the fields of switches to a thread again
 * @threads: the table
 * @ref: reference of the thread
 * @prio: priority of the task
 * @priority: vtr_fxt_priority() of it
 *
 * Context: the ring's CPU, interrupts off.
 */
static __always_inline void vtr_threads_compose(struct vtr_threads *threads, unsigned int ref,
						int prio, u8 priority)
{
	threads->incoming[vtr_threads_index(ref)] = vtr_threads_composed(ref, prio, priority);
}

/* Choose the way to replace in a full set. */
static __always_inline unsigned int
vtr_threads_victim(struct vtr_threads *threads, unsigned int set,
		   unsigned int running)
{
	unsigned int turn = threads->turn++, way = 0, first = set * VTR_THREADS_WAYS;

	if (unlikely(turn % VTR_THREADS_TURNS == 0))
		way = turn / VTR_THREADS_TURNS;
	while (unlikely(!(first + way % VTR_THREADS_WAYS) ||
			first + way % VTR_THREADS_WAYS == running))
		way++;
	return way % VTR_THREADS_WAYS;
}

/**
 * vtr_threads_add() - assign a reference to a thread
 * @threads: the table
 * @key: key of a thread that vtr_threads_find() did not find
 * @running: reference that must not be replaced, because the next record needs it, or 0
 * @prio: priority of the task
 * @priority: vtr_fxt_priority() of it
 *
 * Uses a free reference of the set, or else replaces one, mostly the one that was assigned
 * last.
 *
 * Context: the ring's CPU, interrupts off.
 * Return: thread reference, 1 to 255, for which the caller writes a thread record.
 */
static __always_inline unsigned int
vtr_threads_add(struct vtr_threads *threads, u64 key, unsigned int running,
		int prio, u8 priority)
{
	unsigned int set = (u32)key % VTR_THREADS_SETS, way, ref;
	u64 *keys = threads->keys + set;
	u32 *incoming = threads->incoming + set;

	/* In the order in which vtr_threads_look_up() looks at them. */
	if (keys[3 * VTR_THREADS_SETS] == VTR_THREADS_NOBODY)
		way = 3;
	else if (keys[2 * VTR_THREADS_SETS] == VTR_THREADS_NOBODY)
		way = 2;
	else if (keys[VTR_THREADS_SETS] == VTR_THREADS_NOBODY)
		way = 1;
	else if (keys[0] == VTR_THREADS_NOBODY && set)
		way = 0;
	else
		way = vtr_threads_victim(threads, set, running);
	ref = set * VTR_THREADS_WAYS + way;
	keys[way * VTR_THREADS_SETS] = key;
	incoming[way * VTR_THREADS_SETS] = vtr_threads_composed(ref, prio, priority);
	return ref;
}

static __always_inline u64 *vtr_threads_pair(const struct vtr_threads *threads,
					     u64 key)
{
	return threads->named[(u32)key & (threads->nr_pairs - 1)];
}

/**
 * vtr_threads_named() - check whether the sub-buffer contains a name
 * @threads: the table
 * @key: key of a thread, or VTR_THREADS_PROCESS() of a process
 *
 * Context: the ring's CPU, interrupts off.
 * Return: true if it does; may be false although it does, if the entry was dropped.
 */
static __always_inline bool vtr_threads_named(const struct vtr_threads *threads,
					      u64 key)
{
	const u64 *pair = vtr_threads_pair(threads, key);

	key |= threads->epoch;
	return pair[0] == key || pair[1] == key;
}

/**
 * vtr_threads_name() - note that the sub-buffer contains a name
 * @threads: the table
 * @key: key for which vtr_threads_named() returned false
 *
 * Context: the ring's CPU, interrupts off.
 */
static __always_inline void vtr_threads_name(struct vtr_threads *threads,
					     u64 key)
{
	u64 *pair = vtr_threads_pair(threads, key);

	BUILD_BUG_ON(PID_MAX_LIMIT > 1 << VTR_THREADS_ID_BITS);
	pair[1] = pair[0];
	pair[0] = key | threads->epoch;
}

void vtr_threads_forget(struct vtr_threads *threads);
void vtr_threads_unname(struct vtr_threads *threads, u64 key);
void vtr_threads_remove(struct vtr_threads *threads, u64 key);

#endif /* _VTR_THREADS_H */
