// SPDX-License-Identifier: GPL-2.0
/*
 * Unwind kernel stacks, with the functions that this kernel exports.
 *
 * Concurrency: none. The thread is the current one, or the caller keeps it from running.
 */
#include <linux/minmax.h>
#include <linux/ptrace.h>
#include <linux/stacktrace.h>

#include "compat.h"
#include "stack_table.h"
#include "unwind.h"

#if defined(CONFIG_X86) && \
	(defined(CONFIG_UNWINDER_ORC) || defined(CONFIG_UNWINDER_FRAME_POINTER))
#include <asm/unwind.h>

#define UNWIND_WORKS	true

/**
 * vtr_unwind() - find the return addresses on a thread's kernel stack
 * @task: the thread, which is on no CPU and not woken up yet; or the current thread
 * @regs: registers of the current thread when it was interrupted in the kernel, or NULL
 * @frames: receives the addresses, innermost first
 * @most: size of @frames
 *
 * Context: any.
 * Return: number of addresses found; 0 if this kernel exports no function with which a
 *	module can unwind.
 */
unsigned int vtr_unwind(struct task_struct *task, struct pt_regs *regs,
			unsigned long *frames, unsigned int most)
{
	struct unwind_state state;
	unsigned long address;
	unsigned int nr = 0;

	/* It begins with the caller of what was interrupted. */
	unwind_start(&state, task, regs, NULL);
	while (nr < most && !unwind_done(&state)) {
		address = unwind_get_return_address(&state);
		if (!address)
			break;
		frames[nr++] = address;
		unwind_next_frame(&state);
	}
	return nr;
}

#elif defined(VTR_HAS_STACK_TRACE_SAVE_TSK)
#define UNWIND_WORKS	true

/* Maximum number of frames of the interrupt itself. */
#define INTERRUPT_FRAMES	24

/* Leave out the frames of the interrupt, and the function that was interrupted. */
static unsigned int unwind_interrupted(struct pt_regs *regs, unsigned long *frames,
				       unsigned int most)
{
	unsigned long all[VTR_STACK_MAX_FRAMES + INTERRUPT_FRAMES];
	unsigned int nr = stack_trace_save(all, ARRAY_SIZE(all), 0), i = 0;

	while (i < nr && all[i] != instruction_pointer(regs))
		i++;
	if (i < nr)
		i++;
	nr = min(nr - i, most);
	memcpy(frames, all + i, nr * sizeof(*frames));
	return nr;
}

unsigned int vtr_unwind(struct task_struct *task, struct pt_regs *regs,
			unsigned long *frames, unsigned int most)
{
	return regs ? unwind_interrupted(regs, frames, most) :
		      stack_trace_save_tsk(task, frames, most, 0);
}

#else
#define UNWIND_WORKS	false

unsigned int vtr_unwind(struct task_struct *task, struct pt_regs *regs,
			unsigned long *frames, unsigned int most)
{
	return 0;
}
#endif

/**
 * vtr_unwind_works() - check whether vtr_unwind() works
 *
 * Context: any.
 * Return: false if this kernel exports no function with which a module can unwind.
 */
bool vtr_unwind_works(void)
{
	return UNWIND_WORKS;
}
