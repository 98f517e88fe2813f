/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/sched.h>: threads that a suite makes up. */
#ifndef _HOST_LINUX_SCHED_H
#define _HOST_LINUX_SCHED_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/kconfig.h>
#include <linux/types.h>

#include <asm/page.h>

#define PF_KTHREAD	0x00200000

struct task_struct {
	unsigned int		flags;
	int			prio;
	pid_t			pid;
	pid_t			tgid;
	struct task_struct	*group_leader;
	char			comm[16];
};

/* The task in whose context all tests run. */
static struct task_struct host_task __maybe_unused = {
	.pid = 4711, .tgid = 4711, .prio = 120, .comm = "kunit",
};
#define current		(&host_task)

#endif
