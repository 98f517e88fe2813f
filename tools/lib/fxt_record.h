/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One FXT record: the table of its kinds and their fields, its decoder, functions that look into
 * its decoded form, and its encoder.
 *
 * An encoder appends records to words of the caller, by the masks of <vitrine/fxt.h>. It
 * is used by one thread at a time.
 */
#ifndef _VITRINE_LIB_FXT_RECORD_H
#define _VITRINE_LIB_FXT_RECORD_H

#include <vitrine/fxt.h>

#include "fxt_field.h"
#include "vitrine.h"

#define FXT_NR_PHASES	(FXT_EVENT_FLOW_END + 1)

/**
 * struct fxt_phase - a type of event
 * @name: name in output and options of the command, and in Python
 * @ctf: label in the Common Trace Format
 * @has_word: the record ends with a word: end ticks, a counter or correlation id
 */
struct fxt_phase {
	const char *name;
	const char *ctf;
	bool has_word;
};

/* By enum fxt_event_type. */
extern const struct fxt_phase fxt_phases[FXT_NR_PHASES];

/**
 * enum fxt_op - what a field is, in the words of a record and in struct vitrine_fxt_record
 * @FXT_BITS: a number in its mask, in 32 bits
 * @FXT_BYTE: a number in its mask, in 8 bits
 * @FXT_CONTEXT: what made a wakeup in its mask, in 8 bits; 0 is not shown
 * @FXT_PHASE: the type of an event in its mask, in 32 bits
 * @FXT_TICKS: a word: the timestamp
 * @FXT_WORD: a word
 * @FXT_ADDRESS: a word, which is printed in hexadecimal
 * @FXT_TEXT: a stream of UTF-8, whose length is in its mask
 * @FXT_BYTES: a stream of bytes, whose length is in its mask
 * @FXT_STRING: a string, with a reference in its mask
 * @FXT_THREAD: a thread, with a reference in its mask; without a mask, it is inline
 * @FXT_KOID: a word: a thread without its process
 * @FXT_PROCESS: a process, with a reference to a thread of it in its mask
 * @FXT_ARGS: arguments, whose number is in its mask
 * @FXT_LAST_WORD: the last word of an event, if its type has one
 * @FXT_SECOND_WORD: the word to which the masks of a large blob belong
 * @FXT_PAYLOAD: length and bytes of a large blob
 * @FXT_SHOWN: nothing; another field has the string, which is printed here
 */
enum fxt_op {
	FXT_BITS = 1,
	FXT_BYTE,
	FXT_CONTEXT,
	FXT_PHASE,
	FXT_TICKS,
	FXT_WORD,
	FXT_ADDRESS,
	FXT_TEXT,
	FXT_BYTES,
	FXT_STRING,
	FXT_THREAD,
	FXT_KOID,
	FXT_PROCESS,
	FXT_ARGS,
	FXT_LAST_WORD,
	FXT_SECOND_WORD,
	FXT_PAYLOAD,
	FXT_SHOWN,
};

/**
 * struct fxt_field - a field of a record
 * @op: enum fxt_op
 * @at: its offset in struct vitrine_fxt_record
 * @shift: position of the lowest bit of @mask
 * @mask: its bits in the header of the record, or in the second word of a large blob
 * @what: its name in reports of faults
 * @key: its name in JSON, or NULL
 * @word: names its value; returns NULL for a number that has no name
 */
struct fxt_field {
	uint8_t op;
	uint8_t at;
	uint8_t shift;
	uint64_t mask;
	const char *what;
	const char *key;
	const char *(*word)(unsigned int value);
};

/**
 * struct fxt_row - a kind of records
 * @header: bits of the header that tell the kind: the type of the record and its subtype
 * @name: word for it in filters and in JSON
 * @text: line of text; %1 to %9 stand for the fields
 * @fields: the fields in the order of their words, up to one without an @op
 */
struct fxt_row {
	uint64_t header;
	const char *name;
	const char *text;
	struct fxt_field fields[10];
};

#define FXT_NR_ROWS	(VITRINE_FXT_LARGE_BLOB + 4)

/* By enum vitrine_fxt_kind, and behind these the variants of some kinds. */
extern const struct fxt_row fxt_rows[FXT_NR_ROWS];

const struct fxt_row *fxt_row_of(const struct vitrine_fxt_record *record);
struct vitrine_fxt_thread *fxt_thread_of(const struct vitrine_fxt_record *record,
					 unsigned int i);

