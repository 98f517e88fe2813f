/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FXT record encoder: composes records in words the caller owns. Pure: takes
 * no lock, allocates nothing, also compiles on the host.
 */
#ifndef _VTR_FXT_H
#define _VTR_FXT_H

#include <linux/bitfield.h>
#include <linux/math.h>

#include <uapi/vitrine/fxt.h>

/* Longest inline name in bytes: that of a task. */
#define VTR_FXT_NAME_MAX	15

/* Largest size of the records below in words. */
#define VTR_FXT_SWITCH_WORDS		2
#define VTR_FXT_THREAD_WORDS		3
#define VTR_FXT_PROCESS_NAME_WORDS	4
#define VTR_FXT_THREAD_NAME_WORDS	6
/* Size of the shorter of these two, rounded up to a power of two. */
#define VTR_FXT_LEAST_NAME_WORDS	4

#define VTR_FXT_WAKEUP_WORDS		3
#define VTR_FXT_WIDE_SWITCH_WORDS	6

/* Indices of the string table that are the same in every sub-buffer. */
#define VTR_FXT_STRING_PROCESS		1	/* "process" */
#define VTR_FXT_STRING_OUTGOING_WEIGHT	2	/* "outgoing_weight" */
#define VTR_FXT_STRING_INCOMING_WEIGHT	3	/* "incoming_weight" */
#define VTR_FXT_STRING_FIRST		4	/* first index of strings.h */

/* Weight of the idle thread, in records that have weights. */
#define VTR_FXT_WEIGHT_IDLE		0x80000000U

/* Highest CPU number in the 8 bits of a 16-byte switch record. */
#define VTR_FXT_SWITCH_MAX_CPU		255

/**
 * struct vtr_fxt_string - a string that a record refers to
 * @bytes: the string; used only if @ref is inline
 * @ref: string reference
 * @key: identifies the string in the string table; NULL if it is not to be added there
 */
struct vtr_fxt_string {
	const char	*bytes;
	u16		ref;
	const void	*key;
};

/**
 * struct vtr_fxt_thread - a thread that a record refers to
 * @ref: thread reference, 0 for inline
 * @process: koid of the process; used only if @ref is 0
 * @thread: koid of the thread; used only if @ref is 0
 */
struct vtr_fxt_thread {
	u8		ref;
	u64		process;
	u64		thread;
};

/**
 * struct vtr_fxt_arg - an argument of a record
 * @type: type of the argument
 * @name: name of the argument
 * @value: value of an argument that is not a string
 * @string: value of an argument that is a string
 */
struct vtr_fxt_arg {
	enum fxt_arg_type	type;
	struct vtr_fxt_string	name;
	union {
		u64			value;
		struct vtr_fxt_string	string;
	};
};

/* Kind of a record that struct vtr_fxt_event describes. */
enum vtr_fxt_kind {
	VTR_FXT_EVENT,
	VTR_FXT_LOG,
	VTR_FXT_BLOB,
	VTR_FXT_LARGE_BLOB,
	VTR_FXT_LARGE_DATA,
	VTR_FXT_USERSPACE_OBJECT,
	VTR_FXT_KERNEL_OBJECT,
};

/**
 * struct vtr_fxt_event - contents of an event, object, log or BLOB record
 * @kind: kind of the record
 * @type: type of an event or of a kernel object
 * @nr_args: number of @args, at most 15
 * @thread: thread of an event; process of a user-space object
 * @category: category
 * @name: name
 * @args: arguments
 * @ticks: timestamp
 * @id: last word of an event, if its type has one; koid or address of an object
 * @payload: bytes of a BLOB, or a message
 * @payload_bytes: length of @payload
 */
