/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The Fuchsia trace format (FXT): record types, bit fields, limits.
 *
 * The writer (the module) and the reader (libvitrine) share this header;
 * Documentation/fxt.rst explains the records. Comments in quotes name the section of the
 * document "Fuchsia trace format" that defines the bits below them.
 *
 * A record is a sequence of 64-bit words in the byte order of the writer. Each mask
 * applies to one word, which its name tells: FXT_HEADER_* to the first word of any
 * record, FXT_<RECORD>_* to the first word of that record, FXT_ARG_* to the first word
 * of an argument.
 */
#ifndef _UAPI_VITRINE_FXT_H
#define _UAPI_VITRINE_FXT_H

#include <linux/types.h>

#define FXT_WORD_BYTES			8
#define FXT_MAX_RECORD_WORDS		4095
#define FXT_MAX_STRING_BYTES		32000
#define FXT_MAX_ARGS			15

/* "Magic number record": first word of an archive, in the byte order of the writer. */
#define FXT_MAGIC_RECORD		0x0016547846040010ULL

enum fxt_record_type {
	FXT_RECORD_METADATA		= 0,
	FXT_RECORD_INITIALIZATION	= 1,
	FXT_RECORD_STRING		= 2,
	FXT_RECORD_THREAD		= 3,
	FXT_RECORD_EVENT		= 4,
	FXT_RECORD_BLOB			= 5,
	FXT_RECORD_USERSPACE_OBJECT	= 6,
	FXT_RECORD_KERNEL_OBJECT	= 7,
	FXT_RECORD_SCHEDULING		= 8,
	FXT_RECORD_LOG			= 9,
	FXT_RECORD_LARGE		= 15,
};

#define FXT_HEADER_TYPE			0x000000000000000fULL
#define FXT_HEADER_WORDS		0x000000000000fff0ULL

/* "Large record header": the size has 32 bits. */
#define FXT_LARGE_WORDS			0x0000000ffffffff0ULL
#define FXT_LARGE_TYPE			0x000000f000000000ULL
#define FXT_LARGE_BLOB_FORMAT		0x00000f0000000000ULL
#define FXT_LARGE_TYPE_BLOB		0
#define FXT_LARGE_BLOB_WITH_METADATA	0
#define FXT_LARGE_BLOB_NO_METADATA	1

/* "Large BLOB record": the second word. */
#define FXT_LARGE_BLOB_CATEGORY		0x000000000000ffffULL
#define FXT_LARGE_BLOB_NAME		0x00000000ffff0000ULL
#define FXT_LARGE_BLOB_NR_ARGS		0x0000000f00000000ULL
#define FXT_LARGE_BLOB_THREAD		0x00000ff000000000ULL

/* "Metadata record" */
#define FXT_METADATA_TYPE		0x00000000000f0000ULL
enum fxt_metadata_type {
	FXT_METADATA_PROVIDER_INFO	= 1,
	FXT_METADATA_PROVIDER_SECTION	= 2,
	FXT_METADATA_PROVIDER_EVENT	= 3,
	FXT_METADATA_TRACE_INFO		= 4,
};

#define FXT_PROVIDER_ID			0x000ffffffff00000ULL
#define FXT_PROVIDER_INFO_NAME_BYTES	0x0ff0000000000000ULL
#define FXT_PROVIDER_EVENT_ID		0x00f0000000000000ULL
#define FXT_PROVIDER_EVENT_BUFFER_FULL	0
#define FXT_TRACE_INFO_TYPE		0x0000000000f00000ULL
#define FXT_TRACE_INFO_MAGIC_NUMBER	0
#define FXT_TRACE_INFO_MAGIC		0x00ffffffff000000ULL

/*
 * "String references", "String record": 0 is the empty string. With the top bit set, the
 * string is inline and the other bits are its length in bytes; otherwise they are an index.
 */
#define FXT_STRING_REF_INLINE		0x8000U
#define FXT_STRING_REF_VALUE		0x7fffU
#define FXT_STRING_INDEX		0x000000007fff0000ULL
#define FXT_STRING_BYTES		0x00007fff00000000ULL

/* "Thread references", "Thread record": reference 0 means that the thread is inline. */
#define FXT_THREAD_INDEX		0x0000000000ff0000ULL

/* "Event record" */
#define FXT_EVENT_TYPE			0x00000000000f0000ULL
#define FXT_EVENT_NR_ARGS		0x0000000000f00000ULL
#define FXT_EVENT_THREAD		0x00000000ff000000ULL
#define FXT_EVENT_CATEGORY		0x0000ffff00000000ULL
#define FXT_EVENT_NAME			0xffff000000000000ULL
enum fxt_event_type {
	FXT_EVENT_INSTANT		= 0,
	FXT_EVENT_COUNTER		= 1,
	FXT_EVENT_DURATION_BEGIN	= 2,
	FXT_EVENT_DURATION_END		= 3,
	FXT_EVENT_DURATION_COMPLETE	= 4,
	FXT_EVENT_ASYNC_BEGIN		= 5,
	FXT_EVENT_ASYNC_INSTANT		= 6,
	FXT_EVENT_ASYNC_END		= 7,
	FXT_EVENT_FLOW_BEGIN		= 8,
	FXT_EVENT_FLOW_STEP		= 9,
	FXT_EVENT_FLOW_END		= 10,
};

