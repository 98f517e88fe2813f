/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kind of lock that a blocked thread waits for. The locking rules are in locks.c.
 */
#ifndef _VITRINE_LOCKS_H
#define _VITRINE_LOCKS_H

struct task_struct;

void vtr_locks_watch(void);
void vtr_locks_unwatch(void);
const char *vtr_locks_kind(const struct task_struct *task);

#endif /* _VITRINE_LOCKS_H */
