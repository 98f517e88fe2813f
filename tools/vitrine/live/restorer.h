/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process that restores settings when a recording ends, even if the recorder is killed.
 *
 * The recorder forks the process before it changes the first setting, and announces each
 * change through a pipe. When the pipe is closed, by restorer_finish() or because the
 * recorder was killed, the process restores what was announced. Open files, and the locks
 * that belong to them, are shared by both.
 */
#ifndef _VITRINE_RESTORER_H
#define _VITRINE_RESTORER_H

#include <stdbool.h>
#include <sys/types.h>

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

#endif /* _VITRINE_RESTORER_H */
