/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User stacks of threads that were blocked for a long time. The locking rules are in
 * user_stack.c.
 */
#ifndef _VITRINE_USER_STACK_H
#define _VITRINE_USER_STACK_H

#include <linux/types.h>

struct task_struct;

/**
 * struct vtr_user_stack_stats - counters since the module was loaded
 * @recorded: user stacks that were recorded
 * @left_out: user stacks that were requested, but not recorded
 * @pending: user stacks that were requested; the threads are still in the kernel
 */
struct vtr_user_stack_stats {
	u64	recorded;
	u64	left_out;
	u64	pending;
};

void vtr_user_stack_request(struct task_struct *task, bool with_memory);
void vtr_user_stack_stats(struct vtr_user_stack_stats *ret);
void vtr_user_stack_deinit(void);

#endif /* _VITRINE_USER_STACK_H */
