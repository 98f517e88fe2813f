/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace records as events of the Common Trace Format, named as LTTng names
 * those of the Linux kernel, so that what reads kernel traces reads ours.
 *
 * dialect.c makes the classes; dialect_fill.c fills events, and is who knows of
 * threads what @comms, @recent, @idle and @told say. Both are called by one thread.
 */
#ifndef _VITRINE_BABELTRACE_DIALECT_H
#define _VITRINE_BABELTRACE_DIALECT_H

#include <babeltrace2/babeltrace.h>

#include "feed.h"
#include "fxt.h"

/* More classes of events than that are not made; what has none is counted. */
#define DIALECT_MAX_CLASSES	8192

#define DIALECT_RECENT	256

/* What a thread is called, or idle on a CPU, that was just asked for. */
struct dialect_name {
	uint64_t key;
	const char *text;
};

struct dialect_idle {
	uint64_t key;
	char text[24];
};

/**
 * struct dialect - the classes of a trace
 * @trace_class: of the trace
 * @cpu_class: of streams of a CPU
 * @other_class: of streams of no CPU
 * @sched_switch: event classes of @cpu_class, as LTTng has them
 * @sched_waking: LTTng's fields, and who wakes
 * @cpu_process_state: says which process a thread belongs to
 * @other_process_state: the same in @other_class
 * @classes: all other event classes, a tree of tsearch()
 * @nr_classes: how many
 * @comms: names of threads as strings that end; used: its process was told
 * @recent: by koid, plus one, threads lately named
 * @idle: by CPU, plus one, what idle is called there
 * @told: by koid, plus one, threads known to be told
 * @archive: knows names
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
	struct dialect_name recent[DIALECT_RECENT];
	struct dialect_idle idle[DIALECT_RECENT];
	uint64_t told[DIALECT_RECENT];
	const struct vitrine_archive *archive;
};

/* dialect.c */
bool dialect_init(struct dialect *dialect, bt_self_component *component,
		  bt_clock_class *clock);
void dialect_deinit(struct dialect *dialect);
bt_event_class *dialect_class(struct dialect *dialect, bool cpu,
			      const struct vitrine_fxt_record *record);

/* dialect_fill.c */
bool dialect_fill(struct dialect *dialect, bt_event *event,
		  const struct vitrine_fxt_record *record);
unsigned int dialect_threads(const struct vitrine_fxt_record *record,
			     const struct vitrine_fxt_thread **ret);
void dialect_forget(struct dialect *dialect);
bool dialect_told(struct dialect *dialect,
		  const struct vitrine_fxt_thread *thread, bool *ret);
bool dialect_fill_process(struct dialect *dialect, bt_event *event,
			  const struct vitrine_fxt_thread *thread);

/* How an event's name, and its payload, come to be. */
enum dialect_naming {
	NAMING_PLAIN,		/* category:name, arguments */
	NAMING_SYSCALL,		/* syscall_entry_NAME, arguments */
	NAMING_SOFTIRQ,		/* irq_softirq_entry, vec */
	NAMING_VECTOR,		/* x86_irq_vectors_NAME_entry, arguments */
	NAMING_IRQ,		/* irq_handler_entry, name and arguments */
	NAMING_LOG,		/* message */
};

enum dialect_naming dialect_naming(const struct vitrine_fxt_record *record);
int dialect_softirq(const struct vitrine_fxt_string *name);

/* An event of that type tells its id. */
static inline bool dialect_has_id(unsigned int type)
{
	return type == FXT_EVENT_COUNTER || type > FXT_EVENT_DURATION_END;
}

/* Phases of an event, as the context says them: enum fxt_event_type. */
extern const char * const dialect_phases[FXT_EVENT_FLOW_END + 1];

#define DIALECT_VECTOR_PREFIX	"x86_irq_vectors_"
#define DIALECT_LOG		"vitrine_log"

#endif /* _VITRINE_BABELTRACE_DIALECT_H */
