/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Buddy allocator over pages: blocks of 16 to 2048 bytes, every call O(1).
 *
 * Pure: takes no lock, allocates nothing, also compiles on the host. The
 * owner serialises all calls and provides the pages. No block crosses a
 * page, so the address of a block follows from its index and never changes.
 */
#ifndef _VTR_HEAP_H
#define _VTR_HEAP_H

#include <linux/bitfield.h>
#include <linux/compiler.h>
#include <linux/log2.h>
#include <asm/page.h>

#include <uapi/vitrine/inspect.h>

/*
 * Get and set the fields of one block of an Inspect file.
 *
 * Pure; the caller serialises. A block is identified by the address of its first word,
 * and the fields are those of <uapi/vitrine/inspect.h>.
 */

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "vitrine needs a little-endian machine: its formats are little endian, and written in place"
#endif

/**
 * vtr_block_get() - read a field of a block
 * @block: first word of the block
 * @word: number of the word that contains the field, a literal
 * @field: name of the mask without INSPECT_W<word>_, so that a mask cannot be used with
 *	the wrong word
 *
 * Return: value of the field, shifted down.
 */
#define vtr_block_get(block, word, field)				\
	FIELD_GET(INSPECT_W##word##_##field, ((const u64 *)(block))[word])

/**
 * vtr_block_set() - change one field of a block
 * @block: first word of the block
 * @word: number of the word that contains the field, a literal
 * @field: name of the mask without INSPECT_W<word>_
 * @value: new value, truncated to the width of the field
 */
#define vtr_block_set(block, word, field, value) do {			\
	u64 *__word = (u64 *)(block) + (word);				\
	*__word = (*__word & ~INSPECT_W##word##_##field) |		\
		  FIELD_PREP(INSPECT_W##word##_##field, value);		\
} while (0)

/**
 * vtr_block_word0() - compose the fields that the first word of every block has
 * @type: type of the block
 * @order: order of the block
 *
 * Return: the word, in which all fields that depend on the type are 0.
 */
static inline u64 vtr_block_word0(enum inspect_type type, unsigned int order)
{
	return FIELD_PREP(INSPECT_W0_TYPE, type) |
	       FIELD_PREP(INSPECT_W0_ORDER, order);
}

static inline enum inspect_type vtr_block_type(const u64 *block)
{
	return vtr_block_get(block, 0, TYPE);
}

static inline unsigned int vtr_block_order(const u64 *block)
{
	return vtr_block_get(block, 0, ORDER);
}

static inline unsigned int vtr_block_bytes(const u64 *block)
{
	return INSPECT_MIN_BLOCK_BYTES << vtr_block_order(block);
}

/**
 * vtr_block_is_free() - check whether a block is free and of a given order
 * @block: first word of the block
 * @order: expected order
 *
 * Return: true if it is.
 */
static inline bool vtr_block_is_free(const u64 *block, unsigned int order)
{
	return (block[0] & (INSPECT_W0_TYPE | INSPECT_W0_ORDER)) ==
	       vtr_block_word0(INSPECT_FREE, order);
}

/**
 * vtr_block_payload() - return the part of a block that is not bit fields
 * @block: first word of the block
 * @offset: byte offset of the payload, an INSPECT_*_PAYLOAD_OFFSET
 *
 * Return: address of the payload.
 */
static inline void *vtr_block_payload(u64 *block, unsigned int offset)
{
	return (u8 *)block + offset;
}

#define VTR_HEAP_BLOCKS_PER_PAGE	(PAGE_SIZE / INSPECT_MIN_BLOCK_BYTES)

/**
 * struct vtr_heap_copy - copy of a heap at one moment, made by copy-on-write
 * @bytes: the copy
 * @is_saved: for each page, whether it has been copied
 * @nr_pages: number of pages of the heap at that moment
 *
 * While the copy is in progress, each writer saves a page before it changes the page:
 * it copies the page unless that has been done.
 */
struct vtr_heap_copy {
	void	*bytes;
	bool	*is_saved;
	u32	nr_pages;
};

/**
 * struct vtr_heap - a heap of blocks
 * @pages: address of each page; the owner allocates the array
 * @nr_pages: number of pages in use, which are the file
 * @nr_ready: number of pages in @pages. Those from @nr_pages on are the reserve: zeroed,
 *	and added to the file as the heap fills
 * @used_bytes: bytes in blocks that are not free
 * @free: index of the first free block of each order, 0 if there is none
 * @unmerged: index of the only free block whose buddy may be free, too, or 0
 * @copy: copy in progress, or NULL
 *
 * Free blocks of one order form a doubly linked list through their first
 * words; index 0, which is the header, ends the list in both directions. All other
 * bytes of a free block are zero.
 */
struct vtr_heap {
	void	**pages;
	u32	nr_pages;
	u32	nr_ready;
	u32	used_bytes;
	u32	free[INSPECT_NR_ORDERS];
	u32	unmerged;
	struct vtr_heap_copy *copy;
};

void vtr_heap_init(struct vtr_heap *heap);
int vtr_heap_alloc(struct vtr_heap *heap, size_t size_bytes, u32 *ret);
void vtr_heap_free(struct vtr_heap *heap, u64 *block, u32 index);
void vtr_heap_save_slow(const struct vtr_heap *heap, u32 index);

/**
 * vtr_heap_order() - return the smallest order that holds a number of bytes
 * @size_bytes: the bytes, block header included, at most 2048
 *
 * Context: any.
 * Return: the order.
 */
static inline unsigned int vtr_heap_order(size_t size_bytes)
{
	if (size_bytes <= INSPECT_MIN_BLOCK_BYTES)
		return 0;
	return order_base_2(size_bytes) - ilog2(INSPECT_MIN_BLOCK_BYTES);
}

/**
 * vtr_heap_address() - return the address of a block
 * @heap: the heap
 * @index: index of a block of the heap
 *
 * Context: any.
 * Return: first word of the block, which the caller only reads or has saved.
 */
static inline u64 *vtr_heap_address(const struct vtr_heap *heap, u32 index)
{
	return heap->pages[index / VTR_HEAP_BLOCKS_PER_PAGE] +
	       index % VTR_HEAP_BLOCKS_PER_PAGE * INSPECT_MIN_BLOCK_BYTES;
}

/**
 * vtr_heap_save() - save a page for a copy in progress before it is changed
 * @heap: the heap
 * @index: index of a block in the page
 *
 * Context: any; the caller serialises.
 */
static inline void vtr_heap_save(const struct vtr_heap *heap, u32 index)
{
	if (unlikely(heap->copy))
		vtr_heap_save_slow(heap, index);
}

/**
 * vtr_heap_block() - return a block for writing
 * @heap: the heap
 * @index: index of a block of the heap
 *
 * Saves the page of the block.
 *
 * Context: any; the caller serialises.
 * Return: first word of the block, which the caller may change.
 */
static inline u64 *vtr_heap_block(const struct vtr_heap *heap, u32 index)
{
	vtr_heap_save(heap, index);
	return vtr_heap_address(heap, index);
}

#endif /* _VTR_HEAP_H */