struct vtr_fxt_event {
	enum vtr_fxt_kind		kind;
	u8				type;
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
 * vtr_fxt_header() - compose the first word of a record
 * @type: enum fxt_record_type
 * @nr_words: length of the record, including this word
 *
 * Context: any. Format: "Record header".
 * Return: the word, in which all other fields are 0.
 */
static inline u64 vtr_fxt_header(enum fxt_record_type type,
				 unsigned int nr_words)
{
	return FIELD_PREP(FXT_HEADER_TYPE, type) |
	       FIELD_PREP(FXT_HEADER_WORDS, nr_words);
}

/**
 * vtr_fxt_priority() - return the priority field of a switch record
 * @prio: kernel priority, task->prio: -1 (deadline) to 139
 * @idle: the thread is an idle thread, whose kernel priority has no meaning
 *
 * Viewers recognise idle by thread id 0 with priority 0, so no other thread has
 * priority 0.
 *
 * Context: any. Hot.
 * Return: 0 for idle, else 1 to 139.
 */
static __always_inline unsigned int vtr_fxt_priority(int prio, bool idle)
{
	if (idle)
		return 0;
	return prio < 1 ? 1 : prio;
}

/**
 * vtr_fxt_incoming() - compose the fields of the incoming thread of a switch record
 * @ref: thread reference, 1 to 255
 * @priority: return value of vtr_fxt_priority(), at most 255
 *
 * Shifted right by 8 they are the fields of the outgoing thread: the incoming thread
 * is the outgoing thread of the next switch on that CPU.
 *
 * Context: any. Format: "Context switch record".
 * Return: the two fields in place.
 */
static __always_inline u64 vtr_fxt_incoming(u64 ref, u64 priority)
{
	return (u64)ref << __builtin_ctzll(FXT_SWITCH_INCOMING_THREAD) |
	       (u64)priority << __builtin_ctzll(FXT_SWITCH_INCOMING_PRIORITY);
}

#define VTR_FXT_INCOMING_TO_OUTGOING	8

/**
 * vtr_fxt_switch_base() - compose the constant fields of all switch records of a CPU
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
 * vtr_fxt_wakeup_base() - compose the first word of all wakeup records of a CPU
 * @cpu: CPU number
 *
 * Context: any. Format: "Context switch record", subtype 2 without arguments.
 * Return: the word, for wakeups that a thread makes.
 */
static inline u64 vtr_fxt_wakeup_base(u16 cpu)
{
	return vtr_fxt_header(FXT_RECORD_SCHEDULING, VTR_FXT_WAKEUP_WORDS) |
	       FIELD_PREP(FXT_SCHEDULING_CPU, cpu) |
	       FIELD_PREP(FXT_SCHEDULING_CONTEXT, FXT_WAKEUP_THREAD) |
	       FIELD_PREP(FXT_SCHEDULING_SUBTYPE, FXT_SCHEDULING_THREAD_WAKEUP);
}

/**
 * vtr_fxt_wakeup_in() - compose the first word of a wakeup record
 * @base: return value of vtr_fxt_wakeup_base()
 * @context: what makes the wakeup
 *
 * Context: any. Format: as above.
 * Return: the word.
 */
static inline u64 vtr_fxt_wakeup_in(u64 base, enum fxt_wakeup_context context)
{
	return (base & ~FXT_SCHEDULING_CONTEXT) | FIELD_PREP(FXT_SCHEDULING_CONTEXT, context);
}

/**
 * vtr_fxt_put_thread() - compose a thread record
 * @words: destination
 * @ref: thread table index, 1 to 255
 * @process: koid of the process
 * @thread: koid of the thread
 *
 * Context: any. Format: "Thread record".
 * Return: words written.
 */
static __always_inline unsigned int
vtr_fxt_put_thread(u64 *words, u8 ref, u64 process, u64 thread)
{
	words[0] = vtr_fxt_header(FXT_RECORD_THREAD, VTR_FXT_THREAD_WORDS) |
		   (u64)ref << __builtin_ctzll(FXT_THREAD_INDEX);
	words[1] = process;
	words[2] = thread;
	return VTR_FXT_THREAD_WORDS;
}

/* First word of an argument whose name is in the string table. */
#define VTR_FXT_ARG(type, nr_words, name)				\
	((u64)(type) | (u64)(nr_words) << __builtin_ctzll(FXT_HEADER_WORDS) | \
	 (u64)(name) << __builtin_ctzll(FXT_ARG_NAME))

/**
 * vtr_fxt_put_wakeup() - compose a wakeup record
 * @words: destination
 * @base: return value of vtr_fxt_wakeup_base() or vtr_fxt_wakeup_in()
 * @now: timestamp in ticks
 * @thread: koid of the thread that is woken
 *
 * Context: any. Hot. Format: "Context switch record", subtype 2.
 * Return: words written.
 */
static __always_inline unsigned int
vtr_fxt_put_wakeup(u64 *words, u64 base, u64 now, u64 thread)
{
	words[0] = base;
	words[1] = now;
	words[2] = thread;
	return VTR_FXT_WAKEUP_WORDS;
}

/**
 * vtr_fxt_inline() - compose an inline string reference
 * @bytes: the string, which need not be terminated
 * @len_bytes: length of @bytes, at most 0x7fff
 *
 * Context: any. Format: "String references".
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
u64 *vtr_fxt_put_process_name(u64 *words, u64 process, const char *name);
u64 *vtr_fxt_put_thread_name(u64 *words, u64 process, u64 thread,
			     const char *name);
unsigned int vtr_fxt_put_section(u64 *words, u32 id);
unsigned int vtr_fxt_put_full(u64 *words, u32 id);
unsigned int vtr_fxt_strings_words(const struct vtr_fxt_event *event);
unsigned int vtr_fxt_put_event(u64 *words, const struct vtr_fxt_event *event);

/* Maximum length of each kind of mark, in words. */
#define VTR_MARKS_GAP_WORDS	21
#define VTR_MARKS_FROZEN_WORDS	16

unsigned int vtr_marks_put_gap(u64 *words, unsigned int cpu, u64 begin,
			       u64 end, u64 nr_records, u64 nr_bytes);
unsigned int vtr_marks_put_frozen(u64 *words, u64 now, u64 process, u64 thread,
				  const char *cause, u64 value);

#endif /* _VTR_FXT_H */
