/* SPDX-License-Identifier: GPL-2.0 */
/* Host stand-in for <linux/list.h>: what rings need of it. */
#ifndef _HOST_LINUX_LIST_H
#define _HOST_LINUX_LIST_H

#include <linux/container_of.h>

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD(name)		struct list_head name = { &(name), &(name) }

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline void list_add(struct list_head *entry, struct list_head *head)
{
	entry->next = head->next;
	entry->prev = head;
	head->next->prev = entry;
	head->next = entry;
}

static inline void list_del(struct list_head *entry)
{
	entry->next->prev = entry->prev;
	entry->prev->next = entry->next;
}

#define list_for_each_entry(pos, head, member)				\
	for (pos = container_of((head)->next, typeof(*pos), member);	\
	     &pos->member != (head);					\
	     pos = container_of(pos->member.next, typeof(*pos), member))

#endif
