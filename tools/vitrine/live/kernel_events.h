/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recording events of the kernel's own tracer, ftrace, beside the rings of the module.
 */
#ifndef _VITRINE_KERNEL_EVENTS_H
#define _VITRINE_KERNEL_EVENTS_H

#include <stdbool.h>

#include "input.h"
#include "vitrine.h"
#include "events.h"
#include "recorder.h"

#define TRACEFS_NAME_BYTES	32

/**
 * struct tracefs - an instance
 * @mount: where tracefs is mounted, or NULL
 * @name: name of the instance; its probes are in groups whose names begin with it and "_"
 * @instance: directory of the instance, NULL before tracefs_create()
 * @lock_fd: that directory, locked as long as the recorder or its restorer lives, or -1
 */
struct tracefs {
	char *mount;
	char name[TRACEFS_NAME_BYTES];
	char *instance;
	int lock_fd;
};

struct vitrine_error *tracefs_open(struct tracefs *tracefs);
void tracefs_close(struct tracefs *tracefs);
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
 * @names: "SYSTEM:EVENT" lines of all events that are enabled
 * @subbuf: beginning of a sub-buffer
 * @nr_subbuf: length of @subbuf
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
	char *names;
	unsigned char *subbuf;
	size_t nr_subbuf;
	uint64_t nr_records;
	uint64_t nr_lost;
};

struct vitrine_error *kernel_events_prepare(struct kernel_events *events);
struct vitrine_error *kernel_events_start(struct kernel_events *events,
					  const struct vitrine_ring *ring);
struct vitrine_error *kernel_events_enable(struct kernel_events *events);
struct vitrine_error *kernel_events_read(struct kernel_events *events,
					 struct rotation *files);
struct vitrine_error *kernel_events_finish(struct kernel_events *events,
					   struct rotation *files);
void kernel_events_release(struct kernel_events *events);

#endif /* _VITRINE_KERNEL_EVENTS_H */
