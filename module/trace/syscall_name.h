/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of system calls, by number. source_syscall.c has the table.
 */
#ifndef _VITRINE_SYSCALL_NAME_H
#define _VITRINE_SYSCALL_NAME_H

struct task_struct;

const char *vtr_syscall_name(struct task_struct *task, long nr);

#endif /* _VITRINE_SYSCALL_NAME_H */
