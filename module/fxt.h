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

/* String table index of "process", the same in every sub-buffer. */
#define VTR_FXT_STRING_PROCESS		1

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

unsigned int vtr_fxt_put_provider(u64 *words, u32 id, const char *name);
unsigned int vtr_fxt_put_initialization(u64 *words, u64 ticks_per_second);
unsigned int vtr_fxt_put_blob(u64 *words, const char *name,
			      unsigned int len_bytes);
unsigned int vtr_fxt_put_string(u64 *words, u16 index, const char *string);
unsigned int vtr_fxt_put_thread(u64 *words, u8 ref, u64 process, u64 thread);
unsigned int vtr_fxt_put_process_name(u64 *words, u64 process,
				      const char *name);
unsigned int vtr_fxt_put_thread_name(u64 *words, u64 process, u64 thread,
				     const char *name);
unsigned int vtr_fxt_clean_name(char *clean, const char *name);

#endif /* _VITRINE_FXT_H */
