// SPDX-License-Identifier: GPL-2.0
/*
 * Registers and stack memory of a thread of user space.
 *
 * Concurrency: none. The thread saves its own memory.
 */
#include <linux/minmax.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>

#include "stack_memory.h"

/*
 * Store the registers in the order of DWARF, and return their number. The program counter
 * comes last.
 */
#if defined(CONFIG_X86) && defined(CONFIG_64BIT)

static unsigned int save_registers(u64 *words, const struct pt_regs *regs)
{
	const u64 values[] = {
		regs->ax, regs->dx, regs->cx, regs->bx, regs->si, regs->di,
		regs->bp, regs->sp, regs->r8, regs->r9, regs->r10, regs->r11,
		regs->r12, regs->r13, regs->r14, regs->r15, regs->ip,
	};

	if (!user_64bit_mode((struct pt_regs *)regs))
		return 0;
	memcpy(words, values, sizeof(values));
	return ARRAY_SIZE(values);
}

#elif defined(CONFIG_ARM64)

static unsigned int save_registers(u64 *words, const struct pt_regs *regs)
{
	if (compat_user_mode(regs))
		return 0;
	memcpy(words, regs->regs, sizeof(regs->regs));
	words[ARRAY_SIZE(regs->regs)] = regs->sp;
	words[ARRAY_SIZE(regs->regs) + 1] = regs->pc;
	return ARRAY_SIZE(regs->regs) + 2;
}

#else

static unsigned int save_registers(u64 *words, const struct pt_regs *regs)
{
	return 0;
}
#endif

/**
 * vtr_stack_memory_save() - save the registers and the stack of the current thread
 * @memory: receives them
 * @regs: registers with which the thread returns to user space
 * @end: end of the mapping that contains the stack, 0 if there is none
 *
 * Of other architectures and of 32-bit programs nothing is saved.
 *
 * Context: task, on its way to user space.
 */
void vtr_stack_memory_save(struct vtr_stack_memory *memory,
			   const struct pt_regs *regs, unsigned long end)
{
	unsigned long sp = user_stack_pointer((struct pt_regs *)regs);
	size_t len_bytes = 0;
	u64 *stack;

	memory->nr_registers = save_registers(memory->words, regs);
	memory->nr_words = memory->nr_registers;
	stack = memory->words + memory->nr_registers;
	if (!memory->nr_registers || sp >= end)
		return;
	len_bytes = min_t(size_t, VTR_STACK_MEMORY_BYTES, end - sp);
	/* A page that is not there is not fetched: the copy ends before it. */
	pagefault_disable();
	len_bytes -= copy_from_user(stack, (void __user *)sp, len_bytes);
	pagefault_enable();
	memory->nr_words += len_bytes / sizeof(*stack);
}
