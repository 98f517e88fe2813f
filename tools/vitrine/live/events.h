/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Enabling categories of trace/events, and stacks of long waits, for the time of a
 * recording.
 */
#ifndef _VITRINE_EVENTS_H
#define _VITRINE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "restorer.h"
#include "vitrine.h"

/**
 * enum events_set - sets of categories
 * @EVENTS_WAKEUPS: sched
 * @EVENTS_WHY: sched, and what explains waits
 * @EVENTS_ALL: all of this kernel
 */
enum events_set {
	EVENTS_WAKEUPS,
	EVENTS_WHY,
	EVENTS_ALL,
};

/**
 * struct events_wish - what is to be recorded
 * @set: the categories
 * @threshold_us: shortest wait, blocked or runnable, that is recorded
 */
struct events_wish {
	enum events_set set;
	uint64_t threshold_us;
};

/**
 * struct events_hold - settings that are changed until events_release()
 * @fd: trace/events, or -1
 * @stacks_fd: trace/stacks, or -1
 * @code: errno of what failed in events_prepare(), or 0
 * @blamed: file that @code is about
 * @restorer: process that restores the settings
 */
struct events_hold {
	int fd;
	int stacks_fd;
	int code;
	const char *blamed;
	struct restorer restorer;
};

void events_prepare(struct events_hold *hold, bool stacks);
struct vitrine_error *events_hold(struct events_hold *hold,
				  const struct events_wish *wish);
void events_release(struct events_hold *hold);

#endif /* _VITRINE_EVENTS_H */
