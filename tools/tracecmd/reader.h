/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of read-trace-cmd share. main.c has the file, its CPUs, what is
 * missing and how it ends; kind.c knows what becomes of each kind of events; event.c
 * makes records of them; field.c reads their fields. One thread.
 *
 * libtracecmd trusts the file in many places: whatever is made of its bytes here is
 * bounded by the record.
 */
#ifndef _VITRINE_TRACECMD_READER_H
#define _VITRINE_TRACECMD_READER_H

#include <trace-cmd.h>

#include "fxt.h"
#include "fxt_write.h"
#include "left_out.h"

/* An argument's name that is made, such as that of an element of an array. */
#define ARG_NAME_BYTES	64

/* What becomes of an event. */
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
 * struct kind - what is known of a kind of events
 * @event: the library's description
 * @kind: what becomes of them
 * @type: enum fxt_event_type, of what is an event
 * @exact: a wakeup on the CPU of who wakes
 * @category: of the event
 * @name: of the event
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
 * struct cpu - a CPU of the file
 * @lane: where its records go
 * @next: its next record, or NULL behind the last
 * @begun: there was one before
 * @last_ns: its time
 * @seen: where in memory the last record was
 * @released: from here on to it, what was read is still in memory
 * @irq: what the interrupt is called that is being served
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
 * struct reader - a file being read
 * @path: its name
 * @input: the library's
 * @tep: the library's, of the formats of events
 * @out: what becomes of it
 * @cpus: by number
 * @nr_cpus: how many
 * @kinds: struct kind, a tree of tsearch()
 * @named: threads that a name is known of
 * @waking: a wakeup is told when it is decided, not only when it is done
 * @nr_before: missing before the first event of a CPU
 * @nr_gaps: places where nobody knows how much is missing
 * @left_out: what FXT cannot say
 * @record: the record being made
 * @names: names of its arguments that were made
 */
struct reader {
	const char *path;
	struct tracecmd_input *input;
	struct tep_handle *tep;
	struct fxt_out *out;
	struct cpu *cpus;
	unsigned int nr_cpus;
	void *kinds;
	struct fxt_names named;
	bool waking;
	uint64_t nr_before;
	uint64_t nr_gaps;
	struct left_out left_out;
	struct vitrine_fxt_record record;
	char names[FXT_MAX_ARGS][ARG_NAME_BYTES];
};

/* kind.c */
const struct kind *kind_of(struct reader *reader, struct tep_event *event);
void destroy_kinds(struct reader *reader);

/* event.c */
bool make_record(struct reader *reader, struct cpu *cpu,
		 const struct kind *kind, const struct tep_record *from);

/* field.c */
bool get_number(const struct kind *kind, const struct tep_record *from,
		const char *name, int64_t *ret);
bool get_text(const struct kind *kind, const struct tep_record *from,
	      const char *name, struct vitrine_fxt_string *ret);
void add_arguments(struct reader *reader, const struct kind *kind,
		   const struct tep_record *from, const char *skip);

#endif /* _VITRINE_TRACECMD_READER_H */
