/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files that read Heph's trace format share: heph_read.c knows the file,
 * its packets and its streams, and heph_event.c what becomes of an event. One
 * thread; heph_event.c touches of struct heph only @out and @left_out.
 */
#ifndef _VITRINE_CONVERT_HEPH_READ_H
#define _VITRINE_CONVERT_HEPH_READ_H

#include "fxt.h"
#include "fxt_write.h"
#include "heph.h"
#include "left_out.h"

/* Later times are this time, so that other formats can say it, too. */
#define HEPH_LAST_NS	(1ULL << 62)

/**
 * struct heph_packet - a packet
 * @offset: where it is
 * @end: where it ends
 * @event: it is an event, else metadata
 * @name: description, or name of the option
 * @stream: of an event
 * @counter: of an event
 * @substream: of an event
 * @start: of an event
 * @finish: of an event
 * @at: where attributes begin, or the option's value
 */
struct heph_packet {
	uint64_t offset;
	uint64_t end;
	bool event;
	struct vitrine_fxt_string name;
	uint32_t stream;
	uint32_t counter;
	uint64_t substream;
	uint64_t start;
	uint64_t finish;
	uint64_t at;
};

/**
 * struct heph - a file being read
 * @file: its bytes
 * @path: its name
 * @out: what becomes of it
 * @streams: struct heph_stream, a tree of tsearch()
 * @unsorted: a stream is not in the order of time
 * @places: all events, if @unsorted
 * @nr_places: how many
 * @epoch_ns: the option, or 0
 * @left_out: what FXT cannot say
 * @nr_options: options nobody knows
 */
struct heph {
	const struct fxt_file *file;
	const char *path;
	struct fxt_out *out;
	void *streams;
	bool unsorted;
	struct heph_place *places;
	size_t nr_places;
	uint64_t epoch_ns;
	struct left_out left_out;
	uint64_t nr_options;
};

/* What an event is, by its first attribute: see heph.h. */
enum heph_kind {
	KIND_OTHER,
	KIND_SWITCH,
	KIND_WAKEUP,
	KIND_NAME,
	KIND_LOG,
	KIND_EVENT,
};

/* What was found among the attributes. */
struct heph_found {
	enum heph_kind kind;
	bool out, state, wakeup, waker, process, log, category, phase;
	bool out_prio, prio, out_weight, weight, id;
	uint64_t out_value, state_value, waker_value, process_value;
	uint64_t out_prio_value, prio_value, phase_value, id_value;
	int64_t out_weight_value, weight_value;
	struct vitrine_fxt_string category_text;
};

/* The caller knows that they are there. */
static inline uint64_t heph_take(const struct heph *heph, uint64_t *at,
				 unsigned int nr_bytes)
{
	uint64_t value = 0;

	while (nr_bytes--)
		value = value << 8 | heph->file->bytes[(*at)++];
	return value;
}

/* False if it is longer than what is left up to @end. */
static inline bool heph_take_text(const struct heph *heph, uint64_t *at,
				  uint64_t end, struct vitrine_fxt_string *ret)
{
	size_t len;

	if (end - *at < 2)
		return false;
	len = heph_take(heph, at, 2);
	if (end - *at < len)
		return false;
	ret->bytes = (const char *)heph->file->bytes + *at;
	ret->len_bytes = len;
	*at += len;
	return true;
}

/* heph_read.c */
struct vitrine_error *heph_malformed(const struct heph *heph, uint64_t offset,
				     const char *what);

/* heph_event.c */
struct vitrine_error *heph_take_attributes(struct heph *heph,
					   const struct heph_packet *packet,
					   struct vitrine_fxt_record *record,
					   struct heph_found *ret);
bool heph_learn_name(struct heph *heph, const struct heph_packet *packet,
		     const struct heph_found *found);
void heph_make_record(const struct heph *heph,
		      const struct heph_packet *packet,
		      const struct heph_found *found,
		      struct vitrine_fxt_record *record);

#endif /* _VITRINE_CONVERT_HEPH_READ_H */