/**
 * enum fxt_result - result of decoding a record
 * @FXT_OK: the record is valid
 * @FXT_BAD_RECORD: the record is malformed, but its size is known
 * @FXT_BAD_FRAME: the size of the record is not usable
 * @FXT_END: there is no further record
 * @FXT_STOP: out of memory or of providers, see fxt_decoder.stop
 */
enum fxt_result {
	FXT_OK,
	FXT_BAD_RECORD,
	FXT_BAD_FRAME,
	FXT_END,
	FXT_STOP,
};

enum fxt_result fxt_decode(struct fxt_decoder *decoder,
			   struct fxt_provider *provider, uint64_t offset,
			   struct vitrine_fxt_record *ret);

/**
 * fxt_written_ticks() - return the time at which a record was written
 * @record: record with a timestamp
 *
 * Return: ticks. The timestamp of a complete duration is its begin; it was written
 * at its end.
 */
static inline uint64_t
fxt_written_ticks(const struct vitrine_fxt_record *record)
{
	if (record->kind == VITRINE_FXT_EVENT &&
	    record->event.type == FXT_EVENT_DURATION_COMPLETE)
		return record->event.id;
	return record->ticks;
}

/**
 * fxt_may_be_late() - test whether a record may be older than the records before it
 * @record: record with a timestamp
 *
 * The module writes the begin of a system call late: when the call ends, or just
 * before the switch in which its thread goes off the CPU.
 *
 * Return: true if the record may be.
 */
static inline bool fxt_may_be_late(const struct vitrine_fxt_record *record)
{
	return record->kind == VITRINE_FXT_EVENT &&
	       record->event.type == FXT_EVENT_DURATION_BEGIN;
}

/* Return the length of a record without the arguments that it does not have. */
static inline size_t fxt_record_bytes(const struct vitrine_fxt_record *record)
{
	return offsetof(struct vitrine_fxt_record, args) +
	       record->nr_args * sizeof(record->args[0]);
}

/* Return the first argument of @record with that name, or NULL. */
static inline const struct vitrine_fxt_arg *
fxt_find_arg(const struct vitrine_fxt_record *record, const char *name)
{
	unsigned int i;

	for (i = 0; i < record->nr_args; i++)
		if (fxt_string_is(&record->args[i].name, name))
			return &record->args[i];
	return NULL;
}

/* Return that argument if it is of @type, or NULL. */
static inline const struct vitrine_fxt_arg *
fxt_find_typed(const struct vitrine_fxt_record *record, const char *name, unsigned int type)
{
	const struct vitrine_fxt_arg *arg = fxt_find_arg(record, name);

	return arg && arg->type == type ? arg : NULL;
}

/* Append an argument without a value. @record has room for it; @name is not copied. */
static inline struct vitrine_fxt_arg *
fxt_add_arg(struct vitrine_fxt_record *record, unsigned int type,
	    const char *name)
{
	struct vitrine_fxt_arg *arg = &record->args[record->nr_args++];

	arg->type = type;
	arg->name = (struct vitrine_fxt_string){ name, strlen(name) };
	return arg;
}

/* Append a weight to a switch or to a wakeup. */
static inline void fxt_add_weight(struct vitrine_fxt_record *record,
				  const char *name, int32_t weight)
{
	fxt_add_arg(record, FXT_ARG_INT32, name)->value.int64 = weight;
}

static inline void fxt_add_waker(struct vitrine_fxt_record *record,
				 uint64_t thread)
{
	fxt_add_arg(record, FXT_ARG_KOID, "waker")->value.uint64 = thread;
}

/*
 * Check whether an interrupt made a wakeup. The thread that ran on the CPU has nothing to do with
 * it, and the waker is thread 0. In the other contexts the waker is the thread that ran there;
 * if it is FXT_WAKEUP_SOFTIRQ_IN_CALL, an interrupt during its call may have been the cause.
 */
static inline bool fxt_is_by_interrupt(const struct vitrine_fxt_record *record)
{
	return record->wakeup_context == FXT_WAKEUP_HARDIRQ ||
	       record->wakeup_context == FXT_WAKEUP_SOFTIRQ;
}

static inline int32_t fxt_weight(const struct vitrine_fxt_record *record,
				 uint8_t legacy_priority, const char *name)
{
	const struct vitrine_fxt_arg *arg;

	if (record->context_switch.legacy)
		return legacy_priority;
	arg = fxt_find_typed(record, name, FXT_ARG_INT32);
	return arg ? arg->value.int64 : 0;
}

/* Return the weight of the outgoing thread of a switch; in the legacy form, its priority. */
static inline int32_t
fxt_outgoing_weight(const struct vitrine_fxt_record *record)
{
	return fxt_weight(record, record->context_switch.outgoing_priority,
			  "outgoing_weight");
}

