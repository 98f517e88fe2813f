/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: functions for the sources of events, and the event that is watched for; and, in
 * marker.c, events that programs write as text to trace/marker. The locking rules are in
 * event.c.
 */
#ifndef _VTR_EVENT_H
#define _VTR_EVENT_H

#include <vitrine/trace.h>

#include "writer.h"

struct file;

/* First id of the pseudo threads of idle CPUs; real ids are lower. */
#define VTR_EVENT_IDLE_THREAD	0x40000000ULL

/* Largest payload in bytes: what fits into a record of 4095 words. */
#define VTR_EVENT_MAX_BYTES	32000

/* Initialiser of a struct vitrine_site, for tables of sites. */
#define VTR_SITE(site_category, site_record, site_name)			\
	.category = &vitrine_category_##site_category,			\
	.record = (site_record),					\
	.name = (site_name)

/* Initialiser of the arguments of a site, from an array of struct vitrine_arg. */
#define VTR_SITE_ARGS(array)						\
	.args = (array),						\
	.nr_args = ARRAY_SIZE(array)

/* Size of "category:name" of the event that is watched for, including the NUL. */
#define VTR_EVENT_WATCH_BYTES	64

/* Called in the context that writes the event that is watched for. */
typedef void (*vtr_event_seen_fn)(void);

/**
 * vtr_event_ticks() - read the clock at the begin of a duration
 *
 * For an event with VITRINE_RECORD_BEGAN, which is written when the duration ends.
 *
 * Context: preemption disabled. Hot.
 * Return: ticks of the session's clock, 0 if this CPU does not record.
 */
static __always_inline u64 vtr_event_ticks(void)
{
	const struct vtr_ring *ring = this_cpu_read(vtr_writer_ring);

	if (likely(ring->config.clock == VITRINE_CLOCK_COUNTER))
		return vtr_counter_ticks();
	return ring == &vtr_writer_none ? 0 : vtr_writer_ticks(ring);
}

void vtr_event_write_values(const struct vitrine_site *site, u64 id,
			    const u64 *values);
void vtr_event_write_key(const struct vitrine_site *site, const void *key,
			 const char *name, u64 id, u64 value);
void vtr_event_write_inline(const struct vitrine_site *site, const char *name,
			    unsigned int len_bytes, u64 id, u64 value);
void vtr_event_write_log(const struct vitrine_site *site, const char *text,
			 size_t len_bytes);
void vtr_event_lose(void);
bool vtr_event_can_watch(const char *words);
void vtr_event_watch(const char *words, vtr_event_seen_fn callback);
void vtr_event_unwatch(void);

/* Maximum number of arguments of an event of the category "stacks". */
#define VTR_STACK_EVENT_MAX_ARGS	6

/**
 * struct vtr_stack_event - an event of the category "stacks" that is being composed
 * @event: the event
 * @args: its arguments
 */
struct vtr_stack_event {
	struct vtr_fxt_event	event;
	struct vtr_fxt_arg	args[VTR_STACK_EVENT_MAX_ARGS];
};

void vtr_stack_event_begin(struct vtr_stack_event *stack, const char *name, u64 ticks);
void vtr_stack_event_add(struct vtr_stack_event *stack, const char *name,
			 enum fxt_arg_type type, u64 value);
void vtr_stack_event_add_string(struct vtr_stack_event *stack, const char *name,
				const char *string, bool by_content);
void vtr_stack_event_add_payload(struct vtr_stack_event *stack, const struct vtr_ring *ring,
				 const u64 *words, unsigned int nr_words);
bool vtr_stack_event_write(struct vtr_stack_event *stack, struct vtr_ring *ring,
			   const struct task_struct *task);

void vtr_event_init(void);

DECLARE_VITRINE_CATEGORY(marker);

ssize_t vtr_marker_write(struct file *file, const char __user *text, size_t len_bytes,
			 loff_t *pos);
u64 vtr_marker_refused(void);

#endif /* _VTR_EVENT_H */
