/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Heph's trace format, version 0.1: packets of big-endian fields.
 *
 *	metadata	magic, size, name of the option, its value
 *	event		magic, size, stream, counter, substream, start, end,
 *			description, attributes
 *
 * In files that vitrine writes, a stream is a CPU, a substream is a thread, and the
 * attributes of an event identify its kind:
 *
 *	switch		substream and description: the incoming thread;
 *			out, state; out_prio, prio, or out_weight, weight
 *	wakeup		the thread that is woken up; wakeup: 1; weight, waker, context
 *	name		a thread and its name; process
 *	message		log: 1
 *	event		category; phase, except for complete durations; id;
 *			arguments
 *
 * Lost records are a gap in the counter of the stream.
 *
 * Events of other writers have the category "heph" in a Fuchsia trace. Their process there is
 * the stream and their thread the substream, and the elements of an array are arguments called
 * NAME[0], NAME[1] and so on. Only such events are written with arrays.
 */
#ifndef _VITRINE_CONVERT_HEPH_H
#define _VITRINE_CONVERT_HEPH_H

#include "vitrine.h"
#include "left_out.h"

#define HEPH_METADATA_MAGIC	0x75d11d4dU
#define HEPH_EVENT_MAGIC	0xc1fc1fb7U
#define HEPH_METADATA_BYTES	10
#define HEPH_EVENT_BYTES	42
#define HEPH_EPOCH		"epoch"

/* Category of events of other writers. */
#define HEPH_CATEGORY		"heph"

/* Length of a packet that Heph's own converter reads: the smallest limit for packets. */
#define HEPH_PACKET_BYTES	128

/* Longer than any event of a Fuchsia trace. */
#define HEPH_MAX_BYTES		(1U << 21)

/* Stream of records without a CPU; the provider is added. */
#define HEPH_OTHER_STREAM	0x80000000U

enum heph_type {
	HEPH_UINT64	= 1,
	HEPH_INT64	= 2,
	HEPH_DOUBLE	= 3,
	HEPH_STRING	= 4,
	HEPH_ARRAY	= 0x80,
};

bool heph_detect(const void *bytes, size_t len_bytes);
struct vitrine_error *heph_write(const char *from, const char *to,
				 size_t packet_bytes, struct faults *faults);
struct vitrine_error *heph_read(const char *from, const char *name, const char *to);

struct fxt_file;
struct vitrine_error *heph_read_file(const struct fxt_file *file,
				     const char *from, const char *to,
				     FILE *notes);

#endif /* _VITRINE_CONVERT_HEPH_H */
