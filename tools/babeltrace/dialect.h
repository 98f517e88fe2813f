/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Convert records to events of the Common Trace Format. The events have the names that LTTng
 * gives to kernel events, so that programs that read kernel traces of LTTng can read them.
 *
 * All functions are called by one thread.
 */
#ifndef _VITRINE_BABELTRACE_DIALECT_H
#define _VITRINE_BABELTRACE_DIALECT_H

#include <babeltrace2/babeltrace.h>

#include "fxt_names.h"

/**
 * struct dialect - the classes of a trace
 * @trace_class: class of the trace
 * @cpu_class: class of streams of a CPU
 * @other_class: class of streams without a CPU
 * @sched_switch: event class of @cpu_class with the fields of LTTng
 * @sched_waking: event class of @cpu_class with the fields of LTTng, and the waker
 * @cpu_process_state: event class of @cpu_class that gives the process of a thread
 * @other_process_state: the same in @other_class
 * @classes: all other event classes, a tree of tsearch()
 * @nr_classes: number of @classes
 * @comms: names of threads, terminated by a null byte; used: the process of the thread has
 *	been written
 * @archive: the trace, for the names of threads
 */
struct dialect {
	bt_trace_class *trace_class;
	bt_stream_class *cpu_class;
	bt_stream_class *other_class;
	bt_event_class *sched_switch;
	bt_event_class *sched_waking;
	bt_event_class *cpu_process_state;
	bt_event_class *other_process_state;
	void *classes;
	unsigned int nr_classes;
	struct fxt_names comms;
	const struct vitrine_archive *archive;
};

bool dialect_init(struct dialect *dialect, bt_self_component *component,
		  bt_clock_class *clock);
void dialect_deinit(struct dialect *dialect);
bt_event_class *dialect_class(struct dialect *dialect, bool cpu,
			      const struct vitrine_fxt_record *record);

bool dialect_fill(struct dialect *dialect, bt_event *event,
		  const struct vitrine_fxt_record *record);
void dialect_forget(struct dialect *dialect);
bool dialect_told(struct dialect *dialect,
		  const struct vitrine_fxt_thread *thread, bool *ret);
bool dialect_fill_process(struct dialect *dialect, bt_event *event,
			  const struct vitrine_fxt_thread *thread);
bool dialect_is_pair(const struct vitrine_fxt_record *record);

#define DIALECT_VECTOR_PREFIX	"x86_irq_vectors_"
#define DIALECT_LOG		"vitrine_log"
/* LTTng subtracts this from the kernel's priorities, so that those of normal threads begin at 0. */
#define MAX_RT_PRIO		100

#endif /* _VITRINE_BABELTRACE_DIALECT_H */
