/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/mutex.h>: there is one thread. */
#ifndef _HOST_LINUX_MUTEX_H
#define _HOST_LINUX_MUTEX_H

struct mutex {
	int unused;
};

#define DEFINE_MUTEX(name)	struct mutex name

static inline void mutex_lock(struct mutex *lock)
{
}

static inline void mutex_unlock(struct mutex *lock)
{
}

#endif
