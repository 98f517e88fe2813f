/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/wait.h>: nobody sleeps, but a function can be called. */
#ifndef _HOST_LINUX_WAIT_H
#define _HOST_LINUX_WAIT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

struct wait_queue_entry {
	int (*func)(struct wait_queue_entry *entry, unsigned int mode,
		    int flags, void *key);
};

/* Room for one entry. The head points to itself once it is initialised, as a list does. */
typedef struct wait_queue_head {
	const struct wait_queue_head	*self;
	struct wait_queue_entry		*entry;
} wait_queue_head_t;

static inline void init_waitqueue_head(wait_queue_head_t *head)
{
	head->self = head;
	head->entry = NULL;
}

static inline void
init_waitqueue_func_entry(struct wait_queue_entry *entry,
			  int (*func)(struct wait_queue_entry *entry,
				      unsigned int mode, int flags, void *key))
{
	entry->func = func;
}

static inline void add_wait_queue(wait_queue_head_t *head,
				  struct wait_queue_entry *entry)
{
	assert(head->self == head && !head->entry);
	head->entry = entry;
}

static inline void remove_wait_queue(wait_queue_head_t *head,
				     struct wait_queue_entry *entry)
{
	assert(head->entry == entry);
	head->entry = NULL;
}

static inline bool wq_has_sleeper(const wait_queue_head_t *head)
{
	assert(head->self == head);
	return head->entry;
}

static inline void wake_up_all(wait_queue_head_t *head)
{
	assert(head->self == head);
	if (head->entry)
		head->entry->func(head->entry, 0, 0, NULL);
}

#endif
