/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the sink share. sink.c has the component, its streams and what
 * is lost; sink_class.c knows what becomes of each class of events; sink_event.c
 * makes records of them. All are called by one thread, for one message at a time.
 */
#ifndef _VITRINE_BABELTRACE_SINK_H
#define _VITRINE_BABELTRACE_SINK_H

#include <babeltrace2/babeltrace.h>

#include "args.h"
#include "fxt_write.h"
#include "left_out.h"

/* What becomes of an event. */
enum event_kind {
	KIND_SWITCH,
	KIND_WAKEUP,
	KIND_PROCESS,
	KIND_FORK,
	KIND_LOG,
	KIND_SYSCALL,
	KIND_SOFTIRQ,
	KIND_VECTOR,
	KIND_IRQ,
	KIND_OTHER,
};

/**
 * struct sink_fields - what a recorder calls the fields of its events
 * @outgoing: thread that goes out, of a switch
 * @incoming: thread that comes in
 * @woken: thread that is woken
 * @prio_base: what lacks of its priorities to be the kernel's
 * @thread: who it was, if the payload says that; or NULL
 * @process: the process of that
 * @said: members of the payload that scheduling records say; NULL for all
 */
struct sink_fields {
	const char *outgoing;
	const char *incoming;
	const char *woken;
	int prio_base;
	const char *thread;
	const char *process;
	const char * const *said;
};

/**
 * struct sink_class - what is known of a class of events
 * @class: the class
 * @fields: names of its fields
 * @kind: what becomes of its events
 * @type: enum fxt_event_type, where the name tells
 * @exact: a wakeup on the CPU of who wakes
 * @category: of the event
 * @name: of the event
 * @text: what @category and @name point into
 */
struct sink_class {
	const bt_event_class *class;
	const struct sink_fields *fields;
	enum event_kind kind;
	unsigned int type;
	bool exact;
	struct vitrine_fxt_string category;
	struct vitrine_fxt_string name;
	char *text;
};

/**
 * struct sink_stream - a stream
 * @stream: which
 * @lane: where its records go, or NULL before its first packet
 * @cpu: of its packets, or VITRINE_FXT_NO_CPU
 * @nr_lost: lost before @lane was known
 * @running: thread that runs, if @switched
 * @switched: a switch was seen, and nothing lost since
 * @nr_told_early: told as lost before the stream said that they were discarded
 * @irq: what the interrupt is called that is being served
 */
struct sink_stream {
	const bt_stream *stream;
	struct fxt_lane_out *lane;
	uint32_t cpu;
	uint64_t nr_lost;
	uint64_t running;
	bool switched;
	uint64_t nr_told_early;
	char irq[64];
};

/**
 * struct sink - a file being written
 * @path: its name
 * @iterator: brings messages
 * @out: the file, or NULL before the first stream
 * @base_ns: where time 0 of the file is, from the origin of the clocks
 * @classes: struct sink_class, a tree of tsearch()
 * @streams: all that came
 * @nr_streams: how many
 * @nr_lost_packets: packets that are missing
 * @left_out: what FXT cannot say
 * @record: the record being made
 * @args: of its arguments
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
	struct left_out left_out;
	struct vitrine_fxt_record record;
	struct args args;
};

/* sink_class.c */
const struct sink_class *sink_class_of(struct sink *sink,
				       const bt_event_class *class);
void sink_destroy_classes(struct sink *sink);

/* sink_event.c */
bool sink_make_record(struct sink *sink, struct sink_stream *stream,
		      const struct sink_class *class, const bt_event *event);

#endif /* _VITRINE_BABELTRACE_SINK_H */
