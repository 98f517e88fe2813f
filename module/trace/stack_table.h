/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash table of the kernel stacks that have been seen, with their text. Looking up a
 * stack by its addresses is much faster than finding the names of its functions again.
 */
#ifndef _VITRINE_STACK_TABLE_H
#define _VITRINE_STACK_TABLE_H

#include <linux/types.h>

/* Maximum number of frames of a stack; only the innermost frames are used. */
#define VTR_STACK_MAX_FRAMES	32

/* Maximum length of the text of a stack. */
#define VTR_STACK_TEXT_BYTES	1000

/* Maximum number of stacks in a table. */
#define VTR_STACK_TABLE_SLOTS	1024

/**
 * struct vtr_stack - a slot of the table
 * @state: SLOT_READY if the other members are valid; see stack_table.c
 * @nr_frames: number of @frames in use
 * @hash: hash of @frames
 * @frames: return addresses, innermost first
 * @text: names of the frames, outermost first, not NUL-terminated
 * @text_offset: where in @text the names begin
 * @text_bytes: length of the names
 */
struct vtr_stack {
	u32		state;
	u16		text_offset;
	u16		text_bytes;
	unsigned int	nr_frames;
	unsigned long	hash;
	unsigned long	frames[VTR_STACK_MAX_FRAMES];
	char		text[VTR_STACK_TEXT_BYTES];
};

/**
 * struct vtr_stack_table - stacks that have been seen
 * @slots: hash table with linear probing
 *
 * A zeroed table is empty.
 */
struct vtr_stack_table {
	struct vtr_stack	slots[VTR_STACK_TABLE_SLOTS];
};

const struct vtr_stack *vtr_stack_table_find(struct vtr_stack_table *table,
					     const unsigned long *frames,
					     unsigned int nr_frames);

#endif /* _VITRINE_STACK_TABLE_H */
