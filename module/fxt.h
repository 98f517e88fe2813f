/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FXT record encoder: composes records in words the caller owns. Pure: takes
 * no lock, allocates nothing, also compiles on the host.
 */
#ifndef _VITRINE_FXT_H
#define _VITRINE_FXT_H

#include <linux/bitfield.h>
#include <linux/math.h>
#include <linux/types.h>

#include <uapi/vitrine/fxt.h>

/* Longest name a record written here carries inline; comm's are shorter. */
#define VTR_FXT_NAME_MAX	15

/* Words of the largest records below. */
#define VTR_FXT_SWITCH_WORDS		2
#define VTR_FXT_THREAD_WORDS		3
#define VTR_FXT_PROCESS_NAME_WORDS	4
#define VTR_FXT_THREAD_NAME_WORDS	6

#define VTR_FXT_WAKEUP_WORDS		3
#define VTR_FXT_WIDE_SWITCH_WORDS	6

/* Entries of the string table that are the same in every sub-buffer. */
#define VTR_FXT_STRING_PROCESS		1	/* "process" */
#define VTR_FXT_STRING_OUTGOING_WEIGHT	2	/* "outgoing_weight" */
#define VTR_FXT_STRING_INCOMING_WEIGHT	3	/* "incoming_weight" */
#define VTR_FXT_STRING_FIRST		4	/* the others: see strings.h */

/* A weight that says idle, in records that have no priority. */
#define VTR_FXT_WEIGHT_IDLE		0x80000000U

/* Highest CPU that the 8 bits of a 16-byte switch record can name. */
#define VTR_FXT_SWITCH_MAX_CPU		255

/**
 * struct vtr_fxt_string - a string that a record refers to
 * @bytes: the string; looked at only if @ref is inline
 * @ref: string reference
 */
struct vtr_fxt_string {
	const char	*bytes;
	u16		ref;
};

/**
 * struct vtr_fxt_thread - a thread that a record refers to
 * @ref: thread reference, 0 for inline
 * @process: its process's koid; looked at only if @ref is 0
 * @thread: its koid, likewise
 */
struct vtr_fxt_thread {
	u8		ref;
	u64		process;
	u64		thread;
};

/**
 * struct vtr_fxt_arg - an argument of a record
 * @type: its type
 * @name: its name
 * @value: its value, if it is no string
 * @string: its value, if it is one
 */
struct vtr_fxt_arg {
	enum fxt_arg_type	type;
	struct vtr_fxt_string	name;
	union {
		u64			value;
		struct vtr_fxt_string	string;
	};
};

/**
 * struct vtr_fxt_event - what an event says, or an object, a message, a BLOB
 * @type: of an event
 * @object_type: of a kernel object
 * @nr_args: how many @args, at most 15
 * @thread: where it happened; of a user-space object, its process
 * @category: its category
 * @name: its name
 * @args: its arguments
 * @ticks: when it happened
 * @id: an event's last word, if its type has one; an object's koid or address
 * @payload: of a BLOB or a message
 * @payload_bytes: its length
 */
struct vtr_fxt_event {
	enum fxt_event_type		type;
	u8				object_type;
	u8				nr_args;
	struct vtr_fxt_thread		thread;
	struct vtr_fxt_string		category;
	struct vtr_fxt_string		name;
	const struct vtr_fxt_arg	*args;
	u64				ticks;
	u64				id;
	const void			*payload;
	unsigned int			payload_bytes;
};

/**
 * vtr_fxt_header() - first word of a record
 * @type: enum fxt_record_type
 * @nr_words: length of the record, this word included
 *
 * Context: any. Format: "Record header".
 * Return: the word, all other fields zero.
 */
static inline u64 vtr_fxt_header(enum fxt_record_type type,
				 unsigned int nr_words)
{
	return FIELD_PREP(FXT_HEADER_TYPE, type) |
	       FIELD_PREP(FXT_HEADER_WORDS, nr_words);
}

/**
 * vtr_fxt_priority() - the priority field of a switch record
 * @prio: kernel priority, task->prio: -1 (deadline) to 139
 * @idle: it is the idle thread's, whose kernel priority means nothing
 *
 * Viewers tell idle by thread id 0 with priority 0, so nobody else has 0.
 *
 * Context: any. Hot.
 * Return: 0 for idle, else 1 to 139.
 */
static __always_inline u8 vtr_fxt_priority(int prio, bool idle)
{
	if (idle)
		return 0;
	return prio < 1 ? 1 : prio;
}

/**
 * vtr_fxt_weight() - what a priority is in a record that has weights
 * @priority: as from vtr_fxt_priority()
 *
 * Context: any.
 * Return: value of an argument of type Int32.
 */
static inline u32 vtr_fxt_weight(u8 priority)
{
	return priority ?: VTR_FXT_WEIGHT_IDLE;
}

/**
 * vtr_fxt_incoming() - the incoming thread's fields of a switch record
 * @ref: thread reference, 1 to 255
 * @priority: as from vtr_fxt_priority()
 *
 * Shifted right by 8 they are the outgoing thread's fields: a thread that
 * came in is the one that goes out next on that CPU.
 *
 * Context: any. Format: "Context switch record".
 * Return: the two fields in place.
 */
