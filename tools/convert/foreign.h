/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the readers of other formats share. All functions are called by one thread.
 *
 * They convert events of the Linux kernel's tracepoints, which all tracers record, to
 * records. The reader of a tracer gives the fields of an event by name; what they mean is known
 * here. Switches and wakeups become scheduling records, system calls and interrupts become
 * durations, and all other events become instants with their fields as arguments.
 */
#ifndef _VITRINE_CONVERT_FOREIGN_H
#define _VITRINE_CONVERT_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "fxt_names.h"
#include "fxt_record.h"
#include "fxt_write.h"
#include "left_out.h"

/* Names of softirqs by vector, as the module records them. */
#define KERNEL_SOFTIRQS	10

extern const char * const kernel_softirqs[KERNEL_SOFTIRQS];

bool kernel_is_ipi(const struct vitrine_fxt_string *name);

/* Maximum length of a generated argument name, for example that of an array element. */
#define FOREIGN_NAME_BYTES	64

/* How an event is converted. */
enum foreign_kind {
	FOREIGN_EVENT,
	FOREIGN_SOFTIRQ,
	FOREIGN_IRQ,
	FOREIGN_FORK,
	FOREIGN_LOG,
	FOREIGN_PROCESS,
	FOREIGN_SWITCH,
	FOREIGN_WAKEUP,
};

/**
 * struct foreign_words - what a tracer calls the fields of the kernel's tracepoints
 * @outgoing: outgoing thread of a switch
 * @incoming: incoming thread of a switch
 * @woken: thread that is woken up
 * @child: thread that is created
 * @child_process: its process, or NULL
 * @message: text of a log message
 * @prio_base: added to a priority gives the kernel's priority
 */
struct foreign_words {
	const char *outgoing;
	const char *incoming;
	const char *woken;
	const char *child;
	const char *child_process;
	const char *message;
	int prio_base;
};

/* The kernel's own words. */
extern const struct foreign_words foreign_ftrace;

/**
 * struct foreign_class - how events of a type are converted
 * @type: the type, for the reader
 * @words: names of their fields
 * @kind: how the events are converted
 * @phase: enum fxt_event_type of the records, if they are events
 * @exact: of wakeups: the event was recorded on the CPU of the waker
 * @category: category of the records
 * @name: name of the records
 */
struct foreign_class {
	const void *type;
	const struct foreign_words *words;
	enum foreign_kind kind;
	unsigned int phase;
	bool exact;
	struct vitrine_fxt_string category;
	struct vitrine_fxt_string name;
};

/**
 * struct foreign_cpu - a CPU of the source
 * @number: its number, or VITRINE_FXT_NO_CPU
 * @running: the running thread, valid if @is_known
 * @is_known: the running thread is known
 * @irq: name of the interrupt that is being served
 */
struct foreign_cpu {
	uint32_t number;
	uint64_t running;
	bool is_known;
	char irq[64];
};

/**
 * struct foreign_event - an event
 * @class: how it is converted
 * @cpu: where it was recorded
 * @from: the event, for the reader
 */
struct foreign_event {
	const struct foreign_class *class;
	struct foreign_cpu *cpu;
	const void *from;
};

/**
 * struct foreign_who - the thread of an event
 * @tid: the thread
 * @process: its process; negative: the one that is known
 * @is_thread_0: 0 is not the idle task of the CPU, but a thread of the trace
 */
struct foreign_who {
	int64_t tid;
	int64_t process;
	bool is_thread_0;
};

struct foreign;

/**
 * struct foreign_ops - what a reader provides
 * @number: read a field; return false if there is none, or it is not a number
 * @text: read a field; return false if there is none, or it is not a text
 * @who: find the thread of an event; return false if the event has none
 * @add_args: add all fields but @skip to the arguments of foreign->record
 */
struct foreign_ops {
	bool (*number)(const struct foreign_event *event, const char *name, int64_t *ret);
	bool (*text)(const struct foreign_event *event, const char *name,
		     struct vitrine_fxt_string *ret);
	bool (*who)(struct foreign *foreign, const struct foreign_event *event,
		    struct foreign_who *ret);
	void (*add_args)(struct foreign *foreign, const struct foreign_event *event,
			 const char *skip);
};

/**
 * struct foreign - a source that is being converted
 * @ops: its reader
 * @out: the Fuchsia trace
 * @classes: struct foreign_class by the addresses of their types
 * @left_out: counts of what FXT cannot represent
 * @told: threads and processes that events name, for fxt_out_id()
 * @made_up: idle and unknown threads, which have no id of their own in the source
 * @record: the current record
 * @names: generated names of its arguments
 */
struct foreign {
	const struct foreign_ops *ops;
	struct fxt_out *out;
	struct fxt_names classes;
	struct left_out left_out;
	struct fxt_names told;
	struct fxt_names made_up;
	struct vitrine_fxt_record record;
	char names[FXT_MAX_ARGS][FOREIGN_NAME_BYTES];
};

struct foreign_class *foreign_class(struct foreign *foreign, const void *type);
void foreign_classify(struct foreign_class *class, bool has_waking);
void foreign_learn(struct foreign *foreign, int64_t tid, int64_t process,
		   const struct vitrine_fxt_string *name);
bool foreign_record(struct foreign *foreign, const struct foreign_event *event);
void foreign_deinit(struct foreign *foreign);

#endif /* _VITRINE_CONVERT_FOREIGN_H */
