// SPDX-License-Identifier: GPL-2.0
/*
 * A process that restores settings when a recording ends. restorer.h has the protocol.
 */
#define _GNU_SOURCE	/* pipe2() */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grow.h"
#include "restorer.h"

/* Survive ^C, the end of the terminal, and a stopping service, which end the recorder. */
static void detach(void)
{
	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	/* A reader of the recorder's output does not wait for this process. */
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
}

static void __attribute__((noreturn))
run(int fd, void (*restore)(void *ctx, const char *setting), void *ctx)
{
	FILE *announced = fdopen(fd, "r");
	char **settings = NULL, *line = NULL;
	size_t size = 0, nr = 0;

	while (announced && getline(&line, &size, announced) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!GROW(settings, nr))
			break;
		settings[nr++] = line;
		line = NULL;
		size = 0;
	}
	while (nr--)
		restore(ctx, settings[nr]);
	_exit(0);
}

/**
 * restorer_start() - fork the process
 * @restorer: the process
 * @restore: called in the process for each announced setting, last one first
 * @ctx: first argument of @restore; the files in it are open already
 *
 * Return: 0, or -1 with errno.
 */
int restorer_start(struct restorer *restorer,
		   void (*restore)(void *ctx, const char *setting), void *ctx)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -1;
	restorer->pid = fork();
	if (!restorer->pid) {
		close(fds[1]);
		detach();
		run(fds[0], restore, ctx);
	}
	close(fds[0]);
	restorer->announce_fd = fds[1];
	if (restorer->pid > 0)
		return 0;
	restorer->pid = 0;
	close(fds[1]);
	return -1;
}

/**
 * restorer_announce() - announce that a setting is about to be changed
 * @restorer: the process
 * @setting: one line, which @restore understands
 *
 * Return: 0, or -1 with errno: the setting must not be changed.
 */
int restorer_announce(const struct restorer *restorer, const char *setting)
{
	return dprintf(restorer->announce_fd, "%s\n", setting) < 0 ? -1 : 0;
}

/**
 * restorer_finish() - restore all settings that were announced
 * @restorer: the process, which has ended afterwards; a second call does nothing
 */
void restorer_finish(struct restorer *restorer)
{
	if (!restorer->pid)
		return;
	close(restorer->announce_fd);
	while (waitpid(restorer->pid, NULL, 0) < 0 && errno == EINTR)
		;
	restorer->pid = 0;
}
