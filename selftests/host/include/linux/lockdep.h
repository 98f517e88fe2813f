/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Host stand-in for <linux/lockdep.h>: there is one thread, so a lock that it would wait for is
 * a fault, and so is one that it still holds at the end of a case.
 */
#ifndef _HOST_LINUX_LOCKDEP_H
#define _HOST_LINUX_LOCKDEP_H

#include <linux/bug.h>
#include <linux/types.h>

struct host_lock {
	int readers;	/* -1: held by a writer */
};

extern int host_locks_held;	/* defined where main() is */

static inline void host_lock(struct host_lock *lock, bool is_writer)
{
	WARN_ON(is_writer ? lock->readers : lock->readers < 0);
	lock->readers += is_writer ? -1 : 1;
	host_locks_held++;
}

static inline void host_unlock(struct host_lock *lock, bool is_writer)
{
	WARN_ON(is_writer ? lock->readers != -1 : lock->readers <= 0);
	lock->readers += is_writer ? 1 : -1;
	host_locks_held--;
}

#endif
