/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: functions for the sources of events, and the event that is watched for; and, in
 * marker.c, events that programs write as text to trace/marker. The locking rules are in
 * event.c and prepared.c.
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

void vtr_event_write(const struct vitrine_site *site, const char *name, u64 id,
		     const void *bytes, size_t len_bytes, const u64 *values);
void vtr_event_lose(void);
bool vtr_event_can_watch(const char *words);
void vtr_event_watch(const char *words, vtr_event_seen_fn callback);
void vtr_event_unwatch(void);

/* prepared.c: most events, fast. */

void vtr_prepared_write_values(const struct vitrine_site *site, u64 id, const u64 *values);
void vtr_prepared_write_key(const struct vitrine_site *site, const void *key,
			    const char *name, u64 id, u64 value);
void vtr_prepared_write_inline(const struct vitrine_site *site, const char *name,
			       unsigned int len_bytes, u64 id, u64 value);
void vtr_prepared_write_log(const struct vitrine_site *site, const char *text,
			    size_t len_bytes);

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

extern const char vtr_stack_category[sizeof("stacks")];

const void *vtr_stack_event_hash(const char *string, size_t len_bytes);

/* Refer to a string by its address. The compiler knows the length of a literal. */
static __always_inline struct vtr_fxt_string vtr_stack_string(const char *string,
							      size_t len_bytes)
{
	struct vtr_fxt_string ret = vtr_fxt_inline(string, len_bytes);

	ret.key = string;
	return ret;
}

/**
 * vtr_stack_event_begin() - begin an event, which has no arguments yet
 * @stack: the event
 * @name: its name, a literal
 * @ticks: its time
 *
 * It is an instant event; the caller may change that before it writes it.
 *
 * Context: any.
 */
static __always_inline void vtr_stack_event_begin(struct vtr_stack_event *stack,
						  const char *name, u64 ticks)
{
	stack->event = (struct vtr_fxt_event){
		.category = vtr_stack_string(vtr_stack_category, strlen("stacks")),
		.name = vtr_stack_string(name, strlen(name)),
		.args = stack->args,
		.ticks = ticks,
	};
}

static __always_inline struct vtr_fxt_arg *
vtr_stack_event_arg(struct vtr_stack_event *stack, const char *name, enum fxt_arg_type type)
{
	struct vtr_fxt_arg *arg = &stack->args[stack->event.nr_args++];

	arg->type = type;
	arg->name = vtr_stack_string(name, strlen(name));
	return arg;
}

/**
 * vtr_stack_event_add() - add an argument that is not a string
 * @stack: the event
 * @name: name of the argument, a literal
 * @type: its type
 * @value: its value
 *
 * Context: any.
 */
static __always_inline void vtr_stack_event_add(struct vtr_stack_event *stack, const char *name,
						enum fxt_arg_type type, u64 value)
{
	vtr_stack_event_arg(stack, name, type)->value = value;
}

/**
 * vtr_stack_event_add_string() - add an argument that is a string
 * @stack: the event
 * @name: name of the argument, a literal
 * @string: its value
 * @len_bytes: length of @string
 * @by_content: look the string up by a hash of its bytes, because their memory is reused;
 *	else by its address
 *
 * Context: any.
 */
static __always_inline void vtr_stack_event_add_string(struct vtr_stack_event *stack,
						       const char *name, const char *string,
						       size_t len_bytes, bool by_content)
{
	struct vtr_fxt_arg *arg = vtr_stack_event_arg(stack, name, FXT_ARG_STRING_REF);

	arg->string = vtr_stack_string(string, len_bytes);
	if (by_content)
		arg->string.key = vtr_stack_event_hash(string, len_bytes);
}

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