/* "BLOB record" */
#define FXT_BLOB_NAME			0x00000000ffff0000ULL
#define FXT_BLOB_BYTES			0x00007fff00000000ULL
#define FXT_BLOB_TYPE			0x00ff000000000000ULL
#define FXT_BLOB_TYPE_DATA		1
#define FXT_BLOB_TYPE_LAST_BRANCH	2

/* "Userspace object record" */
#define FXT_USERSPACE_OBJECT_PROCESS	0x0000000000ff0000ULL
#define FXT_USERSPACE_OBJECT_NAME	0x000000ffff000000ULL
#define FXT_USERSPACE_OBJECT_NR_ARGS	0x00000f0000000000ULL

/* "Kernel object record" */
#define FXT_KERNEL_OBJECT_TYPE		0x0000000000ff0000ULL
#define FXT_KERNEL_OBJECT_NAME		0x000000ffff000000ULL
#define FXT_KERNEL_OBJECT_NR_ARGS	0x00000f0000000000ULL
#define FXT_OBJECT_TYPE_PROCESS		1
#define FXT_OBJECT_TYPE_THREAD		2

/*
 * "Context switch record": all scheduling records have type 8, and bits 60..63 are the
 * subtype. Subtype 0 is the original context-switch record, of 16 bytes if both threads
 * are indexed: priorities have 8 bits, and priority 0 with thread id 0 is the idle
 * thread.
 */
#define FXT_SCHEDULING_SUBTYPE		0xf000000000000000ULL
enum fxt_scheduling_subtype {
	FXT_SCHEDULING_LEGACY_SWITCH	= 0,
	FXT_SCHEDULING_CONTEXT_SWITCH	= 1,
	FXT_SCHEDULING_THREAD_WAKEUP	= 2,
};

#define FXT_SWITCH_CPU			0x0000000000ff0000ULL
#define FXT_SWITCH_OUTGOING_STATE	0x000000000f000000ULL
#define FXT_SWITCH_OUTGOING_THREAD	0x0000000ff0000000ULL
#define FXT_SWITCH_INCOMING_THREAD	0x00000ff000000000ULL
#define FXT_SWITCH_OUTGOING_PRIORITY	0x000ff00000000000ULL
#define FXT_SWITCH_INCOMING_PRIORITY	0x0ff0000000000000ULL

/* Fields of subtypes 1 and 2. */
#define FXT_SCHEDULING_NR_ARGS		0x00000000000f0000ULL
#define FXT_SCHEDULING_CPU		0x0000000ffff00000ULL
#define FXT_SCHEDULING_OUTGOING_STATE	0x000000f000000000ULL

/*
 * The context that made a wakeup (subtype 2). The format does not use these bits, and readers
 * of others ignore them.
 */
#define FXT_SCHEDULING_CONTEXT		0x000000f000000000ULL
enum fxt_wakeup_context {
	FXT_WAKEUP_UNKNOWN		= 0,	/* not written by the module */
	FXT_WAKEUP_THREAD		= 1,	/* the running thread */
	FXT_WAKEUP_HARDIRQ		= 2,	/* the handler of a hardware interrupt */
	FXT_WAKEUP_SOFTIRQ		= 3,	/* a softirq */
	FXT_WAKEUP_SOFTIRQ_IN_CALL	= 4,	/* a softirq, in a call of the running thread */
};

enum fxt_thread_state {
	FXT_THREAD_NEW			= 0,	/* vitrine: still runnable, that is, preempted */
	FXT_THREAD_RUNNING		= 1,
	FXT_THREAD_SUSPENDED		= 2,
	FXT_THREAD_BLOCKED		= 3,
	FXT_THREAD_DYING		= 4,
	FXT_THREAD_DEAD			= 5,
};

/* "Log record" */
#define FXT_LOG_BYTES			0x000000007fff0000ULL
#define FXT_LOG_THREAD			0x000000ff00000000ULL

/* "Argument header": type and size are the same fields as in a record header. */
#define FXT_ARG_NAME			0x00000000ffff0000ULL
#define FXT_ARG_VALUE32			0xffffffff00000000ULL
#define FXT_ARG_STRING			0x0000ffff00000000ULL
#define FXT_ARG_BOOLEAN			0x0000000100000000ULL
enum fxt_arg_type {
	FXT_ARG_NULL			= 0,
	FXT_ARG_INT32			= 1,
	FXT_ARG_UINT32			= 2,
	FXT_ARG_INT64			= 3,
	FXT_ARG_UINT64			= 4,
	FXT_ARG_DOUBLE			= 5,
	FXT_ARG_STRING_REF		= 6,
	FXT_ARG_POINTER			= 7,
	FXT_ARG_KOID			= 8,
	FXT_ARG_BOOL			= 9,
};

#endif /* _UAPI_VITRINE_FXT_H */
