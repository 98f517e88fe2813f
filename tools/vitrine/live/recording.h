/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of a recording, which record.c puts together: notes of its processes; the rings,
 * drained into files; the settings that it changes; events of ftrace; and limits of cgroups.
 */
#ifndef _VITRINE_RECORDING_H
#define _VITRINE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fxt_file.h"
#include "input.h"
#include "sched/record_filter.h"
#include "ui/label.h"
#include "vitrine.h"

/* ---- notes.c: which processes are the recorder's, in each file ----------- */

bool notes_know_pids(void);
void notes_add(pid_t pid, const char *name);
struct vitrine_error *notes_append(struct vitrine_writer *writer, uint64_t ticks,
				   uint64_t ticks_per_second);

/* ---- recorder.c: draining the rings of all CPUs into files -------------- */

const char *trace_name(const char *name);

/**
 * struct rotation - the files of the recording: one, or several of limited size
 * @output: name of the file; with @limit_bytes, a number is put before its suffix
 * @zstd: compress, whatever @output is
 * @limit_bytes: when to begin the next file; 0: never
 * @nr_keep: complete files to keep; 0: all
 * @writer: the current file, or NULL
 * @is_noted: it has the notes of the recorder
 * @nr_files: number of the current file
 * @bytes_before: length of all files before
 */
extern struct rotation {
	const char *output;
	bool zstd;
	uint64_t limit_bytes;
	unsigned int nr_keep;
	struct vitrine_writer *writer;
	bool is_noted;
	unsigned int nr_files;
	uint64_t bytes_before;
} rotation;

struct vitrine_error *rotation_open(void);
struct vitrine_error *rotation_append(const struct vitrine_subbuf *subbuf);
struct vitrine_error *rotation_commit(void);
uint64_t rotation_len(void);

/* A CPU, with its file trace/cpu<N>. */
struct recorder_cpu {
	char *path;
	unsigned int number;
	struct vitrine_ring *ring;	/* NULL: not open now */
	uint64_t sequence;		/* sub-buffer that was written when recording began */
	struct fxt_wakers wakers;	/* what was added to its sub-buffers */
	bool seen;			/* has delivered a record */
	uint64_t nr_switches;
	uint64_t nr_wakeups;
	uint64_t nr_events;		/* all other records with a timestamp */
};

/**
 * struct recorder - the recording
 * @epoll_fd: epoll set of the rings; data.u64 is the index in @cpus
 * @filter: with the CPUs to record; NULL: all of them
 * @started: recording has begun; rings found from now on are read from their start
 * @is_over: the rings are frozen because the recording is to end; what the kernel does not
 *	write for this reason is not lost
 * @cpus: all CPUs that have a file
 * @nr_cpus: number of @cpus
 * @nr_switches: context switches recorded so far
 * @nr_lost: records lost, overwritten before they were read or never written
 * @nr_seen: CPUs that have delivered records
 * @ticks_per_second: rate of the clock of the rings
 */
extern struct recorder {
	int epoll_fd;
	const struct record_filter *filter;
	bool started;
	bool is_over;
	struct recorder_cpu *cpus;
	unsigned int nr_cpus;
	uint64_t nr_switches;
	uint64_t nr_lost;
	unsigned int nr_seen;
	uint64_t ticks_per_second;
} recorder;

struct vitrine_error *recorder_scan(void);
struct vitrine_error *recorder_begin(bool (*flush)(void));
struct vitrine_error *recorder_drain(unsigned int index);
struct vitrine_error *recorder_drain_all(void);
struct vitrine_error *recorder_finish(bool (*flush)(void));
void recorder_close(void);
void recorder_deinit(void);

/* ---- events.c: settings, and the process that restores them ------------- */

/*
 * The recorder forks the process before it changes the first setting, and announces each change
 * through a pipe. When the pipe is closed, by restorer_finish() or because the recorder was
 * killed, the process restores what was announced. Open files, and the locks that belong to
 * them, are shared by both.
 */

/**
 * struct restorer - the process, as the recorder sees it
 * @pid: its process id, 0 if there is none
 * @announce_fd: pipe to the process
 */
struct restorer {
	pid_t pid;
	int announce_fd;
};

int restorer_start(struct restorer *restorer, void (*restore)(const char *setting));
int restorer_announce(const struct restorer *restorer, const char *setting);
void restorer_finish(struct restorer *restorer);

/**
 * enum events_set - sets of categories
 * @EVENTS_NONE: none
 * @EVENTS_WAKEUPS: sched
 * @EVENTS_WHY: sched, and the categories that explain waits
 * @EVENTS_ALL: all of this kernel
 */
enum events_set {
	EVENTS_NONE,
	EVENTS_WAKEUPS,
	EVENTS_WHY,
	EVENTS_ALL,
};

/**
 * struct events_wish - what is to be recorded, until events_release()
 * @set: the categories
 * @stacks: record stacks of long waits
 * @threshold_us: with @stacks, shortest wait, blocked or runnable, that is recorded
 * @until: "CATEGORY:NAME" or "CATEGORY" of an event that freezes the rings, whose category
 *	is enabled, too; or NULL
 */
extern struct events_wish {
	enum events_set set;
	bool stacks;
	uint64_t threshold_us;
	const char *until;
} events_wish;

char *events_read(void);
char *events_next(char **text);
bool events_has_category(const char *name);
void events_prepare(void);
struct vitrine_error *events_hold(void);
struct vitrine_error *events_arm(int *ret_fd);
struct vitrine_error *events_fired(bool *ret_fired);
void events_still(void);
void events_release(void);

void close_file(int *fd);

/* ---- kernel_events.c: events of the kernel's own tracer, ftrace --------- */

/**
 * struct kernel_event_wish - an event that is to be recorded
 * @event: SYSTEM:EVENT, in which * matches any characters; kprobe:FUNCTION; or
 *	uprobe:FILE:FUNCTION
 * @filter: condition on its fields in the syntax of ftrace, or NULL
 */
struct kernel_event_wish {
	const char *event;
	const char *filter;
};

/**
 * struct kernel_events - events that are being recorded
 * @wishes: the events
 * @nr_wishes: how many; 0: nothing is recorded
 * @data_fd: sub-buffers from the helper, or -1
 * @nr_records: events recorded, known at the end
 * @nr_lost: events lost, known at the end
 */
extern struct kernel_events {
	struct kernel_event_wish *wishes;
	unsigned int nr_wishes;
	int data_fd;
	uint64_t nr_records;
	uint64_t nr_lost;
} kernel_events;

struct vitrine_error *kernel_events_names(char **ret);
void kernel_events_prepare(void);
void kernel_events_start(const struct vitrine_ring *ring);
struct vitrine_error *kernel_events_enable(void);
struct vitrine_error *kernel_events_read(void);
struct vitrine_error *kernel_events_finish(void);
void kernel_events_release(void);

/* ---- cgroups.c: limits of CPU time, which no tracepoint tells, as markers */

/* Called with a file that is in @cgroup or below it, and its path. */
typedef void cgroups_visit_fn(const char *cgroup, char *path, FILE *file);

const char *cgroups_top(void);
void cgroups_visit(const char *cgroup, const char *name, cgroups_visit_fn *visit);
void cgroups_note(const struct vitrine_marker *to);

#endif /* _VITRINE_RECORDING_H */
