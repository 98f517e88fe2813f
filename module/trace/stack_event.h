/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of the category "stacks". The locking rules are in writer.c.
 */
#ifndef _VITRINE_STACK_EVENT_H
#define _VITRINE_STACK_EVENT_H

#include <linux/string.h>

#include "fxt.h"
#include "ring.h"

/**
 * vtr_stack_event_text() - refer to a constant string
 * @text: the string
 *
 * Context: any.
 * Return: an inline string.
 */
static inline struct vtr_fxt_string vtr_stack_event_text(const char *text)
{
	return vtr_fxt_inline(text, strlen(text));
}

void vtr_stack_event_add(struct vtr_fxt_event *event, struct vtr_fxt_arg *args,
			 const char *name, enum fxt_arg_type type, u64 value);
void vtr_stack_event_add_string(struct vtr_fxt_event *event,
				struct vtr_fxt_arg *args, const char *name,
				const char *bytes, size_t len_bytes);
unsigned int vtr_stack_event_room(const struct vtr_ring *ring,
				  struct vtr_fxt_event *event,
				  const struct vtr_fxt_arg *args);
bool vtr_stack_event_write(struct vtr_ring *ring, const struct task_struct *task,
			   struct vtr_fxt_event *event, struct vtr_fxt_arg *args,
			   bool by_content);

#endif /* _VITRINE_STACK_EVENT_H */
