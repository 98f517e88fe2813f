/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwind the kernel stack of a thread that is on no CPU.
 *
 * stack_trace_save_tsk() skips functions in the section .sched.text. These include the
 * slow paths of mutexes and other locks, which show what a thread waits for. On x86 the
 * unwinder is exported, so it is called directly.
 */
#ifndef _VITRINE_UNWIND_H
#define _VITRINE_UNWIND_H

#include <linux/sched.h>
#include <linux/stacktrace.h>

#include "compat.h"

#if defined(CONFIG_X86) && \
	(defined(CONFIG_UNWINDER_ORC) || defined(CONFIG_UNWINDER_FRAME_POINTER))
#include <asm/unwind.h>

#define VTR_UNWIND_WORKS	1

/**
 * vtr_unwind() - find the return addresses on a thread's kernel stack
 * @task: the thread, which is on no CPU and not woken up yet
 * @frames: receives the addresses, innermost first
 * @most: size of @frames
 *
 * Context: any.
 * Return: number of addresses found; 0 if this kernel exports no function with which a
 *	module can unwind.
 */
static inline unsigned int vtr_unwind(struct task_struct *task,
				      unsigned long *frames, unsigned int most)
{
	struct unwind_state state;
	unsigned long address;
	unsigned int nr = 0;

	unwind_start(&state, task, NULL, NULL);
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
#define VTR_UNWIND_WORKS	1

static inline unsigned int vtr_unwind(struct task_struct *task,
				      unsigned long *frames, unsigned int most)
{
	return stack_trace_save_tsk(task, frames, most, 0);
}

#else
#define VTR_UNWIND_WORKS	0

static inline unsigned int vtr_unwind(struct task_struct *task,
				      unsigned long *frames, unsigned int most)
{
	return 0;
}
#endif

#endif /* _VITRINE_UNWIND_H */
