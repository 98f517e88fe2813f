/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Enabling categories of trace/events, and stacks of long waits, and arming a trigger, for
 * the time of a recording; and the process that restores settings when it ends, even if the
 * recorder is killed.
 *
 * The recorder forks the process before it changes the first setting, and announces each
 * change through a pipe. When the pipe is closed, by restorer_finish() or because the
 * recorder was killed, the process restores what was announced. Open files, and the locks
 * that belong to them, are shared by both.
 */
#ifndef _VITRINE_EVENTS_H
#define _VITRINE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "vitrine.h"

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

#endif /* _VITRINE_EVENTS_H */
