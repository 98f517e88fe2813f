/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A binary heap of pointers in an array: item i precedes the items 2i+1 and 2i+2, so the
 * first item precedes all others. The functions are inline, and so is the comparison.
 *
 * The caller serialises.
 */
#ifndef _VITRINE_LIB_HEAP_H
#define _VITRINE_LIB_HEAP_H

#include <stdbool.h>
#include <stddef.h>

typedef bool heap_before(const void *a, const void *b);

/* The item at @i may be later than those below it: let it sink. */
static inline void heap_sink(void **heap, size_t nr, size_t i,
			     heap_before *before)
{
	void *item = heap[i];
	size_t child;

	for (; (child = 2 * i + 1) < nr; i = child) {
		if (child + 1 < nr && before(heap[child + 1], heap[child]))
			child++;
		if (before(item, heap[child]))
			break;
		heap[i] = heap[child];
	}
	heap[i] = item;
}

/* The item at @i may be earlier than those above it: let it rise. */
static inline void heap_rise(void **heap, size_t i, heap_before *before)
{
	void *item = heap[i];

	for (; i && before(item, heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = item;
}

#endif /* _VITRINE_LIB_HEAP_H */
