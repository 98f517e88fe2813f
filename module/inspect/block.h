/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Get and set the fields of one block of an Inspect file.
 *
 * Pure; the caller serialises. A block is identified by the address of its first word,
 * and the fields are those of <uapi/vitrine/inspect.h>.
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

#endif /* _VTR_BLOCK_H */
