/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/wait.h>: nobody ever sleeps. */
#ifndef _HOST_LINUX_WAIT_H
#define _HOST_LINUX_WAIT_H

#include <stdbool.h>

typedef struct {
	unsigned int nr_wakes;
} wait_queue_head_t;

static inline void init_waitqueue_head(wait_queue_head_t *head)
{
	head->nr_wakes = 0;
}

static inline bool wq_has_sleeper(wait_queue_head_t *head)
{
	(void)head;
	return true;
}

static inline void wake_up_all(wait_queue_head_t *head)
{
	head->nr_wakes++;
}

#endif
