/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User stacks of threads that were blocked for a long time. The locking rules are in
 * user_stack.c.
 */
#ifndef _VITRINE_USER_STACK_H
#define _VITRINE_USER_STACK_H

#include <linux/types.h>

struct task_struct;
struct vtr_ring;

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

/*
 * Whether vtr_user_stack_deinit() can wait for a thread that was preempted in the code of the
 * module. Without tasks RCU, synchronize_rcu_tasks() is synchronize_rcu(), which on a
 * preemptible kernel does not wait for such a thread.
 */
#define VTR_USER_STACK_WORKS	\
	(IS_ENABLED(CONFIG_TASKS_RCU) || !IS_ENABLED(CONFIG_PREEMPTION))

void vtr_user_stack_request(struct vtr_ring *ring, u64 now,
			    struct task_struct *task, bool with_memory);
void vtr_user_stack_tell_pending(void);
void vtr_user_stack_stats(struct vtr_user_stack_stats *ret);
void vtr_user_stack_deinit(void);

#endif /* _VITRINE_USER_STACK_H */
