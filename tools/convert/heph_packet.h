/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packets of a file in Heph's trace format, and the file that is being converted. All
 * functions are called by one thread.
 */
#ifndef _VITRINE_CONVERT_HEPH_PACKET_H
#define _VITRINE_CONVERT_HEPH_PACKET_H

#include <vitrine/fxt.h>

#include "fxt_file.h"
#include "fxt_write.h"
#include "heph.h"
#include "left_out.h"

/* Later times are clipped to this one, so that other formats can represent them, too. */
#define HEPH_LAST_NS	(1ULL << 62)

/* Room for the name of an element of an array. */
#define HEPH_ELEMENT_BYTES	256

/**
 * struct heph_packet - a packet
 * @offset: position in the file
 * @end: position of the end
 * @event: the packet is an event, otherwise it is metadata
 * @name: description of an event, or name of an option
 * @stream: stream of an event
 * @counter: counter of an event
 * @substream: substream of an event
 * @start: start time of an event
 * @finish: end time of an event
 * @at: position of the attributes of an event, or of the value of an option
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
 * struct heph - a file that is being converted
 * @file: contents of the file
 * @path: name of the file
 * @out: the Fuchsia trace
 * @streams: registry of struct heph_stream
 * @unsorted: a stream is not in time order
 * @places: all events in time order, if @unsorted
 * @nr_places: number of @places
 * @epoch_ns: value of the option of that name, or 0
 * @left_out: counts of what FXT cannot represent
 * @nr_options: number of unknown options
 * @element_names: by argument of a record, name of an element of an array
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
	char element_names[FXT_MAX_ARGS][HEPH_ELEMENT_BYTES];
};

/* Read a number of @nr_bytes at *@at; the caller has checked that they are in the file. */
static inline uint64_t heph_take(const struct heph *heph, uint64_t *at,
				 unsigned int nr_bytes)
{
	uint64_t value = 0;

	while (nr_bytes--)
		value = value << 8 | heph->file->bytes[(*at)++];
	return value;
}

/* Read a string at *@at. Return false if it exceeds @end. */
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

struct vitrine_error *heph_malformed(const struct heph *heph, uint64_t offset,
				     const char *what);
struct vitrine_error *heph_take_packet(const struct heph *heph, uint64_t offset,
				       struct heph_packet *ret);

#endif /* _VITRINE_CONVERT_HEPH_PACKET_H */
