/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One FXT record: decode it, and look into its decoded form.
 */
#ifndef _VITRINE_LIB_FXT_RECORD_H
#define _VITRINE_LIB_FXT_RECORD_H

#include "fxt_field.h"

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

unsigned int fxt_threads(const struct vitrine_fxt_record *record,
			 struct vitrine_fxt_thread ret[2]);

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

static inline bool fxt_string_is(const struct vitrine_fxt_string *string,
				 const char *text)
{
	return string->len_bytes == strlen(text) &&
	       !memcmp(string->bytes, text, string->len_bytes);
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

static inline int32_t fxt_weight(const struct vitrine_fxt_record *record,
				 uint8_t legacy_priority, const char *name)
{
	const struct vitrine_fxt_arg *arg;

	if (record->context_switch.legacy)
		return legacy_priority;
	arg = fxt_find_arg(record, name);
	return arg && arg->type == FXT_ARG_INT32 ? arg->value.int64 : 0;
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
	const struct vitrine_fxt_arg *arg;

	if (!thread->thread)
		return true;
	arg = fxt_find_arg(record, weight);
	return arg && arg->type == FXT_ARG_INT32 && arg->value.int64 == INT32_MIN;
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

#endif /* _VITRINE_LIB_FXT_RECORD_H */
