/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of the sink: sink.c contains the component, its streams, and the
 * handling of lost records; sink_class.c classifies event classes; sink_event.c converts
 * events to records. All functions are called by one thread.
 */
#ifndef _VITRINE_BABELTRACE_SINK_H
#define _VITRINE_BABELTRACE_SINK_H

#include <babeltrace2/babeltrace.h>

#include "args.h"
#include "fxt_write.h"
#include "ids.h"
#include "left_out.h"

/* How an event is converted. */
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
 * struct sink_fields - field names of a recorder
 * @outgoing: outgoing thread of a switch
 * @incoming: incoming thread of a switch
 * @woken: thread that is woken up
 * @prio_base: added to a priority gives the kernel's priority
 * @thread: thread of the event, if the payload has it, or NULL
 * @process: process of that thread
 * @said: fields that scheduling records represent, or NULL for all
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
 * struct sink_class - how events of a class are converted
 * @class: the class
 * @fields: names of its fields
 * @kind: how its events are converted
 * @type: enum fxt_event_type of the records, if the name determines it
 * @exact: of wakeups: the event was recorded on the CPU of the waker
 * @category: category of the records
 * @name: name of the records
 * @text: the string that @category and @name point into
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
 * @stream: the stream of libbabeltrace2
 * @lane: lane of the output, or NULL before the first packet
 * @cpu: CPU of its packets, or VITRINE_FXT_NO_CPU
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
 * @classes: tree of struct sink_class, by tsearch()
 * @streams: all streams so far
 * @nr_streams: number of @streams
 * @nr_lost_packets: number of missing packets
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
	struct left_out left_out;
	struct ids ids;
	struct ids_source told;
	struct ids_source made_up;
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
