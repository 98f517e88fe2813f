/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One block of an Inspect file: get and set its fields.
 *
 * Pure; the caller serialises. A block is named by its first word, a u64
 * pointer into its page; the bits are those of <uapi/vitrine/inspect.h>.
 */
#ifndef _VTR_BLOCK_H
#define _VTR_BLOCK_H

#include <linux/bitfield.h>
#include <linux/types.h>

#include <uapi/vitrine/inspect.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "vitrine needs a little-endian machine: its formats are little endian, and written in place"
#endif

/**
 * vtr_block_get() - one field of a block
 * @block: first word of the block
 * @word: number of the word that holds the field, a literal
 * @field: name of its mask in the format header after INSPECT_W<word>_, so
 *	that word and mask cannot disagree
 *
 * Return: the field's value, shifted down.
 */
#define vtr_block_get(block, word, field)				\
	FIELD_GET(INSPECT_W##word##_##field, ((const u64 *)(block))[word])

/**
 * vtr_block_set() - change one field of a block and nothing else
 * @block: first word of the block
 * @word: number of the word that holds the field, a literal
 * @field: name of its mask after INSPECT_W<word>_
 * @value: new value, cut to the field's width
 */
#define vtr_block_set(block, word, field, value) do {			\
	u64 *__word = (u64 *)(block) + (word);				\
	*__word = (*__word & ~INSPECT_W##word##_##field) |		\
		  FIELD_PREP(INSPECT_W##word##_##field, value);		\
} while (0)

/**
 * vtr_block_word0() - what the first word of every block has
 * @type: type of the block
 * @order: order of the block
 *
 * Return: the word, everything that depends on the type still 0.
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
 * vtr_block_is_free() - is this a free block of a given order?
 * @block: first word of the block
 * @order: the order asked for
 *
 * Return: true if it is.
 */
static inline bool vtr_block_is_free(const u64 *block, unsigned int order)
{
	return (block[0] & (INSPECT_W0_TYPE | INSPECT_W0_ORDER)) ==
	       vtr_block_word0(INSPECT_FREE, order);
}

/**
 * vtr_block_payload() - bytes of a block that are not bit fields
 * @block: first word of the block
 * @offset: where they begin, an INSPECT_*_PAYLOAD_OFFSET
 *
 * Return: their address.
 */
static inline void *vtr_block_payload(u64 *block, unsigned int offset)
{
	return (u8 *)block + offset;
}

#endif /* _VTR_BLOCK_H */
