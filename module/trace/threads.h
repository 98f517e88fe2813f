/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The thread table of a sub-buffer: a set-associative cache that maps a thread to one of
 * 255 thread references, and the table of names that the sub-buffer contains. Pure; owned
 * by the ring's CPU, interrupts off.
 *
 * References form sets of four: a thread may get any reference of the set that its id
 * selects. The look-up begins with the highest reference of a set, because reference 0
 * means "inline", so set 0 lacks it. In a wide ring, where no record has a reference, the
 * key of reference 0 is that of the last incoming thread, and the rest of the table is
 * empty.
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
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/types.h>

#define VTR_THREADS_WAYS	4
#define VTR_THREADS_SETS	64
#define VTR_THREADS_REFS	(VTR_THREADS_WAYS * VTR_THREADS_SETS)

/* Key of no thread: thread and process ids are positive. */
#define VTR_THREADS_NOBODY	(~0ULL)

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
 * @keys: by thread reference: process id << 32 | thread id, or VTR_THREADS_NOBODY
 * @named: pairs of keys of threads and processes whose names are in the sub-buffer, each
 *	with the epoch in which it was named. Of three keys that share a pair, the one
 *	that was named first is dropped, and named again
 * @nr_pairs: number of pairs, a power of two
 * @epoch: epoch of the sub-buffer, in the bits VTR_THREADS_EPOCH; never 0
 * @turn: number of new threads in full sets so far
 */
struct vtr_threads {
	u64		keys[VTR_THREADS_REFS];
	u64		(*named)[2];
	unsigned int	nr_pairs;
	unsigned int	turn;
	u64		epoch;
};

/**
 * vtr_threads_forget() - empty the table
 * @threads: table of a new sub-buffer
 *
 * Context: the ring's CPU, interrupts off, or before the table is visible to others.
 */
static inline void vtr_threads_forget(struct vtr_threads *threads)
{
	memset(threads->keys, 0xff, sizeof(threads->keys));
	/* Increment only the bits of the epoch: with all others set, a carry skips them. */
	threads->epoch = ((threads->epoch | ~VTR_THREADS_EPOCH) + 1) &
			 VTR_THREADS_EPOCH;
	if (threads->epoch)
		return;
	/* The epoch wraps after 2^19 sub-buffers: drop entries of the same number. */
	memset(threads->named, 0, threads->nr_pairs * sizeof(*threads->named));
	threads->epoch = 1ULL << VTR_THREADS_ID_BITS;
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
	u64 first = key % VTR_THREADS_SETS * VTR_THREADS_WAYS;
	const u64 *set = threads->keys + first;

	/* Makes the compiler compute the address once and not for each use. */
	OPTIMIZER_HIDE_VAR(set);
	if (likely(set[3] == key))
		return first + 3;
	if (set[2] == key)
		return first + 2;
	if (set[1] == key)
		return first + 1;
	return set[0] == key ? first : 0;
}

/* Choose the reference to replace in a set whose first reference is @first. */
static __always_inline unsigned int
vtr_threads_victim(struct vtr_threads *threads, unsigned int first,
		   unsigned int running)
{
	unsigned int turn = threads->turn++, way = 0;

	if (unlikely(turn % VTR_THREADS_TURNS == 0))
		way = turn / VTR_THREADS_TURNS;
	while (unlikely(!(first + way % VTR_THREADS_WAYS) ||
			first + way % VTR_THREADS_WAYS == running))
		way++;
	return first + way % VTR_THREADS_WAYS;
}

/**
 * vtr_threads_add() - assign a reference to a thread
 * @threads: the table
 * @key: key of a thread that vtr_threads_find() did not find
 * @running: reference that must not be replaced, because the next record needs it, or 0
 *
 * Uses a free reference of the set, or else replaces one, mostly the one that was assigned
 * last.
 *
 * Context: the ring's CPU, interrupts off.
 * Return: thread reference, 1 to 255, for which the caller writes a thread record.
 */
static __always_inline unsigned int
vtr_threads_add(struct vtr_threads *threads, u64 key, unsigned int running)
{
	unsigned int first = ((u32)key % VTR_THREADS_SETS) * VTR_THREADS_WAYS;
	const u64 *set = threads->keys + first;
	unsigned int ref;

	/* In the order in which vtr_threads_find() looks at them. */
	if (set[3] == VTR_THREADS_NOBODY)
		ref = first + 3;
	else if (set[2] == VTR_THREADS_NOBODY)
		ref = first + 2;
	else if (set[1] == VTR_THREADS_NOBODY)
		ref = first + 1;
	else if (set[0] == VTR_THREADS_NOBODY && first)
		ref = first;
	else
		ref = vtr_threads_victim(threads, first, running);
	threads->keys[ref] = key;
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

/**
 * vtr_threads_unname() - make a thread or process be named again
 * @threads: the table
 * @key: key of a thread, or VTR_THREADS_PROCESS() of a process
 *
 * Context: the ring's CPU, interrupts off.
 */
static inline void vtr_threads_unname(struct vtr_threads *threads, u64 key)
{
	u64 *pair = vtr_threads_pair(threads, key);
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (pair[i] == (key | threads->epoch))
			pair[i] = 0;
}

/**
 * vtr_threads_remove() - remove a thread
 * @threads: the table
 * @key: key of a thread that has exited; its id may be reused
 *
 * Context: the ring's CPU, interrupts off.
 */
static inline void vtr_threads_remove(struct vtr_threads *threads, u64 key)
{
	unsigned int ref = vtr_threads_find(threads, key);

	if (ref)
		threads->keys[ref] = VTR_THREADS_NOBODY;
	vtr_threads_unname(threads, key);
}

#endif /* _VTR_THREADS_H */
