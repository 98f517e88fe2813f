/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/rwsem.h>: there is one thread. */
#ifndef _HOST_LINUX_RWSEM_H
#define _HOST_LINUX_RWSEM_H

struct rw_semaphore {
	int unused;
};

static inline void init_rwsem(struct rw_semaphore *lock)
{
}

static inline void down_read(struct rw_semaphore *lock)
{
}

static inline void up_read(struct rw_semaphore *lock)
{
}

static inline void down_write(struct rw_semaphore *lock)
{
}

static inline void up_write(struct rw_semaphore *lock)
{
}

#endif
