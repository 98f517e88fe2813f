/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/mutex.h>. */
#ifndef _HOST_LINUX_MUTEX_H
#define _HOST_LINUX_MUTEX_H

#include <linux/cleanup.h>
#include <linux/lockdep.h>

struct mutex {
	struct host_lock lock;
};

#define DEFINE_MUTEX(name)	struct mutex name

static inline void mutex_lock(struct mutex *mutex)
{
	host_lock(&mutex->lock, true);
}

static inline void mutex_unlock(struct mutex *mutex)
{
	host_unlock(&mutex->lock, true);
}

DEFINE_GUARD(mutex, struct mutex *, mutex_lock(_T), mutex_unlock(_T));

#endif
