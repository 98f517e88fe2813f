// SPDX-License-Identifier: GPL-2.0
/*
 * Buddy allocator over pages, as in "Inspection VMO Heap Format".
 *
 * Concurrency: not thread safe. The caller has begun an edit of the tree that
 * owns the heap (see edit.h), so the generation is odd, during every call.
 *
 * The heap departs from the pseudocode of the format in four ways, all invisible
 * to readers. Free lists are doubly linked, so that a buddy is removed from its
 * list in constant time. The heap grows by one page at a time. Freed bytes are
 * zeroed at once, because user space sees them. The block that was freed last is
 * merged lazily, so that creating and deleting a value in turn does not split and
 * merge blocks each time.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "heap.h"

#define ORDER_MAX	(INSPECT_NR_ORDERS - 1)

static u32 order_blocks(unsigned int order)
{
	return 1U << order;
}

/* Save the first two blocks of a free list, which change when a block is added or removed. */
static noinline void list_save(const struct vtr_heap *heap, unsigned int order)
{
	u32 index = heap->free[order];

	if (!index)
		return;
	vtr_heap_save(heap, index);
	vtr_heap_save(heap, vtr_block_get(vtr_heap_address(heap, index), 0,
					  FREE_NEXT));
}

/* Add a block to its free list; the caller has saved it and the first block of the list. */
static void free_push(struct vtr_heap *heap, u64 *block, u32 index,
		      unsigned int order)
{
	u32 next = heap->free[order];

	block[0] = vtr_block_word0(INSPECT_FREE, order) |
		   FIELD_PREP(INSPECT_W0_FREE_NEXT, next);
	/* The previous pointer of the former first block was 0. */
	if (next)
		vtr_heap_address(heap, next)[0] |=
			FIELD_PREP(INSPECT_W0_FREE_PREVIOUS, index);
	heap->free[order] = index;
}

/* Remove the first block of a free list, whose first two blocks the caller has saved. */
static __always_inline u64 *free_pop(struct vtr_heap *heap, unsigned int order,
				     u32 *ret)
{
	u32 index = heap->free[order];
	u64 *block = vtr_heap_address(heap, index);
	u32 next = vtr_block_get(block, 0, FREE_NEXT);

	heap->free[order] = next;
	if (next)
		vtr_heap_address(heap, next)[0] &= ~INSPECT_W0_FREE_PREVIOUS;
	*ret = index;
	return block;
}

static __always_inline void
free_unlink(struct vtr_heap *heap, const u64 *block, unsigned int order)
{
	u32 previous = vtr_block_get(block, 0, FREE_PREVIOUS);
	u32 next = vtr_block_get(block, 0, FREE_NEXT);

	if (previous)
		vtr_block_set(vtr_heap_block(heap, previous), 0, FREE_NEXT,
			      next);
	else
		heap->free[order] = next;
	if (next)
		vtr_block_set(vtr_heap_block(heap, next), 0, FREE_PREVIOUS,
			      previous);
}

/* Add largest blocks down to @first; backwards, so that they are allocated in ascending order. */
static void push_largest(struct vtr_heap *heap, u32 first, u32 end)
{
	while (end > first) {
		end -= order_blocks(ORDER_MAX);
		free_push(heap, vtr_heap_block(heap, end), end, ORDER_MAX);
	}
}

/* Add the first page of the reserve to the heap, as free blocks. */
static bool grow(struct vtr_heap *heap)
{
	u32 first = heap->nr_pages * VTR_HEAP_BLOCKS_PER_PAGE;

	if (heap->nr_pages == heap->nr_ready)
		return false;
	heap->nr_pages++;
	push_largest(heap, first, first + VTR_HEAP_BLOCKS_PER_PAGE);
	vtr_block_set(vtr_heap_block(heap, 0), 2, HEADER_SIZE,
		      heap->nr_pages * PAGE_SIZE);
	return true;
}

/**
 * vtr_heap_init() - create a heap of one page with its header block
 * @heap: zeroed, but for an array @pages with room for every page that the heap can ever have, and
 *	at least one page in it
 *
 * The header is at index 0 and has generation 0. Free lists end with index 0. No free
 * list may ever contain block 0, so the first page is split here and not by the
 * allocator.
 *
 * Context: any; the heap is not visible to others yet.
 */
void vtr_heap_init(struct vtr_heap *heap)
{
	u64 *header = heap->pages[0];
	unsigned int order;
	u32 index;

	heap->nr_pages = 1;
	heap->used_bytes = INSPECT_MIN_BLOCK_BYTES << INSPECT_HEADER_ORDER;

	header[0] = vtr_block_word0(INSPECT_HEADER, INSPECT_HEADER_ORDER) |
		    FIELD_PREP(INSPECT_W0_HEADER_VERSION, INSPECT_VERSION) |
		    FIELD_PREP(INSPECT_W0_HEADER_MAGIC, INSPECT_MAGIC);
	vtr_block_set(header, 2, HEADER_SIZE, PAGE_SIZE);

	/* The rest of the largest block that contains the header: one block of each order. */
	for (order = INSPECT_HEADER_ORDER; order < ORDER_MAX; order++) {
		index = order_blocks(order);
		free_push(heap, vtr_heap_block(heap, index), index, order);
	}
	push_largest(heap, order_blocks(ORDER_MAX), VTR_HEAP_BLOCKS_PER_PAGE);
}

