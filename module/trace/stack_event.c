// SPDX-License-Identifier: GPL-2.0
/*
 * Events of the category "stacks".
 *
 * Concurrency: as in writer.c.
 */
#include "secret.h"
#include "stack_event.h"
#include "strings.h"
#include "writer.h"

static const char category_name[] = "stacks";

/**
 * vtr_stack_event_add() - add an argument that is not a string
 * @event: the event
 * @args: its arguments, with room for one more
 * @name: name of the argument, a constant
 * @type: its type
 * @value: its value
 *
 * Context: any.
 */
void vtr_stack_event_add(struct vtr_fxt_event *event, struct vtr_fxt_arg *args,
			 const char *name, enum fxt_arg_type type, u64 value)
{
	struct vtr_fxt_arg *arg = &args[event->nr_args++];

	arg->type = type;
	arg->name = vtr_stack_event_text(name);
	arg->value = value;
}

/**
 * vtr_stack_event_add_string() - add an argument that is a string
 * @event: the event
 * @args: its arguments, with room for one more
 * @name: name of the argument, a constant
 * @bytes: its value
 * @len_bytes: length of @bytes
 *
 * Context: any.
 */
void vtr_stack_event_add_string(struct vtr_fxt_event *event,
				struct vtr_fxt_arg *args, const char *name,
				const char *bytes, size_t len_bytes)
{
	struct vtr_fxt_arg *arg = &args[event->nr_args++];

	arg->type = FXT_ARG_STRING_REF;
	arg->name = vtr_stack_event_text(name);
	arg->string = vtr_fxt_inline(bytes, len_bytes);
}

static void intern_all(struct vtr_ring *ring, struct vtr_fxt_event *event,
		       struct vtr_fxt_arg *args, bool by_content)
{
	struct vtr_fxt_string *string;
	unsigned int i, len_bytes;
	const void *key;

	vtr_strings_begin(&ring->strings);
	vtr_writer_intern(ring, event->ticks, event->category.bytes,
			  &event->category);
	vtr_writer_intern(ring, event->ticks, event->name.bytes, &event->name);
	for (i = 0; i < event->nr_args; i++) {
		vtr_writer_intern(ring, event->ticks, args[i].name.bytes,
				  &args[i].name);
		if (args[i].type != FXT_ARG_STRING_REF)
			continue;
		string = &args[i].string;
		key = string->bytes;
		len_bytes = string->ref & FXT_STRING_REF_VALUE;
		if (by_content)
			key = vtr_strings_hashed(vtr_secret_hash(key, len_bytes));
		vtr_writer_intern(ring, event->ticks, key, string);
	}
}

/**
 * vtr_stack_event_room() - compute the room for the payload of a large BLOB
 * @ring: ring of this CPU
 * @event: the record, without category, thread and payload
 * @args: its arguments
 *
 * Context: the ring's CPU, interrupts off.
 * Return: words that fit into a sub-buffer of their own.
 */
unsigned int vtr_stack_event_room(const struct vtr_ring *ring,
				  struct vtr_fxt_event *event,
				  const struct vtr_fxt_arg *args)
{
	unsigned int most = vtr_ring_max_words(ring) - VTR_WRITER_ROW_WORDS;

	event->category = vtr_stack_event_text(category_name);
	event->args = args;
	return most - vtr_writer_event_words(event);
}

/**
 * vtr_stack_event_write() - write an event, or a large BLOB if there is a payload
 * @ring: ring of this CPU
 * @task: thread that the event belongs to
 * @event: the event, without category and thread
 * @args: its arguments
 * @by_content: look up the strings of @args by a hash of their bytes, because their memory
 *	is reused; else by their address
 *
 * Context: the ring's CPU, interrupts off.
 * Return: false if there is no room; the record is then counted as lost.
 */
bool vtr_stack_event_write(struct vtr_ring *ring, const struct task_struct *task,
			   struct vtr_fxt_event *event, struct vtr_fxt_arg *args,
			   bool by_content)
{
	unsigned int nr_words;
	struct vtr_subject subject;
	u64 *next;

	event->category = vtr_stack_event_text(category_name);
	event->args = args;
	nr_words = vtr_writer_event_words(event);
	if (!vtr_writer_reserve_here(ring, nr_words, event->ticks)) {
		vtr_ring_lose(ring, nr_words);
		return false;
	}
	vtr_subject_task(task, &subject);
	event->thread.ref = vtr_writer_introduce(ring, event->ticks, &subject);
	event->thread.process = subject.process;
	event->thread.thread = subject.thread;
	intern_all(ring, event, args, by_content);
	next = vtr_ring_next(ring);
	next += event->payload ? vtr_fxt_put_large_blob(next, event) :
				 vtr_fxt_put_event(next, event);
	ring->other_records++;
	vtr_writer_commit_untimed(ring, next, event->ticks);
	return true;
}
