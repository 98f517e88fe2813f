/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/sched/signal.h>. */
#ifndef _HOST_LINUX_SCHED_SIGNAL_H
#define _HOST_LINUX_SCHED_SIGNAL_H

#include <linux/sched.h>

static inline bool pid_alive(const struct task_struct *task)
{
	return task->group_leader;
}

#endif
