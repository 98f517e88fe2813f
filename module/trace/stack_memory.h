/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers and stack memory of a thread of user space, from which a debugger's library can
 * unwind code that has no frame pointers.
 */
#ifndef _VITRINE_STACK_MEMORY_H
#define _VITRINE_STACK_MEMORY_H

#include <linux/types.h>

struct pt_regs;

/* Maximum number of registers, and of bytes of the stack. */
#define VTR_STACK_MEMORY_REGISTERS	33
#define VTR_STACK_MEMORY_BYTES		8192

#define VTR_STACK_MEMORY_WORDS	(VTR_STACK_MEMORY_REGISTERS + \
				 VTR_STACK_MEMORY_BYTES / sizeof(u64))

/**
 * struct vtr_stack_memory - what was saved of a thread
 * @nr_registers: number of registers at the start of @words; 0 if nothing was saved
 * @nr_words: number of @words in use
 * @words: registers in the order of fxt.rst, then the stack from its pointer on
 */
struct vtr_stack_memory {
	unsigned int	nr_registers;
	unsigned int	nr_words;
	u64		words[VTR_STACK_MEMORY_WORDS];
};

void vtr_stack_memory_save(struct vtr_stack_memory *memory,
			   const struct pt_regs *regs, unsigned long end);

#endif /* _VITRINE_STACK_MEMORY_H */
