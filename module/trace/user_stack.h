/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User stacks of threads that were blocked for a long time, and what they share with the
 * stacks of the kernel: counters and the text of a stack. The locking rules are in
 * user_stack.c.
 */
#ifndef _VITRINE_USER_STACK_H
#define _VITRINE_USER_STACK_H

#include <linux/percpu.h>
#include <linux/types.h>

struct task_struct;
struct vtr_ring;

/**
 * struct vtr_stacks_stats - counters since the module was loaded, each a u64
 * @blocked: waits of blocked threads that were recorded
 * @runnable: waits of runnable threads that were recorded
 * @running: samples of running threads that were recorded
 * @left_out: waits that were not recorded, because there were too many
 * @user: user stacks that were recorded
 * @user_left_out: user stacks that were requested, but not recorded
 */
struct vtr_stacks_stats {
	u64	blocked;
	u64	runnable;
	u64	running;
	u64	left_out;
	u64	user;
	u64	user_left_out;
};

DECLARE_PER_CPU(struct vtr_stacks_stats, vtr_stacks_counters);

/**
 * struct vtr_stack_text - the names of the frames of a stack
 * @offset: where the text begins; it ends with @bytes
 * @bytes: the names, outermost first, separated by ";"
 */
struct vtr_stack_text {
	unsigned int	offset;
	char		bytes[1000];
};

/*
 * Whether vtr_user_stack_deinit() can wait for a thread that was preempted in the code of the
 * module. Without tasks RCU, synchronize_rcu_tasks() is synchronize_rcu(), which on a
 * preemptible kernel does not wait for such a thread.
 */
#define VTR_USER_STACK_WORKS	\
	(IS_ENABLED(CONFIG_TASKS_RCU) || !IS_ENABLED(CONFIG_PREEMPTION))

bool vtr_stack_text_add(struct vtr_stack_text *text, const char *name);
void vtr_user_stack_request(struct vtr_ring *ring, u64 now,
			    struct task_struct *task, bool with_memory);
void vtr_user_stack_tell_pending(void);
unsigned int vtr_user_stack_pending(void);
void vtr_user_stack_deinit(void);

#endif /* _VITRINE_USER_STACK_H */
