/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash table of the kernel stacks that have been seen, with their text. stack_table.c has the
 * locking rules.
 */
#ifndef _VTR_STACK_TABLE_H
#define _VTR_STACK_TABLE_H

#include "stack_text.h"

/* Maximum number of frames of a stack; only the innermost frames are used. */
#define VTR_STACK_MAX_FRAMES	32

/* Maximum number of stacks in a table. */
#define VTR_STACK_TABLE_SLOTS	1024

/* Size of the name of a frame, including the NUL. */
#define VTR_STACK_NAME_BYTES	128

/**
 * struct vtr_stack - a slot of the table
 * @state: SLOT_READY of stack_table.c if the other members are valid
 * @nr_frames: number of @frames in use
 * @frames: return addresses, innermost first
 * @text: names of the frames
 */
struct vtr_stack {
	u32			state;
	unsigned int		nr_frames;
	unsigned long		frames[VTR_STACK_MAX_FRAMES];
	struct vtr_stack_text	text;
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

void vtr_stack_table_name(unsigned long address, char *name);
unsigned long vtr_stack_table_function(unsigned long address);
const struct vtr_stack *vtr_stack_table_find(struct vtr_stack_table *table,
					     const unsigned long *frames,
					     unsigned int nr_frames);

#endif /* _VTR_STACK_TABLE_H */
