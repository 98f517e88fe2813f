/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays of an Inspect hierarchy: numbers or strings in one block.
 *
 * Pure: takes no lock, allocates nothing, also compiles on the host. The
 * owner serialises all calls.
 */
#ifndef _VTR_ARRAY_H
#define _VTR_ARRAY_H

#include <linux/types.h>

#include "tree.h"

/**
 * struct vtr_array_shape - contents of the second word of an ARRAY_VALUE
 * @type: type of the slots: INSPECT_INT_VALUE, _UINT_VALUE, _DOUBLE_VALUE, or
 *	INSPECT_STRING_REFERENCE
 * @format: INSPECT_ARRAY_FLAT, or for numbers also the format of a histogram
 * @count: number of slots, including the parameters of a histogram
 */
struct vtr_array_shape {
	enum inspect_type		type;
	enum inspect_array_format	format;
	unsigned int			count;
};

bool vtr_array_fits(const struct vtr_array_shape *shape);
int vtr_array_create(struct vtr_tree *tree, u32 parent, const char *name,
		     const struct vtr_array_shape *shape, u32 *ret);
int vtr_array_string_set(struct vtr_tree *tree, u32 index, unsigned int slot,
			 const char *value);
int vtr_array_delete(struct vtr_tree *tree, u32 index, enum inspect_type type,
		     enum inspect_array_format format);

/**
 * vtr_array_is() - check type and format of an array
 * @block: first word of the block
 * @type: expected type of the slots
 * @format: expected format
 *
 * Context: any.
 * Return: true if @block is an array of that type and format.
 */
static inline bool vtr_array_is(const u64 *block, enum inspect_type type,
				enum inspect_array_format format)
{
	return vtr_block_type(block) == INSPECT_ARRAY_VALUE &&
	       (block[1] & (INSPECT_W1_ARRAY_TYPE | INSPECT_W1_ARRAY_FORMAT)) ==
	       (FIELD_PREP(INSPECT_W1_ARRAY_TYPE, type) |
		FIELD_PREP(INSPECT_W1_ARRAY_FORMAT, format));
}

static inline unsigned int vtr_array_count(const u64 *block)
{
	return vtr_block_get(block, 1, ARRAY_COUNT);
}

/* Return the slots of an array of numbers, 64 bits each. */
static inline u64 *vtr_array_numbers(u64 *block)
{
	return vtr_block_payload(block, INSPECT_ARRAY_PAYLOAD_OFFSET);
}

#endif /* _VTR_ARRAY_H */
