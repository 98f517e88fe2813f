// SPDX-License-Identifier: GPL-2.0
/* The thread table of a sub-buffer: the part that is not inlined into probes. */
#include <linux/string.h>

#include "threads.h"

/**
 * vtr_threads_forget() - empty the table
 * @threads: table of a new sub-buffer
 *
 * Context: the ring's CPU, interrupts off, or before the table is visible to others.
 */
void vtr_threads_forget(struct vtr_threads *threads)
{
	memset(threads->keys, 0xff, sizeof(threads->keys));
	/* Reference 0 has a key in a wide ring only, and fields in none. */
	threads->incoming[0] = (u8)VTR_THREADS_NO_PRIO;
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
 * vtr_threads_unname() - make a thread or process be named again
 * @threads: the table
 * @key: key of a thread, or VTR_THREADS_PROCESS() of a process
 *
 * Context: the ring's CPU, interrupts off.
 */
void vtr_threads_unname(struct vtr_threads *threads, u64 key)
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
void vtr_threads_remove(struct vtr_threads *threads, u64 key)
{
	unsigned int ref = vtr_threads_find(threads, key);

	if (ref)
		*vtr_threads_key(threads, ref) = VTR_THREADS_NOBODY;
	vtr_threads_unname(threads, key);
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/threads_kunit.c"
#endif
