/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The thread table of one sub-buffer: which thread each of the 255 thread
 * references stands for, and who has been named. Pure; owned by the ring's
 * CPU, interrupts off.
 *
 * References form sets of four: a thread may take any reference of the set
 * its id selects. The highest of a set is looked at first, because reference
 * 0 means "inline" and set 0 has to do without it. Where no record has a
 * reference, as in a wide ring, the key of reference 0 is that of the thread
 * that came in last, and the rest of the table stays empty.
 */
#ifndef _VITRINE_THREADS_H
#define _VITRINE_THREADS_H

#include <linux/string.h>
#include <linux/types.h>

#define VTR_THREADS_WAYS	4
#define VTR_THREADS_SETS	64
#define VTR_THREADS_REFS	(VTR_THREADS_WAYS * VTR_THREADS_SETS)
#define VTR_THREADS_NAMED	256

/* Nobody's key: thread and process ids are positive. */
#define VTR_THREADS_NOBODY	(~0ULL)

/**
 * struct vtr_threads - thread table
 * @keys: by thread reference: process id << 32 | thread id, or NOBODY
 * @named: keys of threads and processes whose names are in the sub-buffer;
 *	a key may be pushed out by another, and is then named again
 * @victim: which reference of a full set is given up next
 */
struct vtr_threads {
	u64		keys[VTR_THREADS_REFS];
	u64		named[VTR_THREADS_NAMED];
	unsigned int	victim;
};

/**
 * vtr_threads_forget() - empty the table
 * @threads: table of a sub-buffer that begins
 *
 * Context: the ring's CPU, interrupts off, or before anybody else sees it.
 */
static inline void vtr_threads_forget(struct vtr_threads *threads)
{
	memset(threads->keys, 0xff, sizeof(threads->keys));
	memset(threads->named, 0xff, sizeof(threads->named));
}

/**
 * vtr_threads_find() - look up a thread
 * @threads: the table
 * @key: the thread
 *
 * Context: the ring's CPU, interrupts off. Hot.
 * Return: thread reference, 0 if it has none.
 */
static __always_inline unsigned int
vtr_threads_find(const struct vtr_threads *threads, u64 key)
{
	unsigned int first = ((u32)key % VTR_THREADS_SETS) * VTR_THREADS_WAYS;
	const u64 *set = threads->keys + first;

	if (likely(set[3] == key))
		return first + 3;
	if (set[2] == key)
		return first + 2;
	if (set[1] == key)
		return first + 1;
	return set[0] == key ? first : 0;
}

/**
 * vtr_threads_add() - give a thread a reference
 * @threads: the table
 * @key: thread that vtr_threads_find() did not find
 * @running: reference that must stay, as the next record still needs it, or 0
 *
 * Takes a free reference of its set, else that of the others in turn.
 *
 * Context: the ring's CPU, interrupts off.
 * Return: thread reference, 1 to 255; write a thread record for it.
 */
static inline unsigned int vtr_threads_add(struct vtr_threads *threads,
					   u64 key, unsigned int running)
{
	unsigned int first = ((u32)key % VTR_THREADS_SETS) * VTR_THREADS_WAYS;
	unsigned int ref;

	for (ref = first + VTR_THREADS_WAYS; ref-- > first;)
		if (ref && threads->keys[ref] == VTR_THREADS_NOBODY)
			goto found;
	do {
		ref = first + threads->victim++ % VTR_THREADS_WAYS;
	} while (!ref || ref == running);
found:
	threads->keys[ref] = key;
	return ref;
}

/**
 * vtr_threads_unname() - have something named anew
 * @threads: the table
 * @key: key of a thread, or VTR_THREADS_PROCESS() of a process
 *
 * Context: the ring's CPU, interrupts off.
 */
static inline void vtr_threads_unname(struct vtr_threads *threads, u64 key)
{
	u64 *slot = &threads->named[(u32)key % VTR_THREADS_NAMED];

	if (*slot == key)
		*slot = VTR_THREADS_NOBODY;
}

/**
 * vtr_threads_remove() - forget one thread
 * @threads: the table
 * @key: thread that will not run again; its id may come back as another's
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

/**
 * vtr_threads_name() - note that something is being named
 * @threads: the table
 * @key: key of a thread, or VTR_THREADS_PROCESS() of a process
 *
 * Context: the ring's CPU, interrupts off.
 * Return: true if the name is not in the sub-buffer yet and must be written.
 */
static inline bool vtr_threads_name(struct vtr_threads *threads, u64 key)
{
	u64 *slot = &threads->named[(u32)key % VTR_THREADS_NAMED];

	if (*slot == key)
		return false;
	*slot = key;
	return true;
}

/* Key of a process's name: no thread has bit 63, half a table away. */
#define VTR_THREADS_PROCESS(process) \
	(1ULL << 63 | (u32)((process) + VTR_THREADS_NAMED / 2))

#endif /* _VITRINE_THREADS_H */
