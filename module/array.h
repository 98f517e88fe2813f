/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays of an Inspect hierarchy: numbers and strings in one block each.
 *
 * Pure: takes no lock, allocates nothing, also compiles on the host. The
 * owner serialises all calls.
 */
#ifndef _VTR_ARRAY_H
#define _VTR_ARRAY_H

#include <linux/types.h>

#include "tree.h"

/**
 * struct vtr_array_shape - what the second word of an array says
 * @type: type of its slots: INSPECT_INT_VALUE, _UINT_VALUE, _DOUBLE_VALUE, or
 *	INSPECT_STRING_REFERENCE
 * @format: INSPECT_ARRAY_FLAT; a histogram's if its slots are numbers
 * @count: number of slots, a histogram's parameters included
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
 * vtr_array_is() - is this an array of a given type and format?
 * @block: first word of the block
 * @type: type of its slots
 * @format: its format
 *
 * Context: any.
 * Return: true if it is.
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

/* The slots of an array of numbers, 64 bits each. */
static inline u64 *vtr_array_numbers(u64 *block)
{
	return vtr_block_payload(block, INSPECT_ARRAY_PAYLOAD_OFFSET);
}

#endif /* _VTR_ARRAY_H */