static __always_inline u64 vtr_fxt_incoming(u8 ref, u8 priority)
{
	return (u64)ref << __builtin_ctzll(FXT_SWITCH_INCOMING_THREAD) |
	       (u64)priority << __builtin_ctzll(FXT_SWITCH_INCOMING_PRIORITY);
}

#define VTR_FXT_INCOMING_TO_OUTGOING	8

/**
 * vtr_fxt_switch_base() - what all switch records of one CPU share
 * @cpu: CPU number, at most 255
 *
 * Context: any. Format: "Context switch record", the 16-byte form.
 * Return: header word with type, size and CPU.
 */
static inline u64 vtr_fxt_switch_base(u8 cpu)
{
	return vtr_fxt_header(FXT_RECORD_SCHEDULING, VTR_FXT_SWITCH_WORDS) |
	       FIELD_PREP(FXT_SWITCH_CPU, cpu);
}

/**
 * vtr_fxt_wakeup_base() - first word of all wakeup records of one CPU
 * @cpu: CPU number
 *
 * Context: any. Format: "Scheduling", subtype 2, without arguments.
 * Return: the word.
 */
static inline u64 vtr_fxt_wakeup_base(u16 cpu)
{
	return vtr_fxt_header(FXT_RECORD_SCHEDULING, VTR_FXT_WAKEUP_WORDS) |
	       FIELD_PREP(FXT_SCHEDULING_CPU, cpu) |
	       FIELD_PREP(FXT_SCHEDULING_SUBTYPE, FXT_SCHEDULING_THREAD_WAKEUP);
}

/* An argument's first word, its name being in the string table. */
#define VTR_FXT_ARG(type, nr_words, name)				\
	((u64)(type) | (u64)(nr_words) << __builtin_ctzll(FXT_HEADER_WORDS) | \
	 (u64)(name) << __builtin_ctzll(FXT_ARG_NAME))

/**
 * vtr_fxt_put_wakeup() - compose a wakeup record
 * @words: where to
 * @base: as from vtr_fxt_wakeup_base()
 * @now: time
 * @thread: koid of the thread that is woken
 *
 * Context: any. Hot. Format: "Scheduling", subtype 2.
 * Return: words written.
 */
static __always_inline unsigned int
vtr_fxt_put_wakeup(u64 *words, u64 base, u64 now, u32 thread)
{
	words[0] = base;
	words[1] = now;
	words[2] = thread;
	return VTR_FXT_WAKEUP_WORDS;
}

/**
 * vtr_fxt_inline() - refer to a string by its bytes
 * @bytes: the string, which need not end
 * @len_bytes: its length, at most 0x7fff
 *
 * Context: any. Format: "References".
 * Return: the reference.
 */
static inline struct vtr_fxt_string vtr_fxt_inline(const char *bytes,
						   unsigned int len_bytes)
{
	return (struct vtr_fxt_string){
		.bytes = bytes,
		.ref = len_bytes ? FXT_STRING_REF_INLINE | len_bytes : 0,
	};
}

unsigned int vtr_fxt_put_provider(u64 *words, u32 id, const char *name);
unsigned int vtr_fxt_put_initialization(u64 *words, u64 ticks_per_second);
unsigned int vtr_fxt_put_blob(u64 *words, const char *name,
			      unsigned int len_bytes);
unsigned int vtr_fxt_put_string(u64 *words, u16 index, const char *string,
				unsigned int len_bytes);
unsigned int vtr_fxt_put_thread(u64 *words, u8 ref, u64 process, u64 thread);
unsigned int vtr_fxt_put_process_name(u64 *words, u64 process,
				      const char *name);
unsigned int vtr_fxt_put_thread_name(u64 *words, u64 process, u64 thread,
				     const char *name);
unsigned int vtr_fxt_put_section(u64 *words, u32 id);
unsigned int vtr_fxt_put_provider_event(u64 *words, u32 id, u8 event);
unsigned int vtr_fxt_put_wide_switch(u64 *words, u16 cpu, u8 state, u64 now,
				     u64 outgoing, u32 outgoing_weight,
				     u64 incoming, u32 incoming_weight);
unsigned int vtr_fxt_strings_words(const struct vtr_fxt_event *event);
unsigned int vtr_fxt_put_event(u64 *words, const struct vtr_fxt_event *event);
unsigned int vtr_fxt_put_data(u64 *words, const struct vtr_fxt_event *event);
unsigned int vtr_fxt_put_userspace_object(u64 *words,
					  const struct vtr_fxt_event *event);
unsigned int vtr_fxt_put_kernel_object(u64 *words,
				       const struct vtr_fxt_event *event);
unsigned int vtr_fxt_put_log(u64 *words, const struct vtr_fxt_event *event);
unsigned int vtr_fxt_put_large_blob(u64 *words,
				    const struct vtr_fxt_event *event);
unsigned int vtr_fxt_put_large_data(u64 *words,
				    const struct vtr_fxt_event *event);
void vtr_fxt_clean(char *text, unsigned int len_bytes);
unsigned int vtr_fxt_clean_name(char *clean, const char *name);

#endif /* _VITRINE_FXT_H */
