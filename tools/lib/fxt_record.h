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

#endif /* _VITRINE_LIB_FXT_RECORD_H */