/* Merge the block that was freed last with its buddies, as long as they are free. */
static noinline void merge_last(struct vtr_heap *heap)
{
	u32 index = heap->unmerged, other;
	u64 *block = vtr_heap_block(heap, index), *buddy;
	unsigned int order = vtr_block_order(block);

	heap->unmerged = 0;
	free_unlink(heap, block, order);
	for (; order < ORDER_MAX; order++) {
		other = index ^ order_blocks(order);
		buddy = vtr_heap_address(heap, other);
		if (!vtr_block_is_free(buddy, order))
			break;
		free_unlink(heap, buddy, order);
		/* The first word of the right half becomes payload. */
		if (other < index)
			swap(block, buddy);
		buddy[0] = 0;
		index = min(index, other);
	}
	if (heap->copy)
		list_save(heap, order);
	free_push(heap, block, index, order);
}

/*
 * Return the first order from @order upwards that has a free block. If necessary, merge
 * the block that was freed last, or grow.
 */
static unsigned int order_find(struct vtr_heap *heap, unsigned int order)
{
	unsigned int found;

	for (;;) {
		for (found = order; found < INSPECT_NR_ORDERS; found++)
			if (heap->free[found])
				return found;
		if (heap->unmerged)
			merge_last(heap);
		else if (!grow(heap))
			return INSPECT_NR_ORDERS;
	}
}

/**
 * vtr_heap_alloc() - allocate a block
 * @heap: heap to allocate from
 * @size_bytes: bytes needed, block header included
 * @ret: block index, written on success only
 *
 * The block has type RESERVED; everything except type and order is zero. If no free
 * block is large enough, a page of the reserve is added to the heap.
 *
 * Context: any; the caller serialises.
 * Return: 0, -ENOSPC if no block is free, -EINVAL if @size_bytes exceeds one
 *	block.
 */
int vtr_heap_alloc(struct vtr_heap *heap, size_t size_bytes, u32 *ret)
{
	unsigned int order, found;
	u64 *block;
	u32 index;

	if (size_bytes > INSPECT_MAX_BLOCK_BYTES)
		return -EINVAL;
	order = vtr_heap_order(size_bytes);
	found = order_find(heap, order);
	if (found == INSPECT_NR_ORDERS)
		return -ENOSPC;

	if (unlikely(heap->copy))
		list_save(heap, found);
	block = free_pop(heap, found, &index);
	if (index == heap->unmerged)
		heap->unmerged = 0;
	while (found-- > order) {
		/* The list of this order is empty, or the larger block would not be split. */
		heap->free[found] = index + order_blocks(found);
		block[INSPECT_MIN_BLOCK_BYTES / sizeof(*block) << found] =
			vtr_block_word0(INSPECT_FREE, found);
	}
	block[0] = vtr_block_word0(INSPECT_RESERVED, order);
	heap->used_bytes += INSPECT_MIN_BLOCK_BYTES << order;
	*ret = index;
	return 0;
}

/* Zero a block except for its first word. Most blocks are too small for memset(). */
static __always_inline void block_zero(u64 *block, unsigned int order)
{
	block[1] = 0;
	if (!order)
		return;
	block[2] = 0;
	block[3] = 0;
	if (order > 1)
		memset(block + 4, 0,
		       (INSPECT_MIN_BLOCK_BYTES << order) - 4 * sizeof(u64));
}

/**
 * vtr_heap_free() - free a block
 * @heap: heap of the block
 * @block: first word of the block
 * @index: index of the block; not the header, and not free
 *
 * The block is zeroed. It is merged with its buddy when the next block is freed, or when
 * no other block is large enough for an allocation.
 *
 * Context: any; the caller serialises.
 */
void vtr_heap_free(struct vtr_heap *heap, u64 *block, u32 index)
{
	unsigned int order = vtr_block_order(block);

	if (unlikely(heap->copy)) {
		vtr_heap_save(heap, index);
		list_save(heap, order);
	}
	heap->used_bytes -= INSPECT_MIN_BLOCK_BYTES << order;
	block_zero(block, order);
	if (heap->unmerged)
		merge_last(heap);
	heap->unmerged = index;
	free_push(heap, block, index, order);
}

/**
 * vtr_heap_save_slow() - save a page unless the copy in progress has it
 * @heap: heap of which a copy is in progress
 * @index: index of a block in the page
 *
 * Context: any; the caller serialises.
 */
void vtr_heap_save_slow(const struct vtr_heap *heap, u32 index)
{
	u32 nr = index / VTR_HEAP_BLOCKS_PER_PAGE;
	struct vtr_heap_copy *copy = heap->copy;

	if (nr >= copy->nr_pages || copy->is_saved[nr])
		return;
	memcpy(copy->bytes + nr * PAGE_SIZE, heap->pages[nr], PAGE_SIZE);
	copy->is_saved[nr] = true;
}

#ifdef CONFIG_VITRINE_KUNIT
#include "tests/block_kunit.c" /* the fields in heap.h */
#include "tests/heap_kunit.c"
#endif
