/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by read-trace-cmd and read-tracefs, which convert events of ftrace. main.c reads a
 * file of trace-cmd and merges its CPUs, tracefs.c reads events while they are recorded.
 * For both, kind.c classifies event types, event.c converts events to records, and field.c
 * reads the fields of events. The programs have one thread.
 *
 * libtracecmd trusts the file in many places. These programs therefore check that each field
 * is inside its record before they read the field.
 */
#ifndef _VITRINE_TRACECMD_READER_H
#define _VITRINE_TRACECMD_READER_H

#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "fxt_names.h"
#include "fxt_record.h"
#include "fxt_write.h"
#include "ids.h"
#include "left_out.h"

struct tracecmd_input;

/* Maximum length of a generated argument name, for example that of an array element. */
#define ARG_NAME_BYTES	64

/* Maximum length of the text of a symbolic value. */
#define ARG_TEXT_BYTES	128

/* How an event is converted. */
enum event_kind {
	KIND_SWITCH,
	KIND_WAKEUP,
	KIND_FORK,
	KIND_LOG,
	KIND_SOFTIRQ,
	KIND_IRQ,
	KIND_OTHER,
};

/**
 * struct kind - how events of a type are converted
 * @event: description of the type by libtracecmd
 * @kind: how its events are converted
 * @type: enum fxt_event_type of the records, if they are events
 * @exact: of wakeups: the event was recorded on the CPU of the waker
 * @category: category of the records
 * @name: name of the records
 */
struct kind {
	struct tep_event *event;
	enum event_kind kind;
	unsigned int type;
	bool exact;
	struct vitrine_fxt_string category;
	struct vitrine_fxt_string name;
};

/**
 * struct cpu - a CPU of the source
 * @lane: lane of the output to which its records are written
 * @next: its next record, or NULL after the last one
 * @begun: a record of this CPU has been read
 * @last_ns: time of the last record; in read-tracefs in ticks of the session
 * @seen: page of the last record in memory
 * @released: the pages from here to @seen have not been released yet
 * @irq: name of the interrupt that the CPU is serving
 */
struct cpu {
	struct fxt_lane_out *lane;
	struct tep_record *next;
	bool begun;
	uint64_t last_ns;
	uintptr_t seen;
	uintptr_t released;
	char irq[64];
};

/**
 * struct reader - a source being read: a file, or an instance of tracefs
 * @path: its name
 * @input: handle of libtracecmd, or NULL
 * @tep: formats of events; those of a file are owned by @input
 * @process_of: return the process of a thread; NULL: each thread is its own process
 * @out: the Fuchsia trace
 * @cpus: CPUs by number
 * @nr_cpus: number of @cpus
 * @kinds: registry of struct kind
 * @named: threads whose names are known
 * @beside: the module records switches, wakeups and durations in the same trace: each event
 *	becomes an instant, with symbolic values and without kernel addresses
 * @waking: the file has sched_waking events, so sched_wakeup is not needed
 * @nr_before: number of events missing before the first event of a CPU
 * @nr_gaps: number of gaps of unknown length
 * @left_out: counts of what FXT cannot represent
 * @ids: thread ids in the output
 * @told: threads of the file
 * @made_up: idle threads, which have no id of their own in the file
 * @record: the current record
 * @names: generated names of its arguments
 * @texts: symbolic values of its arguments
 */
struct reader {
	const char *path;
	struct tracecmd_input *input;
	struct tep_handle *tep;
	uint64_t (*process_of)(struct reader *reader, uint64_t tid);
	struct fxt_out *out;
	struct cpu *cpus;
	unsigned int nr_cpus;
	void *kinds;
	struct fxt_names named;
	bool beside;
	bool waking;
	uint64_t nr_before;
	uint64_t nr_gaps;
	struct left_out left_out;
	struct ids ids;
	struct ids_source told;
	struct ids_source made_up;
	struct vitrine_fxt_record record;
	char names[FXT_MAX_ARGS][ARG_NAME_BYTES];
	char texts[FXT_MAX_ARGS][ARG_TEXT_BYTES];
};

/* kind.c */
const struct kind *kind_of(struct reader *reader, struct tep_event *event);
void destroy_kinds(struct reader *reader);

/* event.c */
int tell(struct vitrine_error *err);
struct vitrine_error *put_event(struct reader *reader, struct cpu *cpu,
				struct tep_record *from);
void reader_deinit(struct reader *reader);

/* field.c */
bool get_number(const struct kind *kind, const struct tep_record *from,
		const char *name, int64_t *ret);
bool get_text(const struct kind *kind, const struct tep_record *from,
	      const char *name, struct vitrine_fxt_string *ret);
void add_arguments(struct reader *reader, const struct kind *kind,
		   const struct tep_record *from, const char *skip);

#endif /* _VITRINE_TRACECMD_READER_H */
