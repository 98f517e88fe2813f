/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sites of system calls with arguments, which have the names and types of the kernel's
 * own events.
 */
#ifndef _VTR_SYSCALL_ARGS_H
#define _VTR_SYSCALL_ARGS_H

#include <vitrine/trace.h>

#define VTR_SYSCALL_MAX_ARGS	6

/**
 * struct vtr_syscall_args - sites of a system call with arguments
 * @complete: written at the end if the thread was not switched out: arguments, then the
 *	return value
 * @begin: written when the thread is switched out: arguments only
 * @args: arguments of both
 */
struct vtr_syscall_args {
	struct vitrine_site	complete;
	struct vitrine_site	begin;
	struct vitrine_arg	args[VTR_SYSCALL_MAX_ARGS + 1];
};

void vtr_syscall_args_init(struct vtr_syscall_args *args,
			   const struct vitrine_site *complete,
			   const struct vitrine_site *begin);

#endif /* _VTR_SYSCALL_ARGS_H */