static inline int32_t
fxt_incoming_weight(const struct vitrine_fxt_record *record)
{
	return fxt_weight(record, record->context_switch.incoming_priority,
			  "incoming_weight");
}

/*
 * Check whether a thread of a switch is the idle thread of its CPU, which recent records mark
 * by its weight; @weight is "outgoing_weight" or "incoming_weight".
 */
static inline bool fxt_is_idle(const struct vitrine_fxt_record *record,
			       const struct vitrine_fxt_thread *thread, const char *weight)
{
	unsigned int i;

	if (!thread->thread)
		return true;
	/* Few weights are that small, so the name is compared last. */
	for (i = 0; i < record->nr_args; i++)
		if (record->args[i].type == FXT_ARG_INT32 &&
		    record->args[i].value.int64 == INT32_MIN &&
		    fxt_string_is(&record->args[i].name, weight))
			return true;
	return false;
}

/*
 * Thread, in process 0, that stands for all threads of a CPU that `vitrine cut' left out. No
 * thread has such an id.
 */
#define FXT_OTHERS_THREAD(cpu)	(0x7ffe0000U + (cpu))
#define FXT_OTHERS_NAME		"not recorded"

static inline bool fxt_is_others(uint64_t koid)
{
	return koid - FXT_OTHERS_THREAD(0) < 0x10000;
}

/* Return the priority of the incoming thread of a switch, 0 if its weight is not a priority. */
static inline uint8_t
fxt_incoming_priority(const struct vitrine_fxt_record *record)
{
	int32_t weight = fxt_incoming_weight(record);

	return weight > 0 && weight <= UINT8_MAX ? weight : 0;
}

/* The record has no place for a reference to the thread. */
#define FXT_NO_SHIFT	64

/*
 * Return the index of a string in the string table of the archive, in which it is registered
 * before the record that is being encoded; 0 if it is to be inline in the record.
 */
typedef unsigned int fxt_encode_intern(void *ctx, const struct vitrine_fxt_string *string);

/**
 * struct fxt_encoder - words, and the thread references of the last record
 * @words: the words
 * @size: room for so many words
 * @nr: words so far; more than @size if there was no room
 * @inline_threads: write threads inline, instead of leaving room for a reference
 * @intern: registers strings; NULL: all are inline
 * @ctx: passed to @intern
 * @threads: unless @inline_threads, threads that the last record of fxt_encode() refers to
 * @shifts: bit position of each reference in @words[@ref_word], or FXT_NO_SHIFT
 * @nr_threads: number of these threads
 * @ref_word: index of the word that holds their references
 */
struct fxt_encoder {
	uint64_t *words;
	unsigned int size;
	unsigned int nr;
	bool inline_threads;
	fxt_encode_intern *intern;
	void *ctx;
	struct vitrine_fxt_thread threads[2];
	unsigned int shifts[2];
	unsigned int nr_threads;
	unsigned int ref_word;
};

bool fxt_encode(struct fxt_encoder *to,
		const struct vitrine_fxt_record *record);
void fxt_encode_magic(struct fxt_encoder *to);
void fxt_encode_provider(struct fxt_encoder *to, enum vitrine_fxt_kind kind,
			 uint32_t provider, const char *name);
void fxt_encode_initialization(struct fxt_encoder *to,
			       uint64_t ticks_per_second);
void fxt_encode_blob(struct fxt_encoder *to, const char *name,
		     const void *payload, size_t len_bytes);
void fxt_encode_string(struct fxt_encoder *to, unsigned int index,
		       const struct vitrine_fxt_string *string);
void fxt_encode_thread(struct fxt_encoder *to, unsigned int index,
		       const struct vitrine_fxt_thread *thread);
void fxt_encode_object(struct fxt_encoder *to, unsigned int type, uint64_t koid,
		       const struct vitrine_fxt_string *name,
		       const uint64_t *process);
void fxt_encode_refer(struct fxt_encoder *to,
		      const struct vitrine_fxt_thread *thread,
		      unsigned int shift);
void fxt_mend_text(void *text, size_t len_bytes);

/**
 * struct fxt_source - a source of events of the module
 * @category: its category
 * @takes_cpu: its complete events are times in which something else ran than the thread
 * @what: what its events are
 */
struct fxt_source {
	const char *category;
	bool takes_cpu;
	const char *what;
};

const struct fxt_source *fxt_source_find(const struct vitrine_fxt_string *category);

#endif /* _VITRINE_LIB_FXT_RECORD_H */
