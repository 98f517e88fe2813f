/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/rwsem.h>. */
#ifndef _HOST_LINUX_RWSEM_H
#define _HOST_LINUX_RWSEM_H

#include <linux/cleanup.h>
#include <linux/lockdep.h>

struct rw_semaphore {
	struct host_lock lock;
};

static inline void init_rwsem(struct rw_semaphore *sem)
{
	sem->lock.readers = 0;
}

static inline void down_read(struct rw_semaphore *sem)
{
	host_lock(&sem->lock, false);
}

static inline void up_read(struct rw_semaphore *sem)
{
	host_unlock(&sem->lock, false);
}

static inline void down_write(struct rw_semaphore *sem)
{
	host_lock(&sem->lock, true);
}

static inline void up_write(struct rw_semaphore *sem)
{
	host_unlock(&sem->lock, true);
}

DEFINE_GUARD(rwsem_read, struct rw_semaphore *, down_read(_T), up_read(_T));
DEFINE_GUARD(rwsem_write, struct rw_semaphore *, down_write(_T), up_write(_T));

#endif
