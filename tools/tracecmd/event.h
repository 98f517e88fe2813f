/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by read-trace-cmd and read-tracefs, which convert events of ftrace. main.c reads a
 * file of trace-cmd and merges its CPUs, tracefs.c reads events while they are recorded.
 * For both, event.c reads the fields of events. The programs have one thread.
 *
 * libtracecmd trusts the file in many places. These programs therefore check that each field
 * is inside its record before they read the field.
 */
#ifndef _VITRINE_TRACECMD_EVENT_H
#define _VITRINE_TRACECMD_EVENT_H

#include <event-parse.h>

#include "foreign.h"

struct tracecmd_input;

/* Maximum length of the text of a symbolic value. */
#define ARG_TEXT_BYTES	128

/**
 * struct cpu - a CPU of the source
 * @foreign: what the conversion of events needs
 * @next: its next record, or NULL after the last one
 * @begun: a record of this CPU has been read
 * @last_ns: time of the last record; in read-tracefs in ticks of the session
 * @seen: page of the last record in memory
 * @released: the pages from here to @seen have not been released yet
 * @pages_fd: in read-tracefs, its pages, or -1
 * @nr_lost: events that have been reported as lost
 */
struct cpu {
	struct foreign_cpu foreign;
	struct tep_record *next;
	bool begun;
	uint64_t last_ns;
	uintptr_t seen;
	uintptr_t released;
	int pages_fd;
	uint64_t nr_lost;
};

/**
 * struct reader - a source being read: a file, or an instance of tracefs
 * @foreign: its conversion
 * @path: its name
 * @input: handle of libtracecmd, or NULL
 * @tep: formats of events; those of a file are owned by @input
 * @process_of: return the process of a thread; NULL: each thread is its own process
 * @cpus: CPUs by number
 * @nr_cpus: number of @cpus
 * @beside: the module records switches, wakeups and durations in the same trace: each event
 *	becomes an instant, with symbolic values and without kernel addresses
 * @waking: the file has sched_waking events, so sched_wakeup is not needed
 * @nr_before: number of events missing before the first event of a CPU
 * @nr_gaps: number of gaps of unknown length
 * @texts: symbolic values of the arguments of the current record
 */
struct reader {
	struct foreign foreign;
	const char *path;
	struct tracecmd_input *input;
	struct tep_handle *tep;
	uint64_t (*process_of)(struct reader *reader, uint64_t tid);
	struct cpu *cpus;
	unsigned int nr_cpus;
	bool beside;
	bool waking;
	uint64_t nr_before;
	uint64_t nr_gaps;
	char texts[FXT_MAX_ARGS][ARG_TEXT_BYTES];
};

extern const struct foreign_ops event_ops;

/* End the program, whose error the command that started it reports; or do so if there is one. */
void fail(struct vitrine_error *err) __attribute__((noreturn));

static inline void must(struct vitrine_error *err)
{
	if (err)
		fail(err);
}

void put_event(struct reader *reader, struct cpu *cpu, struct tep_record *from);

#endif /* _VITRINE_TRACECMD_EVENT_H */
