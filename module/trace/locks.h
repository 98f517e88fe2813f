/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kind of lock that a blocked thread waits for.
 */
#ifndef _VTR_LOCKS_H
#define _VTR_LOCKS_H

struct task_struct;

const char *vtr_locks_kind(const struct task_struct *task);
void vtr_locks_watch(void);
void vtr_locks_unwatch(void);

#endif /* _VTR_LOCKS_H */
