/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of libbabeltrace2 as FXT records, and the file and the streams that they go to.
 * All functions are called by one thread.
 */
#ifndef _VITRINE_BABELTRACE_SINK_EVENT_H
#define _VITRINE_BABELTRACE_SINK_EVENT_H

#include <babeltrace2/babeltrace.h>

#include "args.h"
#include "fxt_write.h"
#include "ids.h"
#include "left_out.h"
#include "sink_class.h"

/**
 * struct sink_stream - a stream
 * @stream: the stream of libbabeltrace2
 * @lane: lane of the output, or NULL before the first packet
 * @cpu: CPU of its packets, or VITRINE_FXT_NO_CPU
 * @is_perf: perf recorded it
 * @nr_lost: number of records lost before @lane was known
 * @running: the running thread, valid if @switched
 * @switched: a switch was read, and nothing was lost since
 * @nr_told_early: number of records written as lost before the stream reported them
 * @irq: name of the interrupt that is being served
 */
struct sink_stream {
	const bt_stream *stream;
	struct fxt_lane_out *lane;
	uint32_t cpu;
	bool is_perf;
	uint64_t nr_lost;
	uint64_t running;
	bool switched;
	uint64_t nr_told_early;
	char irq[64];
};

/**
 * struct sink - a file being written
 * @path: name of the file
 * @iterator: message iterator
 * @out: the file, or NULL before the first stream
 * @base_ns: time 0 of the file, relative to the origin of the clocks
 * @classes: registry of struct sink_class
 * @streams: all streams so far
 * @nr_streams: number of @streams
 * @nr_lost_packets: number of missing packets
 * @nr_untimed: number of events without a time
 * @left_out: counts of what FXT cannot represent
 * @ids: threads and processes of the file
 * @told: threads and processes that messages name
 * @made_up: idle and unknown threads, which have no id in the messages
 * @record: the current record
 * @args: arguments of @record
 */
struct sink {
	char *path;
	bt_message_iterator *iterator;
	struct fxt_out *out;
	int64_t base_ns;
	void *classes;
	struct sink_stream *streams;
	unsigned int nr_streams;
	uint64_t nr_lost_packets;
	uint64_t nr_untimed;
	struct left_out left_out;
	struct ids ids;
	struct ids_source told;
	struct ids_source made_up;
	struct vitrine_fxt_record record;
	struct args args;
};

bool sink_make_record(struct sink *sink, struct sink_stream *stream,
		      const struct sink_class *class, const bt_event *event);

#endif /* _VITRINE_BABELTRACE_SINK_EVENT_H */
