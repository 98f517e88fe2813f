/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of a recording, which record.c puts together: the rings, drained into files; the
 * settings that it changes; events of ftrace; and limits of cgroups.
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

/* ---- recorder.c: draining the rings of all CPUs into files -------------- */

const char *trace_name(const char *name);

/**
 * struct rotation - the files of a recording: one, or several of limited size
 * @output: name of the file; with @limit_bytes, a number is put before its suffix
 * @zstd: compress, whatever @output is
 * @limit_bytes: when to begin the next file; 0: never
 * @nr_keep: complete files to keep; 0: all
 * @writer: the current file, or NULL
 * @nr_files: number of the current file
 * @bytes_before: length of all files before
 */
struct rotation {
	const char *output;
	bool zstd;
	uint64_t limit_bytes;
	unsigned int nr_keep;
	struct vitrine_writer *writer;
	unsigned int nr_files;
	uint64_t bytes_before;
};

struct vitrine_error *rotation_open(struct rotation *rotation);
struct vitrine_error *rotation_append(struct rotation *rotation,
				      const struct vitrine_subbuf *subbuf);
struct vitrine_error *rotation_commit(struct rotation *rotation);
uint64_t rotation_len(const struct rotation *rotation);

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
 * struct recorder - a recording
 * @files: the trace
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
 */
struct recorder {
	struct rotation files;
	int epoll_fd;
	const struct record_filter *filter;
	bool started;
	bool is_over;
	struct recorder_cpu *cpus;
	unsigned int nr_cpus;
	uint64_t nr_switches;
	uint64_t nr_lost;
	unsigned int nr_seen;
};

struct vitrine_error *recorder_scan(struct recorder *recorder);
struct vitrine_error *recorder_begin(struct recorder *recorder, bool (*flush)(void *ctx),
				     void *ctx);
struct vitrine_error *recorder_drain(struct recorder *recorder,
				     unsigned int index);
struct vitrine_error *recorder_drain_all(struct recorder *recorder);
struct vitrine_error *recorder_finish(struct recorder *recorder, bool (*flush)(void *ctx),
				      void *ctx);
void recorder_close(struct recorder *recorder);
void recorder_deinit(struct recorder *recorder);

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

int restorer_start(struct restorer *restorer,
		   void (*restore)(void *ctx, const char *setting), void *ctx);
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
 * struct events_wish - what is to be recorded
 * @set: the categories
 * @stacks: record stacks of long waits
 * @threshold_us: with @stacks, shortest wait, blocked or runnable, that is recorded
 * @until: "CATEGORY:NAME" or "CATEGORY" of an event that freezes the rings, whose category
 *	is enabled, too; or NULL
 */
struct events_wish {
	enum events_set set;
	bool stacks;
	uint64_t threshold_us;
	const char *until;
};

/**
 * struct events_hold - settings that are changed until events_release()
 * @fd: trace/events, or -1
 * @stacks_fd: trace/stacks, or -1
 * @trigger_fd: trace/trigger, or -1
 * @trigger: with a trigger, the words that were written to it
 * @has_stacks: trace/stacks was set by events_hold(), not by the user
 * @err: what failed in events_prepare(), or NULL
 * @restorer: process that restores the settings
 */
struct events_hold {
	int fd;
	int stacks_fd;
	bool has_stacks;
	int trigger_fd;
	char trigger[128];
	struct vitrine_error *err;
	struct restorer restorer;
};

char *events_read(void);
char *events_next(char **text);
bool events_has_category(const char *name);
void events_prepare(struct events_hold *hold, const struct events_wish *wish);
struct vitrine_error *events_hold(struct events_hold *hold,
				  const struct events_wish *wish);
struct vitrine_error *events_arm(struct events_hold *hold, const char *event);
struct vitrine_error *events_fired(const struct events_hold *hold, bool *ret_fired);
void events_still(const struct events_hold *hold);
void events_release(struct events_hold *hold);

void close_file(int *fd);

/* ---- kernel_events.c: events of the kernel's own tracer, ftrace --------- */

#define TRACEFS_NAME_BYTES	32

/**
 * struct tracefs - an instance
 * @mount: where tracefs is mounted, or NULL
 * @name: name of the instance; its probes are in groups whose names begin with it and "_"
 * @instance: directory of the instance, NULL before tracefs_create()
 * @lock_fd: that directory, locked as long as the recorder or its restorer lives, or -1
 */
struct tracefs {
	const char *mount;
	char name[TRACEFS_NAME_BYTES];
	char *instance;
	int lock_fd;
};

struct vitrine_error *tracefs_open(struct tracefs *tracefs);
char *tracefs_read(const char *directory, const char *file);
struct vitrine_error *tracefs_explain(int code, const char *path);

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
 * @tracefs: the instance, and the probes
 * @restorer: process that removes both
 * @control: socket to the helper that reads the instance; its end in the helper, or -1
 * @helper: the helper
 * @is_running: the helper has been started and not been waited for
 * @data_fd: sub-buffers from the helper, or -1
 * @names: a newline, and "SYSTEM:EVENT" lines of all events that are enabled
 * @nr_subbuf: how much of a sub-buffer has been read
 * @nr_records: events recorded, known at the end
 * @nr_lost: events lost, known at the end
 */
struct kernel_events {
	const struct kernel_event_wish *wishes;
	unsigned int nr_wishes;
	struct tracefs tracefs;
	struct restorer restorer;
	int control[2];
	struct helper_run helper;
	bool is_running;
	int data_fd;
	struct text names;
	size_t nr_subbuf;
	uint64_t nr_records;
	uint64_t nr_lost;
};

void kernel_events_prepare(struct kernel_events *events);
void kernel_events_start(struct kernel_events *events, const struct vitrine_ring *ring);
struct vitrine_error *kernel_events_enable(struct kernel_events *events);
struct vitrine_error *kernel_events_read(struct kernel_events *events,
					 struct rotation *files);
struct vitrine_error *kernel_events_finish(struct kernel_events *events,
					   struct rotation *files);
void kernel_events_release(struct kernel_events *events);

/* ---- cgroups.c: limits of cgroups, which no tracepoint tells, as markers */

/* Where cgroups of version 2 are mounted. */
#define CGROUPS		"/sys/fs/cgroup"

/**
 * struct cgroup - a cgroup with a limit
 * @id: inode of its file cpu.max, which no later cgroup gets
 * @quota_us: for how long its threads may run in each period
 * @period_us: length of a period
 * @throttled_us: for how long they have been throttled
 */
struct cgroup {
	ino_t id;
	uint64_t quota_us;
	uint64_t period_us;
	uint64_t throttled_us;
};

/**
 * struct cgroups - what is known of all cgroups; all zero at first
 * @limited: those with a limit
 * @nr: how many
 * @is_known: it is known, so any other cgroup is new
 */
struct cgroups {
	struct cgroup *limited;
	size_t nr;
	bool is_known;
};

/* Called with a file that is in @cgroup or below it, and its path. */
typedef void cgroups_visit_fn(void *ctx, const char *cgroup, char *path, FILE *file);

void cgroups_visit(const char *cgroup, const char *name, cgroups_visit_fn *visit, void *ctx);
void cgroups_note(struct cgroups *cgroups, const struct vitrine_marker *marker);
void cgroups_deinit(struct cgroups *cgroups);

#endif /* _VITRINE_RECORDING_H */
