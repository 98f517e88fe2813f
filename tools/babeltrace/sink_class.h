/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Event classes of libbabeltrace2, classified by their names. All functions are called by
 * one thread.
 */
#ifndef _VITRINE_BABELTRACE_SINK_CLASS_H
#define _VITRINE_BABELTRACE_SINK_CLASS_H

#include <babeltrace2/babeltrace.h>

#include "fxt_record.h"

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

const struct sink_class *sink_class_of(void **classes,
				       const bt_event_class *class);
void sink_class_destroy_all(void *classes);

#endif /* _VITRINE_BABELTRACE_SINK_CLASS_H */
